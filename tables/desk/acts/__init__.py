"""The desk's acts, one file for each noun; importing this registers all of them."""

from . import filters, proofs

__all__ = ["filters", "proofs"]
