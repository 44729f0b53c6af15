"""Count the dice of ended rounds, by lot and by shaker, and weigh the evidence after each round.

A throw counts in its newest revision; a void throw does not. Dice that the machine of a training table drew are none.
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Max

from games.dice_watch import DiceTally, is_finding, log_evidence
from games.registry import game_by_code
from tables.models import DiceCursor, DiceLot, HourOfDice, Round, Shaker, Table, Throw, WatchedDice
from tables.models.dice_watch import CountedDice

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
