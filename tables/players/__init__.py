"""Rated players: who is rated at which seat, and exact figures of a rating. Seats are anonymous otherwise."""
