"""Rated players: exact figures of their seats alone, mistaken records, erasure, exclusions and refused seats."""

import datetime as dt
import json
from fractions import Fraction

import pytest
from django.core.management import call_command
from django.db import connection

from audit import verification
from audit.columns import check_columns
from audit.models import Command, Entry
from games.exposure import advantages
from games.submissions import rules_of
from tables.figures.round_figures import figures_of_rating, figures_of_rounds, sum_of_ratings
from tables.models import Alert, Player, PlayerDetails, Rating, Round, Table
from tables.players.record_checks import MODELS, check_players
from tables.players.register import keyed_hash
from tests.services.restore import columns_of, filled_tables, literals
from tests.tables import slip_scene
from tests.tables.cast import Scene, newest_of_an_act

pytestmark = pytest.mark.django_db
NAME, CARD = "Quentin Larkspur-Vane", "CLUB-55512345"


def register(scene: Scene, name: str = NAME, card: str = CARD) -> str:
    params = {"name": name, "card": card}
    return str(scene.in_room("register_player", params, by="floorperson").body["player"])


def rate(scene: Scene, code: str, seat: int = 1, **more: object) -> int:
    params = {"seat": seat, "player": code, **more}
    return int(scene.act("start_rating", params, by="floorperson").body["rating"])


def play(scene: Scene, *wagers: tuple[int, str, int], dice: list[int]) -> None:
    scene.play(*wagers, dice=dice)
    scene.finish()


def edge(code: str) -> Fraction:
    return advantages(rules_of(Round.objects.latest("pk").submission))[code]


def figures(*ratings: int):
    rows = list(Rating.objects.filter(pk__in=ratings))
    now = rows[0].started_at + dt.timedelta(hours=2)
    return sum_of_ratings(figures_of_rating(row, now) for row in rows)


def all_rows() -> str:
    return "\n".join(str(literals(name, columns_of(name))) for name in filled_tables(connection))


@pytest.fixture
def rated(scene) -> tuple[Scene, str, int]:
    """A player at seat 1, whom the floor rates after the first round."""
    play(scene, (1, "small", 1_000), dice=[1, 1, 2])
    code = register(scene)
    rating = rate(scene, code)
    return scene, code, rating


def test_figures_are_those_of_the_rated_rounds_of_the_seat(rated):
    scene, _code, rating = rated
    play(scene, (1, "small", 2_000), (2, "big", 50_000), dice=[1, 1, 2])
    play(scene, (1, "big", 3_000), (1, "total:12", 500), dice=[1, 1, 2])
    play(scene, (2, "big", 2_500), dice=[4, 5, 6])
    scene.act("end_rating", {"seat": 1}, by="floorperson")
    play(scene, (1, "small", 70_000), dice=[1, 1, 2])
    row = Rating.objects.get(pk=rating)
    assert (row.first_round, row.last_round) == (2, 4)
    rated_figures = figures(rating)
    assert (rated_figures.rounds, rated_figures.sums.handle_cents) == (2, 5_500)
    assert (rated_figures.sums.taken_cents, rated_figures.sums.paid_cents, rated_figures.sums.win_cents) == (
        3_500,
        2_000,
        1_500,
    )
    assert rated_figures.theoretical_cents == 2_000 * edge("small") + 3_000 * edge("big") + 500 * edge(
        "total:12"
    )
    assert {code: (figures.count, figures.cents) for code, figures in rated_figures.by_code.items()} == {
        "small": (1, 2_000),
        "big": (1, 3_000),
        "total:12": (1, 500),
    }


def test_a_corrected_round_counts_as_it_was_settled_last(rated):
    scene, _code, rating = rated
    scene.play((1, "small", 2_000), dice=[4, 5, 6])
    scene.act("correct_dice", {"dice": [1, 1, 2], "reason": "misread"}, witness="floorperson")
    scene.finish()
    assert (figures(rating).sums.taken_cents, figures(rating).sums.paid_cents) == (0, 2_000)


def test_a_slip_that_is_filed_later_counts_as_in_the_figures_of_the_table(rated):
    scene, _code, rating = rated
    play(scene, (1, "small", 2_000), dice=[4, 5, 6])
    play(scene, (1, "big", 1_000), (1, "total:12", 500), dice=[1, 1, 2])
    play(scene, (1, "big", 700), dice=[1, 1, 2])
    assert (figures(rating).sums.taken_cents, figures(rating).sums.paid_cents) == (4_200, 0)
    slip_scene.file(scene, "dice", number=2, dice=[1, 1, 2])
    missed = {"seat": 1, "wager": "small", "cents": 3_000, "chips": "house"}
    slip_scene.file(scene, "wager", number=3, wagers=[missed])
    slip_scene.file(scene, "void", number=4, witness="pit-manager")
    rows = list(figures_of_rounds(scene.fresh, 2, 4))
    assert [(row.round, row.has_slip) for row in rows] == [(2, True), (3, True)]
    player = figures(rating)
    assert (player.rounds, player.sums.handle_cents, player.sums.taken_cents, player.sums.paid_cents) == (
        2,
        6_500,
        1_500,
        5_000,
    )
    assert player.sums.win_cents == sum(row.win_cents for row in rows)
    assert player.sums.handle_cents == sum(row.handle_cents for row in rows)
    assert player.theoretical_cents == sum(row.expected_win or 0 for row in rows) > 0


def test_the_round_in_play_counts_once_where_one_player_follows_another(scene):
    scene.place((1, "small", 1_000))
    first, second = register(scene), register(scene, "Another", "")
    rating = rate(scene, first)
    scene.act("end_rating", {"seat": 1}, by="floorperson")
    with scene.refused("rated-in-this-round"):
        rate(scene, second)
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [1, 1, 2]})
    scene.finish()
    play(scene, (1, "small", 700), dice=[1, 1, 2])
    follower = rate(scene, second)
    assert figures(rating).sums.handle_cents == 1_000
    assert Rating.objects.get(pk=follower).first_round == 3


def test_two_seats_of_one_player_count_their_time_once(rated):
    scene, code, rating = rated
    scene.place((2, "big", 500), (1, "small", 500))
    other = rate(scene, code, 2)
    Rating.objects.filter(pk__in=(rating, other)).update(started_at=Round.objects.latest("pk").opened_at)
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [1, 1, 2]})
    scene.finish()
    rated_figures = figures(rating, other)
    assert (rated_figures.rounds, rated_figures.sums.handle_cents, rated_figures.time) == (
        1,
        1_000,
        dt.timedelta(hours=2),
    )
    assert rated_figures.rounds_an_hour == Fraction(1, 2)


def test_a_change_of_seat_is_one_entry_and_links_both_ratings(rated):
    scene, code, rating = rated
    play(scene, (1, "small", 500), (4, "big", 500), dice=[1, 1, 2])
    scene.act("move_rating", {"seat": 1, "to_seat": 4}, by="floorperson")
    moved = Rating.objects.latest("pk")
    assert (moved.seat, moved.moved_from_id, moved.first_round) == (4, rating, 3)
    assert newest_of_an_act(scene.table.stream.name).type == "rating.moved" and scene.fresh.rated_seats == {
        "4": code
    }


def test_rounds_that_were_another_players_go_there(rated):
    scene, code, rating = rated
    play(scene, (1, "small", 500), dice=[1, 1, 2])
    play(scene, (1, "small", 800), dice=[1, 1, 2])
    scene.act("end_rating", {"seat": 1}, by="floorperson")
    other = register(scene, "Another", "")
    answer = scene.in_room(
        "split_rating",
        {"rating": rating, "player": other, "round": 3},
        by="floorperson",
        witness="pit-manager",
    )
    assert figures(rating).sums.handle_cents == 500
    assert figures(int(answer.body["rating"])).sums.handle_cents == 800
    scene.in_room("merge_players", {"player": other, "into": code}, by="floorperson", witness="pit-manager")
    with scene.refused("player-is-merged"):
        rate(scene, other)


def test_after_erasing_nothing_in_the_database_leads_to_the_person(rated, capsys):
    scene, code, _rating = rated
    scene.act("end_rating", {"seat": 1}, by="floorperson")
    details = PlayerDetails.objects.get(player__code=code)
    registered = Entry.objects.get(type="player.registered")
    assert keyed_hash("bellweather", details).encode() not in bytes(registered.body)
    assert keyed_hash(scene.table.facility.code, details).encode() in bytes(registered.body)
    assert NAME.encode() not in b"".join(bytes(entry.body) for entry in Entry.objects.all())
    command = Command.objects.get(seq=registered.seq, stream=registered.stream)
    assert NAME in all_rows() and NAME not in str(command.answer)
    scene.in_room("erase_player", {"player": code}, by="compliance")
    for words in (NAME, CARD, details.salt, "Larkspur"):
        assert words not in all_rows()
    with scene.refused("player-is-erased"):
        rate(scene, code)
    call_command("verify_record")
    assert "differ" not in capsys.readouterr().out


def test_names_are_shown_to_who_recorded_reading_them(rated):
    scene, code, _rating = rated
    play(scene, (1, "total:12", 500), dice=[1, 1, 2])
    page = f"/floor/{scene.table.facility.code}/players/{code}/"
    browser = scene.browser("podium", signed_in="floorperson")
    anonymous = browser.get(page).content.decode()
    assert NAME not in anonymous
    assert "<td>Total 12</td>" in anonymous and "total:12" not in anonymous  # named as on the layout
    scene.in_room("read_player", {"player": code}, by="floorperson")
    assert NAME in browser.get(page).content.decode()
    entry = Entry.objects.get(type="player.read")
    assert (entry.actor, NAME.encode() in bytes(entry.body)) == ("floorperson", False)
    listed = browser.get(f"/floor/{scene.table.facility.code}/players/").content.decode()
    assert code in listed and NAME not in listed
    assert code in browser.get(f"/floor/{scene.table.stream.name}/").content.decode()
    assert code not in browser.get(f"/floor/{scene.table.stream.name}/sign/").content.decode()
    assert code not in browser.get(f"/floor/{scene.table.stream.name}/console").content.decode()


def test_a_player_is_found_by_card_without_the_card_on_record(rated):
    scene, code, _rating = rated
    assert scene.in_room("find_player", {"card": CARD}, by="floorperson").body["player"] == code
    assert CARD.encode() not in bytes(Entry.objects.get(type="player.found").body)
    with scene.refused("no-such-card"):
        scene.in_room("find_player", {"card": "X"}, by="floorperson")
    with scene.refused("card-is-on-file"):
        register(scene, "Another")


def test_an_excluded_player_is_not_seated_and_not_erased(rated):
    scene, code, _rating = rated
    scene.act("end_rating", {"seat": 1}, by="floorperson")
    scene.in_room("exclude_player", {"player": code, "reason": "self"}, by="compliance")
    with scene.refused("player-is-excluded"):
        rate(scene, code)
    with scene.refused("exclusion-stands"):
        scene.in_room("erase_player", {"player": code}, by="compliance")
    scene.in_room("admit_player", {"player": code}, by="compliance")
    assert Player.objects.get(code=code).exclusion == "" and rate(scene, code)


def test_an_exclusion_holds_for_the_code_into_which_it_is_merged(rated):
    scene, code, _rating = rated
    scene.act("end_rating", {"seat": 1}, by="floorperson")
    excluded = register(scene, "Another", "")
    scene.in_room("exclude_player", {"player": excluded, "reason": "list"}, by="compliance")
    scene.in_room("merge_players", {"player": excluded, "into": code}, by="floorperson", witness="compliance")
    with scene.refused("player-is-excluded"):
        rate(scene, code)


def test_an_exclusion_ends_what_is_rated_at_once_and_alerts_the_floor(rated):
    scene, code, rating = rated
    scene.place((1, "small", 500), (2, "big", 700))
    other = rate(scene, code, 2)
    answer = scene.in_room("exclude_player", {"player": code, "reason": "list"}, by="compliance")
    assert answer.affected_table_ids == (scene.table.pk,)
    assert scene.fresh.rated_seats == {}
    rows = Rating.objects.filter(pk__in=(rating, other))
    assert {row.last_round for row in rows if row.ended_at} == {2}, "the round in play has their wagers"
    ended = Entry.objects.filter(stream=scene.table.stream, type="rating.ended")
    assert [json.loads(bytes(entry.body))["data"]["by"] for entry in ended] == ["exclusion"] * 2
    assert {entry.actor for entry in ended} == {"compliance"}
    alerts = Alert.objects.filter(kind="excluded-player", ended_at=None)
    assert [alert.params["seat"] for alert in alerts.order_by("pk")] == [1, 2]
    tablet = scene.browser("tablet", "dealer").get(f"/floor/{scene.table.stream.name}/console")
    assert code not in tablet.content.decode()
    assert findings() == set() and verification.verify().good


def test_a_code_that_turns_out_to_be_an_excluded_persons_is_rated_no_longer(rated):
    scene, code, rating = rated
    excluded = register(scene, "Another", "")
    scene.in_room("exclude_player", {"player": excluded, "reason": "self"}, by="compliance")
    scene.in_room("merge_players", {"player": excluded, "into": code}, by="floorperson", witness="compliance")
    assert Rating.objects.get(pk=rating).ended_at is not None and findings() == set()


def test_a_refused_seat_takes_no_wager_until_it_is_lifted(scene):
    scene.place((3, "small", 500))
    scene.act("refuse_seat", {"seat": 3, "reason": "conduct"}, by="floorperson")
    with scene.refused("seat-is-refused"):
        scene.place((3, "big", 500))
    scene.place((2, "big", 500))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [1, 1, 2]})
    scene.finish()
    assert Round.objects.get(number=1).paid_cents == 500, "what lay there is settled"
    scene.act("allow_seat", {"seat": 3}, by="floorperson")
    scene.place((3, "big", 500))


def test_a_rating_ends_with_the_table(rated):
    scene, _code, rating = rated
    scene.close()
    assert Rating.objects.get(pk=rating).ended_at is not None and scene.fresh.rated_seats == {}
    assert Entry.objects.filter(stream=scene.table.stream, type="rating.ended").exists()


def findings() -> set[tuple[str, str | None]]:
    found = (*check_columns(lambda: None, MODELS), *check_players(lambda: None))
    return {(finding.code, finding.where.get("column")) for finding in found}


@pytest.fixture
def mistaken(rated) -> Scene:
    """Three players; a rating that was split, one that was moved and runs, a merged code, and a refused seat."""
    scene, _code, rating = rated
    for cents in (500, 800):
        play(scene, (1, "small", cents), (4, "big", 500), dice=[1, 1, 2])
    scene.act("move_rating", {"seat": 1, "to_seat": 4}, by="floorperson")
    second, third = register(scene, "Another", ""), register(scene, "A third", "")
    scene.in_room(
        "split_rating",
        {"rating": rating, "player": second, "round": 3},
        by="floorperson",
        witness="pit-manager",
    )
    scene.in_room("exclude_player", {"player": third, "reason": "self"}, by="compliance")
    scene.in_room("merge_players", {"player": third, "into": second}, by="floorperson", witness="compliance")
    scene.act("refuse_seat", {"seat": 3, "reason": "conduct"}, by="floorperson")
    return scene


def test_a_verification_finds_a_rating_or_seat_that_the_record_does_not_state(mistaken):
    scene = mistaken
    assert findings() == set()
    first, moved, split = Rating.objects.order_by("pk")
    rows, table = Rating.objects.filter(pk=first.pk), Table.objects.filter(pk=scene.table.pk)
    early = first.started_at - dt.timedelta(hours=1)
    changes = {
        "player": lambda: rows.update(player=split.player),
        "seat": lambda: rows.update(seat=5),
        "started_at": lambda: rows.update(started_at=early),
        "ended_at": lambda: rows.update(ended_at=early),
        "first_round": lambda: rows.update(first_round=1),
        "last_round": lambda: rows.update(last_round=3),
        "moved_from": lambda: Rating.objects.filter(pk=moved.pk).update(moved_from=None),
    }
    columns = {
        "rated seats": lambda: table.update(rated_seats={}),
        "refused seats": lambda: table.update(refused_seats=[]),
    }
    unnoticed = []
    for code, more in (("rating-differs", changes), ("seats-differ", columns)):
        for column, change in more.items():
            with scene.tried():
                change()
                if findings() != {(code, column)}:
                    unnoticed.append(column)
    assert unnoticed == []
    with scene.tried():
        Rating.objects.filter(pk=split.pk).update(seat=5)
        (finding,) = check_columns(lambda: None, MODELS)
        by_entry = Entry.objects.get(type="rating.split")
        assert (finding.where["stream"], finding.where["seq"]) == (by_entry.stream.name, by_entry.seq)
    with scene.tried():
        Rating.objects.filter(pk=split.pk).delete()
        assert findings() == {("rating-without-row", None)}
    with scene.tried():
        split.pk, split.seat = None, 6
        split.save()
        assert findings() == {("rating-without-entry", None)}


def test_a_verification_finds_a_player_whom_the_record_does_not_state(mistaken):
    scene = mistaken
    first, second, third = Player.objects.order_by("pk")
    rows, excluded = Player.objects.filter(pk=first.pk), Player.objects.filter(pk=second.pk)
    details = PlayerDetails.objects.filter(player=first)
    changes = {
        ("player-differs", "added_at"): lambda: rows.update(added_at=first.added_at - dt.timedelta(1)),
        ("player-differs", "exclusion"): lambda: excluded.update(exclusion=""),
        ("player-differs", "merged_into"): lambda: Player.objects.filter(pk=third.pk).update(
            merged_into=first
        ),
        ("player-differs", "erased_at"): lambda: rows.update(erased_at=first.added_at),
        ("player-differs", "has_details"): details.delete,
        ("player-data-differ", None): lambda: details.update(name="Somebody Else"),
    }
    unnoticed = []
    for finding, change in changes.items():
        with scene.tried():
            change()
            if findings() != {finding}:
                unnoticed.append(finding)
    assert unnoticed == []
    with scene.tried():
        Player.objects.create(facility=first.facility, code="P-000000", added_at=first.added_at)
        assert findings() == {("player-without-entry", None)}
