"""The floorperson's inspection, opening and closing."""

from typing import Any

from games.engine import Refusal

from ..at_table import AtTable
from ..models import Inspection, Table
from ..params import Params, malformed
from ..permissions import FLOOR
from ..road import Recorded, act
from ..wording import dollars


@act(roles=FLOOR)
def inspect_table(at: AtTable, params: Params) -> Recorded:
    """Where an electrical device lights the layout: three values entered, every winning combination seen lit and no
    other; an automated shaker run three times. Elsewhere the floorperson attests the layout, the dice and the place.
    """
    dice, lit = params.dice(optional=True), params.texts("lit")
    tosses = params.whole("tosses", 0, 99, default=0)
    at.verify_dice_for_a_round()
    if at.table.status != Table.Status.CLOSED:
        raise Refusal("inspect-before-opening")
    if at.rules.section("inspection-device"):
        verify_lights(at, dice or (), lit)
    elif dice or lit:
        raise malformed("dice")
    verify_tosses(at, tosses)
    assert at.actor is not None
    inspection = Inspection.objects.create(
        table=at.table, by=at.actor, at=at.now, dice=list(dice or ()), lit=sorted(lit), tosses=tosses
    )
    return Recorded(
        "table.inspected",
        {
            "dice": inspection.dice,
            "lit": inspection.lit,
            "tosses": tosses,
            "shaker": at.shaker and at.shaker.code,
        },
    )


@act(roles=FLOOR)
def open_table(at: AtTable, params: Params) -> Recorded:
    """Opens the table for gaming, after an inspection since it last closed; what failed must be repaired first.

    A lapsed edition must be acknowledged.
    """
    acknowledged = params.yes("acknowledge_lapsed")
    if at.table.status != Table.Status.CLOSED:
        raise Refusal("table-not-closed", table=at.table.code)
    if at.table.ceased_what:
        raise Refusal("gaming-ceased", at.table.ceased_section, what=at.table.ceased_what)
    at.verify_dice_in_time()
    verify_dice_new_enough(at)
    verify_payout_limit(at)
    inspection = last_inspection(at.table)
    if inspection is None:
        raise Refusal("not-inspected", at.rules.section("inspection-device"))
    edition = at.rules.edition
    lapsed = edition.lapses_on is not None and edition.lapses_on <= at.gaming_day
    if lapsed and not acknowledged:
        raise Refusal("edition-lapsed", edition.source, on=edition.lapses_on)
    at.change_table(status=Table.Status.OPEN)
    return Recorded(
        "table.opened",
        {
            **terms_data(at),
            "inspected_by": inspection.by.code,
            "lapsed_acknowledged": lapsed,
            "lot": at.lot and at.lot.code,
            "shaker": at.shaker and at.shaker.code,
        },
    )


@act(roles=FLOOR)
def close_table(at: AtTable, params: Params) -> Recorded:
    """Closes the table between rounds. The next opening needs a new inspection."""
    if at.table.status == Table.Status.CLOSED:
        raise Refusal("table-closed", table=at.table.code)
    if at.round is not None:
        raise Refusal("round-in-play", round=at.round.number)
    at.change_table(status=Table.Status.CLOSED, closed_at=at.now)
    if at.table.quarterback or at.table.offered or at.table.seated:
        at.change_table(quarterback=None, offered=None, seated=[])
    return Recorded("table.closed", {"last_round": at.table.last_round})


def last_inspection(table: Table) -> Inspection | None:
    """The newest inspection since the table last closed, or None."""
    found = table.inspections.select_related("by").order_by("-at")
    return (found.filter(at__gt=table.closed_at) if table.closed_at else found).first()


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


def verify_tosses(at: AtTable, tosses: int) -> None:
    """Raises `Refusal` when an automated shaker was run fewer than three times."""
    if at.rules.shaker(at.shaker_kind).automated and tosses < 3:
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
    }


def _differing(at: AtTable, lit: tuple[str, ...], wins: tuple[str, ...]) -> str:
    labels = {type_.code: type_.label for type_ in at.game.wager_types(at.rules)}
    return ", ".join(sorted(str(labels.get(code, code)) for code in set(lit) ^ set(wins))[:3])
