"""Make a table: its row, its stream and the first entry there; also one that continues a closed stream.

Two people close a stream where the record needs it (`audit.sealing.declarations`); the table that continues it begins
on a stream of its own (`continue_table`).
"""

from typing import Any, cast

from audit import clock, record
from audit.models import Device, Person, Stream
from games.engine.editions import edition
from games.models import Facility, RulesSubmission
from games.office.signs import recorded_sign_keys
from games.snapshot_types import TableKind
from tables.models import Pit, Table
from tables.opening.opening import TABLE_MADE, TableMade
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


# Make the table that continues one whose stream two people closed (`audit.sealing.declarations`)


def continue_table(sender: Any, closed: Stream, stream: Stream, **_declared: Any) -> None:
    """Make a closed table on the new stream, in the transaction of the declaration (`stream_continued`).

    It has the pit, game, seats, submission and limits of the former one, and its code and a number: T-04-2. The former
    table keeps its rounds and takes no act any more, so its posts are left here. Tablets, people, dice and shakers come
    to the new one by the usual acts, and it opens by them.
    """
    former = Table.objects.select_related("facility", "pit").filter(stream=closed).first()
    if former is None:
        return
    roles = ("dealer", "dealer_left", "stickperson")
    moments = (f"{role}_{name}" for role in roles for name in ("since", "works_since"))
    Table.objects.filter(pk=former.pk).update(**dict.fromkeys((*roles, "floorperson", *moments)))
    make_table(
        former.facility,
        code=stream.name.partition("/")[2],
        pit=former.pit,
        submission=former.submission_code,
        kind=former.kind,
        seats=former.seats,
        min_cents=former.min_cents,
        max_cents=former.max_cents,
    )
