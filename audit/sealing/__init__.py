"""Sealing the record: the log of its heads, who signs it, who witnesses it (docs/evidence.md)."""
