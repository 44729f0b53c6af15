"""The four conditions of a new game's final approval in New Jersey."""

import datetime as dt

import pytest

from games.office.requests import final_approvals
from tests.games.office.test_game_tests import entry, filed, put, refusal, request_of, shore, stored
from tests.tables.cast import Scene

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause
assert shore

CONDITIONS = {
    "NJ-19:47-8.4(g)1": ("record_suitability", {"on": "2026-11-20", "reference": "C-1"}),
    "NJ-19:47-8.4(g)2": ("record_amendment", {"on": "2026-11-21", "reference": "58 N.J.R."}),
    "NJ-19:47-8.4(g)3": (
        "record_licensing",
        {"on": "2026-11-21", "applications": "not-needed", "waivers": "not-needed"},
    ),
    "NJ-19:47-8.4(g)4": ("record_costs", {"on": "2026-11-21", "amount": "0"}),
}
OPEN = {
    "NJ-19:47-8.4(g)1": "found suitable for casino use (19:47-8.4(g)1)",
    "NJ-19:47-8.4(g)2": "amended regulations in effect (19:47-8.4(g)2)",
    "NJ-19:47-8.4(g)3": "applications filed and waivers issued (19:47-8.4(g)3)",
    "NJ-19:47-8.4(g)4": "costs paid in full (19:47-8.4(g)4)",
}


def decision(scene: Scene, request: str, granted: bool = True) -> dict:
    said = {"granted": granted, "body": "The Commission", "reference": "C-20", "letter": scene.on_file()}
    return {"request": request, **said}


@clause("NJ-19:47-8.4(g)-gate")
def test_a_new_game_is_not_approved_while_any_condition_is_open(shore):
    request = filed(shore)
    found = refusal(shore, "decide_request", decision(shore, request), "conditions-open")
    assert (found.section, found.params["open"]) == ("N.J.A.C. 19:47-8.4(g)", ", ".join(OPEN.values()))
    for done, (act, params) in enumerate(CONDITIONS.values(), start=1):
        shore.in_office(act, {"request": request, **params})
        if done < len(CONDITIONS):
            found = refusal(shore, "decide_request", decision(shore, request), "conditions-open")
            assert found.params["open"] == ", ".join(list(OPEN.values())[done:])
            assert stored(request).status == "filed"
    shore.in_office("decide_request", decision(shore, request))
    assert stored(request).status == "approved"


@clause(
    "NJ-19:47-8.4(g)-gate", "NJ-19:47-8.4(g)1", "NJ-19:47-8.4(g)2", "NJ-19:47-8.4(g)3", "NJ-19:47-8.4(g)4"
)
@pytest.mark.parametrize("last", OPEN)
def test_each_condition_alone_holds_the_approval_up_and_keeps_its_day(shore, last):
    request = filed(shore)
    for name, (act, params) in CONDITIONS.items():
        if name != last:
            shore.in_office(act, {"request": request, **params})
    found = refusal(shore, "decide_request", decision(shore, request), "conditions-open")
    assert found.params["open"] == OPEN[last]
    act, params = CONDITIONS[last]
    shore.in_office(act, {"request": request, **params})
    assert entry()["on"] == params["on"]
    row = stored(request)
    assert (row.suitable_on, row.amended_on) == (dt.date(2026, 11, 20), dt.date(2026, 11, 21))
    assert (row.licensed_on, final_approvals.balance_cents(row)) == (dt.date(2026, 11, 21), 0)
    shore.in_office("decide_request", decision(shore, request))


def test_a_denial_needs_no_condition(shore):
    request = filed(shore)
    shore.in_office("decide_request", decision(shore, request, granted=False))
    assert stored(request).status == "denied"


@clause("NJ-19:47-8.4(g)2")
def test_amended_regulations_count_only_from_the_day_of_their_effect(shore, hands):
    request = filed(shore)
    for name, (act, params) in CONDITIONS.items():
        if name != "NJ-19:47-8.4(g)2":
            shore.in_office(act, {"request": request, **params})
    shore.in_office("record_amendment", {"request": request, "on": "2026-11-22"})
    refusal(shore, "decide_request", decision(shore, request), "conditions-open")
    hands.now += dt.timedelta(hours=14)  # midnight
    shore.in_office("decide_request", decision(shore, request))
    assert stored(request).status == "approved"


def test_an_amendment_has_a_day_or_is_not_needed(shore):
    request = filed(shore)
    refusal(shore, "record_amendment", {"request": request}, "amendment-without-a-day")
    both = {"request": request, "not_needed": True, "on": "2026-11-21"}
    refusal(shore, "record_amendment", both, "amendment-without-a-day")
    shore.in_office("record_amendment", {"request": request, "not_needed": True})
    assert final_approvals.conditions(stored(request), dt.date(2026, 11, 21))[1].is_met


@clause("NJ-19:47-8.4(g)3")
def test_a_waiver_that_was_filed_for_has_to_be_issued(shore):
    request = request_of(shore, "other", "waiver")
    put(shore, "change_request", {"request": request, "part": "waiver", "document": "form"})
    shore.in_office("file_request", {"request": request})
    said = {"request": request, "on": "2026-11-21"}
    for applications, waivers in (("not-needed", "issued"), ("filed", "not-needed")):
        wrong = {**said, "applications": applications, "waivers": waivers}
        found = refusal(shore, "record_licensing", wrong, "licensing-open")
        assert found.section == "N.J.A.C. 19:47-8.4(g)3"
    shore.in_office("record_licensing", {**said, "applications": "filed", "waivers": "issued"})
    assert stored(request).licensed_on == dt.date(2026, 11, 21)


@clause("NJ-19:47-8.4(g)4")
def test_the_balance_has_to_be_zero_and_no_more_is_paid_than_is_open(shore):
    request = filed(shore)
    said = {"request": request, "on": "2026-11-21"}
    refusal(shore, "record_payment", {**said, "amount": "1"}, "more-than-is-open")
    shore.in_office("record_costs", {**said, "amount": "12,400.50"})
    shore.in_office("record_costs", {**said, "amount": "99.50"})
    shore.in_office("record_payment", {**said, "amount": "12,499.99"})
    last = final_approvals.conditions(stored(request), dt.date(2026, 11, 21))[3]
    assert (last.is_met, last.state) == (False, "$0.01 open")
    refusal(shore, "record_payment", {**said, "amount": "0.02"}, "more-than-is-open")
    shore.in_office("record_payment", {**said, "amount": "0.01"})
    assert entry()["balance_cents"] == 0
    assert final_approvals.conditions(stored(request), dt.date(2026, 11, 21))[3].is_met


@pytest.mark.parametrize("act", ["record_suitability", "record_licensing", "record_costs"])
def test_what_is_still_to_come_is_not_recorded(shore, act):
    params = dict(CONDITIONS.values())[act]
    refusal(shore, act, {"request": filed(shore), **params, "on": "2026-11-22"}, "day-not-come")


def test_conditions_are_new_jerseys(shore):
    request = filed(shore)
    type(shore.table.facility).objects.update(jurisdiction="PA")
    refusal(shore, "record_suitability", {"request": request, "on": "2026-11-20"}, "not-in-new-jersey")
