"""Signals for the screens, which the lower layers may not import."""

from django.dispatch import Signal

# Sent after the commit, with `table_id`, when something other than a request changed what a table's screens show.
table_changed = Signal()
