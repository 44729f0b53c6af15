"""Minimum and maximum wagers, and their change by notice."""
