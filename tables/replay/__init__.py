"""A round as the record tells it: read from its entries alone, and settled anew with the rules that it pinned."""
