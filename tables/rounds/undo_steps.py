"""What Undo can take back at a tablet, read from the record, for a page that is loaded again."""

import json
from collections.abc import Iterable
from typing import NotRequired, TypedDict

from audit.models import Device, Entry
from tables.models import Round, Table
from tables.rounds.entry_types import BETS_CLOSED, WAGERS_PLACED, PlacedWager

SINCE = (WAGERS_PLACED.name, BETS_CLOSED.name)
WagerPlace = tuple[int, str, int]  # seat, code, play or 0


class UndoneWager(TypedDict):
    """One wager of a step: its total in cents before the step and after it."""

    seat: int
    wager: str
    before: int
    after: int
    play: NotRequired[int]


def undo_steps(table: Table, round_: Round | None, device: Device | None) -> list[list[UndoneWager]]:
    """Return the changes of wagers since bets opened, oldest first, that this device may take back.

    Each is an act of this device at wagers that no other device has changed since. An act that took back the one
    before it cancels out with it. Empty once bets have closed, because nothing can be undone then.
    """
    if device is None or round_ is None or round_.ended_at is not None:
        return []
    rows = Entry.objects.filter(stream=table.stream_id, round=round_.number, type__in=SINCE)
    totals: dict[WagerPlace, int] = {}
    steps: list[list[UndoneWager]] = []
    for type_, body in rows.order_by("seq").values_list("type", "body"):
        if type_ == BETS_CLOSED.name:
            steps = []
            continue
        entry = json.loads(bytes(body))
        step = [_change(line, totals) for line in entry["data"]["placed"]]
        if entry["device"] != str(device.pk):
            changed = {_place(line) for line in step}
            steps = [earlier for earlier in steps if changed.isdisjoint(map(_place, earlier))]
        elif steps and _takes_back(step, steps[-1]):
            steps.pop()
        else:
            steps.append(step)
    return steps


def _change(line: PlacedWager, totals: dict[WagerPlace, int]) -> UndoneWager:
    """The change that a line of an entry made. Updates `totals`."""
    place = (line["seat"], line["wager"], line.get("play", 0))
    before, totals[place] = totals.get(place, 0), line["cents"]
    change: UndoneWager = {
        "seat": line["seat"],
        "wager": line["wager"],
        "before": before,
        "after": line["cents"],
    }
    if "play" in line:
        change["play"] = line["play"]
    return change


def _place(line: UndoneWager) -> WagerPlace:
    return line["seat"], line["wager"], line.get("play", 0)


def _takes_back(step: Iterable[UndoneWager], earlier: Iterable[UndoneWager]) -> bool:
    """Whether a step set the wagers of an earlier one back."""
    set_back = {(*_place(line), line["after"], line["before"]) for line in earlier}
    return {(*_place(line), line["before"], line["after"]) for line in step} == set_back
