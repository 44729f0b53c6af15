"""The live round: how it begins, moves on and ends, and the acts that a single game has.

1. The first wager or shake begins a round (`ensure_round`), with a person at every post and under approvals that are in
   effect. It pins the rules and limits that hold from then on.
2. Each act asks the engine for the next state and saves it (`advance`). The state that has ended ends the round: seats
   of players who left become free, the tray counts the round, and what a topic above declared is done (`at_the_end`).

The acts themselves: `wagers` and seats, `play` in the order of the edition, `no_rolls` without a result and `returns`
of the chips after one. A throw is written and settled by `settlement`; what screens show of it is in `views`. The acts
that one game alone has (`games.game_acts`) are registered here, at the tables that deal it.
"""

import datetime as dt
import json
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from audit.columns import FACILITY, NONE, PLACE, Body, Rows, declare
from audit.entries import STREAM_CLOSED
from audit.models import Entry
from audit.rows import insert
from audit.runner import ClaimedTap
from games.engine import Refusal, RefusalCode, RoundState
from games.engine.wagers import RETURN, STEPS_A_THROW, Settled
from games.game_acts import GameAct, Play, game_acts
from games.office.submissions.gate import verify_minimum
from tables.core import posts
from tables.core.alerts import AlertKind, Level, raise_alert
from tables.core.context import TableContext
from tables.core.duty import AT_THE_TABLE
from tables.core.seats import leave_after_round, take_seats
from tables.equipment.approvals import Equipment
from tables.limits import apply_when_due
from tables.models import Round, Settlement, Table, Throw, Wager
from tables.money.tray import add_ended_round, verify_chips_may_move
from tables.players.ratings import end_with_seats
from tables.rules import record_change, verify_acknowledged, verify_game_not_suspended, verify_terms_approved
from tables.runner.table import ActOutcome, act
from tables.staffing.supervision import SUPERVISION_ASSIGNED, SUPERVISION_TAKEN
from tables.words import line, register
from tables.words.sentences import seats_words

NO_ROUND = RefusalCode("no-round", "No round is in play. It begins with the first wager or shake.")


# 1. Begin the round, or continue it


def ensure_round(ctx: TableContext, *, though_ceased: bool = False) -> Round:
    """Return the live round, opened now if this is its first act. Refuses at a table that is not open.

    Play begins and continues only with a person at every post. A round begins only under approvals that are in effect:
    one that ends or is withdrawn in the middle of a round lets that round end. A round that was played before gaming
    ceased (`though_ceased`) is only recorded, so neither is checked.
    """
    if ctx.round is None:
        verify_chips_may_move(ctx)
        if not (though_ceased and ctx.table.status == Table.Status.CEASED):
            ctx.verify_open()
        ctx.verify_dice_for_a_round()
        ctx.verify_shaker_filed()
    if not though_ceased:
        posts.verify_staffed_in_play(ctx)
    if ctx.round is None:
        if not though_ceased:
            verify_game_not_suspended(ctx)
            Equipment(ctx).verify_approved()
        ctx.round = _open_round(ctx, though_ceased=though_ceased)
        ctx.all_wagers, ctx.throws = [], []
    return ctx.round


def _open_round(ctx: TableContext, *, though_ceased: bool) -> Round:
    """Open the next round under the limits and rules that hold from now on, which the record shows as approved.

    The payout limit's floor (A30) is checked once more: a minimum raised at the table and a limit approved in the
    office at the same moment would each have passed without the other.
    """
    verify_terms_approved(ctx)
    if not though_ceased:
        verify_acknowledged(ctx)
    apply_when_due(ctx)
    record_change(ctx)
    if not though_ceased:
        verify_minimum(ctx.rules, ctx.table.min_cents)
    number = ctx.table.last_round + 1
    ctx.change_table(last_round=number)
    submission, state = ctx.submission, ctx.state
    round_ = Round(
        table=ctx.table,
        submission=submission,
        number=number,
        gaming_day=ctx.gaming_day,
        shaker_kind=ctx.shaker_kind,
        phase=state.phase,
        quarterback=state.quarterback,
        offered=state.offered,
        opened_at=ctx.now,
    )
    insert(round_)
    return round_


# 2. Move the round on, and end it


EndOfRound = Callable[[TableContext], None]
AT_THE_END: list[EndOfRound] = []


def at_the_end(do: EndOfRound) -> EndOfRound:
    """Declare what a topic above this one does whenever a round ends, under the table's lock."""
    AT_THE_END.append(do)
    return do


def require_round(ctx: TableContext) -> Round:
    """The live round. Raises `no-round`, or the refusal of a table that is not open."""
    if ctx.round is None:
        ctx.verify_open()
        raise Refusal(NO_ROUND)
    return ctx.round


def advance(ctx: TableContext, state: RoundState, **values: Any) -> None:
    """Save the round's new state and other changed fields, and end the round if the state has ended."""
    assert ctx.round is not None
    if ctx.tap is not None and _takes_wagers(ctx, ctx.state) and not _takes_wagers(ctx, state):
        report_late_wagers(ctx, ctx.round, ctx.tap)
    values_by_field = {
        "phase": state.phase,
        "paid_seats": sorted(state.paid_seats),
        "paid_areas": sorted(map(list, state.paid_areas)),
        "step": state.step,
        "quarterback": state.quarterback,
        "offered": state.offered,
        **values,
    }
    ctx.change_round(
        **{name: value for name, value in values_by_field.items() if getattr(ctx.round, name) != value}
    )
    if state.ended:
        end_with_seats(ctx, leave_after_round(ctx, {wager.seat for wager in state.wagers}))
        ctx.change_round(ended_at=ctx.now, ending=state.phase if state.returned_for else state.result.ending)
        if any(wager.outcome == RETURN for wager in state.settled) and state.returned_for:
            ctx.change_round(returned_seats=[])
        add_ended_round(ctx)
        for do in AT_THE_END:
            do(ctx)
        quarterback, offered = ctx.game.next_quarterback(state)
        if (quarterback, offered) != (ctx.table.quarterback, ctx.table.offered):
            ctx.change_table(quarterback=quarterback, offered=offered)
        record_change(ctx)


def _takes_wagers(ctx: TableContext, state: RoundState) -> bool:
    return "place_wagers" in ctx.game.legal_acts(state)


def newly_settled(state: RoundState) -> tuple[Settled, ...]:
    """The wagers that the newest throw settled. The first throw includes the fees collected before it."""
    first = STEPS_A_THROW * len(state.throws) if len(state.throws) > 1 else 0
    return tuple(wager for wager in state.settled if wager.step >= first)


def round_answer(round_: Round) -> dict[str, Any]:
    """The data of the response to an act on the round."""
    return {"round": round_.number, "phase": round_.phase}


# Wagers that another tablet took after bets were closed


def describe_late_wagers(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the title and the text of the alert about wagers that another tablet took too late."""
    title = "Wagers after bets were closed, %s" % seats_words(params["seats"])
    text = (
        "Round %(round)s: bets were closed at a tablet that had no line for %(seconds)s s. What other tablets "
        "took meanwhile counts. Look at it with surveillance before it is paid."
    )
    return title, text % params


LATE_WAGERS = AlertKind(
    "late-wagers",
    "late-wagers:{round}:{cause}",
    Level.WARN,
    "Wagers after bets were closed",
    "",
    describe=describe_late_wagers,
    ends_when_acknowledged=True,
)


def report_late_wagers(ctx: TableContext, round_: Round, tap: ClaimedTap) -> None:
    """Raise an alert if other tablets took wagers while the closing of the bets waited on this one.

    Both tablets are believed about how long an act waited there: what was tapped before is not late, whenever it came.
    """
    closed_at = ctx.now - dt.timedelta(milliseconds=tap.waited_ms)
    device = str(ctx.device.pk) if ctx.device is not None else None
    seats: set[int] = set()
    placed = Entry.objects.filter(
        stream=ctx.stream, type="wagers.placed", round=round_.number, at__gt=closed_at
    )
    for entry in placed:
        body = json.loads(bytes(entry.body))
        waited_ms = body["data"].get("device_claim", {}).get("waited_ms", 0)
        if body["device"] != device and entry.at - dt.timedelta(milliseconds=waited_ms) > closed_at:
            seats |= {wager["seat"] for wager in body["data"]["placed"]}
    if seats:
        seconds, cause = tap.waited_ms // 1_000, ctx.stream.seq + 1  # the number of the act's entry
        raise_alert(
            ctx,
            LATE_WAGERS.expected(
                ctx.table.pk, cause=cause, round=round_.number, seconds=seconds, seats=sorted(seats)
            ),
        )


# The acts of a single game


def _at_a_table(declared: GameAct[Any]) -> Callable[..., ActOutcome]:
    """The act at a table, with the name, the docstring and the parameters of the declared one.

    Raises what the act of the game does, `act-of-another-game`, and what beginning a round does, or `no-round`.
    """

    @wraps(declared.do)
    def do(ctx: TableContext, **values: Any) -> ActOutcome:
        game = ctx.game_as(declared.game)
        round_ = ensure_round(ctx) if declared.begins_round else require_round(ctx)
        lot = ctx.verify_dice_in_time()[0] if declared.throws_dice else ctx.lot
        play = Play(
            game, ctx.state, round_.number, round_.last_throw, round_.wagered_cents, lot.code if lot else None
        )
        played = declared.do(play, **values)
        advance(ctx, played.state)
        if played.takes:
            take_seats(ctx, set(played.takes))
        return ActOutcome(played.entry, round_answer(round_), "phase")

    return do


for _declared in game_acts():
    act(roles=AT_THE_TABLE, witness=_declared.may_be_signed, is_all_in_context=True)(_at_a_table(_declared))
register(act_lines=[line(_declared.entry, _declared.line) for _declared in game_acts()])


# What is known of the columns: most are compared with the entries by the check of play


PLAY = "tables.replay.play_tables.check_play_tables"
MONEY = "tables.money.record_checks.check_money"
CORRECTIONS = "tables.corrections.slips.check_tray_corrections"
PLAYERS = "tables.players.record_checks.check_players"
POST = "who is at a post now, and since when; the entries about posts say who dealt which round"
NOW = "where play is now: every act checks and writes it, and the round's entries say how it ended"


def of(names: str, about: str) -> dict[str, str]:
    """The same about each of these columns."""
    return dict.fromkeys(names.split(), about)


def moved(rows: Rows, body: Body) -> None:
    data = body["data"]
    rows.put(body, FACILITY(body), data["table"], pit=data["pit"], submission_code=data["submission"])


def opened(rows: Rows, body: Body) -> None:
    rows.put(body, FACILITY(body), PLACE(body), floorperson=body["data"]["floorperson"])


def closed(rows: Rows, body: Body) -> None:
    rows.put(body, FACILITY(body), PLACE(body), closed_at=body["at"])


def stream_closed(rows: Rows, body: Body) -> None:
    """Nobody supervises a table whose stream was closed; the table that continues it is another row."""
    facility, _, table = body["data"]["stream"].partition("/")
    if rows.get(facility, table) is not None:
        rows.put(body, facility, table, floorperson=None)


declare(
    Table,
    "table",
    may_be_seeded=True,
    key={"facility": FACILITY, "code": PLACE},
    created={
        "table.made": {
            **{name: name for name in ("kind", "game", "seats", "pit")},
            "submission_code": "submission",
            "closed_at": NONE,
        }
    },
    changed={
        SUPERVISION_TAKEN: {"floorperson": "floorperson"},
        SUPERVISION_ASSIGNED: {"floorperson": "floorperson"},
    },
    folded={
        "table.moved": moved,
        "table.opened": opened,
        "table.closed": closed,
        STREAM_CLOSED: stream_closed,
    },
    derived={
        **of("stream min_cents max_cents halted_at last_round last_slip", PLAY),
        **of("tray_cents tray_taken_cents tray_paid_cents closer_signed_at", MONEY),
        "tray_corrected_cents": CORRECTIONS,
        **of("rated_seats refused_seats", PLAYERS),
    },
    unproven={
        "uid": "names the table's screens to each other, and nothing else",
        **of("recorded_rules_key acknowledged_terms recorded_sign_ids", "what the ticker recorded last"),
        **of("status ceased_what ceased_section ceased_since repaired_at", NOW),
        **of(
            "dealer dealer_since dealer_left dealer_left_since stickperson stickperson_since "
            "dealer_works_since dealer_left_works_since stickperson_works_since",
            POST,
        ),
        **of("seated seat_marks quarterback offered status_seq", NOW),
    },
)
declare(
    Round,
    "round",
    derived=of(
        "table submission number gaming_day phase by_hand last_throw opened_at ended_at wagered_cents "
        "taken_cents paid_cents late_wagers raises",
        PLAY,
    ),
    unproven={
        "shaker_kind": "the kind of the shaker whose code its throws state",
        "ending": "follows from the dice and the rules; a readjudication computes it",
        **of(
            "step paid_seats paid_areas returned_seats quarterback offered drawn reading phase_seq seat_seqs",
            NOW,
        ),
    },
)
declare(
    Wager,
    "wager",
    derived=of("round seat code play cents made_in flag struck missed", PLAY),
)
declare(
    Throw,
    "throw",
    derived=of("round number revision dice void_reason lot shaker called_at", PLAY),
)
declare(
    Settlement,
    "settlement",
    derived=of("throw wager place cents outcome pays paid_cents returned_cents cite", PLAY),
    unproven={"why": "the words for a settlement's outcome; the entry has the outcome and its section"},
)
