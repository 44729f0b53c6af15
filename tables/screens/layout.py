"""The layout on live screens: every area with its money and light.

The print of an area never changes for a layout and its odds, so it is rendered once and cached. Only money and lights
are drawn again, and only of the areas whose money or light changed.
"""

from collections import defaultdict
from functools import lru_cache
from types import ModuleType
from typing import NamedTuple

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from games import registry
from games.layout_drawing import NOT_DEALT, PAID, WINS, disc, marked, money
from games.snapshot_types import LayoutWager, Snapshot
from tables.screens import templates


class Spot(LayoutWager):
    """A wager of the layout with the money on it."""

    cents: int
    lit: bool
    lost: bool


def game_screens(game: str) -> ModuleType | None:
    """Return the module in which a game computes what only its own templates show, if it has one."""
    return registry.parts("screens").get(game)


class PrintedArea(NamedTuple):
    """An area as its game prints it; `odds` are all that it may be paid."""

    game: str
    wager: str
    label: str
    family: str
    odds: tuple[str, ...]


class AreaState(NamedTuple):
    """What changes on an area. `dice` are those that light it, else (); `due_cents` are still to be paid."""

    phase: str
    tappable: bool = False
    thrown: bool = False
    dice: tuple[int, ...] = ()
    cents: int = 0
    due_cents: int = 0
    stopped: str = ""


@lru_cache(maxsize=1024)
def _print(area: PrintedArea) -> str:
    printed = getattr(game_screens(area.game), "printed", None)
    return templates.render(
        registry.asset(area.game, f"console/print{templates.SUFFIX}"),
        wager=area.wager,
        label=area.label,
        family=area.family,
        value=area.wager.partition(":")[2],
        odds=area.odds,
        own=printed(area.wager, area.odds) if printed else None,
    ).strip()


def areas(s: Snapshot) -> dict[str, list[SafeString]]:
    """Return every area of the felt by family, in the layout's order, with its money and light.

    A family that the layout does not have is empty.
    """
    round_, game = s["round"], s["table"]["game"]
    lit, phase, dice = set(round_["lit"]), round_["phase"], tuple(round_["dice"] or ())
    tappable = s["table"]["status"] == "open" and round_["bets_open"]
    settled = {seat["seat"] for seat in round_["pay"]["seats"] if seat["paid"]} if round_["pay"] else set()
    wagered: dict[str, int] = {}
    due: dict[str, int] = {}
    for placed in round_["wagers"]:
        if not placed["struck"]:
            wagered[placed["wager"]] = wagered.get(placed["wager"], 0) + placed["cents"]
            if placed["seat"] not in settled:
                due[placed["wager"]] = due.get(placed["wager"], 0) + placed["cents"]
    empty = AreaState(phase, tappable, bool(lit or dice))
    groups: dict[str, list[SafeString]] = defaultdict(list)
    for area in s["layout"]:
        wager, state = area["wager"], empty
        if wager in lit or wager in wagered or area["stopped"]:
            state = empty._replace(
                dice=(dice or (0,)) if wager in lit else (),
                cents=wagered.get(wager, 0),
                due_cents=due.get(wager, 0),
                stopped=area["stopped"]["text"] if area["stopped"] else "",
            )
        printed = PrintedArea(game, wager, area["label"], area["family"], tuple(area["odds"]))
        groups[area["family"].partition(" ")[0].replace("-", "_")].append(_area(printed, state))
    return groups


@lru_cache(maxsize=8192)
def _area(area: PrintedArea, state: AreaState) -> SafeString:
    """Draw an area. An act changes few of them, so the others are taken from the cache."""
    _, wager, label, family, odds = area
    cents, attrs, top, money_html, cloth = state.cents, "", "", "", _print(area)
    tag, kind = ("button", ' type="button"') if state.tappable else ("div", "")
    pays = " or ".join(odds)
    if state.dice:
        attrs, top = " data-lit", WINS
        say = f"Wins: {label}, {pays}."
        if "data-hits" in cloth:  # an area with tiers: as many dice show its number
            hits = state.dice.count(int(wager.partition(":")[2]))
            cloth = cloth.replace(f'class="tier" data-hits="{hits}"', 'class="tier tier--hit"')
        if cents and state.phase in ("taken", "paid"):
            unpaid_cents = state.due_cents if state.phase == "taken" else 0
            money_html = marked(unpaid_cents, "pay") if unpaid_cents else PAID
            say += f" {money(unpaid_cents)} to pay on." if unpaid_cents else " Paid."
        elif cents:
            money_html = disc(cents)
            say += f" {money(cents)} on it."
    elif state.thrown:
        say = f"{label}, not lit."
        if cents and state.phase == "lit":
            attrs, money_html = " data-take", marked(cents, "take")
            say += f" Take {money(cents)}."
    else:
        say = f"{label}, pays {pays}." if pays else f"{label}."
        if state.stopped:
            family, top, say = f"{family} area--stopped", NOT_DEALT, state.stopped
        if cents:
            money_html = disc(cents)
            say += f" {money(cents)} on it."
    return mark_safe(
        f'<{tag} class="area area--{family}"{kind} data-wager="{wager}"{attrs}>'
        f'<span class="sr">{escape(say)}</span>{top}{cloth}'
        f'<span class="money" aria-hidden="true">{money_html}</span></{tag}>'
    )


registry.clear_on_change(_print.cache_clear)
registry.clear_on_change(_area.cache_clear)


def money_on(s: Snapshot) -> dict[str, list[Spot]]:
    """Return the layout for the pit's table page: each wager with the money on it."""
    wagered: dict[str, int] = {}
    for wager in s["round"]["wagers"]:
        if not wager["struck"]:
            wagered[wager["wager"]] = wagered.get(wager["wager"], 0) + wager["cents"]
    lit, thrown = set(s["round"]["lit"]), bool(s["round"]["dice"])
    groups: dict[str, list[Spot]] = defaultdict(list)
    for area in s["layout"]:
        cents = wagered.get(area["wager"], 0)
        spot: Spot = {
            **area,
            "cents": cents,
            "lit": area["wager"] in lit,
            "lost": thrown and cents > 0 and area["wager"] not in lit,
        }
        groups[area["family"].replace("-", "_")].append(spot)
    return groups
