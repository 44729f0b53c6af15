"""A provider's file: who it is, its package, the Board's decision, its term, permission to trade, and its notes."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine import Refusal
from games.models import Application, Facility, Provider
from games.office.providers import register

from .chapter_528 import (
    ANY_TRIPLE,
    applied,
    certified,
    completed,
    investigated,
    last,
    linked,
    refused,
    registered,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def house(hands, scene):
    return scene


def state(scene, code, day):
    file = register.ProviderFile(scene.table.facility, Provider.objects.get(code=code), day)
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
    assert register.certification_end(approved) == ends


@given(approved=st.dates(dt.date(1990, 1, 1), dt.date(2200, 1, 1)), after=st.integers(-10, 1_500))
def test_a_certification_holds_from_its_approval_to_the_day_before_its_end_and_on_no_other_day(
    approved, after
):
    end, day = register.certification_end(approved), approved + dt.timedelta(days=after)
    granted = Application(pk=1, kind="certification", granted=True, decided_on=approved, ends_on=end)
    found = register.certification_on(Facility(), [granted], day)
    assert found.holds is (approved <= day < end)
    assert found.is_renewal_late(day) is (found.holds and (end - day).days < 60)


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
