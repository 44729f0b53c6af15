"""The templates of live screens, rendered by MiniJinja: `*.jinja` in `templates/` and in the games' folders.

Every value is escaped, unless Python marked it safe. A name that a template cannot find is an error, so what may be
absent has to be asked for first: `{% if s.lot and s.lot.expired %}`. The templates are compiled once for a process.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.safestring import SafeString, mark_safe
from minijinja import Environment

from games import registry
from games.chips import chip_class
from games.formats import MEANINGS, money, plain, signed
from games.layout_drawing import listed
from tables.screens.formats import breakable, cite, clock, in_lines

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
