"""Acts of the dice room: receipt, inspection, storage under two locks, destruction. Two departments sign each."""

from typing import Annotated, cast

from games.act_forms import Text, objects, text, words
from games.engine import Refusal
from games.params import Params
from games.refusals import MALFORMED
from tables.core.permissions import DICE_KEEPERS
from tables.dice import custody
from tables.dice.custody import Status
from tables.dice.entry_types import (
    DICE_DESTROYED,
    DICE_LOT_REJECTED,
    DICE_LOT_STORED,
    DICE_RECEIVED,
    Destruction,
    DiceColors,
    DiceLotMeasured,
    DiceReceivedLot,
    Instruments,
    MeasuredDie,
)
from tables.dice.instruments import verify_calibrated
from tables.dice.refusals import LOT_CODE_TAKEN, MEASURE_EVERY_DIE
from tables.models import DiceLot, DiceMeasurement
from tables.runner.facility import DICE, ActOutcome, FacilityContext, facility_act
from tables.runner.signatures import verify_two_departments

MAX_LOTS, MAX_TO_DESTROY, MAX_DICE, MAX_UM = 100, 500, 12, 100_000
# A setting of the facility: 0.005 inch. The text on a die's tolerance is not among those supplied.
TOLERANCE_UM = 127


def _read_received(params: Params) -> DiceLot:
    return DiceLot(
        code=params.code("lot"),
        dice=params.integer("dice", 1, MAX_DICE),
        size_um=params.integer("size_um", 1, MAX_UM),
        colors=params.choice("colours", ("alike", "green-red"), default="alike"),
        attested=params.boolean("attested"),
        training=params.boolean("training"),
        maker=params.text("maker", default="", max_length=60),
        serial=params.text("serial", default="", max_length=40),
        seal_intact=params.boolean("seal_intact"),
    )


def _read_measured(params: Params) -> DiceMeasurement:
    low, high = params.integer("low_um", 1, MAX_UM), params.integer("high_um", 1, MAX_UM)
    if low > high:
        low, high = high, low
    return DiceMeasurement(
        low_um=low,
        high_um=high,
        balanced=params.boolean("balanced"),
        square=params.boolean("square"),
        unmarked=params.boolean("clean"),
    )


@facility_act(DICE, roles=DICE_KEEPERS, witness=True)
def receive_dice(
    ctx: FacilityContext,
    *,
    from_: Text,
    lots: Annotated[tuple[DiceLot, ...], objects(_read_received, MAX_LOTS)],
) -> ActOutcome:
    """Receive boxes of dice and record whether their seals are intact. Two departments sign."""
    section = custody.duty_section(ctx.facility, "receipt")
    verify_two_departments(ctx, section)
    codes = [lot.code for lot in lots]
    known_codes = set(
        DiceLot.objects.filter(facility=ctx.facility, code__in=codes).values_list("code", flat=True)
    )
    for lot in lots:
        if lot.code in known_codes:
            raise Refusal(LOT_CODE_TAKEN, lot=lot.code)
        known_codes.add(lot.code)
        lot.facility, lot.status = ctx.facility, Status.RECEIVED
    ctx.lots += DiceLot.objects.bulk_create(lots)
    return ActOutcome(
        DICE_RECEIVED({"from": from_, "section": section, "lots": [_received_data(lot) for lot in lots]})
    )


def _received_data(lot: DiceLot) -> DiceReceivedLot:
    return {
        **custody.lot_data(lot),
        "colours": cast(DiceColors, lot.colors),
        "maker": lot.maker,
        "serial": lot.serial,
        "seal_intact": bool(lot.seal_intact),
        "training": lot.training,
    }


@facility_act(DICE, roles=DICE_KEEPERS, witness=True)
def inspect_dice(
    ctx: FacilityContext,
    *,
    lot_code: Text,
    compartment: Annotated[str, text(40)],
    micrometer: Text,
    caliper: Text,
    square: Text,
    dice: Annotated[tuple[DiceMeasurement, ...], objects(_read_measured, MAX_DICE)],
) -> ActOutcome:
    """Record the measures of every die of a received lot. One bad die rejects the lot; a good lot is stored.

    The micrometer, the balancing caliper and the steel set square are named. Sizes are whole micrometers;
    `low_um` and `high_um` are the smallest and the largest side of a die.
    """
    instruments: Instruments = {"micrometer": micrometer, "caliper": caliper, "square": square}
    section = custody.duty_section(ctx.facility, "storage")
    verify_two_departments(ctx, section)
    lot = custody.locked_lot(ctx.facility, lot_code)
    custody.verify_status(lot, [Status.RECEIVED])
    for kind, instrument in instruments.items():
        verify_calibrated(ctx, kind, str(instrument))
    if len(dice) != lot.dice:
        raise Refusal(MEASURE_EVERY_DIE, lot=lot.code, dice=lot.dice, measured=len(dice))
    for number, die in enumerate(dice, start=1):
        die.lot, die.die, die.good = lot, number, is_good(lot, die)
    DiceMeasurement.objects.bulk_create(dice)
    bad = [die.die for die in dice if not die.good]
    lot.status = Status.REJECTED if bad else Status.STORED
    lot.compartment = compartment
    lot.to_destroy_since = ctx.now if bad else None
    lot.save(update_fields=["status", "compartment", "to_destroy_since"])
    ctx.lots.append(lot)
    data: DiceLotMeasured = {
        "lot": lot.code,
        "instruments": instruments,
        "compartment": compartment,
        "bad": bad,
        "tolerance_um": TOLERANCE_UM,
        "dice": [_measurement_data(die) for die in dice],
        "section": section,
    }
    entry_type = DICE_LOT_REJECTED if bad else DICE_LOT_STORED
    return ActOutcome(entry_type(data))


def is_good(lot: DiceLot, die: DiceMeasurement) -> bool:
    """Whether a die is balanced, square and clean, and each of its sides is within the tolerance."""
    in_size = lot.size_um - TOLERANCE_UM <= die.low_um and die.high_um <= lot.size_um + TOLERANCE_UM
    return die.balanced and die.square and die.unmarked and in_size


def _measurement_data(die: DiceMeasurement) -> MeasuredDie:
    return {
        "die": die.die,
        "low_um": die.low_um,
        "high_um": die.high_um,
        "balanced": die.balanced,
        "square": die.square,
        "good": die.good,
        "clean": die.unmarked,
    }


@facility_act(DICE, roles=DICE_KEEPERS, witness=True)
def destroy_dice(
    ctx: FacilityContext,
    *,
    lots: Annotated[tuple[str, ...], words(MAX_TO_DESTROY)] = (),
    how: Destruction,
) -> ActOutcome:
    """Cancel or destroy lots that were rejected or are out of play. Two departments sign."""
    verify_two_departments(ctx, custody.duty_section(ctx.facility, "destruction"))
    if not lots:
        raise Refusal(MALFORMED, name="lots")
    for code in sorted(set(lots)):
        lot = custody.locked_lot(ctx.facility, code)
        custody.verify_status(lot, [Status.REJECTED, Status.REMOVED])
        lot.status = Status.DESTROYED
        lot.save(update_fields=["status"])
        ctx.lots.append(lot)
    return ActOutcome(DICE_DESTROYED({"lots": sorted(set(lots)), "how": how}))
