"""Calls and disputes of a table, and how every alert is answered, passed on, decided and acknowledged.

1. A table calls the floor or Security with one tap (`call_floor`), and may say why and which seat (`explain_call`) or
   cancel the call. A dispute of a player is reported with its words (`report_dispute`). Each raises an alert.
2. Somebody says that they are coming (`answer_alert`). An alert that nobody answers in time is passed on to the next
   role: the floorperson of the table is asked first. The settings say after how many seconds, by level
   (`ALERT_PASSES_ON_SECONDS`; 0: never). The ticker passes on under the table's lock, so that each step has one entry.
3. The floor decides a call or a dispute (`decide_alert`), and the table reads the decision (`read_decision`). Nobody
   types at the table.
4. Any other alert is acknowledged (`acknowledge_alert`); its sound may be turned off for some minutes before
   (`mute_alert`).

The codes of reasons and decisions are stored in entries and alerts, and never change. Alerts themselves, as rules
raise and end them, are `tables.core.alerts`; screens show them by `tables.alerts.alert_list`.
"""

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Unpack, get_args

from django.conf import settings

from audit import clock
from audit.clock import format_moment
from audit.columns import AT, FACILITY, PLACE, Body, Reading, Rows, declare, plain
from audit.entry_types import EntryBody, entry_type
from games.act_forms import Text, found, one_of, whole
from games.engine import Refusal, RefusalCode
from games.params import Params
from games.snapshot_types import Addressee
from tables.core.alerts import (
    ALERT_ACKNOWLEDGED,
    ALERT_DECIDED,
    ALERT_ENDED,
    ALERT_KINDS,
    ALERT_RAISED,
    AlertAcknowledged,
    AlertEnded,
    AlertKind,
    AlertRaised,
    Level,
    acknowledge,
    acknowledged_with,
    end_alert,
    held,
    kind_of,
    live_tables,
    raise_alert,
)
from tables.core.alerts import DISPUTE as DISPUTE_CODE
from tables.core.context import TABLE_IS_CLOSED, TableContext
from tables.core.duty import AT_THE_TABLE, FLOOR
from tables.equipment.approvals import words_for_codes
from tables.models import Alert, Table
from tables.rounds.wagers import NO_SUCH_SEAT
from tables.rules import NEW_RULES, acknowledge_rules
from tables.runner.table import ActOutcome, act, for_each_table
from tables.words import line, overtaken_by, register

NO_SUCH_ALERT = RefusalCode(
    "no-such-alert",
    "This alert at %(table)s has already ended or been acknowledged.",
    "Nothing to acknowledge",
)
SAY_HOW_IT_WAS_DECIDED = RefusalCode(
    "say-how-it-was-decided",
    "Write how the dispute was decided.",
    "Decision missing",
)
ALREADY_CALLED = RefusalCode(
    "already-called",
    "This table has already called. Somebody from the pit will answer.",
    "Already called",
)
ALREADY_COMING = RefusalCode(
    "already-coming",
    "%(person)s is already coming, and the table sees it.",
    "Already coming",
)
MAX_ID = 2**53 - 1


# Reasons of calls, and decisions of the floor


ADDRESSEES: tuple[Addressee, ...] = get_args(Addressee)
DecisionCode = Literal["as-recorded", "correct", "return-wager", "settled", "words"]
IN_WORDS: DecisionCode = "words"  # the decision is the note
DECISIONS: dict[DecisionCode, str] = {
    "as-recorded": "Stands as recorded",
    "correct": "Correct it",
    "return-wager": "Return the wager",
    "settled": "Settled",
}
TITLES: dict[Addressee, str] = {"floor": "Floor called", "security": "Security called"}
TEXTS: dict[Addressee, str] = {
    "floor": "The table asks for somebody from the floor.",
    "security": "The table asks for Security. Send them, and go there.",
}


@dataclass(frozen=True)
class Reason:
    """Why a table calls. `icon` is a symbol of the console; `decisions` are offered to the floor."""

    label: str
    text: str
    icon: str
    decisions: tuple[DecisionCode, ...] = ("settled",)


REASONS: dict[Addressee, dict[str, Reason]] = {
    "floor": {
        "dispute": Reason(
            "Dispute",
            "A player disputes a decision.",
            "i-ask",
            ("as-recorded", "correct", "return-wager", "settled"),
        ),
        "payment": Reason("Payment", "About a payment.", "i-money", ("as-recorded", "correct", "settled")),
        "limits": Reason(
            "Limits", "A wager is outside the limits.", "i-limit", ("as-recorded", "return-wager", "settled")
        ),
        "correction": Reason(
            "Correction", "Something has to be corrected.", "i-edit", ("correct", "as-recorded", "settled")
        ),
        "chips": Reason("Chips", "The table needs chips.", "i-add"),
        "dice": Reason("Dice", "About the dice or the shaker.", "i-shaker"),
        "player": Reason("Player", "About a player.", "i-person"),
        "device": Reason("Device", "A device or a tablet does not work.", "i-sensor"),
    },
    "security": {
        "cheating": Reason("Cheating", "Cheating is suspected.", "i-flag"),
        "theft": Reason("Theft", "Chips or property are missing.", "i-lock"),
        "disturbance": Reason("Disturbance", "Somebody disturbs the game.", "i-person"),
        "medical": Reason("Medical", "Somebody needs help.", "i-add"),
    },
}


def addressee_of(kind: str) -> Addressee | None:
    """Whom an alert of this kind calls to decide; None for the other kinds. A dispute calls the floor."""
    if kind in ("floor-call", "dispute"):
        return "floor"
    return "security" if kind == "security-call" else None


def describe_call(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the title and the text of a call."""
    to = params.get("to")
    addressee: Addressee = "security" if to == "security" else "floor"
    reason = REASONS[addressee].get(params.get("reason", ""))
    seat = params.get("seat")
    title = reason.label if reason else TITLES[addressee]
    text = f"{reason.text} {TEXTS[addressee]}" if reason else TEXTS[addressee]
    return f"{title}, seat {seat}" if seat else title, text


def decisions_for(kind: str, reason: str | None) -> list[tuple[DecisionCode, str]]:
    """Return the decisions that the floor may tap for an alert of this kind, with their words."""
    known = REASONS["security" if kind == "security-call" else "floor"].get(
        "dispute" if kind == "dispute" else reason or ""
    )
    codes: tuple[DecisionCode, ...] = known.decisions if known else ("settled", "as-recorded", "correct")
    return [(code, DECISIONS[code]) for code in codes]


def decision_words(code: str, note: str) -> str:
    """Return a decision in words; the note alone where the decision is written in words."""
    words = DECISIONS.get(code, "")  # type: ignore[call-overload]
    return f"{words}. {note}" if words and note else words or note


# The alerts about a dispute and a call


def describe_dispute(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the title and the text of a dispute, with one period after the words of the table."""
    about = params["about"].rstrip(". ")
    end = "" if about.endswith(("?", "!")) else "."
    return "Dispute at seat %s" % params["seat"], f"Disputed: “{about}{end}” Decide it, and write how."


DISPUTE = AlertKind(
    DISPUTE_CODE,
    "dispute:{cause}",
    Level.WARN,
    "Dispute",
    "Dispute at seat %(seat)s",
    describe=describe_dispute,
    is_typed=True,
    needs_note=True,
    ends_when_acknowledged=True,
)
CALLS: dict[Addressee, AlertKind] = {
    "floor": AlertKind(
        "floor-call",
        "call:floor:{cause}",
        Level.WARN,
        "Floor called",
        TITLES["floor"],
        describe=describe_call,
        needs_note=True,
        ends_when_acknowledged=True,
    ),
    "security": AlertKind(
        "security-call",
        "call:security:{cause}",
        Level.STOP,
        "Security called",
        TITLES["security"],
        describe=describe_call,
        needs_note=True,
        ends_when_acknowledged=True,
    ),
}


# Alerts in words


def alert_words(code: str, key: str, params: dict[str, Any]) -> tuple[str, str]:
    """Return the title and the text of an alert."""
    kind = kind_of(code, key)
    if kind.describe is not None:
        return kind.describe(params)
    words = words_for_codes(params)
    return kind.title % words, kind.text % words


def alert_title(data: AlertRaised) -> str:
    """Return the title of an alert for the line of its entry."""
    return kind_of(data["kind"], str(data.get("key", ""))).title % words_for_codes(data)


def alert_names() -> dict[str, str]:
    """Return the names of the kinds of alerts, by code."""
    return {kind.code: kind.name for kind in ALERT_KINDS}


# What the record says of calls, disputes and answers


@entry_type("dispute.reported")
def DISPUTE_REPORTED(
    *,
    about: Annotated[str, "what it is about, in a person's words"],
    round: Annotated[
        int | None, "number of the round in play, otherwise of the last one; null before the first round"
    ],
    seat: int,
    section: Annotated[str, "the section on disputed dice; empty where the edition has none"],
) -> str:
    """A dispute was reported."""
    return f"Dispute at seat {seat}: {about}"


@entry_type("floor.called")
def FLOOR_CALLED(
    *,
    round: Annotated[
        int | None, "number of the round in play, otherwise of the last one; null before the first round"
    ],
    to: Annotated[Addressee, "whom the table calls"],
    **data: Unpack[AlertEnded],
) -> str:
    """A table called the floor or Security."""
    return TITLES[to]


overtaken_by(NO_SUCH_ALERT, ALERT_ACKNOWLEDGED, ALERT_ENDED)
overtaken_by(ALREADY_CALLED, FLOOR_CALLED)


@entry_type("floor.call_explained")
def CALL_EXPLAINED(
    *,
    reason: Annotated[str, "code of the reason; empty while none was tapped"],
    seat: Annotated[int | None, "the seat concerned; null while none was tapped"],
    **data: Unpack[AlertEnded],
) -> str:
    """The table gave the reason or the seat of its call."""
    to = "security" if data["kind"] == "security-call" else "floor"
    return "Called about: %s" % describe_call({**data, "reason": reason, "seat": seat, "to": to})[0]


CALL_CANCELED = entry_type(
    "floor.call_canceled", AlertEnded, "The table canceled its call.", lambda data: "Call canceled"
)
ALERT_ANSWERED = entry_type(
    "alert.answered",
    AlertEnded,
    "A person said that they are coming to the table. The entry says who and when.",
    lambda data: "Coming: %s" % alert_names()[data["kind"]],
)
DECISION_READ = entry_type(
    "alert.decision_read",
    AlertEnded,
    "The table read the decision of the floor.",
    lambda data: "Decision read at the table",
)


@entry_type("alert.muted")
def ALERT_MUTED(
    *, minutes: Annotated[int, "for how long its sound is off"], **data: Unpack[AlertEnded]
) -> str:
    """A person turned off the sound of an alert for some minutes. It stays on the screens."""
    return "Sound off for %s minutes: %s" % (minutes, alert_names()[data["kind"]])


@entry_type("alert.passed_on")
def ALERT_PASSED_ON(*, role: Annotated[str, "the role that is asked now"], **data: Unpack[AlertEnded]) -> str:
    """Nobody answered an alert in time, and the next role was asked."""
    return "Passed on to the %s: %s" % (role.replace("-", " "), alert_names()[data["kind"]])


def _acknowledged(data: AlertAcknowledged) -> str:
    words = {"what": alert_names()[data["kind"]], "note": data["note"]}
    return "Acknowledged: %(what)s. %(note)s" % words if data["note"] else "Acknowledged: %(what)s" % words


register(
    act_lines=[
        line(ALERT_DECIDED, lambda data: "Decided: %s" % decision_words(data["decision"], data["note"])),
        line(ALERT_RAISED, lambda data: "Alert: %s" % alert_title(data)),
        line(ALERT_ENDED, lambda data: "Ended: %s" % alert_names()[data["kind"]]),
        line(ALERT_ACKNOWLEDGED, _acknowledged),
    ]
)


# The table calls, explains, cancels, and reports a dispute


def _open_call(ctx: TableContext, pk: int) -> Alert:
    """Return the call of this table with this id. Raises `no-such-alert` once it has ended."""
    kinds = {kind.code for kind in CALLS.values()}
    for alert in held(ctx.table.pk):
        if alert.pk == pk and alert.kind in kinds and alert.ended_at is None:
            return alert
    raise Refusal(NO_SUCH_ALERT, table=ctx.table.code)


def _undecided(ctx: TableContext, pk: int) -> Alert:
    """Return the dispute or call with this id. Raises `no-such-alert` once it has ended."""
    for alert in held(ctx.table.pk):
        if alert.pk == pk and alert.ended_at is None and kind_of(alert.kind, alert.key).needs_note:
            return alert
    raise Refusal(NO_SUCH_ALERT, table=ctx.table.code)


_OpenCall = Annotated[Alert, found(whole(1, MAX_ID), _open_call)]
_Undecided = Annotated[Alert, found(whole(1, MAX_ID), _undecided)]


@act(roles=AT_THE_TABLE, depends_on="nothing")
def call_floor(ctx: TableContext, *, to: Addressee = "floor") -> ActOutcome:
    """Call the floor, or Security with `to`. Its reason and seat may follow (`explain_call`).

    Raises `already-called` while a call to them is open.
    """
    if ctx.table.status == Table.Status.CLOSED:
        raise Refusal(TABLE_IS_CLOSED, table=ctx.table.code)
    kind = CALLS[to]
    if any(alert.kind == kind.code and alert.ended_at is None for alert in held(ctx.table.pk)):
        raise Refusal(ALREADY_CALLED)
    round_ = ctx.round.number if ctx.round else ctx.table.last_round or None
    alert = kind.expected(ctx.table.pk, cause=ctx.stream.seq + 1, to=to, round=round_)
    raise_alert(ctx, alert)
    entry = FLOOR_CALLED(kind=kind.code, key=alert.key, to=to, round=round_)
    return ActOutcome(entry, changes="nothing")


@act(roles=AT_THE_TABLE, depends_on="nothing")
def explain_call(ctx: TableContext, params: Params) -> ActOutcome:
    """Add the reason or the seat of an open call. A dispute with its seat is a reported dispute, too (§ 577.5(g))."""
    alert = _open_call(ctx, params.integer("alert", 1, MAX_ID))
    to = addressee_of(alert.kind) or "floor"
    reason = params.choice("reason", ("", *REASONS[to]), default="")
    seat: int | None = params.integer("seat", 0, 64, default=0)
    if seat and seat > ctx.table.seats:
        raise Refusal(NO_SUCH_SEAT, seat=seat, seats=ctx.table.seats)
    before = alert.params
    reason, seat = reason or before.get("reason", ""), seat or before.get("seat") or None
    alert.params = {**before, "reason": reason, "seat": seat}
    is_dispute = reason == "dispute"
    alert.section = ctx.rules.edition.no_rolls.get("disputed", "") if is_dispute else ""
    alert.save(update_fields=["params", "section"])
    if is_dispute and seat and alert.params != before:
        ctx.extra_entries.append(
            DISPUTE_REPORTED(round=before["round"], seat=seat, about=NO_WORDS, section=alert.section)
        )
    entry = CALL_EXPLAINED(kind=alert.kind, key=alert.key, reason=reason, seat=seat)
    return ActOutcome(entry, changes="nothing")


@act(roles=AT_THE_TABLE, depends_on="nothing")
def cancel_call(ctx: TableContext, *, alert: _OpenCall) -> ActOutcome:
    """Cancel an open call of this table. If somebody is coming, the pit still has to acknowledge it."""
    assert ctx.actor is not None
    end_alert(ctx, alert.key)
    if alert.coming_at is None and alert.acknowledged_at is None:
        ctx.extra_entries.append(acknowledgment(alert, held(ctx.table.pk), ""))
        acknowledge(ctx, alert, ctx.actor, "")
    return ActOutcome(CALL_CANCELED({"kind": alert.kind, "key": alert.key}), changes="nothing")


@act(roles=AT_THE_TABLE, depends_on="nothing")
def report_dispute(ctx: TableContext, *, seat: Annotated[int, whole(1, 64)], about: Text) -> ActOutcome:
    """Report a player's dispute at this table, for the floor to decide.

    The section is the edition's on a disputed face, if it has one (§ 577.5(g)).
    """
    if ctx.table.status == Table.Status.CLOSED:
        raise Refusal(TABLE_IS_CLOSED, table=ctx.table.code)
    if seat > ctx.table.seats:
        raise Refusal(NO_SUCH_SEAT, seat=seat, seats=ctx.table.seats)
    section = ctx.rules.edition.no_rolls.get("disputed", "")
    # Once a round is cleared, a dispute is about the last one.
    round_ = ctx.round.number if ctx.round else ctx.table.last_round or None
    alert = DISPUTE.expected(
        ctx.table.pk, section=section, cause=ctx.stream.seq + 1, seat=seat, about=about, round=round_
    )
    raise_alert(ctx, alert)
    return ActOutcome(
        DISPUTE_REPORTED(round=round_, seat=seat, about=about, section=section), changes="nothing"
    )


# Somebody comes, or the next role is asked


@act(roles=FLOOR, depends_on="nothing")
def answer_alert(ctx: TableContext, *, alert: _Undecided) -> ActOutcome:
    """Say that you are coming, so that the table sees it. Somebody else may come instead later."""
    assert ctx.actor is not None
    if alert.coming_by_id == ctx.actor.pk:
        raise Refusal(ALREADY_COMING, person=ctx.actor.name)
    alert.coming_at, alert.coming_by = ctx.now, ctx.actor
    alert.save(update_fields=["coming_at", "coming_by"])
    return ActOutcome(ALERT_ANSWERED({"kind": alert.kind, "key": alert.key}), changes="nothing")


ROLES = ("", "pit-manager", "shift-manager")  # "": the floorperson of the table


def next_role(alert: Alert) -> str:
    """Return the role that is asked next; "" after the last."""
    place = ROLES.index(alert.asked_role) + 1
    return ROLES[place] if place < len(ROLES) else ""


def passes_on_at(alert: Alert) -> dt.datetime | None:
    """Return when an unanswered alert is passed on; None where nobody else is asked."""
    seconds = settings.ALERT_PASSES_ON_SECONDS.get(alert.level, 0)
    is_answered = alert.acknowledged_at or alert.coming_at or alert.ended_at
    if is_answered or not seconds or not next_role(alert):
        return None
    return (alert.asked_at or alert.raised_at) + dt.timedelta(seconds=seconds)


def pass_on_unanswered(at_tables: Collection[int] | None = None) -> list[int]:
    """Pass on the alerts of live tables that are due, of all or of these (ids). Returns those that changed."""
    now = clock.now()
    table_ids = {alert.table_id for alert in _unanswered() if _is_due(alert, now)}
    if at_tables is not None:
        table_ids &= set(at_tables)
    return for_each_table(live_tables().filter(pk__in=table_ids), _pass_on) if table_ids else []


def _unanswered() -> list[Alert]:
    levels = [level for level, seconds in settings.ALERT_PASSES_ON_SECONDS.items() if seconds]
    waiting = Alert.objects.filter(ended_at=None, acknowledged_at=None, coming_at=None, level__in=levels)
    return list(waiting.exclude(asked_role=ROLES[-1]).order_by("pk"))


def _pass_on(ctx: TableContext) -> bool:
    """Pass on the alerts of one table under its lock. Returns whether any was due."""
    for alert in Alert.objects.filter(table=ctx.table, ended_at=None).order_by("pk"):
        if _is_due(alert, ctx.now):
            alert.asked_role, alert.asked_at = next_role(alert), ctx.now
            alert.save(update_fields=["asked_role", "asked_at"])
            ctx.extra_entries.append(ALERT_PASSED_ON(kind=alert.kind, key=alert.key, role=alert.asked_role))
    changed = bool(ctx.extra_entries)
    ctx.append_extra_entries()
    return changed


def _is_due(alert: Alert, now: dt.datetime) -> bool:
    moment = passes_on_at(alert)
    return moment is not None and moment <= now


# The floor decides, and the table reads it


NO_WORDS = "(tapped, without words)"


@act(roles=FLOOR, depends_on="nothing")
def decide_alert(
    ctx: TableContext,
    *,
    alert: _Undecided,
    decision: Annotated[str, one_of((*DECISIONS, IN_WORDS))] = IN_WORDS,
    note: Text = "",
) -> ActOutcome:
    """Decide a dispute or a call: with the code of a decision, or in words (`words`), where the `note` is needed.

    The decision goes back to the table, which reads it (`read_decision`). It also acknowledges and ends the alert.
    """
    assert ctx.actor is not None
    if decision == IN_WORDS and not note:
        raise Refusal(SAY_HOW_IT_WAS_DECIDED, alert.section)
    alert.decision, alert.decided_at, alert.decided_by = decision, ctx.now, ctx.actor
    alert.save(update_fields=["decision", "decided_at", "decided_by"])
    if alert.acknowledged_at is None:
        ctx.extra_entries.append(acknowledgment(alert, held(ctx.table.pk), note))
        acknowledge(ctx, alert, ctx.actor, note)
    end_alert(ctx, alert.key)
    entry = ALERT_DECIDED(
        kind=alert.kind, key=alert.key, decision=decision, note=note, seat=alert.params.get("seat")
    )
    return ActOutcome(entry, changes="nothing")


@act(roles=AT_THE_TABLE, depends_on="nothing")
def read_decision(ctx: TableContext, *, alert_id: Annotated[int, whole(1, MAX_ID)]) -> ActOutcome:
    """Record that the table read the decision of the floor, which then leaves its screen."""
    alert = next(
        (
            alert
            for alert in held(ctx.table.pk)
            if alert.pk == alert_id and alert.decided_at and not alert.read_at
        ),
        None,
    )
    if alert is None:
        raise Refusal(NO_SUCH_ALERT, table=ctx.table.code)
    alert.read_at = ctx.now
    alert.save(update_fields=["read_at"])
    return ActOutcome(DECISION_READ({"kind": alert.kind, "key": alert.key}), changes="nothing")


# Acknowledged, and without sound for a while


MUTE_MINUTES = (5, 10, 15)


@act(roles=FLOOR, depends_on="nothing")
def mute_alert(
    ctx: TableContext,
    *,
    alert_id: Annotated[int, whole(1, MAX_ID)],
    minutes: Annotated[int, whole(1, max(MUTE_MINUTES))],
) -> ActOutcome:
    """Turn off the sound of an alert for some minutes. It stays on the screens and is still passed on."""
    alert = next(
        (alert for alert in held(ctx.table.pk) if alert.pk == alert_id and alert.ended_at is None), None
    )
    if alert is None:
        raise Refusal(NO_SUCH_ALERT, table=ctx.table.code)
    alert.muted_until, alert.muted_by = ctx.now + dt.timedelta(minutes=minutes), ctx.actor
    alert.save(update_fields=["muted_until", "muted_by"])
    return ActOutcome(ALERT_MUTED(kind=alert.kind, key=alert.key, minutes=minutes), changes="nothing")


@act(roles=FLOOR, depends_on="nothing")
def acknowledge_alert(
    ctx: TableContext, *, alert_id: Annotated[int, whole(1, MAX_ID)], note: Text = ""
) -> ActOutcome:
    """Acknowledge an alert of this table, with the others on its line of the screens.

    A dispute needs a `note` on how it was decided. New rules may be dealt once they are acknowledged. Acknowledging
    ends the alert of an event that happened once.
    """
    assert ctx.actor is not None
    here = held(ctx.table.pk)
    alert_to_acknowledge = next(
        (alert for alert in here if alert.pk == alert_id and alert.acknowledged_at is None), None
    )
    if alert_to_acknowledge is None:
        raise Refusal(NO_SUCH_ALERT, table=ctx.table.code)
    kind = kind_of(alert_to_acknowledge.kind, alert_to_acknowledge.key)
    if kind.needs_note and not note:
        raise Refusal(SAY_HOW_IT_WAS_DECIDED, alert_to_acknowledge.section)
    others = [
        alert for alert in acknowledged_with(alert_to_acknowledge, here) if alert.acknowledged_at is None
    ]
    entry, *more_entries = [acknowledgment(alert, here, note) for alert in (alert_to_acknowledge, *others)]
    for alert in (alert_to_acknowledge, *others):
        acknowledge(ctx, alert, ctx.actor, note)
    ctx.extra_entries += more_entries
    if kind.needs_note:
        alert_to_acknowledge.decision, alert_to_acknowledge.decided_at = IN_WORDS, ctx.now
        alert_to_acknowledge.decided_by = ctx.actor
        alert_to_acknowledge.save(update_fields=["decision", "decided_at", "decided_by"])
    if kind is NEW_RULES:
        acknowledge_rules(ctx, alert_to_acknowledge.key)
    if alert_to_acknowledge.ended_at is None and kind.ends_when_acknowledged:
        end_alert(ctx, alert_to_acknowledge.key)
    return ActOutcome(entry, changes="nothing")


def acknowledgment(alert: Alert, here: list[Alert], note: str) -> EntryBody:
    """Return the entry of an acknowledgment. `here` are the alerts of its table, before it is acknowledged."""
    data: AlertAcknowledged = {"kind": alert.kind, "key": alert.key, "note": note}
    if any(_waits_too(other, alert) for other in here):
        data["raised_at"] = format_moment(alert.raised_at)
    return ALERT_ACKNOWLEDGED(data)


def _waits_too(alert: Alert, acknowledged: Alert) -> bool:
    """Whether another alert with the same key waits for its acknowledgment: it was raised again after its end."""
    return alert.pk != acknowledged.pk and alert.key == acknowledged.key and alert.acknowledged_at is None


# What the entries state of alerts and calls


PLAY = "tables.replay.play_tables.check_play_tables"
OWN = ("key", "kind", "level", "section")  # fields of the alert itself, beside the values for its sentence
IN_WORDS_KINDS = ("dispute", "floor-call", "security-call")
DECIDED_IN_WORDS = "words"
NOTHING = (
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
        **dict.fromkeys(NOTHING),
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
        rows.put(body, *key, decision=DECIDED_IN_WORDS, decided_at=body["at"], decided_by=body["actor"])


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
