"""The games that Pitside deals, one folder each (docs/architecture.md). `games.registry` lists them."""
