"""Sentences of the floor: refusals, lines of the record, the steps of a round.

A refusal is a code with parameters; here it becomes what a dealer reads. Sections are shortened: § 625a.2(b). `LABELS`
is what most games call their things; a game's own words come first (`LABELS` of its words).
"""

import datetime as dt
import re
from collections.abc import Callable, Iterable
from typing import Any, overload

from audit.entry_types import ACT_LINES
from audit.refusals import AuditRefusal
from games import jurisdictions
from games import wording as games_wording
from games.engine import Refusal
from games.engine.odds import in_dollars
from games.snapshot_types import Call, Missing, RibbonStep, RoundFacts, Settle
from tables.words import PARAM_WORDS

LABELS = {
    "lot": "lot",
    "shaker": "shaker",
    "shaken": "shaken",
    "dice order": "",
    "new lot": "A fresh lot goes into the shaker, and the old one is out of play",
    "removed": "Dice are removed",
    "removed detail": "leaves play for good",
    "dice corrected": "The layout lights up again.",
    "round voided": "Every wager of this round goes back to its seat.",
}

# What of an electrical device may fail: the code that the act sends, and the words
DEVICE_PARTS = {"device": "The device", "layout": "The lights of the layout", "shaker": "The shaker"}


def span(seconds: float) -> str:
    """A duration for people: `8 h 40 min`, `17 days`."""
    minutes = max(0, int(seconds)) // 60
    if minutes >= 48 * 60:
        return f"{minutes // 1440} days"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min"


def duration(seconds: float) -> str:
    """A duration for people, under a minute in seconds: `40 s`."""
    return span(seconds) if seconds >= 60 else f"{max(0, int(seconds))} s"


NUMBERS = ("Zero", "One", "Two", "Three", "Four", "Five", "Six")


NEXT_LABELS = {
    "no_more_bets": "No more bets",
    "shake": "Shaken",
    "call_dice": "Enter dice",
    "take_losers": "Losing wagers taken",
    "pay_seats": "Paid all",
    "clear_layout": "Layout cleared",
    "settle_seats": "Settled",
}
SHAKE_LABELS = {
    "automated-covered": "Shaker activated",
    "automated-uncovered": "Shaker activated",
    "player-activated": "Shaker activated",
}
STEP_LABELS = {
    "placement": "Bets open",
    "no-more-bets": "No more bets",
    "shake": "Shaken",
    "call-dice": "Dice",
    "take": "Take",
    "pay": "Pay",
    "clear": "Clear",
    "settle": "Settle",
}
# The state of a round after a step, where the step's label does not say it: (step, whether bets are open).
STATES_AFTER = {
    ("shake", True): "Shaken, bets open",
    ("shake", False): "Shaken, no more bets",
}
# Steps without a duration. Until such a step is done, the round stays in the state after the previous step.
MOMENTS = frozenset({"no-more-bets", "shake", "call-dice"})
# What to do now, by act and kind of shaker, or by act alone.
INSTRUCTIONS = {
    ("shake", "manual"): "Cover the shaker and shake it at least three times.",
    ("shake", "player-activated"): "Choose a player with a wager to activate the shaker.",
    ("shake", ""): "Activate the shaker.",
    ("no_more_bets", ""): "Announce no more bets.",
    ("call_dice", ""): "Uncover, announce each die, and enter it.",
    ("take_losers", ""): "Shaker stays uncovered until all are paid.",
    ("pay_seats", ""): "Shaker stays uncovered until all are paid.",
    ("clear_layout", ""): "Clear the lit combinations.",
    ("settle_seats", ""): "Take what lost and pay what won, seat by seat.",
}


def step_label(code: str) -> str:
    """The label of a step of the ribbon or of a settlement; "throw:2" is the step `throw` of the second play."""
    base, colon, number = code.partition(":")
    label = games_wording.with_games("STEP_LABELS", STEP_LABELS).get(base + colon)
    if label is None:
        return code
    return str(label) % number if colon else str(label)


def state_of_round(steps: list[RibbonStep], *, bets_open: bool) -> tuple[int, str]:
    """Return the current state of the round: its place in the ribbon and its words; (-1, "") before and after the steps.

    The ribbon's current step may be one without a duration: a round whose dice are shaken waits for "no more bets", and is
    in the state "Shaken, bets open". Screens of the table and of the pit use these words.
    """
    place = next((number for number, step in enumerate(steps) if step["state"] == "now"), -1)
    if place > 0 and steps[place]["key"] in MOMENTS:
        place -= 1
        label = steps[place]["label"]
        return place, STATES_AFTER.get((steps[place]["key"], bets_open), label)
    return place, steps[place]["label"] if place >= 0 else ""


def next_label(act: str, shaker: str) -> str:
    """The label of the next step, by its act and the kind of shaker."""
    label = games_wording.with_games("NEXT_LABELS", NEXT_LABELS)[act]
    return SHAKE_LABELS.get(shaker, label) if act == "shake" else label


def instruction(act: str, shaker: str) -> str:
    """What to do before an act is confirmed, "" where the label says it all."""
    texts = games_wording.with_games("INSTRUCTIONS", INSTRUCTIONS)
    return texts.get((act, shaker)) or texts.get((act, ""), "")


def say(refusal: Refusal | AuditRefusal) -> str:
    """The sentence of a refusal, with codes and moments among its parameters in words."""
    params = refusal.params
    for words in PARAM_WORDS:
        params = words(params)
    return refusal.code.sentence % {name: _plain(value) for name, value in params.items()}


def title(refusal: Refusal | AuditRefusal) -> str:
    """Two or three words above the sentence."""
    return refusal.code.heading or "Not done"


def missing_by(refusal: Refusal) -> Missing:
    """What a step lacks, as the snapshot states it: the refusal as plain text."""
    return {"code": str(refusal.code), "text": say(refusal), "section": short(refusal.section)}


def short(cite: str) -> str:
    """`§ 625a.2(b)` of `58 Pa. Code § 625a.2(b)`; New Jersey's `N.J.A.C. 19:47-9.5(b)` becomes `19:47-9.5(b)`."""
    return jurisdictions.short(cite)


@overload
def moment(when: dt.datetime) -> str: ...
@overload
def moment(when: dt.datetime | None) -> str | None: ...
def moment(when: dt.datetime | None) -> str | None:
    """A moment as the snapshot writes it: UTC, ISO 8601, with a Z."""
    return when.astimezone(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z") if when else None


dollars = in_dollars  # the format of amounts on every screen of the floor


def number_words(dice: list[int]) -> str:
    """`Two, five, five`."""
    words = [NUMBERS[face] for face in dice]
    return ", ".join([words[0], *(word.lower() for word in words[1:])])


def next_says(name: str, round_: RoundFacts, shaker: str) -> str:
    """The line below the next step: exactly what the tap does."""
    seats, sum_ = round_["playing"], dollars(round_["wagered_cents"])
    take, pay = round_["take"], round_["pay"]
    unpaid = [str(seat["seat"]) for seat in pay["seats"] if not seat["paid"]]
    owed = dollars(pay["cents"] - pay["paid_cents"])
    says: dict[str, Callable[[], str]] = {
        "no_more_bets": lambda: (
            "Closes round %(n)s: %(seats)s, %(sum)s"
            % {"n": round_["number"], "seats": _seats(seats), "sum": sum_}
        ),
        "shake": lambda: _shake_says(shaker, bets_open=round_["bets_open"]),
        "call_dice": lambda: "Uncovered, announced, entered",
        "take_losers": lambda: (
            "%(wagers)s, %(sum)s in the rack; then pay"
            % {"wagers": _wagers(take["count"]), "sum": dollars(take["cents"])}
        ),
        "pay_seats": lambda: (
            "%(seats)s, %(sum)s"
            % {"seats": ("Seat %s" if len(unpaid) == 1 else "Seats %s") % _and(unpaid), "sum": owed}
        ),
        "clear_layout": lambda: "Ends round %(n)s" % {"n": round_["number"]},
        "move_dice": lambda: _move_dice_says(round_["call"]),
        "settle_seats": lambda: _settle_says(round_["settle"]),
        "throw_dice": lambda: "Closes the wagers on this throw: %s" % sum_,
    }
    return says[name]() if name in says else ""


def act_line(type_: str, data: dict[str, Any]) -> str:
    """One line about an entry of the record; an unknown type shows its own name."""
    line = ACT_LINES.get(type_)
    return line(data) if line else re.sub(r"[._]", " ", type_).capitalize()


def dice_words(dice: Iterable[int]) -> str:
    """`6 4 2`, as they were entered: in a game whose dice have colors, the order tells which die is which."""
    return " ".join(map(str, dice))


def _shake_says(shaker: str, *, bets_open: bool) -> str:
    if shaker != "manual":
        return "Bets stay open" if bets_open else "Bets are closed; dice next"
    return "At least three times; bets stay open" if bets_open else "At least three times; dice next"


def _move_dice_says(call: Call | None) -> str:
    assert call is not None  # the act follows a call
    return "%s, uncovered and in view" % call["summary"]


def _settle_says(settle: Settle | None) -> str:
    """What the current step still takes and pays, for the seats that are left."""
    assert settle is not None  # the act is offered while a throw is settled in steps
    unsettled = [
        seat
        for step in settle["steps"]
        if step["state"] == "now"
        for seat in step["seats"]
        if not seat["done"]
    ]
    take, pay = sum(seat["take_cents"] for seat in unsettled), sum(seat["pay_cents"] for seat in unsettled)
    return "Take %(take)s, pay %(pay)s" % {"take": dollars(take), "pay": dollars(pay)}


def _wagers(count: int) -> str:
    return "1 wager" if count == 1 else "%s wagers" % count


def _seats(count: int) -> str:
    return "1 seat" if count == 1 else "%s seats" % count


def seats_words(seats: Iterable[int]) -> str:
    """`seat 3`, `seats 3 5 6`."""
    seats = list(seats)
    return ("seat %s" if len(seats) == 1 else "seats %s") % " ".join(map(str, seats))


def _and(words: list[str]) -> str:
    return (
        "%(most)s and %(last)s" % {"most": ", ".join(words[:-1]), "last": words[-1]}
        if len(words) > 1
        else "".join(words)
    )


def _plain(value: Any) -> Any:
    return value.strftime("%H:%M UTC on %d %b") if isinstance(value, dt.datetime) else value
