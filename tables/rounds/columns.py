"""What is known of the columns of tables and rounds: most are compared with the entries by the check of play."""

from audit.columns import FACILITY, NONE, PLACE, Body, Rows, declare
from audit.entries import STREAM_CLOSED
from tables.models import Round, Settlement, Table, Throw, Wager
from tables.staffing.entry_types import SUPERVISION_ASSIGNED, SUPERVISION_TAKEN

PLAY = "tables.replay.record_checks.check_play_tables"
MONEY = "tables.money.record_checks.check_money"
CORRECTIONS = "tables.corrections.record_checks.check_tray_corrections"
PLAYERS = "tables.players.record_checks.check_players"
POST = "who is at a post now, and since when; the entries about posts say who dealt which round"
NOW = "where play is now: every act checks and writes it, and the round's entries say how it ended"


def of(names: str, about: str) -> dict[str, str]:
    """The same about each of these columns."""
    return dict.fromkeys(names.split(), about)


def moved(rows: Rows, body: Body) -> None:
    data = body["data"]
    rows.put(body, FACILITY(body), data["table"], pit=data["pit"], submission_code=data["submission"])


def opened(rows: Rows, body: Body) -> None:
    rows.put(body, FACILITY(body), PLACE(body), floorperson=body["data"]["floorperson"])


def closed(rows: Rows, body: Body) -> None:
    rows.put(body, FACILITY(body), PLACE(body), closed_at=body["at"])


def stream_closed(rows: Rows, body: Body) -> None:
    """Nobody supervises a table whose stream was closed; the table that continues it is another row."""
    facility, _, table = body["data"]["stream"].partition("/")
    if rows.get(facility, table) is not None:
        rows.put(body, facility, table, floorperson=None)


declare(
    Table,
    "table",
    may_be_seeded=True,
    key={"facility": FACILITY, "code": PLACE},
    created={
        "table.made": {
            **{name: name for name in ("kind", "game", "seats", "pit")},
            "submission_code": "submission",
            "closed_at": NONE,
        }
    },
    changed={
        SUPERVISION_TAKEN: {"floorperson": "floorperson"},
        SUPERVISION_ASSIGNED: {"floorperson": "floorperson"},
    },
    folded={
        "table.moved": moved,
        "table.opened": opened,
        "table.closed": closed,
        STREAM_CLOSED: stream_closed,
    },
    derived={
        **of("stream min_cents max_cents halted_at last_round last_slip", PLAY),
        **of("tray_cents tray_taken_cents tray_paid_cents closer_signed_at", MONEY),
        "tray_corrected_cents": CORRECTIONS,
        **of("rated_seats refused_seats", PLAYERS),
    },
    unproven={
        "uid": "names the table's screens to each other, and nothing else",
        **of("recorded_rules_key acknowledged_terms recorded_sign_ids", "what the ticker recorded last"),
        **of("status ceased_what ceased_section ceased_since repaired_at", NOW),
        **of(
            "dealer dealer_since dealer_left dealer_left_since stickperson stickperson_since "
            "dealer_works_since dealer_left_works_since stickperson_works_since",
            POST,
        ),
        **of("seated seat_marks quarterback offered status_seq", NOW),
    },
)
declare(
    Round,
    "round",
    derived=of(
        "table submission number gaming_day phase by_hand last_throw opened_at ended_at wagered_cents "
        "taken_cents paid_cents late_wagers raises",
        PLAY,
    ),
    unproven={
        "shaker_kind": "the kind of the shaker whose code its throws state",
        "ending": "follows from the dice and the rules; a readjudication computes it",
        **of("step paid_seats paid_areas returned_seats quarterback offered drawn phase_seq seat_seqs", NOW),
    },
)
declare(
    Wager,
    "wager",
    derived=of("round seat code play cents made_in flag struck missed", PLAY),
)
declare(
    Throw,
    "throw",
    derived=of("round number revision dice void_reason lot shaker called_at", PLAY),
)
declare(
    Settlement,
    "settlement",
    derived=of("throw wager place cents outcome pays paid_cents returned_cents cite", PLAY),
    unproven={"why": "the words for a settlement's outcome; the entry has the outcome and its section"},
)
