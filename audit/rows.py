"""Read, insert and update models with statements that are built once, not for each call.

The ORM takes several times longer to build a statement than the database takes to answer it, which matters for the few
statements that run in every act. Columns and conversions come from the models, so the result is what the ORM would
read; tests compare the two.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.utils import CursorWrapper
from django.db.models import Model
from django.db.models.base import ModelState

ModelT = TypeVar("ModelT", bound=Model)
Aliased = tuple[tuple[str, type[Model]], ...]
Converters = tuple[tuple[int, tuple[Callable[..., Any], ...], Any], ...]


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
        yield _instances(models, values)


def in_list(column: str, values: list[Any]) -> tuple[str, list[Any]]:
    """SQL for whether a column has one of these values, and its parameters. PostgreSQL prepares it for any number."""
    if connection.vendor == "postgresql":
        return f"{column} = ANY(%s)", [values]
    return f"{column} IN ({', '.join(['%s'] * len(values))})", values


def insertion(instance: Model) -> tuple[str, list[Any]]:
    """The statement that `insert` executes, and its parameters."""
    sql, fields, _ = _insertion(connection.vendor, type(instance), instance.pk is not None)
    return sql, [field.get_db_prep_save(field.pre_save(instance, True), connection) for field in fields]


def insert(instance: Model) -> None:
    """Insert a new instance with the values that its `save` would write. Sets its primary key if it has none yet."""
    _, _, key = _insertion(connection.vendor, type(instance), instance.pk is not None)
    sql, values = insertion(instance)
    with statement_cursor() as cursor:
        cursor.execute(sql, values)
        if key is not None:
            setattr(instance, key, cursor.fetchone()[0])
    instance._state.adding = False


def update(instance: Model, names: Sequence[str]) -> None:
    """Save these fields of an instance, as its `save` with `update_fields` would. Raises its DoesNotExist."""
    sql, fields, key = _update(type(instance), tuple(names))
    values = [field.get_db_prep_save(field.pre_save(instance, False), connection) for field in fields]
    with statement_cursor() as cursor:
        cursor.execute(sql, [*values, key.get_db_prep_value(instance.pk, connection)])
        if not cursor.rowcount:
            raise type(instance).DoesNotExist(f"{type(instance).__name__} {instance.pk}")  # type: ignore[attr-defined]


@lru_cache(maxsize=256)
def _update(model: type[Model], names: tuple[str, ...]) -> tuple[str, tuple[Any, ...], Any]:
    fields: tuple[Any, ...] = tuple(model._meta.get_field(name) for name in names)
    values = ", ".join(f"{field.column} = %s" for field in fields)
    key: Any = model._meta.pk
    return f"UPDATE {model._meta.db_table} SET {values} WHERE {key.column} = %s", fields, key


@lru_cache(maxsize=32)
def _insertion(vendor: str, model: type[Model], has_key: bool) -> tuple[str, tuple[Any, ...], str | None]:
    """The statement, its fields, and the attribute of the key that the database makes."""
    key: Any = model._meta.pk
    fields = tuple(field for field in model._meta.concrete_fields if has_key or field is not key)
    columns, values = ", ".join(str(field.column) for field in fields), ", ".join(["%s"] * len(fields))
    sql = f"INSERT INTO {model._meta.db_table} ({columns}) VALUES ({values})"
    return (sql, fields, None) if has_key else (f"{sql} RETURNING {key.column}", fields, key.attname)


def make_instance(model: type[ModelT], names: Sequence[str], values: Sequence[Any]) -> ModelT:
    """Make an instance from the values of all of its columns, as `Model.from_db` does.

    `Model.__init__` looks at each field for defaults, relations and signals. A row that was read needs none of that.
    """
    instance = model.__new__(model)
    instance.__dict__.update(zip(names, values, strict=True))
    instance._state = ModelState()
    instance._state.db, instance._state.adding = DEFAULT_DB_ALIAS, False
    return instance


def _instances(models: Aliased, values: list[Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
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
