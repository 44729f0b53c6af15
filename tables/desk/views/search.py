"""The record's search: what is asked stands in the address, and the newest entries that answer beneath."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_GET

from audit.models import Person, SavedFilter
from games.models import Facility
from tables.desk import query as asking
from tables.desk.access import desk_of
from tables.desk.entry_rows import lines_of, local
from tables.desk.page import desk
from tables.desk.query import FIELDS, Asked
from tables.words.entries import names_of, type_in_words
from tables.words.sentences import dollars

from ..search import LOOKED, PAGE, find, places_of, types_on_record

MOST_NAMES = 500  # people that the field offers; everybody can be typed
LABELS = {
    "from": "From", "to": "To", "day": "Gaming day", "place": "Place",
    "round": "Round", "lot": "Dice lot", "who": "Person", "type": "Act",
    "least": "A sum from", "most": "A sum to", "training": "Kind of play", "before": "Page",
}  # fmt: skip
# what the form has no field for: the head of the page tells what is wrong with it
NO_FIELD = ("training", "before")


@require_GET
def record(request: HttpRequest, facility: str) -> HttpResponse:
    """Entries by time, gaming day, place, round, dice lot, person, act and amount; training apart from real play."""
    person, house = desk_of(request, facility)
    asked = asking.read(request.GET.dict(), house)
    found, kept = find(asked), _kept(person, house, asked)
    context = desk(person, house, "record") | {
        "asked": asked,
        "lines": lines_of(found.entries, house),
        "found": found,
        "page": PAGE,
        "looked": f"{LOOKED:,}",
        "looked_to": " ".join(local(found.looked_to.at, house)) if found.looked_to else "",
        "older": _with(asked, before=str(found.older)) if found.older else "",
        "newest": _with(asked),
        "real": _with(asked, training="", place=""),
        "training": _with(asked, training="1", place=""),
        "wrong": asked.wrong,
        "at_fields": any(name not in NO_FIELD for name in asked.wrong),
        "elsewhere": [(LABELS[name], said) for name, said in asked.wrong.items() if name in NO_FIELD],
        "parts": _parts(asked),
        "cleared": "?training=1" if asked.training else ".",
        "kept": kept,
        "is_kept": any(one["now"] for one in kept),
    }
    return render(request, "desk/search.html", context | _choices(house, asked))


def _choices(house: Facility, asked: Asked) -> dict[str, Any]:
    """What the fields offer."""
    here = Person.objects.filter(facility__in=("", house.code), is_active=True)
    return {
        "places": places_of(house, training=asked.training),
        "types": sorted((type_in_words(one), one) for one in types_on_record()),
        "people": here.order_by("name")[:MOST_NAMES],
    }


def _with(asked: Asked, **changed: str) -> str:
    """The address of this search with something else in it."""
    query = Asked(asked.house, asked.typed | {"before": ""} | changed).query
    if before := changed.get("before"):
        query = f"{query}&before={before}" if query else f"before={before}"
    return f"?{query}" if query else "."


def _parts(asked: Asked) -> list[dict[str, str]]:
    """What is asked for, field by field in words, and the search without it."""
    said = {
        "from": asked.typed["from"].replace("T", " "),
        "to": asked.typed["to"].replace("T", " "),
        "who": names_of({asked.who}).get(asked.who, asked.who),
        "type": type_in_words(asked.type),
        "least": "" if asked.least is None else dollars(asked.least),
        "most": "" if asked.most is None else dollars(asked.most),
    }
    return [
        {
            "label": str(LABELS[name]),
            "said": said.get(name) or asked.typed[name],
            "without": _with(asked, **{name: ""}),
        }
        for name in FIELDS
        if name not in NO_FIELD and asked.typed[name]
    ]


def _kept(person: Person, house: Facility, asked: Asked) -> list[dict[str, Any]]:
    """This person's saved filters, and whether one of them is what is asked now."""
    saved = SavedFilter.objects.filter(person=person, facility=house.code)
    return [
        {
            "key": one.pk,
            "name": one.name,
            "url": f"?{one.query}" if one.query else ".",
            "now": one.query == asked.query,
        }
        for one in saved
    ]


urlpatterns = [path("record/<slug:facility>/", record, name="record")]
