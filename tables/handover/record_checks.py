"""What a full verification checks of handovers: who took over which item, and who signed, against the entries."""

import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from audit.clock import format_moment
from audit.models import Entry
from audit.record_checks import record_check
from audit.verification_words import Finding
from games.models import Facility
from tables.core.stated_rows import RowFindings, StatedRow, compare_rows, entry_bodies
from tables.handover.entry_types import HANDOVER_SIGNED, ITEMS_ACCEPTED
from tables.models import Handover, ItemAcceptance
from tables.runner.facility import STAFF

HANDOVERS = RowFindings.declare("handover")
AcceptanceKey = tuple[str, int, str]  # the shift, the number of the entry, and the item


@record_check
def check_handovers(tick: Callable[[], None]) -> Iterator[Finding]:
    """Compare the handovers and the acceptances of every facility with its entries."""
    for facility in Facility.objects.order_by("pk"):
        tick()
        stated: dict[int, StatedRow] = {}
        accepted: dict[AcceptanceKey, StatedRow] = {}
        entries = Entry.objects.filter(stream__name__startswith=f"{facility.code}/")
        for body in entry_bodies(entries.filter(type__in=(HANDOVER_SIGNED.name, ITEMS_ACCEPTED.name))):
            try:
                _apply(stated, accepted, body)
            except (KeyError, TypeError, AttributeError):
                continue  # the verification of the chain names it
        stream = f"{facility.code}/{STAFF}"
        yield from compare_rows(
            HANDOVERS, stream, stated, _handovers(facility), name="handover {}".format, read=_stored
        )
        yield from compare_rows(
            HANDOVERS,
            stream,
            accepted,
            _acceptances(facility),
            name=lambda key: f"acceptance of {key[2]} by entry {key[1]}",
            read=_stored,
        )


def _apply(
    stated: dict[int, StatedRow], accepted: dict[AcceptanceKey, StatedRow], body: dict[str, Any]
) -> None:
    seq, data = body["seq"], body["data"]
    if body["_type"] == HANDOVER_SIGNED.name:
        values = {
            "shift": data["shift"],
            "gaming_day": data["shift"].partition("/")[0],
            "handed_over_by": data["handed_over_by"],
            "taken_over_by": data["taken_over_by"],
            "signed_at": body["at"],
            "stream": body["stream"],
            "seq": seq,
        }
        stated[data["handover"]] = StatedRow(seq, values)
        return
    for item in data["items"]:
        values = {"person": data["owner"], "accepted_at": body["at"], "count": 1}
        accepted[data["shift"], seq, item["item"]] = StatedRow(seq, values)


def _handovers(facility: Facility) -> dict[int, dict[str, Any]]:
    rows = Handover.objects.filter(facility=facility).order_by("pk")
    columns = {"shift", "gaming_day", "signed_at", "seq"}
    names = ("number", *columns, "handed_over_by__code", "taken_over_by__code", "stream__name")
    return {
        row["number"]: {
            "handed_over_by": row["handed_over_by__code"],
            "taken_over_by": row["taken_over_by__code"],
            "stream": row["stream__name"],
            **{name: row[name] for name in columns},
        }
        for row in rows.values(*names)
    }


def _acceptances(facility: Facility) -> dict[AcceptanceKey, dict[str, Any]]:
    rows = ItemAcceptance.objects.filter(facility=facility).order_by("pk")
    stored: dict[AcceptanceKey, dict[str, Any]] = {}
    counts: dict[AcceptanceKey, int] = defaultdict(int)
    for shift, seq, item, person, moment in rows.values_list(
        "shift", "seq", "item", "person__code", "accepted_at"
    ):
        key = shift, seq, item
        counts[key] += 1
        stored[key] = {"person": person, "accepted_at": moment, "count": counts[key]}
    return stored


def _stored(row: dict[str, Any], column: str) -> Any:
    value = row[column]
    if isinstance(value, dt.datetime):
        return format_moment(value)
    return value.isoformat() if isinstance(value, dt.date) else value
