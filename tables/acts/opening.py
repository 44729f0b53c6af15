"""The floorperson's inspection, opening and closing."""

from typing import Any

from games.engine import Refusal
from games.params import Params, malformed

from ..at_table import AtTable
from ..duty import lock_duty_of
from ..equipment import Equipment
from ..models import Inspection, Table
from ..offer import offered
from ..permissions import AT_THE_TABLE
from ..posts import holder_ids, section_left_alone, verify_staffed
from ..road import Recorded, act
from ..signatures import floor_signer, verify_signed_by_floor
from ..spans import supervisor_at_opening
from ..stopped import verify_game_dealt
from ..wording import dollars
from .device import resume
from .dice import take_out_dice

TOSSES = 3  # test runs of an automated shaker before gaming


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


def verify_inspection_is_due(at: AtTable) -> None:
    """Raises `Refusal` unless the table is closed, or ceased with what failed repaired."""
    table = at.table
    if table.ceased_what and table.repaired_at is None:
        raise Refusal("gaming-ceased", table.ceased_section, what=table.ceased_what)
    if table.status == Table.Status.OPEN:
        raise Refusal("inspect-before-opening")


def verify_secured(at: AtTable, secured: bool) -> None:
    """Raises `Refusal` when a shaker that may not stand alone would stay on a closed table, in nobody's charge.

    Without rules in force no shaker may.
    """
    section = None if secured else section_left_alone(at)
    if section is not None and at.shaker is not None:
        raise Refusal("secure-the-shaker", section, shaker=at.shaker.code)


def hand_over_shaker(at: AtTable) -> None:
    """The shaker is in its keeper's charge from here on."""
    if at.shaker is not None and at.shaker.secured:
        at.shaker.secured = False
        at.shaker.save(update_fields=["secured"])


def last_inspection(at: AtTable) -> Inspection | None:
    """The newest inspection since the table last closed, or None: of the shaker that stands here now, under the rules
    that are in force now. Another shaker or other rules ask for another inspection.
    """
    found = Inspection.objects.filter(
        table=at.table, shaker=at.shaker, terms_sha256=at.submission.terms_sha256
    ).select_related("by")
    closed_at = at.table.closed_at
    return (found.filter(at__gt=closed_at) if closed_at else found).order_by("-at").first()


def verify_lights(at: AtTable, dice: tuple[int, ...], lit: tuple[str, ...]) -> None:
    """Raises `Refusal` unless what was seen lit is what these dice light."""
    wins = at.game.winning_codes(at.rules, [at.game.verify_dice(at.rules, dice)])
    if set(lit) != set(wins):
        section = at.rules.section("inspection-device")
        raise Refusal("lights-do-not-agree", section, wrong=_differing(at, lit, wins))


def verify_dice_new_enough(at: AtTable) -> None:
    """Raises `Refusal` where a reopened table needs a new set of dice and has the one from before (§ 577.4(d))."""
    section, closed_at, lot = at.rules.section("new-dice-at-opening"), at.table.closed_at, at.lot
    if section and closed_at and lot and lot.placed_at and lot.placed_at <= closed_at:
        raise Refusal("new-dice-at-opening", section, lot=lot.code)


def verify_payout_limit(at: AtTable) -> None:
    """Raises `Refusal` where the filed payout limit is under what a player could win at this table's minimum (A30)."""
    limit = at.rules.payout_limit_cents
    if limit is None:
        return
    least = at.rules.least_payout_limit_cents(at.table.min_cents)
    if limit < least:
        section = at.rules.section("payout-limit")
        raise Refusal("payout-limit-too-low", section, limit=dollars(limit), least=dollars(least))


def verify_tosses(at: AtTable, kind: str, tosses: int) -> None:
    """Raises `Refusal` when an automated shaker was run fewer times than `TOSSES`."""
    if at.rules.shaker(kind).automated and tosses < TOSSES:
        raise Refusal("too-few-tosses", at.rules.section("inspection-shaker"), tosses=tosses)


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


def _differing(at: AtTable, lit: tuple[str, ...], wins: tuple[str, ...]) -> str:
    labels = {type_.code: type_.label for type_ in at.game.wager_types(at.rules)}
    return ", ".join(sorted(str(labels.get(code, code)) for code in set(lit) ^ set(wins))[:3])
