"""Approvals, shakers, signs, and what an inspection asks."""
