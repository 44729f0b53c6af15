"""The layout on live screens: every area with its money and light.

The print of an area never changes for a layout and its odds, so it is rendered once and cached; only money and lights
are drawn again.
"""

from collections import defaultdict
from functools import lru_cache
from types import ModuleType

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from games import registry
from games.layout_drawing import NOT_DEALT, PAID, WINS, disc, marked, money
from games.snapshot_types import LayoutWager, Snapshot
from tables.screens import templates

FrozenLayout = tuple[tuple[str, str, str, tuple[str, ...]], ...]  # wager, label, family, odds


class Spot(LayoutWager):
    """A wager of the layout with the money on it."""

    cents: int
    lit: bool
    lost: bool


def game_screens(game: str) -> ModuleType | None:
    """Return the module in which a game computes what only its own templates show, if it has one."""
    return registry.parts("screens").get(game)


@lru_cache(maxsize=32)
def prints(game: str, layout: FrozenLayout) -> dict[str, str]:
    """The printed cloth of each area, rendered once for a layout and its odds."""
    name = registry.asset(game, f"console/print{templates.SUFFIX}")
    printed = getattr(game_screens(game), "printed", None)
    return {
        wager: templates.render(
            name,
            wager=wager,
            label=label,
            family=family,
            value=wager.partition(":")[2],
            odds=odds,
            own=printed(wager, odds) if printed else None,
        ).strip()
        for wager, label, family, odds in layout
    }


registry.clear_on_change(prints.cache_clear)


def _frozen(layout: list[LayoutWager]) -> FrozenLayout:
    return tuple((wager["wager"], wager["label"], wager["family"], tuple(wager["odds"])) for wager in layout)


def areas(s: Snapshot) -> dict[str, list[SafeString]]:
    """Return every area of the felt by family, in the layout's order, with its money and light.

    A family that the layout does not have is empty.
    """
    round_, layout = s["round"], _frozen(s["layout"])
    printed = prints(s["table"]["game"], layout)
    lit, phase = set(round_["lit"]), round_["phase"]
    stopped = {wager["wager"]: wager["stopped"]["text"] for wager in s["layout"] if wager["stopped"]}
    tappable = s["table"]["status"] == "open" and round_["bets_open"]
    settled = {seat["seat"] for seat in round_["pay"]["seats"] if seat["paid"]} if round_["pay"] else set()
    wagered: dict[str, int] = {}
    due: dict[str, int] = {}
    for placed in round_["wagers"]:
        if not placed["struck"]:
            wagered[placed["wager"]] = wagered.get(placed["wager"], 0) + placed["cents"]
            if placed["seat"] not in settled:
                due[placed["wager"]] = due.get(placed["wager"], 0) + placed["cents"]
    dice = round_["dice"] or []
    tag, kind = ("button", ' type="button"') if tappable else ("div", "")
    groups: dict[str, list[SafeString]] = defaultdict(list)
    for wager, label, family, odds in layout:
        cents, attrs, top, money_html, cloth = wagered.get(wager, 0), "", "", "", printed[wager]
        pays = " or ".join(odds)
        if wager in lit:
            attrs, top = " data-lit", WINS
            say = f"Wins: {label}, {pays}."
            if "data-hits" in cloth:  # an area with tiers: as many dice show its number
                hits = dice.count(int(wager.partition(":")[2]))
                cloth = cloth.replace(f'class="tier" data-hits="{hits}"', 'class="tier tier--hit"')
            if cents and phase in ("taken", "paid"):
                unpaid_cents = due.get(wager, 0) if phase == "taken" else 0
                money_html = marked(unpaid_cents, "pay") if unpaid_cents else PAID
                say += f" {money(unpaid_cents)} to pay on." if unpaid_cents else " Paid."
            elif cents:
                money_html = disc(cents)
                say += f" {money(cents)} on it."
        elif lit or dice:
            say = f"{label}, not lit."
            if cents and phase == "lit":
                attrs, money_html = " data-take", marked(cents, "take")
                say += f" Take {money(cents)}."
        else:
            say = f"{label}, pays {pays}." if pays else f"{label}."
            if wager in stopped:
                family, top, say = f"{family} area--stopped", NOT_DEALT, stopped[wager]
            if cents:
                money_html = disc(cents)
                say += f" {money(cents)} on it."
        html = (
            f'<{tag} class="area area--{family}"{kind} data-wager="{wager}"{attrs}>'
            f'<span class="sr">{escape(say)}</span>{top}{cloth}'
            f'<span class="money" aria-hidden="true">{money_html}</span></{tag}>'
        )
        groups[family.partition(" ")[0].replace("-", "_")].append(mark_safe(html))
    return groups


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
