"""A house: what it may not be called, and when its gaming days begin."""

import datetime as dt

import pytest
from django.db import IntegrityError, transaction

from games.models import Facility

pytestmark = pytest.mark.django_db


def test_no_house_takes_the_name_of_the_installation_whose_stream_it_would_share():
    with pytest.raises(IntegrityError), transaction.atomic():
        Facility.objects.create(code="installation", name="Installation", jurisdiction="PA")
    Facility.objects.create(code="installation-2", name="Installation 2", jurisdiction="PA")


@pytest.mark.parametrize(("day", "hours"), [("2026-10-31", 25), ("2027-03-13", 23), ("2026-11-21", 24)])
def test_a_gaming_day_lasts_from_six_to_six_by_the_clocks_of_the_facility(day, hours):
    house = Facility(code="larkfield", time_zone="America/New_York")
    first = dt.date.fromisoformat(day)
    begins, ends = house.day_begins(first), house.day_begins(first + dt.timedelta(days=1))
    assert ends - begins == dt.timedelta(hours=hours)
    assert house.local(begins).time() == house.local(ends).time() == dt.time(6)
    assert house.gaming_day(begins) == house.gaming_day(ends - dt.timedelta(seconds=1)) == first


@pytest.mark.parametrize("day", ["2026-10-31", "2027-03-13", "2026-11-21"])
def test_the_shifts_of_a_gaming_day_cover_it_when_the_clocks_change_too(day):
    house = Facility(code="larkfield", time_zone="America/New_York")
    first = dt.date.fromisoformat(day)
    shifts = house.shifts_of(first)
    starts = [house.local(shift.begins).strftime("%H:%M") for shift in shifts]
    assert [(shift.code, shift.name) for shift in shifts][1:] == [("swing", "Swing"), ("night", "Night")]
    assert starts == ["06:00", "14:00", "22:00"]
    assert shifts[-1].ends == house.day_begins(first + dt.timedelta(days=1))
    for shift in shifts:
        assert house.shift_of(shift.begins) == house.shift_of(shift.ends - dt.timedelta(seconds=1)) == shift


def test_a_house_declares_shifts_that_begin_after_midnight():
    house = Facility(
        code="larkfield",
        time_zone="America/New_York",
        shifts={"late": "02:00", "noon": "12:00", "early": "06:00"},
    )
    shifts = house.shifts_of(dt.date(2026, 11, 21))
    assert [(shift.code, house.local(shift.begins).strftime("%d %H:%M")) for shift in shifts] == [
        ("early", "21 06:00"),
        ("noon", "21 12:00"),
        ("late", "22 02:00"),
    ]
