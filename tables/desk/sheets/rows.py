"""The rows of a readable export, one after the other: memory does not grow with the range."""

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

from django.db.models import Max, Min

from audit.models import Device, Entry, Person
from games.models import Facility
from games.registry import game_by_code
from games.regulations.clauses import Clause, all_clauses
from tables.core.entries import of_round
from tables.corrections.slips import SLIP_FILED, moved_in_words, owed_in_words
from tables.desk.round_paper import OUTCOME_WORDS, disputed_seats
from tables.desk.sheets.columns import LOTS, ROUNDS, SIGN_INS, SLIPS, WAGERS, Row, Sheet
from tables.models import DiceLot, LotStep, Slip, Table
from tables.replay.history import RoundHistory, WagerRow
from tables.replay.replayed_round import HANDLERS
from tables.replay.round_records import END_PHASES
from tables.replay.rules_finder import RulesFinder
from tables.reports.report_day import SLACK
from tables.rules.approved_terms import recorded_submission
from tables.words.entries import data_of, words_of

SIGN_IN = "sign-in"
NOT_A_SIGN_IN = "person.recorded"
ENDINGS = {
    "cleared": "settled",
    "no-roll": "no roll, wagers returned",
    "void": "void, wagers returned",
    "": "in play",
}
REMARKS = {"under-min": "under the minimum", "over-max": "over the maximum"}
YES_NO = {True: "yes", False: "no"}


@dataclass(frozen=True)
class SheetQuery:
    """What a readable export is about: gaming days, one game or all (""), one table or all (""), or one round."""

    facility: Facility
    first: dt.date
    last: dt.date
    game: str = ""
    table: str = ""
    training: bool = False
    round: int | None = None

    @cached_property
    def tables(self) -> list[Table]:
        """The tables, in the order of their codes."""
        tables = Table.objects.filter(facility=self.facility).select_related("stream", "facility")
        tables = tables.exclude(kind="live") if self.training else tables.filter(kind="live")
        if self.game:
            tables = tables.filter(game=self.game)
        if self.table:
            tables = tables.filter(code=self.table)
        return list(tables.order_by("code"))

    @property
    def days(self) -> Iterator[dt.date]:
        """The gaming days."""
        for number in range((self.last - self.first).days + 1):
            yield self.first + dt.timedelta(days=number)

    @property
    def is_whole_facility(self) -> bool:
        """Whether neither a game nor a table nor a round narrows it."""
        return not (self.game or self.table or self.round)


def sheets_of(query: SheetQuery) -> tuple[Sheet, ...]:
    """The sheets that answer a query: the export of one round has no sign-ins."""
    if query.round is not None:
        return (ROUNDS, WAGERS, SLIPS, LOTS)
    return (ROUNDS, WAGERS, SLIPS, SIGN_INS, LOTS)


def rows_of(query: SheetQuery) -> Iterator[tuple[Sheet, Row]]:
    """Yield every row with its sheet. Rounds and wagers take turns; each sheet has its rows in order."""
    rounds = _Rounds(query)
    yield from rounds.rows()
    yield from ((SLIPS, row) for row in _slips(query))
    if query.round is None:
        yield from ((SIGN_INS, row) for row in _sign_ins(query))
    yield from ((LOTS, row) for row in _lots(query))


def count_rounds(query: SheetQuery) -> int:
    """How many rounds the export has at most: for its progress."""
    if query.round is not None:
        return 1
    return sum(last - first + 1 for day in query.days for _table, first, last in _numbers(query, day))


def _numbers(query: SheetQuery, day: dt.date) -> Iterator[tuple[Table, int, int]]:
    """The tables that dealt on a gaming day, each with the numbers of its first and last round."""
    by_stream = {table.stream_id: table for table in query.tables}
    begins, ends = query.facility.day_begins(day), query.facility.day_begins(day + dt.timedelta(days=1))
    acts = Entry.objects.filter(
        at__gte=begins - SLACK, at__lt=ends + SLACK, stream__in=by_stream, gaming_day=day,
        type__in=HANDLERS, round__isnull=False,
    )  # fmt: skip
    numbers = acts.values("stream").annotate(first=Min("round"), last=Max("round")).order_by()
    ranges = {row["stream"]: (row["first"], row["last"]) for row in numbers}
    for stream, table in by_stream.items():
        if stream in ranges:
            yield table, *ranges[stream]


@dataclass
class _Rounds:
    """The rows of rounds and of their wagers, read from the record and settled again by the rules."""

    query: SheetQuery
    finder: RulesFinder = field(default_factory=RulesFinder)
    submissions: dict[int, str] = field(default_factory=dict)

    def rows(self) -> Iterator[tuple[Sheet, Row]]:
        if self.query.round is not None:
            for table in self.query.tables:
                yield from self._round(table, self.query.round, None)
            return
        for day in self.query.days:
            for table, first, last in _numbers(self.query, day):
                for number in range(first, last + 1):
                    yield from self._round(table, number, day)

    def _round(self, table: Table, number: int, day: dt.date | None) -> Iterator[tuple[Sheet, Row]]:
        """The rows of a round; nothing for a round of another gaming day."""
        entries = of_round(table.stream, number)
        if not entries:
            return
        if table.stream_id not in self.submissions:
            self.submissions[table.stream_id] = recorded_submission(table.stream_id)
        history = RoundHistory(table.facility.code, entries, self.finder, self.submissions[table.stream_id])
        acts = history.acts or entries[:1]
        played = acts[0].day
        if day is not None and played != day.isoformat():
            return
        yield ROUNDS, _round_row(table, number, history, dt.date.fromisoformat(played))
        slips = [
            str(entry.data.get("slip"))
            for entry in history.entries
            if entry.type == SLIP_FILED.name and entry.data.get("kind") in ("dice", "void")
        ]
        for wager in history.wager_rows:
            yield WAGERS, _wager_row(table, number, wager, dt.date.fromisoformat(played), slips)


def _round_row(table: Table, number: int, history: RoundHistory, day: dt.date) -> Row:
    acts = history.acts or list(history.entries[:1])
    wagers = [wager for wager in history.wager_rows if wager.outcome != "struck"]
    taken = sum(wager.stake_cents for wager in wagers if wager.outcome in ("lose", "fee"))
    paid = sum(wager.paid_cents for wager in wagers)
    ending = next((END_PHASES[entry.type] for entry in acts if entry.type in END_PHASES), "")
    replayed = history.current_round
    throws = [replayed.game.arranged(throw) for throw in replayed.throws] if replayed else []
    differences = len(history.differences)
    slips = [str(entry.data.get("slip")) for entry in history.entries if entry.type == SLIP_FILED.name]
    return (
        day,
        table.code,
        game_by_code(table.game).name,
        number,
        _rules_title(history),
        dt.datetime.fromisoformat(acts[0].at),
        dt.datetime.fromisoformat(acts[-1].at) if ending else None,
        ENDINGS[ending],
        "; ".join(" ".join(map(str, dice)) for dice in throws),
        ", ".join(lot for lot, _shaker in history.thrown_with),
        ", ".join(person.name for person in history.dealers),
        len(wagers),
        sum(wager.stake_cents for wager in wagers),
        taken,
        paid,
        sum(wager.returned_cents for wager in wagers),
        taken - paid,
        len(history.corrections),
        ", ".join(map(str, disputed_seats(history))),
        ", ".join(dict.fromkeys(slips)),
        "no difference" if not differences else f"{differences} differences",
        history.entries[0].seq,
        history.entries[-1].seq,
        history.entries[-1].digest,
    )


def _rules_title(history: RoundHistory) -> str:
    replayed = history.current_round
    if replayed is None:
        return "rules that cannot be found"
    edition = replayed.rules.edition
    return f"{edition.title}, paytable {edition.paytable}" if edition.paytable else edition.title


def _wager_row(table: Table, number: int, wager: WagerRow, day: dt.date, slips: list[str]) -> Row:
    """The row of a wager. `slips` are those about the whole round."""
    is_struck = wager.outcome == "struck"
    remarks = [
        *([REMARKS[wager.flag]] if wager.flag in REMARKS else []),
        *(["recorded after bets closed"] if wager.missed else []),
        *(["entered by mistake, struck before money moved"] if is_struck else []),
        *(["disputed"] if wager.disputed else []),
        *([f"payment cut by ${wager.cut_cents / 100:,.2f} by the limit"] if wager.cut_cents else []),
        *(f"differs from the rules: {difference}" for difference in wager.differences),
    ]
    return (
        day,
        table.code,
        game_by_code(table.game).name,
        number,
        wager.seat,
        wager.label,
        wager.play,
        wager.stake_cents,
        OUTCOME_WORDS[wager.outcome].lower(),
        wager.why,
        wager.cite,
        section_in_words(wager.cite, wager.code.partition(":")[0]),
        wager.pays,
        wager.paid_cents,
        wager.returned_cents,
        _net(wager),
        "; ".join(remarks),
        ", ".join(dict.fromkeys([*wager.slips, *slips])),
        wager.seq,
    )


def _net(wager: WagerRow) -> int | None:
    """What the wager won for its player, negative where it lost; None while it is open."""
    if wager.outcome in ("lose", "fee"):
        return -wager.stake_cents
    return (
        wager.paid_cents if wager.outcome in ("win", "return") else 0 if wager.outcome == "struck" else None
    )


@cache
def _clauses_by_cite() -> dict[str, list[Clause]]:
    clauses: dict[str, list[Clause]] = {}
    for clause in all_clauses().values():
        clauses.setdefault(clause.cite, []).append(clause)
    return clauses


@cache
def section_in_words(cite: str, family: str) -> str:
    """What a section says, from the catalog of clauses: its clause about this wager family, else its first."""
    clauses = _clauses_by_cite().get(cite, [])
    named = [clause for clause in clauses if clause.id.endswith(f"-{family}")]
    return next((clause.rule for clause in (*named, *clauses)), "")


def _slips(query: SheetQuery) -> Iterator[Row]:
    """Slips filed on these days, or about the round."""
    rows = Slip.objects.filter(table__in=query.tables).select_related(
        "table", "round", "filed_by", "filed_with", "settled_by", "settled_with"
    )
    if query.round is not None:
        rows = rows.filter(round__number=query.round)
    else:
        rows = rows.filter(gaming_day__gte=query.first, gaming_day__lte=query.last)
    for slip in rows.order_by("gaming_day", "table__code", "number").iterator(chunk_size=500):
        yield _slip_row(slip)


def _slip_row(slip: Slip) -> Row:
    before, after = slip.before, slip.after
    win = [totals.get("taken_cents", 0) - totals.get("paid_cents", 0) for totals in (before, after)]
    return (
        slip.code,
        slip.table.code,
        slip.round.number,
        slip.round.gaming_day,
        slip.gaming_day,
        slip.get_kind_display(),
        slip.reason,
        slip.filed_at,
        slip.filed_by.name,
        slip.filed_with.name,
        *(before.get(f"{name}_cents", 0) for name in ("taken", "paid", "returned")),
        *(after.get(f"{name}_cents", 0) for name in ("taken", "paid", "returned")),
        win[1] - win[0],
        _sum(slip.due),
        owed_in_words(slip.due),
        slip.get_status_display(),
        _sum(slip.handed_over) if slip.settled_at else None,
        moved_in_words(slip.handed_over) if slip.settled_at else "",
        slip.settled_at,
        slip.settled_by.name if slip.settled_by else "",
        slip.settled_with.name if slip.settled_with else "",
        slip.corrects_seq,
        slip.filed_seq,
    )


def _sum(amounts: Iterable[dict[str, Any]]) -> int:
    return sum(int(amount["cents"]) for amount in amounts)


def _sign_ins(query: SheetQuery) -> Iterator[Row]:
    """Sign-ins, sign-offs, wrong PINs and lockouts; with a game or a table, those at the tables' own devices."""
    entries = Entry.objects.filter(
        stream__name__startswith=f"{query.facility.code}/{SIGN_IN}",  # or the stream that continues it
        gaming_day__gte=query.first,
        gaming_day__lte=query.last,
        type__startswith="person.",
    ).exclude(type=NOT_A_SIGN_IN)
    devices = None if query.is_whole_facility else _devices_of(query)
    people: dict[str, Person] = {}
    for entry in entries.order_by("at", "pk").iterator(chunk_size=500):
        data = data_of(entry)
        device = str(data.get("name") or "")
        if devices is not None and device not in devices:
            continue
        code = entry.actor or str(data.get("code") or "")
        if code and code not in people and (person := Person.objects.filter(code=code).first()):
            people[code] = person
        named = people.get(code)
        yield (
            entry.gaming_day,
            entry.at,
            named.name if named else "",
            code,
            named.get_role_display() if named else "",
            words_of(entry.type, data),
            device,
            str(data.get("relieves") or ""),
            entry.seq,
            entry.type,
        )


def _devices_of(query: SheetQuery) -> set[str]:
    places = [table.stream.name for table in query.tables]
    return set(
        Device.objects.filter(facility=query.facility.code, place__in=places).values_list("name", flat=True)
    )


def _lots(query: SheetQuery) -> Iterator[Row]:
    """The dice lots that entries of these days, or of this round, name."""
    entries = Entry.objects.exclude(lot="")
    if query.round is not None or not query.is_whole_facility:
        entries = entries.filter(stream__in=[table.stream_id for table in query.tables])
    else:
        entries = entries.filter(stream__name__startswith=f"{query.facility.code}/")
    if query.round is not None:
        entries = entries.filter(round=query.round)
    else:
        begins = query.facility.day_begins(query.first)
        ends = query.facility.day_begins(query.last + dt.timedelta(days=1))
        entries = entries.filter(at__gte=begins - SLACK, at__lt=ends + SLACK)
    codes = sorted(set(entries.values_list("lot", flat=True).order_by().distinct()))
    lots = DiceLot.objects.filter(facility=query.facility, code__in=codes, training=query.training)
    for lot in lots.select_related("table", "shaker").order_by("code").iterator(chunk_size=500):
        rounds = (
            entries.filter(lot=lot.code, round__isnull=False).values("stream", "round").distinct().order_by()
        )
        yield (
            lot.code,
            lot.get_status_display(),
            lot.dice,
            f"{lot.size_um / 1000:.2f}",
            lot.get_colors_display(),
            lot.maker,
            lot.serial,
            "" if lot.seal_intact is None else YES_NO[lot.seal_intact],
            YES_NO[lot.training],
            lot.table.code if lot.table else "",
            lot.shaker.code if lot.shaker else "",
            lot.placed_at,
            lot.expires_at,
            lot.clock_section,
            lot.removed_at,
            lot.removed_why,
            lot.examined_at,
            YES_NO[lot.tampered],
            rounds.count(),
            LotStep.objects.filter(lot=lot).count(),
        )
