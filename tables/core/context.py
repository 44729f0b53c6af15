"""What an act at a table works with: read once, under the table's lock, and only when used (`TableContext`).

Every act and every push reads by the hand-written statements here (`locked_table`, `read_play`, `read_table`);
`audit.rows` says why they avoid the ORM. An act links its entry to the dice lots that it is about (`write_lot_steps`),
their chain of custody. At the top stand the refusals that any act at a table may meet.
"""

import datetime as dt
import json
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from django.db import connection
from django.dispatch import Signal

from audit import record, runner
from audit.clock import clock
from audit.entry_types import EntryBody
from audit.models import Command, Device, Person, Stream
from audit.record import INCARNATION
from audit.rows import Aliased, KeptReads, read, statement_cursor, update
from audit.runner import Changes, ClaimedTap
from games import submissions
from games.engine import Refusal, RefusalCode, RoundState, Rules
from games.engine.game import Game, PostCode
from games.engine.wagers import Wager as Staked
from games.models import Facility, RulesSubmission
from games.office.providers import services
from games.office.providers.services import ServiceStatus
from games.registry import game_of
from tables.core import duty
from tables.models import DiceLot, LotStep, Pit, Round, Shaker, Table, Throw, Wager
from tables.models.cases import SHOWN_SQL

DRAW_FIRST = RefusalCode(
    "draw-first",
    "The dice of round %(round)s have not been thrown yet. Throw them, then call them.",
    "Throw the dice",
)
NOT_THESE_DICE = RefusalCode(
    "not-these-dice",
    "These are not the dice on the table. Read them again.",
    "Read them again",
)
NO_RULES_IN_FORCE = RefusalCode(
    "no-rules-in-force",
    "No approved rules submission %(code)s is in force. The table cannot deal.",
)
NO_SHAKER = RefusalCode("no-shaker", "There is no working shaker at %(table)s. Place one first.")
NO_DICE = RefusalCode("no-dice", "Shaker %(shaker)s has no dice in it. Put a dice lot in first.")
DICE_PAST_THEIR_TIME = RefusalCode(
    "dice-past-their-time",
    "Dice lot %(lot)s reached its time at %(at)s. Put a new lot in the shaker.",
    "Not shaken",
)
GAMING_CEASED = RefusalCode(
    "gaming-ceased",
    "Gaming at this table has ceased: the %(what)s failed. Record the repair, then inspect it.",
    "Gaming has ceased",
)
TABLE_IS_CLOSED = RefusalCode(
    "table-closed",
    "%(table)s is not open. The floorperson inspects and opens it.",
    "The table is closed",
)
ROUND_IN_PLAY = RefusalCode("round-in-play", "Round %(round)s is in play. Finish it first.")
ACT_OF_ANOTHER_GAME = RefusalCode(
    "act-of-another-game",
    "That act belongs to another game than the one at %(table)s.",
)


# Dice lots and screens


def write_lot_steps(lots: Iterable[DiceLot], stream: Stream, seq: int) -> None:
    """Link entry `seq` of this stream to each lot, in the act's own transaction."""
    steps = [LotStep(lot=lot, stream=stream, seq=seq) for lot in {lot.pk: lot for lot in lots}.values()]
    if steps:
        LotStep.objects.bulk_create(steps)


# Sent after the commit, with `table_id`, when something other than a request changed what a table's screens show.
table_changed = Signal()


# Statements


SERVICES = """EXISTS (SELECT 1 FROM games_service x JOIN games_provider y ON y.id = x.provider_id
                WHERE y.facility_id = t.facility_id AND x.game = t.game)"""


# Another value after each change of rows that acts read beside those of their table (`tables.runner.copies`).
EPOCH = "(SELECT e.epoch FROM tables_epoch e)"


@dataclass
class Locked:
    """A table whose row and stream are locked, the moment of the act, and whether the person is on duty there.

    `incarnation` was read when the statement began; a request that waited for the lock may have missed a newer one.
    `play` is None until it is read, under the lock. `epoch`, `ids` and `reads` are what `tables.runner.copies` needs;
    SQLite has no epoch.
    """

    table: Table
    now: dt.datetime
    on_duty: bool
    incarnation: int
    play: "Play | None" = None
    epoch: uuid.UUID | None = None
    ids: dict[str, list[int]] = field(default_factory=dict)
    reads: KeptReads = field(default_factory=dict)


def locked_table(facility: str, code: str, person: Person | None = None) -> Locked:
    """Lock a table and its stream until the transaction ends (on SQLite the whole database: IMMEDIATE).

    Locks both rows: a row that is only joined would be read as it was before the wait. Raises `Table.DoesNotExist`.
    """
    postgres = connection.vendor == "postgresql"
    more = f"{INCARNATION}, {EPOCH}, clock_timestamp()" if postgres else f"{INCARNATION}, NULL, NULL"
    lock = "FOR UPDATE OF t, s" if postgres else ""
    for table, (on_duty, incarnation, epoch, now) in _table_at(facility, code, person, more, lock):
        return Locked(table, clock.read(now), bool(on_duty), int(incarnation), epoch=epoch)
    raise Table.DoesNotExist(f"{facility}/{code}")


def table_with_duty(facility: str, code: str, person: Person | None) -> tuple[Table, bool] | None:
    """A table with its stream and facility, and whether the person is on duty there; None without such a table.

    Without a lock, for who opens a page or a socket.
    """
    for table, (on_duty,) in _table_at(facility, code, person):
        return table, bool(on_duty)
    return None


TableKey = tuple[str, str, int | None]  # the codes of a facility and a table, and the id of a person or None


def tables_with_duty(keys: Iterable[TableKey]) -> dict[TableKey, tuple[Table, bool]]:
    """As `table_with_duty`, for several tables and people in one statement. Keys without a table are left out."""
    names = ("facility", "code", "person")
    keys_json = json.dumps([dict(zip(names, key, strict=True)) for key in keys])
    if connection.vendor == "postgresql":
        source = "jsonb_to_recordset(%s::jsonb) AS w(facility text, code text, person bigint)"
    else:
        columns = ", ".join(f"json_extract(value, '$.{name}') AS {name}" for name in names)
        source = f"(SELECT {columns} FROM json_each(%s)) w"
    on_duty_sql, on_duty_params = duty.on_duty_sql("w.person")
    rows = read(
        (("t", Table), ("s", Stream), ("f", Facility)),
        f"""FROM {source}
            JOIN games_facility f ON f.code = w.facility
            JOIN tables_table t ON t.facility_id = f.id AND t.code = w.code
            JOIN audit_stream s ON s.id = t.stream_id""",
        [*on_duty_params, keys_json],
        more=f"{on_duty_sql}, w.person",
    )
    tables: dict[TableKey, tuple[Table, bool]] = {}
    for (table, stream, facility), (on_duty, person_id) in rows:
        table.stream, table.facility = stream, facility
        tables[facility.code, table.code, person_id] = table, bool(on_duty)
    return tables


def _table_at(
    facility: str, code: str, person: Person | None, more: str = "", lock: str = ""
) -> Iterator[tuple[Table, tuple[Any, ...]]]:
    on_duty_sql, on_duty_params = duty.on_duty_sql("%s", person.pk if person else None)
    rows = read(
        (("t", Table), ("s", Stream), ("f", Facility)),
        f"""FROM tables_table t
            JOIN games_facility f ON f.id = t.facility_id
            JOIN audit_stream s ON s.id = t.stream_id
            WHERE f.code = %s AND t.code = %s {lock}""",
        [*on_duty_params, facility, code],
        more=f"{on_duty_sql}, {more}" if more else on_duty_sql,
    )
    for (table, stream, facility_row), columns in rows:
        table.stream, table.facility = stream, facility_row
        yield table, columns


def floor_versions(facility: str) -> dict[int, tuple[str, int]]:
    """The code and the version of each table of a facility, by id, in the order of pits and codes."""
    with statement_cursor() as cursor:
        cursor.execute(
            """SELECT t.id, t.code, s.seq FROM tables_table t
               JOIN games_facility f ON f.id = t.facility_id
               JOIN tables_pit p ON p.id = t.pit_id
               JOIN audit_stream s ON s.id = t.stream_id
               WHERE f.code = %s ORDER BY p.code, t.code""",
            [facility],
        )
        return {table_id: (code, seq) for table_id, code, seq in cursor.fetchall()}


PEOPLE = ("dealer", "dealer_left", "stickperson", "floorperson")
PLAY_MODELS: Aliased = (
    ("p", Pit),
    ("r", Round),
    ("u", RulesSubmission),
    ("l", DiceLot),
    ("k", Shaker),
    *((f"p_{role}", Person) for role in PEOPLE),
)
PLAY_JOINS = f"""JOIN tables_pit p ON p.id = t.pit_id
   LEFT JOIN tables_round r ON r.table_id = t.id AND r.ended_at IS NULL
   LEFT JOIN games_rulessubmission u ON u.id = r.submission_id
   LEFT JOIN tables_shaker k ON k.table_id = t.id AND NOT k.out_of_order
   LEFT JOIN tables_dicelot l ON l.shaker_id = k.id AND l.status = 'placed'
   {" ".join(f"LEFT JOIN audit_person p_{role} ON p_{role}.id = t.{role}_id" for role in PEOPLE)}"""


# After the code of an issued lot whose box had a broken seal; no code has this sign.
BROKEN = "!"


class UnderWay(NamedTuple):
    """The columns of a fill or a credit under way that the screens of its table show."""

    number: int
    kind: str
    slip_number: int | None
    status: str
    cents: int
    requested_at: dt.datetime


@dataclass(frozen=True, slots=True)
class Play:
    """What most acts at a table and each snapshot need beside its row, and the moment of the read.

    `round`: the round in play, with its submission. `shaker`: the working one. `lot`: the dice in it. `issued`: codes
    of lots issued to this table and not yet placed; `issued_broken`: those whose box had a broken seal. `services`:
    whether a provider supplies anything for the game of the table. `calls`: whether any alert shows. `changes`:
    whether a change of the limits is pending. `transfers`: the fills and credits under way, oldest first.
    `drop_box`: what is written on the drop box that is on the table, "" without one. `incarnation`: that of the
    record. `holders`: ids of the people at its posts. `at_work`: those of them who are active, on duty at this table
    and at no post of another open table; both are empty where only a snapshot is read.
    """

    now: dt.datetime
    round: Round | None
    shaker: Shaker | None
    lot: DiceLot | None
    issued: tuple[str, ...]
    issued_broken: tuple[str, ...]
    services: bool
    calls: bool
    changes: bool
    transfers: tuple[UnderWay, ...]
    drop_box: str
    incarnation: int
    holders: frozenset[int] = frozenset()
    at_work: frozenset[int] = frozenset()


def _facts_sql() -> str:
    """The columns of `Play` that are not rows, in the order in which `_play` takes them."""
    postgres = connection.vendor == "postgresql"
    code = f"i.code || CASE WHEN i.seal_intact IS FALSE THEN '{BROKEN}' ELSE '' END"
    joined = f"string_agg({code}, ',')" if postgres else f"group_concat({code})"
    columns = ", ".join(f"m.{name}" for name in UnderWay._fields)
    transfers = (
        f"json_agg(json_build_array({columns}))::text"
        if postgres
        else f"json_group_array(json_array({columns}))"
    )
    return f"""(SELECT {joined} FROM tables_dicelot i WHERE i.table_id = t.id AND i.status = 'issued'),
        {SERVICES},
        EXISTS (SELECT 1 FROM tables_alert a
                WHERE a.table_id = t.id AND {SHOWN_SQL}),
        EXISTS (SELECT 1 FROM tables_limitschange c WHERE c.table_id = t.id AND c.status = 'pending'),
        CASE WHEN t.tray_cents IS NOT NULL THEN (
            SELECT {transfers} FROM tables_chiptransfer m
            WHERE m.facility_id = t.facility_id AND m.table_id = t.id
              AND m.status IN ('requested', 'preparing', 'on-the-way')) END,
        CASE WHEN t.tray_cents IS NOT NULL THEN (
            SELECT b.box FROM tables_dropbox b WHERE b.table_id = t.id AND b.taken_off_at IS NULL) END,
        {INCARNATION},
        {"clock_timestamp()" if postgres else "NULL"}"""


def _play(
    table: Table, rows: Sequence[Any], facts: Sequence[Any], holders: Iterable[int] = (), at_work: str = ""
) -> Play:
    """Make a play of the rows of `PLAY_MODELS` and the columns of `_facts_sql`. `at_work`: ids, joined by commas.

    The table gets its pit and people. People whom an act has replaced in the meantime are left out.
    """
    pit, round_, submission, lot, shaker, *people = rows
    codes, services, calls, changes, transfers, drop_box, incarnation, moment = facts
    marked = codes.split(",") if codes else []
    table.pit = pit
    for role, person in zip(PEOPLE, people, strict=True):
        if getattr(table, f"{role}_id") == (person.pk if person is not None else None):
            setattr(table, role, person)
    if round_ is not None:
        round_.submission = submission
    if lot is not None:
        lot.shaker = shaker
    return Play(
        now=clock.read(moment),
        round=round_,
        shaker=shaker,
        lot=lot,
        issued=tuple(sorted(code.removesuffix(BROKEN) for code in marked)),
        issued_broken=tuple(sorted(code.removesuffix(BROKEN) for code in marked if code.endswith(BROKEN))),
        services=bool(services),
        calls=bool(calls),
        changes=bool(changes),
        transfers=_under_way(transfers) if transfers else (),
        drop_box=drop_box or "",
        incarnation=int(incarnation),
        holders=frozenset(holders),
        at_work=frozenset(int(pk) for pk in at_work.split(",") if pk),
    )


def _under_way(text: str) -> tuple[UnderWay, ...]:
    """Return transfers from their columns as JSON, oldest first. A moment of SQLite has no time zone: it is UTC."""
    transfers = []
    for *columns, requested_at in sorted(json.loads(text)):
        moment = dt.datetime.fromisoformat(requested_at)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
        transfers.append(UnderWay._make([*columns, aware]))
    return tuple(transfers)


def read_play(table: Table, command_id: uuid.UUID | None = None) -> tuple[Play, Command | None]:
    """Read the play at a table and the accepted act with this id, in one statement. Takes no lock."""
    joined = "string_agg" if connection.vendor == "postgresql" else "group_concat"
    on_duty, params = duty.on_duty_sql("p.id")
    more = f"""{_facts_sql()},
        (SELECT {joined}(CAST(p.id AS text), ',') FROM audit_person p
         WHERE p.id IN (t.dealer_id, t.dealer_left_id, t.stickperson_id)
           AND p.is_active AND {on_duty} AND NOT {duty.AT_ANOTHER_POST})"""
    ((command, *rows), (*facts, at_work)), *_ = read(
        (("c", Command), *PLAY_MODELS),
        f"FROM tables_table t LEFT JOIN audit_command c ON c.id = %s {PLAY_JOINS} WHERE t.id = %s",
        [*params, runner.command_key(command_id), table.pk],
        more=more,
    )
    ids = (table.dealer_id, table.dealer_left_id, table.stickperson_id)
    return _play(table, rows, facts, (pk for pk in ids if pk is not None), at_work or ""), command


@dataclass(frozen=True, slots=True)
class TableRead:
    """A table as a snapshot reads it, with its stream, facility, pit and people, and its play."""

    table: Table
    play: Play


def read_table(table_id: int) -> TableRead:
    """Read what a snapshot begins with, in one statement and without locks. Raises `Table.DoesNotExist`."""
    rows = read(
        (("t", Table), ("s", Stream), ("f", Facility), *PLAY_MODELS),
        f"""FROM tables_table t
           JOIN audit_stream s ON s.id = t.stream_id
           JOIN games_facility f ON f.id = t.facility_id
           {PLAY_JOINS}
           WHERE t.id = %s""",
        [table_id],
        more=_facts_sql(),
    )
    for (table, stream, facility, *parts), facts in rows:
        table.stream, table.facility = stream, facility
        return TableRead(table, _play(table, parts, facts))
    raise Table.DoesNotExist(str(table_id))


def newest_seq(stream_id: int) -> int:
    """The number of a stream's newest entry, without a lock."""
    with statement_cursor() as cursor:
        cursor.execute("SELECT seq FROM audit_stream WHERE id = %s", [stream_id])
        return int(cursor.fetchone()[0])


# The context of an act


DICE_AT_REST = frozenset({"open", "unlocked", "locked", "closed", "point"})
G = TypeVar("G", bound=Game)


class TableContext:
    """The table of one act with its people, its moment, its dice and its live round.

    The caller holds the table's lock while this object is used. Changes go through here, so that each row is saved
    once, with named fields only.
    """

    def __init__(
        self,
        table: Table,
        actor: Person | None,
        device: Device | None,
        witness: Person | None,
        now: dt.datetime,
        play: Play | None = None,
    ) -> None:
        self.table = table
        self.stream: Stream = table.stream
        self.actor = actor
        self.device = device
        self.witness = witness
        self.now = now
        self._play = play
        self.locked: Locked | None = None  # what it was made from, for an act
        self.tap: ClaimedTap | None = None  # what the device says about an act that waited there
        self.post: PostCode | None = None  # to which the act belongs, at a game whose posts share the acts
        self.lots: list[DiceLot] = []  # lots whose chain of custody gets this act's entry
        self.extra_entries: list[EntryBody] = []  # type and data of entries that follow the act's own
        # What follows from the act's own entry once it is on the stream, and may add to `extra_entries`.
        self.follow_ups: list[Callable[[], None]] = []
        self.appended: list[record.Appended] = []  # entries of this act on the table's stream, oldest first
        # Since `all_wagers` and `throws` were read: all wagers of the round, if any was written, and new throws.
        self.written_wagers: list[Wager] | None = None
        self.written_throws: list[Throw] = []
        self._table_fields: set[str] = set()
        self._round_fields: set[str] = set()

    @property
    def key(self) -> int:
        """The id under which the screens of this table are published."""
        return self.table.pk

    @property
    def affected_table_ids(self) -> tuple[int, ...]:
        """No other table: an act at a table shows only there."""
        return ()

    @cached_property
    def gaming_day(self) -> dt.date:
        """The gaming day of this moment at this facility (from 06:00 local time)."""
        return self.table.facility.gaming_day(self.now)

    @cached_property
    def play(self) -> Play:
        """The play at this table when the act began."""
        return self._play or read_play(self.table)[0]

    @cached_property
    def round(self) -> Round | None:
        """The round in play; None before the first act of the next one."""
        return self.play.round

    @property
    def round_left(self) -> Round | None:
        """The round in play as the act leaves it."""
        return None if self.round is None or self.round.ended_at is not None else self.round

    @cached_property
    def play_left(self) -> Play:
        """The play at this table as the act left it, with the people at its posts. Read once it is committed."""
        calls = self.play.calls or len(self.appended) > 1  # an alert that was raised has an entry of its own
        return replace(self.play, round=self.round_left, calls=calls)

    @property
    def wagers_left(self) -> list[Wager] | None:
        """All wagers of the live round as the act leaves them; None without a round, or where no act read them."""
        if self.round_left is None:
            return None
        return self.written_wagers if self.written_wagers is not None else self.__dict__.get("all_wagers")

    @property
    def throws_left(self) -> list[Throw] | None:
        """The throws of the live round as the act leaves them; None without a round, or where no act read them."""
        if self.round_left is None or "throws" not in self.__dict__:
            return None
        return newest_revisions([*self.throws, *self.written_throws])

    @cached_property
    def in_force(self) -> RulesSubmission | None:
        """The version of this table's rules submission that is in force now, if any."""
        table = self.table
        return submissions.in_force(table.facility, table.game, self.now, code=table.submission_code)

    @property
    def deals(self) -> bool:
        """Whether this table has rules to play under: those of the live round, or those in force."""
        return self.round is not None or self.in_force is not None

    @cached_property
    def submission(self) -> RulesSubmission:
        """The submission that the live round pinned, otherwise the one in force. Raises `no-rules-in-force`."""
        submission = self.round.submission if self.round is not None else self.in_force
        if submission is None:
            raise Refusal(NO_RULES_IN_FORCE, code=self.table.submission_code)
        return submission

    @cached_property
    def rules(self) -> Rules:
        """The rules of that submission, after its hash was checked."""
        return submissions.rules_of(self.submission)

    @cached_property
    def game(self) -> Game:
        """The game that the rules are for."""
        return game_of(self.rules)

    @property
    def terms_sha256(self) -> str:
        """The hash of the terms that this act used; empty if it did not ask for rules."""
        return self.submission.terms_sha256 if "submission" in self.__dict__ else ""

    @cached_property
    def lot(self) -> DiceLot | None:
        """The dice in the working shaker at this table, if any; read together with the shaker."""
        return DiceLot.objects.in_use_at(self.table.pk)

    @cached_property
    def shaker(self) -> Shaker | None:
        """The working shaker at this table, if any."""
        if self.lot is not None:
            return self.lot.shaker
        return Shaker.objects.filter(table=self.table, out_of_order=False).first()

    @cached_property
    def all_wagers(self) -> list[Wager]:
        """Every wager of the live round, including struck ones, in the order in which they were first made."""
        return Wager.objects.of_round(self.round.pk) if self.round else []

    @cached_property
    def wagers(self) -> list[Wager]:
        """The wagers of the live round that were not struck, in the order in which they were first made."""
        return [wager for wager in self.all_wagers if not wager.struck]

    @cached_property
    def throws(self) -> list[Throw]:
        """The throws of the live round in the order of play, each in its newest revision."""
        if self.round is None or not self.round.last_throw:
            return []
        return newest_revisions(Throw.objects.of_round(self.round.pk))

    @cached_property
    def state(self) -> RoundState:
        """The engine's state of the live round, or of a fresh round."""
        if self.round is None:
            table = self.table
            return self.game.open_round(
                self.rules,
                self.shaker_kind,
                table.quarterback,
                table.offered,
                table.seated,
                self.absent_seats,
            )
        return self.game.restore(
            self.rules,
            self.round.shaker_kind,
            phase=self.round.phase,
            wagers=[Staked(wager.seat, wager.code, wager.cents, wager.play or None) for wager in self.wagers],
            throws=[throw.dice for throw in self.throws if throw.dice],
            paid_seats=self.round.paid_seats,
            paid_areas=frozenset((seat, code) for seat, code in self.round.paid_areas),
            manual_settlement=self.round.by_hand,
            step=self.round.step,
            void_throws=sum(not throw.dice for throw in self.throws),
            quarterback=self.round.quarterback,
            offered=self.round.offered,
            seated=frozenset(self.table.seated),
            absent=self.absent_seats,
        )

    @property
    def absent_seats(self) -> frozenset[int]:
        """The taken seats whose player is away or has left (`tables.core.seats`)."""
        return frozenset(map(int, self.table.seat_marks))

    @cached_property
    def stops(self) -> dict[str, ServiceStatus]:
        """Suspended wagers of providers, by wager code; `*` is the whole game. A simulated table suspends none."""
        table = self.table
        if table.kind == Table.Kind.SIMULATED or not self.play.services:
            return {}
        return services.suspensions(table.facility, table.game, self.now)

    @property
    def shaker_kind(self) -> str:
        """The kind of shaker for a new round. Raises `no-shaker`."""
        if self.shaker is None:
            raise Refusal(NO_SHAKER, table=self.table.code)
        return self.shaker.kind

    def change_table(self, **values: Any) -> None:
        """Change fields of the table's row, which is saved once, at the end of the act."""
        for name, value in values.items():
            setattr(self.table, name, value)
        self._table_fields.update(values)

    def change_round(self, **values: Any) -> None:
        """Change fields of the live round's row, which is saved once, at the end of the act."""
        assert self.round is not None
        for name, value in values.items():
            setattr(self.round, name, value)
        self._round_fields.update(values)

    def save_changes(self, changes: Changes, seats: tuple[int, ...]) -> None:
        """Save what the act changed, with the number that its entry will have, so that stale acts are detected."""
        seq = self.stream.seq + 1
        if changes == "table":
            self.change_table(status_seq=seq)
        if changes == "phase":
            self.change_round(phase_seq=seq)
        if seats and self.round is not None:
            self.change_round(seat_seqs={**self.round.seat_seqs, **{str(seat): seq for seat in seats}})
        self._save_fields()

    def _save_fields(self) -> None:
        """Save the fields that changed since they were saved last."""
        if self._table_fields:
            update(self.table, sorted(self._table_fields))
        if self._round_fields and self.round is not None:
            update(self.round, sorted(self._round_fields))
        self._table_fields.clear()
        self._round_fields.clear()

    def after_append(self, appended: record.Appended) -> None:
        """Link the act's entry to the lots that it moved, and append the extra entries.

        No later act depends on an extra entry.
        """
        self.appended.append(appended)
        if self.lots:
            write_lot_steps(self.lots, self.stream, appended.seq)
        for follow_up in self.follow_ups:
            follow_up()
        self._save_fields()
        self.append_extra_entries()

    def append_extra_entries(self) -> None:
        """Append `extra_entries` in order, with this context's moment and people, and clear the list."""
        for entry in self.extra_entries:
            appended = record.append(
                self.stream,
                entry=entry,
                moment=self.now,
                gaming_day=self.gaming_day,
                actor=self.actor,
                witness=self.witness,
                device=self.device,
                terms=self.terms_sha256,
            )
            self.appended.append(appended)
        self.extra_entries.clear()

    def verify_open(self) -> None:
        """Refuse unless the table is open. Raises `gaming-ceased` or `table-closed`."""
        if self.table.status == Table.Status.CEASED:
            raise Refusal(GAMING_CEASED, self.table.ceased_section, what=self.table.ceased_what)
        if self.table.status != Table.Status.OPEN:
            raise Refusal(TABLE_IS_CLOSED, table=self.table.code)

    def verify_dice_for_a_round(self) -> tuple[DiceLot, Shaker]:
        """Return the dice and their shaker. Raises `no-shaker` or `no-dice` where either is missing."""
        if self.shaker is None:
            raise Refusal(NO_SHAKER, table=self.table.code)
        if self.lot is None:
            raise Refusal(NO_DICE, self.rules.section("dice-number"), shaker=self.shaker.code)
        return self.lot, self.shaker

    def verify_shaker_filed(self) -> None:
        """Raises `shaker-not-filed` where the submission names kinds of shakers, and not the one in use."""
        if self.shaker is not None:
            self.rules.verify_shaker_filed(self.shaker.kind)

    def verify_dice_in_time(self) -> tuple[DiceLot, Shaker]:
        """Return the dice and their shaker.

        Raises `dice-past-their-time` once the dice have expired (A16: no new shake at the limit).
        """
        lot, shaker = self.verify_dice_for_a_round()
        assert lot.expires_at is not None
        if self.now >= lot.expires_at:
            raise Refusal(
                DICE_PAST_THEIR_TIME, lot.clock_section, lot=lot.code, at=self.local(lot.expires_at)
            )
        return lot, shaker

    def verify_as_they_lie(self, dice: Sequence[int]) -> None:
        """At a training table, refuse dice that differ from those drawn by the machine.

        Raises `draw-first` or `not-these-dice`.
        """
        round_ = self.round
        if self.table.kind != Table.Kind.TRAINING or round_ is None:
            return
        if not round_.drawn:
            raise Refusal(DRAW_FIRST, round=round_.number)
        if self.game.arranged(dice) != self.game.arranged(round_.drawn):
            raise Refusal(NOT_THESE_DICE)

    @property
    def dice_at_rest(self) -> bool:
        """Whether all dice are in the shaker or the cup: none in the air, none on the layout."""
        if self.round is None:
            return True
        return self.round.phase in DICE_AT_REST and self.state.result.dice == self.rules.edition.dice

    def game_as(self, kind: type[G]) -> G:
        """The game, which must be of this class. Raises `act-of-another-game`."""
        if not isinstance(self.game, kind):
            raise Refusal(ACT_OF_ANOTHER_GAME, table=self.table.code)
        return self.game

    def local(self, moment: dt.datetime) -> str:
        """Format a moment in this facility's local time."""
        return self.table.facility.local(moment).strftime("%H:%M on %d %b")


def newest_revisions(throws: Iterable[Throw]) -> list[Throw]:
    """Each throw in its newest revision. The throws are in the order of play, earlier revisions first."""
    return list({throw.number: throw for throw in throws}.values())
