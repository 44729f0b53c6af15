"""The search of the record: the query is in the address, the newest matching entries below."""

from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_GET

from audit.access import Denied
from audit.models import Person, SavedFilter
from games.engine import Refusal
from games.models import Facility
from tables.desk import query as asking
from tables.desk.access import authorize_desk, may_export
from tables.desk.entry_rows import entry_rows, grouped_by_round, local_date_and_time
from tables.desk.entry_types import SEARCH_TAKEN
from tables.desk.found import found_csv
from tables.desk.numbers import EXAMPLES
from tables.desk.page import desk_context
from tables.desk.query import FIELDS, SearchQuery, typed_fields
from tables.desk.type_groups import GROUPS
from tables.desk.types_on_record import types_on_record
from tables.desk.views.papers import own_recent_entry
from tables.replay.evidence import sha256
from tables.words.entries import data_of, names_of, type_in_words
from tables.words.sentences import dollars

from ..search import MAX_CANDIDATES, PAGE_SIZE, places_of, search_record

MAX_NAMES = 500  # offered in the list; every name can be typed
LABELS = {
    "number": "Number",
    "from": "From", "to": "To", "day": "Gaming day", "place": "Place",
    "round": "Round", "lot": "Dice lot", "who": "Person", "type": "Act",
    "least": "Amount from", "most": "Amount to", "training": "Kind of play", "before": "Page",
}  # fmt: skip
# fields without a form control: their errors are shown at the top of the page
NO_FIELD = ("training", "before")


@require_GET
def record(request: HttpRequest, facility_code: str) -> HttpResponse:
    """Show entries by time, gaming day, place, round, lot, person, act and amount; training apart from real play."""
    person, facility = authorize_desk(request, facility_code)
    query = asking.parse_query(typed_fields(request.GET), facility)
    page, saved = search_record(query), _saved_filters(person, facility, query)
    rows = entry_rows(page.entries, facility)
    context = desk_context(person, facility, "record") | {
        "query": query,
        "rows": rows,
        "groups": grouped_by_round(rows, facility),
        "number_examples": EXAMPLES,
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


@require_GET
def found(request: HttpRequest, facility_code: str, digest: str) -> HttpResponse:
    """Make what was recorded as taken again, and serve it to who took it, if it has the recorded SHA-256."""
    person, facility = authorize_desk(request, facility_code)
    entry = own_recent_entry(person, facility, SEARCH_TAKEN.name, {"sha256": digest})
    if not may_export(person) or entry is None:
        raise Denied
    query = asking.parse_query(typed_fields(QueryDict(data_of(entry)["query"])), facility)
    try:
        content = found_csv(query, facility, entry.at)[0]
    except Refusal:
        content = b""
    if sha256(content) != digest:
        message = "A name or an entry that this file has was added meanwhile. Take it again."
        return HttpResponse(message, status=410, content_type="text/plain; charset=utf-8")
    response = HttpResponse(content, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{facility.code}-found-{digest[:8]}.csv"'
    response["Cache-Control"] = "private, no-store"
    return response


urlpatterns = [
    path("record/<slug:facility_code>/found/<slug:digest>.csv", found, name="record-found"),
    path("record/<slug:facility_code>/", record, name="record"),
]
