"""What patrons read of the rules: made of the submissions in force, in three languages, and frozen once it is filed."""
