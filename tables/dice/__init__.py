"""Custody of dice lots, from receipt to destruction."""
