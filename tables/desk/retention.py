"""Retention: what is kept, for how long and until when; and the legal holds that keep it longer.

1. Each kind of record has its term and its section from the jurisdiction (`kept_kinds`, `games.jurisdictions`), and its
   oldest date here.
2. Compliance places a legal hold on kinds of record, of some gaming days or of all (`place_legal_hold`). It stands
   until its day or until it is released (`release_legal_hold`).

Nothing here deletes; a hold only keeps what would end. Entries are never deleted: the database refuses it. Exported
files end (after the days of `EXPORTS_KEEP_DAYS`, unless a hold covers them), because the record proves what they
contained. Compliance erases the name and card of a player (`erase_player`, unless a hold covers them).
"""

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict, Unpack

from django.conf import settings
from django.db.models import Min
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_GET

from audit.columns import ACTOR, AT, FACILITY, NONE, code_number, constant, declare, same
from audit.entry_types import entry_type
from audit.models import Entry, Job, LegalHold, Person
from games.access import opened_by
from games.act_forms import text
from games.engine import Refusal, RefusalCode
from games.jurisdictions import KEPT_KINDS
from games.models import Document, Facility, RulesSubmission
from games.params import Params, malformed
from tables.desk.desk import DESK, ActOutcome, DeskContext, desk_act, desk_context
from tables.models import Case, DiceLot, Player, Slip

NO_SUCH_HOLD = RefusalCode(
    "no-such-hold",
    "No legal hold %(hold)s stands here. It may have been released already.",
)
HOLD_RANGE = RefusalCode(
    "hold-range",
    "The legal hold would end before it begins. Correct its days.",
    "Days",
)
COMPLIANCE = ("compliance",)
MAX_REASON = 300
MAX_CODE = 20
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


# What the record says of a legal hold


class LegalHoldFields(TypedDict):
    hold: Annotated[str, "code of the legal hold"]
    reason: Annotated[str, "why, in a person's words"]


@entry_type("legal_hold.placed")
def LEGAL_HOLD_PLACED(
    *,
    first_day: Annotated[str | None, "the first gaming day that it covers; null: the past without limit"],
    kinds: Annotated[list[str], "codes of what it covers"],
    last_day: Annotated[str | None, "the last gaming day that it covers; null: what is to come too"],
    until: Annotated[str | None, "the last day on which it stands; null: until it is released"],
    **data: Unpack[LegalHoldFields],
) -> str:
    """A legal hold was placed: what it covers must be kept."""
    return f"Legal hold {data['hold']} placed: {data['reason']}"


LEGAL_HOLD_RELEASED = entry_type(
    "legal_hold.released",
    LegalHoldFields,
    "A legal hold was released.",
    lambda data: "Legal hold %(hold)s released: %(reason)s" % data,
)
declare(
    LegalHold,
    "legal hold",
    key={"facility": FACILITY, "number": code_number("hold")},
    created={
        LEGAL_HOLD_PLACED: {
            **same("reason", "kinds", "first_day", "last_day", "until"),
            "placed_by": ACTOR,
            "placed_at": AT,
            "released_by": NONE,
            "released_at": NONE,
            "release_reason": constant(""),
        }
    },
    changed={LEGAL_HOLD_RELEASED: {"released_by": ACTOR, "released_at": AT, "release_reason": "reason"}},
)


# Legal holds


@desk_act(roles=COMPLIANCE)
def place_legal_hold(ctx: DeskContext, params: Params) -> ActOutcome:
    """Place a legal hold on `kinds` of what is kept, for a `reason`.

    It covers the gaming days `first_day` to `last_day`, each optional, and stands to the end of `until`, or until it is
    released. Raises `hold-range`.
    """
    reason = params.text("reason", max_length=MAX_REASON)
    kinds = sorted(set(params.texts("kinds", max_items=len(KEPT_KINDS))))
    if not kinds or not set(kinds) <= set(KEPT_KINDS):
        raise malformed("kinds")
    first, last = (params.date(name, optional=True) for name in ("first_day", "last_day"))
    until = params.date("until", optional=True)
    if (first and last and last < first) or (until and until < ctx.gaming_day):
        raise Refusal(HOLD_RANGE)
    newest = LegalHold.objects.filter(facility=ctx.facility.code).order_by("-number").first()
    hold = LegalHold.objects.create(
        facility=ctx.facility.code,
        number=newest.number + 1 if newest else 1,
        reason=reason,
        kinds=kinds,
        first_day=first,
        last_day=last,
        until=until,
        placed_by=ctx.actor,
        placed_at=ctx.now,
    )
    return ActOutcome(
        LEGAL_HOLD_PLACED(
            first_day=str(first) if first else None,
            hold=hold.code,
            kinds=kinds,
            last_day=str(last) if last else None,
            reason=reason,
            until=str(until) if until else None,
        ),
        {"hold": hold.code},
    )


@desk_act(roles=COMPLIANCE)
def release_legal_hold(
    ctx: DeskContext, *, hold_code: Annotated[str, text(MAX_CODE)], reason: Annotated[str, text(MAX_REASON)]
) -> ActOutcome:
    """Release the legal hold `hold` for a `reason`. Raises `no-such-hold`."""
    holds = LegalHold.objects.filter(facility=ctx.facility.code, released_at=None)
    hold = next((hold for hold in holds if hold.code == hold_code), None)
    if hold is None:
        raise Refusal(NO_SUCH_HOLD, hold=hold_code)
    hold.released_by, hold.released_at, hold.release_reason = ctx.actor, ctx.now, reason
    hold.save(update_fields=["released_by", "released_at", "release_reason"])
    data: LegalHoldFields = {"hold": hold.code, "reason": reason}
    return ActOutcome(LEGAL_HOLD_RELEASED(data))


# What is kept until when


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
    law, holds = facility.law, LegalHold.objects.standing(facility.code, today)
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
                [hold for hold in holds if code in hold.kinds],
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


# The page


@require_GET
@opened_by(DESK)
def retention(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """Show each kind of record with its term, its section and its oldest date; then every legal hold."""
    context = desk_context(person, facility, "retention")
    holds = LegalHold.objects.filter(facility=facility.code).select_related("placed_by", "released_by")
    context |= {
        "kinds": kept_kinds(facility, context["today"]),
        "holds": [
            (
                hold,
                ", ".join(KIND_WORDS[kind][0].lower() for kind in hold.kinds),
                hold.holds_on(context["today"]),
            )
            for hold in holds.order_by("-number")
        ],
        "holds_here": person.role in COMPLIANCE,
        "law": facility.law,
    }
    return render(request, "desk/retention.html", context)


urlpatterns = [path("record/<slug:facility>/retention/", retention, name="record-retention")]
