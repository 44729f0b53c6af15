"""The page of deadlines, and the feed that a calendar reads at a secret address."""

import datetime as dt
import hashlib
import re
import uuid

import icalendar
import pytest
from django.test import Client

from audit.models import Command, Entry, Person
from games.engine import Refusal
from games.models import BoardPermission, CalendarFeed, Facility, RulesSubmission
from games.office import calendar
from games.office.calendar import Deadline
from tables.models import LimitsChange
from tests.markup import one_line
from tests.tables.cast import Scene

pytestmark = pytest.mark.django_db
DAY = dt.timedelta(days=1)
PAGE, FEEDS = "/office/larkfield/deadlines/", "/office/larkfield/deadlines/feeds"
ADDRESS = re.compile(r"http://testserver(/office/feeds/[\w-]{43}\.ics)")


@pytest.fixture
def filed(hands, scene) -> Scene:
    """One submission filed 20 days ago: its decision is 5 days overdue."""
    RulesSubmission.objects.filter(facility=scene.table.facility).update(
        status="filed", filed_at=hands.now - 20 * DAY
    )
    return scene


def make(scene, name="Compliance", by="compliance", **said):
    form = {"name": name, "command": str(uuid.uuid4()), **said}
    return scene.browser("podium", by).post(FEEDS, form)


def address_of(answer) -> str:
    found = ADDRESS.search(answer.content.decode())
    assert found, answer.content.decode()[-2000:]
    return found[1]


def read(address) -> icalendar.Calendar:
    answer = Client().get(address)
    assert answer.status_code == 200
    return icalendar.Calendar.from_ical(answer.content)


def events(found: icalendar.Calendar) -> dict[str, icalendar.Event]:
    return {str(one["uid"]): one for one in found.walk("VEVENT")}


# The page


def test_the_page_lists_by_how_near_it_is_and_draws_the_month(filed):
    shown = filed.browser("podium", "games-administrator").get(PAGE).content.decode()
    assert "Decision on RS-0009 v1, filed 1 Nov 2026" in shown
    assert "5 days overdue" in shown and "1 overdue" in shown
    assert "November 2026" in shown and 'id="on-2026-11-16"' in shown and 'href="#on-2026-11-16"' in shown
    assert 'aria-current="date"' in shown


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("2028-02", "February 2028"),
        ("2026-13", "November 2026"),
        ("x", "November 2026"),
        ("", "November 2026"),
    ],
)
def test_the_month_is_the_one_that_is_asked_for(hands, scene, asked, name):
    shown = scene.browser("podium", "compliance").get(PAGE, {"month": asked}).content.decode()
    assert f'id="month-h">{name}<' in shown


def test_the_29th_of_february_is_a_day_of_its_month(hands, scene):
    BoardPermission.objects.create(
        facility=scene.table.facility, subject="roll-history", reference="B",
        granted_on=dt.date(2026, 1, 1), ends_on=dt.date(2028, 2, 29),
    )  # fmt: skip
    shown = scene.browser("podium", "compliance").get(PAGE, {"month": "2028-02"}).content.decode()
    assert '<a href="#on-2028-02-29"><b>29</b>' in one_line(shown)


def test_the_tab_counts_what_is_overdue(filed):
    shown = filed.browser("podium", "gaming-agent").get("/office/larkfield/documents/").content.decode()
    assert '<span class="due due--over">1 overdue</span>' in shown


# The secret address


def test_the_address_is_shown_once_and_only_its_hash_is_kept(filed):
    answer = make(filed)
    assert answer.status_code == 200 and "no-store" in answer["Cache-Control"]
    secret = address_of(answer).rpartition("/")[2].removesuffix(".ics")
    feed = CalendarFeed.objects.get()
    assert feed.token_sha256 == hashlib.sha256(secret.encode()).hexdigest()
    assert (feed.name, feed.person.code) == ("Compliance", "compliance")
    shown = filed.browser("podium", "compliance").get(PAGE).content.decode()
    assert secret not in shown and "Compliance" in shown
    kept = [bytes(one.body) for one in Entry.objects.all()]
    answers = [str(one.answer).encode() for one in Command.objects.all()]
    assert not any(secret.encode() in text for text in kept + answers)
    assert Entry.objects.filter(type="feed.made").count() == 1


def test_anybody_with_the_address_reads_it_without_a_sign_in_or_a_cookie(filed):
    answer = Client().get(address_of(make(filed)))
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    assert answer["Cache-Control"] == "private, max-age=300"
    assert answer["Content-Disposition"] == 'attachment; filename="larkfield-deadlines.ics"'
    assert not answer.cookies
    assert Client().head(answer.request["PATH_INFO"]).status_code == 200
    assert Client().post(answer.request["PATH_INFO"]).status_code == 405


@pytest.mark.parametrize("secret", ["x", "0" * 43, "a" * 200])
def test_a_wrong_secret_finds_nothing(filed, secret):
    make(filed)
    answer = Client().get(f"/office/feeds/{secret}.ics")
    assert (answer.status_code, answer.content) == (404, b"")


def test_the_address_of_somebody_on_leave_finds_nothing_until_they_are_back(filed):
    address = address_of(make(filed))
    on_leave = Person.objects.filter(code="compliance")
    on_leave.update(leave_from="2020-01-01", leave_reason="family")
    assert Client().get(address).status_code == 404
    on_leave.update(leave_from=None, leave_reason="")
    assert Client().get(address).status_code == 200


def test_a_revoked_address_finds_nothing_from_then_on(filed):
    address = address_of(make(filed))
    number = CalendarFeed.objects.get().pk
    filed.in_office("revoke_feed", {"feed": number})
    assert Client().get(address).status_code == 404
    assert Entry.objects.filter(type="feed.revoked").count() == 1
    with pytest.raises(Refusal) as refusal:
        filed.in_office("revoke_feed", {"feed": number})
    assert refusal.value.code == "no-such-feed"


@pytest.mark.parametrize("changed", [{"is_active": False}, {"role": "dealer"}, {"facility": "elsewhere"}])
def test_it_closes_when_its_person_may_see_the_office_no_more(filed, changed):
    address = address_of(make(filed))
    Person.objects.filter(code="compliance").update(**changed)
    assert Client().get(address).status_code == 404


def test_it_tells_of_its_own_house_alone(filed, hands):
    other = Facility.objects.create(code="other", name="Other", jurisdiction="PA")
    BoardPermission.objects.create(
        facility=other, subject="roll-history", reference="B-99",
        granted_on=dt.date(2026, 1, 1), ends_on=dt.date(2026, 12, 1),
    )  # fmt: skip
    assert list(events(read(address_of(make(filed))))) == ["review:RS-0009.1@larkfield.pitside"]


@pytest.mark.parametrize("by", ["gaming-agent", "pit-manager", "shift-manager"])
def test_those_who_only_read_make_no_address(filed, by):
    assert make(filed, by=by).status_code == 403
    assert not CalendarFeed.objects.exists()


@pytest.mark.parametrize("by", ["dealer", "floorperson"])
def test_who_does_not_see_the_office_makes_none(filed, by):
    assert make(filed, by=by).status_code == 403


def test_a_second_address_of_the_same_name_and_a_form_without_sense_are_refused_in_words(filed):
    make(filed)
    answer = make(filed, "compliance")
    assert answer.status_code == 422 and "Choose another name" in answer.content.decode()
    assert make(filed, "").status_code == 422
    assert make(filed, "x" * 61).status_code == 422
    assert make(filed, "Other", command="never").status_code == 422
    assert CalendarFeed.objects.count() == 1


# The calendar, RFC 5545


def test_a_day_is_a_day_with_a_stable_name_and_alarms_7_days_and_1_day_before(filed, hands):
    address = address_of(make(filed))
    first = events(read(address))
    hands.now += dt.timedelta(hours=1)
    again = events(read(address))
    assert list(first) == list(again) == ["review:RS-0009.1@larkfield.pitside"]
    event = again["review:RS-0009.1@larkfield.pitside"]
    assert event.decoded("dtstart") == dt.date(2026, 11, 16)
    assert event.decoded("dtend") == dt.date(2026, 11, 17)
    assert event["dtstart"].params["VALUE"] == "DATE"
    assert event.decoded("dtstamp") == hands.now
    assert str(event["url"]).startswith("http://testserver/office/larkfield/")
    assert [one.decoded("trigger") for one in event.walk("VALARM")] == [-7 * DAY, -DAY]
    assert {str(one["action"]) for one in event.walk("VALARM")} == {"DISPLAY"}


def test_the_calendar_says_what_it_is(filed):
    found = read(address_of(make(filed)))
    assert str(found["version"]) == "2.0" and str(found["prodid"]) == "-//Pitside//Rules office//EN"
    assert str(found["x-wr-calname"]) == "Larkfield Casino: deadlines"


def test_a_house_without_deadlines_has_an_empty_calendar_that_is_one(hands, scene):
    found = read(address_of(make(scene)))
    assert not found.walk("VEVENT")


def test_a_moment_stands_in_the_zone_of_the_house_which_comes_along(hands, scene):
    LimitsChange.objects.create(
        table=scene.table, number=4, was_min_cents=1_000, was_max_cents=100_000, min_cents=2_500,
        max_cents=100_000, asked_at=hands.now, posted_at=hands.now, announced_at=hands.now,
        effective_at=hands.now + dt.timedelta(minutes=30),
    )  # fmt: skip
    found = read(address_of(make(scene)))
    event = events(found)["limits:T-01.4@larkfield.pitside"]
    begins = event.decoded("dtstart")
    assert (begins.isoformat(), event["dtstart"].params["TZID"]) == (
        "2026-11-21T10:30:00-05:00",
        "America/New_York",
    )
    assert [str(one["tzid"]) for one in found.walk("VTIMEZONE")] == ["America/New_York"]
    assert not event.walk("VALARM")  # half an hour has no day before it


def test_text_is_escaped_and_long_lines_are_folded(hands, scene):
    what = "Häuser, Spieler; \\ 骰宝\nBEGIN:VEVENT " + "ü" * 90
    house = scene.table.facility
    body = calendar.calendar_bytes(house, [Deadline("note:1", dt.date(2028, 2, 29), what)], hands.now)
    assert all(len(line) <= 75 for line in body.split(b"\r\n"))
    assert b"\r\n" in body and b"\n" not in body.replace(b"\r\n", b"")
    assert "SUMMARY:Häuser\\, Spieler\\; \\\\ 骰宝\\nBEGIN:VEVENT" in body.decode().replace("\r\n ", "")
    (event,) = icalendar.Calendar.from_ical(body).walk("VEVENT")
    assert str(event["summary"]) == what
    assert event.decoded("dtend") == dt.date(2028, 3, 1)
