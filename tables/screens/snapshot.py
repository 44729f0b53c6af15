"""The state of a table as one JSON document, `docs/snapshot.md`. Every screen is a pure function of it."""

import datetime as dt
from functools import cached_property
from typing import Any

from audit import clock, heads
from audit.models import Stream
from games import submissions
from games.engine import Refusal
from games.models import RulesSubmission
from games.registry import game_by_code
from tables.alerts.view import alerts_of
from tables.core import reads
from tables.core.alerts import held
from tables.core.chips import CHIPS_CENTS
from tables.core.context import TableContext
from tables.equipment import table_signs
from tables.failures.words import ceased_text
from tables.limits import rules
from tables.models import Table
from tables.opening import view
from tables.rounds.layout import layout as wager_layout
from tables.runner.halts import TableHalted
from tables.screens import round_view, selectors
from tables.staffing import posts
from tables.words.sentences import moment, say, short

TRIES = 20
SEAL_LINES = ("dice-sealed", "shaker-seals")  # of an inspection: dice are shut up in the shaker


class DisplayContext(TableContext):
    """A table as screens show it: without rules in force the newest version stands there, and nothing is offered."""

    @cached_property
    def submission(self) -> RulesSubmission:
        """As the acts see it, or else the newest version that was ever filed."""
        shown = self.round.submission if self.round is not None else self.in_force
        shown = shown or submissions.newest(self.table.facility, self.table.submission_code)
        if shown is None:
            raise Refusal("no-rules-in-force", code=self.table.submission_code)
        return shown


def of_table(table_id: int) -> dict[str, Any]:
    """The snapshot of one table. Takes no lock: it reads again when an act came in between.

    So its version and all that it shows belong together. Raises `Table.DoesNotExist`.
    """
    for _ in range(TRIES):
        seen = reads.read_table(table_id)
        snapshot = _build(seen)
        newest_seq = Stream.objects.values_list("seq", flat=True).get(pk=seen.table.stream_id)
        if newest_seq == seen.table.stream.seq:
            return snapshot
    return snapshot


def _build(seen: reads.TableRead) -> dict[str, Any]:
    table = seen.table
    at = DisplayContext(table, None, None, None, clock.not_before(table.stream, seen.now))
    day = table.facility.gaming_day(at.now)
    opening = view.Opening(at)
    shown = {
        "version": table.stream.seq,
        "head": heads.shown(table.stream, seen.incarnation),
        "table": _table(table),
        "ceased": _ceased(table),
        "halted": _halted(table),
        "rules": _rules(at, day),
        "limits": _limits(at, seen.changes),
        "signs": table_signs.forms_of(table),
        "people": {
            "dealer": _dealer(table),
            **{posts.FIELDS[post]: _at_post(table, post) for post in ("dealer-left", "stick")},
            "floorperson": selectors.floorperson(table),
        },
        "shaker": _shaker(at),
        "lot": _lot(at),
        "issued": list(seen.issued),
        **opening.shown(),
        "closing_asks": view.closing_data(at),
        **round_view.of(at, opening),
        "layout": wager_layout(at),
        "chips": sorted(CHIPS_CENTS),
        **selectors.of_ended_rounds(table, day),
        "acts": selectors.acts(table),
        "alerts": alerts_of(at, held(table.pk) if seen.calls else []),
        "as_of": moment(at.now),
    }
    return shown if table.halted_at is None else _taking_nothing(shown)


def _halted(table: Table) -> dict[str, Any] | None:
    if table.halted_at is None:
        return None
    return {"since": moment(table.halted_at), "text": say(TableHalted("table-halted", table=table.code))}


def _taking_nothing(shown: dict[str, Any]) -> dict[str, Any]:
    """The snapshot of a halted table: all that lies there, and no act."""
    missing = {"code": "table-halted", "text": shown["halted"]["text"], "section": ""}
    return {
        **shown,
        "inspection_asks": None,
        "to_open": [],
        "closing_asks": None,
        "round": {**shown["round"], "bets_open": False, "mendable": False},
        "next": None,
        "missing": missing,
        "instruction": None,
        "offers": [],
    }


def _table(table: Table) -> dict[str, Any]:
    return {
        "facility": table.facility.code,
        "facility_name": table.facility.name,
        "code": table.code,
        "pit": table.pit.name,
        "kind": table.kind,
        "game": table.game,
        "game_name": game_by_code(table.game).name,
        "seats": table.seats,
        "status": table.status,
    }


def _limits(ctx: TableContext, changes: bool) -> dict[str, Any]:
    table = ctx.table
    change = rules.pending_change(table) if changes else None
    return {
        "min_cents": table.min_cents,
        "max_cents": table.max_cents,
        "pending": table_signs.pending_change_data(table, change, ctx.now),
    }


def _ceased(table: Table) -> dict[str, Any] | None:
    if not table.ceased_what:
        return None
    return {
        "what": table.ceased_what,
        "since": moment(table.ceased_since),
        "repaired_at": moment(table.repaired_at),
        "text": ceased_text(table.ceased_what),
        "section": short(table.ceased_section),
    }


def _rules(ctx: TableContext, day: dt.date) -> dict[str, Any]:
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


def _dealer(table: Table) -> dict[str, Any] | None:
    dealer = table.dealer
    if dealer is None:
        return None
    return {
        "code": dealer.code,
        "name": dealer.name,
        "short": dealer.short_name,
        "since": moment(table.dealer_since),
    }


def _at_post(table: Table, post: str) -> dict[str, Any] | None:
    found = posts.holder(table, post) if post in posts.posts_of(table) else None
    return selectors.person(found) if found else None


def _shaker(ctx: TableContext) -> dict[str, Any] | None:
    shaker = ctx.shaker
    if shaker is None:
        return None
    return {
        "code": shaker.code,
        "kind": shaker.kind,
        "name": shaker.get_kind_display(),
        "out_of_order": False,
        "sealed": bool(ctx.rules.section("dice-sealed")),
        "takes_seal": any(line.code in SEAL_LINES for line in ctx.rules.edition.inspection),
    }


def _lot(ctx: TableContext) -> dict[str, Any] | None:
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
