"""Training tables: the machine throws, the trainee reads, and nothing of it is in a figure of real play."""

import ast
import io
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from audit import clock, export, verify
from audit.models import Stream
from games.engine import Refusal
from tables.core.context import TableContext
from tables.demo.seeding import make_lot
from tables.dice.at_tables import verify_lot_fits
from tables.models import DiceLot, Round, Throw
from tables.opening.opening import make_table
from tables.rounds import play
from tables.screens.fragments import screen
from tables.templatetags.floor import pit_live, pit_open, pit_win, sums_of
from tests.tables.cast import Scene, make_scene

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[2]
GAMES = {
    "pa-539": ((1, "small", 1_000), (6, 1, 3), (3, 6, 1), (6, 1, 1)),
    "pa-675a": (
        (1, "pip:1", 1_000),
        (1, 2, 3, 4, 5, 6, 1, 1, 2, 2),
        (1, 1, 1, 2, 2, 2, 3, 4, 5, 6),
        (1, 1, 1, 1, 2, 2, 3, 4, 5, 6),
    ),
    "pa-577": ((1, "touchdown", 1_000), (5, 2, 1), (2, 5, 1), (5, 1, 2)),
}  # a wager, the dice thrown, the same called otherwise, others


def thrown(scene: Scene, *dice: int) -> None:
    """The dice thrown by the machine, with these faces."""
    with play.showing(dice):
        scene.act("draw_dice")


def call(scene: Scene, *dice: int) -> Any:
    return scene.act("call_dice", {"dice": list(dice)})


@pytest.fixture
def table() -> Scene:
    """A training table with a wager, shaken, its dice awaited."""
    scene = make_scene(kind="training")
    scene.place((1, "small", 2_500))
    scene.to_the_dice()
    return scene


# Thrown, read and called


@pytest.mark.parametrize("rules", GAMES)
def test_the_dice_thrown_are_called_as_the_game_compares_them(rules):
    wager, dice, same, others = GAMES[rules]
    scene = make_scene(rules, kind="training")
    scene.place(wager)
    scene.to_the_dice()
    thrown(scene, *dice)
    assert scene.snapshot["round"]["drawn"] == list(dice)
    with scene.refused("not-these-dice"):
        call(scene, *others)
    assert scene.snapshot["round"]["drawn"] == list(dice)
    call(scene, *same)
    assert scene.last_round.drawn == []
    assert Throw.objects.get().dice == list(same)


def test_a_throw_is_one_entry_that_says_who_threw(table):
    thrown(table, 5, 2, 2)
    said = table.entry
    assert (said["_type"], said["actor"]) == ("dice.drawn", "dealer")
    assert said["data"] == {"round": 1, "dice": [5, 2, 2], "by": "machine"}
    assert table.snapshot["acts"][0]["text"] == "Dice 5 2 2 thrown by the machine"


def test_nothing_is_called_before_it_was_thrown(table):
    with table.refused("draw-first"):
        call(table, 1, 2, 3)
    thrown(table, 1, 2, 3)
    call(table, 1, 2, 3)


def test_the_rules_speak_before_the_training_does():
    scene = make_scene(kind="training")
    with scene.refused("no-round"):
        scene.act("draw_dice")
    scene.place((1, "small", 1_000))
    with scene.refused("not-ready", "58 Pa. Code § 625a.5(b)(1)"):
        scene.act("draw_dice")
    with scene.refused("not-ready", "58 Pa. Code § 625a.5(b)(1)"):
        call(scene, 1, 2, 3)


def test_the_dice_are_thrown_once_for_each_call(table):
    thrown(table, 1, 2, 3)
    with table.refused("dice-drawn-already"):
        table.act("draw_dice")
    with table.refused("wrong-number-of-dice"):
        call(table, 1, 2)
    call(table, 3, 2, 1)
    with table.refused("dice-called-already"):
        table.act("draw_dice")


def test_it_is_offered_until_the_dice_are_thrown(table):
    assert "draw_dice" in table.snapshot["offers"]
    thrown(table, 1, 2, 3)
    assert "draw_dice" not in table.snapshot["offers"]
    call(table, 1, 2, 3)
    assert "draw_dice" not in table.snapshot["offers"]


def test_a_screen_that_has_not_seen_the_throw_is_stale(table):
    from tables.runner.table import Stale

    seen = table.version
    thrown(table, 1, 2, 3)
    with pytest.raises(Stale):
        table.act("call_no_roll", {"reason": "leans"}, seen=seen)


@pytest.mark.parametrize(
    ("act", "params", "by"),
    [
        ("call_no_roll", {"reason": "leans"}, "dealer"),
        ("void_round", {"reason": "dispute"}, "floorperson"),
        ("report_device_failure", {"what": "device"}, "dealer"),
    ],
)
def test_dice_that_no_longer_count_are_off_the_felt(table, act, params, by):
    thrown(table, 1, 2, 3)
    table.act(act, params, by=by, witness="floorperson" if by == "dealer" else "dealer")
    assert table.round is None
    assert table.last_round.drawn == []
    assert table.snapshot["round"]["drawn"] == []


def test_a_no_roll_of_a_longer_round_is_thrown_again():
    scene = make_scene("pa-675a.6", kind="training")
    scene.place((1, "pip:1", 1_000))
    scene.to_the_dice()
    thrown(scene, 1, 1, 2, 3, 4, 5)
    scene.act("call_no_roll", {"reason": "off-table"})
    assert scene.round.drawn == []
    scene.to_the_dice()
    with scene.refused("draw-first"):
        call(scene, 1, 1, 2, 3, 4, 5)
    thrown(scene, 6, 6, 2, 3, 4, 5)
    call(scene, 2, 3, 4, 5, 6, 6)


def test_the_extra_throw_has_the_loose_dice_alone():
    scene = make_scene("pa-675a", kind="training")
    scene.place((1, "pip:1", 1_000), (1, "like-kind:5", 1_000), (1, "extra-roll", 1_000))
    scene.to_the_dice()
    thrown(scene, 1, 1, 1, 1, 2, 2, 3, 4, 5, 6)
    call(scene, 1, 1, 1, 1, 2, 2, 3, 4, 5, 6)
    scene.to_the_dice()
    scene.act("draw_dice")
    drawn = scene.round.drawn
    assert len(drawn) == 6
    call(scene, *reversed(drawn))
    scene.finish()


def test_a_complete_football_game_is_trained():
    scene = make_scene("pa-577", kind="training")
    scene.place((1, "touchdown", 1_000))
    scene.until("throw_dice")
    while scene.round is not None:
        following = scene.snapshot["next"]
        if following["act"] == "call_dice":
            thrown(scene, 6, 6, 1)
            with scene.refused("not-these-dice"):
                call(scene, 6, 1, 6)
            call(scene, 6, 6, 1)
        else:
            scene.act(following["act"], following["params"])
    assert scene.last_round.ending == "touchdown"


def test_a_corrected_wager_leaves_the_dice_on_the_felt(table):
    thrown(table, 1, 2, 3)
    table.act(
        "record_missed_wager",
        {"seat": 2, "wager": "big", "cents": 1_000, "reason": "overlooked"},
        witness="floorperson",
    )
    assert table.round.drawn == [1, 2, 3]
    call(table, 1, 2, 3)


# Where no throw is asked


def test_a_correction_is_free_of_the_throw(table):
    """The trainee practises correcting too: after the call no dice lie there that would bind it."""
    thrown(table, 1, 2, 3)
    call(table, 1, 2, 3)
    params = {"dice": [4, 5, 6], "reason": "misread"}
    table.act("correct_dice", params, witness="floorperson")
    assert table.snapshot["round"]["dice"] == [4, 5, 6]


def test_a_round_settled_manually_needs_no_throw():
    scene = make_scene(kind="training")
    wagers = [{"seat": 1, "wager": "small", "cents": 1_000, "made_in": "chips"}]
    scene.settle_by_hand(dice=[1, 2, 3], wagers=wagers)
    assert scene.last_round.by_hand


def test_dice_seen_when_the_device_failed_are_those_on_the_felt(table):
    failed = {"what": "device", "dice": [3, 2, 1]}
    with table.refused("draw-first"):
        table.act("report_device_failure", failed, witness="floorperson")
    thrown(table, 1, 2, 2)
    with table.refused("not-these-dice"):
        table.act("report_device_failure", failed, witness="floorperson")
    table.act("report_device_failure", {**failed, "dice": [2, 1, 2]}, witness="floorperson")
    assert table.last_round.by_hand and table.last_round.drawn == []


# Nowhere else


@pytest.mark.parametrize("kind", ["live", "simulated"])
def test_no_machine_throws_dice_where_people_play_or_a_script_does(kind):
    scene = make_scene(kind=kind)
    scene.place((1, "small", 1_000))
    scene.to_the_dice()
    with scene.refused("draws-only-in-training"):
        scene.act("draw_dice")
    assert "draw_dice" not in scene.snapshot["offers"]
    with scene.refused("malformed"):
        scene.act("call_dice", {"dice": [1, 2, 3], "drawn": [1, 2, 3]})
    call(scene, 1, 2, 3)
    scene.finish()
    assert scene.snapshot["round"]["drawn"] == []
    assert list(Round.objects.values_list("drawn", flat=True)) == [[]]


def test_only_the_throw_puts_dice_on_the_layout():
    """One place of the floor writes dice into `drawn`; every other place empties it."""
    writers = []
    for path in (ROOT / "tables").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            words = node.keywords if isinstance(node, ast.Call) else ()
            writers += [(path.name, ast.unparse(word.value)) for word in words if word.arg == "drawn"]
            if isinstance(node, ast.Assign) and any(".drawn" in ast.unparse(one) for one in node.targets):
                writers.append((path.name, ast.unparse(node)))
    written = [(name, value) for name, value in writers if not value.startswith("models.")]
    assert Counter(written) == {("play.py", "list(dice)"): 1, ("settlement.py", "[]"): 1}


def test_draws_are_faces_of_a_die_and_each_of_them_comes():
    faces = Counter(face for _ in range(300) for face in play.draws.dice(3, 6))
    assert set(faces) == {1, 2, 3, 4, 5, 6}
    assert len(play.draws.dice(10, 6)) == 10
    assert len({play.draws.dice(10, 6) for _ in range(50)}) > 40


# Its own dice and its own stream


@pytest.mark.parametrize(
    ("at", "lot"), [("training", "live"), ("live", "training"), ("simulated", "training")]
)
def test_training_dice_stay_at_training(at, lot):
    scene = make_scene(kind=at)
    DiceLot.objects.filter(code="L-0002").update(training=lot == "training")
    with scene.refused("lot-of-another-kind"):
        scene.act("change_dice_lot", {"lot": "L-0002", "seal": "S"}, by="floorperson")
    with pytest.raises(Refusal, match="lot-of-another-kind"):
        verify_lot_fits(
            TableContext(scene.fresh, None, None, None, clock.now()), DiceLot.objects.get(code="L-0002")
        )
    scene.act("change_dice_lot", {"lot": "L-0003", "seal": "S"}, by="floorperson")


def test_the_clock_of_training_dice_runs_as_at_a_real_table(hands):
    scene = make_scene(kind="training")
    hands.now = DiceLot.objects.get(code="L-0001").expires_at
    scene.place((1, "small", 1_000))
    with scene.refused("dice-past-their-time"):
        scene.act("shake", {"shakes": 3})


@pytest.mark.parametrize(("kind", "real"), [("live", True), ("training", False), ("simulated", False)])
def test_the_stream_of_a_table_is_of_real_play_or_never(kind, real):
    scene = make_scene(kind=kind)
    scene.place((1, "small", 1_000))
    assert Stream.objects.get(pk=scene.table.stream_id).real_play is real
    for training in (False, True):
        data = b"".join(export.lines(export.select(training=training)))
        names = [stream.name for stream in verify.verify(io.BytesIO(data))[2]]
        assert ("larkfield/T-01" in names) is (real != training)
        assert (b'"wagers.placed"' in data) is (real != training)


# In no figure


def test_no_figure_of_the_floor_counts_what_is_trained(table):
    thrown(table, 6, 5, 5)
    call(table, 6, 5, 5)
    table.finish()
    trained = table.snapshot
    assert trained["figures"]["win_cents"] == 2_500
    live = {**trained, "table": {**trained["table"], "kind": "live"}}
    pit = {
        "name": "Pit 1",
        "tables": [trained, {**trained, "table": {**trained["table"], "kind": "simulated"}}],
    }
    assert set(sums_of([pit]).values()) == {0, "–"}, "without a live table no pace is known"
    assert (pit_win(pit), pit_open(pit), pit_live(pit)) == (0, 0, 0)
    both = {"name": "Pit 1", "tables": [trained, live]}
    assert (pit_win(both), pit_open(both), pit_live(both)) == (2_500, 1, 1)
    assert sums_of([both])["win"] == 2_500


def test_its_tile_says_what_it_is_and_shows_nothing_to_sum(table):
    thrown(table, 6, 5, 5)
    call(table, 6, 5, 5)
    table.finish()
    html = screen("tile", table.table.pk)["html"]
    assert "TRAINING" in html and 'data-kind="training"' in html
    for figure in (
        "data-win",
        "data-handle",
        "data-pace",
        "data-playing",
        'class="win"',
        'class="handle"',
        "$25",
    ):
        assert figure not in html


def test_a_live_table_says_nothing_of_training(scene):
    scene.place((1, "small", 1_000))
    for station in ("tile", "dealer", "table"):
        html = screen(station, scene.table.pk)["html"]
        assert "TRAINING" not in html and "ractice" not in html


@pytest.mark.parametrize("station", ["dealer", "table"])
def test_its_screens_say_what_they_are(table, station):
    html = screen(station, table.table.pk)["html"]
    assert html.count("TRAINING") > 3 and "Training table" in html and "ractice money" in html


def test_an_alert_of_it_says_where_it_comes_from(table):
    table.act("report_device_failure", {"what": "device"}, witness="floorperson")
    html = screen("tile", table.table.pk)["html"]
    assert "<h3>Training: Gaming ceased</h3>" in html


def test_its_sign_in_page_says_what_it_is(table):
    asked = table.browser().get("/sign-in").content.decode()
    assert "Training table" in asked and asked.count("TRAINING") > 3


def test_the_sign_in_page_of_a_real_table_does_not(scene):
    assert "raining" not in scene.browser().get("/sign-in").content.decode()


def test_a_training_table_has_a_lot_of_its_own_for_change(table):
    make_lot(make_table_beside(table), "L-0100")
    shown = table.browser(signed_in="dealer").get("/floor/larkfield/T-01/console").content.decode()
    assert "L-0002" in shown and "L-0100" not in shown


def make_table_beside(scene: Scene) -> Any:
    """A live table in the same pit."""
    table = scene.fresh
    return make_table(
        table.facility, code="T-02", pit=table.pit, submission=table.submission_code, kind="live",
        seats=8, min_cents=1_000, max_cents=50_000,
    )  # fmt: skip
