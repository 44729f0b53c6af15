"""The compliance desk: search, entries, integrity, exports."""
