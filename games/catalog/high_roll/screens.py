"""What only High Roll Dice shows on live screens: dice by rank, the throw box, small layouts, take and pay by street.

Everything here reads the snapshot alone (docs/architecture.md).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from functools import cached_property
from itertools import groupby
from typing import TypedDict, cast

from games.catalog.high_roll.engine.course import HighRollView
from games.catalog.high_roll.engine.wagers import RANK, held
from games.chips import breakdown
from games.drawing import TableShape, listed
from games.snapshot_types import (
    LayoutWager,
    PastRound,
    SeatFacts,
    SettleLine,
    SettleSeat,
    SettleStep,
    Snapshot,
    StepState,
    ThrowFacts,
    WagerFacts,
)
from games.stacks import Owner, owners_by_area, sum_of

TABLE_SHAPE = TableShape(far_corners=(20, 20), near_corner=20)
RANKS = (1, 6, 5, 4, 3, 2)  # the throw box from the dealer's left (A23)
FACES = ("", "Ace", "Two", "Three", "Four", "Five", "Six")
PIPS = (2, 3, 4, 5, 6, 1)  # Pip Street from the player's left
LIKE_KIND, MILLIONAIRE = "like-kind", "millionaire"

# Before a shaker is at the table
NO_ROUND: HighRollView = {
    "dice": 0, "unit_cents": {}, "loose": 0, "cuts": [], "held": None,
    "extra": {"seats": [], "cents": 0, "state": "none"},
}  # fmt: skip

WagersByCode = dict[str, WagerFacts]


class FaceKey(TypedDict):
    """A key of the keypad for the dice."""

    face: int
    name: str


class Box(TypedDict):
    """One of the six boxes for the dice. `dice` and `added` are as long as there are dice to draw."""

    face: int
    name: str
    held: bool
    waits: bool
    dice: range
    added: range


class ThrowBox(TypedDict):
    """The boxes, the matching face with its number of dice, and the loose dice by face."""

    boxes: list[Box]
    face: int | None
    matched: int
    loose: int
    groups: list[list[int]]


class Area(TypedDict):
    """An area of a small layout. `state` is empty, "on", or the outcome of its wager."""

    wager: str
    value: int | str
    state: str


class SmallLayout(SeatFacts):
    """A seat with its undecided wagers, drawn small. `lacks` is the street without which no more bets is refused."""

    lacks: str
    unit_cents: int | None
    pips: list[Area]
    likes: list[Area]
    sides: list[Area]
    extra: Area | None
    waiting: int  # wagers without an outcome
    labels: list[str]


class Unsettled(TypedDict):
    """What the current step still takes and pays."""

    take_cents: int
    pay_cents: int
    stay_cents: int
    seats: str
    many: int


class StayingLine(WagerFacts):
    """A wager that stays for the extra throw. `odds` is what its circle pays on that throw."""

    odds: str


class StayingSeat(TypedDict):
    """The wagers of a seat that stay for the extra throw."""

    seat: int
    lines: list[StayingLine]
    cents: int


class StreetLine(SettleLine):
    """A wager of a settlement step. `odds` are what it pays, with a thousands separator."""

    odds: str


class Streets(TypedDict):
    """The wagers of a seat by street, in the order of settlement."""

    pip: list[StreetLine]
    like: list[StreetLine]
    side: list[StreetLine]


class StepSeat(SettleSeat):
    """A seat of a settlement step, with its wagers by street and the chips that it is paid."""

    streets: Streets
    chips: list[list[int]]


class LedgerStep(TypedDict):
    """The step of the settlement that the screen shows."""

    code: str
    label: str
    state: StepState
    take_cents: int
    pay_cents: int
    seats: list[StepSeat]


class FirstRoll(TypedDict):
    """The matching dice of a round's first roll, and how many the extra throw added."""

    face: int
    name: str
    count: int
    added: int


class Fee(TypedDict):
    """The price of a seat's Extra Roll."""

    seat: int
    cents: int


class Spot(LayoutWager):
    """An area of the layout on the pit's table page."""

    cents: int
    owners: tuple[Owner, ...]
    lit: bool
    lost: bool


def _view(s: Snapshot) -> HighRollView:
    """Return what only this game shows of the round; empty before a round."""
    return cast(HighRollView, s["round"]["game"])


def arrangement(s: Snapshot) -> str:
    """Return which felt the round needs: the seats, the dice being entered, or the called dice."""
    if s["table"]["status"] != "open":
        return "seats"
    if s["round"]["phase"] == "ready" and "draw_dice" not in s["offers"]:
        return "entry"
    return "called" if valid_throws(s) else "seats"


def valid_throws(s: Snapshot) -> list[ThrowFacts]:
    return [throw for throw in s["round"]["throws"] if not throw["void"]]


def spoiled(s: Snapshot) -> str:
    """Return why the newest throw was invalid; empty if it was valid or nothing was thrown."""
    throws = s["round"]["throws"]
    return (throws[-1]["void"] or "") if throws else ""


def to_throw(s: Snapshot) -> int:
    """Return how many dice the coming throw has."""
    game = _view(s)
    if not game:  # no shaker is at the table yet
        return 10 if has_extra_roll(s) else 6
    return int(game["loose"] if valid_throws(s) else game["dice"])


def value(wager: str) -> str:
    """Return the number of an area: `5` of `like-kind:5`, `none` of the circle marked no match."""
    return wager.partition(":")[2]


def grouped(odds: str) -> str:
    """Return odds as the layout prints them, with a thousands separator: `5,000 to 1`."""
    first, _, unit = odds.partition(" ")
    return f"{int(first):,} {unit}" if first.isdigit() else odds


def face_keys() -> list[FaceKey]:
    """Return one key for each face, in the order of the throw box: by rank from the dealer's left (A23)."""
    return [{"face": face, "name": FACES[face]} for face in RANK]


# The throw box


def throw_box(s: Snapshot) -> ThrowBox:
    """Return the six boxes, the dice held in one of them, and the loose ones by face; dice of the extra throw are
    `added`.

    Until the matching dice are moved they are where they fell, and their box is empty.
    """
    throws, matching = valid_throws(s), s["round"]["game"].get("held")
    face = matching["face"] if matching else None
    first = throws[0]["dice"].count(face) if face and throws else 0
    added = throws[1]["dice"].count(face) if face and len(throws) > 1 else 0
    fell = s["round"]["phase"] == "called"
    boxes: list[Box] = [
        {
            "face": box,
            "name": FACES[box],
            "held": box == face and not fell,
            "waits": box == face and fell,
            "dice": range(first if box == face else 0),
            "added": range(added if box == face else 0),
        }
        for box in RANK
    ]
    loose = [die for die in ranked(throws[-1]["dice"]) if fell or die != face] if throws else []
    return {
        "boxes": boxes,
        "face": face,
        "matched": first + added,
        "loose": len(loose),
        "groups": [list(dice) for _, dice in groupby(loose)],
    }


def ranked(dice: Iterable[int]) -> list[int]:
    """Return dice by rank: aces first, then sixes down to twos."""
    return sorted(dice, key=RANK.index)


# The seats


def small_layouts(s: Snapshot) -> list[SmallLayout]:
    """Return each seat with its small layout: the undecided wagers on each area. A collected fee is not on it."""
    wagers_by_seat: dict[int, WagersByCode] = {}
    for wager in s["round"]["wagers"]:
        if not wager["struck"] and wager["outcome"] in (None, "fee"):
            wagers_by_seat.setdefault(wager["seat"], {})[wager["wager"]] = wager
    units = _view(s).get("unit_cents", {})
    codes = [area["wager"] for area in s["layout"]]
    return [
        {
            **seat,
            "cents": sum(
                wager["cents"]
                for wager in wagers_by_seat.get(seat["seat"], {}).values()
                if not wager["outcome"]
            ),
            "lacks": _lacks(wagers_by_seat.get(seat["seat"], {})) if s["round"]["bets_open"] else "",
            "unit_cents": units.get(str(seat["seat"])),
            "pips": [_mini(f"pip:{face}", wagers_by_seat.get(seat["seat"], {}), face) for face in PIPS],
            "likes": _minis(LIKE_KIND, codes, wagers_by_seat.get(seat["seat"], {})),
            "sides": _minis(MILLIONAIRE, codes, wagers_by_seat.get(seat["seat"], {})),
            "extra": _mini("extra-roll", wagers_by_seat.get(seat["seat"], {}))
            if "extra-roll" in codes
            else None,
            "waiting": sum(not wager["outcome"] for wager in wagers_by_seat.get(seat["seat"], {}).values()),
            "labels": [wager["label"] for wager in wagers_by_seat.get(seat["seat"], {}).values()],
        }
        for seat in s["round"]["seats"]
    ]


def _lacks(codes: Collection[str]) -> str:
    """Return the street that a seat's wagers still need (§ 675a.2(e)(1), (3)); empty if they are complete."""
    families = {code.partition(":")[0] for code in codes}
    if families and "pip" not in families:
        return "Pip Street"
    return "Like Kind" if "extra-roll" in families and LIKE_KIND not in families else ""


def _minis(family: str, codes: list[str], wagers: WagersByCode) -> list[Area]:
    return [_mini(code, wagers, value(code)) for code in codes if code.startswith(f"{family}:")]


def _mini(code: str, wagers: WagersByCode, label: int | str = "") -> Area:
    wager = wagers.get(code)
    state = "" if wager is None else wager["outcome"] or "on"
    return {"wager": code, "value": label, "state": state}


# Take and pay


def step_now(s: Snapshot) -> SettleStep | None:
    """Return the step of settlement that the screen shows: the current one, or else the last complete one."""
    settle = s["round"]["settle"]
    if not settle:
        return None
    steps = [step for step in settle["steps"] if step["seats"]]
    begun = [step for step in steps if step["state"] != "todo"] or steps
    return next((step for step in begun if step["state"] == "now"), begun[-1] if begun else None)


def ledger_step(s: Snapshot) -> LedgerStep | None:
    """Return the step of settlement that the screen shows, each seat with its wagers by street."""
    step = step_now(s)
    if step is None:
        return None
    return {
        "code": step["code"],
        "label": step["label"],
        "state": step["state"],
        "take_cents": step["take_cents"],
        "pay_cents": step["pay_cents"],
        "seats": [
            {**seat, "streets": streets(seat), "chips": breakdown(seat["pay_cents"])}
            for seat in step["seats"]
        ],
    }


def streets(seat: SettleSeat) -> Streets:
    """Return the lines of a seat by street, in the order of settlement."""
    by_street: Streets = {"pip": [], "like": [], "side": []}
    for line in seat["lines"]:
        family = line["wager"].partition(":")[0]
        street = by_street["like" if family == LIKE_KIND else "side" if family == MILLIONAIRE else "pip"]
        street.append({**line, "odds": grouped(line["pays"] or "")})
    return by_street


def left_to_settle(s: Snapshot) -> Unsettled | None:
    """Return what the current step still takes and pays, and at which seats."""
    step = step_now(s)
    if step is None:
        return None
    unsettled = [seat for seat in step["seats"] if not seat["done"]]
    return {
        "take_cents": sum(seat["take_cents"] for seat in unsettled),
        "pay_cents": sum(seat["pay_cents"] for seat in unsettled),
        "stay_cents": sum(seat["stay_cents"] for seat in unsettled),
        "seats": listed([seat["seat"] for seat in unsettled]),
        "many": len(unsettled),
    }


def settled_seats(s: Snapshot) -> list[dict[str, int]]:
    """Return what the newest throw took from each seat and paid to it."""
    take_cents = {seat["seat"]: seat["cents"] for seat in s["round"]["take"]["seats"]}
    pay_cents = {seat["seat"]: seat["cents"] for seat in s["round"]["pay"]["seats"]}
    return [
        {"seat": seat, "take_cents": take_cents.get(seat, 0), "pay_cents": pay_cents.get(seat, 0)}
        for seat in sorted({*take_cents, *pay_cents})
    ]


def staying(s: Snapshot) -> list[StayingSeat]:
    """Return the wagers that stay for the extra throw, by seat."""
    open_ = [
        wager
        for wager in s["round"]["wagers"]
        if not wager["struck"] and not wager["outcome"] and wager["wager"].startswith(LIKE_KIND)
    ]
    open_.sort(key=lambda wager: (wager["seat"], wager["wager"]))
    return [
        {"seat": seat, "lines": lines, "cents": sum(line["cents"] for line in lines)}
        for seat, lines in (
            (seat, [_staying_line(s, wager) for wager in group])
            for seat, group in groupby(open_, lambda wager: wager["seat"])
        )
    ]


def _staying_line(s: Snapshot, wager: WagerFacts) -> StayingLine:
    return {**wager, "odds": extra_odds(s, wager["wager"])}


def extra_odds(s: Snapshot, wager: str) -> str:
    """Return what a circle pays on the extra throw."""
    odds = next((area["odds"] for area in s["layout"] if area["wager"] == wager), [])
    return grouped(odds[-1]) if odds else ""


def fees(s: Snapshot) -> list[Fee]:
    """Return the Extra Rolls that were bought, by seat."""
    return [
        {"seat": wager["seat"], "cents": wager["cents"]}
        for wager in sorted(s["round"]["wagers"], key=lambda wager: wager["seat"])
        if wager["wager"] == "extra-roll" and not wager["struck"]
    ]


def fee_seats(s: Snapshot) -> str:
    """Return `seats 2 and 4`, the seats that bought an Extra Roll."""
    seats = [fee["seat"] for fee in fees(s)]
    return f"seat{'' if len(seats) == 1 else 's'} {listed(seats)}"


def has_extra_roll(s: Snapshot) -> bool:
    """Return whether the layout has a sensor: the game of ten dice does, the variation with six does not."""
    return any(area["wager"] == "extra-roll" for area in s["layout"])


# The pit


def collected(s: Snapshot) -> frozenset[str]:
    """Return the codes of what no longer lies on the layout before the throw: the fees once they are in the tray."""
    game = _view(s)
    return frozenset({"extra-roll"} if game and game["extra"]["state"] == "collected" else ())


def printed_layout(s: Snapshot) -> dict[str, list[Spot]]:
    """Return the layout for the pit's table page: each area with its wagers and the result of the newest throw."""
    newest = {
        (seat["seat"], line["wager"])
        for side in ("take", "pay")
        for seat in s["round"][side]["seats"]
        for line in seat["lines"]
    }
    wagers_by_area: dict[str, list[WagerFacts]] = {}
    for wager in s["round"]["wagers"]:
        here = not wager["outcome"] or (wager["seat"], wager["wager"]) in newest
        if here and not wager["struck"]:
            wagers_by_area.setdefault(wager["wager"], []).append(wager)
    groups: dict[str, list[Spot]] = defaultdict(list)
    for area in s["layout"]:
        wagers = wagers_by_area.get(area["wager"], [])
        owners = owners_by_area(wagers).get(area["wager"], ())
        spot: Spot = {
            **area,
            "cents": sum_of(owners),
            "owners": owners,
            "lit": area["wager"] in s["round"]["lit"],
            "lost": bool(wagers) and all(wager["outcome"] == "lose" for wager in wagers),
        }
        groups[area["family"].replace("-", "_")].append(spot)
    return groups


def first_roll(throws: list[list[int]]) -> FirstRoll | None:
    """Return the matching dice of an earlier round's first roll, and how many the extra throw added; None for other
    games.
    """
    if not throws or len(throws[0]) < 6:
        return None
    first = held(throws[0])
    added = throws[1].count(first.face) if len(throws) > 1 else 0
    return {"face": first.face, "name": FACES[first.face], "count": first.count, "added": added}


# The screens


class PrintedArea(TypedDict):
    """The odds of an area, with a thousands separator."""

    odds: list[str]


class Console:
    """What the dealer's console shows."""

    def __init__(self, s: Snapshot) -> None:
        self.s = s

    @cached_property
    def game(self) -> HighRollView:
        """What only this game shows of the round."""
        return {**NO_ROUND, **_view(self.s)}

    @cached_property
    def arrangement(self) -> str:
        return arrangement(self.s)

    @cached_property
    def has_extra_roll(self) -> bool:
        return has_extra_roll(self.s)

    @cached_property
    def to_throw(self) -> int:
        """How many dice the coming throw has."""
        return to_throw(self.s)

    @cached_property
    def face_keys(self) -> list[FaceKey]:
        return face_keys()

    @cached_property
    def spoiled(self) -> str:
        """Why the newest throw was invalid; empty if it was valid."""
        return spoiled(self.s)

    @cached_property
    def box(self) -> ThrowBox:
        return throw_box(self.s)

    @cached_property
    def seats(self) -> list[SmallLayout]:
        return small_layouts(self.s)

    @cached_property
    def incomplete(self) -> SmallLayout | None:
        """The first seat for which no more bets is refused."""
        return next((seat for seat in self.seats if seat["lacks"]), None)

    @cached_property
    def fees(self) -> list[Fee]:
        return fees(self.s)

    @cached_property
    def fee_seats(self) -> str:
        return fee_seats(self.s)

    @cached_property
    def step(self) -> LedgerStep | None:
        return ledger_step(self.s)

    @cached_property
    def unsettled(self) -> Unsettled | None:
        return left_to_settle(self.s)

    @cached_property
    def staying(self) -> list[StayingSeat]:
        return staying(self.s)

    @cached_property
    def staying_cents(self) -> int:
        return sum(seat["cents"] for seat in self.staying)

    @cached_property
    def settled_seats(self) -> list[dict[str, int]]:
        return settled_seats(self.s)


class Table:
    """What the pit's table page shows."""

    def __init__(self, s: Snapshot) -> None:
        self.s = s

    @cached_property
    def spots(self) -> dict[str, list[Spot]]:
        return printed_layout(self.s)


def printed(wager: str, odds: tuple[str, ...]) -> PrintedArea:
    """Return what the print of an area shows."""
    return {"odds": [grouped(text) for text in odds]}


def full_stacks(family: str) -> int:
    """Return how many owners of an area are a stack each: the chip of the open seat, or of a seat that is alone."""
    return 1


def past_round(past: PastRound) -> FirstRoll | None:
    """Return what the list of rounds shows of an ended round."""
    return first_roll(past["throws"])
