"""Reads whose SQL is compiled once for a process, not for each call.

Django builds the SQL of a queryset each time, which takes several times longer than the database needs to answer
a read by an index. The few reads that run in every act are declared here as querysets with arguments:

    WAGERS_OF_ROUND = CompiledRead(lambda round_: Wager.objects.filter(round=round_).order_by("pk"))
    WAGERS_OF_ROUND(round_.pk)

The rows are those that the queryset would read; a test compares every declared read with its queryset. Statements that
a queryset cannot say, such as locks with further columns, are in `rows.py`.
"""

import datetime as dt
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import Expression, Model, QuerySet
from django.db.models.query import get_related_populators
from django.db.transaction import TransactionManagementError

ModelT = TypeVar("ModelT", bound=Model)
Parameter = int | str | dt.datetime

COMPILED_READS: "list[CompiledRead[Any]]" = []


class Argument(Expression):
    """Stands in the compiled SQL for a value that each call gives."""

    def __init__(self, position: int) -> None:
        super().__init__()
        self.position = position

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, list["Argument"]]:  # type: ignore[override]
        return "%s", [self]


@dataclass(frozen=True)
class Statement:
    """A compiled queryset: its SQL with parameters, and how a row becomes an instance with its related instances."""

    sql: str
    params: tuple[Any, ...]  # fixed values, and an `Argument` where a call gives the value
    model: type[Model]
    names: tuple[str, ...]  # the model's columns, in the order of `columns`
    columns: slice
    converters: tuple[tuple[int, tuple[Callable[..., Any], ...], Any], ...]
    populators: tuple[Any, ...]
    locks: bool  # whether it locks the rows, which only a transaction can

    def instances(self, rows: list[tuple[Any, ...]]) -> Iterator[Model]:
        """Make an instance of each row of the cursor."""
        for row in rows:
            values = list(row)
            for position, converting, expression in self.converters:
                for convert in converting:
                    values[position] = convert(values[position], expression, connection)
            instance = self.model.from_db(connection.alias, self.names, values[self.columns])
            for populator in self.populators:
                populator.populate(values, instance)
            yield instance


class CompiledRead(Generic[ModelT]):
    """A read of model instances, declared as a function from arguments to a queryset.

    Arguments are integers, text or moments with a time zone; each is compared with a column and never None. The
    function is called once for each kind of database, so it must not look at its arguments.
    """

    def __init__(self, queryset: Callable[..., QuerySet[ModelT]]) -> None:
        self.queryset = queryset
        self.argument_names = tuple(inspect.signature(queryset).parameters)
        self._statements: dict[str, Statement] = {}
        COMPILED_READS.append(self)

    def __call__(self, *arguments: Parameter) -> list[ModelT]:
        """Read the instances in the order of the queryset, with what it selects of related models.

        Raises TransactionManagementError if the queryset locks rows outside a transaction, as Django does.
        """
        statement = self._statement()
        if statement.locks and connection.features.has_select_for_update and not connection.in_atomic_block:
            raise TransactionManagementError("rows are locked in a transaction")
        bound = [
            _adapted(arguments[param.position]) if isinstance(param, Argument) else param
            for param in statement.params
        ]
        with connection.cursor() as cursor:
            cursor.execute(statement.sql, bound)
            rows = cursor.fetchall()
        return list(statement.instances(rows))  # type: ignore[arg-type]

    def first(self, *arguments: Parameter) -> ModelT | None:
        """Read the first instance, or None. The queryset itself should be limited to few rows."""
        return next(iter(self(*arguments)), None)

    def _statement(self) -> Statement:
        statement = self._statements.get(connection.vendor)
        if statement is None:
            statement = self._statements[connection.vendor] = _compile(
                self.queryset(*map(Argument, range(len(self.argument_names))))
            )
        return statement


def _compile(queryset: QuerySet[Any]) -> Statement:
    compiler: Any = queryset.query.get_compiler(connection=connection)
    sql, params = compiler.as_sql()
    klass_info = compiler.klass_info
    make_populators: Any = get_related_populators  # its stubs describe a later Django
    fields = klass_info["select_fields"]
    columns = slice(fields[0], fields[-1] + 1)
    converters = compiler.get_converters([column for column, *_ in compiler.select])
    return Statement(
        sql=sql,
        params=tuple(params),
        model=klass_info["model"],
        names=tuple(column.target.attname for column, *_ in compiler.select[columns]),
        columns=columns,
        converters=tuple(
            (position, tuple(converting), expression)
            for position, (converting, expression) in converters.items()
        ),
        populators=tuple(make_populators(klass_info, compiler.select, connection.alias)),
        locks=queryset.query.select_for_update,
    )


def _adapted(value: Parameter) -> Any:
    return connection.ops.adapt_datetimefield_value(value) if isinstance(value, dt.datetime) else value
