"""Wagers and the seats that they lie at.

A wager is the total that a seat has on one code (`place_wagers`); no more bets ends it. A wager outside the limits is
accepted and flagged, and one over the maximum raises an alert (58 Pa. Code § 521.7(c)).

A wager takes its seat too. In a game that only seated players may wager in (§ 675a.2(c)), the player sits down first.
In a game whose players keep no seat, a wager alone takes it. A player sits down, is away, is back, and leaves by acts
of their own (§§ 577.4(b), 675a.2(c)).

What was accepted is paid, to the cent. So a stake is refused at once where the chips of the house cannot make it, or
what it may be paid, with the nearest stakes that they can (§ 521.7(d)). A wager that lay on the layout when bets
closed is settled as it lies; only an amount that no chips make cannot have lain there.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, NotRequired, TypedDict, cast

from audit.entry_types import entry_type
from games.act_forms import Seat, objects
from games.chips import are_made, payable_step
from games.engine import Refusal
from games.engine.refusals import NOTHING_PLACED, RefusalCode
from games.engine.wagers import MadeIn
from games.game_acts import ActThatWaits
from games.params import malformed
from games.snapshot_types import SeatMark
from tables.core.alerts import AlertKind, Level, end_alert, raise_alert
from tables.core.context import ACT_OF_ANOTHER_GAME, TableContext
from tables.core.duty import AT_THE_TABLE
from tables.core.seats import WagerInput, leave_seats, mark, read_wager_input, take_seats
from tables.limits import section_of, wager_flag
from tables.models import Round, Wager
from tables.models.rounds import FlagOrNone
from tables.money.chips import verify_chips_exist
from tables.players.ratings import end_with_seats
from tables.rounds.course import ensure_round
from tables.rules import verify_not_suspended
from tables.runner.table import ActOutcome, act
from tables.words import overtaken_by
from tables.words.sentences import dollars, seats_words

NO_SUCH_SEAT = RefusalCode("no-such-seat", "This table has seats 1 to %(seats)s; there is no seat %(seat)s.")
SEAT_IS_OPEN = RefusalCode(
    "seat-is-open",
    "Nobody sits at seat %(seat)s. Seat the player first, then take the wager.",
)
SEAT_IS_TAKEN = RefusalCode("seat-is-taken", "A player sits at seat %(seat)s already.")
SEAT_HAS_THE_DICE = RefusalCode(
    "seat-has-the-dice",
    "Seat %(seat)s has thrown the dice. Call them first.",
)
SEAT_HOLDS_THE_DICE = RefusalCode(
    "seat-holds-the-dice",
    "Seat %(seat)s has the dice. Record first that the player gives them up.",
)
SEAT_HAS_NO_WAGER = RefusalCode(
    "seat-has-no-wager",
    "Seat %(seat)s has no wager in this round. Record that the player left, and the seat is free at once.",
)
SEAT_HAS_A_WAGER = RefusalCode(
    "seat-has-a-wager",
    "Seat %(seat)s has a wager in this round. The player stays until it ends.",
)
STAKE_NOT_IN_CHIPS = RefusalCode(
    "stake-not-in-chips",
    "No chips here make %(cents)s. The smallest chip is %(chip)s: enter %(stakes)s.",
    "Not an amount in chips",
)
PAYOUT_NOT_IN_CHIPS = RefusalCode(
    "payout-not-in-chips",
    "%(cents)s at seat %(seat)s may win an amount that no chips here make: the smallest chip is %(chip)s. Tell the "
    "player, and take %(stakes)s instead.",
    "Not payable in chips",
)


# What the record says of seats and wagers


class SeatChange(TypedDict):
    seat: int


SEAT_FREED = entry_type(
    "seat.freed", SeatChange, "A player left a seat.", lambda data: "Seat %(seat)s free" % data
)
overtaken_by(SEAT_IS_OPEN, SEAT_FREED)


MARKED = {
    "away": "Seat %(seat)s: the player is away",
    "left": "Seat %(seat)s: the player left, free after the round",
    "here": "Seat %(seat)s: the player is back",
}


@entry_type("seat.marked")
def SEAT_MARKED(
    *,
    seat: int,
    mark: Annotated[
        SeatMark,
        "`away`: the player keeps the seat; `left`: the seat is free once the round has ended; `here`: the player is "
        "back",
    ],
) -> str:
    """A player of a taken seat went away, left or came back."""
    return MARKED[mark] % {"seat": seat}


SEAT_TAKEN = entry_type(
    "seat.taken", SeatChange, "A player took a seat.", lambda data: "Seat %(seat)s taken" % data
)
overtaken_by(SEAT_IS_TAKEN, SEAT_TAKEN)


class PlacedWager(TypedDict):
    cents: Annotated[int, "the total that the seat now has on the area; 0: taken off"]
    flag: FlagOrNone
    made_in: MadeIn
    seat: int
    wager: str
    play: NotRequired[int]


class WagersPlaced(ActThatWaits):
    placed: Annotated[list[PlacedWager], "each wager that was placed, changed or taken off"]
    round: int
    wagered_cents: int


WAGERS_PLACED = entry_type(
    "wagers.placed",
    WagersPlaced,
    "Wagers were placed, changed or taken off: the totals that seats have on areas.",
    lambda data: "Wagers, %s" % seats_words(sorted({wager["seat"] for wager in data["placed"]})),
)


# The alert about a wager over the maximum


def describe_over_max(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the title and the text of the alert about a wager over the maximum."""
    title = "%s at seat %s is over the maximum" % (dollars(params["cents"]), params["seat"])
    return title, "It was accepted and is settled in full, unless the player lowers it before no more bets."


def describe_several_over_max(group: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return the title and the text of several wagers over the maximum at a table."""
    seats = sorted({params["seat"] for params in group})
    cents = sum(params["cents"] for params in group)
    where = f"seat {seats[0]}" if len(seats) == 1 else f"seats {', '.join(map(str, seats))}"
    text = "They were accepted and are settled in full, unless the players lower them before no more bets."
    return f"{len(group)} wagers over the maximum, {where}: {dollars(cents)}", text


OVER_MAX = AlertKind(
    "over-max",
    "over-max:{round}:{seat}:{wager}",
    Level.WARN,
    "Wager over the maximum",
    "",
    describe=describe_over_max,
    describe_group=describe_several_over_max,
    ends_when_acknowledged=True,
)


# Which wagers are taken


def verify_seats(ctx: TableContext, wagers: tuple[WagerInput, ...]) -> None:
    """Raises `no-such-seat`, or `malformed` if one act names the same seat and area twice."""
    for wager in wagers:
        if wager.seat > ctx.table.seats:
            raise Refusal(NO_SUCH_SEAT, seat=wager.seat, seats=ctx.table.seats)
    if len({wager.key for wager in wagers}) != len(wagers):
        raise malformed("wagers")


def verify_seated(ctx: TableContext, seats: set[int]) -> None:
    """Raises `seat-is-open` if the game requires seated players and one of these seats has none."""
    section = ctx.rules.section("seated")
    for seat in sorted(seats - set(ctx.table.seated)) if section else ():
        raise Refusal(SEAT_IS_OPEN, section, seat=seat)


def verify_payable(ctx: TableContext, wagers: Iterable[WagerInput]) -> None:
    """Refuse stakes that these chips cannot pay. Raises `stake-not-in-chips` or `payout-not-in-chips`.

    The engine knows the wagers already. A wager that is taken off needs no chips.
    """
    chips = ctx.table.facility.chip_values
    for wager in wagers:
        if not wager.cents:
            continue
        verify_in_chips(ctx, wager.cents)
        step = payable_step(chips, ctx.game.possible_odds(ctx.rules, wager.wager))
        if wager.cents % step:
            raise Refusal(
                PAYOUT_NOT_IN_CHIPS,
                _section(ctx),
                seat=wager.seat,
                cents=dollars(wager.cents),
                chip=dollars(chips[-1]),
                stakes=_nearest(wager.cents, step),
            )


def verify_in_chips(ctx: TableContext, cents: int) -> None:
    """Refuse an amount that the chips of the house cannot make. Raises `stake-not-in-chips`."""
    chips = ctx.table.facility.chip_values
    if not are_made(chips, cents):
        raise Refusal(
            STAKE_NOT_IN_CHIPS,
            _section(ctx),
            cents=dollars(cents),
            chip=dollars(chips[-1]),
            stakes=_nearest(cents, chips[-1]),
        )


def _section(ctx: TableContext) -> str:
    return ctx.rules.section("increments") or ctx.rules.section("odds")


def _nearest(cents: int, step: int) -> str:
    """The nearest multiples of `step` around an amount, in words: `$5 or $10`."""
    below = cents // step * step
    return " or ".join(dollars(stake) for stake in (below, below + step) if stake)


# The act that places wagers


@act(roles=AT_THE_TABLE, depends_on="seats", is_all_in_context=True)
def place_wagers(
    ctx: TableContext, *, wagers: Annotated[tuple[WagerInput, ...], objects(read_wager_input)]
) -> ActOutcome:
    """Record wagers as they are on the layout now, for one or several seats (and plays).

    Refused after no more bets, for cash, for an unknown wager, seat or increment, for a stake whose payout would be
    a fraction of a cent or that the chips of the house cannot pay, and for a suspended wager of a provider (§ 528.7).
    A wager outside the limits is accepted and flagged (§ 521.7(c)).
    """
    verify_seats(ctx, wagers)
    if ctx.round is None and not any(wager.cents for wager in wagers):
        raise Refusal(NOTHING_PLACED, ctx.rules.section("placement"))
    verify_seated(ctx, {wager.seat for wager in wagers if wager.cents})
    round_ = ensure_round(ctx)
    state, _ = ctx.game.place_wagers(ctx.state, tuple(wager.placing for wager in wagers))
    verify_payable(ctx, wagers)
    wagered_cents = sum(wager.cents for wager in state.wagers)
    verify_chips_exist(ctx.table, wagered_cents)
    verify_not_suspended(ctx, wagers)
    over_before = {wager.key for wager in ctx.wagers if wager.flag == "over-max"}
    flags = write_wagers(ctx, round_, wagers)
    for wager, flag in zip(wagers, flags, strict=True):
        report_over_max(ctx, round_, wager, is_over=flag == "over-max", was_over=wager.key in over_before)
    ctx.change_round(wagered_cents=wagered_cents)
    return ActOutcome(
        WAGERS_PLACED(
            {
                "round": round_.number,
                "placed": [_placed(wager, flag) for wager, flag in zip(wagers, flags, strict=True)],
                "wagered_cents": round_.wagered_cents,
            }
        ),
        answer={"round": round_.number},
        changes="nothing",
        seats=tuple(sorted({wager.seat for wager in wagers})),
    )


def report_over_max(
    ctx: TableContext, round_: Round, wager: WagerInput, *, is_over: bool, was_over: bool
) -> None:
    """Raise an alert about a wager over the maximum, before no more bets (§ 521.7(c)); end it once it is lowered."""
    if was_over and not is_over:
        end_alert(ctx, f"over-max:{round_.number}:{wager.seat}:{wager.wager}")
    if is_over and not was_over:
        alert = OVER_MAX.expected(
            ctx.table.pk,
            section=section_of(ctx.table, "limits.outside"),
            round=round_.number,
            seat=wager.seat,
            wager=wager.wager,
            cents=wager.cents,
        )
        raise_alert(ctx, alert)


def _placed(wager: WagerInput, flag: FlagOrNone) -> PlacedWager:
    data: PlacedWager = {
        "seat": wager.seat,
        "wager": wager.wager,
        "cents": wager.cents,
        "made_in": cast(MadeIn, wager.made_in),
        "flag": flag,
    }
    if wager.play is not None:
        data["play"] = wager.play
    return data


# The rows of the wagers


def write_wagers(ctx: TableContext, round_: Round, wagers: tuple[WagerInput, ...]) -> list[FlagOrNone]:
    """Write the rows of these wagers and remove those of wagers taken off. Return the flag of each.

    A row that was struck as a mistake and is written again counts again.
    """
    flags = [wager_flag(ctx, wager.wager, wager.cents) for wager in wagers]
    rows = [
        (wager.seat, wager.wager, wager.play or 0, wager.cents, wager.made_in, flag)
        for wager, flag in zip(wagers, flags, strict=True)
        if wager.cents
    ]
    written = Wager.objects.upsert_many(round_, rows, ctx.all_wagers)
    if rows:
        take_seats(ctx, {wager.seat for wager in wagers if wager.cents})
    off = {wager.key for wager in wagers if not wager.cents}
    removed = {wager.pk for wager in ctx.wagers if wager.key in off}
    if removed:
        Wager.objects.remove_many(removed)
    by_id = {wager.pk: wager for wager in (*ctx.all_wagers, *written) if wager.pk not in removed}
    ctx.written_wagers = [by_id[pk] for pk in sorted(by_id)]
    return flags


# Acts on seats


@act(roles=AT_THE_TABLE, depends_on="nothing", is_all_in_context=True)
def seat_player(ctx: TableContext, *, seat: Seat) -> ActOutcome:
    """Seat a player at an open seat. Raises `seat-is-taken`, or `act-of-another-game` where players keep no seat."""
    if not ctx.game.keeps_seats:
        raise Refusal(ACT_OF_ANOTHER_GAME, table=ctx.table.code)
    if seat in ctx.table.seated:
        raise Refusal(SEAT_IS_TAKEN, ctx.rules.section("seated"), seat=seat)
    take_seats(ctx, {seat})
    return ActOutcome(SEAT_TAKEN({"seat": seat}), changes="nothing")


@act(roles=AT_THE_TABLE, depends_on="nothing", is_all_in_context=True)
def free_seat(ctx: TableContext, *, seat: Seat) -> ActOutcome:
    """Record that the player left.

    Raises `seat-is-open`, `seat-has-a-wager` while a wager of the seat is live (where only seated players wager: until
    the round ends), or `seat-has-the-dice` while the dice that the player threw are out.
    """
    if seat not in ctx.table.seated:
        raise Refusal(SEAT_IS_OPEN, ctx.rules.section("seated"), seat=seat)
    if any(wager.seat == seat for wager in _binding_wagers(ctx)):
        raise Refusal(SEAT_HAS_A_WAGER, ctx.rules.section("seated"), seat=seat)
    has_dice = ctx.round is not None and ctx.round.quarterback == seat
    if has_dice and ctx.state.phase == "ready":
        raise Refusal(SEAT_HAS_THE_DICE, ctx.rules.section("call-dice"), seat=seat)
    end_with_seats(ctx, {seat})
    leave_seats(ctx, {seat})
    return ActOutcome(SEAT_FREED({"seat": seat}), changes="phase" if has_dice else "nothing")


@act(roles=AT_THE_TABLE, depends_on="nothing", is_all_in_context=True)
def mark_seat(ctx: TableContext, *, seat: Seat, mark_: SeatMark) -> ActOutcome:
    """Record that the player of a taken seat is away and keeps it, has left while wagers are at the seat, or is back.

    Raises `seat-is-open`, `seat-holds-the-dice` for a Quarterback, who gives them up first, `seat-has-a-wager` where
    only seated players wager and stay until the round ends (§ 675a.2(c)), or `seat-has-no-wager` for a player who has
    left without a wager, which is recorded by `free_seat`.
    """
    if seat not in ctx.table.seated:
        raise Refusal(SEAT_IS_OPEN, ctx.rules.section("seated"), seat=seat)
    holder = ctx.round.quarterback if ctx.round is not None else ctx.table.quarterback
    if mark_ != "here" and holder == seat:
        raise Refusal(SEAT_HOLDS_THE_DICE, ctx.rules.section("pass-dice"), seat=seat)
    has_wager = any(wager.seat == seat for wager in ctx.wagers)
    if mark_ != "here" and has_wager and ctx.rules.section("seated"):
        raise Refusal(SEAT_HAS_A_WAGER, ctx.rules.section("seated"), seat=seat)
    if mark_ == "left" and not has_wager:
        raise Refusal(SEAT_HAS_NO_WAGER, seat=seat)
    mark(ctx, seat, mark_)
    return ActOutcome(SEAT_MARKED(seat=seat, mark=mark_), changes="nothing")


def _binding_wagers(ctx: TableContext) -> list[Wager]:
    """The wagers of the live round that keep a player at the seat."""
    if ctx.rules.section("seated"):
        return ctx.wagers
    decided = {settled.wager.key for settled in ctx.state.settled}
    return [wager for wager in ctx.wagers if wager.key not in decided]
