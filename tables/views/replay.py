"""The replay of one round: its acts in order, the layout after each of them, every wager's end, and what proves it."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import NoReverseMatch, reverse
from django.views.decorators.http import require_GET

from audit import clock
from audit.models import Entry, Person
from games.models import RulesSubmission
from tables.core.entries import of_round
from tables.corrections import slip_view
from tables.desk.access import desk_of, may_export, may_see_desk
from tables.replay.evidence import evidence_of
from tables.replay.history import Line, Step, Story
from tables.replay.replayed_round import Course
from tables.runner.access import Denied, device_at, table_for

from ..models import Round, Slip, Table
from ..replay import layout
from ..replay.timeline import timeline_of

A_DAY = dt.timedelta(days=1)
A_MOMENT = dt.timedelta(microseconds=1)


@require_GET
def replay(request: HttpRequest, facility: str, table: str, number: int) -> HttpResponse:
    """A round as the record tells it, at the step that `?step=` names (from 1; without one, its newest)."""
    found, person = table_of(request, facility, table)
    told = of_round(found.stream, number)
    if not told:
        raise Http404
    story = Story(facility, told)
    step = story.steps[_asked(request, story)]
    context = {
        **_frame(request, found, person),
        **_round(found, number, story),
        **_shown(story, step, found),
        "slips": _slips(found, number, person),
    }
    return render(request, "desk/round.html", context)


def table_of(request: HttpRequest, facility: str, code: str) -> tuple[Table, Person]:
    """The table whose rounds the person may read: one whose page they see, or any of a house whose desk they see.

    Raises `SignedOut`, `Locked` or `Denied`.
    """
    try:
        return table_for(request, facility, code, "table")
    except Denied:
        person, house = desk_of(request, facility)
    table = Table.objects.select_related("facility", "stream").filter(facility=house, code=code).first()
    if table is None:
        raise Denied
    return table, person


def _asked(request: HttpRequest, story: Story) -> int:
    """The place of the step that is asked for; the last act of the play where none is, or no such one."""
    text = request.GET.get("step", "")
    if text.isascii() and text.isdigit() and len(text) < 6 and 1 <= int(text) <= len(story.steps):
        return int(text) - 1
    plays = [step.place for step in story.steps if step.told.type in ENDS_THE_LIGHT]
    return plays[-1] if plays else len(story.steps) - 1


# What a page without a step asked for opens on: the layout as it was lit last.
ENDS_THE_LIGHT = frozenset(
    {"round.settled", "throw.settled", "round.settled_by_hand", "dice.corrected", "wager.missed"}
    | {"wager.struck", "round.recorded_by_hand", "round.no_roll", "round.voided"}
)


def _frame(request: HttpRequest, table: Table, person: Person) -> dict[str, Any]:
    """What every page has: the house, the person, where acts go."""
    facility, sees_desk = table.facility, may_see_desk(person, device_at(request))
    return {
        "house": facility,
        "table": table,
        "room": "record" if sees_desk else "floor",
        "me": {"code": person.code, "name": person.name, "role_label": person.get_role_display()},
        "as_of": clock.now().astimezone(dt.UTC).isoformat(timespec="milliseconds"),
        "sees_desk": sees_desk,
        "exports_here": sees_desk and may_export(person),
        "urls": {
            "sign_in": reverse("sign-in"),
            "sign_off": reverse("sign-off"),
            "act": reverse("desk-act", args=[facility.code, "__act__"]),
            "table": reverse("table", args=[facility.code, table.code]),
            "exports": address("record-exports", facility.code),
        },
    }


def _round(table: Table, number: int, story: Story) -> dict[str, Any]:
    """The head, the table of wagers, and the evidence: the same at every step."""
    first, last = story.steps[0].told, story.steps[-1].told
    plays = [step.told for step in story.steps if step.plays] or [first]
    rules = RulesSubmission.objects.filter(
        facility=table.facility, terms_sha256=story.terms_sha256, code=table.submission_code
    ).first()
    course = story.course
    return {
        "number": number,
        "course": course,
        "thrown": list(course.game.arranged(course.throws[-1])) if course and course.throws else [],
        "began": dt.datetime.fromisoformat(plays[0].at),
        "ended": dt.datetime.fromisoformat(plays[-1].at),
        "export": {"from": _written(first.at), "to": _written(last.at, A_MOMENT)},
        "story": story,
        "totals": _totals(story.lines),
        "rules": rules,
        "evidence": evidence_of(table.stream, story.told, _named_by_slips(table, number)),
        "dice": [_lot(table, lot, shaker, plays[0].at) for lot, shaker in story.thrown_with],
    }


def _totals(lines: Sequence[Line]) -> dict[str, int]:
    """The sums of the round as the record has them, in cents."""
    standing = [one for one in lines if one.outcome != "struck"]
    taken = sum(one.stake_cents for one in standing if one.outcome in ("lose", "fee"))
    paid = sum(one.paid_cents for one in standing)
    return {
        "count": len(standing),
        "staked": sum(one.stake_cents for one in standing),
        "taken": taken,
        "paid": paid,
        "returned": sum(one.returned_cents for one in standing),
        "win": taken - paid,
    }


def _lot(table: Table, lot: str, shaker: str, at: str) -> dict[str, Any]:
    """A lot that was thrown from, with the time that it had been in play when the round began."""
    placed = Entry.objects.filter(stream=table.stream, type="dice_lot.placed", lot=lot, at__lte=at)
    since = placed.order_by("-seq").values_list("at", flat=True).first()
    used = dt.datetime.fromisoformat(at) - since if since else None
    return {
        "lot": lot,
        "shaker": shaker,
        "used": used.total_seconds() if used is not None else None,
        "url": address("dice-lot", table.facility.code, lot),
    }


def _shown(story: Story, step: Step, table: Table) -> dict[str, Any]:
    """What changes with the step: the layout as it then lay, and where in the round it stands."""
    course: Course | None = story.course_at(step.place)
    places = len(story.steps)
    return {
        "step": step,
        "at": dt.datetime.fromisoformat(step.told.at),
        "s": layout.of(course, table.seats) if course and course.begun else None,
        "steps": [
            (one, entry_address(table, one.told.seq), dt.datetime.fromisoformat(one.told.at))
            for one in story.steps
        ],
        "ways": {
            "first": 1 if step.place else None,
            "before": step.place or None,
            "after": step.place + 2 if step.place + 1 < places else None,
            "last": places if step.place + 1 < places else None,
        },
        "timeline": timeline_of(story.steps, step.place),
    }


def _named_by_slips(table: Table, number: int) -> set[int]:
    """The numbers of the entries that the slips of a round say they stand at."""
    slips = Slip.objects.filter(table=table, round__number=number).values_list("filed_seq", "settled_seq")
    return {seq for pair in slips for seq in pair if seq}


def _slips(table: Table, number: int, person: Person) -> dict[str, Any] | None:
    row = Round.objects.filter(table=table, number=number).select_related("table", "submission").first()
    return slip_view.panel_of(table, row, person) if row is not None else None


def entry_address(table: Table, seq: int) -> str:
    """Where the desk shows an entry of this table; empty where it does not."""
    return address("record-entry", table.facility.code, table.code, seq)


def address(name: str, *args: Any) -> str:
    """The address of a page; empty where this installation has none of it."""
    try:
        return reverse(name, args=args)
    except NoReverseMatch:
        return ""


def _written(at: str, more: dt.timedelta = dt.timedelta()) -> str:
    return clock.written(dt.datetime.fromisoformat(at) + more)
