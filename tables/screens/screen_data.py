"""What live screens show in addition to the snapshot: times left, addresses, words. A function of the snapshot alone.

A template reads the snapshot as `s`, and one of these classes as `screen`. A property is computed when the template
first reads it, once for each rendering; what is the same for many snapshots is cached.
"""

import datetime as dt
import json
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import count
from math import floor, isqrt
from typing import ClassVar, Literal, TypedDict

from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import Truncator

from games import registry
from games.engine.editions import Edition, all_editions
from games.engine.game import PostCode
from games.engine.refusals import Refusal
from games.engine.rules import Rules
from games.engine.wagers import Wager
from games.exposure import Exposure, exposure
from games.formats import money, signed, whole_dollars
from games.kit.plots import Plot
from games.layout_drawing import is_dice_corrected
from games.snapshot_types import (
    ALERT_LEVELS,
    ActLine,
    Addressee,
    AheadStep,
    AlertFacts,
    AlertLevel,
    EquipmentKind,
    HeldSeat,
    PastRound,
    PostHolder,
    ReturnSeat,
    RibbonStep,
    SeatFacts,
    Snapshot,
    StepState,
    TransferKind,
    TransferStatus,
    WagerFacts,
)
from games.stacks import sum_of, unpaid
from tables.alerts.calls import ADDRESSEES, REASONS, decisions_for
from tables.alerts.view import rank
from tables.core.alerts import kind_of, line_name
from tables.core.context import ROUND_IN_PLAY
from tables.core.figure_sums import Recent, is_slow
from tables.equipment.signs import SignFace, board, notice_minutes
from tables.money.drops import DROP_BOX_IS_ON
from tables.money.slips import TRANSFERS_UNDER_WAY
from tables.money.tray import CLOSER_MISSING
from tables.opening.opening import DISPUTE_UNDECIDED
from tables.screens import failures, layout, templates
from tables.screens.floor_plan import shape_of
from tables.screens.formats import countdown, in_lines, seconds_between
from tables.screens.layout import RunArea, RunSeat, SeatOfRun, Spot
from tables.screens.plots import AxisLabel, axis_labels, win_plot
from tables.screens.templates import SUFFIX
from tables.staffing.dealers import overdue_at
from tables.staffing.roster import POSTS
from tables.words.sentences import LABELS, NUMBERS, span, state_of_round
from tables.words.sentences import short as short_citation

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
# Next steps after which corrections close, or the round has ended: they are pressed and held (static/js/hold.js).
HELD_ACTS = frozenset({"pay_seats", "settle_seats", "clear_layout"})
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
FAILED: dict[EquipmentKind, str] = {
    "device": "Device failed",
    "layout": "Lights failed",
    "shaker": "Shaker failed",
}
LEVEL_LABELS: dict[AlertLevel, str] = {"stop": "Stop", "warn": "Warning", "info": "Notice"}
OWN_CALLS = ("floor-call", "security-call")
CALL_BUTTONS: dict[Addressee, tuple[str, str]] = {
    "floor": ("Floor", "i-floor"),
    "security": ("Security", "i-shield"),
}
ENDS = ("Camera, right end", "Camera, left end")


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


class ReasonButton(TypedDict):
    """A reason for a call that a dealer may tap."""

    code: str
    label: str
    icon: str


class FloorCallButton(TypedDict):
    """The button that calls the floor or Security, and the open call. `panel`: the call takes a reason and a seat."""

    to: Addressee
    label: str
    icon: str
    alert: AlertRow | None
    panel: bool
    reasons: list[ReasonButton]


class LotTime(TypedDict):
    """The time left to the dice at the moment of the snapshot. `percent` is of their whole time."""

    left: str
    percent: int
    is_low: bool


class DrawnDie(TypedDict):
    """A die that the computer threw, with its color, "" where any die is like another."""

    face: int
    color: str


class RailSeat(SeatFacts):
    """A seat as the rail beside the felt shows it. `flag` is by how much its first wager is outside the limits."""

    flag: str


class CameraField(TypedDict):
    """A field for the name of a camera, with its name at the last inspection."""

    name: str
    last: str


class Dot(TypedDict):
    """A seat position around the table."""

    x: float
    taken: bool


class NextBreak(TypedDict):
    """The break that is due first at a table. From `late_at` it calls for somebody.

    `name`: whose, at a table with several posts; else "".
    """

    at: str
    late_at: str
    name: str


class RibbonMark(TypedDict):
    """A step of the ribbon. `mark`: done, now or todo."""

    label: str
    mark: StepState


AheadMark = Literal["done", "waits", "now", "todo"]


class StepAhead(TypedDict):
    """A step of the ribbon of a tablet without a line. `mark`: `waits` for the line, or as `RibbonMark`."""

    label: str
    mark: AheadMark


class ViewAhead(TypedDict):
    """What a tablet without a line shows while this many acts wait; without a `step`, the next one needs the line."""

    step: AheadStep | None
    ribbon: list[StepAhead]
    waiting: int


class RoundActs(TypedDict):
    """The acts of a round, and who did the newest of them."""

    round: int | None
    who: str
    acts: list[ActLine]


class RoundRow(PastRound):
    """An ended round, with the template of its result and what only its game shows of it."""

    template: str
    own: object


class Labels(TypedDict):
    """How a game calls what happens to its dice when they leave a table."""

    removed: str
    removed_detail: str


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


def held_words(held: HeldSeat) -> str:
    """What is held back of a seat, and what becomes of it."""
    stake = f" Put {money(held['stake_cents'])} of its stakes into the tray." if held["stake_cents"] else ""
    return f"Held back of seat {held['seat']}: {money(held['cents'])}.{stake} Its slip is reviewed, then it is paid."


def mode(s: Snapshot) -> str:
    """Return the mode of the console."""
    status = s["table"]["status"]
    if s["halted"]:
        return "ceased"
    if s["returning"]:
        return "return"
    if status == "closed" or (status == "ceased" and "record_repair" in s["offers"]):
        return status
    if s["round"]["bets_open"]:
        return "betting"
    return {"ready": "dice", "lit": "lit", "taken": "paying", "paid": "paying"}.get(
        s["round"]["phase"], "say"
    )


def on_layout(s: Snapshot) -> Snapshot:
    """Return the snapshot with chips that still have to go back after a round without a result on the layout."""
    back = s["returning"]
    return s if back is None else _with_wagers_of(s, back["seats"])


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
    return {**s, "round": {**s["round"], "wagers": wagers}}


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
    return {**s, "round": {**s["round"], "wagers": wagers}}


def at_rest(s: Snapshot) -> Snapshot:
    """Return the snapshot as if the newest throw had not been called: its wagers on the layout, and nothing lit."""
    take, pay = s["round"]["take"], s["round"]["pay"]
    newest = {(seat["seat"], line["wager"]) for seat in take["seats"] for line in seat["lines"]}
    newest |= {(seat["seat"], line["wager"]) for seat in pay["seats"] for line in seat["lines"]}
    wagers = [
        wager
        for wager in s["round"]["wagers"]
        if not wager["outcome"] or (wager["seat"], wager["wager"]) in newest
    ]
    return {**s, "round": {**s["round"], "phase": "closed", "wagers": wagers, "lit": [], "dice": None}}


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


def rail(s: Snapshot) -> list[RailSeat]:
    """Return every seat, with its first flag."""
    limits, flags = s["limits"], dict[int, list[str]]()
    for wager in s["round"]["wagers"]:
        if wager["flag"] and not wager["struck"]:
            under = wager["flag"] == "under-min"
            gap = limits["min_cents"] - wager["cents"] if under else wager["cents"] - limits["max_cents"]
            flags.setdefault(wager["seat"], []).append(f"{money(gap)} {'under' if under else 'over'}")
    return [
        {
            **seat,
            "flag": next(iter(flags.get(seat["seat"], [])), ""),
        }
        for seat in s["round"]["seats"]
    ]


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


def _floor_call_button(to: Addressee, open_calls: list[AlertRow]) -> FloorCallButton:
    alert = next((alert for alert in open_calls if alert["to"] == to), None)
    label, icon = CALL_BUTTONS[to]
    return {
        "to": to,
        "label": label,
        "icon": icon,
        "alert": alert,
        "panel": alert is not None and alert["kind"] in OWN_CALLS,
        "reasons": [
            {"code": code, "label": reason.label, "icon": reason.icon} for code, reason in REASONS[to].items()
        ],
    }


def round_rows(game: str, history: list[PastRound]) -> list[RoundRow]:
    """Return ended rounds as the table page lists them."""
    own = getattr(layout.game_screens(game), "past_round", None)
    template = parts(game)["result"]
    return [{**past, "template": template, "own": own(past) if own else None} for past in history]


LAST_RESULTS = 20


@lru_cache(maxsize=64)
def _results(game: str, history: str) -> list[SafeString]:
    rows = round_rows(game, json.loads(history))
    return [templates.render("tables/console/result_row.jinja", round=row) for row in rows]


# The screens


class ScreenData:
    """What every station shows in addition to the snapshot."""

    shows_pit_alerts: ClassVar[bool] = False  # whether staff alone read the screen, away from the players

    def __init__(self, s: Snapshot) -> None:
        self.s = s

    @cached_property
    def urls(self) -> TableUrls:
        return urls(self.s["table"]["facility"], self.s["table"]["code"])

    @cached_property
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

    @cached_property
    def round_number(self) -> int:
        """The round that the table is in. A round without a result lasts until its chips are back at their seats."""
        back = self.s["returning"]
        return back["round"] if back else self.s["round"]["number"]

    @cached_property
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

    @cached_property
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
        return self.deviations is not None and abs(self.deviations) > 2

    @cached_property
    def round_state(self) -> tuple[int, str]:
        """The place of the current state in the ribbon, from 0, and its words."""
        return state_of_round(self.s["round"]["steps"], bets_open=self.s["round"]["bets_open"])

    @cached_property
    def state_words(self) -> str:
        return self.round_state[1]

    @cached_property
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


class PlanLine(TypedDict):
    """What a lens of the floor plan says of a table. `until`: a moment that is counted down instead of the text."""

    lens: Literal["state", "win", "pace", "dice", "occupancy"]
    text: str
    until: str
    level: AlertLevel | Literal[""]


class PlanChair(TypedDict):
    """A seat around a table on the floor plan."""

    x: float
    y: float
    taken: bool


class PlanDrawing(TypedDict):
    """A table on the floor plan, around its middle.

    `note` is the first alert, shortened, from `note_x` on. `dot_x`: where the dot of its line is, after its code,
    which is small if it `is_long`.
    """

    path: str
    chairs: list[PlanChair]
    lines: list[PlanLine]
    dot_x: int
    is_long: bool
    look: str
    note: str
    note_x: int
    note_level: AlertLevel | Literal[""]
    label: str


NEWEST_RESULTS = 5
UNITS_OF_LETTER, UNITS_OF_BOLD, UNITS_OF_CODE = 7.5, 7.7, 10  # of the floor plan
MOST_LETTERS, UNITS_OF_LONG_CODE = 8, 6  # a longer code is set small on it
NOTE_WORDS = 4
STALE_TABLET = "stale-tablet"  # the kind of alert about a tablet that is not heard


class TransferMark(TypedDict):
    """A fill or credit under way on a tile: `F-0131 carried`, for screen readers with its amount, and since when."""

    name: str
    words: str
    label: str
    since: str


# What happens with a fill or a credit now, by its status
TRANSFER_WORDS: dict[tuple[TransferKind, TransferStatus], str] = {
    ("fill", "requested"): "requested",
    ("fill", "preparing"): "at cage",
    ("fill", "on-the-way"): "carried",
    ("credit", "requested"): "requested",
    ("credit", "preparing"): "at table",
    ("credit", "on-the-way"): "carried",
}


class TileData(ScreenData):
    """What a tile of the pit dashboard shows in addition to the snapshot."""

    shows_pit_alerts = True

    @cached_property
    def step_number(self) -> int:
        return self.round_state[0] + 1

    @cached_property
    def step_label(self) -> str:
        """The state of the round in words, else its phase."""
        return self.state_words or self.s["round"]["phase"]

    @cached_property
    def has_line(self) -> bool:
        """Whether tablets of the table may be connected: it is not closed, and people deal it, not a program."""
        table = self.s["table"]
        return table["status"] != "closed" and table["kind"] != "simulated"

    @cached_property
    def is_silent(self) -> bool:
        """Whether a tablet of the table has not been heard for a while."""
        return any(alert["kind"] == STALE_TABLET and alert["standing"] for alert in self.s["alerts"])

    @cached_property
    def is_called(self) -> bool:
        """Whether a call or a dispute at the table has no answer yet."""
        return any(alert["unanswered"] for alert in self.alerts)

    @cached_property
    def results(self) -> list[int]:
        """The totals of the last rounds with a result, newest first, for staff."""
        return [past["total"] for past in self.s["history"] if past["total"] is not None]

    @cached_property
    def newest_results(self) -> str:
        return " ".join(map(str, self.results[:NEWEST_RESULTS]))

    @cached_property
    def results_path(self) -> str:
        """A line for each result, the newest at the left: the higher the total, the longer."""
        low, high = min(self.results), max(self.results)
        heights = (2 + round(10 * (total - low) / max(high - low, 1)) for total in self.results)
        return "".join(f"M{5 * place + 2} 12v-{height}" for place, height in enumerate(heights))

    @cached_property
    def next_break(self) -> NextBreak | None:
        """The break that is due first among those who work here; None without a house figure."""
        holders = post_holders(self.s).values()
        breaks = sorted(
            (person["break_due"], person["short"]) for person in holders if person and person["break_due"]
        )
        if not breaks:
            return None
        due_at, name = breaks[0]
        posts = registry.game_by_code(self.s["table"]["game"]).posts
        late_at = overdue_at(dt.datetime.fromisoformat(due_at)).isoformat() if due_at else ""
        return {"at": due_at or "", "late_at": late_at, "name": name if len(posts) > 1 else ""}

    @cached_property
    def transfers(self) -> list[TransferMark]:
        """The fills and credits under way, the one that waits longest first."""
        return [
            {
                "name": transfer["slip"] or transfer["kind"].capitalize(),
                "words": TRANSFER_WORDS[transfer["kind"], transfer["status"]],
                "label": f"{transfer['kind'].capitalize()} of {money(transfer['cents'])}",
                "since": transfer["requested_at"] or "",
            }
            for transfer in self.s["transfers"]
        ]

    @cached_property
    def ceased_short(self) -> str:
        """The first words of the reason why gaming has ceased."""
        return Truncator(self.s["ceased"]["text"] if self.s["ceased"] else "").words(14, truncate=" …")

    @cached_property
    def is_slow(self) -> bool:
        """Whether the table deals well below the pace that the house aims at."""
        return is_slow(self.pace, self.s["table"]["target_pace"])

    @cached_property
    def plan(self) -> PlanDrawing:
        """The table on the floor plan."""
        shape, seats = shape_of(self.s["table"]["game"]), self.s["round"]["seats"]
        stops = (alert for alert in self.alerts if alert["standing"] and alert["level"] == "stop")
        note = next(stops, self.calling)
        words = Truncator(note["title"]).words(NOTE_WORDS, truncate=" …") if note else ""
        lines = [self._state_line(shape.width), self._win_line(), self._pace_line(), self._dice_line()]
        lines.append({"lens": "occupancy", "text": "–", "until": "", "level": ""})  # floor-plan.js reads it
        code = self.s["table"]["code"]
        is_long = len(code) > MOST_LETTERS
        levels = [f"{line['lens']}-{line['level']}" for line in lines if line["level"]]
        return {
            "path": shape.path,
            "chairs": [
                {"x": x, "y": y, "taken": seat["taken"] or seat["count"] > 0}
                for (x, y), seat in zip(shape.chairs(len(seats)), seats, strict=True)
            ],
            "lines": lines,
            "dot_x": round(len(code) * (UNITS_OF_LONG_CODE if is_long else UNITS_OF_CODE) / 2) + 12,
            "is_long": is_long,
            "look": " ".join(self._plan_looks(note) + levels),
            "note": words,
            "note_x": -round(len(words) * UNITS_OF_BOLD / 2) - 4,
            "note_level": note["level"] if note else "",
            "label": self._plan_label(note),
        }

    def _plan_looks(self, note: AlertRow | None) -> list[str]:
        """The classes of the table on the plan that no lens changes."""
        table, looks = self.s["table"], []
        if self.s["halted"] or table["status"] == "ceased" or (note and note["level"] == "stop"):
            looks.append("stop")
        elif table["status"] == "closed":
            looks.append("closed")
        if table["kind"] != "live":
            looks.append("training")
        return looks + (["silent"] if self.is_silent else [])

    def _plan_label(self, note: AlertRow | None) -> str:
        """The label of the table on the plan for screen readers."""
        table = self.s["table"]
        words = [f"{table['code']}, {table['game_name']}: {self._state_words}"]
        if note:
            words.append(note["title"])
        if table["status"] != "closed":
            words.append(f"{self.s['round']['playing']} of {table['seats']} seats playing")
        return ", ".join(words)

    @cached_property
    def _state_words(self) -> str:
        table = self.s["table"]
        if self.s["halted"]:
            return "Halted"
        if table["status"] == "closed":
            return "Inspected" if self.s["inspection"] else "Closed"
        if table["status"] == "ceased":
            return "Ceased"
        return table["kind"].capitalize() if table["kind"] != "live" else self.step_label

    def _state_line(self, width: float) -> PlanLine:
        words = self._state_words
        if len(words) * UNITS_OF_LETTER > width and ", " in words:  # "Shaken, no more bets"
            words = words.rpartition(", ")[2].capitalize()
        level = self.calling["level"] if self.calling else ""
        return {"lens": "state", "text": words, "until": "", "level": level}

    def _win_line(self) -> PlanLine:
        """By how many standard deviations the win differs from what the odds predict."""
        if self.s["table"]["status"] == "closed" or self.deviations is None:
            return {"lens": "win", "text": "–", "until": "", "level": ""}
        sign = "−" if self.deviations < 0 else "+"
        level: Literal["", "warn"] = "warn" if self.is_out_of_band else ""
        return {"lens": "win", "text": f"{sign}{abs(self.deviations):.1f} σ", "until": "", "level": level}

    def _pace_line(self) -> PlanLine:
        pace, target = self.pace, self.s["table"]["target_pace"]
        if pace is None or self.s["table"]["status"] == "closed":
            return {"lens": "pace", "text": "–", "until": "", "level": ""}
        text = f"{pace}/h of {target}" if target is not None else f"{pace}/h"
        return {"lens": "pace", "text": text, "until": "", "level": "warn" if self.is_slow else ""}

    def _dice_line(self) -> PlanLine:
        lot = self.s["lot"]
        if lot is None or self.lot_time is None:
            return {"lens": "dice", "text": "No dice", "until": "", "level": ""}
        if lot["expired"]:
            return {"lens": "dice", "text": "Out of time", "until": "", "level": "warn"}
        level: Literal["", "warn"] = "warn" if self.lot_time["is_low"] else ""
        return {
            "lens": "dice",
            "text": self.lot_time["left"],
            "until": lot["expires_at"] or "",
            "level": level,
        }

    @cached_property
    def rules_short(self) -> str:
        """The title of an edition without its code: `625a, Paytable A` of `58 Pa. Code Chapter 625a, Paytable A`."""
        return short_citation(self.s["rules"]["title"]).replace("Chapter ", "").replace("§ ", "")


class LockedTileData(TileData):
    """What a tile shows at a podium or phone that is locked: everything but words that somebody typed.

    They may name a patron.
    """

    in_place_of_typed_words: ClassVar[str] = "Sign in to read what it is about."

    def alert_row(self, alert: AlertFacts) -> AlertRow:
        if kind_of(alert["kind"], "").is_typed:
            alert = {**alert, "text": self.in_place_of_typed_words}
        return super().alert_row(alert)


class Coming(TypedDict):
    """What will happen at a table, and when."""

    at: str
    text: str
    level: Literal["info", "warn"]


class WallLine(AlertRow):
    """An alert that nobody has answered. `order`: its place among those of all tables, as a text that sorts."""

    order: str
    is_loud: bool


class WallData(LockedTileData):
    """What a wall shows of a table: what needs somebody there, and what comes next."""

    in_place_of_typed_words = "A podium shows what it is about."  # nobody signs in at a wall
    shows_pit_alerts = False  # patrons may see a wall

    @cached_property
    def loud(self) -> AlertRow | None:
        """The alert that fills the wall if no other table has a more urgent one: a stop until it ends, or a call."""
        stops = (alert for alert in self.alerts if alert["standing"] and alert["level"] == "stop")
        return next(stops, self.calling)

    @cached_property
    def loudness(self) -> str:
        """The place of `loud` among those of other tables, as a text that sorts; "" without an alert."""
        return "" if self.loud is None else _wall_order(self.loud)

    @cached_property
    def waiting(self) -> list[WallLine]:
        """The alerts that stand and that nobody has: equal ones of a pit are one line of the wall, as at a podium."""
        return [
            {**alert, "order": _wall_order(alert), "is_loud": alert is self.loud}
            for alert in self.alerts
            if alert["standing"] and not alert["acknowledged"] and not alert["coming"]
        ]

    @cached_property
    def coming(self) -> list[Coming]:
        """When new limits take effect, and when the time of the dice ends."""
        pending, lot, events = self.s["limits"]["pending"], self.s["lot"], list[Coming]()
        if self.s["table"]["kind"] != "live" or self.s["table"]["status"] != "open":
            return []
        if pending and pending["effective_at"]:
            limits = f"{money(pending['min_cents'])}–{money(pending['max_cents'])}"
            events.append({"at": pending["effective_at"], "text": f"Limits become {limits}", "level": "info"})
        if lot and not lot["expired"]:
            text = f"Change the dice, lot {lot['code']}"
            events.append({"at": lot["expires_at"], "text": text, "level": "warn"})
        return events


def _wall_order(alert: AlertRow) -> str:
    """The order of a wall: by level, what nobody acknowledged first, calls and disputes first, the oldest first."""
    level, is_acknowledged = ALERT_LEVELS.index(alert["level"]), alert["acknowledged"] is not None
    return f"{level}{is_acknowledged:d}{alert['to'] is None:d} {alert['since'] or ''}"


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


class OwnedArea(TypedDict):
    """An area with money: whose it is, as (seat, cents), and how much together."""

    label: str
    cents: int
    owners: list[tuple[int, int]]


class Bar(TypedDict):
    """A bar of the drawing of an exposure, in its units."""

    x: float
    y: float
    height: float
    loses: bool


class ExposureDrawing(TypedDict):
    """What the layout may cost, for people: amounts in cents as positive numbers, and the drawing of the chances."""

    cost_cents: int
    dice: list[int]
    worst_chance: str
    likely_cost_cents: int
    losing_chance: str
    best_cents: int
    mean_cents: int
    spread_cents: int
    bars: list[Bar]
    bar_width: float
    likely_x: float
    zero_x: float
    labels: list[AxisLabel]


EXPOSURE_BARS, EXPOSURE_WIDTH, EXPOSURE_HEIGHT = 24, 300, 80
ROOM_FOR_WORST = 130  # before the mark of 95 %
MOST_WAYS = 1_000  # that are counted, not given as odds


def exposure_of(s: Snapshot) -> ExposureDrawing | None:
    """Return what the layout may cost until its dice are called; None without wagers, or where it is not known."""
    round_ = s["round"]
    if round_["dice"] or s["table"]["status"] != "open":
        return None
    wagers = [
        Wager(wager["seat"], wager["wager"], wager["cents"], wager["play"])
        for wager in round_["wagers"]
        if not wager["struck"] and wager["outcome"] is None
    ]
    throws = [throw["dice"] for throw in round_["throws"] if throw["dice"]]
    try:
        rules = Rules.of(s["rules"]["key"], s["rules"]["overrides"])
        limited = replace(rules, payout_limit_cents=round_["game"].get("payout_limit_cents"))
        exposure_ = exposure(limited, wagers, throws)
    except Refusal:
        return None
    return _draw_exposure(exposure_) if exposure_ else None


def _chance(ways: int, all_ways: int) -> str:
    """`3 in 216`, or `1 in 12,345` of more throws than people count."""
    if all_ways <= MOST_WAYS:
        return f"{ways} in {all_ways}"
    return f"1 in {round(all_ways / ways):,}"


def _losing_chance(exposure_: Exposure) -> str:
    """On how many throws the house loses: `on 46 of 216 throws`, or with a probability of `38 %`."""
    if exposure_.ways <= MOST_WAYS:
        return f"on {exposure_.losing_ways} of {exposure_.ways} throws"
    return f"with a chance of {round(100 * exposure_.losing_ways / exposure_.ways)} %"


def _draw_exposure(exposure_: Exposure) -> ExposureDrawing:
    low, high = min(exposure_.worst_cents, 0), max(exposure_.best_cents, 0)
    scale = EXPOSURE_WIDTH / max(high - low, 1)
    width = EXPOSURE_WIDTH / EXPOSURE_BARS
    ways = [0] * EXPOSURE_BARS
    for win, of_win in exposure_.wins:
        ways[min(int((win - low) * scale / width), EXPOSURE_BARS - 1)] += of_win
    most = max(ways)
    heights = [max(EXPOSURE_HEIGHT * bar / most, 2) if bar else 0 for bar in ways]
    likely_x, zero_x = (exposure_.likely_cents - low) * scale, -low * scale
    likely_cents = whole_dollars(exposure_.likely_cents)
    worst_cents, best_cents = whole_dollars(exposure_.worst_cents), whole_dollars(exposure_.best_cents)
    worst = signed(worst_cents) + (" worst" if likely_x > ROOM_FOR_WORST else "")
    marks = [
        ((exposure_.worst_cents - low) * scale, worst, ""),
        ((exposure_.best_cents - low) * scale, signed(best_cents), ""),
    ]
    if likely_cents not in (worst_cents, best_cents):
        marks.append((likely_x, signed(likely_cents), "strong"))
    if 0 not in (worst_cents, best_cents, likely_cents):
        marks.append((zero_x, "$0", "zero"))
    return {
        "cost_cents": max(-exposure_.worst_cents, 0),
        "dice": list(exposure_.worst_dice),
        "worst_chance": _chance(exposure_.worst_ways, exposure_.ways),
        "likely_cost_cents": max(-exposure_.likely_cents, 0),
        "losing_chance": _losing_chance(exposure_),
        "best_cents": exposure_.best_cents,
        "mean_cents": whole_dollars(exposure_.mean),
        "spread_cents": whole_dollars(isqrt(int(exposure_.variance))),
        "bars": [
            {
                "x": round(place * width, 1),
                "y": round(EXPOSURE_HEIGHT - height, 1),
                "height": round(height, 1),
                "loses": (place + 0.5) * width / scale + low < 0,
            }
            for place, height in enumerate(heights)
            if height
        ],
        "bar_width": round(width - 1, 1),
        "likely_x": round(likely_x, 1),
        "zero_x": round(zero_x, 1),
        "labels": axis_labels(marks, EXPOSURE_WIDTH, EXPOSURE_HEIGHT + 16),
    }


CALLS_HERE = "#alerts-here"  # where the page of a table decides a dispute
# The steps of a closing: what refuses it before the step is done, its name then and afterward, and where it is done.
CLOSING_STEPS: tuple[tuple[str, str, str, Literal["console", "alerts", "tray"]], ...] = (
    (ROUND_IN_PLAY, "The round is not over", "The round is over", "console"),
    (DISPUTE_UNDECIDED, "A dispute is open", "Nothing is disputed", "alerts"),
    (TRANSFERS_UNDER_WAY, "A fill or credit is under way", "No fill or credit is under way", "tray"),
    (DROP_BOX_IS_ON, "The drop box is on", "The drop box is off", "tray"),
    (CLOSER_MISSING, "The closer is not counted", "The closer is counted and signed", "tray"),
)
WAYS = {"console": "Run this table", "alerts": "Decide it", "tray": "Open the tray"}
# What refuses no closing, and is better done before it, by the code of its alert: what a closing means for it. A tablet
# that is lost, a failed device or a patron who left for the night may not keep a table open.
CLOSING_NOTES = {
    "stale-tablet": "What waits on it comes too late once the table is closed.",
    "device-failure": "The repair and a new inspection come before the next opening.",
    "shaker-failure": "The repair and a new inspection come before the next opening.",
    "slip": "Its money moves after the closer is counted, unless both of you sign it first.",
    "slip-review": "It is reviewed after the closing, and its money moves then.",
    "slip-differs": "Its review differs: clear it up while the round is fresh.",
    "chips-differ": "The closer is counted against a sum that nobody explained.",
    "floor-call": "Somebody of the table still asks for the floor.",
    "security-call": "Somebody of the table still asks for security.",
}


class ClosingStep(TypedDict):
    """A step of closing a table: what refuses the closing in words, and the money that it is about; "" and 0 once done.

    `url` is where it is done, and `way` the words of that link.
    """

    label: str
    text: str
    cents: int
    url: SafeString | str
    way: str
    done: bool


class ClosingNote(TypedDict):
    """What is better done before the closing, though it refuses none, and what the closing means for it."""

    title: str
    text: str
    url: str


class AtPost(TypedDict):
    """A post of the table, and who is there."""

    label: str
    person: PostHolder | None


class TableData(ScreenData):
    """What the pit's table page shows in addition to the snapshot."""

    shows_pit_alerts = True

    @cached_property
    def exposure(self) -> ExposureDrawing | None:
        return exposure_of(self.s)

    @property
    def closing_done(self) -> int:
        return sum(step["done"] for step in self.closing)

    @property
    def may_close(self) -> bool:
        """Whether nothing refuses the closing of the table now."""
        return bool(self.closing) and self.closing_needs is None

    @cached_property
    def closing(self) -> list[ClosingStep]:
        """What closing the table asks, in the order of its steps; nothing at a closed table.

        Fills, the drop box and the closer are asked for where the chips of this table are counted.
        """
        asks = self.s["closing_asks"]
        if asks is None:
            return []
        refused = {missing["code"]: missing["text"] for missing in asks["open"]}
        cents: dict[str, int] = {
            ROUND_IN_PLAY: self.on_layout_cents,
            TRANSFERS_UNDER_WAY: sum(row["cents"] for row in self.s["transfers"]),
        }
        return [
            {
                "label": before if code in refused else after,
                "text": refused.get(code, ""),
                "cents": cents.get(code, 0) if code in refused else 0,
                "url": CALLS_HERE if page == "alerts" else self.urls[page],
                "way": WAYS[page],
                "done": code not in refused,
            }
            for code, before, after, page in CLOSING_STEPS
            if page != "tray" or asks["counts_chips"]
        ]

    @cached_property
    def closing_notes(self) -> list[ClosingNote]:
        """What stands at this table and stays open if it closes now: a tablet offline, a failure, a slip, a call."""
        if self.s["closing_asks"] is None:
            return []
        return [
            {"title": alert["title"], "text": CLOSING_NOTES[alert["kind"]], "url": CALLS_HERE}
            for alert in self.s["alerts"]
            if alert["standing"] and alert["kind"] in CLOSING_NOTES
        ]

    @cached_property
    def at_posts(self) -> list[AtPost]:
        """The posts of the table with the people there."""
        holders = post_holders(self.s)
        return [{"label": POSTS[post], "person": holders[post]} for post in self.posts]

    @cached_property
    def closing_needs(self) -> ClosingStep | None:
        """The first step of closing that is still to be done; None once the table may close."""
        return next((step for step in self.closing if not step["done"]), None)

    @cached_property
    def seat_count(self) -> int:
        """How many seats have a wager on the layout."""
        return len({wager["seat"] for wager in self.wagers})

    @cached_property
    def owned_areas(self) -> list[OwnedArea]:
        """The areas with money in the order of the layout, for a phone."""
        owned = {code: unpaid(owners) for code, owners in layout.owners(left_on_layout(self.s)).items()}
        return [
            {
                "label": area["label"],
                "cents": sum_of(owned[area["wager"]]),
                "owners": [(owner.seat, owner.cents) for owner in owned[area["wager"]]],
            }
            for area in self.s["layout"]
            if owned.get(area["wager"])
        ]

    @cached_property
    def rounds(self) -> list[RoundActs]:
        """The acts, newest first, grouped by their round."""
        groups: list[RoundActs] = []
        for act in self.s["acts"]:
            if not groups or groups[-1]["round"] != act["round"]:
                groups.append({"round": act["round"], "who": act["who"], "acts": []})
            groups[-1]["acts"].append(act)
        return groups

    @cached_property
    def layout(self) -> dict[str, list[Spot]]:
        """The layout by family, each wager with the money on it."""
        return layout.money_on(left_on_layout(self.s))

    @cached_property
    def history(self) -> list[RoundRow]:
        """The last rounds, newest first."""
        return round_rows(self.s["table"]["game"], self.s["history"])

    @cached_property
    def win_plot(self) -> Plot | None:
        """The day's win by round, in its band."""
        return win_plot(self.s["figures"])

    @cached_property
    def pace_bar(self) -> int | None:
        """The pace in percent of the length of its bar, on which the target is at two thirds; None without a target."""
        pace, target = self.pace, self.s["table"]["target_pace"]
        return min(100, round(200 * pace / (3 * target))) if pace is not None and target else None

    @cached_property
    def posts(self) -> tuple[PostCode, ...]:
        """The posts of the table."""
        return registry.game_by_code(self.s["table"]["game"]).posts

    @cached_property
    def taken_seats(self) -> list[int]:
        return taken_seats(self.s)

    @cached_property
    def known_seats(self) -> list[SeatFacts]:
        """The seats where a player is rated, and those that are refused."""
        return [seat for seat in self.s["round"]["seats"] if seat["player"] or seat["refused"]]

    @cached_property
    def notice_minutes(self) -> int:
        """The minutes of notice of a change of the limits."""
        return notice_minutes(self.s)


class ConsoleData(ScreenData):
    """What the dealer's console shows in addition to the snapshot."""

    @cached_property
    def mode(self) -> str:
        return mode(self.s)

    @cached_property
    def runs_ahead(self) -> bool:
        """Whether acts up to the call of the dice may wait on a tablet without a line while the round goes on."""
        return bool(self.s["ahead"]) and self.s["missing"] is None

    @cached_property
    def has_shared_keys(self) -> bool:
        """Whether the dice are entered by the keys that games share: then the column beside the felt is free."""
        return self.parts["ahead_dice"] == f"tables/console/ahead_dice{SUFFIX}"

    @cached_property
    def views_ahead(self) -> list[ViewAhead]:
        """What a tablet without a line shows, by how many of the steps `ahead` wait on it."""
        steps = self.s["ahead"]
        views = [self._view_ahead(waiting, step) for waiting, step in enumerate(steps)]
        if steps[-1]["act"] != "call_dice":
            views.append(self._view_ahead(len(steps), None))
        return views

    @cached_property
    def stops_ahead(self) -> list[ViewAhead | None]:
        """The same where a wager that waits may bring another step: that the next step needs the line."""
        return [
            self._view_ahead(waiting, None) if waiting and step["unless"] else None
            for waiting, step in enumerate(self.s["ahead"])
        ]

    def _view_ahead(self, waiting: int, step: AheadStep | None) -> ViewAhead:
        return {"step": step, "ribbon": _ribbon_ahead(self.s, waiting, step), "waiting": waiting}

    @cached_property
    def next_is_held(self) -> bool:
        """Whether the next step is done by press and hold: corrections close with it, or the round ends.

        Bets on an empty layout close by a hold as well: the wagers that a dealer meant to repeat may not be there.
        """
        if self.s["next"] is None:
            return False
        act, round_ = self.s["next"]["act"], self.s["round"]
        if act == "no_more_bets":
            return not round_["wagers"]
        if act == "pay_seats":  # the first payment closes corrections
            return round_["mendable"]
        return act in HELD_ACTS

    @cached_property
    def alerts(self) -> list[AlertRow]:
        """The alerts behind the flag: the table's own calls are on their buttons."""
        return [alert for alert in super().alerts if alert["kind"] not in OWN_CALLS]

    @cached_property
    def floor_calls(self) -> list[FloorCallButton]:
        """The buttons that call the floor and Security; none at a closed or halted table."""
        if self.s["table"]["status"] == "closed" or self.s["halted"]:
            return []
        open_calls = [
            alert_row(alert, self.s) for alert in self.s["alerts"] if alert["standing"] and alert["to"]
        ]
        open_calls.sort(key=lambda alert: alert["kind"] not in OWN_CALLS)
        return [_floor_call_button(to, open_calls) for to in ADDRESSEES]

    @cached_property
    def called_seats(self) -> list[int]:
        """The seats that an undecided dispute or call is about: they stay marked."""
        return [
            alert["seat"] for alert in self.s["alerts"] if alert["standing"] and alert["to"] and alert["seat"]
        ]

    @cached_property
    def payout_limit_cents(self) -> int | None:
        """The payout limit of the round, in a game that has one."""
        return self.s["round"]["game"].get("payout_limit_cents")

    @cached_property
    def scripts(self) -> list[str]:
        """The addresses of the game's own scripts."""
        return scripts(self.s["table"]["game"])

    @cached_property
    def areas(self) -> dict[str, list[SafeString]]:
        """Every area of the felt by family, in the layout's order, with its money and light."""
        return layout.areas(on_layout(self.s))

    @cached_property
    def areas_at_rest(self) -> dict[str, list[SafeString]]:
        """Every area by family with the chips that the newest throw decides or leaves, and nothing lit."""
        return layout.areas(at_rest(self.s))

    @cached_property
    def rail(self) -> list[RailSeat]:
        """Every seat with its state, and by how much a wager of it is outside the limits."""
        return rail(self.s)

    @cached_property
    def results(self) -> list[SafeString]:
        """The last twenty results, newest first, as rows: for staff."""
        return _results(self.s["table"]["game"], json.dumps(self.s["history"][:LAST_RESULTS]))

    @cached_property
    def dice_count(self) -> int:
        """How many dice the next throw has."""
        return dice_count(self.s)

    @cached_property
    def dice_number(self) -> str:
        """`three`, as many as the next throw has dice."""
        return number_word(self.dice_count)

    @cached_property
    def dice_faces(self) -> str:
        """`three faces`, as many as the next throw has dice."""
        return faces(self.dice_count)

    @cached_property
    def drawn(self) -> list[DrawnDie]:
        """The dice that the computer threw and nobody has called yet."""
        dice = self.s["round"]["drawn"]
        colors = registry.game_by_code(self.s["table"]["game"]).die_colors or ("",) * len(dice)
        return [{"face": face, "color": color} for face, color in zip(dice, colors, strict=False)]

    @cached_property
    def is_dice_corrected(self) -> bool:
        """Whether the faces of the newest throw were corrected at the table."""
        return is_dice_corrected(self.s)

    @cached_property
    def corrected(self) -> list[str]:
        """What was corrected in this round, in words."""
        round_ = self.s["round"]
        dice = [
            f"Dice corrected to {', '.join(map(str, throw['dice']))}"
            for throw in round_["throws"]
            if throw["corrected"]
        ]
        wagers = [
            f"{'Struck' if wager['struck'] else 'Missed wager'}: seat {wager['seat']}, {wager['label']},"
            f" {money(wager['cents'])}"
            for wager in round_["wagers"]
            if wager["struck"] or wager["missed"]
        ]
        return dice + wagers + list(map(held_words, round_["held"]))

    @cached_property
    def staying(self) -> tuple[int, int] | None:
        """How many wagers stay on the felt while the losers are taken, and their stakes in cents; None if none does."""
        stakes = [line["stake_cents"] for seat in self.s["round"]["pay"]["seats"] for line in seat["lines"]]
        return (len(stakes), sum(stakes)) if stakes else None

    @cached_property
    def pay_run(self) -> list[RunArea]:
        """What is paid, area by area."""
        return layout.pay_run(self.s)

    @cached_property
    def unpaid(self) -> list[tuple[RunArea, RunSeat]]:
        """What is still to be paid, in its order: the first line is the current one."""
        return layout.unpaid_lines(self.pay_run)

    @cached_property
    def is_held_now(self) -> bool:
        """Whether all that the current line would pay is held back."""
        line = self.unpaid[0][1]
        return bool(line["held_cents"]) and not line["cents"]

    @cached_property
    def seats_of_run(self) -> list[SeatOfRun]:
        """The seats while winners are paid, with what each still gets."""
        return layout.seats_of_run(self.s, self.pay_run)

    @cached_property
    def due_cents(self) -> int:
        """What is still to be paid."""
        return self.s["round"]["pay"]["cents"] - self.s["round"]["pay"]["paid_cents"]

    @cached_property
    def to_return(self) -> list[ReturnSeat]:
        """The seats whose chips still go back."""
        back = self.s["returning"]
        return [seat for seat in back["seats"] if not seat["done"]] if back else []

    @cached_property
    def next_return(self) -> ReturnSeat:
        """The seat whose chips go back now."""
        return self.to_return[0]

    @cached_property
    def to_return_cents(self) -> int:
        return sum(seat["cents"] for seat in self.to_return)

    @cached_property
    def has_glyphs(self) -> bool:
        """Whether the game draws a wager in a list."""
        return self.s["table"]["game"] in registry.with_asset("templates", f"console/glyph{SUFFIX}")

    @cached_property
    def failed_words(self) -> str:
        """What failed, in two words."""
        ceased = self.s["ceased"]
        return FAILED[ceased["what"]] if ceased else ""

    @cached_property
    def failures(self) -> failures.Failures | None:
        """What may have failed at the table, and what follows; None where nothing can be reported now."""
        if "report_device_failure" not in self.s["offers"]:
            return None
        return failures.failures(self.s, Rules(editions_of(self.s)[-1]))

    @cached_property
    def seats_with_wagers(self) -> list[SeatFacts]:
        return [seat for seat in self.s["round"]["seats"] if seat["count"]]

    @cached_property
    def labels(self) -> Labels:
        game = self.s["table"]["game"]
        return {"removed": label(game, "removed"), "removed_detail": label(game, "removed detail")}

    @cached_property
    def inspected(self) -> list[str]:
        """The combinations that the floorperson saw lit."""
        if self.s["inspection"] is None:
            return []
        labels = {wager["wager"]: wager["label"] for wager in self.s["layout"]}
        return [labels.get(code, code) for code in self.s["inspection"]["lit"]]

    @cached_property
    def camera_fields(self) -> list[CameraField]:
        """A field for each required camera."""
        asks = self.s["inspection_asks"]
        if asks is None:
            return []
        last, cameras = asks["last_cameras"], asks["cameras"]
        names = ENDS if cameras == len(ENDS) else [f"Camera {number}" for number in range(1, cameras + 1)]
        return [{"name": name, "last": last[i] if i < len(last) else ""} for i, name in enumerate(names)]

    @cached_property
    def inspection_key(self) -> str:
        """A key of the inspection's content. With other equipment, earlier confirmations no longer count."""
        asks = self.s["inspection_asks"]
        if asks is None:
            return ""
        equipment = [item["code"] if item else "-" for item in (self.s["shaker"], self.s["lot"])]
        lines = (line["code"] for line in asks["lines"])
        return " ".join([asks["why"], *equipment, *lines, str(asks["cameras"])])

    @cached_property
    def state(self) -> SafeString:
        """The part of the snapshot that the console's scripts read, as JSON."""
        return _state(self.s)


def post_holders(s: Snapshot) -> dict[PostCode, PostHolder | None]:
    """Return who is at each post of the table."""
    people = s["people"]
    return {
        "dealer": people["dealer"],
        "dealer-left": people["dealer_left"],
        "stick": people["stickperson"],
    }


def _ribbon_ahead(s: Snapshot, waiting: int, step: AheadStep | None) -> list[StepAhead]:
    """Return the ribbon while the first `waiting` acts of `ahead` wait for the line.

    The steps that these acts are wait, and the one after them is current, if it is known. A ribbon that has none of
    them shows the steps that they complete as waiting.
    """
    acts = s["ahead"][:waiting]
    steps = step["steps"] if step else acts[-1]["steps"]
    recorded = {key for key, one in _numbered(s["round"]["steps"]) if one["state"] == "done"}
    duties = {act["duty"] for act in acts}
    waits = {key for key, one in _numbered(steps) if _is_of(one, duties)} - recorded
    if not waits:
        waits = {key for key, one in _numbered(steps) if one["state"] == "done"} - recorded
    last = max((place for place, (key, _) in enumerate(_numbered(steps)) if key in waits), default=-1)

    def mark(place: int, key: tuple[str, int], one: RibbonStep) -> AheadMark:
        if key in waits:
            return "waits"
        if place < last or key in recorded:
            return "done"
        return "now" if step is not None and one["state"] == "now" else "todo"

    return [
        {"label": one["label"], "mark": mark(place, key, one)}
        for place, (key, one) in enumerate(_numbered(steps))
    ]


def _numbered(steps: list[RibbonStep]) -> list[tuple[tuple[str, int], RibbonStep]]:
    """Return the steps with a key that is unique: in some games a step comes twice."""
    seen: Counter[str] = Counter()
    numbered = []
    for step in steps:
        seen[step["key"]] += 1
        numbered.append(((step["key"], seen[step["key"]]), step))
    return numbered


def _is_of(step: RibbonStep, duties: set[str]) -> bool:
    """Return whether a step is one of these duties; the steps of later plays are not."""
    base, of_play, _ = step["key"].partition(":")
    return base in duties and (not of_play or step["state"] in ("done", "now"))


def _state(s: Snapshot) -> SafeString:
    part = {
        "version": s["version"],
        "as_of": s["as_of"],
        "next": s["next"],
        "ahead": [
            {name: step[name] for name in ("act", "label", "bets_open", "unless")} for step in s["ahead"]
        ],
        "offers": s["offers"],
        "chips": s["chips"],
        "limits": s["limits"],
        "increments": {
            area["wager"]: area["increment_cents"] for area in s["layout"] if "increment_cents" in area
        },
        "last_wagers": s["last_wagers"],
        "shaker": s["shaker"],
        "table": s["table"]["code"],
        "status": s["table"]["status"],
        "floorperson": s["people"]["floorperson"],
        "dealer": s["people"]["dealer"],
        "posts": post_holders(s),
        "post_acts": s["post_acts"],
        "taken": taken_seats(s),
        "seat_states": {seat["seat"]: seat["state"] for seat in s["round"]["seats"]},
        "seat_posts": {seat["seat"]: seat["post"] for seat in s["round"]["seats"] if seat["post"]},
        "lot": s["lot"]["code"] if s["lot"] else None,
        "stopped": [wager["wager"] for wager in s["layout"] if wager["stopped"]],
        "round": {
            "number": s["round"]["number"],
            "phase": s["round"]["phase"],
            "bets_open": s["round"]["bets_open"],
            "dice": s["round"]["dice"],
            "game": s["round"].get("game", {}),
            "settle": s["round"].get("settle"),
            "wagers": [wager for wager in s["round"]["wagers"] if not wager["struck"]],
        },
    }
    return in_lines(part)
