"""Every game played in real browsers at once, and each screen compared with the database after every act."""
