"""Rounds: how each was dealt and settled, and why; and the wagers of all rounds."""

import datetime as dt
from typing import Any

from ninja import Query, Router
from pydantic import Field

from games.engine.wagers import Reason
from games.wording import reason_text
from tables.api.access import ApiRequest, needs
from tables.api.app import Page, Shape, not_found
from tables.api.paging import PlayQuery
from tables.models import Round, Settlement, Throw, Wager

router = Router(tags=["Rounds"])
MOST_NUMBER = 2**31 - 1  # that the column of a round's number holds


class RoundShape(Shape):
    """A round, and what it came to. It counts on its own gaming day; a slip may correct it later (scope `money`)."""

    table: str
    number: int
    gaming_day: dt.date
    submission: str = Field(
        description="the version of the rules under which it was dealt, such as RS-0009.1"
    )
    phase: str
    ending: str = Field(description="how it ended: settled, void, …; empty while it is in play")
    by_hand: bool = Field(description="whether it was settled by hand, after a device had failed")
    opened_at: dt.datetime
    ended_at: dt.datetime | None = Field(description="null while it is in play")
    wagered_cents: int
    taken_cents: int
    paid_cents: int


class ThrowShape(Shape):
    """Dice as called. A correction is a new revision, and the one before stays."""

    number: int
    revision: int = Field(description="1, and one more for each correction")
    dice: list[int]
    void_reason: str = Field(description="why the throw is void; empty for a valid one")
    lot: str | None
    shaker: str | None
    called_at: dt.datetime


class WagerShape(Shape):
    """The total of a seat on one wager of a round. Seats have numbers; nobody is named."""

    table: str
    round: int
    seat: int
    code: str
    play: int | None = Field(description="the play that a single play wager is made on; null for others")
    cents: int = Field(description="the amount, in cents")
    made_in: str = Field(description="chips or plaques")
    flag: str = Field(
        description="under-min or over-max for one outside the limits, which is settled in full"
    )
    struck: bool = Field(description="whether it was recorded by mistake, and counts nothing")


class SettlementShape(Shape):
    """How one wager was settled by one throw."""

    throw: int
    revision: int
    place: int = Field(description="position in the order of settlement, from 0")
    seat: int
    code: str
    play: int | None
    cents: int = Field(description="the stake that was settled, in cents")
    outcome: str = Field(description="win, lose, return or fee")
    pays: str = Field(description="the odds, such as `6 to 1`; empty without a win")
    paid_cents: int = Field(description="winnings without the stake")
    returned_cents: int = Field(description="what went back of the stake")
    cite: str = Field(description="the section behind the outcome")
    why: str = Field(description="the reason, in words; empty where none was recorded")


class WholeRoundShape(RoundShape):
    """A round with its throws, wagers and settlements."""

    throws: list[ThrowShape]
    wagers: list[WagerShape]
    settlements: list[SettlementShape]


@router.get("/facilities/{slug:facility}/rounds", auth=needs("floor"), response=Page[RoundShape])
def list_rounds(request: ApiRequest, facility: str, query: Query[PlayQuery]) -> object:
    """Rounds, of one table or of all."""
    rows = Round.objects.select_related("table", "submission")
    return query.page(request.caller, facility, rows, lambda row: RoundShape(**_round(row)))


@router.get(
    "/facilities/{slug:facility}/tables/{code:table}/rounds/{int:number}",
    auth=needs("floor"),
    response=WholeRoundShape,
)
def read_round(request: ApiRequest, facility: str, table: str, number: int) -> object:
    """One round, with its throws, wagers and settlements."""
    row = request.caller.table(facility, table)
    rounds = Round.objects.select_related("table", "submission").filter(table=row)
    round_ = rounds.filter(number=number).first() if number <= MOST_NUMBER else None
    if round_ is None:
        raise not_found("round")
    throws = Throw.objects.filter(round=round_).select_related("lot", "shaker").order_by("number", "revision")
    settlements = Settlement.objects.filter(wager__round=round_).select_related("throw", "wager")
    wagers = Wager.objects.filter(round=round_).select_related("round__table").order_by("pk")
    return WholeRoundShape(
        **_round(round_),
        throws=[_throw_shape(throw) for throw in throws],
        wagers=[_wager_shape(wager) for wager in wagers],
        settlements=[
            _settlement_shape(settlement)
            for settlement in settlements.order_by("throw__number", "throw__revision", "place")
        ],
    )


@router.get("/facilities/{slug:facility}/wagers", auth=needs("floor"), response=Page[WagerShape])
def list_wagers(request: ApiRequest, facility: str, query: Query[PlayQuery]) -> object:
    """Wagers of rounds that have ended."""
    rows = Wager.objects.select_related("round__table").filter(round__ended_at__isnull=False)
    return query.page(
        request.caller, facility, rows, _wager_shape, table="round__table", gaming_day="round__gaming_day"
    )


def _round(row: Round) -> dict[str, Any]:
    return {
        "table": row.table.code,
        "number": row.number,
        "gaming_day": row.gaming_day,
        "submission": f"{row.submission.code}.{row.submission.version}",
        "phase": row.phase,
        "ending": row.ending,
        "by_hand": row.by_hand,
        "opened_at": row.opened_at,
        "ended_at": row.ended_at,
        "wagered_cents": row.wagered_cents,
        "taken_cents": row.taken_cents,
        "paid_cents": row.paid_cents,
    }


def _throw_shape(row: Throw) -> ThrowShape:
    return ThrowShape(
        number=row.number,
        revision=row.revision,
        dice=row.dice,
        void_reason=row.void_reason,
        lot=row.lot.code if row.lot else None,
        shaker=row.shaker.code if row.shaker else None,
        called_at=row.called_at,
    )


def _wager_shape(row: Wager) -> WagerShape:
    return WagerShape(
        table=row.round.table.code,
        round=row.round.number,
        seat=row.seat,
        code=row.code,
        play=row.play or None,
        cents=row.cents,
        made_in=row.made_in,
        flag=row.flag,
        struck=row.struck,
    )


def _settlement_shape(row: Settlement) -> SettlementShape:
    return SettlementShape(
        throw=row.throw.number,
        revision=row.throw.revision,
        place=row.place,
        seat=row.wager.seat,
        code=row.wager.code,
        play=row.wager.play or None,
        cents=row.cents,
        outcome=row.outcome,
        pays=row.pays,
        paid_cents=row.paid_cents,
        returned_cents=row.returned_cents,
        cite=row.cite,
        why=reason_text(Reason(row.why["code"], row.why["params"])) if row.why else "",
    )
