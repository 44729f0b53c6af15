"""The deadlines of a house as an iCalendar feed (RFC 5545), and the secret addresses at which calendars read it.

An address holds 256 random bits; the database keeps their SHA-256 alone, so that a stolen copy of it opens nothing.
"""

import datetime as dt
import hashlib
import hmac
import secrets
from collections.abc import Iterable

from django.urls import reverse
from icalendar import Alarm, Calendar, Event, vText

from games.models import CalendarFeed, Facility
from games.office.calendar.deadlines import Deadline
from games.office.core.access import SEES_THE_OFFICE

PRODUCT = "-//Pitside//Rules office//EN"
ALARM_DAYS = (7, 1)
MOMENT = dt.timedelta(minutes=15)  # how long a moment is drawn
ZONES_FOR = dt.timedelta(days=366)


def new_secret() -> tuple[str, str]:
    """A secret for an address, and its SHA-256 in hex."""
    secret = secrets.token_urlsafe(32)
    return secret, sha256_of(secret)


def sha256_of(secret: str) -> str:
    """The SHA-256 of a secret, in hex."""
    return hashlib.sha256(secret.encode()).hexdigest()


def feed_of(secret: str) -> CalendarFeed | None:
    """The open feed of this secret, if its person may still see the office.

    What is looked up is the secret's hash, so that the time of the answer tells nothing of a secret.
    """
    wanted = sha256_of(secret)
    found = CalendarFeed.objects.select_related("facility", "person").filter(token_sha256=wanted).first()
    if found is None or not hmac.compare_digest(found.token_sha256, wanted) or found.revoked_at is not None:
        return None
    person = found.person
    at_home = person.facility in ("", found.facility.code)
    return found if person.is_active and at_home and person.role in SEES_THE_OFFICE else None


def written(house: Facility, found: Iterable[Deadline], now: dt.datetime, address: str = "") -> bytes:
    """The calendar as bytes: an event for each deadline, days as days and moments by the house's clocks.

    `address`: the scheme and host before each deadline's page.
    """
    made = Calendar()
    made.add("prodid", PRODUCT)
    made.add("version", "2.0")
    made.add("calscale", "GREGORIAN")
    made.add("x-wr-calname", vText(f"{house.name}: deadlines"))
    made.add("x-wr-timezone", vText(house.time_zone))
    made.add("refresh-interval", dt.timedelta(hours=1), parameters={"VALUE": "DURATION"})
    moments = []
    for one in found:
        made.add_component(_event(house, one, now, address))
        moments += [one.at] if one.at else []
    if moments:
        first, last = (house.local(moment).date() for moment in (min(moments), max(moments)))
        made.add_missing_timezones(first_date=first - ZONES_FOR, last_date=last + ZONES_FOR)
    return made.to_ical()


def _event(house: Facility, one: Deadline, now: dt.datetime, address: str) -> Event:
    event = Event()
    event.add("uid", f"{one.key}@{house.code}.pitside")
    event.add("dtstamp", now.astimezone(dt.UTC).replace(microsecond=0))
    if one.at is None:
        event.add("dtstart", one.due_on)
        event.add("dtend", one.due_on + dt.timedelta(days=1))
    else:
        begins = house.local(one.at).replace(microsecond=0)
        event.add("dtstart", begins)
        event.add("dtend", house.local(one.at.replace(microsecond=0) + MOMENT))
    event.add("summary", one.what)
    event.add("description", "\n".join(part for part in (one.what, one.section, house.name) if part))
    event.add("transp", "TRANSPARENT")
    event.add("class", "CONFIDENTIAL")
    if address:
        event.add("url", address + (one.url or reverse("calendar", args=[house.code])))
    for days in ALARM_DAYS if one.reminds else ():
        event.add_component(_alarm(one, days))
    return event


def _alarm(one: Deadline, days: int) -> Alarm:
    alarm = Alarm()
    alarm.add("action", "DISPLAY")
    alarm.add("description", one.what)
    alarm.add("trigger", -dt.timedelta(days=days))
    return alarm
