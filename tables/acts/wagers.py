"""Placing wagers. A wager is the total that a seat has on one code."""

from dataclasses import dataclass
from typing import Any

from games.engine import Placing, Refusal
from games.params import MOST_CENTS, Params

from ..at_table import AtTable
from ..models import Round, Wager
from ..permissions import AT_THE_TABLE
from ..road import Recorded, act
from ..stopped import verify_wagers_dealt
from .seats import verify_seated

MADE_IN = ("chips", "plaques", "cash")
MOST_PLAYS = 6


@dataclass(frozen=True)
class Lying:
    """What now lies on one area for one seat, in cents; nothing lies there any more at 0.

    `play` is the play that a wager is made on, where a game has such wagers.
    """

    seat: int
    wager: str
    cents: int
    made_in: str
    play: int | None

    @property
    def key(self) -> tuple[int, str, int | None]:
        return self.seat, self.wager, self.play

    @property
    def placing(self) -> Placing:
        """The same as the engine takes it."""
        return Placing(self.seat, self.wager, self.cents, self.made_in, self.play)


def read_lying(params: Params) -> Lying:
    """Reads `{"seat", "wager", "cents", "made_in", "play"}`. Cash is read, so that the engine can refuse it."""
    return Lying(
        params.whole("seat", 1, 64),
        params.text("wager"),
        params.whole("cents", 0, MOST_CENTS),
        params.choice("made_in", MADE_IN, default="chips"),
        read_play(params),
    )


def read_play(params: Params) -> int | None:
    """The play that a wager is made on; None where none is named."""
    return params.whole("play", 0, MOST_PLAYS, default=0) or None


@act(roles=AT_THE_TABLE, depends_on="seats")
def place_wagers(at: AtTable, params: Params) -> Recorded:
    """Writes down wagers as they now lie on the layout, for one or several seats (and plays).

    Refused once no more bets was announced, for cash, for an unknown wager, seat or increment, and for a stake
    whose payout would be a fraction of a cent; and for a provider's wager that may not be dealt (§ 528.7). Outside the
    limits it is flagged and stands (§ 521.7(c)).
    """
    lying = params.each("wagers", read_lying)
    verify_seats(at, lying)
    if at.round is None and not any(one.cents for one in lying):
        raise Refusal("nothing-placed", at.rules.section("placement"))
    verify_seated(at, {one.seat for one in lying if one.cents})
    round_ = at.live_round()
    state, _ = at.game.place_wagers(at.state, tuple(one.placing for one in lying))
    verify_wagers_dealt(at, lying)
    flags = write_wagers(at, round_, lying)
    at.change_round(wagered_cents=sum(wager.cents for wager in state.wagers))
    return Recorded(
        "wagers.placed",
        {
            "round": round_.number,
            "placed": [_placed(one, flag) for one, flag in zip(lying, flags, strict=True)],
            "wagered_cents": round_.wagered_cents,
        },
        answer={"round": round_.number},
        changes="nothing",
        seats=tuple(sorted({one.seat for one in lying})),
    )


def verify_seats(at: AtTable, lying: tuple[Lying, ...]) -> None:
    """Raises `Refusal` for a seat that this table does not have, or the same seat and area twice in one act."""
    for one in lying:
        if one.seat > at.table.seats:
            raise Refusal("no-such-seat", seat=one.seat, seats=at.table.seats)
    if len({one.key for one in lying}) != len(lying):
        raise Refusal("malformed", name="wagers")


def _placed(one: Lying, flag: str) -> dict[str, Any]:
    said = {"seat": one.seat, "wager": one.wager, "cents": one.cents, "made_in": one.made_in, "flag": flag}
    return said if one.play is None else {**said, "play": one.play}


def write_wagers(at: AtTable, round_: Round, lying: tuple[Lying, ...]) -> list[str]:
    """Writes the rows of what now lies, and removes those of what was taken off. Returns each one's flag.

    A row that was struck as a mistake and is written again lies there after all.
    """
    flags = [at.flag_of(one.wager, one.cents) for one in lying]
    rows = [
        (one.seat, one.wager, one.play or 0, one.cents, one.made_in, flag)
        for one, flag in zip(lying, flags, strict=True)
        if one.cents
    ]
    if rows:
        Wager.objects.lay(round_, rows)
    off = {one.key for one in lying if not one.cents}
    gone = [wager.pk for wager in at.wagers if wager.key in off]
    if gone:
        Wager.objects.filter(pk__in=gone).delete()
    return flags
