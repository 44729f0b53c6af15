"""Lines of the desk's entries, and of entries that belong to no table."""

from audit.entries import (
    COOKIE_COPIED,
    DEVICE_CHANGED,
    DEVICE_ENROLLED,
    DEVICE_LOCKED,
    DEVICE_LOCKED_OUT,
    DEVICE_REVOKED,
    ENROLLMENT_REFUSED,
    FACTOR_CONFIRMED,
    FACTOR_ENDED,
    FACTOR_REGISTERED,
    GUESSES_READ,
    INCARNATION_DECLARED,
    INCARNATION_OPENED,
    KEY_CREATED,
    KEY_RETIRED,
    LOG_KEY_CREATED,
    LOG_KEY_RETIRED,
    PASSWORD_CHANGED,
    PASSWORD_GIVEN,
    PERSON_LOCKED_OUT,
    PERSON_RECORDED,
    PERSON_REFUSED,
    PERSON_SIGNED_IN,
    PERSON_SIGNED_OUT,
    STREAM_CLOSED,
    STREAM_CONTINUED,
    RefusedPerson,
    WhyRefused,
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

# What was typed was right in each of these
WHY_REFUSED: dict[WhyRefused, str] = {
    "license-ended": "%(code)s refused after the end of the license",
    "new-pin-needed": "%(code)s refused: a one-time PIN signs nothing",
    "on-leave": "%(code)s refused on leave, with the right PIN, password or second factor",
    "pin-ended": "%(code)s refused: the time of the one-time PIN is over",
}
ACT_LINES = [
    line(FILTER_SAVED, lambda data: "Filter saved: %(filter)s" % data),
    line(PROOF_TAKEN, lambda data: "Proof of %(stream)s, entry %(first)s, taken" % data),
    line(LEGAL_HOLD_PLACED, lambda data: "Legal hold %(hold)s placed: %(reason)s" % data),
    line(LEGAL_HOLD_RELEASED, lambda data: "Legal hold %(hold)s released: %(reason)s" % data),
    line(ROUND_PRINTED, lambda data: _round_printed(data)),
    line(FILTER_REMOVED, lambda data: "Filter removed: %(filter)s" % data),
    line(
        PERSON_SIGNED_IN,
        lambda data: ("Signed in at %(name)s" + (" with a second factor" if "factor" in data else "")) % data,
    ),
    line(PERSON_SIGNED_OUT, lambda data: "Signed off at %(name)s" % data),
    line(PERSON_RECORDED, lambda data: "%(name)s, %(role)s: recorded as a person" % data),
    line(PERSON_REFUSED, lambda data: _refused(data) % data),
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
        DEVICE_CHANGED,
        lambda data: (
            (
                "%(name)s has this name now, and serves %(place)s"
                if data["place"]
                else "%(name)s has this name now"
            )
            % data
        ),
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
    line(FACTOR_REGISTERED, lambda data: "Second factor of %(code)s registered: %(label)s" % data),
    line(FACTOR_CONFIRMED, lambda data: "Second factor given again at %(name)s: %(label)s" % data),
    line(
        FACTOR_ENDED,
        lambda data: (
            "Second factor of %(code)s ended: %(label)s" % data
            + (", by two administrators" if data["why"] == "lost" else "")
        ),
    ),
    line(PASSWORD_CHANGED, lambda data: "Password of %(code)s changed" % data),
    line(PASSWORD_GIVEN, lambda data: "One-time password given to %(code)s" % data),
    line(COOKIE_COPIED, lambda data: "An old key of %(name)s was used: somebody copied it" % data),
    line(GUESSES_READ, lambda data: "Read that wrong PINs were typed under their name"),
    line(DEVICE_REVOKED, lambda data: "%(name)s revoked: it can no longer be used" % data),
    line(KEY_CREATED, lambda data: "Sealer key %(key)s created" % data),
    line(KEY_RETIRED, lambda data: "Sealer key %(key)s retired" % data),
    line(LOG_KEY_CREATED, lambda data: "Sealer key of a facility's log created"),
    line(LOG_KEY_RETIRED, lambda data: "Sealer key of a facility's log retired"),
    line(STREAM_CLOSED, lambda data: "%(stream)s closed, and continued as %(continued_by)s: %(why)s" % data),
    line(STREAM_CONTINUED, lambda data: "Continues %(stream)s after its entry %(seq)s: %(why)s" % data),
    line(INCARNATION_OPENED, lambda data: "The record begins: %(origin)s" % data),
    line(INCARNATION_DECLARED, lambda data: "The record continues as %(origin)s: %(why)s" % data),
]


def _round_printed(data: RoundPrinted) -> str:
    seat = f", seat {data['seat']}" if data["seat"] is not None else ""
    return f"Report of round {data['number']} at {data['table']}{seat} printed"


def _refused(data: RefusedPerson) -> str:
    """What was wrong, for a line of the record. An older entry of a sign-in may be about a PIN or a password."""
    if "why" in data:
        return WHY_REFUSED[data["why"]] + ", at %(name)s"
    is_factor = data["purpose"] in ("second-factor", "step-up")
    return "Wrong second factor at %(name)s" if is_factor else "Wrong PIN or password at %(name)s"


register(act_lines=ACT_LINES)
