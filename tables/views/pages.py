"""The pages of the floor: the start page of a device, the console, the table page, the tiles and the wall.

Beside them are the floor plan (as it is, or while somebody arranges it), who relieves whom at a table (in the dialog of
the dealer's tablet, and on the page of the table at a podium), the rotation board, and what to change now: proposals
for the next hour, with their figures and assumptions.

The signs of a table are a live display, and each sign a page to print and a PDF of its size.
"""

import datetime as dt
import json
from collections import defaultdict
from collections.abc import Collection
from typing import Any, Literal

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET

from audit import clock
from audit.days import day_in_words
from audit.models import Person, Station
from games.access import Pages, decides_itself, opened_by
from games.engine import Refusal
from games.engine.odds import in_dollars
from games.formats import whole_dollars
from games.kit.files import file_response
from games.kit.searches import Flag, Number, OneOf, Search, Words
from games.models import Facility, SignForm
from games.office import pdf
from games.office.signs import KINDS
from games.separation import policy
from games.snapshot_types import Snapshot
from tables.advice import (
    FULL,
    NEARLY_EMPTY,
    Proposal,
    TableHour,
    free_dealers,
    proposals,
    seats_of_last_hour,
    table_hours,
)
from tables.cases.case import COMPLIANCE, may_see_cases
from tables.core.context import TableContext
from tables.core.duty import DEALERS, FLOOR, STAFFERS, is_on_duty, may_see_floor, scope_of
from tables.corrections.reviews import reviewer_names
from tables.equipment.signs import (
    BOARD_KINDS,
    SignFace,
    form_of,
    has_content,
    sign,
    verify_form_in_force,
)
from tables.models import Assignment, Pit, PlannedMove, Player, Rating, Shaker, Table
from tables.models.floor import FLOOR_ITEMS, FLOOR_ROWS, LANDMARK_LENGTH
from tables.money.tray import keeps_inventory
from tables.rotation.board import TIMES, board, wall_reliefs, wall_reliefs_html
from tables.rounds.live_round import undo_steps
from tables.rounds.no_rolls import NO_ROLL_ROW
from tables.rounds.settlement import first_review_from
from tables.runner.access import (
    CONSOLE,
    FACILITY_PAGES,
    FLOOR_PAGE,
    FLOOR_TABLES,
    LOCKED_FLOOR,
    ROTATION,
    SCREEN,
    SIGN,
    TABLE_PAGE,
    WALL,
    Denied,
    Locked,
    ShownFloor,
    enrolled_device,
    facility_pages_for,
    person_of,
    sign_station,
    tables_answered_by,
    watcher_of,
)
from tables.runner.facility import SETUP
from tables.screens import fragments, snapshot, table_history
from tables.screens.floor_plan import FloorPlan, PitOnFloor, floor_plan
from tables.screens.parts import Screen
from tables.setup.floor_plan import FloorItem, unsaved_items
from tables.staffing.roster import dealers_on_duty, post_to_relieve, posts_in_relief
from tables.views.facility import page_context, page_or_part, part_address
from tables.words.sentences import say, short, title

MOST_PLAYERS = 200  # that the dialog of ratings searches
FIRST_PAGES = {"games-administrator": "submissions", "gaming-agent": "record", "cage": "cage"}


@require_GET
@decides_itself("each device and person has a start page")
def home(request: HttpRequest) -> HttpResponse:
    """Redirect a device to its screen: a tablet to its console, a display to its signs, others to the floor.

    Compliance begins with its inbox, the rules office with its submissions, the gaming agent with the record. A wall
    shows the floor with nobody signed in, and a locked podium or phone goes on showing it.
    """
    device = enrolled_device(request)
    if device is None:
        return redirect("enrol")
    if device.station == Station.SIGN and device.place:
        facility, table = device.place.split("/", 1)
        return redirect("sign-display", facility=facility, table=table)
    if device.station == Station.WALL:
        return redirect("wall", facility=device.facility)
    try:
        person = person_of(request)
    except Locked:
        if not may_see_floor(watcher_of(request), device.facility):
            raise
        return redirect("floor", facility=device.facility)
    if device.place:
        facility, table = device.place.split("/", 1)
        return redirect("console", facility=facility, table=table)
    pages = facility_pages_for(person, device)
    is_new = SETUP in pages and not Table.objects.filter(facility__code=device.facility).exists()
    if is_new:
        return redirect("first-day", facility=device.facility)
    if person.role in COMPLIANCE and may_see_cases(person, device):
        return redirect("inbox", device.facility)
    if person.role in FIRST_PAGES:
        return redirect(FIRST_PAGES[person.role], device.facility)
    if not may_see_floor(person, device.facility) and pages:
        return redirect(pages[0], facility=device.facility)
    return redirect("floor", facility=device.facility)


@require_GET
@opened_by(CONSOLE)
def console(request: HttpRequest, table: Table, person: Person) -> HttpResponse:
    """The dealer's console of a table, rendered from the same fragment that is pushed."""
    state = snapshot.of_table(table.pk)
    page = _page(state, table, person, "dealer")
    if state["round"]["bets_open"]:
        round_ = table.rounds.filter(number=state["round"]["number"]).first()
        page["undo_steps"] = undo_steps(table, round_, enrolled_device(request))
    return render(request, "tables/console.html", page)


@require_GET
@opened_by(TABLE_PAGE)
def table_page(request: HttpRequest, table: Table, person: Person) -> HttpResponse:
    """The page of a table for the pit: the layout with its money, acts, last rounds, people, dice."""
    state = snapshot.of_table(table.pk)
    page = _page(state, table, person, "table")
    if page["me"]["is_floor"]:
        page["players"] = _players_to_rate(table)
    return render(request, "tables/table.html", page)


def _players_to_rate(table: Table) -> list[str]:
    """The codes of players who may be rated, the newest first; no name is shown with them."""
    here = Player.objects.filter(facility=table.facility, merged_into=None, erased_at=None, exclusion="")
    rated = Rating.objects.filter(table__facility=table.facility, ended_at=None).values("player")
    return list(
        here.exclude(pk__in=rated).order_by("-added_at").values_list("code", flat=True)[:MOST_PLAYERS]
    )


class RoundsQuery(Search):
    """Rounds before a number."""

    before = Number()


@require_GET
@opened_by(TABLE_PAGE)
def rounds(request: HttpRequest, table: Table, _person: Person) -> HttpResponse:
    """Rounds before those of the table page, a page at a time: a fragment for htmx."""
    page_size = table_history.LAST_ROUNDS
    query = RoundsQuery(request.GET).values
    newest = table_history.history(table)
    oldest_listed = newest[-1]["number"] if len(newest) == page_size else 0
    before = oldest_listed if query["before"] is None else min(query["before"], oldest_listed)
    history = table_history.history(table, before)
    earlier = history[-1]["number"] if len(history) == page_size else None
    url = reverse("rounds", args=[table.facility.code, table.code])
    context = {"table": table, "history": history, "before": earlier, "url": url}
    return render(request, "tables/table/earlier.html", context)


@require_GET
@opened_by(SCREEN)
def screen(request: HttpRequest, table: Table, station: str) -> JsonResponse:
    """The current fragment of one station, for a resync and while no push arrives."""
    return JsonResponse(fragments.screen(station, table.pk))


@require_GET
@opened_by(CONSOLE)
def light(request: HttpRequest, table: Table, _person: Person) -> JsonResponse:
    """The areas that three entered values light, for the inspection. Changes nothing."""
    ctx = TableContext(table, None, None, None, clock.displayed_moment(table.stream, clock.now()))
    try:
        dice = ctx.game.verify_dice(
            ctx.rules, [int(face) for face in request.GET.get("dice", "").split(",")[:10]]
        )
        lit = ctx.game.winning_codes(ctx.rules, [dice])
    except ValueError:
        message = f"Enter every die as a number from 1 to {ctx.game.faces}."
        return JsonResponse({"refusal": {"message": message}}, status=422)
    except Refusal as refusal:
        refused = {
            "code": refusal.code,
            "title": title(refusal),
            "message": say(refusal),
            "section": short(refusal.section),
        }
        return JsonResponse({"refusal": refused}, status=422)
    return JsonResponse({"lit": list(lit)})


@require_GET
@opened_by(FLOOR_PAGE)
def floor(request: HttpRequest, person: Person, shown_floor: ShownFloor) -> HttpResponse:
    """The tiles of every table that this person may see, by pit.

    At a podium or phone that is locked they stay live, without words that somebody typed about a patron; an act asks
    for a PIN.
    """
    facility, station, tables = shown_floor
    device, states = enrolled_device(request), [snapshot.of_table(pk) for pk in tables]
    if not states:
        raise Denied
    by_pit: dict[str, list[Snapshot]] = defaultdict(list)
    for state in states:
        by_pit[state["table"]["pit"]].append(state)
    may_arrange = station == "tile" and person.role in STAFFERS
    arranging = ARRANGING.get(request.GET.get("arrange", ""), "") if may_arrange else ""
    facility_row = Facility.objects.get(code=facility)
    scope = scope_of(person, facility_row)
    yours = {table.code for table in scope.of(list(Table.objects.filter(facility=facility_row)))}
    changed = items_in_address(request, facility_row) if arranging == "floor" else None
    context = {
        "facility": {"code": facility, "name": states[0]["table"]["facility_name"]},
        "me": _me(person),
        "station": station,
        "arranging": arranging,
        "locked_at": device.locked_at if device else None,
        "answered": tables_answered_by(person, device, facility, (code for code, _ in tables.values())),
        "scope": scope,
        "yours": yours,
        "pits": [{"name": name, "tables": pit_states} for name, pit_states in by_pit.items()],
        "plan": plan_of(facility_row, by_pit, arranging, changed),
        "is_floor_changed": changed is not None,
        "is_plan_ignored": changed is None and "plan" in request.GET,
        "floor_limits": {"rows": FLOOR_ROWS, "count": FLOOR_ITEMS, "landmark": LANDMARK_LENGTH},
        "urls": {
            **_signing_urls(),
            "socket": f"/ws/floor/{facility}" + ("" if station == "tile" else "/locked"),
            "tiles": reverse("tiles" if station == "tile" else "locked-tiles", args=[facility]),
            "floor": reverse("floor", args=[facility]),
            "advice": reverse("advice", args=[facility])
            if station == "tile" and person.role in FLOOR
            else "",
            "arrange": reverse("facility-act", args=[facility, "arrange_pit"]) if may_arrange else "",
            "arrange_floor": reverse("facility-act", args=[facility, "arrange_floor"]) if may_arrange else "",
            "occupancy": reverse("occupancy", args=[facility]) if station == "tile" else "",
        },
    }
    return render(request, "tables/floor.html", context)


@require_GET
@opened_by(FLOOR_TABLES)
def tiles(request: HttpRequest, _person: Person, shown_floor: ShownFloor) -> JsonResponse:
    """Every current tile, for a resync."""
    return JsonResponse({"tiles": _every_tile(shown_floor)})


@require_GET
@opened_by(LOCKED_FLOOR)
def locked_tiles(request: HttpRequest, _person: Person, shown_floor: ShownFloor) -> JsonResponse:
    """As `tiles`, at a podium or phone that is locked."""
    return JsonResponse({"tiles": _every_tile(shown_floor)})


def _every_tile(shown_floor: ShownFloor) -> dict[str, Screen]:
    """The tables as the station shows them, by their codes."""
    return {code: fragments.screen(shown_floor.station, pk) for pk, (code, _) in shown_floor.tables.items()}


@require_GET
@opened_by(WALL)
def wall(request: HttpRequest, _person: None, shown_floor: ShownFloor) -> HttpResponse:
    """The floor on a wall, to be read from five meters: what needs somebody, the win of each pit, what comes next.

    Nobody is signed in there, and nothing on it can be tapped.
    """
    facility, states = shown_floor.facility, [snapshot.of_table(pk) for pk in shown_floor.tables]
    if not states:
        raise Denied
    context = {
        "facility": {"code": facility, "name": states[0]["table"]["facility_name"]},
        "states": states,
        "reliefs": wall_reliefs(facility),
        "pits": list(dict.fromkeys(state["table"]["pit"] for state in states)),
        "live_pits": list(
            dict.fromkeys(state["table"]["pit"] for state in states if state["table"]["kind"] == "live")
        ),
        "urls": {
            "socket": f"/ws/floor/{facility}/wall",
            "tables": reverse("wall-tables", args=[facility]),
            "home": reverse("home"),
        },
    }
    return render(request, "tables/wall.html", context)


@require_GET
@opened_by(WALL)
def wall_tables(request: HttpRequest, _person: None, shown_floor: ShownFloor) -> JsonResponse:
    """Every current table of a wall and the planned reliefs, for a resync."""
    return JsonResponse(
        {"tiles": _every_tile(shown_floor), "reliefs": wall_reliefs_html(shown_floor.facility)}
    )


def _page(state: Snapshot, table: Table, person: Person, station: str) -> dict[str, Any]:
    facility, code = table.facility.code, table.code
    return {
        "s": state,
        "screen": fragments.render(station, state),
        "me": _me(person, table),
        "witnesses": witnesses(table),
        "no_rolls_are_free": policy.row_of(table.facility.law, NO_ROLL_ROW).free_count > 0,
        "dealers": people_on_duty(table, DEALERS),
        "by_hand_rule": by_hand_rule(table),
        "shakers": free_shakers(table),
        "urls": {
            "socket": f"/ws/table/{facility}/{code}/{station}",
            "screen": reverse("screen", args=[facility, code, station]),
            "act": reverse("act", args=[facility, code, "__act__"]),
            "light": reverse("light", args=[facility, code]),
            "correction": reverse("correction", args=[facility, code]),
            "relief": reverse("relief", args=[facility, code]),
            "buy_ins": reverse("buy-ins", args=[facility, code]),
            "rounds": reverse("rounds", args=[facility, code]) if station == "table" else "",
            "tray": reverse("tray", args=[facility, code]) if keeps_inventory(table) else "",
            "console": reverse("console", args=[facility, code]),
            "floor": reverse("floor", args=[facility]) if may_see_floor(person, facility) else "",
            **_signing_urls(),
        },
    }


def _me(person: Person, table: Table | None = None) -> dict[str, Any]:
    """Return the person signed in. `is_floor`: their sign-in counts as the floor's signature, at this table if one."""
    return {
        "code": person.code,
        "name": person.name,
        "role_label": person.get_role_display(),
        "is_floor": person.role in FLOOR and (table is None or is_on_duty(person, table)),
    }


def _signing_urls() -> dict[str, str]:
    return {"sign_in": reverse("sign-in"), "sign_off": reverse("sign-off"), "lock": reverse("lock")}


def witnesses(table: Table) -> list[dict[str, str]]:
    """Return who may sign as the second person at this table: the floor on duty here."""
    return people_on_duty(table, FLOOR)


def by_hand_rule(table: Table) -> str:
    """Return from which net payout on a round settled by hand waits for its review; "" where none does."""
    first_from = first_review_from(table)
    if not first_from:
        return ""
    sum_, who = in_dollars(first_from), reviewer_names(table.facility)
    return f"If it pays {sum_} or more net, {who} must agree first: pay nothing before."


def people_on_duty(table: Table, roles: Collection[str]) -> list[dict[str, str]]:
    """Return the people of these roles on duty at this table, each once."""
    on_duty = Assignment.objects.at(table).filter(person__role__in=roles, person__is_active=True)
    people = {assignment.person_id: assignment.person for assignment in on_duty.select_related("person")}
    return [
        {
            "code": person.code,
            "name": person.name,
            "role": person.role,
            "role_label": person.get_role_display(),
        }
        for person in people.values()
    ]


def free_shakers(table: Table) -> list[str]:
    """Return the codes of working shakers at no table, which may replace the one here."""
    free = Shaker.objects.filter(facility=table.facility_id, table=None, out_of_order=False)
    return list(free.order_by("code").values_list("code", flat=True)[:12])


# The floor plan


Arranging = Literal["", "tables", "floor"]
ARRANGING: dict[str, Arranging] = {"1": "tables", "floor": "floor"}  # by what the address has


def plan_of(
    facility: Facility,
    by_pit: dict[str, list[Snapshot]],
    arranging: Arranging,
    changed: list[FloorItem] | None,
) -> FloorPlan:
    """Return the floor plan of the tables on the page, as saved or with unsaved changes.

    Somebody who arranges the floor sees pits without a table, too, so that they keep their places.
    """
    tables_of = {
        name: [(state["table"]["code"], state["table"]["game"]) for state in states]
        for name, states in by_pit.items()
    }
    pits = Pit.objects.filter(facility=facility).order_by("code")
    drawn = [pit for pit in pits if arranging == "floor" or pit.name in tables_of]
    return floor_plan(
        [PitOnFloor(pit.code, pit.name, tables_of.get(pit.name, []), pit.places) for pit in drawn],
        spare_columns=int(arranging == "tables"),
        declared=facility.floor_items if changed is None else changed,
    )


def items_in_address(request: HttpRequest, facility: Facility) -> list[FloorItem] | None:
    """Return the unsaved items in the page's address; None if they are missing or invalid."""
    try:
        sent = json.loads(request.GET["plan"])
    except (KeyError, ValueError, RecursionError):
        return None
    return unsaved_items(sent, Pit.objects.filter(facility=facility).values_list("code", flat=True))


# Who relieves whom


MOST_FREE, MOST_OTHERS = 30, 3


@require_GET
@opened_by(CONSOLE)
def relief(request: HttpRequest, table: Table, _person: Person) -> HttpResponse:
    """A fragment for the tablet: since when each dealer works here, when breaks are due, who may come, and the PIN."""
    context = _relief_context(table)
    return render(request, "tables/console/relief.html", {**context, "sign_in": reverse("sign-in")})


@require_GET
@opened_by(CONSOLE)
def relief_card(request: HttpRequest, table: Table, _person: Person) -> HttpResponse:
    """A fragment for the page of the table, for who may send a relief: who goes, who may come, and who may not."""
    context = _relief_context(table)
    plan = reverse("facility-act", args=[table.facility.code, "plan_move"])
    return render(request, "tables/table/relief_card.html", {**context, "plan": plan})


def _relief_context(table: Table) -> dict[str, Any]:
    people = ("facility", "dealer", "dealer_left", "stickperson")
    row = Table.objects.select_related(*people).get(pk=table.pk)
    now = clock.now()
    dealers = dealers_on_duty(row, now)
    free = [dealer for dealer in dealers if not dealer.obstacle]
    moves = PlannedMove.objects.open_moves(row.facility).filter(table=row).select_related("person")
    in_relief = posts_in_relief(row, now)
    planned = [dealer for dealer in free if dealer.planned == row.code]
    return {
        "table": row,
        "moves": moves,
        "posts": in_relief,
        "post": post_to_relieve(in_relief, moves),
        "planned": planned,
        "free": free[len(planned) :][:MOST_FREE],
        "more_free": max(0, len(free) - len(planned) - MOST_FREE),
        "others": [dealer for dealer in dealers if dealer.obstacle][:MOST_OTHERS],
    }


# The rotation board


class RotationQuery(Search):
    """The board with a dealer picked, and when the move is, in minutes; `part`: the part that is live."""

    person = Words(max_length=60)
    in_ = OneOf([str(minutes) for minutes in TIMES])
    part = Flag()


@require_GET
@opened_by(FACILITY_PAGES[ROTATION])
def rotation(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """Who deals where and who comes next."""
    now, scope = clock.now(), scope_of(person, facility)
    query = RotationQuery(request.GET).values
    picked, in_minutes = query["person"], int(query["in_"]) if query["in_"] else None
    context = page_context(person, facility, ROTATION, now) | {
        "board": board(facility, now, picked, in_minutes, scope=scope),
        "scope": scope,
        "in_minutes": query["in_"],
    }
    context["urls"] |= {"part": part_address(request), "board": request.path}
    return page_or_part(
        request, "tables/rotation/rotation.html", "tables/rotation/part.html", context, is_part=query["part"]
    )


# What to change now


ADVICE = Pages(FLOOR)


@require_GET
@opened_by(ADVICE)
def advice(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """What to change in the next hour, for the floor. Each proposal leads to its table; nothing is done."""
    now = clock.now()
    scope, today = scope_of(person, facility), facility.gaming_day(now)
    own = {table.code for table in scope.of(list(Table.objects.filter(facility=facility)))}
    tables = [hour for hour in table_hours(facility, now) if hour.code in own]
    context = page_context(person, facility, "floor", now) | {
        "proposals": [
            {
                "proposal": proposal,
                "gain_cents": None if proposal.gain_cents is None else whole_dollars(proposal.gain_cents),
                "url": _url(facility.code, proposal),
                "figures_url": reverse("table-figures", args=[facility.code, proposal.table])
                + f"?from={today}&to={today}",
            }
            for proposal in proposals(tables, free_dealers(facility, tables, now), now)
        ],
        "scope": scope,
        "watched": sum(table.is_known for table in tables),
        "open": sum(table.is_open for table in tables),
        "clock": facility.local(now).strftime("%H:%M"),
    }
    return render(request, "tables/advice/page.html", context)


def _url(facility: str, proposal: Proposal) -> str:
    """Where the act of a proposal begins: the request of a fill at the tray, everything else at the table."""
    if proposal.kind == "fill":
        return reverse("tray", args=[facility, proposal.table]) + "?ask=fill"
    return reverse("table", args=[facility, proposal.table])


@require_GET
@opened_by(FLOOR_TABLES)
def occupancy(request: HttpRequest, _person: Person, shown_floor: ShownFloor) -> JsonResponse:
    """For the floor plan: the share of seats with a wager over the rounds of the last hour, by table."""
    facility, now = Facility.objects.get(code=shown_floor.facility), clock.now()
    codes = {code for code, _version in shown_floor.tables.values()}
    hours = [hour for hour in seats_of_last_hour(facility, now) if hour.code in codes]
    return JsonResponse(
        {
            "as_of": now.astimezone(dt.UTC).isoformat(timespec="seconds"),
            "tables": {
                hour.code: {"text": f"{round(100 * hour.occupancy)} %", "level": _level(hour)}
                for hour in hours
                if hour.is_open and hour.rounds
            },
        }
    )


def _level(hour: TableHour) -> str:
    """How the plan draws the occupancy: `full` and `empty` are those of the proposals."""
    if hour.occupancy >= FULL:
        return "full"
    return "empty" if hour.occupancy <= NEARLY_EMPTY else ""


# Signs


@require_GET
@opened_by(SIGN)
def sign_display(request: HttpRequest, table: Table, _person: Person | None) -> HttpResponse:
    """Every sign of a table on one screen, for a display at the table. It listens to the table's socket."""
    state = snapshot.of_table(table.pk)
    facility, code = table.facility.code, table.code
    context = {
        "s": state,
        "screen": fragments.render(sign_station(table), state),
        "urls": {
            "socket": f"/ws/table/{facility}/{code}/sign",
            "screen": reverse("sign-screen", args=[facility, code]),
            "sign_in": reverse("home"),
        },
    }
    return render(request, "tables/sign.html", context)


@require_GET
@opened_by(SIGN)
def sign_screen(request: HttpRequest, table: Table, _person: Person | None) -> JsonResponse:
    """The display's current fragment, for a resync and while no push arrives."""
    return JsonResponse(fragments.screen(sign_station(table), table.pk))


@require_GET
@opened_by(SIGN)
def printed_sign(request: HttpRequest, table: Table, _person: Person | None, kind: str) -> HttpResponse:
    """One sign as it is printed; 422 with the reason where no approved form is in force."""
    state, sign, refusal = _sign(table, kind)
    paper = _sign_paper(state, sign) if sign else None
    context = {
        "s": state,
        "kind": kind,
        "label": SignForm.Kind(kind).label,
        "kinds": [
            (sign_kind, SignForm.Kind(sign_kind).label)
            for sign_kind in (*BOARD_KINDS, "test")
            if form_of(state["signs"], sign_kind) and has_content(state, sign_kind)
        ],
        "sign": sign,
        "paper": paper,
        "lines": pdf.sign_lines(paper) if paper else [],
        "refusal": _refusal(refusal),
    }
    return render(request, "tables/sign_print.html", context, status=422 if refusal else 200)


@require_GET
@opened_by(SIGN)
def sign_as_pdf(request: HttpRequest, table: Table, _person: Person | None, kind: str) -> HttpResponse:
    """One sign as a PDF of one page; 422 with the reason where no approved form is in force."""
    state, sign, refusal = _sign(table, kind)
    if sign is None:
        assert refusal is not None
        return HttpResponse(say(refusal), status=422, content_type="text/plain; charset=utf-8")
    file = pdf.sign_pdf(_sign_paper(state, sign), state["table"]["facility_name"])
    return file_response(file, f"{table.code}-{kind}.pdf")


def _sign(table: Table, kind: str) -> tuple[Snapshot, SignFace | None, Refusal | None]:
    if kind not in KINDS:
        raise Denied
    state = snapshot.of_table(table.pk)
    try:
        verify_form_in_force(table, kind)
        return state, sign(state, kind), None
    except Refusal as refusal:
        return state, None, refusal


def _sign_paper(state: Snapshot, sign: SignFace) -> pdf.SignSheet:
    form = sign["form"]
    approved = f"approved {day_in_words(form['approved_on'])}" if form["approved_on"] else ""
    foot = [
        state["table"]["facility_name"],
        state["table"]["code"],
        f"form {form['version']} {approved}".strip(),
    ]
    return pdf.SignSheet(
        title=f"{SignForm.Kind(sign['kind']).label}, {state['table']['code']}",
        texts=[(text["language"], text["lines"]) for text in sign["texts"]],
        rows=[(line["label"], line["pays"]) for line in sign["odds"]],
        foot=" · ".join([*foot, *([form["reference"]] if form["reference"] else [])]),
        width_mm=form["width_mm"],
        height_mm=form["height_mm"],
    )


def _refusal(refusal: Refusal | None) -> dict[str, str] | None:
    if refusal is None:
        return None
    return {"title": title(refusal), "message": say(refusal), "section": short(refusal.section)}
