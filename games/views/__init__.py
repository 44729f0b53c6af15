"""The pages of the rules office, and those that patrons read."""
