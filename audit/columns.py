"""Declare which entries state the columns of a model, and compare every row with what the entries state of it.

The declarations of a model stand beside its entry types, in a module that the app's `registrations.py` imports:

    declare(
        LegalHold,
        "legal hold",
        key={"facility": FACILITY, "number": "hold"},
        created={LEGAL_HOLD_PLACED: {"reason": "reason", "placed_by": ACTOR, "placed_at": AT, "released_at": NONE}},
        changed={LEGAL_HOLD_RELEASED: {"released_by": ACTOR, "released_at": AT, "release_reason": "reason"}},
    )

The name of a field stands for what the entry has there; a function gets the entry's body. What nothing states has its
reason in `unproven`, what follows from other columns or is checked elsewhere names the function in `derived`. Every
column of every model is in one of the three (`tests/audit/test_columns.py`). Nothing here calls what writes rows: a
declaration repeats in its own words what an entry means.

A full verification (`check_columns`) makes one pass over the entries, in the order in which they were appended, and
folds them into expected rows. These are kept in a temporary file of SQLite beyond a few thousand, so memory does not
grow with the record. Then each model is read once. Play goes on meanwhile: what differs is read again, with the entries
since, in one transaction before it is said.
"""

import datetime as dt
import hashlib
import json
import sqlite3
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Protocol

from django.db import connection, transaction
from django.db.models import Field, Model

from audit import clock, record
from audit.clock import format_moment
from audit.entries import ROW_RECORDED
from audit.entry_types import EntryType
from audit.findings import Finding, declare_finding, record_check, record_gap
from audit.models import Entry, Stream
from audit.rows import fetch

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


def document_code(name: str) -> Callable[[Body], Any]:
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
    every row of its facility is stated. With `may_be_gone` a missing row is none. `named_by`: the columns of the key
    by which findings name a row, beside its stream or facility.
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
    named_by: tuple[str, ...] = ()

    @property
    def stated(self) -> set[str]:
        """The names of the model's columns that some entry states."""
        return {column for reading in self.readings.values() for column in reading.columns}

    def name_of(self, key: Sequence[Any]) -> str:
        """Such as `legal hold 3` or `approval 12`, without the stream or facility."""
        parts = dict(zip(self.key, key, strict=True))
        return " ".join([self.words, *(str(parts[column]) for column in self.named_by)])


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
    named_by: Iterable[str] | None = None,
    findings: RowFindings = ROWS,
) -> None:
    """Declare what states the rows of a model; see the module.

    `key` are the columns that name a row, and where an entry has them. If it begins with `stream`, a row belongs to
    that stream, else to its facility; findings name it by the columns that follow, or by `named_by`. `folded` are
    functions for what a mapping cannot say; they state `folded_columns`. `readings` says how a column is read other
    than by its type, or gives a name to several columns that are compared together. Raises ValueError for a model that
    is declared already, or a column that the model does not have.
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
    names = [
        name for number, name in enumerate(keys) if name != "facility" and (number, name) != (0, "stream")
    ]
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
        tuple(names if named_by is None else named_by),
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


# Rows compared with what the entries state


BATCH = 2000
FACILITY_MODEL = "games.Facility"
UNREADABLE = "(unreadable)"
CACHED_ROWS = 20_000
MOST_DOUBTS = 10_000  # of one model; what differs beyond is found once these are repaired
# After one of these every row of a facility is stated: the facility was made with its entries, or the operator of the
# server stated the rows from before.
ALL_ROWS_STATED = frozenset({"facility.made", ROW_RECORDED.name})
Tick = Callable[[], None]
Key = tuple[Any, ...]


@dataclass
class ExpectedRow:
    """A row as the entries so far leave it: its values, and stream and number of the newest entry about it.

    A row that an entry removed stays, so that a row in the database of that key is one without an entry.
    """

    stream: str
    seq: int
    values: dict[str, Any]
    is_removed: bool = False


class ExpectedRows:
    """The expected rows of every model by key: the newest in memory, the others in a temporary file."""

    def __init__(self) -> None:
        self._file = sqlite3.connect("")  # SQLite deletes it at the end
        self._file.execute("CREATE TABLE expected (id TEXT PRIMARY KEY, row TEXT) WITHOUT ROWID")
        self._file.execute("CREATE TABLE stored (id TEXT PRIMARY KEY) WITHOUT ROWID")
        self._cache: dict[str, ExpectedRow] = {}

    def close(self) -> None:
        self._file.close()

    def get(self, model: str, key: Key) -> ExpectedRow | None:
        id_ = _id(model, key)
        row = self._cache.get(id_)
        if row is None:
            stored = self._file.execute("SELECT row FROM expected WHERE id = ?", (id_,)).fetchone()
            if stored is None:
                return None
            row = ExpectedRow(*json.loads(stored[0]))
            self._keep(id_, row)
        return row

    def put(self, model: str, key: Key, row: ExpectedRow) -> None:
        self._keep(_id(model, key), row)

    def mark_stored(self, model: str, key: Key) -> bool:
        """Remember that the database has a row of this key. Returns whether it is the first one."""
        return bool(
            self._file.execute("INSERT OR IGNORE INTO stored VALUES (?)", (_id(model, key),)).rowcount
        )

    def not_stored(self, model: str) -> Iterator[Key]:
        """The keys of the rows that entries state, and that the database does not have."""
        self._flush()
        begin = _id(model, ())[:-1]
        rows = self._file.execute(
            "SELECT id, row FROM expected WHERE id >= ? AND id < ? AND id NOT IN (SELECT id FROM stored) LIMIT ?",
            (begin, begin + "\x7f", MOST_DOUBTS),
        )
        for id_, row in rows.fetchall():
            if not ExpectedRow(*json.loads(row)).is_removed:
                yield tuple(json.loads(id_[len(model) + 1 :]))

    def _keep(self, id_: str, row: ExpectedRow) -> None:
        self._cache[id_] = row
        if len(self._cache) >= CACHED_ROWS:
            self._flush()

    def _flush(self) -> None:
        self._file.executemany(
            "INSERT OR REPLACE INTO expected VALUES (?, ?)",
            (
                (id_, json.dumps([row.stream, row.seq, row.values, row.is_removed]))
                for id_, row in self._cache.items()
            ),
        )
        self._cache.clear()


def _id(model: str, key: Key) -> str:
    return f"{model} {json.dumps(list(key))}"


class RowsOfModel:
    """The expected rows of one model, as a fold changes them (`columns.Rows`)."""

    def __init__(self, expected: ExpectedRows, stated: StatedModel) -> None:
        self.expected, self.label = expected, stated.model._meta.label
        self.memory: dict[Any, Any] = {}

    def get(self, *key: Any) -> dict[str, Any] | None:
        row = self.expected.get(self.label, key)
        return None if row is None or row.is_removed else row.values

    def put(self, body: Body, /, *key: Any, **values: Any) -> None:
        before = self.get(*key) or {}
        given = {name: value for name, value in values.items() if value is not UNSTATED}
        row = ExpectedRow(body["stream"], body["seq"], {**before, **given})
        self.expected.put(self.label, key, row)

    def forget(self, *key: Any, names: Iterable[str]) -> None:
        row = self.expected.get(self.label, key)
        if row is not None:
            values = {name: value for name, value in row.values.items() if name not in names}
            self.expected.put(self.label, key, ExpectedRow(row.stream, row.seq, values, row.is_removed))

    def remove(self, *key: Any) -> None:
        row = self.expected.get(self.label, key)
        if row is not None:
            self.expected.put(self.label, key, ExpectedRow(row.stream, row.seq, {}, True))


@dataclass
class Doubts:
    """What differs in a model at first sight: ids of rows in the database, and keys of rows that it lacks.

    `twice` are the ids of rows whose key another row has, too: one of them has no entry.
    """

    pks: list[Any] = field(default_factory=list)
    keys: list[Key] = field(default_factory=list)
    twice: list[Any] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.pks or self.keys or self.twice)


class RowComparison:
    """The comparison of some models with the entries up to the heads that the streams had at its beginning."""

    def __init__(self, models: Iterable[StatedModel], tick: Tick) -> None:
        self.models, self.tick = [stated for stated in models if stated.key], tick
        self.expected = ExpectedRows()
        self.rows = {stated.model: RowsOfModel(self.expected, stated) for stated in self.models}
        self.by_label = {stated.model._meta.label: stated for stated in self.models}
        self.types = sorted({name for stated in self.models for name in stated.folds} | ALL_ROWS_STATED)
        self.folds = {
            name: [
                (stated.folds[name], self.rows[stated.model])
                for stated in self.models
                if name in stated.folds
            ]
            for name in self.types
        }
        self.heads: dict[int, int] = {}
        self.complete_facilities: set[str] = set()

    def findings(self) -> Iterator[Finding]:
        """Fold, compare, and read again what differs. Yields what still differs."""
        with closing(self.expected):
            self.fold_to_heads()
            doubts = {}
            for stated in self.models:
                doubts[stated.model] = self._compare(stated)
            if any(doubts.values()):
                yield from self._confirmed(doubts)

    # Entries

    def fold_to_heads(self) -> None:
        self.heads = dict(Stream.objects.values_list("pk", "seq"))
        last = 0
        places = ", ".join(["%s"] * len(self.types))
        statement = (
            f"SELECT id, stream_id, seq, body FROM audit_entry WHERE id > %s AND type IN ({places}) "
            f"ORDER BY id LIMIT {BATCH}"
        )
        while rows := fetch(statement, [last, *self.types]):
            last = rows[-1][0]
            for _id, stream, seq, body in rows:
                if seq <= self.heads.get(stream, 0):
                    self._apply(body)
            self.tick()

    def _fold_since(self) -> None:
        """Fold what was appended after the heads."""
        later = {
            stream: seq
            for stream, seq in Stream.objects.values_list("pk", "seq")
            if seq > self.heads.get(stream, 0)
        }
        places = ", ".join(["%s"] * len(self.types))
        bodies: list[tuple[int, bytes]] = []
        for stream in later:
            bodies += fetch(
                f"SELECT id, body FROM audit_entry WHERE stream_id = %s AND seq > %s AND type IN ({places})",
                [stream, self.heads.get(stream, 0), *self.types],
            )
        for _id, body in sorted(bodies, key=lambda row: row[0]):
            self._apply(body)

    def _apply(self, body: Any) -> None:
        """Fold one entry. What is not as it was written is passed over: the verification of the chain names it."""
        try:
            content = json.loads(bytes(body))
            type_ = content["_type"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return
        if type_ in ALL_ROWS_STATED:
            self.complete_facilities.add(content["stream"].partition("/")[0])
        if type_ == ROW_RECORDED.name:
            self._apply_recorded(content)
            return
        for folds, rows in self.folds.get(type_, ()):
            for fold in folds:
                try:
                    fold(rows, content)
                except (KeyError, TypeError, ValueError, AttributeError, IndexError):
                    continue

    def _apply_recorded(self, body: Body) -> None:
        """Fold what the server's operator stated of rows from before entries did. It changes no row that is stated."""
        data = body["data"]
        stated = self.by_label.get(data.get("model"))
        if stated is None:
            return
        rows, key = self.rows[stated.model], tuple(data["key"])
        known = rows.get(*key) or {}
        rows.put(body, *key, **{**data["values"], **known})
        for fold in stated.folds.get(ROW_RECORDED.name, ()):
            fold(rows, body)

    # Rows

    def _compare(self, stated: StatedModel) -> Doubts:
        doubts = Doubts()
        label = stated.model._meta.label
        for batch in _batches(stored_rows(stated), BATCH):
            for row in batch:
                is_first = self.expected.mark_stored(label, row.key)
                if len(doubts.pks) >= MOST_DOUBTS:
                    continue
                if not is_first:
                    doubts.twice.append(row.pk)
                elif any(True for _ in self._differences(stated, row)):
                    doubts.pks.append(row.pk)
            self.tick()
        for key in () if stated.may_be_gone else self.expected.not_stored(label):
            if len(doubts.keys) < MOST_DOUBTS:
                doubts.keys.append(key)
        return doubts

    def _confirmed(self, doubts: dict[type[Model], Doubts]) -> Iterator[Finding]:
        """Read again, in one snapshot of the database, what differed and the entries since."""
        confirmed: list[Finding] = []
        is_outermost = not connection.in_atomic_block
        with transaction.atomic():
            if is_outermost and connection.vendor == "postgresql":
                with connection.cursor() as cursor:
                    cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            self._fold_since()
            for stated in self.models:
                doubt = doubts[stated.model]
                for row in stored_rows(stated, doubt.pks):
                    confirmed += self._differences(stated, row)
                for row in stored_rows(stated, doubt.twice):
                    confirmed.append(_without_entry(stated, row))
                missing = set(doubt.keys)
                present = {row.key for row in stored_rows(stated) if row.key in missing} if missing else set()
                for key in doubt.keys:
                    expected = self.expected.get(stated.model._meta.label, key)
                    if expected is not None and not expected.is_removed and key not in present:
                        where = {"stream": expected.stream, "row": stated.name_of(key), "seq": expected.seq}
                        confirmed.append(Finding(stated.findings.without_row, where))
        yield from confirmed

    def unstated(self, stated: StatedModel, row: "StoredRow") -> dict[str, Any] | None:
        """The columns of a row that no entry states; None where each one is stated."""
        expected = self.expected.get(stated.model._meta.label, row.key)
        known = expected.values if expected is not None and not expected.is_removed else {}
        values = {
            name: value for name, value in row.values.items() if name not in known and name not in stated.key
        }
        return values if values or expected is None else None

    def _differences(self, stated: StatedModel, row: "StoredRow") -> Iterator[Finding]:
        expected = self.expected.get(stated.model._meta.label, row.key)
        words = stated.name_of(row.key)
        if expected is None or expected.is_removed:
            if not stated.may_be_seeded or expected or row.facility in self.complete_facilities:
                yield _without_entry(stated, row)
            return
        for column, value in row.values.items():
            if column in expected.values and _plain_json(expected.values[column]) != _plain_json(value):
                where = {"stream": expected.stream, "row": words, "seq": expected.seq, "column": column}
                yield Finding(stated.findings.differs, where)


def _without_entry(stated: StatedModel, row: "StoredRow") -> Finding:
    place = row.values["stream"] if stated.key[:1] == ("stream",) else row.facility
    where = {"stream": place or "installation", "row": stated.name_of(row.key)}
    return Finding(stated.findings.without_entry, where)


def _plain_json(value: Any) -> Any:
    return None if value == "" else value


@dataclass(frozen=True)
class StoredRow:
    """A row of the database: its primary key, its key in the entries' words, and its columns as entries write them."""

    pk: Any
    key: Key
    values: dict[str, Any]
    facility: str


def stored_rows(stated: StatedModel, pks: Sequence[Any] | None = None) -> Iterator[StoredRow]:
    """Read the rows of a model, all or those with these primary keys, in the order of their primary keys."""
    readable = readable_columns(stated.model)
    readings = {
        name: reading for name, reading in stated.readings.items() if readable.issuperset(reading.columns)
    }
    paths = list(dict.fromkeys(path for reading in readings.values() for path in reading.paths))
    facility = facility_path(stated.model)
    columns_read = ["pk", *([facility] if facility else []), *paths]
    query = stated.model._default_manager.order_by("pk")
    if pks is not None:
        query = query.filter(pk__in=pks)
    has_bytes = any("content" in reading.columns for reading in readings.values())
    for row in query.values(*dict.fromkeys(columns_read)).iterator(chunk_size=8 if has_bytes else BATCH):
        values = {name: _read(reading, row) for name, reading in readings.items()}
        key = tuple(values[name] for name in stated.key)
        yield StoredRow(row["pk"], key, values, str(row[facility] or "") if facility else "")


def _read(reading: Reading, row: dict[str, Any]) -> Any:
    """A column as entries write it; UNREADABLE where it does not have the shape that any act writes."""
    try:
        return reading.plain(*(row[path] for path in reading.paths))
    except (AttributeError, KeyError, TypeError, ValueError):
        return UNREADABLE


def facility_path(model: type[Model], depth: int = 3) -> str:
    """The path from a model to the code of its facility, "" if there is none."""
    if model._meta.label == FACILITY_MODEL:
        return "code"
    fields = {field_.name: field_ for field_ in model._meta.concrete_fields}
    if "facility" in fields:
        return "facility__code" if fields["facility"].is_relation else "facility"
    if depth:
        for name, field_ in fields.items():
            if field_.is_relation and not field_.null and field_.related_model is not model:
                path = facility_path(field_.related_model, depth - 1)  # type: ignore[arg-type]
                if path:
                    return f"{name}__{path}"
    return ""


def may_read(model: type[Model], columns: Iterable[str]) -> bool:
    """Whether this role of the database may read these columns: that of an auditor may not read secrets."""
    return readable_columns(model).issuperset(columns)


def readable_columns(model: type[Model]) -> set[str]:
    """The columns of a model that this role of the database may read, in one statement."""
    names = {field_.column: field_.name for field_ in model._meta.concrete_fields}
    if connection.vendor != "postgresql":
        return set(names.values())
    statement = "SELECT name FROM unnest(%s::text[]) AS name WHERE has_column_privilege(%s, name, 'SELECT')"
    with connection.cursor() as cursor:
        cursor.execute(statement, [list(names), model._meta.db_table])
        return {names[column] for (column,) in cursor.fetchall()}


def _batches(rows: Iterator[Any], size: int) -> Iterator[list[Any]]:
    batch: list[Any] = []
    for row in rows:
        batch.append(row)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


@record_check
def check_columns(tick: Tick, models: Iterable[type[Model]] | None = None) -> Iterator[Finding]:
    """Compare the rows of every declared model, or of these, with the entries that state them."""
    declared = STATED.values() if models is None else [STATED[model] for model in models]
    yield from RowComparison(declared, tick).findings()


@record_gap
def unstated_facilities() -> Iterator[str]:
    """A row that was added to a facility is named once all its rows are stated. Facilities from before have some."""
    entries = Entry.objects.filter(type__in=ALL_ROWS_STATED).values_list("stream__name", flat=True)
    complete = {name.partition("/")[0] for name in entries.distinct()}
    [stated] = [stated for stated in STATED.values() if stated.model._meta.label == FACILITY_MODEL]
    for code in stated.model._default_manager.order_by("pk").values_list("code", flat=True):
        if code not in complete:
            yield (
                f"rows of {code} that no entry states, such as those from before entries did: look at them, and run "
                f"manage.py record_rows {code} once."
            )


@transaction.atomic
def record_rows(facility: str) -> int:
    """State the rows of a facility, and columns of rows, that no entry states. Returns how many entries it appended."""
    comparison = RowComparison(STATED.values(), lambda: None)
    with closing(comparison.expected):
        comparison.fold_to_heads()
        stream = record.lock_stream(f"{facility}/setup")
        moment = clock.never_before(stream, clock.now())
        day = clock.gaming_day(facility, moment)
        count = 0
        for stated in comparison.models:
            for row in stored_rows(stated):
                unstated = comparison.unstated(stated, row) if row.facility in ("", facility) else None
                if unstated is None:
                    continue
                record.append(
                    stream,
                    entry=ROW_RECORDED(model=stated.model._meta.label, key=list(row.key), values=unstated),
                    moment=moment,
                    gaming_day=day,
                )
                count += 1
        return count
