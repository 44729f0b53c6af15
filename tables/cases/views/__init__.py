"""The pages of compliance: its inbox, and each case."""
