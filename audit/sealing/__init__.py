"""Sealing the record: the log of its heads, its signatures and its witnesses (docs/evidence.md)."""
