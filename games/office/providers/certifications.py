"""How long a certification lasts, and whether a provider may trade on a day (58 Pa. Code §§ 528.4 and 528.8).

Days are gaming days of the facility. What ends on a day may be dealt until 06:00 local time of that day, when the
previous gaming day ends. Callers pass the rows, so that one query serves many providers.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from games.models import Application, Facility, InterimPermission

TERM_YEARS = 4
RENEWAL_DAYS = 60
FIRST, RENEWAL = Application.Kind.FIRST, Application.Kind.RENEWAL


def certification_end(approved_on: dt.date) -> dt.date:
    """Return the first day without certification: four years after the approval (§ 528.4(a)).

    An approval on February 29 ends on February 28 of a year without a 29th.
    """
    try:
        return approved_on.replace(year=approved_on.year + TERM_YEARS)
    except ValueError:
        return approved_on.replace(year=approved_on.year + TERM_YEARS, day=28)


def renewal_due_on(ends: dt.date) -> dt.date:
    """Return the last day on which a renewal is on time: 60 days before the end (§ 528.4(b))."""
    return ends - dt.timedelta(days=RENEWAL_DAYS)


@dataclass(frozen=True)
class Certification:
    """Whether a provider is certified on a day.

    `state`: none, pending (a first application is undecided), certified, continued (past its end, while a renewal is
    undecided), ended or denied. `ends` is the first day without certification; None while it continues until the
    Board decides.
    """

    state: str
    since: dt.date | None = None
    ends: dt.date | None = None
    renewal: Application | None = None

    @property
    def holds(self) -> bool:
        """Return whether the provider is certified on that day."""
        return self.state in ("certified", "continued")

    def days_left(self, day: dt.date) -> int | None:
        """Return the days until the certification ends, or None if it has no known end."""
        return (self.ends - day).days if self.state == "certified" and self.ends else None

    def renewal_due(self) -> dt.date | None:
        """Return the last day to file a renewal, or None if no renewal is due."""
        return renewal_due_on(self.ends) if self.state == "certified" and self.ends else None

    def is_renewal_late(self, day: dt.date) -> bool:
        """Return whether the renewal is overdue: not filed by the 60th day before the end."""
        due = self.renewal_due()
        return due is not None and self.renewal is None and day > due


def certification_on(facility: Facility, applications: Sequence[Application], day: dt.date) -> Certification:
    """Return a provider's certification on a day, given all its applications."""
    granted = [
        application
        for application in applications
        if application.granted and application.decided_on and application.decided_on <= day
    ]
    if not granted:
        return _uncertified(applications, day)
    newest = max(granted, key=lambda application: (application.decided_on, application.pk))
    since, ends = newest.decided_on, newest.ends_on
    assert ends is not None
    renewal = _renewal_of(facility, applications, newest)
    if day < ends:
        waiting = renewal if renewal and _is_pending(renewal, day) else None
        return Certification("certified", since, ends, waiting)
    if renewal is not None and _is_pending(renewal, day):
        return Certification("continued", since, None, renewal)
    return Certification("ended", since, _end_after_renewal(ends, renewal))


def _uncertified(applications: Sequence[Application], day: dt.date) -> Certification:
    if any(application.filed_at and _is_pending(application, day) for application in applications):
        return Certification("pending")
    denied = any(
        application.granted is False and application.decided_on and application.decided_on <= day
        for application in applications
    )
    return Certification("denied" if denied else "none")


def _renewal_of(
    facility: Facility, applications: Sequence[Application], newest: Application
) -> Application | None:
    """Return the newest renewal that was filed, with its fee, after this approval and before its end (§ 528.4(c))."""
    assert newest.decided_on is not None and newest.ends_on is not None
    filed = [
        application
        for application in applications
        if application.kind == RENEWAL
        and application.pk != newest.pk
        and application.filed_at
        and newest.decided_on <= filed_on(facility, application.filed_at) < newest.ends_on
    ]
    return max(filed, key=lambda application: (application.filed_at, application.pk), default=None)


def _end_after_renewal(ends: dt.date, renewal: Application | None) -> dt.date:
    """Return the first day without certification: the end, or the day of the Board's later decision."""
    decided = renewal.decided_on if renewal else None
    return max(ends, decided) if decided else ends


def filed_on(facility: Facility, filed_at: dt.datetime) -> dt.date:
    """Return the local calendar day of a filing. Forms are dated by the calendar, not by the gaming day."""
    return facility.local(filed_at).date()


def _is_pending(application: Application, day: dt.date) -> bool:
    return application.decided_on is None or application.decided_on > day


@dataclass(frozen=True)
class Trading:
    """Permission to trade before certification on a day (§ 528.8). `state`: none, held, notice or ceased."""

    state: str
    permission: InterimPermission | None = None

    @property
    def reference(self) -> str | None:
        """Return the reference of the permission while it is valid."""
        return self.permission.reference if self.permission and self.holds else None

    @property
    def holds(self) -> bool:
        """Return whether the provider may trade. A rescission takes effect only on the day that it names."""
        return self.state in ("held", "notice")


def trading_permission(
    facility: Facility,
    applications: Sequence[Application],
    permissions: Sequence[InterimPermission],
    day: dt.date,
) -> Trading:
    """Return the newest permission granted by this day, and whether it is still valid.

    A permission belongs to an applicant: it ends when its application is decided.
    """
    granted = [item for item in permissions if item.granted_on <= day]
    if not granted:
        return Trading("none")
    newest = max(granted, key=lambda item: (item.granted_on, item.pk))
    if newest.cease_on is not None and newest.cease_on <= day:
        return Trading("ceased", newest)
    waiting = any(
        application.kind == FIRST
        and application.filed_at
        and filed_on(facility, application.filed_at) <= newest.granted_on
        and _is_pending(application, day)
        for application in applications
    )
    if not waiting:
        return Trading("ceased", newest)
    return Trading("held" if newest.cease_on is None else "notice", newest)
