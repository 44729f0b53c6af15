"""The compliance desk: the record searched, replayed, verified, exported and reported (docs/evidence.md)."""
