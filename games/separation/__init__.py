"""Separation of duties: who prepares, who approves, who is told, and that nobody is both.

`policy.py` reads the rows of a jurisdiction, `changes.py` has the record of what somebody prepared, `acts.py` the acts
on it, and `endings.py` says when it has ended.
"""
