"""The layout on live screens: every area with its money and light.

The print of an area never changes for a layout and its odds, so it is rendered once and cached. Only money and lights
are drawn again, and only of the areas whose money or light changed.
"""

from collections import defaultdict
from functools import lru_cache
from types import ModuleType
from typing import Literal, NamedTuple

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from games import registry
from games.formats import money
from games.layout_drawing import NOT_DEALT, PAID, PAYING, TAKE, WINS, corrected_areas, marked_corrected
from games.snapshot_types import LayoutWager, Snapshot
from games.stacks import Owner, named, owners_by_area, seat_marks, stacks, sum_of, unpaid
from tables.screens import templates
from tables.screens.run import pay_run, unpaid_lines

DEFAULT_FULL_STACKS = 2  # how many owners of an area are a stack each


class Spot(LayoutWager):
    """A wager of the layout with the money on it, and whose it is."""

    cents: int
    owners: tuple[Owner, ...]
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
    """What changes on an area. `dice` are those that light it, else (); `run`: whether it is being paid or was paid.

    `corrected`: a wager on it was corrected in this round, or the dice that light it were.
    """

    phase: str
    tappable: bool = False
    thrown: bool = False
    dice: tuple[int, ...] = ()
    owners: tuple[Owner, ...] = ()
    run: Literal["", "now", "paid"] = ""
    stopped: str = ""
    corrected: bool = False


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


@lru_cache(maxsize=1024)
def full_stacks(game: str, family: str) -> int:
    """Return how many owners of an area are a stack each; from one more on it shows their seats and the sum."""
    own = getattr(game_screens(game), "full_stacks", None)
    return own(family) if own else DEFAULT_FULL_STACKS


def result_chips(game: str, family: str, owners: tuple[Owner, ...]) -> SafeString:
    """Return the owners of an area as HTML, as its felt has room for them beside the word of a result."""
    own = getattr(game_screens(game), "full_stacks_of_result", None)
    return mark_safe(stacks(owners, own(family) if own else full_stacks(game, family)))


def owners(s: Snapshot) -> dict[str, tuple[Owner, ...]]:
    """Return whose chips are on each area by wager code, in the order of the seats. An empty area is left out."""
    back, is_live = s.get("returning"), "returning" in s  # a replayed round runs nowhere
    if back is not None:
        now = next(seat["seat"] for seat in back["seats"] if not seat["done"])
        handed_back = {seat["seat"] for seat in back["seats"] if seat["done"]}
        lines = {(seat["seat"], line["wager"]) for seat in back["seats"] for line in seat["lines"]}
        return owners_by_area(
            s["round"]["wagers"],
            paid={line for line in lines if line[0] in handed_back},
            running={line for line in lines if line[0] == now},
        )
    seats = s["round"]["pay"]["seats"]
    paid = {(seat["seat"], line["wager"]) for seat in seats for line in seat["lines"] if line.get("paid")}
    lines_to_pay = unpaid_lines(pay_run(s)) if is_live and s["round"]["phase"] == "taken" else []
    running = {(line["seat"], area["wager"]) for area, line in lines_to_pay[:1]}
    return owners_by_area(s["round"]["wagers"], paid=paid, running=running)


def _paying(s: Snapshot) -> dict[str, Literal["", "now", "paid"]]:
    """Return which areas were paid, and which is being paid; nothing before the losers are taken."""
    if s["round"]["phase"] not in ("taken", "paid"):
        return {}
    return {
        area["wager"]: "paid" if area["done"] else "now" for area in pay_run(s) if area["done"] or area["now"]
    }


def areas(s: Snapshot) -> dict[str, list[SafeString]]:
    """Return every area of the felt by family, in the layout's order, with its owners, their money, and its light.

    A family that the layout does not have is empty.
    """
    round_, game = s["round"], s["table"]["game"]
    lit, phase, dice = set(round_["lit"]), round_["phase"], tuple(round_["dice"] or ())
    tappable = s["table"]["status"] == "open" and round_["bets_open"]
    owned, paying, corrected = owners(s), _paying(s), corrected_areas(s)
    empty = AreaState(phase, tappable, bool(lit or dice))
    groups: dict[str, list[SafeString]] = defaultdict(list)
    for area in s["layout"]:
        wager, state = area["wager"], empty
        if wager in lit or wager in owned or wager in corrected or area["stopped"]:
            state = empty._replace(
                dice=(dice or (0,)) if wager in lit else (),
                owners=owned.get(wager, ()),
                run=paying.get(wager, ""),
                stopped=area["stopped"]["text"] if area["stopped"] else "",
                corrected=wager in corrected,
            )
        printed = PrintedArea(game, wager, area["label"], area["family"], tuple(area["odds"]))
        groups[area["family"].partition(" ")[0].replace("-", "_")].append(_area(printed, state))
    return groups


@lru_cache(maxsize=8192)
def _area(area: PrintedArea, state: AreaState) -> SafeString:
    """Draw an area. An act changes few of them, so the others are taken from the cache."""
    game, wager, label, family, odds = area
    attrs, top, cloth, full = "", "", _print(area), full_stacks(game, family)
    money_html, unsettled = stacks(state.owners, full), unpaid(state.owners)
    on_it = f" {money(sum_of(unsettled))} on it: {named(unsettled)}." if unsettled else ""
    tag, kind = ("button", ' type="button"') if state.tappable else ("div", "")
    pays = " or ".join(odds)
    if state.dice:
        attrs, top = " data-lit", WINS
        say = f"Wins: {label}, {pays}."
        if "data-hits" in cloth:  # an area with tiers: as many dice show its number
            hits = state.dice.count(int(wager.partition(":")[2]))
            cloth = cloth.replace(
                f'class="tier" data-hits="{hits}"', f'class="tier tier--hit" data-hits="{hits}"'
            )
        if state.run:
            attrs, top = f' data-lit data-pay="{state.run}"', PAYING if state.run == "now" else PAID
        if state.run == "paid":
            money_html = f'<span class="rest">{seat_marks(state.owners)}</span>'
            say += " Paid."
        elif state.run:
            say += f" {money(sum_of(unsettled))} to pay on: {named(unsettled)}."
        else:
            say += on_it
    elif state.thrown:
        say = f"{label}, not lit."
        if state.owners and state.phase == "lit":
            attrs, top = " data-take", TAKE
            say += f" Take {money(sum_of(unsettled))}: {named(unsettled)}."
        else:
            money_html = ""
    else:
        say = f"{label}, pays {pays}." if pays else f"{label}."
        if state.stopped:
            family, top, say = f"{family} area--stopped", NOT_DEALT, state.stopped
        say += on_it
    if state.corrected:
        top, say = marked_corrected(top), f"{say} Corrected in this round."
    return mark_safe(
        f'<{tag} class="area area--{family}"{kind} data-wager="{wager}" data-label="{escape(label)}"{attrs}>'
        f'<span class="sr">{escape(say)}</span>{top}{cloth}'
        f'<span class="money" data-full="{full}" aria-hidden="true">{money_html}</span></{tag}>'
    )


registry.clear_on_change(full_stacks.cache_clear)
registry.clear_on_change(_print.cache_clear)
registry.clear_on_change(_area.cache_clear)


def money_on(s: Snapshot) -> dict[str, list[Spot]]:
    """Return the layout for the pit's table page: each wager with the money on it, and whose it is.

    Chips that were paid are left out.
    """
    owned = owners(s)
    lit, thrown = set(s["round"]["lit"]), bool(s["round"]["dice"])
    groups: dict[str, list[Spot]] = defaultdict(list)
    for area in s["layout"]:
        on_area = tuple(unpaid(owned.get(area["wager"], ())))
        cents = sum_of(on_area)
        spot: Spot = {
            **area,
            "cents": cents,
            "owners": on_area,
            "lit": area["wager"] in lit,
            "lost": thrown and cents > 0 and area["wager"] not in lit,
        }
        groups[area["family"].replace("-", "_")].append(spot)
    return groups
