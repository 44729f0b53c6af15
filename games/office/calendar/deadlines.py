"""Every deadline of a house: what waits for somebody, what ends and what begins, each read from its own rows.

There is no table of deadlines, so that none can say something else than what it is about. Reading locks nothing.
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
from games.office.providers.certifications import certification
from games.office.requests import final_approval
from games.office.reviews import REVIEW_DAYS, due_on
from games.submissions import all_in_force, rules_of

WAITS, ENDS, BEGINS = "waits", "ends", "begins"  # for somebody; by itself; into force
ANSWER_DAYS = REVIEW_DAYS  # for what a body asked besides; the house's own measure, no section sets one
ENDED_SHOWN = 30  # days for which something that has ended is still listed
WEEK, MONTH = 7, 30
GROUPS = OVERDUE, THIS_WEEK, THIRTY_DAYS, LATER = "overdue", "week", "month", "later"


@dataclass(frozen=True)
class Deadline:
    """One of them. `key` stays the same for as long as the thing waits; `due_on` is a day of the house's calendar:
    the last one for what waits, the first without (or with) it for what ends or begins. `at`: the moment, where it is
    one. `reminds`: whether the office is told before it.
    """

    key: str
    due_on: dt.date
    what: str
    section: str = ""
    url: str = ""
    state: str = WAITS
    at: dt.datetime | None = None
    reminds: bool = True

    def days_left(self, today: dt.date) -> int:
        """Days from today to the day it is due; under 0 once that day is over."""
        return (self.due_on - today).days

    def group(self, today: dt.date) -> str:
        """`overdue`, `week` (today and the 7 days after), `month` (30 days) or `later`."""
        left = self.days_left(today)
        if left < 0:
            return OVERDUE
        return THIS_WEEK if left <= WEEK else THIRTY_DAYS if left <= MONTH else LATER


def deadlines(house: Facility, now: dt.datetime) -> tuple[Deadline, ...]:
    """Every deadline of this house at this moment, the earliest first."""
    today = house.local(now).date()
    found: list[Any] = [
        *_submissions(house, now),
        *_editions(house, now),
        *_reviews(house),
        *_tests(house),
        *_further(house),
        *_conditions(house, today),
        *_certifications(house, now),
        *_cease_dates(house),
        *_notes(house),
        *_permissions(house),
        *floor().deadlines(house, now),
    ]
    listed = (one for one in found if is_listed(one, today))
    return tuple(sorted(listed, key=lambda one: (one.due_on, one.at is not None, one.at or now, one.key)))


def is_listed(one: Deadline, today: dt.date) -> bool:
    """What waits is listed until it is done; what has begun no more, what has ended for some days after."""
    left = one.days_left(today)
    return one.state == WAITS or left >= 0 or (one.state == ENDS and left >= -ENDED_SHOWN)


def in_groups(found: Iterable[Deadline], today: dt.date) -> dict[str, list[Deadline]]:
    """The same by group, every group there and in the order of `GROUPS`."""
    groups: dict[str, list[Deadline]] = {name: [] for name in GROUPS}
    for one in found:
        groups[one.group(today)].append(one)
    return groups


def _submissions(house: Facility, now: dt.datetime) -> Iterator[Deadline]:
    """Filed and waiting for the decision; approved for a moment that has not come yet."""
    Status = RulesSubmission.Status
    rows = RulesSubmission.objects.filter(facility=house).defer("terms")
    for row in rows.filter(status=Status.FILED, filed_at__isnull=False):
        assert row.filed_at is not None
        filed = house.local(row.filed_at).date()
        yield Deadline(
            f"review:{row.code}.{row.version}",
            filed + dt.timedelta(days=REVIEW_DAYS),
            "Decision on %(what)s, filed %(day)s" % {"what": row, "day": written(filed)},
            _review_section(house),
            _at("submission", house, row.code) or _at("submissions", house),
        )
    for row in rows.filter(status__in=[Status.APPROVED, Status.SUPERSEDED], in_force_from__gt=now):
        assert row.in_force_from is not None
        yield Deadline(
            f"in-force:{row.code}.{row.version}",
            house.local(row.in_force_from).date(),
            "%(what)s comes into force" % {"what": row},
            "58 Pa. Code § 601a.2" if house.jurisdiction == Facility.Jurisdiction.PENNSYLVANIA else "",
            _at("submission", house, row.code) or _at("submissions", house),
            BEGINS,
            row.in_force_from,
        )


def _editions(house: Facility, now: dt.datetime) -> Iterator[Deadline]:
    """Editions that lapse although a submission in force deals by them (A01)."""
    for row in all_in_force([house.pk], now).values():
        try:
            edition = rules_of(row).edition
        except Refusal:
            continue  # rules that nobody can read are refused where they are dealt
        if edition.lapses_on is not None:
            yield Deadline(
                f"lapses:{row.code}.{row.version}",
                edition.lapses_on,
                "%(title)s lapses; %(what)s is dealt by it" % {"title": edition.title, "what": row},
                "",
                _at("submission", house, row.code) or _at("submissions", house),
                ENDS,
            )


def _reviews(house: Facility) -> Iterator[Deadline]:
    """Guides, forms of signs and requests that were filed and wait for the decision."""
    for kind, model, page in (
        ("guide", Guide, "guides"),
        ("sign", SignForm, "signs"),
        ("request", GameRequest, "game-requests"),
    ):
        rows: Any = model._default_manager.filter(facility=house, status=Review.FILED)
        for row in rows.defer("content", "facts") if model is Guide else rows:
            code = row.code if kind == "request" else _code_of(row)
            yield _review(house, f"review:{kind}:{code}", row, _called(row), _at(page, house))


def _tests(house: Facility) -> Iterator[Deadline]:
    """Tests of new games: filed and waiting for the decision, or approved and running until a day."""
    found = GameTest.objects.filter(request__facility=house).select_related("request")
    found = found.exclude(request__status__in=[Review.DENIED, Review.WITHDRAWN])
    for test in found.filter(status__in=[Review.FILED, Review.APPROVED]):
        code, url = f"{test.request.code}.{test.number}", _of_request(house, test.request.code)
        what = "test %(number)s of %(request)s" % {"number": test.number, "request": test.request}
        if test.status == Review.FILED and test.filed_at is not None:
            yield _review(house, f"review:test:{code}", test, what, url)
        elif test.status == Review.APPROVED and test.ends_on is not None:
            over = test.ends_on + dt.timedelta(days=1)
            said = "%(what)s is over; its last day is %(day)s" % {
                "what": _upper(what),
                "day": written(test.ends_on),
            }
            yield Deadline(f"test-ends:{code}", over, said, "N.J.A.C. 19:47-8.4(g)", url, ENDS)


def _review(house: Facility, key: str, row: Any, what: str, url: str) -> Deadline:
    due = due_on(row, house)
    assert due is not None
    filed = written(house.local(row.filed_at).date())
    said = "Decision on %(what)s, filed %(day)s" % {"what": what, "day": filed}
    return Deadline(key, due, said, _review_section(house), url)


def _further(house: Facility) -> Iterator[Deadline]:
    """What a body asked for besides, and nobody has answered."""
    rows = FurtherRequest.objects.filter(request__facility=house, answered_on=None).select_related("request")
    for row in rows.exclude(request__status__in=[Review.DENIED, Review.WITHDRAWN]):
        said = "Answer %(body)s on %(request)s: %(what)s" % {
            "body": row.body,
            "request": row.request.code,
            "what": row.what,
        }
        due = row.asked_on + dt.timedelta(days=ANSWER_DAYS)
        yield Deadline(f"further:{row.pk}", due, said, "", _of_request(house, row.request.code))


def _conditions(house: Facility, today: dt.date) -> Iterator[Deadline]:
    """New Jersey: what final approval still waits for when the test is over."""
    if house.jurisdiction != Facility.Jurisdiction.NEW_JERSEY:
        return
    for request in GameRequest.objects.filter(facility=house, status=Review.FILED).prefetch_related("tests"):
        ends = [one.ends_on for one in request.tests.all() if one.status == Review.APPROVED and one.ends_on]
        missing = [str(one.name) for one in final_approval.conditions(request, today) if not one.done]
        if ends and missing:
            said = "Final approval of %(what)s waits for: %(missing)s" % {
                "what": request,
                "missing": ", ".join(missing),
            }
            url = _of_request(house, request.code)
            yield Deadline(f"conditions:{request.code}", max(ends), said, "N.J.A.C. 19:47-8.4(g)", url)


def _certifications(house: Facility, now: dt.datetime) -> Iterator[Deadline]:
    """The renewal that is due 60 days before a certification ends, and that end.

    A renewal that is filed in time lets the certification run on until the Board decides: then neither is listed.
    """
    day = house.gaming_day(now)
    for provider in Provider.objects.filter(facility=house).prefetch_related("applications"):
        found = certification(house, list(provider.applications.all()), day)
        if found.ends is None or found.renewal is not None:
            continue
        url = _at("provider", house, provider.code) or _at("providers", house)
        due = found.renewal_due()
        if due is not None:
            said = "Renewal of %(name)s: form and fee" % {"name": provider.name}
            yield Deadline(f"renewal:{provider.code}", due, said, "58 Pa. Code § 528.4(b)", url)
        said = "Certification of %(name)s ends" % {"name": provider.name}
        yield Deadline(
            f"certification:{provider.code}", found.ends, said, "58 Pa. Code § 528.4(a)", url, ENDS
        )


def _cease_dates(house: Facility) -> Iterator[Deadline]:
    """By when the house stops dealing with a provider whose interim permission was rescinded."""
    rows = InterimPermission.objects.filter(provider__facility=house, cease_on__isnull=False)
    for row in rows.select_related("provider"):
        assert row.cease_on is not None
        code = row.provider.code
        said = "Services of %(name)s stop: permission %(reference)s is rescinded" % {
            "name": row.provider.name,
            "reference": row.reference,
        }
        url = _at("provider", house, code) or _at("providers", house)
        yield Deadline(f"cease:{code}.{row.pk}", row.cease_on, said, "58 Pa. Code § 528.8(c)", url, ENDS)


NOTE_SECTIONS: dict[str, str] = {
    ProviderNote.Kind.INFORMATION: "58 Pa. Code § 528.5(1)",
    ProviderNote.Kind.COOPERATION: "58 Pa. Code § 528.5(1)",
    ProviderNote.Kind.CONDITION: "58 Pa. Code § 528.5(1)",
    ProviderNote.Kind.CHANGE: "58 Pa. Code § 528.5(2)",
    ProviderNote.Kind.VIOLATION: "58 Pa. Code § 528.9(c)",
}


def _notes(house: Facility) -> Iterator[Deadline]:
    """What is to be answered, met or told on a provider's file by a day."""
    rows = ProviderNote.objects.filter(provider__facility=house, due_on__isnull=False, done_on=None)
    for row in rows.select_related("provider"):
        assert row.due_on is not None
        said = f"{row.provider.name}, {row.get_kind_display()}: {row.text}"
        section = NOTE_SECTIONS.get(row.kind, "")
        url = _at("provider", house, row.provider.code) or _at("providers", house)
        yield Deadline(f"note:{row.provider.code}.{row.pk}", row.due_on, said, section, url)


def _permissions(house: Facility) -> Iterator[Deadline]:
    """Permissions of the Board that end on a day."""
    rows = BoardPermission.objects.filter(facility=house, withdrawn_at=None, ends_on__isnull=False)
    for row in rows:
        assert row.ends_on is not None
        said = "Permission %(reference)s of the Board ends (%(subject)s)" % {
            "reference": row.reference,
            "subject": row.subject.replace("-", " "),
        }
        url = _at("guides", house)
        yield Deadline(f"permission:{row.pk}", row.ends_on, said, "58 Pa. Code § 521.6", url, ENDS)


def written(day: dt.date) -> str:
    """`6 Nov 2026`."""
    return f"{day.day} {day:%b %Y}"


def _review_section(house: Facility) -> str:
    """New Jersey's texts at hand set no days for a review: there the count is the house's own."""
    return "58 Pa. Code § 601a.10(c)" if house.jurisdiction == Facility.Jurisdiction.PENNSYLVANIA else ""


def _code_of(row: Any) -> str:
    """`v3` of a guide, `limits:sicbo.v2` of a sign's form."""
    if isinstance(row, Guide):
        return f"v{row.version}"
    return f"{row.kind}:{row.game or 'all'}.v{row.version}"


def _called(row: Any) -> str:
    if isinstance(row, Guide):
        return "the gaming guide, version %(version)s" % {"version": row.version}
    if isinstance(row, SignForm):
        kind = row.get_kind_display()
        return "the sign for %(kind)s, version %(version)s" % {"kind": kind, "version": row.version}
    return str(row)


def _of_request(house: Facility, code: str) -> str:
    return _at("game-request", house, code) or _at("game-requests", house)


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _at(name: str, house: Facility, *more: str) -> str:
    """The address of a page; empty where there is no such page."""
    try:
        return reverse(name, args=[house.code, *more])
    except NoReverseMatch:
        return ""
