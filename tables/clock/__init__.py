"""What happens without a person: the ticker and the alert rules."""
