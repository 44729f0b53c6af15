"""Who must be found qualified with a provider, why, and which credentials they may hold."""

import datetime as dt

import pytest

from games.engine import Refusal
from games.jurisdictions import jurisdiction
from games.models import Credential, Provider, Qualifier
from games.office.providers import register

from .chapter_528 import ANY_TRIPLE, applied, certified, linked, permitted, registered, three_steps

A1, A2, A3, B, C = "(a)(1)", "(a)(2)", "(a)(3)", "(b)", "(c)"


def one(kind="individual", **values):
    return Qualifier(kind=kind, name="Ada Quill", **values)


def why(qualifier):
    return [
        (duty.words, duty.section(jurisdiction("PA")).removeprefix("58 Pa. Code § 528.3"))
        for duty in register.duties(qualifier)
    ]


@pytest.mark.clause("PA-528.3(a)(1)-officer")
@pytest.mark.parametrize(
    ("title", "is_one"),
    [
        ("President", True),
        ("Chief Executive Officer", True),
        ("CEO", True),
        ("C.F.O.", True),
        ("Chief Operating Officer, Americas", True),
        ("President and CEO", True),
        ("Vice President", False),
        ("Vice-President, CFO", True),
        ("Head of design", False),
        ("Oceanographer", False),
    ],
)
def test_the_titles_of_officers_trigger_the_duty(title, is_one):
    assert why(one(title=title)) == ([("officer", A1)] if is_one else [])


@pytest.mark.clause("PA-528.3(a)(1)-officer")
def test_so_does_whoever_does_the_equivalent_job():
    assert why(one(title="Managing partner", officer=True)) == [("officer", A1)]


@pytest.mark.clause("PA-528.3(a)(2)")
@pytest.mark.parametrize(("bp", "found"), [(1_000, [("owner", A2)]), (999, []), (10_000, [("owner", A2)])])
def test_ten_percent_of_ownership_triggers_and_9_99_does_not(bp, found):
    assert why(one(owns_bp=bp)) == found


@pytest.mark.clause("PA-528.3(a)(3)")
def test_a_salesperson_who_deals_with_the_house_must_qualify():
    assert why(one(title="Agent", salesperson=True)) == [("salesperson", A3)]


@pytest.mark.clause("PA-528.3(b)")
@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({"votes_bp": 2_000}, [("votes", B)]),
        ({"votes_bp": 1_999}, []),
        ({"votes_bp": 1_999, "owns_bp": 4_000}, []),
    ],
)
def test_an_entity_must_qualify_by_20_percent_of_the_votes_held_directly(values, found):
    assert why(one("entity", **values)) == found


def test_whom_the_board_names_must_qualify_and_the_reason_is_kept():
    assert why(one("entity", named_by_board="holding company")) == [("named", C)]


def test_a_person_may_have_to_qualify_for_several_reasons():
    assert why(one(title="CFO", director=True, owns_bp=2_500)) == [
        ("officer", A1),
        ("director", A1),
        ("owner", A2),
    ]


# On the file


@pytest.fixture
def house(hands, scene):
    return scene


def named(scene, code, **changed):
    params = {"provider": code, "kind": "individual", "name": "Ada Quill", "title": "President"}
    return scene.in_office("name_person", {**params, **changed}).body["person"]


def outstanding(scene, code):
    file = register.ProviderFile(scene.table.facility, Provider.objects.get(code=code), dt.date(2026, 11, 21))
    return [person.name for person in file.outstanding]


@pytest.mark.django_db
@pytest.mark.clause("PA-528.3(a)", "PA-528.3(a)(1)")
def test_an_officer_or_director_is_outstanding_until_found_qualified(house):
    code = registered(house)
    person = named(house, code)
    named(house, code, name="Bo Reed", title="", director=True, form_filed_on="2026-11-02")
    named(house, code, name="Cy Vane", title="Clerk")
    assert outstanding(house, code) == ["Ada Quill", "Bo Reed"]
    found = {"person": person, "qualified": True, "on": "2026-11-20"}
    with pytest.raises(Refusal, match="no-form-filed"):
        house.in_office("record_qualification", found)
    form = {"person": person, "kind": "individual", "name": "Ada Quill", "title": "President"}
    house.in_office("change_person", {**form, "form_filed_on": "2026-11-01"})
    house.in_office("record_qualification", found)
    assert outstanding(house, code) == ["Bo Reed"]
    ada, bo = Qualifier.objects.filter(name__in=("Ada Quill", "Bo Reed"))
    assert (ada.form_filed_on, register.qualification_state(ada)) == (dt.date(2026, 11, 1), "qualified")
    assert (bo.form_filed_on, register.qualification_state(bo)) == (dt.date(2026, 11, 2), "waiting")


@pytest.mark.django_db
def test_who_was_found_unqualified_stays_outstanding_until_they_leave(house):
    code = registered(house)
    person = named(house, code, form_filed_on="2026-11-01")
    house.in_office("record_qualification", {"person": person, "qualified": False, "on": "2026-11-20"})
    assert outstanding(house, code) == ["Ada Quill"]
    house.in_office("end_person", {"person": person, "on": "2026-11-21"})
    assert outstanding(house, code) == []


@pytest.mark.django_db
@pytest.mark.clause("PA-528.3(d)(1)", "PA-528.3(d)(2)")
def test_a_temporary_credential_states_the_need_and_asks_for_the_list_or_permission(house, hands):
    code = applied(house)
    person = named(house, code)
    say = {"person": person, "kind": "temporary", "number": "TC-1", "on": "2026-11-21"}
    with pytest.raises(Refusal, match="credential-without-need"):
        house.in_office("issue_credential", say)
    say["need"] = "trains the dealers"
    with pytest.raises(Refusal, match="company-not-listed"):
        house.in_office("issue_credential", say)
    house.in_office("record_listing", {"provider": code, "on": "2026-11-19"})
    answer = house.in_office("issue_credential", say)
    assert Credential.objects.get().need == "trains the dealers"
    assert Provider.objects.get().listed_on == dt.date(2026, 11, 19) and answer.version
    house.in_office("record_listing", {"provider": code})
    with pytest.raises(Refusal, match="company-not-listed"):
        house.in_office("issue_credential", {**say, "number": "TC-2"})
    three_steps(house, linked(house, code, ANY_TRIPLE), hands.now)
    permitted(house, code)
    house.in_office("issue_credential", {**say, "number": "TC-3"})
    assert Credential.objects.count() == 2


@pytest.mark.django_db
def test_a_permanent_credential_follows_the_finding_and_the_certification(house):
    code = applied(house)
    person = named(house, code, form_filed_on="2026-11-01")
    say = {"person": person, "kind": "permanent", "number": "PC-1", "on": "2026-11-21"}
    with pytest.raises(Refusal, match="not-found-qualified"):
        house.in_office("issue_credential", say)
    house.in_office("record_qualification", {"person": person, "qualified": True, "on": "2026-11-20"})
    with pytest.raises(Refusal, match="provider-not-certified"):
        house.in_office("issue_credential", say)
    certified(house, code)
    house.in_office("issue_credential", say)
    house.in_office("end_credential", {"person": person, "number": "PC-1", "on": "2026-11-21"})
    assert Credential.objects.get().ended_on == dt.date(2026, 11, 21)


@pytest.mark.django_db
def test_who_need_not_qualify_has_no_credential(house):
    code = applied(house)
    person = named(house, code, title="Clerk")
    say = {"person": person, "kind": "temporary", "number": "TC-1", "need": "x", "on": "2026-11-21"}
    with pytest.raises(Refusal, match="credential-not-asked"):
        house.in_office("issue_credential", say)
