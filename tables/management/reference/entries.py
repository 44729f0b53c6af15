"""The page of entry types: one table for each module that declares some."""

import sys
from collections import defaultdict
from typing import Any, get_type_hints, is_typeddict

from audit.entry_types import ENTRY_TYPES, meaning, schema_of

HEAD = """\
# Entry types

What the record says. Each act writes one entry to the stream of its table (`facility/table`) or of its facility, and
after it one for each alert that it raised or ended. `audit/FORMAT.md` describes the bytes. Money is integer cents,
moments are UTC, faces are 1 to 6. A field with a question mark may be absent. Every evidence bundle has these
declarations as JSON Schemas (`schemas.json`).
"""


def page() -> str:
    """One table for each module that declares entry types, in the order of their names."""
    modules: dict[str, list[Any]] = defaultdict(list)
    for name in sorted(ENTRY_TYPES):
        if not ENTRY_TYPES[name].module.startswith("tests."):
            modules[ENTRY_TYPES[name].module].append(ENTRY_TYPES[name])
    parts = [HEAD]
    for module in sorted(modules):
        heading = (sys.modules[module].__doc__ or module).strip().splitlines()[0].rstrip(".")
        rows = (f"| `{kind.name}` | {kind.about} | {_fields(kind.data)} |" for kind in modules[module])
        parts.append(
            "\n".join([f"## {heading}\n", "| type | what happened | data |", "|---|---|---|", *rows, ""])
        )
    return "\n".join(parts)


def _fields(declaration: Any) -> str:
    """The fields of a TypedDict with their meanings. A question mark means that a field may be absent."""
    if not is_typeddict(declaration):
        return ""
    words = []
    for name, hint in get_type_hints(declaration, include_extras=True).items():
        schema = schema_of(hint)
        mark = "" if name in declaration.__required_keys__ else "?"
        text = schema.get("description") or meaning(name)
        words.append(f"`{name}`{mark}" + (f" {text}" if text else "") + _inner(schema))
    return "; ".join(words)


def _inner(schema: dict[str, Any]) -> str:
    """The names of the fields of an object, or of the objects of a list; of alternatives, the fields of each."""
    choices = schema.get("anyOf", [schema])
    names = {name: None for choice in choices for name in choice.get("items", choice).get("properties", {})}
    if names:
        return " (" + ", ".join(f"`{name}`" for name in names) + ")"
    for choice in choices:
        target = choice.get("items", choice)
        if "enum" in target and len(target["enum"]) > 1:
            return (
                " (" + ", ".join(f"`{value}`" if value != "" else "empty" for value in target["enum"]) + ")"
            )
    return ""
