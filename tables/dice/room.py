"""The dice room: lots received, measured and stored, the physical count, their destruction, and the instruments.

Two departments sign each act on dice. A lot is received (`receive_dice`), measured die by die with calibrated
instruments and stored or rejected (`inspect_dice`), and canceled or destroyed once it is out of play
(`destroy_dice`); at a table it is the subject of `tables.dice.at_tables`.

The file of the jurisdiction sets two deadlines (`games.jurisdictions.CustodyRules`): the next physical count
(`count_dice`), and by when lots that are out of play are destroyed. Training dice have none. The page of the dice
lists them, and an alert is raised where one has passed.

Instruments are in a register with their calibrations. Only a calibrated one measures.
"""

import datetime as dt
from dataclasses import dataclass
from typing import Annotated, cast, get_args

from django.db.models import Count

from audit.columns import ACTOR, AT, FACILITY, NONE, SEQ, WITNESS, Body, Rows, constant, declare, same
from audit.days import day_in_words
from audit.models import Entry
from games.act_forms import Text, objects, text, words
from games.engine import Refusal, RefusalCode
from games.models import Facility
from games.params import Params, malformed
from tables.core.alerts import (
    AlertKind,
    AlertRule,
    ExpectedAlert,
    Level,
    alert_rule,
    live_tables,
    tables_concerned,
)
from tables.core.duty import DICE_KEEPERS
from tables.dice import custody
from tables.dice.custody import (
    DICE_COUNTED,
    DICE_DESTROYED,
    DICE_LOT_REJECTED,
    DICE_LOT_STORED,
    DICE_RECEIVED,
    INSTRUMENT_CALIBRATED,
    INSTRUMENT_REGISTERED,
    INSTRUMENT_RETIRED,
    OF_LOT,
    CountedLots,
    Destruction,
    DiceColors,
    DiceLotMeasured,
    DiceReceivedLot,
    InstrumentCalibrated,
    InstrumentKind,
    Instruments,
    MeasuredDie,
    Status,
)
from tables.models import DiceCount, DiceLot, DiceMeasurement, Instrument, LotStep, Table
from tables.runner.facility import DICE, ActOutcome, FacilityContext, facility_act
from tables.runner.signatures import verify_two_departments

LOT_CODE_TAKEN = RefusalCode("lot-code-taken", "There is already a dice lot %(lot)s. Use another code.")
MEASURE_EVERY_DIE = RefusalCode(
    "measure-every-die",
    "Lot %(lot)s has %(dice)s dice, but %(measured)s were measured. Measure every die.",
)
COUNT_DIFFERS = RefusalCode(
    "count-differs",
    "The count differs from the record: %(differences)s. Count again. If it is the same, say what you found.",
    "The count differs",
)
NO_SUCH_INSTRUMENT = RefusalCode(
    "no-such-instrument",
    "There is no %(kind)s %(instrument)s in the register. Add it under Dice, Counts and instruments.",
)
INSTRUMENT_CODE_TAKEN = RefusalCode(
    "instrument-code-taken",
    "There is already an instrument %(instrument)s. Use another code, or record its calibration.",
)
INSTRUMENT_IS_RETIRED = RefusalCode(
    "instrument-retired",
    "The %(kind)s %(instrument)s is out of service: %(why)s. Use another one.",
)
CALIBRATION_ENDED = RefusalCode(
    "calibration-ended",
    "The calibration of the %(kind)s %(instrument)s ended on %(day)s. Use another one, or record its new calibration.",
    "Not calibrated",
)
CALIBRATION_DATES = RefusalCode(
    "calibration-dates",
    "A calibration begins today or earlier, and ends on that day or later. Correct the dates.",
)
MAX_LOTS, MAX_TO_DESTROY, MAX_DICE, MAX_UM = 100, 500, 12, 100_000
MAX_COUNT = 100_000
# A setting of the facility: 0.005 inch. The text on a die's tolerance is not among those supplied.
TOLERANCE_UM = 127


# Instruments: registered, calibrated, out of service


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
        raise Refusal(INSTRUMENT_IS_RETIRED, **words, why=instrument.retired_why)
    if not instrument.calibrated_on <= ctx.today <= instrument.calibration_ends_on:
        raise Refusal(CALIBRATION_ENDED, **words, day=day_in_words(instrument.calibration_ends_on))


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
    return ActOutcome(INSTRUMENT_REGISTERED(**calibration, kind=kind, serial=serial))


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
    return ActOutcome(INSTRUMENT_RETIRED(instrument=instrument.code, why=why))


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


# Received, measured and stored


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
    type_ = DICE_LOT_REJECTED if bad else DICE_LOT_STORED
    return ActOutcome(type_(data))


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


# Deadlines: the next count, and the destruction of lots that are out of play


COUNTED_STATUSES = (Status.RECEIVED.value, Status.STORED.value, Status.REMOVED.value, Status.REJECTED.value)
TO_DESTROY = (Status.REMOVED, Status.REJECTED)


@dataclass(frozen=True)
class DiceDeadline:
    """Something that is due in the dice room: the physical count (no lot), or the destruction of a lot."""

    due_at: dt.datetime
    lot: DiceLot | None = None
    is_late: bool = False


def dice_deadlines(facility: Facility, now: dt.datetime) -> list[DiceDeadline]:
    """Return the deadlines of a facility, the first due first."""
    deadlines = destructions_due(facility, now)
    counted_by = count_due_at(facility)
    if counted_by is not None:
        deadlines.append(DiceDeadline(counted_by, is_late=counted_by <= now))
    return sorted(deadlines, key=lambda deadline: deadline.due_at)


def destructions_due(facility: Facility, now: dt.datetime) -> list[DiceDeadline]:
    """Return by when each lot that is out of play or rejected is canceled or destroyed, the first due first."""
    hours = facility.law.custody.destruction_hours
    if not hours:
        return []
    lots = DiceLot.objects.filter(
        facility=facility, status__in=TO_DESTROY, training=False, to_destroy_since__isnull=False
    )
    lots = lots.exclude(table__kind=Table.Kind.SIMULATED)
    time = dt.timedelta(hours=hours)
    deadlines = []
    for lot in lots.select_related("table").order_by("to_destroy_since", "pk"):
        assert lot.to_destroy_since is not None
        due_at = lot.to_destroy_since + time
        deadlines.append(DiceDeadline(due_at, lot, due_at <= now))
    return deadlines


def count_due_at(facility: Facility) -> dt.datetime | None:
    """Return when the next physical count is due; None where none is, or while there was never any dice here.

    Without a count it is counted from the first entry about a lot.
    """
    days = facility.law.custody.count_days
    since = last_count_at(facility) if days else None
    return since + dt.timedelta(days=days) if since is not None else None


def last_count_at(facility: Facility) -> dt.datetime | None:
    """Return the moment of the last count, or of the first entry about a lot."""
    count = DiceCount.objects.filter(facility=facility).order_by("-counted_at").first()
    if count is not None:
        return count.counted_at
    step = LotStep.objects.filter(lot__facility=facility).order_by("pk").first()
    if step is None:
        return None
    return Entry.objects.filter(stream=step.stream_id, seq=step.seq).values_list("at", flat=True).first()


# Counted and destroyed


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
    return ActOutcome(
        DICE_COUNTED(
            counted=cast(CountedLots, counted),
            expected=cast(CountedLots, expected),
            note=note,
            section=section,
        )
    )


def countable_lots(facility: Facility) -> dict[str, int]:
    """Return how many lots are at no table by the record, by status."""
    lots = DiceLot.objects.filter(facility=facility, status__in=COUNTED_STATUSES)
    counts = lots.exclude(table__kind=Table.Kind.SIMULATED).values_list("status")
    return dict.fromkeys(COUNTED_STATUSES, 0) | dict(counts.annotate(Count("pk")).order_by())


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
        raise malformed("lots")
    for code in sorted(set(lots)):
        lot = custody.locked_lot(ctx.facility, code)
        custody.verify_status(lot, [Status.REJECTED, Status.REMOVED])
        lot.status = Status.DESTROYED
        lot.save(update_fields=["status"])
        ctx.lots.append(lot)
    return ActOutcome(DICE_DESTROYED(lots=sorted(set(lots)), how=how))


# Alerts about a deadline that has passed


DEADLINE_TICKS = 60
LATE_DESTRUCTION = AlertKind(
    "late-destruction",
    "late-destruction",
    Level.WARN,
    "Dice to destroy",
    "Dice of this table are late for destruction",
    "Lot %(lot)s was due %(day)s. The page of the dice lists every lot that is late.",
)
LATE_COUNT = AlertKind(
    "late-count",
    "late-count",
    Level.WARN,
    "Dice to count",
    "The physical count of the dice is late",
    "It was due %(day)s. Count the dice, and record the count on the page of the dice.",
)


def late_deadlines(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return the deadlines of the dice room that have passed.

    A late destruction is an alert at the last table of the lot, the first lot for each table. What belongs to no table
    is an alert at one table in play: a facility has no screen of its own.
    """
    return [
        alert
        for facility in Facility.objects.all()
        for alert in _late_at(facility, now)
        if table_id in (None, alert.table_id)
    ]


def _late_at(facility: Facility, now: dt.datetime) -> list[ExpectedAlert]:
    rules = facility.law.custody
    if not (rules.destruction_hours or rules.count_days):
        return []
    late = [deadline for deadline in destructions_due(facility, now) if deadline.is_late]
    counted_by = count_due_at(facility)
    is_count_late = counted_by is not None and counted_by <= now
    if not late and not is_count_late:
        return []
    live = set(live_tables().filter(facility=facility).values_list("pk", flat=True))
    anywhere = tables_concerned(facility.code)[:1]
    alerts: dict[int, ExpectedAlert] = {}
    for deadline in late:
        assert deadline.lot is not None
        own = deadline.lot.table_id if deadline.lot.table_id in live else None
        for pk in [own] if own is not None else anywhere:
            day = _local_day(facility, deadline.due_at)
            alerts.setdefault(pk, LATE_DESTRUCTION.expected(pk, lot=deadline.lot.code, day=day))
    expected = list(alerts.values())
    if counted_by is not None and is_count_late:
        expected += [LATE_COUNT.expected(pk, day=_local_day(facility, counted_by)) for pk in anywhere]
    return expected


def _local_day(facility: Facility, moment: dt.datetime) -> str:
    local = facility.local(moment)
    return f"{local.day} {local:%b %H:%M}"


alert_rule(AlertRule((LATE_COUNT, LATE_DESTRUCTION), late_deadlines, DEADLINE_TICKS))


# What the entries state of measures, instruments and counts


# What the entries state of measures, instruments and counts


# What the entries state


def die_measured(rows: Rows, body: Body) -> None:
    for die in body["data"]["dice"]:
        values = {name: die[name] for name in ("low_um", "high_um", "balanced", "square", "good")}
        rows.put(body, FACILITY(body), body["data"]["lot"], die["die"], unmarked=die["clean"], **values)


declare(
    DiceMeasurement,
    "measure of die",
    key={"facility": FACILITY, "lot": "lot", "die": "die"},
    folded={DICE_LOT_STORED: die_measured, DICE_LOT_REJECTED: die_measured},
    folded_columns=("low_um", "high_um", "balanced", "square", "good", "unmarked"),
    readings=OF_LOT,
)
CALIBRATION = {
    **same("calibrated_on", "certificate"),
    "calibration_ends_on": "ends_on",
    "retired_at": NONE,
    "retired_why": constant(""),
}
declare(
    Instrument,
    "instrument",
    may_be_seeded=True,
    key={"facility": FACILITY, "code": "instrument"},
    created={INSTRUMENT_REGISTERED: {**same("kind", "serial"), **CALIBRATION}},
    changed={
        INSTRUMENT_CALIBRATED: CALIBRATION,
        INSTRUMENT_RETIRED: {"retired_at": AT, "retired_why": "why"},
    },
)
declare(
    DiceCount,
    "count of dice by entry",
    key={"facility": FACILITY, "seq": SEQ},
    created={
        DICE_COUNTED: {
            **same("counted", "expected", "note"),
            "counted_at": AT,
            "counted_by": ACTOR,
            "counted_with": WITNESS,
        }
    },
)
