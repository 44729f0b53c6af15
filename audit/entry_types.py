"""Declarations of the entries of the record: one `EntryType` for each type, in the package that writes it.

An entry is declared by a function (`@entry_type`): its arguments are the fields of the entry's `data`, its docstring is the
sentence for auditors, and what it returns is the line of the record (docs/architecture.md has one). Writers call what
the decorator makes of it, with the fields by name, so that mypy checks them.

Data that several types share, or that other code reads or hands on, is a TypedDict: a function takes it as
`**data: Unpack[LotData]`, or the type is declared of it alone. `record.append` refuses an undeclared type.
From these declarations come:

- `manage.py reference entries`, with the meaning of each field. It is declared with the field, as in
  `Annotated[int, "the dice that are loose"]`, or in `MEANINGS` if it is the same in all entries. Names ending in
  `_cents` are integer cents, in `_um` micrometers, in `_bp` basis points, in `_sha256` hex digests, in `_on` calendar
  days, in `_at` moments in UTC.
- the JSON Schemas (draft 2020-12) that travel in every evidence bundle, for auditors who read entries with their own
  tools. `audit/verify.py` needs none of them.
- `data_faults`, with which the tests check every entry that the product writes.
"""

import inspect
import re
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import (
    Annotated,
    Any,
    Generic,
    Literal,
    NamedTuple,
    NotRequired,
    ParamSpec,
    Required,
    TypedDict,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
    overload,
)

MEANINGS = {
    "approval": "number of the approval",
    "assignment": "number of the assignment",
    "attested": "whether the maker attested the dice to the standard",
    "balanced": "whether the balance test passed",
    "by_hand": "whether the round is settled manually",
    "called": "what the throw comes to, by code, with its figures",
    "cameras": "the cameras that were checked, one for each end of the table",
    "change": "number of the change of limits at this table",
    "cite": "the section behind the outcome",
    "compartment": "the compartment of the dice storage",
    "corrects": "the entry that this one corrects: its number and hash",
    "cut_cents": "what the payout limit cut off the payout",
    "document": "the document: its code and the SHA-256 of its bytes; null if there is none",
    "edition": "key of the regulation edition",
    "exposed": "whether the dice stayed uncovered and in view",
    "feed": "number of the calendar feed",
    "flag": "under-min or over-max for a wager outside the limits, otherwise empty",
    "floorperson": "code of the floorperson who supervises the table",
    "game": "code of the game",
    "granted": "whether it was granted",
    "inspected_by": "code of the floorperson who inspected the table",
    "job": "id of the job",
    "lapsed_acknowledged": "whether a lapsed edition was acknowledged",
    "leaning": "how many dice were read by the face opposite to the one that leaned",
    "letter": "the letter of the decision: the code of the document and the SHA-256 of its bytes",
    "lot": "code of the dice lot",
    "lots": "the dice lots",
    "made_in": "chips or plaques",
    "origin": "name of the log of this incarnation",
    "person": "code of the person",
    "pit": "code of the pit",
    "play": "the play that a wager is made on",
    "provider": "code of the service provider",
    "relieves": "code of the person who was relieved",
    "request": "code of the request for a new game or feature",
    "revision": "revision of the throw: 1, and one more for each correction",
    "round": "number of the round at this table",
    "seat": "number of the seat",
    "seats": "numbers of the seats",
    "section": "the section of the regulations behind it; empty if they have none",
    "secured": "whether the shaker was locked away",
    "service": "code of the service",
    "settled": "the wagers in the order of settlement, as `manage.py adjudicate` writes them",
    "shaker": "code of the shaker",
    "sha256": "SHA-256 of the bytes, in hex",
    "slip": "code of the Error Notification Slip",
    "stream": "name of the stream",
    "submission": "code of the rules submission",
    "table": "code of the table",
    "takes_supervision": "whether opening the table made this person its supervisor",
    "terms": "the whole terms of the submission",
    "terms_sha256": "SHA-256 of the canonical terms of the submission",
    "throw": "number of the throw in the round",
    "uncovered": "whether the dice were uncovered",
    "wager": "wager code",
    "wagered_cents": "what is wagered in the round",
    "yards": "yards gained",
}


def meaning(name: str) -> str:
    """The meaning of a field by its name; empty if the name says enough."""
    return MEANINGS.get(name, "")


# Entry types


TYPE_NAME = re.compile(r"[a-z][a-z0-9_-]*(?:\.[a-z][a-z0-9_-]*)+")


class _Absent:
    def __bool__(self) -> bool:
        return False


ABSENT: Any = _Absent()  # the value of a field that an entry lacks: for its writers, and in its line
Fields = ParamSpec("Fields")
D = TypeVar("D", bound=Mapping[str, Any])
ActLine = Callable[[dict[str, Any]], str]

ENTRY_TYPES: dict[str, "EntryType[Any]"] = {}
ACT_LINES: dict[str, ActLine] = {}  # the lines of the record, by the names of their types


class EntryBody(NamedTuple):
    """The content that a writer appends to the record: the name of the entry type, and the data."""

    type: str
    data: dict[str, Any]


@dataclass(frozen=True)
class EntryType(Generic[D]):
    """One type of entry: its stable dotted name, the TypedDict of its data, and one sentence for auditors."""

    name: str
    data: type[D]
    about: str
    module: str  # that declares it

    def __call__(self, data: D) -> EntryBody:
        """Return the data as an entry of this type. mypy checks the data against the declaration."""
        return EntryBody(self.name, dict(data))

    def of(self, data: Mapping[str, Any]) -> EntryBody:
        """The same for data put together from parts, which mypy cannot check. Tests check it at run time."""
        return EntryBody(self.name, dict(data))


class EntryTypeOfFields(EntryType[Any], Generic[Fields]):
    """A type of entry that a function declares: what is called with the fields by name."""

    def __call__(self, *_: Fields.args, **fields: Fields.kwargs) -> EntryBody:
        """Return the fields as an entry of this type, without those that are ABSENT. mypy checks the others."""
        return EntryBody(self.name, {name: value for name, value in fields.items() if value is not ABSENT})


@overload
def entry_type(name: str) -> Callable[[Callable[Fields, str | None]], EntryTypeOfFields[Fields]]: ...
@overload
def entry_type(
    name: str, data: type[D], about: str, words: Callable[[D], str] | None = None
) -> EntryType[D]: ...
def entry_type(
    name: str, data: Any = None, about: str = "", words: Callable[[Any], str] | None = None
) -> Any:
    """Declare a type of entry: with its name alone by the decorated function (see the module), or of a TypedDict.

    A function that returns None declares no line, and ABSENT is the default of a field that an entry may lack. `words`
    is the line of a TypedDict's data. Raises ValueError for a name that is not dotted, or is declared already.
    """
    if data is None:
        return lambda function: _declare_function(name, function)
    declared = _declare(EntryType(name, data, about, sys._getframe(1).f_globals["__name__"]))
    if words is not None:
        ACT_LINES[name] = words
    return declared


def _declare_function(name: str, words: Callable[Fields, str | None]) -> EntryType[Any]:
    hints = get_type_hints(words, include_extras=True)
    has_line = hints.pop("return") is str
    about = " ".join((inspect.getdoc(words) or "").partition("\n\n")[0].split())
    fields: dict[str, Any] = {}
    for parameter in inspect.signature(words).parameters.values():
        hint = hints[parameter.name]
        if parameter.kind is parameter.VAR_KEYWORD:
            fields = get_type_hints(get_args(hint)[0], include_extras=True) | fields
        else:
            fields[parameter.name] = hint if parameter.default is parameter.empty else NotRequired[hint]
    data: Any = TypedDict(words.__name__, fields)  # type: ignore[misc]  # the arguments of the function
    declared = _declare(EntryTypeOfFields[Fields](name, data, about, words.__module__))
    if has_line:
        ACT_LINES[name] = partial(_line_by, words, fields.keys())
    return declared


def _line_by(words: Callable[..., str | None], names: Iterable[str], data: dict[str, Any]) -> str:
    """The line of data as it is read from the record: not proven, so a field that is not declared is passed over."""
    return str(words(**{name: data[name] for name in names if name in data}))


def _declare(declared: EntryType[Any]) -> EntryType[Any]:
    if not TYPE_NAME.fullmatch(declared.name):
        raise ValueError(f"no dotted name: {declared.name!r}")
    if declared.name in ENTRY_TYPES:
        raise ValueError(f"declared twice: {declared.name}")
    ENTRY_TYPES[declared.name] = declared
    return declared


# Schemas


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


# Data against its declaration


def data_faults(value: Any, hint: Any, where: str = "data") -> Iterator[str]:
    """Return one sentence for each part of a value that does not match its type."""
    if is_typeddict(hint):
        yield from _object_faults(value, hint, where)
        return
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (NotRequired, Required, Annotated):
        yield from data_faults(value, arguments[0], where)
    elif origin is Literal:
        if value not in arguments:
            yield f"{where} is {value!r}, not one of {arguments}"
    elif origin in (Union, types.UnionType):
        if all(any(True for _ in data_faults(value, argument, where)) for argument in arguments):
            yield f"{where} is {value!r}, which is none of {hint}"
    elif origin in (list, tuple):
        if not isinstance(value, list | tuple):
            yield f"{where} is no list"
        else:
            for place, item in enumerate(value):
                yield from data_faults(item, arguments[0], f"{where}[{place}]")
    elif origin in (dict, Mapping):
        if not isinstance(value, dict):
            yield f"{where} is no object"
        else:
            for name, item in value.items():
                yield from data_faults(item, arguments[1], f"{where}.{name}")
    elif hint is not Any and not _is_plain(value, hint):
        yield f"{where} is {value!r}, not {getattr(hint, '__name__', hint)}"


def _object_faults(value: Any, declaration: Any, where: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{where} is no object"
        return
    hints = _hints(declaration)
    for name in sorted(declaration.__required_keys__ - value.keys()):
        yield f"{where}.{name} is missing"
    for name in sorted(value.keys() - hints.keys()):
        yield f"{where}.{name} is not declared"
    for name in value.keys() & hints.keys():
        yield from data_faults(value[name], hints[name], f"{where}.{name}")


@lru_cache(maxsize=512)
def _hints(declaration: Any) -> dict[str, Any]:
    return get_type_hints(declaration, include_extras=True)


def _is_plain(value: Any, kind: Any) -> bool:
    """Whether a value is of a plain type. True is not an integer. A text choice, a subclass of `str`, is text."""
    if isinstance(value, bool):
        return kind is bool
    return value is None if kind is type(None) else isinstance(value, kind)
