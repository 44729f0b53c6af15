"""Readable exports: a sheet with one row a round, a wager, a slip, a sign-in and a dice lot.

1. Whoever may export requests one (`ask_sheets`), as a workbook or as an archive of CSV files: of gaming days, of a
   game or a table, or of one round and the slips about it.
2. A worker writes it (`write_sheets`, registered below for audit/exporting/jobs.py), row by row: memory does not grow
   with the range. Rounds are read from their entries and settled again by the rules; slips and lots are rows, which a
   full verification checks.
3. It is watched and downloaded as every export is (`tables.desk.exports`).

Each column is declared once with its heading, its kind and its value (`SHEETS`). Amounts are cents, which the files
write in dollars. Moments are written in the facility's time zone, with its name. A text stays text whatever it begins
with; only amounts, numbers and gaming days are numbers of a spreadsheet. The files are written beside their path and
packed at the end.
"""

import csv
import datetime as dt
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TextIO

from xlsxwriter import Workbook
from xlsxwriter.worksheet import Worksheet

from audit import clock
from audit.exporting.output import ROWS_MAX, FileWriter, Heartbeat, register_writer
from audit.models import Device, Entry, Job, Person
from games.engine import Refusal, RefusalCode
from games.kit.files import Book, csv_cell, moment_text
from games.kit.tables import DAY, MOMENT, MONEY, NUMBER, TEXT, Column
from games.models import Facility
from games.params import Params
from games.registry import game_by_code
from games.regulations.clauses import Clause, all_clauses
from tables.core.entries import of_round
from tables.corrections.slips import NO_SUCH_ROUND, SLIP_FILED, moved_in_words, owed_in_words
from tables.desk.desk import ActOutcome, DeskContext, desk_act
from tables.desk.exports import (
    EXPORT_ASKED,
    EXPORT_EMPTY,
    EXPORT_RANGE,
    EXPORT_TO_COME,
    EXPORT_TOO_LONG,
    SHEETS_KINDS,
    ExportAsked,
    verify_job_limit,
)
from tables.desk.query import MAX_NUMBER
from tables.desk.round_paper import OUTCOME_WORDS, disputed_seats
from tables.figures.round_figures import in_time, round_numbers
from tables.models import DiceLot, LotStep, Round, Slip, Table
from tables.replay.history import RoundHistory, WagerRow
from tables.replay.replayed_round import RulesFinder
from tables.replay.round_records import END_PHASES
from tables.rules import recorded_submission
from tables.words.entries import data_of, words_of

NO_TABLES_TO_EXPORT = RefusalCode(
    "no-tables-to-export",
    "No table here has this code, game and kind of play. Choose from the lists.",
    "No table",
)
MAX_DAYS = 92
MAX_CODE = 30
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


# The sheets and their columns


@dataclass(frozen=True)
class Sheet:
    """A sheet: the name of its tab, of its CSV file, and its columns."""

    name: str
    file: str
    columns: Sequence[Column[Any]]


@dataclass(frozen=True)
class RoundLine:
    """A round of a gaming day, as its entries tell it."""

    table: Table
    number: int
    day: dt.date
    history: RoundHistory

    @cached_property
    def wagers(self) -> list[WagerRow]:
        """The wagers that were not struck."""
        return [wager for wager in self.history.wager_rows if wager.outcome != "struck"]

    @cached_property
    def acts(self) -> Sequence[Any]:
        return self.history.acts or list(self.history.entries[:1])

    @cached_property
    def ending(self) -> str:
        return next((END_PHASES[entry.type] for entry in self.acts if entry.type in END_PHASES), "")

    @property
    def ended_at(self) -> dt.datetime | None:
        return dt.datetime.fromisoformat(self.acts[-1].at) if self.ending else None

    @property
    def taken_cents(self) -> int:
        return sum(wager.stake_cents for wager in self.wagers if wager.outcome in ("lose", "fee"))

    @property
    def paid_cents(self) -> int:
        return sum(wager.paid_cents for wager in self.wagers)

    @property
    def rules(self) -> str:
        replayed = self.history.current_round
        if replayed is None:
            return "rules that cannot be found"
        edition = replayed.rules.edition
        return f"{edition.title}, paytable {edition.paytable}" if edition.paytable else edition.title

    @property
    def throws(self) -> str:
        replayed = self.history.current_round
        throws = [replayed.game.arranged(throw) for throw in replayed.throws] if replayed else []
        return "; ".join(" ".join(map(str, dice)) for dice in throws)

    def slips(self, *kinds: str) -> list[str]:
        """The codes of the slips about the round, of some kinds or of all."""
        return [
            str(entry.data.get("slip"))
            for entry in self.history.entries
            if entry.type == SLIP_FILED.name and (not kinds or entry.data.get("kind") in kinds)
        ]

    @property
    def settled_again(self) -> str:
        differences = len(self.history.differences)
        return f"{differences} differences" if differences else "no difference"


R = Column[RoundLine]
ROUNDS = Sheet(
    "Rounds",
    "rounds.csv",
    (
        R("Gaming day", DAY, lambda row: row.day),
        R("Table", TEXT, lambda row: row.table.code, width=9),
        R("Game", TEXT, lambda row: game_by_code(row.table.game).name, width=18),
        R("Round", NUMBER, lambda row: row.number),
        R("Rules", TEXT, lambda row: row.rules, width=40),
        R("Opened", MOMENT, lambda row: dt.datetime.fromisoformat(row.acts[0].at)),
        R("Ended", MOMENT, lambda row: row.ended_at),
        R("How it ended", TEXT, lambda row: ENDINGS[row.ending], width=26),
        R("Dice", TEXT, lambda row: row.throws, width=22),
        R("Dice lots", TEXT, lambda row: ", ".join(lot for lot, _shaker in row.history.thrown_with)),
        R("People", TEXT, lambda row: ", ".join(person.name for person in row.history.dealers), width=28),
        R("Wagers", NUMBER, lambda row: len(row.wagers)),
        R("Staked, $", MONEY, lambda row: sum(wager.stake_cents for wager in row.wagers)),
        R("Taken, $", MONEY, lambda row: row.taken_cents),
        R("Paid, $", MONEY, lambda row: row.paid_cents),
        R("Returned, $", MONEY, lambda row: sum(wager.returned_cents for wager in row.wagers)),
        R("Win, $", MONEY, lambda row: row.taken_cents - row.paid_cents),
        R("Corrections before money moved", NUMBER, lambda row: len(row.history.corrections), width=14),
        R("Disputed by seats", TEXT, lambda row: ", ".join(map(str, disputed_seats(row.history)))),
        R("Slips", TEXT, lambda row: ", ".join(dict.fromkeys(row.slips())), width=18),
        R("Settled again by the rules", TEXT, lambda row: row.settled_again, width=22),
        R("First entry", NUMBER, lambda row: row.history.entries[0].seq),
        R("Last entry", NUMBER, lambda row: row.history.entries[-1].seq),
        R("Hash of the last entry", TEXT, lambda row: row.history.entries[-1].digest, width=66),
    ),
)


@dataclass(frozen=True)
class WagerLine:
    """A wager of a round."""

    round: RoundLine
    wager: WagerRow

    @property
    def net_cents(self) -> int | None:
        """What the wager won for its player, negative where it lost; None while it is open."""
        wager = self.wager
        if wager.outcome in ("lose", "fee"):
            return -wager.stake_cents
        if wager.outcome in ("win", "return"):
            return wager.paid_cents
        return 0 if wager.outcome == "struck" else None

    @property
    def remarks(self) -> str:
        wager = self.wager
        remarks = [
            REMARKS.get(wager.flag, ""),
            "recorded after bets closed" if wager.missed else "",
            "entered by mistake, struck before money moved" if wager.outcome == "struck" else "",
            "disputed" if wager.disputed else "",
            f"payment cut by ${wager.cut_cents / 100:,.2f} by the limit" if wager.cut_cents else "",
            *(f"differs from the rules: {difference}" for difference in wager.differences),
        ]
        return "; ".join(filter(None, remarks))

    @property
    def slips(self) -> str:
        """The slips about the wager, and those about the whole round."""
        return ", ".join(dict.fromkeys([*self.wager.slips, *self.round.slips("dice", "void")]))


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


W = Column[WagerLine]
WAGERS = Sheet(
    "Wagers",
    "wagers.csv",
    (
        W("Gaming day", DAY, lambda row: row.round.day),
        W("Table", TEXT, lambda row: row.round.table.code, width=9),
        W("Game", TEXT, lambda row: game_by_code(row.round.table.game).name, width=18),
        W("Round", NUMBER, lambda row: row.round.number),
        W("Seat", NUMBER, lambda row: row.wager.seat),
        W("Wager", TEXT, lambda row: row.wager.label, width=22),
        W("Play", NUMBER, lambda row: row.wager.play),
        W("Stake, $", MONEY, lambda row: row.wager.stake_cents),
        W("Outcome", TEXT, lambda row: OUTCOME_WORDS[row.wager.outcome].lower(), width=10),
        W("Why", TEXT, lambda row: row.wager.why, width=34),
        W("Section", TEXT, lambda row: row.wager.cite, width=28),
        W(
            "What the section says", TEXT,
            lambda row: section_in_words(row.wager.cite, row.wager.code.partition(":")[0]), width=60,
        ),
        W("Pays", TEXT, lambda row: row.wager.pays, width=10),
        W("Paid, $", MONEY, lambda row: row.wager.paid_cents),
        W("Returned, $", MONEY, lambda row: row.wager.returned_cents),
        W("Won or lost by the player, $", MONEY, lambda row: row.net_cents),
        W("Remarks", TEXT, lambda row: row.remarks, width=34),
        W("Slips", TEXT, lambda row: row.slips),
        W("Entry", NUMBER, lambda row: row.wager.seq),
    ),
)  # fmt: skip


def _win(totals: dict[str, int]) -> int:
    return totals.get("taken_cents", 0) - totals.get("paid_cents", 0)


def _sum(amounts: Iterable[dict[str, Any]]) -> int:
    return sum(int(amount["cents"]) for amount in amounts)


S = Column[Slip]
SLIPS = Sheet(
    "Slips",
    "slips.csv",
    (
        S("Slip", TEXT, lambda slip: slip.code, width=10),
        S("Table", TEXT, lambda slip: slip.table.code, width=9),
        S("Round", NUMBER, lambda slip: slip.round.number),
        S("Round's gaming day", DAY, lambda slip: slip.round.gaming_day),
        S("Gaming day of filing", DAY, lambda slip: slip.gaming_day),
        S("What was wrong", TEXT, lambda slip: slip.get_kind_display(), width=34),
        S("Reason", TEXT, lambda slip: slip.reason, width=40),
        S("Filed", MOMENT, lambda slip: slip.filed_at),
        S("Filed by", TEXT, lambda slip: slip.filed_by.name, width=20),
        S("Signed with", TEXT, lambda slip: slip.filed_with.name, width=20),
        S("Taken before, $", MONEY, lambda slip: slip.before.get("taken_cents", 0)),
        S("Paid before, $", MONEY, lambda slip: slip.before.get("paid_cents", 0)),
        S("Returned before, $", MONEY, lambda slip: slip.before.get("returned_cents", 0)),
        S("Taken after, $", MONEY, lambda slip: slip.after.get("taken_cents", 0)),
        S("Paid after, $", MONEY, lambda slip: slip.after.get("paid_cents", 0)),
        S("Returned after, $", MONEY, lambda slip: slip.after.get("returned_cents", 0)),
        S("Effect on the win, $", MONEY, lambda slip: _win(slip.after) - _win(slip.before)),
        S("Due to players, $", MONEY, lambda slip: _sum(slip.due)),
        S("Due by seat", TEXT, lambda slip: owed_in_words(slip.due), width=28),
        S("Status", TEXT, lambda slip: slip.get_status_display(), width=10),
        S("Handed to players, $", MONEY, lambda slip: _sum(slip.handed_over) if slip.settled_at else None),
        S(
            "Handed over by seat", TEXT,
            lambda slip: moved_in_words(slip.handed_over) if slip.settled_at else "", width=28,
        ),
        S("Settled", MOMENT, lambda slip: slip.settled_at),
        S("Settled by", TEXT, lambda slip: slip.settled_by.name if slip.settled_by else "", width=20),
        S("Settled with", TEXT, lambda slip: slip.settled_with.name if slip.settled_with else "", width=20),
        S("Corrects entry", NUMBER, lambda slip: slip.corrects_seq),
        S("Entry", NUMBER, lambda slip: slip.filed_seq),
    ),
)  # fmt: skip


@dataclass(frozen=True)
class SignInLine:
    """An entry about a sign-in, with what it states, and who it is about if they are known."""

    entry: Entry
    data: dict[str, Any]
    device: str
    code: str
    person: Person | None


E = Column[SignInLine]
SIGN_INS = Sheet(
    "Sign-ins",
    "sign-ins.csv",
    (
        E("Gaming day", DAY, lambda row: row.entry.gaming_day),
        E("Time", MOMENT, lambda row: row.entry.at),
        E("Person", TEXT, lambda row: row.person.name if row.person else "", width=22),
        E("Code", TEXT, lambda row: row.code),
        E("Role today", TEXT, lambda row: row.person.get_role_display() if row.person else "", width=20),
        E("What", TEXT, lambda row: words_of(row.entry.type, row.data), width=40),
        E("Device", TEXT, lambda row: row.device, width=20),
        E("Relieves", TEXT, lambda row: str(row.data.get("relieves") or ""), width=16),
        E("Entry", NUMBER, lambda row: row.entry.seq),
        E("Entry type", TEXT, lambda row: row.entry.type, width=20),
    ),
)


@dataclass(frozen=True)
class LotLine:
    """A dice lot, with the number of rounds of the export that name it, and of the entries about it."""

    lot: DiceLot
    rounds: int
    entries: int


L = Column[LotLine]
LOTS = Sheet(
    "Dice lots",
    "dice-lots.csv",
    (
        L("Lot", TEXT, lambda row: row.lot.code, width=10),
        L("Status now", TEXT, lambda row: row.lot.get_status_display(), width=16),
        L("Dice", NUMBER, lambda row: row.lot.dice),
        L("Side, mm", TEXT, lambda row: f"{row.lot.size_um / 1000:.2f}", width=10),
        L("Colors", TEXT, lambda row: row.lot.get_colors_display(), width=20),
        L("Maker", TEXT, lambda row: row.lot.maker, width=18),
        L("Serial", TEXT, lambda row: row.lot.serial, width=16),
        L(
            "Seal intact on receipt", TEXT,
            lambda row: "" if row.lot.seal_intact is None else YES_NO[row.lot.seal_intact], width=12,
        ),
        L("For training", TEXT, lambda row: YES_NO[row.lot.training]),
        L("Issued to", TEXT, lambda row: row.lot.table.code if row.lot.table else "", width=10),
        L("Shaker", TEXT, lambda row: row.lot.shaker.code if row.lot.shaker else "", width=10),
        L("Placed", MOMENT, lambda row: row.lot.placed_at),
        L("Expires", MOMENT, lambda row: row.lot.expires_at),
        L("Section of the time limit", TEXT, lambda row: row.lot.clock_section, width=26),
        L("Removed", MOMENT, lambda row: row.lot.removed_at),
        L("Why removed", TEXT, lambda row: row.lot.removed_why, width=18),
        L("Examined", MOMENT, lambda row: row.lot.examined_at),
        L("Tampered with", TEXT, lambda row: YES_NO[row.lot.tampered]),
        L("Rounds in this export", NUMBER, lambda row: row.rounds, width=12),
        L("Entries about it", NUMBER, lambda row: row.entries, width=12),
    ),
)  # fmt: skip
SHEETS = (ROUNDS, WAGERS, SLIPS, SIGN_INS, LOTS)


# Their rows


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


def query_of(facility: Facility, params: dict[str, Any]) -> SheetQuery:
    """The query of a job's stored parameters."""
    return SheetQuery(
        facility,
        dt.date.fromisoformat(params["day"]),
        dt.date.fromisoformat(params["last_day"]),
        game=params.get("game", ""),
        table=params.get("table", ""),
        training=bool(params.get("training")),
        round=params.get("number"),
    )


def sheets_of(query: SheetQuery) -> tuple[Sheet, ...]:
    """The sheets that answer a query: the export of one round has no sign-ins."""
    return SHEETS if query.round is None else tuple(sheet for sheet in SHEETS if sheet is not SIGN_INS)


def rows_of(query: SheetQuery) -> Iterator[tuple[Sheet, Any]]:
    """Yield every row with its sheet. Rounds and wagers take turns; each sheet has its rows in order."""
    yield from _rounds(query)
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
    of_day = Entry.objects.filter(in_time(begins, ends), stream__in=by_stream, gaming_day=day)
    ranges = round_numbers(of_day)
    for stream, table in by_stream.items():
        if stream in ranges:
            yield table, *ranges[stream]


def _rounds(query: SheetQuery) -> Iterator[tuple[Sheet, Any]]:
    """The rows of rounds and of their wagers, read from the record and settled again by the rules."""
    finder, submissions = RulesFinder(), cache(recorded_submission)
    for table, number, day in _played(query):
        entries = of_round(table.stream, number)
        if not entries:
            continue
        history = RoundHistory(table.facility.code, entries, finder, submissions(table.stream_id))
        played = (history.acts or entries[:1])[0].day
        if day is not None and played != day.isoformat():
            continue
        line = RoundLine(table, number, dt.date.fromisoformat(played), history)
        yield ROUNDS, line
        yield from ((WAGERS, WagerLine(line, wager)) for wager in history.wager_rows)


def _played(query: SheetQuery) -> Iterator[tuple[Table, int, dt.date | None]]:
    """The rounds by table and number, each with the gaming day on which it must have been played; None for any."""
    if query.round is not None:
        yield from ((table, query.round, None) for table in query.tables)
        return
    for day in query.days:
        for table, first, last in _numbers(query, day):
            yield from ((table, number, day) for number in range(first, last + 1))


def _slips(query: SheetQuery) -> Iterator[Slip]:
    """Slips filed on these days, or about the round."""
    rows = Slip.objects.filter(table__in=query.tables).select_related(
        "table", "round", "filed_by", "filed_with", "settled_by", "settled_with"
    )
    if query.round is not None:
        rows = rows.filter(round__number=query.round)
    else:
        rows = rows.filter(gaming_day__gte=query.first, gaming_day__lte=query.last)
    return rows.order_by("gaming_day", "table__code", "number").iterator(chunk_size=500)


def _sign_ins(query: SheetQuery) -> Iterator[SignInLine]:
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
        yield SignInLine(entry, data, device, code, people.get(code))


def _devices_of(query: SheetQuery) -> set[str]:
    places = [table.stream.name for table in query.tables]
    return set(
        Device.objects.filter(facility=query.facility.code, place__in=places).values_list("name", flat=True)
    )


def _lots(query: SheetQuery) -> Iterator[LotLine]:
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
        entries = entries.filter(in_time(begins, ends))
    codes = sorted(set(entries.values_list("lot", flat=True).order_by().distinct()))
    lots = DiceLot.objects.filter(facility=query.facility, code__in=codes, training=query.training)
    for lot in lots.select_related("table", "shaker").order_by("code").iterator(chunk_size=500):
        rounds = (
            entries.filter(lot=lot.code, round__isnull=False).values("stream", "round").distinct().order_by()
        )
        yield LotLine(lot, rounds.count(), LotStep.objects.filter(lot=lot).count())


# The files


Progress = Callable[[int], None]


class _Counter:
    """Counts the rounds written, and reports them."""

    def __init__(self, progress: Progress) -> None:
        self.progress, self.rounds, self.rows = progress, 0, 0

    def count(self, sheet: Sheet) -> None:
        self.rows += 1
        self.rounds += sheet is ROUNDS
        if self.rows % 100 == 0:
            self.progress(self.rounds)


def write_csv(path: Path, query: SheetQuery, progress: Progress) -> int:
    """Write an archive of CSV files (RFC 4180, UTF-8) to a path. Returns the number of rows."""
    counter, zone = _Counter(progress), query.facility.zone
    with ExitStack() as stack:
        folder = Path(stack.enter_context(_folder_beside(path)))
        files: dict[str, TextIO] = {}
        for sheet in sheets_of(query):
            file: TextIO = (folder / sheet.file).open("w", encoding="utf-8-sig", newline="")
            files[sheet.name] = stack.enter_context(file)
            csv.writer(file).writerow(_headings(sheet, query))
        for sheet, row in rows_of(query):
            csv.writer(files[sheet.name]).writerow(
                csv_cell(column, column.value(row), zone) for column in sheet.columns
            )
            counter.count(sheet)
        for opened in files.values():
            opened.close()
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("README.txt", "\r\n".join(": ".join(cells) for cells in _about(query)) + "\r\n")
            for sheet in sheets_of(query):
                archive.write(folder / sheet.file, sheet.file)
    return counter.rows


def _headings(sheet: Sheet, query: SheetQuery) -> list[str]:
    zone = query.facility.time_zone
    return [
        f"{column.heading} ({zone})" if column.kind is MOMENT else column.heading for column in sheet.columns
    ]


def write_xlsx(path: Path, query: SheetQuery, progress: Progress) -> int:
    """Write a workbook to a path. Returns the number of rows. A tab that is full is continued on another."""
    counter = _Counter(progress)
    with _folder_beside(path) as folder:
        # Not in a `with` of its own: that would pack an unfinished workbook when writing fails.
        options = {"constant_memory": True, "tmpdir": folder, "strings_to_urls": False}
        title, zone = f"{query.facility.name}, sheets", query.facility.zone
        book = Book(Workbook(str(path), options), title, clock.now(), zone, quotes_texts=True)
        about = book.book.add_worksheet("About")
        about.set_column(0, 0, 24)
        about.set_column(1, 1, 100)
        for number, cells in enumerate(_about(query)):
            for column, text in enumerate(cells):
                about.write_string(number, column, text, book.text if column else book.head)
        tabs = {sheet.name: _Tab(book, sheet, query) for sheet in sheets_of(query)}
        for sheet, row in rows_of(query):
            tabs[sheet.name].add(row)
            counter.count(sheet)
        book.book.close()
    return counter.rows


class _Tab:
    """A sheet as tabs of the workbook: a new one begins when one is full."""

    def __init__(self, book: Book, sheet: Sheet, query: SheetQuery) -> None:
        self.book, self.sheet, self.headings = book, sheet, _headings(sheet, query)
        self.count = 0
        self._begin()

    def add(self, row: Any) -> None:
        if self.row == ROWS_MAX:
            self._begin()
        for place, column in enumerate(self.sheet.columns):
            self.book.write(self.tab, self.row, place, column, column.value(row))
        self.row += 1

    def _begin(self) -> None:
        self.count += 1
        name = self.sheet.name if self.count == 1 else f"{self.sheet.name} {self.count}"
        self.tab: Worksheet = self.book.book.add_worksheet(name)
        self.tab.freeze_panes(1, 0)
        for place, (column, heading) in enumerate(zip(self.sheet.columns, self.headings, strict=True)):
            self.tab.set_column(place, place, column.width or column.kind.width)
            self.tab.write_string(0, place, heading, self.book.head)
        self.row = 1


def _folder_beside(path: Path) -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix=f".{path.name.lstrip('.')}.", suffix=".part", dir=path.parent)


def _about(query: SheetQuery) -> Sequence[tuple[str, str]]:
    """What the file is, in pairs of a heading and a sentence."""
    if query.round is not None:
        contents = f"Round {query.round} at table {query.table}, and the slips about it"
    else:
        days = f"{query.first}" if query.first == query.last else f"{query.first} to {query.last}"
        contents = f"Gaming days {days}"
    tables, sort = query.table or "every table", "training" if query.training else "real play"
    return (
        (query.facility.name, "Readable export of the record"),
        ("What it is", "A copy for reading. It proves nothing; the evidence bundle of the same range does."),
        ("What it has", contents),
        ("Tables", ", ".join(filter(None, (tables, query.game, sort)))),
        ("Written", moment_text(clock.now(), query.facility.zone)),
        ("Amounts", "In dollars. Negative where the casino, or the player in their column, loses."),
        ("Times", f"Local to the facility ({query.facility.time_zone}), each with the name of its zone."),
        ("Source", "Rounds, wagers, sign-ins: entries. Slips and lots: rows checked by a full verification."),
        ("Corrections", "Rounds and wagers are as settled at the table. What changed later is in Slips."),
        ("Settled again", "Each round is settled again by the rules that it pinned; a difference is named."),
    )  # fmt: skip


# The request, and the worker's job


@desk_act(step_up="always")
def ask_sheets(ctx: DeskContext, params: Params) -> ActOutcome:
    """Request a readable export as `sheets-xlsx`, or as `sheets-csv` (an archive of CSV files).

    `day` to `last_day` are gaming days, inclusive (one day without `last_day`); `game` and `table` (codes) narrow it;
    `training` selects training and simulation. With `number`, it is that round of the table and the slips about it.

    Raises `too-many-jobs`, `export-range`, `export-to-come`, `export-too-long`, `no-tables-to-export`, `no-such-round`
    and `export-empty`.
    """
    kind = params.choice("kind", SHEETS_KINDS)
    day, last = params.date("day", optional=True), params.date("last_day", optional=True)
    game, table = (params.text(name, default="", max_length=MAX_CODE) for name in ("game", "table"))
    number = params.integer("number", 0, MAX_NUMBER, default=0) or None
    training = params.boolean("training")
    verify_job_limit(ctx)
    if number is not None:
        played = Round.objects.filter(table__facility=ctx.facility, table__code=table, number=number).first()
        if played is None:
            raise Refusal(NO_SUCH_ROUND, table=table, round=number)
        day = last = played.gaming_day
    first = day or last or ctx.gaming_day
    last = last or first
    if last < first:
        raise Refusal(EXPORT_RANGE)
    if first > ctx.gaming_day:
        raise Refusal(EXPORT_TO_COME)
    if (last - first).days >= MAX_DAYS:
        raise Refusal(EXPORT_TOO_LONG, most=MAX_DAYS)
    data: ExportAsked = {
        "day": str(first), "last_day": str(last), "from": None, "to": None, "streams": [], "training": training,
        "job": "", "kind": kind, "game": game, "table": table, "number": number,
    }  # fmt: skip
    query = query_of(ctx.facility, dict(data))
    if not query.tables:
        raise Refusal(NO_TABLES_TO_EXPORT)
    total = count_rounds(query)
    if not total and not query.is_whole_facility:
        raise Refusal(EXPORT_EMPTY)
    data["streams"] = [] if query.is_whole_facility else [row.stream.name for row in query.tables]
    job_params = {name: value for name, value in data.items() if name not in ("job", "kind")}
    job = Job.objects.create(
        facility=ctx.facility.code,
        kind=kind,
        params=job_params,
        asked_by=ctx.actor,
        asked_at=ctx.now,
        device=ctx.device,
        total=total,
    )
    data["job"] = str(job.pk)
    return ActOutcome(EXPORT_ASKED(data), {"job": str(job.pk), "rounds": total})


WRITE = {"sheets-xlsx": write_xlsx, "sheets-csv": write_csv}


def write_sheets(job: Job, path: Path, beat: Heartbeat) -> dict[str, Any]:
    """Write the file of a job. Returns the number of its rows as `entries`."""
    query = query_of(Facility.objects.get(code=job.facility), job.params)
    beat(0, count_rounds(query))
    rows = WRITE[job.kind](path, query, beat)
    return {"entries": rows, "streams": len(query.tables)}


def _name(job: Job) -> str:
    """The part of the file's name that says what it is."""
    table, number = job.params.get("table"), job.params.get("number")
    parts = [job.params.get("game") or "", table or "", f"R{number}" if number else "", "sheets"]
    return "-".join(part for part in parts if part)


register_writer("sheets-xlsx", FileWriter("xlsx", write_sheets, _name))
register_writer("sheets-csv", FileWriter("zip", write_sheets, _name))
