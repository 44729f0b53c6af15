"""What the proposals are made of: the last hour of each live table, from the tables of play."""

import datetime as dt
from collections import Counter, defaultdict
from dataclasses import replace

from django.db.models import Count, Exists, F, OuterRef, QuerySet, Sum

from games import submissions
from games.engine.odds import in_dollars
from games.exposure import advantages, advantages_with_fee
from games.layout_drawing import listed
from games.models import Facility, RulesSubmission
from games.registry import game_of, registered_fees
from tables.advice.proposals import HOUR, Staked, TableHour, TrayHour
from tables.core import posts
from tables.models import ChipSale, ChipTransfer, DiceLot, LimitsChange, PlannedMove, Round, Table, Wager
from tables.money.chips import ChipCounts, value_cents
from tables.money.inventories import TrayFacts, trays_of
from tables.opening.open_time import open_times
from tables.staffing.relief import DealerOnDuty, dealers_on_duty, posts_in_relief

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
