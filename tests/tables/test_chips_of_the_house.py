"""The chips that a house has: which stakes they can pay, and that a tray with half dollars is counted as it is."""

import json
from typing import Any

import pytest

from audit.columns import check_columns
from audit.models import Entry
from games.chips import DEFAULT_CHIPS_CENTS, KNOWN_CHIPS_CENTS
from games.engine import Refusal
from tables.models import Alert
from tables.money.chips import change_chips, wrong_chips
from tests.tables.cast import Scene, make_scene
from tests.tables.test_money import OPENER, OPENER_CENTS, box, count, findings, keep_inventory, tray

pytestmark = pytest.mark.django_db


def declare(scene: Scene, chips: Any = KNOWN_CHIPS_CENTS) -> Scene:
    change_chips(scene.fresh.facility, chips, scene.people["shift-manager"])
    scene.table.facility.refresh_from_db()
    return scene


def with_opener(scene: Scene, chips: dict[str, int]) -> Scene:
    """An open table of a house that keeps inventories, after this opener."""
    keep_inventory(scene)
    scene.staff()
    count(scene, "count_opener", chips)
    box(scene, "put_on_drop_box", {"box": "B-17"})
    scene.inspect()
    scene.open()
    return scene


@pytest.mark.clause("PA-521.7(d)")
def test_a_stake_of_a_cent_is_refused_with_the_stakes_that_chips_make():
    scene = make_scene()
    with scene.refused("stake-not-in-chips") as refusal:
        scene.place((1, "small", 1))
    assert refusal.value.sentence == "No chips here make $0.01. The smallest chip is $1: enter $1."
    with scene.refused("stake-not-in-chips") as refusal:
        scene.place((1, "small", 2_599))
    assert refusal.value.params["stakes"] == "$25 or $26"


@pytest.mark.clause("PA-521.7(d)")
def test_seven_dollars_on_defense_are_named_before_they_are_accepted():
    """4 to 5 pays $5.60 on $7. Nothing of the tap is accepted, also not its other wagers."""
    scene = make_scene("pa-577")
    with scene.refused("payout-not-in-chips") as refusal:
        scene.place((1, "touchdown", 1_000), (2, "defense", 700))
    assert refusal.value.params == {"seat": 2, "cents": "$7", "chip": "$1", "stakes": "$5 or $10"}
    scene.place((1, "touchdown", 1_000), (2, "defense", 1_000))
    scene.place((2, "defense", 0))  # taking a wager off needs no chips


def test_five_dollars_on_like_kind_two_need_half_dollars():
    scene = make_scene("pa-675a.6")
    with scene.refused("payout-not-in-chips") as refusal:
        scene.place((1, "pip:2", 500), (1, "like-kind:2", 500))
    assert refusal.value.params["stakes"] == "$4 or $6"
    declare(scene)
    scene.place((1, "pip:2", 500), (1, "like-kind:2", 500))


def test_a_wager_that_lay_there_at_no_more_bets_is_settled_and_paid_as_it_lay():
    """What was accepted is paid (§ 521.7(c)). But no wager of a cent can have lain there."""
    scene = make_scene("pa-539", **{"total:9": "13 to 2"})
    scene.place((1, "small", 1_000))
    scene.to_the_dice()
    missed = {"seat": 2, "wager": "total:9", "reason": "under the other stack"}
    with scene.refused("stake-not-in-chips"):
        scene.act("record_missed_wager", {**missed, "cents": 2_501}, witness="floorperson")
    scene.act("record_missed_wager", {**missed, "cents": 2_500}, witness="floorperson")
    scene.act("call_dice", {"dice": [3, 3, 3]})
    assert (2, "total:9", "win", 16_250, 2_500) in scene.settled


def test_an_honest_count_with_half_dollars_raises_no_alert():
    scene = declare(make_scene("pa-675a.6", opened=False))
    with_opener(scene, {**OPENER, "50": 200})
    assert tray(scene) == OPENER_CENTS + 10_000
    scene.act("seat_player", {"seat": 1})
    scene.place((1, "pip:2", 500), (1, "like-kind:2", 500))
    scene.until("call_dice")
    scene.act("call_dice", {"dice": [2, 2, 3, 4, 5, 6]})
    scene.finish()
    exact = tray(scene)
    assert exact is not None and exact % 100 == 50
    # counted as it lies: the winnings were paid with a half dollar
    short = (OPENER_CENTS + 10_000 - exact) // 100
    chips = {**OPENER, "50": 199, "100": OPENER["100"] - short % 5, "500": OPENER["500"] - short // 5}
    count(scene, "count_tray", chips)
    box(scene, "take_off_drop_box")
    count(scene, "count_closer", chips)
    assert not Alert.objects.filter(kind="chips-differ").exists()
    assert findings() == []


def test_only_declared_chips_are_counted_sold_and_shown():
    scene = with_opener(make_scene(opened=False), OPENER)
    page = scene.browser("tablet", "dealer").get("/floor/larkfield/T-01/tray?count=tray").content.decode()
    assert 'data-cell="50"' not in page and 'data-cell="100"' in page
    with scene.refused("malformed"):
        count(scene, "count_tray", {**OPENER, "50": 2})
    with scene.refused("not-in-chips"):
        scene.act("sell_chips", {"cents": 1_050})
    declare(scene)
    page = scene.browser("tablet", "dealer").get("/floor/larkfield/T-01/tray?count=tray").content.decode()
    assert 'data-cell="50"' in page and "chips of $0.50" in page and 'fill="url(#stack-' in page
    scene.act("sell_chips", {"cents": 1_050, "chips": {"50": 1, "500": 2}})
    assert scene.snapshot["chips"] == sorted(KNOWN_CHIPS_CENTS)
    console = scene.browser("tablet", "dealer").get("/floor/larkfield/T-01/console").content.decode()
    assert 'data-chip="50"' in console and ">.50</b>" in console  # a stake with a half dollar is tapped
    scene.place((1, "big", 1_050))
    assert scene.round.wagered_cents == 1_050


def test_a_declaration_is_an_entry_and_takes_no_chips_out_of_open_trays():
    scene = make_scene(opened=False)
    facility = scene.fresh.facility
    assert facility.chip_values == DEFAULT_CHIPS_CENTS
    assert not change_chips(facility, DEFAULT_CHIPS_CENTS)  # nothing changes, and nothing is written
    declare(scene)
    body = json.loads(bytes(Entry.objects.get(type="chips.declared").body))
    assert body["actor"] == "shift-manager"
    assert body["data"] == {"chips_cents": list(KNOWN_CHIPS_CENTS), "before_cents": list(DEFAULT_CHIPS_CENTS)}
    with_opener(scene, OPENER)
    with pytest.raises(Refusal, match="chips-are-in-trays"):
        declare(scene, DEFAULT_CHIPS_CENTS)
    type(facility).objects.update(chips_cents=[100])
    (finding,) = check_columns(lambda: None, [type(facility)])
    assert (finding.code, finding.where["column"]) == ("row-differs", "chips_cents")


@pytest.mark.parametrize("declared", [[], "50", [50, 50], [75], [50.0], [True], None])
def test_only_known_chips_are_declared(declared):
    assert wrong_chips(declared)
    assert not wrong_chips([50, 100])
