"""Every deadline of a facility: what is pending, what ends and what begins, read from the rows themselves.

There is no table of deadlines, so a deadline cannot disagree with its subject. Reading takes no locks.
"""

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import NoReverseMatch, reverse

from games.engine import Refusal
from games.models import (
    BoardPermission,
    Facility,
    FurtherRequest,
    GameRequest,
    GameTest,
    Guide,
    InterimPermission,
    Provider,
    ProviderNote,
    Review,
    RulesSubmission,
    SignForm,
)
from games.office.core.floor import floor
from games.office.providers.certifications import certification_on
from games.office.requests import final_approval
from games.office.reviews import review_due_on
from games.submissions import all_in_force, rules_of

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
            "Decision on %(what)s, filed %(day)s" % {"what": row, "day": day_text(filed)},
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
                "day": day_text(test.ends_on),
            }
            yield Deadline(f"test-ends:{code}", over, summary, facility.law.section("conditions"), url, ENDS)


def _review(facility: Facility, key: str, row: Any, label: str, url: str) -> Deadline:
    due = review_due_on(row, facility)
    assert due is not None
    filed = day_text(facility.local(row.filed_at).date())
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
            for condition in final_approval.conditions(request, today)
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


def day_text(day: dt.date) -> str:
    """Return `6 Nov 2026`."""
    return f"{day.day} {day:%b %Y}"


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
