"""Tray of a table: its exact value, and counts that differ from it.

tray = opener + fills − credits − sold + taken − paid + corrected

`corrected` is what Error Notification Slips changed: what they handed over, and chips that by a slip were never where
the settlement says. The win from money, closer + credits + drop − opener − fills, equals taken − paid + corrected to
the cent where the closer and the drop agree with the record.

An inventory lasts from an opener to its closer (`tables.money.inventories`); no chips move outside of one, nor between
a closer and the closing of its table. `Table.tray_cents` is the exact value without the round in play; it changes with
every round that ends (`add_ended_round`), in the statement that saves the table anyway, with every slip of payment
(`add_filed_slip`, `add_settled_slip`), fill, credit and sale (`change_tray`). Callers hold the table's lock. A tray
below zero raises an alert until the record shows chips again.

Somebody counts, somebody else observes: `dealer_and_floor`. A count that differs is a discrepancy
(`report_discrepancy`): a row, an entry and an alert to the floor and surveillance. It adjusts nothing. The inbox opens
a case about it (`tables.cases`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypedDict, cast

from audit.columns import (
    ACTOR,
    AT,
    DAY,
    NONE,
    SIGNERS,
    STREAM,
    WITNESS,
    Body,
    Reading,
    RowFindings,
    Rows,
    Source,
    constant,
    declare,
    named,
    pair,
    same,
)
from audit.entry_types import entry_type
from audit.models import Person
from games.engine import Refusal, RefusalCode, RoundState
from games.engine.game import Game
from games.engine.wagers import LOSE, WIN, Settled
from tables.core.alerts import AlertKind, Level, end_alert, raise_alert
from tables.core.context import TableContext
from tables.core.held_back import held_in_tray
from tables.models import ChipDiscrepancy, ChipTransfer, DropBox, Table, TableInventory
from tables.runner.signatures import step_signers
from tables.words.sentences import dollars

DEALER_AND_FLOOR_MUST_SIGN = RefusalCode(
    "dealer-and-floor-must-sign",
    "The dealer counts and a floorperson observes. Both must sign, each with their own PIN.",
    "Two signatures needed",
)
OPENER_MISSING = RefusalCode(
    "opener-missing",
    "The opener of %(table)s is not signed. Count the tray with the floor, then open the table.",
    "Count the opener",
)
CLOSER_MISSING = RefusalCode(
    "closer-missing",
    "The closer of %(table)s is not signed. Count the tray with the floor, then close the table.",
    "Count the closer",
)
CLOSER_IS_SIGNED = RefusalCode(
    "closer-is-signed",
    "The closer of %(table)s was signed at %(at)s, so no chips move. Close the table.",
    "Closer already signed",
)
NO_OPEN_INVENTORY = RefusalCode(
    "no-open-inventory",
    "The opener of %(table)s is not signed, so no chips move. Count it first.",
    "Count the opener",
)
TOO_FEW_CHIPS_IN_TRAY = RefusalCode(
    "too-few-chips-in-tray",
    "The tray holds %(tray)s, less than %(cents)s.",
    "Not that much in the tray",
)
MAX_NUMBER = 2**31 - 1  # of transfers and drop boxes at a table


def section_of(table: Table, duty: str) -> str:
    """The section of a duty about the inventory (`opener`), or of the inventory itself; "" where it is a practice."""
    law = table.facility.law
    return law.section(f"inventory.{duty}") or law.section("inventory")


def keeps_inventory(table: Table) -> bool:
    """Whether the casino keeps the inventory of this table. A training table has no chips of value."""
    return table.facility.keeps_inventory and table.kind != Table.Kind.TRAINING


def needs_inventory(table: Table) -> bool:
    """Whether this table opens only after its opener. A simulated table may do without."""
    return table.facility.keeps_inventory and table.kind == Table.Kind.LIVE


# The arithmetic: numbers and the engine's state only, integer cents


FEES_NOT_COLLECTED = frozenset({"open", "unlocked", "locked"})
LOSERS_TAKEN = frozenset({"taken", "paid"})


@dataclass(frozen=True, slots=True)
class Tray:
    """The sums of an inventory since its opener, in cents."""

    opener_cents: int
    fills_cents: int = 0
    credits_cents: int = 0
    sold_cents: int = 0
    taken_cents: int = 0
    paid_cents: int = 0
    corrected_cents: int = 0

    @property
    def cents(self) -> int:
        """The exact value of the chips in the tray."""
        transferred = self.fills_cents - self.credits_cents - self.sold_cents
        return self.opener_cents + transferred + self.win_from_play_cents

    @property
    def win_from_play_cents(self) -> int:
        """What the table won by its rounds and slips."""
        return self.taken_cents - self.paid_cents + self.corrected_cents

    def win_from_money_cents(self, closer_cents: int, drop_cents: int) -> int:
        """What the table won by its counts: closer + credits + drop − opener − fills."""
        return closer_cents + self.credits_cents + drop_cents - self.opener_cents - self.fills_cents


@dataclass(frozen=True, slots=True)
class MovedChips:
    """What a round has moved so far: stakes and fees taken, winnings paid, in cents."""

    taken_cents: int = 0
    paid_cents: int = 0

    @property
    def cents(self) -> int:
        """What the round has added to the tray; negative where it paid more than it took."""
        return self.taken_cents - self.paid_cents


def moved_in_round(game: Game, state: RoundState) -> MovedChips:
    """Return what a round in play has moved: fees and losers once they are taken, winners once they are paid."""
    done = settled_so_far(game, state)
    taken = 0
    if state.phase not in FEES_NOT_COLLECTED:
        taken = sum(wager.cents for wager in state.wagers if game.is_fee(wager.code))
    taken += sum(line.wager.cents for line in done if line.outcome == LOSE)
    return MovedChips(taken, sum(line.paid_cents for line in done if line.outcome == WIN))


def settled_so_far(game: Game, state: RoundState) -> list[Settled]:
    """Return the wagers of a round in play whose chips have been taken or paid."""
    if not any(act == "settle_seats" for _phase, act in state.procedure.moves):
        unpaid = game.unpaid_winners(state)
        return [line for line in state.settled if state.phase in LOSERS_TAKEN and line not in unpaid]
    current = game.current_step(state)
    return [
        line
        for line in state.settled
        if line.step <= state.step or (line in current and line.wager.seat in state.paid_seats)
    ]


# The exact value, and what changes it


def describe_below_zero(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the title and the text of the alert about a tray below zero."""
    title = f"By the record the tray is {dollars(params['cents'])} below zero"
    return (
        title,
        "No tray holds less than nothing. Stop, count it, and compare the last rounds with the video.",
    )


TRAY_BELOW_ZERO = AlertKind(
    "tray-below-zero",
    "tray-below-zero",
    Level.STOP,
    "Tray below zero",
    "",
    describe=describe_below_zero,
)


def open_inventory(table: Table) -> TableInventory:
    """The open inventory of a table that has one."""
    rows = TableInventory.objects.select_related("opened_by", "opened_with", "table__facility")
    return rows.get(table=table, closed_at=None)


def tray_of(table: Table, inventory: TableInventory) -> Tray:
    """The sums of an inventory: of the table's row while it is open, of its own row after its closer."""
    row = inventory if inventory.closed_at is not None else None
    return Tray(
        inventory.opener_cents,
        inventory.fills_cents,
        inventory.credits_cents,
        inventory.sold_cents,
        row.taken_cents if row else table.tray_taken_cents,
        row.paid_cents if row else table.tray_paid_cents,
        row.corrected_cents if row else table.tray_corrected_cents,
    )


def exact_cents(ctx: TableContext) -> int:
    """The exact value of the tray at this moment, with what the round in play has moved so far."""
    assert ctx.table.tray_cents is not None
    return ctx.table.tray_cents + moved_in_play(ctx).cents


def moved_in_play(ctx: TableContext) -> MovedChips:
    """What the round in play has moved so far, without payouts that are held back."""
    if ctx.round is None:
        return MovedChips()
    moved = moved_in_round(ctx.game, ctx.state)
    held_cents = (
        held_in_tray(ctx.round, ctx.state, settled_so_far(ctx.game, ctx.state)) if ctx.round.raises else 0
    )
    return MovedChips(moved.taken_cents, moved.paid_cents - held_cents)


def change_tray(ctx: TableContext, cents: int) -> None:
    """Add chips that moved. The caller changes the sum of the inventory.

    No tray holds less than nothing: an alert says so until the record shows chips again.
    """
    before_cents = ctx.table.tray_cents
    assert before_cents is not None
    ctx.change_table(tray_cents=before_cents + cents)
    if before_cents + cents < 0:
        raise_alert(ctx, TRAY_BELOW_ZERO.expected(ctx.table.pk, cents=-before_cents - cents))
    elif before_cents < 0:
        end_alert(ctx, TRAY_BELOW_ZERO.key)


def add_ended_round(ctx: TableContext) -> None:
    """Add what the round that just ended took and paid to the running figures."""
    table, round_ = ctx.table, ctx.round
    if table.tray_cents is None or round_ is None:
        return
    change_tray(ctx, round_.taken_cents - round_.paid_cents)
    ctx.change_table(
        tray_taken_cents=table.tray_taken_cents + round_.taken_cents,
        tray_paid_cents=table.tray_paid_cents + round_.paid_cents,
    )


def add_filed_slip(ctx: TableContext, round_number: int, cents: int) -> None:
    """Add chips that by a slip about this round are in the tray, though the settlement says otherwise.

    A slip about a round before the opener changes nothing: its chips were counted since.
    """
    if cents and ctx.table.tray_cents is not None and round_number > open_inventory(ctx.table).rounds_before:
        _correct(ctx, cents)


def add_settled_slip(ctx: TableContext, handed_cents: int) -> None:
    """Add what a slip handed to the players (negative: what they gave back).

    Between two inventories the tray is locked, so that the cage pays.
    """
    if handed_cents:
        _correct(ctx, -handed_cents)


def _correct(ctx: TableContext, cents: int) -> None:
    table = ctx.table
    if table.tray_cents is not None:
        change_tray(ctx, cents)
        ctx.change_table(tray_corrected_cents=table.tray_corrected_cents + cents)


# When gaming and chips may go on


def verify_opener_signed(ctx: TableContext) -> None:
    """Raises `opener-missing` where the table needs an opener that nobody has counted since the last closer."""
    if needs_inventory(ctx.table) and ctx.table.tray_cents is None:
        raise Refusal(OPENER_MISSING, section_of(ctx.table, "opener"), table=ctx.table.code)


def verify_closer_signed(ctx: TableContext) -> None:
    """Raises `closer-missing` while an inventory is open here, also where the casino has stopped keeping them."""
    if ctx.table.tray_cents is not None:
        raise Refusal(CLOSER_MISSING, section_of(ctx.table, "closer"), table=ctx.table.code)


def verify_chips_may_move(ctx: TableContext) -> None:
    """Raises `closer-is-signed` between a closer and the closing of its table."""
    signed_at = ctx.table.closer_signed_at
    if signed_at is not None:
        section = section_of(ctx.table, "closer")
        raise Refusal(CLOSER_IS_SIGNED, section, table=ctx.table.code, at=ctx.local(signed_at))


def require_inventory(ctx: TableContext) -> TableInventory:
    """The open inventory. Raises `closer-is-signed`, or `no-open-inventory` before an opener."""
    verify_chips_may_move(ctx)
    if ctx.table.tray_cents is None:
        raise Refusal(NO_OPEN_INVENTORY, section_of(ctx.table, "opener"), table=ctx.table.code)
    return open_inventory(ctx.table)


def verify_in_tray(ctx: TableContext, cents: int, duty: str) -> None:
    """Raises `too-few-chips-in-tray` for chips that the tray does not hold at this moment."""
    tray = exact_cents(ctx)
    if cents > tray:
        section = section_of(ctx.table, duty)
        raise Refusal(TOO_FEW_CHIPS_IN_TRAY, section, tray=dollars(tray), cents=dollars(cents))


# Who signs a count


SECURITY = frozenset({"security"})


def dealer_and_floor(ctx: TableContext, paper: str, step: str, duty: str) -> tuple[Person, ...]:
    """The dealer who counted and the floorperson who observed, by the list of a paper.

    The dealer works at a post of this table. Raises `dealer-and-floor-must-sign`.
    """
    refusal = Refusal(DEALER_AND_FLOOR_MUST_SIGN, section_of(ctx.table, duty))
    return step_signers(ctx, paper, step, refusal)


# A count that differs from the record


InventoryNumber = Annotated[int, "number of the inventory at this table, from an opener to its closer"]
DifferenceCents = Annotated[
    int, "what was counted less what the record says; negative where chips are missing"
]


class Discrepancy(TypedDict):
    discrepancy: Annotated[int, "number of the discrepancy at this table"]
    inventory: InventoryNumber
    cause: Annotated[
        Literal["opener", "count", "transfer", "drop", "closer"], "the count that differs from the record"
    ]
    expected_chips: Annotated[
        dict[str, int], "what the slip says, by value in cents; empty where only the sum is known"
    ]
    expected_cents: Annotated[int, "what the record says"]
    counted_chips: Annotated[dict[str, int], "what was counted, by value in cents; empty for cash"]
    counted_cents: Annotated[int, "what was counted"]
    difference_cents: DifferenceCents
    slip: Annotated[str | None, "number of the fill or credit slip; null for another count"]
    drop_box: Annotated[int | None, "number of the drop box at this table; null for another count"]
    note: Annotated[str, "what a person added; may be empty"]


CAUSES = {
    "opener": "the opener",
    "count": "the tray",
    "transfer": "a fill or credit",
    "drop": "a drop box",
    "closer": "the closer",
}


def difference_words(cents: int) -> str:
    """`no difference`, `$500 less`, `$500 more`."""
    if not cents:
        return "no difference"
    return f"{dollars(abs(cents))} {'more' if cents > 0 else 'less'} than the record"


DISCREPANCY_REPORTED = entry_type(
    "inventory.discrepancy",
    Discrepancy,
    "A count differs from the record. The floor and surveillance are alerted; nothing is adjusted.",
    lambda data: (
        f"Count of {CAUSES[data['cause']]} differs: {dollars(data['counted_cents'])}, "
        f"not {dollars(data['expected_cents'])}"
    ),
)

TITLES = {
    "opener": "Opener differs",
    "count": "Tray differs",
    "transfer": "Fill or credit differs",
    "drop": "Drop differs",
    "closer": "Closer differs",
}


def _describe_difference(params: Mapping[str, Any]) -> tuple[str, str]:
    expected, counted = dollars(params["expected_cents"]), dollars(params["counted_cents"])
    difference = params["counted_cents"] - params["expected_cents"]
    by = difference_words(difference) if difference else "the sum agrees, the denominations do not"
    of = f" of {params['slip']}" if params.get("slip") else ""
    text = f"Counted{of} {counted}, expected {expected}: {by}. Nothing was adjusted. Find out why and write it down."
    return TITLES[params["differs"]], text


DISCREPANCY = AlertKind(
    "chips-differ",
    "chips:{discrepancy}",
    Level.STOP,
    "Chips differ",
    "Chips differ",
    describe=_describe_difference,
    ends_when_acknowledged=True,
)


def report_discrepancy(
    ctx: TableContext,
    inventory: TableInventory,
    kind: ChipDiscrepancy.Kind,
    *,
    expected_cents: int,
    counted_cents: int,
    expected_chips: Mapping[str, int] | None = None,
    counted_chips: Mapping[str, int] | None = None,
    transfer: ChipTransfer | None = None,
    drop_box: DropBox | None = None,
    note: str = "",
) -> Discrepancy:
    """Write the discrepancy and raise its alert. Returns the data of its entry, which the caller appends."""
    assert ctx.actor is not None
    discrepancy = ChipDiscrepancy.objects.create(
        table=ctx.table,
        inventory=inventory,
        number=ChipDiscrepancy.objects.filter(table=ctx.table).count() + 1,
        gaming_day=ctx.gaming_day,
        kind=kind,
        transfer=transfer,
        drop_box=drop_box,
        expected_chips=dict(expected_chips or {}),
        expected_cents=expected_cents,
        counted_chips=dict(counted_chips or {}),
        counted_cents=counted_cents,
        note=note,
        recorded_at=ctx.now,
        recorded_by=ctx.actor,
        recorded_with=ctx.witness,
    )
    slip = transfer.slip if transfer else ""
    slip_param: dict[str, Any] = {"slip": slip} if slip else {}
    alert = DISCREPANCY.expected(
        ctx.table.pk,
        section=section_of(ctx.table, "discrepancy"),
        discrepancy=discrepancy.number,
        differs=str(kind.value),
        expected_cents=expected_cents,
        counted_cents=counted_cents,
        **slip_param,
    )
    raise_alert(ctx, alert)
    data = {
        "discrepancy": discrepancy.number,
        "inventory": inventory.number,
        "cause": str(kind.value),
        "expected_chips": discrepancy.expected_chips,
        "expected_cents": expected_cents,
        "counted_chips": discrepancy.counted_chips,
        "counted_cents": counted_cents,
        "difference_cents": discrepancy.difference_cents,
        "slip": slip or None,
        "drop_box": drop_box.number if drop_box else None,
        "note": note,
    }
    return cast(Discrepancy, data)


# How the entries of a table state the rows of its chips and cash


MONEY = RowFindings.declare("money")
AT_ITS_TABLE = {"stream": named("table__stream__name", "table")}
OF_INVENTORY = {**AT_ITS_TABLE, "inventory": named("inventory__number", "inventory")}
OF_DROP_BOX = {**OF_INVENTORY, "drop_box": named("drop_box__number", "drop_box")}


def signed(step: str) -> dict[str, Source]:
    """A step of a paper that the entry signs."""
    return {f"{step}_at": AT, f"{step}_by": SIGNERS}


def unsigned(*steps: str) -> dict[str, Source]:
    """Steps of a paper that are still to come."""
    return {
        name: value for step in steps for name, value in ((f"{step}_at", NONE), (f"{step}_by", constant([])))
    }


def signers(*steps: str) -> dict[str, Reading]:
    """How the two people are read who signed each of these steps."""
    return {f"{step}_by": pair(f"{step}_by", f"{step}_with") for step in steps}


def add_cents(rows: Rows, body: Body, number: int, column: str, sign: int = 1) -> None:
    """Add the cents of an entry to a sum in the row of its table with this number."""
    stream = body["stream"]
    row = rows.get(stream, number) or {}
    rows.put(body, stream, number, **{column: row[column] + sign * body["data"]["cents"]})


def _note_slip(rows: Rows, body: Body) -> None:
    """Remember whose slip this is: an entry of a discrepancy names the slip, not the transfer."""
    rows.memory[body["stream"], body["data"]["slip"]] = body["data"]["transfer"]


def _of_slip(rows: Rows, body: Body) -> None:
    stream, data = body["stream"], body["data"]
    transfer = rows.memory[stream, data["slip"]] if data["slip"] else None
    rows.put(body, stream, data["discrepancy"], transfer=transfer)


declare(
    ChipDiscrepancy,
    "discrepancy",
    key={"stream": STREAM, "number": "discrepancy"},
    created={
        DISCREPANCY_REPORTED: {
            **same("inventory", "drop_box", "note"),
            **same("expected_chips", "expected_cents", "counted_chips", "counted_cents"),
            "kind": "cause",
            "gaming_day": DAY,
            "recorded_at": AT,
            "recorded_by": ACTOR,
            "recorded_with": WITNESS,
        }
    },
    folded={"transfer.prepared": _note_slip, DISCREPANCY_REPORTED: _of_slip},
    folded_columns=["transfer"],
    readings={**OF_DROP_BOX, "transfer": named("transfer__number", "transfer")},
    findings=MONEY,
)
