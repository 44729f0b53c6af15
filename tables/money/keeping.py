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
from tables.models import Table
from tables.money.entry_types import CHIPS_DECLARED, KEEPING_CHANGED
from tables.money.refusals import CHIPS_ARE_IN_TRAYS
from tables.runner.facility import SETUP


@transaction.atomic
def change_keeping(facility: Facility, keeps: bool, by: Person | None = None) -> bool:
    """Begin or end to keep the inventory of the tables of a facility, with an entry. Returns whether it changed.

    `by` answers for the choice; nobody does where the server seeds a demo.
    """
    stream = record.lock_stream(f"{facility.code}/{SETUP}")
    rows = Facility.objects.filter(pk=facility.pk)
    if rows.get().keeps_inventory == keeps:
        return False
    rows.update(keeps_inventory=keeps)
    facility.keeps_inventory = keeps
    _append(stream, facility, KEEPING_CHANGED({"keeps": keeps}), by)
    return True


@transaction.atomic
def change_chips(facility: Facility, chips_cents: Iterable[int], by: Person | None = None) -> bool:
    """Declare which chips a facility has, with an entry. Returns whether it changed.

    `chips_cents` are values of `KNOWN_CHIPS_CENTS`, in any order. `by`: as for `change_keeping`. Raises
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
    _append(stream, facility, entry, by)
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


def _append(stream: Stream, facility: Facility, entry: EntryBody, by: Person | None) -> None:
    moment = clock.never_before(stream, clock.now())
    record.append(stream, entry=entry, moment=moment, gaming_day=facility.gaming_day(moment), actor=by)
