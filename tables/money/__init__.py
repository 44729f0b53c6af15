"""Chips and cash at a table: openers, fills, credits, sales, drop boxes, counts and closers."""
