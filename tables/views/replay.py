"""The replay of a round: its acts in order, the layout after each, the result of every wager, and the evidence."""

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
from tables.corrections import slip_page
from tables.desk.desk import authorize_desk, may_export, may_see_desk
from tables.desk.round_paper import disputed_seats
from tables.dice.custody import DICE_LOT_PLACED
from tables.replay.evidence import evidence_of
from tables.replay.history import ReplayStep, RoundHistory, WagerRow, layout_snapshot, timeline_of
from tables.replay.replayed_round import SETTLING_TYPES, ReplayedRound
from tables.rules import recorded_submission
from tables.runner.access import Denied, enrolled_device, table_for

from ..models import Round, Slip, Table

A_DAY = dt.timedelta(days=1)
A_MOMENT = dt.timedelta(microseconds=1)


@require_GET
def replay(request: HttpRequest, facility: str, table: str, number: int) -> HttpResponse:
    """A round from the record, at the step named by `?step=` (from 1; by default the newest)."""
    table_, person = table_of(request, facility, table)
    entries = of_round(table_.stream, number)
    if not entries:
        raise Http404
    history = RoundHistory(facility, entries, submission=recorded_submission(table_.stream_id))
    step = history.steps[_asked(request, history)]
    context = {
        **_frame(request, table_, person),
        **_round(table_, number, history),
        **_shown(history, step, table_),
        "slips": _slips(table_, number, person),
    }
    return render(request, "desk/round.html", context)


def table_of(request: HttpRequest, facility: str, code: str) -> tuple[Table, Person]:
    """Return the table whose rounds the person may read: with access to its page, or to the facility's desk.

    Raises `SignedOut`, `Locked` or `Denied`.
    """
    try:
        return table_for(request, facility, code, "table")
    except Denied:
        person, house = authorize_desk(request, facility)
    table = Table.objects.select_related("facility", "stream").filter(facility=house, code=code).first()
    if table is None:
        raise Denied
    return table, person


def _asked(request: HttpRequest, history: RoundHistory) -> int:
    """Return the position of the requested step; without a valid one, that of the last act of play."""
    text = request.GET.get("step", "")
    if text.isascii() and text.isdigit() and len(text) < 6 and 1 <= int(text) <= len(history.steps):
        return int(text) - 1
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
