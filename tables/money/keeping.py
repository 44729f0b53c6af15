"""What a casino declares about its chips: whether it keeps the inventory of its tables, and which chips it has.

Each change is an entry: who, and since when.
"""

from collections.abc import Iterable
from typing import Any

from django.db import transaction

from audit import clock, record
from audit.entry_types import EntryBody
from audit.models import Person, Stream
from games.chips import KNOWN_CHIPS_CENTS
from games.engine import Refusal
from games.engine.odds import in_dollars
from games.models import Facility
from games.separation import policy
from tables.models import Table
from tables.money.entry_types import CHIPS_DECLARED, KEEPING_CHANGED
from tables.money.refusals import CHIPS_ARE_IN_TRAYS
from tables.runner.facility import SETUP

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
    _append(stream, facility, KEEPING_CHANGED({"keeps": keeps}), by, witness)
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
    entry = CHIPS_DECLARED({"chips_cents": list(chips), "before_cents": list(before)})
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
