"""Template tags of the floor's pages: money, moments, dice, and the parts of live screens that a page contains.

Also the alerts of a pit, the dice watch of a table, and the stacks of the tray and the cage.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any, TypedDict

from django import template
from django.utils.safestring import SafeString

from games import registry
from games.chips import KNOWN_CHIPS_CENTS, style_of
from games.drawing import listed
from games.engine.game import Game
from games.formats import money, signed
from games.snapshot_types import AlertFacts, PastRound, Snapshot
from tables.alerts.alert_list import rank
from tables.dice_watch import Watch, watch_of, watched_at
from tables.equipment.signs import notice_minutes
from tables.models import Table
from tables.money.tray_page import stacked_chips
from tables.rounds.no_rolls import NO_ROLL_REASONS, VOID_REASONS
from tables.screens import fragments, screen_data
from tables.screens.templates import cite, clock
from tables.words.sentences import span


class PitTables(TypedDict):
    """The tables of a pit."""

    name: str
    tables: list[Snapshot]


register = template.Library()
for text_filter in (cite, clock, listed, money, signed, span):
    register.filter(text_filter)
for snapshot_filter in (
    screen_data.dice_count,
    screen_data.faces,
    screen_data.label,
    notice_minutes,
):
    register.filter(snapshot_filter)


@register.filter
def iso(moment: datetime | None) -> str:
    return moment.isoformat() if moment else ""


@register.filter
def times(count: int) -> range:
    """Return a range to loop over."""
    return range(count)


# Parts of live screens, rendered by MiniJinja (tables/screens/templates.py)


@register.simple_tag
def tile(s: Snapshot, station: str = "tile") -> SafeString:
    """Render the tile of a table: as `locked`, at a podium or phone that is locked, or as `wall`."""
    return fragments.render(station, s)


@register.simple_tag
def alert_line(alert: AlertFacts, s: Snapshot, station: str = "tile") -> SafeString:
    """Render an alert of a table."""
    return fragments.render_alert(alert, s, station)


@register.simple_tag
def layout(s: Snapshot) -> SafeString:
    """Render the layout of the table page."""
    return fragments.render_layout(s)


@register.simple_tag
def round_rows(game: str, history: list[PastRound]) -> SafeString:
    """Render ended rounds as rows of the table page."""
    return fragments.render_rounds(game, history)


@register.simple_tag
def practice_strip(kind: str) -> SafeString:
    """Render the strip over a training or simulated table."""
    return fragments.render_practice_strip(kind)


# The console


# Why a set of dice leaves play before its time.
UNFIT = (
    ("lost", "A die is lost"),
    ("marked", "Marked"),
    ("chipped", "Chipped"),
    ("scratched", "Scratched"),
    ("tampered", "Tampered with"),
    ("unsuitable", "Unfit otherwise"),
)


@register.simple_tag
def unfit() -> list[dict[str, str]]:
    """Return the reasons for which dice may be taken out of play."""
    return [{"code": code, "words": words} for code, words in UNFIT]


# What a game brings: its templates, style sheets, script and words (games/catalog)


@register.filter
def game(s: Snapshot) -> Game:
    """The game of a table."""
    return registry.game_by_code(s["table"]["game"])


@register.filter
def parts(s: Snapshot, part: str) -> tuple[str, str]:
    """The template of a part that a game may have its own of, and else the one that games share."""
    return part_of(s["table"]["game"], part)


@register.filter
def optional(s: Snapshot, part: str) -> tuple[str, str]:
    """The template of a part that a game may have, and else nothing."""
    return registry.asset(s["table"]["game"], f"{part}.html"), "tables/parts/nothing.html"


@register.filter
def part_of(code: str, part: str) -> tuple[str, str]:
    """As `parts`, by the game's code."""
    return registry.asset(code, f"{part}.html"), f"tables/{part}.html"


@register.simple_tag
def game_templates(part: str) -> list[str]:
    """The same part of every game that has it."""
    return [registry.asset(code, f"{part}.html") for code in registry.with_asset("templates", f"{part}.html")]


@register.simple_tag
def game_files(name: str, code: str = "") -> list[str]:
    """A static file of every game that has it, or of one game."""
    return [
        registry.asset(owner, name) for owner in registry.with_asset("static", name) if code in ("", owner)
    ]


@register.filter
def void_choices(s: Snapshot) -> str:
    """The declared reasons of a void at a table for the console's dialog: `code:words`, with `:act` where one owns it.

    A no roll after which the dice are thrown again has its own button and no reason here.
    """
    return "|".join(
        ":".join(filter(None, (reason.code, reason.words, reason.leads_to)))
        for reason in VOID_REASONS
        if not reason.act or has_duty(s, reason.duty)
        if reason.act != "call_no_roll" or registry.game_by_code(s["table"]["game"]).no_roll_ends
    )


@register.filter
def no_roll_choices(s: Snapshot) -> str:
    """The declared reasons of a no roll at a table whose edition lists none, for the console's dialog."""
    return "|".join(f"{reason.code}:{reason.words}" for reason in NO_ROLL_REASONS)


@register.filter
def has_duty(s: Snapshot, duty: str) -> bool:
    """Whether the edition at a table has a section for a duty; without an edition, whether any of its game has."""
    return any(duty in edition.sections for edition in screen_data.editions_of(s))


# The pit


@register.simple_tag
def sums_of(pits: list[PitTables], yours: Collection[str] | None = None) -> dict[str, int | str]:
    """Return the figures of live tables, not of training and simulated ones; `yours`: of these (codes) alone."""
    live = [s for pit in pits for s in pit["tables"] if s["table"]["kind"] == "live"]
    live = [s for s in live if yours is None or s["table"]["code"] in yours]
    opened = [s for s in live if s["table"]["status"] == "open"]
    known = [pace for s in opened if (pace := screen_data.pace_now(s)) is not None]
    return {
        "open": len(opened),
        "tables": len(live),
        "playing": sum(s["round"]["playing"] for s in opened),
        "seats": sum(s["table"]["seats"] for s in live),
        "pace": sum(known) if known else "–",
        "handle": sum(s["figures"]["handle_cents"] for s in live),
        "win": sum(s["figures"]["win_cents"] for s in live),
    }


@register.filter
def pit_win(pit: PitTables) -> int:
    return sum(s["figures"]["win_cents"] for s in pit["tables"] if s["table"]["kind"] == "live")


@register.filter
def pit_live(pit: PitTables) -> int:
    return sum(s["table"]["kind"] == "live" for s in pit["tables"])


@register.filter
def pit_open(pit: PitTables) -> int:
    return sum(s["table"]["kind"] == "live" and s["table"]["status"] == "open" for s in pit["tables"])


# Alerts


class TableAlert(AlertFacts):
    """An alert with the snapshot of its table."""

    s: Snapshot


@register.simple_tag
def alerts_of(pits: list[PitTables]) -> list[TableAlert]:
    """Return the alerts of all tables, unacknowledged alerts first, then by urgency."""
    alerts: list[TableAlert] = [
        {**alert, "s": s} for pit in pits for s in pit["tables"] for alert in s["alerts"]
    ]
    return sorted(alerts, key=rank)


@register.filter
def bright(alerts: list[AlertFacts]) -> list[AlertFacts]:
    """Return the alerts that nobody has answered."""
    return [alert for alert in alerts if not alert["acknowledged"] and not alert["coming"]]


# The dice watch, and the tray


@register.simple_tag
def dice_watch_of(table: Table) -> Watch | None:
    """Return the dice watch of the lot at a table; None before the first round was counted."""
    watched = watched_at(table)
    return watch_of(watched) if watched is not None else None


@register.inclusion_tag("tables/money/stacks.html")
def stacks() -> dict[str, Any]:
    """Draw the stacks of every denomination once, for the tubes of the page."""
    return {"stacks": [style_of(cents) for cents in KNOWN_CHIPS_CENTS], "chips": stacked_chips()}
