"""The desk's acts, one file for each noun; importing this registers all of them."""

from . import exports, filters, proofs

__all__ = ["exports", "filters", "proofs"]
