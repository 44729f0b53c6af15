"""Reads whose SQL is compiled once for a process, not for each call.

Django builds the SQL of a queryset each time, which takes several times longer than the database needs to answer
a read by an index. The few reads that run in every act are declared here as querysets with arguments:

    WAGERS_OF_ROUND = CompiledRead(lambda round_: Wager.objects.filter(round=round_).order_by("pk"))
    WAGERS_OF_ROUND(round_.pk)

A queryset that ends in `values_list` is declared as `CompiledValues`, and read as rows.

The rows are those that the queryset would read; a test compares every declared read with its queryset. Statements that
a queryset cannot say, such as locks with further columns, are in `rows.py`.
"""

import datetime as dt
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import Expression, Model, QuerySet
from django.db.models.query import get_related_populators
from django.db.transaction import TransactionManagementError

from audit.rows import make_instance, statement_cursor

ModelT = TypeVar("ModelT", bound=Model)
Parameter = int | str | dt.datetime | dt.date

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
    """

    def __init__(self, queryset: Callable[..., QuerySet[Any, Any]]) -> None:
        self.queryset = queryset
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


class CompiledRead(_Compiled, Generic[ModelT]):
    """A read of model instances, declared as a function from arguments to a queryset."""

    def __init__(self, queryset: Callable[..., QuerySet[ModelT]]) -> None:
        super().__init__(queryset)

    def __call__(self, *arguments: Parameter) -> list[ModelT]:
        """Read the instances in the order of the queryset, with what it selects of related models.

        Raises what `Statement.rows` raises.
        """
        statement, instances = self._statement()
        assert instances is not None
        return list(instances.make(statement.rows(arguments)))  # type: ignore[arg-type]

    def first(self, *arguments: Parameter) -> ModelT | None:
        """Read the first instance, or None. The queryset itself should be limited to few rows."""
        return next(iter(self(*arguments)), None)


class CompiledValues(_Compiled):
    """A read of rows, declared as a function from arguments to a queryset that ends in `values_list`."""

    def __call__(self, *arguments: Parameter) -> list[tuple[Any, ...]]:
        """Read the rows in the order of the queryset. Raises what `Statement.rows` raises."""
        statement, _ = self._statement()
        return [tuple(row) for row in statement.rows(arguments)]


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
