"""The play tables beside the entries: rounds, wagers, throws, settlements, slips, alerts and the table's own row.

The record proves the entries. The rows of play are what screens and acts read, and nothing but this comparison protects
them (`differences_of`). Rows are read without a lock first; those that differ are read again under the table's lock,
because play goes on.

A full verification compares every table (`check_play_tables`), and the terms of every round with the approvals on
record of the submission for which its table was made (`check_terms_of_rounds`).
"""

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import Max, Min

from audit.clock import format_moment
from audit.findings import Finding, declare_finding, record_check
from audit.models import Entry, Person
from tables.alerts.calls import IN_WORDS
from tables.core.entries import ALERT_TYPES, COLUMNS, RecordedAlert, RecordedEntry, fold_alerts, read
from tables.corrections.slips import SLIP_FILED, SLIP_REVIEWED, SLIP_SETTLED
from tables.limits import LIMITS_CHANGED, LIMITS_PLAYERS_LEFT, LIMITS_TOOK_EFFECT
from tables.models import Alert, Round, Settlement, Slip, Table, Throw, Wager
from tables.opening.opening import TABLE_MADE
from tables.replay.replayed_round import HANDLERS, RulesFinder
from tables.replay.round_records import RoundRecord, ThrowRecord, records_in
from tables.rules import recorded_submission
from tables.runner.halts import TABLE_HALTED, TABLE_RESUMED

# The comparison

BATCH = 200  # rounds
SLIP_TYPES = (SLIP_FILED.name, SLIP_SETTLED.name, SLIP_REVIEWED.name)
LIMITS_TYPES = (LIMITS_CHANGED.name, LIMITS_PLAYERS_LEFT.name, LIMITS_TOOK_EFFECT.name)
SIGNERS = ("filed_by", "filed_with", "settled_by", "settled_with", "reviewed_by")
HALTING_TYPES = (TABLE_HALTED.name, TABLE_RESUMED.name)
TOTALS = ("taken_cents", "paid_cents", "returned_cents")
MISSING, PRESENT = "missing", "there"


@dataclass(frozen=True, slots=True)
class PlayDifference:
    """One value of one row of the play tables that differs from the entry `seq`, which states it.

    `row` names the row in words, `field` its column; a row without an entry, or the reverse, has the field `row`.
    """

    seq: int
    round: int | None
    row: str
    field: str
    recorded: Any
    stored: Any

    def as_json(self, stream: str) -> dict[str, Any]:
        """Return the difference as a JSON object."""
        place = {"stream": stream, "entry": self.seq, "round": self.round, "row": self.row}
        return {**place, "what": self.field, "record": _plain(self.recorded), "tables": _plain(self.stored)}

    def __str__(self) -> str:
        field = self.field.replace("_", " ")
        return f"entry {self.seq}, {self.row}: {field}: the record says {self.recorded}, the row says {self.stored}"


class SettlementRow(NamedTuple):
    """What is compared of a settlement, with its throw and its wager. `is_of_round`: both are of the same round."""

    is_of_round: bool
    throw: int
    revision: int
    seat: int
    code: str
    play: int
    place: int
    cents: int
    outcome: str
    pays: str
    paid_cents: int
    returned_cents: int
    cite: str


SETTLEMENT_COLUMNS = (
    "throw__round",
    "wager__round",
    "throw__number",
    "throw__revision",
    "wager__seat",
    "wager__code",
    "wager__play",
    "place",
    "cents",
    "outcome",
    "pays",
    "paid_cents",
    "returned_cents",
    "cite",
)
Differences = Iterator[PlayDifference]


def differences_of(table: Table, tick: Callable[[], None] = lambda: None) -> Differences:
    """Compare everything at a table. `tick` is called for each batch of rounds."""
    stored = Round.objects.filter(table=table).aggregate(Max("number"))["number__max"] or 0
    recorded = Entry.objects.filter(stream=table.stream_id).aggregate(Max("round"))["round__max"] or 0
    last = max(stored, recorded)
    for first in range(1, last + 1, BATCH):
        tick()
        yield from round_differences(table, first, min(first + BATCH - 1, last))
    for compare in (_compare_slips, _compare_alerts, _compare_table):
        tick()
        yield from _settled_differences(table, compare)


def round_differences(table: Table, first: int, last: int) -> Differences:
    """Compare the rounds of a table with these numbers, `last` included."""
    return _settled_differences(table, lambda table_: _compare_rounds(table_, first, last))


def differences_in_rounds(table: Table, first: int, last: int) -> Differences:
    """Compare the rounds with these numbers, `last` included, and the slips about them."""
    for number in range(first, last + 1, BATCH):
        yield from round_differences(table, number, min(number + BATCH - 1, last))
    for difference in _settled_differences(table, _compare_slips):
        if difference.round is not None and first <= difference.round <= last:
            yield difference


def _settled_differences(table: Table, compare: Callable[[Table], Differences]) -> Differences:
    """The differences that remain when nobody acts at the table."""
    if not any(True for _difference in compare(table)):
        return
    with transaction.atomic():
        tables = Table.objects.select_related("stream", "facility")
        if _may_lock():
            tables = tables.select_for_update(of=("self",))
        differences = list(compare(tables.get(pk=table.pk)))
    yield from differences


def _may_lock() -> bool:
    """Whether this role of the database may lock a table's row: that of an auditor may only read."""
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_table_privilege('tables_table', 'UPDATE')")
        return bool(cursor.fetchone()[0])


def _compare_rounds(table: Table, first: int, last: int) -> Differences:
    rows = Round.objects.filter(table=table, number__gte=first, number__lte=last).select_related("submission")
    rounds = {row.number: row for row in rows}
    wagers, throws, settlements = (_by_round(manager, rounds) for manager in (Wager, Throw, Settlement))
    for record in records_in({table.stream_id: (first, last)}, with_slips=False):
        row = rounds.pop(record.number, None)
        if row is None:
            if record.seqs:
                yield _row_difference(record, record.seqs["opened"], "the round's row", PRESENT, MISSING)
        elif not record.unreadable:  # the verification of the chain names an entry that was changed
            yield from _compare_round(record, row)
            yield from _compare_wagers(record, wagers[row.pk])
            yield from _compare_throws(record, throws[row.pk])
            yield from _compare_settlements(record, settlements[row.pk])
    for row in rounds.values():
        yield PlayDifference(0, row.number, f"round {row.number}", "row", MISSING, PRESENT)


def _by_round(model: Any, rounds: Mapping[int, Round]) -> dict[int, list[Any]]:
    keys = [row.pk for row in rounds.values()]
    rows_by_round: dict[int, list[Any]] = defaultdict(list)
    if model is Settlement:  # dozens in each round: model instances would take most of the time
        settlements = Settlement.objects.filter(wager__round__in=keys).values_list(*SETTLEMENT_COLUMNS)
        for throw_round, round_, *values in settlements:
            rows_by_round[round_].append(SettlementRow(throw_round == round_, *values))
    else:
        rows = model.objects.filter(round__in=keys)
        for row in rows.select_related("lot", "shaker") if model is Throw else rows:
            rows_by_round[row.round_id].append(row)
    return rows_by_round


def _compare_round(record: RoundRecord, row: Round) -> Differences:
    opened = record.seqs["opened"]
    ended, settled = record.seqs.get("ended", opened), record.seqs.get("settled", opened)
    recorded: dict[str, tuple[int, Any, Any]] = {
        "gaming_day": (opened, record.gaming_day, row.gaming_day.isoformat()),
        "opened_at": (opened, record.opened_at, row.opened_at),
        "terms": (opened, record.terms, row.submission.terms_sha256),
        "ended_at": (ended, record.ended_at, row.ended_at),
        "by_hand": (settled, record.by_hand, row.by_hand),
        "last_throw": (settled, record.last_throw, row.last_throw),
        "taken_cents": (settled, record.taken_cents, row.taken_cents),
        "paid_cents": (settled, record.paid_cents, row.paid_cents),
        "wagered_cents": (opened, record.wagered_cents, row.wagered_cents),
        "late_wagers": (settled, record.late_wagers, row.late_wagers),
        "raises": (settled, record.raises, row.raises),
    }
    if record.phase:
        recorded["phase"] = (ended, record.phase, row.phase)
    yield from _compare(record, f"round {record.number}", recorded)


def _compare_wagers(record: RoundRecord, rows: list[Wager]) -> Differences:
    wagers = dict(record.wagers)
    for row in rows:
        name = f"round {record.number}, seat {row.seat}, {row.code}" + (
            f", play {row.play}" if row.play else ""
        )
        wager = wagers.pop(row.key, None)
        if wager is None:
            yield _row_difference(record, record.seqs["opened"], name, MISSING, PRESENT)
            continue
        recorded: dict[str, tuple[int, Any, Any]] = {
            "cents": (wager.seq, wager.cents, row.cents),
            "struck": (wager.seq, wager.struck, row.struck),
            "missed": (wager.seq, wager.missed, row.missed),
        }
        if wager.flag is not None:
            recorded["flag"] = (wager.seq, wager.flag, row.flag)
            recorded["made_in"] = (wager.seq, wager.made_in, row.made_in)
        yield from _compare(record, name, recorded)
    for (seat, code, play), wager in wagers.items():
        name = f"round {record.number}, seat {seat}, {code}" + (f", play {play}" if play else "")
        yield _row_difference(record, wager.seq, name, PRESENT, MISSING)


def _compare_throws(record: RoundRecord, rows: list[Throw]) -> Differences:
    throws = {(throw.number, throw.revision): throw for throw in record.throws}
    for row in rows:
        name = f"round {record.number}, throw {row.number}" + (f".{row.revision}" if row.revision > 1 else "")
        throw = throws.pop((row.number, row.revision), None)
        if throw is None:
            yield _row_difference(record, record.seqs["opened"], name, MISSING, PRESENT)
            continue
        recorded = {
            "dice": (throw.seq, list(throw.dice), row.dice),
            "void_reason": (throw.seq, throw.reason, row.void_reason),
            "lot": (throw.seq, throw.lot, row.lot.code if row.lot else ""),
            "shaker": (throw.seq, throw.shaker, row.shaker.code if row.shaker else ""),
            "called_at": (throw.seq, throw.called_at, row.called_at),
        }
        yield from _compare(record, name, recorded)
    for (number, revision), throw in throws.items():
        name = f"round {record.number}, throw {number}" + (f".{revision}" if revision > 1 else "")
        yield _row_difference(record, throw.seq, name, PRESENT, MISSING)


def _compare_settlements(record: RoundRecord, rows: list[SettlementRow]) -> Differences:
    """Compare how wagers were settled. One entry settles all throws of a round that was played on paper."""
    lines: dict[Any, tuple[ThrowRecord, int, Any]] = {}
    for throw in record.throws:
        revision = None if record.on_paper else (throw.number, throw.revision)
        for place, line in enumerate(throw.lines):
            lines[revision, line["seat"], line["wager"], line.get("play") or None] = (throw, place, line)
    for row in rows:
        revision = None if record.on_paper else (row.throw, row.revision)
        name = f"round {record.number}, settlement of seat {row.seat}, {row.code}"
        key = (revision, row.seat, row.code, row.play or None)
        settled = lines.pop(key, None) if row.is_of_round else None
        if settled is None:
            yield _row_difference(record, record.seqs["opened"], name, MISSING, PRESENT)
            continue
        throw, place, line = settled
        recorded = {
            "cents": (throw.seq, line["cents"], row.cents),
            "outcome": (throw.seq, line["outcome"], row.outcome),
            "pays": (throw.seq, line.get("pays") or "", row.pays),
            "paid_cents": (throw.seq, line["paid_cents"], row.paid_cents),
            "returned_cents": (throw.seq, line["returned_cents"], row.returned_cents),
            "cite": (throw.seq, line.get("cite"), row.cite),
        }
        if not record.on_paper:
            recorded["place"] = (throw.seq, place, row.place)
        yield from _compare(record, name, recorded)
    for throw, _place, line in lines.values():
        name = f"round {record.number}, settlement of seat {line['seat']}, {line['wager']}"
        yield _row_difference(record, throw.seq, name, PRESENT, MISSING)


def _compare(record: RoundRecord, name: str, values: Mapping[str, tuple[int, Any, Any]]) -> Differences:
    for column, (seq, recorded, stored) in values.items():
        if recorded != stored:
            yield PlayDifference(seq, record.number, name, column, recorded, stored)


def _row_difference(record: RoundRecord, seq: int, name: str, recorded: str, stored: str) -> PlayDifference:
    return PlayDifference(seq, record.number, name, "row", recorded, stored)


# Slips


def _compare_slips(table: Table) -> Differences:
    rows = Slip.objects.filter(table=table).select_related("round", *SIGNERS)
    rows = rows.defer(*(f"{name}__password" for name in SIGNERS))  # an auditor's role may not read them
    slips = {row.code: row for row in rows}
    settling, reviewing = {}, {}
    filing = []
    for entry in _entries(table, SLIP_TYPES):
        if entry.type == SLIP_FILED.name:
            filing.append(entry)
        elif entry.type == SLIP_REVIEWED.name:
            reviewing[str(entry.data.get("slip"))] = entry
        else:
            settling[str(entry.data.get("slip"))] = entry
    for entry in filing:
        code = str(entry.data.get("slip"))
        row = slips.pop(code, None)
        if row is None:
            yield PlayDifference(entry.seq, entry.round, f"slip {code}", "row", PRESENT, MISSING)
            continue
        values = _slip_values(entry, settling.get(code), row) | _review_values(
            entry, reviewing.get(code), row
        )
        for column, (seq, recorded, stored) in values.items():
            if recorded != stored:
                yield PlayDifference(seq, entry.round, f"slip {code}", column, recorded, stored)
    for row in slips.values():
        yield PlayDifference(row.filed_seq, row.round.number, f"slip {row.code}", "row", MISSING, PRESENT)


def _slip_values(
    filed: RecordedEntry, settled: RecordedEntry | None, row: Slip
) -> dict[str, tuple[int, Any, Any]]:
    """The columns of a slip: the entry that states each, its value there, and in the row."""
    data = filed.data
    signed = data.get("held") or {"actor": filed.actor, "witness": filed.witness}
    values: dict[str, tuple[int, Any, Any]] = {
        "round": (filed.seq, data.get("round"), row.round.number),
        "kind": (filed.seq, data.get("kind"), row.kind),
        "reason": (filed.seq, data.get("reason"), row.reason),
        "before": (filed.seq, data.get("before"), row.before),
        "after": (filed.seq, {name: data.get(name) for name in TOTALS}, row.after),
        "due": (filed.seq, data.get("due"), row.due),
        "elsewhere_cents": (filed.seq, data.get("elsewhere_cents", 0), row.elsewhere_cents),
        "corrects_seq": (filed.seq, (data.get("corrects") or {}).get("seq"), row.corrects_seq),
        "filed_seq": (filed.seq, filed.seq, row.filed_seq),
        "filed_at": (filed.seq, filed.at, _format(row.filed_at)),
        "gaming_day": (filed.seq, filed.day, row.gaming_day.isoformat()),
        "filed_by": (filed.seq, signed["actor"], row.filed_by.code),
        "filed_with": (filed.seq, signed["witness"], row.filed_with.code),
    }
    settling = settled if settled is not None else filed if not data.get("due") else None
    seq = settling.seq if settling else filed.seq
    values["status"] = (seq, "settled" if settling else "filed", row.status)
    values["settled_seq"] = (seq, settling.seq if settling else None, row.settled_seq)
    values["settled_at"] = (seq, settling.at if settling else "", _format(row.settled_at))
    values["settled_by"] = (seq, settling.actor if settling else "", _code(row.settled_by))
    values["settled_with"] = (seq, settling.witness if settling else "", _code(row.settled_with))
    moved = settling.data.get("moved", []) if settling else []
    values["handed_over"] = (seq, moved, row.handed_over)
    return values


def _review_values(
    filed: RecordedEntry, reviewed: RecordedEntry | None, row: Slip
) -> dict[str, tuple[int, Any, Any]]:
    """The columns of a slip's review: the entry that states each, its value there, and in the row."""
    due = filed.data.get("review") or {}
    seq, data = (reviewed.seq, reviewed.data) if reviewed else (filed.seq, {})
    return {
        "review_due_at": (filed.seq, due.get("due_at", ""), _format(row.review_due_at)),
        "review_comes_first": (filed.seq, due.get("before_money", False), row.review_comes_first),
        "reviewed_seq": (seq, reviewed.seq if reviewed else None, row.reviewed_seq),
        "reviewed_at": (seq, reviewed.at if reviewed else "", _format(row.reviewed_at)),
        "reviewed_by": (seq, reviewed.actor if reviewed else "", _code(row.reviewed_by)),
        "review_verdict": (seq, data.get("verdict", ""), row.review_verdict),
        "review_reason": (seq, data.get("reason", ""), row.review_reason),
    }


# Alerts, and the table itself


def _decision(alert: Alert | RecordedAlert) -> tuple[str, dt.datetime | None]:
    """The code and moment of a decision. Words written while acknowledging are in that entry, and none of their own."""
    in_acknowledgment = alert.decision == IN_WORDS and alert.decided_at == alert.acknowledged_at
    return ("", None) if in_acknowledgment else (alert.decision, alert.decided_at)


# What is compared of alerts; the last value is the moment that a difference names.
ALERT_VALUES: tuple[tuple[str, Callable[[Alert | RecordedAlert], tuple[Any, ...]]], ...] = (
    ("ended at", lambda alert: (alert.key, alert.kind, alert.raised_at, alert.ended_at)),
    ("acknowledged at", lambda alert: (alert.key, alert.acknowledged_at)),
    ("decided at", lambda alert: (alert.key, *_decision(alert))),
)


def _compare_alerts(table: Table) -> Differences:
    """Compare alerts by key and moments. Which of two equal alerts was acknowledged does not matter."""
    entries = Entry.objects.filter(stream=table.stream_id, type__in=ALERT_TYPES).order_by("seq")
    alerts = fold_alerts(entries.values_list("stream", *COLUMNS).iterator(chunk_size=1000))
    rows = list(Alert.objects.filter(table=table))
    seqs = {alert.key: alert.seq for alert in alerts}
    for words, values_of in ALERT_VALUES:
        recorded, stored = Counter(map(values_of, alerts)), Counter(map(values_of, rows))
        for values in {*recorded, *stored}:
            if recorded[values] != stored[values]:
                key, moment = values[0], _format(values[-1])
                there = (PRESENT, MISSING) if recorded[values] > stored[values] else (MISSING, PRESENT)
                name = f"alert {key}" + (f", {words} {moment}" if moment else "")
                yield PlayDifference(seqs.get(key, 0), None, name, "row", *there)


def _compare_table(table: Table) -> Differences:
    """Compare what the table's row repeats of its making, its limits, its numbers, and whether it is halted."""
    entries = list(_entries(table, (TABLE_MADE.name, *LIMITS_TYPES, *HALTING_TYPES)))
    made = next((entry for entry in entries if entry.type == TABLE_MADE.name), None)
    if made is None:
        place = f"{table.facility.code}/{table.code}"
        if table.stream.name != place:
            yield PlayDifference(0, None, "the table's row", "stream", table.stream.name, place)
        return
    limits = next((entry for entry in reversed(entries) if "min_cents" in entry.data), made)
    halting = next((entry for entry in reversed(entries) if entry.type in HALTING_TYPES), made)
    slips = Slip.objects.filter(table=table).aggregate(Max("number"))["number__max"] or 0
    rounds = Round.objects.filter(table=table).aggregate(Max("number"))["number__max"] or 0
    values = {
        "kind": (made.seq, made.data.get("kind"), table.kind),
        "game": (made.seq, made.data.get("game"), table.game),
        "seats": (made.seq, made.data.get("seats"), table.seats),
        "submission_code": (made.seq, made.data.get("submission"), table.submission_code),
        "min_cents": (limits.seq, limits.data.get("min_cents"), table.min_cents),
        "max_cents": (limits.seq, limits.data.get("max_cents"), table.max_cents),
        "halted_at": (
            halting.seq,
            halting.at if halting.type == TABLE_HALTED.name else "",
            _format(table.halted_at),
        ),
        "last_round": (made.seq, rounds, table.last_round),
        "last_slip": (made.seq, slips, table.last_slip),
        "stream": (made.seq, table.stream.name, f"{table.facility.code}/{table.code}"),
        "real_play": (made.seq, made.data.get("kind") == Table.Kind.LIVE, table.stream.real_play),
    }
    for column, (seq, recorded, stored) in values.items():
        if recorded != stored:
            yield PlayDifference(seq, None, "the table's row", column, recorded, stored)


def _entries(table: Table, types: tuple[str, ...]) -> Iterator[RecordedEntry]:
    rows = Entry.objects.filter(stream=table.stream_id, type__in=types).order_by("seq")
    return (read(row) for row in rows.values_list(*COLUMNS))


def _code(person: Person | None) -> str:
    return person.code if person else ""


def _format(moment: Any) -> str:
    return format_moment(moment) if moment else ""


def _plain(value: Any) -> Any:
    """The value as JSON can say it."""
    return format_moment(value) if hasattr(value, "isoformat") and hasattr(value, "hour") else value


# What a full verification checks

ROUNDS_AT_ONCE = 500
PLAY_DIFFERS = declare_finding(
    "play-differs",
    "%(stream)s: %(row)s of the play tables differs from entry %(seq)s in %(column)s. The entry counts.",
)
PLAY_WITHOUT_ENTRY = declare_finding(
    "play-without-entry", "%(stream)s: %(row)s is in the play tables, and no entry of the record states it."
)

ROUND_TERMS = declare_finding(
    "round-terms",
    "%(stream)s, entry %(seq)s: the round was dealt under terms that were not approved for %(submission)s by then.",
)


@record_check
def check_play_tables(tick: Callable[[], None]) -> Iterator[Finding]:
    """Compare the play tables of every table with its entries."""
    for table in Table.objects.select_related("stream", "facility").order_by("pk"):
        for difference in differences_of(table, tick):
            where = {"stream": table.stream.name, "row": difference.row, "seq": difference.seq}
            if difference.seq:
                yield Finding(PLAY_DIFFERS, {**where, "column": difference.field})
            else:
                yield Finding(PLAY_WITHOUT_ENTRY, where)


@record_check
def check_terms_of_rounds(tick: Callable[[], None]) -> Iterator[Finding]:
    """Compare the terms of every round with the approvals on record of the submission for which its table was made."""
    rules_finder = RulesFinder()
    for table in Table.objects.select_related("stream", "facility").order_by("pk"):
        submission = recorded_submission(table.stream_id)
        acts = Entry.objects.filter(stream=table.stream_id, type__in=HANDLERS, round__isnull=False)
        firsts = sorted(acts.values("round").annotate(first=Min("seq")).values_list("first", flat=True))
        for place in range(0, len(firsts) if submission else 0, ROUNDS_AT_ONCE):
            tick()
            rows = Entry.objects.filter(
                stream=table.stream_id, seq__in=firsts[place : place + ROUNDS_AT_ONCE]
            )
            for entry in map(read, rows.order_by("seq").values_list(*COLUMNS)):
                if not rules_finder.is_approved(table.facility.code, submission, entry.terms, entry.at):
                    where = {"stream": table.stream.name, "seq": entry.seq, "submission": submission}
                    yield Finding(ROUND_TERMS, where)
