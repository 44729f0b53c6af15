"""Write the tables of docs/record.md from the declared entry types.

Usage: `python -m script.entry_docs [--check]`; with `--check` it writes nothing, and the exit status is 1 if the
page is out of date.
"""

import sys
from collections import defaultdict
from typing import Any, get_type_hints, is_typeddict

from script import generated_docs
from script.generated_docs import GeneratedPart
from script.service_finder import ROOT

PART = GeneratedPart(ROOT / "docs" / "record.md", "entry types", "python -m script.entry_docs")


def tables() -> str:
    """One table for each module that declares entry types, in the order of the imports."""
    from audit.entry_types import ENTRY_TYPES

    modules: dict[str, list[Any]] = defaultdict(list)
    for name in sorted(ENTRY_TYPES):
        if not ENTRY_TYPES[name].module.startswith("tests."):
            modules[ENTRY_TYPES[name].module].append(ENTRY_TYPES[name])
    parts = []
    for module in sorted(modules):
        heading = (sys.modules[module].__doc__ or module).strip().splitlines()[0].rstrip(".")
        parts.append(f"### {heading}\n\n| type | what happened | data |\n|---|---|---|")
        parts[-1] += "".join(
            f"\n| `{kind.name}` | {kind.about} | {fields(kind.data)} |" for kind in modules[module]
        )
    return "\n\n".join(parts)


def fields(declaration: Any) -> str:
    """The fields of a TypedDict with their meanings. A question mark means that a field may be absent."""
    if not is_typeddict(declaration):
        return ""
    from audit.entry_fields import meaning
    from audit.entry_schemas import schema_of

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


if __name__ == "__main__":
    sys.exit(generated_docs.run(PART, tables, __doc__))
