"""The pages of the rooms: the dice, the equipment and the staff of a house."""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET

from audit import clock
from audit.models import Person
from games.engine import Refusal
from games.models import Facility
from games.params import CODE
from games.registry import GAMES, game_by_code
from tables.core.context import TableContext
from tables.core.permissions import DICE_KEEPERS, FLOOR, STAFFERS
from tables.dice import lots
from tables.dice.custody_acts import TOLERANCE_UM
from tables.equipment import register
from tables.equipment.approval_acts import OFFICE_ROLES
from tables.runner.access import Denied, dice_of_table_for, enrolled_device, room_of, rooms_open_to
from tables.runner.facility import DICE, EQUIPMENT, STAFF
from tables.staffing import roster
from tables.staffing.words import ELSEWHERE
from tables.words.forms import span

from ..models import Assignment, DiceLot, Pit, Round, Shaker, Table

Status = DiceLot.Status
SHOWN, PAGE = 24, 120
LOW = dt.timedelta(hours=1)
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


@dataclass(frozen=True)
class Row:
    """A lot and what is left of its time: words, and percent of the whole."""

    lot: DiceLot
    left: str = ""
    percent: int = 0
    low: bool = False
    over: bool = False


@require_GET
def dice_room(request: HttpRequest, facility: str) -> HttpResponse:
    """Every dice lot of the house along its way, and the reconciliation of this gaming day."""
    person, house = room_of(request, facility, DICE)
    asked = {name: _typed(request, name) for name in ("table", "round")}
    no_round = ""
    if any(asked.values()):
        found = _round(house, **asked)
        if found is not None:
            return redirect("round-dice", facility, found.table.code, found.number)
        no_round = "There is no such round."
    state, code = _typed(request, "state"), _typed(request, "code")[:20]
    if state not in Status.values:
        state = ""
    now = clock.now()
    counts = lots.counts_by_status(house)
    context = _room(person, house, DICE, now) | {
        "counts": [_count(status, counts[status]) for status in (*lots.STAGES, lots.ASIDE)],
        "strip": _strip(counts),
        "in_the_house": sum(counts.values()) - counts[Status.DESTROYED],
        "groups": _groups(house, now, state, code, _page(request)),
        "day": house.gaming_day(now),
        "figures": lots.reconciliation(house, now),
        "asked": {**asked, "state": state, "code": code},
        "no_round": no_round,
        "tables": list(Table.objects.filter(facility=house).values_list("code", flat=True)),
        "keeper": person.role in DICE_KEEPERS,
        "examiner": person.role in FLOOR,
    }
    if context["keeper"]:
        context |= _keepers_part(person, house, now)
    return render(request, "tables/rooms/dice.html", context)


@require_GET
def lot(request: HttpRequest, facility: str, lot: str) -> HttpResponse:
    """The chain of custody of one lot, on one page that prints."""
    person, house = room_of(request, facility, DICE)
    found = (
        DiceLot.objects.filter(facility=house, code=lot)
        .select_related("table", "shaker")
        .prefetch_related("measurements")
        .first()
    )
    if found is None:
        raise Denied
    now = clock.now()
    used = lots.lot_uses(found)
    context = _room(person, house, DICE, now) | {
        "row": _row(found, now),
        "lot": found,
        "steps": lots.custody_steps(found),
        "used": used,
        "throws": sum(one.throws for one in used),
        "rounds": sum(one.rounds for one in used),
        "reason": lots.REASONS.get(found.removed_why, found.removed_why),
        "now": now,
    }
    return render(request, "tables/rooms/lot.html", context)


@require_GET
def dice_of_round(request: HttpRequest, facility: str, table: str, number: int) -> HttpResponse:
    """Which lots a round was thrown with, throw by throw."""
    found, person = dice_of_table_for(request, facility, table)
    round_ = Round.objects.filter(table=found, number=number).first()
    if round_ is None:
        raise Denied
    thrown = lots.throws_with_lots(round_)
    context = _room(person, found.facility, DICE, clock.now()) | {
        "table": found,
        "game": game_by_code(found.game).name,
        "round": round_,
        "thrown": thrown,
        "traces": DICE in rooms_open_to(person, enrolled_device(request)),
    }
    return render(request, "tables/rooms/round_dice.html", context)


@require_GET
def equipment(request: HttpRequest, facility: str) -> HttpResponse:
    """What each table's edition asks of its equipment, and what is on file."""
    person, house = room_of(request, facility, EQUIPMENT)
    now = clock.now()
    tables = register.equipment_by_table(house, now)
    requirements = [requirement for table in tables for requirement in table.requirements]
    context = _room(person, house, EQUIPMENT, now) | {
        "tables": tables,
        "shakers": register.approvals_by_shaker(house, now),
        "figures": {
            "tables": len(tables),
            "stopped": sum(table.refusal is not None for table in tables),
            "asked": len(requirements),
            "on_file": sum(not requirement.blocks_opening for requirement in requirements),
            "soon": sum(requirement.state == register.ENDS_SOON for requirement in requirements),
        },
        "office": person.role in OFFICE_ROLES,
        "kinds": Shaker.Kind.choices,
        "today": house.local(now).date(),
        "runs": settings.BUILD,
    }
    return render(request, "tables/rooms/equipment.html", context)


@require_GET
def staff(request: HttpRequest, facility: str) -> HttpResponse:
    """Who stands where, who supervises what, and everybody's duty and training."""
    person, house = room_of(request, facility, STAFF)
    now = clock.now()
    name, everybody = _typed(request, "who")[:40], bool(request.GET.get("all"))
    manned = roster.staffed_tables(house, now)
    pits: dict[str, list[roster.StaffedTable]] = {}
    for one in manned:
        pits.setdefault(one.table.pit.name, []).append(one)
    spans = roster.floorperson_spans(house, manned, now)
    context = _room(person, house, STAFF, now) | {
        "pits": pits,
        "spans": spans,
        "breaches": sum(bool(one.breaches) for one in manned),
        "members": roster.staff_members(house, now, name, everybody=everybody or bool(name)),
        "asked": {"who": name, "all": everybody},
        "staffer": person.role in STAFFERS,
        "of_the_floor": person.role in FLOOR,
        "places": _places(house),
        "supervisors": [one.person for one in spans],
        "games": GAMES.values(),
        "elsewhere": ELSEWHERE.items(),
        "now_here": house.local(now),
        "today": house.local(now).date(),
    }
    return render(request, "tables/rooms/staff.html", context)


def _places(house: Facility) -> list[dict[str, str]]:
    """Where a duty may be: the whole house, a pit, or a table."""
    pits = [
        {"pit": one.code, "table": "", "label": one.name, "kind": ""}
        for one in Pit.objects.filter(facility=house)
    ]
    tables = [
        {"pit": "", "table": one.code, "label": one.code, "kind": game_by_code(one.game).name}
        for one in Table.objects.filter(facility=house).exclude(kind=Table.Kind.SIMULATED)
    ]
    return [{"pit": "", "table": "", "label": "The whole house", "kind": ""}, *pits, *tables]


def _room(person: Person, house: Facility, room: str, now: dt.datetime) -> dict[str, Any]:
    """What every page of a room has: the house, the person, where acts go."""
    return {
        "house": house,
        "room": room,
        "me": {"code": person.code, "name": person.name, "role_label": person.get_role_display()},
        "as_of": now.astimezone(dt.UTC).isoformat(timespec="milliseconds"),
        "urls": {
            "sign_in": reverse("sign-in"),
            "sign_off": reverse("sign-off"),
            "act": reverse("room-act", args=[house.code, "__act__"]),
        },
    }


def signers(person: Person, house: Facility) -> list[Person]:
    """Those on duty here of another department than this person's, security first."""
    on_duty = Person.objects.filter(assignments__in=Assignment.objects.at_facility(house), is_active=True)
    found = on_duty.exclude(department=person.department).distinct().order_by("name")
    return sorted(found, key=lambda one: one.department != "security")


def _keepers_part(person: Person, house: Facility, now: dt.datetime) -> dict[str, Any]:
    """What the dialogs of a dice keeper offer."""
    tables = _tables_for_dice(house, now)
    kinds = {(one["game"], one["dice"], one["size_um"], one["colours"]): one for one in tables}
    gone = lots.lots_with_status(house, Status.REMOVED), lots.lots_with_status(house, Status.REJECTED)
    return {
        "signers": signers(person, house),
        "suits": tables,
        "kinds": list(kinds.values()),
        "to_destroy": [one for found in gone for one in found[:PAGE]],
        "tolerance_um": TOLERANCE_UM,
        "next": lots.next_code(house),
    }


def _tables_for_dice(house: Facility, now: dt.datetime) -> list[dict[str, Any]]:
    """The tables of the house and the dice that each one is played with. One without rules in force takes none."""
    found = []
    tables = Table.objects.select_related("facility", "stream", "pit").filter(facility=house)
    for table in tables.exclude(kind=Table.Kind.SIMULATED):
        try:
            rules = TableContext(table, None, None, None, clock.displayed_moment(table.stream, now)).rules
        except Refusal:
            continue
        edition = rules.edition
        found.append(
            {
                "code": table.code,
                "game": game_by_code(table.game).name,
                "dice": edition.dice_in_lot,
                "size_um": edition.dice_size_um,
                "colours": "green-red" if edition.dice_in_lot > edition.dice else "alike",
                "attested": bool(rules.section("dice-standard")),
                "training": table.kind == Table.Kind.TRAINING,
                "address": reverse("act", args=[house.code, table.code, "issue_dice"]),
            }
        )
    return found


def _round(house: Facility, table: str, round: str) -> Round | None:
    if not CODE.fullmatch(table) or not (round.isascii() and round.isdigit() and len(round) < 10):
        return None
    found = Round.objects.filter(table__facility=house, table__code=table, number=int(round))
    return found.select_related("table").first()


def _typed(request: HttpRequest, name: str) -> str:
    """What somebody typed into a search; a NUL, which PostgreSQL would not compare with, nobody can type."""
    text = request.GET.get(name, "").strip()
    return text if text.isprintable() else ""


def _page(request: HttpRequest) -> int:
    """The page of a long list, from 0."""
    text = request.GET.get("page", "0")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0


def _count(status: str, count: int) -> dict[str, Any]:
    return {"status": status, "label": SHORT[Status(status)], "count": count}


def _strip(counts: dict[str, int]) -> dict[str, Any]:
    """The lots that are in the house as parts of one bar: where each begins, and how wide it is."""
    parts, at = [], 0
    for status in (*lots.STAGES, lots.ASIDE):
        if status != Status.DESTROYED and counts[status]:
            parts.append({"status": status, "at": at, "width": counts[status]})
            at += counts[status]
    return {"parts": parts, "width": at}


def _groups(house: Facility, now: dt.datetime, state: str, code: str, page: int) -> list[dict[str, Any]]:
    """The lots by their steps. Without a filter of the state each group shows its first ones."""
    groups = []
    for status in [state] if state else [*lots.STAGES, lots.ASIDE]:
        found = lots.lots_with_status(house, status, code)
        first, most = (page * PAGE, PAGE) if state else (0, SHOWN)
        rows = [_row(one, now) for one in found[first : first + most]]
        if not rows and not state and (code or status in (lots.ASIDE, Status.DESTROYED)):
            continue
        total = found.count()
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


def _row(lot: DiceLot, now: dt.datetime) -> Row:
    if lot.status != Status.PLACED or lot.expires_at is None or lot.placed_at is None:
        return Row(lot)
    left, whole = lot.expires_at - now, lot.expires_at - lot.placed_at
    percent = max(0, min(100, round(100 * left / whole))) if whole else 0
    return Row(lot, span(left.total_seconds()), percent, low=left < LOW, over=left <= dt.timedelta())
