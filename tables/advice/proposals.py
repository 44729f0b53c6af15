"""Proposals for the next hour, from what was wagered in the last one: pure rules over figures.

Each says what it would change, the expected win that it gains or costs in an hour, its facts, and what it assumes. The
expected win of a wager is its stake times its exact house advantage. How players would react is an assumption, and the
proposal says so. Nothing acts on a proposal.
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from games.formats import about, money, percent
from tables.core.pace import is_slow

Kind = Literal["raise", "lower", "open", "close", "pace", "break", "dice", "fill"]
HOUR = dt.timedelta(hours=1)
LEAST_ROUNDS = 10  # of the last hour, for a proposal about its wagers
IDLE_MINUTES = 30  # of open time in the last hour, after which fewer rounds say that hardly anybody plays
FULL, HALF_EMPTY, NEARLY_EMPTY = Fraction(3, 4), Fraction(1, 2), Fraction(1, 4)  # of the seats
ALL_FULL = Fraction(9, 10)
# What the proposals assume of players
STAY_AT_HIGHER_MINIMUM = Fraction(3, 4)
MOVE_FROM_CLOSED_TABLE = Fraction(3, 4)
SEATS_OF_NEW_TABLE = Fraction(1, 2)
MINIMUMS_CENTS = (500, 1_000, 1_500, 2_500, 5_000, 10_000, 20_000, 50_000)
SOON = dt.timedelta(minutes=60)
AT_ONCE = dt.timedelta(minutes=10)  # what is due by then comes before everything else
LOW_TRAY = Fraction(1, 2)  # of its par, at which a fill is due


@dataclass(frozen=True)
class Staked:
    """Wagers of the last hour of one size on one code: how many, and their exact house advantage.

    `is_fee`: no wagers but fees, which cost what the wagers of their seats are. `is_limited`: the table's limits apply.
    """

    cents: int
    count: int
    advantage: Fraction
    is_fee: bool = False
    is_limited: bool = True

    def rises_to(self, min_cents: int) -> bool:
        """Whether this minimum is above them."""
        return self.is_limited and self.cents < min_cents


@dataclass(frozen=True)
class TrayHour:
    """A tray that has a par, and what flowed out of it in the last hour: paid and sold, less taken (cents).

    `coming_cents`: fills under way, less credits. `order` restores the par: a fill in words, `50 of $25`, or "".
    """

    now_cents: int
    par_cents: int
    outflow_cents: int = 0
    coming_cents: int = 0
    order: str = ""
    order_cents: int = 0

    @property
    def spare_cents(self) -> Fraction:
        """What may still leave it before a fill is due."""
        return self.now_cents + self.coming_cents - LOW_TRAY * self.par_cents


@dataclass(frozen=True)
class TableHour:
    """A live table and its last hour. In `minutes` of it the table was open and staffed (tables.core.pace).

    `seat_rounds` counts the seats with a wager over all rounds. `break_due` is the earliest of its posts; `dice_until`
    is when its dice reach their time. `relief` is free for it; `planned` says in a sentence who is planned. `is_ready`:
    closed, with a shaker and dice that are in time. `tray` is None without an open inventory or a par, `target_pace`
    (settled rounds an hour) where the house has none for its game.
    """

    code: str
    game: str
    min_cents: int
    max_cents: int
    seats: int
    is_open: bool
    rounds: int = 0
    minutes: int = 0
    seat_rounds: int = 0
    stakes: tuple[Staked, ...] = ()
    has_pending_limits: bool = False
    dealers: tuple[str, ...] = ()
    break_due: dt.datetime | None = None
    relief: str = ""
    planned: str = ""
    lot: str = ""
    dice_until: dt.datetime | None = None
    is_ready: bool = False
    has_wagers_now: bool = False
    tray: TrayHour | None = None
    target_pace: int | None = None

    @property
    def occupancy(self) -> Fraction:
        """The share of its seats that had a wager, over its rounds."""
        return Fraction(self.seat_rounds, self.rounds * self.seats) if self.rounds else Fraction(0)

    @property
    def is_known(self) -> bool:
        """Whether it was played enough to say something, or so little that this says it."""
        return (self.is_open and self.rounds >= LEAST_ROUNDS and self.minutes > 0) or self.is_idle

    @property
    def is_idle(self) -> bool:
        """Whether it was open long enough to say that hardly anybody plays: few rounds, few seats, none now."""
        is_empty = self.occupancy <= NEARLY_EMPTY and not self.has_wagers_now
        return self.is_open and self.rounds < LEAST_ROUNDS and self.minutes >= IDLE_MINUTES and is_empty

    @property
    def win_an_hour(self) -> Fraction:
        """The expected win of its wagers, in cents an hour."""
        return self.an_hour(
            sum((stake.count * stake.cents * stake.advantage for stake in self.stakes), Fraction(0))
        )

    def an_hour(self, cents: Fraction) -> Fraction:
        """An amount of its last hour, in cents an hour of open time."""
        return cents * 60 / self.minutes if self.minutes else Fraction(0)


@dataclass(frozen=True)
class Proposal:
    """One thing to change. `gain_cents`: expected win an hour that it adds; None where it is not about money.

    `min_cents` is the proposed minimum; `due_at` by when.
    """

    kind: Kind
    table: str
    title: str
    facts: str
    assumes: str
    gain_cents: int | None = None
    min_cents: int | None = None
    due_at: dt.datetime | None = None


def proposals(
    tables: Sequence[TableHour], free_dealers: dict[str, list[str]], now: dt.datetime
) -> list[Proposal]:
    """Return what to change now: what is due at once, then by what it gains, then what is due within the hour.

    `free_dealers`: names by game.
    """
    rules = (_breaks, _dice, _fills)
    due = [proposal for table in tables for rule in rules for proposal in rule(table, now)]
    due.sort(key=lambda proposal: (proposal.due_at or now, proposal.table))
    money = [
        *filter(None, map(_raise_minimum, tables)),
        *_lower_minimums(tables),
        *_tables_to_open(tables, free_dealers),
        *_tables_to_close(tables),
        *filter(None, map(_quicken, tables)),
    ]
    return [
        *(proposal for proposal in due if _is_due_at_once(proposal, now)),
        *sorted(money, key=lambda proposal: (-(proposal.gain_cents or 0), proposal.table)),
        *(proposal for proposal in due if not _is_due_at_once(proposal, now)),
    ]


def _is_due_at_once(proposal: Proposal, now: dt.datetime) -> bool:
    return proposal.due_at is None or proposal.due_at <= now + AT_ONCE


def _raise_minimum(table: TableHour) -> Proposal | None:
    """A full table whose smaller wagers would rise. The next minimum that gains most, if any does."""
    if not table.is_known or table.has_pending_limits or table.occupancy < FULL:
        return None
    higher = [cents for cents in MINIMUMS_CENTS if table.min_cents < cents <= table.max_cents]
    gains = {cents: table.an_hour(_gain_of_minimum(table.stakes, cents)) for cents in higher[:2]}
    best = max(gains, key=lambda cents: gains[cents], default=None)
    if best is None or gains[best] <= 0:
        return None
    wagers = [stake for stake in table.stakes if not stake.is_fee]
    small = sum(stake.count for stake in wagers if stake.rises_to(best))
    whole = sum(stake.count for stake in wagers)
    return Proposal(
        "raise",
        table.code,
        f"Raise {table.code} to {money(best)}",
        f"{_seats(table)}. "
        f"{small} of {whole} wagers were under {money(best)}. Now {about(table.win_an_hour)} an hour is "
        "expected.",
        "Assumes that one in four of those wagers stays away, and the others rise to the minimum.",
        gain_cents=round(gains[best]),
        min_cents=best,
    )


def _gain_of_minimum(stakes: Iterable[Staked], min_cents: int) -> Fraction:
    """What a higher minimum adds to the expected win of the observed time."""
    return sum(
        (
            stake.count * stake.advantage * (STAY_AT_HIGHER_MINIMUM * min_cents - stake.cents)
            for stake in stakes
            if stake.rises_to(min_cents)
        ),
        Fraction(0),
    )


def _lower_minimums(tables: Sequence[TableHour]) -> Iterable[Proposal]:
    """A nearly empty table beside a full one of its game with a lower minimum."""
    for table in tables:
        if not table.is_known or table.has_pending_limits or table.occupancy > NEARLY_EMPTY:
            continue
        cheaper_tables = [
            candidate
            for candidate in tables
            if candidate.is_known
            and candidate.game == table.game
            and candidate.min_cents < table.min_cents
            and candidate.occupancy >= FULL
        ]
        if cheaper_tables:
            full_table = max(cheaper_tables, key=lambda candidate: candidate.min_cents)
            yield Proposal(
                "lower",
                table.code,
                f"Lower {table.code} to {money(full_table.min_cents)}",
                f"{_seats(table)} at {money(table.min_cents)}; {full_table.code} beside it has "
                f"{percent(full_table.occupancy, 0)} at {money(full_table.min_cents)}.",
                "Nobody counts who walks by, so no gain is stated.",
                min_cents=full_table.min_cents,
            )


def _tables_to_open(tables: Sequence[TableHour], free_dealers: dict[str, list[str]]) -> Iterable[Proposal]:
    """The first closed table of each game that is ready, if every open table of the game is full."""
    for game in sorted({table.game for table in tables}):
        opened = [table for table in tables if table.game == game and table.is_open]
        ready = [table for table in tables if table.game == game and table.is_ready]
        if not (opened and ready and all(table.is_known and table.occupancy >= ALL_FULL for table in opened)):
            continue
        table, dealers = ready[0], free_dealers.get(game, [])
        if not dealers:
            continue
        win_an_hour = sum((open_table.win_an_hour for open_table in opened), Fraction(0))
        occupied_seats = sum((open_table.occupancy * open_table.seats for open_table in opened), Fraction(0))
        occupied = ", ".join(f"{open_table.code} {percent(open_table.occupancy, 0)}" for open_table in opened)
        gain = win_an_hour / occupied_seats * table.seats * SEATS_OF_NEW_TABLE
        yield Proposal(
            "open",
            table.code,
            f"Open {table.code}",
            f"Every open table of its game is full: {occupied}. "
            f"{' and '.join(dealers[:2])} {'is' if len(dealers) == 1 else 'are'} free. {table.lot} is in its shaker.",
            "Assumes that half of its seats fill and wager as the others do. It needs its inspection first.",
            gain_cents=round(gain),
        )


def _tables_to_close(tables: Sequence[TableHour]) -> Iterable[Proposal]:
    """A table whose players fit another one of its game at the same or a lower minimum."""
    for table in tables:
        if not table.is_known or table.occupancy > HALF_EMPTY or not table.dealers:
            continue
        players = table.occupancy * table.seats
        tables_with_room = [
            candidate
            for candidate in tables
            if candidate is not table
            and candidate.is_known
            and candidate.game == table.game
            and candidate.min_cents <= table.min_cents
            and candidate.occupancy < FULL
            and candidate.seats * (1 - candidate.occupancy) >= players
            and (candidate.occupancy, candidate.code) > (table.occupancy, table.code)
        ]
        if tables_with_room:
            fullest = max(tables_with_room, key=lambda candidate: candidate.occupancy)
            loss = table.win_an_hour * (1 - MOVE_FROM_CLOSED_TABLE)
            yield Proposal(
                "close",
                table.code,
                f"Close {table.code}",
                f"{_seats(table)}; {fullest.code} has room{' for them' if players else ''} at "
                f"{money(fullest.min_cents)}. Closing it frees {' and '.join(table.dealers)}.",
                ("Assumes that three in four players move. " if players else "")
                + "It saves a dealer, which is not in the amount.",
                gain_cents=-round(loss),
            )


def _quicken(table: TableHour) -> Proposal | None:
    """A table that was dealt for half an hour well below the target of its game, with more than half of its seats."""
    pace = table.an_hour(Fraction(table.rounds))
    is_dealt = table.is_open and table.rounds > 0 and table.minutes >= IDLE_MINUTES
    if not is_dealt or table.occupancy <= HALF_EMPTY or not is_slow(pace, table.target_pace):
        return None
    assert table.target_pace is not None
    gain = table.win_an_hour * (table.target_pace / pace - 1)
    return Proposal(
        "pace",
        table.code,
        f"Quicken {table.code}",
        f"{round(pace)} settled rounds an hour in {table.minutes} min, the casino's target is {table.target_pace}. "
        f"{percent(table.occupancy, 0)} of its seats wagered. "
        f"{' and '.join(table.dealers) or 'Nobody'} {'deal' if len(table.dealers) > 1 else 'deals'} there now.",
        "Assumes as many wagers in each further round. Payments to many seats take time, so look at the table first.",
        gain_cents=round(gain),
    )


def _breaks(table: TableHour, now: dt.datetime) -> Iterable[Proposal]:
    """A break that is due, or will be within the hour."""
    if table.is_open and table.break_due is not None and table.break_due <= now + SOON:
        late = table.break_due <= now
        yield Proposal(
            "break",
            table.code,
            f"Relieve {' and '.join(table.dealers) or 'the dealer'} at {table.code}",
            ("The break was due" if late else "The break is due")
            + f" {_minutes(abs(table.break_due - now))} {'ago' if late else 'from now'}. "
            + (table.planned or _free_relief(table)),
            "A house rule, not law.",
            due_at=table.break_due,
        )


def _free_relief(table: TableHour) -> str:
    return f"{table.relief} rested longest." if table.relief else "Nobody else on duty is free for it."


def _dice(table: TableHour, now: dt.datetime) -> Iterable[Proposal]:
    """Dice that reach their time within the hour."""
    if table.is_open and table.dice_until is not None and table.dice_until <= now + SOON:
        over = table.dice_until <= now
        yield Proposal(
            "dice",
            table.code,
            f"Change the dice at {table.code}",
            f"{table.lot} "
            + ("is past its time" if over else f"reaches its time in {_minutes(table.dice_until - now)}")
            + "; no round begins with it after that.",
            "",
            due_at=table.dice_until,
        )


def _fills(table: TableHour, now: dt.datetime) -> Iterable[Proposal]:
    """A tray that has half of its par, or will within the hour as the last one went, and chips to order for it."""
    tray = table.tray
    if not table.is_open or tray is None or not tray.order:
        return
    is_known = table.minutes >= IDLE_MINUTES  # the chips sold in the first minutes say nothing of an hour
    outflow = table.an_hour(Fraction(tray.outflow_cents)) if is_known else Fraction(0)
    wait = dt.timedelta(0)
    if tray.spare_cents > 0:
        if outflow < tray.spare_cents:  # more than an hour, or never
            return
        wait = dt.timedelta(minutes=int(60 * tray.spare_cents / outflow))
    coming = f", {money(tray.coming_cents)} is under way" if tray.coming_cents else ""
    flow = f"{about(outflow)} an hour left it by play and sales" if outflow > 0 else ""
    until = f", so that it has half in {_minutes(wait)}" if wait else ""
    yield Proposal(
        "fill",
        table.code,
        f"Order a fill for {table.code}: {money(tray.order_cents)}",
        f"Its tray has {money(tray.now_cents)} of a par of {money(tray.par_cents)}{coming}. "
        f"{flow}{until}{'. ' if flow else ''}To order, toward the par: {tray.order}.",
        ("Assumes an hour like the last one. " if wait else "")
        + "What moved without its denominations being known is spread over the "
        "chips as the par is.",
        due_at=now + wait,
    )


def _seats(table: TableHour) -> str:
    if not table.seat_rounds:
        return f"No settled round had a wager in {table.minutes} min"
    return f"{percent(table.occupancy, 0)} of its seats wagered in {table.minutes} min, {table.rounds} rounds"


def _minutes(time: dt.timedelta) -> str:
    return f"{int(time.total_seconds() // 60)} min"
