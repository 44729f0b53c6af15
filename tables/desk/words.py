"""Lines of the desk's entries, and of entries that belong to no table."""

from audit.entries import (
    DEVICE_ENROLLED,
    DEVICE_LOCKED,
    DEVICE_LOCKED_OUT,
    DEVICE_REVOKED,
    ENROLLMENT_REFUSED,
    INCARNATION_DECLARED,
    INCARNATION_OPENED,
    KEY_CREATED,
    KEY_RETIRED,
    PERSON_LOCKED_OUT,
    PERSON_RECORDED,
    PERSON_REFUSED,
    PERSON_SIGNED_IN,
    PERSON_SIGNED_OUT,
    STREAM_CLOSED,
    STREAM_CONTINUED,
)
from tables.desk.entry_types import (
    FILTER_REMOVED,
    FILTER_SAVED,
    LEGAL_HOLD_PLACED,
    LEGAL_HOLD_RELEASED,
    PROOF_TAKEN,
    ROUND_PRINTED,
    RoundPrinted,
)
from tables.words.registry import line, register

ACT_LINES = [
    line(FILTER_SAVED, lambda data: "Filter saved: %(filter)s" % data),
    line(PROOF_TAKEN, lambda data: "Proof of %(stream)s, entry %(first)s, taken" % data),
    line(LEGAL_HOLD_PLACED, lambda data: "Legal hold %(hold)s placed: %(reason)s" % data),
    line(LEGAL_HOLD_RELEASED, lambda data: "Legal hold %(hold)s released: %(reason)s" % data),
    line(ROUND_PRINTED, lambda data: _round_printed(data)),
    line(FILTER_REMOVED, lambda data: "Filter removed: %(filter)s" % data),
    line(PERSON_SIGNED_IN, lambda data: "Signed in at %(name)s" % data),
    line(PERSON_SIGNED_OUT, lambda data: "Signed off at %(name)s" % data),
    line(PERSON_RECORDED, lambda data: "%(name)s, %(role)s: recorded as a person" % data),
    line(PERSON_REFUSED, lambda data: "Wrong PIN at %(name)s" % data),
    line(
        PERSON_LOCKED_OUT,
        lambda data: (
            (
                "Locked out at every device after wrong PINs"
                if "everywhere" in data
                else "Locked out at %(name)s after wrong PINs"
            )
            % data
        ),
    ),
    line(DEVICE_LOCKED_OUT, lambda data: "%(name)s accepts no PIN after wrong PINs" % data),
    line(DEVICE_LOCKED, lambda data: "%(name)s locked" % data),
    line(
        DEVICE_ENROLLED,
        lambda data: ("%(name)s enrolled at %(place)s" if data["place"] else "%(name)s enrolled") % data,
    ),
    line(
        ENROLLMENT_REFUSED,
        lambda data: (
            (
                "The token of %(name)s was used a second time"
                if data["why"] == "used"
                else "The token of %(name)s had expired"
            )
            % data
        ),
    ),
    line(DEVICE_REVOKED, lambda data: "%(name)s revoked: it can no longer be used" % data),
    line(KEY_CREATED, lambda data: "Sealer key %(key)s created" % data),
    line(KEY_RETIRED, lambda data: "Sealer key %(key)s retired" % data),
    line(STREAM_CLOSED, lambda data: "%(stream)s closed, and continued as %(continued_by)s: %(why)s" % data),
    line(STREAM_CONTINUED, lambda data: "Continues %(stream)s after its entry %(seq)s: %(why)s" % data),
    line(INCARNATION_OPENED, lambda data: "The record begins: %(origin)s" % data),
    line(INCARNATION_DECLARED, lambda data: "The record continues as %(origin)s: %(why)s" % data),
]


def _round_printed(data: RoundPrinted) -> str:
    seat = f", seat {data['seat']}" if data["seat"] is not None else ""
    return f"Report of round {data['number']} at {data['table']}{seat} printed"


register(act_lines=ACT_LINES)
