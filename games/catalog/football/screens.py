"""What only Three Dice Football shows on live screens: places, areas, the steps of a settlement, the call.

Everything here reads the snapshot alone (docs/architecture.md).
"""

from functools import cached_property, lru_cache
from typing import NamedTuple, TypedDict

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from games.catalog.football import gridiron
from games.catalog.football.engine import GAME
from games.catalog.football.engine.game import QUARTERBACK_SITS_OUT, Advance, FootballView
from games.catalog.football.engine.wagers import SINGLE_PLAY_CODES
from games.drawing import NOT_DEALT, WINS, TableShape, corrected_areas, marked_corrected
from games.engine.editions import edition
from games.formats import money
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
from games.stacks import Owner, named, owners_by_area, seat_marks, stacks, sum_of

TABLE_SHAPE = TableShape(  # a long oval, its dealers on one side
    width=206, height=72, far_corners=(36, 36), near_corner=36, dealers=96
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


def no_dice(s: Snapshot) -> bool:
    """Return whether the next throw waits for a new set of dice."""
    waits = s["next"] is not None and s["next"]["act"] == "throw_dice"
    return waits and (s["lot"] is None or s["lot"]["expired"])


# Settling in steps


class NumberedStep(TypedDict):
    """A settlement step with its number."""

    step: int
    code: str
    label: str
    section: Citation
    state: StepState
    take_cents: int
    pay_cents: int
    number: int
    seats: list[SettleSeat]


class HalfOfStep(TypedDict):
    """What the current step settles in one half of the table.

    `seats` are empty once the half is settled; the sums are then those that it moved, before that what it still moves.
    """

    half: str
    label: str
    done: bool
    take_cents: int
    pay_cents: int
    seats: list[SettleSeat]


class Settling(TypedDict):
    """The numbered steps, the current one by halves, what it still takes and pays, the words to confirm it, and what
    follows.
    """

    steps: list[NumberedStep]
    now: NumberedStep | None
    halves: list[HalfOfStep]
    take: int
    pay: int
    then: str
    confirmation: str


HALVES = {"right": "Right, places 1–8", "left": "Left, places 9–16"}


def step_now(s: Snapshot) -> SettleStep | None:
    """Return the current step of the settlement."""
    settle = s["round"].get("settle")
    return next((step for step in settle["steps"] if step["state"] == "now"), None) if settle else None


def _seats_of_step(step: SettleStep | None) -> list[SettleSeat]:
    return step["seats"] if step else []


def settling(s: Snapshot) -> Settling | None:
    """Return the numbered steps of the settlement, and what is left of the current step in each half."""
    settle = s["round"].get("settle")
    if not settle:
        return None
    steps: list[NumberedStep] = [
        {**step, "number": number, "seats": [_decided_lines(seat) for seat in step["seats"]]}
        for number, step in enumerate(settle["steps"], 1)
    ]
    now = next((step for step in steps if step["state"] == "now"), None)
    unsettled = [seat for seat in now["seats"] if not seat["done"]] if now else []
    take = sum(seat["take_cents"] for seat in unsettled)
    pay = sum(seat["pay_cents"] for seat in unsettled)
    return {
        "steps": steps,
        "now": now,
        "halves": _halves(now["seats"]) if now else [],
        "take": take,
        "pay": pay,
        "then": _then(s, steps),
        "confirmation": took_and_paid(take, pay),
    }


def _decided_lines(seat: SettleSeat) -> SettleSeat:
    return {**seat, "lines": [line for line in seat["lines"] if line["outcome"] != "stay"]}


def _halves(seats: list[SettleSeat]) -> list[HalfOfStep]:
    """Return the halves with something to settle. In an unsettled half, settled seats come last."""
    halves: list[HalfOfStep] = []
    for name, label in HALVES.items():
        own = [seat for seat in seats if half(seat["seat"]) == name and seat["lines"]]
        if not own:
            continue
        done = all(seat["done"] for seat in own)
        counted = own if done else [seat for seat in own if not seat["done"]]
        halves.append(
            {
                "half": name,
                "label": label,
                "done": done,
                "take_cents": sum(seat["take_cents"] for seat in counted),
                "pay_cents": sum(seat["pay_cents"] for seat in counted),
                "seats": [] if done else sorted(own, key=lambda seat: seat["done"]),
            }
        )
    return halves


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


# Before the extra point roll


class SeatMoney(TypedDict):
    seat: int
    cents: int


class WaitingArea(TypedDict):
    """An area whose wagers wait for the extra point roll, in cents of stakes."""

    wager: str
    label: str
    odds: list[str]
    cents: int
    owners: list[SeatMoney]


def waiting_areas(s: Snapshot, game: FootballView) -> list[WaitingArea]:
    """Return the areas that the extra point roll decides or that are paid after it, in the order of payment."""
    if not game["extra_point"] or s["round"].get("settle"):
        return []
    open_ = [wager for wager in s["round"]["wagers"] if not wager.get("outcome")]
    owners_by_code = owners_by_area(open_)
    return [
        {
            "wager": area["wager"],
            "label": area["label"],
            "odds": list(area["odds"]),
            "cents": sum_of(owners_by_code[area["wager"]]),
            "owners": [{"seat": owner.seat, "cents": owner.cents} for owner in owners_by_code[area["wager"]]],
        }
        for area in s["layout"]
        if area["wager"] in owners_by_code
    ]


def settled_before_roll(s: Snapshot, game: FootballView) -> str:
    """Return the steps that the score settled before the extra point roll, in words; "" for none."""
    decided = {
        wager["wager"]
        for wager in s["round"]["wagers"]
        if wager.get("outcome") and not wager["struck"] and wager["play"] in (None, len(game["track"]))
    }
    steps = (
        ("Defense", decided & {"defense"}),
        ("single play", decided & set(SINGLE_PLAY_CODES)),
        ("full game", decided - {"defense", *SINGLE_PLAY_CODES}),
    )
    text = ", ".join(label for label, codes in steps if codes)
    return text[:1].upper() + text[1:]


# The areas


class Spot(TypedDict):
    """An area on the pit's table page."""

    label: str
    cents: int
    owners: tuple[Owner, ...]
    lit: bool
    lost: bool


class AreaMoney(NamedTuple):
    """Whose chips are on one area, undecided, and the cents that the newest throw takes there from each seat, or pays
    to it.
    """

    owners: tuple[Owner, ...] = ()
    lost: tuple[Owner, ...] = ()
    won: tuple[Owner, ...] = ()
    settled: bool = False


def football_areas(s: Snapshot, game: FootballView) -> dict[str, list[SafeString]]:
    """Return the areas by their group, in the order of the layout, with their money and light."""
    by_code = {area["wager"]: area for area in s["layout"]}
    money_by_area, lit, corrected = _money_by_area(s, game), lit_wagers(s), corrected_areas(s)

    def drawn(codes: tuple[str, ...]) -> list[SafeString]:
        return [
            _area(
                s, game, by_code[code], money_by_area.get(code, AreaMoney()), code in lit, code in corrected
            )
            for code in codes
            if code in by_code
        ]

    return {"single": drawn(SINGLE_PLAY_CODES), "full": drawn(FULL_GAME), "length": drawn(GAME_LENGTH)}


def football_spots(s: Snapshot) -> dict[str, list[Spot]]:
    """Return the areas for the pit's table page, each with the stakes that lie there."""
    by_code = {area["wager"]: area for area in s["layout"]}
    owned, lit = owners_by_area(s["round"]["wagers"]), lit_wagers(s)
    wagers = [wager for wager in s["round"]["wagers"] if not wager["struck"]]
    lost = {wager["wager"] for wager in wagers if wager["outcome"] == "lose"}

    def shown(codes: tuple[str, ...]) -> list[Spot]:
        return [
            {
                "label": by_code[code]["label"],
                "cents": sum_of(owned.get(code, ())),
                "owners": owned.get(code, ()),
                "lit": code in lit,
                "lost": code in lost,
            }
            for code in codes
            if code in by_code
        ]

    return {"single": shown(SINGLE_PLAY_CODES), "full": shown((*FULL_GAME, *GAME_LENGTH))}


def lit_wagers(s: Snapshot) -> set[str]:
    """Return what wins by the newest throw, until the next throw of the game is awaited."""
    return set(s["round"]["lit"]) if s["round"]["phase"] in ("lit", "paid") else set()


def _money_by_area(s: Snapshot, game: FootballView) -> dict[str, AreaMoney]:
    """Return the undecided money by area, and while a throw is being settled what it decides. Settled money is left
    out, and what a seat has back.
    """
    back = s.get("returning")
    handed_back = {seat["seat"] for seat in back["seats"] if seat["done"]} if back else set()
    open_ = [
        wager
        for wager in s["round"]["wagers"]
        if not wager.get("outcome") and wager["seat"] not in handed_back
    ]
    money_by_area = {code: AreaMoney(owners) for code, owners in owners_by_area(open_).items()}
    for step in (s["round"].get("settle") or {"steps": []})["steps"]:
        for seat in step["seats"]:
            for line in seat["lines"]:
                area_money = money_by_area.get(line["wager"], AreaMoney())
                money_by_area[line["wager"]] = _decided(area_money, line, seat)
    return money_by_area


def _decided(area_money: AreaMoney, line: SettleLine, seat: SettleSeat) -> AreaMoney:
    if line["outcome"] == "stay":
        return area_money
    if seat["done"]:
        return area_money._replace(settled=True)
    if line["outcome"] == "win":
        return area_money._replace(won=_with(area_money.won, seat["seat"], line["cents"]))
    return area_money._replace(lost=_with(area_money.lost, seat["seat"], line["cents"]))


def _with(owners: tuple[Owner, ...], seat: int, cents: int) -> tuple[Owner, ...]:
    """Return the owners with these cents added at a seat, in the order of the seats."""
    cents_by_seat = {owner.seat: owner.cents for owner in owners}
    cents_by_seat[seat] = cents_by_seat.get(seat, 0) + cents
    return tuple(Owner(seat, cents_by_seat[seat]) for seat in sorted(cents_by_seat))


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
    row: int
    corrected: bool


def ladder_row(s: Snapshot, game: FootballView, code: str) -> int:
    """Return which row of an area's odds applies: of Quick Strike that of the play, of Extra Point that of its roll.

    0 where none applies: of Quick Strike after the fourth play, and once it was settled and the extra point follows;
    of Extra Point before its roll.
    """
    dice = s["round"]["dice"]
    if code == "quick-strike":
        if game["extra_point"] and (s["round"]["phase"] != "lit" or _is_extra(s, game)):
            return 0
        play = len(game["track"]) if game["score"] else game["play"]
        return play if play <= len(TIERS[code]) else 0
    if code != "extra-point" or not dice or not _is_extra(s, game):
        return 0
    ones = dice.count(1)
    return ones or (len(TIERS[code]) if len(set(dice)) == 1 else 0)


def _area(
    s: Snapshot, game: FootballView, area: LayoutWager, area_money: AreaMoney, lit: bool, corrected: bool
) -> SafeString:
    code, round_ = area["wager"], s["round"]
    takes, is_single = _takes(s, game, code), code in SINGLE_PLAY_CODES
    state = AreaState(
        money=area_money,
        takes=takes,
        play=game["play"] if takes and is_single else None,
        locked=game["locked"] and not is_single,
        lit=lit,
        bets_open=round_["bets_open"],
        stopped=area["stopped"]["text"] if area["stopped"] else "",
        row=ladder_row(s, game, code),
        corrected=corrected,
    )
    return _draw_area(code, area["label"], tuple(area["odds"]), state)


@lru_cache(maxsize=2048)
def _draw_area(code: str, label: str, odds: tuple[str, ...], state: AreaState) -> SafeString:
    """Draw an area. An act changes few of them, so the others are taken from the cache."""
    full = full_stacks(code.partition(":")[0])
    tag, attrs = ("button", ' type="button"') if state.takes else ("div", "")
    if state.play is not None:
        attrs += f' data-play="{state.play}"'
    if code in SINGLE_PLAY_CODES:
        attrs += " data-single"
    say, top, mark = _said(label, odds, state.money, state.lit, state.locked)
    more = " area--locked" if state.locked else ""
    if state.stopped and not (top or mark):
        more, top, say = f"{more} area--stopped", NOT_DEALT, state.stopped
    if state.corrected:
        top, say = marked_corrected(top), f"{say} Corrected in this round."
    html = (
        f'<{tag} class="area {_class(code)}{more}"{attrs}\n data-wager="{code}" data-label="{escape(label)}"{mark}>'
        f'<span class="sr">{escape(say)}</span>{top}{_print(code, label, odds, state.row)}'
        f'<span class="money" data-full="{full}" aria-hidden="true">'
        f"{_money(state.money, state.lit, full if state.bets_open else 0)}</span>"
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
    won, lost, owners = area_money.won, area_money.lost, area_money.owners
    if lit:
        say = f"Wins: {label}, {pays}."
        return (f"{say} {money(sum_of(won))} to pay on: {named(won)}." if won else say), WINS, " data-lit"
    if lost:
        return f"{label}, loses. Take {money(sum_of(lost))}: {named(lost)}.", "", " data-take"
    say = f"{label}, pays {pays}." + (" Locked." if locked else "")
    return (f"{say} {money(sum_of(owners))} on it: {named(owners)}." if owners else say), "", ""


def _print(code: str, label: str, odds: tuple[str, ...], row: int) -> str:
    """Return the printed words and odds of an area, the row that applies marked."""
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
        marks = (' class="tier--now"' if number == row else "" for number in range(1, len(names) + 1))
        rows = (
            f"<span{mark}>{name}<i>{escape(pays)}</i></span>"
            for mark, name, pays in zip(marks, names, odds, strict=True)
        )
        printed = f'<span class="fb-tiers">{"".join(rows)}</span>'
    return f'<span class="print" aria-hidden="true">{word}{printed}</span>'


def _money(area_money: AreaMoney, lit: bool, full: int) -> str:
    """Return stacks with their seats while wagers are taken; afterward (`full` is 0) the sums, with their seats."""
    if area_money.lost and not lit:
        return _verdict("take", "down", area_money.lost)
    if area_money.won:
        return _verdict("pay", "up", area_money.won)
    if area_money.settled:
        return '<span class="settled"><svg class="icon"><use href="#i-check"/></svg>settled</span>'
    if not area_money.owners:
        return ""
    if full:
        return stacks(area_money.owners, full)
    return f'{_seats(area_money.owners)}<b class="stake">{money(sum_of(area_money.owners))}</b>'


def full_stacks(family: str) -> int:
    """Return how many owners of an area are a stack each; the areas of the game length are low."""
    return 1 if family == "game-length" else 2


def full_stacks_of_result(family: str) -> int:
    """Return how many owners of an area are a stack each once a throw is settled: an area is too low for two."""
    return 1


def _verdict(verb: str, icon: str, owners: tuple[Owner, ...]) -> str:
    """Return what is to take or to pay on an area, and at which seats."""
    return (
        f'{_seats(owners)}<span class="verdict verdict--{verb}"><svg class="icon"><use href="#i-{icon}"/></svg>'
        f'<span class="verdict-w">{verb.capitalize()}</span> <b>{money(sum_of(owners))}</b></span>'
    )


def _seats(owners: tuple[Owner, ...]) -> str:
    return f'<span class="rest">{seat_marks(owners)}</span>'


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
    def waiting(self) -> list[WaitingArea]:
        """The areas that wait for the extra point roll; none at any other time."""
        return waiting_areas(self.s, self.game)

    @cached_property
    def settled_before_roll(self) -> str:
        """The steps that were settled before the extra point roll."""
        return settled_before_roll(self.s, self.game)

    @cached_property
    def is_idle(self) -> bool:
        """Whether the dice only wait because the Quarterback has no wager in this game."""
        missing = self.s["missing"]
        return missing is not None and missing["code"] == str(QUARTERBACK_SITS_OUT)

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
        return football_spots(self.s)


def past_round(past: PastRound) -> PastGame:
    """Return what the list of rounds shows of an ended game."""
    return {"ending": game_ending(past)}


def _section(s: Snapshot, duty: str) -> str:
    """Return the section of a duty in the edition at a table; "" where it is silent, or where no rules are in force."""
    key = s["rules"].get("key")
    return edition(key).sections.get(duty, "") if key else ""
