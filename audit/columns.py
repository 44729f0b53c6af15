"""Declare which entries state the columns of a model, so that a full verification compares every row with them.

A module named `columns.py` beside the entry types has the declarations of its models; `AppConfig.ready` imports it:

    declare(
        LegalHold,
        "legal hold",
        key={"facility": FACILITY, "number": "hold"},
        created={LEGAL_HOLD_PLACED: {"reason": "reason", "placed_by": ACTOR, "placed_at": AT, "released_at": NONE}},
        changed={LEGAL_HOLD_RELEASED: {"released_by": ACTOR, "released_at": AT, "release_reason": "reason"}},
    )

The name of a field stands for what the entry has there; a function gets the entry's body. What nothing states has its
reason in `unproven`, what follows from other columns or is checked elsewhere names the function in `derived`. Every
column of every model is in one of the three (`tests/audit/test_columns.py`). `audit/stated_rows.py` compares.

Nothing here calls what writes rows: a declaration repeats in its own words what an entry means.
"""

import datetime as dt
import hashlib
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from django.db.models import Field, Model

from audit.clock import format_moment
from audit.entry_types import EntryType
from audit.verification_words import declare_finding

Body = dict[str, Any]
Source = str | Callable[[Body], Any]
Values = Mapping[str, Source]
Stating = EntryType[Any] | str  # a type of entry, or the name of one that a higher package declares
UNSTATED: Any = object()  # what an entry of before a field existed does not say: the column is not compared
# How rows that others point to are named in entries.
NAMES = {
    "audit.Person": "code",
    "audit.Stream": "name",
    "games.Document": "code",
    "games.Facility": "code",
    "tables.DiceLot": "code",
    "tables.Pit": "code",
    "tables.Player": "code",
    "tables.Shaker": "code",
    "tables.Table": "code",
}


# Where an entry has the value of a column


def AT(body: Body) -> Any:
    """The moment of the entry."""
    return body["at"]


def ACTOR(body: Body) -> Any:
    return body["actor"]


def WITNESS(body: Body) -> Any:
    return body["witness"]


def SEQ(body: Body) -> Any:
    return body["seq"]


def DAY(body: Body) -> Any:
    """The gaming day of the entry."""
    return body["gaming_day"]


def STREAM(body: Body) -> Any:
    return body["stream"]


def PLACE(body: Body) -> Any:
    """The stream without its facility: the code of a table."""
    return body["stream"].partition("/")[2]


def FACILITY(body: Body) -> Any:
    """The code of the facility of the stream."""
    return body["stream"].partition("/")[0]


def DEVICE(body: Body) -> Any:
    """The id of the device at which the act was entered."""
    return body["device"]


def NONE(body: Body) -> Any:
    return None


def SIGNERS(body: Body) -> Any:
    """Actor and witness. Of two signers either may have entered the act, so that the record has the pair."""
    return sorted(code for code in (body["actor"], body["witness"]) if code)


def constant(value: Any) -> Callable[[Body], Any]:
    """A value that every entry of the type states."""
    return lambda body: value


def letter(name: str) -> Callable[[Body], Any]:
    """The code of a document that the field names by its code or as `{"document": code, …}`."""

    def code_of(body: Body) -> Any:
        document = body["data"].get(name)
        return document.get("document") if isinstance(document, dict) else document

    return code_of


def code_number(name: str) -> Callable[[Body], Any]:
    """The number in a code such as `LH-0001`."""
    return lambda body: int(body["data"][name].rpartition("-")[2])


def moment(name: str) -> Callable[[Body], Any]:
    """A moment that the field has with another offset than Z."""
    return lambda body: format_moment(dt.datetime.fromisoformat(body["data"][name]))


def if_given(name: str) -> Callable[[Body], Any]:
    """A field that is absent where there is nothing to say."""
    return lambda body: body["data"].get(name)


def same(*names: str) -> dict[str, Source]:
    """Columns that have the names of the fields."""
    return {name: name for name in names}


def value_of(body: Body, source: Source) -> Any:
    """What an entry states, or UNSTATED where it lacks the field. Raises as its function does."""
    if callable(source):
        return source(body)
    return body["data"].get(source, UNSTATED)


# How a row's column is read


@dataclass(frozen=True)
class Reading:
    """A column as entries write it, from the paths of one query. `columns` are those of the model that it covers."""

    paths: tuple[str, ...]
    plain: Callable[..., Any]
    columns: tuple[str, ...]


def plain(value: Any) -> Any:
    """A value as an entry writes it: moments, days, times and ids as text. Empty text stands for nothing."""
    if isinstance(value, dt.datetime):
        return format_moment(value)
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, dt.time):
        return value.strftime("%H:%M")
    if isinstance(value, uuid.UUID):
        return str(value)
    return None if value == "" else value


def sha256(value: Any) -> str:
    """The SHA-256 (hex) of bytes, as entries have it of a file."""
    return hashlib.sha256(bytes(value)).hexdigest()


def pair(first: str, second: str) -> Reading:
    """Two signers, of whom either may have entered the act (SIGNERS)."""
    return Reading(
        (f"{first}__code", f"{second}__code"),
        lambda *codes: sorted(code for code in codes if code),
        (first, second),
    )


def named(path: str, column: str) -> Reading:
    """A foreign key as the name that entries have for it, such as `inventory__number`."""
    return Reading((path,), plain, (column,))


def hashed(column: str) -> Reading:
    return Reading((column,), sha256, (column,))


def reading_of(field_: "Field[Any, Any]") -> Reading:
    """How a column is read if its declaration does not say."""
    if field_.is_relation:
        name = NAMES.get(field_.related_model._meta.label)  # type: ignore[union-attr]
        return Reading((f"{field_.name}__{name}" if name else field_.attname,), plain, (field_.name,))
    return Reading((field_.name,), plain, (field_.name,))


# Declarations


class Rows(Protocol):
    """The rows of one model, as the entries so far state them, for a fold of its own."""

    def get(self, *key: Any) -> dict[str, Any] | None:
        """The values of a row, or None."""

    def put(self, body: Body, /, *key: Any, **values: Any) -> None:
        """State a row, or columns of one that is stated."""

    def forget(self, *key: Any, names: Iterable[str]) -> None:
        """Say that these columns changed to what no entry states: they are not compared until one does."""

    def remove(self, *key: Any) -> None:
        """State that a row ended and is deleted."""

    memory: dict[Any, Any]


Fold = Callable[[Rows, Body], None]


@dataclass(frozen=True)
class RowFindings:
    """The codes of three findings about rows: it differs, no entry states it, or it is missing."""

    differs: str
    without_entry: str
    without_row: str

    @classmethod
    def declare(cls, name: str) -> "RowFindings":
        """Declare the findings of one topic: `money-differs`, `money-without-entry` and `money-without-row`."""
        return cls(
            declare_finding(
                f"{name}-differs",
                "%(stream)s: %(row)s differs from entry %(seq)s in %(column)s. The entry counts.",
            ),
            declare_finding(
                f"{name}-without-entry",
                "%(stream)s: %(row)s is in the database, and no entry of the record states it.",
            ),
            declare_finding(
                f"{name}-without-row", "%(stream)s: %(row)s of entry %(seq)s is not in the database."
            ),
        )


ROWS = RowFindings.declare("row")


@dataclass(frozen=True)
class StatedModel:
    """What the entries state of the rows of one model.

    `folds` has, by the name of an entry type, what an entry of it changes; `readings` how the compared columns are
    read. With `may_be_seeded` rows may be from before entries stated them: one without an entry is a finding only where
    every row of its facility is stated. With `may_be_gone` a missing row is none.
    """

    model: type[Model]
    words: str
    findings: RowFindings
    key: tuple[str, ...]
    folds: Mapping[str, tuple[Fold, ...]]
    readings: Mapping[str, Reading]
    derived: Mapping[str, str] = field(default_factory=dict)
    unproven: Mapping[str, str] = field(default_factory=dict)
    may_be_seeded: bool = False
    may_be_gone: bool = False

    @property
    def stated(self) -> set[str]:
        """The names of the model's columns that some entry states."""
        return {column for reading in self.readings.values() for column in reading.columns}

    def name_of(self, key: Sequence[Any]) -> str:
        """Such as `legal hold 3` or `approval 12`, without the facility."""
        names = [str(part) for column, part in zip(self.key, key, strict=True) if column != "facility"]
        return f"{self.words} {' '.join(names)}".strip()


STATED: dict[type[Model], StatedModel] = {}


def declare(
    model: type[Model],
    words: str,
    *,
    key: Values | None = None,
    created: Mapping[Stating, Values] | None = None,
    changed: Mapping[Stating, Values] | None = None,
    removed: Iterable[Stating] = (),
    folded: Mapping[Stating, Fold] | None = None,
    folded_columns: Iterable[str] = (),
    readings: Mapping[str, Reading] | None = None,
    derived: Mapping[str, str] | None = None,
    unproven: Mapping[str, str] | None = None,
    may_be_seeded: bool = False,
    may_be_gone: bool = False,
    findings: RowFindings = ROWS,
) -> None:
    """Declare what states the rows of a model; see the module.

    `key` are the columns that name a row, and where an entry has them. `folded` are functions for what a mapping cannot
    say; they state `folded_columns`. `readings` says how a column is read other than by its type, or gives a name to
    several columns that are compared together. Raises ValueError for a model that is declared already, or a column that
    the model does not have.
    """
    if model in STATED:
        raise ValueError(f"declared twice: {model.__name__}")
    keys = dict(key or {})
    folds: dict[str, list[Fold]] = {}
    columns = dict.fromkeys([*keys, *folded_columns])
    for source, creates in ((created, True), (changed, False)):
        for type_, values in (source or {}).items():
            folds.setdefault(name_of(type_), []).append(_mapped(keys, values, creates=creates))
            columns.update(dict.fromkeys(name for name in values if not name.startswith("@")))
    for type_ in removed:
        folds.setdefault(name_of(type_), []).append(_removed(keys))
    for type_, fold in (folded or {}).items():
        folds.setdefault(name_of(type_), []).append(fold)
    fields = {field_.name: field_ for field_ in model._meta.concrete_fields}
    own = dict(readings or {})
    if unknown := [
        name for name in (*columns, *(derived or {}), *(unproven or {})) if name not in {*fields, *own}
    ]:
        raise ValueError(f"{model.__name__} has no column {', '.join(unknown)}")
    STATED[model] = StatedModel(
        model,
        words,
        findings,
        tuple(keys),
        {name: tuple(functions) for name, functions in folds.items()},
        {name: own.get(name) or reading_of(fields[name]) for name in columns},
        dict(derived or {}),
        dict(unproven or {}),
        may_be_seeded,
        may_be_gone,
    )


def name_of(type_: Stating) -> str:
    return type_ if isinstance(type_, str) else type_.name


def key_of(body: Body, keys: Values, values: Values) -> list[Any]:
    """The key of the row that an entry is about. A type that names it otherwise has `@column` in its values."""
    return [value_of(body, values.get(f"@{column}", source)) for column, source in keys.items()]


def _mapped(keys: Values, values: Values, *, creates: bool) -> Fold:
    columns = {name: source for name, source in values.items() if not name.startswith("@")}

    def fold(rows: Rows, body: Body) -> None:
        key = key_of(body, keys, values)
        if creates:
            rows.remove(*key)  # where the name of an ended row is given again, the new row counts
        rows.put(body, *key, **{name: value_of(body, source) for name, source in columns.items()})

    return fold


def _removed(keys: Values) -> Fold:
    def fold(rows: Rows, body: Body) -> None:
        rows.remove(*key_of(body, keys, {}))

    return fold
