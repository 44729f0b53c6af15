"""What the entries state of the gaming guide, the complete rules, and permissions of the Board."""

import hashlib
from typing import Any

import rfc8785

from audit.columns import (
    ACTOR,
    AT,
    FACILITY,
    NONE,
    Body,
    Reading,
    Rows,
    constant,
    declare,
    letter,
    plain,
    same,
)
from games.models import BoardPermission, Guide, GuideDisplay, RulesBook, RulesInspection
from games.office.core.reviewed_columns import DECIDED, DRAFTED, FILED, WITHDRAWN
from games.office.guides.entry_types import (
    BOARD_PERMISSION_RECORDED,
    BOARD_PERMISSION_WITHDRAWN,
    GUIDE_DECIDED,
    GUIDE_DISPLAY_ENDED,
    GUIDE_DISPLAYED,
    GUIDE_DRAFTED,
    GUIDE_FILED,
    GUIDE_PUBLISHED,
    GUIDE_SAME_AS_APPROVED,
    GUIDE_WITHDRAWN,
    RULES_BOOK_FILED,
    RULES_BOOK_INSPECTED,
)


def json_sha256(value: Any) -> str:
    """The SHA-256 of data as canonical JSON (RFC 8785), in hex."""
    return hashlib.sha256(rfc8785.dumps(value)).hexdigest()


def _ended_versions(body: Body) -> list[int]:
    """The guides that end with this one's publication or withdrawal."""
    data = body["data"]
    if body["_type"] == GUIDE_PUBLISHED.name:
        return [data["replaces"]] if data["replaces"] else []
    return [data["version"], *data["also"]]


def ended(rows: Rows, body: Body) -> None:
    for version in _ended_versions(body):
        rows.put(body, FACILITY(body), version, ended_at=body["at"])


declare(
    Guide,
    "guide",
    key={"facility": FACILITY, "version": "version"},
    created={
        GUIDE_DRAFTED: {
            **DRAFTED,
            **same("content_sha256", "facts_sha256", "formats"),
            "content": "content_sha256",
            "facts": "facts_sha256",
            **dict.fromkeys(("same_as", "immaterial_because", "published_at", "ended_at"), NONE),
        }
    },
    changed={
        GUIDE_FILED: FILED,
        GUIDE_DECIDED: DECIDED,
        GUIDE_SAME_AS_APPROVED: {
            "same_as": "same_as",
            "immaterial_because": "because",
            "status": constant("approved"),
        },
        GUIDE_PUBLISHED: {"published_at": AT},
        GUIDE_WITHDRAWN: WITHDRAWN,
    },
    folded={GUIDE_PUBLISHED: ended, GUIDE_WITHDRAWN: ended},
    readings={
        "content": Reading(("content",), json_sha256, ("content",)),
        "facts": Reading(("facts",), json_sha256, ("facts",)),
        "same_as": Reading(("same_as__version",), plain, ("same_as",)),
    },
)


def displayed(rows: Rows, body: Body) -> None:
    data, facility = body["data"], FACILITY(body)
    rows.memory.setdefault((facility, data["version"]), {})[data["place"]] = body["at"]
    rows.put(body, facility, data["version"], data["place"], body["at"], until=None)


def display_ended(rows: Rows, body: Body) -> None:
    data, facility = body["data"], FACILITY(body)
    since = rows.memory.get((facility, data["version"]), {}).pop(data["place"], None)
    if since is not None:
        rows.put(body, facility, data["version"], data["place"], since, until=body["at"])


def displays_ended(rows: Rows, body: Body) -> None:
    """A guide that is not in use may not be displayed."""
    for version in _ended_versions(body):
        for place, since in rows.memory.pop((FACILITY(body), version), {}).items():
            rows.put(body, FACILITY(body), version, place, since, until=body["at"])


declare(
    GuideDisplay,
    "display of guide",
    key={"facility": FACILITY, "guide": "version", "place": "place", "since": AT},
    folded={
        GUIDE_DISPLAYED: displayed,
        GUIDE_DISPLAY_ENDED: display_ended,
        GUIDE_PUBLISHED: displays_ended,
        GUIDE_WITHDRAWN: displays_ended,
    },
    folded_columns=("until",),
    readings={
        "facility": Reading(("guide__facility__code",), plain, ("guide",)),
        "guide": Reading(("guide__version",), plain, ("guide",)),
    },
)


def replaced(rows: Rows, body: Body) -> None:
    version = body["data"]["version"] - 1
    if rows.get(FACILITY(body), version) is not None:
        rows.put(body, FACILITY(body), version, replaced_at=body["at"])


declare(
    RulesBook,
    "complete rules",
    key={"facility": FACILITY, "version": "version"},
    created={
        RULES_BOOK_FILED: {
            **same("games", "place", "place_reference"),
            "document": letter("document"),
            "filed_at": AT,
            "replaced_at": NONE,
        }
    },
    folded={RULES_BOOK_FILED: replaced},
)
declare(
    RulesInspection,
    "inspection of complete rules",
    key={"facility": FACILITY, "book": "book", "at": AT},
    created={RULES_BOOK_INSPECTED: {**same("place", "note"), "by": ACTOR}},
    readings={
        "facility": Reading(("book__facility__code",), plain, ("book",)),
        "book": Reading(("book__version",), plain, ("book",)),
    },
)


def recorded(rows: Rows, body: Body) -> None:
    data, facility = body["data"], FACILITY(body)
    key = facility, data["reference"], data["granted_on"]
    rows.memory[facility, data["reference"]] = key
    values = {name: data[name] for name in ("subject", "tables", "ends_on")}
    rows.put(body, *key, **values, letter=letter("letter")(body), withdrawn_at=None)


def permission_withdrawn(rows: Rows, body: Body) -> None:
    key = rows.memory.pop((FACILITY(body), body["data"]["reference"]), None)
    if key is not None:
        rows.put(body, *key, withdrawn_at=body["at"])


declare(
    BoardPermission,
    "permission of the Board",
    key={"facility": FACILITY, "reference": "reference", "granted_on": "granted_on"},
    folded={BOARD_PERMISSION_RECORDED: recorded, BOARD_PERMISSION_WITHDRAWN: permission_withdrawn},
    folded_columns=("subject", "tables", "ends_on", "letter", "withdrawn_at"),
)
