"""What a dice reader or an automated shaker needs beside `post_reading` (`acts.py`): whether it is its turn, and a
heartbeat.

A reader that is silent for half a minute raises an alert at its table (`tables.dice.readings`).
"""

import datetime as dt

from ninja import Router
from pydantic import Field

from audit import clock
from tables.api.access import ApiRequest, needs
from tables.api.acts import note_heard
from tables.api.app import Shape
from tables.core.context import TableContext, read_play
from tables.models import Table

router = Router(tags=["Readings"])


class ReaderTurn(Shape):
    """Whether a reading is wanted at a table, and of which throw it would be."""

    now: dt.datetime = Field(description="the server's time, by which a reader sets its clock")
    round: int | None = Field(description="number of the round in play; null between rounds")
    throw: int | None = Field(
        description="number of the next throw of this round, from 1; null between rounds"
    )
    wanted: bool = Field(description="whether the dice are to be called now: post what you read")
    reading: int | None = Field(
        description="the number of the reading that waits for the call; null without one"
    )


class Heard(Shape):
    """The server's time, by which a machine sets its clock."""

    now: dt.datetime


@router.get(
    "/facilities/{slug:facility}/tables/{code:table}/readings/turn",
    auth=needs("readings"),
    response=ReaderTurn,
)
def read_turn(request: ApiRequest, facility: str, table: str) -> object:
    """Whether the dice of a table are to be read now. Says nothing of wagers or dice."""
    here = request.caller.table(facility, table)
    note_heard(request.caller.device)
    return _turn(here)


@router.post("/heartbeat", auth=needs("acts", "readings", "signs"), response=Heard)
def heartbeat(request: ApiRequest) -> object:
    """Say that the machine is there, every ten seconds. A dice reader that is silent raises an alert at its table."""
    note_heard(request.caller.device)
    return Heard(now=clock.now())


def _turn(table: Table) -> ReaderTurn:
    play = read_play(table)[0]
    ctx = TableContext(table, None, None, None, play.now, play)
    round_ = play.round
    if round_ is None:
        return ReaderTurn(now=play.now, round=None, throw=None, wanted=False, reading=None)
    return ReaderTurn(
        now=play.now,
        round=round_.number,
        throw=round_.last_throw + 1,
        wanted="call_dice" in ctx.game.legal_acts(ctx.state),
        reading=round_.reading["number"] if round_.reading is not None else None,
    )
