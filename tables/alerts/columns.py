"""What the entries state of alerts and calls: who answered, decided, muted and acknowledged them."""

import datetime as dt
from typing import Any

from audit.clock import format_moment
from audit.columns import AT, FACILITY, PLACE, Body, Reading, Rows, declare, plain
from tables.alerts.entry_types import (
    ALERT_ANSWERED,
    ALERT_MUTED,
    ALERT_PASSED_ON,
    CALL_EXPLAINED,
    DECISION_READ,
)
from tables.core.entry_types import ALERT_ACKNOWLEDGED, ALERT_DECIDED, ALERT_ENDED, ALERT_RAISED
from tables.models import Alert

PLAY = "tables.replay.record_checks.check_play_tables"
OWN = ("key", "kind", "level", "section")  # fields of the alert itself, beside the values for its sentence
IN_WORDS_KINDS = ("dispute", "floor-call", "security-call")
IN_WORDS = "words"
NONE = (
    *("acknowledged_at", "acknowledged_by", "note", "coming_at", "coming_by", "decided_at", "decided_by"),
    *("read_at", "asked_role", "asked_at", "muted_until", "muted_by", "ended_at"),
)


def plain_params(params: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in params.items() if name not in OWN}


def raised(rows: Rows, body: Body) -> None:
    data = body["data"]
    place = FACILITY(body), PLACE(body), data["key"]
    rows.memory.setdefault(place, []).append(body["at"])
    rows.put(
        body,
        *place,
        body["at"],
        params=plain_params(data),
        level=data["level"],
        section=data["section"],
        **dict.fromkeys(NONE),
    )


def _held(rows: Rows, body: Body) -> list[tuple[tuple[str, ...], dict[str, Any]]]:
    """The alerts with the key of an entry that screens still show, oldest first. The others are forgotten."""
    place = FACILITY(body), PLACE(body), body["data"]["key"]
    held: list[tuple[tuple[str, ...], dict[str, Any]]] = []
    for moment in rows.memory.get(place, ()):
        alert = rows.get(*place, moment)
        if alert is None:
            continue
        is_unread = alert["decided_at"] is not None and alert["read_at"] is None
        if alert["ended_at"] is None or alert["acknowledged_at"] is None or is_unread:
            held.append(((*place, moment), alert))
    rows.memory[place] = [key[-1] for key, _alert in held]
    if not held:
        del rows.memory[place]
    return held


def ended(rows: Rows, body: Body) -> None:
    for key, alert in _held(rows, body):
        if alert["ended_at"] is None:
            rows.put(body, *key, ended_at=body["at"])


def acknowledged(rows: Rows, body: Body) -> None:
    """Of those who acknowledge several alerts at once, the words of the first entry decide a dispute or a call."""
    data = body["data"]
    waiting = [item for item in _held(rows, body) if item[1]["acknowledged_at"] is None]
    if "raised_at" in data:
        waiting = [item for item in waiting if item[0][-1] == data["raised_at"]]
    if not waiting:
        return
    key, alert = waiting[-1]
    by = {"acknowledged_at": body["at"], "acknowledged_by": body["actor"], "note": data["note"]}
    rows.put(body, *key, **by)
    is_first = body["command"] is not None and rows.memory.get("command") != body["command"]
    rows.memory["command"] = body["command"]
    if data["kind"] in IN_WORDS_KINDS and data["note"] and is_first and alert["decided_at"] is None:
        rows.put(body, *key, decision=IN_WORDS, decided_at=body["at"], decided_by=body["actor"])


def decided(rows: Rows, body: Body) -> None:
    rows.memory["command"] = body["command"]
    for key, alert in _held(rows, body):
        if alert["ended_at"] is None:
            rows.put(
                body, *key, decision=body["data"]["decision"], decided_at=body["at"], decided_by=body["actor"]
            )


def explained(rows: Rows, body: Body) -> None:
    data = body["data"]
    for key, alert in _held(rows, body):
        if alert["ended_at"] is None:
            params = {**alert["params"], "reason": data["reason"], "seat": data["seat"]}
            rows.put(body, *key, params=params)
            rows.forget(*key, names=["section"])  # that of the rules on a dispute


def answered(rows: Rows, body: Body) -> None:
    for key, alert in _held(rows, body):
        if alert["ended_at"] is None:
            rows.put(body, *key, coming_at=body["at"], coming_by=body["actor"])


def decision_read(rows: Rows, body: Body) -> None:
    for key, alert in _held(rows, body):
        if alert["decided_at"] is not None and alert["read_at"] is None:
            rows.put(body, *key, read_at=body["at"])
            return


def muted(rows: Rows, body: Body) -> None:
    until = dt.datetime.fromisoformat(body["at"]) + dt.timedelta(minutes=body["data"]["minutes"])
    for key, alert in _held(rows, body):
        if alert["ended_at"] is None:
            rows.put(body, *key, muted_until=format_moment(until), muted_by=body["actor"])


def passed_on(rows: Rows, body: Body) -> None:
    for key, alert in _held(rows, body):
        if alert["ended_at"] is None and alert["acknowledged_at"] is None:
            rows.put(body, *key, asked_role=body["data"]["role"], asked_at=body["at"])


declare(
    Alert,
    "alert",
    key={"facility": FACILITY, "table": PLACE, "key": "key", "raised_at": AT},
    folded={
        ALERT_RAISED: raised,
        ALERT_ENDED: ended,
        ALERT_ACKNOWLEDGED: acknowledged,
        ALERT_DECIDED: decided,
        CALL_EXPLAINED: explained,
        ALERT_ANSWERED: answered,
        DECISION_READ: decision_read,
        ALERT_MUTED: muted,
        ALERT_PASSED_ON: passed_on,
    },
    folded_columns=(
        *(
            "params",
            "level",
            "section",
            "acknowledged_at",
            "acknowledged_by",
            "note",
            "coming_at",
            "coming_by",
        ),
        *("decision", "decided_at", "decided_by", "read_at", "asked_role", "asked_at", "muted_until"),
        *("muted_by", "ended_at"),
    ),
    readings={
        "facility": Reading(("table__facility__code",), plain, ("table",)),
        "params": Reading(("params",), plain_params, ("params",)),
    },
    derived={"kind": PLAY},
)
