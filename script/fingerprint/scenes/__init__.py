"""What is played, one file a topic. `script.fingerprint.play` names the order."""
