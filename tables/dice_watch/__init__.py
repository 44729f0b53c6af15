"""The dice watch: what was thrown with each lot and shaker, and the evidence against fair dice. For staff only."""
