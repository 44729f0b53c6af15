"""The exact figures of rounds and tables, from the entries alone (docs/pit.md)."""
