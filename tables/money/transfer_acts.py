"""Fills (cage to table) and credits (table to cage): requested, prepared, handed over, received, voided, canceled.

A fill is in the tray once it is received there. A credit has left the tray once it is handed over. Each step is taken
once, under the table's lock, so that a repeated or late command moves nothing twice.
"""

from typing import cast

from django.db.models import F

from audit.models import Person
from games.engine import Refusal
from games.params import Params
from tables.core.context import TableContext
from tables.core.permissions import AT_THE_TABLE, CAGE, FLOOR
from tables.models import ChipDiscrepancy, ChipTransfer, SlipNumbers, TableInventory
from tables.money.discrepancies import report_discrepancy
from tables.money.entry_types import (
    DISCREPANCY_REPORTED,
    TRANSFER_CANCELED,
    TRANSFER_HANDED_OVER,
    TRANSFER_PREPARED,
    TRANSFER_RECEIVED,
    TRANSFER_REQUESTED,
    TRANSFER_VOIDED,
    Transfer,
    TransferEnded,
    TransferKind,
)
from tables.money.inventory import change_tray, exact_cents, require_inventory, section_of
from tables.money.refusals import (
    COUNT_AGREES,
    NO_CHIPS_COUNTED,
    NO_SUCH_TRANSFER,
    RECEIPT_DIFFERS,
    TOO_FEW_CHIPS_IN_TRAY,
    TRANSFER_NOT_AT_THIS_STEP,
)
from tables.money.signing import cage_and_security, dealer_and_floor, security_on_duty
from tables.money.tray import difference_in_words, differences, value_cents
from tables.runner.table import ActOutcome, act
from tables.words.sentences import dollars

Kind, Status = ChipTransfer.Kind, ChipTransfer.Status
FILL, CREDIT = Kind.FILL, Kind.CREDIT
EVERYBODY = AT_THE_TABLE | CAGE
MAX_NUMBER = 2**31 - 1


@act(roles=FLOOR, depends_on="nothing")
def request_fill(ctx: TableContext, params: Params) -> ActOutcome:
    """Request chips from the cage, by denomination."""
    return _request(ctx, params, FILL)


@act(roles=FLOOR, depends_on="nothing")
def request_credit(ctx: TableContext, params: Params) -> ActOutcome:
    """Request that the cage takes chips back, by denomination."""
    return _request(ctx, params, CREDIT)


@act(roles=FLOOR | CAGE, depends_on="nothing")
def cancel_transfer(ctx: TableContext, params: Params) -> ActOutcome:
    """Cancel a request that the cage has not begun to prepare. It has no slip."""
    transfer, reason = _transfer(ctx, params), params.text("reason")
    _verify_status(ctx, transfer, Status.REQUESTED)
    return _end(ctx, transfer, Status.CANCELED, reason)


@act(roles=CAGE, depends_on="nothing")
def prepare_transfer(ctx: TableContext, params: Params) -> ActOutcome:
    """Begin to prepare a request: it gets the next slip number of the facility."""
    transfer = _transfer(ctx, params)
    _verify_status(ctx, transfer, Status.REQUESTED)
    transfer.slip_number = _next_slip_number(ctx, transfer.kind)
    transfer.status = Status.PREPARING
    transfer.prepared_at, transfer.prepared_by = ctx.now, ctx.actor
    transfer.save()
    return _outcome(ctx, transfer)


@act(roles=EVERYBODY, witness=True, depends_on="nothing")
def hand_over_transfer(ctx: TableContext, params: Params) -> ActOutcome:
    """Hand the chips to security. The cashier and security sign for a fill, dealer and floor for a credit.

    `carrier` is the security officer who carries a credit; that of a fill signs. The chips of a credit leave the
    tray with this act.
    """
    transfer = _transfer(ctx, params)
    carrier_code = params.text("carrier") if transfer.kind == CREDIT else ""
    if transfer.kind == FILL:
        by, carrier = cage_and_security(ctx, "transfer")
        signed_with: Person = carrier
    else:
        by, signed_with = dealer_and_floor(ctx, "transfer")
        carrier = security_on_duty(ctx, carrier_code)
    _verify_status(ctx, transfer, Status.PREPARING)
    if transfer.kind == CREDIT:
        _verify_in_tray(ctx, transfer.cents)
        _move(ctx, credits=transfer.cents)
    transfer.status = Status.ON_THE_WAY
    transfer.handed_at, transfer.handed_by, transfer.handed_with = ctx.now, by, signed_with
    transfer.carrier = carrier
    transfer.save()
    entry = TRANSFER_HANDED_OVER({**_data(transfer), "carrier": carrier.code})
    return ActOutcome(entry, _answer(transfer), changes="nothing")


@act(roles=EVERYBODY, witness=True, depends_on="nothing")
def receive_transfer(ctx: TableContext, params: Params) -> ActOutcome:
    """Count the chips and sign for them. Dealer and floor sign for a fill, the cashier and security for a credit.

    A count that is not that of the slip is refused (`receipt-differs`). The chips of a fill are in the tray with this
    act.
    """
    transfer, chips = _transfer(ctx, params), params.chips("chips")
    if transfer.kind == FILL:
        by, signed_with = dealer_and_floor(ctx, "transfer")
    else:
        by, signed_with = cage_and_security(ctx, "transfer")
    _verify_status(ctx, transfer, Status.ON_THE_WAY)
    if differences(transfer.chips, chips):
        words = difference_in_words(transfer.chips, chips)
        section = section_of(ctx.table, "transfer")
        raise Refusal(RECEIPT_DIFFERS, section, slip=transfer.slip, differences=words)
    if transfer.kind == FILL:
        _move(ctx, fills=transfer.cents)
    transfer.status = Status.RECEIVED
    transfer.received_at, transfer.received_by, transfer.received_with = ctx.now, by, signed_with
    transfer.save()
    return _outcome(ctx, transfer)


@act(roles=EVERYBODY, witness=True, depends_on="nothing")
def report_count_difference(ctx: TableContext, params: Params) -> ActOutcome:
    """Report that the chips which arrived are not those of the slip. Nothing moves, and the slip stays as it is."""
    transfer, chips = _transfer(ctx, params), params.chips("chips")
    note = params.text("note", default="")
    _verify_status(ctx, transfer, Status.ON_THE_WAY)
    if not differences(transfer.chips, chips):
        raise Refusal(COUNT_AGREES, section_of(ctx.table, "transfer"), slip=transfer.slip)
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
def void_transfer(ctx: TableContext, params: Params) -> ActOutcome:
    """Void a slip. Its number stays, and is never given again.

    The cashier voids what is being prepared. The chips of a fill that left the cage are back there: security signs
    too. The chips of a credit that left the tray are back in it: dealer and floor sign.
    """
    transfer, reason = _transfer(ctx, params), params.text("reason")
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
    chips = params.chips("chips")
    inventory = require_inventory(ctx)
    if not chips:
        raise Refusal(NO_CHIPS_COUNTED, section_of(ctx.table, "transfer"))
    cents = value_cents(chips)
    if kind == CREDIT:
        _verify_in_tray(ctx, cents)
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


def _transfer(ctx: TableContext, params: Params) -> ChipTransfer:
    """The transfer of this table that the request names. Raises `no-such-transfer`."""
    number = params.integer("transfer", 1, MAX_NUMBER)
    transfers = ChipTransfer.objects.select_related("inventory")
    transfer = transfers.filter(table=ctx.table, number=number).first()
    if transfer is None:
        raise Refusal(NO_SUCH_TRANSFER, table=ctx.table.code, number=number)
    return transfer


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
