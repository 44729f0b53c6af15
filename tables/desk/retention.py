"""What is kept, for how long and until when; and the legal holds that keep it longer.

Nothing here deletes. Entries are never deleted: the database refuses it. Exported files end (after the days of
`EXPORTS_KEEP_DAYS`, unless a hold covers them), because the record proves what they contained. Compliance erases the
name and card of a player (`erase_player`, unless a hold covers them).
"""

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.models import Min

from audit.models import Entry, Job, LegalHold, Person
from games.jurisdictions import KEPT_KINDS
from games.models import Document, Facility, RulesSubmission
from tables.models import Case, DiceLot, Player, Slip

KIND_WORDS = {
    "record": ("The record", "every entry of tables and offices, with its seals"),
    "rules": ("Rules and filings", "rules submissions with their superseded versions, and filed documents"),
    "slips": ("Error Notification Slips", "each with its round before and after"),
    "dice": ("Dice", "lots, their measurements and their chain of custody"),
    "people": ("People", "who had access, licenses, sign-ins"),
    "cases": ("Cases", "notes, documents and camera references"),
    "players": ("Rated players", "names and cards, beside the record"),
    "exports": ("Exported files", "copies that anybody with the right can request again"),
}
NEVER_DELETED = frozenset({"record", "rules", "slips", "dice", "people", "cases"})
THEN = {
    "exports": "removed, unless a hold covers it",
    "players": "compliance erases a player, unless a hold covers them",
}


@dataclass(frozen=True)
class KeptKind:
    """A kind of record: how long it must be kept, since when there is some, and until when its oldest must stay.

    `section` is empty where it is a practice of the casino. `then`: what happens to it afterward. `holds` are the legal
    holds that cover it.
    """

    code: str
    name: str
    what: str
    term: str
    section: str
    oldest: dt.date | None
    until: dt.date | None
    is_deleted: bool
    then: str
    holds: list[LegalHold]


def kept_kinds(facility: Facility, today: dt.date) -> list[KeptKind]:
    """Return every kind with its term and its oldest date."""
    law, standing = facility.law, LegalHold.objects.standing(facility.code, today)
    kinds = []
    for code in KEPT_KINDS:
        oldest = OLDEST[code](facility) if code in OLDEST else None
        day = facility.gaming_day(oldest) if isinstance(oldest, dt.datetime) else oldest
        years = law.years_kept(code)
        name, what = KIND_WORDS[code]
        days = settings.EXPORTS_KEEP_DAYS
        until = None
        if day is not None and code != "players":
            until = day + dt.timedelta(days=days) if code == "exports" else years_later(day, years)
        kinds.append(
            KeptKind(
                code,
                name,
                what,
                {"exports": f"{days} days", "players": "until they are erased"}.get(code, f"{years} years"),
                law.section(f"retention.{code}"),
                day,
                until,
                code not in NEVER_DELETED,
                THEN.get(code, "kept on; the program never deletes it"),
                [hold for hold in standing if code in hold.kinds],
            )
        )
    return kinds


def years_later(day: dt.date, years: int) -> dt.date:
    """The same date so many years later; March 1 for February 29."""
    try:
        return day.replace(year=day.year + years)
    except ValueError:
        return dt.date(day.year + years, 3, 1)


def _oldest_entry(facility: Facility) -> Any:
    return (
        Entry.objects.filter(stream__name__startswith=f"{facility.code}/")
        .order_by("at")
        .values_list("gaming_day", flat=True)
        .first()
    )


def _oldest_rules(facility: Facility) -> Any:
    moments = (
        RulesSubmission.objects.filter(facility=facility).aggregate(oldest=Min("decided_at"))["oldest"],
        Document.objects.filter(facility=facility).aggregate(oldest=Min("filed_at"))["oldest"],
    )
    return min((moment for moment in moments if moment), default=None)


def _oldest_person(facility: Facility) -> Any:
    people = Person.objects.filter(facility__in=("", facility.code)).exists()
    entries = Entry.objects.filter(stream__name__startswith=f"{facility.code}/sign-in").order_by("at")
    return entries.values_list("gaming_day", flat=True).first() if people else None


OLDEST: dict[str, Callable[[Facility], Any]] = {
    "record": _oldest_entry,
    "rules": _oldest_rules,
    "slips": lambda facility: Slip.objects.filter(table__facility=facility).aggregate(oldest=Min("filed_at"))[
        "oldest"
    ],
    "dice": lambda facility: DiceLot.objects.filter(facility=facility).aggregate(oldest=Min("placed_at"))[
        "oldest"
    ],
    "people": _oldest_person,
    "cases": lambda facility: Case.objects.filter(facility=facility).aggregate(oldest=Min("opened_at"))[
        "oldest"
    ],
    "players": lambda facility: Player.objects.filter(facility=facility, details__isnull=False).aggregate(
        oldest=Min("added_at")
    )["oldest"],
    "exports": lambda facility: (
        Job.objects.filter(facility=facility.code, status=Job.Status.DONE)
        .exclude(filename="")
        .exclude(results__has_key="removed_at")
        .aggregate(oldest=Min("finished_at"))["oldest"]
    ),
}
