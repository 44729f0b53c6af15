"""Corrections before money moves, and Error Notification Slips after."""
