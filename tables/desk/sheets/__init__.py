"""Readable exports: a sheet with one row a round, a wager, a slip, a sign-in and a dice lot."""
