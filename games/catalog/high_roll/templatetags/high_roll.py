"""How High Roll Dice is drawn: dice by rank, the throw box, small layouts of the seats, take and pay by street."""

from collections.abc import Iterable
from itertools import groupby
from typing import TypedDict, cast

from django import template

from games.catalog.high_roll.engine.chances import RANK, held
from games.catalog.high_roll.engine.view import HighRollView
from games.layout_drawing import listed
from games.snapshot_types import (
    LayoutWager,
    SeatFacts,
    SettleLine,
    SettleSeat,
    SettleStep,
    Snapshot,
    ThrowFacts,
    WagerFacts,
)

register = template.Library()

RANKS = (1, 6, 5, 4, 3, 2)  # the throw box from the dealer's left (A23)
FACES = ("", "Ace", "Two", "Three", "Four", "Five", "Six")
PIPS = (2, 3, 4, 5, 6, 1)  # Pip Street from the player's left
LIKE_KIND, MILLIONAIRE = "like-kind", "millionaire"

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
    """A seat with its undecided wagers, drawn small."""

    unit_cents: int | None
    pips: list[Area]
    likes: list[Area]
    sides: list[Area]
    extra: Area | None
    labels: list[str]


class Unsettled(TypedDict):
    """What the current step still takes and pays."""

    take_cents: int
    pay_cents: int
    stay_cents: int
    seats: str
    many: int


class StayingSeat(TypedDict):
    """The wagers of a seat that stay for the extra throw."""

    seat: int
    lines: list[WagerFacts]
    cents: int


class Fee(TypedDict):
    """The price of a seat's Extra Roll."""

    seat: int
    cents: int


class Spot(LayoutWager):
    """An area of the layout on the pit's table page."""

    cents: int
    lit: bool
    lost: bool


def _view(s: Snapshot) -> HighRollView:
    """Return what only this game shows of the round; empty before a round."""
    return cast(HighRollView, s["round"]["game"])


@register.filter
def arrangement(s: Snapshot) -> str:
    """Return which felt the round needs: the seats, the dice being entered, or the called dice."""
    if s["table"]["status"] != "open":
        return "seats"
    if s["round"]["phase"] == "ready" and "draw_dice" not in s["offers"]:
        return "entry"
    return "called" if valid_throws(s) else "seats"


def valid_throws(s: Snapshot) -> list[ThrowFacts]:
    return [throw for throw in s["round"]["throws"] if not throw["void"]]


@register.filter
def spoiled(s: Snapshot) -> str:
    """Return why the newest throw was invalid; empty if it was valid or nothing was thrown."""
    throws = s["round"]["throws"]
    return (throws[-1]["void"] or "") if throws else ""


@register.filter
def to_throw(s: Snapshot) -> int:
    """Return how many dice the coming throw has."""
    game = _view(s)
    if not game:  # no shaker is at the table yet
        return 10 if has_extra_roll(s) else 6
    return int(game["loose"] if valid_throws(s) else game["dice"])


@register.filter
def value(wager: str) -> str:
    """Return the number of an area: `5` of `like-kind:5`, `none` of the circle marked no match."""
    return wager.partition(":")[2]


@register.filter
def grouped(odds: str) -> str:
    """Return odds as the layout prints them, with a thousands separator: `5,000 to 1`."""
    first, _, unit = odds.partition(" ")
    return f"{int(first):,} {unit}" if first.isdigit() else odds


@register.filter
def face_name(face: int | str) -> str:
    return FACES[int(face)]


@register.filter
def face_keys(s: Snapshot) -> list[FaceKey]:
    """Return one key for each face, in the order of the throw box: by rank from the dealer's left (A23)."""
    return [{"face": face, "name": FACES[face]} for face in RANK]


# The throw box


@register.simple_tag
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


@register.filter
def ranked(dice: Iterable[int]) -> list[int]:
    """Return dice by rank: aces first, then sixes down to twos."""
    return sorted(dice, key=RANK.index)


# The seats


@register.simple_tag
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
            "unit_cents": units.get(str(seat["seat"])),
            "pips": [_mini(f"pip:{face}", wagers_by_seat.get(seat["seat"], {}), face) for face in PIPS],
            "likes": _minis(LIKE_KIND, codes, wagers_by_seat.get(seat["seat"], {})),
            "sides": _minis(MILLIONAIRE, codes, wagers_by_seat.get(seat["seat"], {})),
            "extra": _mini("extra-roll", wagers_by_seat.get(seat["seat"], {}))
            if "extra-roll" in codes
            else None,
            "labels": [wager["label"] for wager in wagers_by_seat.get(seat["seat"], {}).values()],
        }
        for seat in s["round"]["seats"]
    ]


def _minis(family: str, codes: list[str], wagers: WagersByCode) -> list[Area]:
    return [_mini(code, wagers, value(code)) for code in codes if code.startswith(f"{family}:")]


def _mini(code: str, wagers: WagersByCode, label: int | str = "") -> Area:
    wager = wagers.get(code)
    state = "" if wager is None else wager["outcome"] or "on"
    return {"wager": code, "value": label, "state": state}


# Take and pay


@register.filter
def step_now(s: Snapshot) -> SettleStep | None:
    """Return the step of settlement that the screen shows: the current one, or else the last complete one."""
    settle = s["round"]["settle"]
    if not settle:
        return None
    steps = [step for step in settle["steps"] if step["seats"]]
    begun = [step for step in steps if step["state"] != "todo"] or steps
    return next((step for step in begun if step["state"] == "now"), begun[-1] if begun else None)


@register.filter
def streets(seat: SettleSeat) -> dict[str, list[SettleLine]]:
    """Return the lines of a seat by street, in the order of settlement."""
    lines_by_street: dict[str, list[SettleLine]] = {"pip": [], "like": [], "side": []}
    for line in seat["lines"]:
        family = line["wager"].partition(":")[0]
        lines_by_street["like" if family == LIKE_KIND else "side" if family == MILLIONAIRE else "pip"].append(
            line
        )
    return lines_by_street


@register.filter
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


@register.filter
def settled_seats(s: Snapshot) -> list[dict[str, int]]:
    """Return what the newest throw took from each seat and paid to it."""
    take_cents = {seat["seat"]: seat["cents"] for seat in s["round"]["take"]["seats"]}
    pay_cents = {seat["seat"]: seat["cents"] for seat in s["round"]["pay"]["seats"]}
    return [
        {"seat": seat, "take_cents": take_cents.get(seat, 0), "pay_cents": pay_cents.get(seat, 0)}
        for seat in sorted({*take_cents, *pay_cents})
    ]


@register.filter
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
            (seat, list(group)) for seat, group in groupby(open_, lambda wager: wager["seat"])
        )
    ]


@register.filter
def extra_odds(s: Snapshot, wager: str) -> str:
    """Return what a circle pays on the extra throw."""
    odds = next((area["odds"] for area in s["layout"] if area["wager"] == wager), [])
    return grouped(odds[-1]) if odds else ""


@register.filter
def staying_cents(s: Snapshot) -> int:
    return sum(seat["cents"] for seat in staying(s))


@register.filter
def fees(s: Snapshot) -> list[Fee]:
    """Return the Extra Rolls that were bought, by seat."""
    return [
        {"seat": wager["seat"], "cents": wager["cents"]}
        for wager in sorted(s["round"]["wagers"], key=lambda wager: wager["seat"])
        if wager["wager"] == "extra-roll" and not wager["struck"]
    ]


@register.filter
def fee_seats(s: Snapshot) -> str:
    """Return `seats 2 and 4`, the seats that bought an Extra Roll."""
    seats = [fee["seat"] for fee in fees(s)]
    return f"seat{'' if len(seats) == 1 else 's'} {listed(seats)}"


@register.filter
def has_extra_roll(s: Snapshot) -> bool:
    """Return whether the layout has a sensor: the game of ten dice does, the variation with six does not."""
    return any(area["wager"] == "extra-roll" for area in s["layout"])


# The pit


@register.simple_tag
def printed(s: Snapshot) -> dict[str, list[Spot]]:
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
    groups: dict[str, list[Spot]] = {}
    for area in s["layout"]:
        wagers = wagers_by_area.get(area["wager"], [])
        spot: Spot = {
            **area,
            "cents": sum(wager["cents"] for wager in wagers),
            "lit": area["wager"] in s["round"]["lit"],
            "lost": bool(wagers) and all(wager["outcome"] == "lose" for wager in wagers),
        }
        groups.setdefault(area["family"].replace("-", "_"), []).append(spot)
    return groups


@register.filter
def first_roll(throws: list[list[int]]) -> dict[str, int] | None:
    """Return the matching dice of an earlier round's first roll, and how many the extra throw added; None for other
    games.
    """
    if not throws or len(throws[0]) < 6:
        return None
    first = held(throws[0])
    added = throws[1].count(first.face) if len(throws) > 1 else 0
    return {"face": first.face, "count": first.count, "added": added}
