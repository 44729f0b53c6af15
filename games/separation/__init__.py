"""Separation of duties: who prepares, who approves, who is told, and that nobody is both.

`policy.py` reads the rows of a jurisdiction. `changes.py` has the record of what somebody prepared, and says when that
has ended; `acts.py` has the acts on it. `signatures.py` says who signs a paper next, by the rows of `signers.toml`.
"""
