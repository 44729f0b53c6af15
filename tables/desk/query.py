"""What a search of the record asks for: a query string, parsed field by field.

1. The address of a search has its fields as people type them (`FIELDS`); a saved filter, and an entry about a search
   that was taken, keep the same string (`clean_query_string`).
2. `parse_query` reads each field. One that cannot be searched for gets a message, and then nothing is searched: a list
   that ignored the field would pass for its answer.
3. A number by which people know something (`NUMBER_KINDS`) leads to where the entries about it are. `ENS-0012` is a
   slip, unique at its table; `RS-0009` and the others of the offices are in the entries of the streams that belong to
   no table; `L-0027` is a dice lot; `T-04 297` a round.
4. Acts are chosen one by one, or by groups (`GROUPS`): by what an auditor asks, not by who writes them.

`tables.desk.search` answers the query, `tables.desk.search_page` draws both.
"""

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from django.core.exceptions import TooManyFieldsSent
from django.db import connection
from django.db.models import Q
from django.http import QueryDict

from audit.entry_types import TYPE_NAME
from audit.models import COMMONEST_TYPE, Entry, Person, Stream
from audit.record import INSTALLATION
from games.models import Facility
from games.params import CODE, MOST_CENTS, YEARS
from tables.models import Slip, Table

FIELDS = ("number", "from", "to", "day", "place", "round", "lot", "who", "type", "least", "most", "training")
MAX_TYPED = 90
MAX_TYPES = 900  # of the acts together
MAX_TYPE = 60
MAX_QUERY = 1000  # of a saved filter
MAX_NUMBER = 2**31 - 1
MINUTE = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?")
AMOUNT = re.compile(r"\$?\s*(\d{1,3}(?:,\d{3})+|\d{1,10})(?:\.(\d\d))?")


# Numbers


NUMBER_EXAMPLES = "ENS-0012, RS-0009, D-0041, L-0027, CH-0001, C-0041, or T-04 297"


@dataclass(frozen=True)
class NumberScope:
    """Where the entries about a number are, and the text that each of them contains.

    `text` is empty where every entry of the rounds is about it. `rounds` are pairs of a stream's id and a round's
    number; `streams` are searched as a whole. `lot` and `round` stand for the fields of the search.
    """

    code: str
    text: str = ""
    rounds: tuple[tuple[int, int], ...] = ()
    streams: tuple[Stream, ...] = ()
    lot: str = ""
    round: tuple[Stream, int] | None = field(default=None)


Resolve = Callable[["re.Match[str]", Facility, bool], NumberScope | None]


def _slip_number(match: "re.Match[str]", facility: Facility, training: bool) -> NumberScope | None:
    number = int(match[1])
    slips = Slip.objects.filter(table__facility=facility, number=number)
    rounds = tuple(slips.order_by("pk").values_list("table__stream_id", "round__number"))
    code = f"ENS-{number:04d}"
    return NumberScope(code, code, rounds) if rounds else None


def _of_offices(match: "re.Match[str]", facility: Facility, training: bool) -> NumberScope:
    """The entries of every stream that is not a table's and has the code in its data."""
    code = f"{match[1].upper()}-{int(match[2]):04d}"
    tables = Table.objects.filter(facility=facility).values("stream")
    streams = Stream.objects.filter(name__startswith=f"{facility.code}/", seq__gt=0).exclude(pk__in=tables)
    return NumberScope(code, code, streams=tuple(streams.order_by("name")))


def _lot_number(match: "re.Match[str]", facility: Facility, training: bool) -> NumberScope:
    code = match[0].upper()
    return NumberScope(code, lot=code)


def _round_number(match: "re.Match[str]", facility: Facility, training: bool) -> NumberScope | None:
    table = Table.objects.filter(facility=facility, code__iexact=match[1]).select_related("stream").first()
    if table is None or table.stream.real_play is training or not 0 < int(match[2]) <= MAX_NUMBER:
        return None
    return NumberScope(f"{table.code} {int(match[2])}", round=(table.stream, int(match[2])))


# How each kind of number is typed, and where it leads; None where this casino has no such number
NUMBER_KINDS: list[tuple[re.Pattern[str], Resolve]] = [
    (re.compile(r"ENS-?0*(\d{1,9})", re.ASCII | re.IGNORECASE), _slip_number),
    # rules submissions, requests for games, providers, documents, changes, cases, legal holds
    (re.compile(r"(RS|NG|SP|SV|D|CH|C|LH)-0*(\d{1,9})", re.ASCII | re.IGNORECASE), _of_offices),
    (re.compile(r"L-\d{1,9}", re.ASCII | re.IGNORECASE), _lot_number),
    (
        re.compile(r"([A-Z0-9][A-Z0-9._-]*)[ ,]+(?:R|round )?(\d{1,9})", re.ASCII | re.IGNORECASE),
        _round_number,
    ),
]


def scope_of(text: str, facility: Facility, *, training: bool) -> NumberScope | str:
    """Return where a typed number leads, or a sentence that says why nowhere."""
    for pattern, resolve in NUMBER_KINDS:
        match = pattern.fullmatch(text)
        if match:
            scope = resolve(match, facility, training)
            sort = "training" if training else "real play"
            return scope or f"There is no {text} in {sort} here. Check the number."
    return f"Enter a number such as {NUMBER_EXAMPLES}."


# Acts, and groups of them


@dataclass(frozen=True)
class TypeGroup:
    """A group by its code. `types`: entry types, or all types of a topic (`limits.`)."""

    code: str
    label: str
    types: tuple[str, ...]

    def has(self, type_: str) -> bool:
        """Whether an entry type belongs to the group."""
        return any(type_.startswith(name) if name.endswith(".") else type_ == name for name in self.types)


GROUPS = (
    TypeGroup(
        "overrides",
        "Overrides: what a person put in place of the dice or the round",
        (
            *(
                "round.no_roll",
                "throw.no_roll",
                "round.voided",
                "round.settled_by_hand",
                "round.recorded_by_hand",
            ),
            *("dice.corrected", "wager.missed", "wager.struck", "wagers.returned", "slip."),
            *("alert.muted", "alert.decided", "pins.unlocked", "table.resumed"),
        ),
    ),
    TypeGroup("limits", "Limits and their notices", ("limits.", "signs.took_effect", "board_permission.")),
    TypeGroup(
        "chips",
        "Chips and cash",
        ("transfer.", "chips.", "inventory.", "drop_box.", "par.set", "review_sum.set"),
    ),
    TypeGroup("dice", "Dice, lots and shakers", ("dice.", "dice_lot.", "shaker.", "instrument.")),
    TypeGroup("approvals", "Changes prepared and approved", ("change.", "approval.", "approvals.", "rules.")),
    TypeGroup(
        "access",
        "People, devices and sign-ins",
        (
            *(
                "person.",
                "people.",
                "device.",
                "pin.",
                "pins.",
                "password.",
                "factor.",
                "factors.",
                "sign_in.",
            ),
            *("access.", "assignment.", "duty.changed", "leave.", "qualification."),
        ),
    ),
    TypeGroup(
        "copies",
        "Copies that left the casino",
        ("export.", "proof.taken", "search.taken", "round.printed", "letter.printed"),
    ),
)


def types_of(codes: Iterable[str], on_record: Iterable[str]) -> tuple[str, ...]:
    """The entry types that were chosen, groups among them replaced by those of their types that are on record."""
    chosen, known = set(codes), sorted(on_record)
    groups = [group for group in GROUPS if group.code in chosen]
    single = chosen - {group.code for group in groups}
    return tuple(sorted(single | {type_ for type_ in known for group in groups if group.has(type_)}))


INDEXED = f"NOT (e.type = '{COMMONEST_TYPE}')"  # the condition of the index of types


def types_on_record() -> list[str]:
    """Every entry type on record, with one index lookup for each. The newest of the commonest type is near."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"""WITH RECURSIVE known(type) AS (
                   SELECT min(e.type) FROM audit_entry e WHERE {INDEXED}
                   UNION ALL
                   SELECT (SELECT min(e.type) FROM audit_entry e WHERE {INDEXED} AND e.type > known.type)
                   FROM known WHERE known.type IS NOT NULL)
               SELECT type FROM known WHERE type IS NOT NULL
               UNION ALL SELECT type FROM (
                   SELECT e.type FROM audit_entry e WHERE e.type = '{COMMONEST_TYPE}' ORDER BY e.at DESC LIMIT 1) e"""
        )
        return sorted(row[0] for row in cursor.fetchall())


# A search, as it is typed


@dataclass
class SearchQuery:
    """A search of one facility's record. `since` is inclusive, `until` exclusive; None means no bound.

    `typed` is what the form shows; `errors` has a message by field.
    """

    facility: Facility
    typed: dict[str, str]
    errors: dict[str, str] = field(default_factory=dict)
    since: dt.datetime | None = None
    until: dt.datetime | None = None
    day: dt.date | None = None
    stream: Stream | None = None
    round: int | None = None
    lot: str = ""
    who: str = ""
    types: tuple[str, ...] = ()
    min_cents: int | None = None
    max_cents: int | None = None
    training: bool = False
    before: Entry | None = None
    number: NumberScope | None = None

    @property
    def query(self) -> str:
        """The query string of this search, without its page."""
        return urlencode({name: self.typed[name] for name in FIELDS if self.typed.get(name)})

    @property
    def has_amounts(self) -> bool:
        """Whether only entries with a certain amount match."""
        return self.min_cents is not None or self.max_cents is not None

    @property
    def reads_bodies(self) -> bool:
        """Whether candidates are compared with what their bodies contain."""
        return self.has_amounts or bool(self.number and self.number.text)

    @property
    def is_narrowed(self) -> bool:
        """Whether the search has any field other than real play or training."""
        return any(self.typed.get(name) for name in FIELDS if name != "training")


def typed_fields(values: QueryDict) -> dict[str, str]:
    """The fields of an address: the acts that were chosen are joined by spaces."""
    return values.dict() | ({"type": " ".join(values.getlist("type"))} if "type" in values else {})  # type: ignore[return-value]


def parse_query(values: Mapping[str, str], facility: Facility) -> SearchQuery:
    """Parse a query string. Never raises: mistakes become `errors`."""
    typed = {name: values.get(name, "").strip() for name in (*FIELDS, "before")}
    most = {"type": MAX_TYPES}
    query = SearchQuery(facility, {name: text[: most.get(name, MAX_TYPED)] for name, text in typed.items()})
    for name, text in typed.items():
        if len(text) > most.get(name, MAX_TYPED):
            query.errors[name] = "This is too long to search for. Shorten it."
        elif not text.isprintable():
            query.errors[name] = "This has characters that cannot be searched for. Remove them."
            query.typed[name] = ""
        elif text and name != "number":  # it needs the kind of play
            PARSERS[name](query, text)
    if query.typed["number"] and "number" not in query.errors:
        _number(query, query.typed["number"])
    if query.since and query.until and query.since >= query.until:
        query.errors.setdefault("to", "This is before the beginning of the search. Choose a later time.")
    if query.min_cents is not None and query.max_cents is not None and query.min_cents > query.max_cents:
        query.errors.setdefault("most", "This is less than the amount before it. Enter a larger amount.")
    return query


def clean_query_string(query: str, facility: Facility) -> str | None:
    """Return the query string with only the fields that the search knows; None where one of them is wrong."""
    try:
        values = typed_fields(QueryDict(query[: 4 * MAX_QUERY]))
    except TooManyFieldsSent:
        return None
    query_ = parse_query(values | {"before": ""}, facility)
    query_string = query_.query
    return None if query_.errors or len(query_string) > MAX_QUERY else query_string


def day_bounds(day: dt.date, facility: Facility) -> tuple[dt.datetime, dt.datetime]:
    """When a gaming day begins and ends. It lasts 23 or 25 hours where the clocks change."""
    return facility.day_begins(day), facility.day_begins(day + dt.timedelta(days=1))


def readings_of(local: dt.datetime, facility: Facility) -> list[dt.datetime]:
    """The earliest and the latest moment of a local time: where the clocks change, it occurs twice or never."""
    readings = (local.replace(tzinfo=facility.zone, fold=fold).astimezone(dt.UTC) for fold in (0, 1))
    return sorted(readings)


def _moment(query: SearchQuery, name: str, text: str, *, is_end: bool) -> dt.datetime | None:
    """Parse a moment in local time. The end of a search is the end of the minute, or second, that was typed.

    Of a local time that occurs twice or never the search includes both, or the time around it.
    """
    match = MINUTE.fullmatch(text)
    try:
        local = dt.datetime.fromisoformat(f"{match[1]}T{match[2]}{match[3] or ''}") if match else None
    except ValueError:
        local = None
    if local is None or local.year not in YEARS:
        query.errors[name] = "Enter a date and a time, such as 2026-11-21 21:17."
        return None
    earliest, latest = readings_of(local, query.facility)
    if not is_end:
        return earliest
    return latest + (dt.timedelta(seconds=1) if match and match[3] else dt.timedelta(minutes=1))


def _from(query: SearchQuery, text: str) -> None:
    query.since = _moment(query, "from", text, is_end=False)


def _to(query: SearchQuery, text: str) -> None:
    query.until = _moment(query, "to", text, is_end=True)


def _day(query: SearchQuery, text: str) -> None:
    try:
        day = dt.date.fromisoformat(text) if re.fullmatch(r"\d{4}-\d\d-\d\d", text) else None
    except ValueError:
        day = None
    if day is None or day.year not in YEARS:
        query.errors["day"] = "Enter a date, such as 2026-11-21."
    else:
        query.day = day


def _place(query: SearchQuery, text: str) -> None:
    name = text if text == INSTALLATION else f"{query.facility.code}/{text}"
    query.stream = Stream.objects.filter(name=name).first()
    if query.stream is None:
        query.errors["place"] = "This casino has no %(place)s. Choose from the list." % {"place": text}
        return
    wants_training = bool(query.typed.get("training"))
    if query.stream.real_play == wants_training:
        query.errors["place"] = (
            "%(place)s is real play. Search it under Real play."
            if query.stream.real_play
            else "%(place)s is training. Search it under Training."
        ) % {"place": text}


def _integer(query: SearchQuery, name: str, text: str, message: str) -> int | None:
    if not (text.isascii() and text.isdigit()) or not 0 < int(text) <= MAX_NUMBER:
        query.errors[name] = message
        return None
    return int(text)


def _round(query: SearchQuery, text: str) -> None:
    query.round = _integer(query, "round", text, "Enter a whole number, such as 297.")


def _number(query: SearchQuery, text: str) -> None:
    """Look up a number. That of a round or a dice lot stands for these fields."""
    scope = scope_of(text, query.facility, training=query.training)
    if isinstance(scope, str):
        query.errors["number"] = scope
        return
    query.number = scope
    query.lot = scope.lot or query.lot
    if scope.round:
        query.stream, query.round = scope.round


def _lot(query: SearchQuery, text: str) -> None:
    if CODE.fullmatch(text):
        query.lot = text
    else:
        query.errors["lot"] = "Enter the code of a dice lot, such as L-0027."


def _who(query: SearchQuery, text: str) -> None:
    people = Person.objects.filter(facility__in=("", query.facility.code))
    matches = list(people.filter(Q(code=text.lower()) | Q(name__iexact=text)).order_by("code")[:2])
    exact = [person for person in matches if person.code == text.lower()]
    if len(exact or matches) == 1:
        query.who = (exact or matches)[0].code
    elif matches:
        query.errors["who"] = "Several people have this name. Enter the person's code."
    else:
        query.errors["who"] = "No one here has this code or full name. Choose from the list."


def _types(query: SearchQuery, text: str) -> None:
    """Parse entry types and codes of groups, with spaces between them. A group without entries finds nothing."""
    codes = text.split()
    groups = {group.code for group in GROUPS}
    if not all(code in groups or (len(code) <= MAX_TYPE and TYPE_NAME.fullmatch(code)) for code in codes):
        query.errors["type"] = "This is not an act of the record. Choose from the list."
        return
    query.types = types_of(codes, types_on_record()) or tuple(codes)


def _cents(query: SearchQuery, name: str, text: str) -> int | None:
    match = AMOUNT.fullmatch(text)
    cents = int(match[1].replace(",", "")) * 100 + int(match[2] or 0) if match else -1
    if not 0 <= cents <= MOST_CENTS:
        query.errors[name] = "Enter an amount in dollars, such as 1,150 or 12.50."
        return None
    return cents


def _least(query: SearchQuery, text: str) -> None:
    query.min_cents = _cents(query, "least", text)


def _most(query: SearchQuery, text: str) -> None:
    query.max_cents = _cents(query, "most", text)


def _training(query: SearchQuery, text: str) -> None:
    query.training = text == "1"
    if not query.training:
        query.errors["training"] = "Choose real play or training."
        query.typed["training"] = ""


def _before(query: SearchQuery, text: str) -> None:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0
    query.before = Entry.objects.only("pk", "at", "seq", "stream_id").filter(pk=number).first()
    if query.before is None:
        query.errors["before"] = (
            "This page of the search does not exist. Start again from the newest entries."
        )


PARSERS = {
    "from": _from, "to": _to, "day": _day, "place": _place, "round": _round, "lot": _lot, "who": _who,
    "type": _types, "least": _least, "most": _most, "training": _training, "before": _before,
}  # fmt: skip
