"""The instruments that measure dice: a register with calibrations. Only a calibrated instrument measures."""

from typing import get_args

from games.engine import Refusal
from games.office.pdf.approval import calendar_day
from tables.dice.entry_types import InstrumentKind
from tables.dice.refusals import CALIBRATION_ENDED, INSTRUMENT_RETIRED, NO_SUCH_INSTRUMENT
from tables.models import Instrument
from tables.runner.facility import FacilityContext

KINDS: tuple[InstrumentKind, ...] = get_args(InstrumentKind)


def locked_instrument(ctx: FacilityContext, code: str) -> Instrument:
    """Lock and return an instrument of this facility, until the transaction ends. Raises `no-such-instrument`."""
    rows = Instrument.objects.select_for_update(of=("self",)).filter(facility=ctx.facility, code=code)
    instrument = rows.first()
    if instrument is None:
        raise Refusal(NO_SUCH_INSTRUMENT, kind="instrument", instrument=code)
    return instrument


def verify_calibrated(ctx: FacilityContext, kind: str, code: str) -> None:
    """Verify that this instrument may measure today.

    Raises `no-such-instrument`, `instrument-retired` or `calibration-ended`.
    """
    words = {"kind": Instrument.Kind(kind).label, "instrument": code}
    instrument = Instrument.objects.filter(facility=ctx.facility, kind=kind, code=code).first()
    if instrument is None:
        raise Refusal(NO_SUCH_INSTRUMENT, **words)
    if instrument.retired_at is not None:
        raise Refusal(INSTRUMENT_RETIRED, **words, why=instrument.retired_why)
    if not instrument.calibrated_on <= ctx.today <= instrument.calibration_ends_on:
        raise Refusal(CALIBRATION_ENDED, **words, day=calendar_day(instrument.calibration_ends_on))
