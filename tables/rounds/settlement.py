"""A throw and the wagers that it settles, as rows and as data of the record; and what is held back of a raise.

**A raise**: a payout that grew once the dice were known, and what is held back until somebody outside the table
agrees. A wager that is recorded after the dice, or dice that are corrected, may raise what the house pays. The round
is settled by its rules all the same. From the sum of a first review on (`policy.review_first_from`), what was raised
is not handed over: when the round ends it becomes a slip that is reviewed before any money moves
(`tables.corrections.filing`).

- A throw is compared with its first settlement, and what later throws pay on a wager that was recorded late counts too.
- A seat's raise is the difference of its worth, `paid + returned − staked`, as slips compute what is due.
- The stake of a losing wager that was struck or lowered counts, and cannot be held: by the correction it is not there.
  So does the stake of any wager that was struck or lowered after the shake and before the call.

Money is integer cents. Of the raises `hold_raises` and `hold` alone write, into the round's row.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, NamedTuple, NotRequired, Protocol, TypedDict, cast

from audit.entry_types import EntryBody, entry_type
from audit.rows import insert
from games.engine.rounds import RoundState
from games.engine.wagers import FEE, LOSE, Settled, WagerOutcome
from games.game_acts import LotOrNone, ThrowNumber
from games.models import Facility
from games.separation import policy
from games.snapshot_types import EquipmentKind
from tables.core.context import TableContext
from tables.core.held_back import Raised, WagerKey, amounts_by_seat, key_of, raise_of_throw
from tables.models import Round, Settlement, Table, Throw
from tables.rounds.course import advance, round_answer
from tables.runner.table import ActOutcome
from tables.words.sentences import dice_words

# What the record says of a throw


ShakerOrNone = Annotated[str | None, "code of the shaker; null where the table has none"]
FacesOrNone = Annotated[list[int], "the faces of the dice; empty where wagers go back without dice"]
ReturnReason = Annotated[
    str, "why wagers go back, as a code; in old records in a person's words; otherwise empty"
]
Announced = Annotated[bool, "whether dice were called"]
LitCodes = Annotated[list[str], "codes of the wagers whose areas are lit"]
Taken = Annotated[int, "lost stakes and fees that the house keeps"]
Paid = Annotated[int, "what winning wagers are paid, without their stakes"]
Returned = Annotated[int, "stakes that go back, those of winning wagers included"]
RaisedOrAbsent = Annotated[
    Raised, "what the throw pays beside its first settlement; present only where that changed"
]


class Totals(TypedDict):
    """What settled wagers move."""

    taken_cents: Taken
    paid_cents: Paid
    returned_cents: Returned


class SettledWager(TypedDict):
    """One wager as a throw settles it, as `manage.py adjudicate` writes it."""

    seat: int
    wager: str
    cents: Annotated[int, "the stake"]
    outcome: Annotated[WagerOutcome, "how the wager ended"]
    pays: Annotated[str | None, "the odds that it is paid; null unless it wins"]
    paid_cents: Annotated[int, "what the wager is paid, without its stake"]
    returned_cents: Annotated[int, "how much of the stake goes back"]
    cite: str
    play: NotRequired[int]
    cut_cents: NotRequired[int]


class Called(TypedDict):
    """What a throw comes to, by code, with the figures of its sentence."""

    code: Annotated[str, "code of the result"]
    total: NotRequired[Annotated[int, "sum of the faces"]]
    added: NotRequired[Annotated[int, "dice that the extra throw added to the matching dice"]]
    count: NotRequired[Annotated[int, "how many dice match"]]
    face: NotRequired[Annotated[int, "the face of the matching dice"]]
    yards: NotRequired[int]


class ThrowData(Totals):
    """A throw with what it settled; where wagers go back without dice, `called` is null and `lit` empty."""

    round: int
    throw: ThrowNumber
    revision: int
    dice: FacesOrNone
    reason: ReturnReason
    lot: LotOrNone
    shaker: ShakerOrNone
    uncovered: bool
    announced: Announced
    called: Called | None
    lit: LitCodes
    by_hand: bool
    settled: list[SettledWager]
    raised: NotRequired[RaisedOrAbsent]


class NewSettlement(TypedDict):
    """A round that is settled again.

    Once dice lie on the layout it has the fields of `ThrowData`; before them, `wagered_cents` alone.
    """

    round: int
    wagered_cents: NotRequired[Annotated[int, "what is wagered in the round, before its first throw"]]
    throw: NotRequired[ThrowNumber]
    revision: NotRequired[int]
    dice: NotRequired[FacesOrNone]
    reason: NotRequired[ReturnReason]
    lot: NotRequired[LotOrNone]
    shaker: NotRequired[ShakerOrNone]
    uncovered: NotRequired[bool]
    announced: NotRequired[Announced]
    called: NotRequired[Called | None]
    lit: NotRequired[LitCodes]
    by_hand: NotRequired[bool]
    settled: NotRequired[list[SettledWager]]
    taken_cents: NotRequired[Taken]
    paid_cents: NotRequired[Paid]
    returned_cents: NotRequired[Returned]
    raised: NotRequired[RaisedOrAbsent]


class ManualSettlement(ThrowData):
    failed: Annotated[EquipmentKind, "what failed"]


ROUND_SETTLED_BY_HAND = entry_type(
    "round.settled_by_hand",
    ManualSettlement,
    "The round was settled manually after a device failed, before the witness on the entry.",
    lambda data: "Dice %s, settled manually" % dice_words(data["dice"]),
)


# The throw, its settlement and their data


def write_throw(
    ctx: TableContext, round_: Round, dice: Sequence[int], reason: str = "", corrects: Throw | None = None
) -> Throw:
    """Write the next throw of the round, or the next revision of the one that it `corrects`, with the same dice
    lot.

    A new throw removes the dice that the machine of a training table drew, and what a reader read of them.
    """
    if round_.drawn and corrects is None:
        ctx.change_round(drawn=[])
    if round_.reading is not None and corrects is None:
        ctx.change_round(reading=None)
    throw = Throw(
        round=round_,
        number=corrects.number if corrects else round_.last_throw + 1,
        revision=corrects.revision + 1 if corrects else 1,
        dice=list(dice),
        void_reason=reason,
        lot=corrects.lot if corrects else ctx.lot,
        shaker=corrects.shaker if corrects else ctx.shaker,
        called_at=ctx.now,
    )
    insert(throw)
    ctx.written_throws.append(throw)
    return throw


def settle_throw(
    ctx: TableContext,
    round_: Round,
    state: RoundState,
    entry: Callable[[ThrowData], EntryBody],
    settled: tuple[Settled, ...],
    *,
    dice: Sequence[int] = (),
    corrects: Throw | None = None,
    reason: str = "",
    raised: "Raise | None" = None,
) -> ActOutcome:
    """Write a throw with the wagers that it settles, in the order of settlement, and return the outcome.

    `entry` makes the act's entry of the throw's data. `raised`: what it pays beside a settlement that the table saw,
    where the throw itself does not tell.

    Without dice it is the throw under which the wagers of a void round are returned.
    """
    throw = write_throw(ctx, round_, dice, reason, corrects)
    write_settlements(ctx, throw, settled)
    raised_before = raise_of_throw(round_, throw.number)
    if raised is None:
        hold_raises(ctx, round_, throw, settled)
    else:
        hold(ctx, round_, throw.number, raised)
    everything = state.settled
    advance(
        ctx,
        state,
        last_throw=max(round_.last_throw, throw.number),
        by_hand=state.manual_settlement,
        wagered_cents=sum(wager.cents for wager in state.wagers),
        taken_cents=taken_cents(everything),
        paid_cents=sum(wager.paid_cents for wager in everything),
    )
    data = throw_data(ctx, round_, throw, state, settled)
    if (raised_now := raise_of_throw(round_, throw.number)) != raised_before:
        data["raised"] = raised_now
    body = entry(data)
    return ActOutcome(body, round_answer(round_), changes="table" if round_.ended_at else "phase")


def taken_cents(settled: Iterable[Settled]) -> int:
    """What the facility keeps of the stakes: lost wagers, and fees."""
    return sum(wager.wager.cents for wager in settled if wager.outcome in (LOSE, FEE))


def write_settlements(ctx: TableContext, throw: Throw, settled: tuple[Settled, ...]) -> None:
    """Write a row for each settled wager. The wagers' rows are those that `ctx` read under the lock."""
    rows = {wager.key: wager.pk for wager in ctx.wagers}
    Settlement.objects.write(
        [
            (
                throw.pk,
                rows[wager.wager.key],
                place,
                wager.wager.cents,
                wager.outcome,
                str(wager.pays or ""),
                wager.paid_cents,
                wager.returned_cents,
                wager.cite,
                {"code": wager.why.code, "params": dict(wager.why.params)},
            )
            for place, wager in enumerate(settled)
        ]
    )


def throw_data(
    ctx: TableContext, round_: Round, throw: Throw, state: RoundState, settled: tuple[Settled, ...]
) -> ThrowData:
    """The data of the record about a throw."""
    return {
        "round": round_.number,
        "throw": throw.number,
        "revision": throw.revision,
        "dice": throw.dice,
        "reason": throw.void_reason,
        "lot": throw.lot.code if throw.lot else None,
        "shaker": throw.shaker.code if throw.shaker else None,
        "uncovered": state.phase != "void",
        "announced": bool(throw.dice),
        "called": _call_data(ctx, state) if throw.dice else None,
        "lit": sorted(ctx.game.lit_codes(state)) if throw.dice else [],
        "by_hand": state.manual_settlement,
        "settled": [settled_data(wager) for wager in settled],
        "taken_cents": taken_cents(settled),
        "paid_cents": sum(wager.paid_cents for wager in settled),
        "returned_cents": sum(wager.returned_cents for wager in settled),
    }


def _call_data(ctx: TableContext, state: RoundState) -> Called:
    """The throw as it is called out, by code."""
    reason = ctx.game.announcement(state.throws)
    return cast(Called, {"code": reason.code, **reason.params})


def settled_data(settled: Settled) -> SettledWager:
    """A settled wager as the record and `adjudicate` write it."""
    data: SettledWager = {
        "seat": settled.wager.seat,
        "wager": settled.wager.code,
        "cents": settled.wager.cents,
        "outcome": settled.outcome,
        "pays": str(settled.pays) if settled.pays else None,
        "paid_cents": settled.paid_cents,
        "returned_cents": settled.returned_cents,
        "cite": settled.cite,
    }
    if settled.wager.play is not None:
        data["play"] = settled.wager.play
    if settled.cut_cents:
        data["cut_cents"] = settled.cut_cents
    return data


# What a throw raises


class Line(NamedTuple):
    """A settled wager, as far as a raise depends on it."""

    cents: int
    paid_cents: int
    returned_cents: int
    outcome: WagerOutcome

    @property
    def worth_cents(self) -> int:
        """What the wager brings its player; negative where the house keeps the stake."""
        return self.paid_cents + self.returned_cents - self.cents


class Staked(Protocol):
    """A wager of a state, or its row."""

    @property
    def key(self) -> tuple[int, str, int | None]:
        """Its seat, code and play."""

    @property
    def cents(self) -> int:
        """Its stake."""


NOTHING = Line(0, 0, 0, LOSE)


@dataclass(frozen=True)
class Raise:
    """What a throw pays more than at first: `total_cents` of all seats, and by seat what can be held back."""

    total_cents: int = 0
    by_seat: Mapping[int, int] = field(default_factory=dict)


def raise_of(before: Mapping[WagerKey, Line], after: Mapping[WagerKey, Line]) -> Raise:
    """Return what the second settlement of a throw pays more than the first, by the worth of each seat."""
    worth: dict[int, int] = defaultdict(int)
    freed: dict[int, int] = defaultdict(int)
    for key in {**before, **after}:
        first, second = before.get(key, NOTHING), after.get(key, NOTHING)
        worth[key[0]] += second.worth_cents - first.worth_cents
        if first.outcome in (LOSE, FEE):
            freed[key[0]] += max(0, first.cents - second.cents)
    raised = {seat: cents for seat, cents in sorted(worth.items()) if cents > 0}
    by_seat = {seat: cents - freed[seat] for seat, cents in raised.items() if cents > freed[seat]}
    return Raise(sum(raised.values()), by_seat)


def without_late(lines: Mapping[WagerKey, Line], late: Mapping[WagerKey, int]) -> dict[WagerKey, Line]:
    """Return the lines as they would be without what was recorded late. `late`: the stakes before, 0 for none."""
    reduced = {}
    for key, line in lines.items():
        before_cents = late.get(key, line.cents)
        if before_cents >= line.cents:
            reduced[key] = line
        elif before_cents:
            paid = line.paid_cents * before_cents // line.cents
            returned = line.returned_cents * before_cents // line.cents
            reduced[key] = Line(before_cents, paid, returned, line.outcome)
    return reduced


def raise_by_correction(round_: Round, throw_number: int, settled: Iterable[Settled]) -> Raise:
    """Return what a throw would raise if it were settled again like this."""
    return _raise_over(round_, throw_number, _first_settlement(round_, throw_number), lines_of(settled))


def _raise_over(
    round_: Round, throw_number: int, first: Mapping[WagerKey, Line], after: Mapping[WagerKey, Line]
) -> Raise:
    return raise_of(without_late(first, late_wagers(round_, throw_number)), after)


def _first_settlement(round_: Round, throw_number: int) -> dict[WagerKey, Line]:
    rows = Settlement.objects.filter(wager__round=round_, throw__number=throw_number, throw__revision=1)
    columns = (
        "wager__seat",
        "wager__code",
        "wager__play",
        "cents",
        "paid_cents",
        "returned_cents",
        "outcome",
    )
    return {(row[0], row[1], row[2]): Line(*row[3:]) for row in rows.values_list(*columns)}


def lines_of(settled: Iterable[Settled]) -> dict[WagerKey, Line]:
    """Return settled wagers as lines, by seat, code and play."""
    return {
        key_of(line): Line(line.wager.cents, line.paid_cents, line.returned_cents, line.outcome)
        for line in settled
    }


def net_payout(lines: Mapping[WagerKey, Line]) -> Raise:
    """Return a round that nobody saw on the tablet as a raise: its net payout, and what each seat gains by it."""
    worth: dict[int, int] = defaultdict(int)
    for key, line in lines.items():
        worth[key[0]] += line.worth_cents
    net_cents = max(0, sum(worth.values()))
    by_seat = {seat: cents for seat, cents in sorted(worth.items()) if cents > 0} if net_cents else {}
    return Raise(net_cents, by_seat)


def late_wagers(round_: Round, throw_number: int) -> dict[WagerKey, int]:
    """The stakes until then of the wagers that were recorded, changed or struck before this throw was called."""
    return {
        (seat, code, play): cents
        for seat, code, play, cents, late_in in round_.late_wagers
        if late_in < throw_number
    }


def add_late_wager(ctx: TableContext, round_: Round, key: WagerKey, before_cents: int) -> None:
    """Remember that a wager was recorded, changed or struck once dice of its round might be known. The first change
    counts.
    """
    if any((seat, code, play) == key for seat, code, play, *_ in round_.late_wagers):
        return
    ctx.change_round(late_wagers=[*round_.late_wagers, [*key, before_cents, round_.last_throw]])


def raised_beside(round_: Round, throw_number: int, decided_in: int, wagers: Iterable[Staked]) -> int:
    """What counts with the raise of a throw, in cents: what the other throws raise, and the freed stakes."""
    other_cents: int = sum(
        value["cents"] for name, value in round_.raises.items() if name != str(throw_number)
    )
    return other_cents + freed_stakes(round_, decided_in, wagers)


def freed_stakes(round_: Round, throw_number: int, wagers: Iterable[Staked]) -> int:
    """The stakes that were struck or lowered before this throw was called, while its dice might be known, in cents.

    `wagers` are those that are left. The throw settles no such stake, so nobody can say whether it would have lost.
    """
    left = {(seat, code, play or 0): wager.cents for wager in wagers for seat, code, play in (wager.key,)}
    stakes_before = late_wagers(round_, throw_number)
    return sum(max(0, cents - left.get(key, 0)) for key, cents in stakes_before.items())


# What is held back of it


def hold_raises(ctx: TableContext, round_: Round, throw: Throw, settled: Iterable[Settled]) -> None:
    """Compare a throw with its first settlement, and write into the round's row what is held back of it.

    An earlier throw keeps what was held of it: the rest of its money has moved.
    """
    if not throw.dice or (throw.revision == 1 and not round_.late_wagers):
        return
    after = lines_of(settled)
    first = after if throw.revision == 1 else _first_settlement(round_, throw.number)
    hold(ctx, round_, throw.number, _raise_over(round_, throw.number, first, after))


def hold(ctx: TableContext, round_: Round, throw_number: int, raised: Raise) -> None:
    """Write what a throw raises, and hold it back if the round's raises come to the sum of a first review."""
    number = str(throw_number)
    raises = {name: value for name, value in round_.raises.items() if name != number}
    is_held = False
    if raised.total_cents:
        beside_cents = raised_beside(round_, throw_number, throw_number, ctx.wagers)
        beside_cents += counted_beside(ctx, round_, locks=True)
        is_held = needs_review(ctx.table, raised.total_cents + beside_cents)
        by_seat = amounts_by_seat(raised.by_seat)
        raises[number] = {"cents": raised.total_cents, "by_seat": by_seat, "held": is_held}
    if raises != round_.raises:
        ctx.change_round(raises=raises)


BesideRound = Callable[[TableContext, Round, bool], int]
BESIDE_ROUND: list[BesideRound] = []


def counts_with_raises(count: BesideRound) -> BesideRound:
    """Declare what a topic above this one counts with the raises of a round, in cents; and whether it locks."""
    BESIDE_ROUND.append(count)
    return count


def counted_beside(ctx: TableContext, round_: Round, *, locks: bool = False) -> int:
    """What counts with the raises of a round and is not of it, in cents; 0 where nothing waits for a review.

    `locks`: the duty of those who signed, so that of two raises at two tables the second one counts the first.
    """
    return sum(count(ctx, round_, locks) for count in BESIDE_ROUND) if first_review_from(ctx.table) else 0


def needs_review(table: Table, cents: int) -> bool:
    """Whether this sum, paid beside the settlement of the dice as first called, waits for a review."""
    first_from = first_review_from(table)
    return bool(first_from) and cents >= first_from


def first_review_from(table: Table) -> int:
    """The sum of a first review at this table in cents; 0: nothing waits. In training no money moves."""
    facility: Facility = table.facility
    return policy.review_first_from(facility) if table.kind == Table.Kind.LIVE else 0
