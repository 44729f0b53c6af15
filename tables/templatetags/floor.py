"""How the floor's screens write money, moments, dice and the layout. Everything here reads the snapshot alone."""

import json
from datetime import datetime
from functools import lru_cache
from itertools import count
from typing import Any

from django import template
from django.template.loader import get_template
from django.utils import timezone
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from games import registry
from games.engine.editions import Edition, all_editions
from games.engine.game import Game
from games.layout_drawing import NOT_DEALT, PAID, WINS, chip, disc, listed, marked, money, plain, signed
from tables.words.forms import span
from tables.words.labels import DEVICE_PARTS, LABELS
from tables.words.sentences import NUMBERS

register = template.Library()
for function in (chip, listed, money, plain, signed, span):
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
def iso(at: datetime | None) -> str:
    return at.isoformat() if at else ""


@register.filter
def left(s: dict) -> str:
    """What is left of the dice lot's time at the moment of the snapshot."""
    return span((moment(s["lot"]["expires_at"]) - moment(s["as_of"])).total_seconds())


@register.filter
def left_percent(s: dict) -> int:
    lot = s["lot"]
    whole = (moment(lot["expires_at"]) - moment(lot["placed_at"])).total_seconds()
    rest = (moment(lot["expires_at"]) - moment(s["as_of"])).total_seconds()
    return max(0, min(100, round(100 * rest / whole))) if whole > 0 else 0


@register.filter
def lot_is_low(s: dict) -> bool:
    lot = s["lot"]
    return bool(lot) and (moment(lot["expires_at"]) - moment(s["as_of"])).total_seconds() < 3600


# Words


@register.filter
def cite(section: str | None) -> str:
    """`58 Pa. Code § 625a.3(6)` as `§ 625a.3(6)`."""
    return section[section.index("§") :] if section and "§" in section else section or ""


@register.filter
def short(person: dict) -> str:
    return person.get("short") or person["name"]


@register.filter
def step_number(s: dict) -> int:
    return next((i for i, step in enumerate(s["round"]["steps"], 1) if step["state"] == "now"), 0)


@register.filter
def step_label(s: dict) -> str:
    return next(
        (step["label"] for step in s["round"]["steps"] if step["state"] == "now"), s["round"]["phase"]
    )


# Dice


@register.filter
def dice_count(s: dict) -> int:
    """How many dice the next throw has, or else every throw of this edition."""
    following = s["next"] or {}
    editions = _editions(s)
    return int(following.get("dice") or editions[-1].dice)


@register.filter
def times(count: int) -> range:
    """A loop of so many turns."""
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
    """Why a set of dice may be taken out of play."""
    return [{"code": code, "words": words} for code, words in UNFIT]


@register.filter
def mode(s: dict) -> str:
    """Which arrangement of the console the snapshot calls for."""
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
def unpaid(s: dict) -> list[dict]:
    return [seat for seat in s["round"]["pay"]["seats"] if not seat["paid"]]


@register.filter
def inspected(s: dict) -> list[str]:
    """The combinations that the floorperson saw lit."""
    labels = {w["wager"]: w["label"] for w in s["layout"]}
    return [labels.get(code, code) for code in s["inspection"]["lit"]]


@register.filter
def due(s: dict) -> int:
    return s["round"]["pay"]["cents"] - s["round"]["pay"]["paid_cents"]


@register.filter
def state(s: dict) -> SafeString:
    """What the console's scripts read: the snapshot without what only the reader needs."""
    keep = ("version", "as_of", "next", "offers", "chips", "limits", "last_wagers", "shaker")
    table = {key: s[key] for key in keep}
    table["table"] = s["table"]["code"]
    table["status"] = s["table"]["status"]
    table["floorperson"] = s["people"]["floorperson"]
    table["dealer"] = s["people"]["dealer"]
    table["dealer_left"] = s["people"].get("dealer_left")
    table["lot"] = s["lot"] and s["lot"]["code"]
    table["stopped"] = [one["wager"] for one in s["layout"] if one["stopped"]]
    table["round"] = {
        "number": s["round"]["number"],
        "phase": s["round"]["phase"],
        "bets_open": s["round"]["bets_open"],
        "dice": s["round"]["dice"],
        "game": s["round"].get("game", {}),
        "settle": s["round"].get("settle"),
        "wagers": [w for w in s["round"]["wagers"] if not w["struck"]],
    }
    text = json.dumps(table, separators=(",", ":")).replace("<", "\\u003c").replace(">", "\\u003e")
    return mark_safe(text.replace("&", "\\u0026"))


# What a game brings: its templates, style sheets, script and words (games/catalog)


@register.filter
def game(s: dict) -> Game:
    """The game of a table."""
    return registry.game_by_code(s["table"]["game"])


@register.filter
def own(s: dict, part: str) -> str:
    """The template of a part that each game has its own of: `console/felt` is `sic_bo/console/felt.html` for Sic Bo."""
    return registry.asset(s["table"]["game"], f"{part}.html")


@register.filter
def parts(s: dict, part: str) -> tuple[str, str]:
    """The template of a part that a game may have its own of, and else the one that games share."""
    return own(s, part), f"tables/{part}.html"


@register.filter
def optional(s: dict, part: str) -> tuple[str, str]:
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
    return [registry.asset(each, name) for each in registry.with_asset("static", name) if code in ("", each)]


@register.filter
def label(code: str, name: str) -> str:
    """How a game calls one of its things, such as "shaker": as its own words say it, or else as most games do."""
    own_labels: dict[str, str] = getattr(registry.parts("words").get(code), "LABELS", {})
    return own_labels.get(name, LABELS[name])


@register.filter
def has_duty(s: dict, duty: str) -> bool:
    """Whether the edition at a table has a section for a duty; without an edition, whether any of its game has."""
    return any(duty in edition.sections for edition in _editions(s))


def _editions(s: dict) -> list[Edition]:
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


# The felt: the print is the same for a layout's whole life, so that only money and light are made anew


@lru_cache(maxsize=32)
def prints(game: str, layout: tuple) -> dict[str, str]:
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


def frozen(layout: list[dict]) -> tuple:
    return tuple((w["wager"], w["label"], w["family"], tuple(w["odds"])) for w in layout)


@register.simple_tag
def areas(s: dict) -> dict[str, list[SafeString]]:
    """Every area of the felt by its family, in the layout's order, with the money and the light that lie on it."""
    round_, layout = s["round"], frozen(s["layout"])
    printed = prints(s["table"]["game"], layout)
    lit, phase = set(round_["lit"]), round_["phase"]
    stopped = {one["wager"]: one["stopped"]["text"] for one in s["layout"] if one["stopped"]}
    tappable = s["table"]["status"] == "open" and round_["bets_open"]
    settled = {seat["seat"] for seat in round_["pay"]["seats"] if seat["paid"]} if round_["pay"] else set()
    on: dict[str, int] = {}
    due: dict[str, int] = {}
    for wager in round_["wagers"]:
        if not wager["struck"]:
            on[wager["wager"]] = on.get(wager["wager"], 0) + wager["cents"]
            if wager["seat"] not in settled:
                due[wager["wager"]] = due.get(wager["wager"], 0) + wager["cents"]
    dice = round_["dice"] or []
    tag, kind = ("button", ' type="button"') if tappable else ("div", "")
    groups: dict[str, list[SafeString]] = {}
    for wager, label, family, odds in layout:
        cents, attrs, top, money_html, cloth = on.get(wager, 0), "", "", "", printed[wager]
        pays = " or ".join(odds)
        if wager in lit:
            attrs, top = " data-lit", WINS
            say = f"Wins: {label}, {pays}."
            if "data-hits" in cloth:  # an area with tiers: as many dice show its number
                hits = dice.count(int(wager.partition(":")[2]))
                cloth = cloth.replace(f'class="tier" data-hits="{hits}"', 'class="tier tier--hit"')
            if cents and phase in ("taken", "paid"):
                rest = due.get(wager, 0) if phase == "taken" else 0
                money_html = marked(rest, "pay") if rest else PAID
                say += f" {money(rest)} to pay on." if rest else " Paid."
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
def sums_of(pits: list[dict]) -> dict[str, int]:
    """The floor's figures; training and simulated tables are in none of them."""
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
def pit_win(pit: dict) -> int:
    return sum(s["figures"]["win_cents"] for s in pit["tables"] if s["table"]["kind"] == "live")


@register.filter
def pit_live(pit: dict) -> int:
    return sum(s["table"]["kind"] == "live" for s in pit["tables"])


@register.filter
def pit_open(pit: dict) -> int:
    return sum(s["table"]["kind"] == "live" and s["table"]["status"] == "open" for s in pit["tables"])


@register.simple_tag
def money_on(s: dict) -> dict[str, list[dict]]:
    """The layout for the pit's table page: each wager with what lies on it."""
    on: dict[str, int] = {}
    for wager in s["round"]["wagers"]:
        if not wager["struck"]:
            on[wager["wager"]] = on.get(wager["wager"], 0) + wager["cents"]
    lit, thrown = set(s["round"]["lit"]), bool(s["round"]["dice"])
    groups: dict[str, list[dict]] = {}
    for w in s["layout"]:
        cents = on.get(w["wager"], 0)
        spot = {
            **w,
            "cents": cents,
            "lit": w["wager"] in lit,
            "lost": thrown and cents and w["wager"] not in lit,
        }
        groups.setdefault(w["family"].replace("-", "_"), []).append(spot)
    return groups


@register.simple_tag
def acts_by_round(s: dict) -> list[dict]:
    """The acts, newest first, under the round that each belongs to."""
    groups: list[dict] = []
    for act in s["acts"]:
        if not groups or groups[-1]["round"] != act["round"]:
            groups.append({"round": act["round"], "who": act["who"], "acts": []})
        groups[-1]["acts"].append(act)
    return groups


@register.simple_tag
def spots(s: dict) -> list[dict]:
    """One dot for each seat position, round the table."""
    return [
        {"at": n + 0.5, "taken": bool(seat["count"])}
        for n, seat in zip(count(), s["round"]["seats"], strict=False)
    ]


@register.simple_tag
def win_line(cents: list[int]) -> dict[str, Any] | None:
    """The day's win by round as a polyline in dollars, upward; None before the second round."""
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
