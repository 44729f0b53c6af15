"""The text of the guide: one TOML file for each language, here and with each game; and how a language writes odds,
sums, lists and days.
"""

import datetime as dt
import tomllib
from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files
from typing import Any

from games import registry
from games.engine.odds import Odds, Pays, Prize

LANGUAGES = ("en", "es", "zh")
SWITCH = ("es", "en", "zh")  # the order on a page
TAGS = {"en": "en", "es": "es", "zh": "zh-Hans"}


@lru_cache(maxsize=16)
def words(language: str) -> dict[str, Any]:
    """Return the text that all games share. FileNotFoundError for a language without a text."""
    return tomllib.loads((files(__package__) / "text" / f"{language}.toml").read_text("utf-8"))


@lru_cache(maxsize=64)
def game_words(game: str, language: str, text: str = "") -> dict[str, Any]:
    """Return the text of one game. `text` is the plan's. FileNotFoundError for a language without a text."""
    name = f"{language}-{text}.toml" if text else f"{language}.toml"
    return tomllib.loads((files(registry.part(game, "guide")) / name).read_text("utf-8"))


registry.clear_on_change(game_words.cache_clear)


def odds(language: str, pays: Pays) -> str:
    """Return `6 to 1`, `6 a 1`, `6比1`; a fixed sum as `$50,000`, `50,000美元`. Never with the word that means other
    money.
    """
    if isinstance(pays, Prize):
        return money(language, pays.cents)
    return str(words(language)["odds"]).format(to=pays.to, per=pays.per)


def odds_of_tiers(language: str, tiers: Iterable[Pays]) -> str:
    """Return `1, 2 or 12 to 1` if all of them are to one; otherwise "", because they need rows of their own."""
    different = list(dict.fromkeys(tiers))
    if not all(isinstance(pays, Odds) and pays.per == 1 for pays in different):
        return ""
    numbers = [str(pays.to) for pays in different if isinstance(pays, Odds)]
    return str(words(language)["odds"]).format(to=listed(language, numbers, "either"), per=1)


def money(language: str, cents: int) -> str:
    """Return whole dollars and cents as the language writes them."""
    sum_ = f"{cents // 100:,}" + (f".{cents % 100:02d}" if cents % 100 else "")
    return str(words(language)["prize"]).format(sum=sum_)


def listed(language: str, items: Iterable[Any], last: str = "last") -> str:
    """Return `2, 2 and 5`; with `last` "either" `1, 2 or 12`."""
    texts, common = [str(item) for item in items], words(language)
    if len(texts) < 2:
        return "".join(texts)
    return str(common["joined"]).join(texts[:-1]) + str(common[last]) + texts[-1]


def day(language: str, date: dt.date) -> str:
    """Return a calendar day in full."""
    common = words(language)
    return str(common["day"]).format(day=date.day, month=common["months"][date.month - 1], year=date.year)


def place(language: str, name: str) -> str:
    """Return a place in the language if every facility has such a place; otherwise as the facility calls it."""
    return str(words(language)["places"].get(name, name))
