"""The templates of live screens, rendered by MiniJinja: `*.jinja` in `templates/` and in the games' folders.

Every value is escaped, unless Python marked it safe. A name that a template cannot find is an error, so what may be
absent has to be asked for first: `{% if s.lot and s.lot.expired %}`. The templates are compiled once for a process.

First stands how screens write moments, durations and citations: pages of Django's templates write them alike.
"""

import json
import re
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe
from minijinja import Environment

from games import registry
from games.chips import chip_class
from games.drawing import listed
from games.formats import MEANINGS, money, plain, signed
from tables.screens.parts import slot
from tables.words.sentences import duration

MARK_IN_SCRIPT = re.compile(r"\\u003cslot ([a-z]+)\\u003e")
MOST_NESTED = 3  # objects in objects whose values are lines


@lru_cache(maxsize=512)
def moment(text: str) -> datetime:
    """Return the moment of a text of the snapshot."""
    return datetime.fromisoformat(text)


def clock(text: str | datetime | None, form: str = "%H:%M") -> str:
    """Return a moment as a clock shows it; "" without a moment."""
    if isinstance(text, str):
        return _clock(text, form) if text else ""
    return timezone.localtime(text).strftime(form) if text else ""


@lru_cache(maxsize=1024)
def _clock(text: str, form: str) -> str:
    return timezone.localtime(moment(text)).strftime(form)


def in_lines(value: Any) -> SafeString:
    """Return a value as JSON for a `<script>`, on lines of its own for what changes apart: the values of the object and
    of an object in it, and the items of a list there. A push then carries the lines that an act changed.

    HTML is a list of its lines, without those that are empty. Its slots (`parts.slot`) stay.
    """
    if not isinstance(value, str):
        return _for_script(_lines(value, MOST_NESTED))
    lines = [line for line in value.split("\n") if line.strip()]
    return mark_safe(MARK_IN_SCRIPT.sub(r"<slot \1>", _for_script(_lines(lines, MOST_NESTED))))


def value_in_lines(value: Any) -> SafeString:
    """As `in_lines`, for a value of an object."""
    return _for_script(_lines(value, MOST_NESTED - 1))


def value_in_line(value: Any) -> SafeString:
    """Return a value as JSON for a `<script>`, on one line."""
    return _for_script(_compact(value))


def members(value: dict[str, Any]) -> SafeString:
    """As `in_lines`, without the braces: for an object that several parts of a screen write."""
    return _for_script(_lines(value, MOST_NESTED).removeprefix("{\n").removesuffix("\n}"))


def _for_script(text: str) -> SafeString:
    for sign in "<>&":
        if sign in text:
            text = text.replace(sign, f"\\u{ord(sign):04x}")
    return mark_safe(text)


def _lines(value: Any, depth: int) -> str:
    if depth and isinstance(value, dict) and value:
        pairs = (f"{_compact(str(name))}:{_lines(item, depth - 1)}" for name, item in value.items())
        return "{\n" + ",\n".join(pairs) + "\n}"
    if depth and isinstance(value, list) and value:
        return "[\n" + ",\n".join(map(_compact, value)) + "\n]"
    return _compact(value)


_compact = json.JSONEncoder(separators=(",", ":")).encode


def seconds_between(start: str, end: str) -> float:
    """Return the seconds from one moment of the snapshot to another."""
    return (moment(end) - moment(start)).total_seconds()


def countdown(start: str, end: str) -> str:
    """Return the time from one moment to another; under a minute in seconds."""
    return duration(seconds_between(start, end))


def cite(section: str | None) -> str:
    """`58 Pa. Code § 625a.3(6)` as `§ 625a.3(6)`."""
    return section[section.index("§") :] if section and "§" in section else section or ""


def breakable(odds: str) -> str:
    """Odds that may break before "to", and nowhere else: a narrow area prints them in two lines."""
    before, _, after = odds.rpartition(" ")
    return f"{before}\u00a0{after}"


# Templates


# They return the same text for the same value: Python is called from Rust for each, so there are few, and none is slow.
FILTERS: dict[str, Callable[..., str]] = {
    "breakable": breakable,
    "chip_class": chip_class,
    "cite": cite,
    "clock": clock,
    "in_lines": in_lines,
    "listed": listed,
    "money": money,
    "plain": plain,
    "signed": signed,
    "slot": slot,
}
SUFFIX = ".jinja"
INDENTATION = re.compile(r"\n[ \t]+")


def folders() -> list[Path]:
    """Return the folders with templates: the project's, and one of each registered game."""
    own = [Path(str(registry.folder_of(code))) / "templates" for code in registry.GAMES]
    return [Path(settings.BASE_DIR) / "templates", *own]


def _read(name: str) -> str | None:
    """Return the source of a template, indented by one space at most: more is a tenth of a console's bytes."""
    paths = (folder / name for folder in folders())
    source = next((path.read_text("utf-8") for path in paths if path.is_file()), None)
    return INDENTATION.sub("\n ", source) if source is not None else None


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Return the compiled templates and their filters."""
    return Environment(
        loader=_read,
        filters=FILTERS,
        globals={"meanings": MEANINGS},
        auto_escape_callback=lambda _name: True,
        undefined_behavior="strict",
        keep_trailing_newline=True,
        debug=settings.DEBUG,  # an error then quotes the template and the values in it
    )


registry.clear_on_change(environment.cache_clear)


def render(name: str, **context: Any) -> SafeString:
    """Render a template. Raises `minijinja.TemplateError`, also for a name that is undefined."""
    return mark_safe(environment().render_template(name, **context))
