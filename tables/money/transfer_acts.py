"""Fills (cage to table) and credits (table to cage): requested, prepared, handed over, received, voided, canceled.

A fill is in the tray once it is received there. A credit has left the tray once it is handed over. Each step is taken
once, under the table's lock, so that a repeated or late command moves nothing twice.
"""

from collections import Counter
from typing import Annotated, cast

from django.db.models import F

from audit.models import Person
from games.act_forms import Chips, Text, found, whole
from games.engine import Refusal
from games.engine.refusals import RefusalCode
from games.params import Params
from tables.core.alerts import raise_alert
from tables.core.context import TableContext
from tables.core.permissions import AT_THE_TABLE, CAGE, FLOOR
from tables.models import ChipDiscrepancy, ChipTransfer, SlipNumbers, TableInventory, TrayPar
from tables.money.alert_rules import REFUSED_COUNTS
from tables.money.discrepancies import report_discrepancy
from tables.money.entry_types import (
    DISCREPANCY_REPORTED,
    TRANSFER_CANCELED,
    TRANSFER_CARRIER_SIGNED,
    TRANSFER_COUNT_REFUSED,
    TRANSFER_HANDED_OVER,
    TRANSFER_PREPARED,
    TRANSFER_RECEIVED,
    TRANSFER_REQUESTED,
    TRANSFER_VOIDED,
    Transfer,
    TransferCountRefused,
    TransferEnded,
    TransferKind,
)
from tables.money.inventory import UNDER_WAY, change_tray, exact_cents, require_inventory, section_of
from tables.money.refusals import (
    COUNT_AGREES,
    FILL_ABOVE_PAR,
    FILL_IS_SIGNED_IN_CAGE,
    NO_CHIPS_COUNTED,
    NO_SUCH_TRANSFER,
    RECEIPT_DIFFERS,
    TOO_FEW_CHIPS_IN_TRAY,
    TRANSFER_NOT_AT_THIS_STEP,
    TRAY_ABOVE_PAR,
)
from tables.money.signing import (
    CARRIERS,
    cage_and_security,
    carrier_who_signs,
    dealer_and_floor,
    verify_carrier_signed,
)
from tables.money.tray import differences, value_cents
from tables.runner.recorded_refusals import refuse_on_record
from tables.runner.table import ActOutcome, act
from tables.words.sentences import dollars

Kind, Status = ChipTransfer.Kind, ChipTransfer.Status
FILL, CREDIT = Kind.FILL, Kind.CREDIT
EVERYBODY = AT_THE_TABLE | CAGE
MAX_NUMBER = 2**31 - 1


def _transfer_by_number(ctx: TableContext, number: int) -> ChipTransfer:
    """The transfer of this table with this number. Raises `no-such-transfer`."""
    transfers = ChipTransfer.objects.select_related("inventory")
    transfer = transfers.filter(table=ctx.table, number=number).first()
    if transfer is None:
        raise Refusal(NO_SUCH_TRANSFER, table=ctx.table.code, number=number)
    return transfer


_Named = Annotated[ChipTransfer, found(whole(1, MAX_NUMBER), _transfer_by_number)]


@act(roles=FLOOR, depends_on="nothing")
def request_fill(ctx: TableContext, params: Params) -> ActOutcome:
    """Request chips from the cage, by denomination."""
    return _request(ctx, params, FILL)


@act(roles=FLOOR, depends_on="nothing")
def request_credit(ctx: TableContext, params: Params) -> ActOutcome:
    """Request that the cage takes chips back, by denomination."""
    return _request(ctx, params, CREDIT)


@act(roles=FLOOR | CAGE, depends_on="nothing")
def cancel_transfer(ctx: TableContext, *, transfer: _Named, reason: Text) -> ActOutcome:
    """Cancel a request that the cage has not begun to prepare. It has no slip."""
    _verify_status(ctx, transfer, Status.REQUESTED)
    return _end(ctx, transfer, Status.CANCELED, reason)


@act(roles=CAGE, depends_on="nothing")
def prepare_transfer(ctx: TableContext, *, transfer: _Named) -> ActOutcome:
    """Begin to prepare a request: it gets the next slip number of the facility."""
    _verify_status(ctx, transfer, Status.REQUESTED)
    transfer.slip_number = _next_slip_number(ctx, transfer.kind)
    transfer.status = Status.PREPARING
    transfer.prepared_at, transfer.prepared_by = ctx.now, ctx.actor
    transfer.save()
    return _outcome(ctx, transfer)


@act(roles=AT_THE_TABLE | CARRIERS, witness=True, depends_on="nothing")
def sign_to_carry(ctx: TableContext, *, transfer: _Named) -> ActOutcome:
    """Sign for the chips of a credit as its carrier, before they leave the tray. Another carrier may sign instead.

    Who carries is on duty here and signs in person: as who is signed in, or with their PIN.
    """
    if transfer.kind != CREDIT:
        raise Refusal(FILL_IS_SIGNED_IN_CAGE, section_of(ctx.table, "transfer"))
    carrier = carrier_who_signs(ctx, transfer.slip or f"request {transfer.number}")
    _verify_status(ctx, transfer, Status.PREPARING)
    transfer.carrier, transfer.carrier_signed_at = carrier, ctx.now
    transfer.save(update_fields=["carrier", "carrier_signed_at"])
    entry = TRANSFER_CARRIER_SIGNED({**_data(transfer), "carrier": carrier.code})
    return ActOutcome(entry, _answer(transfer), changes="nothing")


@act(roles=EVERYBODY, witness=True, depends_on="nothing")
def hand_over_transfer(ctx: TableContext, *, transfer: _Named) -> ActOutcome:
    """Hand the chips to security. The cashier and security sign for a fill, dealer and floor for a credit.

    The carrier of a fill signs with this act, that of a credit signed before (`sign_to_carry`). The chips of a credit
    leave the tray with this act.
    """
    if transfer.kind == FILL:
        by, carrier = cage_and_security(ctx, "transfer")
        signed_with: Person = carrier
        _verify_status(ctx, transfer, Status.PREPARING)
    else:
        by, signed_with = dealer_and_floor(ctx, "transfer")
        _verify_status(ctx, transfer, Status.PREPARING)
        carrier = verify_carrier_signed(ctx, transfer.carrier, transfer.slip)
        _verify_in_tray(ctx, transfer.cents)
        _move(ctx, credits=transfer.cents)
    transfer.status = Status.ON_THE_WAY
    transfer.handed_at, transfer.handed_by, transfer.handed_with = ctx.now, by, signed_with
    transfer.carrier = carrier
    transfer.save()
    entry = TRANSFER_HANDED_OVER({**_data(transfer), "carrier": carrier.code})
    return ActOutcome(entry, _answer(transfer), changes="nothing")


@act(roles=EVERYBODY, witness=True, depends_on="nothing")
def receive_transfer(ctx: TableContext, *, transfer: _Named, chips: Chips) -> ActOutcome:
    """Count the chips and sign for them. Dealer and floor sign for a fill, the cashier and security for a credit.

    A count that is not that of the slip is refused on the record (`receipt-differs`), and the refusal does not say what
    the slip has. The chips of a fill are in the tray with this act.
    """
    if transfer.kind == FILL:
        by, signed_with = dealer_and_floor(ctx, "transfer")
    else:
        by, signed_with = cage_and_security(ctx, "transfer")
    _verify_status(ctx, transfer, Status.ON_THE_WAY)
    if differences(transfer.chips, chips):
        return _refuse_count(ctx, transfer, chips, RECEIPT_DIFFERS)
    if transfer.kind == FILL:
        _move(ctx, fills=transfer.cents)
    transfer.status = Status.RECEIVED
    transfer.received_at, transfer.received_by, transfer.received_with = ctx.now, by, signed_with
    transfer.save()
    return _outcome(ctx, transfer)


@act(roles=EVERYBODY, witness=True, depends_on="nothing")
def report_count_difference(
    ctx: TableContext, *, transfer: _Named, chips: Chips, note: Text = ""
) -> ActOutcome:
    """Report that the chips which arrived are not those of the slip. Nothing moves, and the slip stays as it is.

    A count that is that of the slip is refused on the record (`count-agrees`).
    """
    _verify_status(ctx, transfer, Status.ON_THE_WAY)
    if not differences(transfer.chips, chips):
        return _refuse_count(ctx, transfer, chips, COUNT_AGREES)
    discrepancy, data = report_discrepancy(
        ctx,
        transfer.inventory,
        ChipDiscrepancy.Kind.TRANSFER,
        expected_chips=transfer.chips,
        expected_cents=transfer.cents,
        counted_chips=chips,
        counted_cents=value_cents(chips),
        transfer=transfer,
        note=note,
    )
    answer = {**_answer(transfer), "discrepancy": discrepancy.number}
    return ActOutcome(DISCREPANCY_REPORTED(data), answer, changes="nothing")


@act(roles=EVERYBODY, witness=True, depends_on="nothing")
def void_transfer(ctx: TableContext, *, transfer: _Named, reason: Text) -> ActOutcome:
    """Void a slip. Its number stays, and is never given again.

    The cashier voids what is being prepared. The chips of a fill that left the cage are back there: security signs
    too. The chips of a credit that left the tray are back in it: dealer and floor sign.
    """
    _verify_status(ctx, transfer, Status.PREPARING, Status.ON_THE_WAY)
    if transfer.status == Status.PREPARING:
        _verify_cashier(ctx)
    elif transfer.kind == FILL:
        cage_and_security(ctx, "transfer")
    else:
        dealer_and_floor(ctx, "transfer")
        _move(ctx, credits=-transfer.cents)
    return _end(ctx, transfer, Status.VOID, reason)


def _request(ctx: TableContext, params: Params, kind: ChipTransfer.Kind) -> ActOutcome:
    chips = params.chips("chips", values=ctx.table.facility.chip_values)
    inventory = require_inventory(ctx)
    if not chips:
        raise Refusal(NO_CHIPS_COUNTED, section_of(ctx.table, "transfer"))
    cents = value_cents(chips)
    if kind == CREDIT:
        _verify_in_tray(ctx, cents)
    else:
        _verify_within_par(ctx, inventory, chips)
    assert ctx.actor is not None
    transfer = ChipTransfer.objects.create(
        facility=ctx.table.facility,
        table=ctx.table,
        inventory=inventory,
        number=ChipTransfer.objects.filter(table=ctx.table).count() + 1,
        kind=kind,
        chips=chips,
        cents=cents,
        gaming_day=ctx.gaming_day,
        requested_at=ctx.now,
        requested_by=ctx.actor,
    )
    return ActOutcome(TRANSFER_REQUESTED(_data(transfer)), _answer(transfer), changes="nothing")


def _refuse_count(
    ctx: TableContext, transfer: ChipTransfer, chips: dict[str, int], code: RefusalCode
) -> ActOutcome:
    """Refuse a count on the record. From the second one of a slip on, the floor and surveillance are alerted."""
    transfer.refused_counts += 1
    transfer.save(update_fields=["refused_counts"])
    section = section_of(ctx.table, "transfer")
    if transfer.refused_counts >= ctx.table.facility.law.money.refused_counts:
        raise_alert(ctx, REFUSED_COUNTS.expected(ctx.table.pk, section=section, slip=transfer.slip))
    data: TransferCountRefused = {
        **_data(transfer),
        "counted_chips": chips,
        "counted_cents": value_cents(chips),
        "agrees": not differences(transfer.chips, chips),
        "refused_counts": transfer.refused_counts,
    }
    return refuse_on_record(TRANSFER_COUNT_REFUSED(data), Refusal(code, section, slip=transfer.slip))


def _verify_within_par(ctx: TableContext, inventory: TableInventory, chips: dict[str, int]) -> None:
    """Refuse a fill that no par needs. Where none is set, the opener is the measure.

    Chips of a denomination that are under way count with what is asked, and the value of the tray with both. Raises
    `fill-above-par` or `tray-above-par`.
    """
    section, rules = section_of(ctx.table, "transfer"), ctx.table.facility.law.money
    row = TrayPar.objects.filter(table=ctx.table).first()
    par, name = (row.chips, "par") if row is not None else (inventory.opener_chips, "opener")
    fills = ChipTransfer.objects.filter(inventory=inventory, kind=FILL, status__in=UNDER_WAY)
    coming: Counter[str] = Counter()
    for fill in fills:
        coming.update(fill.chips)
    for chip, number in chips.items():
        most, asked = par.get(chip, 0) * rules.fill_percent // 100, number + coming[chip]
        if asked > most:
            raise Refusal(FILL_ABOVE_PAR, section, asked=asked, chip=dollars(int(chip)), most=most, par=name)
    cents = exact_cents(ctx) + value_cents(coming) + value_cents(chips)
    most_cents = value_cents(par) * rules.tray_percent // 100
    if cents > most_cents:
        raise Refusal(TRAY_ABOVE_PAR, section, cents=dollars(cents), most=dollars(most_cents), par=name)


def _verify_status(ctx: TableContext, transfer: ChipTransfer, *statuses: ChipTransfer.Status) -> None:
    if transfer.status not in statuses:
        name = transfer.slip or f"Request {transfer.number}"
        status = Status(transfer.status).label
        section = section_of(ctx.table, "transfer")
        raise Refusal(TRANSFER_NOT_AT_THIS_STEP, section, transfer=name, status=status)


def _verify_cashier(ctx: TableContext) -> None:
    """A slip that has not left the cage is voided there, by a cashier alone."""
    if ctx.actor is None or ctx.actor.role not in CAGE:
        cage_and_security(ctx, "transfer")


def _verify_in_tray(ctx: TableContext, cents: int) -> None:
    tray = exact_cents(ctx)
    if cents > tray:
        section = section_of(ctx.table, "transfer")
        raise Refusal(TOO_FEW_CHIPS_IN_TRAY, section, tray=dollars(tray), cents=dollars(cents))


def _next_slip_number(ctx: TableContext, kind: str) -> int:
    """The next number of this kind at the facility. Its row stays locked until the act ends, so none is missing."""
    numbers = SlipNumbers.objects
    facility = ctx.table.facility
    if not numbers.filter(facility=facility).update(**{kind: F(kind) + 1}):
        numbers.get_or_create(facility=facility)
        numbers.filter(facility=facility).update(**{kind: F(kind) + 1})
    return int(numbers.values_list(kind, flat=True).get(facility=facility))


def _move(ctx: TableContext, *, fills: int = 0, credits: int = 0) -> None:
    """Add chips to the tray and to the sums of its inventory."""
    inventory: TableInventory = require_inventory(ctx)
    inventory.fills_cents += fills
    inventory.credits_cents += credits
    inventory.save(update_fields=["fills_cents", "credits_cents"])
    change_tray(ctx, fills - credits)


def _end(ctx: TableContext, transfer: ChipTransfer, status: ChipTransfer.Status, reason: str) -> ActOutcome:
    status_before = transfer.status
    transfer.status, transfer.reason = status, reason
    transfer.ended_at, transfer.ended_by, transfer.ended_with = ctx.now, ctx.actor, ctx.witness
    transfer.save()
    data = cast(TransferEnded, {**_data(transfer), "reason": reason, "was": str(status_before)})
    entry_type = TRANSFER_VOIDED if status == Status.VOID else TRANSFER_CANCELED
    return ActOutcome(entry_type(data), _answer(transfer), changes="nothing")


def _outcome(ctx: TableContext, transfer: ChipTransfer) -> ActOutcome:
    entry_type = TRANSFER_PREPARED if transfer.status == Status.PREPARING else TRANSFER_RECEIVED
    return ActOutcome(entry_type(_data(transfer)), _answer(transfer), changes="nothing")


def _data(transfer: ChipTransfer) -> Transfer:
    return {
        "transfer": transfer.number,
        "kind": cast(TransferKind, str(transfer.kind)),
        "slip": transfer.slip or None,
        "chips": transfer.chips,
        "cents": transfer.cents,
    }


def _answer(transfer: ChipTransfer) -> dict[str, int | str]:
    return {"transfer": transfer.number, "slip": transfer.slip}
