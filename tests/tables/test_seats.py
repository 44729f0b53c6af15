"""Which seats are taken: for the offer of the dice, with a wager or without, and for limits that change at once."""

import pytest

from tests.tables.cast import Scene, make_scene

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause


@pytest.fixture
def table() -> Scene:
    return make_scene("pa-577")


def taken(scene: Scene) -> list[int]:
    return [seat["seat"] for seat in scene.snapshot["round"]["seats"] if seat["taken"]]


def offered(scene: Scene) -> int:
    """The seat that the console proposes."""
    following = scene.snapshot["next"]
    assert following is not None and following["act"] == "offer_dice"
    return following["params"]["seat"]


def offer(scene: Scene, seat: int, accepted: bool) -> None:
    scene.act("offer_dice", {"seat": seat, "accepted": accepted})


@clause("PA-577.4(b)-first", "PA-577.4(b)-next")
def test_before_any_wager_the_dice_go_clockwise_among_the_seats_that_are_taken(table):
    assert offered(table) == 1
    for seat in (12, 4, 9):
        table.act("seat_player", {"seat": seat})
    for seat in (4, 9, 12, 4):
        assert offered(table) == seat
        for passed_over in {4, 9, 12} - {seat}:
            with table.refused("offer-in-turn", f"58 Pa. Code § 577.{'4(b)' if not table.round else '7(a)'}"):
                offer(table, passed_over, accepted=True)
        offer(table, seat, accepted=False)
    offer(table, 9, accepted=True)
    assert (table.round.quarterback, taken(table)) == (9, [4, 9, 12])


@clause("PA-577.7(a)-offer", "PA-577.7(a)-next")
def test_after_the_defense_wins_the_dice_go_to_the_left_before_wagers_lie(table):
    table.place((3, "touchdown", 500), (5, "defense", 500), (8, "defense", 500))
    offer(table, 3, accepted=False)
    offer(table, 5, accepted=True)
    table.act("throw_dice")
    table.act("call_dice", {"dice": [1, 1, 6]})
    table.finish()
    assert table.last_round.ending == "turnover"
    assert (table.round, taken(table), offered(table)) == (None, [3, 5, 8], 8)
    table.act("free_seat", {"seat": 8})
    assert (offered(table), table.entry["_type"]) == (3, "seat.freed")


def test_a_quarterback_who_leaves_gives_up_the_dice_and_nobody_leaves_a_live_wager(table):
    table.place((3, "touchdown", 500), (5, "no-gain", 500, 1), (8, "defense", 500))
    offer(table, 3, accepted=False)
    offer(table, 5, accepted=True)
    with table.refused("seat-has-a-wager"):
        table.act("free_seat", {"seat": 5})
    table.act("throw_dice")
    table.act("call_dice", {"dice": [6, 5, 1]})
    table.act("settle_seats")
    table.act("throw_dice")
    with table.refused("seat-has-the-dice"):
        table.act("free_seat", {"seat": 5})
    table.act("call_no_roll", {"reason": "improper"})
    table.act("free_seat", {"seat": 5})
    assert (taken(table), table.round.quarterback, offered(table)) == ([3, 8], None, 8)


@clause("PA-577.4(b)-first")
def test_a_player_who_accepts_the_dice_or_whose_wager_was_missed_takes_the_seat(table):
    offer(table, 6, accepted=True)
    assert taken(table) == [6]
    table.place((6, "touchdown", 500))
    table.act("throw_dice")
    table.act("call_dice", {"dice": [6, 5, 1]})
    missed = {"seat": 8, "wager": "touchdown", "cents": 500, "reason": "under a chip"}
    table.act("record_missed_wager", missed, by="floorperson", witness="dealer")
    assert taken(table) == [6, 8]


@clause("PA-577.4(b)-next")
def test_a_quarterback_who_leaves_between_two_games_has_the_dice_no_longer(table):
    table.place((3, "touchdown", 500), (5, "touchdown", 500))
    offer(table, 3, accepted=True)
    table.act("void_round", {"reason": "dispute"}, by="floorperson")
    assert (table.round, table.fresh.quarterback) == (None, 3)
    table.act("return_wagers", {"round": 1})
    table.act("free_seat", {"seat": 3})
    assert (table.fresh.quarterback, offered(table)) == (None, 5)


def test_a_seat_is_kept_through_a_game_without_a_wager_and_open_after_the_table_closed(table):
    table.place((3, "touchdown", 500))
    table.act("void_round", {"reason": "dispute"}, by="floorperson")
    table.place((5, "touchdown", 500))
    table.act("void_round", {"reason": "dispute"}, by="floorperson")
    assert taken(table) == [3, 5]
    table.close()
    assert taken(table) == []


def test_at_sic_bo_a_seat_is_taken_until_a_round_without_its_wager_ends(scene):
    scene.place((1, "small", 1_000), (4, "big", 1_000))
    assert taken(scene) == [1, 4]
    scene.play((2, "small", 1_000), dice=[1, 1, 2])
    scene.finish()
    scene.play((2, "small", 1_000), (4, "big", 1_000), dice=[1, 1, 2])
    assert taken(scene) == [1, 2, 4]
    scene.finish()
    assert taken(scene) == [2, 4]
    for cents in (1_000, 0):
        scene.place((3, "small", cents))
    scene.act("void_round", {"reason": "dispute"}, by="floorperson")
    assert taken(scene) == [2, 3, 4], "nobody has played since"


def state(scene: Scene, seat: int) -> str:
    return scene.snapshot["round"]["seats"][seat - 1]["state"]


def marked(scene: Scene, seat: int, mark: str) -> None:
    scene.act("mark_seat", {"seat": seat, "mark": mark})


@clause("PA-577.4(b)-next")
def test_a_player_who_is_away_keeps_the_seat_and_is_not_offered_the_dice(table):
    for seat in (4, 9):
        table.act("seat_player", {"seat": seat})
    table.place((4, "touchdown", 500))
    marked(table, 4, "away")
    assert (table.entry["_type"], table.entry["data"]) == ("seat.marked", {"seat": 4, "mark": "away"})
    assert (taken(table), state(table, 4), offered(table)) == ([4, 9], "away", 9)
    marked(table, 4, "here")
    assert (state(table, 4), offered(table)) == ("playing", 4)
    marked(table, 4, "away")
    offer(table, 9, accepted=True)
    with table.refused("seat-holds-the-dice"):
        marked(table, 9, "away")
    with table.refused("seat-is-open"):
        marked(table, 5, "away")


def test_a_player_who_is_away_comes_back_by_a_wager_and_plays_for_new_limits(scene):
    for seat in (1, 2):
        scene.place((seat, "small", 1_000))
    marked(scene, 2, "away")
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [1, 1, 2]})
    scene.finish()
    scene.play((1, "small", 1_000), dice=[1, 1, 2])
    scene.finish()
    assert (taken(scene), state(scene, 2)) == ([1, 2], "away"), "kept through a round without a wager"
    now = {"min_cents": 2_500, "max_cents": 200_000, "nobody_plays": True, "left": [1]}
    with scene.refused("somebody-plays"):
        scene.act("change_limits", now, by="floorperson")
    scene.place((2, "small", 1_000))
    assert (state(scene, 2), scene.fresh.seat_marks) == ("playing", {})
    marked(scene, 2, "away")
    scene.act("void_round", {"reason": "dispute"}, by="floorperson")
    scene.close()
    assert (taken(scene), scene.fresh.seat_marks) == ([], {})


@clause("PA-675a.2(c)-remain")
def test_at_high_roll_a_player_is_away_only_without_a_wager_and_keeps_the_seat(db):
    scene = make_scene("pa-675a")
    scene.place((3, "pip:3", 1_000))
    for absence in ("away", "left"):
        with scene.refused("seat-has-a-wager", "58 Pa. Code § 675a.2(c)"):
            marked(scene, 3, absence)
    marked(scene, 2, "away")
    scene.act("void_round", {"reason": "dispute"}, by="floorperson")
    assert (2 in taken(scene), state(scene, 2)) == (True, "away")


@pytest.mark.parametrize(("rules", "wager"), [("pa-625a/A", "small"), ("pa-577", "touchdown")])
def test_a_player_who_left_wagers_behind_leaves_the_seat_free_after_the_round(db, rules, wager):
    scene = make_scene(rules)
    scene.place((3, wager, 1_000))
    with scene.refused("seat-has-a-wager"):
        scene.act("free_seat", {"seat": 3})
    marked(scene, 3, "left")
    assert (3 in taken(scene), state(scene, 3)) == (True, "left")
    scene.act("void_round", {"reason": "dispute"}, by="floorperson")
    assert (3 in taken(scene), state(scene, 3), scene.fresh.seat_marks) == (False, "open", {})


def test_at_sic_bo_a_player_who_left_without_a_wager_frees_the_seat_at_once(scene):
    scene.place((1, "small", 1_000), (2, "small", 1_000))
    scene.place((2, "small", 0))
    with scene.refused("seat-has-no-wager"):
        marked(scene, 2, "left")
    scene.act("free_seat", {"seat": 2})
    assert (taken(scene), state(scene, 2)) == ([1], "open")


@clause("PA-521.8(c)(1)")
def test_a_player_without_a_wager_plays_until_the_floor_records_the_seat_as_left(table):
    for seat in (4, 9):
        table.act("seat_player", {"seat": seat})
    now = {"min_cents": 2_500, "max_cents": 200_000, "nobody_plays": True}
    for left in ([], [4]):
        with table.refused("somebody-plays", "58 Pa. Code § 521.8(c)(1)"):
            table.act("change_limits", {**now, "left": left}, by="floorperson")
    table.act("change_limits", {**now, "left": [4, 9]}, by="floorperson")
    assert (table.entry["data"]["left"], taken(table)) == ([4, 9], [])
