"""Make a table: its row, its stream and the first entry there."""

from typing import Any, cast

from audit import clock, record
from audit.models import Device, Person
from games.engine.editions import edition
from games.models import Facility, RulesSubmission
from games.office.signs import recorded_sign_keys
from games.snapshot_types import TableKind
from tables.models import Pit, Table
from tables.opening.entry_types import TABLE_MADE, TableMade
from tables.runner.facility import STREAMS

# Names of streams and URLs that no table may have.
RESERVED_CODES = frozenset(
    {
        *STREAMS,
        *(
            "access",
            "acts",
            "advice",
            "cage",
            "dice-control",
            "dice-watch",
            "devices",
            "exports",
            "figure-reports",
            "figures",
            "handover",
            "people",
            "rotation",
            "rules",
            "sign-in",
            "system",
        ),
        *("tiles", "locked-tiles", "wall", "wall-tables"),
    }
)


def make_table(
    facility: Facility,
    *,
    code: str,
    pit: Pit,
    submission: str,
    kind: str,
    by: Person | None = None,
    device: Device | None = None,
    **limits: Any,
) -> Table:
    """Create a table with its stream and first entry. Its kind, and so whether it is real play, never changes.

    Raises ValueError for a code that names another stream, and for more seats than the edition allows.
    """
    if code.lower() in RESERVED_CODES:
        raise ValueError(f"{code} is no code of a table.")
    newest = newest_submission(facility, submission)
    max_seats = edition(newest.edition).places
    if max_seats and limits["seats"] > max_seats:
        raise ValueError(f"{newest.edition} has places for {max_seats} players.")
    stream = record.open_stream(f"{facility.code}/{code}", real_play=kind == Table.Kind.LIVE)
    table = Table.objects.create(
        facility=facility,
        pit=pit,
        stream=stream,
        code=code,
        game=newest.game,
        kind=kind,
        submission_code=submission,
        recorded_sign_ids=recorded_sign_keys([(facility.pk, newest.game)])[facility.pk, newest.game],
        **limits,
    )
    now = clock.now()
    data: TableMade = {
        "kind": cast(TableKind, str(kind)),
        "game": table.game,
        "seats": table.seats,
        "submission": submission,
        "pit": pit.code,
        "min_cents": table.min_cents,
        "max_cents": table.max_cents,
    }
    record.append(
        stream,
        entry=TABLE_MADE(data),
        moment=now,
        gaming_day=facility.gaming_day(now),
        actor=by,
        device=device,
    )
    return table


def newest_submission(facility: Facility, code: str) -> RulesSubmission:
    """Return the newest version of a rules submission. Raises `RulesSubmission.DoesNotExist`."""
    return RulesSubmission.objects.filter(facility=facility, code=code).order_by("-version")[:1].get()
