"""Fills and credits: chips that move between the cage and a table, each on a numbered slip.

1. The floor requests chips for the tray (`request_fill`, up to its par), or that the cage takes some back
   (`request_credit`). Floor or cage may cancel it (`cancel_transfer`).
2. The cage prepares it (`prepare_transfer`): it gets the next slip number of the facility, F-0131 or C-0042.
3. The chips are handed over (`hand_over_transfer`). Of a fill, cashier and security sign in the cage; of a credit the
   carrier signs first (`sign_to_carry`, the row `credits` of the policy), then dealer and floor.
4. They are counted where they arrive and signed for (`receive_transfer`): a fill by dealer and floor, a credit by
   cashier and security. A count that is not that of the slip is refused on the record, without telling what the slip
   has; from the second one on an alert is raised. If it still differs, `report_count_difference` makes it a
   discrepancy.

A slip may be voided before (`void_transfer`); its number stays, and is never given again. A fill is in the tray once it
is received there, a credit has left it once it is handed over. Each step is taken once, under the table's lock, so that
a repeated or late command moves nothing twice. The cage's page and the slip's paper are `tables.money.cage`.
"""

import datetime as dt
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Literal, TypedDict, Unpack, cast

from django.db.models import F, QuerySet

from audit.columns import (
    ACTOR,
    AT,
    DAY,
    FACILITY,
    NONE,
    STREAM,
    WITNESS,
    Body,
    Rows,
    Source,
    code_number,
    constant,
    declare,
    same,
)
from audit.entry_types import EntryType, entry_type
from audit.models import Person
from games.act_forms import Chips, Text, found, whole
from games.engine import Refusal, RefusalCode
from games.jurisdictions import SeparationRow
from games.models import Facility
from games.params import Params
from games.separation import policy
from games.separation.signatures import Paper, Step, declare_paper, verify_signed_before
from games.snapshot_types import TransferFacts, TransferKind, TransferStatus
from tables.core.alerts import AlertKind, Level, raise_alert
from tables.core.context import TableContext, UnderWay
from tables.core.duty import AT_THE_TABLE, CAGE, FLOOR, is_on_duty
from tables.models import ChipDiscrepancy, ChipTransfer, SlipNumbers, TableInventory, TrayPar
from tables.models.money import slip_of
from tables.money.chips import ChipCount, differences, value_cents
from tables.money.tray import (
    DISCREPANCY_REPORTED,
    MAX_NUMBER,
    MONEY,
    OF_INVENTORY,
    change_tray,
    dealer_and_floor,
    exact_cents,
    report_discrepancy,
    require_inventory,
    section_of,
    signed,
    signers,
    unsigned,
    verify_in_tray,
)
from tables.runner.signatures import step_signers
from tables.runner.table import ActOutcome, act, refuse_on_record
from tables.words import overtaken_by
from tables.words.sentences import dollars, moment

CAGE_AND_SECURITY_MUST_SIGN = RefusalCode(
    "cage-and-security-must-sign",
    "A cage cashier and a security officer must sign, each with their own PIN.",
    "Two signatures needed",
)
TRANSFERS_UNDER_WAY = RefusalCode(
    "transfers-under-way",
    "Before the closer, finish or void what is under way: %(transfers)s.",
    "Fills or credits under way",
)
NO_CHIPS_COUNTED = RefusalCode(
    "no-chips-counted",
    "Enter how many chips of each value.",
    "Nothing entered",
)
NO_SUCH_TRANSFER = RefusalCode(
    "no-such-transfer",
    "%(table)s has no fill or credit with number %(number)s.",
    "No such transfer",
)
TRANSFER_NOT_AT_THIS_STEP = RefusalCode(
    "transfer-not-at-this-step",
    "%(transfer)s is %(status)s. Reload the page and continue from there.",
    "At another step",
)
RECEIPT_DIFFERS = RefusalCode(
    "receipt-differs",
    "Your count does not match slip %(slip)s. Count again. If it still differs, report the difference. The record has "
    "this count.",
    "Count differs",
)
COUNT_AGREES = RefusalCode(
    "count-agrees",
    "This count matches slip %(slip)s, so there is no difference to report. Sign for it.",
    "The count agrees",
)
CARRIER_MUST_SIGN = RefusalCode(
    "carrier-must-sign",
    "Who carries slip %(slip)s signs with their own PIN before its chips leave the tray: %(who)s, on duty here. Ask "
    "them to sign.",
    "The carrier signs first",
)
FILL_IS_SIGNED_IN_CAGE = RefusalCode(
    "fill-is-signed-in-cage",
    "The carrier of a fill signs in the cage, when it is handed over. Nothing is signed for it here.",
    "Signed in the cage",
)
FILL_ABOVE_PAR = RefusalCode(
    "fill-above-par",
    "%(asked)s chips of %(chip)s would be under way to this table, and by its %(par)s at most %(most)s may be. Ask for "
    "fewer, or have the par changed.",
    "More than the par",
)
TRAY_ABOVE_PAR = RefusalCode(
    "tray-above-par",
    "With this fill the tray would be worth %(cents)s, and by its %(par)s at most %(most)s may be here. Send chips "
    "back first, or have the par changed.",
    "More than the par",
)

Kind, Status = ChipTransfer.Kind, ChipTransfer.Status
FILL, CREDIT = Kind.FILL, Kind.CREDIT
SLIP_PEOPLE = (
    *("requested_by", "prepared_by", "handed_by", "handed_with", "carrier"),
    *("received_by", "received_with", "ended_by", "ended_with"),
)
UNDER_WAY = (Status.REQUESTED, Status.PREPARING, Status.ON_THE_WAY)


# What the record says of a slip


class Transfer(TypedDict):
    """A fill or credit as it is at the moment of the entry."""

    transfer: Annotated[int, "number of the fill or credit at this table"]
    kind: Annotated[TransferKind, "fill: cage to table; credit: table to cage"]
    slip: Annotated[str | None, "number of its slip, such as F-0131; null before the cage has given it"]
    chips: ChipCount
    cents: Annotated[int, "value of the chips"]


class TransferEnded(Transfer):
    reason: Annotated[str, "why, in a person's words"]
    was: Annotated[Literal["requested", "preparing", "on-the-way"], "how far it was"]


def transfer_name(data: Transfer) -> str:
    """`Fill F-0131, $17,000`."""
    kind = "Fill" if data["kind"] == "fill" else "Credit"
    return " ".join(filter(None, (kind, data["slip"]))) + f", {dollars(data['cents'])}"


TRANSFER_REQUESTED = entry_type(
    "transfer.requested",
    Transfer,
    "The floor requested a fill or a credit.",
    lambda data: f"{transfer_name(data)}: requested",
)
TRANSFER_PREPARED = entry_type(
    "transfer.prepared",
    Transfer,
    "The cage prepares a fill or a credit, and gave it the next slip number.",
    lambda data: f"{transfer_name(data)}: being prepared",
)


@entry_type("transfer.carrier_signed")
def TRANSFER_CARRIER_SIGNED(
    *,
    carrier: Annotated[str, "code of the security officer who signed to carry the chips"],
    **data: Unpack[Transfer],
) -> str:
    """The security officer who carries a credit signed for it, before its chips left the tray."""
    return f"{transfer_name(data)}: the carrier signed"


@entry_type("transfer.count_refused")
def TRANSFER_COUNT_REFUSED(
    *,
    counted_chips: Annotated[dict[str, int], "what was counted, by value in cents"],
    counted_cents: Annotated[int, "value of what was counted"],
    agrees: Annotated[bool, "true for a count that was reported as differing and is that of the slip"],
    refused_counts: Annotated[int, "how many counts of this slip were refused, with this one"],
    **data: Unpack[Transfer],
) -> str:
    """A count of the chips of a fill or credit was refused, because it is not that of the slip. Nothing moved."""
    how = "that agrees was reported" if agrees else "differs"
    return f"{transfer_name(data)}: a count {how}, refused; number {refused_counts}"


@entry_type("transfer.handed_over")
def TRANSFER_HANDED_OVER(
    *, carrier: Annotated[str, "code of the security officer who carries the chips"], **data: Unpack[Transfer]
) -> str:
    """The chips of a fill left the cage, or those of a credit left the tray, with security."""
    return f"{transfer_name(data)}: with security"


TRANSFER_RECEIVED = entry_type(
    "transfer.received",
    Transfer,
    "The chips of a fill were counted into the tray, or those of a credit into the cage, and signed for by two people.",
    lambda data: f"{transfer_name(data)}: received",
)
TRANSFER_VOIDED = entry_type(
    "transfer.voided",
    TransferEnded,
    "A slip was voided. Its number stays, and is never given again.",
    lambda data: f"{transfer_name(data)}: void",
)
TRANSFER_CANCELED = entry_type(
    "transfer.canceled",
    TransferEnded,
    "A request was canceled before the cage prepared it. It has no slip.",
    lambda data: f"{transfer_name(data)}: canceled",
)
overtaken_by(
    TRANSFER_NOT_AT_THIS_STEP,
    *(TRANSFER_PREPARED, TRANSFER_CARRIER_SIGNED, TRANSFER_HANDED_OVER, TRANSFER_RECEIVED),
    *(TRANSFER_VOIDED, TRANSFER_CANCELED),
)


def note_inventory(rows: Rows, body: Body) -> None:
    """Remember which inventory of a table is open: an entry of a transfer does not name it."""
    rows.memory[body["stream"]] = body["data"]["inventory"]


def _of_open_inventory(rows: Rows, body: Body) -> None:
    stream = body["stream"]
    rows.put(body, stream, body["data"]["transfer"], inventory=rows.memory[stream])


_ENDED: dict[str, Source] = {"reason": "reason", "ended_at": AT, "ended_by": ACTOR, "ended_with": WITNESS}

declare(
    ChipTransfer,
    "transfer",
    key={"stream": STREAM, "number": "transfer"},
    created={
        TRANSFER_REQUESTED: {
            **same("kind", "chips", "cents"),
            "facility": FACILITY,
            "gaming_day": DAY,
            "requested_at": AT,
            "requested_by": ACTOR,
            "status": constant("requested"),
            "refused_counts": constant(0),
            "reason": constant(""),
            **unsigned("handed", "received"),
            **dict.fromkeys(
                ("slip_number", "prepared_at", "prepared_by", "carrier", "carrier_signed_at"), NONE
            ),
            **dict.fromkeys(("ended_at", "ended_by", "ended_with"), NONE),
        }
    },
    changed={
        TRANSFER_PREPARED: {
            "status": constant("preparing"),
            "slip_number": code_number("slip"),
            "prepared_at": AT,
            "prepared_by": ACTOR,
        },
        TRANSFER_CARRIER_SIGNED: {"carrier": "carrier", "carrier_signed_at": AT},
        TRANSFER_COUNT_REFUSED: same("refused_counts"),
        TRANSFER_HANDED_OVER: {"status": constant("on-the-way"), **signed("handed"), **same("carrier")},
        TRANSFER_RECEIVED: {"status": constant("received"), **signed("received")},
        TRANSFER_VOIDED: {**_ENDED, "status": constant("void")},
        TRANSFER_CANCELED: {**_ENDED, "status": constant("canceled")},
    },
    folded={"inventory.opener_counted": note_inventory, TRANSFER_REQUESTED: _of_open_inventory},
    folded_columns=["inventory"],
    readings={**OF_INVENTORY, **signers("handed", "received")},
    findings=MONEY,
)


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


# Who signs


CREDITS = "credits"  # the row of the policy
CARRIERS = policy.roles_of(CREDITS, "approve")


AT_THE_CAGE = {"fill": "hand-over", "credit": "receipt"}  # the step that cashier and security sign
AT_THE_TRAY = {"fill": "receipt", "credit": "hand-over"}  # the step that dealer and floor sign


def cage_and_security(ctx: TableContext, transfer: ChipTransfer) -> tuple[Person, ...]:
    """Return the cage cashier and the security officer. Raises `cage-and-security-must-sign`."""
    refusal = Refusal(CAGE_AND_SECURITY_MUST_SIGN, section_of(ctx.table, "transfer"))
    return step_signers(ctx, transfer.kind, AT_THE_CAGE[transfer.kind], refusal)


def dealer_and_floor_of(ctx: TableContext, transfer: ChipTransfer) -> tuple[Person, ...]:
    """Return the dealer and the floorperson. Raises `dealer-and-floor-must-sign`."""
    return dealer_and_floor(ctx, transfer.kind, AT_THE_TRAY[transfer.kind], "transfer")


def carrier_who_signs(ctx: TableContext, transfer: ChipTransfer) -> Person:
    """Return who signs to carry a credit, by the row `credits`. Raises `carrier-must-sign`."""
    row = policy.row_of(ctx.table.facility.law, CREDITS)
    refusal = _carrier_must_sign(ctx, transfer.slip or f"request {transfer.number}", row)
    return step_signers(ctx, CREDIT, "carry", refusal)[0]


def verify_carrier_signed(ctx: TableContext, carrier: Person | None, slip: str) -> Person:
    """Return the carrier of a credit, who signed and is still on duty here. Raises `carrier-must-sign`."""
    if carrier is None or not is_on_duty(carrier, ctx.table):
        raise _carrier_must_sign(ctx, slip, policy.row_of(ctx.table.facility.law, CREDITS))
    return carrier


def _carrier_must_sign(ctx: TableContext, slip: str, row: SeparationRow) -> Refusal:
    section = section_of(ctx.table, "transfer")
    return Refusal(CARRIER_MUST_SIGN, section, slip=slip, who=policy.in_words(row.approve))


def _verify_cashier(ctx: TableContext, transfer: ChipTransfer) -> None:
    """A slip that has not left the cage is voided there, by a cashier alone."""
    if ctx.actor is None or ctx.actor.role not in CAGE:
        cage_and_security(ctx, transfer)


# The slip as a paper that people sign


class TransferSlip(Paper[ChipTransfer]):
    """A fill or a credit: where its chips leave and where they come two people sign, of a credit its carrier before."""

    def __init__(self, kind: ChipTransfer.Kind, title: str) -> None:
        self.code, self.title = str(kind), title

    def rows(self, facility: Facility) -> QuerySet[ChipTransfer]:
        rows = ChipTransfer.objects.filter(facility=facility, kind=self.code)
        return rows.select_related("facility", "table__dealer", "table__floorperson", *SLIP_PEOPLE)

    def key(self, row: ChipTransfer) -> tuple[Facility, str, int]:
        return row.facility, row.table.code, row.number

    def name(self, row: ChipTransfer) -> str:
        return f"{Kind(row.kind).label.capitalize()} {row.slip or f'request {row.number}'}"

    def day(self, row: ChipTransfer) -> dt.date:
        return row.gaming_day

    def is_ended(self, row: ChipTransfer) -> bool:
        return row.status in (Status.VOID, Status.CANCELED)

    def steps(self, row: ChipTransfer) -> dict[str, Step]:
        """Its steps, with who is expected to sign: those at the posts of the table, its cashier and its carrier."""
        at_table = (name_of(row.table.dealer), name_of(row.table.floorperson))
        at_cage = (name_of(row.prepared_by), name_of(row.carrier))
        is_prepared = row.prepared_at is not None
        leaves = Step(row.handed_at, (row.handed_by, row.handed_with), is_next=is_prepared)
        comes = Step(row.received_at, (row.received_by, row.received_with), is_next=row.handed_at is not None)
        if row.kind == FILL:
            return {
                "hand-over": replace(leaves, expected=(at_cage[0], "")),
                "receipt": replace(comes, expected=at_table),
            }
        return {
            "carry": Step(row.carrier_signed_at, (row.carrier,), is_next=is_prepared and not row.handed_at),
            "hand-over": replace(leaves, expected=at_table),
            "receipt": replace(comes, expected=("", at_cage[1])),
        }


def name_of(person: Person | None) -> str:
    """Return the short name of a person; empty for nobody."""
    return person.short_name if person else ""


FILLS_PAPER = declare_paper(TransferSlip(FILL, "Fill"))
CREDITS_PAPER = declare_paper(TransferSlip(CREDIT, "Credit"))


def paper_of(transfer: ChipTransfer) -> Paper[ChipTransfer]:
    """The paper of a fill or of a credit."""
    return FILLS_PAPER if transfer.kind == FILL else CREDITS_PAPER


# 1. The request


TABLE_AND_CAGE = AT_THE_TABLE | CAGE


def _transfer_by_number(ctx: TableContext, number: int) -> ChipTransfer:
    """The transfer of this table with this number. Raises `no-such-transfer`."""
    transfers = ChipTransfer.objects.select_related("inventory", "facility", "table")
    transfer = transfers.filter(table=ctx.table, number=number).first()
    if transfer is None:
        raise Refusal(NO_SUCH_TRANSFER, table=ctx.table.code, number=number)
    return transfer


NamedTransfer = Annotated[ChipTransfer, found(whole(1, MAX_NUMBER), _transfer_by_number)]


@act(roles=FLOOR, depends_on="nothing")
def request_fill(ctx: TableContext, params: Params) -> ActOutcome:
    """Request chips from the cage, by denomination."""
    return _request(ctx, params, FILL)


@act(roles=FLOOR, depends_on="nothing")
def request_credit(ctx: TableContext, params: Params) -> ActOutcome:
    """Request that the cage takes chips back, by denomination."""
    return _request(ctx, params, CREDIT)


def _request(ctx: TableContext, params: Params, kind: ChipTransfer.Kind) -> ActOutcome:
    chips = params.chips("chips", values=ctx.table.facility.chip_values)
    inventory = require_inventory(ctx)
    if not chips:
        raise Refusal(NO_CHIPS_COUNTED, section_of(ctx.table, "transfer"))
    cents = value_cents(chips)
    if kind == CREDIT:
        verify_in_tray(ctx, cents, "transfer")
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


@act(roles=FLOOR | CAGE, depends_on="nothing")
def cancel_transfer(ctx: TableContext, *, transfer: NamedTransfer, reason: Text) -> ActOutcome:
    """Cancel a request that the cage has not begun to prepare. It has no slip."""
    _verify_status(ctx, transfer, Status.REQUESTED)
    return _end(ctx, transfer, Status.CANCELED, reason)


# 2. The slip


@act(roles=CAGE, depends_on="nothing")
def prepare_transfer(ctx: TableContext, *, transfer: NamedTransfer) -> ActOutcome:
    """Begin to prepare a request: it gets the next slip number of the facility."""
    _verify_status(ctx, transfer, Status.REQUESTED)
    transfer.slip_number = _next_slip_number(ctx, transfer.kind)
    transfer.status = Status.PREPARING
    transfer.prepared_at, transfer.prepared_by = ctx.now, ctx.actor
    transfer.save()
    return _outcome(TRANSFER_PREPARED, transfer)


def _next_slip_number(ctx: TableContext, kind: str) -> int:
    """The next number of this kind at the facility. Its row stays locked until the act ends, so none is missing."""
    numbers = SlipNumbers.objects
    facility = ctx.table.facility
    if not numbers.filter(facility=facility).update(**{kind: F(kind) + 1}):
        numbers.get_or_create(facility=facility)
        numbers.filter(facility=facility).update(**{kind: F(kind) + 1})
    return int(numbers.values_list(kind, flat=True).get(facility=facility))


# 3. The chips leave


@act(roles=AT_THE_TABLE | CARRIERS, witness=True, depends_on="nothing")
def sign_to_carry(ctx: TableContext, *, transfer: NamedTransfer) -> ActOutcome:
    """Sign for the chips of a credit as its carrier, before they leave the tray. Another carrier may sign instead.

    Who carries is on duty here and signs in person: as who is signed in, or with their PIN.
    """
    if transfer.kind != CREDIT:
        raise Refusal(FILL_IS_SIGNED_IN_CAGE, section_of(ctx.table, "transfer"))
    carrier = carrier_who_signs(ctx, transfer)
    _verify_status(ctx, transfer, Status.PREPARING)
    verify_signed_before(CREDITS_PAPER, transfer, "carry", carrier)
    transfer.carrier, transfer.carrier_signed_at = carrier, ctx.now
    transfer.save(update_fields=["carrier", "carrier_signed_at"])
    entry = TRANSFER_CARRIER_SIGNED(**_data(transfer), carrier=carrier.code)
    return ActOutcome(entry, _answer(transfer), changes="nothing")


@act(roles=TABLE_AND_CAGE, witness=True, depends_on="nothing")
def hand_over_transfer(ctx: TableContext, *, transfer: NamedTransfer) -> ActOutcome:
    """Hand the chips to security. The cashier and security sign for a fill, dealer and floor for a credit.

    The carrier of a fill signs with this act, that of a credit signed before (`sign_to_carry`). The chips of a credit
    leave the tray with this act.
    """
    if transfer.kind == FILL:
        by, carrier = cage_and_security(ctx, transfer)
        signed_with: Person = carrier
        _verify_status(ctx, transfer, Status.PREPARING)
    else:
        by, signed_with = dealer_and_floor_of(ctx, transfer)
        _verify_status(ctx, transfer, Status.PREPARING)
        carrier = verify_carrier_signed(ctx, transfer.carrier, transfer.slip)
        verify_in_tray(ctx, transfer.cents, "transfer")
        _move(ctx, credits=transfer.cents)
    verify_signed_before(paper_of(transfer), transfer, "hand-over", by, signed_with)
    transfer.status = Status.ON_THE_WAY
    transfer.handed_at, transfer.handed_by, transfer.handed_with = ctx.now, by, signed_with
    transfer.carrier = carrier
    transfer.save()
    entry = TRANSFER_HANDED_OVER(**_data(transfer), carrier=carrier.code)
    return ActOutcome(entry, _answer(transfer), changes="nothing")


# 4. The chips arrive


@act(roles=TABLE_AND_CAGE, witness=True, depends_on="nothing")
def receive_transfer(ctx: TableContext, *, transfer: NamedTransfer, chips: Chips) -> ActOutcome:
    """Count the chips and sign for them. Dealer and floor sign for a fill, the cashier and security for a credit.

    A count that is not that of the slip is refused on the record (`receipt-differs`), and the refusal does not say what
    the slip has. The chips of a fill are in the tray with this act.
    """
    read_signers = dealer_and_floor_of if transfer.kind == FILL else cage_and_security
    by, signed_with = read_signers(ctx, transfer)
    _verify_status(ctx, transfer, Status.ON_THE_WAY)
    verify_signed_before(paper_of(transfer), transfer, "receipt", by, signed_with)
    if differences(transfer.chips, chips):
        return _refuse_count(ctx, transfer, chips, RECEIPT_DIFFERS)
    if transfer.kind == FILL:
        _move(ctx, fills=transfer.cents)
    transfer.status = Status.RECEIVED
    transfer.received_at, transfer.received_by, transfer.received_with = ctx.now, by, signed_with
    transfer.save()
    return _outcome(TRANSFER_RECEIVED, transfer)


@act(roles=TABLE_AND_CAGE, witness=True, depends_on="nothing")
def report_count_difference(
    ctx: TableContext, *, transfer: NamedTransfer, chips: Chips, note: Text = ""
) -> ActOutcome:
    """Report that the chips which arrived are not those of the slip. Nothing moves, and the slip stays as it is.

    A count that is that of the slip is refused on the record (`count-agrees`).
    """
    _verify_status(ctx, transfer, Status.ON_THE_WAY)
    if not differences(transfer.chips, chips):
        return _refuse_count(ctx, transfer, chips, COUNT_AGREES)
    data = report_discrepancy(
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
    answer = {**_answer(transfer), "discrepancy": data["discrepancy"]}
    return ActOutcome(DISCREPANCY_REPORTED(data), answer, changes="nothing")


REFUSED_COUNTS = AlertKind(
    "counts-refused",
    "counts-refused:{slip}",
    Level.WARN,
    "Counts refused",
    "Slip %(slip)s: counts refused",
    "More than one count of its chips was refused, because it is not that of the slip. See who counts them.",
    ends_when_acknowledged=True,
)


def _refuse_count(
    ctx: TableContext, transfer: ChipTransfer, chips: dict[str, int], code: RefusalCode
) -> ActOutcome:
    """Refuse a count on the record. From the second one of a slip on, the floor and surveillance are alerted."""
    transfer.refused_counts += 1
    transfer.save(update_fields=["refused_counts"])
    section = section_of(ctx.table, "transfer")
    if transfer.refused_counts >= ctx.table.facility.law.money.refused_counts:
        raise_alert(ctx, REFUSED_COUNTS.expected(ctx.table.pk, section=section, slip=transfer.slip))
    entry = TRANSFER_COUNT_REFUSED(
        **_data(transfer),
        counted_chips=chips,
        counted_cents=value_cents(chips),
        agrees=not differences(transfer.chips, chips),
        refused_counts=transfer.refused_counts,
    )
    return refuse_on_record(entry, Refusal(code, section, slip=transfer.slip))


# A slip that is voided


@act(roles=TABLE_AND_CAGE, witness=True, depends_on="nothing")
def void_transfer(ctx: TableContext, *, transfer: NamedTransfer, reason: Text) -> ActOutcome:
    """Void a slip. Its number stays, and is never given again.

    The cashier voids what is being prepared. The chips of a fill that left the cage are back there: security signs
    too. The chips of a credit that left the tray are back in it: dealer and floor sign.
    """
    _verify_status(ctx, transfer, Status.PREPARING, Status.ON_THE_WAY)
    if transfer.status == Status.PREPARING:
        _verify_cashier(ctx, transfer)
    elif transfer.kind == FILL:
        cage_and_security(ctx, transfer)
    else:
        dealer_and_floor_of(ctx, transfer)
        _move(ctx, credits=-transfer.cents)
    return _end(ctx, transfer, Status.VOID, reason)


# What the steps share


def _verify_status(ctx: TableContext, transfer: ChipTransfer, *statuses: ChipTransfer.Status) -> None:
    if transfer.status not in statuses:
        name = transfer.slip or f"Request {transfer.number}"
        status = Status(transfer.status).label
        section = section_of(ctx.table, "transfer")
        raise Refusal(TRANSFER_NOT_AT_THIS_STEP, section, transfer=name, status=status)


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
    type_ = TRANSFER_VOIDED if status == Status.VOID else TRANSFER_CANCELED
    return ActOutcome(type_(data), _answer(transfer), changes="nothing")


def _outcome(type_: EntryType[Transfer], transfer: ChipTransfer) -> ActOutcome:
    return ActOutcome(type_(_data(transfer)), _answer(transfer), changes="nothing")


# What screens and other acts ask


def verify_nothing_under_way(ctx: TableContext) -> None:
    """Raises `transfers-under-way`, naming them, while a fill or a credit of this table is under way."""
    transfers = ctx.play.transfers
    if transfers:
        names = [slip_of(row.kind, row.slip_number) or f"request {row.number}" for row in transfers]
        raise Refusal(TRANSFERS_UNDER_WAY, section_of(ctx.table, "transfer"), transfers=", ".join(names))


def is_at_table(transfer: ChipTransfer) -> bool:
    """Whether the people at the table count this transfer next: a fill on its way, a credit with its slip."""
    if transfer.kind == FILL:
        return transfer.status == Status.ON_THE_WAY
    return transfer.status == Status.PREPARING


def waits_for_carrier(transfer: ChipTransfer) -> bool:
    """Whether the carrier of a credit signs next."""
    is_at_tray = transfer.kind == CREDIT and transfer.status == Status.PREPARING
    return is_at_tray and transfer.carrier_signed_at is None


def transfers_of(facility: Facility) -> list[ChipTransfer]:
    """The fills and credits under way at a facility, oldest first, each with its table and people."""
    rows = ChipTransfer.objects.filter(facility=facility, status__in=UNDER_WAY)
    return list(rows.select_related("table", *SLIP_PEOPLE).order_by("pk"))


def transfers_part(transfers: Iterable[UnderWay]) -> list[TransferFacts]:
    """Return fills and credits under way as the screens of their table show them."""
    return [
        {
            "kind": cast(TransferKind, transfer.kind),
            "slip": slip_of(transfer.kind, transfer.slip_number),
            "status": cast(TransferStatus, transfer.status),
            "cents": transfer.cents,
            "requested_at": moment(transfer.requested_at),
        }
        for transfer in transfers
    ]


def slip_numbers_of(facility: Facility) -> tuple[int, int]:
    """The last numbers of fills and of credits at a facility."""
    numbers = SlipNumbers.objects.filter(facility=facility).values_list("fill", "credit").first()
    return numbers or (0, 0)
