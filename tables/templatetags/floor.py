"""Template tags of the floor's screens: money, moments, dice and the layout. They read the snapshot only."""

import json
from datetime import datetime
from functools import lru_cache
from itertools import count
from typing import Any, TypedDict

from django import template
from django.template.loader import get_template
from django.utils import timezone
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from games import registry
from games.chips import chip_class
from games.engine.editions import Edition, all_editions, edition
from games.engine.game import Game
from games.layout_drawing import NOT_DEALT, PAID, WINS, disc, listed, marked, money, plain, signed
from games.snapshot_types import ActLine, LayoutWager, PaySeat, PersonName, Snapshot
from tables.words.forms import span
from tables.words.labels import DEVICE_PARTS, LABELS
from tables.words.sentences import NUMBERS
from tables.words.sentences import short as short_citation


class PitTables(TypedDict):
    """The tables of a pit."""

    name: str
    tables: list[Snapshot]


class Spot(LayoutWager):
    """A wager of the layout with the money on it."""

    cents: int
    lit: bool
    lost: bool


class RoundActs(TypedDict):
    """The acts of a round, and who did the newest of them."""

    round: int | None
    who: str
    acts: list[ActLine]


register = template.Library()
for function in (chip_class, listed, money, plain, signed, span):
    register.filter(function)


# Money


@register.filter
def breakable(odds: str) -> str:
    """Odds that may break before "to", and nowhere else: a narrow area prints them in two lines."""
    before, _, after = odds.rpartition(" ")
    return f"{before}\u00a0{after}"


# Moments


@lru_cache(maxsize=512)
def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


@register.filter
def clock(text: str | datetime | None, form: str = "%H:%M") -> str:
    return timezone.localtime(moment(text) if isinstance(text, str) else text).strftime(form) if text else ""


@register.filter
def iso(moment: datetime | None) -> str:
    return moment.isoformat() if moment else ""


@register.filter
def time_left(s: Snapshot) -> str:
    """Return the time left to the dice at the moment of the snapshot."""
    return span(_seconds_left(s))


def _seconds_left(s: Snapshot) -> float:
    assert s["lot"] is not None
    return (moment(s["lot"]["expires_at"]) - moment(s["as_of"])).total_seconds()


@register.filter
def left_percent(s: Snapshot) -> int:
    lot = s["lot"]
    assert lot is not None and lot["placed_at"] is not None
    total = (moment(lot["expires_at"]) - moment(lot["placed_at"])).total_seconds()
    return max(0, min(100, round(100 * _seconds_left(s) / total))) if total > 0 else 0


@register.filter
def lot_is_low(s: Snapshot) -> bool:
    return s["lot"] is not None and _seconds_left(s) < 3600


# Words


@register.filter
def cite(section: str | None) -> str:
    """`58 Pa. Code § 625a.3(6)` as `§ 625a.3(6)`."""
    return section[section.index("§") :] if section and "§" in section else section or ""


@register.filter
def short_title(title: str) -> str:
    """The title of an edition without its code: `625a, Paytable A` of `58 Pa. Code Chapter 625a, Paytable A`."""
    return short_citation(title).replace("Chapter ", "").replace("§ ", "")


@register.filter
def short(person: PersonName) -> str:
    return person.get("short") or person["name"]


@register.filter
def step_number(s: Snapshot) -> int:
    return next((i for i, step in enumerate(s["round"]["steps"], 1) if step["state"] == "now"), 0)


@register.filter
def step_label(s: Snapshot) -> str:
    return next(
        (step["label"] for step in s["round"]["steps"] if step["state"] == "now"), s["round"]["phase"]
    )


# Dice


@register.filter
def dice_count(s: Snapshot) -> int:
    """Return how many dice the next throw has, otherwise every throw of this edition."""
    dice = s["next"]["dice"] if s["next"] else None
    return dice or _editions(s)[-1].dice


@register.filter
def times(count: int) -> range:
    """Return a range to loop over."""
    return range(count)


@register.filter
def number_word(count: int) -> str:
    """`three`; digits above ten."""
    return NUMBERS[count].lower() if count < len(NUMBERS) else str(count)


@register.filter
def faces(count: int) -> str:
    """`three faces`, `one face`."""
    return f"{number_word(count)} face{'' if count == 1 else 's'}"


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


@register.filter
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


@register.filter
def unpaid(s: Snapshot) -> list[PaySeat]:
    return [seat for seat in s["round"]["pay"]["seats"] if not seat["paid"]]


@register.filter
def inspected(s: Snapshot) -> list[str]:
    """Return the combinations that the floorperson saw lit."""
    assert s["inspection"] is not None
    labels = {w["wager"]: w["label"] for w in s["layout"]}
    return [labels.get(code, code) for code in s["inspection"]["lit"]]


@register.filter
def due(s: Snapshot) -> int:
    return s["round"]["pay"]["cents"] - s["round"]["pay"]["paid_cents"]


@register.filter
def state(s: Snapshot) -> SafeString:
    """Return the part of the snapshot that the console's scripts read, as JSON."""
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
        "posts": {
            "dealer": s["people"]["dealer"],
            "dealer-left": s["people"]["dealer_left"],
            "stick": s["people"]["stickperson"],
        },
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


# What a game brings: its templates, style sheets, script and words (games/catalog)


@register.filter
def game(s: Snapshot) -> Game:
    """The game of a table."""
    return registry.game_by_code(s["table"]["game"])


@register.filter
def own(s: Snapshot, part: str) -> str:
    """The template of a part that each game has its own of: `console/felt` is `sic_bo/console/felt.html` for Sic Bo."""
    return registry.asset(s["table"]["game"], f"{part}.html")


@register.filter
def parts(s: Snapshot, part: str) -> tuple[str, str]:
    """The template of a part that a game may have its own of, and else the one that games share."""
    return own(s, part), f"tables/{part}.html"


@register.filter
def optional(s: Snapshot, part: str) -> tuple[str, str]:
    """The template of a part that a game may have, and else nothing."""
    return own(s, part), "tables/parts/nothing.html"


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
def label(code: str, name: str) -> str:
    """How a game calls one of its things, such as "shaker": as its own words say it, or else as most games do."""
    own_labels: dict[str, str] = getattr(registry.parts("words").get(code), "LABELS", {})
    return own_labels.get(name, LABELS[name])


@register.filter
def has_duty(s: Snapshot, duty: str) -> bool:
    """Whether the edition at a table has a section for a duty; without an edition, whether any of its game has."""
    return any(duty in edition.sections for edition in _editions(s))


@register.filter
def taken_seats(s: Snapshot) -> list[int]:
    """The seats that are taken: the floor records them as left before new limits apply at once."""
    return [seat["seat"] for seat in s["round"]["seats"] if seat["taken"]]


@register.filter
def section(s: Snapshot, duty: str) -> str:
    """The section of a duty in the edition at a table; "" where it is silent, or where no rules are in force."""
    key = s["rules"].get("key")
    return edition(key).sections.get(duty, "") if key else ""


def _editions(s: Snapshot) -> list[Edition]:
    """The edition at a table; where no rules are in force, all of its game."""
    editions = [edition for edition in all_editions().values() if edition.game == s["table"]["game"]]
    return [edition for edition in editions if edition.key == s["rules"].get("key")] or editions


@register.filter
def device_parts(code: str) -> dict[str, str]:
    """What of a game's electrical device may fail, by its code for the act."""
    parts_: dict[str, str] = getattr(registry.parts("words").get(code), "DEVICE_PARTS", DEVICE_PARTS)
    return parts_


@register.filter
def die_colors(code: str, dice: list[int]) -> list[tuple[int, str]]:
    """Each die with its color, "" where any die is like another."""
    colors = registry.game_by_code(code).die_colors or ("",) * len(dice)
    return list(zip(dice, colors, strict=False))


# The felt: its print never changes for a layout and is cached; only money and lights are rendered again

FrozenLayout = tuple[tuple[str, str, str, tuple[str, ...]], ...]  # wager, label, family, odds


@lru_cache(maxsize=32)
def prints(game: str, layout: FrozenLayout) -> dict[str, str]:
    """The printed cloth of each area, rendered once for a layout and its odds."""
    page = get_template(registry.asset(game, "console/print.html"))
    return {
        wager: page.render(
            {
                "wager": wager,
                "label": label,
                "family": family,
                "value": wager.partition(":")[2],
                "odds": odds,
            }
        ).strip()
        for wager, label, family, odds in layout
    }


def frozen(layout: list[LayoutWager]) -> FrozenLayout:
    return tuple((wager["wager"], wager["label"], wager["family"], tuple(wager["odds"])) for wager in layout)


@register.simple_tag
def areas(s: Snapshot) -> dict[str, list[SafeString]]:
    """Return every area of the felt by family, in the layout's order, with its money and light."""
    round_, layout = s["round"], frozen(s["layout"])
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
    groups: dict[str, list[SafeString]] = {}
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
        groups.setdefault(family.partition(" ")[0].replace("-", "_"), []).append(mark_safe(html))
    return groups


# The pit


@register.simple_tag
def sums_of(pits: list[PitTables]) -> dict[str, int]:
    """Return the floor's figures, without training and simulated tables."""
    live = [s for pit in pits for s in pit["tables"] if s["table"]["kind"] == "live"]
    opened = [s for s in live if s["table"]["status"] == "open"]
    return {
        "open": len(opened),
        "tables": len(live),
        "playing": sum(s["round"]["playing"] for s in opened),
        "seats": sum(s["table"]["seats"] for s in live),
        "pace": sum(s["figures"]["pace_per_hour"] or 0 for s in opened),
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


@register.simple_tag
def money_on(s: Snapshot) -> dict[str, list[Spot]]:
    """Return the layout for the pit's table page: each wager with the money on it."""
    wagered: dict[str, int] = {}
    for wager in s["round"]["wagers"]:
        if not wager["struck"]:
            wagered[wager["wager"]] = wagered.get(wager["wager"], 0) + wager["cents"]
    lit, thrown = set(s["round"]["lit"]), bool(s["round"]["dice"])
    groups: dict[str, list[Spot]] = {}
    for area in s["layout"]:
        cents = wagered.get(area["wager"], 0)
        spot: Spot = {
            **area,
            "cents": cents,
            "lit": area["wager"] in lit,
            "lost": thrown and cents > 0 and area["wager"] not in lit,
        }
        groups.setdefault(area["family"].replace("-", "_"), []).append(spot)
    return groups


@register.simple_tag
def acts_by_round(s: Snapshot) -> list[RoundActs]:
    """Return the acts, newest first, grouped by their round."""
    groups: list[RoundActs] = []
    for act in s["acts"]:
        if not groups or groups[-1]["round"] != act["round"]:
            groups.append({"round": act["round"], "who": act["who"], "acts": []})
        groups[-1]["acts"].append(act)
    return groups


@register.simple_tag
def spots(s: Snapshot) -> list[dict[str, float | bool]]:
    """Return a dot for each seat position around the table."""
    return [
        {"x": n + 0.5, "taken": bool(seat["count"])}
        for n, seat in zip(count(), s["round"]["seats"], strict=False)
    ]


@register.simple_tag
def win_line(cents: list[int]) -> dict[str, Any] | None:
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
