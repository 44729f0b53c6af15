"""What live screens show in addition to the snapshot: times left, addresses, words. A function of the snapshot alone.

A template reads the snapshot as `s`, and one of these classes as `screen`. A property is computed when the template
first reads it, once for each rendering; what is the same for many snapshots is cached.
"""

import json
from functools import cached_property, lru_cache
from itertools import count
from typing import TypedDict

from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import Truncator

from games import registry
from games.engine.editions import Edition, all_editions
from games.engine.game import PostCode
from games.snapshot_types import ActLine, AlertFacts, PastRound, PaySeat, PersonName, Snapshot
from tables.alerts.view import rank
from tables.equipment import table_signs
from tables.equipment.table_signs import SignFace
from tables.screens import layout
from tables.screens.formats import countdown, seconds_between
from tables.screens.layout import Spot
from tables.screens.templates import SUFFIX
from tables.words.forms import span
from tables.words.labels import LABELS
from tables.words.sentences import NUMBERS
from tables.words.sentences import short as short_citation

LOW_SECONDS = 3600  # the time of the dice from which screens warn
OWN_PARTS = ("console/felt", "console/glyph", "table/layout")
# Parts that a game may have its own of, and else those that games share.
SHARED_PARTS = (
    "console/thrown",
    "console/side",
    "console/dock",
    "console/next",
    "table/call",
    "table/result",
)
ENDS = ("Camera, right end", "Camera, left end")


class TableUrls(TypedDict):
    """The addresses that live screens link to. `act` has `__act__` in place of the act's name."""

    table: SafeString
    console: SafeString
    act: SafeString
    acknowledge: SafeString
    limits_sign: SafeString
    change_sign: SafeString
    sign_in: SafeString


class AlertRow(AlertFacts):
    """An alert with its place among others, the time left to its moment, and the page of its round."""

    rank: int
    left: str
    replay: SafeString


class LotTime(TypedDict):
    """The time left to the dice at the moment of the snapshot. `percent` is of their whole time."""

    left: str
    percent: int
    is_low: bool


class DrawnDie(TypedDict):
    """A die that the computer threw, with its color, "" where any die is like another."""

    face: int
    color: str


class CameraField(TypedDict):
    """A field for the name of a camera, with its name at the last inspection."""

    name: str
    last: str


class Dot(TypedDict):
    """A seat position around the table."""

    x: float
    taken: bool


class RoundActs(TypedDict):
    """The acts of a round, and who did the newest of them."""

    round: int | None
    who: str
    acts: list[ActLine]


class RoundRow(PastRound):
    """An ended round, with the template of its result and what only its game shows of it."""

    template: str
    own: object


class WinLine(TypedDict):
    """The day's win by round, in dollars upward: the box and the points of a polyline, its lowest and highest win."""

    box: str
    width: int
    points: str
    rounds: int
    low: int
    high: int


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


def mode(s: Snapshot) -> str:
    """Return the mode of the console."""
    status = s["table"]["status"]
    if s["halted"]:
        return "ceased"
    if status == "closed" or (status == "ceased" and "record_repair" in s["offers"]):
        return status
    if s["round"]["bets_open"]:
        return "betting"
    return {"ready": "dice", "lit": "lit", "taken": "paying", "paid": "paying"}.get(
        s["round"]["phase"], "say"
    )


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
    }


def round_rows(game: str, history: list[PastRound]) -> list[RoundRow]:
    """Return ended rounds as the table page lists them."""
    own = getattr(layout.game_screens(game), "past_round", None)
    template = parts(game)["result"]
    return [{**past, "template": template, "own": own(past) if own else None} for past in history]


def win_line(cents: list[int]) -> WinLine | None:
    """Return the day's win by round as a polyline in dollars, upward; None before the second round."""
    if len(cents) < 3:
        return None
    low, high = min(0, *cents), max(0, *cents)
    edge = max((high - low) // 20, 100)
    return {
        "box": f"0 {-(high + edge) // 100} {len(cents) - 1} {(high - low + 2 * edge) // 100}",
        "width": len(cents) - 1,
        "points": " ".join(f"{place},{-win // 100}" for place, win in enumerate(cents)),
        "rounds": len(cents) - 1,
        "low": low,
        "high": high,
    }


# The screens


class ScreenData:
    """What every station shows in addition to the snapshot."""

    def __init__(self, s: Snapshot) -> None:
        self.s = s

    @cached_property
    def urls(self) -> TableUrls:
        return urls(self.s["table"]["facility"], self.s["table"]["code"])

    @cached_property
    def parts(self) -> dict[str, str]:
        """The templates of the parts that a game may have its own of."""
        return parts(self.s["table"]["game"])

    @cached_property
    def alerts(self) -> list[AlertRow]:
        return [alert_row(alert, self.s) for alert in self.s["alerts"]]

    @cached_property
    def calling(self) -> AlertRow | None:
        """The first alert that nobody has acknowledged and that has not ended."""
        open_ = (alert for alert in self.alerts if alert["standing"] and not alert["acknowledged"])
        return next(open_, None)

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
    def dots(self) -> list[Dot]:
        """A dot for each seat position around the table."""
        seats = zip(count(), self.s["round"]["seats"], strict=False)
        return [{"x": place + 0.5, "taken": bool(seat["count"])} for place, seat in seats]


class TileData(ScreenData):
    """What a tile of the pit dashboard shows in addition to the snapshot."""

    @cached_property
    def step_number(self) -> int:
        steps = enumerate(self.s["round"]["steps"], 1)
        return next((number for number, step in steps if step["state"] == "now"), 0)

    @cached_property
    def step_label(self) -> str:
        """The current step of the round, else its phase."""
        labels = (step["label"] for step in self.s["round"]["steps"] if step["state"] == "now")
        return next(labels, self.s["round"]["phase"])

    @cached_property
    def ceased_short(self) -> str:
        """The first words of the reason why gaming has ceased."""
        return Truncator(self.s["ceased"]["text"] if self.s["ceased"] else "").words(14, truncate=" …")

    @cached_property
    def rules_short(self) -> str:
        """The title of an edition without its code: `625a, Paytable A` of `58 Pa. Code Chapter 625a, Paytable A`."""
        return short_citation(self.s["rules"]["title"]).replace("Chapter ", "").replace("§ ", "")


class SignData(ScreenData):
    """What the sign display shows in addition to the snapshot."""

    @cached_property
    def signs(self) -> list[SignFace]:
        """Every sign of a table that has content now."""
        return table_signs.board(self.s)


class TableData(ScreenData):
    """What the pit's table page shows in addition to the snapshot."""

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
        return layout.money_on(self.s)

    @cached_property
    def history(self) -> list[RoundRow]:
        """The last rounds, newest first."""
        return round_rows(self.s["table"]["game"], self.s["history"])

    @cached_property
    def win_line(self) -> WinLine | None:
        return win_line(self.s["figures"]["win_line_cents"])

    @cached_property
    def posts(self) -> tuple[PostCode, ...]:
        """The posts of the table."""
        return registry.game_by_code(self.s["table"]["game"]).posts

    @cached_property
    def taken_seats(self) -> list[int]:
        return taken_seats(self.s)

    @cached_property
    def notice_minutes(self) -> int:
        """The minutes of notice of a change of the limits."""
        return table_signs.notice_minutes(self.s)


class ConsoleData(ScreenData):
    """What the dealer's console shows in addition to the snapshot."""

    @cached_property
    def mode(self) -> str:
        return mode(self.s)

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
        return layout.areas(self.s)

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
    def unpaid_seats(self) -> list[PaySeat]:
        return [seat for seat in self.s["round"]["pay"]["seats"] if not seat["paid"]]

    @cached_property
    def due_cents(self) -> int:
        """What is still to be paid."""
        return self.s["round"]["pay"]["cents"] - self.s["round"]["pay"]["paid_cents"]

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


def person_posts(s: Snapshot) -> dict[str, PersonName | None]:
    """Return who is at each post of the table."""
    people = s["people"]
    return {
        "dealer": people["dealer"],
        "dealer-left": people["dealer_left"],
        "stick": people["stickperson"],
    }


def _state(s: Snapshot) -> SafeString:
    part = {
        "version": s["version"],
        "as_of": s["as_of"],
        "next": s["next"],
        "offers": s["offers"],
        "chips": s["chips"],
        "limits": s["limits"],
        "last_wagers": s["last_wagers"],
        "shaker": s["shaker"],
        "table": s["table"]["code"],
        "status": s["table"]["status"],
        "floorperson": s["people"]["floorperson"],
        "dealer": s["people"]["dealer"],
        "posts": person_posts(s),
        "post_acts": s["post_acts"],
        "taken": taken_seats(s),
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
    text = json.dumps(part, separators=(",", ":")).replace("<", "\\u003c").replace(">", "\\u003e")
    return mark_safe(text.replace("&", "\\u0026"))
