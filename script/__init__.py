"""What a builder runs: the environment, the locks, the demo server, and every check."""
