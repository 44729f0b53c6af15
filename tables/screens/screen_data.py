"""What live screens show in addition to the snapshot: times left, addresses, words. A function of the snapshot alone.

Here is what all of them show, and the signs. `console_data`, `table_data` and `floor_data` have the other screens.

A template reads the snapshot as `s`, and one of these classes as `screen`. A property is computed when the template
first reads it, once for each rendering; what is the same for many snapshots is cached.
"""

import datetime as dt
import json
from collections.abc import Collection, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import count
from math import floor
from typing import ClassVar, TypedDict

from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from games import registry
from games.engine.editions import Edition, all_editions
from games.engine.game import PostCode
from games.formats import whole_dollars
from games.snapshot_types import (
    AlertFacts,
    AlertLevel,
    PastRound,
    PostHolder,
    ReturnSeat,
    Snapshot,
    StepState,
    WagerFacts,
)
from tables.alerts.alert_list import rank
from tables.alerts.calls import decisions_for
from tables.core.alerts import kind_of, line_name
from tables.core.figure_sums import Recent, is_outside_band
from tables.equipment.signs import SignFace, board
from tables.screens import layout
from tables.screens.parts import Content, watched
from tables.screens.templates import SUFFIX, countdown, seconds_between
from tables.words.sentences import LABELS, NUMBERS, span, state_of_round

# Entries that bring a table into another phase.
PHASE_TYPES = frozenset(
    (
        *("table.opened", "table.closed", "table.inspected", "device.failed", "repair.recorded"),
        *("bets.closed", "dice.shaken", "dice.offered", "dice.thrown", "throw.settled"),
        *("throw.no_roll", "round.settled", "round.no_roll", "round.voided", "round.settled_by_hand"),
        *("fees.collected", "losers.taken", "winners.paid", "seats.settled", "layout.cleared"),
    )
)
# Entries of single payments: while the table settles, they do not begin a phase.
PAYMENT_TYPES = frozenset({"winners.paid", "seats.settled"})
LOW_SECONDS = 3600  # the time of the dice from which screens warn
OWN_PARTS = ("console/felt", "console/glyph", "table/layout")
# Parts that a game may have its own of, and else those that games share.
SHARED_PARTS = (
    "console/thrown",
    "console/side",
    "console/dock",
    "console/next",
    "console/ahead_dice",
    "table/call",
    "table/result",
)
LEVEL_LABELS: dict[AlertLevel, str] = {"stop": "Stop", "warn": "Warning", "info": "Notice"}


class TableUrls(TypedDict):
    """The addresses that live screens link to. `act` has `__act__` in place of the act's name."""

    table: SafeString
    console: SafeString
    act: SafeString
    acknowledge: SafeString
    tray: SafeString
    tray_summary: SafeString
    relief_card: SafeString
    limits_sign: SafeString
    change_sign: SafeString
    sign_in: SafeString


class AlertRow(AlertFacts):
    """An alert with its place among others, the time left to its moment, and the page of its round.

    `label`: its level in a word. `decisions`: what the floor may decide with a tap, as JSON. `joins`: the name of the
    line that it may share with equal ones (`line_name`), "" once somebody has it; `is_everywhere`: those of all pits.
    `unanswered`: a call or a dispute that has no answer yet.
    """

    rank: int
    left: str
    replay: SafeString
    label: str
    decisions: str
    joins: str
    is_everywhere: bool
    unanswered: bool


class LotTime(TypedDict):
    """The time left to the dice at the moment of the snapshot. `percent` is of their whole time."""

    left: str
    percent: int
    is_low: bool


class Dot(TypedDict):
    """A seat position around the table."""

    x: float
    taken: bool


class RibbonMark(TypedDict):
    """A step of the ribbon. `mark`: done, now or todo."""

    label: str
    mark: StepState


class RoundRow(PastRound):
    """An ended round, with the template of its result and what only its game shows of it."""

    template: str
    own: object


# What is the same for many snapshots


@lru_cache(maxsize=4096)
def urls(facility: str, table: str) -> TableUrls:
    """Return the addresses of a table, escaped for HTML."""

    def address(name: str, *args: str) -> SafeString:
        return mark_safe(escape(reverse(name, args=[facility, table, *args])))

    return {
        "table": address("table"),
        "console": address("console"),
        "act": address("act", "__act__"),
        "acknowledge": address("act", "acknowledge_alert"),
        "tray": address("tray"),
        "tray_summary": address("tray-summary"),
        "relief_card": address("relief-card"),
        "limits_sign": address("sign-print", "limits"),
        "change_sign": address("sign-print", "limits-change"),
        "sign_in": mark_safe(escape(reverse("sign-in"))),
    }


@lru_cache(maxsize=64)
def parts(game: str) -> dict[str, str]:
    """Return the templates of the parts of a screen by their last name: the game's own, else those that games share."""
    names = {path: registry.asset(game, f"{path}{SUFFIX}") for path in (*OWN_PARTS, *SHARED_PARTS)}
    for path in SHARED_PARTS:
        if game not in registry.with_asset("templates", f"{path}{SUFFIX}"):
            names[path] = f"tables/{path}{SUFFIX}"
    return {path.rpartition("/")[2]: name for path, name in names.items()}


@lru_cache(maxsize=64)
def scripts(game: str) -> list[str]:
    """Return the addresses of a game's scripts for the console."""
    games = registry.with_asset("static", "console.js")
    return [mark_safe(escape(static(registry.asset(game, "console.js"))))] if game in games else []


def label(game: str, name: str) -> str:
    """Return how a game calls one of its things, such as "shaker": in its own words, or else as most games do."""
    own_labels: dict[str, str] = getattr(registry.parts("words").get(game), "LABELS", {})
    return own_labels.get(name, LABELS[name])


registry.clear_on_change(parts.cache_clear)


registry.clear_on_change(scripts.cache_clear)


# Functions of the snapshot that pages use too


def _mark(step_state: StepState, number: int, place: int) -> StepState:
    """Return how the ribbon marks a step. `place` is that of the current state."""
    if number == place:
        return "now"
    return "done" if step_state == "done" else "todo"


def left_on_layout(s: Snapshot) -> Snapshot:
    """Return the snapshot with only the wagers whose chips lie on the layout.

    This is the only definition of it, for each sum, number and drawing of what lies there. Chips that were taken, paid,
    collected as a fee, struck, or handed back do not lie there. A replayed round keeps all of its wagers.
    """
    if "returning" not in s:
        return s
    back = s["returning"]
    if back is not None:
        return _with_wagers_of(s, [seat for seat in back["seats"] if not seat["done"]])
    unsettled, collected = _unsettled(s), _collected(s)
    wagers = [
        wager
        for wager in s["round"]["wagers"]
        if not wager["struck"]
        and wager["wager"] not in collected
        and (wager["outcome"] is None or (wager["seat"], wager["wager"], wager["play"]) in unsettled)
    ]
    return s | {"round": s["round"] | {"wagers": wagers}}


def _unsettled(s: Snapshot) -> set[tuple[int, str, int | None]]:
    """Return the wagers that the newest throw decided and whose money has not moved, by seat, code and play."""
    round_ = s["round"]
    if round_["settle"] is not None:
        return {
            (seat["seat"], line["wager"], line["play"])
            for step in round_["settle"]["steps"]
            for seat in step["seats"]
            if not seat["done"]
            for line in seat["lines"]
        }
    unpaid_winners: set[tuple[int, str, int | None]] = {
        (seat["seat"], line["wager"], None)
        for seat in round_["pay"]["seats"]
        for line in seat["lines"]
        if not line["paid"]
    }
    if round_["phase"] == "taken":
        return unpaid_winners
    if round_["phase"] not in ("called", "lit"):
        return set()
    return unpaid_winners | {
        (seat["seat"], line["wager"], None) for seat in round_["take"]["seats"] for line in seat["lines"]
    }


def _collected(s: Snapshot) -> Collection[str]:
    """Return the codes of the wagers that were collected before the throw, in a game that has a fee."""
    of_game = getattr(layout.game_screens(s["table"]["game"]), "collected", None)
    return of_game(s) if of_game else ()


def _with_wagers_of(s: Snapshot, seats: list[ReturnSeat]) -> Snapshot:
    wagers: list[WagerFacts] = [
        {**line, "seat": seat["seat"], "flag": None, "struck": False, "missed": False, "outcome": None}
        for seat in seats
        for line in seat["lines"]
    ]
    return s | {"round": s["round"] | {"wagers": wagers}}


def editions_of(s: Snapshot) -> list[Edition]:
    """Return the edition at a table; where no rules are in force, all of its game."""
    editions = [edition for edition in all_editions().values() if edition.game == s["table"]["game"]]
    return [edition for edition in editions if edition.key == s["rules"].get("key")] or editions


def dice_count(s: Snapshot) -> int:
    """Return how many dice the next throw has, otherwise every throw of this edition."""
    dice = s["next"]["dice"] if s["next"] else None
    return dice or editions_of(s)[-1].dice


def number_word(number: int) -> str:
    """`three`; digits above six."""
    return NUMBERS[number].lower() if number < len(NUMBERS) else str(number)


def faces(number: int) -> str:
    """`three faces`, `one face`."""
    return f"{number_word(number)} face{'' if number == 1 else 's'}"


def taken_seats(s: Snapshot) -> list[int]:
    """Return the seats that are taken: the floor records them as left before new limits apply at once."""
    return [seat["seat"] for seat in s["round"]["seats"] if seat["taken"]]


def pace_now(s: Snapshot) -> int | None:
    """Return settled rounds an hour of the last fifteen minutes, rounded; None where it is not known."""
    figures = s["figures"]
    since = figures["open_since"]
    recent = Recent(
        [dt.datetime.fromisoformat(settled) for settled in figures["settled_at"]],
        dt.datetime.fromisoformat(since) if since else None,
    )
    exact = recent.pace(dt.datetime.fromisoformat(s["as_of"]))
    return None if exact is None else floor(exact + Fraction(1, 2))


def alert_row(alert: AlertFacts, s: Snapshot) -> AlertRow:
    """Return an alert as screens show it."""
    address = ""
    if alert["round"]:
        address = reverse("replay", args=[s["table"]["facility"], s["table"]["code"], alert["round"]])
    return {
        **alert,
        "rank": rank(alert)[0],
        "left": countdown(s["as_of"], alert["until"]) if alert["until"] else "",
        "replay": mark_safe(escape(address)),
        "label": _level_label(alert),
        "decisions": json.dumps(decisions_for(alert["kind"], alert["reason"])) if alert["to"] else "",
        "joins": _joins(alert, s["table"]["pit"]),
        "is_everywhere": kind_of(alert["kind"], "").is_everywhere,
        "unanswered": _is_unanswered(alert),
    }


def _is_unanswered(alert: AlertFacts) -> bool:
    """Whether this is a call or a dispute that stands without an answer."""
    is_held = alert["acknowledged"] or alert["coming"]
    return alert["standing"] and not is_held and kind_of(alert["kind"], "").needs_note


def _joins(alert: AlertFacts, pit: str) -> str:
    is_held = alert["acknowledged"] or alert["coming"] or not alert["standing"]
    return "" if is_held else line_name(kind_of(alert["kind"], ""), alert["level"], pit)


def _level_label(alert: AlertFacts) -> str:
    if not alert["standing"]:
        return "Ended"
    return "Security" if alert["kind"] == "security-call" else LEVEL_LABELS[alert["level"]]


def round_rows(game: str, history: list[PastRound]) -> list[RoundRow]:
    """Return ended rounds as the table page lists them."""
    own = getattr(layout.game_screens(game), "past_round", None)
    template = parts(game)["result"]
    return [{**past, "template": template, "own": own(past) if own else None} for past in history]


# The screens


class ScreenData:
    """What every station shows in addition to the snapshot."""

    shows_pit_alerts: ClassVar[bool] = False  # whether staff alone read the screen, away from the players

    def __init__(self, s: Snapshot) -> None:
        self.s = s

    def head_contents(self, _names: Sequence[str]) -> dict[str, Content]:
        """What is in the slots of the first tag of a screen: what each entry changes."""
        head = self.s["head"]
        return {
            "version": (str, self.s["version"]),
            "as-of": (str, self.s["as_of"]),
            "head": (str, head["head"]),
            "incarnation": (str, head["incarnation"]),
            "mac": (str, head["mac"]),
        }

    @cached_property
    def urls(self) -> TableUrls:
        return urls(self.s["table"]["facility"], self.s["table"]["code"])

    @watched
    def pace(self) -> int | None:
        """Settled rounds an hour of the last fifteen minutes; None where it is not known."""
        return pace_now(self.s)

    @cached_property
    def settled(self) -> str:
        """When the last rounds were settled, in seconds, for `static/js/pace.js`."""
        moments = (dt.datetime.fromisoformat(settled) for settled in self.s["figures"]["settled_at"])
        return " ".join(f"{moment.timestamp():.3f}" for moment in moments)

    @cached_property
    def parts(self) -> dict[str, str]:
        """The templates of the parts that a game may have its own of."""
        return parts(self.s["table"]["game"])

    @cached_property
    def alerts(self) -> list[AlertRow]:
        return [
            self.alert_row(alert)
            for alert in self.s["alerts"]
            if self.shows_pit_alerts or not kind_of(alert["kind"], "").at_the_pit
        ]

    def alert_row(self, alert: AlertFacts) -> AlertRow:
        """Return an alert as this station shows it."""
        return alert_row(alert, self.s)

    @cached_property
    def calling(self) -> AlertRow | None:
        """The first alert that nobody has answered and that has not ended."""
        open_alerts = (alert for alert in self.alerts if alert["standing"])
        return next(
            (alert for alert in open_alerts if not alert["acknowledged"] and not alert["coming"]), None
        )

    @watched
    def round_number(self) -> int:
        """The round that the table is in. A round without a result lasts until its chips are back at their seats."""
        back = self.s["returning"]
        return back["round"] if back else self.s["round"]["number"]

    @watched
    def lot_time(self) -> LotTime | None:
        lot = self.s["lot"]
        if lot is None:
            return None
        seconds, percent = seconds_between(self.s["as_of"], lot["expires_at"]), 0
        total = seconds_between(lot["placed_at"], lot["expires_at"]) if lot["placed_at"] else 0
        if total > 0:
            percent = max(0, min(100, round(100 * seconds / total)))
        return {"left": span(seconds), "percent": percent, "is_low": seconds < LOW_SECONDS}

    @cached_property
    def limits_left(self) -> str:
        """The time left until new limits take effect; "" while that is open."""
        change = self.s["limits"]["pending"]
        return countdown(self.s["as_of"], change["effective_at"]) if change and change["effective_at"] else ""

    @watched
    def phase_since(self) -> str | None:
        """The moment at which the table came into its phase, by its newest entries; None if they are older."""
        is_settling = self.s["round"]["phase"] in ("lit", "taken")
        types = PHASE_TYPES - PAYMENT_TYPES if is_settling else PHASE_TYPES
        moments = (act["at"] for act in self.s["acts"] if act["type"] in types)
        return next(moments, self.s["round"]["opened_at"])

    @cached_property
    def deviations(self) -> float | None:
        """By how many standard deviations the win differs from the expected win; None if that is not known."""
        figures = self.s["figures"]
        expected, band = figures["expected_cents"], figures["band_cents"]
        if expected is None or not band:
            return None
        return 2 * (figures["win_cents"] - expected) / band

    @cached_property
    def expected_cents(self) -> int | None:
        """The expected win in whole dollars."""
        expected = self.s["figures"]["expected_cents"]
        return None if expected is None else whole_dollars(expected)

    @cached_property
    def band_cents(self) -> int | None:
        """Two standard deviations of the win in whole dollars."""
        band = self.s["figures"]["band_cents"]
        return None if band is None else whole_dollars(band)

    @cached_property
    def band_x(self) -> int | None:
        """Where the win is in the drawing of its band: 60 as expected, 20 and 100 at two deviations."""
        return None if self.deviations is None else round(60 + 20 * max(-2.8, min(2.8, self.deviations)))

    @cached_property
    def is_out_of_band(self) -> bool:
        figures = self.s["figures"]
        return is_outside_band(figures["win_cents"], figures["expected_cents"], figures["band_cents"])

    @watched
    def round_state(self) -> tuple[int, str]:
        """The place of the current state in the ribbon, from 0, and its words."""
        return state_of_round(self.s["round"]["steps"], bets_open=self.s["round"]["bets_open"])

    @cached_property
    def state_words(self) -> str:
        return self.round_state[1]

    @watched
    def ribbon(self) -> list[RibbonMark]:
        """The steps of the round: done, the current state, and those to come."""
        place, words = self.round_state
        return [
            {
                "label": words if number == place else step["label"],
                "mark": _mark(step["state"], number, place),
            }
            for number, step in enumerate(self.s["round"]["steps"])
        ]

    @cached_property
    def wagers(self) -> list[WagerFacts]:
        """The wagers that lie on the layout, also those that still go back after a round without a result."""
        return left_on_layout(self.s)["round"]["wagers"]

    @cached_property
    def on_layout_cents(self) -> int:
        """The chips that lie on the layout."""
        return sum(wager["cents"] for wager in self.wagers)

    @cached_property
    def dots(self) -> list[Dot]:
        """A dot for each seat position around the table."""
        seats = zip(count(), self.s["round"]["seats"], strict=False)
        return [{"x": place + 0.5, "taken": bool(seat["count"])} for place, seat in seats]


class SignData(ScreenData):
    """What the sign display shows in addition to the snapshot."""

    @cached_property
    def signs(self) -> list[SignFace]:
        """Every sign of a table that has content now."""
        return board(self.s)

    @cached_property
    def earlier_rolls(self) -> list[list[int]]:
        """The dice of earlier rounds, newest first: none without a permission of the Board."""
        return []


class SignWithRollsData(SignData):
    """The same where the Board permits earlier rolls on displays for patrons (§ 521.6, reading A03)."""

    @cached_property
    def earlier_rolls(self) -> list[list[int]]:
        return [past["dice"] for past in self.s["history"] if past["dice"]]


def post_holders(s: Snapshot) -> dict[PostCode, PostHolder | None]:
    """Return who is at each post of the table."""
    people = s["people"]
    return {
        "dealer": people["dealer"],
        "dealer-left": people["dealer_left"],
        "stick": people["stickperson"],
    }
