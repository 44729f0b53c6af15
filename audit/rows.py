"""Fast statements: what the ORM would read and write, with SQL that is built once for a process, not for each call.

Django builds the SQL of a queryset each time, which takes several times longer than the database needs to answer a read
by an index. That matters for the few statements that run in every act:

- `read`, `insert` and `update` take models and SQL of one's own, such as locks with further columns. Columns and
  conversions come from the models.
- a `CompiledRead` is declared as a queryset with arguments, whose SQL is compiled once; one that ends in `values_list`
  is a `CompiledValues`, and read as rows:

      WAGERS_OF_ROUND = CompiledRead(lambda round_: Wager.objects.filter(round=round_).order_by("pk"))
      WAGERS_OF_ROUND(round_.pk)

- `entry_batches` reads entries with the driver's own cursor, so that a million of them need the memory of one batch.
  Each batch is one short statement over entry numbers: no lock is held for long and no transaction stays open. Entries
  are written once and numbered without gaps, so a range that is fixed at the start reads the same while the record
  grows.

The rows are those that the ORM would read: tests compare both, for every declared read.
"""

import datetime as dt
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from django.db import (
    DEFAULT_DB_ALIAS,
    InterfaceError,
    InternalError,
    OperationalError,
    connection,
    connections,
)
from django.db.backends.utils import CursorWrapper
from django.db.models import Expression, Model, QuerySet
from django.db.models.base import ModelState
from django.db.models.query import get_related_populators
from django.db.transaction import TransactionManagementError
from psycopg.errors import DiskFull, LockNotAvailable, ReadOnlySqlTransaction
from psycopg_pool import PoolTimeout

ModelT = TypeVar("ModelT", bound=Model)
Aliased = tuple[tuple[str, type[Model]], ...]
Converters = tuple[tuple[int, tuple[Callable[..., Any], ...], Any], ...]
DIVISION_BY_ZERO = "22012"


# Errors


OF_SQLITE = ("database is locked", "database or disk is full")
OF_A_CONNECTION = ("08", "57")  # classes of SQLSTATE


def says_nothing_was_begun(error: BaseException | None) -> bool:
    """Whether an error leaves nothing of its transaction."""
    if isinstance(error, InternalError):
        return isinstance(error.__cause__, ReadOnlySqlTransaction)
    if not isinstance(error, OperationalError):
        return False
    is_refused = isinstance(error.__cause__, PoolTimeout | LockNotAvailable | DiskFull)
    return is_refused or any(words in str(error) for words in OF_SQLITE)


def may_have_been_committed(error: BaseException | None) -> bool:
    """Whether an error leaves open what became of its transaction: the connection ended, perhaps after the COMMIT."""
    if not isinstance(error, OperationalError | InterfaceError) or says_nothing_was_begun(error):
        return False
    state = getattr(error.__cause__, "sqlstate", None)
    return state is None or state.startswith(OF_A_CONNECTION)


def statement_cursor() -> AbstractContextManager[CursorWrapper]:
    """Return a cursor for one statement whose rows are fetched within the block."""
    database: Any = connections[DEFAULT_DB_ALIAS]
    if database.vendor == "postgresql":
        return nullcontext(database.shared_cursor())
    cursor: CursorWrapper = database.cursor()
    return cursor


def read(
    models: Aliased, sql: str, params: Sequence[Any], more: str = ""
) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]:
    """Yield, for each row, an instance of each model (None where an outer join has none) and the columns in `more`."""
    database = connections[DEFAULT_DB_ALIAS]
    columns, converters = _columns(database.vendor, models)
    with statement_cursor() as cursor:
        cursor.execute(f"SELECT {columns}{', ' + more if more else ''} {sql}", params)
        rows = cursor.fetchall()
    for row in rows:
        values = list(row)
        for place, converting, expression in converters:
            for convert in converting:
                values[place] = convert(values[place], expression, database)
        yield _instances_of(models, values)


# Writes


@contextmanager
def collected_writes() -> Iterator[None]:
    """Send the writes of this block together, with the end of its transaction or before the next read.

    On SQLite, where no statement waits for a network, each is executed at once. Enter the block before the transaction.
    An error of the database may come later than its write: what `write` says of it is raised at the end of the block.
    """
    database: Any = connections[DEFAULT_DB_ALIAS]
    if database.vendor != "postgresql":
        yield
        return
    with database.collecting():
        yield


@contextmanager
def one_flush() -> Iterator[None]:
    """Send the writes of this block at its end, as one transaction in one round trip. Only on PostgreSQL.

    A read raises `config.postgresql.base.NeedsRows`.
    """
    database: Any = connections[DEFAULT_DB_ALIAS]
    with database.at_once():
        yield


def write(sql: str, params: Sequence[Any], explain: Callable[[str], Exception | None] | None = None) -> None:
    """Execute a write of which nothing is read back. It may be collected (`collected_writes`).

    `explain`: what to raise for an error of PostgreSQL with this SQLSTATE, or None for the error itself.
    """
    database: Any = connections[DEFAULT_DB_ALIAS]
    if database.vendor == "postgresql":
        database.write(sql, params, explain)
        return
    with database.cursor() as cursor:
        cursor.execute(sql, params)


def use_kept(models: Iterable[type[Model]], ids: dict[str, list[int]], reads: "KeptReads") -> None:
    """Take the ids of new rows of these models from `ids`, which has them by table, and leave some there for later.

    Also take what reads of an epoch return from `reads`, and keep there what is read, until an ORM's write, which
    ends the epoch. Both in the rest of a block of `collected_writes`. SQLite keeps nothing.
    """
    database: Any = connections[DEFAULT_DB_ALIAS]
    if database.vendor == "postgresql":
        for model in models:
            ids.setdefault(model._meta.db_table, [])
        database.use_kept(ids, reads)


@contextmanager
def kept_reads(kept: "KeptReads | None") -> Iterator[None]:
    """Within the block, which writes nothing, take what reads of an epoch return from `kept`; None: read each time."""
    database: Any = connections[DEFAULT_DB_ALIAS]
    database.kept_reads = kept
    try:
        yield
    finally:
        database.kept_reads = None


def new_ids(model: type[Model], count: int) -> list[int]:
    """Ids for so many new rows, each higher than those before. Read before the rows are written, or reserved before.

    On SQLite the caller holds the lock of the database.
    """
    if not count:
        return []
    table = model._meta.db_table
    database: Any = connections[DEFAULT_DB_ALIAS]
    reserved: list[int] | None = database.taken_ids(table, count) if database.vendor == "postgresql" else None
    if reserved is not None:
        return reserved
    with statement_cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"SELECT nextval('{table}_id_seq') FROM generate_series(1, %s)", [count])
            return [pk for (pk,) in cursor.fetchall()]
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        last = next((seq for (seq,) in cursor.fetchall()), 0)
        return list(range(last + 1, last + 1 + count))


def in_list(column: str, values: list[Any]) -> tuple[str, list[Any]]:
    """SQL for whether a column has one of these values, and its parameters. PostgreSQL prepares it for any number."""
    if connection.vendor == "postgresql":
        return f"{column} = ANY(%s)", [values]
    return f"{column} IN ({', '.join(['%s'] * len(values))})", values


def insert(instance: Model) -> None:
    """Insert a new instance with the values that its `save` would write. Sets its primary key if it has none yet."""
    if instance.pk is None:
        (instance.pk,) = new_ids(type(instance), 1)
    sql, fields = _insertion(type(instance))
    database = connections[DEFAULT_DB_ALIAS]  # looked up once: for each value it takes as long as the value
    write(sql, [field.get_db_prep_save(field.pre_save(instance, True), database) for field in fields])
    instance._state.adding = False


def update(instance: Model, names: Sequence[str]) -> None:
    """Save these fields of an instance, as its `save` with `update_fields` would. Raises its DoesNotExist."""
    sql, fields, key = _update(type(instance), tuple(names))
    database = connections[DEFAULT_DB_ALIAS]
    values = [field.get_db_prep_save(field.pre_save(instance, False), database) for field in fields]
    values.append(key.get_db_prep_value(instance.pk, database))
    missing = type(instance).DoesNotExist(f"{type(instance).__name__} {instance.pk}")  # type: ignore[attr-defined]
    if database.vendor == "postgresql":
        write(
            f"WITH changed AS ({sql} RETURNING 1) SELECT 1 / count(*) FROM changed",
            values,
            lambda state: missing if state == DIVISION_BY_ZERO else None,
        )
        return
    with statement_cursor() as cursor:
        cursor.execute(sql, values)
        if not cursor.rowcount:
            raise missing


@lru_cache(maxsize=256)
def _update(model: type[Model], names: tuple[str, ...]) -> tuple[str, tuple[Any, ...], Any]:
    fields: tuple[Any, ...] = tuple(model._meta.get_field(name) for name in names)
    values = ", ".join(f"{field.column} = %s" for field in fields)
    key: Any = model._meta.pk
    return f"UPDATE {model._meta.db_table} SET {values} WHERE {key.column} = %s", fields, key


@lru_cache(maxsize=32)
def _insertion(model: type[Model]) -> tuple[str, tuple[Any, ...]]:
    """The statement and its fields."""
    fields: tuple[Any, ...] = tuple(model._meta.concrete_fields)
    columns, values = ", ".join(str(field.column) for field in fields), ", ".join(["%s"] * len(fields))
    return f"INSERT INTO {model._meta.db_table} ({columns}) VALUES ({values})", fields


def make_instance(model: type[ModelT], names: Sequence[str], values: Sequence[Any]) -> ModelT:
    """Make an instance from the values of all of its columns, as `Model.from_db` does.

    `Model.__init__` looks at each field for defaults, relations and signals. A row that was read needs none of that.
    """
    instance = model.__new__(model)
    instance.__dict__.update(zip(names, values, strict=True))
    instance._state = ModelState()
    instance._state.db, instance._state.adding = DEFAULT_DB_ALIAS, False
    return instance


def clone(instance: ModelT) -> ModelT:
    """Another instance with the same values and the same related instances."""
    other = instance.__class__.__new__(instance.__class__)
    other.__dict__.update(instance.__dict__)
    other._state = ModelState()
    other._state.db, other._state.adding = instance._state.db, instance._state.adding
    other._state.fields_cache = dict(instance._state.fields_cache)
    return other


def _instances_of(models: Aliased, values: list[Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    instances, start = [], 0
    for _, model in models:
        names = _attribute_names(model)
        part = values[start : start + len(names)]
        instances.append(None if part[0] is None else make_instance(model, names, part))
        start += len(names)
    return tuple(instances), tuple(values[start:])


@lru_cache(maxsize=64)
def _attribute_names(model: type[Model]) -> tuple[str, ...]:
    return tuple(field.attname for field in model._meta.concrete_fields)


@lru_cache(maxsize=32)
def _columns(vendor: str, models: Aliased) -> tuple[str, Converters]:
    """The select list of these models, and the conversions that the ORM makes on this database."""
    fields = [(alias, field) for alias, model in models for field in model._meta.concrete_fields]
    converters = []
    for place, (_, field) in enumerate(fields):
        expression = field.get_col(field.model._meta.db_table)
        converting = connection.ops.get_db_converters(expression) + expression.get_db_converters(connection)
        if converting:
            converters.append((place, tuple(converting), expression))
    return ", ".join(f"{alias}.{field.column}" for alias, field in fields), tuple(converters)


# Reads that are compiled once


Parameter = int | str | dt.datetime | dt.date
KeptReads = dict[Any, list[list[Any]]]  # rows, by the read and its arguments

COMPILED_READS: "list[_Compiled]" = []


class Argument(Expression):
    """Stands in the compiled SQL for a value that each call gives."""

    def __init__(self, position: int) -> None:
        super().__init__()
        self.position = position

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, list["Argument"]]:  # type: ignore[override]
        return "%s", [self]


@dataclass(frozen=True)
class Statement:
    """A compiled queryset: its SQL with parameters, and the conversions of a row's values."""

    sql: str
    params: tuple[Any, ...]  # fixed values, and an `Argument` where a call gives the value
    converters: tuple[tuple[int, tuple[Callable[..., Any], ...], Any], ...]
    locks: bool  # whether it locks the rows, which only a transaction can

    def rows(self, arguments: Sequence[Parameter]) -> list[list[Any]]:
        """Execute the statement and convert its rows.

        Raises TransactionManagementError if it locks rows outside a transaction, as Django does.
        """
        database = connections[DEFAULT_DB_ALIAS]
        if self.locks and database.features.has_select_for_update and not database.in_atomic_block:
            raise TransactionManagementError("rows are locked in a transaction")
        bound = [
            _adapted(arguments[param.position]) if isinstance(param, Argument) else param
            for param in self.params
        ]
        with statement_cursor() as cursor:
            cursor.execute(self.sql, bound)
            rows = [list(row) for row in cursor.fetchall()]
        for position, converting, expression in self.converters:
            for convert in converting:
                for row in rows:
                    row[position] = convert(row[position], expression, database)
        return rows


@dataclass(frozen=True)
class Instances:
    """How a row of a compiled queryset becomes an instance with its related instances."""

    model: type[Model]
    names: tuple[str, ...]  # the model's columns, in the order of `columns`
    columns: slice
    populators: tuple[Any, ...]

    def make(self, rows: Iterable[list[Any]]) -> Iterator[Model]:
        for row in rows:
            instance = make_instance(self.model, self.names, row[self.columns])
            for populator in self.populators:
                populator.populate(row, instance)
            yield instance


class _Compiled(ABC):
    """A queryset as a function of arguments: integers, text, days or moments with a time zone.

    Each argument is compared with a column and never None. The function is called once for each kind of database, so it
    must not look at its arguments.

    `is_of_epoch`: all that it reads is guarded by the epoch of acts on copies, so within `kept_reads` it is read once.
    """

    def __init__(self, queryset: Callable[..., QuerySet[Any, Any]], *, is_of_epoch: bool = False) -> None:
        self.queryset, self.is_of_epoch = queryset, is_of_epoch
        self.argument_names = tuple(inspect.signature(queryset).parameters)
        self._statements: dict[str, tuple[Statement, Instances | None]] = {}
        COMPILED_READS.append(self)

    @abstractmethod
    def __call__(self, *arguments: Parameter) -> Sequence[Any]:
        """Read in the order of the queryset. Raises what `Statement.rows` raises."""

    def _statement(self) -> tuple[Statement, Instances | None]:
        vendor = connections[DEFAULT_DB_ALIAS].vendor
        if vendor not in self._statements:
            self._statements[vendor] = _compile(
                self.queryset(*map(Argument, range(len(self.argument_names))))
            )
        return self._statements[vendor]

    def _rows(self, statement: Statement, arguments: Sequence[Parameter]) -> list[list[Any]]:
        kept: KeptReads | None = getattr(connections[DEFAULT_DB_ALIAS], "kept_reads", None)
        if kept is None or not self.is_of_epoch:
            return statement.rows(arguments)
        key = self, arguments
        if key not in kept:
            kept[key] = statement.rows(arguments)
        return kept[key]


class CompiledRead(_Compiled, Generic[ModelT]):
    """A read of model instances, declared as a function from arguments to a queryset."""

    def __init__(self, queryset: Callable[..., QuerySet[ModelT]], *, is_of_epoch: bool = False) -> None:
        super().__init__(queryset, is_of_epoch=is_of_epoch)

    def __call__(self, *arguments: Parameter) -> list[ModelT]:
        """Read the instances in the order of the queryset, with what it selects of related models.

        Raises what `Statement.rows` raises.
        """
        statement, instances = self._statement()
        assert instances is not None
        return list(instances.make(self._rows(statement, arguments)))  # type: ignore[arg-type]

    def first(self, *arguments: Parameter) -> ModelT | None:
        """Read the first instance, or None. The queryset itself should be limited to few rows."""
        return next(iter(self(*arguments)), None)


class CompiledValues(_Compiled):
    """A read of rows, declared as a function from arguments to a queryset that ends in `values_list`."""

    def __call__(self, *arguments: Parameter) -> list[tuple[Any, ...]]:
        """Read the rows in the order of the queryset. Raises what `Statement.rows` raises."""
        statement, _ = self._statement()
        return [tuple(row) for row in self._rows(statement, arguments)]


def _compile(queryset: QuerySet[Any, Any]) -> tuple[Statement, Instances | None]:
    compiler: Any = queryset.query.get_compiler(connection=connection)
    sql, params = compiler.as_sql()
    converters = compiler.get_converters([column for column, *_ in compiler.select])
    statement = Statement(
        sql=sql,
        params=tuple(params),
        converters=tuple(
            (position, tuple(converting), expression)
            for position, (converting, expression) in converters.items()
        ),
        locks=queryset.query.select_for_update,
    )
    return statement, _instances(compiler) if compiler.klass_info else None


def _instances(compiler: Any) -> Instances:
    klass_info = compiler.klass_info
    make_populators: Any = get_related_populators  # its stubs describe a later Django
    fields = klass_info["select_fields"]
    columns = slice(fields[0], fields[-1] + 1)
    return Instances(
        model=klass_info["model"],
        names=tuple(column.target.attname for column, *_ in compiler.select[columns]),
        columns=columns,
        populators=tuple(make_populators(klass_info, compiler.select, connection.alias)),
    )


def _adapted(value: Parameter) -> Any:
    operations = connections[DEFAULT_DB_ALIAS].ops
    if isinstance(value, dt.datetime):
        return operations.adapt_datetimefield_value(value)
    return operations.adapt_datefield_value(value) if isinstance(value, dt.date) else value


# Entries in batches


BATCH_ENTRIES = 2000  # fewer when bodies are long
BATCH_BYTES = 16_000_000  # approximate limit
PAIRS_PER_STATEMENT = 400  # of stream and number


def entry_batches(stream_id: int, first: int, last: int, columns: str) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the entries `first` to `last` of a stream in batches, in order. `columns` must end in `body` (bytes).

    A missing number is skipped. Batches are smaller where bodies are long.
    """
    size, start = BATCH_ENTRIES, first
    while start <= last:
        stop = min(start + size - 1, last)
        rows = _read_batch(stream_id, start, stop, columns)
        yield rows
        start = stop + 1
        size = _batch_size(rows)


def fetch(statement: str, params: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Fetch all rows of a statement. On PostgreSQL in binary, which saves both sides the hex encoding of bytes."""
    connection.ensure_connection()
    if connection.vendor == "postgresql":
        connection.before_statement()  # type: ignore[attr-defined]
        with connection.wrap_database_errors, connection.connection.cursor(binary=True) as binary:
            binary.execute(statement, params)
            rows: list[tuple[Any, ...]] = binary.fetchall()
            return rows
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return list(cursor.fetchall())


def _read_batch(stream_id: int, start: int, stop: int, columns: str) -> list[tuple[Any, ...]]:
    statement = (
        f"SELECT {columns} FROM audit_entry WHERE stream_id = %s AND seq BETWEEN %s AND %s ORDER BY seq"
    )
    return fetch(statement, [stream_id, start, stop])


def _batch_size(rows: Sequence[tuple[Any, ...]]) -> int:
    """The number of entries that fit into a batch, if they are as long as these."""
    longest = max((len(row[-1]) for row in rows), default=0)
    return max(1, min(BATCH_ENTRIES, BATCH_BYTES // max(longest, 1)))


def entries_at(
    numbers: Mapping[int, int], columns: str, params: Sequence[Any] = ()
) -> Iterator[tuple[Any, ...]]:
    """Yield `columns` of one entry of each stream, given as `{stream_id: seq}`, in few statements."""
    pairs = list(numbers.items())
    for start in range(0, len(pairs), PAIRS_PER_STATEMENT):
        part = pairs[start : start + PAIRS_PER_STATEMENT]
        values = ", ".join(["(%s, %s)"] * len(part))
        statement = f"SELECT {columns} FROM audit_entry WHERE (stream_id, seq) IN (VALUES {values})"
        yield from fetch(statement, [*params, *(number for pair in part for number in pair)])
