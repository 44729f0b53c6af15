"""What the page of a table shows: who has what on the layout, the exposure, and what a closing still needs.

A function of the snapshot alone, as all of `screen_data`.
"""

from dataclasses import replace
from functools import cached_property
from math import isqrt
from typing import Literal, TypedDict

from django.utils.safestring import SafeString

from games import registry
from games.engine.game import PostCode
from games.engine.refusals import Refusal
from games.engine.rules import Rules
from games.engine.wagers import Wager
from games.exposure import Exposure, exposure
from games.formats import signed, whole_dollars
from games.kit.plots import Plot
from games.snapshot_types import (
    ActLine,
    PostHolder,
    SeatFacts,
    Snapshot,
)
from games.stacks import sum_of, unpaid
from tables.core.context import ROUND_IN_PLAY
from tables.equipment.signs import notice_minutes
from tables.money.drops import DROP_BOX_IS_ON
from tables.money.transfers import TRANSFERS_UNDER_WAY
from tables.money.tray import CLOSER_MISSING
from tables.opening.opening import DISPUTE_UNDECIDED
from tables.screens import layout
from tables.screens.layout import Spot
from tables.screens.plots import AxisLabel, axis_labels, win_plot
from tables.screens.screen_data import (
    RoundRow,
    ScreenData,
    left_on_layout,
    post_holders,
    round_rows,
    taken_seats,
)
from tables.staffing.roster import POSTS


class RoundActs(TypedDict):
    """The acts of a round, and who did the newest of them."""

    round: int | None
    who: str
    acts: list[ActLine]


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
