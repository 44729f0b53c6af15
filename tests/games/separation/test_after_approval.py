"""After a change was prepared: who is told, what withdraws it, and what a verification finds altered."""

import datetime as dt
import json
from types import SimpleNamespace
from typing import Any

import pytest

from audit.columns import check_columns
from audit.models import Entry, Person
from games.models import ChangeNotice, PreparedChange
from games.separation import changes
from tables.ticker import Ticker
from tests.games.separation.test_policy_walk import Endpoints, letter, rules
from tests.tables.cast import Scene, make_scene
from tests.tables.test_rooms_and_tables import layout

pytestmark = pytest.mark.django_db
PAGE = "/office/larkfield/changes/"


@pytest.fixture
def scene() -> Scene:
    return make_scene()


def newest(scene: Scene, stream: str = "rules") -> dict[str, Any]:
    return json.loads(bytes(Entry.objects.filter(stream__name=f"larkfield/{stream}").latest("seq").body))


def approved(scene: Scene) -> Endpoints:
    """A decision on rules that the shift manager approved: table games and surveillance are told."""
    people = Endpoints(scene)
    scene.in_office("record_decision", rules(scene))
    return people


def acknowledge(people: Endpoints, by: str) -> tuple[int, str]:
    return people.post(by, "acknowledge_change", {"change": "CH-0001"})


def test_who_is_told_sees_the_change_until_somebody_of_the_department_acknowledges_it(scene: Scene) -> None:
    people = approved(scene)
    assert newest(scene)["data"]["told"] == ["surveillance", "table-games"]
    inbox = people.page("surveillance", "/inbox/larkfield/")
    assert "1 approved change to acknowledge:" in inbox and f"{PAGE}CH-0001/" in inbox
    for told in ("surveillance", "pit-manager"):
        assert "1 to acknowledge" in people.page(told, PAGE)
        assert 'data-open="acknowledge"' in people.page(told, f"{PAGE}CH-0001/")
    for not_told in ("compliance", "checker"):  # the checker approved it
        assert "to acknowledge" not in people.page(not_told, PAGE)
        assert 'data-open="acknowledge"' not in people.page(not_told, f"{PAGE}CH-0001/")
    refused = {by: acknowledge(people, by)[1] for by in ("compliance", "checker", "maker")}
    assert refused == {"compliance": "not-told", "checker": "approved-by-you", "maker": "not-told"}
    assert acknowledge(people, "surveillance") == (200, "change.acknowledged")
    entry = newest(scene)
    assert (entry["actor"], entry["data"]["department"]) == ("surveillance", "surveillance")
    assert acknowledge(people, "surveillance") == (422, "change-acknowledged-already")
    assert "to acknowledge" not in people.page("surveillance", "/inbox/larkfield/")
    page = people.page("pit-manager", f"{PAGE}CH-0001/")
    assert "Surveillance: acknowledged by Surveillance" in page and "not acknowledged yet" in page
    assert acknowledge(people, "pit-manager") == (200, "change.acknowledged")
    assert not ChangeNotice.objects.filter(acknowledged_at=None).exists()


def test_the_page_of_a_sum_says_dollars(scene: Scene) -> None:
    scene.in_room("set_review_sum", {"cents": 50_000}, by="compliance", approve=False)
    page = Endpoints(scene).page("checker", f"{PAGE}CH-0001/")
    assert "<dt>Sum</dt><dd>$500</dd>" in page and f'href="{PAGE}">What it is about' in page


def test_nobody_acknowledges_what_was_not_approved(scene: Scene) -> None:
    people = Endpoints(scene)
    people.post("maker", "record_approval", layout(scene))
    assert acknowledge(people, "pit-manager") == (422, "change-not-approved")


def withdraw_rules(scene: Scene) -> None:
    scene.in_office("withdraw_submission", {"code": "RS-0009", "version": 2, "why": "not wanted"})


def decide_otherwise(scene: Scene) -> None:
    """Somebody else's decision on the same version is approved first."""
    version = {"code": "RS-0009", "version": 2}
    scene.in_office("record_decision", {**version, **letter(scene), "reference": "ED-2"}, approve=False)
    scene.in_office("approve_change", {"change": "CH-0002"}, by="shift-manager")


def send_away(scene: Scene) -> None:
    Person.objects.filter(code="games-administrator").update(is_active=False)


@pytest.mark.parametrize(
    ("end", "why"),
    [
        (withdraw_rules, "RS-0009 version 2 is withdrawn by now."),
        (decide_otherwise, "RS-0009 version 2 is approved by now."),
        (send_away, "Games Administrator, who prepared it, no longer works here."),
    ],
)
def test_a_change_is_withdrawn_when_what_it_is_about_has_ended(scene: Scene, end: Any, why: str) -> None:
    scene.in_office("record_decision", rules(scene), approve=False)
    ticker = Ticker()
    ticker.count = 9
    ticker.tick()
    assert PreparedChange.objects.get().status == "waiting"
    end(scene)
    ticker.count = 9
    ticker.tick()
    change = PreparedChange.objects.get(code="CH-0001")
    assert (change.status, change.decided_by, change.why) == ("withdrawn", None, why)
    entry = newest(scene)
    assert (entry["_type"], entry["actor"], entry["data"]["why"]) == ("change.withdrawn", None, why)
    page = Endpoints(scene).page("checker", PAGE)
    assert "by the clock" in page and why in page
    assert list(check_columns(lambda: None, [PreparedChange, ChangeNotice])) == []


def test_a_change_about_a_person_ends_when_their_access_has_ended(scene: Scene) -> None:
    leaving = {"person": "relief", "why": "left"}
    scene.in_room("end_access", leaving, by="system-administrator", approve=False)
    change, today = PreparedChange.objects.get(), dt.date(2027, 3, 1)
    assert changes.ended_because(change, today) == ""
    Person.objects.filter(code="relief").update(is_active=False)
    assert changes.ended_because(change, today) == "Relief, whom it is about, no longer works here."


def test_a_change_ends_with_its_edition(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    scene.in_office("record_decision", rules(scene), approve=False)
    change, lapses_on = PreparedChange.objects.get(), dt.date(2027, 3, 1)
    monkeypatch.setattr(changes, "edition", lambda key: SimpleNamespace(lapses_on=lapses_on))
    assert changes.ended_because(change, dt.date(2027, 2, 28)) == ""
    assert (
        changes.ended_because(change, lapses_on) == "The edition of RS-0009 version 2 lapsed on 01 Mar 2027."
    )


def found() -> list[tuple[str, Any]]:
    return [
        (finding.code, finding.where.get("column"))
        for finding in check_columns(lambda: None, [PreparedChange, ChangeNotice])
    ]


def test_a_verification_finds_a_change_that_differs_from_its_entries(scene: Scene) -> None:
    people = approved(scene)
    acknowledge(people, "surveillance")
    scene.in_room("record_approval", layout(scene), by="compliance", approve=False)
    assert found() == []
    changes = PreparedChange.objects.filter(code="CH-0001")
    surveillance, hour = scene.people["surveillance"], dt.timedelta(hours=1)
    params = changes.get().params
    altered = {
        "params": {"params": {**params, "in_force_from": "2020-01-01T00:00"}},
        "makers": {"makers": []},
        "entry_data": {"entry_data": {}},
        "decided_by": {"decided_by": surveillance},
        "due_at": {"due_at": changes.get().due_at + hour},
    }
    for column, values in altered.items():
        before = changes.values(*values).get()
        changes.update(**values)
        assert found() == [("row-differs", column)]
        if "decided_by" in before:
            before = {"decided_by_id": before["decided_by"]}
        changes.update(**before)
    ChangeNotice.objects.filter(department="surveillance").update(acknowledged_by=scene.people["security"])
    assert found() == [("row-differs", "acknowledged_by")]
    told = ChangeNotice.objects.count()
    ChangeNotice.objects.all().delete()
    assert found() == [("row-without-row", None)] * told
    PreparedChange.objects.filter(code="CH-0002").update(code="CH-0007")
    assert sorted(set(found())) == [("row-without-entry", None), ("row-without-row", None)]
