"""Notes on a provider's file: what was asked and answered, conditions, changes, and violations told to the Board."""

import datetime as dt

import pytest

from games.models import ProviderNote

from .chapter_528 import exported, refused, registered

pytestmark = pytest.mark.django_db


@pytest.fixture
def house(hands, scene):
    return scene


def noted(scene, code, kind, **changed):
    params = {"provider": code, "kind": kind, "on": "2026-11-20", "text": "about the layout"}
    scene.in_office("note_on_provider", {**params, **changed})
    return ProviderNote.objects.latest("pk")


@pytest.mark.clause("PA-528.2(b)(1)-information", "PA-528.5(1)-information")
def test_a_request_for_information_is_kept_with_the_days_of_question_and_answer(house):
    code = registered(house)
    note = noted(house, code, "information", due_on="2026-11-28")
    assert (note.on, note.done_on) == (dt.date(2026, 11, 20), None)
    answer = house.on_file("Answer")
    house.in_office("close_note", {"note": note.pk, "done_on": "2026-11-21", "document": answer})
    note.refresh_from_db()
    assert (note.done_on, note.document.code) == (dt.date(2026, 11, 21), answer)
    said = exported(house, "provider.note_closed")[0]
    assert (said["asked_on"], said["done_on"]) == ("2026-11-20", "2026-11-21")
    refused(house, "note-done-already", "close_note", {"note": note.pk, "done_on": "2026-11-21"})


@pytest.mark.clause("PA-528.2(b)(1)-cooperation", "PA-528.5(1)-cooperation")
def test_cooperation_is_noted_on_the_file(house):
    code = registered(house)
    note = noted(house, code, "cooperation", text="appeared at the hearing", done_on="2026-11-20")
    assert (note.kind, note.text, note.done_on) == (
        "cooperation",
        "appeared at the hearing",
        dt.date(2026, 11, 20),
    )
    assert exported(house, "provider.noted")[0]["text"] == "appeared at the hearing"


@pytest.mark.clause("PA-528.3(a)(2)-information")
def test_ownership_papers_are_attached(house):
    code = registered(house)
    say = {"provider": code, "kind": "ownership", "on": "2026-11-20", "text": "share register"}
    refused(house, "ownership-without-papers", "note_on_provider", say, "528.3(a)(2)")
    paper = house.on_file("Share register")
    assert noted(house, code, "ownership", document=paper).document.code == paper


@pytest.mark.clause("PA-528.5(2)")
def test_a_change_that_the_provider_reported_is_kept_with_its_day(house):
    note = noted(house, registered(house), "change", text="a new owner of 30 percent")
    assert (note.kind, note.on) == ("change", dt.date(2026, 11, 20))


@pytest.mark.clause("PA-528.9(c)")
def test_a_violation_reported_to_the_board_is_in_the_exported_record_with_its_day(house):
    noted(house, registered(house), "violation", text="dealt unapproved dice", done_on="2026-11-21")
    said = exported(house, "provider.noted")[0]
    assert (said["kind"], said["on"], said["done_on"]) == ("violation", "2026-11-20", "2026-11-21")


def test_a_day_that_has_yet_to_come_is_no_day_of_something_that_happened(house):
    code = registered(house)
    say = {"provider": code, "kind": "change", "on": "2026-11-22", "text": "x"}
    refused(house, "day-to-come", "note_on_provider", say)
