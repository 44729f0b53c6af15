"""Somebody trained and on duty at every post: before a table opens, and as long as play goes on."""

import datetime as dt

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit import clock
from audit.models import Person
from tables.models import Assignment, Qualification, Table
from tests.tables.cast import make_scene

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause

POSTS = {"dealer": "dealer", "dealer-left": "relief", "stick": "stickperson"}


@pytest.mark.parametrize("post", [
    "dealer", "dealer-left", pytest.param("stick", marks=clause("PA-577.9(b)-stick")),
])  # fmt: skip
@pytest.mark.clause("PA-577.9(b)-dealers")
def test_nobody_leaves_one_of_the_three_posts_of_an_open_football_table(db, post):
    scene = make_scene("pa-577")
    with scene.refused("post-left-empty", "58 Pa. Code § 577.9(b)") as refusal:
        scene.act("leave_table", by=POSTS[post])
    assert refusal.value.params["post"] == post
    Table.objects.update(status="ceased")
    with scene.refused("post-left-empty", "58 Pa. Code § 577.9(b)"):
        scene.act("leave_table", by=POSTS[post])
    Table.objects.update(status="closed")
    scene.act("leave_table", by=POSTS[post])
    assert scene.entry["data"] == {"dealer": POSTS[post], "post": post}


@pytest.mark.clause("PA-577.9(b)-dealers")
def test_a_football_table_does_not_open_with_fewer_than_three_dealers(db):
    scene = make_scene("pa-577", opened=False)
    scene.inspect()
    for post, by in POSTS.items():
        with scene.refused("post-is-empty", "58 Pa. Code § 577.9(b)") as refusal:
            scene.open()
        assert refusal.value.params["post"] == post
        scene.act("take_over_table", {"post": post}, by=by)
    scene.open()
    assert scene.fresh.status == "open"


@pytest.mark.clause("PA-577.9(b)-dealers", "PA-577.9(b)-stick")
@pytest.mark.parametrize("post", POSTS)
@pytest.mark.parametrize("gone", ["empty", "off duty", "inactive"])
def test_football_is_not_played_on_without_all_three(db, post, gone):
    scene = make_scene("pa-577")
    scene.place((5, "touchdown", 500))
    take_away(scene, post, POSTS[post], gone)
    offer = {"seat": 5, "accepted": True}
    for act, params in (("offer_dice", offer), ("throw_dice", {})):
        with scene.refused("post-is-empty", "58 Pa. Code § 577.9(b)") as refusal:
            scene.act(act, params, by="floorperson", device=scene.podium)
        assert refusal.value.params == {"post": post, "table": "T-01"}
    with scene.refused("post-is-empty"):
        scene.place((5, "big-play", 500, 1), by="floorperson", device=scene.podium)


def take_away(scene, post, by, gone):
    """The post is empty, or the person at it is off duty or inactive."""
    if gone == "empty":
        field = {"dealer": "dealer", "dealer-left": "dealer_left", "stick": "stickperson"}[post]
        Table.objects.filter(pk=scene.table.pk).update(**{field: None})
    elif gone == "off duty":
        Assignment.objects.filter(person__code=by).update(ended_at=clock.now())
    else:
        Person.objects.filter(code=by).update(is_active=False)


@pytest.mark.parametrize("kind", ["live", "training"])
@pytest.mark.parametrize("gone", ["empty", "off duty", "inactive"])
def test_a_round_neither_begins_nor_goes_on_without_its_dealer(db, kind, gone):
    scene = make_scene(kind=kind)
    floor = {"by": "floorperson", "device": scene.podium}
    take_away(scene, "dealer", "dealer", gone)
    with scene.refused("post-is-empty", "58 Pa. Code § 465a.35"):
        scene.place((1, "small", 2_500), **floor)
    assert scene.round is None
    scene.act("take_over_table", by="relief")
    scene.place((1, "small", 2_500), **floor)
    take_away(scene, "dealer", "relief", gone)
    for act, params in (("shake", {"shakes": 3}), ("no_more_bets", {})):
        with scene.refused("post-is-empty", "58 Pa. Code § 465a.35"):
            scene.act(act, params, **floor)


@pytest.mark.parametrize(
    ("rules", "section"), [("nj-19-47-9", "N.J.A.C. 19:47-9.1"), ("pa-539", "58 Pa. Code § 465a.35")]
)
def test_an_empty_post_is_refused_with_the_section_of_each_text(rules, section):
    scene = make_scene(rules)
    take_away(scene, "dealer", "dealer", "empty")
    with scene.refused("post-is-empty", section):
        scene.place((1, "small", 2_500), by="floorperson", device=scene.podium)


@pytest.mark.parametrize("gone", ["empty", "off duty", "inactive"])
def test_what_was_thrown_is_settled_whoever_has_left(scene, monkeypatch, gone):
    """And it asks nothing more than before: not who is at work."""
    scene.place((1, "small", 2_500), (2, "big", 2_500))
    scene.to_the_dice()
    take_away(scene, "dealer", "dealer", gone)
    monkeypatch.setattr("tables.core.posts.at_work", lambda *_: pytest.fail("asked who is at work"))
    floor = {"by": "floorperson", "device": scene.podium}
    for act, params in (("call_dice", {"dice": [2, 5, 5]}), ("take_losers", {}), ("pay_seats", {})):
        scene.act(act, params, **floor)
    scene.act("clear_layout", **floor)
    assert scene.last_round.phase == "cleared"


def test_a_round_played_manually_is_recorded_with_any_staffing(scene):
    take_away(scene, "dealer", "dealer", "empty")
    wagers = [{"seat": 1, "wager": "small", "cents": 2_500, "made_in": "chips"}]
    scene.settle_by_hand(dice=[1, 1, 2], wagers=wagers, by="floorperson", witness="dealer")
    assert scene.last_round.phase == "cleared"


@pytest.mark.parametrize(("rules", "wager"), [("pa-577", "touchdown"), ("pa-625a/A", "small")])
def test_an_act_of_play_asks_once_who_is_at_work_however_many_posts_there_are(rules, wager):
    scene = make_scene(rules)
    with CaptureQueriesContext(connection) as found:
        scene.place((5, wager, 500))
    assert sum("o.stickperson_id" in one["sql"] for one in found.captured_queries) == 1


def test_dealers_change_places_at_an_open_football_table_and_no_post_is_empty(db):
    scene = make_scene("pa-577")
    scene.act("take_over_table", {"post": "dealer-left"})
    assert (scene.fresh.dealer.code, scene.fresh.dealer_left.code) == ("relief", "dealer")
    assert scene.entry["data"]["follows"] == "relief"
    with scene.refused("post-of-another"):  # who would have to follow is a stickperson
        scene.act("take_over_table", {"post": "stick"})
    scene.place((5, "touchdown", 500))


@pytest.mark.clause("PA-577.9(b)-dealers")
def test_nobody_moves_to_an_empty_post_and_leaves_another_one_empty(db):
    scene = make_scene("pa-577")
    take_away(scene, "dealer-left", "relief", "empty")
    with scene.refused("post-left-empty", "58 Pa. Code § 577.9(b)"):
        scene.act("take_over_table", {"post": "dealer-left"})
    scene.act("take_over_table", {"post": "dealer-left"}, by="relief")


TRAINED = "58 Pa. Code Chapter 611a"


@pytest.mark.parametrize(
    ("rules", "post", "by", "section"),
    [
        ("pa-625a/A", "dealer", "relief", TRAINED),
        ("pa-675a", "dealer", "relief", TRAINED),
        ("pa-577", "stick", "stickperson", TRAINED),
        ("nj-19-47-9", "dealer", "relief", ""),
    ],
)
def test_nobody_deals_a_game_without_training_for_it(rules, post, by, section):
    scene = make_scene(rules, opened=False)
    trained = Qualification.objects.filter(person__code=by, game=scene.table.game)
    trained.update(game="another")
    with scene.refused("not-qualified", section) as refusal:
        scene.act("take_over_table", {"post": post}, by=by)
    assert refusal.value.params["game"] == scene.table.game
    Qualification.objects.filter(game="another").update(game=scene.table.game)
    scene.act("take_over_table", {"post": post}, by=by)


@pytest.mark.parametrize(
    ("since", "ends_on", "holds"),
    [(0, None, True), (1, None, False), (-9, 1, True), (-9, 0, False), (-9, -1, False)],
)
def test_training_holds_from_its_first_day_to_the_day_before_its_last(hands, since, ends_on, holds, db):
    """In days from today by the casino's clocks, where it is still the 21st though it is the 22nd in UTC."""
    hands.now = dt.datetime(2026, 11, 22, 3, tzinfo=dt.UTC)
    scene, today = make_scene(opened=False), dt.date(2026, 11, 21)
    Qualification.objects.filter(person__code="relief", game="sic-bo").update(
        since=today + dt.timedelta(days=since),
        ends_on=None if ends_on is None else today + dt.timedelta(days=ends_on),
    )
    if holds:
        scene.act("take_over_table", by="relief")
        assert scene.fresh.dealer.code == "relief"
    else:
        with scene.refused("not-qualified", TRAINED):
            scene.act("take_over_table", by="relief")


def test_training_is_asked_though_no_rules_are_in_force(db):
    scene = make_scene(opened=False)
    scene.table.facility.submissions.update(status="withdrawn")
    Qualification.objects.filter(person__code="relief").delete()
    with scene.refused("not-qualified", ""):
        scene.act("take_over_table", by="relief")
    scene.act("take_over_table")


def test_a_training_table_takes_anybody_on_duty_there(db):
    scene = make_scene(opened=False, kind="training")
    Qualification.objects.all().delete()
    scene.act("take_over_table", by="relief")
    assert scene.fresh.dealer.code == "relief"
    with scene.refused("not-assigned"):
        scene.act("take_over_table", by="stranger")
