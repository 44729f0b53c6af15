"""The deadlines of a facility as an iCalendar feed (RFC 5545), and the secret addresses at which calendars read it.

An address holds 256 random bits. The database stores only their SHA-256, so a stolen copy of it opens nothing.
"""

import datetime as dt
import hashlib
import hmac
import secrets
from collections.abc import Iterable

from django.urls import reverse
from icalendar import Alarm, Calendar, Event, vText

from audit import clock
from games.models import CalendarFeed, Facility
from games.office.calendar.deadlines import Deadline
from games.office.core.access import OFFICE_VIEWERS

PRODUCT = "-//Pitside//Rules office//EN"
ALARM_DAYS = (7, 1)
MOMENT = dt.timedelta(minutes=15)  # the length of an event that has an exact moment
ZONES_FOR = dt.timedelta(days=366)


def new_secret() -> tuple[str, str]:
    """Return a new secret for an address, and its SHA-256 in hex."""
    secret = secrets.token_urlsafe(32)
    return secret, sha256_of(secret)


def sha256_of(secret: str) -> str:
    """Return the SHA-256 of a secret in hex."""
    return hashlib.sha256(secret.encode()).hexdigest()


def open_feed(secret: str) -> CalendarFeed | None:
    """Return the open feed with this secret, if its person may still see the office and is not on leave.

    The query uses the hash of the secret, so the response time reveals nothing about the secret.
    """
    token_sha256 = sha256_of(secret)
    feed = CalendarFeed.objects.select_related("facility", "person").filter(token_sha256=token_sha256).first()
    if (
        feed is None
        or not hmac.compare_digest(feed.token_sha256, token_sha256)
        or feed.revoked_at is not None
    ):
        return None
    person = feed.person
    is_here = person.is_active and person.belongs_to(feed.facility.code)
    if not is_here or person.is_on_leave(feed.facility.gaming_day(clock.now())):
        return None
    return feed if person.role in OFFICE_VIEWERS else None


def calendar_bytes(
    facility: Facility, listed: Iterable[Deadline], now: dt.datetime, address: str = ""
) -> bytes:
    """Return the calendar file: an event for each deadline, in the facility's time zone.

    `address`: the scheme and host that precede the path of each deadline's page.
    """
    feed = Calendar()
    feed.add("prodid", PRODUCT)
    feed.add("version", "2.0")
    feed.add("calscale", "GREGORIAN")
    feed.add("x-wr-calname", vText(f"{facility.name}: deadlines"))
    feed.add("x-wr-timezone", vText(facility.time_zone))
    feed.add("refresh-interval", dt.timedelta(hours=1), parameters={"VALUE": "DURATION"})
    moments = []
    for deadline in listed:
        feed.add_component(_event(facility, deadline, now, address))
        moments += [deadline.moment] if deadline.moment else []
    if moments:
        first, last = (facility.local(moment).date() for moment in (min(moments), max(moments)))
        feed.add_missing_timezones(first_date=first - ZONES_FOR, last_date=last + ZONES_FOR)
    return bytes(feed.to_ical())


def _event(facility: Facility, deadline: Deadline, now: dt.datetime, address: str) -> Event:
    event = Event()
    event.add("uid", f"{deadline.key}@{facility.code}.pitside")
    event.add("dtstamp", now.astimezone(dt.UTC).replace(microsecond=0))
    if deadline.moment is None:
        event.add("dtstart", deadline.due_on)
        event.add("dtend", deadline.due_on + dt.timedelta(days=1))
    else:
        begins = facility.local(deadline.moment).replace(microsecond=0)
        event.add("dtstart", begins)
        event.add("dtend", facility.local(deadline.moment.replace(microsecond=0) + MOMENT))
    event.add("summary", deadline.summary)
    event.add(
        "description", "\n".join(part for part in (deadline.summary, deadline.section, facility.name) if part)
    )
    event.add("transp", "TRANSPARENT")
    event.add("class", "CONFIDENTIAL")
    if address:
        event.add("url", address + (deadline.url or reverse("calendar", args=[facility.code])))
    for days in ALARM_DAYS if deadline.reminds else ():
        event.add_component(_alarm(deadline, days))
    return event


def _alarm(deadline: Deadline, days: int) -> Alarm:
    alarm = Alarm()
    alarm.add("action", "DISPLAY")
    alarm.add("description", deadline.summary)
    alarm.add("trigger", -dt.timedelta(days=days))
    return alarm
