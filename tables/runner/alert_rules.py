"""Alerts about a screen whose state is not the record's."""

from tables.core.alert_kinds import AlertKind, Level, alert_kind

ROLLED_BACK = alert_kind(
    AlertKind(
        "record-went-back",
        "record-went-back",
        Level.STOP,
        "Record rolled back",
        "The record was rolled back",
        "A screen has shown entry %(seen)s, but the record ends at %(last)s without it. Nothing can be recorded here. "
        "Leave chips and dice where they are, write down what is there, and call compliance: two people must "
        "declare the record.",
    )
)
FORGED_HEAD = alert_kind(
    AlertKind(
        "head-not-ours",
        "head-not-ours",
        Level.WARN,
        "Unknown screen",
        "Unknown screen",
        "%(device)s sent a state of this table that the server never showed, and its act was refused. "
        "Find out who has the device, reload its page, and tell compliance.",
        ends_when_acknowledged=True,
    )
)
