"""An edition that deals another edition's terms under its own sections.

A jurisdiction that adopts the terms of another one writes no paytable again: it names the edition and its own prefix.
Every citation outside the chapter, and every body that approves, needs its own in its place, so that no section of the
other jurisdiction is ever cited.
"""

from collections.abc import Callable, Mapping
from typing import Any

# What each document says of itself; nothing of it is taken over.
OWN = ("key", "title", "source", "in_force_from", "prefix")
OWN_OR_ABSENT = ("jurisdiction", "chapter_from", "lapses_on")
# Where a document has citations and bodies: in these tables, and under these names.
CITED = frozenset(
    {"sections", "wagers", "no_rolls", "lines", "section", "cite", "body", "no-more-bets", "shake"}
)


def derive(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """The terms of `base` with the sections of `own`, whose other keys replace those of `base`.

    Raises ValueError for a citation or body of `base` that is missing in the table `in_place_of`.
    """
    replacements: Mapping[str, str] = own.get("in_place_of", {})
    absent = [name for name in OWN if name not in own]
    if absent:
        raise ValueError(f"an edition lacks {', '.join(absent)}")
    missing: list[str] = []

    def replace(text: str) -> str:
        if text in replacements:
            return replacements[text]
        if text and not is_in_chapter(text):
            missing.append(text)
        return text

    terms = {
        name: value for name, value in base.items() if name not in {*OWN, *OWN_OR_ABSENT} and name not in own
    }
    document: dict[str, Any] = _replaced(terms, replace) | {
        name: value for name, value in own.items() if name not in ("like", "in_place_of")
    }
    if missing:
        listed = "; ".join(dict.fromkeys(missing))
        raise ValueError(f"the edition {own['key']} has nothing in place of: {listed}")
    return document


def is_in_chapter(section: str) -> bool:
    """Whether a citation belongs to the edition's own chapter: it begins with a digit."""
    return section[:1].isascii() and section[:1].isdigit() and " " not in section


def _replaced(value: Any, replace: Callable[[str], str], is_cited: bool = False) -> Any:
    if isinstance(value, str):
        return replace(value) if is_cited else value
    if isinstance(value, list):
        return [_replaced(item, replace, is_cited) for item in value]
    if isinstance(value, dict):
        return {name: _replaced(item, replace, is_cited or name in CITED) for name, item in value.items()}
    return value
