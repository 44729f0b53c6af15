"""Every deadline of a facility: what is pending, what ends and what begins; its reminders, and its iCalendar feeds.

Deadlines are read from the rows themselves. There is no table of them, so none can disagree with its subject. Reading
takes no locks.

Reminders come 30 days, 7 days and 1 day before, and on the day itself, once each (`send_reminders`, by the ticker). One
stays on the office's pages until somebody acknowledges it or the deadline is met.

A feed (RFC 5545) is read at a secret address, which holds 256 random bits. The database stores only their SHA-256, so a
stolen copy of it opens nothing.
"""

import datetime as dt
import hashlib
import hmac
import logging
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict, Unpack

from django.db import transaction
from django.urls import NoReverseMatch, reverse
from icalendar import Alarm, Calendar, Event, vText

from audit import clock, record
from audit.columns import ACTOR, AT, FACILITY, NONE, Body, Rows, declare, same
from audit.days import day_in_words
from audit.entry_types import entry_type
from games.act_forms import Day, text, whole
from games.engine import Refusal, RefusalCode
from games.models import (
    BoardPermission,
    CalendarFeed,
    Facility,
    FurtherRequest,
    GameRequest,
    GameTest,
    Guide,
    InterimPermission,
    Provider,
    ProviderNote,
    Reminder,
    Review,
    RulesSubmission,
    SignForm,
)
from games.models.facility import ReminderDays
from games.office.core import OFFICE_VIEWERS, STREAM, ActOutcome, OfficeContext, floor, office_act
from games.office.documents import SHA256
from games.office.providers.register import certification_on
from games.office.requests import final_approvals
from games.office.reviews import review_due_on
from games.params import malformed
from games.submissions import all_in_force, rules_of


class DeadlineEntry(TypedDict):
    """The deadline that an entry is about."""

    deadline: Annotated[str, "key of the deadline, for instance renewal:SP-0001"]
    due_on: Annotated[str, "the day on which it is due"]


@entry_type("deadline.noted")
def DEADLINE_NOTED(
    *,
    days: Annotated[
        list[ReminderDays], "the reminders that were acknowledged: how many days ahead each was due"
    ],
    **data: Unpack[DeadlineEntry],
) -> None:
    """Every open reminder of a deadline was acknowledged."""


@entry_type("deadline.reminded")
def DEADLINE_REMINDED(
    *,
    days: Annotated[
        ReminderDays, "which reminder it is: how many days ahead it is due; 0: on the day or later"
    ],
    what: Annotated[str, "what is due, in words"],
    section: Annotated[str, "the section that sets the deadline; empty if there is none"],
    **data: Unpack[DeadlineEntry],
) -> None:
    """A reminder of a deadline was sent to the rules office."""


class FeedEntry(TypedDict):
    """The calendar feed that an entry is about."""

    feed: int
    name: Annotated[str, "name of the feed"]


FEED_MADE = entry_type("feed.made", FeedEntry, "A calendar feed of deadlines was made.")


FEED_REVOKED = entry_type("feed.revoked", FeedEntry, "A calendar feed was revoked.")


# Refusals


NO_SUCH_REMINDER = RefusalCode(
    "no-such-reminder",
    "This reminder was already acknowledged, or its deadline was met. Check the list of deadlines.",
    "Already acknowledged",
)
FEED_OF_THAT_NAME = RefusalCode(
    "feed-of-that-name",
    "A calendar named %(name)s already has an address here. Choose another name.",
    "Name taken",
)
NO_SUCH_FEED = RefusalCode(
    "no-such-feed",
    "This address is already closed. No calendar can read the deadlines through it.",
    "No such address",
)


# Deadlines


WAITS, ENDS, BEGINS = "waits", "ends", "begins"  # needs action; expires on its own; comes into force
DAYS_LISTED_AFTER_END = 30  # how long an ended subject stays listed
WEEK, MONTH = 7, 30
GROUPS = OVERDUE, THIS_WEEK, THIRTY_DAYS, LATER = "overdue", "week", "month", "later"


@dataclass(frozen=True)
class Deadline:
    """A deadline of a facility.

    `key` stays the same while the subject is pending. `due_on` is a local calendar day: the last day for something
    pending, the first day without (or with) something that ends (or begins). `moment` is the exact moment, if there is
    one. `reminds`: whether the office is reminded before it.
    """

    key: str
    due_on: dt.date
    summary: str
    section: str = ""
    url: str = ""
    state: str = WAITS
    moment: dt.datetime | None = None
    reminds: bool = True

    def days_left(self, today: dt.date) -> int:
        """Return the days from today to the due day; negative once that day is over."""
        return (self.due_on - today).days

    def group(self, today: dt.date) -> str:
        """Return `overdue`, `week` (today and the next 7 days), `month` (30 days) or `later`."""
        days = self.days_left(today)
        if days < 0:
            return OVERDUE
        return THIS_WEEK if days <= WEEK else THIRTY_DAYS if days <= MONTH else LATER


def deadlines(facility: Facility, now: dt.datetime) -> tuple[Deadline, ...]:
    """Return every deadline of this facility at this moment, the earliest first."""
    today = facility.local(now).date()
    collected: list[Any] = [
        *_submissions(facility, now),
        *_editions(facility, now),
        *_reviews(facility),
        *_tests(facility),
        *_further(facility),
        *_conditions(facility, today),
        *_certifications(facility, now),
        *_cease_dates(facility),
        *_notes(facility),
        *_permissions(facility),
        *floor().deadlines(facility, now),
    ]
    listed = (deadline for deadline in collected if is_listed(deadline, today))
    return tuple(
        sorted(
            listed,
            key=lambda deadline: (
                deadline.due_on,
                deadline.moment is not None,
                deadline.moment or now,
                deadline.key,
            ),
        )
    )


def is_listed(deadline: Deadline, today: dt.date) -> bool:
    """Return whether a deadline is listed.

    Pending ones are listed until they are met, beginnings until they come, endings for some days afterward.
    """
    days = deadline.days_left(today)
    return deadline.state == WAITS or days >= 0 or (deadline.state == ENDS and days >= -DAYS_LISTED_AFTER_END)


def in_groups(listed: Iterable[Deadline], today: dt.date) -> dict[str, list[Deadline]]:
    """Return the deadlines by group, with every group present, in the order of `GROUPS`."""
    groups: dict[str, list[Deadline]] = {name: [] for name in GROUPS}
    for deadline in listed:
        groups[deadline.group(today)].append(deadline)
    return groups


def _submissions(facility: Facility, now: dt.datetime) -> Iterator[Deadline]:
    """Submissions that are filed and undecided, or approved and not in force yet."""
    Status = RulesSubmission.Status
    rows = RulesSubmission.objects.filter(facility=facility).defer("terms")
    for row in rows.filter(status=Status.FILED, filed_at__isnull=False):
        assert row.filed_at is not None
        filed = facility.local(row.filed_at).date()
        yield Deadline(
            f"review:{row.code}.{row.version}",
            filed + dt.timedelta(days=facility.law.review_days),
            "Decision on %(what)s, filed %(day)s" % {"what": row, "day": day_in_words(filed)},
            _review_section(facility),
            _page_url("submission", facility, row.code) or _page_url("submissions", facility),
        )
    for row in rows.filter(status__in=[Status.APPROVED, Status.SUPERSEDED], in_force_from__gt=now):
        assert row.in_force_from is not None
        yield Deadline(
            f"in-force:{row.code}.{row.version}",
            facility.local(row.in_force_from).date(),
            "%(what)s comes into force" % {"what": row},
            facility.law.section("submissions.in-force"),
            _page_url("submission", facility, row.code) or _page_url("submissions", facility),
            BEGINS,
            row.in_force_from,
        )


def _editions(facility: Facility, now: dt.datetime) -> Iterator[Deadline]:
    """Editions that lapse while a submission in force still uses them (A01)."""
    for row in all_in_force([facility.pk], now).values():
        try:
            edition = rules_of(row).edition
        except Refusal:
            continue  # unreadable rules are refused when they are dealt
        if edition.lapses_on is not None:
            yield Deadline(
                f"lapses:{row.code}.{row.version}",
                edition.lapses_on,
                "%(title)s lapses; %(what)s is dealt by it" % {"title": edition.title, "what": row},
                "",
                _page_url("submission", facility, row.code) or _page_url("submissions", facility),
                ENDS,
            )


def _reviews(facility: Facility) -> Iterator[Deadline]:
    """Guides, sign forms and requests that are filed and undecided."""
    for kind, model, page in (
        ("guide", Guide, "guides"),
        ("sign", SignForm, "signs"),
        ("request", GameRequest, "game-requests"),
    ):
        rows: Any = model._default_manager.filter(facility=facility, status=Review.FILED)
        for row in rows.defer("content", "facts") if model is Guide else rows:
            code = row.code if kind == "request" else _code_of(row)
            yield _review(facility, f"review:{kind}:{code}", row, _label(row), _page_url(page, facility))


def _tests(facility: Facility) -> Iterator[Deadline]:
    """Tests of new games that are filed and undecided, or approved and running until a day."""
    tests = GameTest.objects.filter(request__facility=facility).select_related("request")
    tests = tests.exclude(request__status__in=[Review.DENIED, Review.WITHDRAWN])
    for test in tests.filter(status__in=[Review.FILED, Review.APPROVED]):
        code, url = f"{test.request.code}.{test.number}", _request_url(facility, test.request.code)
        label = "test %(number)s of %(request)s" % {"number": test.number, "request": test.request}
        if test.status == Review.FILED and test.filed_at is not None:
            yield _review(facility, f"review:test:{code}", test, label, url)
        elif test.status == Review.APPROVED and test.ends_on is not None:
            over = test.ends_on + dt.timedelta(days=1)
            summary = "%(what)s is over; its last day is %(day)s" % {
                "what": _capitalized(label),
                "day": day_in_words(test.ends_on),
            }
            yield Deadline(f"test-ends:{code}", over, summary, facility.law.section("conditions"), url, ENDS)


def _review(facility: Facility, key: str, row: Any, label: str, url: str) -> Deadline:
    due = review_due_on(row, facility)
    assert due is not None
    filed = day_in_words(facility.local(row.filed_at).date())
    summary = "Decision on %(what)s, filed %(day)s" % {"what": label, "day": filed}
    return Deadline(key, due, summary, _review_section(facility), url)


def _further(facility: Facility) -> Iterator[Deadline]:
    """Further questions of a body that are not answered."""
    rows = FurtherRequest.objects.filter(request__facility=facility, answered_on=None).select_related(
        "request"
    )
    for row in rows.exclude(request__status__in=[Review.DENIED, Review.WITHDRAWN]):
        summary = "Answer %(body)s on %(request)s: %(what)s" % {
            "body": row.body,
            "request": row.request.code,
            "what": row.what,
        }
        # no section sets a time for further questions of a body, so this is the facility's own
        due = row.asked_on + dt.timedelta(days=facility.law.review_days)
        yield Deadline(f"further:{row.pk}", due, summary, "", _request_url(facility, row.request.code))


def _conditions(facility: Facility, today: dt.date) -> Iterator[Deadline]:
    """What the final approval of a new game is still waiting for when its test is over (New Jersey)."""
    if not facility.law.requests.tests:
        return
    for request in GameRequest.objects.filter(facility=facility, status=Review.FILED).prefetch_related(
        "tests"
    ):
        ends = [
            test.ends_on for test in request.tests.all() if test.status == Review.APPROVED and test.ends_on
        ]
        missing = [
            str(condition.name)
            for condition in final_approvals.conditions(request, today)
            if not condition.is_met
        ]
        if ends and missing:
            summary = "Final approval of %(what)s waits for: %(missing)s" % {
                "what": request,
                "missing": ", ".join(missing),
            }
            url = _request_url(facility, request.code)
            yield Deadline(
                f"conditions:{request.code}", max(ends), summary, facility.law.section("conditions"), url
            )


def _certifications(facility: Facility, now: dt.datetime) -> Iterator[Deadline]:
    """The end of each certification, and the renewal due 60 days before.

    A renewal filed on time keeps the certification alive until the Board decides, so neither is listed then.
    """
    day = facility.gaming_day(now)
    for provider in Provider.objects.filter(facility=facility).prefetch_related("applications"):
        status = certification_on(facility, list(provider.applications.all()), day)
        if status.ends is None or status.renewal is not None:
            continue
        url = _page_url("provider", facility, provider.code) or _page_url("providers", facility)
        due = status.renewal_due()
        if due is not None:
            summary = "Renewal of %(name)s: form and fee" % {"name": provider.name}
            yield Deadline(
                f"renewal:{provider.code}", due, summary, facility.law.section("providers.renewal"), url
            )
        summary = "Certification of %(name)s ends" % {"name": provider.name}
        yield Deadline(
            f"certification:{provider.code}",
            status.ends,
            summary,
            facility.law.section("providers.term"),
            url,
            ENDS,
        )


def _cease_dates(facility: Facility) -> Iterator[Deadline]:
    """The days by which trading with a provider ends because its interim permission was rescinded."""
    rows = InterimPermission.objects.filter(provider__facility=facility, cease_on__isnull=False)
    for row in rows.select_related("provider"):
        assert row.cease_on is not None
        code = row.provider.code
        summary = "Services of %(name)s stop: permission %(reference)s is rescinded" % {
            "name": row.provider.name,
            "reference": row.reference,
        }
        url = _page_url("provider", facility, code) or _page_url("providers", facility)
        yield Deadline(
            f"cease:{code}.{row.pk}", row.cease_on, summary, facility.law.section("interim.notice"), url, ENDS
        )


NOTE_DUTIES: dict[str, str] = {
    ProviderNote.Kind.INFORMATION: "providers.cooperation",
    ProviderNote.Kind.COOPERATION: "providers.cooperation",
    ProviderNote.Kind.CONDITION: "providers.cooperation",
    ProviderNote.Kind.CHANGE: "providers.changes",
    ProviderNote.Kind.VIOLATION: "providers.violation",
}


def _notes(facility: Facility) -> Iterator[Deadline]:
    """Notes on a provider's file that must be answered, met or reported by a day."""
    rows = ProviderNote.objects.filter(provider__facility=facility, due_on__isnull=False, done_on=None)
    for row in rows.select_related("provider"):
        assert row.due_on is not None
        summary = f"{row.provider.name}, {row.get_kind_display()}: {row.text}"
        section = facility.law.section(NOTE_DUTIES[row.kind]) if row.kind in NOTE_DUTIES else ""
        url = _page_url("provider", facility, row.provider.code) or _page_url("providers", facility)
        yield Deadline(f"note:{row.provider.code}.{row.pk}", row.due_on, summary, section, url)


def _permissions(facility: Facility) -> Iterator[Deadline]:
    """Permissions of the Board that end on a day."""
    rows = BoardPermission.objects.filter(facility=facility, withdrawn_at=None, ends_on__isnull=False)
    for row in rows:
        assert row.ends_on is not None
        summary = "Permission %(reference)s of the Board ends (%(subject)s)" % {
            "reference": row.reference,
            "subject": row.subject.replace("-", " "),
        }
        url = _page_url("guides", facility)
        yield Deadline(
            f"permission:{row.pk}", row.ends_on, summary, facility.law.section("guide.device"), url, ENDS
        )


def _review_section(facility: Facility) -> str:
    """Return the section that sets the days of a review; "" if the facility sets them itself."""
    return facility.law.section("submissions.review")


def _code_of(row: Any) -> str:
    """Return `v3` for a guide, `limits:sicbo.v2` for a sign form."""
    if isinstance(row, Guide):
        return f"v{row.version}"
    return f"{row.kind}:{row.game or 'all'}.v{row.version}"


def _label(row: Any) -> str:
    if isinstance(row, Guide):
        return "the gaming guide, version %(version)s" % {"version": row.version}
    if isinstance(row, SignForm):
        kind = row.get_kind_display()
        return "the sign for %(kind)s, version %(version)s" % {"kind": kind, "version": row.version}
    return str(row)


def _request_url(facility: Facility, code: str) -> str:
    return _page_url("game-request", facility, code) or _page_url("game-requests", facility)


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


def _page_url(name: str, facility: Facility, *more: str) -> str:
    """Return the address of a page; "" if there is no such page."""
    try:
        return reverse(name, args=[facility.code, *more])
    except NoReverseMatch:
        return ""


# Feeds


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


# Reminders


log = logging.getLogger(__name__)
STAGES: tuple[ReminderDays, ...] = (30, 7, 1, 0)
# The fewest days left at which each reminder is still recorded, in case the ticker was down for some days.
LATEST: dict[ReminderDays, int] = {30: 24, 7: 2, 1: 1}
TEXT = Reminder._meta.get_field("text").max_length


def stage_of(days_left: int) -> ReminderDays | None:
    """Return which reminder is due with this many days left: 30, 7, 1 or 0 (also when overdue), or None."""
    if days_left <= 0:
        return 0
    return next((stage for stage, latest in LATEST.items() if latest <= days_left <= stage), None)


def send_reminders() -> None:
    """Record every reminder that is due in every facility.

    A failure in one facility is logged and does not stop the others.
    """
    now = clock.now()
    for facility in Facility.objects.order_by("pk"):
        try:
            _remind_facility(facility, now)
        except Exception:
            log.exception("the deadlines of %s were not looked at", facility.code)


def _remind_facility(facility: Facility, now: dt.datetime) -> None:
    if any(_due_reminders(facility, now)):
        with transaction.atomic(durable=True):
            _record_reminders(facility)


def _due_reminders(facility: Facility, now: dt.datetime) -> list[tuple[Deadline, ReminderDays]]:
    """Return the reminders that are due at this moment and are not recorded yet."""
    today = facility.local(now).date()
    due = [
        (deadline, stage_of(deadline.days_left(today)))
        for deadline in deadlines(facility, now)
        if deadline.reminds
    ]
    recorded = set(Reminder.objects.filter(facility=facility).values_list("key", "due_on", "days"))
    return [
        (deadline, stage)
        for deadline, stage in due
        if stage is not None and (deadline.key, deadline.due_on, stage) not in recorded
    ]


def _record_reminders(facility: Facility) -> None:
    """Record the reminders under the lock of the office's stream.

    Reads them again under the lock, because another ticker may have recorded them first.
    """
    stream = record.lock_stream(f"{facility.code}/{STREAM}")
    now = clock.displayed_moment(stream, clock.now())
    for deadline, stage in _due_reminders(facility, now):
        Reminder.objects.create(
            facility=facility,
            key=deadline.key,
            due_on=deadline.due_on,
            days=stage,
            text=deadline.summary[:TEXT],
            said_at=now,
        )
        record.append(
            stream,
            entry=DEADLINE_REMINDED(
                deadline=deadline.key,
                due_on=deadline.due_on.isoformat(),
                days=stage,
                what=deadline.summary,
                section=deadline.section,
            ),
            moment=now,
            gaming_day=facility.gaming_day(now),
        )


@dataclass(frozen=True)
class OpenReminder:
    """A reminder as the office's pages show it."""

    deadline: Deadline
    days_left: int

    @property
    def is_overdue(self) -> bool:
        """Return whether the due day is over."""
        return self.days_left < 0


def open_reminders(facility: Facility, listed: tuple[Deadline, ...], today: dt.date) -> list[OpenReminder]:
    """Return the pending deadlines with an unacknowledged reminder, the most urgent first.

    A reminder of a deadline that was met or moved to another day is not shown.
    """
    open_ones = set(
        Reminder.objects.filter(facility=facility, noted_at=None).values_list("key", "due_on").distinct()
    )
    return [
        OpenReminder(deadline, deadline.days_left(today))
        for deadline in listed
        if (deadline.key, deadline.due_on) in open_ones
    ]


# Acts


@office_act()
def note_reminder(ctx: OfficeContext, *, deadline: Annotated[str, text(80)], due_on: Day) -> ActOutcome:
    """Acknowledge every open reminder of one deadline. Later reminders of it are still sent."""
    reminders = Reminder.objects.filter(facility=ctx.facility, key=deadline, due_on=due_on, noted_at=None)
    days = sorted(reminders.values_list("days", flat=True))
    if not days:
        raise Refusal(NO_SUCH_REMINDER)
    reminders.update(noted_at=ctx.now, noted_by=ctx.actor)
    return ActOutcome(
        DEADLINE_NOTED(deadline=deadline, due_on=due_on.isoformat(), days=days), {"deadline": deadline}
    )


@office_act()
def make_feed(
    ctx: OfficeContext, *, name: Annotated[str, text(60)], sha256: Annotated[str, text(64)]
) -> ActOutcome:
    """Open an address for one calendar. `sha256` is the hash of its secret, which is never stored."""
    if not SHA256.fullmatch(sha256):
        raise malformed("sha256")
    open_ones = CalendarFeed.objects.filter(facility=ctx.facility, revoked_at=None)
    if open_ones.filter(name__iexact=name).exists():
        raise Refusal(FEED_OF_THAT_NAME, name=name)
    if CalendarFeed.objects.filter(token_sha256=sha256).exists():
        raise malformed("sha256")
    feed = CalendarFeed.objects.create(
        facility=ctx.facility, person=ctx.actor, name=name, token_sha256=sha256, created_at=ctx.now
    )
    return ActOutcome(FEED_MADE({"feed": feed.pk, "name": name}), {"feed": feed.pk})


@office_act()
def revoke_feed(ctx: OfficeContext, *, feed_id: Annotated[int, whole(1, 2**53 - 1)]) -> ActOutcome:
    """Close an address for good."""
    feed = CalendarFeed.objects.filter(facility=ctx.facility, pk=feed_id, revoked_at=None).first()
    if feed is None:
        raise Refusal(NO_SUCH_FEED)
    feed.revoked_at = ctx.now
    feed.save(update_fields=["revoked_at"])
    return ActOutcome(FEED_REVOKED({"feed": feed.pk, "name": feed.name}), {"feed": feed.pk})


# What the entries state


declare(
    CalendarFeed,
    "feed",
    key={"id": "feed"},
    created={
        FEED_MADE: {
            "facility": FACILITY,
            **same("name"),
            "person": ACTOR,
            "created_at": AT,
            "revoked_at": NONE,
        }
    },
    changed={FEED_REVOKED: {"name": "name", "revoked_at": AT}},
    unproven={
        "token_sha256": "the hash of a secret; another one only shows the deadlines, which open nothing"
    },
)


def noted(rows: Rows, body: Body) -> None:
    data = body["data"]
    for days in data["days"]:
        key = FACILITY(body), data["deadline"], data["due_on"], days
        rows.put(body, *key, noted_at=body["at"], noted_by=body["actor"])


declare(
    Reminder,
    "reminder",
    key={"facility": FACILITY, "key": "deadline", "due_on": "due_on", "days": "days"},
    created={
        DEADLINE_REMINDED: {
            "text": lambda body: body["data"]["what"][: Reminder._meta.get_field("text").max_length],
            "said_at": AT,
            "noted_at": NONE,
            "noted_by": NONE,
        }
    },
    folded={DEADLINE_NOTED: noted},
)
