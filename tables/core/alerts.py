"""Alerts: what they say, the rules by which they are found, and how a table raises, ends and acknowledges them.

A kind, and the rule that finds it, is declared once, in the file of its topic, which `registrations.py` imports at the
start. Acts, the ticker and the screens all use the declaration.

An alert stays open until its cause has ended and an entitled person has acknowledged it. Each step is an entry on the
table's stream. Callers hold the table's lock, in an act or in the ticker. The entries follow the act's own
(`TableContext.extra_entries`); the ticker appends them itself with `append_extra_entries`. `tables.core.entries` reads
them from the record.
"""

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal, NotRequired, TypedDict, Unpack

from django.db.models import Q, QuerySet

from audit.entry_types import entry_type
from audit.models import Person
from audit.rows import read
from games.engine import Refusal
from games.engine.game import PostCode
from games.snapshot_types import Addressee, AlertLevel, EquipmentKind
from tables.core.context import TableContext
from tables.models import Alert, Table
from tables.models.cases import SHOWN_SQL

Breach = Literal["unsupervised", "supervisor-off-duty", "span-exceeded"]


class AlertEnded(TypedDict):
    key: Annotated[str, "what the alert is about, unique among the open alerts of a table"]
    kind: Annotated[str, "code of the alert's kind"]


class AlertAcknowledged(AlertEnded):
    note: Annotated[str, "how it was decided, in a person's words; empty where the person wrote nothing"]
    raised_at: NotRequired[
        Annotated[str, "when this alert was raised; only where another one with its key waited too"]
    ]


ALERT_ACKNOWLEDGED = entry_type(
    "alert.acknowledged",
    AlertAcknowledged,
    "A person acknowledged an alert. The entry itself says who and when.",
)


@entry_type("alert.decided")
def ALERT_DECIDED(
    *,
    decision: Annotated[str, "code of the decision; `words` where the note is the decision"],
    note: Annotated[str, "the decision in a person's words; may be empty beside another code"],
    seat: Annotated[int | None, "the seat concerned; null where no seat was named"],
    **data: Unpack[AlertEnded],
) -> None:
    """The floor decided a dispute or a call."""


ALERT_ENDED = entry_type("alert.ended", AlertEnded, "The cause of an alert is over.")


class AlertRaised(AlertEnded):
    level: Annotated[AlertLevel, "how urgent it is"]
    section: Annotated[str, "the section behind the alert; empty without one"]
    alarm: NotRequired[Annotated[int, "the evidence at which the dice watch asks somebody to look"]]
    about: NotRequired[Annotated[str, "what a dispute is about, in a person's words"]]
    breach: NotRequired[Annotated[Breach, "what is wrong with the supervision of the table"]]
    act: NotRequired[Annotated[str, "name of the act that raised a payout after the dice"]]
    cents: NotRequired[
        Annotated[
            int, "the amount of a wager over the maximum, what is paid beside the dice, or what a tray lacks"
        ]
    ]
    code: NotRequired[Annotated[str, "code of the rules submission"]]
    day: NotRequired[
        Annotated[str, "when something was due, or ends, local day and time; or since when it was not done"]
    ]
    count: NotRequired[Annotated[int, "how many tables the floorperson supervises"]]
    counted_cents: NotRequired[Annotated[int, "what was counted"]]
    device: NotRequired[Annotated[str, "name of the device; empty if unknown"]]
    differs: NotRequired[
        Annotated[
            Literal["opener", "count", "transfer", "drop", "closer"], "the count that differs from the record"
        ]
    ]
    discrepancy: NotRequired[Annotated[int, "number of the discrepancy at this table"]]
    entered: NotRequired[Annotated[list[int], "the dice that were entered or called"]]
    evidence: NotRequired[Annotated[str, "the evidence against fair dice, in words"]]
    expected_cents: NotRequired[Annotated[int, "what the record says"]]
    firmware: NotRequired[Annotated[str, "the version of the software of a reader"]]
    folder: NotRequired[Annotated[str, "a folder on the disk"]]
    first_round: NotRequired[Annotated[int, "the first round with these dice"]]
    held: NotRequired[Annotated[bool, "whether what is paid is held back for a review"]]
    last: NotRequired[Annotated[int, "number of the newest entry of the table on the record"]]
    lot: NotRequired[str]
    machine: NotRequired[Annotated[str, "name of the machine or of the certificate"]]
    minutes: NotRequired[Annotated[int, "the dice expire within so many minutes"]]
    other: NotRequired[Annotated[list[int], "the dice of an earlier reading of the same throw"]]
    other_device: NotRequired[Annotated[str, "name of the reader that read them"]]
    percent: NotRequired[
        Annotated[int, "how full the battery of the device was, or how much of a disk was free"]
    ]
    person: NotRequired[Annotated[str, "name of the person"]]
    undone: NotRequired[Annotated[int, "rounds without a result, or void throws, of the person"]]
    within_minutes: NotRequired[Annotated[int, "in how many minutes"]]
    player: NotRequired[Annotated[str, "random code of a rated player"]]
    post: NotRequired[Annotated[PostCode, "the post that is empty, or whose tablet is silent"]]
    read: NotRequired[Annotated[list[int], "the dice as a reader read them"]]
    round: NotRequired[
        Annotated[int | None, "number of the round; null for a dispute before the first round"]
    ]
    seat: NotRequired[int]
    seconds: NotRequired[Annotated[int, "by how much the clock jumped, or differs"]]
    seats: NotRequired[Annotated[list[int], "numbers of the seats whose payout was raised"]]
    signed_with: NotRequired[Annotated[str, "name of the second person who signed"]]
    seen: NotRequired[Annotated[int, "number of the newest entry that a screen has shown"]]
    shaker: NotRequired[str]
    shows: NotRequired[Annotated[str, "the limits that a sign shall show"]]
    slip: NotRequired[str]
    subject: NotRequired[Annotated[str, "what the approval was of, as the edition names it"]]
    table: NotRequired[str]
    tables: NotRequired[Annotated[list[str], "codes of the tables, and of the games elsewhere"]]
    to: NotRequired[Annotated[Addressee, "whom the table calls"]]
    throw: NotRequired[int]
    until: NotRequired[Annotated[str, "when the dice or a certificate end, or when the clock has caught up"]]
    version: NotRequired[Annotated[int, "the version of the submission in force"]]
    wager: NotRequired[Annotated[str, "code of a wager over the maximum"]]
    webhook: NotRequired[Annotated[str, "code of the webhook"]]
    what: NotRequired[Annotated[EquipmentKind, "what failed"]]


ALERT_RAISED = entry_type(
    "alert.raised",
    AlertRaised,
    "An alert was raised. Beside `kind`, `key`, `level` and `section` it has the values of its sentence.",
)


# Kinds and rules


Level = Alert.Level
PART = re.compile(r"\{\w+\}")


ALERT_KINDS: list["AlertKind"] = []


@dataclass(frozen=True)
class AlertKind:
    """What an alert of one kind says. Making one declares it, in `ALERT_KINDS`.

    `code` is stored. `key` names the cause, `{…}` standing for what varies: `dice:{lot}:1`. Kinds may share a code
    where their keys differ. `title` and `text` are filled with the alert's params; `describe` returns both where
    another sentence already says them. `name` is the kind's name in lines of the record.
    `describe_group` takes the params of several alerts of one table, and returns the title and text of the line that
    screens show for all of them; they are acknowledged together. `is_everywhere`: one cause raises it at every table in
    play, so all of them are one line of the whole floor.

    Raises ValueError for a key that is declared already.
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

    def __post_init__(self) -> None:
        if any(declared.key == self.key and declared.code == self.code for declared in ALERT_KINDS):
            raise ValueError(f"declared twice: {self.code} {self.key}")
        ALERT_KINDS.append(self)

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


ALERT_RULES: list[AlertRule] = []


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


# The alerts of a table


DISPUTE = "dispute"  # the code of the alert, and of the reason of a call
PEOPLE = ("acknowledged_by", "coming_by", "decided_by", "muted_by")
JOINS = " ".join(f"LEFT JOIN audit_person {name} ON {name}.id = a.{name}_id" for name in PEOPLE)


def raise_alert(ctx: TableContext, alert: ExpectedAlert) -> bool:
    """Raise an alert at this table, unless one with its key is open. Return whether it was raised."""
    if Alert.objects.filter(table=ctx.table, key=alert.key, ended_at=None).exists():
        return False
    kind, section = alert.kind, alert.section_at(ctx)
    Alert.objects.create(
        table=ctx.table,
        kind=kind.code,
        key=alert.key,
        level=kind.level,
        section=section,
        params=alert.params,
        raised_at=ctx.now,
    )
    data = {"kind": kind.code, "key": alert.key, "level": str(kind.level), "section": section}
    ctx.extra_entries.append(ALERT_RAISED.of({**alert.params, **data}))
    return True


def end_alert(ctx: TableContext, key_prefix: str) -> bool:
    """End every open alert whose key is `key_prefix` or starts with its parts. Return whether any ended.

    `dice` ends `dice:L-0001:1`. An ended alert stays on the screens until it is acknowledged.
    """
    under = Q(key=key_prefix) | Q(key__startswith=key_prefix + ":")
    ended = list(Alert.objects.filter(under, table=ctx.table, ended_at=None).order_by("pk"))
    for alert in ended:
        alert.ended_at = ctx.now
        alert.save(update_fields=["ended_at"])
        ctx.extra_entries.append(ALERT_ENDED({"kind": alert.kind, "key": alert.key}))
    return bool(ended)


def acknowledge(ctx: TableContext, alert: Alert, by: Person, note: str) -> None:
    """Mark an alert as acknowledged by this person. The caller records it."""
    alert.acknowledged_at, alert.acknowledged_by, alert.note = ctx.now, by, note
    alert.save(update_fields=["acknowledged_at", "acknowledged_by", "note"])


def acknowledged_with(alert: Alert, open_alerts: list[Alert]) -> list[Alert]:
    """The alerts that are acknowledged together with this alert.

    They are the earlier warnings about the same dice, and the alerts on the same line of the screens (`line_of`).
    """
    if kind_of(alert.kind, alert.key).describe_group:
        return [other for other in open_alerts if other.pk != alert.pk and line_of(other) == line_of(alert)]
    if not has_prefix(alert.key, ["dice"]):
        return []
    return [
        earlier for earlier in open_alerts if earlier.pk < alert.pk and group(earlier.key) == group(alert.key)
    ]


def line_of(alert: Alert) -> tuple[str, bool, bool]:
    """What the alerts of one line share: their kind, whether they have ended, whether they are acknowledged."""
    return alert.kind, alert.ended_at is not None, alert.acknowledged_at is not None


def has_prefix(key: str, prefixes: Iterable[str]) -> bool:
    """Whether the key equals one of these prefixes or starts with its parts, as in `end_alert`."""
    return any(key == prefix or key.startswith(prefix + ":") for prefix in prefixes)


def group(key: str) -> str:
    """The key without its stage, which all stages of one alert share."""
    return key.rpartition(":")[0]


def is_dispute(kind: str, reason: object) -> bool:
    """Whether an alert of this kind, or a call for this reason, is about a dispute of a player."""
    return DISPUTE in (kind, reason)


def standing_disputes(alerts: Iterable[Alert]) -> list[Alert]:
    """Return those of a table's alerts that are disputes which nobody has decided, oldest first."""
    return [
        alert
        for alert in alerts
        if alert.ended_at is None and is_dispute(alert.kind, alert.params.get("reason"))
    ]


def held(table_id: int) -> list[Alert]:
    """The alerts that a table's screens show, oldest first: open, not acknowledged, or decided and not yet read."""
    sql = f"""FROM tables_alert a {JOINS}
             WHERE a.table_id = %s AND {SHOWN_SQL} ORDER BY a.id"""
    models = (("a", Alert), *((person, Person) for person in PEOPLE))
    alerts = []
    for (alert, *people), _ in read(models, sql, [table_id]):
        for name, person in zip(PEOPLE, people, strict=True):
            setattr(alert, name, person)
        alerts.append(alert)
    return alerts
