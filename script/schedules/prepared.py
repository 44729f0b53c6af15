"""Queries that are built and compiled once: a process of schedules asks the same ones of the same few rows.

Building and compiling them is most of what a schedule costs. A query that was made of the same calls with the same
values gets the same statement: it is kept by these calls. Whatever else changes a query forgets how it was made, and
then it is compiled as ever. `prepare(check=True)` compiles each one all the same, and compares.
"""

import datetime as dt
import functools
import uuid
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db.backends.sqlite3.base import SQLiteCursorWrapper
from django.db.models import F, Model, Q, QuerySet
from django.db.models.sql.compiler import SQLCompiler
from django.db.models.sql.query import Query

MOST_QUERIES = 20_000  # queries; each takes a few kilobytes
SQLITE_STATEMENTS = 4_000  # statements; it keeps 128 otherwise, fewer than one verification has
PLAIN = frozenset((int, str, bytes, bool, type(None), dt.datetime, dt.date, Decimal, uuid.UUID))
# What is private of them is changed here, of which no stub speaks.
QUERY_SETS: Any = QuerySet
QUERIES: Any = Query
COMPILERS: Any = SQLCompiler
CURSORS: Any = SQLiteCursorWrapper
COMPILED = ("select", "klass_info", "annotation_col_map", "col_count", "has_extra_select")


class Unkeyed(Exception):
    """A value of which nobody can say that it is the same again."""


@dataclass
class Statement:
    """What was compiled of a query. `shape`: what the query looked like; `converters`: of its columns."""

    shape: tuple[Any, ...]
    sql: str
    params: tuple[Any, ...]
    attributes: dict[str, Any]
    converters: Any = None


class QueryCache:
    """The queries and statements of this process, by the number of how they were made."""

    def __init__(self) -> None:
        self.numbers: dict[Hashable, int] = {}
        self.queries: dict[int, Any] = {}
        self.statements: dict[int, Statement] = {}
        self.made = 0

    def number(self, *how: Hashable) -> int:
        """The number of a way to make a query. None is used again, also after everything was forgotten."""
        number = self.numbers.get(how)
        if number is None:
            if len(self.numbers) >= MOST_QUERIES:
                for known in (self.numbers, self.queries, self.statements):
                    known.clear()
            self.made += 1
            number = self.numbers[how] = self.made
        return number


cache = QueryCache()


def prepare(*, check: bool = False) -> None:
    """Keep queries from now on, in this process; once, before it connects to the database."""
    settings.DATABASES["default"]["OPTIONS"]["cached_statements"] = SQLITE_STATEMENTS
    _keep_formats()
    QUERIES.made = None  # the number of how it was made; None: nobody knows
    _forget_changes()
    for name, key in (
        ("_filter_or_exclude", _key_of_filter),
        ("order_by", _key_of_names),
        ("_values", _key_of_names),
        ("only", _key_of_names),
        ("defer", _key_of_names),
        ("select_related", _key_of_names),
        ("distinct", _key_of_names),
    ):
        setattr(QUERY_SETS, name, _kept_call(name, key))
    _keep_limits()
    _keep_statements(check)


def _keep_formats() -> None:
    """The text of a statement is rewritten for SQLite once."""
    convert = CURSORS.convert_query

    @functools.lru_cache(SQLITE_STATEMENTS)
    def convert_text(query: str) -> str:
        return str(convert(None, query))

    def convert_once(self: Any, query: str, *, param_names: Any = None) -> str:
        return (
            convert_text(query) if param_names is None else str(convert(self, query, param_names=param_names))
        )

    CURSORS.convert_query = convert_once


# How a query was made


def _key_of(value: Any) -> Hashable:
    """What is the same for the same value alone. Raises Unkeyed."""
    kind = type(value)
    if kind in PLAIN:
        return kind, value
    if kind in (tuple, list):
        return kind, tuple([_key_of(item) for item in value])
    if kind is Q:
        return kind, value.connector, value.negated, tuple([_key_of(child) for child in value.children])
    if kind is F:
        return kind, value.name
    if isinstance(value, Model) and value.pk is not None:
        return kind, value.pk
    if isinstance(value, (str, int)):  # of an enumeration
        return kind, value
    if isinstance(value, QUERY_SETS) and value._result_cache is None and _is_kept(value):
        return kind, value._query.made
    raise Unkeyed


def _key_of_filter(arguments: tuple[Any, ...], named: dict[str, Any]) -> Hashable:
    negate, conditions, lookups = arguments
    return negate, _key_of(conditions), tuple([(name, _key_of(value)) for name, value in lookups.items()])


def _key_of_names(arguments: tuple[Any, ...], named: dict[str, Any]) -> Hashable:
    if named:
        raise Unkeyed
    return _key_of(arguments)


def _is_kept(queryset: Any) -> bool:
    """Whether its query is known, and all that it has to say."""
    is_plain = not (queryset._deferred_filter or queryset._defer_next_filter or queryset._sticky_filter)
    return is_plain and queryset._query.made is not None


def _forget_changes() -> None:
    """A query of a model alone is known, and a copy is not until one of the calls below has made it."""
    clone, begin, change = QUERIES.clone, QUERY_SETS.__init__, QUERY_SETS._filter_or_exclude_inplace

    def clone_unknown(self: Any) -> Any:
        copy = clone(self)
        copy.made = None
        return copy

    def begin_known(
        self: Any, model: Any = None, query: Any = None, using: Any = None, hints: Any = None
    ) -> None:
        begin(self, model, query, using, hints)
        if query is None and using is None and model is not None:
            self._query.made = cache.number("all", model)

    def change_unknown(self: Any, *arguments: Any) -> None:
        change(self, *arguments)
        self._query.made = None

    QUERIES.clone, QUERY_SETS.__init__ = clone_unknown, begin_known
    QUERY_SETS._filter_or_exclude_inplace = change_unknown


def _kept_call(
    name: str, key_of: Callable[[tuple[Any, ...], dict[str, Any]], Hashable]
) -> Callable[..., Any]:
    """A call of query sets that makes each query once."""
    call = getattr(QUERY_SETS, name)

    def make(self: Any, *arguments: Any, **named: Any) -> Any:
        if not _is_kept(self):
            return call(self, *arguments, **named)
        try:
            made = cache.number(self._query.made, name, key_of(arguments, named))
        except Unkeyed:
            return call(self, *arguments, **named)
        query = cache.queries.get(made)
        if query is None:
            result = call(self, *arguments, **named)
            cache.queries[made] = result._query.clone()
        else:
            result = _with_query(self, query, arguments if name == "_values" else self._fields)
        result._query.made = made
        return result

    return make


def _with_query(queryset: Any, query: Any, fields: Any) -> Any:
    """What `_chain` returns, with another query."""
    copy = queryset.__class__(queryset.model, query.chain(), queryset._db, queryset._hints)
    copy._for_write, copy._iterable_class = queryset._for_write, queryset._iterable_class
    copy._known_related_objects, copy._fields = queryset._known_related_objects, fields
    copy._prefetch_related_lookups = queryset._prefetch_related_lookups[:]
    return copy


def _keep_limits() -> None:
    part, limit, exists = QUERY_SETS.__getitem__, QUERIES.set_limits, QUERIES.exists

    def part_known(self: Any, which: Any) -> Any:
        result = part(self, which)
        if type(which) is slice and which.step is None and self._result_cache is None and _is_kept(self):
            result._query.made = cache.number(self._query.made, "part", which.start, which.stop)
        return result

    def limit_known(self: Any, low: int | None = None, high: int | None = None) -> None:
        limit(self, low, high)
        if self.made is not None:
            self.made = cache.number(self.made, "limits", low, high)

    def exists_known(self: Any, limit: bool = True) -> Any:
        if self.made is None:
            return exists(self, limit)
        made = cache.number(self.made, "exists", limit)
        query = cache.queries.get(made)
        if query is None:
            query = cache.queries[made] = exists(self, limit)
        copy = query.clone()
        copy.made = made
        return copy

    QUERY_SETS.__getitem__, QUERIES.set_limits, QUERIES.exists = part_known, limit_known, exists_known


# Statements


def _shape_of(query: Any) -> tuple[Any, ...]:
    """What shows that a query was changed by what is not known here."""
    return (
        query.low_mark,
        query.high_mark,
        query.order_by,
        query.default_ordering,
        query.distinct,
        query.select_related,
        query.select_for_update,
        query.combinator,
        query.explain_info,
        len(query.where.children),
        len(query.select),
        len(query.annotations),
    )


def _keep_statements(check: bool) -> None:
    compile_query, read_columns = COMPILERS.as_sql, COMPILERS.get_converters

    def compile_once(self: Any, with_limits: bool = True, with_col_aliases: bool = False) -> Any:
        made, query = self.query.made, self.query
        is_usual = with_limits and not with_col_aliases and self.elide_empty and not query.subquery
        if made is None or type(self) is not SQLCompiler or not is_usual:
            return compile_query(self, with_limits, with_col_aliases)
        statement, shape = cache.statements.get(made), _shape_of(query)
        if statement is None or statement.shape != shape or check:
            sql, params = compile_query(self, with_limits, with_col_aliases)
            if statement and statement.shape == shape and (sql, params) != (statement.sql, statement.params):
                raise AssertionError(f"{statement.sql} {statement.params} was kept of {sql} {params}")
            attributes = {name: getattr(self, name) for name in COMPILED}
            statement = cache.statements[made] = Statement(shape, sql, params, attributes)
        self.__dict__.update(statement.attributes, statement=statement)
        return statement.sql, statement.params

    def read_columns_once(self: Any, expressions: Any) -> Any:
        statement = self.__dict__.get("statement")
        if statement is None or len(expressions) != statement.attributes["col_count"]:
            return read_columns(self, expressions)
        if statement.converters is None:
            statement.converters = read_columns(self, expressions)
        return statement.converters

    COMPILERS.as_sql, COMPILERS.get_converters = compile_once, read_columns_once
