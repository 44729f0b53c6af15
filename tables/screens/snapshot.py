"""Build the snapshot of a table: one JSON document, declared in `games/snapshot_types.py`, that every screen shows."""

import datetime as dt
from functools import cached_property
from typing import cast

from audit import clock, heads
from games import submissions
from games.chips import CHIPS_CENTS
from games.engine import Refusal
from games.models import RulesSubmission
from games.registry import game_by_code
from games.snapshot_types import (
    ActLine,
    Ceased,
    Dealer,
    Halted,
    Limits,
    LotFacts,
    Missing,
    People,
    PersonName,
    RulesFacts,
    ShakerFacts,
    Snapshot,
    TableFacts,
    TableKind,
    TableStatus,
)
from tables.alerts.view import alerts_of
from tables.core import posts, reads
from tables.core.alerts import held
from tables.core.context import TableContext
from tables.core.refusals import NO_RULES_IN_FORCE
from tables.equipment import table_signs
from tables.failures.words import ceased_text
from tables.limits import rules
from tables.models import Table
from tables.opening import view
from tables.rounds.layout import layout as wager_layout
from tables.runner.halts import TableHalted
from tables.runner.refusals import TABLE_IS_HALTED
from tables.screens import round_view, selectors
from tables.words.sentences import moment, say, short

MAX_READS = 20
SEALING_LINES = (
    "dice-sealed",
    "shaker-seals",
)  # inspection lines of editions that seal the dice in the shaker


class DisplayContext(TableContext):
    """A table as screens show it. Without rules in force it shows the newest version, and nothing is offered."""

    def __init__(self, table_read: reads.TableRead) -> None:
        table = table_read.table
        now = clock.displayed_moment(table.stream, table_read.now)
        play = reads.Play(table_read.round, table_read.services, holders=frozenset(), at_work=frozenset())
        super().__init__(table, None, None, None, now, play)
        self.shaker, self.lot = table_read.shaker, table_read.lot

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
        table_read = reads.read_table(table_id)
        snapshot = _build(table_read)
        if _is_current(table_read.table, snapshot["acts"]):
            return snapshot
    return snapshot


def _is_current(table: Table, newest_acts: list[ActLine]) -> bool:
    """Whether nothing was recorded while a snapshot was read. Its newest acts were read last."""
    newest_seq = newest_acts[0]["seq"] if newest_acts else 0
    return newest_seq == table.stream.seq or reads.newest_seq(table.stream_id) == table.stream.seq


def _build(table_read: reads.TableRead) -> Snapshot:
    table = table_read.table
    ctx = DisplayContext(table_read)
    day = table.facility.gaming_day(ctx.now)
    opening = view.Opening(ctx)
    halted = _halted(table)
    alerts = alerts_of(ctx, held(table.pk) if table_read.calls else [])
    snapshot: Snapshot = {
        "version": table.stream.seq,
        "head": heads.signed_head(table.stream, table_read.incarnation),
        "table": _table(table),
        "ceased": _ceased(table),
        "halted": halted,
        "rules": _rules(ctx, day),
        "limits": _limits(ctx, table_read.changes),
        "signs": table_signs.forms_of(table),
        "people": _people(table),
        "shaker": _shaker(ctx),
        "lot": _lot(ctx),
        "issued": list(table_read.issued),
        **opening.snapshot_part(),
        "closing_asks": view.closing_data(ctx),
        **round_view.round_part(ctx, opening),
        "post_acts": {act: list(needed.posts) for act, needed in game_by_code(table.game).post_acts.items()},
        "layout": wager_layout(ctx),
        "chips": sorted(CHIPS_CENTS),
        **selectors.ended_rounds_part(table, day),
        "acts": selectors.acts(table),  # read last (`_is_current`)
        "alerts": alerts,
        "as_of": moment(ctx.now),
    }
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
    }


def _limits(ctx: TableContext, has_pending_change: bool) -> Limits:
    table = ctx.table
    change = rules.pending_change(table) if has_pending_change else None
    return {
        "min_cents": table.min_cents,
        "max_cents": table.max_cents,
        "pending": table_signs.pending_change_data(table, change, ctx.now),
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
        "in_force": ctx.deals,
        "approved_on": table_signs.local_day(ctx.table.facility, submission.decided_at),
        "chapter_from": edition.chapter_from.isoformat() if edition.chapter_from else None,
        "text_from": edition.in_force_from.isoformat(),
        "lapses_on": edition.lapses_on.isoformat() if edition.lapses_on else None,
        "lapsed": edition.lapses_on is not None and edition.lapses_on <= day,
    }


def _people(table: Table) -> People:
    return {
        "dealer": _dealer(table),
        "dealer_left": _person_at_post(table, "dealer-left"),
        "stickperson": _person_at_post(table, "stick"),
        "floorperson": selectors.person_name(table.floorperson) if table.floorperson else None,
    }


def _dealer(table: Table) -> Dealer | None:
    dealer = table.dealer
    if dealer is None:
        return None
    return {**selectors.person_name(dealer), "since": moment(table.dealer_since)}


def _person_at_post(table: Table, post: str) -> PersonName | None:
    person = posts.holder(table, post) if post in posts.posts_of(table) else None
    return selectors.person_name(person) if person else None


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
    }
