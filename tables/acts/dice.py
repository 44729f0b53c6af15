"""Dice lots at a table: issued to it, placed in its shaker, inspected, taken out of play."""

import datetime as dt

from audit import clock
from games.engine import Refusal, dice_expiry
from games.engine.dice import A_DAY
from games.params import Params

from .. import custody
from ..alerts import end_alert
from ..at_table import AtTable
from ..custody import UNFIT, Status
from ..models import DiceLot, Shaker
from ..permissions import AT_THE_TABLE, DICE_KEEPERS, FLOOR
from ..road import Recorded, act
from ..signatures import verify_signed_by_floor, verify_two_departments

NOT_OF_PLAY = (Status.ISSUED, Status.REMOVED)


@act(roles=DICE_KEEPERS, witness=True, depends_on="nothing")
def issue_dice(at: AtTable, params: Params) -> Recorded:
    """Takes a lot out of storage and gives it to this table: two people of different departments sign.

    At the start of the gaming day, and again whenever dice must be replaced.
    """
    code = params.text("lot")
    facility = at.table.facility
    section = custody.section(facility, "issue")
    verify_two_departments(at, section)
    lot = custody.locked_lot(facility, code)
    custody.verify_status(lot, [Status.STORED], section)
    verify_suits(at, lot)
    lot.status, lot.table = Status.ISSUED, at.table
    lot.save(update_fields=["status", "table"])
    at.lots.append(lot)
    data = {**custody.in_words(lot), "from": lot.compartment, "section": section}
    return Recorded("dice_lot.issued", data, changes="nothing")


@act(roles=DICE_KEEPERS, witness=True, depends_on="nothing")
def return_dice(at: AtTable, params: Params) -> Recorded:
    """Takes a lot that was issued here and never placed back into storage; two people of different departments sign."""
    code, compartment = params.text("lot"), params.text("compartment", default="", most=40)
    section = custody.section(at.table.facility, "storage")
    verify_two_departments(at, section)
    lot = _lot_of_this_table(at, code)
    custody.verify_status(lot, [Status.ISSUED], section)
    lot.status, lot.table, lot.compartment = Status.STORED, None, compartment or lot.compartment
    lot.save(update_fields=["status", "table", "compartment"])
    at.lots.append(lot)
    data = {"lot": lot.code, "compartment": lot.compartment, "section": section}
    return Recorded("dice_lot.returned", data, changes="nothing")


@act(roles=AT_THE_TABLE, witness=True)
def change_dice_lot(at: AtTable, params: Params) -> Recorded:
    """Puts a lot into the shaker, seals or locks it and starts its clock; the lot that was in it leaves play for good.

    The floor signs. Dice that once left a shaker do not come back: their clock would begin anew (A16).
    """
    code, seal = params.text("lot"), params.text("seal", default="", most=40)
    verify_signed_by_floor(at)
    verify_no_dice_in_play(at)
    shaker = at.shaker
    if shaker is None:
        raise Refusal("no-shaker", table=at.table.code)
    verify_sealed(at, seal)
    lot = _fresh_lot(at, code)
    gone = take_out_dice(at, shaker, "replaced")
    expires_at = _place(at, lot, shaker, seal)
    data = {"lot": lot.code, "shaker": shaker.code, "expires_at": clock.written(expires_at), "removed": gone}
    what = {"dice": lot.dice, "section": lot.clock_section, "attested": lot.attested, "seal": seal}
    return Recorded("dice_lot.placed", {**data, **what})


@act(roles=AT_THE_TABLE, witness=True)
def withdraw_dice(at: AtTable, params: Params) -> Recorded:
    """Takes the dice at this table out of play for good: one is lost, or they are marked or no longer fit.

    Until another lot is placed nothing is shaken or thrown here (§ 577.4(d)). The finder is named with the licence.
    """
    why, found = params.choice("why", UNFIT), params.text("found", default="")
    verify_no_dice_in_play(at)
    shaker = at.shaker
    gone = take_out_dice(at, shaker, why) if shaker else None
    if shaker is None or gone is None:
        raise Refusal("no-dice", at.rules.section("dice-number"), shaker=shaker.code if shaker else "")
    section = at.rules.section("new-dice-at-opening") or at.rules.section("dice-number")
    data = {"lot": gone, "shaker": shaker.code, "why": why, "section": section, "found": found}
    return Recorded("dice_lot.withdrawn", {**data, **finder(at), "round": at.round and at.round.number})


@act(roles=AT_THE_TABLE, witness=True)
def unlock_shaker(at: AtTable, params: Params) -> Recorded:
    """Opens the lock of an automated shaker: the calendar month of its dice ends (A17), and the 24 hours since they
    were placed are what is left of their time. The floor signs.
    """
    why = params.text("why")
    verify_signed_by_floor(at)
    verify_no_dice_in_play(at)
    lot, shaker = at.lot, at.shaker
    if lot is None or shaker is None or lot.placed_at is None or lot.expires_at is None:
        raise Refusal("no-dice", at.rules.section("dice-number"), shaker=shaker.code if shaker else "")
    if not at.rules.shaker(shaker.kind).months:
        raise Refusal("shaker-has-no-month", at.rules.section("dice-clock-manual"), shaker=shaker.code)
    lot.expires_at = min(lot.expires_at, lot.placed_at + A_DAY)
    lot.seal = ""
    lot.save(update_fields=["expires_at", "seal"])
    at.lots.append(lot)
    data = {"lot": lot.code, "shaker": shaker.code, "why": why, "expires_at": clock.written(lot.expires_at)}
    return Recorded("shaker.unlocked", {**data, "section": lot.clock_section})


@act(roles=FLOOR, depends_on="nothing")
def examine_dice(at: AtTable, params: Params) -> Recorded:
    """The end-of-day inspection of a lot that this table has or had: sound, or a report of tampering with the time,
    the table, the finder's name and licence. Dice in the shaker are taken out with `withdraw_dice`.
    """
    code, tampered = params.text("lot"), params.yes("tampered")
    found = params.text("found", default="")
    lot = _lot_of_this_table(at, code)
    custody.verify_status(lot, [Status.PLACED, *NOT_OF_PLAY])
    if tampered and lot.status == Status.PLACED:
        raise Refusal("withdraw-tampered-dice", lot=lot.code)
    if tampered and not found:
        raise Refusal("say-what-was-found", lot=lot.code)
    lot.examined_at, lot.tampered = at.now, lot.tampered or tampered
    if tampered and lot.status == Status.ISSUED:
        custody.take_out(lot, at.now, "tampered")
    lot.save(update_fields=["examined_at", "tampered"])
    at.lots.append(lot)
    data = {"lot": lot.code, "found": found, **finder(at)}
    data |= {"section": custody.section(at.table.facility, "examination")}
    return Recorded("dice_lot.tampered" if tampered else "dice_lot.examined", data, changes="nothing")


def finder(at: AtTable) -> dict[str, str]:
    """Where dice were found as they are, and who found them, as a report of tampering names them."""
    assert at.actor is not None
    return {"table": at.table.code, "finder": at.actor.name, "licence": at.actor.licence}


def verify_no_dice_in_play(at: AtTable) -> None:
    """Raises `Refusal` once the dice are shaken or thrown, or some of them lie on the layout.

    A round whose next throw is of all the dice may have them changed before, so that expired dice never strand it.
    """
    if at.round is not None and not at.dice_at_rest:
        raise Refusal("dice-in-play", round=at.round.number)


def verify_sealed(at: AtTable, seal: str) -> None:
    """Raises `Refusal` where the edition wants the dice sealed in the shaker and no seal is named."""
    section = at.rules.section("dice-sealed")
    if section and not seal:
        raise Refusal("seal-missing", section)


def verify_suits(at: AtTable, lot: DiceLot) -> None:
    """Raises `Refusal` for a lot that this table's edition is not played with."""
    rules, edition = at.rules, at.rules.edition
    if lot.training != (at.table.kind == "training"):
        raise Refusal("lot-of-another-kind", lot=lot.code)
    if rules.section("dice-standard") and not lot.attested:
        raise Refusal("dice-not-attested", rules.section("dice-standard"), lot=lot.code)
    if lot.dice != edition.dice_in_lot:
        raise Refusal("lot-of-other-dice", rules.section("dice-number"), lot=lot.code, dice=lot.dice)
    if edition.dice_size_um and lot.size_um != edition.dice_size_um:
        size = f"{lot.size_um // 1000}.{lot.size_um % 1000:03}"
        raise Refusal("dice-of-another-size", rules.section("dice-number"), lot=lot.code, mm=size)
    if (edition.dice_in_lot > edition.dice) != (lot.colours == DiceLot.Colours.GREEN_AND_RED):
        raise Refusal("dice-of-other-colours", rules.section("dice-number"), lot=lot.code)


def take_out_dice(at: AtTable, shaker: Shaker, why: str) -> str | None:
    """Ends the life of the lot in this shaker, and the warnings about its time; returns its code."""
    old = custody.lot_in(shaker)
    if old is None:
        return None
    custody.take_out(old, at.now, why)
    end_alert(at, "dice")
    at.lots.append(old)
    return old.code


def _place(at: AtTable, lot: DiceLot, shaker: Shaker, seal: str) -> dt.datetime:
    lot.status, lot.shaker, lot.placed_at, lot.seal = Status.PLACED, shaker, at.now, seal
    local = at.table.facility.local(at.now)
    expires_at, lot.clock_section = dice_expiry(at.rules, shaker.kind, local, lot.attested)
    lot.expires_at = expires_at
    lot.save(update_fields=["status", "shaker", "placed_at", "seal", "expires_at", "clock_section"])
    at.lots.append(lot)
    return expires_at


def _fresh_lot(at: AtTable, code: str) -> DiceLot:
    lot = custody.locked_lot(at.table.facility, code)
    if lot.placed_at is not None:
        raise Refusal("lot-was-used", at.rules.section("dice-clock-manual"), lot=code)
    verify_suits(at, lot)
    if lot.status != Status.ISSUED or lot.table_id != at.table.pk:
        raise Refusal("lot-not-issued", lot=code, table=at.table.code)
    return lot


def _lot_of_this_table(at: AtTable, code: str) -> DiceLot:
    lot = custody.locked_lot(at.table.facility, code)
    if lot.table_id != at.table.pk:
        raise Refusal("lot-not-issued", lot=code, table=at.table.code)
    return lot
