"""Write the tables of fields in docs/snapshot.md from the declaration in `games/snapshot_types.py`.

Usage: `python -m script.snapshot_fields`. A test compares the page with `page_text()`.
"""

import os
import re
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import django

PAGE = Path(__file__).resolve().parents[1] / "docs" / "snapshot.md"
BEGIN, END = "<!-- fields: generated -->\n", "<!-- end of fields -->\n"
ANCHOR = re.compile(r"[^\w-]")  # what GitHub leaves out of the anchor of a title
PLAIN = {int: "integer", str: "text", bool: "true or false", type(None): "null"}


def tables() -> str:
    """Return a table of fields for the snapshot and for each object in it."""
    from games.snapshot_types import Snapshot

    paths = dict(_declarations("", Snapshot, set()))
    return "\n".join(_section(path, declaration, paths) for declaration, path in paths.items())


def _declarations(path: str, declaration: Any, seen: set[Any]) -> Iterator[tuple[Any, str]]:
    """Yield each declared object with the path at which it first occurs, `[]` standing for an item of a list."""
    if declaration in seen:
        return
    seen.add(declaration)
    yield declaration, path
    for name, hint in get_type_hints(declaration, include_extras=True).items():
        for suffix, nested in _objects(hint):
            yield from _declarations(f"{path}.{name}".lstrip(".") + suffix, nested, seen)


def _section(path: str, declaration: Any, paths: Mapping[Any, str]) -> str:
    rows = [
        f"| `{name}` | {_type_text(hint, paths)} | {_meaning(hint)} |"
        for name, hint in get_type_hints(declaration, include_extras=True).items()
    ]
    title = f"### `{path}`\n\n" if path else ""
    return (
        f"{title}{declaration.__doc__}\n\n| field | type | meaning |\n|---|---|---|\n"
        + "\n".join(rows)
        + "\n"
    )


def _objects(hint: Any, suffix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each declared object within a type, after a `[]` for each list around it."""
    if is_typeddict(hint):
        yield suffix, hint
    for argument in get_args(hint):
        yield from _objects(argument, suffix + ("[]" if get_origin(hint) is list else ""))


def _meaning(hint: Any) -> str:
    """Return the meaning that is declared with a field; empty where its name says enough."""
    notes = [note for note in getattr(hint, "__metadata__", ()) if isinstance(note, str)]
    return notes[0] if notes else ""


def _type_text(hint: Any, paths: Mapping[Any, str]) -> str:
    from games.snapshot_types import Format

    if hint in PLAIN:
        return PLAIN[hint]
    if is_typeddict(hint):
        return f"[object](#{ANCHOR.sub('', paths[hint].lower())})"
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is NotRequired:
        return f"{_type_text(arguments[0], paths)}, may be absent"
    if origin is Annotated:
        formats = [note.name for note in arguments[1:] if isinstance(note, Format)]
        return formats[0] if formats else _type_text(arguments[0], paths)
    if origin is Literal:
        return ", ".join(f"`{value}`" for value in arguments)
    if origin is list:
        return f"list of {_plural(_type_text(arguments[0], paths))}"
    if origin is dict:
        return f"object of {_type_text(arguments[1], paths)}"
    if origin in (Union, types.UnionType):
        return " or ".join(_type_text(argument, paths) for argument in arguments)
    raise TypeError(f"the snapshot cannot hold {hint!r}")


def _plural(text: str) -> str:
    return {"integer": "integers", "text": "texts"}.get(text, text.replace("[object]", "[objects]"))


def page_text() -> str:
    """Return docs/snapshot.md with its tables as the declaration has them."""
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{tables()}\n{END}{after}"


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.test")
    django.setup()
    PAGE.write_text(page_text(), "utf-8")


if __name__ == "__main__":
    main()
