"""Build the snapshot of a table: one JSON document, declared in `games/snapshot_types.py`, that every screen shows.

The live round stands first: seats, wagers, lit areas, what to take and pay, and the next step (`round_part`). The rest
is the table, its limits, rules, people, shaker and dice lot, and what `tables.screens.table_history` reads.
"""

import datetime as dt
import uuid
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, Self, cast

from django.db import connection
from django.db.models import Model

from audit import clock, record
from audit.record import Appended
from audit.rows import kept_reads
from games import registry, submissions
from games.chips import breakdown
from games.engine import Refusal, Rules
from games.engine.game import PostCode, Step
from games.engine.rounds import GameView, Phase, RoundState, has_ended
from games.engine.wagers import LOSE, WIN, Settled, WagerOutcome
from games.game_acts import game_act
from games.models import RulesSubmission
from games.registry import game_by_code
from games.snapshot_types import (
    ActLine,
    AheadStep,
    Ceased,
    ClosingAsks,
    Halted,
    HeldSeat,
    LayoutWager,
    Limits,
    LotFacts,
    Missing,
    NextParams,
    NextStep,
    OpeningPart,
    Pay,
    PayLine,
    PaySeat,
    People,
    PostHolder,
    Reason,
    RibbonStep,
    RoundFacts,
    RoundPart,
    RulesFacts,
    SeatFacts,
    SeatState,
    ShakerFacts,
    Sign,
    Snapshot,
    StepState,
    TableFacts,
    TableKind,
    TableStatus,
    Take,
    TakeLine,
    TakeSeat,
    TransferFacts,
    WagerFacts,
)
from games.wording import reason_text
from tables.alerts.alert_list import alerts_of, decisions_of, is_decided
from tables.core import posts
from tables.core.alerts import held
from tables.core.context import (
    NO_RULES_IN_FORCE,
    TableContext,
    TableRead,
    newest_seq,
    read_table,
)
from tables.core.held_back import WagerKey as HeldKey
from tables.core.held_back import held_amounts, held_of_throw, held_winnings_of, key_of
from tables.core.seats import mark_of
from tables.equipment.signs import forms_of, local_day
from tables.failures import ceased_text
from tables.limits import pending_change, pending_change_data
from tables.models import Alert, Round, Table, Wager
from tables.money.transfers import transfers_part
from tables.opening.steps import Opening, closing_data
from tables.rounds import live_round, returns
from tables.rounds.live_round import labels
from tables.rounds.live_round import layout as wager_layout
from tables.rules import (
    RULES_NOT_ACKNOWLEDGED,
    awaits_acknowledgment,
    current_rules,
    verify_game_not_suspended,
)
from tables.runner.halts import TABLE_IS_HALTED, TableHalted
from tables.screens import table_history
from tables.staffing.dealers import break_due
from tables.words.sentences import (
    dollars,
    instruction,
    missing_by,
    moment,
    next_label,
    next_says,
    say,
    short,
    step_label,
)

# The live round


WagerKey = tuple[int, str, int | None]  # seat, code, play


def round_part(ctx: TableContext, opening: Opening) -> RoundPart:
    """Return the keys of the snapshot about the round."""
    round_ = _round(ctx)
    next_, missing = _next_step(ctx, round_, opening)
    return {
        "round": round_,
        "next": next_,
        "missing": missing,
        "instruction": _instruction(ctx),
        "offers": offers(ctx, opening),
        "ahead": [] if next_ is None else _ahead(ctx, round_),
    }


def _round(ctx: TableContext) -> RoundFacts:
    state, row, names = _state(ctx), ctx.round, labels(ctx.rules)
    settled = state.of_newest_throw if state else ()
    held = held_winnings_of(row, settled) if row else {}
    phase: Phase = state.phase if state else "open"
    outcomes = _outcomes(state)
    wagers = [_wager(wager, names, outcomes) for wager in ctx.all_wagers]
    placed = [wager for wager in wagers if not wager["struck"]]
    return {
        "number": row.number if row else ctx.table.last_round + 1,
        "phase": phase,
        "bets_open": bool(state and "place_wagers" in legal_acts(ctx, state)),
        "mendable": state is not None and "strike_mistaken_wager" in legal_acts(ctx, state),
        "by_hand": bool(row and row.by_hand),
        "opened_at": moment(row.opened_at) if row else None,
        "steps": _steps(ctx, state),
        "seats": _seats(ctx, placed),
        "wagers": wagers,
        "wagered_cents": sum(wager["cents"] for wager in placed),
        "playing": len({wager["seat"] for wager in placed}),
        "dice": list(ctx.game.arranged(state.dice)) if state and state.dice else None,
        "drawn": list(row.drawn) if row else [],
        "reading": live_round.reading(ctx, state, names),
        "call": live_round.call(ctx.game, state.throws) if state and state.dice else None,
        "lit": list(ctx.game.lit_codes(state)) if state else [],
        "throws": live_round.throws(ctx),
        "settle": live_round.steps(ctx, state, names, held) if state else None,
        "game": _game(ctx, state) if state else {},
        "take": _take([result for result in settled if result.outcome == LOSE], names),
        "pay": _pay(
            ctx.rules,
            [result for result in settled if result.outcome == WIN],
            names,
            state,
            held,
        ),
        "held": _held(row, held, settled) if row else [],
        "ending": phase if has_ended(phase) else None,
    }


def _outcomes(state: RoundState | None) -> dict[WagerKey, WagerOutcome]:
    """Return the outcome of each decided wager, by its key."""
    if state is None or not state.throws:
        return {}
    return {settled.wager.key: settled.outcome for settled in state.settled}


def _game(ctx: TableContext, state: RoundState) -> GameView:
    """Return the game's own view. A table with fewer seats than the game allows offers dice to its own seats only."""
    view = ctx.game.view(state)
    offer = view.get("offer")
    if offer and offer["next"] > ctx.table.seats:
        offer["next"] = 1
    return view


def _state(ctx: TableContext) -> RoundState | None:
    return ctx.state if ctx.round or ctx.shaker else None


def _steps(ctx: TableContext, state: RoundState | None) -> list[RibbonStep]:
    return list(_ribbon(ctx.game.steps(state))) if state else []


@lru_cache(maxsize=1024)
def _ribbon(steps: tuple[Step, ...]) -> tuple[RibbonStep, ...]:
    return tuple(
        {"key": step.code, "label": step_label(step.code), "state": _step_state(step.status)}
        for step in steps
    )


registry.clear_on_change(_ribbon.cache_clear)


def _step_state(status: str) -> StepState:
    """Return the state of a step of the ribbon. In a round that ended early, the remaining steps stay to do."""
    return "done" if status == "done" else "now" if status == "now" else "todo"


def legal_acts(ctx: TableContext, state: RoundState) -> set[str]:
    """Return the acts that are legal in this phase; corrections only until the first payment."""
    acts = ctx.game.legal_acts(state)
    if "settle_manually" in acts:
        acts = acts - {"settle_manually"} | {"report_device_failure"}
    if "report_shaker_failure" in acts:
        acts = acts - {"report_shaker_failure"} | {"report_device_failure"}
    return acts


def _wager(wager: Wager, names: dict[str, str], outcomes: dict[WagerKey, WagerOutcome]) -> WagerFacts:
    return {
        "seat": wager.seat,
        "wager": wager.code,
        "play": wager.play or None,
        "outcome": None if wager.struck else outcomes.get(wager.key),
        "label": names.get(wager.code, wager.code),
        "cents": wager.cents,
        "flag": wager.flag or None,
        "struck": wager.struck,
        "missed": wager.missed,
    }


def _seats(ctx: TableContext, placed: list[WagerFacts]) -> list[SeatFacts]:
    by_seat: dict[int, list[WagerFacts]] = defaultdict(list)
    for wager in placed:
        by_seat[wager["seat"]].append(wager)
    return [
        {
            "seat": seat,
            "count": len(by_seat[seat]),
            "cents": sum(wager["cents"] for wager in by_seat[seat]),
            "flags": [_flag(ctx.table, wager) for wager in by_seat[seat] if wager["flag"]],
            "taken": seat in ctx.table.seated,
            "state": _seat_state(ctx, seat, bool(by_seat[seat])),
            "post": ctx.game.settling_post(seat),
            "player": ctx.table.rated_seats.get(str(seat)),
            "refused": seat in ctx.table.refused_seats,
        }
        for seat in range(1, ctx.table.seats + 1)
    ]


def _seat_state(ctx: TableContext, seat: int, has_wagers: bool) -> SeatState:
    seat_mark = mark_of(ctx, seat)
    if seat_mark != "here":
        return seat_mark
    if has_wagers:
        return "playing"
    return "seated" if seat in ctx.table.seated else "open"


def _flag(table: Table, wager: WagerFacts) -> str:
    if wager["flag"] == "under-min":
        return f"{dollars(wager['cents'])} is under {dollars(table.min_cents)}"
    return f"{dollars(wager['cents'])} is over {dollars(table.max_cents)}"


def _take(losers: list[Settled], names: dict[str, str]) -> Take:
    seats: list[TakeSeat] = []
    for seat, wagers in _by_seat(losers).items():
        lines = [_take_line(settled, names) for settled in wagers]
        seats.append({"seat": seat, "cents": sum(line["cents"] for line in lines), "lines": lines})
    return {"count": len(losers), "cents": sum(settled.wager.cents for settled in losers), "seats": seats}


def _take_line(settled: Settled, names: dict[str, str]) -> TakeLine:
    return {
        "wager": settled.wager.code,
        "label": names.get(settled.wager.code, settled.wager.code),
        "why": reason_text(settled.why),
        "cite": short(settled.cite),
        "cents": settled.wager.cents,
    }


def _held(row: Round, by_wager: Mapping[HeldKey, int], settled: Sequence[Settled]) -> list[HeldSeat]:
    """Return what is held back by seat. What exceeds the winnings held back are stakes of the newest throw."""
    newest = held_of_throw(row, row.last_throw) if settled else {}
    stakes = {
        seat: cents - sum(held for key, held in by_wager.items() if key[0] == seat)
        for seat, cents in newest.items()
    }
    return [{**amount, "stake_cents": stakes.get(amount["seat"], 0)} for amount in held_amounts(row)]


def _pay(
    rules: Rules,
    winners: list[Settled],
    names: dict[str, str],
    state: RoundState | None,
    held: Mapping[HeldKey, int],
) -> Pay:
    paid_seats = state.paid_seats if state else frozenset()
    paid_areas = state.paid_areas if state else frozenset()
    seats: list[PaySeat] = []
    for seat, wagers in _by_seat(winners).items():
        is_paid = seat in paid_seats
        lines = [
            _pay_line(
                rules,
                settled,
                names,
                is_paid=is_paid or (seat, settled.wager.code) in paid_areas,
                held_cents=held.get(key_of(settled), 0),
            )
            for settled in wagers
        ]
        seats.append(_pay_seat(seat, wagers, lines, is_paid=is_paid))
    return {
        "count": len(winners),
        "cents": sum(seat["cents"] for seat in seats),
        "paid_cents": sum(line["cents"] for seat in seats for line in seat["lines"] if line["paid"]),
        "seats": seats,
    }


def _pay_seat(seat: int, wagers: list[Settled], lines: list[PayLine], *, is_paid: bool) -> PaySeat:
    cents = sum(line["cents"] for line in lines)
    return {
        "seat": seat,
        "paid": is_paid,
        "cents": cents,
        "returned_cents": sum(settled.returned_cents for settled in wagers),
        "chips": breakdown(cents),
        "lines": lines,
    }


def _pay_line(
    rules: Rules, settled: Settled, names: dict[str, str], *, is_paid: bool, held_cents: int
) -> PayLine:
    return {
        "wager": settled.wager.code,
        "label": names.get(settled.wager.code, settled.wager.code),
        "why": reason_text(settled.why),
        "cite": short(settled.cite),
        "stake_cents": settled.wager.cents,
        "pays": rules.state_odds(settled.pays) if settled.pays else None,
        "cents": settled.paid_cents - held_cents,
        "held_cents": held_cents,
        "paid": is_paid,
    }


def _by_seat(wagers: list[Settled]) -> dict[int, list[Settled]]:
    by_seat: dict[int, list[Settled]] = defaultdict(list)
    for settled in wagers:
        by_seat[settled.wager.seat].append(settled)
    return dict(sorted(by_seat.items()))


def offers(ctx: TableContext, opening: Opening) -> list[str]:
    """Return the acts that are legal now, for everybody together. Buttons use this; the server checks again."""
    if ctx.stream.closed_at is not None:  # another table continues this one
        return []
    if not ctx.deals:
        return _offers_without_rules(ctx.table)
    if _waits_for_opening(ctx):
        dice = _dice_acts(ctx) if ctx.shaker else []
        by_hand = ["record_hand_settled_round"] if ctx.table.status == Table.Status.CEASED else []
        return [*opening.available_acts(), *dice, "replace_shaker", *by_hand]
    if ctx.shaker is None:
        return ["close_table", "replace_shaker"]
    ceased = {"report_device_failure"} if ctx.table.status == Table.Status.CEASED else set()
    tossed = {"void_round"} if ctx.game.is_tossed(ctx.state) else set()  # they are settled
    legal = sorted(legal_acts(ctx, ctx.state) - ceased - tossed)
    if ctx.round is None:
        legal = [name for name in legal if name != "void_round" and ctx.lot is not None]
        more = ["close_table", *_dice_acts(ctx), "report_device_failure", "replace_shaker"]
        return [*dict.fromkeys([*legal, *more])]
    shaker = ["replace_shaker"] if ctx.round.phase == "open" and not ctx.round.last_throw else []
    return [*legal, *_training_acts(ctx, legal), *_dice_acts(ctx), *shaker]


def _training_acts(ctx: TableContext, legal: list[str]) -> list[str]:
    """At a training table the machine throws the dice before they can be called."""
    if ctx.table.kind != Table.Kind.TRAINING or "call_dice" not in legal or ctx.round is None:
        return []
    return [] if ctx.round.drawn else ["draw_dice"]


def _dice_acts(ctx: TableContext) -> list[str]:
    if not ctx.dice_at_rest:
        return []
    if ctx.lot is None:
        return ["change_dice_lot"]
    month = ctx.rules.shaker(ctx.shaker_kind).months
    return ["change_dice_lot", "withdraw_dice", *(["unlock_shaker"] if month else [])]


def _waits_for_opening(ctx: TableContext) -> bool:
    """Whether this table waits for its opening, or for its repair after a failure."""
    ceased = ctx.table.status == Table.Status.CEASED and ctx.round is None
    return ceased or ctx.table.status == Table.Status.CLOSED


def _offers_without_rules(table: Table) -> list[str]:
    repair = ["record_repair"] if table.ceased_what else []
    return repair if table.status == Table.Status.CLOSED else [*repair, "close_table"]


def _no_rules(ctx: TableContext) -> Missing:
    return missing_by(Refusal(NO_RULES_IN_FORCE, code=ctx.table.submission_code))


def _new_rules(ctx: TableContext) -> Missing:
    rules = current_rules(ctx)
    section = ctx.table.facility.law.section("submissions.in-force")
    return missing_by(Refusal(RULES_NOT_ACKNOWLEDGED, section, code=rules.submission, version=rules.version))


def _next_step(
    ctx: TableContext, round_: RoundFacts, opening: Opening
) -> tuple[NextStep | None, Missing | None]:
    """Return the next step, and what is still missing for it."""
    if not ctx.deals:
        return None, _no_rules(ctx)
    if _waits_for_opening(ctx):
        return opening.next_step(round_["number"])
    if ctx.round is None and awaits_acknowledgment(ctx):
        return None, _new_rules(ctx)
    if ctx.shaker is None:
        return None, {
            "code": "no-shaker",
            "text": "There is no working shaker at this table.",
            "section": "",
        }
    next_act = ctx.game.next_act(ctx.state)
    if next_act is None:
        return None, None
    name = next_act.act
    step: NextStep = {
        "act": name,
        "label": next_label(name, ctx.state.shaker),
        "say": next_says(name, round_, ctx.state.shaker),
        "params": _params(ctx, name),
        "dice": ctx.state.result.dice if name == "call_dice" else None,
    }
    return step, _missing(ctx, name)


def _ahead(ctx: TableContext, round_: RoundFacts) -> list[AheadStep]:
    """Return the steps up to the dice. At a training table the machine throws first, which takes the line."""
    if ctx.table.status != Table.Status.OPEN:
        return []
    throws_itself = ctx.table.kind == Table.Kind.TRAINING and not round_["drawn"]
    closed_by_fee = [ctx.game.fee.code] if ctx.game.fee else []
    steps: list[AheadStep] = []
    for state, coming in ctx.game.course_to_dice(ctx.state):
        name = coming.act
        if name == "call_dice" and throws_itself:
            break
        bets_open = "place_wagers" in ctx.game.legal_acts(state)
        says: RoundFacts = {**round_, "bets_open": bets_open}
        steps.append(
            {
                "act": name,
                "label": next_label(name, state.shaker),
                "say": next_says(name, says, state.shaker),
                "params": _params(ctx, name),
                "dice": state.result.dice if name == "call_dice" else None,
                "instruction": instruction(name, state.shaker),
                "duty": ctx.game.duties[name],
                "bets_open": bets_open,
                "unless": closed_by_fee if round_["bets_open"] and not bets_open else [],
                "steps": _steps(ctx, state),
            }
        )
    return steps


def _params(ctx: TableContext, name: str) -> NextParams:
    """Return the parameters that the screen sends with the next step."""
    shaker = ctx.rules.shaker(ctx.state.shaker)
    if name == "shake" and not shaker.automated:
        return {"shakes": shaker.shakes_least}
    declared = game_act(name)
    return declared.next_params(_game(ctx, ctx.state)) if declared else {}


def _missing(ctx: TableContext, name: str) -> Missing | None:
    declared = game_act(name)
    uses_the_dice = name == "shake" or (declared is not None and declared.throws_dice)
    if not uses_the_dice and ctx.round is not None:
        return None
    try:
        if ctx.round is None:
            verify_game_not_suspended(ctx)
        if uses_the_dice:
            ctx.verify_dice_in_time()
        else:
            ctx.verify_dice_for_a_round()
        if declared is not None and uses_the_dice:
            declared.verify(ctx.state)
    except Refusal as refusal:
        return missing_by(refusal)
    return None


def _instruction(ctx: TableContext) -> Reason | None:
    if ctx.table.status != Table.Status.OPEN or ctx.shaker is None or not ctx.deals:
        return None
    next_act = ctx.game.next_act(ctx.state)
    if next_act is None:
        return None
    text = instruction(next_act.act, ctx.state.shaker)
    return {"text": text, "section": short(next_act.section)} if text else None


# The snapshot


MAX_READS = 20
SEALING_LINES = (
    "dice-sealed",
    "shaker-seals",
)  # inspection lines of editions that seal the dice in the shaker


class DisplayContext(TableContext):
    """A table as screens show it. Without rules in force it shows the newest version, and nothing is offered."""

    def __init__(self, table_read: TableRead) -> None:
        table, play = table_read.table, table_read.play
        super().__init__(table, None, None, None, clock.displayed_moment(table.stream, play.now), play)
        self.shaker, self.lot = play.shaker, play.lot

    @classmethod
    def after_act(cls, ctx: TableContext) -> Self:
        """The table of a committed act (`Act.is_all_in_context`), as a read would show it."""
        context = cls(TableRead(ctx.table, ctx.play_left))
        if (wagers := ctx.wagers_left) is not None:
            context.all_wagers = wagers
        if (throws := ctx.throws_left) is not None:
            context.throws = throws
        return context

    @cached_property
    def submission(self) -> RulesSubmission:
        """The submission that acts use, otherwise the newest version ever filed.

        Raises Refusal(`no-rules-in-force`) where none was filed.
        """
        submission = self.round.submission if self.round is not None else self.in_force
        submission = submission or submissions.newest(self.table.facility, self.table.submission_code)
        if submission is None:
            raise Refusal(NO_RULES_IN_FORCE, code=self.table.submission_code)
        return submission


def of_table(table_id: int) -> Snapshot:
    """Return the snapshot of a table, without taking a lock.

    Reads again when an act was recorded in between, so that the version and the content belong together.
    Raises `Table.DoesNotExist`.
    """
    for _ in range(MAX_READS):
        table_read = read_table(table_id)
        snapshot = _build(DisplayContext(table_read))
        if _is_current(table_read.table, snapshot["acts"]):
            return snapshot
    return snapshot


def after_act(ctx: TableContext) -> Snapshot:
    """Return the snapshot of the table of a committed act, from what the act locked, read and wrote.

    Whatever a screen shows of a table changes with an entry on its stream, under its lock: by an act at the table, the
    ticker, or an act of the facility that affects it. So this is what a read at this version returns. What the act did
    not read is read here; if another entry has followed in the meantime, everything is.
    """
    statements = _Statements()
    kept = ctx.locked.reads if ctx.locked is not None else None
    with connection.execute_wrapper(statements), kept_reads(kept):
        snapshot = _build(DisplayContext.after_act(ctx), ctx.appended)
    if statements.count and newest_seq(ctx.table.stream_id) != ctx.stream.seq:
        return of_table(ctx.table.pk)
    return snapshot


class _Statements:
    """Counts the statements of a block."""

    count = 0

    def __call__(self, execute: Callable[..., Any], *arguments: Any) -> Any:
        self.count += 1
        return execute(*arguments)


def _is_current(table: Table, newest_acts: list[ActLine]) -> bool:
    """Whether nothing was recorded while a snapshot was read. Its newest acts were read last."""
    newest_line = newest_acts[0]["seq"] if newest_acts else 0
    return newest_line == table.stream.seq or newest_seq(table.stream_id) == table.stream.seq


def _build(ctx: DisplayContext, appended: Sequence[Appended] = ()) -> Snapshot:
    """Build the snapshot. `appended`: entries on the stream that need not be read for its newest acts.

    With them it follows an act, and what the act has not touched of the standing facts is taken as it was.
    """
    table, play = ctx.table, ctx.play
    day = table.facility.gaming_day(ctx.now)
    opening = Opening(ctx)
    halted = _halted(table)
    alerts = held(table.pk) if play.calls else []
    ended_rounds = table_history.ended_rounds_part(table, day, play.incarnation)
    newest = ended_rounds["history"][0]["ending"] if ended_rounds["history"] else None
    is_kept = bool(appended) and _stands(ctx)
    standing = _kept_standing(ctx, opening, day) if is_kept else _standing(ctx, opening, day, alerts)
    snapshot: Snapshot = {
        "version": table.stream.seq,
        "head": record.signed_head(table.stream, play.incarnation),
        "table": standing.table,
        "ceased": standing.ceased,
        "halted": halted,
        "rules": standing.rules,
        "limits": _limits(ctx, play.changes),
        "signs": standing.signs,
        "people": standing.people,
        "shaker": standing.shaker,
        "lot": _lot(ctx),
        "issued": standing.issued,
        "issued_broken": standing.issued_broken,
        "transfers": standing.transfers,
        **standing.opening,
        "closing_asks": standing.closing_asks,
        **round_part(ctx, opening),
        "returning": None,
        "post_acts": standing.post_acts,
        "layout": standing.layout,
        "chips": standing.chips,
        **ended_rounds,
        "acts": table_history.acts(table, appended),  # read last (`_is_current`)
        "alerts": alerts_of(ctx, [alert for alert in alerts if not is_decided(alert)]),
        "decisions": decisions_of(table, alerts),
        "as_of": moment(ctx.now),
    }
    back = returns.returning(ctx, newest)
    if back is not None:
        snapshot = returns.with_returning(snapshot, back)
    return snapshot if halted is None else _without_acts(snapshot, halted)


# Standing facts


class Standing(NamedTuple):
    """The keys of a snapshot that few acts of play change."""

    table: TableFacts
    ceased: Ceased | None
    rules: RulesFacts
    signs: list[Sign]
    people: People
    shaker: ShakerFacts | None
    issued: list[str]
    issued_broken: list[str]
    transfers: list[TransferFacts]
    opening: OpeningPart
    closing_asks: ClosingAsks | None
    post_acts: dict[str, list[PostCode]]
    layout: list[LayoutWager]
    chips: list[int]


class Basis(NamedTuple):
    """All that the standing facts of a table that stands (`_stands`) are computed from.

    Rows are the values of their columns, because acts change some of them in place.
    """

    table: dict[str, Any]
    facility: dict[str, Any]
    others: tuple[dict[str, Any] | None, ...]
    play: tuple[object, ...]
    round: int | None
    deals: bool
    day: dt.date


MAX_STANDING = 2_000
_standings: dict[uuid.UUID, tuple[Basis, Standing]] = {}  # by table


def _standing(ctx: TableContext, opening: Opening, day: dt.date, alerts: Sequence[Alert]) -> Standing:
    table, play = ctx.table, ctx.play
    return Standing(
        table=_table(table),
        ceased=_ceased(table),
        rules=_rules(ctx, day),
        signs=forms_of(table),
        people=_people(table),
        shaker=_shaker(ctx),
        issued=list(play.issued),
        issued_broken=list(play.issued_broken),
        transfers=transfers_part(play.transfers),
        opening=opening.snapshot_part(),
        closing_asks=closing_data(ctx, alerts),
        post_acts={act: list(needed.posts) for act, needed in game_by_code(table.game).post_acts.items()},
        layout=wager_layout(ctx),
        chips=sorted(table.facility.chip_values),
    )


def _stands(ctx: TableContext) -> bool:
    """Whether nothing that the standing facts depend on is due by the clock, or in rows that an act does not load."""
    play = ctx.play
    return ctx.table.status == Table.Status.OPEN and not (play.services or play.calls or play.changes)


def _kept_standing(ctx: TableContext, opening: Opening, day: dt.date) -> Standing:
    """Return the standing facts of a table that stands: those of the act before, if all of their basis is as it was."""
    basis, key = _basis(ctx, day), ctx.table.uid
    kept_basis, standing = _standings.get(key, (None, None))
    if standing is None or kept_basis != basis:
        standing = _standing(ctx, opening, day, [])
        if len(_standings) >= MAX_STANDING:
            _standings.clear()
        _standings[key] = basis, standing
    return standing


def _basis(ctx: TableContext, day: dt.date) -> Basis:
    table, play = ctx.table, ctx.play
    values = _values(table)
    del values["status_seq"]
    people = (table.dealer, table.dealer_left, table.stickperson, table.floorperson)
    return Basis(
        table=values,
        facility=_values(table.facility),
        others=tuple(
            _values(row) if row is not None else None
            for row in (table.pit, ctx.submission, ctx.shaker, ctx.lot, *people)
        ),
        play=(play.issued, play.issued_broken, play.transfers, play.drop_box),
        round=ctx.round.number if ctx.round is not None else None,
        deals=ctx.deals,
        day=day,
    )


def _values(row: Model) -> dict[str, Any]:
    """The values of a row's columns."""
    values = row.__dict__.copy()
    del values["_state"]
    return values


def _halted(table: Table) -> Halted | None:
    if table.halted_at is None:
        return None
    return {"since": moment(table.halted_at), "text": say(TableHalted(TABLE_IS_HALTED, table=table.code))}


def _without_acts(snapshot: Snapshot, halted: Halted) -> Snapshot:
    """Return the snapshot of a halted table: what is on the layout, and no act."""
    missing: Missing = {"code": "table-halted", "text": halted["text"], "section": ""}
    return {
        **snapshot,
        "inspection_asks": None,
        "to_open": [],
        "closing_asks": None,
        "round": {**snapshot["round"], "bets_open": False, "mendable": False},
        "next": None,
        "missing": missing,
        "instruction": None,
        "offers": [],
        "ahead": [],
    }


def _table(table: Table) -> TableFacts:
    return {
        "facility": table.facility.code,
        "facility_name": table.facility.name,
        "code": table.code,
        "pit": table.pit.name,
        "kind": cast(TableKind, table.kind),
        "game": table.game,
        "game_name": game_by_code(table.game).name,
        "seats": table.seats,
        "status": cast(TableStatus, table.status),
        "target_pace": table.facility.target_paces.get(table.game),
    }


def _limits(ctx: TableContext, has_pending_change: bool) -> Limits:
    table = ctx.table
    change = pending_change(table) if has_pending_change else None
    return {
        "min_cents": table.min_cents,
        "max_cents": table.max_cents,
        "pending": pending_change_data(table, change, ctx.now),
    }


def _ceased(table: Table) -> Ceased | None:
    if not table.ceased_what:
        return None
    return {
        "what": table.ceased_what,
        "since": moment(table.ceased_since),
        "repaired_at": moment(table.repaired_at),
        "text": ceased_text(table.ceased_what),
        "section": short(table.ceased_section),
    }


def _rules(ctx: TableContext, day: dt.date) -> RulesFacts:
    submission, edition = ctx.submission, ctx.rules.edition
    return {
        "submission": submission.code,
        "version": submission.version,
        "key": submission.edition,
        "title": edition.title + (f" · Paytable {edition.paytable}" if edition.paytable else ""),
        "chapter": edition.title,
        "overrides": {row: str(odds) for row, odds in ctx.rules.overrides},
        "in_force": ctx.deals,
        "approved_on": local_day(ctx.table.facility, submission.decided_at),
        "chapter_from": edition.chapter_from.isoformat() if edition.chapter_from else None,
        "text_from": edition.in_force_from.isoformat(),
        "lapses_on": edition.lapses_on.isoformat() if edition.lapses_on else None,
        "lapsed": edition.lapses_on is not None and edition.lapses_on <= day,
        "lapsed_why": submission.lapsed_why or None,
    }


def _people(table: Table) -> People:
    return {
        "dealer": _holder(table, "dealer"),
        "dealer_left": _holder(table, "dealer-left"),
        "stickperson": _holder(table, "stick"),
        "floorperson": table_history.person_name(table.floorperson) if table.floorperson else None,
    }


def _holder(table: Table, post: PostCode) -> PostHolder | None:
    person = posts.holder(table, post) if post in posts.posts_of(table) else None
    if person is None:
        return None
    field = posts.FIELDS[post]
    is_closed = table.status == Table.Status.CLOSED
    due = None if is_closed else break_due(table.facility, getattr(table, f"{field}_works_since"))
    return {
        **table_history.person_name(person),
        "since": moment(getattr(table, f"{field}_since")),
        "break_due": moment(due),
    }


def _shaker(ctx: TableContext) -> ShakerFacts | None:
    shaker = ctx.shaker
    if shaker is None:
        return None
    return {
        "code": shaker.code,
        "kind": shaker.kind,
        "name": shaker.get_kind_display(),
        "out_of_order": False,
        "sealed": bool(ctx.rules.section("dice-sealed")),
        "takes_seal": any(line.code in SEALING_LINES for line in ctx.rules.edition.inspection),
    }


def _lot(ctx: TableContext) -> LotFacts | None:
    lot = ctx.lot
    if lot is None or lot.expires_at is None:
        return None
    return {
        "code": lot.code,
        "placed_at": moment(lot.placed_at),
        "expires_at": moment(lot.expires_at),
        "expired": ctx.now >= lot.expires_at,
        "section": short(lot.clock_section),
        "seal_broken": lot.seal_broken,
    }
