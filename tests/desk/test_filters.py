"""Saved filters: each is its person's own, and the record tells of both acts."""

import json
import uuid

import pytest

from audit.models import Entry, SavedFilter
from audit.runner import ActRequest
from games.engine import Refusal
from games.facility_runner import Forbidden
from tables.desk import desk
from tables.desk.search_page import MAX_FILTERS
from tables.words.sentences import say

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def at_desk(scene, name, params, by="compliance"):
    call = ActRequest(
        facility="larkfield", place=desk.STREAM, act=name, command=uuid.uuid4(), seen_version=0, params=params,
        actor=scene.people[by], device=scene.podium,
    )  # fmt: skip
    return desk.execute(call)


def refusal_of(scene, name, params, by="compliance"):
    before = Entry.objects.count()
    with pytest.raises(Refusal) as refused:
        at_desk(scene, name, params, by)
    assert Entry.objects.count() == before
    return refused.value


def told(scene):
    newest = Entry.objects.filter(stream__name="larkfield/exports").latest("seq")
    return newest.type, json.loads(bytes(newest.body))["data"]


def test_a_search_is_saved_without_its_page_and_recorded(scene):
    at_desk(scene, "save_filter", {"name": "Disputes", "query": "type=dispute.reported&before=7&x=1"})
    data = {"filter": "Disputes", "query": "type=dispute.reported"}
    assert told(scene) == ("filter.saved", data)
    assert SavedFilter.objects.values_list("person__code", "name", "query").get() == (
        "compliance",
        *data.values(),
    )


def test_a_filter_is_removed_and_the_removal_recorded(scene):
    at_desk(scene, "save_filter", {"name": "Disputes", "query": "round=7"})
    at_desk(scene, "remove_filter", {"name": "Disputes"})
    assert told(scene) == ("filter.removed", {"filter": "Disputes", "query": "round=7"})
    assert not SavedFilter.objects.exists()


def test_nobody_sees_or_removes_the_filter_of_another(scene):
    at_desk(scene, "save_filter", {"name": "Mine", "query": "round=7"})
    assert refusal_of(scene, "remove_filter", {"name": "Mine"}, by="gaming-agent").code == "no-such-filter"
    names = {
        by: "Remove Mine" in scene.browser("podium", by).get("/record/larkfield/").content.decode()
        for by in ("compliance", "gaming-agent")
    }
    assert names == {"compliance": True, "gaming-agent": False}


@pytest.mark.parametrize(
    ("query", "code"),
    [("", "filter-says-nothing"), ("junk=1", "filter-says-nothing"), ("round=x", "filter-not-understood")],
)
def test_an_empty_or_invalid_search_is_not_saved(scene, query, code):
    refused = refusal_of(scene, "save_filter", {"name": "F", "query": query})
    assert refused.code == code and say(refused).startswith("F ")


def test_a_name_is_used_once_and_the_number_of_filters_is_limited(scene):
    at_desk(scene, "save_filter", {"name": "One", "query": "round=1"})
    assert refusal_of(scene, "save_filter", {"name": "One", "query": "round=2"}).code == "filter-name-taken"
    person = scene.people["compliance"]
    for number in range(MAX_FILTERS - 1):
        SavedFilter.objects.create(
            facility="larkfield", person=person, name=str(number), query="round=1",
            saved_at=scene.fresh.stream.last_at,
        )  # fmt: skip
    assert refusal_of(scene, "save_filter", {"name": "Two", "query": "round=2"}).code == "too-many-filters"


@pytest.mark.parametrize("params", [{}, {"name": ""}, {"name": "x" * 61, "query": "round=1"}, {"name": 5}])
def test_malformed_parameters_are_refused(scene, params):
    assert refusal_of(scene, "save_filter", params).code == "malformed"


def test_a_dealer_cannot_save_a_filter(scene):
    with pytest.raises(Forbidden):
        at_desk(scene, "save_filter", {"name": "F", "query": "round=1"}, by="dealer")


def test_a_query_of_more_fields_than_a_form_may_have_is_refused_in_a_sentence(scene):
    refusal = refusal_of(scene, "save_filter", {"name": "Many", "query": "a&" * 1_500})
    assert refusal.code == "filter-not-understood"
