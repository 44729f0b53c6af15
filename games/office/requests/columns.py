"""What the entries state of requests for new games, the questions about them, and their tests."""

import hashlib
from typing import Any

from audit import chain
from audit.columns import (
    AT,
    FACILITY,
    NONE,
    Body,
    Reading,
    Rows,
    constant,
    declare,
    if_given,
    letter,
    moment,
    plain,
    same,
)
from games.models import FurtherRequest, GameRequest, GameTest, TestRules, TestRun
from games.office.core.reviewed_columns import DECIDED, DRAFTED, FILED, WITHDRAWN, granted
from games.office.requests.entry_types import (
    REQUEST_AMENDMENT,
    REQUEST_ANSWERED_FURTHER,
    REQUEST_ASKED_FURTHER,
    REQUEST_BILLED,
    REQUEST_CHANGED,
    REQUEST_DECIDED,
    REQUEST_DRAFTED,
    REQUEST_FILED,
    REQUEST_LICENSING,
    REQUEST_PAID,
    REQUEST_SUITABILITY,
    REQUEST_WITHDRAWN,
    TEST_CHANGED,
    TEST_DECIDED,
    TEST_DRAFTED,
    TEST_FILED,
    TEST_RULES_CHANGED,
    TEST_RUN,
    TEST_WITHDRAWN,
)

ABOUT = ("title", "kind", "rules", "wagers")
CONDITIONS = {
    REQUEST_SUITABILITY.name: ("suitability", "suitable_on"),
    REQUEST_AMENDMENT.name: ("amendment", "amended_on"),
    REQUEST_LICENSING.name: ("licensing", "licensed_on"),
}
AMOUNTS = {REQUEST_BILLED.name: ("bills", "costs_cents"), REQUEST_PAID.name: ("payments", "paid_cents")}
SIGN_PARTS = ("casinos", "dates", "tables")  # the sign of a test is made again when one of these changes


def plain_parts(parts: dict[str, Any]) -> dict[str, Any]:
    """The parts of a request, with the SHA-256 of its figures in their place, as the entry of its filing has them."""
    odds = parts.get("odds")
    if not odds or "figures" not in odds:
        return parts
    digest = hashlib.sha256(chain.canonical(odds["figures"])).hexdigest()
    return {**parts, "odds": {**odds, "figures": digest}}


def changed(rows: Rows, body: Body) -> None:
    data, key = body["data"], (FACILITY(body), body["data"]["request"])
    if data["part"] == "about":
        rows.put(body, *key, **{name: data[name] for name in ABOUT}, petitioner=data.get("petitioner"))
        return
    before: dict[str, Any] = (rows.get(*key) or {}).get("parts", {})
    parts = {name: part for name, part in before.items() if name != data["part"]}
    if data["said"]:
        parts[data["part"]] = data["said"]
    rows.put(body, *key, parts=parts)


def filed(rows: Rows, body: Body) -> None:
    data, key = body["data"], (FACILITY(body), body["data"]["request"])
    before: dict[str, Any] = (rows.get(*key) or {}).get("parts", {})
    parts = dict(data["parts"])
    odds = dict(before.get("odds", {}))
    if data["odds"]:
        odds["figures"] = data["odds"]["sha256"]
    if odds:
        parts["odds"] = odds
    rows.put(body, *key, parts=parts)


def condition(rows: Rows, body: Body) -> None:
    name, column = CONDITIONS[body["_type"]]
    key = FACILITY(body), body["data"]["request"]
    before: dict[str, Any] = (rows.get(*key) or {}).get("conditions", {})
    evidence = {field: value for field, value in body["data"].items() if field != "request"}
    rows.put(body, *key, conditions={**before, name: evidence}, **{column: evidence["on"]})


def amount(rows: Rows, body: Body) -> None:
    name, column = AMOUNTS[body["_type"]]
    key = FACILITY(body), body["data"]["request"]
    before = rows.get(*key) or {}
    conditions: dict[str, Any] = before.get("conditions", {})
    evidence = {
        field: value for field, value in body["data"].items() if field not in ("request", "balance_cents")
    }
    conditions = {**conditions, name: [*conditions.get(name, ()), evidence]}
    rows.put(body, *key, conditions=conditions, **{column: before.get(column, 0) + evidence["cents"]})


declare(
    GameRequest,
    "request",
    may_be_seeded=True,
    key={"facility": FACILITY, "code": "request"},
    created={
        REQUEST_DRAFTED: {
            **DRAFTED,
            **same(*ABOUT),
            "petitioner": if_given("petitioner"),
            "parts": constant({}),
            "conditions": constant({}),
            "costs_cents": constant(0),
            "paid_cents": constant(0),
            **dict.fromkeys(("withdrawn_why", "suitable_on", "amended_on", "licensed_on"), NONE),
        }
    },
    changed={
        REQUEST_FILED: {**FILED, **same(*ABOUT), "petitioner": if_given("petitioner")},
        REQUEST_DECIDED: DECIDED,
        REQUEST_WITHDRAWN: {**WITHDRAWN, "withdrawn_why": "why"},
    },
    folded={
        REQUEST_CHANGED: changed,
        REQUEST_FILED: filed,
        **dict.fromkeys((REQUEST_SUITABILITY, REQUEST_AMENDMENT, REQUEST_LICENSING), condition),
        **dict.fromkeys((REQUEST_BILLED, REQUEST_PAID), amount),
    },
    readings={"parts": Reading(("parts",), plain_parts, ("parts",))},
    unproven={"game": "the game of its rules, which are stated"},
)
declare(
    FurtherRequest,
    "question",
    key={"id": "item"},
    created={
        REQUEST_ASKED_FURTHER: {
            **same("request", "body", "what"),
            "asked_on": "on",
            "answered_on": NONE,
            "document": NONE,
        }
    },
    changed={
        REQUEST_ANSWERED_FURTHER: {
            "request": "request",
            "answered_on": "on",
            "document": letter("document"),
        }
    },
    readings={"request": Reading(("request__code",), plain, ("request",))},
)


def test_changed(rows: Rows, body: Body) -> None:
    data, key = body["data"], (FACILITY(body), body["data"]["request"], body["data"]["test"])
    part, said = data["part"], data["said"]
    before: dict[str, Any] = (rows.get(*key) or {}).get("parts", {})
    parts = {name: value for name, value in before.items() if name != part}
    if said:
        parts[part] = said
    if part in SIGN_PARTS and said != before.get(part):
        parts.pop("sign", None)
    rows.put(body, *key, parts=parts)
    if part == "dates":
        rows.put(body, *key, starts_on=said["from"], ends_on=said["to"])


OF_REQUEST = {
    "facility": Reading(("request__facility__code",), plain, ("request",)),
    "request": Reading(("request__code",), plain, ("request",)),
}
declare(
    GameTest,
    "test",
    key={"facility": FACILITY, "request": "request", "number": "test"},
    created={
        TEST_DRAFTED: {
            "status": constant("draft"),
            "parts": constant({}),
            **dict.fromkeys(("starts_on", "ends_on", "filed_at", "decided_at", "decided_by"), NONE),
            **dict.fromkeys(("reference", "conditions", "decision"), NONE),
        }
    },
    changed={
        TEST_FILED: {"status": constant("filed"), "filed_at": AT, "parts": "parts"},
        TEST_DECIDED: {
            "status": granted,
            "decided_at": AT,
            "decided_by": "body",
            **same("reference", "conditions"),
            "decision": letter("letter"),
        },
        TEST_WITHDRAWN: {"status": constant("withdrawn")},
    },
    folded={TEST_CHANGED: test_changed},
    readings=OF_REQUEST,
)

OF_TEST = {
    "facility": Reading(("test__request__facility__code",), plain, ("test",)),
    "request": Reading(("test__request__code",), plain, ("test",)),
    "test": Reading(("test__number",), plain, ("test",)),
}


def first_rules(rows: Rows, body: Body) -> None:
    """A granted test begins with the rules that its request describes."""
    if body["data"]["granted"]:
        rows.put(body, FACILITY(body), body["data"]["request"], body["data"]["test"], 1, why=None)


declare(
    TestRules,
    "rules of test",
    key={"facility": FACILITY, **same("request", "test", "version")},
    created={TEST_RULES_CHANGED: {**same("text", "why"), "in_force_from": moment("from")}},
    folded={TEST_DECIDED: first_rules},
    readings=OF_TEST,
)
declare(
    TestRun,
    "run of test",
    key={"facility": FACILITY, **same("request", "test", "casino", "table"), "started_at": moment("from")},
    created={TEST_RUN: {"ended_at": moment("to"), "note": "note"}},
    readings=OF_TEST,
)
