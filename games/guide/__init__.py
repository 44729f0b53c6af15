"""What patrons read of the rules: made from the submissions in force, in three languages, and frozen once filed."""
