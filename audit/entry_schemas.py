"""JSON Schema (draft 2020-12) of each declared entry type, made from its TypedDict.

The schemas travel in every evidence bundle for auditors who read entries with their own tools. `audit/verify.py` needs
none of them.
"""

import types
from collections.abc import Mapping
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from audit.entry_fields import meaning
from audit.entry_types import ENTRY_TYPES, EntryType

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]
PLAIN: dict[Any, Schema] = {
    int: {"type": "integer"},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Any: {},
    dict: {"type": "object"},
}


def entry_schema(entry_type: EntryType[Any]) -> Schema:
    """The schema of an entry's `data`."""
    return {
        "$schema": DIALECT,
        "title": entry_type.name,
        "description": entry_type.about,
        **schema_of(entry_type.data),
    }


def all_schemas() -> dict[str, Schema]:
    """Every declared type with its schema, in the order of the names."""
    return {name: entry_schema(ENTRY_TYPES[name]) for name in sorted(ENTRY_TYPES)}


def schema_of(hint: Any) -> Schema:
    """The schema of a type that entries use. Raises TypeError for a type that canonical JSON does not have."""
    if is_typeddict(hint):
        return _object(hint)
    if hint in PLAIN:
        return dict(PLAIN[hint])
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (NotRequired, Required):
        return schema_of(arguments[0])
    if origin is Annotated:
        text = next((note for note in arguments[1:] if isinstance(note, str)), "")
        return {**schema_of(arguments[0]), **({"description": text} if text else {})}
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (Union, types.UnionType):
        return _any_of([schema_of(argument) for argument in arguments])
    if origin in (list, tuple):
        return {"type": "array", "items": schema_of(arguments[0])}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": schema_of(arguments[1])}
    raise TypeError(f"an entry cannot hold {hint!r}")


def _object(declaration: Any) -> Schema:
    properties = {}
    for name, hint in get_type_hints(declaration, include_extras=True).items():
        schema = schema_of(hint)
        if "description" not in schema and meaning(name):
            schema["description"] = meaning(name)
        properties[name] = schema
    return {
        "type": "object",
        "properties": properties,
        "required": sorted(declaration.__required_keys__),
        "additionalProperties": False,
    }


def _any_of(schemas: list[Schema]) -> Schema:
    """Combine alternatives: plain types become one list of types, and other schemas stay alternatives."""
    if all(set(schema) == {"type"} and isinstance(schema["type"], str) for schema in schemas):
        return {"type": [schema["type"] for schema in schemas]}
    return {"anyOf": schemas}
