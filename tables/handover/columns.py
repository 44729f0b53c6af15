"""What the entries state of handovers, and of who took over which item."""

from audit.columns import AT, FACILITY, SEQ, STREAM, Body, RowFindings, Rows, declare, same
from tables.handover.entry_types import HANDOVER_SIGNED, ITEMS_ACCEPTED
from tables.models import Handover, ItemAcceptance

HANDOVERS = RowFindings.declare("handover")

declare(
    Handover,
    "handover",
    key={"facility": FACILITY, "number": "handover"},
    created={
        HANDOVER_SIGNED: {
            **same("shift", "handed_over_by", "taken_over_by"),
            "gaming_day": lambda body: body["data"]["shift"].partition("/")[0],
            "signed_at": AT,
            "stream": STREAM,
            "seq": SEQ,
        }
    },
    findings=HANDOVERS,
)


def accepted(rows: Rows, body: Body) -> None:
    data = body["data"]
    for item in data["items"]:
        key = FACILITY(body), data["shift"], item["item"], body["seq"]
        rows.put(body, *key, person=data["owner"], accepted_at=body["at"])


declare(
    ItemAcceptance,
    "acceptance",
    key={"facility": FACILITY, "shift": "shift", "item": "item", "seq": SEQ},
    folded={ITEMS_ACCEPTED: accepted},
    folded_columns=("person", "accepted_at"),
    findings=HANDOVERS,
)
