"""The shaker at a table: replaced, out of order, repaired and back in service."""

from django.db.models import Q

from games.engine import Refusal
from games.params import Params
from tables.core.context import AtTable
from tables.core.permissions import AT_THE_TABLE, FLOOR
from tables.dice.handling import take_out_dice
from tables.equipment.checks import Equipment
from tables.equipment.tosses import verify_tosses
from tables.failures.ceasing import mark_repaired, resume
from tables.models import Shaker, Table
from tables.runner.signatures import verify_signed_by_floor
from tables.runner.table import Recorded, act


@act(roles=AT_THE_TABLE, witness=True)
def replace_shaker(at: AtTable, params: Params) -> Recorded:
    """Replaces the shaker at this table; the floor signs. Each edition says what must become of a failed automated one
    first (A20). An automated one that comes to an open table is run three times before, as at an opening (`tosses`).
    """
    code, tosses = params.text("shaker"), params.whole("tosses", 0, 99, default=0)
    covered, removed = params.yes("covered_or_signed"), params.yes("removed_from_table")
    verify_signed_by_floor(at)
    verify_shaker_may_change(at)
    here, new = _shakers_here(at), _shaker_to_place(at, code)
    if new.kind == "manual" and any(one.kind != "manual" for one in here):
        verify_automated_is_out_of_the_way(at, covered=covered, removed=removed)
    kind = at.rules.shaker(new.kind)
    Equipment(at, new).verify_shaker_approved()
    if at.table.status == Table.Status.OPEN:
        verify_tosses(at, new.kind, tosses)
    failed = at.table.ceased_what == "shaker"
    gone = [_retire(at, one, stays=_stays(one) and not removed, failed=failed) for one in here]
    new.table, new.secured = at.table, at.table.status == "closed"
    new.save(update_fields=["table", "secured"])
    if at.round is not None:
        at.change_round(shaker_kind=new.kind)
    if at.table.ceased_what == "shaker":
        mark_repaired(at) if kind.automated else resume(at)
    data = {
        "shaker": new.code,
        "kind": new.kind,
        "replaces": gone[0] if gone else None,
        "covered_or_signed": covered,
        "tosses": tosses,
    }
    return Recorded("shaker.replaced", {**data, "removed_from_table": removed})


@act(roles=FLOOR, depends_on="nothing")
def return_shaker(at: AtTable, params: Params) -> Recorded:
    """Takes a shaker that is out of order back into service, repaired: one that stands here covered, or one that left
    a table when it failed. It is free to be used again anywhere.
    """
    code, how = params.text("shaker"), params.text("how")
    mine = Shaker.objects.select_for_update(of=("self",)).filter(facility=at.table.facility_id, code=code)
    shaker = mine.filter(Q(table=at.table) | Q(table=None), out_of_order=True).first()
    if shaker is None:
        raise Refusal("shaker-not-out-of-order", shaker=code, table=at.table.code)
    shaker.table, shaker.out_of_order, shaker.secured = None, False, True
    shaker.save(update_fields=["table", "out_of_order", "secured"])
    return Recorded(
        "shaker.repaired", {"shaker": shaker.code, "kind": shaker.kind, "how": how}, changes="nothing"
    )


def verify_shaker_may_change(at: AtTable) -> None:
    """Raises `Refusal` once a round has done more than take wagers: each kind of shaker has its own order of steps."""
    if at.round is not None and (at.round.phase != "open" or at.round.last_throw):
        raise Refusal("round-in-play", round=at.round.number)


def verify_automated_is_out_of_the_way(at: AtTable, *, covered: bool, removed: bool) -> None:
    """Raises `Refusal` unless the automated shaker is gone (539) or covered or signed out of order (625a).

    Its dice are taken out by the same act (§ 625a.7(d)).
    """
    section = at.rules.section("manual-after-automated")
    if at.rules.edition.automated_shaker_must_leave and not removed:
        raise Refusal("automated-shaker-still-here", section)
    if not (removed or covered):
        raise Refusal("automated-shaker-not-covered", section)


def _shakers_here(at: AtTable) -> list[Shaker]:
    """The working shaker first, and then what stands here out of order."""
    return list(Shaker.objects.filter(table=at.table).order_by("out_of_order", "code"))


def _shaker_to_place(at: AtTable, code: str) -> Shaker:
    shaker = Shaker.objects.select_for_update().filter(facility=at.table.facility_id, code=code).first()
    if shaker is None or shaker.table_id is not None or shaker.out_of_order:
        raise Refusal("shaker-not-free", shaker=code)
    return shaker


def _stays(old: Shaker) -> bool:
    """Whether a replaced shaker stays on the table, covered, unless it is said to have left."""
    return old.kind not in (Shaker.Kind.MANUAL, Shaker.Kind.DICE_CUP)


def _retire(at: AtTable, old: Shaker, *, stays: bool, failed: bool) -> str:
    """Takes the dice out of the old shaker, and the shaker off the table or, covered, out of order on it. One that
    failed is out of order wherever it goes, until it is repaired.
    """
    take_out_dice(at, old, "shaker-replaced")
    old.out_of_order = old.out_of_order or stays or failed
    old.table = old.table if stays else None
    old.secured = True
    old.save(update_fields=["out_of_order", "table", "secured"])
    return old.code
