"""What the entries state of inspections of tables."""

from audit.columns import AT, FACILITY, PLACE, Reading, declare, plain, same
from tables.models import Inspection
from tables.opening.entry_types import TABLE_INSPECTED

declare(
    Inspection,
    "inspection",
    key={"facility": FACILITY, "table": PLACE, "inspected_at": AT},
    created={
        TABLE_INSPECTED: {
            **same("by", "shaker", "dice", "lit", "tosses", "lines", "cameras"),
            "terms_sha256": lambda body: body["terms"],
        }
    },
    readings={"facility": Reading(("table__facility__code",), plain, ("table",))},
)
