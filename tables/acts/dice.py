"""Dice lots and shakers at a table."""

from audit import clock
from games.engine import Refusal, dice_expiry

from ..at_table import AtTable
from ..models import DiceLot, Shaker
from ..params import Params
from ..permissions import AT_THE_TABLE, FLOOR
from ..road import Recorded, act
from .device import resume
from .rounds import verify_signed_by_floor

UNFIT = ("lost", "marked", "chipped", "scratched", "tampered", "unsuitable")


@act(roles=AT_THE_TABLE, witness=True)
def change_dice_lot(at: AtTable, params: Params) -> Recorded:
    """Puts a lot into the shaker and starts its clock; the lot that was in it leaves play for good. The floor signs.

    Dice that once left a shaker do not come back: their clock would begin anew (A16).
    """
    code = params.text("lot")
    verify_signed_by_floor(at)
    verify_no_dice_in_play(at)
    shaker = at.shaker
    if shaker is None:
        raise Refusal("no-shaker", table=at.table.code)
    lot = _fresh_lot(at, code)
    gone = take_out_dice(at, shaker)
    lot.shaker, lot.placed_at = shaker, at.now
    expires_at, lot.clock_section = dice_expiry(
        at.rules, shaker.kind, at.table.facility.local(at.now), lot.attested
    )
    lot.expires_at = expires_at
    lot.save(update_fields=["shaker", "placed_at", "expires_at", "clock_section"])
    data = {"lot": lot.code, "shaker": shaker.code, "expires_at": clock.written(expires_at), "removed": gone}
    return Recorded(
        "dice_lot.placed", {**data, "dice": lot.dice, "section": lot.clock_section, "attested": lot.attested}
    )


@act(roles=AT_THE_TABLE)
def withdraw_dice(at: AtTable, params: Params) -> Recorded:
    """Takes the dice at this table out of play for good: one is lost, or they are marked or no longer fit.

    Until another lot is placed nothing is shaken or thrown here (§ 577.4(d)).
    """
    why = params.choice("why", UNFIT)
    verify_no_dice_in_play(at)
    shaker = at.shaker
    gone = take_out_dice(at, shaker) if shaker else None
    if shaker is None or gone is None:
        raise Refusal("no-dice", at.rules.section("dice-number"), shaker=shaker.code if shaker else "")
    section = at.rules.section("new-dice-at-opening") or at.rules.section("dice-number")
    data = {"lot": gone, "shaker": shaker.code, "why": why, "section": section}
    return Recorded("dice_lot.withdrawn", {**data, "round": at.round and at.round.number})


@act(roles=FLOOR)
def replace_shaker(at: AtTable, params: Params) -> Recorded:
    """Replaces the shaker at this table. Each edition says what must become of a failed automated one first (A20)."""
    code = params.text("shaker")
    covered, removed = params.yes("covered_or_signed"), params.yes("removed_from_table")
    verify_shaker_may_change(at)
    here, new = _shakers_here(at), _shaker_to_place(at, code)
    if new.kind == "manual" and any(one.kind != "manual" for one in here):
        verify_automated_is_out_of_the_way(at, covered=covered, removed=removed)
    at.rules.shaker(new.kind)
    gone = [_retire(at, one, stays=one.kind != "manual" and not removed) for one in here]
    new.table = at.table
    new.save(update_fields=["table"])
    if at.round is not None:
        at.change_round(shaker_kind=new.kind)
    if at.table.ceased_what == "shaker":
        resume(at)
    data = {
        "shaker": new.code,
        "kind": new.kind,
        "replaces": gone[0] if gone else None,
        "covered_or_signed": covered,
    }
    return Recorded("shaker.replaced", {**data, "removed_from_table": removed})


def verify_no_dice_in_play(at: AtTable) -> None:
    """Raises `Refusal` once the dice are shaken or thrown, or some of them lie on the layout.

    A round whose next throw is of all the dice may have them changed before, so that expired dice never strand it.
    """
    if at.round is not None and not at.dice_at_rest:
        raise Refusal("dice-in-play", round=at.round.number)


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


def take_out_dice(at: AtTable, shaker: Shaker) -> str | None:
    """Ends the life of the lot in this shaker; returns its code."""
    old = DiceLot.objects.filter(shaker=shaker, removed_at=None).first()
    if old is None:
        return None
    old.removed_at = at.now
    old.save(update_fields=["removed_at"])
    return old.code


def _fresh_lot(at: AtTable, code: str) -> DiceLot:
    lot = DiceLot.objects.select_for_update().filter(facility=at.table.facility_id, code=code).first()
    if lot is None:
        raise Refusal("no-such-lot", lot=code)
    if lot.placed_at is not None:
        raise Refusal("lot-was-used", at.rules.section("dice-clock-manual"), lot=code)
    if at.rules.section("dice-standard") and not lot.attested:
        raise Refusal("dice-not-attested", at.rules.section("dice-standard"), lot=lot.code)
    if lot.dice != at.rules.edition.dice_in_lot:
        raise Refusal("lot-of-other-dice", at.rules.section("dice-number"), lot=code, dice=lot.dice)
    return lot


def _shakers_here(at: AtTable) -> list[Shaker]:
    """The working shaker first, and then what stands here out of order."""
    return list(Shaker.objects.filter(table=at.table).order_by("out_of_order", "code"))


def _shaker_to_place(at: AtTable, code: str) -> Shaker:
    shaker = Shaker.objects.select_for_update().filter(facility=at.table.facility_id, code=code).first()
    if shaker is None or shaker.table_id is not None or shaker.out_of_order:
        raise Refusal("shaker-not-free", shaker=code)
    return shaker


def _retire(at: AtTable, old: Shaker, *, stays: bool) -> str:
    """Takes the dice out of the old shaker, and the shaker off the table or, covered, out of order on it."""
    take_out_dice(at, old)
    old.out_of_order = old.out_of_order or stays
    old.table = old.table if stays else None
    old.save(update_fields=["out_of_order", "table"])
    return old.code
