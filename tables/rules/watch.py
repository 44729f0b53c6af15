"""What the clock does about rules: it records changes at tables where nobody acts."""

import datetime as dt
from collections.abc import Iterable

from audit import clock, record
from games import submissions
from games.models import Facility
from games.office.providers import services
from tables.core.context import TableContext
from tables.models import Table
from tables.rules.entry_types import RULES_TOOK_EFFECT
from tables.rules.notice import (
    change_data,
    current_rules,
    parse_key,
    record_change,
    rules_in_effect,
)
from tables.runner.system import for_each_table


def record_rules_changes() -> list[int]:
    """Record the rules in effect at each open table where they changed and no round of the old ones is live.

    Returns the ids of the tables that changed. Takes two or three statements for all tables; locks only those that
    differ.
    """
    now = clock.now()
    tables = list(Table.objects.exclude(status=Table.Status.CLOSED).select_related("facility"))
    in_force = submissions.all_in_force({table.facility_id for table in tables}, now)
    stops = _suspensions(tables, now)
    differing = []
    for table in tables:
        submission = in_force.get((table.facility_id, table.game, table.submission_code))
        stopped = () if table.kind == Table.Kind.SIMULATED else stops[table.facility_id, table.game]
        if rules_in_effect(submission, table.submission_code, stopped).key != table.recorded_rules_key:
            differing.append(table.pk)
    return for_each_table(Table.objects.filter(pk__in=differing), _record_if_changed) if differing else []


def _suspensions(tables: Iterable[Table], now: dt.datetime) -> dict[tuple[int, str], frozenset[str]]:
    places: dict[tuple[int, str], Facility] = {
        (table.facility_id, table.game): table.facility for table in tables
    }
    return {
        (pk, game): frozenset(services.suspensions(facility, game, now))
        for (pk, game), facility in places.items()
    }


def _record_if_changed(ctx: TableContext) -> bool:
    if _plays_other_rules(ctx) or ctx.table.status == Table.Status.CLOSED:
        return False
    previous_key = ctx.table.recorded_rules_key
    if not record_change(ctx):
        return False
    alerts = [entry for entry in ctx.extra_entries if entry.type != RULES_TOOK_EFFECT.name]
    ctx.extra_entries.clear()
    data = change_data(ctx, parse_key(previous_key), current_rules(ctx))
    terms = data["terms_sha256"] or ""
    record.append(
        ctx.stream, entry=RULES_TOOK_EFFECT(data), moment=ctx.now, gaming_day=ctx.gaming_day, terms=terms
    )
    ctx.extra_entries += alerts
    ctx.append_extra_entries()
    ctx.save_changes("nothing", ())
    return True


def _plays_other_rules(ctx: TableContext) -> bool:
    """Whether the live round pinned another version. The act that ends that round records the change."""
    return ctx.round is not None and ctx.round.submission != ctx.in_force
