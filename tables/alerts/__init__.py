"""Alerts as screens show them, and disputes."""
