"""Chips and cash at a table: who signs for what, what moves when, and that a difference is flagged, not adjusted."""

import json
from typing import Any

import pytest

from audit.models import Entry
from games.models import Facility
from tables.models import Alert, ChipDiscrepancy, ChipTransfer, Table, TableInventory
from tables.money.inventory import open_inventory, tray_of
from tests.tables.cast import Scene, make_scene

pytestmark = pytest.mark.django_db
OPENER = {"100": 50, "500": 300, "2500": 400, "10000": 200, "50000": 40, "100000": 10}  # $61,550
OPENER_CENTS = 6_155_000
FILL = {"500": 100, "2500": 100}  # $3,000


def keep_inventory(scene: Scene) -> Scene:
    Facility.objects.update(keeps_inventory=True)
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
    with scene.refused("receipt-differs") as refusal:
        scene.act("receive_transfer", {**transfer, "chips": {"500": 99, "2500": 100}}, witness="floorperson")
    assert refusal.value.params["differences"] == "$5: 99, not 100"
    for witness in (None, "security"):
        with scene.refused("dealer-and-floor-must-sign"):
            scene.act("receive_transfer", {**transfer, "chips": FILL}, witness=witness)
    scene.act("receive_transfer", {**transfer, "chips": FILL}, witness="floorperson")
    assert tray(scene) == OPENER_CENTS + 300_000
    with scene.refused("transfer-not-at-this-step"):
        scene.act("receive_transfer", {**transfer, "chips": FILL}, witness="floorperson")

    credit = request(scene, "credit", {"10000": 50})
    cage(scene, "prepare_transfer", credit)
    with scene.refused("not-security"):
        scene.act("hand_over_transfer", {**credit, "carrier": "relief"}, witness="floorperson")
    assert tray(scene) == OPENER_CENTS + 300_000
    scene.act("hand_over_transfer", {**credit, "carrier": "security"}, witness="floorperson")
    assert tray(scene) == OPENER_CENTS - 200_000
    with scene.refused("cage-and-security-must-sign"):
        cage(scene, "receive_transfer", {**credit, "chips": {"10000": 50}})
    cage(scene, "receive_transfer", {**credit, "chips": {"10000": 50}}, "security")
    assert tray(scene) == OPENER_CENTS - 200_000
    slips = ChipTransfer.objects.order_by("number")
    assert [(row.slip, row.status) for row in slips] == [("F-0001", "received"), ("C-0001", "received")]


def test_a_round_changes_the_tray_and_the_closer_agrees_to_the_cent(scene):
    scene.act("sell_chips", {"cents": 50_000, "seat": 3})
    scene.play((3, "small", 10_000), (4, "big", 5_000), dice=[1, 2, 3])
    scene.finish()
    inventory = open_inventory(scene.fresh)
    sums = tray_of(scene.fresh, inventory)
    assert (sums.taken_cents, sums.paid_cents) == (5_000, 10_000)
    assert sums.cents == tray(scene) == OPENER_CENTS - 50_000 - 5_000
    with scene.refused("closer-missing"):
        scene.close()
    with scene.refused("drop-box-is-on"):
        count(scene, "count_closer", OPENER)
    box(scene, "take_off_drop_box")
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
