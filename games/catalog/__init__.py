"""The games that Pitside deals, one folder each (docs/games.md). `games.registry` lists them."""
