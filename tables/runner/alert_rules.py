"""Alerts about a screen whose state is not the record's."""

from tables.core.alert_kinds import AlertKind, Level, alert_kind

ROLLED_BACK = alert_kind(
    AlertKind(
        "record-went-back",
        "record-went-back",
        Level.STOP,
        "Record gone back",
        "The record went back",
        "A screen has shown entry %(seen)s, and the record ended at %(last)s without it. Nothing is taken here. "
        "Leave chips and dice as they lie, write down what lies there, and call compliance: two people declare "
        "the record.",
    )
)
FORGED_HEAD = alert_kind(
    AlertKind(
        "head-not-ours",
        "head-not-ours",
        Level.WARN,
        "Screen not known",
        "Screen not known",
        "%(device)s sent a state of this table that the server never showed; its act was refused. Look who has "
        "the device, load its page again, and tell compliance.",
        ends_when_acknowledged=True,
    )
)
