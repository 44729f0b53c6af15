"""What a slip would say of a round, worked out before anybody signs: the same for the preview and for the act.

Nothing here changes anything. The caller holds the table's lock where it writes what it is told.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from games import submissions
from games.engine import Refusal, Rules
from games.engine.settlement import Settled
from games.params import MOST_CENTS, Params, malformed
from games.registry import game_of
from tables.core.context import TableContext
from tables.corrections import slips
from tables.corrections.outcomes import Named, RoundOutcome, outcome_of
from tables.corrections.slips import CHIPS, Handed, Line, Mended
from tables.models import Round, Slip

Kind = Slip.Kind
KINDS = tuple(Kind.values)
MOST_LINES, MOST_REASON, MOST_PLAYS = 64, 200, 6


@dataclass(frozen=True)
class Correction:
    """A round put right. `lines` are its whole settlement, `before` and `after` both totals, `due` by seat.

    `mended` is what the record says of the mistake; `corrects` the entry that the slip names.
    """

    kind: str
    corrects: Named
    mended: dict[str, Any]
    ending: str
    throws: list[dict[str, Any]]
    was: tuple[Line, ...]
    lines: tuple[Line, ...]
    due: list[dict[str, int]]

    @property
    def before(self) -> dict[str, int]:
        return slips.totals(self.was)

    @property
    def after(self) -> dict[str, int]:
        return slips.totals(self.lines)


@dataclass(frozen=True)
class Case:
    """What each kind of slip works on: the round, the rules that it pinned, and how it stands."""

    at: TableContext
    round: Round
    rules: Rules
    stand: RoundOutcome
    say: Callable[[Settled], Line]  # one settled wager in the record's words


def correction_of(
    ctx: TableContext, round_: Round, params: Params, reason: str, say: Callable[[Settled], Line]
) -> Correction:
    """Reads `kind` and what that kind takes, and settles the whole round again. Raises `Refusal`.

    `say` puts a settled wager into the record's words.
    """
    kind = params.choice("kind", KINDS)
    verify_ended(ctx, round_)
    stand = outcome_of(round_)
    if stand is None:
        raise Refusal("slip-nothing-settled", round=round_.number)
    case = Case(ctx, round_, submissions.rules_of(round_.submission), stand, say)
    if kind == Kind.DICE:
        return _of_dice(case, params)
    if kind == Kind.WAGER:
        return _of_wagers(case, params)
    if kind == Kind.PAYMENT:
        return _of_payments(case, params)
    return _of_void(case, reason)


def verify_ended(ctx: TableContext, round_: Round) -> None:
    """Raises `slip-mend-it` before the first payment of a round in play, and `slip-round-in-play` after it.

    What a round in play still pays follows the settlement that its table shows. A slip beside it would make one seat
    whole twice or not at all, so it waits for the end; nothing is lost by that, and nothing under way is disturbed.
    """
    if round_.ended_at is not None:
        return
    live = ctx.round is not None and ctx.round.pk == round_.pk
    moved = live and bool(ctx.state.money_moved or ctx.state.step)  # a step of an earlier throw counts too
    raise Refusal("slip-round-in-play" if moved else "slip-mend-it", round=round_.number)


def _verify_played_out(round_: Round) -> None:
    """Raises `slip-no-result` for a round whose wagers went back at the table: no dice decided them."""
    if round_.phase != "cleared":
        raise Refusal("slip-no-result", round=round_.number)


# Dice


def _of_dice(case: Case, params: Params) -> Correction:
    """One throw with the faces that it in truth had; the game must have gone on and ended where it did."""
    number, dice = params.integer("throw", 0, 64, default=0), params.dice() or ()
    stand, round_ = case.stand, case.round
    _verify_played_out(round_)
    wrong = next((one for one in stand.throws if one.number == number), None) if number else stand.throws[-1]
    if wrong is None:
        raise malformed("throw")
    game = game_of(case.rules)
    faces = game.verify_dice(case.rules, dice, len(wrong.dice))
    if stand.has_result and game.arranged(faces) == game.arranged(wrong.dice):
        raise Refusal("slip-changes-nothing", round=round_.number)
    throws = [(one.number, faces if one is wrong else one.dice) for one in stand.throws]
    mended = {"throw": wrong.number, "before": list(wrong.dice), "after": list(faces)}
    ending, settled = slips.settled_again(
        case.rules, [one for _, one in throws], slips.wagers_of(stand.lines)
    )
    return _settled(case, Kind.DICE.value, wrong.entry, mended, ending, settled, _numbered(throws))


# Wagers


def _of_wagers(case: Case, params: Params) -> Correction:
    """Wagers as they in truth lay: missed, mistaken, of another amount; another code is one of each."""
    stand, rules = case.stand, case.rules
    mended = _read_wagers(case, params)
    _verify_played_out(case.round)
    if not stand.has_result:
        raise Refusal("slip-is-void", round=case.round.number, slip=stand.slip)
    wagers = slips.with_mended(slips.wagers_of(stand.lines), mended)
    ending, settled = slips.settled_again(rules, [one.dice for one in stand.throws], wagers)
    said = {"wagers": [_mended(case, one) for one in mended]}
    besides = slips.due_for_chips(stand.lines, mended)
    return _settled(case, Kind.WAGER.value, stand.version, said, ending, settled, _thrown(stand), besides)


def _read_wagers(case: Case, params: Params) -> tuple[Mended, ...]:
    recorded = {slips.key_of(line): line["cents"] for line in case.stand.lines}

    def read(one: Params) -> Mended:
        seat, code = one.integer("seat", 1, 64), one.text("wager")
        cents = one.integer("cents", 0, MOST_CENTS)
        play = one.integer("play", 0, MOST_PLAYS, default=0) or None
        chips = one.choice("chips", CHIPS, default=CHIPS[0])
        return Mended(seat, code, play, recorded.get((seat, code, play), 0), cents, chips)

    mended = params.objects("wagers", read, max_items=MOST_LINES)
    if len({one.key for one in mended}) != len(mended):
        raise malformed("wagers")
    for one in mended:
        _verify_mended(case, one)
    return mended


def _verify_mended(case: Case, one: Mended) -> None:
    at, rules = case.at, case.rules
    if one.seat > at.table.seats:
        raise Refusal("no-such-seat", seat=one.seat, seats=at.table.seats)
    game_of(rules).wager_type(rules, one.code)
    game_of(rules).verify_play(rules, one.code, one.play)
    if one.before_cents == one.after_cents:
        raise Refusal("slip-wager-unchanged", seat=one.seat, wager=one.code)


def _mended(case: Case, one: Mended) -> dict[str, Any]:
    said = {
        "seat": one.seat,
        "wager": one.code,
        "before_cents": one.before_cents,
        "after_cents": one.after_cents,
        "chips": one.chips,
    }
    return said | ({"play": one.play} if one.play else {})


# Payments


def _of_payments(case: Case, params: Params) -> Correction:
    """Another sum went over the table than was settled. The settlement stands as it is."""
    stand, round_ = case.stand, case.round
    handed = params.objects("payments", _read_handed, max_items=MOST_LINES)
    if len({one.seat for one in handed}) != len(handed):
        raise malformed("payments")
    _verify_none_open(round_)
    settled, nothing = slips.by_seat(stand.lines), slips.totals(())
    said = []
    for one in handed:
        if one.seat > case.at.table.seats:
            raise Refusal("no-such-seat", seat=one.seat, seats=case.at.table.seats)
        found = settled.get(one.seat, nothing)
        if (one.paid_cents, one.taken_cents) == (found["paid_cents"], found["taken_cents"]):
            raise Refusal("slip-payment-unchanged", seat=one.seat)
        said.append(_handed(one, found))
    due = slips.listed(slips.due_for_payments(stand.lines, handed))
    named = stand.paid.get(handed[0].seat, stand.version)
    mended = {"payments": said}
    lines = stand.lines
    return Correction(Kind.PAYMENT.value, named, mended, stand.ending, _thrown(stand), lines, lines, due)


def _read_handed(one: Params) -> Handed:
    return Handed(
        one.integer("seat", 1, 64),
        one.integer("paid_cents", 0, MOST_CENTS),
        one.integer("taken_cents", 0, MOST_CENTS),
    )


def _handed(one: Handed, settled: dict[str, int]) -> dict[str, int]:
    return {
        "seat": one.seat,
        "settled_paid_cents": settled["paid_cents"],
        "handed_paid_cents": one.paid_cents,
        "settled_taken_cents": settled["taken_cents"],
        "handed_taken_cents": one.taken_cents,
    }


def _verify_none_open(round_: Round) -> None:
    """While a slip of the round waits for its money, nobody can say what has been handed over in all."""
    waits = Slip.objects.filter(round=round_, status=Slip.Status.FILED).order_by("number").first()
    if waits is not None:
        raise Refusal("slip-settle-first", slip=waits.code)


# Void


def _of_void(case: Case, reason: str) -> Correction:
    """A settled round is void after all: every wager goes back."""
    stand, round_ = case.stand, case.round
    before = slips.totals(stand.lines)
    if not (before["taken_cents"] or before["paid_cents"]):
        raise Refusal("slip-nothing-to-undo", round=round_.number)
    ending, settled = slips.all_returned(case.rules, slips.wagers_of(stand.lines), reason)
    return _settled(case, Kind.VOID.value, stand.version, {}, ending, settled, _thrown(stand))


# All of them


def _settled(
    case: Case,
    kind: str,
    corrects: Named,
    mended: dict[str, Any],
    ending: str,
    settled: tuple[Settled, ...],
    throws: list[dict[str, Any]],
    besides: dict[int, int] | None = None,
) -> Correction:
    """A slip on a slip names that slip's entry: what the round was there is what it corrects."""
    was, lines = case.stand.lines, tuple(case.say(one) for one in settled)
    due = slips.listed(slips.due(was, lines), besides or {})
    return Correction(kind, corrects, mended, ending, throws, was, lines, due)


def _thrown(stand: RoundOutcome) -> list[dict[str, Any]]:
    return _numbered([(one.number, one.dice) for one in stand.throws])


def _numbered(throws: list[tuple[int, tuple[int, ...]]]) -> list[dict[str, Any]]:
    return [{"throw": number, "dice": list(dice)} for number, dice in throws]
