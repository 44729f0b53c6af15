"""Whether a casino keeps the inventory of its tables. Each change of this choice is an entry: who, and since when."""

from django.db import transaction

from audit import clock, record
from audit.models import Person
from games.models import Facility
from tables.money.entry_types import KEEPING_CHANGED
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
    moment = clock.never_before(stream, clock.now())
    record.append(
        stream,
        entry=KEEPING_CHANGED({"keeps": keeps}),
        moment=moment,
        gaming_day=facility.gaming_day(moment),
        actor=by,
    )
    return True
