"""The minimum and maximum at a table: when they change, and what an accepted wager outside them does."""

import dataclasses
import datetime as dt
import json

import pytest

from audit.models import Entry
from games.jurisdictions import read_separation
from games.models import Facility, SignForm
from games.separation import policy
from tables.models import LimitsChange, Wager
from tables.ticker import tick
from tables.words.sentences import say
from tests.tables.cast import make_scene

pytestmark = pytest.mark.django_db
MINUTES = dt.timedelta(minutes=1)
SECOND = dt.timedelta(seconds=1)
NEW = {"min_cents": 2_500, "max_cents": 200_000}


def change(scene, *, by="floorperson", **params):
    return scene.act("change_limits", {**NEW, **params}, by=by, device=scene.podium)


def end_round(scene):
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [2, 5, 5]})
    scene.finish()


def limits_of(scene):
    table = scene.fresh
    return table.min_cents, table.max_cents


def entries(type_):
    return [json.loads(bytes(entry.body)) for entry in Entry.objects.filter(type=type_).order_by("seq")]


@pytest.fixture
def playing(hands, scene):
    """A player has a wager in the open round."""
    scene.place((1, "small", 1_000))
    return scene


@pytest.fixture
def noticed(playing, hands):
    """A change that was signed at 10:00 and announced at 10:05."""
    change(playing)
    playing.act("post_limits_sign", by="floorperson", device=playing.podium)
    hands.now += 5 * MINUTES
    playing.act("announce_limits")
    return playing


# Route (1): nobody plays


@pytest.mark.clause("PA-521.8(c)(1)", "PA-521.8(c)")
def test_where_nobody_plays_they_change_at_once(hands, scene):
    change(scene, nobody_plays=True)
    assert limits_of(scene) == (2_500, 200_000)
    assert scene.entry["_type"] == "limits.changed" and scene.entry["actor"] == "floorperson"
    assert scene.entry["data"]["was_min_cents"] == 1_000 and scene.entry["data"]["nobody_played"] is True
    assert scene.snapshot["limits"] == {"min_cents": 2_500, "max_cents": 200_000, "pending": None}


@pytest.mark.clause("PA-521.8(c)(1)")
def test_they_do_not_change_at_once_while_there_is_a_wager(playing):
    with playing.refused("somebody-plays", "58 Pa. Code § 521.8(c)(1)") as refused:
        change(playing, nobody_plays=True)
    assert refused.value.params == {"seats": "1", "minutes": 30}
    assert limits_of(playing) == (1_000, 100_000)


@pytest.mark.clause("PA-521.8(c)(1)")
def test_they_do_not_change_at_once_while_a_player_sits_at_high_roll(hands, db):
    scene = make_scene("pa-675a")
    with scene.refused("somebody-plays"):
        change(scene, nobody_plays=True)
    for seat in range(1, 7):
        scene.act("free_seat", {"seat": seat})
    change(scene, nobody_plays=True)
    assert limits_of(scene) == (2_500, 200_000)


@pytest.mark.clause("PA-521.8(c)(1)")
def test_whoever_wagered_in_the_last_round_plays_until_the_floor_records_the_seat_as_left(playing):
    playing.place((4, "big", 1_000), (5, "big", 1_000))
    playing.place((5, "big", 0))
    playing.to_the_dice()
    playing.act("call_dice", {"dice": [2, 5, 5]})
    with playing.refused("somebody-plays"):
        change(playing, nobody_plays=True, left=[1, 4, 5])
    playing.finish()
    for left, seats in (([], "1, 4"), ([4], "1"), ([5], "1, 4")):
        with playing.refused("somebody-plays", "58 Pa. Code § 521.8(c)(1)") as refused:
            change(playing, nobody_plays=True, left=left)
        assert refused.value.params["seats"] == seats
    for left in ([0], [99]):
        with playing.refused("malformed"):
            change(playing, nobody_plays=True, left=left)
    with playing.refused("malformed"):
        change(playing, left=[1, 4])
    change(playing, nobody_plays=True, left=[4, 1, 2])
    assert limits_of(playing) == (2_500, 200_000)
    assert playing.entry["data"]["left"] == [1, 4]


def test_a_table_that_has_closed_since_has_no_players_of_its_last_round(hands, playing):
    end_round(playing)
    hands.now += MINUTES
    playing.act("close_table", {"secured": True}, by="floorperson")
    change(playing, nobody_plays=True)
    assert limits_of(playing) == (2_500, 200_000)
    assert "left" not in playing.entry["data"]
    hands.now += MINUTES
    playing.inspect()
    playing.act("open_table", {"acknowledge_lapsed": True}, witness="floorperson")
    change(playing, nobody_plays=True, min_cents=1_000)
    assert limits_of(playing) == (1_000, 200_000)


@pytest.mark.clause("PA-521.8(c)")
def test_nobody_playing_is_said_and_never_assumed(hands, scene):
    change(scene)
    assert limits_of(scene) == (1_000, 100_000)
    assert LimitsChange.objects.get().status == "pending"


# Route (2): notice, sign and announcement


@pytest.mark.clause("PA-521.8(c)(2)", "PA-521.8(c)(2)(i)")
def test_it_holds_from_thirty_minutes_after_the_later_of_the_two(noticed, hands):
    end_round(noticed)
    due = dt.datetime(2026, 11, 21, 15, 35, tzinfo=dt.UTC)
    assert LimitsChange.objects.get().effective_at == due
    hands.now = due - SECOND
    noticed.place((1, "small", 1_000))
    assert Wager.objects.get(round=noticed.round).flag == "" and limits_of(noticed) == (1_000, 100_000)
    end_round(noticed)
    hands.now = due
    noticed.place((1, "small", 1_000))
    assert limits_of(noticed) == (2_500, 200_000)
    assert Wager.objects.get(round=noticed.round).flag == "under-min"
    types = list(
        Entry.objects.filter(stream=noticed.table.stream).order_by("-seq").values_list("type", flat=True)
    )
    assert types[:2] == ["wagers.placed", "limits.took_effect"]


@pytest.mark.clause("PA-521.8(c)(2)(i)")
def test_it_counts_from_the_sign_where_that_is_the_later(playing, hands):
    change(playing)
    playing.act("announce_limits")
    hands.now += 7 * MINUTES
    playing.act("post_limits_sign")
    assert LimitsChange.objects.get().effective_at == hands.now + 30 * MINUTES


@pytest.mark.clause("PA-521.8(c)(2)")
@pytest.mark.parametrize("done", [(), ("post_limits_sign",), ("announce_limits",)])
def test_without_both_it_never_holds(playing, hands, done):
    change(playing)
    for act in done:
        playing.act(act)
    end_round(playing)
    hands.now += 300 * MINUTES
    tick()
    playing.place((1, "small", 1_000))
    assert limits_of(playing) == (1_000, 100_000)


def test_a_round_in_play_ends_under_the_limits_it_began_with(noticed, hands):
    hands.now += 31 * MINUTES
    tick()
    noticed.place((2, "big", 1_000))
    assert Wager.objects.get(seat=2).flag == ""
    assert noticed.snapshot["limits"]["pending"]["due"] is True
    end_round(noticed)
    assert limits_of(noticed) == (1_000, 100_000)
    noticed.place((2, "big", 1_000))
    assert Wager.objects.get(round=noticed.round).flag == "under-min"


@pytest.mark.clause("PA-521.8(c)(2)(i)")
def test_a_change_begun_again_counts_its_thirty_minutes_anew_to_the_microsecond(noticed, hands):
    hands.now += 29 * MINUTES
    noticed.act("cancel_limits_change", {"why": "Wrong sum"}, by="floorperson", device=noticed.podium)
    end_round(noticed)
    change(noticed)
    noticed.act("announce_limits")
    noticed.act("post_limits_sign")
    hands.now += 30 * MINUTES - dt.timedelta(microseconds=1)
    tick()
    assert limits_of(noticed) == (1_000, 100_000)
    hands.now += dt.timedelta(microseconds=1)
    tick()
    assert limits_of(noticed) == (2_500, 200_000)


def test_the_notice_runs_on_while_the_table_is_closed_and_opens_again(noticed, hands):
    end_round(noticed)
    noticed.close()
    hands.now += 10 * MINUTES
    noticed.inspect()
    noticed.open()
    noticed.place((1, "small", 1_000))
    assert limits_of(noticed) == (1_000, 100_000) and Wager.objects.latest("pk").flag == ""
    end_round(noticed)
    hands.now += 20 * MINUTES
    noticed.place((1, "small", 1_000))
    assert limits_of(noticed) == (2_500, 200_000) and Wager.objects.latest("pk").flag == "under-min"


def test_between_two_rounds_the_clock_lets_it_hold(noticed, hands):
    end_round(noticed)
    hands.now += 30 * MINUTES - SECOND
    tick()
    assert limits_of(noticed) == (1_000, 100_000)
    hands.now += SECOND
    assert noticed.table.pk in tick()
    assert limits_of(noticed) == (2_500, 200_000)
    assert [one["actor"] for one in entries("limits.took_effect")] == [None]
    tick()
    assert len(entries("limits.took_effect")) == 1 and noticed.snapshot["limits"]["pending"] is None


def test_once_all_have_left_it_holds_at_once(noticed):
    with noticed.refused("somebody-plays"):
        noticed.act("players_left")
    end_round(noticed)
    with noticed.refused("somebody-plays"):
        noticed.act("players_left")
    with noticed.refused("floorperson-must-sign"):
        noticed.act("players_left", {"left": [1]})
    noticed.act("players_left", {"left": [1]}, by="floorperson", device=noticed.podium)
    assert noticed.entry["data"]["left"] == [1]
    assert limits_of(noticed) == (2_500, 200_000)
    assert LimitsChange.objects.get().nobody_played is True


@pytest.mark.clause("PA-521.8(c)(2)(iii)")
def test_the_announcement_is_on_record_with_dealer_and_time(noticed, hands):
    said = entries("limits.announced")[0]
    assert (said["actor"], said["at"]) == ("dealer", "2026-11-21T15:05:00.000000Z")
    assert said["data"]["dealer"] == "dealer"
    assert said["data"]["effective_at"] == "2026-11-21T15:35:00.000000Z"
    shown = noticed.snapshot["limits"]["pending"]
    assert (shown["announced_by"], shown["from"]) == ("Dealer", "10:35 AM")
    with noticed.refused("limits-announced-already"):
        noticed.act("announce_limits")
    with noticed.refused("limits-sign-stands"):
        noticed.act("post_limits_sign")


def test_one_change_at_a_time_and_it_may_be_cancelled(noticed, hands):
    with noticed.refused("change-is-pending"):
        change(noticed, min_cents=5_000)
    noticed.act("cancel_limits_change", {"why": "Wrong table"}, by="floorperson", device=noticed.podium)
    assert LimitsChange.objects.get().status == "cancelled"
    end_round(noticed)
    hands.now += 60 * MINUTES
    noticed.place((1, "small", 1_000))
    assert limits_of(noticed) == (1_000, 100_000)
    with noticed.refused("no-change-is-pending"):
        noticed.act("announce_limits")


# What may not be


def test_a_maximum_under_the_minimum_is_refused(scene):
    with scene.refused("maximum-under-minimum", "58 Pa. Code § 521.7(a)"):
        change(scene, min_cents=5_000, max_cents=4_900)


@pytest.mark.parametrize(
    ("chips", "under", "words"),
    [
        (
            [500, 100],
            99,
            "No chip here is as small as $0.99. The smallest is $1: enter a minimum of $1 or more.",
        ),
        (
            [100, 50],
            25,
            "No chip here is as small as $0.25. The smallest is $0.50: enter a minimum of $0.50 or more.",
        ),
        (
            [2_500, 500],
            400,
            "No chip here is as small as $4. The smallest is $5: enter a minimum of $5 or more.",
        ),
    ],
)
@pytest.mark.parametrize("edition", ["pa-625a/A", "nj-19-47-9"])
def test_a_minimum_under_the_smallest_chip_is_refused(hands, db, edition, chips, under, words):
    scene = make_scene(edition)
    Facility.objects.update(chips_cents=chips)
    with scene.refused("minimum-under-a-chip", "") as refusal:
        change(scene, min_cents=under, max_cents=1_000)
    assert say(refusal.value) == words
    assert not LimitsChange.objects.exists()
    change(scene, min_cents=chips[-1], max_cents=1_000)
    assert LimitsChange.objects.get().min_cents == chips[-1]


def test_the_same_limits_are_no_change(scene):
    with scene.refused("limits-unchanged"):
        change(scene, min_cents=1_000, max_cents=100_000)


@pytest.mark.parametrize(("min_cents", "taken"), [(1_498, True), (1_499, False)])
def test_a_minimum_that_breaks_the_floor_of_the_payout_limit_is_refused(hands, db, min_cents, taken):
    """5,006 times $14.98 is $74,989.88; of $14.99 it is $75,039.94, and $75,000 is filed (A30)."""
    scene = make_scene("pa-675a", payout_limit_cents=7_500_000)
    if taken:
        change(scene, min_cents=min_cents)
        assert LimitsChange.objects.get().min_cents == min_cents
        return
    with scene.refused("filed-limit-too-low", "58 Pa. Code § 675a.5(e)"):
        change(scene, min_cents=min_cents)


@pytest.mark.clause("PA-521.8(d)")
def test_no_notice_is_given_without_an_approved_form_of_its_sign(playing):
    SignForm.objects.filter(kind="limits-change").update(status="withdrawn")
    with playing.refused("no-approved-sign", "58 Pa. Code § 521.8(d)"):
        change(playing)


@pytest.mark.clause("PA-521.8(d)")
def test_no_sign_is_posted_once_its_form_is_withdrawn(playing):
    change(playing)
    SignForm.objects.filter(kind="limits-change").update(status="withdrawn")
    with playing.refused("no-approved-sign"):
        playing.act("post_limits_sign")


@pytest.mark.clause("PA-521.7(c)")
@pytest.mark.parametrize(("cents", "flag"), [(500, "under-min"), (150_000, "over-max")])
def test_a_wager_that_was_accepted_outside_the_limits_settles_in_full(hands, scene, cents, flag):
    scene.play((1, "small", cents), dice=[1, 2, 3])
    assert Wager.objects.get().flag == flag
    assert scene.settled == [(1, "small", "win", cents, cents)]


def test_in_new_jersey_the_same_steps_are_the_houses_own_and_cite_no_section_of_pennsylvania(hands, db):
    scene = make_scene("nj-19-47-9")
    scene.place((1, "small", 1_000))
    change(scene)
    refusals = [
        ("change-is-pending", lambda: change(scene, min_cents=5_000)),
        ("somebody-plays", lambda: scene.act("players_left")),
        ("limits-unchanged", lambda: change(scene, min_cents=1_000, max_cents=100_000)),
        ("maximum-under-minimum", lambda: change(scene, min_cents=900, max_cents=800)),
    ]
    for code, tried in refusals:
        with scene.refused(code, ""):
            tried()
    SignForm.objects.filter(kind="limits-change").update(status="withdrawn")
    with scene.refused("no-approved-sign", ""):
        scene.act("post_limits_sign")


# Who signs


@pytest.fixture
def signed_by_two(monkeypatch):
    """A policy by which a floorperson and a pit or shift manager sign each change together."""
    managers = {"pit-manager": "table-games", "shift-manager": "table-games"}
    row = dataclasses.replace(policy.practice()["limits"], control="signature", approve=managers)
    rows = {**policy.practice(), "limits": row}
    monkeypatch.setattr(policy, "practice", lambda: rows)


def test_a_row_of_the_policy_lets_two_people_sign_a_change(signed_by_two, scene):
    params = {**NEW, "nobody_plays": True}
    with scene.refused("second-person-must-sign") as refused:
        change(scene, nobody_plays=True)
    assert refused.value.params == {"who": "pit manager of table games, shift manager of table games"}
    with scene.refused("second-person-must-sign"):
        scene.act("change_limits", params, by="floorperson", witness="casino-supervisor", device=scene.podium)
    assert limits_of(scene) == (1_000, 100_000)
    scene.act("change_limits", params, by="floorperson", witness="pit-manager", device=scene.podium)
    assert limits_of(scene) == (2_500, 200_000)
    assert (scene.entry["actor"], scene.entry["witness"]) == ("floorperson", "pit-manager")


def test_of_the_two_either_may_be_at_the_table(signed_by_two, scene):
    params = {**NEW, "nobody_plays": True}
    scene.act("change_limits", params, by="pit-manager", witness="floorperson", device=scene.podium)
    assert limits_of(scene) == (2_500, 200_000)


def test_the_page_of_a_table_is_told_who_on_duty_may_sign(signed_by_two, scene):
    page = scene.browser("podium", "floorperson")
    answer = page.get("/floor/larkfield/T-01/acts/change_limits/signers").json()
    assert answer == {
        "signers": [
            {"code": "pit-manager", "name": "Pit Manager", "role": "Pit manager"},
            {"code": "shift-manager", "name": "Shift Manager", "role": "Shift manager"},
        ]
    }
    assert page.get("/floor/larkfield/T-01/acts/shake/signers").status_code == 404


def test_no_file_of_a_jurisdiction_lets_a_change_of_limits_wait_for_an_approval(scene):
    row = dataclasses.asdict(policy.practice()["limits"]) | {"control": "change", "hours": 24, "told": []}
    with pytest.raises(ValueError, match=r"separation\.limits is controlled by a signature or alone"):
        read_separation({"limits": row})
