"""The round in play: wagers, throws, settlement."""
