"""The equipment and staff pages: the approvals each edition requires, and who works where."""

import datetime as dt
import re
from unittest.mock import Mock

import pytest
from django.conf import settings
from django.utils import timezone

from audit import clock
from tables.equipment import register
from tables.models import Approval, Assignment, Qualification, Shaker, Table
from tables.staffing import roster
from tests.tables.cast import Scene, make_scene
from tests.tables.test_dice_pages import HOUSE, see, words

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause


# Equipment


def approvals(scene: Scene) -> dict[str, register.RequiredApproval]:
    [rows_found] = register.equipment_by_table(scene.table.facility, timezone.now())
    return {requirement.rule.subject: requirement for requirement in rows_found.requirements}


@clause("PA-625a.1(c)")
def test_the_equipment_shows_each_approval_that_the_edition_asks_as_it_stands(scene):
    assert {name: member.state for name, member in approvals(scene).items()} == {
        "layout": "on-file",
        "device": "on-file",
        "boxes": "on-file",
        "shaker": "on-file",
    }
    today = scene.table.facility.local(timezone.now()).date()
    mine = Approval.objects.filter(facility=scene.table.facility)
    mine.filter(subject="boxes").update(ends_on=today + dt.timedelta(days=30))
    mine.filter(subject="layout").update(lines=["layout-logo"])
    mine.filter(subject="device").update(version="0.9")
    mine.filter(subject="shaker").update(withdrawn_at=timezone.now())
    rows_found = approvals(scene)
    assert {name: member.state for name, member in rows_found.items()} == {
        "layout": "says-less",
        "device": "other-version",
        "boxes": "ends-soon",
        "shaker": "missing",
    }
    assert rows_found["layout"].missing_lines == ("layout-areas",) and rows_found["shaker"].former is not None
    text = words(see(scene, "equipment/", "compliance"))
    assert "On file 1 of 4 End within 30 days 1 Tables that cannot open 1" in text
    assert "Not confirmed: Every wager has its own marked area." in text
    assert f"{rows_found['shaker'].former.reference} was withdrawn" in text
    assert "No approval of the" in text or "does not confirm" in text
    mine.filter(subject="boxes").update(ends_on=today + dt.timedelta(days=31))
    assert approvals(scene)["boxes"].state == "on-file"
    mine.filter(subject="boxes").update(ends_on=today)
    assert approvals(scene)["boxes"].state == "missing"


def test_a_table_without_a_shaker_or_rules_says_why_it_cannot_open(scene):
    Shaker.objects.update(table=None)
    assert "There is no working shaker at T-01" in words(see(scene, "equipment/"))
    Table.objects.update(submission_code="RS-0000")
    assert "No approved rules submission RS-0000 is in force" in words(see(scene, "equipment/"))


def test_the_shakers_show_where_they_are_and_which_are_out_of_order(scene):
    Shaker.objects.create(
        facility=scene.table.facility, code="S-92", kind="automated-covered", out_of_order=True
    )
    text = words(see(scene, "equipment/", "compliance"))
    assert text.index("S-92") < text.rindex("S-01")
    assert (
        "S-92 automated shaker with a cover no approval Free locked away" in text and "out of order" in text
    )


@pytest.mark.parametrize("by", ["compliance", "games-administrator", "shift-manager", "gaming-agent"])
def test_only_the_office_is_offered_to_record_approvals(scene, by):
    page = see(scene, "equipment/", by)
    office = by in ("compliance", "games-administrator")
    offered = set(re.findall(r'data-open="([a-z-]+)"', page))
    assert offered == ({"approve", "withdraw", "withdraw-all", "register"} if office else set())


def test_the_dialog_offers_the_lines_that_the_edition_wants_seen(scene):
    page = see(scene, "equipment/", "compliance")
    lines = re.search(r'<template data-lines-of="layout T-01">(.*?)</template>', page, re.DOTALL)[1]
    required_lines = approvals(scene)["layout"].rule.lines
    assert re.findall(r'value="([a-z-]+)"', lines) == list(required_lines)
    assert f"This console runs {settings.BUILD}." in page


# Staff


@clause("PA-577.9(c)-two")
def test_the_span_of_a_floorperson_is_drawn_counted_and_named():
    scene = make_scene("pa-577")
    span = spans(scene)["floorperson"]
    assert (span.count, span.max_tables, span.places, span.section) == (
        1,
        2,
        ["taken", "free"],
        "58 Pa. Code § 577.9(c)",
    )
    floorperson = scene.people["floorperson"]
    duty = {"person": floorperson, "facility": scene.table.facility, "started_at": timezone.now()}
    for _ in range(2):
        Assignment.objects.create(elsewhere="other-banking", **duty)
    span = spans(scene)["floorperson"]
    assert (span.count, span.places) == (3, ["taken", "taken", "over"])
    assert [breach.code for breach in span.breaches] == ["span-exceeded"]
    text = words(see(scene, "staff/"))
    assert "1 table not supervised as required" in text and "3 of 2" in text
    assert "Floorperson may not supervise these 3 tables at once" in text and "§ 577.9(c)" in text


def spans(scene: Scene) -> dict[str, roster.FloorpersonSpan]:
    now = timezone.now()
    manned = roster.staffed_tables(scene.table.facility, now)
    return {
        member.person.code: member for member in roster.floorperson_spans(scene.table.facility, manned, now)
    }


def test_a_table_that_nobody_supervises_stands_with_its_reason(scene):
    Table.objects.update(floorperson=None)
    text = words(see(scene, "staff/"))
    assert "Nobody supervises T-01." in text
    assert spans(scene)["floorperson"].places == []


@clause("PA-577.9(b)-dealers", "PA-577.9(b)-stick")
def test_the_posts_of_each_table_stand_by_its_pit():
    scene = make_scene("pa-577")
    text = words(see(scene, "staff/"))
    assert re.search(
        r"Pit 1 T-01 open Dealer Dealer since (\d\d:\d\d) Left dealer Relief since \1 Stick Stickperson since \1 "
        r"Floor Floorperson",
        text,
    )


def test_the_people_stand_with_their_duty_and_training(scene):
    house = scene.table.facility
    Qualification.objects.filter(person=scene.people["dealer"], game="football").update(
        since=dt.date(2020, 1, 1), ends_on=dt.date(2024, 6, 1)
    )
    rows_found = {member.person.code: member for member in roster.staff_members(house, timezone.now())}
    assert (
        "stranger" not in rows_found
        and rows_found["floorperson"].supervises
        and not rows_found["dealer"].supervises
    )
    dealer = rows_found["dealer"]
    assert [duty.table.code for duty in dealer.duty] == ["T-01"]
    assert {game: holds for _, game, holds in dealer.qualifications} == {
        "Sic Bo": True,
        "High Roll Dice": True,
        "Three Dice Football": False,
    }
    assert "ended 1 Jun 2024" in words(see(scene, "staff/"))
    everybody = {member.person.code for member in roster.staff_members(house, timezone.now(), everybody=True)}
    assert {"stranger", "other-floorperson"} <= everybody
    assert [
        member.person.code for member in roster.staff_members(house, timezone.now(), "strang", everybody=True)
    ] == ["stranger"]


def test_the_same_few_queries_however_many_people_there_are(scene, django_assert_num_queries):
    house = scene.table.facility
    with django_assert_num_queries(3):
        assert len(roster.staff_members(house, timezone.now(), everybody=True)) > 10
    with django_assert_num_queries(3):
        assert len(roster.staff_members(house, timezone.now())) > 5


def test_the_page_asks_the_clock_as_often_for_everybody_as_for_one(scene):
    page, moment = scene.browser("podium", "shift-manager"), timezone.now()

    def asked(query: str) -> tuple[int, int]:
        """How often the clock was asked, and how many duties the page shows."""
        clock_read = Mock(return_value=moment)
        with clock.override(clock_read):
            page_text = page.get(f"{HOUSE}staff/{query}").content.decode()
        return clock_read.call_count, page_text.count("since ")

    few, many = asked("?who=nobody-at-all"), asked("?all=1")
    assert many[1] > few[1] + 5 and many[0] == few[0]


def test_a_search_for_what_nobody_can_type_finds_whoever_is_on_duty(scene):
    assert "Shift Manager" in words(see(scene, "staff/?who=%00"))
    assert "Nobody with this name." in words(see(scene, "staff/?who=nobody-at-all"))


@pytest.mark.parametrize(
    ("by", "offered"),
    [
        ("pit-manager", {"assign", "end-duty", "elsewhere", "train", "end-training", "supervisor"}),
        ("floorperson", {"take"}),
        ("compliance", set()),
    ],
)
def test_each_is_offered_the_acts_of_their_own_role(scene, by, offered):
    assert set(re.findall(r'data-open="([a-z-]+)"', see(scene, "staff/", by))) == offered
