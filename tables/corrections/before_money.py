"""Corrections before money moves: until the first payment of the round in play, signed by a floorperson.

Dice that were entered wrongly (`correct_dice`), a wager that was on the layout and was not entered
(`record_missed_wager`), or one that was entered and was not there (`strike_mistaken_wager`). The round is settled
again. Each correction is an entry of its own with both values. No earlier entry is changed. `preview` says what it
would change, by seat, wager and area, before anybody signs; the act computes it again under the lock.

One that raises what the round pays once its dice may be known needs two (`verify_raise`); see
`tables.corrections.raises`. After the first payment a slip corrects the round: `tables.corrections.slips`.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple, TypedDict, cast, get_args

from audit.entry_types import EntryBody
from games.act_forms import Dice, Text
from games.engine import Placing, Refusal, RefusalCode, RoundState, Rules
from games.engine.wagers import LOSE, WIN, MadeIn, Settled
from games.engine.wagers import Wager as EngineWager
from games.params import MOST_CENTS, Params
from games.stacks import Owner
from tables.core.alerts import end_alert
from tables.core.context import TableContext
from tables.core.duty import AT_THE_TABLE, lock_duty_of
from tables.core.held_back import held_amounts, raised_cents, raised_seats
from tables.core.seats import MADE_IN, WagerInput, read_play, take_seats
from tables.corrections.filing import file_what_is_held
from tables.corrections.raises import (
    DICE_CORRECTED,
    WAGER_MISSED,
    WAGER_STRUCK,
    CorrectedDice,
    MissedWager,
    StruckWager,
    tell_signers,
)
from tables.corrections.reviews import moved_beside, reviewer_names, verify_may_correct
from tables.limits import wager_flag
from tables.models import Round, Throw, Wager
from tables.money.chips import verify_chips_exist
from tables.rounds.course import advance, at_the_end, newly_settled, require_round
from tables.rounds.live_round import labels
from tables.rounds.settlement import (
    NewSettlement,
    Raise,
    add_late_wager,
    counted_beside,
    counts_with_raises,
    freed_stakes,
    needs_review,
    raise_by_correction,
    raised_beside,
    settle_throw,
)
from tables.rounds.wagers import report_over_max, verify_in_chips, verify_seated
from tables.rules import verify_not_suspended_since_opening
from tables.runner.signatures import verify_signed_by_floor
from tables.runner.table import ActOutcome, act
from tables.words.sentences import dollars

RAISE_NEEDS_TWO = RefusalCode(
    "raise-needs-two",
    "The dice may be known. Two people must sign what may pay more, the dealer and the floor, each with their own "
    "PIN. Ask the other to sign.",
    "Second person needed",
)
CORRECT_BY_SLIP = RefusalCode(
    "correct-by-slip",
    "The dice may be known. With this, %(sum)s that is on record could not be taken, and %(who)s must review that "
    "first. Finish the round as it is recorded, then file a slip that says where the chips are.",
    "File a slip after the round",
)
MONEY_HAS_MOVED = RefusalCode(
    "money-has-moved",
    "A winner of round %(round)s has been paid. It can no longer be corrected here.",
)

at_the_end(file_what_is_held)
counts_with_raises(moved_beside)


# The acts


@act(roles=AT_THE_TABLE, witness=True, step_up="office")
def correct_dice(ctx: TableContext, *, dice: Dice, reason: Text) -> ActOutcome:
    """Correct dice that were entered wrongly, and settle every wager again."""
    round_ = verify_correctable(ctx)
    before, raised_before = list(ctx.state.dice), raised_cents(round_)
    state, _ = ctx.game.correct_dice(ctx.state, dice or ())
    corrected: CorrectedDice = {"before": before, "after": list(dice or ()), "reason": reason}
    outcome = settle_throw(
        ctx,
        round_,
        state,
        lambda data: DICE_CORRECTED({**data, "mended": corrected}),
        newly_settled(state),
        dice=state.dice,
        corrects=newest_throw(ctx),
    )
    verify_raise(ctx, "correct_dice", raised_before, raised_seats(round_))
    return outcome


@act(roles=AT_THE_TABLE, witness=True, step_up="office")
def record_missed_wager(ctx: TableContext, params: Params) -> ActOutcome:
    """Record a wager that was on the layout when bets closed and was not entered."""
    seat, code = params.integer("seat", 1, ctx.table.seats), params.text("wager")
    cents = params.integer("cents", 1, MOST_CENTS)
    made_in, play = params.choice("made_in", MADE_IN, default="chips"), read_play(params)
    reason = params.text("reason")
    round_ = verify_correctable(ctx)
    verify_in_chips(ctx, cents)
    verify_seated(ctx, {seat})
    take_seats(ctx, {seat}, though_refused=True)
    verify_not_suspended_since_opening(ctx, code)
    raised_before, is_late = raised_cents(round_), ctx.state.may_dice_be_known
    state, missed = ctx.game.record_missed_wager(ctx.state, Placing(seat, code, cents, made_in, play))
    is_uncalled = state.may_be_known_uncalled((seat, code, play))
    verify_chips_exist(ctx.table, sum(wager.cents for wager in state.wagers))
    was_over = any(row.key == (seat, code, play) and row.flag == "over-max" for row in ctx.wagers)
    flag = wager_flag(ctx, code, cents)
    if is_late:
        add_late_wager(ctx, round_, (seat, code, play or 0), missed.before_cents)
    values = {"cents": cents, "made_in": made_in, "flag": flag, "missed": True, "struck": False}
    wager, _ = Wager.objects.update_or_create(
        round=round_, seat=seat, code=code, play=play or 0, defaults=values
    )
    ctx.wagers[:] = [*(row for row in ctx.wagers if row.pk != wager.pk), wager]
    missed_wager: MissedWager = {
        "seat": seat,
        "wager": code,
        "before_cents": missed.before_cents,
        "after_cents": cents,
        "made_in": cast(MadeIn, made_in),
        "flag": flag,
        "reason": reason,
    }
    if play:
        missed_wager["play"] = play
    if is_uncalled:
        missed_wager["uncalled"] = True
    outcome = resettle(ctx, round_, state, lambda data: WAGER_MISSED({**data, "mended": missed_wager}))
    wager_input = WagerInput(seat, code, cents, made_in, play)
    report_over_max(ctx, round_, wager_input, is_over=flag == "over-max", was_over=was_over)
    verify_raise(
        ctx,
        "record_missed_wager",
        raised_before,
        [seat],
        is_late=is_uncalled or (is_late and cents > missed.before_cents),
        frees_stakes=cents < missed.before_cents,
    )
    return outcome


@act(roles=AT_THE_TABLE, witness=True, step_up="office")
def strike_mistaken_wager(ctx: TableContext, params: Params) -> ActOutcome:
    """Strike a wager that was entered but was not on the layout. Its row stays, marked as struck."""
    seat, code, reason = (
        params.integer("seat", 1, ctx.table.seats),
        params.text("wager"),
        params.text("reason"),
    )
    play = read_play(params)
    round_ = verify_correctable(ctx)
    raised_before = raised_cents(round_)
    is_uncalled = ctx.state.may_be_known_uncalled((seat, code, play))
    state, _ = ctx.game.strike_mistaken_wager(ctx.state, seat, code, play)
    wager = next(row for row in ctx.wagers if row.key == (seat, code, play))
    if is_uncalled:
        add_late_wager(ctx, round_, (seat, code, play or 0), wager.cents)
    wager.struck = True
    wager.save(update_fields=["struck"])
    ctx.wagers.remove(wager)
    struck: StruckWager = {
        "seat": seat,
        "wager": code,
        "before_cents": wager.cents,
        "after_cents": 0,
        "reason": reason,
    }
    if play:
        struck["play"] = play
    if is_uncalled:
        struck["uncalled"] = True
    outcome = resettle(ctx, round_, state, lambda data: WAGER_STRUCK({**data, "mended": struck}))
    if wager.flag == "over-max":
        end_alert(ctx, f"over-max:{round_.number}:{seat}:{code}")
    verify_raise(ctx, "strike_mistaken_wager", raised_before, [seat], is_late=is_uncalled, frees_stakes=True)
    return outcome


def verify_correctable(ctx: TableContext) -> Round:
    """Return the live round, before its first payment and signed by the floor. Raises `Refusal` otherwise."""
    round_ = require_round(ctx)
    if ctx.state.money_moved:
        raise Refusal(MONEY_HAS_MOVED, round=round_.number)
    verify_signed_by_floor(ctx)
    return round_


def resettle(
    ctx: TableContext, round_: Round, state: RoundState, entry: Callable[[NewSettlement], EntryBody]
) -> ActOutcome:
    """Settle the newest throw again. Before the first throw, the round goes on with the corrected wagers."""
    throw = newest_throw(ctx)
    if throw is not None:
        return settle_throw(
            ctx,
            round_,
            state,
            lambda data: entry(cast(NewSettlement, data)),
            newly_settled(state),
            dice=state.dice,
            corrects=throw,
        )
    advance(ctx, state, wagered_cents=sum(wager.cents for wager in state.wagers))
    data: NewSettlement = {"round": round_.number, "wagered_cents": round_.wagered_cents}
    return ActOutcome(entry(data), changes="phase")


# Who signs what may pay more


def verify_raise(
    ctx: TableContext,
    act: str,
    before_cents: int,
    seats: Iterable[int],
    *,
    is_late: bool = False,
    frees_stakes: bool = False,
) -> None:
    """Verify who signs a correction that may raise what the round pays once its dice may be known, and tell them.

    `before_cents`: what corrections had raised before. `is_late`: dice that may be known and are not called yet, or
    later ones, decide about it.
    `frees_stakes`: the correction says that recorded chips were not there. They cannot be held back, so from the sum of
    a first review on a slip says where they are.
    Raises `raise-needs-two`, `may-not-prepare` or `correct-by-slip`; the transaction is rolled back.
    """
    round_ = ctx.round
    assert round_ is not None
    raised = raised_cents(round_) - before_cents
    if raised <= 0 and not is_late:
        return
    lock_duty_of(
        person.pk for person in (ctx.actor, ctx.witness) if person is not None
    )  # as `review_sum` does
    decided_in = round_.last_throw + is_late
    after_cents = raised_cents(round_) + freed_stakes(round_, decided_in, ctx.wagers)
    verify_frees_no_stakes(ctx, after_cents, before_cents, frees_stakes=frees_stakes)
    if ctx.actor is None or ctx.witness is None or ctx.actor.pk == ctx.witness.pk:
        raise Refusal(RAISE_NEEDS_TWO, ctx.table.facility.law.section("corrections.review"))
    verify_may_correct(ctx)
    tell_signers(ctx, round_.number, act, max(0, raised), seats, is_held=bool(held_amounts(round_)))


def verify_frees_no_stakes(
    ctx: TableContext, after_cents: int, before_cents: int, *, frees_stakes: bool
) -> None:
    """Refuse to give up recorded stakes where these and raises come to the sum of a first review.

    Raises `correct-by-slip`.
    """
    round_ = ctx.round
    assert round_ is not None
    if not frees_stakes or after_cents <= before_cents:
        return
    if needs_review(ctx.table, after_cents + counted_beside(ctx, round_)):
        facility = ctx.table.facility
        more, who = dollars(after_cents - before_cents), reviewer_names(facility)
        raise Refusal(CORRECT_BY_SLIP, facility.law.section("corrections.review"), sum=more, who=who)


def newest_throw(ctx: TableContext) -> Throw | None:
    """Return the newest throw of the live round that has dice; None before the first."""
    return next((throw for throw in reversed(ctx.throws) if throw.dice), None)


# The preview


CorrectionAct = Literal["correct_dice", "record_missed_wager", "strike_mistaken_wager"]
CORRECTION_ACTS: tuple[CorrectionAct, ...] = get_args(CorrectionAct)
Key = tuple[int, str, int | None]


class LineChange(TypedDict):
    """One wager with another end: what to do with its chips, and what that is worth to the player, in cents."""

    label: str
    say: str
    cents: int


class SeatChange(TypedDict):
    """The changes of a seat, and its win before and after in words."""

    seat: int
    say: str
    loses: bool
    lines: list[LineChange]


class Sum(TypedDict):
    """A sum of the round in cents, before and after."""

    label: str
    before: int
    after: int


Mark = Literal["wins", "loses", "changes"]


class AreaChange(TypedDict):
    """An area of the layout whose result changes. `word` is printed on it, "" where no wager on it changes.

    `owners` are the chips on it that the newest throw decides or leaves, `struck` the chips that were never there.
    `hits`: how many of the corrected dice show the number of the area; 0 for an area without a number.
    """

    wager: str
    mark: Mark
    word: str
    hits: int
    owners: tuple[Owner, ...]
    struck: tuple[Owner, ...]


class CorrectionPreview(TypedDict):
    """What a correction changes; no seats if every wager ends as before. `version`: that of the table that was read.

    `held`: that what it adds is held back for a review, in words; "" where it is not.
    """

    version: int
    seats: list[SeatChange]
    sums: list[Sum]
    areas: list[AreaChange]
    held: str


class WagerChange(NamedTuple):
    """A wager before and after the correction, None where it is not on the layout, and what the newest throw decides
    about it, None where it decides nothing.
    """

    wager_before: EngineWager | None
    wager: EngineWager | None
    before: Settled | None
    after: Settled | None

    @property
    def freed_cents(self) -> int:
        """How much less is on the layout than was recorded."""
        before_cents = self.wager_before.cents if self.wager_before else 0
        return max(0, before_cents - (self.wager.cents if self.wager else 0))

    @property
    def changes(self) -> bool:
        """Whether anything is different for its player."""
        if self.wager_before is None or self.wager is None:
            return True
        return self.wager_before.cents != self.wager.cents or _end(self.before) != _end(self.after)


def preview(ctx: TableContext, act: CorrectionAct, params: Params) -> CorrectionPreview:
    """Return what this correction of the round in play would change. Raises what the act raises, but for signatures."""
    require_round(ctx)
    before = ctx.state
    if before.money_moved:
        raise Refusal(MONEY_HAS_MOVED, round=require_round(ctx).number)
    after = _READERS[act](ctx, params)
    verify_chips_exist(ctx.table, sum(wager.cents for wager in after.wagers))
    changes = [change for change in _wager_changes(before, after) if change.changes]
    return {
        "version": ctx.table.stream.seq,
        "seats": _seats(ctx.rules, before, after, changes),
        "sums": _sums(before, after),
        "areas": _areas(ctx, before, after, changes),
        "held": _held(ctx, after, changes),
    }


def _held(ctx: TableContext, after: RoundState, changes: Iterable[WagerChange]) -> str:
    """Say that what the correction adds waits for a review. Raises `correct-by-slip` where it cannot be held back."""
    round_, throw = require_round(ctx), newest_throw(ctx)
    uncalled_cents = sum(
        change.freed_cents
        for change in changes
        if change.wager_before and ctx.state.may_be_known_uncalled(change.wager_before.key)
    )
    raised = raise_by_correction(round_, throw.number, newly_settled(after)) if throw else Raise()
    decided_in = round_.last_throw + bool(uncalled_cents)
    beside_cents = raised_beside(round_, throw.number if throw else 0, decided_in, ctx.wagers)
    total_cents = raised.total_cents + beside_cents + uncalled_cents
    frees_stakes = any(change.freed_cents for change in changes)
    verify_frees_no_stakes(ctx, total_cents, raised_cents(round_), frees_stakes=frees_stakes)
    if not raised.total_cents or not needs_review(ctx.table, total_cents + counted_beside(ctx, round_)):
        return ""
    seats, held = ", ".join(map(str, raised.by_seat)), dollars(sum(raised.by_seat.values()))
    return f"Held back of seat {seats}: {held}. Nothing of it is paid before its review."


def _dice(ctx: TableContext, params: Params) -> RoundState:
    return ctx.game.correct_dice(ctx.state, params.dice() or ())[0]


def _missed(ctx: TableContext, params: Params) -> RoundState:
    seat, code = params.integer("seat", 1, ctx.table.seats), params.text("wager")
    cents = params.integer("cents", 1, MOST_CENTS)
    made_in, play = params.choice("made_in", MADE_IN, default="chips"), read_play(params)
    return ctx.game.record_missed_wager(ctx.state, Placing(seat, code, cents, made_in, play))[0]


def _struck(ctx: TableContext, params: Params) -> RoundState:
    seat, code, play = params.integer("seat", 1, ctx.table.seats), params.text("wager"), read_play(params)
    return ctx.game.strike_mistaken_wager(ctx.state, seat, code, play)[0]


_READERS: dict[CorrectionAct, Callable[[TableContext, Params], RoundState]] = {
    "correct_dice": _dice,
    "record_missed_wager": _missed,
    "strike_mistaken_wager": _struck,
}


def _wager_changes(before: RoundState, after: RoundState) -> list[WagerChange]:
    """Return every wager before and after, in the order of the wagers."""
    ends_before, ends_after = _ends(before), _ends(after)
    wagers_before = {wager.key: wager for wager in before.wagers}
    wagers_after = {wager.key: wager for wager in after.wagers}
    return [
        WagerChange(wagers_before.get(key), wagers_after.get(key), ends_before.get(key), ends_after.get(key))
        for key in dict.fromkeys([*wagers_before, *wagers_after])
    ]


def _seats(
    rules: Rules, before: RoundState, after: RoundState, changes: Iterable[WagerChange]
) -> list[SeatChange]:
    names = labels(rules)
    are_taken = before.phase in ("taken", "paid")  # the losing chips are in the rack
    by_seat: dict[int, list[LineChange]] = defaultdict(list)
    for change in changes:
        wager = change.wager or change.wager_before
        assert wager is not None
        by_seat[wager.seat].append(
            {
                "label": names.get(wager.code, wager.code),
                "say": _change_words(change, are_taken=are_taken),
                "cents": _worth(change.after) - _worth(change.before),
            }
        )
    return [
        {
            "seat": seat,
            "say": _seat_words(_won(before, seat), _won(after, seat), sum(line["cents"] for line in lines)),
            "loses": sum(line["cents"] for line in lines) < 0,
            "lines": lines,
        }
        for seat, lines in sorted(by_seat.items())
    ]


def _areas(
    ctx: TableContext, before: RoundState, after: RoundState, changes: Iterable[WagerChange]
) -> list[AreaChange]:
    """Return the areas with a wager that changes, and those whose light changes, in the order of the layout."""
    lit_before, lit_after = set(ctx.game.lit_codes(before)), set(ctx.game.lit_codes(after))
    changes_by_code: dict[str, list[WagerChange]] = defaultdict(list)
    for change in changes:
        wager = change.wager or change.wager_before
        assert wager is not None
        changes_by_code[wager.code].append(change)
    areas: list[AreaChange] = []
    for code in labels(ctx.rules):
        of_area = changes_by_code[code]
        if not of_area and (code in lit_before) == (code in lit_after):
            continue
        mark, word = _mark(ctx.rules, of_area) if of_area else ("wins" if code in lit_after else "loses", "")
        number = code.partition(":")[2]
        areas.append(
            {
                "wager": code,
                "mark": mark,
                "word": word,
                "hits": after.dice.count(int(number)) if number.isdigit() else 0,
                "owners": _owners(after, code, of_area),
                "struck": tuple(
                    Owner(change.wager_before.seat, change.wager_before.cents)
                    for change in of_area
                    if change.wager is None and change.wager_before is not None
                ),
            }
        )
    return areas


def _mark(rules: Rules, changes: list[WagerChange]) -> tuple[Mark, str]:
    """Return how an area is marked whose wagers change, and its word."""
    outcomes = {change.after.outcome if change.after else "" for change in changes if change.wager}
    mark: Mark = "wins" if outcomes == {WIN} else "loses" if outcomes == {LOSE} else "changes"
    if all(change.wager is None for change in changes):
        return "changes", "STRUCK"
    if all(change.wager_before is None for change in changes):
        return mark, "MISSED"
    if any(
        change.wager_before and change.wager and change.wager_before.cents != change.wager.cents
        for change in changes
    ):
        return "changes", "AMOUNT"
    if mark == "wins" and all(change.before and change.before.outcome == WIN for change in changes):
        pays = {change.after.pays for change in changes if change.after and change.after.pays}
        return "changes", rules.state_odds(pays.pop()).upper() if len(pays) == 1 else "PAYS"
    return mark, {"wins": "WINS", "loses": "LOSES"}.get(mark, "STAYS" if outcomes == {""} else "CHANGES")


def _owners(after: RoundState, code: str, changes: list[WagerChange]) -> tuple[Owner, ...]:
    """Return whose chips are on an area, without what an earlier throw decided. If only some change, they stand out."""
    keys = {change.wager.key for change in changes if change.wager}
    newest = _ends(after)
    earlier = {settled.wager.key for settled in after.settled} - newest.keys()
    wagers = [wager for wager in after.wagers if wager.code == code and wager.key not in earlier]
    stands_out = 0 < len(keys) < len(wagers)
    cents: dict[int, int] = defaultdict(int)
    for wager in wagers:
        cents[wager.seat] += wager.cents
    marked = {wager.seat for wager in wagers if stands_out and wager.key in keys}
    return tuple(Owner(seat, cents[seat], running=seat in marked) for seat in sorted(cents))


def _ends(state: RoundState) -> dict[Key, Settled]:
    return {settled.wager.key: settled for settled in state.of_newest_throw} if state.throws else {}


def _won(state: RoundState, seat: int) -> int:
    return sum(end.paid_cents for end in _ends(state).values() if end.wager.seat == seat)


def _end(settled: Settled | None) -> tuple[str, int] | None:
    """Return how a wager ends; None where it stays on the layout, or nothing was thrown."""
    return (settled.outcome, settled.paid_cents) if settled else None


def _change_words(change: WagerChange, *, are_taken: bool) -> str:
    """Return what happens to a wager that changes, and to its chips."""
    wager_before, wager, before, after = change
    if wager is None:
        assert wager_before is not None
        return f"{dollars(wager_before.cents)} struck: it was not on the layout"
    stake = dollars(wager.cents)
    if wager_before is None:
        return f"{stake} recorded{_end_words(after)}"
    if wager_before.cents != wager.cents:
        return f"{stake}, not {dollars(wager_before.cents)}{_end_words(after)}"
    was_taken = before is not None and before.outcome == LOSE
    chips = f"{stake} put back," if was_taken and are_taken else stake
    if after is None:
        return f"{chips} stays"
    if after.outcome == LOSE:
        return f"{stake} now loses: take it"
    if before is None or was_taken:
        return f"{chips} wins {dollars(after.paid_cents)}"
    return f"{stake} wins {dollars(after.paid_cents)}, not {dollars(before.paid_cents)}"


def _worth(end: Settled | None) -> int:
    """Return what a wager is worth to its player: its win, or minus its stake."""
    if end is None:
        return 0
    return -end.wager.cents if end.outcome == LOSE else end.paid_cents


def _end_words(end: Settled | None) -> str:
    if end is None:
        return ""
    if end.outcome == WIN:
        return f", wins {dollars(end.paid_cents)}"
    return ", loses: take it" if end.outcome == LOSE else ""


def _seat_words(before: int, after: int, worth: int) -> str:
    if after and before:
        return (
            f"Wins {dollars(after)}, not {dollars(before)}"
            if after != before
            else f"Wins {dollars(after)} as before"
        )
    if after:
        return f"Wins {dollars(after)}, won nothing before"
    if before:
        return "No longer wins"
    return (
        f"{dollars(-worth)} taken"
        if worth < 0
        else f"{dollars(worth)} no longer taken"
        if worth
        else "Wins nothing"
    )


def _sums(before: RoundState, after: RoundState) -> list[Sum]:
    def taken(ends: Iterable[Settled]) -> int:
        return sum(end.wager.cents for end in ends if end.outcome == LOSE)

    ends_before, ends_after = _ends(before).values(), _ends(after).values()
    return [
        {
            "label": "Wagered",
            "before": sum(wager.cents for wager in before.wagers),
            "after": sum(wager.cents for wager in after.wagers),
        },
        {"label": "Take", "before": taken(ends_before), "after": taken(ends_after)},
        {
            "label": "Pay",
            "before": sum(end.paid_cents for end in ends_before),
            "after": sum(end.paid_cents for end in ends_after),
        },
    ]
