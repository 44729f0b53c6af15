"""What the entries state of the compliance desk's rows: legal holds and saved filters."""

from audit.columns import ACTOR, AT, FACILITY, NONE, code_number, constant, declare, same
from audit.models import LegalHold, SavedFilter
from tables.desk.entry_types import FILTER_REMOVED, FILTER_SAVED, LEGAL_HOLD_PLACED, LEGAL_HOLD_RELEASED

declare(
    LegalHold,
    "legal hold",
    key={"facility": FACILITY, "number": code_number("hold")},
    created={
        LEGAL_HOLD_PLACED: {
            **same("reason", "kinds", "first_day", "last_day", "until"),
            "placed_by": ACTOR,
            "placed_at": AT,
            "released_by": NONE,
            "released_at": NONE,
            "release_reason": constant(""),
        }
    },
    changed={LEGAL_HOLD_RELEASED: {"released_by": ACTOR, "released_at": AT, "release_reason": "reason"}},
)

declare(
    SavedFilter,
    "filter",
    key={"facility": FACILITY, "person": ACTOR, "name": "filter"},
    created={FILTER_SAVED: {"query": "query", "saved_at": AT}},
    removed=[FILTER_REMOVED],
)
