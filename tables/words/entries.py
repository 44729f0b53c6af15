"""An entry of the record in words. An entry that cannot be read never breaks a page."""

import json
import re
from typing import Any

from audit.models import Entry, Person
from tables.words.registry import ACT_LINES
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
