"""The layout on live screens: every area with its money and light, and the run along it in which winners are paid.

The print of an area never changes for a layout and its odds, so it is rendered once and cached. An area is a slot of
the felt (`parts.Slotted`), so only areas whose money or light changed are drawn again.

Winners are paid along the felt: area by area in the order of the layout, and by seat within each area (`pay_run`). The
first winning line that is not paid is the current one: its seat is marked, and its chips to cut are shown. All of it is
a function of the snapshot alone.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import Literal, NamedTuple, TypedDict

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from games import registry
from games.chips import breakdown
from games.drawing import NOT_DEALT, PAID, PAYING, TAKE, WINS, corrected_areas, marked_corrected
from games.formats import money
from games.snapshot_types import LayoutWager, Snapshot
from games.stacks import Owner, named, owners_by_area, seat_marks, stacks, sum_of, unpaid
from tables.screens import templates
from tables.screens.parts import Content, slot

# The run along the felt


class RunSeat(TypedDict):
    """A seat's wager on an area: the stake, what is paid, and that in chips. `now` marks the current line.

    `held_cents`: what is held back of its winnings beside that.
    """

    seat: int
    stake_cents: int
    cents: int
    held_cents: int
    chips: list[list[int]]
    paid: bool
    now: bool


class RunArea(TypedDict):
    """An area of the felt with the seats that won on it; `done` once all are paid, `now` while it runs."""

    wager: str
    label: str
    pays: str
    why: str
    cite: str
    cents: int
    left_cents: int
    paid_count: int
    now: bool
    done: bool
    seats: list[RunSeat]


class SeatOfRun(TypedDict):
    """A seat of the rail: what it still gets, and whether it runs."""

    seat: int
    cents: int
    done: bool
    now: bool


def pay_run(s: Snapshot) -> list[RunArea]:
    """Return the areas with winning wagers, in the order of the layout, and mark what runs."""
    areas: dict[str, RunArea] = {}
    for seat in s["round"]["pay"]["seats"]:
        for line in seat["lines"]:
            area = areas.setdefault(
                line["wager"],
                _area_of_run(line["wager"], line["label"], line["pays"] or "", line["why"], line["cite"]),
            )
            area["seats"].append(
                {
                    "seat": seat["seat"],
                    "stake_cents": line["stake_cents"],
                    "cents": line["cents"],
                    "held_cents": line["held_cents"],
                    "chips": breakdown(line["cents"]),
                    "paid": line["paid"],
                    "now": False,
                }
            )
    run = _in_order(s, areas)
    for area in run:
        following = next((line for line in area["seats"] if not line["paid"]), None)
        if following is not None:
            area["now"] = following["now"] = True
            break
    return run


def _area_of_run(wager: str, label: str, pays: str, why: str, cite: str) -> RunArea:
    return {
        "wager": wager,
        "label": label,
        "pays": pays,
        "why": why,
        "cite": cite,
        "cents": 0,
        "left_cents": 0,
        "paid_count": 0,
        "now": False,
        "done": False,
        "seats": [],
    }


def _in_order(s: Snapshot, areas: dict[str, RunArea]) -> list[RunArea]:
    for area in areas.values():
        area["cents"] = sum(line["cents"] for line in area["seats"])
        area["left_cents"] = sum(line["cents"] for line in area["seats"] if not line["paid"])
        area["paid_count"] = sum(line["paid"] for line in area["seats"])
        area["done"] = all(line["paid"] for line in area["seats"])
    places = {wager["wager"]: place for place, wager in enumerate(s["layout"])}
    return sorted(areas.values(), key=lambda area: places.get(area["wager"], len(places)))


def unpaid_lines(run: list[RunArea]) -> list[tuple[RunArea, RunSeat]]:
    """Return what is still to be paid, each with its area, in the order of the run."""
    return [(area, line) for area in run for line in area["seats"] if not line["paid"]]


def seats_of_run(s: Snapshot, run: list[RunArea]) -> list[SeatOfRun]:
    """Return every seat of the table with what it still gets in the run."""
    left: dict[int, int] = {}
    running = 0
    for area in run:
        for line in area["seats"]:
            left[line["seat"]] = left.get(line["seat"], 0) + (0 if line["paid"] else line["cents"])
            running = line["seat"] if line["now"] else running
    return [
        {
            "seat": seat["seat"],
            "cents": left.get(seat["seat"], 0),
            "done": left.get(seat["seat"]) == 0,
            "now": seat["seat"] == running,
        }
        for seat in s["round"]["seats"]
    ]


# Areas


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


@dataclass(frozen=True, eq=False)
class PrintedArea:
    """An area as its game prints it, compared by identity; `odds` are all that it may be paid, `stopped` says why it is
    not dealt.
    """

    game: str
    wager: str
    label: str
    family: str
    odds: tuple[str, ...]
    stopped: str = ""


class AreaState(NamedTuple):
    """What changes on an area. `phase` is that of a throw, else ""; `dice` are those that light it, else (); `run`:
    whether it is being paid or was paid.

    `corrected`: a wager on it was corrected in this round, or the dice that light it were.
    """

    phase: str
    tappable: bool = False
    thrown: bool = False
    dice: tuple[int, ...] = ()
    owners: tuple[Owner, ...] = ()
    run: Literal["", "now", "paid"] = ""
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


class PrintedLayout:
    """A layout as its game prints it: each area by its wager, and the slots of a felt (`slot`), in the layout's order
    by the family as templates name it.
    """

    def __init__(self, s: Snapshot) -> None:
        self.source = s["layout"]
        self.areas: dict[str, PrintedArea] = {}
        self.slots: dict[str, list[SafeString]] = {}
        self.slots_at_rest: dict[str, list[SafeString]] = {}
        for area in self.source:
            wager, family = area["wager"], area["family"].partition(" ")[0].replace("-", "_")
            self.areas[wager] = PrintedArea(
                s["table"]["game"],
                wager,
                area["label"],
                area["family"],
                tuple(area["odds"]),
                area["stopped"]["text"] if area["stopped"] else "",
            )
            self.slots.setdefault(family, []).append(slot(wager))
            self.slots_at_rest.setdefault(family, []).append(slot(f"{AT_REST}{wager}"))
        self._contents: dict[AreaState, dict[str, Content]] = {}

    def contents(self, state: AreaState) -> dict[str, Content]:
        """Every area in the same state, by its wager. Kept: these states are few."""
        if state not in self._contents:
            self._contents[state] = {wager: (_area, area, state) for wager, area in self.areas.items()}
        return self._contents[state]


AT_REST = "at rest "  # before the wager of a slot
MOST_LAYOUTS = 64
_layouts: dict[tuple[str, str, int], PrintedLayout] = {}


def printed_layout(s: Snapshot) -> PrintedLayout:
    """Return the layout of a snapshot as it is printed. Kept for each rules."""
    key = s["table"]["game"], s["rules"]["submission"], s["rules"]["version"]
    printed = _layouts.get(key)
    if printed is None or not (printed.source is s["layout"] or printed.source == s["layout"]):
        if len(_layouts) >= MOST_LAYOUTS:
            _layouts.clear()
        printed = _layouts[key] = PrintedLayout(s)
    return printed


def areas(s: Snapshot) -> dict[str, Content]:
    """Return what is in the slot of every area by its wager: its owners, their money, and its light."""
    round_, printed = s["round"], printed_layout(s)
    lit, phase, dice = set(round_["lit"]), round_["phase"], tuple(round_["dice"] or ())
    tappable = s["table"]["status"] == "open" and round_["bets_open"]
    owned, paying, corrected = owners(s), _paying(s), corrected_areas(s)
    is_thrown = bool(lit or dice)
    empty = AreaState(phase if is_thrown else "", tappable, is_thrown)
    contents = printed.contents(empty).copy()
    for wager in {*lit, *owned, *corrected} & contents.keys():
        state = empty._replace(
            dice=(dice or (0,)) if wager in lit else (),
            owners=owned.get(wager, ()),
            run=paying.get(wager, ""),
            corrected=wager in corrected,
        )
        contents[wager] = _area, printed.areas[wager], state
    return contents


@lru_cache(maxsize=8192)
def _area(area: PrintedArea, state: AreaState) -> tuple[str, ...]:
    """Draw an area: its tag, words, print and money are lines of their own, so that a push carries what changed."""
    game, wager, label, family, odds = area.game, area.wager, area.label, area.family, area.odds
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
        if area.stopped:
            family, top, say = f"{family} area--stopped", NOT_DEALT, area.stopped
        say += on_it
    if state.corrected:
        top, say = marked_corrected(top), f"{say} Corrected in this round."
    html = (
        f'<{tag} class="area area--{family}"{kind}\n data-wager="{wager}" data-label="{escape(label)}"{attrs}><span\n'
        f' class="sr">{escape(say)}</span\n>{top}{cloth}<span\n'
        f' class="money" data-full="{full}" aria-hidden="true">{money_html}</span\n></{tag}>'
    )
    return tuple(html.splitlines(keepends=True))


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
