"""Sentences of refusals and entries, as each package registers them."""
