"""The exact figures of rounds and tables, their rollups, pages and files (docs/figures.md)."""
