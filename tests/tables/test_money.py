"""Chips and cash at a table: who signs for what, what moves when, and that a difference is flagged, not adjusted."""

import datetime as dt
import json
import uuid
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit import clock
from audit.columns import check_columns
from audit.models import Entry
from games.models import Facility
from tables.advice import TrayHour, table_hours
from tables.cases.case import open_found_cases
from tables.cases.kinds import kind_of, words_of_case
from tables.core.context import locked_table
from tables.corrections.slips import check_tray_corrections
from tables.handover.open_items import open_items
from tables.models import (
    Alert,
    Case,
    ChipDiscrepancy,
    ChipSale,
    ChipTransfer,
    DropBox,
    SlipNumbers,
    Table,
    TableInventory,
)
from tables.money.chips import change_keeping, value_cents
from tables.money.inventories import propose, tray_facts
from tables.money.record_checks import MODELS, check_money
from tables.money.tray import exact_cents, open_inventory, tray_of
from tables.runner.table import system_context
from tables.screens.table_data import TableData
from tables.setup.first_day import first_day
from tables.words.sentences import moment
from tests.tables import slip_scene
from tests.tables.cast import PIN, Scene, make_scene

pytestmark = pytest.mark.django_db
OPENER = {"100": 50, "500": 300, "2500": 400, "10000": 200, "50000": 40, "100000": 10}  # $61,550
OPENER_CENTS = 6_155_000
HIGH_ROLL = [(1, "pip:1"), (1, "like-kind:5"), (2, "pip:6"), (2, "like-kind:5"), (2, "extra-roll")]
FILL = {"500": 100, "2500": 100}  # $3,000


def keep_inventory(scene: Scene) -> Scene:
    change_keeping(scene.fresh.facility, True)
    return scene


@pytest.fixture
def closed() -> Scene:
    """A closed table of a house that keeps inventories, with everybody at their posts."""
    scene = keep_inventory(make_scene(opened=False))
    scene.staff()
    return scene


@pytest.fixture
def scene(closed) -> Scene:
    """The same, open after an opener of $61,550, with a drop box."""
    count(closed, "count_opener", OPENER)
    box(closed, "put_on_drop_box", {"box": "B-17"})
    closed.inspect()
    closed.open()
    return closed


def count(scene: Scene, act: str, chips: dict[str, int], **how: Any) -> Any:
    return scene.act(act, {"chips": chips}, **{"witness": "floorperson", **how})


def box(scene: Scene, act: str, params: dict[str, Any] | None = None, **how: Any) -> Any:
    how = {"by": "security", "witness": "floorperson", "device": scene.podium, **how}
    return scene.act(act, params or {}, **how)


def cage(scene: Scene, act: str, params: dict[str, Any], witness: str | None = None, **how: Any) -> Any:
    return scene.act(act, params, by="cage", witness=witness, device=scene.podium, **how)


def request(scene: Scene, kind: str = "fill", chips: dict[str, int] = FILL) -> dict[str, int]:
    answer = scene.act(f"request_{kind}", {"chips": chips}, by="floorperson", device=scene.podium)
    return {"transfer": answer.body["transfer"]}


def fill(scene: Scene, chips: dict[str, int] = FILL) -> dict[str, int]:
    """A fill up to its arrival at the table."""
    transfer = request(scene, "fill", chips)
    cage(scene, "prepare_transfer", transfer)
    cage(scene, "hand_over_transfer", transfer, "security")
    return transfer


def tray(scene: Scene) -> int | None:
    return Table.objects.values_list("tray_cents", flat=True).get(pk=scene.table.pk)


def findings() -> list[tuple[str, Any]]:
    """What a full verification finds wrong with chips and cash."""
    found = (*check_columns(lambda: None, MODELS), *check_money(lambda: None))
    return [(finding.code, finding.where) for finding in found]


def corrections() -> list[str]:
    """What a full verification finds wrong with the corrections of trays."""
    return [finding.code for finding in check_tray_corrections(lambda: None)]


def newest(type_: str) -> dict[str, Any]:
    return json.loads(bytes(Entry.objects.filter(type=type_).latest("pk").body))["data"]


def test_a_table_opens_only_after_an_opener_signed_by_dealer_and_floor(closed):
    closed.inspect()
    with closed.refused("opener-missing"):
        closed.open()
    for witness in (None, "relief", "security", "dealer"):
        with closed.refused("dealer-and-floor-must-sign"):
            count(closed, "count_opener", OPENER, witness=witness)
    count(closed, "count_opener", OPENER)
    assert (tray(closed), newest("inventory.opener_counted")["closer"]) == (OPENER_CENTS, None)
    with closed.refused("opener-is-signed"):
        count(closed, "count_opener", OPENER)
    closed.open()


def test_a_fill_is_in_the_tray_once_it_is_received_and_a_credit_has_left_once_it_is_handed_over(scene):
    transfer = fill(scene)
    assert tray(scene) == OPENER_CENTS
    with scene.refused_on_record("receipt-differs") as refusal:
        scene.act("receive_transfer", {**transfer, "chips": {"500": 99, "2500": 100}}, witness="floorperson")
    assert refusal.value.params == {"slip": "F-0001"}
    with scene.refused_on_record("receipt-differs"):  # other chips of the same value
        scene.act("receive_transfer", {**transfer, "chips": {"500": 105, "2500": 99}}, witness="floorperson")
    for witness in (None, "security"):
        with scene.refused("dealer-and-floor-must-sign"):
            scene.act("receive_transfer", {**transfer, "chips": FILL}, witness=witness)
    scene.act("receive_transfer", {**transfer, "chips": FILL}, witness="floorperson")
    assert tray(scene) == OPENER_CENTS + 300_000
    with scene.refused("transfer-not-at-this-step"):
        scene.act("receive_transfer", {**transfer, "chips": FILL}, witness="floorperson")

    credit = request(scene, "credit", {"10000": 50})
    cage(scene, "prepare_transfer", credit)
    with scene.refused("carrier-must-sign"):
        scene.act("sign_to_carry", credit, witness="relief")
    with scene.refused("carrier-must-sign"):
        scene.act("hand_over_transfer", credit, witness="floorperson")
    assert tray(scene) == OPENER_CENTS + 300_000
    scene.act("sign_to_carry", credit, witness="security")
    scene.act("hand_over_transfer", credit, witness="floorperson")
    assert tray(scene) == OPENER_CENTS - 200_000
    with scene.refused("cage-and-security-must-sign"):
        cage(scene, "receive_transfer", {**credit, "chips": {"10000": 50}})
    cage(scene, "receive_transfer", {**credit, "chips": {"10000": 50}}, "security")
    assert tray(scene) == OPENER_CENTS - 200_000
    slips = ChipTransfer.objects.order_by("number")
    assert [(row.slip, row.status) for row in slips] == [("F-0001", "received"), ("C-0001", "received")]


def test_a_refused_count_names_its_command_again_when_its_first_answer_was_lost(scene):
    transfer, command = fill(scene), str(uuid.uuid4())
    podium = scene.browser("podium", "floorperson")
    for _ in range(2):
        params, witness = {**transfer, "chips": {"500": 99}}, {"person": "dealer", "pin": PIN}
        body = {"command": command, "seen": scene.version, "params": params, "witness": witness}
        answer = podium.post(
            "/floor/larkfield/T-01/acts/receive_transfer", json.dumps(body), content_type="application/json"
        ).json()
        assert (answer["refusal"]["code"], answer.get("command")) == ("receipt-differs", command)


def test_a_round_changes_the_tray_and_the_closer_agrees_to_the_cent(scene):
    scene.act("sell_chips", {"cents": 50_000, "seat": 3})
    scene.play((3, "small", 10_000), (4, "big", 5_000), dice=[1, 2, 3])
    scene.finish()
    inventory = open_inventory(scene.fresh)
    sums = tray_of(scene.fresh, inventory)
    assert (sums.taken_cents, sums.paid_cents) == (5_000, 10_000)
    assert sums.cents == tray(scene) == OPENER_CENTS - 50_000 - 5_000
    for close in (scene.close, lambda: count(scene, "count_closer", OPENER)):
        with scene.refused("drop-box-is-on"):
            close()
    box(scene, "take_off_drop_box")
    with scene.refused("closer-missing"):
        scene.close()
    closer = {**OPENER, "100000": 9, "50000": 42, "2500": 380, "500": 280, "100": 0}
    closer["100"] = (tray(scene) - sum(int(chip) * number for chip, number in closer.items())) // 100
    assert closer["100"] >= 0
    count(scene, "count_closer", closer)
    assert newest("inventory.closer_counted")["difference_cents"] == 0
    with scene.refused("closer-is-signed"):
        scene.place((1, "small", 1_000))
    scene.close()
    cage(scene, "count_drop", {"drop_box": 1, "cents": 50_000}, "compliance")
    row = TableInventory.objects.get()
    win = tray_of(scene.fresh, row).win_from_money_cents(row.closer_cents, 50_000)
    assert win == row.taken_cents - row.paid_cents == -5_000
    assert not ChipDiscrepancy.objects.exists() and not Alert.objects.filter(kind="chips-differ").exists()
    assert findings() == []


def test_an_opener_that_differs_from_the_last_closer_is_flagged_and_not_adjusted(scene):
    box(scene, "take_off_drop_box")
    count(scene, "count_closer", OPENER)
    scene.close()
    other = {**OPENER, "2500": 399, "500": 305}  # the same value
    count(scene, "count_opener", other)
    assert tray(scene) == OPENER_CENTS
    discrepancy = ChipDiscrepancy.objects.get()
    assert (discrepancy.kind, discrepancy.expected_chips, discrepancy.counted_chips) == (
        "opener",
        OPENER,
        other,
    )
    (alert,) = scene.snapshot["alerts"]
    assert (alert["kind"], alert["level"], alert["title"]) == ("chips-differ", "stop", "Opener differs")
    assert "the sum agrees, the denominations do not" in alert["text"]
    scene.act("acknowledge_alert", {"alert": alert["id"]}, by="floorperson", device=scene.podium)
    assert scene.snapshot["alerts"] == [] and findings() == []


def test_a_count_that_differs_is_flagged_and_moves_nothing(scene):
    count(scene, "count_tray", {**OPENER, "2500": 399})
    data = newest("inventory.counted")
    assert (data["exact_cents"], data["difference_cents"]) == (OPENER_CENTS, -2_500)
    data = newest("inventory.discrepancy")
    assert (data["cause"], data["difference_cents"], data["expected_chips"]) == ("count", -2_500, {})
    transfer = fill(scene)
    short = {**FILL, "500": 99}
    with scene.refused_on_record("count-agrees"):
        scene.act("report_count_difference", {**transfer, "chips": FILL})
    scene.act("report_count_difference", {**transfer, "chips": short, "note": "one chip short"})
    data = newest("inventory.discrepancy")
    assert (data["cause"], data["slip"], data["difference_cents"]) == ("transfer", "F-0001", -500)
    assert (tray(scene), ChipTransfer.objects.get().status) == (OPENER_CENTS, "on-the-way")
    assert Alert.objects.filter(kind="chips-differ", ended_at=None).count() == 2
    open_found_cases()
    words = [words_of_case(case) for case in Case.objects.order_by("pk")]
    assert words == [
        ("Tray $25 short at T-01", "Counted $61,525, $61,550 by the record. Nothing was adjusted."),
        (
            "F-0001 $5 short at T-01",
            "Counted $2,995, $3,000 by the record. Nothing was adjusted. one chip short",
        ),
    ]
    assert [kind_of(case).actors(case) for case in Case.objects.order_by("pk")] == [
        {"dealer", "floorperson"},
        {"dealer"},
    ]


def test_numbers_have_no_gaps_and_a_void_one_is_never_given_again(scene):
    first, second, third = request(scene), request(scene), request(scene, "credit", {"10000": 10})
    with scene.refused("transfer-not-at-this-step"):
        cage(scene, "void_transfer", {**first, "reason": "a mistake"})
    scene.act("cancel_transfer", {**first, "reason": "not needed"}, by="floorperson", device=scene.podium)
    cage(scene, "prepare_transfer", second)
    with scene.tried():
        cage(scene, "prepare_transfer", third)
    cage(scene, "void_transfer", {**second, "reason": "torn"})
    fourth = request(scene)
    for transfer in (third, fourth):
        cage(scene, "prepare_transfer", transfer)
    slips = {row.number: (row.slip, row.status) for row in ChipTransfer.objects.all()}
    assert slips == {
        1: ("", "canceled"), 2: ("F-0001", "void"), 3: ("C-0001", "preparing"), 4: ("F-0002", "preparing"),
    }  # fmt: skip
    assert SlipNumbers.objects.values_list("fill", "credit").get() == (2, 1)


def test_chips_that_are_back_are_signed_for_by_those_who_handed_them_over(scene):
    transfer = fill(scene)
    with scene.refused("cage-and-security-must-sign"):
        cage(scene, "void_transfer", {**transfer, "reason": "the table closes"})
    cage(scene, "void_transfer", {**transfer, "reason": "the table closes"}, "security")
    credit = request(scene, "credit", {"10000": 10})
    cage(scene, "prepare_transfer", credit)
    scene.act("sign_to_carry", credit, witness="security")
    scene.act("hand_over_transfer", credit, witness="floorperson")
    with scene.refused("dealer-and-floor-must-sign"):
        cage(scene, "void_transfer", {**credit, "reason": "a wrong slip"}, "security")
    scene.act("void_transfer", {**credit, "reason": "a wrong slip"}, witness="floorperson")
    assert tray(scene) == OPENER_CENTS and open_inventory(scene.fresh).credits_cents == 0
    assert findings() == []


def test_chips_are_sold_for_cash_that_goes_into_a_drop_box(scene):
    for params, code in (
        ({"cents": 50_050}, "not-in-chips"),
        ({"cents": 50_000, "chips": {"2500": 19}}, "sale-differs"),
        ({"cents": OPENER_CENTS + 100}, "too-few-chips-in-tray"),
    ):
        with scene.refused(code):
            scene.act("sell_chips", params)
    scene.act("sell_chips", {"cents": 50_000, "chips": {"2500": 20}, "seat": 2})
    with scene.refused("security-and-floor-must-sign"):
        box(scene, "take_off_drop_box", witness="dealer")
    box(scene, "take_off_drop_box")
    with scene.refused("no-drop-box"):
        scene.act("sell_chips", {"cents": 50_000})
    (drop,) = open_items(scene.fresh.facility, clock.now())  # of the handover
    assert (drop.title, drop.text) == ("1 drop box to count", "B-17 of T-01, with $500 by the record.")
    assert (drop.holder, drop.since) == (scene.people["security"], DropBox.objects.get().taken_off_at)
    with scene.refused("count-room-must-sign"):
        cage(scene, "count_drop", {"drop_box": 1, "cents": 49_000}, "security")
    cage(scene, "count_drop", {"drop_box": 1, "cents": 49_000}, "compliance")
    assert newest("inventory.discrepancy")["difference_cents"] == -1_000
    with scene.refused("drop-box-counted"):
        cage(scene, "count_drop", {"drop_box": 1, "cents": 50_000}, "compliance")
    assert DropBox.objects.values_list("sold_cents", "counted_cents").get() == (50_000, 49_000)
    assert tray(scene) == OPENER_CENTS - 50_000
    assert "Drop" not in [item.label for item in open_items(scene.fresh.facility, clock.now())]


def test_a_closer_waits_for_what_is_under_way(scene):
    box(scene, "take_off_drop_box")
    transfer = request(scene)
    with scene.refused("transfers-under-way"):
        count(scene, "count_closer", OPENER)
    scene.act("cancel_transfer", {**transfer, "reason": "closing"}, by="floorperson", device=scene.podium)
    scene.play((1, "small", 10_000), dice=[2, 5, 5])
    with scene.refused("round-in-play"):
        count(scene, "count_closer", OPENER)
    scene.finish()
    count(scene, "count_closer", OPENER)
    assert newest("inventory.closer_counted")["difference_cents"] == -10_000
    for act, params in (("request_fill", {"chips": FILL}), ("count_tray", {"chips": OPENER})):
        with scene.refused("closer-is-signed"):
            scene.act(act, params, by="floorperson", witness="dealer" if act == "count_tray" else None)


def test_where_the_house_keeps_no_inventory_nothing_changes(hands):
    scene = make_scene(opened=False)
    scene.staff()
    with scene.refused("no-inventory-kept"):
        count(scene, "count_opener", OPENER)
    with scene.refused("no-open-inventory"):
        scene.act("sell_chips", {"cents": 10_000})
    scene.inspect()
    scene.open()
    scene.play((1, "small", 10_000), dice=[2, 5, 5])
    scene.finish()
    scene.close()
    assert tray(scene) is None


def test_a_house_that_begins_or_ends_keeping_inventories_closes_and_opens_its_tables(scene):
    change_keeping(scene.fresh.facility, False)
    box(scene, "take_off_drop_box")
    with scene.refused("closer-missing"):
        scene.close()
    count(scene, "count_closer", OPENER)
    scene.close()
    scene.inspect()
    scene.open()
    scene.play((1, "small", 10_000), dice=[2, 5, 5])
    scene.finish()
    change_keeping(scene.fresh.facility, True)
    scene.play((1, "small", 10_000), dice=[2, 5, 5])
    scene.finish()
    count(scene, "count_opener", OPENER)
    assert TableInventory.objects.filter(closed_at=None).get().rounds_before == 2


@pytest.mark.parametrize("rules", ["pa-625a/A", "pa-675a", "pa-577"])
def test_the_tray_is_exact_in_the_middle_of_a_round(rules):
    """What the entries say was taken and paid so far is what the exact value has moved by."""
    scene = keep_inventory(make_scene(rules, opened=False))
    scene.staff()
    count(scene, "count_opener", OPENER)
    scene.inspect()
    scene.open()
    for seat in (1, 2):
        if rules == "pa-675a":
            scene.act("seat_player", {"seat": seat})
    wagers = {
        "pa-625a/A": [(1, "small", 10_000), (2, "big", 5_000), (3, "two-dice:1-6", 1_000)],
        "pa-675a": [(seat, code, 2_500) for seat, code in HIGH_ROLL],
        "pa-577": [(2, "touchdown", 1_000), (5, "no-gain", 500, 1)],
    }
    scene.place(*wagers[rules])
    values, changed_cents = {}, 0
    while scene.round is not None:
        following = scene.round_part["next"]
        params = following["params"]
        if following["act"] in ("call_dice",):
            params = {"dice": [6, 6, 1, 2, 3, 4, 5, 1, 2, 6][: following["dice"] or 3]}
        scene.act(following["act"], params)
        data = scene.entry["data"]
        if scene.entry["_type"] in ("losers.taken", "seats.settled", "winners.paid", "fees.collected"):
            changed_cents += data.get("fees_cents", data.get("taken_cents", 0)) - data.get("paid_cents", 0)
        ctx = system_context(locked_table("larkfield", "T-01"))
        assert exact_cents(ctx) == OPENER_CENTS + changed_cents, following["act"]
        values[following["act"]] = changed_cents
    assert len(set(values.values())) > 1
    assert findings() == []


def test_a_round_takes_no_further_statement(scene):
    counts = []
    for _ in range(3):
        with CaptureQueriesContext(connection) as statements:
            scene.play((1, "small", 10_000), (2, "big", 5_000), dice=[2, 5, 5])
            scene.finish()
        counts.append(len(statements))
        if len(counts) == 2:  # the first round reads more
            Table.objects.filter(pk=scene.table.pk).update(tray_cents=None)
    assert counts[1] == counts[2]


@pytest.mark.both_databases
def test_a_screen_names_what_is_under_way_without_a_further_statement(scene):
    def read() -> tuple[list[dict[str, Any]], int]:
        with CaptureQueriesContext(connection) as statements:
            transfers = scene.snapshot["transfers"]
        return transfers, len(statements)

    read()  # what is cached is read once
    transfers, statements_without = read()
    assert transfers == []
    prepared, _requested = fill(scene), request(scene, "credit", {"10000": 50})
    rows = ChipTransfer.objects.order_by("number")
    expected = [("fill", "F-0001", "on-the-way", 300_000), ("credit", "", "requested", 500_000)]
    read()
    transfers, statements_with = read()
    assert [(row["kind"], row["slip"], row["status"], row["cents"]) for row in transfers] == expected
    assert [row["requested_at"] for row in transfers] == [moment(row.requested_at) for row in rows]
    assert statements_with == statements_without
    scene.act("receive_transfer", {**prepared, "chips": FILL}, witness="floorperson")
    assert [row["kind"] for row in scene.snapshot["transfers"]] == ["credit"]


def test_a_slip_changes_the_tray_by_what_is_handed_over_and_by_chips_that_lay_elsewhere(scene):
    """Seat 1 lost $25 on Small, seat 2 won $50 on Big."""
    scene.play((1, "small", 2_500), (2, "big", 5_000), dice=[2, 5, 5])
    scene.finish()
    after_round = OPENER_CENTS + 2_500 - 5_000
    slip_scene.file(scene, "dice", dice=[1, 1, 2])  # Small won: $50 to seat 1, $100 from seat 2
    assert tray(scene) == after_round
    slip_scene.settle(scene, (1, 0), (2, -10_000), reason="The player has left")
    assert tray(scene) == after_round + 10_000
    # Seat 1 was in fact paid nothing, and nothing was taken from it: its lost $25 never came into the tray.
    slip_scene.file(scene, "payment", payments=[{"seat": 1, "paid_cents": 0, "taken_cents": 0}])
    assert tray(scene) == after_round + 10_000 - 2_500
    slip_scene.settle(scene, (1, 2_500), code="ENS-0002")
    assert tray(scene) == OPENER_CENTS + 5_000 - 2_500
    sums = tray_of(scene.fresh, open_inventory(scene.fresh))
    assert (sums.taken_cents, sums.paid_cents, sums.corrected_cents) == (2_500, 5_000, 5_000)
    assert sums.cents == tray(scene)
    assert (corrections(), findings()) == ([], [])
    with scene.tried():
        Table.objects.filter(pk=scene.table.pk).update(
            tray_corrected_cents=4_900, tray_cents=tray(scene) - 100
        )
        assert (corrections(), findings()) == (["tray-correction-differs"], [])


def test_a_wager_slip_says_where_the_chips_lay(scene):
    scene.play((1, "small", 2_500), dice=[2, 5, 5])
    scene.finish()
    after_round = OPENER_CENTS + 2_500
    missed = {"seat": 4, "wager": "big", "cents": 2_000, "chips": "house"}  # it won, and the casino took it
    slip_scene.file(scene, "wager", wagers=[missed])
    assert tray(scene) == after_round + 2_000
    slip_scene.settle(scene, (4, 4_000))
    assert tray(scene) == after_round + 2_000 - 4_000


def test_a_slip_about_a_round_before_the_opener_only_moves_what_is_handed_over(scene):
    scene.play((1, "small", 2_500), dice=[2, 5, 5])
    scene.finish()
    box(scene, "take_off_drop_box")
    count(scene, "count_closer", OPENER)
    slip_scene.file(scene, "payment", payments=[{"seat": 1, "paid_cents": 0, "taken_cents": 0}])
    scene.close()
    count(scene, "count_opener", OPENER)
    slip_scene.settle(scene, (1, -2_500))
    assert tray(scene) == OPENER_CENTS + 2_500
    assert (corrections(), findings()) == ([], [])
    with scene.tried():
        TableInventory.objects.filter(number=2).update(rounds_before=0)
        assert "opener-out-of-place" in [what for what, _ in findings()]


def test_chips_that_lay_elsewhere_before_the_opener_were_counted_by_it(scene):
    """Of two slips that say "nothing was taken", filed under a later opener, only that about its own round counts."""
    scene.play((1, "small", 2_500), dice=[2, 5, 5])
    scene.finish()
    box(scene, "take_off_drop_box")
    count(scene, "count_closer", OPENER)
    scene.close()
    count(scene, "count_opener", OPENER)
    nothing_taken = [{"seat": 1, "paid_cents": 0, "taken_cents": 0}]
    slip_scene.file(scene, "payment", number=1, payments=nothing_taken)
    assert tray(scene) == OPENER_CENTS
    scene.inspect()
    scene.open()
    scene.play((1, "small", 2_500), dice=[2, 5, 5])
    scene.finish()
    assert tray(scene) == OPENER_CENTS + 2_500
    slip_scene.file(scene, "payment", number=2, payments=nothing_taken)
    assert tray(scene) == OPENER_CENTS
    assert (corrections(), findings()) == ([], [])


def test_the_proposal_restores_the_par_by_whole_tubes(scene):
    scene.act("set_par", {"chips": OPENER}, by="pit-manager", witness="shift-manager", device=scene.podium)
    with scene.refused("par-unchanged"):
        scene.act(
            "set_par", {"chips": OPENER}, by="pit-manager", witness="shift-manager", device=scene.podium
        )
    low = {"100": 50, "500": 118, "2500": 96, "10000": 61, "50000": 28, "100000": 9}
    proposal = propose(OPENER, low, 3_214_000)
    assert (proposal.fill, proposal.credit) == ({"500": 150, "2500": 300, "10000": 100, "50000": 10}, {})
    assert (value_cents(proposal.fill), proposal.unknown_cents) == (2_325_000, 0)
    coming = propose(OPENER, low, 3_214_000, coming={"500": 150, "2500": 300})
    assert coming.fill == {"10000": 100, "50000": 10}
    more = propose({"500": 300}, {"500": 300}, 200_000)  # $500 came in by wagers since the count
    assert (more.credit, more.assumed, more.unknown_cents) == ({"500": 100}, {"500": 400}, 50_000)
    facts = tray_facts(scene.fresh)
    assert facts is not None and facts.proposal is not None
    assert (facts.par, facts.proposal.fill) == (OPENER, {})


def test_a_fill_due_is_told_from_what_was_sold_and_paid_in_the_last_hour(scene):
    par = {chip: 2 * number for chip, number in OPENER.items()}  # $123,100, half of it is in the tray
    scene.act("set_par", {"chips": par}, by="pit-manager", witness="shift-manager", device=scene.podium)
    scene.act("sell_chips", {"cents": 100_000}, witness=None)
    scene.play((1, "small", 10_000), dice=[1, 2, 3])
    scene.finish()
    (hour,) = table_hours(scene.fresh.facility, clock.now())
    assert hour.tray == TrayHour(
        now_cents=OPENER_CENTS - 110_000,
        par_cents=2 * OPENER_CENTS,
        outflow_cents=110_000,
        order="10 of $1,000, 40 of $500, 200 of $100, 400 of $25, 300 of $5 and 50 of $1",
        order_cents=OPENER_CENTS,
    )
    podium = scene.browser(scene.tokens["podium"], "floorperson")
    page = podium.get("/floor/larkfield/advice/").content.decode()
    assert "Order a fill for T-01: $61,550" in page and "/floor/larkfield/T-01/tray?ask=fill" in page
    request(scene, "fill", {"10000": 200})
    (hour,) = table_hours(scene.fresh.facility, clock.now())
    assert hour.tray is not None
    assert (hour.tray.coming_cents, hour.tray.order_cents) == (2_000_000, OPENER_CENTS - 2_000_000)
    assert "Order a fill" not in podium.get("/floor/larkfield/advice/").content.decode()
    assert table_hours(scene.fresh.facility, clock.now() + dt.timedelta(hours=1))[0].tray.outflow_cents == 0


def test_a_verification_finds_a_row_that_no_entry_states(scene):
    transfer = fill(scene)
    scene.act("receive_transfer", {**transfer, "chips": FILL}, witness="floorperson")
    assert findings() == []
    with scene.tried():
        ChipTransfer.objects.update(cents=1)
        assert [what for what, _ in findings()] == ["money-differs"]
    with scene.tried():
        Table.objects.filter(pk=scene.table.pk).update(tray_cents=1)
        assert [what for what, _ in findings()] == ["tray-differs"]
    with scene.tried():
        Table.objects.filter(pk=scene.table.pk).update(closer_signed_at=clock.now())
        assert [what for what, _ in findings()] == ["closer-differs"]
    with scene.tried():
        ChipTransfer.objects.all().delete()
        SlipNumbers.objects.update(fill=2)
        assert [what for what, _ in findings()] == ["money-without-row", "slip-number-missing"]


def test_a_verification_tells_two_sales_of_one_moment_apart(scene):
    now = clock.now()
    with clock.override(lambda: now):
        scene.act("sell_chips", {"cents": 100_000}, witness=None)
        scene.act("sell_chips", {"cents": 50_000}, witness=None)
    assert findings() == []
    first, second = ChipSale.objects.order_by("pk")
    assert first.sold_at == second.sold_at
    ChipSale.objects.filter(pk=second.pk).update(cents=60_000)
    ((code, where),) = findings()
    assert (code, where["column"], where["seq"]) == ("money-differs", "cents", second.seq)
    assert where["row"] == f"sale of {clock.format_moment(second.sold_at)}"


def test_a_verification_finds_a_house_whose_choice_is_not_on_record(scene):
    assert list(check_columns(lambda: None, [Facility])) == []
    Facility.objects.update(keeps_inventory=False)
    (finding,) = check_columns(lambda: None, [Facility])
    assert (finding.code, finding.where["column"]) == ("row-differs", "keeps_inventory")


def test_the_first_day_asks_for_a_cashier_where_the_house_keeps_inventories(scene):
    facility = scene.fresh.facility
    needs = {need.name: need.missing for step in first_day(facility, clock.now()) for need in step.needs}
    assert needs["Cage cashier"] == 0
    facility.keeps_inventory = False
    assert "Cage cashier" not in {
        need.name for step in first_day(facility, clock.now()) for need in step.needs
    }


def test_the_page_of_a_table_lists_what_is_missing_before_anybody_signs_its_closing(scene):
    def still_open():
        data = TableData(scene.snapshot)
        return [step["label"] for step in data.closing if not step["done"]]

    scene.play((1, "small", 1_000), dice=[6, 6, 2])
    on_table = ["The drop box is on", "The closer is not counted"]
    assert still_open() == ["The round is not over", *on_table]
    round_, *_, drop_box, closer = TableData(scene.snapshot).closing
    assert round_["text"] == "Round 1 is in play. Finish it first."
    assert (round_["cents"], round_["url"]) == (1_000, "/floor/larkfield/T-01/console")
    assert drop_box["text"] == "Drop box B-17 is on T-01. Security and the floor take it off first."
    assert "T-01 is not signed. Count the tray" in closer["text"]
    scene.finish()
    request(scene)
    assert still_open() == ["A fill or credit is under way", *on_table]
    needed = TableData(scene.snapshot).closing_needs
    assert needed == {
        "label": "A fill or credit is under way",
        "text": "Before the closer, finish or void what is under way: request 1.",
        "cents": 300_000,
        "url": "/floor/larkfield/T-01/tray",
        "way": "Open the tray",
        "done": False,
    }


def test_a_table_with_a_fill_under_way_or_its_drop_box_on_does_not_close_and_says_which(scene):
    transfer = fill(scene)
    with scene.refused("transfers-under-way") as refused:
        scene.close()
    assert refused.value.params == {"transfers": "F-0001"}
    scene.act("receive_transfer", {**transfer, "chips": FILL}, witness="floorperson")
    with scene.refused("drop-box-is-on") as refused:
        scene.close()
    assert refused.value.params == {"box": "B-17", "table": "T-01"}


def test_a_floorperson_closes_a_table_from_the_podium_once_nothing_is_missing(scene):
    box(scene, "take_off_drop_box")
    count(scene, "count_closer", OPENER)
    data = TableData(scene.snapshot)
    assert (data.closing_needs, data.closing_done) == (None, 5)
    page = scene.browser("podium", "floorperson").get("/floor/larkfield/T-01/").content.decode()
    assert "5 of 5 done" in page and 'id="close-table"' in page
    scene.act("close_table", {"dice": "stay", "secured": True}, by="floorperson", device=scene.podium)
    assert (scene.fresh.status, TableData(scene.snapshot).closing) == ("closed", [])
