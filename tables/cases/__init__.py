"""Cases of compliance: opened by a rule or a person, owned, looked into, signed by two people, closed."""
