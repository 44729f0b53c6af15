"""Build the snapshot of a table: one JSON document, declared in `games/snapshot_types.py`, that every screen shows."""

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Self, cast

from django.db import connection

from audit import clock, record
from audit.record import Appended
from games import submissions
from games.engine import Refusal
from games.engine.game import PostCode
from games.models import RulesSubmission
from games.registry import game_by_code
from games.snapshot_types import (
    ActLine,
    Ceased,
    Halted,
    Limits,
    LotFacts,
    Missing,
    People,
    PostHolder,
    RulesFacts,
    ShakerFacts,
    Snapshot,
    TableFacts,
    TableKind,
    TableStatus,
)
from tables.alerts.view import alerts_of, decisions_of, is_decided
from tables.core import posts
from tables.core.alerts import held
from tables.core.context import (
    NO_RULES_IN_FORCE,
    TableContext,
    TableRead,
    newest_revisions,
    newest_seq,
    read_table,
)
from tables.equipment.signs import forms_of, local_day, pending_change_data
from tables.failures import ceased_text
from tables.limits import pending_change
from tables.models import Table
from tables.money.slips import transfers_part
from tables.opening import view
from tables.rounds import returns
from tables.rounds.views import layout as wager_layout
from tables.runner.halts import TABLE_IS_HALTED, TableHalted
from tables.screens import round_view, selectors
from tables.staffing.dealers import break_due
from tables.words.sentences import moment, say, short

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
        round_ = ctx.round if ctx.round is not None and ctx.round.ended_at is None else None
        play = replace(
            ctx.play,
            round=round_,
            calls=ctx.play.calls or len(ctx.appended) > 1,  # an alert that was raised has an entry of its own
            holders=frozenset(),
            at_work=frozenset(),
        )
        context = cls(TableRead(ctx.table, play))
        if round_ is not None and ctx.written_wagers is not None:
            context.all_wagers = ctx.written_wagers
        elif round_ is not None and "all_wagers" in ctx.__dict__:
            context.all_wagers = ctx.all_wagers
        if round_ is not None and "throws" in ctx.__dict__:
            context.throws = newest_revisions([*ctx.throws, *ctx.written_throws])
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
    with connection.execute_wrapper(statements):
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
    """Build the snapshot. `appended`: entries on the stream that need not be read for its newest acts."""
    table, play = ctx.table, ctx.play
    day = table.facility.gaming_day(ctx.now)
    opening = view.Opening(ctx)
    halted = _halted(table)
    alerts = held(table.pk) if play.calls else []
    ended_rounds = selectors.ended_rounds_part(table, day)
    newest = ended_rounds["history"][0]["ending"] if ended_rounds["history"] else None
    snapshot: Snapshot = {
        "version": table.stream.seq,
        "head": record.signed_head(table.stream, play.incarnation),
        "table": _table(table),
        "ceased": _ceased(table),
        "halted": halted,
        "rules": _rules(ctx, day),
        "limits": _limits(ctx, play.changes),
        "signs": forms_of(table),
        "people": _people(table),
        "shaker": _shaker(ctx),
        "lot": _lot(ctx),
        "issued": list(play.issued),
        "issued_broken": list(play.issued_broken),
        "transfers": transfers_part(play.transfers),
        **opening.snapshot_part(),
        "closing_asks": view.closing_data(ctx, alerts),
        **round_view.round_part(ctx, opening),
        "returning": None,
        "post_acts": {act: list(needed.posts) for act, needed in game_by_code(table.game).post_acts.items()},
        "layout": wager_layout(ctx),
        "chips": sorted(table.facility.chip_values),
        **ended_rounds,
        "acts": selectors.acts(table, appended),  # read last (`_is_current`)
        "alerts": alerts_of(ctx, [alert for alert in alerts if not is_decided(alert)]),
        "decisions": decisions_of(table, alerts),
        "as_of": moment(ctx.now),
    }
    back = returns.returning(ctx, newest)
    if back is not None:
        snapshot = returns.with_returning(snapshot, back)
    return snapshot if halted is None else _without_acts(snapshot, halted)


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
        "floorperson": selectors.person_name(table.floorperson) if table.floorperson else None,
    }


def _holder(table: Table, post: PostCode) -> PostHolder | None:
    person = posts.holder(table, post) if post in posts.posts_of(table) else None
    if person is None:
        return None
    field = posts.FIELDS[post]
    is_closed = table.status == Table.Status.CLOSED
    due = None if is_closed else break_due(table.facility, getattr(table, f"{field}_works_since"))
    return {
        **selectors.person_name(person),
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
