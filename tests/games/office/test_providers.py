"""A provider's file: who it is, its package, the Board's decision, its term, permission to trade, and its notes."""

import datetime as dt
import json

import pytest

from audit.models import Entry
from games.engine import Refusal
from games.models import Application, Facility, InterimPermission, Provider, ProviderNote
from games.office import certifications, providers, wording
from games.office.wording import providers as sentences

from .chapter_528 import (
    ANY_TRIPLE,
    applied,
    certified,
    completed,
    exported,
    investigated,
    linked,
    permitted,
    registered,
    three_steps,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def house(hands, scene):
    return scene


def refused(scene, code, act, params, section=None):
    """The act is refused with this code, and a sentence stands for it."""
    before = Entry.objects.filter(stream__name="larkfield/rules").count()
    with pytest.raises(Refusal) as refusal:
        scene.in_office(act, params)
    assert refusal.value.code == code
    assert section is None or refusal.value.section == f"58 Pa. Code § {section}"
    said = wording.say(refusal.value)
    assert code in sentences.SENTENCES and said and "%(" not in said
    assert Entry.objects.filter(stream__name="larkfield/rules").count() == before


def last(type_):
    return json.loads(bytes(Entry.objects.filter(type=type_).latest("pk").body))["data"]


def state(scene, code, day):
    file = providers.File(scene.table.facility, Provider.objects.get(code=code), day)
    return file.certification


# The class, § 528.1


@pytest.mark.clause("PA-528.1(1)", "PA-528.1(2)", "PA-528.1(3)")
def test_a_provider_is_on_file_with_its_innovation_game_patent_and_screening(house):
    code = registered(house)
    provider = Provider.objects.get(code=code)
    assert (provider.code, provider.game, provider.innovation) == (
        "SP-0001",
        "Sic Bo",
        "a wager on any three of a kind",
    )
    assert (provider.patent, provider.no_other_license) == ("US 9,999,999", True)
    assert last("provider.registered")["no_other_license"] is True


@pytest.mark.parametrize(
    ("left_out", "code", "section"),
    [
        ({"innovation": ""}, "provider-without-innovation", "528.1(1)"),
        ({"patent": ""}, "provider-without-patent", "528.1(2)"),
        ({"no_other_license": False}, "provider-licensed-otherwise", "528.1(3)"),
    ],
)
def test_only_all_three_together_make_the_class(house, left_out, code, section):
    params = {"name": "X", "game": "Sic Bo", "innovation": "i", "patent": "p", "no_other_license": True}
    refused(house, code, "register_provider", {**params, **left_out}, section)


def test_new_jersey_has_no_such_providers(house):
    Facility.objects.update(jurisdiction="NJ")
    params = {"name": "X", "game": "Sic Bo", "innovation": "i", "patent": "p", "no_other_license": True}
    refused(house, "chapter-528-is-not-here", "register_provider", params)


def test_others_file_nothing(house):
    with pytest.raises(Refusal, match="role-may-not"):
        house.in_office("register_provider", {}, by="pit-manager")


# What the house owes, § 528.9


@pytest.mark.clause("PA-528.9(a)")
def test_nothing_is_linked_or_filed_before_the_house_has_looked_into_the_provider(house):
    code = registered(house)
    completed(house, code)
    service = {"provider": code, "name": "Any Triple", "game": "sic-bo", "wagers": [ANY_TRIPLE]}
    refused(house, "provider-not-investigated", "register_service", service, "528.9(a)")
    refused(house, "provider-not-investigated", "file_application", {"provider": code}, "528.9(a)")
    report = house.on_file("Background report")
    house.in_office("record_investigation", {"provider": code, "on": "2026-11-20", "document": report})
    provider = Provider.objects.get(code=code)
    assert (provider.investigated_on, provider.investigation.code) == (dt.date(2026, 11, 20), report)
    house.in_office("file_application", {"provider": code})
    house.in_office("register_service", service)


@pytest.mark.clause("PA-528.9(b)")
def test_a_finding_against_the_provider_blocks_every_link_until_a_new_investigation_clears_it(house):
    code = applied(house)
    report = house.on_file("Second report")
    found = {"provider": code, "on": "2026-11-21", "document": report, "adverse": "its owner launders money"}
    house.in_office("record_investigation", found)
    service = {"provider": code, "name": "Any Triple", "game": "sic-bo", "wagers": [ANY_TRIPLE]}
    refused(house, "provider-adverse", "register_service", service, "528.9(b)")
    refused(
        house,
        "provider-adverse",
        "record_permission",
        {"provider": code, "on": "2026-11-21", "reference": "x"},
    )
    house.in_office("record_investigation", {**found, "adverse": ""})
    house.in_office("register_service", service)


# The package, § 528.2


@pytest.mark.clause("PA-528.2(a)")
def test_the_provider_completes_the_package_and_the_certificate_holder_files_it(house):
    code = investigated(house)
    completed(house, code)
    assert Application.objects.get().filed_at is None
    house.in_office("file_application", {"provider": code}, by="compliance")
    application = Application.objects.get()
    assert (application.completed_by, application.filed_by.code) == ("Ada Quill, president", "compliance")
    assert (last("application.filed")["completed_by"], last("application.filed")["filed_by"]) == (
        "Ada Quill, president",
        "compliance",
    )


@pytest.mark.clause("PA-528.2(a)(1)", "PA-528.2(a)(2)", "PA-528.2(a)(4)", "PA-528.2(b)(2)")
@pytest.mark.parametrize(
    ("left_out", "code", "section"),
    [
        ({"form": None}, "part-missing-form", "528.2(a)(1)"),
        ({"copy": None}, "part-missing-copy", "528.2(a)(1)"),
        ({"fee_cents": 0}, "part-missing-fee", "528.2(a)(2)"),
        ({"fee_paid_on": None}, "part-missing-fee", "528.2(a)(2)"),
        ({"statement": None}, "part-missing-statement", "528.2(a)(4)"),
        ({"general": False}, "part-missing-general", "528.2(b)(2)"),
    ],
)
def test_it_cannot_be_filed_while_a_part_is_missing(house, left_out, code, section):
    provider = investigated(house)
    completed(house, provider, **left_out)
    refused(house, code, "file_application", {"provider": provider}, section)
    kept = completed(house, provider)
    house.in_office("file_application", {"provider": provider})
    application = Application.objects.get()
    assert application.parts == {
        "form": kept["form"],
        "copy": "one",
        "statement": kept["statement"],
        "general": True,
        "releases": {},
    }
    assert (application.fee_cents, application.fee_paid_on) == (250_000, dt.date(2026, 11, 20))


def test_what_is_on_the_package_stays_unless_another_file_is_given(house):
    provider = investigated(house)
    kept = completed(house, provider, general=False)
    completed(house, provider, form=None, statement=None)
    parts = Application.objects.get().parts
    assert (parts["form"], parts["statement"], parts["general"]) == (kept["form"], kept["statement"], True)


def test_the_board_may_want_no_copy(house):
    provider = investigated(house)
    completed(house, provider, copy="waived")
    house.in_office("file_application", {"provider": provider})
    assert Application.objects.get().filed_at is not None


@pytest.mark.clause("PA-528.2(a)(3)")
def test_the_package_has_a_line_for_every_individual_who_must_qualify(house):
    code = investigated(house)
    completed(house, code)
    who = {"provider": code, "kind": "individual", "name": "Ada Quill", "title": "President"}
    person = house.in_office("name_person", who).body["person"]
    house.in_office("name_person", {"provider": code, "kind": "individual", "name": "Bo", "title": "Clerk"})
    refused(house, "part-missing-release", "file_application", {"provider": code}, "528.2(a)(3)")
    release = house.on_file("Release of Ada Quill")
    house.in_office("attach_release", {"person": person, "document": release})
    house.in_office("file_application", {"provider": code})
    assert last("application.filed")["parts"]["releases"] == {str(person): release}


def test_what_was_filed_is_not_changed(house):
    code = applied(house)
    with pytest.raises(Refusal, match="application-filed-already"):
        completed(house, code)
    refused(house, "application-filed-already", "file_application", {"provider": code})


# The decision, §§ 528.2(c) and 528.4


@pytest.mark.clause("PA-528.2(c)")
def test_nothing_is_certified_with_an_unpaid_cost_the_laboratorys_included(house):
    code = applied(house)
    service = linked(house, code, ANY_TRIPLE)
    letter = {"provider": code, "granted": True, "on": "2026-11-21", "letter": house.on_file("Letter")}
    house.in_office(
        "record_application_costs", {"provider": code, "costs_cents": 90_050, "paid_cents": 90_000}
    )
    refused(house, "costs-unpaid", "decide_application", letter, "528.2(c)")
    house.in_office(
        "record_application_costs", {"provider": code, "costs_cents": 90_050, "paid_cents": 90_050}
    )
    house.in_office("record_laboratory_costs", {"service": service.code, "costs_cents": 480_000})
    refused(house, "laboratory-unpaid", "decide_application", letter, "528.2(c)")
    house.in_office(
        "record_laboratory_costs",
        {"service": service.code, "costs_cents": 480_000, "paid_on": "2026-11-21"},
    )
    house.in_office("decide_application", letter)
    assert state(house, code, dt.date(2026, 11, 21)).holds


@pytest.mark.clause("PA-528.4(a)")
@pytest.mark.parametrize(
    ("approved", "ends"),
    [
        (dt.date(2026, 11, 21), dt.date(2030, 11, 21)),
        (dt.date(2028, 2, 29), dt.date(2032, 2, 29)),
        (dt.date(2096, 2, 29), dt.date(2100, 2, 28)),
    ],
)
def test_a_certification_ends_four_years_after_its_approval(approved, ends):
    assert certifications.ends_on(approved) == ends


@pytest.mark.clause("PA-528.4(a)")
def test_the_end_is_computed_from_the_day_of_the_boards_approval(house, hands):
    code = applied(house)
    hands.now += dt.timedelta(days=5)
    certified(house, code, on="2026-11-23")
    assert Application.objects.get().ends_on == dt.date(2030, 11, 23)
    assert state(house, code, dt.date(2026, 11, 22)).state == "pending"
    assert state(house, code, dt.date(2030, 11, 22)).state == "certified"
    assert state(house, code, dt.date(2030, 11, 23)).state == "ended"


@pytest.mark.clause("PA-528.4(b)")
def test_a_renewal_is_due_sixty_days_before_the_end_and_late_from_day_59(house):
    code = applied(house)
    certified(house, code)
    end = dt.date(2030, 11, 21)
    on_time, late = (state(house, code, end - dt.timedelta(days=days)) for days in (60, 59))
    assert on_time.renewal_due() == dt.date(2030, 9, 22) == end - dt.timedelta(days=60)
    assert not on_time.is_renewal_late(end - dt.timedelta(days=60))
    assert late.is_renewal_late(end - dt.timedelta(days=59))


@pytest.mark.clause("PA-528.4(c)")
@pytest.mark.parametrize("granted", [True, False])
def test_a_certification_goes_on_while_a_complete_renewal_waits_until_the_board_writes(house, hands, granted):
    code = applied(house)
    certified(house, code)
    hands.now = dt.datetime(2030, 11, 20, 20, tzinfo=dt.UTC)
    completed(house, code, kind="renewal", fee_cents=0)
    end = dt.date(2030, 11, 21)
    assert state(house, code, end).state == "ended"
    refused(house, "part-missing-fee", "file_application", {"provider": code})
    completed(house, code, kind="renewal", fee_paid_on="2030-11-20")
    house.in_office("file_application", {"provider": code})
    assert last("application.filed")["late"] is True
    assert state(house, code, end + dt.timedelta(days=90)).state == "continued"
    hands.now += dt.timedelta(days=100)
    certified(house, code, on="2031-02-27", granted=granted)
    after = state(house, code, dt.date(2031, 2, 27))
    assert after.holds is granted
    assert after.ends == (dt.date(2035, 2, 27) if granted else dt.date(2031, 2, 27))


def test_a_renewal_that_is_filed_after_the_end_continues_nothing(house, hands):
    code = applied(house)
    certified(house, code)
    hands.now = dt.datetime(2030, 11, 21, 15, tzinfo=dt.UTC)
    with pytest.raises(Refusal, match="nothing-to-renew"):
        completed(house, code, kind="renewal")


def test_a_renewal_that_is_denied_before_the_end_leaves_the_term_alone(house, hands):
    code = applied(house)
    certified(house, code)
    hands.now = dt.datetime(2030, 10, 1, 15, tzinfo=dt.UTC)
    completed(house, code, kind="renewal", fee_paid_on="2030-10-01")
    house.in_office("file_application", {"provider": code})
    certified(house, code, on="2030-10-01", granted=False)
    assert state(house, code, dt.date(2030, 11, 20)).holds
    assert not state(house, code, dt.date(2030, 11, 21)).holds


# Permission before certification, § 528.8


@pytest.mark.clause("PA-528.8(a)(1)", "PA-528.8(a)(2)", "PA-528.8(a)(3)", "PA-528.8(a)(4)")
def test_permission_to_trade_waits_for_its_four_conditions(house, hands):
    code = investigated(house)
    params = {"provider": code, "on": "2026-11-21", "reference": "BL-12"}
    refused(house, "no-application-filed", "record_permission", params, "528.8(a)(1)")
    completed(house, code)
    refused(house, "no-application-filed", "record_permission", params, "528.8(a)(1)")
    house.in_office("file_application", {"provider": code})
    refused(house, "permission-without-diligence", "record_permission", params, "528.8(a)(2)")
    params["diligence"] = house.on_file("Due diligence")
    refused(house, "permission-without-acknowledgement", "record_permission", params, "528.8(a)(3)")
    params["acknowledgement"] = house.on_file("Acknowledgement")
    refused(house, "permission-without-service", "record_permission", params, "528.8(a)(4)")
    service = linked(house, code, ANY_TRIPLE)
    refused(house, "permission-before-laboratory", "record_permission", params, "528.8(a)(4)")
    lab = {"service": service.code, "submitted_on": "2026-11-01", "approved_on": "2026-11-18"}
    house.in_office("record_laboratory", lab)
    refused(house, "permission-before-costs", "record_permission", params, "528.8(a)(4)")
    house.in_office(
        "record_laboratory_costs", {"service": service.code, "costs_cents": 1, "paid_on": "2026-11-19"}
    )
    refused(house, "permission-before-approval", "record_permission", params, "528.8(a)(4)")
    three_steps(house, service, hands.now)
    house.in_office("record_permission", params)
    kept = InterimPermission.objects.get()
    assert (kept.diligence.code, kept.acknowledgement.code) == (
        params["diligence"],
        params["acknowledgement"],
    )
    assert Application.objects.get().filed_at == hands.now
    assert last("provider.permitted")["diligence"]["sha256"] == kept.diligence.sha256


@pytest.mark.clause("PA-528.8(c)-notice")
def test_a_rescission_is_kept_with_its_notice_and_the_day_on_which_it_came_and_is_exported(house, hands):
    code = applied(house)
    three_steps(house, linked(house, code, ANY_TRIPLE), hands.now)
    permitted(house, code)
    notice = house.on_file("Notice of rescission")
    params = {"provider": code, "on": "2026-11-21", "cease_on": "2026-11-30", "notice": notice}
    refused(house, "cease-before-notice", "rescind_permission", {**params, "cease_on": "2026-11-20"})
    house.in_office("rescind_permission", params)
    hands.now += dt.timedelta(days=3)
    refused(house, "received-before-sent", "record_receipt", {"provider": code, "on": "2026-11-20"})
    house.in_office("record_receipt", {"provider": code, "on": "2026-11-24"})
    kept = InterimPermission.objects.get()
    assert (kept.rescinded_on, kept.received_on, kept.cease_on) == (
        dt.date(2026, 11, 21),
        dt.date(2026, 11, 24),
        dt.date(2026, 11, 30),
    )
    said = exported(house, "provider.rescinded")[0]
    assert (said["notice"]["document"], said["cease_on"]) == (notice, "2026-11-30")
    assert exported(house, "provider.rescission_received")[0]["received_on"] == "2026-11-24"


def test_a_permission_ends_with_the_application_that_it_was_granted_for(house, hands):
    code = applied(house)
    three_steps(house, linked(house, code, ANY_TRIPLE), hands.now)
    permitted(house, code)
    certified(house, code, granted=False)
    file = providers.File(house.table.facility, Provider.objects.get(), dt.date(2026, 11, 21))
    assert (file.certification.state, file.trading.state) == ("denied", "ceased")


# Notes, §§ 528.2(b), 528.5 and 528.9(c)


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
def test_a_violation_told_to_the_board_is_in_the_exported_record_with_its_day(house):
    noted(house, registered(house), "violation", text="dealt unapproved dice", done_on="2026-11-21")
    said = exported(house, "provider.noted")[0]
    assert (said["kind"], said["on"], said["done_on"]) == ("violation", "2026-11-20", "2026-11-21")


def test_a_day_that_has_yet_to_come_is_no_day_of_something_that_happened(house):
    code = registered(house)
    say = {"provider": code, "kind": "change", "on": "2026-11-22", "text": "x"}
    refused(house, "day-to-come", "note_on_provider", say)


def test_each_refusal_has_a_title_and_a_sentence():
    assert set(sentences.TITLES) == set(sentences.SENTENCES)
