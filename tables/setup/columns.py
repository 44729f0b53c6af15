"""What the entries state of facilities and pits."""

from audit.columns import FACILITY, NONE, Body, Rows, constant, declare, same
from games.models import Facility
from tables.models import Pit
from tables.money.chips import CHIPS_DECLARED, KEEPING_CHANGED
from tables.setup.entry_types import FACILITY_MADE, FLOOR_ARRANGED, FLOOR_DECLARED, PIT_ARRANGED, PIT_MADE

DECLARED = same("target_paces", "shifts", "floor_items")

declare(
    Facility,
    "facility",
    may_be_seeded=True,
    key={"code": FACILITY},
    created={
        FACILITY_MADE: {
            **same("name", "jurisdiction", "time_zone", "gaming_day_start"),
            "review_first_from_cents": NONE,
            "keeps_inventory": constant(False),
            "chips_cents": constant([]),
        }
    },
    changed={
        "review_sum.set": {"review_first_from_cents": "cents"},
        KEEPING_CHANGED: {"keeps_inventory": "keeps"},
        CHIPS_DECLARED: same("chips_cents"),
        FLOOR_ARRANGED: {"floor_items": "items"},
        FLOOR_DECLARED: DECLARED,
    },
    unproven={
        "work_minutes": "set in the database: only says when a break is due on screens",
        "break_minutes": "set in the database: only says when a break is due on screens",
    },
)


def floor_declared(rows: Rows, body: Body) -> None:
    for pit, places in body["data"]["places"].items():
        rows.put(body, FACILITY(body), pit, places=places)


declare(
    Pit,
    "pit",
    may_be_seeded=True,
    key={"facility": FACILITY, "code": "pit"},
    created={PIT_MADE: {"name": "name"}},
    changed={PIT_ARRANGED: {"places": "places"}},
    folded={FLOOR_DECLARED: floor_declared},
)
