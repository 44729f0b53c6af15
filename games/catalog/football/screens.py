"""What only Three Dice Football shows on live screens: places, areas, the steps of a settlement, the call.

Everything here reads the snapshot alone (docs/games.md).
"""

from functools import cached_property, lru_cache
from typing import NamedTuple, TypedDict

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from games.catalog.football import gridiron
from games.catalog.football.engine import GAME
from games.catalog.football.engine.view import Advance, FootballView
from games.catalog.football.engine.wagers import SINGLE_PLAY_CODES
from games.engine.editions import edition
from games.layout_drawing import NOT_DEALT, WINS, disc, money
from games.snapshot_types import (
    Citation,
    LayoutWager,
    PastRound,
    SeatFacts,
    SettleLine,
    SettleSeat,
    SettleStep,
    Snapshot,
    StepState,
    WagerFacts,
)

FULL_GAME = ("touchdown", "defense", "game-changer", "extra-point", "quick-strike")
GAME_LENGTH = tuple(f"game-length:{plays}" for plays in range(1, 7))
# What each of an area's odds is paid on, as printed.
TIERS = {
    "extra-point": ("One 1", "Two 1s", "Three 1s", "Other triple"),
    "quick-strike": ("Play 1", "Play 2", "Play 3", "Play 4"),
    "over-four": ("", "on a Trips TD"),
}


# The places around the table


class Place(SeatFacts):
    """A place with its undecided wagers. `due` is what the current step settles there."""

    half: str
    quarterback: bool
    offered: bool
    due: SettleSeat | None
    open: bool


def half(seat: int) -> str:
    """Return which dealer's half of the table a place is in."""
    return "right" if GAME.settling_post(seat) == "dealer" else "left"


def rail(s: Snapshot, game: FootballView) -> list[Place]:
    """Return every place, clockwise from the stickperson's left, with its undecided wagers and what it is due."""
    wagers: dict[int, list[WagerFacts]] = {seat["seat"]: [] for seat in s["round"]["seats"]}
    for wager in s["round"]["wagers"]:
        if not wager["struck"] and not wager.get("outcome"):
            wagers[wager["seat"]].append(wager)
    due = {seat["seat"]: seat for seat in _seats_of_step(step_now(s))}
    offering = "offer_dice" in s["offers"] and game["quarterback"] is None
    staking = s["round"]["bets_open"] and s["table"]["status"] == "open"
    return [
        {
            **seat,
            "count": len(wagers[seat["seat"]]),
            "cents": sum(wager["cents"] for wager in wagers[seat["seat"]]),
            "flags": seat["flags"] if any(wager["flag"] for wager in wagers[seat["seat"]]) else [],
            "half": half(seat["seat"]),
            "quarterback": seat["seat"] == game["quarterback"],
            "offered": offering and seat["seat"] == (game["offer"] or {}).get("next"),
            "due": due.get(seat["seat"]),
            "open": staking,
        }
        for seat in s["round"]["seats"]
    ]


def sits_out(s: Snapshot, game: FootballView) -> bool:
    """Return whether the Quarterback has no wager before the first throw, and so may not throw (A38)."""
    seat = game["quarterback"]
    has_wager = any(wager["seat"] == seat and not wager["struck"] for wager in s["round"]["wagers"])
    return seat is not None and not game["locked"] and not has_wager


def no_dice(s: Snapshot) -> bool:
    """Return whether the next throw waits for a new set of dice."""
    waits = s["next"] is not None and s["next"]["act"] == "throw_dice"
    return waits and (s["lot"] is None or s["lot"]["expired"])


# Settling in steps


class SettleSeatOfHalf(SettleSeat):
    """A seat of a settlement step, with its half of the table."""

    half: str


class NumberedStep(TypedDict):
    """A settlement step with its number and the half of each seat."""

    step: int
    code: str
    label: str
    section: Citation
    state: StepState
    take_cents: int
    pay_cents: int
    number: int
    seats: list[SettleSeatOfHalf]


class Settling(TypedDict):
    """The numbered steps, the current one, what it still takes and pays, the words to confirm it, and what follows."""

    steps: list[NumberedStep]
    now: NumberedStep | None
    take: int
    pay: int
    then: str
    confirmation: str


def step_now(s: Snapshot) -> SettleStep | None:
    """Return the current step of the settlement."""
    settle = s["round"].get("settle")
    return next((step for step in settle["steps"] if step["state"] == "now"), None) if settle else None


def _seats_of_step(step: SettleStep | None) -> list[SettleSeat]:
    return step["seats"] if step else []


def settling(s: Snapshot) -> Settling | None:
    """Return the numbered steps of the settlement, each seat with its half, and the rest of the current step."""
    settle = s["round"].get("settle")
    if not settle:
        return None
    steps: list[NumberedStep] = [
        {
            **step,
            "number": number,
            "seats": [
                {
                    **seat,
                    "half": half(seat["seat"]),
                    "lines": [line for line in seat["lines"] if line["outcome"] != "stay"],
                }
                for seat in step["seats"]
            ],
        }
        for number, step in enumerate(settle["steps"], 1)
    ]
    now = next((step for step in steps if step["state"] == "now"), None)
    unsettled = [seat for seat in now["seats"] if not seat["done"]] if now else []
    take = sum(seat["take_cents"] for seat in unsettled)
    pay = sum(seat["pay_cents"] for seat in unsettled)
    return {
        "steps": steps,
        "now": now,
        "take": take,
        "pay": pay,
        "then": _then(s, steps),
        "confirmation": took_and_paid(take, pay),
    }


def took_and_paid(take_cents: int, pay_cents: int) -> str:
    """Return what is left of the current step as the confirmation says it: `Took $25, paid $24`."""
    sums = (("took", take_cents), ("paid", pay_cents))
    text = ", ".join(f"{word} {money(cents)}" for word, cents in sums if cents)
    return (text or "settled").capitalize()


def _then(s: Snapshot, steps: list[NumberedStep]) -> str:
    """Return what follows once the current step is settled."""
    following = next((step for step in steps if step["state"] == "todo"), None)
    if following:
        return f"Then step {following['number']}: {following['label']}"
    game = gridiron.gridiron(s)
    if len(steps) == 1 and game["score"] is None:
        return f"Then wagers are open for play {game['play']}"
    rolls = game["extra_point"] and not _is_extra(s, game)
    return "Then the extra point roll" if rolls else "Then the game is over"


# The areas


class Spot(TypedDict):
    """An area on the pit's table page."""

    label: str
    cents: int
    lit: bool
    lost: bool


class AreaMoney(NamedTuple):
    """The money on one area, in cents: undecided, to take, and to pay by the newest throw."""

    stake: int = 0
    lost: int = 0
    won: int = 0
    settled: bool = False


def football_areas(s: Snapshot, game: FootballView) -> dict[str, list[SafeString]]:
    """Return the areas by their group, in the order of the layout, with their money and light."""
    by_code = {area["wager"]: area for area in s["layout"]}
    money_by_area, lit = _money_by_area(s, game), set(s["round"]["lit"])

    def drawn(codes: tuple[str, ...]) -> list[SafeString]:
        return [
            _area(s, game, by_code[code], money_by_area.get(code, AreaMoney()), code in lit)
            for code in codes
            if code in by_code
        ]

    return {"single": drawn(SINGLE_PLAY_CODES), "full": drawn(FULL_GAME), "length": drawn(GAME_LENGTH)}


def football_spots(s: Snapshot, game: FootballView) -> dict[str, list[Spot]]:
    """Return the areas for the pit's table page, each with its wagers."""
    by_code = {area["wager"]: area for area in s["layout"]}
    money_by_area, lit = _money_by_area(s, game), set() if s["round"]["bets_open"] else set(s["round"]["lit"])

    def shown(codes: tuple[str, ...]) -> list[Spot]:
        spots = ((code, money_by_area.get(code, AreaMoney())) for code in codes if code in by_code)
        return [
            {
                "label": by_code[code]["label"],
                "cents": area_money.won or area_money.lost or area_money.stake,
                "lit": code in lit,
                "lost": bool(area_money.lost),
            }
            for code, area_money in spots
        ]

    return {"single": shown(SINGLE_PLAY_CODES), "full": shown((*FULL_GAME, *GAME_LENGTH))}


def _money_by_area(s: Snapshot, game: FootballView) -> dict[str, AreaMoney]:
    """Return the undecided money by area, and while a throw is being settled what it decides. Settled money is left
    out.
    """
    money_by_area: dict[str, AreaMoney] = {}
    for wager in s["round"]["wagers"]:
        if not wager["struck"] and not wager.get("outcome"):
            area_money = money_by_area.get(wager["wager"], AreaMoney())
            money_by_area[wager["wager"]] = area_money._replace(stake=area_money.stake + wager["cents"])
    for step in (s["round"].get("settle") or {"steps": []})["steps"]:
        for seat in step["seats"]:
            for line in seat["lines"]:
                area_money = money_by_area.get(line["wager"], AreaMoney())
                money_by_area[line["wager"]] = _decided(area_money, line, seat["done"])
    return money_by_area


def _decided(area_money: AreaMoney, line: SettleLine, is_settled: bool) -> AreaMoney:
    if line["outcome"] == "stay":
        return area_money
    if is_settled:
        return area_money._replace(settled=True)
    if line["outcome"] == "win":
        return area_money._replace(won=area_money.won + line["cents"])
    return area_money._replace(lost=area_money.lost + line["cents"])


def _takes(s: Snapshot, game: FootballView, code: str) -> bool:
    """Return whether a chip may be placed there now: full game wagers only before the first throw."""
    staking = s["round"]["bets_open"] and s["table"]["status"] == "open"
    return bool(staking and (code in SINGLE_PLAY_CODES or not game["locked"]))


class AreaState(NamedTuple):
    """What changes on an area. `play` is that of a single play area which takes chips."""

    money: AreaMoney
    takes: bool
    play: int | None
    locked: bool
    lit: bool
    bets_open: bool
    stopped: str


def _area(s: Snapshot, game: FootballView, area: LayoutWager, area_money: AreaMoney, lit: bool) -> SafeString:
    code, round_ = area["wager"], s["round"]
    takes, is_single = _takes(s, game, code), code in SINGLE_PLAY_CODES
    state = AreaState(
        money=area_money,
        takes=takes,
        play=game["play"] if takes and is_single else None,
        locked=game["locked"] and not is_single,
        lit=lit and not round_["bets_open"] and bool(round_["dice"]),
        bets_open=round_["bets_open"],
        stopped=area["stopped"]["text"] if area["stopped"] else "",
    )
    return _draw_area(code, area["label"], tuple(area["odds"]), state)


@lru_cache(maxsize=2048)
def _draw_area(code: str, label: str, odds: tuple[str, ...], state: AreaState) -> SafeString:
    """Draw an area. An act changes few of them, so the others are taken from the cache."""
    tag, attrs = ("button", ' type="button"') if state.takes else ("div", "")
    if state.play is not None:
        attrs += f' data-play="{state.play}"'
    if code in SINGLE_PLAY_CODES:
        attrs += " data-single"
    say, top, mark = _said(label, odds, state.money, state.lit, state.locked)
    more = " area--locked" if state.locked else ""
    if state.stopped and not (top or mark):
        more, top, say = f"{more} area--stopped", NOT_DEALT, state.stopped
    html = (
        f'<{tag} class="area {_class(code)}{more}"{attrs} data-wager="{code}"{mark}>'
        f'<span class="sr">{escape(say)}</span>{top}{_print(code, label, odds)}'
        f'<span class="money" aria-hidden="true">{_money(state.money, state.lit, state.bets_open)}</span>'
        f"</{tag}>"
    )
    return mark_safe(html)


def _class(code: str) -> str:
    family = code.partition(":")[0]
    return f"fb-area fb-area--{family}" + (
        " fb-area--tiers" if family in ("extra-point", "quick-strike") else ""
    )


def _said(
    label: str, odds: tuple[str, ...], area_money: AreaMoney, lit: bool, locked: bool
) -> tuple[str, str, str]:
    """The area in words, the star over it, and its mark as an attribute."""
    pays = " or ".join(dict.fromkeys(odds))
    if lit:
        say = f"Wins: {label}, {pays}."
        return (f"{say} {money(area_money.won)} to pay on." if area_money.won else say), WINS, " data-lit"
    if area_money.lost:
        return f"{label}, loses. Take {money(area_money.lost)}.", "", " data-take"
    say = f"{label}, pays {pays}." + (" Locked." if locked else "")
    return (f"{say} {money(area_money.stake)} on it." if area_money.stake else say), "", ""


def _print(code: str, label: str, odds: tuple[str, ...]) -> str:
    """Return the printed words and odds of an area."""
    if code.startswith("game-length:"):
        return (
            f'<span class="print" aria-hidden="true"><b class="word">{code[-1]}</b>'
            f'<span class="odds">{escape(odds[0])}</span></span>'
        )
    word = f'<b class="word">{escape(label)}</b>'
    names = TIERS.get(code)
    if names is None or len(names) != len(odds):
        printed = f'<span class="odds">{escape(" or ".join(odds))}</span>'
    elif code == "over-four":
        printed = f'<span class="odds">{escape(odds[0])}</span><span class="fine">{odds[1]} {names[1]}</span>'
    else:
        rows = (f"<span>{name}<i>{escape(pays)}</i></span>" for name, pays in zip(names, odds, strict=True))
        printed = f'<span class="fb-tiers">{"".join(rows)}</span>'
    return f'<span class="print" aria-hidden="true">{word}{printed}</span>'


def _money(area_money: AreaMoney, lit: bool, chips: bool) -> str:
    """Return chips while wagers are taken; afterwards the sums, with their seats."""
    if area_money.lost and not lit:
        return (
            f'<span class="verdict verdict--take"><svg class="icon"><use href="#i-down"/></svg>'
            f'<span class="verdict-w">Take</span> <b>{money(area_money.lost)}</b></span>'
        )
    if area_money.won:
        return (
            f'<span class="verdict verdict--pay"><svg class="icon"><use href="#i-up"/></svg>'
            f'<span class="verdict-w">Pay</span> <b>{money(area_money.won)}</b></span>'
        )
    if area_money.settled:
        return '<span class="settled"><svg class="icon"><use href="#i-check"/></svg>settled</span>'
    if not area_money.stake:
        return ""
    return disc(area_money.stake) if chips else f'<b class="stake">{money(area_money.stake)}</b>'


# The call


class Announcement(TypedDict):
    """The newest call, and what the dealer announces next."""

    what: str
    summary: str
    is_roll: bool
    say: str
    over: bool


ENDINGS = {"touchdown": "Touchdown", "trips-td": "Trips TD", "turnover": "Turnover", "downs": "Out of downs"}


def game_ending(round_: PastRound) -> str:
    """Return how an ended game came out, `Touchdown, 4 throws`; nothing for a round of another game."""
    ending, throws = ENDINGS.get(round_.get("result") or ""), len(round_.get("throws") or ())
    return f"{ending}, {throws} throw{'' if throws == 1 else 's'}" if ending else ""


def last_call(s: Snapshot, game: FootballView) -> Announcement | None:
    """Return the newest call: its heading, its result, and what the dealer announces next."""
    call = s["round"]["call"]
    if not call:
        return None
    track, extra = game["track"], _is_extra(s, game)
    over = s["round"]["phase"] == "paid" or (game["score"] is None and _is_over(s))
    return {
        "what": "Extra point roll" if extra else f"Play {len(track)}",
        "summary": call["summary"],
        "is_roll": extra,
        "say": "" if game["score"] or over else gridiron.to_go(game),
        "over": over,
    }


def _is_extra(s: Snapshot, game: FootballView) -> bool:
    """Return whether the newest valid throw was the extra point roll: one more than there were plays."""
    valid = [throw for throw in s["round"].get("throws", ()) if not throw["void"]]
    return game["score"] is not None and len(valid) > len(game["track"])


def _is_over(s: Snapshot) -> bool:
    """Return whether the steps being settled are the last of the game; an ordinary play has a single step."""
    settle = s["round"].get("settle")
    return bool(settle and len(settle["steps"]) > 1)


# The screens


class PlayLine(Advance):
    """A play of the track, in words."""

    words: str


class PastGame(TypedDict):
    """How an ended game came out; "" for a round that ended early."""

    ending: str


class Screen:
    """What every station shows."""

    def __init__(self, s: Snapshot) -> None:
        self.s = s

    @cached_property
    def game(self) -> FootballView:
        return gridiron.gridiron(self.s)

    @cached_property
    def to_go(self) -> str:
        """The down and the distance to the end zone."""
        return gridiron.to_go(self.game)

    @cached_property
    def track(self) -> list[PlayLine]:
        return [{**play, "words": gridiron.play_words(play)} for play in self.game["track"]]

    @cached_property
    def field(self) -> gridiron.Field:
        return gridiron.field(self.game)


class Console(Screen):
    """What the dealer's console shows."""

    @cached_property
    def places(self) -> list[Place]:
        return rail(self.s, self.game)

    @cached_property
    def areas(self) -> dict[str, list[SafeString]]:
        return football_areas(self.s, self.game)

    @cached_property
    def call(self) -> Announcement | None:
        return last_call(self.s, self.game)

    @cached_property
    def downs(self) -> list[gridiron.Down]:
        return gridiron.downs(self.s, self.game)

    @cached_property
    def lengths(self) -> list[gridiron.Length]:
        return gridiron.lengths(self.game)

    @cached_property
    def settling(self) -> Settling | None:
        return settling(self.s)

    @cached_property
    def is_idle(self) -> bool:
        """Whether the Quarterback has no wager yet."""
        return sits_out(self.s, self.game)

    @cached_property
    def needs_dice(self) -> bool:
        """Whether the next throw waits for a new set of dice."""
        return no_dice(self.s)

    @cached_property
    def dice_section(self) -> str:
        return _section(self.s, "dice-clock-manual")

    @cached_property
    def first_wagers_section(self) -> str:
        return _section(self.s, "first-wagers")


class Table(Screen):
    """What the pit's table page shows."""

    @cached_property
    def spots(self) -> dict[str, list[Spot]]:
        return football_spots(self.s, self.game)


def past_round(past: PastRound) -> PastGame:
    """Return what the list of rounds shows of an ended game."""
    return {"ending": game_ending(past)}


def _section(s: Snapshot, duty: str) -> str:
    """Return the section of a duty in the edition at a table; "" where it is silent, or where no rules are in force."""
    key = s["rules"].get("key")
    return edition(key).sections.get(duty, "") if key else ""
