"""What the screens of a floor show of a table: its tile on the dashboard, the locked floor and the wall.

A function of the snapshot alone, as all of `screen_data`.
"""

import datetime as dt
from functools import cached_property
from typing import ClassVar, Literal, TypedDict

from django.utils.text import Truncator

from games import registry
from games.formats import money
from games.snapshot_types import (
    ALERT_LEVELS,
    AlertFacts,
    AlertLevel,
    TransferKind,
    TransferStatus,
)
from tables.core.alerts import kind_of
from tables.core.figure_sums import is_slow
from tables.screens.floor_plan import shape_of
from tables.screens.screen_data import AlertRow, ScreenData, post_holders
from tables.staffing.dealers import overdue_at
from tables.words.sentences import short as short_citation


class NextBreak(TypedDict):
    """The break that is due first at a table. From `late_at` it calls for somebody.

    `name`: whose, at a table with several posts; else "".
    """

    at: str
    late_at: str
    name: str


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
        place, _ = self.round_state
        return place + 1

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
