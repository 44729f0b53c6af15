"""The page of the snapshot: an example, and a table of fields for the snapshot and for each object in it."""

import inspect
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

from games import registry
from games.engine.rounds import GameView
from games.snapshot_types import Format, Snapshot

EXAMPLE = Path(__file__).with_name("snapshot.json")
ANCHOR = re.compile(r"[^\w-]")  # what GitHub leaves out of the anchor of a title
PLAIN = {int: "integer", str: "text", bool: "true or false", type(None): "null"}
HEAD = """\
# The snapshot of a table

One JSON document with everything that a screen of a table shows. Money is integer cents, a moment is UTC in ISO 8601
with a `Z`, a day is `YYYY-MM-DD`, faces are 1 to 6, and a section is a citation, empty where none applies. Nothing is
left out: what is absent is `null`. An act sends `head` back unchanged.

For a closed table `next` is `inspect_table`, then `open_table`; for a ceased one `record_repair`, then `inspect_table`.
`missing` is then the first item of `to_open`, or why there are no dice to inspect. A halted table offers nothing:
`next` is `null`, `offers` is empty, and `missing` says why.
"""


def page() -> str:
    """An example, and a table of fields for the snapshot and for each object in it."""
    paths = dict(_declarations("", Snapshot, set()))
    sections = (_section(path, declaration, paths) for declaration, path in paths.items())
    example = EXAMPLE.read_text("utf-8")
    return "\n".join([HEAD, f"```json\n{example}```\n", "# Fields\n", *sections, *_views()])


def _views() -> Iterator[str]:
    """What only one game shows in `round.game`, for each game that has a view of its own."""
    for game in registry.GAMES.values():
        view = get_type_hints(game.view)["return"]
        if view is not GameView:
            paths = dict(_declarations(f"round.game of {game.name}", view, set()))
            yield from (_section(path, declaration, paths) for declaration, path in paths.items())


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
    title = f"## `{path}`\n\n" if path else ""
    return (
        f"{title}{inspect.getdoc(declaration)}\n\n| field | type | meaning |\n|---|---|---|\n"
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
