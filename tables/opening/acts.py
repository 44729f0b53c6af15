"""The floorperson's inspection, opening and closing."""

from typing import Any

from games.engine import Refusal
from games.params import Params, malformed
from tables.core.context import AtTable
from tables.core.duty import lock_duty_of
from tables.core.permissions import AT_THE_TABLE
from tables.dice.handling import take_out_dice
from tables.equipment.checks import Equipment
from tables.equipment.tosses import verify_tosses
from tables.failures.ceasing import resume
from tables.models import Inspection, Table
from tables.opening.checks import (
    last_inspection,
    verify_dice_new_enough,
    verify_inspection_is_due,
    verify_lights,
    verify_payout_limit,
    verify_secured,
)
from tables.rules.notice import offered
from tables.rules.suspensions import verify_game_dealt
from tables.runner.signatures import floor_signer, verify_signed_by_floor
from tables.runner.table import Recorded, act
from tables.staffing.posts import holder_ids, verify_staffed
from tables.staffing.spans import supervisor_at_opening


@act(roles=AT_THE_TABLE, witness=True)
def inspect_table(at: AtTable, params: Params) -> Recorded:
    """Where an electrical device lights the layout: three values entered, every winning combination seen lit and no
    other; an automated shaker run three times; and each line that the edition has for the table, its signs and boxes.
    The floor signs.

    After a repair the same inspection lets gaming go on.
    """
    dice, lit = params.dice(optional=True), params.texts("lit")
    tosses = params.whole("tosses", 0, 99, default=0)
    lines, cameras = params.texts("lines"), params.texts("cameras")
    by = floor_signer(at)
    at.verify_dice_for_a_round()
    verify_inspection_is_due(at)
    if at.rules.section("inspection-device"):
        verify_lights(at, dice or (), lit)
    elif dice or lit:
        raise malformed("dice")
    verify_tosses(at, at.shaker_kind, tosses)
    equipment = Equipment(at)
    equipment.verify_lines(lines)
    equipment.verify_cameras(cameras)
    inspection = Inspection.objects.create(
        table=at.table,
        by=by,
        at=at.now,
        shaker=at.shaker,
        terms_sha256=at.submission.terms_sha256,
        dice=list(dice or ()),
        lit=sorted(lit),
        tosses=tosses,
        lines=sorted(lines),
        cameras=list(cameras),
    )
    resumed = at.table.ceased_what
    if resumed:
        resume(at)
    return Recorded(
        "table.inspected",
        {
            "dice": inspection.dice,
            "lit": inspection.lit,
            "tosses": tosses,
            "shaker": at.shaker and at.shaker.code,
            "lines": inspection.lines,
            "cameras": inspection.cameras,
            "by": by.code,
            "after_repair_of": resumed or None,
        },
    )


@act(roles=AT_THE_TABLE, witness=True)
def open_table(at: AtTable, params: Params) -> Recorded:
    """Opens the table for gaming, after an inspection since it last closed; what failed must be repaired first.

    The floor signs, and who signs supervises the table unless somebody on duty does already. Every approval is on
    file, and somebody stands at every post. A lapsed edition must be acknowledged.
    """
    acknowledged = params.yes("acknowledge_lapsed")
    verify_signed_by_floor(at)
    if at.table.status != Table.Status.CLOSED:
        raise Refusal("table-not-closed", table=at.table.code)
    if at.table.ceased_what:
        raise Refusal("gaming-ceased", at.table.ceased_section, what=at.table.ceased_what)
    at.verify_dice_in_time()
    verify_dice_new_enough(at)
    verify_payout_limit(at)
    verify_game_dealt(at)
    at.verify_shaker_filed()
    Equipment(at).verify_approved()
    inspection = last_inspection(at)
    if inspection is None:
        raise Refusal("not-inspected", at.rules.section("inspection-device"))
    lock_duty_of(holder_ids(at.table))
    verify_staffed(at)
    before, floorperson = at.table.floorperson_id, supervisor_at_opening(at)
    edition = at.rules.edition
    lapsed = edition.lapses_on is not None and edition.lapses_on <= at.gaming_day
    if lapsed and not acknowledged:
        raise Refusal("edition-lapsed", edition.source, on=edition.lapses_on)
    at.change_table(status=Table.Status.OPEN, floorperson=floorperson, told_rules=offered(at).key)
    hand_over_shaker(at)
    return Recorded(
        "table.opened",
        {
            **terms_data(at),
            "inspected_by": inspection.by.code,
            "floorperson": floorperson.code,
            "takes_supervision": floorperson.pk != before,
            "lapsed_acknowledged": lapsed,
            "lot": at.lot and at.lot.code,
            "shaker": at.shaker and at.shaker.code,
        },
    )


@act(roles=AT_THE_TABLE, witness=True)
def close_table(at: AtTable, params: Params) -> Recorded:
    """Closes the table between rounds; the floor signs. The next opening needs a new inspection.

    `dice`: `stay` in the shaker, where their clock goes on, or `removed`; where a reopened table needs a new set they
    are removed always. A shaker that may not stand alone is locked away (`secured`).
    """
    dice = params.choice("dice", ("stay", "removed"), default="stay")
    secured = params.yes("secured")
    verify_signed_by_floor(at)
    if at.table.status == Table.Status.CLOSED:
        raise Refusal("table-closed", table=at.table.code)
    if at.round is not None:
        raise Refusal("round-in-play", round=at.round.number)
    shaker, lot = at.shaker, at.lot
    verify_secured(at, secured)
    if at.deals and at.rules.section("new-dice-at-opening"):
        dice = "removed"
    gone = take_out_dice(at, shaker, "table-closed") if shaker and dice == "removed" else None
    at.change_table(status=Table.Status.CLOSED, closed_at=at.now)
    if at.table.quarterback or at.table.offered or at.table.seated:
        at.change_table(quarterback=None, offered=None, seated=[])
    if shaker is not None:
        shaker.secured = True
        shaker.save(update_fields=["secured"])
    stays = lot if lot and not gone else None
    data = {
        "last_round": at.table.last_round,
        "shaker": shaker.code if shaker else None,
        "removed": gone,
        "stays": stays.code if stays else None,
        "secured": secured,
    }
    if stays is not None:
        at.lots.append(stays)
    return Recorded("table.closed", data)


def hand_over_shaker(at: AtTable) -> None:
    """The shaker is in its keeper's charge from here on."""
    if at.shaker is not None and at.shaker.secured:
        at.shaker.secured = False
        at.shaker.save(update_fields=["secured"])


def terms_data(at: AtTable) -> dict[str, Any]:
    """The rules and limits that a table opens under, as the record says them."""
    return {
        "submission": at.submission.code,
        "submission_version": at.submission.version,
        "edition": at.submission.edition,
        "terms_sha256": at.submission.terms_sha256,
        "min_cents": at.table.min_cents,
        "max_cents": at.table.max_cents,
        **({"stopped": sorted(at.stops)} if at.stops else {}),
    }
