"""The chips that go back after a round without a result, until the dealer confirms them as handed back.

The end of the round states what every seat gets back. That the chips were handed over is a second statement
(`return_wagers`). Screens offer the next round only after it, but no act is refused without it: a table whose tablet
failed continues, and the chips of the earlier round are then no longer shown.
"""

import datetime as dt
import uuid
from collections import defaultdict
from functools import lru_cache
from typing import Annotated, NamedTuple

from django.db.models import F

from audit.entry_types import entry_type
from games.act_forms import Seats, whole
from games.engine import Refusal, RefusalCode
from games.engine.rounds import EndedPhase
from games.engine.wagers import RETURN
from games.snapshot_types import NextStep, Returning, ReturnSeat, RibbonStep, Snapshot
from tables.core.context import TableContext
from tables.core.duty import AT_THE_TABLE
from tables.models import Round, Settlement, Table
from tables.rounds.live_round import labels
from tables.rounds.no_rolls import end_reason_text
from tables.runner.table import ActOutcome, act
from tables.words import overtaken_by
from tables.words.sentences import dollars, moment, seats_words, short

NOTHING_TO_RETURN = RefusalCode(
    "nothing-to-return",
    "No wagers of round %(round)s are left to return.",
    "Nothing to return",
)


# What the record says of it


@entry_type("wagers.returned")
def WAGERS_RETURNED(
    *,
    returned_cents: Annotated[
        int, "the stakes that went back to these seats, with fees that were paid before"
    ],
    round: Annotated[int, "the round that ended without a result"],
    seats: list[int],
) -> str:
    """The chips of a round without a result were handed back at these seats."""
    return "Returned %(sum)s to %(seats)s" % {"sum": dollars(returned_cents), "seats": seats_words(seats)}


overtaken_by(NOTHING_TO_RETURN, WAGERS_RETURNED)


# What goes back


class ReturnedWager(NamedTuple):
    """A wager that goes back, with its round and the throw that ended it. `play` is 0 for a wager without one."""

    seat: int
    code: str
    play: int
    cents: int
    cite: str
    reason: str
    called_at: dt.datetime
    round_id: int
    phase: EndedPhase
    returned_seats: list[int] | None


@lru_cache(maxsize=1024)
def _returned_wagers(
    uid: uuid.UUID, incarnation: int, table_id: int, number: int, status_seq: int
) -> tuple[ReturnedWager, ...]:
    """Read once: the end of a round and each confirmation change `status_seq`.

    A restored record of another `incarnation` reaches the same numbers with other wagers.
    """
    return _read(table_id, number)


def _read(table_id: int, number: int) -> tuple[ReturnedWager, ...]:
    rows = Settlement.objects.filter(
        wager__round__table=table_id,
        wager__round__number=number,
        throw__number=F("wager__round__last_throw"),
        outcome=RETURN,
    )
    columns = (
        "wager__seat",
        "wager__code",
        "wager__play",
        "returned_cents",
        "cite",
        "throw__void_reason",
        "throw__called_at",
        "throw__round_id",
        "throw__round__phase",
        "throw__round__returned_seats",
    )
    return tuple(ReturnedWager(*row) for row in rows.order_by("pk").values_list(*columns))


def read_returned_wagers(table: Table, number: int) -> tuple[ReturnedWager, ...]:
    """Return the wagers that go back after a round without a result; () if there are none.

    Older rounds, whose chips nobody confirmed, have no `returned_seats`.
    """
    wagers = _read(table.pk, number)
    return wagers if wagers and wagers[0].returned_seats is not None else ()


def write_returned_seats(round_id: int, seats: list[int]) -> None:
    """Write the seats whose wagers went back. The caller holds the table's lock."""
    Round.objects.filter(pk=round_id).update(returned_seats=seats)


# The act


@act(roles=AT_THE_TABLE, depends_on="nothing")
def return_wagers(
    ctx: TableContext, *, round_: Annotated[int, whole(1, 2**31 - 1)], seats: Seats = ()
) -> ActOutcome:
    """Record that the wagers of the newest round, which has no result, were handed back.

    `seats` are those that have their chips; without any, all that are left. The table may have ceased gaming meanwhile.
    Raises `nothing-to-return` for a seat without chips to return, and once the next round has begun.
    """
    is_newest = ctx.round is None and round_ == ctx.table.last_round
    wagers = read_returned_wagers(ctx.table, round_) if is_newest else ()
    returned = set(wagers[0].returned_seats or ()) if wagers else set()
    waiting = {wager.seat for wager in wagers} - returned
    handed_back = set(seats) or waiting
    if not handed_back or not handed_back <= waiting:
        raise Refusal(NOTHING_TO_RETURN, round=round_)
    write_returned_seats(wagers[0].round_id, sorted(returned | handed_back))
    cents = sum(wager.cents for wager in wagers if wager.seat in handed_back)
    entry = WAGERS_RETURNED(round=round_, seats=sorted(handed_back), returned_cents=cents)
    return ActOutcome(entry, {"round": round_}, changes="table")


# What begins the next round: not offered while chips go back.
OF_THE_NEXT_ROUND = ("place_wagers", "offer_dice", "draw_dice", "throw_dice", "shake", "no_more_bets")
WITHOUT_RESULT: tuple[EndedPhase, ...] = ("no-roll", "void")


# What screens show of it


def returning(ctx: TableContext, newest: EndedPhase | None) -> Returning | None:
    """Return what goes back at this table now; None once all of it did, or while a round is in play.

    `newest` is how the newest round ended. A closed table shows nothing: its layout is bare.
    """
    table = ctx.table
    if ctx.round is not None or newest not in WITHOUT_RESULT or table.status == Table.Status.CLOSED:
        return None
    wagers = _returned_wagers(table.uid, ctx.play.incarnation, table.pk, table.last_round, table.status_seq)
    if not wagers or wagers[0].returned_seats is None:
        return None
    returned = set(wagers[0].returned_seats)
    seats = _seats(ctx, wagers, returned)
    if all(seat["done"] for seat in seats):
        return None
    first = wagers[0]
    return {
        "round": table.last_round,
        "ending": first.phase,
        "why": end_reason_text(first.reason),
        "section": short(first.cite),
        "at": moment(first.called_at),
        "count": len(wagers),
        "cents": sum(seat["cents"] for seat in seats),
        "returned_cents": sum(seat["cents"] for seat in seats if seat["done"]),
        "seats": seats,
    }


def _seats(ctx: TableContext, wagers: tuple[ReturnedWager, ...], returned: set[int]) -> list[ReturnSeat]:
    names = labels(ctx.rules)
    places = {code: place for place, code in enumerate(names)}
    by_seat: dict[int, list[ReturnedWager]] = defaultdict(list)
    for wager in sorted(wagers, key=lambda wager: (places.get(wager.code, len(places)), wager.play)):
        by_seat[wager.seat].append(wager)
    return [
        {
            "seat": seat,
            "done": seat in returned,
            "cents": sum(wager.cents for wager in lines),
            "lines": [
                {
                    "wager": wager.code,
                    "label": names.get(wager.code, wager.code),
                    "play": wager.play or None,
                    "cents": wager.cents,
                }
                for wager in lines
            ],
        }
        for seat, lines in sorted(by_seat.items())
    ]


def with_returning(snapshot: Snapshot, back: Returning) -> Snapshot:
    """Return the snapshot of a table whose chips go back: the next step returns them, and no new round is offered."""
    next_step: NextStep = {
        "act": "return_wagers",
        "label": "Returned all",
        "say": f"{_seats_left(back)}, {dollars(back['cents'] - back['returned_cents'])}",
        "params": {"round": back["round"]},
        "dice": None,
    }
    ended = "No roll" if back["ending"] == "no-roll" else "Void"
    following: RibbonStep = {
        "key": "placement",
        "label": f"Round {snapshot['round']['number']}",
        "state": "todo",
    }
    if snapshot["ceased"]:  # no round opens before the repair
        following = {"key": "repair", "label": "Repair", "state": "todo"}
    steps: list[RibbonStep] = [
        {"key": back["ending"], "label": ended, "state": "done"},
        {"key": "return", "label": "Return", "state": "now"},
        following,
    ]
    offers = [name for name in snapshot["offers"] if name not in OF_THE_NEXT_ROUND]
    return {
        **snapshot,
        "returning": back,
        "round": {**snapshot["round"], "bets_open": False, "steps": steps},
        "next": next_step,
        "missing": None,
        "instruction": {"text": "Hand every wager back, seat by seat.", "section": back["section"]},
        "offers": ["return_wagers", *offers],
        "ahead": [],
    }


def _seats_left(back: Returning) -> str:
    count = sum(not seat["done"] for seat in back["seats"])
    return "1 seat" if count == 1 else f"{count} seats"
