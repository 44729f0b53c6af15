"""The search of the record: its page, the searches that a person keeps, and the copy of what a search found.

1. The query is in the address (`tables.desk.query`), the newest matching entries are below it (`tables.desk.search`).
2. A person keeps a search under a name (`save_filter`), until they remove it (`remove_filter`). Both are recorded;
   nothing else depends on them.
3. Whoever may export takes what a search finds as CSV (`take_search`). The file is made again from the search when it
   is served, as of the moment of the act, and has the recorded SHA-256.
"""

import datetime as dt
from typing import Annotated, Any, TypedDict

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_GET

from audit.columns import ACTOR, AT, FACILITY, declare
from audit.entry_types import entry_type
from audit.identity import Denied
from audit.models import Entry, Person, SavedFilter
from games.access import opened_by
from games.act_forms import text
from games.engine import Refusal, RefusalCode
from games.kit.files import csv_table
from games.kit.tables import DAY, MOMENT, MONEY, NUMBER, TEXT, Column, Table
from games.models import Facility
from tables.desk.desk import (
    DESK,
    DESK_ROLES,
    ActOutcome,
    DeskContext,
    desk_act,
    desk_context,
    may_export,
    own_recent_entry,
    recorded_copy,
)
from tables.desk.entries import EntryRow, entry_rows, grouped_by_round, local_date_and_time
from tables.desk.query import (
    FIELDS,
    GROUPS,
    MAX_QUERY,
    NUMBER_EXAMPLES,
    SearchQuery,
    clean_query_string,
    parse_query,
    typed_fields,
    types_on_record,
)
from tables.desk.search import MAX_CANDIDATES, PAGE_SIZE, places_of, search_record
from tables.replay.evidence import sha256
from tables.words.entries import data_of, names_of, type_in_words
from tables.words.sentences import dollars

FOUND_NOTHING = RefusalCode(
    "found-nothing",
    "This search finds no entry, so there is nothing to take.",
    "No entries",
)
FOUND_TOO_MUCH = RefusalCode(
    "found-too-much",
    "This search finds more than %(most)s entries, or reaches too far back. Narrow it by gaming day, table or act, or "
    "request an export.",
    "Too much",
)
FILTER_SAYS_NOTHING = RefusalCode(
    "filter-says-nothing",
    "%(filter)s is empty. Fill in what to search for, search, then save it.",
)
FILTER_NOT_UNDERSTOOD = RefusalCode(
    "filter-not-understood",
    "%(filter)s has a field that cannot be searched for. Correct it, then save it.",
)
FILTER_NAME_TAKEN = RefusalCode(
    "filter-name-taken",
    "You already have a filter called %(filter)s. Choose another name.",
)
TOO_MANY_FILTERS = RefusalCode(
    "too-many-filters",
    "You already have %(most)s saved filters. Remove one first.",
)
NO_SUCH_FILTER = RefusalCode(
    "no-such-filter",
    "You have no filter called %(filter)s. It may have been removed already.",
)
MAX_FILTERS = 40
MAX_NAME = 60
MOST_FOUND = 1_000
MOST_SCANS = 8  # pages of candidates: a rare act in a long record is searched for by gaming day
MAX_NAMES = 500  # offered in the list; every name can be typed
FOUND_CHANGED = "A name or an entry that this file has was added meanwhile. Take it again."
LABELS = {
    "number": "Number",
    "from": "From", "to": "To", "day": "Gaming day", "place": "Place",
    "round": "Round", "lot": "Dice lot", "who": "Person", "type": "Act",
    "least": "Amount from", "most": "Amount to", "training": "Kind of play", "before": "Page",
}  # fmt: skip
# fields without a form control: their errors are shown at the top of the page
NO_FIELD = ("training", "before")


# What the record says


class FilterQuery(TypedDict):
    filter: Annotated[str, "name of the saved search"]
    query: Annotated[str, "the search, as the query string of its address"]


FILTER_SAVED = entry_type(
    "filter.saved",
    FilterQuery,
    "A person saved a search of the record.",
    lambda data: "Filter saved: %(filter)s" % data,
)
FILTER_REMOVED = entry_type(
    "filter.removed",
    FilterQuery,
    "A person removed a saved search of the record.",
    lambda data: "Filter removed: %(filter)s" % data,
)
declare(
    SavedFilter,
    "filter",
    key={"facility": FACILITY, "person": ACTOR, "name": "filter"},
    created={FILTER_SAVED: {"query": "query", "saved_at": AT}},
    removed=[FILTER_REMOVED],
)


@entry_type("search.taken")
def SEARCH_TAKEN(
    *,
    bytes: Annotated[int, "size of the file"],
    entries: Annotated[int, "so many entries were found"],
    query: Annotated[str, "the search, as the query string of its address"],
    sha256: Annotated[str, "SHA-256 of the file, in hex"],
) -> str:
    """A person downloaded what a search of the record found, as CSV."""
    return f"Search downloaded: {entries:,} entries of {query or 'everything'}"


# The page


@require_GET
@opened_by(DESK)
def record(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """Show entries by time, gaming day, place, round, lot, person, act and amount; training apart from real play."""
    query = parse_query(typed_fields(request.GET), facility)
    page, saved = search_record(query), _saved_filters(person, facility, query)
    rows = entry_rows(page.entries, facility)
    context = desk_context(person, facility, "record") | {
        "query": query,
        "rows": rows,
        "groups": grouped_by_round(rows, facility),
        "number_examples": NUMBER_EXAMPLES,
        "results": page,
        "page_size": PAGE_SIZE,
        "max_candidates": f"{MAX_CANDIDATES:,}",
        "scanned_to": " ".join(local_date_and_time(page.scanned_to.at, facility)) if page.scanned_to else "",
        "older_url": _search_url(query, before=str(page.next_key)) if page.next_key else "",
        "newest_url": _search_url(query),
        "real_play_url": _search_url(query, training="", place=""),
        "training_url": _search_url(query, training="1", place=""),
        "errors": query.errors,
        "at_fields": any(name not in NO_FIELD for name in query.errors),
        "elsewhere": [(LABELS[name], message) for name, message in query.errors.items() if name in NO_FIELD],
        "parts": _query_parts(query),
        "cleared_url": "?training=1" if query.training else ".",
        "saved_filters": saved,
        "is_saved": any(filter_["is_current"] for filter_ in saved),
    }
    return render(request, "desk/search.html", context | _choices(facility, query))


def _choices(facility: Facility, query: SearchQuery) -> dict[str, Any]:
    """What the form's lists offer."""
    people = Person.objects.filter(facility__in=("", facility.code), is_active=True)
    chosen = query.typed["type"].split()
    return {
        "places": places_of(facility, training=query.training),
        "types": [
            (words, type_, type_ in chosen)
            for words, type_ in sorted((type_in_words(type_), type_) for type_ in types_on_record())
        ],
        "groups_of_types": [(group.label, group.code, group.code in chosen) for group in GROUPS],
        "chosen_types": _types_in_words(query),
        "people": people.order_by("name")[:MAX_NAMES],
    }


def _search_url(query: SearchQuery, **changes: str) -> str:
    """The address of this search with some fields changed."""
    query_string = SearchQuery(query.facility, query.typed | {"before": ""} | changes).query
    if before := changes.get("before"):
        query_string = f"{query_string}&before={before}" if query_string else f"before={before}"
    return f"?{query_string}" if query_string else "."


def _query_parts(query: SearchQuery) -> list[dict[str, str]]:
    """The fields of the query in words, each with the address of the search without it."""
    texts = {
        "from": query.typed["from"].replace("T", " "),
        "to": query.typed["to"].replace("T", " "),
        "who": names_of({query.who}).get(query.who, query.who),
        "type": _types_in_words(query),
        "least": "" if query.min_cents is None else dollars(query.min_cents),
        "most": "" if query.max_cents is None else dollars(query.max_cents),
    }
    return [
        {
            "label": str(LABELS[name]),
            "text": texts.get(name) or query.typed[name],
            "without": _search_url(query, **{name: ""}),
        }
        for name in FIELDS
        if name not in NO_FIELD and query.typed[name]
    ]


def _types_in_words(query: SearchQuery) -> str:
    """`Limits and their notices, Round voided`."""
    labels = {group.code: group.label.partition(":")[0] for group in GROUPS}
    return ", ".join(labels.get(code) or type_in_words(code) for code in query.typed["type"].split())


def _saved_filters(person: Person, facility: Facility, query: SearchQuery) -> list[dict[str, Any]]:
    """This person's saved filters, and whether one of them is the current search."""
    saved = SavedFilter.objects.filter(person=person, facility=facility.code)
    return [
        {
            "key": filter_.pk,
            "name": filter_.name,
            "url": f"?{filter_.query}" if filter_.query else ".",
            "is_current": filter_.query == query.query,
        }
        for filter_ in saved
    ]


# Saved searches


@desk_act(roles=DESK_ROLES)
def save_filter(
    ctx: DeskContext,
    *,
    name: Annotated[str, text(MAX_NAME)],
    query: Annotated[str, text(4 * MAX_QUERY)] = "",
) -> ActOutcome:
    """Save a search under a name for the person who acts.

    `name` is one line; of the query string `query` only the known fields are kept. Raises `filter-says-nothing`,
    `filter-not-understood`, `filter-name-taken` or `too-many-filters`.
    """
    known = clean_query_string(query, ctx.facility)
    if known is None:
        raise Refusal(FILTER_NOT_UNDERSTOOD, filter=name)
    if not known:
        raise Refusal(FILTER_SAYS_NOTHING, filter=name)
    own = SavedFilter.objects.filter(facility=ctx.facility.code, person=ctx.actor)
    if own.filter(name=name).exists():
        raise Refusal(FILTER_NAME_TAKEN, filter=name)
    if own.count() >= MAX_FILTERS:
        raise Refusal(TOO_MANY_FILTERS, most=MAX_FILTERS)
    SavedFilter.objects.create(
        facility=ctx.facility.code, person=ctx.actor, name=name, query=known, saved_at=ctx.now
    )
    return ActOutcome(FILTER_SAVED({"filter": name, "query": known}))


@desk_act(roles=DESK_ROLES)
def remove_filter(ctx: DeskContext, *, name: Annotated[str, text(MAX_NAME)]) -> ActOutcome:
    """Remove one of the person's own saved filters by its name. Raises `no-such-filter`."""
    own = SavedFilter.objects.filter(facility=ctx.facility.code, person=ctx.actor, name=name).first()
    if own is None:
        raise Refusal(NO_SUCH_FILTER, filter=name)
    data: FilterQuery = {"filter": own.name, "query": own.query}
    own.delete()
    return ActOutcome(FILTER_REMOVED(data))


# The copy of what a search found


C = Column[EntryRow]
COLUMNS = (
    C("time", MOMENT, lambda row: row.entry.at),
    C("gaming day", DAY, lambda row: row.entry.gaming_day),
    C("place", TEXT, lambda row: row.place),
    C("entry", NUMBER, lambda row: row.entry.seq),
    C("act", TEXT, lambda row: row.entry.type),
    C("what it says", TEXT, lambda row: row.words),
    C("person", TEXT, lambda row: next(iter(row.people), "")),
    C("second person", TEXT, lambda row: next(iter(row.people[1:]), "")),
    C("round", NUMBER, lambda row: row.entry.round),
    C("dice lot", TEXT, lambda row: row.entry.lot or ""),
    C("largest amount", MONEY, lambda row: row.entry.cents),
    C("hash", TEXT, lambda row: bytes(row.entry.hash).hex()),
)


def found_csv(query: SearchQuery, facility: Facility, as_of: dt.datetime) -> tuple[bytes, int]:
    """Return the CSV (RFC 4180, UTF-8, newest first) of what a search finds before a moment, and its number of entries.

    Raises `found-nothing`, or `found-too-much` for more entries than a file has, or a search too far back.
    """
    query.until = min(query.until or as_of, as_of)
    entries = _found(query)
    if not entries:
        raise Refusal(FOUND_NOTHING)
    text = csv_table(Table(COLUMNS, entry_rows(entries, facility)), facility.zone)
    return text.encode("utf-8-sig"), len(entries)


def _found(query: SearchQuery) -> list[Entry]:
    entries: list[Entry] = []
    for _ in range(MOST_SCANS + MOST_FOUND // PAGE_SIZE):
        page = search_record(query)
        entries += page.entries
        if len(entries) > MOST_FOUND:
            break
        if not page.next_key:
            return entries
        query.before = Entry.objects.only("pk", "at", "seq", "stream_id").get(pk=page.next_key)
    raise Refusal(FOUND_TOO_MUCH, most=f"{MOST_FOUND:,}")


@desk_act(step_up="always")
def take_search(ctx: DeskContext, *, query: Annotated[str, text(4 * MAX_QUERY)] = "") -> ActOutcome:
    """Make the CSV of what a search finds for download, and record its SHA-256. `query` is the search's query string.

    Raises `filter-not-understood`, `found-nothing` or `found-too-much`.
    """
    known = clean_query_string(query, ctx.facility)
    if known is None:
        raise Refusal(FILTER_NOT_UNDERSTOOD, filter="This search")
    search = parse_query(typed_fields(QueryDict(known)), ctx.facility)
    content, entries = found_csv(search, ctx.facility, ctx.now)
    digest = sha256(content)
    entry = SEARCH_TAKEN(query=known, entries=entries, bytes=len(content), sha256=digest)
    return ActOutcome(entry, {"sha256": digest, "entries": entries})


@require_GET
@opened_by(DESK)
def taken_copy(request: HttpRequest, person: Person, facility: Facility, digest: str) -> HttpResponse:
    """Make what was recorded as taken again, and serve it to who took it, if it has the recorded SHA-256."""
    entry = own_recent_entry(person, facility, SEARCH_TAKEN.name, {"sha256": digest})
    if not may_export(person) or entry is None:
        raise Denied
    query = parse_query(typed_fields(QueryDict(data_of(entry)["query"])), facility)
    try:
        content = found_csv(query, facility, entry.at)[0]
    except Refusal:
        content = b""
    name = f"{facility.code}-found-{digest[:8]}.csv"
    return recorded_copy(content, digest, name, "text/csv; charset=utf-8", FOUND_CHANGED)


urlpatterns = [
    path("record/<slug:facility>/found/<slug:digest>.csv", taken_copy, name="record-found"),
    path("record/<slug:facility>/", record, name="record"),
]
