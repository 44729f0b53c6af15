"""The chain of custody of a dice lot (docs/pit.md): what each step requires, wherever it is done.

The sections on receipt, storage and destruction depend on the jurisdiction; a facility attests to those chapters.
What the games' own chapters require of dice comes from the edition.
"""

import datetime as dt
from collections.abc import Iterable

from games.engine import Refusal
from games.models import Facility
from tables.dice.entry_types import LotData
from tables.dice.refusals import LOT_IS_ELSEWHERE, NO_SUCH_LOT
from tables.models import DiceLot, Shaker

Status = DiceLot.Status


def duty_section(facility: Facility, duty: str) -> str:
    """The section on a duty of dice custody in this facility's jurisdiction; empty for a facility's own practice."""
    return facility.law.section(f"custody.{duty}")


def locked_lot(facility: Facility, code: str) -> DiceLot:
    """Lock and return a lot of this facility, until the transaction ends. Raises `no-such-lot`."""
    lot = DiceLot.objects.select_for_update(of=("self",)).filter(facility=facility, code=code).first()
    if lot is None:
        raise Refusal(NO_SUCH_LOT, lot=code)
    return lot


def verify_status(lot: DiceLot, statuses: Iterable[str], section: str = "") -> None:
    """Raises `lot-is-elsewhere` unless the lot has one of these statuses."""
    if lot.status not in set(statuses):
        raise Refusal(LOT_IS_ELSEWHERE, section, lot=lot.code, status=str(lot.get_status_display()))


def locked_lot_in(shaker: Shaker) -> DiceLot | None:
    """Lock and return the dice in a shaker, until the transaction ends."""
    return DiceLot.objects.select_for_update(of=("self",)).filter(shaker=shaker, status=Status.PLACED).first()


def remove_from_play(lot: DiceLot, now: dt.datetime, why: str) -> None:
    """Take a lot out of play for good: its clock cannot start again (A16)."""
    lot.status, lot.removed_at, lot.removed_why = Status.REMOVED, now, why
    lot.to_destroy_since = now
    lot.tampered = lot.tampered or why == "tampered"
    lot.save(update_fields=["status", "removed_at", "removed_why", "to_destroy_since", "tampered"])


def lot_data(lot: DiceLot) -> LotData:
    """A lot as the record names it."""
    return {"lot": lot.code, "dice": lot.dice, "size_um": lot.size_um, "attested": lot.attested}
