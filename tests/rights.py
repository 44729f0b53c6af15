"""Who may do what: every address, every act and every socket, and what each act answers about a foreign object.

Written from the handbooks (docs/shift.md, docs/pit.md, docs/office.md), apart from the checks in the product. The
people are those of tests/two_facilities.py; a line refuses everybody else. tests/test_rights.py fails for an address,
an act, a socket or a parameter without a line here.
"""

import uuid
from collections.abc import Set
from typing import Any, NamedTuple

from django.db.models import Model

from audit.models import Lockout
from games.models import CalendarFeed, ProviderNote, Qualifier, SignForm
from tables.models import Alert, Approval, Assignment, Qualification, Rating
from tests.two_facilities import AT_LARKFIELD, FEED_SECRET, JOB

# People at Larkfield. "The table" is T-01, a Sic Bo table.
DEALERS_AT_POST = {"dealer", "dealer at a podium"}
DEALERS_ON_DUTY = DEALERS_AT_POST | {"dealer at no post"}
AT_THE_TABLET = {"floorperson at the tablet", "shift manager at the tablet"}
STAFFERS = {"pit manager", "shift manager"}
# Each department sets the duty of its own people, an administrator with a second person that of anybody.
DUTY_CHANGERS = STAFFERS | {"security", "surveillance", "cage cashier", "system administrator"}
MANAGEMENT = STAFFERS | {"casino supervisor"}
FLOOR_OF_TABLE = MANAGEMENT | AT_THE_TABLET | {"floorperson"}
AT_THE_TABLE = DEALERS_ON_DUTY | FLOOR_OF_TABLE
WATCHERS = {"surveillance", "compliance", "gaming agent"}
FLOORPEOPLE = {"floorperson", "floorperson of the football pit", "floorperson at no table"}
FLOOR_READERS = FLOORPEOPLE | MANAGEMENT | WATCHERS | {"games administrator"}
TABLE_READERS = AT_THE_TABLE | FLOOR_READERS | {"compliance at the tablet"}
DICE_READERS = FLOOR_READERS | {"security"}
PLAYER_RATERS = FLOORPEOPLE | MANAGEMENT
PLAYER_READERS = PLAYER_RATERS | {"security", "surveillance", "compliance"}
FIGURES_OF_TABLE = (FLOOR_READERS | {"floorperson"}) - {
    "games administrator",
    "floorperson of the football pit",
    "floorperson at no table",
}
OFFICE = {"compliance", "games administrator"}
APPROVERS = {"compliance", "shift manager"}
ACCESS_PREPARERS = {"system administrator", "shift manager"}
OFFICE_READERS = MANAGEMENT | WATCHERS | {"games administrator"}
DESK_READERS = MANAGEMENT | WATCHERS
CASE_READERS = WATCHERS | {"shift manager"}
CASE_WORKERS = CASE_READERS - {"gaming agent"}
EXPORTERS = {"compliance", "gaming agent"}
LOCKED_FLOOR = {"locked", "locked phone"}
LOCKED = LOCKED_FLOOR | {"locked tablet", "locked podium of a dealer"}
NOT_SIGNED_IN = {"no device", "nobody", "display", "wall", "revoked"} | LOCKED
EVERYBODY = set(AT_LARKFIELD)
SIGNED_IN = EVERYBODY - NOT_SIGNED_IN
LEAST = {"no device", "locked tablet"}  # what is open to these two is open to everybody

# An address of Larkfield for each route: its arguments by name, and codes by the list to which they belong.
EXAMPLES: dict[str, Any] = {
    "facility": "larkfield",
    "table": "T-01",
    "place": "T-01",
    "lot": "L-0001",
    "number": 1,
    "version": 1,
    "seq": 1,
    "kind": "limits",
    "station": "table",
    "slug": "sic-bo-pa-625a-a",
    "job": JOB,
    "secret": FEED_SECRET,
    "act": "change_limits",
    "case": "C-0001",
    "day": "2020-01-02",
    "digest": "0" * 64,
    "slip": "F-0001",
    "change": "password",
    "form": "csv",
}
CODES = {
    "submissions": "RS-0009",
    "requests": "NG-0001",
    "providers": "SP-0001",
    "documents": "D-0001",
    "changes": "CH-0001",
    "players": "P-LARK22",
}
ONLY_AT_LARKFIELD = {"table": "T-42", "place": "T-42", "lot": "L-0099", "case": "C-0001"}
QUERIES = {"floor/<slug:facility>/<code:table>/light": "?dice=1,2,5"}

# Searches and choices at Seabright that name something of Larkfield.
FOREIGN_QUERIES = (
    "inbox/seabright/?show=closed",
    "inbox/seabright/exceptions/?by=table",
    "record/seabright/?who=mei",
    "record/seabright/?place=T-42",
    "record/seabright/?lot=L-0099",
    "office/seabright/odds/?rules=RS-0009.1",
    "office/seabright/documents/?q=Approval",
    "office/seabright/requests/?q=Quick",
    "floor/seabright/dice/?table=T-01&round=1",
    "floor/seabright/dice/?code=L-0099",
    "floor/seabright/staff/?who=Mei&all=1",
)

# Below them no cookie opens anything: scopes of clients do (tests/api/test_scopes.py, test_scim.py).
APIS = ("api/v1/", "api/", "scim/v2/")

# Who reads each address with GET. An act has no page: its addresses take POST alone.
READERS: dict[str, Set[str]] = {
    # The rules office
    "office/<slug:facility>/submissions/": OFFICE_READERS,
    "office/<slug:facility>/submissions/<slug:code>/": OFFICE_READERS,
    "office/<slug:facility>/submissions/<slug:code>/<int:version>/": OFFICE_READERS,
    "office/<slug:facility>/submissions/<slug:code>/<int:version>.pdf": OFFICE_READERS,
    "office/<slug:facility>/changes/": OFFICE_READERS,
    "office/<slug:facility>/changes/<slug:code>/": OFFICE_READERS,
    "office/<slug:facility>/odds/": OFFICE_READERS,
    "office/<slug:facility>/odds/what-if": OFFICE_READERS,
    "office/<slug:facility>/odds/sheet.pdf": OFFICE_READERS,
    "office/<slug:facility>/signs/": OFFICE_READERS,
    "office/<slug:facility>/guide/": OFFICE_READERS,
    "office/<slug:facility>/guide/<int:version>/": OFFICE_READERS,
    "office/<slug:facility>/guide/<int:version>/guide.pdf": OFFICE_READERS,
    "office/<slug:facility>/guide/<int:version>/<slug:slug>/": OFFICE_READERS,
    "office/<slug:facility>/requests/": OFFICE_READERS,
    "office/<slug:facility>/requests/<slug:code>/": OFFICE_READERS,
    "office/<slug:facility>/requests/<slug:code>.pdf": OFFICE_READERS,
    "office/<slug:facility>/requests/<slug:code>/tests/<int:number>/": OFFICE_READERS,
    "office/<slug:facility>/providers/": OFFICE_READERS,
    "office/<slug:facility>/providers/<slug:code>/": OFFICE_READERS,
    "office/<slug:facility>/documents/": OFFICE_READERS,
    "office/<slug:facility>/documents/<slug:code>": OFFICE_READERS,
    "office/<slug:facility>/deadlines/": OFFICE_READERS,
    "office/<slug:facility>/deadlines/feeds": OFFICE_READERS,
    "office/<slug:facility>/acts/<str:act>": set(),
    # Patrons, calendars that know a secret, and the proxy
    "guide/<slug:facility>/": EVERYBODY,
    "guide/<slug:facility>/guide.pdf": EVERYBODY,
    "guide/<slug:facility>/<slug:slug>/": EVERYBODY,
    "rules/<slug:facility>/": EVERYBODY,
    "rules/<slug:facility>/document": EVERYBODY,
    "office/feeds/<slug:secret>.ics": EVERYBODY,
    "healthz": EVERYBODY,
    "readyz": EVERYBODY,
    # What an installed app is made of
    "manifest.webmanifest": EVERYBODY,
    "service-worker.js": EVERYBODY,
    "no-line": EVERYBODY,
    # The compliance desk
    "record/<slug:facility>/": DESK_READERS,
    "record/<slug:facility>/entries/installation/system/<int:seq>/": DESK_READERS,
    "record/<slug:facility>/entries/installation/system/<int:seq>/proof.jsonl": set(),  # before it is taken
    "record/<slug:facility>/entries/<code:place>/<int:seq>/": DESK_READERS,
    "record/<slug:facility>/entries/<code:place>/<int:seq>/proof.jsonl": set(),
    "record/<slug:facility>/clauses/": DESK_READERS,
    "record/<slug:facility>/integrity/": DESK_READERS,
    "record/<slug:facility>/retention/": DESK_READERS,
    "record/<slug:facility>/report/": DESK_READERS,
    "record/<slug:facility>/report.pdf": DESK_READERS,
    "record/<slug:facility>/exports/": DESK_READERS,
    "record/<slug:facility>/exports/list": DESK_READERS,
    "record/<slug:facility>/exports/<uuid:job>": EXPORTERS,
    # before it is printed
    "record/<slug:facility>/rounds/<code:table>/<int:number>/<slug:digest>.pdf": set(),
    "record/<slug:facility>/found/<slug:digest>.csv": set(),  # of who took it
    "record/<slug:facility>/acts/<str:act>": set(),
    # The inbox of compliance
    "inbox/<slug:facility>/": CASE_READERS,
    "inbox/<slug:facility>/exceptions/": CASE_READERS,
    "inbox/<slug:facility>/reports/<slug:day>/": CASE_READERS,
    "inbox/<slug:facility>/<slug:case>/": CASE_READERS,
    "inbox/<slug:facility>/<slug:case>/documents/<int:number>": CASE_READERS,
    "inbox/<slug:facility>/<slug:case>/letters/<int:number>/": CASE_READERS,
    "inbox/<slug:facility>/<slug:case>/letters/<int:number>/<slug:digest>.pdf": set(),  # before it is printed
    # Devices and sign-in
    "": SIGNED_IN | {"no device", "revoked", "display", "wall"} | LOCKED_FLOOR,
    "enrol": EVERYBODY,
    "sign-in": EVERYBODY,
    "sign-in/second-factor": EVERYBODY,  # led to the sign-in, unless their password was right just now
    "sign-in/set-up": EVERYBODY,
    "sign-in/new-pin": EVERYBODY,  # led to the sign-in, unless they gave a one-time PIN just now
    "sign-in/guessed": SIGNED_IN,  # led home, where nobody typed a wrong PIN under their name
    "sign-in/key": set(),
    "sign-in/again": SIGNED_IN,
    "my-sign-in": set(),  # of people with a password, who has none here
    "my-sign-in/<slug:change>": set(),
    "sign-off": set(),
    "lock": set(),
    # The floor
    "floor/<slug:facility>/": FLOOR_READERS | LOCKED_FLOOR,
    "floor/<slug:facility>/tiles": FLOOR_READERS,
    "floor/<slug:facility>/locked-tiles": LOCKED_FLOOR,
    "floor/<slug:facility>/wall": {"wall"},
    "floor/<slug:facility>/wall-tables": {"wall"},
    "floor/<slug:facility>/advice/": FLOORPEOPLE | MANAGEMENT,
    "floor/<slug:facility>/advice/occupancy": FLOOR_READERS,
    "floor/<slug:facility>/dice/": DICE_READERS,
    "floor/<slug:facility>/dice-control/": DICE_READERS,
    "floor/<slug:facility>/dice-watch/": FLOORPEOPLE | MANAGEMENT | WATCHERS,
    "floor/<slug:facility>/dice/<code:lot>/": DICE_READERS,
    "floor/<slug:facility>/equipment/": FLOOR_READERS,
    "floor/<slug:facility>/staff/": FLOOR_READERS | {"security", "cage cashier", "system administrator"},
    "floor/<slug:facility>/figures/": FLOOR_READERS - {"games administrator"},
    "floor/<slug:facility>/figures/export.<slug:form>": FLOOR_READERS - {"games administrator"},
    "floor/<slug:facility>/figures/reconciliation": FLOOR_READERS - {"games administrator"},
    "floor/<slug:facility>/figures/reconciliation.csv": FLOOR_READERS - {"games administrator"},
    "floor/<slug:facility>/figures/<code:table>/": FIGURES_OF_TABLE,
    "floor/<slug:facility>/figure-reports/": WATCHERS | STAFFERS,
    "floor/<slug:facility>/cage/": WATCHERS | STAFFERS | {"cage cashier"},
    "floor/<slug:facility>/cage/<slug:slip>.pdf": set(),  # before the cage has given a slip
    "floor/<slug:facility>/players/": PLAYER_READERS,
    "floor/<slug:facility>/players/<slug:code>/": PLAYER_READERS,
    "floor/<slug:facility>/access/": MANAGEMENT | {"compliance", "system administrator"},
    "floor/<slug:facility>/access/csv": MANAGEMENT | {"compliance", "system administrator"},
    "floor/<slug:facility>/devices/": MANAGEMENT | {"compliance", "system administrator"},
    "floor/<slug:facility>/systems/": MANAGEMENT | {"compliance", "system administrator"},
    "floor/<slug:facility>/webhooks/": MANAGEMENT | {"compliance", "system administrator"},
    "floor/<slug:facility>/people/": MANAGEMENT | {"compliance", "system administrator"},
    "floor/<slug:facility>/people/file": ACCESS_PREPARERS,
    "floor/<slug:facility>/sign-in/": {"system administrator"},
    "floor/<slug:facility>/setup/": OFFICE | STAFFERS | {"system administrator"},
    "floor/<slug:facility>/handover/": STAFFERS,
    "floor/<slug:facility>/rotation/": FLOORPEOPLE | MANAGEMENT,
    "floor/<slug:facility>/handover/past/": STAFFERS,
    "floor/<slug:facility>/handover/<int:number>/": STAFFERS,
    "floor/<slug:facility>/acts/<str:act>": set(),
    "floor/<slug:facility>/<code:table>/": TABLE_READERS,
    "floor/<slug:facility>/<code:table>/console": AT_THE_TABLE,
    "floor/<slug:facility>/<code:table>/tray": TABLE_READERS - {"games administrator"},
    "floor/<slug:facility>/<code:table>/inventories/": TABLE_READERS - {"games administrator"},
    "floor/<slug:facility>/<code:table>/inventories/<int:number>.pdf": set(),  # before an opener
    "floor/<slug:facility>/<code:table>/tray/summary": TABLE_READERS - {"games administrator"},
    "floor/<slug:facility>/<code:table>/acts/<str:act>/signers": TABLE_READERS,
    "floor/<slug:facility>/<code:table>/relief": AT_THE_TABLE,
    "floor/<slug:facility>/<code:table>/buy-ins": AT_THE_TABLE,
    "floor/<slug:facility>/<code:table>/relief/card": AT_THE_TABLE,
    "floor/<slug:facility>/<code:table>/correction": AT_THE_TABLE,
    "floor/<slug:facility>/<code:table>/sign/": TABLE_READERS | {"display"},
    "floor/<slug:facility>/<code:table>/screen/sign": TABLE_READERS | {"display"},
    "floor/<slug:facility>/<code:table>/sign/<slug:kind>": TABLE_READERS | {"display"},
    "floor/<slug:facility>/<code:table>/sign/<slug:kind>.pdf": TABLE_READERS | {"display"},
    "floor/<slug:facility>/<code:table>/screen/<slug:station>": TABLE_READERS,
    "floor/<slug:facility>/<code:table>/rounds": TABLE_READERS,
    "floor/<slug:facility>/<code:table>/rounds/<int:number>/": TABLE_READERS,
    "floor/<slug:facility>/<code:table>/rounds/<int:number>/dice": TABLE_READERS | DICE_READERS,
    "floor/<slug:facility>/<code:table>/rounds/<int:number>/slip": TABLE_READERS,
    "floor/<slug:facility>/<code:table>/slips/<int:number>.pdf": TABLE_READERS,
    "floor/<slug:facility>/<code:table>/light": AT_THE_TABLE,
    "floor/<slug:facility>/<code:table>/acts/<str:act>": set(),
}

# Addresses whose view refuses some of those whom their rule admits.
NARROWED_BY_VIEW = {"floor/<slug:facility>/figures/<code:table>/"}  # of tables that the person does not see

# Who may send a form to each address; every other address answers 405. Each act decides for itself, below.
SENDERS: dict[str, Set[str]] = {
    "office/<slug:facility>/deadlines/feeds": OFFICE,
    "floor/<slug:facility>/people/file": ACCESS_PREPARERS,
    "floor/<slug:facility>/webhooks/": {"system administrator"},  # a message for a test
    "enrol": set(),  # nobody without a token
    "sign-in": {"no device", "revoked", "display", "wall"},  # led elsewhere; nobody without a PIN
    "sign-in/second-factor": EVERYBODY,
    "sign-in/set-up": EVERYBODY,
    "sign-in/new-pin": EVERYBODY,
    "sign-in/guessed": SIGNED_IN,
    "sign-in/key": SIGNED_IN,
    "sign-in/again": SIGNED_IN,
    "my-sign-in/<slug:change>": set(),
    "sign-off": EVERYBODY,
    "lock": EVERYBODY,
    "healthz": EVERYBODY,
    "readyz": EVERYBODY,
}


class AtTables(NamedTuple):
    """Who may do an act at T-01, a Sic Bo table, and at T-42, a football table. At T-42 only some people try."""

    sic_bo: Set[str]
    football: Set[str]


TRY_AT_FOOTBALL = {
    *("dealer", "dealer at a podium", "dealer at another table's tablet", "football dealer", "stickperson"),
    *("floorperson", "floorperson of the football pit", "casino supervisor", "pit manager"),
    *("shift manager", "shift manager at the tablet"),
}
FOOTBALL_DEALERS = {"football dealer", "stickperson"}
FOOTBALL_MANAGERS = {"pit manager", "shift manager"}
FOOTBALL_FLOOR = FOOTBALL_MANAGERS | {"floorperson of the football pit"}

POST_OR_FLOOR = AtTables(DEALERS_AT_POST | FLOOR_OF_TABLE, FOOTBALL_DEALERS | FOOTBALL_FLOOR)
# At football these belong to a post; from another tablet it takes that person's PIN and a reason (docs/shift.md).
STICK = AtTables(POST_OR_FLOOR.sic_bo, {"stickperson"})
OWN_HALF = AtTables(POST_OR_FLOOR.sic_bo, {"football dealer"})
DUTY_OR_FLOOR = AtTables(AT_THE_TABLE, FOOTBALL_DEALERS | FOOTBALL_FLOOR)
FLOOR = AtTables(FLOOR_OF_TABLE, FOOTBALL_FLOOR)
DEALERS = AtTables(DEALERS_ON_DUTY, FOOTBALL_DEALERS)
DICE_KEEPERS = AtTables(MANAGEMENT | {"shift manager at the tablet"}, FOOTBALL_MANAGERS)
REVIEWERS = AtTables({"surveillance", "compliance", "compliance at the tablet"}, set())
CAGE = AtTables({"cage cashier"}, set())
FLOOR_OR_CAGE = AtTables(FLOOR_OF_TABLE | {"cage cashier"}, FOOTBALL_FLOOR)
FLOOR_OR_SECURITY = AtTables(FLOOR_OF_TABLE | {"security"}, FOOTBALL_FLOOR)
POST_FLOOR_OR_SECURITY = AtTables(POST_OR_FLOOR.sic_bo | {"security"}, POST_OR_FLOOR.football)
POST_FLOOR_OR_CAGE = AtTables(POST_OR_FLOOR.sic_bo | {"cage cashier"}, POST_OR_FLOOR.football)
SIGNERS = AtTables(
    AT_THE_TABLE | {"cage cashier", "security", "surveillance", "compliance", "compliance at the tablet"},
    DUTY_OR_FLOOR.football,
)
MANAGERS = AtTables(STAFFERS | {"shift manager at the tablet"}, FOOTBALL_MANAGERS)

ACTS_AT_TABLES = {
    # Opening, closing, equipment
    "inspect_table": POST_OR_FLOOR,
    "open_table": POST_OR_FLOOR,
    "close_table": POST_OR_FLOOR,
    "report_device_failure": POST_OR_FLOOR,
    "record_repair": POST_OR_FLOOR,
    "log_device_incident": FLOOR,
    "replace_shaker": POST_OR_FLOOR,
    "return_shaker": FLOOR,
    "unlock_shaker": POST_OR_FLOOR,
    # Dice
    "issue_dice": DICE_KEEPERS,
    "return_dice": DICE_KEEPERS,
    "change_dice_lot": POST_OR_FLOOR,
    "withdraw_dice": POST_OR_FLOOR,
    "examine_dice": FLOOR,
    # The round
    "place_wagers": POST_OR_FLOOR,
    "no_more_bets": POST_OR_FLOOR,
    "shake": POST_OR_FLOOR,
    "call_dice": STICK,
    "draw_dice": STICK,
    "post_reading": AtTables(set(), set()),  # of a machine alone
    "show_sign": AtTables(set(), set()),
    "call_no_roll": STICK,
    "void_round": POST_OR_FLOOR,
    "take_losers": POST_OR_FLOOR,
    "pay_seats": POST_OR_FLOOR,
    "return_wagers": POST_OR_FLOOR,
    "settle_seats": OWN_HALF,
    "clear_layout": POST_OR_FLOOR,
    "record_hand_settled_round": POST_OR_FLOOR,
    # High Roll Dice and Three Dice Football
    "seat_player": POST_OR_FLOOR,
    "free_seat": POST_OR_FLOOR,
    "mark_seat": POST_OR_FLOOR,
    "lock_out_extra_rolls": POST_OR_FLOOR,
    "collect_fees": POST_OR_FLOOR,
    "move_dice": POST_OR_FLOOR,
    "gather_loose_dice": POST_OR_FLOOR,
    "offer_dice": STICK,
    "throw_dice": STICK,
    # Corrections, disputes, slips
    "correct_dice": POST_OR_FLOOR,
    "record_missed_wager": POST_OR_FLOOR,
    "strike_mistaken_wager": POST_OR_FLOOR,
    "report_dispute": POST_OR_FLOOR,
    "file_slip": DUTY_OR_FLOOR,
    "settle_slip": DUTY_OR_FLOOR,
    "review_slip": REVIEWERS,
    "acknowledge_alert": FLOOR,
    # The loop from the table to the floor
    "call_floor": POST_OR_FLOOR,
    "explain_call": POST_OR_FLOOR,
    "cancel_call": POST_OR_FLOOR,
    "answer_alert": FLOOR,
    "decide_alert": FLOOR,
    "read_decision": POST_OR_FLOOR,
    "mute_alert": FLOOR,
    # Chips and cash
    "count_opener": POST_OR_FLOOR,
    "count_tray": POST_OR_FLOOR,
    "count_closer": POST_OR_FLOOR,
    "sell_chips": POST_OR_FLOOR,
    "request_fill": FLOOR,
    "request_credit": FLOOR,
    "cancel_transfer": FLOOR_OR_CAGE,
    "prepare_transfer": CAGE,
    "sign_to_carry": POST_FLOOR_OR_SECURITY,
    "hand_over_transfer": POST_FLOOR_OR_CAGE,
    "receive_transfer": POST_FLOOR_OR_CAGE,
    "report_count_difference": POST_FLOOR_OR_CAGE,
    "void_transfer": POST_FLOOR_OR_CAGE,
    "put_on_drop_box": FLOOR_OR_SECURITY,
    "take_off_drop_box": FLOOR_OR_SECURITY,
    "count_drop": CAGE,
    "sign_paper": SIGNERS,  # whom the list of the paper names, or beside whom they sign
    "set_par": MANAGERS,
    # Limits
    "change_limits": FLOOR,
    "cancel_limits_change": FLOOR,
    "post_limits_sign": POST_OR_FLOOR,
    "announce_limits": POST_OR_FLOOR,
    "players_left": POST_OR_FLOOR,
    # Rated players
    **dict.fromkeys(("start_rating", "end_rating", "move_rating", "refuse_seat", "allow_seat"), FLOOR),
    # Posts and supervision
    "take_over_table": DEALERS,
    "leave_table": DEALERS,
    "relieve_dealer": FLOOR,
    "take_supervision": FLOOR,
    "assign_floorperson": MANAGERS,
}
# Acts on changes that a second person approves, posted where the act of the change is posted.
ACTS_ON_CHANGES = {
    "approve_change": APPROVERS | {"system administrator"},
    "send_back_change": APPROVERS | {"system administrator"},
    "take_back_change": OFFICE | ACCESS_PREPARERS,
    "acknowledge_change": STAFFERS | {"surveillance", "compliance"},
}
ON_DUTY_RATERS = MANAGEMENT | {"floorperson", "floorperson of the football pit"}
ACTS_OF_FACILITY = {
    **ACTS_ON_CHANGES,
    "receive_dice": MANAGEMENT,
    "inspect_dice": MANAGEMENT,
    "destroy_dice": MANAGEMENT,
    "count_dice": MANAGEMENT,
    "register_instrument": MANAGEMENT,
    "calibrate_instrument": MANAGEMENT,
    "retire_instrument": MANAGEMENT,
    "record_approval": OFFICE,
    "set_review_sum": OFFICE,
    "withdraw_approval": OFFICE,
    "register_shaker": OFFICE,
    "assign_person": DUTY_CHANGERS,
    "begin_own_duty": DUTY_CHANGERS - {"system administrator"},
    "assign_elsewhere": STAFFERS,
    "end_assignment": DUTY_CHANGERS,
    "record_qualification": STAFFERS,
    "end_qualification": STAFFERS,
    "unlock_pins": MANAGEMENT,
    "accept_open_items": STAFFERS,
    "sign_handover": STAFFERS,
    "sign_facility_paper": ON_DUTY_RATERS | {"cage cashier", "security", "surveillance", "compliance"},
    **dict.fromkeys(("plan_move", "cancel_planned_move"), ON_DUTY_RATERS),
    **dict.fromkeys(
        ("open_case", "take_case", "add_case_note", "add_case_document", "sign_case_outcome"), CASE_WORKERS
    ),
    **dict.fromkeys(
        ("assign_case", "close_case", "reopen_case", "accept_report", "write_case_letter"),
        frozenset({"compliance"}),
    ),
    "record_camera_seen": {"surveillance"},
    "register_player": ON_DUTY_RATERS,
    **dict.fromkeys(("merge_players", "unmerge_players", "split_rating"), ON_DUTY_RATERS | {"compliance"}),
    **dict.fromkeys(
        ("find_player", "read_player"), ON_DUTY_RATERS | {"security", "surveillance", "compliance"}
    ),
    **dict.fromkeys(("exclude_player", "admit_player", "erase_player"), frozenset({"compliance"})),
    **dict.fromkeys(
        (
            *("add_person", "add_people", "change_access", "replace_pin", "end_access", "replace_sign_in"),
            *("record_leave", "record_return"),
        ),
        ACCESS_PREPARERS,
    ),
    **dict.fromkeys(("end_employment", "add_bookmark"), frozenset()),  # of a machine alone
    "add_device": {"system administrator"},
    "add_client": {"system administrator"},
    **dict.fromkeys(("renew_client", "bind_client"), frozenset({"system administrator"})),
    "make_client_secret": {"system administrator", "compliance"},
    **dict.fromkeys(("make_pin", "give_password"), frozenset({"system administrator", "compliance"})),
    "make_token": {"system administrator", "compliance", "shift manager"},
    **dict.fromkeys(
        ("add_webhook", "rotate_webhook_key", "replay_webhook"), frozenset({"system administrator"})
    ),
    "end_webhook": {"system administrator", "compliance", "shift manager"},
    "move_device": {"system administrator"},
    "rename_device": {"system administrator"},
    "review_access": {"compliance"},
    "revoke_device": MANAGEMENT | {"system administrator", "compliance"},
    "add_pit": OFFICE | {"system administrator"},
    "add_table": OFFICE | {"system administrator"},
    "move_table": OFFICE | {"system administrator"},
    "arrange_pit": STAFFERS,
    "arrange_floor": STAFFERS,
}
ACTS_OF_OFFICE = dict.fromkeys(
    (
        # Documents and deadlines
        *("file_document", "note_reminder", "make_feed", "revoke_feed"),
        # Rules submissions and signs
        *("draft_submission", "change_draft", "file_submission", "record_decision", "withdraw_submission"),
        *("draft_sign_form", "file_sign_form", "decide_sign_form", "withdraw_sign_form"),
        # The gaming guide, the rules book, permissions of the board
        *("generate_guide", "file_guide_sample", "decide_guide", "approve_as_immaterial", "publish_guide"),
        *("withdraw_guide", "record_guide_display", "end_guide_display", "file_rules_book"),
        *("record_rules_inspection", "record_board_permission", "withdraw_board_permission"),
        # Service providers
        *("register_provider", "record_investigation", "record_listing", "note_on_provider", "close_note"),
        *("name_person", "change_person", "record_qualification", "end_person", "issue_credential"),
        *("end_credential", "complete_application", "attach_release", "file_application"),
        *("record_application_costs", "decide_application", "record_permission", "rescind_permission"),
        *("record_receipt", "register_service", "record_laboratory", "record_laboratory_costs"),
        *("link_request", "end_service"),
        # Requests for games, and their tests
        *("draft_request", "change_request", "file_request", "decide_request", "withdraw_request"),
        *("record_further_request", "answer_further_request", "record_suitability", "record_amendment"),
        *("record_licensing", "record_costs", "record_payment", "draft_test", "change_test", "file_test"),
        *("decide_test", "withdraw_test", "change_test_rules", "record_test_run"),
    ),
    OFFICE,
)
ACTS_OF_OFFICE |= ACTS_ON_CHANGES
ACTS_OF_DESK = {
    "ask_export": EXPORTERS,
    "take_export": EXPORTERS,
    "take_search": EXPORTERS,
    "ask_verification": EXPORTERS,
    "take_proof": EXPORTERS,
    "print_round": EXPORTERS,
    "print_letter": {"compliance"},
    "ask_sheets": EXPORTERS,
    "place_legal_hold": {"compliance"},
    "release_legal_hold": {"compliance"},
    "save_filter": DESK_READERS,
    "remove_filter": DESK_READERS,
}

SOCKETS: dict[str, Set[str]] = {
    "ws/table/<slug:facility>/<code:table>/sign": TABLE_READERS | {"display"},
    "ws/table/<slug:facility>/<code:table>/<slug:station>": TABLE_READERS,
    "ws/floor/<slug:facility>": FLOOR_READERS,
    "ws/floor/<slug:facility>/locked": LOCKED_FLOOR,
    "ws/floor/<slug:facility>/wall": {"wall"},
    "^.*$": set(),
}


class NamedObject(NamedTuple):
    """A parameter that names an object: one of Seabright, one of Larkfield, and the refusal of a foreign one.

    A model stands for the primary key of its newest row in that casino.
    """

    own: Any
    foreign: Any
    refusal: str


def rows(model: type[Model], refusal: str) -> NamedObject:
    return NamedObject(model, model, refusal)


DOCUMENT = NamedObject("D-9001", "D-0001", "no-such-document")


# What acts call their objects, and whether by text or by number. `OTHER_WORDS` has no object of that name.
OBJECTS = {
    ("acknowledgement", "text"): DOCUMENT,
    ("alert", "number"): rows(Alert, "no-such-alert"),
    ("approval", "number"): rows(Approval, "no-such-approval"),
    ("assignment", "number"): rows(Assignment, "no-such-assignment"),
    ("case", "text"): NamedObject("C-9001", "C-0001", "no-such-case"),
    ("change", "text"): NamedObject("CH-9001", "CH-0001", "no-such-change"),
    ("code", "text"): NamedObject("RS-0002", "RS-0009", "no-such-submission"),
    ("device", "text"): NamedObject("Device: dealer", "Device: stickperson", "no-such-device"),
    ("diligence", "text"): DOCUMENT,
    ("document", "text"): DOCUMENT,
    ("drop_box", "number"): NamedObject(9, 1, "no-such-drop-box"),
    ("feed", "number"): rows(CalendarFeed, "no-such-feed"),
    ("form", "number"): rows(SignForm, "no-such-sign-form"),
    ("guide", "number"): NamedObject(9, 1, "no-such-guide"),
    ("form", "text"): DOCUMENT,
    ("instrument", "text"): NamedObject("M-98", "M-99", "no-such-instrument"),
    ("letter", "text"): DOCUMENT,
    ("job", "text"): NamedObject(str(uuid.UUID(int=9)), str(JOB), "no-such-export"),
    ("lockout", "number"): rows(Lockout, "no-such-lockout"),
    ("hold", "text"): NamedObject("LH-0009", "LH-0001", "no-such-hold"),
    ("lot", "text"): NamedObject("L-0003", "L-0099", "no-such-lot"),
    ("lots", "text"): NamedObject(["L-0003"], ["L-0099"], "no-such-lot"),
    ("notice", "text"): DOCUMENT,
    ("move", "number"): NamedObject(9, 1, "no-such-move"),
    ("webhook", "text"): NamedObject("WH-0002", "WH-0001", "no-such-webhook"),
    ("note", "number"): rows(ProviderNote, "no-such-note"),
    ("person", "number"): rows(Qualifier, "no-such-qualifier"),
    ("person", "text"): NamedObject("their-pit-manager", "mei", "no-such-person"),
    ("pit", "text"): NamedObject("", "p3", "no-such-place"),
    ("into", "text"): NamedObject("P-SEAB22", "P-LARK22", "no-such-player"),
    ("player", "text"): NamedObject("P-SEAB22", "P-LARK22", "no-such-player"),
    ("rating", "number"): rows(Rating, "no-such-rating"),
    ("provider", "text"): NamedObject("SP-9001", "SP-0001", "no-such-provider"),
    ("qualification", "number"): rows(Qualification, "no-such-qualification"),
    ("request", "text"): NamedObject("NG-9001", "NG-0001", "no-such-request"),
    ("round", "number"): NamedObject(9, 1, "no-such-round"),
    ("service", "text"): NamedObject("SV-9001", "SV-0001", "no-such-service"),
    ("shaker", "text"): NamedObject("", "S-99", "no-such-equipment"),
    ("slip", "text"): NamedObject("ENS-0009", "ENS-0001", "no-such-slip"),
    ("statement", "text"): DOCUMENT,
    ("submission", "text"): NamedObject("RS-0002", "RS-0009", "no-such-submission"),
    ("streams", "text"): NamedObject(["T-01"], ["larkfield/T-01"], "no-such-stream"),
    ("table", "text"): NamedObject("", "T-42", "no-such-place"),
    ("transfer", "number"): NamedObject(9, 1, "no-such-transfer"),
    ("tables", "text"): NamedObject(["T-01"], ["T-42"], "no-such-table-here"),
}
# Where an act answers otherwise; "" where it is done, because the name is that of a new object.
OTHER_REFUSALS = {
    ("receive_dice", "lot"): "",
    ("register_shaker", "shaker"): "",
    ("register_instrument", "instrument"): "",
    ("add_person", "person"): "person-code-taken",  # codes are of the whole installation
    ("add_people", "person"): "person-code-taken",
    ("add_pit", "pit"): "",
    ("add_table", "table"): "no-such-place",  # without a pit
    ("move_table", "submission"): "no-such-place",  # without a table
    ("replace_shaker", "shaker"): "shaker-not-free",
    ("return_shaker", "shaker"): "shaker-not-out-of-order",
    ("record_approval", "table"): "no-such-equipment",
    (
        "approve_change",
        "code",
    ): "another-body-decides",  # of the act that is approved, which has its own parameters
    ("split_rating", "round"): "not-another-player",
    ("link_request", "request"): "no-such-request-here",
    ("return_wagers", "round"): "nothing-to-return",
    ("print_round", "table"): "no-such-round",
    ("ask_sheets", "table"): "no-tables-to-export",
}
# Values by which acts come to their objects.
VALUES: dict[tuple[str, str], Any] = {("from", "text"): "", ("to", "text"): "", ("subject", "text"): "table"}
# Names of parameters that name no object: amounts, words, dates.
OTHER_WORDS = """
    about accepted acknowledge_lapsed action activated_by_seat addressee adverse approvals approved approved_on
    badge balanced because begins begins_on body box calibrated_on caliper camera cameras card cease_on cents
    certificate
    chips clean clip compartment completed_by copy costs_cents day deadline dice differs director done_on due_on
    edition elsewhere en ends ends_on es family fee_cents fee_paid_on filename findings form_filed_on formats
    found from game games general granted granted_on height_mm high_um how in_force_from increments innovation item
    items kind kinds landmark lapsed_why last_day left licence licence_ends_on lines lit location lost low_um
    made_in mark
    max_cents micrometer min_cents minutes moved name named named_by_board need no_other_license nobody_plays note
    number odds odds_word officer on opened outcome owns_bp paid_cents paid_on paper part patent payout_limit_cents
    payouts purpose
    people petitioner place place_reference play post procedure qualified query reason received received_on
    reference rejected removed role row rules salesperson scopes seal seat seats secured seq serial several sha256
    shakers shakes shift shows since square station stored subject submitted_on tampered test text title to to_seat
    tosses training types url version votes_bp wager wagers what why width_mm zh
"""
