"""Acts of control in the dice room: the physical count, and the register of the instruments that measure dice."""

from typing import cast

from games.act_forms import Text
from games.engine import Refusal
from games.params import Params
from tables.core.permissions import DICE_KEEPERS
from tables.dice import custody
from tables.dice.deadlines import COUNTED_STATUSES, countable_lots
from tables.dice.entry_types import (
    DICE_COUNTED,
    INSTRUMENT_CALIBRATED,
    INSTRUMENT_REGISTERED,
    INSTRUMENT_RETIRED,
    CountedLots,
    DiceCounted,
    InstrumentCalibrated,
)
from tables.dice.instruments import KINDS, locked_instrument
from tables.dice.refusals import CALIBRATION_DATES, COUNT_DIFFERS, INSTRUMENT_CODE_TAKEN
from tables.models import DiceCount, DiceLot, Instrument
from tables.runner.facility import DICE, ActOutcome, FacilityContext, facility_act
from tables.runner.signatures import verify_two_departments

MAX_COUNT = 100_000


@facility_act(DICE, roles=DICE_KEEPERS, witness=True)
def count_dice(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Record a physical count of the lots that are at no table. A count that differs says what was found.

    Two departments sign.
    """
    counted = {status: params.integer(status, 0, MAX_COUNT) for status in COUNTED_STATUSES}
    note = params.text("note", default="")
    section = custody.duty_section(ctx.facility, "count")
    verify_two_departments(ctx, section)
    assert ctx.witness is not None
    expected = countable_lots(ctx.facility)
    differences = [
        f"{DiceLot.Status(status).label} {expected[status]} by the record, {counted[status]} counted"
        for status in COUNTED_STATUSES
        if counted[status] != expected[status]
    ]
    if differences and not note:
        raise Refusal(COUNT_DIFFERS, section, differences="; ".join(differences))
    DiceCount.objects.create(
        facility=ctx.facility,
        counted_at=ctx.now,
        counted=counted,
        expected=expected,
        note=note,
        counted_by=ctx.actor,
        counted_with=ctx.witness,
        seq=ctx.stream.seq + 1,
    )
    data: DiceCounted = {
        "counted": cast(CountedLots, counted),
        "expected": cast(CountedLots, expected),
        "note": note,
        "section": section,
    }
    return ActOutcome(DICE_COUNTED(data))


@facility_act(DICE, roles=DICE_KEEPERS)
def register_instrument(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Add a micrometer, a balancing caliper or a set square with its calibration. Raises `instrument-code-taken`."""
    code, kind = params.code("instrument"), params.choice("kind", KINDS)
    serial = params.text("serial", default="", max_length=40)
    instrument = Instrument(facility=ctx.facility, code=code, kind=kind, serial=serial)
    calibration = _read_calibration(ctx, instrument, params)
    if Instrument.objects.filter(facility=ctx.facility, code=code).exists():
        raise Refusal(INSTRUMENT_CODE_TAKEN, instrument=code)
    instrument.save()
    return ActOutcome(INSTRUMENT_REGISTERED({**calibration, "kind": kind, "serial": serial}))


@facility_act(DICE, roles=DICE_KEEPERS)
def calibrate_instrument(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Record a new calibration of an instrument. One that was out of service may measure again."""
    instrument = locked_instrument(ctx, params.text("instrument"))
    calibration = _read_calibration(ctx, instrument, params)
    instrument.retired_at, instrument.retired_why = None, ""
    instrument.save()
    return ActOutcome(INSTRUMENT_CALIBRATED(calibration))


@facility_act(DICE, roles=DICE_KEEPERS)
def retire_instrument(ctx: FacilityContext, *, instrument_code: Text, why: Text) -> ActOutcome:
    """Take an instrument out of service: nothing is measured with it until it is calibrated again."""
    instrument = locked_instrument(ctx, instrument_code)
    instrument.retired_at, instrument.retired_why = ctx.now, why
    instrument.save()
    return ActOutcome(INSTRUMENT_RETIRED({"instrument": instrument.code, "why": why}))


def _read_calibration(ctx: FacilityContext, instrument: Instrument, params: Params) -> InstrumentCalibrated:
    """Read a calibration into the instrument. Raises `calibration-dates`."""
    begins, ends = params.date("calibrated_on"), params.date("ends_on")
    certificate = params.text("certificate", default="", max_length=80)
    if not begins <= ctx.today or ends < begins:
        raise Refusal(CALIBRATION_DATES)
    instrument.calibrated_on, instrument.calibration_ends_on = begins, ends
    instrument.certificate = certificate
    return {
        "instrument": instrument.code,
        "calibrated_on": begins.isoformat(),
        "ends_on": ends.isoformat(),
        "certificate": certificate,
    }
