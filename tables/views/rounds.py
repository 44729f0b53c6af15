"""The pages of a round: its replay, the slips that correct it, and a correction while it is in play.

The replay shows the acts of a round in order, the layout after each, the result of every wager, and the evidence. Of
an Error Notification Slip there is a preview of what it would change, and the slip as a PDF. A correction of the round
in play is previewed before a floorperson signs.
"""

import datetime as dt
import json
from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import NoReverseMatch, reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_GET

from audit import clock
from audit.models import Entry, Person
from games.access import CheckedBy, opened_by
from games.engine import Refusal
from games.kit.files import file_response
from games.kit.searches import Number, Search
from games.models import RulesSubmission
from games.params import Params, malformed
from tables.core.context import TableContext
from tables.core.entries import of_round
from tables.corrections import slip_page
from tables.corrections.before_money import CORRECTION_ACTS, AreaChange, preview
from tables.corrections.settlements import read_correction
from tables.corrections.slip_page import slip_pdf, slip_preview
from tables.desk.desk import DESK, may_export, may_see_desk
from tables.desk.round_paper import disputed_seats
from tables.dice.custody import DICE_LOT_PLACED
from tables.replay.evidence import evidence_of
from tables.replay.history import ReplayStep, RoundHistory, WagerRow, layout_snapshot, timeline_of
from tables.replay.replayed_round import SETTLING_TYPES, ReplayedRound
from tables.rounds.settlement import settled_data
from tables.rules import recorded_submission
from tables.runner.access import CONSOLE, TABLE, TABLE_PAGE, Denied, enrolled_device, table_for, table_of
from tables.screens.layout import result_chips
from tables.words.sentences import say, short, title

from ..models import Round, Slip, Table

MAX_SLIP_CHARACTERS = 16 * 1024
SIGNERS = ("filed_by", "filed_with", "settled_by", "settled_with", "reviewed_by")
MAX_CORRECTION_CHARACTERS = 2 * 1024
A_DAY = dt.timedelta(days=1)
A_MOMENT = dt.timedelta(microseconds=1)


def round_for(request: HttpRequest, facility: str, code: str) -> tuple[Table, Person]:
    """Return the table whose rounds the person may read: with access to its page, or to the facility's desk.

    Raises `SignedOut`, `Locked` or `Denied`.
    """
    try:
        return table_for(request, facility, code, "table")
    except Denied:
        person, desk_facility = DESK.authorize(request, facility)
    return table_of(desk_facility, code), person


class StepQuery(Search):
    """The step of a round that is shown, from 1."""

    step = Number(otherwise=0)


ROUND = CheckedBy(round_for, TABLE)


@require_GET
@opened_by(ROUND)
def replay(request: HttpRequest, table: Table, person: Person, number: int) -> HttpResponse:
    """A round from the record, at the step named by `?step=` (from 1; by default the newest)."""
    entries = of_round(table.stream, number)
    if not entries:
        raise Http404
    history = RoundHistory(table.facility.code, entries, submission=recorded_submission(table.stream_id))
    step = history.steps[_asked(request, history)]
    context = {
        **_frame(request, table, person),
        **_round(table, number, history),
        **_shown(history, step, table),
        "slips": _slips(table, number, person),
    }
    return render(request, "desk/round.html", context)


def _asked(request: HttpRequest, history: RoundHistory) -> int:
    """Return the position of the requested step; without a valid one, that of the last act of play."""
    number = StepQuery(request.GET).values["step"]
    if 1 <= number <= len(history.steps):
        return int(number) - 1
    settling_steps = [step.place for step in history.steps if step.entry.type in SETTLING_TYPES]
    return settling_steps[-1] if settling_steps else len(history.steps) - 1


def _frame(request: HttpRequest, table: Table, person: Person) -> dict[str, Any]:
    """Return what every page has: the facility, the person, and where acts are sent."""
    facility, sees_desk = table.facility, may_see_desk(person, enrolled_device(request))
    return {
        "facility": facility,
        "table": table,
        "section": "record" if sees_desk else "floor",
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
            "print": reverse("desk-act", args=[facility.code, "print_round"]),
        },
    }


def _round(table: Table, number: int, history: RoundHistory) -> dict[str, Any]:
    """Return what is the same at every step: the head, the wagers, and the evidence."""
    first, last = history.steps[0].entry, history.steps[-1].entry
    acts = [step.entry for step in history.steps if step.is_round_act] or [first]
    rules = RulesSubmission.objects.filter(
        facility=table.facility, terms_sha256=history.terms_sha256, code=table.submission_code
    ).first()
    replayed = history.current_round
    return {
        "number": number,
        "replayed": replayed,
        "thrown": list(replayed.game.arranged(replayed.throws[-1])) if replayed and replayed.throws else [],
        "began": dt.datetime.fromisoformat(acts[0].at),
        "ended": dt.datetime.fromisoformat(acts[-1].at),
        "export": {"from": _written(first.at), "to": _written(last.at, A_MOMENT)},
        "history": history,
        "disputed_seats": disputed_seats(history),
        "printed_url": reverse("record-round-pdf", args=[table.facility.code, table.code, number, "0"]),
        "totals": _totals(history.wager_rows),
        "rules": rules,
        "evidence": evidence_of(table.stream, history.entries, _named_by_slips(table, number)),
        "dice": [_lot(table, lot, shaker, acts[0].at) for lot, shaker in history.thrown_with],
    }


def _totals(lines: Sequence[WagerRow]) -> dict[str, int]:
    """Return the totals of the round on the record, in cents."""
    wagers = [wager for wager in lines if wager.outcome != "struck"]
    taken_cents = sum(wager.stake_cents for wager in wagers if wager.outcome in ("lose", "fee"))
    paid = sum(wager.paid_cents for wager in wagers)
    return {
        "count": len(wagers),
        "staked": sum(wager.stake_cents for wager in wagers),
        "taken": taken_cents,
        "paid": paid,
        "returned": sum(wager.returned_cents for wager in wagers),
        "win": taken_cents - paid,
    }


def _lot(table: Table, lot: str, shaker: str, began_at: str) -> dict[str, Any]:
    """Return a lot that was thrown, with its time in play when the round began."""
    placed = Entry.objects.filter(stream=table.stream, type=DICE_LOT_PLACED.name, lot=lot, at__lte=began_at)
    since = placed.order_by("-seq").values_list("at", flat=True).first()
    used = dt.datetime.fromisoformat(began_at) - since if since else None
    return {
        "lot": lot,
        "shaker": shaker,
        "used": used.total_seconds() if used is not None else None,
        "url": address("dice-lot", table.facility.code, lot),
    }


def _shown(history: RoundHistory, step: ReplayStep, table: Table) -> dict[str, Any]:
    """Return what changes with the step: the layout, and the position in the round."""
    replayed: ReplayedRound | None = history.round_after(step.place)
    count = len(history.steps)
    return {
        "step": step,
        "moment": dt.datetime.fromisoformat(step.entry.at),
        "s": layout_snapshot(replayed, table.seats) if replayed and replayed.has_begun else None,
        "steps": [
            (step, entry_address(table, step.entry.seq), dt.datetime.fromisoformat(step.entry.at))
            for step in history.steps
        ],
        "step_numbers": {
            "first": 1 if step.place else None,
            "before": step.place or None,
            "after": step.place + 2 if step.place + 1 < count else None,
            "last": count if step.place + 1 < count else None,
        },
        "timeline": timeline_of(history.steps, step.place),
    }


def _named_by_slips(table: Table, number: int) -> set[int]:
    """Return the sequence numbers of the entries that the slips of a round name."""
    slips = Slip.objects.filter(table=table, round__number=number).values_list("filed_seq", "settled_seq")
    return {seq for seqs in slips for seq in seqs if seq}


def _slips(table: Table, number: int, person: Person) -> slip_page.SlipPanel | None:
    row = Round.objects.filter(table=table, number=number).select_related("table", "submission").first()
    return slip_page.slip_panel(table, row, person) if row is not None else None


def entry_address(table: Table, seq: int) -> str:
    """Return the URL of an entry at the desk; empty without a desk."""
    return address("record-entry", table.facility.code, table.code, seq)


def address(name: str, *args: Any) -> str:
    """Return the URL of a page; empty where this installation does not have it."""
    try:
        return reverse(name, args=args)
    except NoReverseMatch:
        return ""


def _written(moment: str, later: dt.timedelta = dt.timedelta()) -> str:
    return clock.format_moment(dt.datetime.fromisoformat(moment) + later)


# Slips


@require_GET
@opened_by(TABLE_PAGE)
def preview_slip(request: HttpRequest, table: Table, person: Person, number: int) -> HttpResponse:
    """A fragment for the dialog. `said` holds the params of `file_slip`, without reason and signatures.

    422 with the refusal where the slip could not be filed. Changes nothing.
    """
    rounds = Round.objects.filter(table=table, number=number)
    round_ = rounds.select_related("table__facility", "submission").first() if number < 2**31 else None
    if round_ is None:
        raise Denied
    ctx = TableContext(table, person, None, None, clock.displayed_moment(table.stream, clock.now()))
    try:
        params = _slip_params(request)
        correction = read_correction(ctx, round_, params, "", settled_data)
        params.reject_unknown()
    except Refusal as refusal:
        refused = {"title": title(refusal), "message": say(refusal), "section": short(refusal.section)}
        return render(request, "tables/slips/preview.html", {"refusal": refused}, status=422)
    return render(request, "tables/slips/preview.html", slip_preview(table, round_, correction))


@require_GET
@opened_by(ROUND)
def printed_slip(request: HttpRequest, table: Table, _person: Person, number: int) -> HttpResponse:
    """A slip of this table on paper, for those who may read the table's rounds."""
    slips = Slip.objects.filter(table=table, number=number) if number < 2**31 else Slip.objects.none()
    slip = slips.select_related("table__facility", "round__submission", *SIGNERS).first()
    if slip is None:
        raise Denied
    return file_response(slip_pdf(slip), f"{table.code}-{slip.code}.pdf", inline=True)


def _slip_params(request: HttpRequest) -> Params:
    text = request.GET.get("said", "")
    try:
        return Params(json.loads(text[: MAX_SLIP_CHARACTERS + 1]))
    except (ValueError, RecursionError):
        raise malformed("said") from None


# Corrections


class DrawnChange(AreaChange):
    """An area that changes, with its chips as HTML."""

    chips: SafeString
    struck_chips: SafeString


@require_GET
@opened_by(CONSOLE)
def correction(request: HttpRequest, table: Table, person: Person) -> HttpResponse:
    """A fragment for the dialog: `act`, and the params of that act in `params`, without reason and signature.

    422 with the refusal where the correction is not possible. Changes nothing.
    """
    ctx = TableContext(table, person, None, None, clock.displayed_moment(table.stream, clock.now()))
    try:
        act = Params({"act": request.GET.get("act", "")}).choice("act", CORRECTION_ACTS)
        params = _correction_params(request)
        changes = preview(ctx, act, params)
        params.reject_unknown()
    except Refusal as refusal:
        refused = {"title": title(refusal), "message": say(refusal), "section": short(refusal.section)}
        return render(request, "tables/corrections/preview.html", {"refusal": refused}, status=422)
    context = {"changes": changes, "areas": [_drawn(ctx, area) for area in changes["areas"]]}
    return render(request, "tables/corrections/preview.html", context)


def _drawn(ctx: TableContext, area: AreaChange) -> DrawnChange:
    """Draw the chips of an area as the felt draws them."""
    game, family = ctx.table.game, area["wager"].partition(":")[0]
    return {
        **area,
        "chips": result_chips(game, family, area["owners"]),
        "struck_chips": result_chips(game, family, area["struck"]),
    }


def _correction_params(request: HttpRequest) -> Params:
    text = request.GET.get("params", "")
    try:
        return Params(json.loads(text[: MAX_CORRECTION_CHARACTERS + 1]))
    except (ValueError, RecursionError):
        raise malformed("params") from None
