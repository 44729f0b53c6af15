"""The snapshot: as declared and documented, plain JSON, and offers that match the acts."""

import json
import random
import re
from collections.abc import Iterator
from typing import Any, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from audit import clock
from audit.entry_types import data_faults
from games.catalog.football.engine.game import FootballView
from games.catalog.high_roll.engine.course import HighRollView
from games.engine import Refusal
from games.engine.rounds import ENDED, EndedPhase, GameView
from games.models import SignForm
from games.models.patrons import SignKind
from games.snapshot_types import AlertLevel, ShakerKind, Snapshot, TableKind, TableStatus
from tables.demo.seeding import approve_shaker
from tables.management.reference import snapshot as page_of_snapshot
from tables.models import Alert, Shaker, Table
from tables.runner import table
from tables.screens import fragments, snapshot
from tests.services.json_types import not_of_json
from tests.tables.cast import make_scene

pytestmark = pytest.mark.django_db

GAME_VIEWS = {"sic-bo": GameView, "high-roll": HighRollView, "football": FootballView}


def example() -> dict[str, Any]:
    return json.loads(page_of_snapshot.EXAMPLE.read_text("utf-8"))


def misplaced(value: Any, hint: Any, where: str = "snapshot") -> Iterator[str]:
    """Yield every declared object whose keys are not in the declared order."""
    if is_typeddict(hint) and isinstance(value, dict):
        hints = get_type_hints(hint, include_extras=True)
        if list(value) != [name for name in hints if name in value]:
            yield where
        for name in hints.keys() & value.keys():
            yield from misplaced(value[name], hints[name], f"{where}.{name}")
    elif get_origin(hint) is list:
        for item in value or ():
            yield from misplaced(item, get_args(hint)[0], where + "[]")
    else:
        for argument in get_args(hint):
            yield from misplaced(value, argument, where)


def verify_declared(snapshot: Any) -> None:
    """Fail unless a snapshot has the declared keys, in their order, with values of their types."""
    without_game_view = {**snapshot, "round": {**snapshot["round"], "game": {}}}
    assert list(misplaced(without_game_view, Snapshot)) == []
    assert list(data_faults(without_game_view, Snapshot, "snapshot")) == []
    assert list(data_faults(snapshot["round"]["game"], GAME_VIEWS[snapshot["table"]["game"]], "game")) == []
    assert json.loads(json.dumps(snapshot, allow_nan=False)) == snapshot
    assert list(not_of_json(snapshot)) == []


@pytest.fixture
def paying(scene):
    """A table in the middle of its second round, with content in every part of the snapshot."""
    scene.play((1, "small", 2_500), dice=[2, 5, 5])
    scene.finish()
    scene.play((1, "small", 500), (2, "big", 2_500), (3, "big", 2_500), dice=[2, 5, 5])
    scene.act("take_losers")
    scene.act("pay_seats", {"seats": [2]})
    return scene


def declared(hint: Any) -> set[Any]:
    """Every object that a type declares, itself included."""
    inner = get_type_hints(hint, include_extras=True).values() if is_typeddict(hint) else get_args(hint)
    return ({hint} if is_typeddict(hint) else set()).union(*(declared(nested) for nested in inner))


def test_its_page_has_a_row_for_each_field_of_each_object_and_of_each_game():
    page = page_of_snapshot.page()
    objects = declared(Snapshot)
    fields = [name for hint in objects for name in get_type_hints(hint)]
    general = page[page.index("# Fields") : page.index("## `round.game of ")]
    assert len(objects) > 40 and general.count("\n| `") == len(fields)
    for name in ("High Roll Dice", "Three Dice Football"):
        assert f"## `round.game of {name}`" in page
    assert "| `yard` | integer |" in page and "`round.game of Sic Bo" not in page


def test_the_example_of_its_page_has_the_declared_keys():
    undeclared = [fault for fault in data_faults(example(), Snapshot, "snapshot") if "declared" in fault]
    missing = [fault for fault in data_faults(example(), Snapshot, "snapshot") if "missing" in fault]
    assert (undeclared, missing) == ([], [])


@pytest.mark.parametrize("moment", ["closed", "before the round", "paying", "ceased", "halted"])
def test_it_is_as_declared(request, moment):
    if moment == "closed":
        scene = make_scene(opened=False)
    else:
        scene = request.getfixturevalue("paying" if moment == "paying" else "scene")
    if moment == "ceased":
        scene.act("report_device_failure")
    if moment == "halted":
        Table.objects.filter(pk=scene.table.pk).update(halted_at=clock.now())
    verify_declared(scene.snapshot)


@pytest.mark.parametrize(
    ("rules", "wagers"),
    [
        ("pa-625a/A", [(1, "small", 2_500), (2, "big", 2_500)]),
        ("pa-675a", [(1, "pip:5", 500), (1, "like-kind:4", 500), (1, "extra-roll", 500)]),
        ("pa-577", [(1, "touchdown", 500), (2, "touchdown", 500), (2, "defense", 500)]),
    ],
)
def test_it_is_as_declared_at_every_step_of_a_round(rules, wagers):
    scene = make_scene(rules)
    scene.place(*wagers)
    draw = random.Random(7)
    for _ in range(60):
        snapshot = scene.snapshot
        verify_declared(snapshot)
        following = snapshot["next"]
        if following is None or snapshot["history"]:
            break
        params = dict(following["params"])
        if following["act"] == "call_dice":
            params = {"dice": [draw.randint(1, 6) for _ in range(following["dice"])]}
        scene.act(following["act"], params)
    assert snapshot["history"]


def test_its_literals_are_those_of_the_models_and_of_the_games():
    assert set(get_args(TableKind)) == set(Table.Kind.values)
    assert set(get_args(TableStatus)) == set(Table.Status.values)
    assert set(get_args(ShakerKind)) == set(Shaker.Kind.values)
    assert set(get_args(AlertLevel)) == set(Alert.Level.values)
    assert set(get_args(SignKind)) == set(SignForm.Kind.values)
    assert set(get_args(EndedPhase)) == ENDED


def test_bets_on_an_empty_layout_close_by_a_hold_and_otherwise_by_a_tap(scene):
    def step() -> str:
        html = fragments.screen("dealer", scene.table.pk)["html"]
        return re.search(r'<button class="next"[^>]*>', html)[0]

    scene.act("shake", {"shakes": 3})
    assert 'data-act="no_more_bets"' in step() and "data-hold" in step()
    scene.place((1, "small", 2_500))
    assert 'data-act="no_more_bets"' in step() and "data-hold" not in step()


def test_a_round_without_wagers_leaves_the_wagers_of_the_round_before_to_repeat(scene):
    scene.play((1, "small", 2_500), dice=[2, 5, 5])
    scene.finish()
    scene.act("shake", {"shakes": 3})
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [1, 2, 4]})
    scene.finish()
    assert scene.snapshot["history"][0]["wagers"] == 0
    assert scene.snapshot["last_wagers"] == [
        {"seat": 1, "round": 1, "wager": "small", "play": None, "cents": 2_500}
    ]


def test_a_seat_that_sat_out_a_round_still_has_its_last_wagers_to_repeat(scene):
    scene.play((1, "small", 2_500), (2, "big", 500), dice=[2, 5, 5])
    scene.finish()
    scene.play((1, "big", 1_000), dice=[2, 5, 5])
    scene.finish()
    assert scene.snapshot["last_wagers"] == [
        {"seat": 1, "round": 2, "wager": "big", "play": None, "cents": 1_000},
        {"seat": 2, "round": 1, "wager": "big", "play": None, "cents": 500},
    ]


def test_a_seat_that_sat_out_five_rounds_with_wagers_has_nothing_to_repeat(scene):
    scene.play((2, "big", 500), dice=[2, 5, 5])
    scene.finish()
    seats = []
    for _ in range(5):
        scene.play((1, "small", 1_000), dice=[2, 5, 5])
        scene.finish()
        seats.append(sorted({wager["seat"] for wager in scene.snapshot["last_wagers"]}))
    assert seats == [[1, 2]] * 4 + [[1]]


def test_it_says_all_of_a_round(paying):
    snapshot = paying.snapshot
    round_ = snapshot["round"]
    assert snapshot["version"] == paying.version
    assert (
        round_["number"],
        round_["phase"],
        round_["dice"],
        round_["wagered_cents"],
        round_["playing"],
    ) == (
        2,
        "taken",
        [2, 5, 5],
        5_500,
        3,
    )
    assert round_["seats"][0] == {
        "seat": 1,
        "count": 1,
        "cents": 500,
        "flags": ["$5 is under $10"],
        "taken": True,
        "state": "playing",
        "post": None,
        "player": None,
        "refused": False,
    }
    assert (
        round_["take"]["count"],
        round_["take"]["cents"],
        round_["take"]["seats"][0]["lines"][0]["why"],
    ) == (
        1,
        500,
        "12 is over 10",
    )
    assert (round_["pay"]["count"], round_["pay"]["cents"], round_["pay"]["paid_cents"]) == (2, 5_000, 2_500)
    assert [(seat["seat"], seat["paid"], seat["chips"]) for seat in round_["pay"]["seats"]] == [
        (2, True, [[2_500, 1]]),
        (3, False, [[2_500, 1]]),
    ]
    assert [(step["key"], step["state"]) for step in round_["steps"]][-3:] == [
        ("take", "done"),
        ("pay", "now"),
        ("clear", "todo"),
    ]
    assert (snapshot["next"]["act"], snapshot["next"]["say"]) == ("pay_seats", "Seat 3, $25")
    assert snapshot["history"][0] | {"at": ""} == {
        "number": 1,
        "at": "",
        "dice": [2, 5, 5],
        "total": 12,
        "throws": [[2, 5, 5]],
        "ending": "cleared",
        "result": "settled",
        "wagers": 1,
        "handle_cents": 2_500,
        "win_cents": 2_500,
        "by_hand": False,
        "slip": None,
        "slip_open": False,
    }
    assert snapshot["last_wagers"] == [
        {"seat": 1, "round": 1, "wager": "small", "play": None, "cents": 2_500}
    ]
    assert (
        snapshot["figures"]["rounds"],
        snapshot["figures"]["handle_cents"],
        snapshot["figures"]["win_cents"],
    ) == (
        1,
        2_500,
        2_500,
    )


@pytest.mark.clause("PA-539.1(b)-area", "PA-625a.1(b)-area")
@pytest.mark.parametrize(
    ("rules", "payouts", "odds"),
    [
        pytest.param("pa-539", {"total:4": "60 to 1"}, "60 to 1", marks=pytest.mark.clause("PA-539.1(c)(3)")),
        pytest.param("pa-625a/A", {}, "50 to 1", marks=pytest.mark.clause("PA-625a.1(c)(3)")),
        pytest.param("pa-625a/B", {}, "62 to 1", marks=pytest.mark.clause("PA-625a.1(c)(3)")),
        pytest.param("nj-19-47-9", {}, "50 to 1"),
    ],
)
def test_the_layout_shows_every_wager_with_the_odds_in_force(rules, payouts, odds):
    layout = make_scene(rules, **payouts).snapshot["layout"]
    assert {area["family"] for area in layout} == {
        "three-of-a-kind", "two-of-a-kind", "any-three-of-a-kind", "total", "two-dice", "small", "big", "one-of-a-kind"
    }  # fmt: skip
    assert sorted(area["wager"] for area in layout) == sorted(
        [
            *(f"three-of-a-kind:{face}" for face in range(1, 7)),
            *(f"two-of-a-kind:{face}" for face in range(1, 7)),
            *(f"one-of-a-kind:{face}" for face in range(1, 7)),
            *(f"total:{total}" for total in range(4, 18)),
            *(f"two-dice:{low}-{high}" for low in range(1, 6) for high in range(low + 1, 7)),
            *("any-three-of-a-kind", "small", "big"),
        ]
    )  # fmt: skip
    assert {area["wager"]: area["odds"] for area in layout}["total:4"] == [odds]
    assert not any(" for " in text for area in layout for text in area["odds"])


# Offers

PARAMS = {
    "inspect_table": {"dice": [1, 1, 1], "lit": [], "tosses": 3},
    "change_dice_lot": {"lot": "L-0005"},
    "close_table": {"secured": True},
    "unlock_shaker": {"why": "x"},
    "place_wagers": {"wagers": [{"seat": 6, "wager": "big", "cents": 1_000}]},
    "shake": {"shakes": 3},
    "call_dice": {"dice": [2, 5, 5]},
    "call_no_roll": {"reason": "leans"},
    "void_round": {"reason": "dispute"},
    "correct_dice": {"dice": [1, 1, 6], "reason": "x"},
    "record_missed_wager": {"seat": 7, "wager": "big", "cents": 1_000, "reason": "x"},
    "strike_mistaken_wager": {"seat": 1, "wager": "small", "reason": "x"},
    "record_repair": {"what": "x"},
    "withdraw_dice": {"why": "lost"},
}
# Legal in the background, or on the floor's pages; and one that needs another shaker to be tried.
NEVER_OFFERED = {"take_over_table", "leave_table", "record_hand_settled_round", "replace_shaker"}
NEVER_OFFERED |= {"issue_dice", "return_dice", "examine_dice", "return_shaker"}
NEVER_OFFERED |= {"acknowledge_alert", "report_dispute", "call_floor", "take_supervision"}
# They stand where the snapshot shows the limits.
NEVER_OFFERED |= {
    "change_limits",
    "cancel_limits_change",
    "post_limits_sign",
    "announce_limits",
    "players_left",
}
# Refused although it is its moment: about what was sent.
ITS_MOMENT = {"lights-do-not-agree", "not-inspected", "inspection-line-missing", "edition-lapsed"}
ITS_MOMENT |= {"inspector-not-assigned", "inspected-by-another"}
ITS_MOMENT |= {"raise-needs-two", "no-roll-takes-two"}  # about who signs


def is_accepted(scene, act) -> bool:
    """Whether the act is accepted now, from the shift manager or with their signature."""
    tries = [PARAMS.get(act, {})]
    if act == "report_device_failure":
        tries = [{}, {"dice": [2, 5, 5]}, {"what": "shaker"}, {"what": "layout"}]
    for params in tries:
        with scene.tried():
            try:
                scene.act(act, params, by="shift-manager")
                return True
            except Refusal as refusal:
                if refusal.code in ITS_MOMENT:
                    return True
    return False


def compare(scene):
    offers = set(scene.snapshot["offers"]) - NEVER_OFFERED
    assert offers == {act for act in set(table.ACTS) - NEVER_OFFERED if is_accepted(scene, act)}, (
        scene.snapshot["round"]["phase"]
    )


@pytest.mark.parametrize(
    ("rules", "shaker"),
    [
        ("pa-539", "manual"),
        ("pa-625a/A", "manual"),
        ("pa-625a/A", "automated-covered"),
        ("pa-625a/A", "player-activated"),
    ],
)
def test_the_offers_are_the_acts_that_are_accepted(rules, shaker):
    scene = make_scene(rules, shaker)
    compare(scene)
    scene.place((1, "small", 2_500), (2, "big", 2_500), (3, "big", 2_500))
    while scene.round is not None:
        compare(scene)
        following = scene.snapshot["next"]
        if following["act"] == "pay_seats":
            scene.act("pay_seats", {"seats": [2]})
            compare(scene)
        scene.act(
            following["act"], {"dice": [2, 5, 5]} if following["act"] == "call_dice" else following["params"]
        )
    compare(scene)
    scene.act("report_device_failure")
    compare(scene)
    with scene.tried():
        scene.act("record_repair", {"what": "fuse"}, by="floorperson")
        compare(scene)
    scene.act("close_table", {"secured": True}, by="floorperson")
    compare(scene)
    scene.act("record_repair", {"what": "fuse"}, by="floorperson")
    compare(scene)
    scene.act("inspect_table", scene.inspection(), by="floorperson")
    compare(scene)


@pytest.mark.parametrize("rules", ["pa-539", "pa-625a/A"])
def test_no_round_is_offered_while_the_shaker_is_empty(rules):
    scene = make_scene(rules)
    spare = Shaker.objects.create(facility=scene.table.facility, code="S-02", kind="manual")
    approve_shaker(scene.table, spare)
    scene.act("replace_shaker", {"shaker": "S-02"}, by="floorperson")
    compare(scene)
    assert scene.snapshot["missing"] == {
        "code": "no-dice",
        "text": "Shaker S-02 has no dice in it. Put a dice lot in first.",
        "section": scene.snapshot["missing"]["section"],
    }
    scene.act("change_dice_lot", {"lot": "L-0004"}, by="floorperson")
    compare(scene)
    assert scene.snapshot["missing"] is None


def test_the_offers_hold_while_a_round_is_settled_manually(scene):
    scene.play((1, "small", 2_500), (2, "big", 2_500), dice=[2, 5, 5])
    scene.act("report_device_failure", witness="floorperson")
    while scene.round is not None:
        compare(scene)
        following = scene.snapshot["next"]
        scene.act(following["act"], following["params"])


def test_the_offers_hold_in_a_round_that_nobody_won(scene):
    scene.play((1, "small", 2_500), dice=[2, 5, 5])
    scene.act("take_losers")
    compare(scene)


def test_an_act_of_play_leaves_the_standing_facts_as_they_were_and_builds_what_their_rows_change(
    scene, monkeypatch
):
    built: list[int] = []
    build = snapshot._standing

    def counted(ctx, *rest):
        built.append(ctx.stream.seq)
        return build(ctx, *rest)

    monkeypatch.setattr(snapshot, "_standing", counted)
    shown: list[Any] = []
    for cents in (2_500, 5_000, 7_500):
        context = scene.place((1, "small", cents)).context
        shown.append(fragments.state_after(context).snapshot)
    built.clear()
    again: Any = fragments.state_after(context).snapshot
    assert built == [] and again == shown[-1]
    assert all(state["layout"] is shown[-1]["layout"] for state in shown[1:])
    table = context.table
    for row, field, value, key in (
        (table, "min_cents", 100, "limits"),
        (table, "refused_seats", [3], "round"),
        (table, "dealer_since", table.dealer_since.replace(year=2001), "people"),
        (table.dealer, "name", "Someone Else", "people"),
        (table.facility, "name", "Another House", "table"),
        (table.pit, "name", "Elsewhere", "table"),
        (context.play.shaker, "code", "S-99", "shaker"),
        (context.play.round.submission, "lapsed_why", "withdrawn", "rules"),
    ):
        monkeypatch.setattr(row, field, value)
        state: Any = fragments.state_after(context).snapshot
        assert state[key] != again[key], field
        with monkeypatch.context() as full:
            full.setattr(snapshot, "_stands", lambda ctx: False)
            assert state == fragments.state_after(context).snapshot, field
