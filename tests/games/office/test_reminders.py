"""Reminders: each deadline once at 30, 7, 1 and 0 days, recorded, and shown until somebody takes note."""

import datetime as dt
import json

import pytest
from django.db import transaction

from audit.models import Entry
from games.engine import Refusal
from games.models import BoardPermission, Facility, Reminder
from games.office import calendar
from games.office.calendar import send_reminders, stage_of
from tables.ticker import Ticker, remind_of_deadlines
from tests.tables.cast import Scene

pytestmark = pytest.mark.django_db
DAY = dt.timedelta(days=1)
ENDS = dt.date(2026, 12, 25)


@pytest.fixture
def facility_scene(hands, committed) -> Scene:
    """A house with one permission that ends on 25 December; reminding has transactions of its own."""
    permit(committed)
    return committed


def permit(scene, ends_on=ENDS, reference="B-12"):
    return BoardPermission.objects.create(
        facility=scene.table.facility, subject="roll-history", reference=reference,
        granted_on=dt.date(2026, 1, 1), ends_on=ends_on,
    )  # fmt: skip


def said():
    found = Entry.objects.filter(stream__name="larkfield/rules", type="deadline.reminded").order_by("seq")
    return [json.loads(bytes(one.body)) for one in found]


def on(hands, day):
    """10:00 in the casino on this day."""
    hands.now = dt.datetime(day.year, day.month, day.day, 15, tzinfo=dt.UTC)


def test_it_says_each_deadline_once_at_30_7_1_and_0_days(facility_scene, hands):
    while hands.now.date() <= ENDS + 5 * DAY:
        send_reminders()
        send_reminders()
        hands.now += DAY
    assert [(one["data"]["days"], one["at"][:10]) for one in said()] == [
        (30, "2026-11-25"),
        (7, "2026-12-18"),
        (1, "2026-12-24"),
        (0, "2026-12-25"),
    ]
    assert Reminder.objects.count() == 4


def test_the_entry_names_the_deadline_its_day_and_its_section_and_nobody_acts(facility_scene, hands):
    on(hands, ENDS - 7 * DAY)
    send_reminders()
    (entry,) = said()
    assert entry["actor"] is None
    assert entry["data"] == {
        "deadline": f"permission:{BoardPermission.objects.get().pk}",
        "due_on": "2026-12-25",
        "days": 7,
        "what": "Permission B-12 of the Board ends (roll history)",
        "section": "58 Pa. Code § 521.6",
    }


@pytest.mark.parametrize(
    ("left", "stage"),
    [
        (31, None), (30, 30), (24, 30), (23, None), (15, None), (8, None), (7, 7), (2, 7), (1, 1), (0, 0), (-9, 0),
    ],
)  # fmt: skip
def test_a_deadline_that_began_with_fewer_days_left_has_no_30_day_reminder(left, stage):
    assert stage_of(left) == stage


def test_the_day_is_that_of_the_house_and_not_of_utc(facility_scene, hands):
    hands.now = dt.datetime(2026, 12, 25, 4, 59, tzinfo=dt.UTC)  # 23:59 on the 24th in the casino
    send_reminders()
    hands.now += dt.timedelta(minutes=1)
    send_reminders()
    assert [one["data"]["days"] for one in said()] == [1, 0]


def test_two_tickers_that_saw_the_same_say_it_once(facility_scene, hands):
    on(hands, ENDS)
    house = facility_scene.table.facility
    for _ in range(2):  # both found it unsaid, and take the lock one after the other
        with transaction.atomic():
            calendar._record_reminders(house)
    assert len(said()) == Reminder.objects.count() == 1


def test_a_deadline_that_moves_is_said_again_for_its_new_day(facility_scene, hands):
    on(hands, ENDS)
    send_reminders()
    BoardPermission.objects.update(ends_on=ENDS + DAY)
    send_reminders()
    assert [(one["data"]["due_on"], one["data"]["days"]) for one in said()] == [
        ("2026-12-25", 0),
        ("2026-12-26", 1),
    ]


def test_a_failure_in_one_facility_does_not_stop_the_others(facility_scene, hands, monkeypatch):
    Facility.objects.create(code="a-first", name="First", jurisdiction="PA")
    real = calendar.deadlines

    def fails(house, now):
        if house.code == "a-first":
            raise RuntimeError("no such row")
        return real(house, now)

    monkeypatch.setattr(calendar, "deadlines", fails)
    on(hands, ENDS)
    send_reminders()
    assert len(said()) == 1


def test_the_ticker_reminds_each_minute_and_changes_no_table(facility_scene, hands):
    on(hands, ENDS)
    ticks = Ticker()
    due = [remind_of_deadlines in ticks.due() for _ in range(120)]
    assert [number for number, here in enumerate(due) if here] == [30, 90]
    assert remind_of_deadlines() == []
    assert len(said()) == 1


def test_it_stands_on_every_page_of_the_office_until_somebody_takes_note(facility_scene, hands):
    on(hands, ENDS - DAY)
    send_reminders()
    page = facility_scene.browser("podium", "games-administrator")
    shown = page.get("/office/larkfield/documents/").content.decode()
    assert 'aria-label="Reminder"' in shown and "Permission B-12 of the Board ends" in shown
    assert 'data-open="note-reminder"' in page.get("/office/larkfield/deadlines/").content.decode()
    key = Reminder.objects.get().key
    facility_scene.in_office("note_reminder", {"deadline": key, "due_on": "2026-12-25"})
    noted = Reminder.objects.get()
    assert (noted.noted_at, noted.noted_by.code) == (hands.now, "games-administrator")
    assert 'aria-label="Reminder"' not in page.get("/office/larkfield/documents/").content.decode()
    # the next one still comes
    hands.now += DAY
    send_reminders()
    page = facility_scene.browser("podium", "games-administrator")
    assert 'aria-label="Reminder"' in page.get("/office/larkfield/documents/").content.decode()


def test_those_who_only_read_see_it_and_have_no_button(facility_scene, hands):
    on(hands, ENDS - DAY)
    send_reminders()
    shown = (
        facility_scene.browser("podium", "gaming-agent").get("/office/larkfield/documents/").content.decode()
    )
    assert 'aria-label="Reminder"' in shown and "note-reminder" not in shown


def test_what_is_done_stands_no_more_though_nobody_took_note(facility_scene, hands):
    on(hands, ENDS)
    send_reminders()
    BoardPermission.objects.update(withdrawn_at=hands.now)
    shown = (
        facility_scene.browser("podium", "compliance").get("/office/larkfield/documents/").content.decode()
    )
    assert 'aria-label="Reminder"' not in shown


def test_there_is_nothing_to_note_twice_or_without_a_reminder(facility_scene, hands):
    asked = {"deadline": "permission:1", "due_on": "2026-12-25"}
    with pytest.raises(Refusal) as refusal:
        facility_scene.in_office("note_reminder", asked)
    assert refusal.value.code == "no-such-reminder"
    assert refusal.value.sentence.startswith("This reminder was already acknowledged")
