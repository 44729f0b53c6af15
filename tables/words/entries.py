"""An entry of the record in words. An entry that cannot be read never breaks a page."""

import json
import re
from typing import Any

from audit.entries import (
    DEVICE_CHANGED,
    DEVICE_ENROLLED,
    DEVICE_LOCKED_OUT,
    DEVICE_REVOKED,
    ENROLLMENT_REFUSED,
    FACTOR_ENDED,
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
from audit.entry_types import ACT_LINES
from audit.models import Entry, Person
from tables.words import line, register
from tables.words.sentences import act_line

# The data fields in which entries without a table name their subject.
CODES = (
    "change",
    "code",
    "submission",
    "request",
    "provider",
    "document",
    "shaker",
    "lot",
    "person",
    "table",
)
TITLES = ("title", "what", "name", "place")
MOST_NAMED = 80


def names_of(codes: set[str]) -> dict[str, str]:
    """Names of people by their codes."""
    return dict(Person.objects.filter(code__in=codes).values_list("code", "name"))


def data_of(entry: Entry) -> dict[str, Any]:
    """The data of an entry's body; empty for an unreadable body, which the entry's own page reports."""
    try:
        data = json.loads(bytes(entry.body))["data"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def device_of(entry: Entry) -> str | None:
    """The id of the device at which an entry was made; None where its body names none, or cannot be read."""
    try:
        device = json.loads(bytes(entry.body))["device"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return device if isinstance(device, str) else None


def words_of(type_: str, data: dict[str, Any]) -> str:
    """An entry as a sentence. Without words for its type, or with data of another shape: its type and its subject."""
    if type_ in ACT_LINES:
        try:
            return act_line(type_, data)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError):
            return type_in_words(type_)
    subject = subject_of(data)
    return f"{type_in_words(type_)}: {subject}" if subject else type_in_words(type_)


def subject_of(data: dict[str, Any]) -> str:
    """What an entry is about, from its data: `RS-0003, version 2`, `NG-0002, Lucky Pair`; otherwise empty."""
    codes, titles = ([data.get(key) for key in keys] for keys in (CODES, TITLES))
    short_names = [next((name for name in names if _is_short(name)), "") for names in (codes, titles)]
    version = data.get("version")
    if type(version) is int:
        short_names.insert(1, f"version {version}")
    return ", ".join(name for name in dict.fromkeys(short_names) if name)


def _is_short(text: Any) -> bool:
    return isinstance(text, str) and 0 < len(text) <= MOST_NAMED


def type_in_words(type_: str) -> str:
    """`Dice lot placed` for `dice_lot.placed`."""
    return re.sub(r"[._-]", " ", type_).capitalize()


# Lines of the entries that belong to no table: people, devices, keys, streams and incarnations (`audit.entries`)


# What was typed was right in each of these
WHY_REFUSED: dict[WhyRefused, str] = {
    "license-ended": "%(code)s refused after the end of the license",
    "new-pin-needed": "%(code)s refused: a one-time PIN signs nothing",
    "on-leave": "%(code)s refused on leave, with the right PIN, password or second factor",
    "pin-ended": "%(code)s refused: the time of the one-time PIN is over",
}


def _refused(data: RefusedPerson) -> str:
    """What was wrong, for a line of the record. An older entry of a sign-in may be about a PIN or a password."""
    if "why" in data:
        return WHY_REFUSED[data["why"]] + ", at %(name)s"
    is_factor = data["purpose"] in ("second-factor", "step-up")
    return "Wrong second factor at %(name)s" if is_factor else "Wrong PIN or password at %(name)s"


register(
    act_lines=[
        line(
            PERSON_SIGNED_IN,
            lambda data: (
                ("Signed in at %(name)s" + (" with a second factor" if "factor" in data else "")) % data
            ),
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
        line(
            FACTOR_ENDED,
            lambda data: (
                "Second factor of %(code)s ended: %(label)s" % data
                + (", by two administrators" if data["why"] == "lost" else "")
            ),
        ),
        line(PASSWORD_CHANGED, lambda data: "Password of %(code)s changed" % data),
        line(PASSWORD_GIVEN, lambda data: "One-time password given to %(code)s" % data),
        line(DEVICE_REVOKED, lambda data: "%(name)s revoked: it can no longer be used" % data),
        line(KEY_CREATED, lambda data: "Sealer key %(key)s created" % data),
        line(KEY_RETIRED, lambda data: "Sealer key %(key)s retired" % data),
        line(LOG_KEY_CREATED, lambda data: "Sealer key of a facility's log created"),
        line(LOG_KEY_RETIRED, lambda data: "Sealer key of a facility's log retired"),
        line(
            STREAM_CLOSED, lambda data: "%(stream)s closed, and continued as %(continued_by)s: %(why)s" % data
        ),
        line(STREAM_CONTINUED, lambda data: "Continues %(stream)s after its entry %(seq)s: %(why)s" % data),
    ]
)
