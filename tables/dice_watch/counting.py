"""Count the dice of ended rounds, by lot and by shaker, weigh the evidence against fair dice, and raise its alerts.

The ticker counts the rounds that ended since it last counted, each table in a transaction of its own (`count_dice`).
A throw counts in its newest revision; a void throw does not. Dice that the machine of a training table drew are none.
After each round the evidence is weighed (`games.dice_watch`). A lot or a shaker whose throws speak against fair dice
is a finding: an alert while it is in use, and a case (`tables.cases.kinds`). Nothing happens by itself.

No entry states the counts. They are made again from the throws, which are compared with their entries.
"""

import datetime as dt
import logging
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet

from audit.columns import declare
from audit.logs import OutageLog
from games.dice_watch import FALSE_ALARMS_A_YEAR, DiceTally, is_finding, log_evidence
from games.registry import game_by_code
from tables.core.alerts import AlertKind, AlertRule, ExpectedAlert, Level, alert_kind, alert_rule
from tables.models import (
    Case,
    DiceCursor,
    DiceLot,
    HourOfDice,
    Round,
    Shaker,
    Table,
    Throw,
    TickerStatus,
    WatchedDice,
)
from tables.models.dice import CountedDice

# Count the rounds that ended


COUNTED_KINDS = tuple(WatchedDice.Kind.values)
BATCH = 500  # rounds of a table that are counted in one transaction
ATTEMPTS = 5


class EndedRound(NamedTuple):
    """An ended round."""

    pk: int
    number: int
    gaming_day: dt.date
    ended_at: dt.datetime


class RoundDice(NamedTuple):
    """What one round threw with one lot."""

    lot: DiceLot
    shaker: Shaker
    tally: DiceTally


log = logging.getLogger(__name__)
MOST_ROUNDS = 2000  # of one run, so that the other checks of the ticker do not wait
_outages: dict[int, OutageLog] = {}


def count_dice() -> list[int]:
    """Count the dice of ended rounds at live and simulated tables, each table in a transaction of its own.

    No screen shows the counts, so no table changed. A table that fails is logged, and does not stop the others.
    """
    remaining = MOST_ROUNDS
    for table in uncounted_tables():
        if remaining <= 0:
            break
        outage = _outages.setdefault(
            table.pk,
            OutageLog(log, f"The dice watch of {table.stream.name}", "It is tried again.", traceback=True),
        )
        try:
            with transaction.atomic(durable=True):
                remaining -= count_table(table)
        except Exception as error:
            outage.failed(error)
        else:
            outage.worked()
    return []


def uncounted_tables() -> QuerySet[Table]:
    """The tables with ended rounds that are not counted, those with the fewest counted rounds first."""
    ended = Round.objects.filter(table=OuterRef("pk"), ended_at__isnull=False)
    tables = Table.objects.filter(kind__in=COUNTED_KINDS, last_round__gt=0)
    uncounted = Q(Exists(ended.filter(number__gt=OuterRef("dice_cursor__last_round")))) | Q(
        Exists(ended), dice_cursor=None
    )
    return (
        tables.filter(uncounted)
        .select_related("facility", "stream")
        .order_by(F("dice_cursor__last_round").asc(nulls_first=True), "pk")
    )


def count_table(table: Table) -> int:
    """Count the next rounds of a table that ended, at most `BATCH`, and return how many were counted.

    The caller is in a transaction.
    """
    DiceCursor.objects.get_or_create(table=table)
    cursor = DiceCursor.objects.select_for_update(of=("self",)).get(table=table)
    rounds = ended_rounds(table, cursor.last_round)
    if not rounds:
        return 0
    dice_of = dice_of_rounds(table, [round_.pk for round_ in rounds])
    Counter(table).count(rounds, dice_of)
    cursor.last_round = rounds[-1].number
    cursor.save(update_fields=["last_round"])
    return len(rounds)


def ended_rounds(table: Table, after: int, most: int = BATCH) -> list[EndedRound]:
    """Return the rounds after this number that ended, in order. Only the newest round of a table may be live."""
    rows = Round.objects.filter(table=table, number__gt=after, ended_at__isnull=False).order_by("number")
    values = rows.values_list("pk", "number", "gaming_day", "ended_at")[:most]
    return [EndedRound(pk, number, day, ended_at) for pk, number, day, ended_at in values if ended_at]


def dice_of_rounds(table: Table, rounds: Iterable[int]) -> dict[int, list[RoundDice]]:
    """Return what each of these rounds threw, by its id and by lot."""
    colors = game_by_code(table.game).die_colors
    throws = Throw.objects.filter(round__in=list(rounds)).select_related("lot", "shaker")
    newest = {(throw.round_id, throw.number): throw for throw in throws.order_by("number", "revision")}
    counted: dict[int, dict[int, RoundDice]] = {}
    for throw in newest.values():
        if throw.void_reason or not throw.dice or throw.lot is None or throw.shaker is None:
            continue
        lots = counted.setdefault(throw.round_id, {})
        dice = lots.setdefault(throw.lot.pk, RoundDice(throw.lot, throw.shaker, DiceTally()))
        dice.tally.add_throw(throw.dice, len(colors) or throw.lot.dice, colors)
    return {pk: list(lots.values()) for pk, lots in counted.items()}


class Counter:
    """Adds rounds to the hours and to the watched lots and shakers of one table."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.hours: dict[tuple[int, int, dt.date, dt.datetime], HourOfDice] = {}
        self.watched: dict[tuple[str, int, int], WatchedDice] = {}

    def count(self, rounds: Sequence[EndedRound], dice_of: dict[int, list[RoundDice]]) -> None:
        """Add these rounds in order, and save what changed."""
        for round_ in rounds:
            for dice in dice_of.get(round_.pk, ()):
                add_round(self.hour(round_, dice), round_.number, dice.tally)
                for watched in (self.watched_lot(round_, dice), self.watched_shaker(round_, dice)):
                    weigh(watched, round_, dice)
        for row in (*self.hours.values(), *self.watched.values()):
            row.save()

    def hour(self, round_: EndedRound, dice: RoundDice) -> HourOfDice:
        """Return the row of the hour in which the round ended."""
        hour = round_.ended_at.astimezone(dt.UTC).replace(minute=0, second=0, microsecond=0)
        key = (dice.lot.pk, dice.shaker.pk, round_.gaming_day, hour)
        if key not in self.hours:
            values = {
                "lot": dice.lot,
                "shaker": dice.shaker,
                "table": self.table,
                "gaming_day": round_.gaming_day,
                "hour": hour,
            }
            self.hours[key] = HourOfDice.objects.filter(**values).first() or HourOfDice(**values)
        return self.hours[key]

    def watched_lot(self, round_: EndedRound, dice: RoundDice) -> WatchedDice:
        """Return the row of the lot."""
        key = ("lot", dice.lot.pk, 0)
        if key not in self.watched:
            row = WatchedDice.objects.filter(lot=dice.lot).first()
            self.watched[key] = row or self._begin(round_, dice, dice.lot)
        return self.watched[key]

    def watched_shaker(self, round_: EndedRound, dice: RoundDice) -> WatchedDice:
        """Return the row of the shaker in the year of the round."""
        key = ("shaker", dice.shaker.pk, round_.gaming_day.year)
        if key not in self.watched:
            rows = WatchedDice.objects.filter(lot=None, shaker=dice.shaker, year=round_.gaming_day.year)
            self.watched[key] = rows.first() or self._begin(round_, dice, None)
        return self.watched[key]

    def _begin(self, round_: EndedRound, dice: RoundDice, lot: DiceLot | None) -> WatchedDice:
        """Give a lot or shaker the next place of the year. Another ticker may take the same one first."""
        group = {
            "facility": self.table.facility,
            "kind": self.table.kind,
            "year": round_.gaming_day.year,
        }
        for attempt in range(ATTEMPTS):
            last = WatchedDice.objects.filter(**group).aggregate(last=Max("place"))["last"] or 0
            try:
                with transaction.atomic():
                    return WatchedDice.objects.create(
                        **group,
                        place=last + 1,
                        lot=lot,
                        shaker=dice.shaker,
                        table=self.table,
                        first_at=round_.ended_at,
                        last_at=round_.ended_at,
                    )
            except IntegrityError:
                if attempt == ATTEMPTS - 1:
                    raise
        raise AssertionError


def add_round(row: CountedDice, number: int, tally: DiceTally) -> DiceTally:
    """Add what a round threw to a row, and return the new tally of the row."""
    counts = row.tally
    counts.add(tally)
    row.rounds += 1
    row.throws, row.faces, row.totals = counts.throws, counts.faces, counts.totals
    row.first_round, row.last_round = row.first_round or number, number
    return counts


def weigh(watched: WatchedDice, round_: EndedRound, dice: RoundDice) -> None:
    """Add a round to a lot or shaker, and compare the evidence with its alarm line."""
    counts = add_round(watched, round_.number, dice.tally)
    watched.last_at, watched.shaker = round_.ended_at, dice.shaker
    watched.log_evidence = log_evidence(counts)
    watched.highest = max(watched.highest, watched.log_evidence)
    if watched.found_at is None and is_finding(watched.log_evidence, watched.place):
        watched.found_at, watched.found_round = round_.ended_at, round_.number
        watched.found_rounds, watched.found_log_evidence = watched.rounds, watched.log_evidence


# Evidence in words


LARGE = 10_000_000
MILLION, TRILLION = 10**6, 10**12


def evidence_words(log: float) -> str:
    """Return evidence as people read it: "0.09", "4.2", "1,240"; beyond ten millions as a power of ten."""
    if log >= math.log(LARGE):
        return f"10^{math.floor(log / math.log(10))}"
    evidence = math.exp(log)
    if evidence >= 100:
        return f"{math.floor(evidence):,}"
    if evidence >= 0.01:
        return f"{evidence:.2g}" if evidence < 1 else f"{evidence:.1f}"
    return "under 0.01"


def years_words() -> str:
    """Return how often a floor of fair dice raises an alarm: "20 years"."""
    years = 1 / FALSE_ALARMS_A_YEAR
    return f"{math.floor(years)} years"


def rarity_words(chance: float) -> str:
    """Return how often something of this chance happens: "one look of 84 million", "one look of 12"."""
    if chance <= 0 or (looks := 1 / chance) >= TRILLION:
        return "one look of more than a trillion"
    if looks >= MILLION:
        return f"one look of {looks / MILLION:,.0f} million"
    return f"one look of {max(1, round(looks)):,}"


def sigma_words(deviation: float) -> str:
    """Return a deviation in standard deviations with its sign: "−0.4"."""
    return f"{'−' if deviation < -0.05 else '+' if deviation > 0.05 else ''}{abs(deviation):.1f}"


def range_words(first: int, last: int) -> str:
    """Return the numbers of rounds: "round 7", "rounds 1 to 1,240"."""
    return f"round {first:,}" if first == last else f"rounds {first:,} to {last:,}"


# Alerts about a finding


FINDING_TICKS = 30
CASE_KIND = "dice"


def describe_lot(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the title and the text of the alert about a lot."""
    return (
        f"Dice watch: look at lot {params['lot']}",
        f"Shaker {params['shaker']}, {_evidence(params)} Withdraw the lot and have it inspected, or decide its case.",
    )


def describe_shaker(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the title and the text of the alert about a shaker."""
    return (
        f"Dice watch: look at shaker {params['shaker']}",
        f"All its lots of the year, {_evidence(params)} Withdraw the dice, and have shaker and dice inspected.",
    )


def _evidence(params: Mapping[str, Any]) -> str:
    rounds = range_words(params["first_round"], params["round"])
    return f"{rounds}: the evidence against fair dice is {params['evidence']}, the alarm line is {params['alarm']:,}."


UNFAIR_LOT = alert_kind(
    AlertKind(
        "dice-watch",
        "dice-watch:lot:{lot}",
        Level.WARN,
        "Dice watch",
        "Dice watch",
        describe=describe_lot,
        at_the_pit=True,
    )
)
UNFAIR_SHAKER = alert_kind(
    AlertKind(
        "dice-watch",
        "dice-watch:shaker:{shaker}",
        Level.WARN,
        "Dice watch",
        "Dice watch",
        describe=describe_shaker,
        at_the_pit=True,
    )
)


def subject_of(watched: WatchedDice) -> str:
    """Return the subject of the case about a finding."""
    if watched.lot is not None:
        return f"lot:{watched.lot.code}"
    return f"shaker:{watched.shaker.code}:{watched.year}"


def findings(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return an alert for each finding whose dice or shaker are still in use at a live table.

    It ends when the lot leaves the shaker, or the shaker its table, or when the case about it is closed.
    """
    rows = WatchedDice.objects.filter(found_at__isnull=False, kind=WatchedDice.Kind.LIVE)
    in_use = [
        row
        for row in rows.select_related("lot", "shaker__table", "facility")
        if _table_id(row) is not None and table_id in (None, _table_id(row))
    ]
    if not in_use:
        return []
    closed = Case.objects.filter(kind=CASE_KIND, status=Case.Status.CLOSED)
    decided = set(closed.values_list("facility_id", "subject"))
    return [_alert(row) for row in in_use if (row.facility_id, subject_of(row)) not in decided]


def _table_id(row: WatchedDice) -> int | None:
    """Return the id of the live table where the lot or the shaker is in use now."""
    shaker = row.shaker
    if shaker.out_of_order or shaker.table is None or shaker.table.kind != Table.Kind.LIVE:
        return None
    if row.lot is not None and (row.lot.status != DiceLot.Status.PLACED or row.lot.shaker_id != shaker.pk):
        return None
    return shaker.table.pk


def _alert(row: WatchedDice) -> ExpectedAlert:
    table_id = _table_id(row)
    assert table_id is not None and row.found_log_evidence is not None and row.found_round is not None
    kind = UNFAIR_LOT if row.lot is not None else UNFAIR_SHAKER
    return kind.expected(
        table_id,
        section=row.facility.law.section("guide.device"),
        since=row.found_at,
        **({"lot": row.lot.code} if row.lot is not None else {}),
        shaker=row.shaker.code,
        first_round=row.first_round,
        round=row.found_round,
        evidence=evidence_words(row.found_log_evidence),
        alarm=row.alarm_line,
    )


alert_rule(AlertRule((UNFAIR_LOT, UNFAIR_SHAKER), findings, FINDING_TICKS))


# What is known of the columns


COUNTED = "counted from throws, which are compared; a count that was changed only changes what the watch says"


def of(names: str, about: str = COUNTED) -> dict[str, str]:
    """The same about each of these columns."""
    return dict.fromkeys(names.split(), about)


declare(
    HourOfDice,
    "hour of dice",
    unproven=of("rounds throws faces totals first_round last_round lot shaker table gaming_day hour"),
)
declare(
    WatchedDice,
    "watched dice",
    unproven=of(
        "rounds throws faces totals first_round last_round facility kind year place lot shaker table first_at "
        "last_at log_evidence highest found_at found_round found_rounds found_log_evidence"
    ),
)
declare(DiceCursor, "dice cursor", unproven=of("table last_round"))
declare(
    TickerStatus,
    "ticker's status",
    unproven=of("beat_at failing", "a service's last report, which is overwritten every few seconds"),
)
