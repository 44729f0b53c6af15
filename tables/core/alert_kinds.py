"""Declarations of alerts: what an alert says, and the rules by which alerts are found.

A kind, and the rule that finds it, is declared once, in the `alert_rules.py` of its package; these modules are imported
at the start. Acts, the ticker and the screens all use the declaration.
"""

import datetime as dt
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db.models import QuerySet

from games.engine import Refusal
from tables.core.context import TableContext
from tables.models import Alert, Table

Level = Alert.Level
PART = re.compile(r"\{\w+\}")


@dataclass(frozen=True)
class AlertKind:
    """What an alert of one kind says.

    `code` is stored. `key` names the cause, `{…}` standing for what varies: `dice:{lot}:1`. Kinds may share a code
    where their keys differ. `title` and `text` are filled with the alert's params; `describe` returns both where
    another sentence already says them. `name` is the kind's name in lines of the record.
    `describe_group` takes the params of several alerts of one table, and returns the title and text of the line that
    screens show for all of them; they are acknowledged together. `is_everywhere`: one cause raises it at every table in
    play, so all of them are one line of the whole floor.
    """

    code: str
    key: str
    level: Level
    name: str
    title: str
    text: str = ""
    describe: Callable[[Mapping[str, Any]], tuple[str, str]] | None = None
    is_typed: bool = False  # its text quotes what somebody typed, so it is hidden where nobody is signed in
    needs_note: bool = False  # the floor decides it: who acknowledges it writes how
    ends_when_acknowledged: bool = False  # it has no end of its own
    at_the_pit: bool = False  # for podiums and phones only: no tablet at a table and no wall shows it
    is_everywhere: bool = False
    describe_group: Callable[[Sequence[Mapping[str, Any]]], tuple[str, str]] | None = None

    @cached_property
    def key_pattern(self) -> re.Pattern[str]:
        return re.compile(".+".join(map(re.escape, PART.split(self.key))))

    @property
    def key_prefix(self) -> str:
        """The fixed first parts of the key, as `end_alert` takes them."""
        return PART.split(self.key)[0].removesuffix(":")

    def expected(
        self,
        table_id: int,
        *,
        section: str = "",
        duty: str = "",
        since: dt.datetime | None = None,
        cause: object = None,
        **params: Any,
    ) -> "ExpectedAlert":
        """Return an alert of this kind. `cause` fills `{cause}` of the key; its other parts come from the params."""
        key = self.key.format(cause=cause, **params)
        return ExpectedAlert(table_id, self, key, section, duty, since, params)


@dataclass(frozen=True)
class ExpectedAlert:
    """An alert that should be open at a table. It cites `section`, or the edition's section for `duty`."""

    table_id: int
    kind: AlertKind
    key: str
    section: str = ""
    duty: str = ""
    since: dt.datetime | None = None
    params: dict[str, Any] = field(default_factory=dict)

    def section_at(self, ctx: TableContext) -> str:
        """Return the section under the rules of this table; empty without rules."""
        if not self.duty:
            return self.section
        try:
            return ctx.rules.section(self.duty)
        except Refusal:
            return ""


Query = Callable[[dt.datetime, int | None], list[ExpectedAlert]]


@dataclass(frozen=True)
class AlertRule:
    """How alerts of these kinds are found.

    `query(now, table_id)` returns the alerts of every table, or of one, in a few statements and without locks. The
    ticker raises them, and ends open alerts of these kinds that are not among them: every `every_ticks` seconds, once
    `settle_seconds` have passed since its start or a jump of the clock. `at_table` returns the alert of one table;
    screens show it even before anybody has raised it.
    """

    kinds: tuple[AlertKind, ...]
    query: Query | None = None
    every_ticks: int = 1
    settle_seconds: int = 0
    at_table: Callable[[TableContext], ExpectedAlert | None] | None = None

    @property
    def key_prefixes(self) -> tuple[str, ...]:
        return tuple(kind.key_prefix for kind in self.kinds)


ALERT_KINDS: list[AlertKind] = []
ALERT_RULES: list[AlertRule] = []


def alert_kind(kind: AlertKind) -> AlertKind:
    """Declare a kind. Raises ValueError for a key that is declared already."""
    if any(declared.key == kind.key and declared.code == kind.code for declared in ALERT_KINDS):
        raise ValueError(f"declared twice: {kind.code} {kind.key}")
    ALERT_KINDS.append(kind)
    return kind


def alert_rule(rule: AlertRule) -> AlertRule:
    """Declare a rule. Rules run in the order of their kinds' codes, so that entries always come in the same order."""
    ALERT_RULES.append(rule)
    ALERT_RULES.sort(key=lambda declared: declared.kinds[0].code)
    return rule


def kind_of(code: str, key: str) -> AlertKind:
    """Return the declaration of a stored alert. Raises KeyError for an unknown code."""
    kinds = [kind for kind in ALERT_KINDS if kind.code == code]
    if not kinds:
        raise KeyError(code)
    return next((kind for kind in kinds if kind.key_pattern.fullmatch(key)), kinds[0])


def line_name(kind: AlertKind, level: str, pit: str) -> str:
    """The line that an alert shares with equal ones while nobody has them: `Pit 3, Tablet offline`; "" if it is alone.

    A stop, a call or a dispute needs somebody at its own table, so it stands alone. What one cause raises everywhere
    is one line of the whole floor.
    """
    if kind.is_everywhere:
        return kind.name
    return "" if level == Level.STOP or kind.needs_note else f"{pit}, {kind.name}"


def live_tables(table_id: int | None = None) -> QuerySet[Table]:
    """Return the tables of real play, or one of them; training and simulation call nobody.

    Leaves out a table whose stream two people closed: no alert can be recorded there.
    """
    tables = Table.objects.filter(kind=Table.Kind.LIVE, stream__closed_at=None)
    return tables if table_id is None else tables.filter(pk=table_id)


def tables_concerned(facility: str, place: str = "") -> list[int]:
    """Return the ids of the live tables that something at a device concerns: the only table that the device serves.

    Without a `place`, or for one without a live table, it concerns every table of the facility (its code) that is in
    play, or every live table while none is.
    """
    tables = live_tables().filter(facility__code=facility).order_by("pk")
    own = list(tables.filter(stream__name=place).values_list("pk", flat=True)) if place else []
    in_play = tables.exclude(status=Table.Status.CLOSED).values_list("pk", flat=True)
    return own or list(in_play) or list(tables.values_list("pk", flat=True))
