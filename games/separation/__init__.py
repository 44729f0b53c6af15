"""Separation of duties: who prepares, who approves, who is told, and that nobody is both.

`policy.py` reads the rows of a jurisdiction, `changes.py` stores what somebody prepared, `acts.py` has the acts on it.
"""
