"""The pages of a facility: dice and their watch, equipment, staff, and the handovers of shifts.

The dice watch is for staff, and never on a display for patrons. A handover is prepared now, or was signed.
"""

import datetime as dt
import hashlib
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_GET

from audit import clock
from audit.models import Entry, Lockout, Person
from audit.people import active_lockouts
from games.access import Pages, opened_by
from games.engine import Refusal
from games.jurisdictions import SeparationRow
from games.kit.searches import Day, Flag, Number, OneOf, Search, Words
from games.models import Document, Facility
from games.params import CODE
from games.registry import GAMES, game_by_code
from games.separation import policy
from games.separation.signatures import signatures_on, unsigned
from tables.core.context import TableContext
from tables.core.duty import DICE_KEEPERS, FLOOR, SEES_EVERYTHING, STAFFERS
from tables.dice import custody, room
from tables.dice.custody import DICE_DESTROYED
from tables.dice.room import TOLERANCE_UM
from tables.dice_watch import past_rows, period, watch_of, watched_rows, years_words
from tables.equipment.approvals import OFFICE_ROLES
from tables.equipment.register import (
    ENDS_SOON,
    RequiredApproval,
    approvals_by_shaker,
    equipment_by_table,
    software,
)
from tables.handover.handover import (
    HANDOVERS_PAPER,
    WHOLE_FLOOR,
    ShiftToHandOver,
    decide_first,
    figure_rows,
    floor_on_duty,
    handover_draft,
    item_row,
    pit_figures,
    shift_figures,
    signed_handover,
    successors,
    what_is_missing,
)
from tables.models import (
    Alert,
    Assignment,
    DiceCount,
    DiceLot,
    Handover,
    Instrument,
    LotStep,
    Pit,
    Round,
    Shaker,
    Slip,
    Table,
    WatchedDice,
)
from tables.runner.access import (
    DICE_OF_TABLE,
    FACILITY_PAGES,
    HANDOVER,
    PEOPLE,
    Denied,
    enrolled_device,
    facility_pages_for,
)
from tables.runner.facility import DICE, EQUIPMENT, STAFF
from tables.runner.signatures import DICE_ROW, second_departments, signers_of
from tables.signing import waiting_for
from tables.staffing import roster
from tables.staffing.assignments import (
    DUTIES,
    departments_of,
    needs_second_person,
    second_departments_for_duty,
    why_not_begin_own_duty,
)
from tables.staffing.lockouts import UNLOCKS, takes_two
from tables.staffing.supervision import ELSEWHERE
from tables.words.entries import data_of, names_of
from tables.words.sentences import span

Status = DiceLot.Status
LATEST_HANDOVERS = 5
HANDOVERS_A_PAGE = 100
GROUP_SIZE, PAGE_SIZE = 24, 120
LOW = dt.timedelta(hours=1)
CALIBRATION_SOON_DAYS = 30
LABELS = {
    Status.RECEIVED: "Received, to be inspected",
    Status.STORED: "In storage",
    Status.ISSUED: "Issued to a table",
    Status.PLACED: "In use",
    Status.REMOVED: "Out of play, to be destroyed",
    Status.DESTROYED: "Cancelled or destroyed",
    Status.REJECTED: "Rejected",
}
SHORT = {
    Status.RECEIVED: "received",
    Status.STORED: "in storage",
    Status.ISSUED: "issued",
    Status.PLACED: "in use",
    Status.REMOVED: "out of play",
    Status.DESTROYED: "destroyed",
    Status.REJECTED: "rejected",
}


# Dice: the lots, one of them, and its custody


@dataclass(frozen=True)
class Destruction:
    """The end of a lot: `cancelled` or `destroyed`, when, and the names of the two people who signed for it."""

    how: str
    at: dt.datetime
    by: tuple[str, ...]


@dataclass(frozen=True)
class LotRow:
    """A lot and its remaining time, in words and in percent; or how it ended."""

    lot: DiceLot
    remaining: str = ""
    percent: int = 0
    low: bool = False
    over: bool = False
    destruction: Destruction | None = None


class LotSearch(Search):
    """Lots by a part of their code and by status, a page from 0; or the dice of one round."""

    code = Words(max_length=20)
    state = OneOf(Status.values)
    page = Number(otherwise=0)
    table = Words(max_length=20)
    round = Words(max_length=20)


@require_GET
@opened_by(FACILITY_PAGES[DICE])
def dice(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """Every dice lot of the facility by status, and the reconciliation of this gaming day."""
    query = LotSearch(request.GET).values
    no_round = ""
    if query["table"] or query["round"]:
        round_ = _round(facility, query["table"], query["round"])
        if round_ is not None:
            return redirect("round-dice", facility.code, round_.table.code, round_.number)
        no_round = "There is no such round."
    now = clock.now()
    counts = custody.counts_by_status(facility)
    late = [deadline for deadline in room.dice_deadlines(facility, now) if deadline.is_late]
    context = page_context(person, facility, DICE, now) | {
        "counts": [_count(status, counts[status]) for status in (*custody.STAGES, custody.ASIDE)],
        "strip": _strip(counts),
        "in_facility": sum(counts.values()) - counts[Status.DESTROYED],
        "groups": _groups(facility, now, query["state"], query["code"], query["page"]),
        "day": facility.gaming_day(now),
        "figures": custody.reconciliation(facility, now),
        "query": query,
        "no_round": no_round,
        "late": {
            "count": any(deadline.lot is None for deadline in late),
            "lots": sum(deadline.lot is not None for deadline in late),
        },
        "tables": list(Table.objects.filter(facility=facility).values_list("code", flat=True)),
        "keeper": person.role in DICE_KEEPERS,
        "examiner": person.role in FLOOR,
        "watches": person.role in FLOOR | SEES_EVERYTHING,
    }
    if context["keeper"]:
        context |= _keeper_context(person, facility, now)
    return render(request, "tables/facility/dice.html", context)


@require_GET
@opened_by(FACILITY_PAGES[DICE])
def dice_control(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """What is due in the dice room, the physical counts, and the instruments with their calibrations."""
    now = clock.now()
    today = facility.local(now).date()
    counted_by = room.count_due_at(facility)
    context = page_context(person, facility, DICE, now) | {
        "count": {"due_at": counted_by, "is_late": counted_by is not None and counted_by <= now},
        "destructions": room.destructions_due(facility, now),
        "law": facility.law.custody,
        "counts": [_count_row(count) for count in _latest_counts(facility)],
        "instruments": [_instrument_row(row, today) for row in Instrument.objects.filter(facility=facility)],
        "kinds": Instrument.Kind.choices,
        "statuses": [(status, LABELS[Status(status)]) for status in room.COUNTED_STATUSES],
        "keeper": person.role in DICE_KEEPERS,
        "today": today,
        "now": now,
        "signers": signers(person, facility),
        "second_departments": second_departments(facility),
    }
    return render(request, "tables/facility/control.html", context)


def _latest_counts(facility: Facility) -> list[DiceCount]:
    counts = DiceCount.objects.filter(facility=facility).select_related("counted_by", "counted_with")
    return list(counts.order_by("-counted_at")[:12])


def _count_row(count: DiceCount) -> dict[str, Any]:
    """A count with each status as counted and by the record."""
    lines = [
        (SHORT[Status(status)], count.counted[status], count.expected[status])
        for status in room.COUNTED_STATUSES
    ]
    return {"count": count, "lines": lines, "differs": count.counted != count.expected}


def _instrument_row(instrument: Instrument, today: dt.date) -> dict[str, Any]:
    """An instrument with its state: in use, out of service, or with a calibration that ended or ends soon."""
    left = (instrument.calibration_ends_on - today).days
    if instrument.retired_at is not None:
        state = "retired"
    else:
        state = "ended" if left < 0 else "soon" if left <= CALIBRATION_SOON_DAYS else "valid"
    return {"instrument": instrument, "state": state}


@require_GET
@opened_by(FACILITY_PAGES[DICE])
def lot(request: HttpRequest, person: Person, facility: Facility, lot: str) -> HttpResponse:
    """The chain of custody of one lot, on one page that prints."""
    lot_row = (
        DiceLot.objects.filter(facility=facility, code=lot)
        .select_related("table", "shaker")
        .prefetch_related("measurements")
        .first()
    )
    if lot_row is None:
        raise Denied
    now = clock.now()
    uses = custody.lot_uses(lot_row)
    context = page_context(person, facility, DICE, now) | {
        "row": _row(lot_row, now),
        "lot": lot_row,
        "steps": custody.custody_steps(lot_row),
        "used": uses,
        "throws": sum(use.throws for use in uses),
        "rounds": sum(use.rounds for use in uses),
        "reason": custody.REASONS.get(lot_row.removed_why, lot_row.removed_why),
        "now": now,
    }
    return render(request, "tables/facility/lot.html", context)


@require_GET
@opened_by(DICE_OF_TABLE)
def dice_of_round(request: HttpRequest, table: Table, person: Person, number: int) -> HttpResponse:
    """The dice lots of a round, throw by throw."""
    round_ = Round.objects.filter(table=table, number=number).first()
    if round_ is None:
        raise Denied
    throws = custody.throws_with_lots(round_)
    context = page_context(person, table.facility, DICE, clock.now()) | {
        "table": table,
        "game": game_by_code(table.game).name,
        "round": round_,
        "thrown": throws,
        "traces": DICE in facility_pages_for(person, enrolled_device(request)),
    }
    return render(request, "tables/facility/round_dice.html", context)


# Equipment


@require_GET
@opened_by(FACILITY_PAGES[EQUIPMENT])
def equipment(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """The approvals that each table's edition requires, and those on file."""
    now = clock.now()
    tables = equipment_by_table(facility, now)
    requirements = [requirement for table in tables for requirement in table.requirements]
    context = page_context(person, facility, EQUIPMENT, now) | {
        "tables": tables,
        "software": software(tables),
        "shakers": approvals_by_shaker(facility, now),
        "figures": {
            "tables": len(tables),
            "stopped": sum(table.refusal is not None for table in tables),
            "required": len(requirements),
            "on_file": sum(not requirement.blocks_opening for requirement in requirements),
            "soon": sum(requirement.state == ENDS_SOON for requirement in requirements),
        },
        "office": person.role in OFFICE_ROLES,
        "kinds": Shaker.Kind.choices,
        "today": facility.local(now).date(),
        "runs": settings.BUILD,
        "letters": _letters_of(requirements),
    }
    context["urls"]["file"] = reverse("office-act", args=[facility.code, "file_document"])
    return render(request, "tables/facility/equipment.html", context)


def _letters_of(requirements: list[RequiredApproval]) -> dict[int, str]:
    """Return the codes of the letters of these approvals, by id. Their bytes are not read."""
    ids = {row.approval.letter_id for row in requirements if row.approval and row.approval.letter_id}
    return dict(Document.objects.filter(pk__in=ids).values_list("pk", "code"))


# Staff


class StaffSearch(Search):
    """Staff by a part of their name; `all`: also those off duty."""

    who = Words(max_length=40)
    all = Flag()


@require_GET
@opened_by(FACILITY_PAGES[STAFF])
def staff(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """Who works where, who supervises what, and everybody's duty and training."""
    now = clock.now()
    query = StaffSearch(request.GET).values
    name, everybody = query["who"], query["all"]
    staffed_tables = roster.staffed_tables(facility, now)
    pits: dict[str, list[roster.StaffedTable]] = {}
    for staffed in staffed_tables:
        pits.setdefault(staffed.table.pit.name, []).append(staffed)
    spans = roster.floorperson_spans(facility, staffed_tables, now)
    lockouts = list(
        active_lockouts(now).filter(facility=facility.code).select_related("device", "person").order_by("-pk")
    )
    may_begin = why_not_begin_own_duty(person, facility) is None
    signs_with_another = needs_second_person(person, facility)
    context = page_context(person, facility, STAFF, now) | {
        "pits": pits,
        "spans": spans,
        "breaches": sum(bool(staffed.breaches) for staffed in staffed_tables),
        "members": roster.staff_members(facility, now, name, everybody=everybody or bool(name)),
        "query": query,
        "begins_duty": may_begin,
        "my_department": person.get_department_display().lower(),
        "staffer": person.role in STAFFERS,
        "opens_people": PEOPLE in facility_pages_for(person, enrolled_device(request)),
        "duty_departments": departments_of(person, facility),
        "signers": _duty_signers(person, facility) if signs_with_another else [],
        "second_departments": second_departments_for_duty(facility),
        "needs_second_person": signs_with_another,
        "lockouts": lockouts,
        **unlock_context(person, facility, lockouts, now),
        "of_the_floor": person.role in FLOOR,
        "places": _places(facility),
        "supervisors": [floorperson_span.person for floorperson_span in spans],
        "games": GAMES.values(),
        "elsewhere": ELSEWHERE.items(),
        "now_here": facility.local(now),
        "today": facility.local(now).date(),
    }
    return render(request, "tables/facility/staff.html", context)


def _places(facility: Facility) -> list[dict[str, str]]:
    """Return where a duty may be: the whole facility, a pit, or a table."""
    pits = [
        {"pit": pit.code, "table": "", "label": pit.name, "kind": ""}
        for pit in Pit.objects.filter(facility=facility)
    ]
    tables = [
        {"pit": "", "table": table.code, "label": table.code, "kind": game_by_code(table.game).name}
        for table in Table.objects.filter(facility=facility).exclude(kind=Table.Kind.SIMULATED)
    ]
    return [{"pit": "", "table": "", "label": "The whole facility", "kind": ""}, *pits, *tables]


# What several pages show


def page_context(person: Person, facility: Facility, page: str, now: dt.datetime) -> dict[str, Any]:
    """Return what every page has: the facility, the person, and where acts are sent."""
    return {
        "facility": facility,
        "section": page,
        "me": {"code": person.code, "name": person.name, "role_label": person.get_role_display()},
        "as_of": now.astimezone(dt.UTC).isoformat(timespec="milliseconds"),
        "urls": {
            "sign_in": reverse("sign-in"),
            "sign_off": reverse("sign-off"),
            "act": reverse("facility-act", args=[facility.code, "__act__"]),
        },
    }


def part_address(request: HttpRequest) -> str:
    """Return the address of the live part of this page, with what it shows."""
    query = request.GET.copy()
    query["part"] = "1"
    return f"{request.path}?{query.urlencode()}"


def page_or_part(
    request: HttpRequest, template: str, part: str, context: dict[str, Any], *, is_part: bool
) -> HttpResponse:
    """Render the page, or the part of it that its script reads again."""
    if not is_part:
        return render(request, template, context)
    return tagged(request, render_to_string(part, context, request=request))


def tagged(request: HttpRequest, html: str) -> HttpResponse:
    """Answer with a fragment, or 304 where the browser has it."""
    tag = f'"{hashlib.sha256(html.encode()).hexdigest()[:32]}"'
    response = (
        HttpResponseNotModified() if request.headers.get("If-None-Match") == tag else HttpResponse(html)
    )
    response["ETag"] = tag
    return response


def signers(person: Person, facility: Facility) -> list[Person]:
    """Return the people on duty here who may sign for dice beside this person, security first."""
    able = signers_of(facility, DICE_ROW, person)
    return sorted(able, key=lambda signer: signer.department != "security")


def unlock_context(
    person: Person, facility: Facility, lockouts: list[Lockout], now: dt.datetime
) -> dict[str, Any]:
    """Return what a page with lock-outs offers: whether this person unlocks, and which only with a second person."""
    row = policy.row_of(facility.law, UNLOCKS)
    return {
        "unlocks": policy.may_prepare(row, person),
        "signed_unlocks": {lockout.pk for lockout in lockouts if takes_two(facility, lockout, now)},
        "unlock_signers": second_people(person, facility, row),
        "unlock_departments": policy.departments_in_words(row.approve.values()),
    }


def second_people(person: Person, facility: Facility, row: SeparationRow, about: str = "") -> list[Person]:
    """Return the people on duty here who may be the second one for a row of the policy beside this person, by name.

    `about`: the department that it is about, whose people may sign where the row says so.
    """
    on_duty = Person.objects.filter(assignments__in=Assignment.objects.at_facility(facility), is_active=True)
    people = on_duty.exclude(pk=person.pk).exclude(department=person.department).distinct().order_by("name")
    return [other for other in people if policy.may_sign(row, other, about)]


def _duty_signers(person: Person, facility: Facility) -> list[Person]:
    """Return the people on duty here who may sign for a duty beside this person: oversight first, then departments."""
    row = policy.row_of(facility.law, DUTIES)
    on_duty = Person.objects.filter(assignments__in=Assignment.objects.at_facility(facility), is_active=True)
    people = on_duty.filter(role__in={*row.approve, *row.alone, *row.prepare}).exclude(pk=person.pk)
    able = [signer for signer in people.distinct() if policy.may_sign(row, signer, signer.department)]
    return sorted(able, key=lambda signer: (not policy.may_approve(row, signer), signer.name))


# What the page of dice shows


def _keeper_context(person: Person, facility: Facility, now: dt.datetime) -> dict[str, Any]:
    """Return what the dialogs of a dice keeper offer."""
    tables = _tables_for_dice(facility, now)
    kinds = {(table["game"], table["dice"], table["size_um"], table["colours"]): table for table in tables}
    lots_to_destroy = [
        lot
        for status in (Status.REMOVED, Status.REJECTED)
        for lot in custody.lots_with_status(facility, status)[:PAGE_SIZE]
    ]
    return {
        "signers": signers(person, facility),
        "second_departments": second_departments(facility),
        "suits": tables,
        "kinds": list(kinds.values()),
        "to_destroy": lots_to_destroy,
        "tolerance_um": TOLERANCE_UM,
        "instruments": _calibrated_instruments(facility, now),
        "next": custody.next_code(facility),
    }


def _calibrated_instruments(facility: Facility, now: dt.datetime) -> list[Instrument]:
    """Return the instruments that may measure today."""
    today = facility.local(now).date()
    rows = Instrument.objects.filter(
        facility=facility, retired_at=None, calibrated_on__lte=today, calibration_ends_on__gte=today
    )
    return list(rows)


def _tables_for_dice(facility: Facility, now: dt.datetime) -> list[dict[str, Any]]:
    """Return the tables of the facility with the dice that each is played with; a table without rules is left out."""
    rows = []
    tables = Table.objects.select_related("facility", "stream", "pit").filter(facility=facility)
    for table in tables.exclude(kind=Table.Kind.SIMULATED):
        try:
            rules = TableContext(table, None, None, None, clock.displayed_moment(table.stream, now)).rules
        except Refusal:
            continue
        edition = rules.edition
        rows.append(
            {
                "code": table.code,
                "game": game_by_code(table.game).name,
                "dice": edition.dice_in_lot,
                "size_um": edition.dice_size_um,
                "colours": "green-red" if edition.dice_in_lot > edition.dice else "alike",
                "attested": bool(rules.section("dice-standard")),
                "training": table.kind == Table.Kind.TRAINING,
                "address": reverse("act", args=[facility.code, table.code, "issue_dice"]),
            }
        )
    return rows


def _round(facility: Facility, table: str, round: str) -> Round | None:
    if not CODE.fullmatch(table) or not (round.isascii() and round.isdigit() and len(round) < 10):
        return None
    rounds = Round.objects.filter(table__facility=facility, table__code=table, number=int(round))
    return rounds.select_related("table").first()


def _count(status: str, count: int) -> dict[str, Any]:
    return {"status": status, "label": SHORT[Status(status)], "count": count}


def _strip(counts: dict[str, int]) -> dict[str, Any]:
    """Return the lots of the facility as parts of one bar, each with its start and width."""
    parts, start = [], 0
    for status in (*custody.STAGES, custody.ASIDE):
        if status != Status.DESTROYED and counts[status]:
            parts.append({"status": status, "start": start, "width": counts[status]})
            start += counts[status]
    return {"parts": parts, "width": start}


def _groups(facility: Facility, now: dt.datetime, state: str, code: str, page: int) -> list[dict[str, Any]]:
    """Return the lots by status. Without a filter each group shows its first lots only."""
    groups = []
    for status in [state] if state else [*custody.STAGES, custody.ASIDE]:
        matching = custody.lots_with_status(facility, status, code)
        first, limit = (page * PAGE_SIZE, PAGE_SIZE) if state else (0, GROUP_SIZE)
        listed = list(matching[first : first + limit])
        ends = _destructions(listed) if status == Status.DESTROYED else {}
        rows = [replace(_row(lot, now), destruction=ends.get(lot.pk)) for lot in listed]
        if not rows and not state and (code or status in (custody.ASIDE, Status.DESTROYED)):
            continue
        total = matching.count()
        groups.append(
            {
                "status": status,
                "label": LABELS[Status(status)],
                "rows": rows,
                "count": total,
                "more": max(0, total - first - len(rows)),
                "next_page": page + 1 if state else None,
            }
        )
    return groups


def _destructions(destroyed: list[DiceLot]) -> dict[int, Destruction]:
    """How these lots ended, by their ids, as their entries say. Two statements, and one for the names."""
    steps = list(LotStep.objects.filter(lot__in=destroyed).values_list("lot", "stream", "seq"))
    entries = {
        (entry.stream_id, entry.seq): entry
        for entry in Entry.objects.filter(
            type=DICE_DESTROYED.name,
            stream__in={stream for _lot, stream, _seq in steps},
            seq__in={seq for _lot, _stream, seq in steps},
        )
    }
    names = names_of({code for entry in entries.values() for code in (entry.actor, entry.witness) if code})
    return {
        lot: Destruction(
            data_of(entry).get("how", ""),
            entry.at,
            tuple(names.get(code, code) for code in (entry.actor, entry.witness) if code),
        )
        for lot, stream, seq in steps
        if (entry := entries.get((stream, seq))) is not None
    }


def _row(lot: DiceLot, now: dt.datetime) -> LotRow:
    if lot.status != Status.PLACED or lot.expires_at is None or lot.placed_at is None:
        return LotRow(lot)
    remaining, total = lot.expires_at - now, lot.expires_at - lot.placed_at
    percent = max(0, min(100, round(100 * remaining / total))) if total else 0
    return LotRow(
        lot, span(remaining.total_seconds()), percent, low=remaining < LOW, over=remaining <= dt.timedelta()
    )


# The dice watch


DICE_WATCH = Pages(FLOOR | SEES_EVERYTHING)
PERIOD_DAYS, MOST_DAYS = 30, 366
Kind = WatchedDice.Kind


class WatchSearch(Search):
    """One lot or shaker in full, and the counts of a table, a shaker or some gaming days."""

    play = OneOf((Kind.SIMULATED,), otherwise=Kind.LIVE)
    lot = Words(max_length=20)
    shaker = Words(max_length=20)
    table = Words(max_length=20)
    of_shaker = Words(max_length=20)
    from_ = Day()
    to = Day()


@require_GET
@opened_by(DICE_WATCH)
def dice_watch(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """Every lot and shaker in use with its evidence, one of them in full, and the counts of a table or of some days."""
    now = clock.now()
    search = WatchSearch(request.GET)
    query = search.values
    kind = query["play"]
    lots, shakers = watched_rows(facility, kind)
    watched = _chosen(facility, kind, query["lot"], query["shaker"]) or (lots[0].watched if lots else None)
    first, last = _days(query["from_"], query["to"], facility.gaming_day(now))
    of = {"table": query["table"], "shaker": query["of_shaker"]}
    context = page_context(person, facility, DICE, now) | {
        "watch": watch_of(_with_places(watched)) if watched else None,
        "lots": lots,
        "shakers": shakers,
        "past": past_rows(facility, kind),
        "kind": kind,
        "has_simulated": WatchedDice.objects.filter(facility=facility, kind=Kind.SIMULATED).exists(),
        "period": period(facility, kind, first, last, **of),
        "of": of,
        "problem": search.problem,
        "tables": list(Table.objects.filter(facility=facility, kind=kind).values_list("code", flat=True)),
        "shaker_codes": list(Shaker.objects.filter(facility=facility).values_list("code", flat=True)),
        "years": years_words(),
        "withdraws": person.role in FLOOR,
    }
    return render(request, "tables/dice_watch/page.html", context)


def _chosen(facility: Facility, kind: str, lot: str, shaker: str) -> WatchedDice | None:
    """Return the lot that the address names, or the shaker in its newest year. Raises `Denied` for an unknown one."""
    if not lot and not shaker:
        return None
    rows = WatchedDice.objects.filter(facility=facility)
    rows = rows.filter(lot__code=lot) if lot else rows.filter(lot=None, shaker__code=shaker, kind=kind)
    row = rows.order_by("-year").first()
    if row is None:
        raise Denied
    return row


def _with_places(watched: WatchedDice) -> WatchedDice:
    rows = WatchedDice.objects.select_related("lot", "shaker__table__stream", "table__stream", "facility")
    return rows.get(pk=watched.pk)


def _days(first: dt.date | None, last: dt.date | None, today: dt.date) -> tuple[dt.date, dt.date]:
    """Return the first and the last gaming day of the address, else the last thirty."""
    last = last or today
    first = first or last - dt.timedelta(days=PERIOD_DAYS - 1)
    if first > last:
        first, last = last, first
    return max(first, last - dt.timedelta(days=MOST_DAYS - 1)), last


# Handovers of shifts


@require_GET
@opened_by(FACILITY_PAGES[HANDOVER])
def handover(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """What the record holds open, who takes it over, the figures of the shift, and the two signatures."""
    now = clock.now()
    draft = handover_draft(facility, now)
    by_pit, total = shift_figures(facility, draft.shift)
    missing, first_missing = what_is_missing(draft)
    people = floor_on_duty(facility)
    rows = [item_row(item, facility, now) for item in draft.items]
    decided_first, groups = decide_first(rows)
    context = page_context(person, facility, STAFF, now) | {
        "shift": draft.shift,
        "rows": rows,
        "decided_first": decided_first,
        "groups": groups,
        "going_over": len(rows) - len(decided_first),
        "first_free": next((row.key for row in rows if not row.owner), ""),
        "missing": missing,
        "first_missing": first_missing,
        "owners": [owner for owner in people if owner.pk != person.pk],
        "successors": successors(people, person),
        **figure_rows(
            facility,
            (pit_figures(code, sums) for code, sums in by_pit.items()),
            pit_figures(WHOLE_FLOOR, total),
        ),
        "happened": _happened(facility, draft.shift),
        "tables": _table_counts(facility),
        "latest": _signed(facility)[:LATEST_HANDOVERS],
        "now_here": facility.local(now),
    }
    return render(request, "tables/handover/handover.html", context)


@require_GET
@opened_by(FACILITY_PAGES[HANDOVER])
def past_handovers(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """The signed handovers, the newest first."""
    now = clock.now()
    context = page_context(person, facility, STAFF, now) | {
        "handovers": _signed(facility)[:HANDOVERS_A_PAGE],
        "now_here": facility.local(now),
    }
    return render(request, "tables/handover/past.html", context)


@require_GET
@opened_by(FACILITY_PAGES[HANDOVER])
def past_handover(request: HttpRequest, person: Person, facility: Facility, number: int) -> HttpResponse:
    """One handover as it was signed, on a page that prints."""
    row = _signed(facility).filter(number=number).first()
    if row is None:
        raise Denied
    now, paper = clock.now(), unsigned(HANDOVERS_PAPER, row)
    context = page_context(person, facility, STAFF, now) | {
        "handover": row,
        "signed": signed_handover(row),
        "further": [place for place in signatures_on(HANDOVERS_PAPER, row) if not place.row.step],
        "waiting": [waiting_for(paper, facility, person)] if paper else [],
        "now": now,
    }
    return render(request, "tables/handover/signed.html", context)


def _signed(facility: Facility) -> "QuerySet[Handover]":
    handovers = Handover.objects.filter(facility=facility).order_by("-number")
    return handovers.select_related("facility", "stream", "handed_over_by", "taken_over_by")


def _table_counts(facility: Facility) -> dict[str, int]:
    statuses = Table.objects.filter(facility=facility, kind=Table.Kind.LIVE, stream__closed_at=None)
    listed = list(statuses.values_list("status", flat=True))
    return {"open": listed.count(Table.Status.OPEN), "all": len(listed)}


def _happened(facility: Facility, shift: ShiftToHandOver) -> list[dict[str, Any]]:
    """What happened in the shift: where gaming ceased, and which slips were filed."""
    within: dict[str, dt.datetime] = {"gte": shift.begins, "lt": shift.ends}
    live = {"table__facility": facility, "table__kind": Table.Kind.LIVE}
    stops = Alert.objects.filter(**live, kind__in=("device-failure", "shaker-failure"))
    stops = stops.filter(**{f"raised_at__{name}": moment for name, moment in within.items()})
    slips = Slip.objects.filter(**live, **{f"filed_at__{name}": moment for name, moment in within.items()})
    rows = [
        (
            "Gaming ceased",
            [
                f"{stop.table.code}, {facility.local(stop.raised_at):%H:%M}"
                for stop in stops.select_related("table").order_by("pk")
            ],
        ),
        (
            "Error slips",
            [f"{slip.table.code} {slip.code}" for slip in slips.select_related("table").order_by("pk")],
        ),
    ]
    return [{"label": label, "count": len(lines), "lines": lines} for label, lines in rows]
