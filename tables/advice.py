"""What to change on the floor in the next hour, from what was wagered in the last one. Nothing acts on a proposal.

The rules are pure, over figures (`proposals`). Each proposal says what it would change, the expected win that it gains
or costs in an hour, its facts, and what it assumes. The expected win of a wager is its stake times its exact house
advantage. How players would react is an assumption, and the proposal says so.

The figures are the last hour of each live table, from the tables of play (`table_hours`).
"""

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from django.db.models import Count, Exists, F, OuterRef, QuerySet, Sum

from games import submissions
from games.drawing import listed
from games.engine.odds import in_dollars
from games.exposure import advantages, advantages_with_fee
from games.formats import about, money, percent
from games.models import Facility, RulesSubmission
from games.registry import game_of, registered_fees
from tables.core import posts
from tables.core.figure_sums import is_slow
from tables.models import ChipSale, ChipTransfer, DiceLot, LimitsChange, PlannedMove, Round, Table, Wager
from tables.money.chips import ChipCounts, value_cents
from tables.money.inventories import TrayFacts, trays_of
from tables.opening.open_time import open_times
from tables.staffing.roster import DealerOnDuty, dealers_on_duty, posts_in_relief

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
    """A live table and its last hour. In `minutes` of it the table was open and staffed (tables.core.figure_sums).

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


# The last hour of each live table


MINUTE = dt.timedelta(minutes=1)


def table_hours(facility: Facility, now: dt.datetime) -> list[TableHour]:
    """Return the live tables of a facility with their last hour, in a fixed number of queries but for reliefs."""
    people = ("dealer", "dealer_left", "stickperson")
    tables = list(_live_tables(facility).select_related("facility", "stream", *people))
    played = _played(tables, now)
    rounds = Counter(played.order_by().values_list("table", flat=True))
    wagers = Wager.objects.filter(round__in=played.values("pk"), struck=False).order_by()
    stakes, seat_rounds = _stakes(wagers), _seat_rounds(wagers)
    lots = {lot.shaker.table_id: lot for lot in _lots(tables) if lot.shaker is not None}
    changes = LimitsChange.objects.filter(table__in=tables, status=LimitsChange.Status.PENDING)
    pending = set(changes.values_list("table", flat=True))
    opened = [table for table in tables if rounds[table.pk] or table.status == Table.Status.OPEN]
    times = open_times(opened, now - HOUR, now)
    trays, playing = _trays(opened, now), _tables_with_wagers(opened)
    hours = []
    for table in tables:
        lot = lots.get(table.pk)
        relieved = posts_in_relief(table, now)
        due = [post.break_due for post in relieved if post.break_due is not None and post.person is not None]
        is_open = table.status == Table.Status.OPEN
        in_time = lot is not None and lot.expires_at is not None and lot.expires_at > now
        hours.append(
            TableHour(
                code=table.code,
                game=table.game,
                min_cents=table.min_cents,
                max_cents=table.max_cents,
                seats=table.seats,
                is_open=is_open,
                rounds=rounds[table.pk],
                minutes=times[table.pk].between(now - HOUR, now) // MINUTE if table.pk in times else 0,
                seat_rounds=seat_rounds.get(table.pk, 0),
                stakes=tuple(stakes.get(table.pk, ())),
                has_pending_limits=table.pk in pending,
                dealers=tuple(post.person.short_name for post in relieved if post.person is not None),
                break_due=min(due) if due else None,
                lot=lot.code if lot else "",
                dice_until=lot.expires_at if lot else None,
                is_ready=table.status == Table.Status.CLOSED and in_time,
                has_wagers_now=table.pk in playing,
                tray=trays.get(table.pk),
                target_pace=facility.target_paces.get(table.game),
            )
        )
    reliefs, planned = _reliefs(tables, hours, now), _planned(facility)
    return [
        replace(hour, relief=reliefs.get(hour.code, ""), planned=planned.get(hour.code, "")) for hour in hours
    ]


def seats_of_last_hour(facility: Facility, now: dt.datetime) -> list[TableHour]:
    """Return the live tables with the rounds and the seats of their last hour alone, in three queries."""
    tables = list(_live_tables(facility).select_related("facility"))
    played = _played(tables, now)
    rounds = Counter(played.order_by().values_list("table", flat=True))
    seat_rounds = _seat_rounds(Wager.objects.filter(round__in=played.values("pk"), struck=False).order_by())
    return [
        TableHour(
            code=table.code,
            game=table.game,
            min_cents=table.min_cents,
            max_cents=table.max_cents,
            seats=table.seats,
            is_open=table.status == Table.Status.OPEN,
            rounds=rounds[table.pk],
            seat_rounds=seat_rounds.get(table.pk, 0),
        )
        for table in tables
    ]


def free_dealers(facility: Facility, tables: list[TableHour], now: dt.datetime) -> dict[str, list[str]]:
    """Return the dealers on duty who are free for a closed table of each game, by name, the longest rested first."""
    names = {}
    for game in {table.game for table in tables if table.is_ready}:
        code = next(table.code for table in tables if table.game == game and table.is_ready)
        table = Table.objects.select_related("facility").get(facility=facility, code=code)
        free = [dealer.person.short_name for dealer in _free(table, now)]
        names[game] = free if len(free) >= len(posts.posts_of(table)) else []
    return names


def _live_tables(facility: Facility) -> QuerySet[Table]:
    live = Table.objects.filter(facility=facility, kind=Table.Kind.LIVE, stream__closed_at=None)
    return live.order_by("code")


def _free(table: Table, now: dt.datetime) -> list[DealerOnDuty]:
    """The dealers who may come to this table and are not planned for another one."""
    dealers = dealers_on_duty(table, now)
    return [dealer for dealer in dealers if not dealer.obstacle and dealer.planned in ("", table.code)]


def _planned(facility: Facility) -> dict[str, str]:
    """Who is planned for each table, and when, in words: `N. Lindt is planned for 21:42`. The first move counts."""
    words: dict[str, str] = {}
    for move in PlannedMove.objects.open_moves(facility).select_related("person", "table"):
        time = facility.local(move.planned_for).strftime("%H:%M")
        words.setdefault(move.table.code, f"{move.person.short_name} is planned for {time}.")
    return words


def _reliefs(tables: list[Table], hours: list[TableHour], now: dt.datetime) -> dict[str, str]:
    """Who could relieve each open table with a break due within the hour, each person once, the first due first."""
    due = [
        (hour.break_due, table)
        for table, hour in zip(tables, hours, strict=True)
        if hour.is_open and hour.break_due is not None and hour.break_due <= now + HOUR
    ]
    reliefs: dict[str, str] = {}
    for _due_at, table in sorted(due, key=lambda pair: (pair[0], pair[1].code)):
        names = [dealer.person.short_name for dealer in _free(table, now)]
        reliefs[table.code] = next((name for name in names if name not in reliefs.values()), "")
    return reliefs


def _tables_with_wagers(tables: list[Table]) -> set[int]:
    """The tables that have a wager in a round that goes on."""
    wagers = Wager.objects.filter(round__table__in=tables, round__ended_at=None, struck=False)
    return set(wagers.order_by().values_list("round__table", flat=True))


def _trays(tables: list[Table], now: dt.datetime) -> dict[int, TrayHour]:
    """The trays of these tables that have a par, with what flowed out of them in the last hour.

    Every round that ended counts: in a void one, too, what was settled before is in the tray.
    """
    facts = {pk: tray for pk, tray in trays_of(tables).items() if tray.par}
    if not facts:
        return {}
    days = _gaming_days(tables, now)
    sold = ChipSale.objects.filter(table__in=facts, gaming_day__in=days, sold_at__gte=now - HOUR).order_by()
    ended = Round.objects.filter(table__in=facts, gaming_day__in=days, ended_at__gte=now - HOUR).order_by()
    won = ended.values_list("table").annotate(cents=Sum(F("taken_cents") - F("paid_cents")))
    outflow: Counter[int] = Counter(dict(sold.values_list("table").annotate(cents=Sum("cents"))))
    outflow.subtract(dict(won))
    return {pk: _tray_hour(tray, outflow[pk]) for pk, tray in facts.items()}


def _tray_hour(tray: TrayFacts, outflow_cents: int) -> TrayHour:
    fill = tray.proposal.fill if tray.proposal else {}
    signs = {ChipTransfer.Kind.FILL: 1, ChipTransfer.Kind.CREDIT: -1}
    return TrayHour(
        now_cents=tray.tray.cents,
        par_cents=value_cents(tray.par),
        outflow_cents=outflow_cents,
        coming_cents=sum(
            signs[ChipTransfer.Kind(transfer.kind)] * transfer.cents
            for transfer in tray.under_way
            if transfer.kind == ChipTransfer.Kind.FILL or transfer.handed_at is None
        ),
        order=_in_words(fill),
        order_cents=value_cents(fill),
    )


def _in_words(chips: ChipCounts) -> str:
    """`50 of $25 and 100 of $5`, the highest first."""
    highest_first = sorted(chips, key=int, reverse=True)
    return listed([f"{chips[chip]} of {in_dollars(int(chip))}" for chip in highest_first])


def _played(tables: list[Table], now: dt.datetime) -> QuerySet[Round]:
    """The settled rounds of the last hour."""
    days = _gaming_days(tables, now)
    ended = Round.objects.filter(phase="cleared", ended_at__gte=now - HOUR)
    return ended.filter(table__in=[table.pk for table in tables], gaming_day__in=days)


def _gaming_days(tables: list[Table], now: dt.datetime) -> set[dt.date]:
    """The gaming days of the last hour at the facility of these tables."""
    return {table.facility.gaming_day(moment) for table in tables[:1] for moment in (now - HOUR, now)}


def _stakes(wagers: QuerySet[Wager]) -> dict[int, list[Staked]]:
    """The wagers and fees by table, code and size. A seat's fee changes the odds of its other wagers."""
    fees = {fee.code for fee in registered_fees()}
    of_seat = Wager.objects.filter(round=OuterRef("round"), seat=OuterRef("seat"), struck=False)
    sizes = wagers.annotate(has_fee=Exists(of_seat.filter(code__in=fees)))
    columns = "round__table", "round__submission", "code", "cents", "has_fee"
    rows = list(sizes.values_list(*columns).annotate(count=Count("pk")))
    submission_ids = {row[1] for row in rows}
    rules_by_submission = {
        row.pk: submissions.rules_of(row) for row in RulesSubmission.objects.filter(pk__in=submission_ids)
    }
    staked: dict[int, list[Staked]] = defaultdict(list)
    for table, submission, code, cents, has_fee, count in rows:
        rules = rules_by_submission[submission]
        advantage = (advantages_with_fee if has_fee else advantages)(rules).get(code)
        if advantage is not None:
            is_limited = game_of(rules).is_limited(code)
            staked[table].append(Staked(cents, count, advantage, is_fee=code in fees, is_limited=is_limited))
    return staked


def _seat_rounds(wagers: QuerySet[Wager]) -> dict[int, int]:
    """How many seats had a wager, over the rounds of each table."""
    counts: dict[int, int] = defaultdict(int)
    for row in wagers.values("round__table", "round").annotate(count=Count("seat", distinct=True)):
        counts[row["round__table"]] += row["count"]
    return counts


def _lots(tables: list[Table]) -> list[DiceLot]:
    """The dice in the shakers of these tables."""
    placed = DiceLot.objects.filter(status=DiceLot.Status.PLACED, shaker__table__in=tables)
    return list(placed.select_related("shaker"))
