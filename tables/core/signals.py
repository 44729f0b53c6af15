"""Signals by which a lower layer tells the screens, which it may not import."""

from django.dispatch import Signal

# Sent after the commit, with `table_id`, when something other than an act's own request changed a table's screens.
table_changed = Signal()
