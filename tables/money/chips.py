"""Chips of a casino: their denominations, and what it declares about them.

A count is {chip cents as text: number}, as JSON has only text keys; money is integer cents. A casino declares which
chips it has (`change_chips`), with half dollars or without, and whether it keeps the inventory of its tables in Pitside
(`change_keeping`). Each declaration is an entry: who, and since when. `manage.py declare_floor` makes it, and the row
`chips` of the policy says who answers for it. A stake that no chips make is refused by `tables.rounds.wagers`.

The pages of the tray and the cage draw counts as `Chips` and `ChipLine`. What is in a tray is `tables.money.tray`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from django.conf import settings
from django.db import transaction

from audit import clock, record
from audit.entry_types import EntryBody, entry_type
from audit.models import Person, Stream
from games.chips import DEFAULT_CHIPS_CENTS, KNOWN_CHIPS_CENTS, style_of
from games.engine import Refusal, RefusalCode
from games.engine.odds import in_dollars
from games.models import Facility
from games.separation import policy
from tables.models import Table
from tables.runner.facility import SETUP

CHIPS_ARE_IN_TRAYS = RefusalCode(
    "chips-are-in-trays",
    "Chips of %(chips)s may be in the trays of %(tables)s. Count the closers there, then declare the chips.",
    "Trays are open",
)
MORE_THAN_THE_HOUSE_HAS = RefusalCode(
    "more-than-the-house-has",
    "%(wagered)s at %(table)s is more than all chips of the casino (%(house)s). Check the amount.",
    "Check the amount",
)


# Counts by denomination


ChipCount = Annotated[dict[str, int], "number of chips by their value in cents, without zeros"]
ChipCounts = Mapping[str, int]  # number of chips by their value in cents as text
# Smallest first, as in a tray
DEFAULT_DENOMINATIONS = tuple(reversed(DEFAULT_CHIPS_CENTS))
KNOWN_DENOMINATIONS = tuple(reversed(KNOWN_CHIPS_CENTS))


def value_cents(chips: ChipCounts) -> int:
    """The value of a count."""
    return sum(int(chip) * number for chip, number in chips.items())


def differences(expected: ChipCounts, counted: ChipCounts) -> dict[str, int]:
    """What was counted less what was expected, by denomination, without those that agree."""
    both = ((str(chip), counted.get(str(chip), 0) - expected.get(str(chip), 0)) for chip in KNOWN_CHIPS_CENTS)
    return {chip: number for chip, number in both if number}


@dataclass(frozen=True)
class ChipLine:
    """So many chips of one denomination."""

    chip_cents: int
    count: int

    @property
    def style(self) -> str:
        """The last part of its style classes: `25`, or `half`."""
        return style_of(self.chip_cents)

    @property
    def face(self) -> str:
        """What is printed on it: dollars, or `½`."""
        return "½" if self.style == "half" else self.style

    @property
    def is_wide(self) -> bool:
        """Whether its number takes three digits or more."""
        return self.chip_cents > 9_999

    @property
    def cents(self) -> int:
        return self.chip_cents * self.count


@dataclass(frozen=True)
class Chips:
    """Chips of several denominations, with their number and their value."""

    lines: tuple[ChipLine, ...]

    @property
    def count(self) -> int:
        return sum(line.count for line in self.lines)

    @property
    def cents(self) -> int:
        return sum(line.cents for line in self.lines)


def count_of(chips: Mapping[str, int], chip_cents: int) -> int:
    """Return how many chips of a denomination a stored count has."""
    return int(chips.get(str(chip_cents), 0))


def denominations_of(facility: Facility, *counts: Mapping[str, int]) -> tuple[int, ...]:
    """Return the values of a facility's chips and of those in these counts, smallest first."""
    return tuple(sorted({*facility.chip_values, *(int(chip) for count in counts for chip in count)}))


def chips_of(chips: Mapping[str, int]) -> Chips:
    """Return a stored count, {chip cents as text: number}, smallest denomination first and without empty ones."""
    lines = (ChipLine(chip_cents, count_of(chips, chip_cents)) for chip_cents in KNOWN_DENOMINATIONS)
    return Chips(tuple(line for line in lines if line.count))


# What the casino declares


def chips_in_words(chips_cents: Iterable[int]) -> str:
    """`$1,000, $500, $0.50`."""
    return ", ".join(map(in_dollars, chips_cents))


@entry_type("inventory.keeping_changed")
def KEEPING_CHANGED(
    *, keeps: Annotated[bool, "whether tables open and close by counts of their chips from now on"]
) -> str:
    """The casino began or stopped keeping the inventory of its tables."""
    return (
        "The casino keeps the inventory of its tables from now on"
        if keeps
        else "The casino no longer keeps the inventory of its tables"
    )


@entry_type("chips.declared")
def CHIPS_DECLARED(
    *,
    chips_cents: Annotated[list[int], "values of the chips that the casino has from now on, largest first"],
    before_cents: Annotated[list[int], "those that it had before, largest first"],
) -> str:
    """The casino declared which chips it has, with half dollars or without. Stakes that they cannot pay are
    refused.
    """
    return f"Chips of the casino: {chips_in_words(chips_cents)}"


CHIPS = "chips"  # the row of the policy


@transaction.atomic
def change_keeping(
    facility: Facility, keeps: bool, by: Person | None = None, witness: Person | None = None
) -> bool:
    """Begin or end to keep the inventory of the tables of a facility, with an entry. Returns whether it changed.

    `by` and `witness` answer for the choice; nobody does where the server seeds a demo.
    """
    stream = record.lock_stream(f"{facility.code}/{SETUP}")
    rows = Facility.objects.filter(pk=facility.pk)
    if rows.get().keeps_inventory == keeps:
        return False
    rows.update(keeps_inventory=keeps)
    facility.keeps_inventory = keeps
    _append(stream, facility, KEEPING_CHANGED(keeps=keeps), by, witness)
    return True


@transaction.atomic
def change_chips(
    facility: Facility,
    chips_cents: Iterable[int],
    by: Person | None = None,
    witness: Person | None = None,
) -> bool:
    """Declare which chips a facility has, with an entry. Returns whether it changed.

    `chips_cents` are values of `KNOWN_CHIPS_CENTS`, in any order. `by`, `witness`: as for `change_keeping`. Raises
    `chips-are-in-trays` for chips that are left out while a tray is open that may hold them.
    """
    stream = record.lock_stream(f"{facility.code}/{SETUP}")
    rows = Facility.objects.filter(pk=facility.pk)
    before, chips = rows.get().chip_values, tuple(sorted(set(chips_cents), reverse=True))
    if before == chips:
        return False
    gone = sorted(set(before) - set(chips))
    open_tables = Table.objects.filter(facility=facility).exclude(tray_cents=None).order_by("code")
    if gone and open_tables.exists():
        tables = ", ".join(open_tables.values_list("code", flat=True))
        raise Refusal(CHIPS_ARE_IN_TRAYS, chips=", ".join(map(in_dollars, gone)), tables=tables)
    rows.update(chips_cents=list(chips))
    facility.chips_cents = list(chips)
    entry = CHIPS_DECLARED(chips_cents=list(chips), before_cents=list(before))
    _append(stream, facility, entry, by, witness)
    return True


def wrong_chips(declared: Any) -> str:
    """Return what is wrong with declared chips; "" for a list of known values, each once."""
    if declared == [] or not isinstance(declared, list) or any(type(chip) is not int for chip in declared):
        return "chips_cents must be a list of whole cents."
    unknown = [chip for chip in declared if chip not in KNOWN_CHIPS_CENTS]
    if unknown or len(set(declared)) != len(declared):
        known = ", ".join(map(str, KNOWN_CHIPS_CENTS))
        return f"chips_cents may have each of these values once: {known}."
    return ""


def who_may_not_declare(facility: Facility, by: Person | None, witness: Person | None) -> str:
    """Return who must answer for a declaration of chips, if these two may not by the row `chips`; "" if they may."""
    row = policy.row_of(facility.law, CHIPS)
    people = [person for person in (by, witness) if person is not None and person.facility == facility.code]
    if len(people) == 2 and policy.may_prepare(row, people[0]) and policy.may_sign(row, people[1]):
        return ""
    return f"{policy.in_words(row.prepare)}, and {policy.in_words(row.approve)}"


def _append(
    stream: Stream, facility: Facility, entry: EntryBody, by: Person | None, witness: Person | None
) -> None:
    moment = clock.never_before(stream, clock.now())
    gaming_day = facility.gaming_day(moment)
    record.append(stream, entry=entry, moment=moment, gaming_day=gaming_day, actor=by, witness=witness)


# What all of its chips can make


def verify_chips_exist(table: Table, wagered_cents: int) -> None:
    """Refuse wagers or payments of one table that come to more than all chips of the casino: a typing error.

    Nothing that chips of the casino can make is refused for its size: what was accepted is settled and paid
    (§ 521.7(c)). Raises `more-than-the-house-has`.
    """
    if wagered_cents > settings.HOUSE_CHIPS_CENTS:
        wagered, house = in_dollars(wagered_cents), in_dollars(settings.HOUSE_CHIPS_CENTS)
        raise Refusal(MORE_THAN_THE_HOUSE_HAS, table=table.code, wagered=wagered, house=house)
