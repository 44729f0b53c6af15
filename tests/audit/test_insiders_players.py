"""What somebody inside who works for a player tries with the players on file, what stops them, and who is told.

Whose rounds were whose decides what a player is given, and an exclusion who may sit down. Names and letters are for
the casino's own people.
"""

import datetime as dt
import io
import json
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.db.utils import ProgrammingError
from django.utils import timezone

from audit import verification
from audit.management.commands import provision_roles
from audit.models import Entry, LegalHold, Person
from games.jurisdictions import jurisdiction
from games.separation import policy
from tables.figures.player_figures import figures_of
from tables.models import Assignment, Pit, Player, PlayerDetails, Rating
from tables.players.record_checks import check_players
from tests.tables.cast import PIN, Scene, make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def players_scene() -> Scene:
    """A table, and a floorperson of another pit."""
    scene = make_scene()
    facility = scene.table.facility
    pit = Pit.objects.create(facility=facility, code="p9", name="Another pit")
    person = Person.objects.create_person(
        "of-another-pit", PIN, name="Of Another Pit", role="floorperson", department="table-games"
    )
    Assignment.objects.create(person=person, facility=facility, pit=pit, started_at="2020-01-01T00:00Z")
    scene.people[person.code] = person
    return scene


def players_registered(scene: Scene, name: str) -> str:
    return str(scene.in_room("register_player", {"name": name}, by="floorperson").body["player"])


def players_rated(scene: Scene, name: str) -> tuple[str, int]:
    """A player of this name who played one round of $20 at seat 1: the code, and the rating, which has ended."""
    code = players_registered(scene, name)
    scene.place((1, "small", 2_000))
    rating = scene.act("start_rating", {"seat": 1, "player": code}, by="floorperson").body["rating"]
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [1, 1, 2]})
    scene.finish()
    scene.act("end_rating", {"seat": 1}, by="floorperson")
    return code, int(rating)


def players_handle(*codes: str) -> int:
    rows = list(Rating.objects.filter(player__code__in=codes))
    return figures_of(rows, timezone.now()).handle_cents if rows else 0


def players_listed(scene: Scene) -> str:
    """The page of players, as compliance reads it."""
    address = f"/floor/{scene.table.facility.code}/players/"
    return scene.browser("podium", "compliance").get(address).content.decode()


def players_newest() -> dict[str, Any]:
    return json.loads(bytes(Entry.objects.filter(stream__name="larkfield/players").latest("seq").body))


def players_proven() -> None:
    assert list(check_players(lambda: None)) == [] and verification.verify().good


def test_a_floorperson_does_not_give_a_friend_the_play_of_another_player() -> None:
    """He merges a good customer into his friend, or moves the customer's rounds there.

    It needs two people, their own tables and a day's time; compliance signs for anything else. Who did it stands among
    the changes on the page of players, and the way back is open.
    """
    scene = players_scene()
    customer, rating = players_rated(scene, "A Customer")
    friend = players_registered(scene, "A Friend")
    merge = {"player": customer, "into": friend}
    split = {"rating": rating, "player": friend, "round": 1}
    for act, params in (("merge_players", merge), ("split_rating", split)):
        with scene.refused("second-person-must-sign"):
            scene.in_room(act, params, by="floorperson")
        with scene.refused("second-person-must-sign"):
            scene.in_room(act, params, by="floorperson", witness="of-another-pit")
        with scene.refused("rating-of-another-table"):
            scene.in_room(act, params, by="of-another-pit", witness="pit-manager")
        with scene.refused("role-may-not"):
            scene.in_room(act, params, by="security", witness="pit-manager")
    now = timezone.now()
    with scene.tried():
        Rating.objects.filter(pk=rating).update(
            started_at=now - dt.timedelta(hours=30), ended_at=now - dt.timedelta(hours=25)
        )
        for act, params in (("merge_players", merge), ("split_rating", split)):
            with scene.refused("rating-too-old"):
                scene.in_room(act, params, by="floorperson", witness="pit-manager")
        scene.in_room("split_rating", split, by="floorperson", witness="compliance")
    assert (players_handle(customer), players_handle(friend)) == (2_000, 0)
    players_proven()


def test_two_who_merge_a_customer_into_a_friend_are_named_and_it_is_undone() -> None:
    """Floorperson and pit manager work together: compliance reads both names, and takes the merger back."""
    scene = players_scene()
    customer, _rating = players_rated(scene, "A Customer")
    friend = players_registered(scene, "A Friend")
    scene.in_room(
        "merge_players", {"player": customer, "into": friend}, by="floorperson", witness="pit-manager"
    )
    entry = players_newest()
    assert (entry["_type"], entry["actor"], entry["witness"]) == (
        "players.merged",
        "floorperson",
        "pit-manager",
    )
    page = players_listed(scene)
    assert f"{customer} is the same person as {friend}" in page and "Floorperson, with Pit Manager" in page
    with scene.refused("second-person-must-sign"):
        scene.in_room("unmerge_players", {"player": customer}, by="compliance")
    scene.in_room("unmerge_players", {"player": customer}, by="compliance", witness="shift-manager")
    assert Player.objects.get(code=customer).merged_into is None
    assert players_newest()["data"] == {"player": customer, "out_of": friend}
    assert f"{customer} is not the same person as {friend}" in players_listed(scene)
    with scene.refused("player-not-merged"):
        scene.in_room("unmerge_players", {"player": customer}, by="compliance", witness="shift-manager")
    scene.place((1, "small", 500))
    scene.act("start_rating", {"seat": 1, "player": customer}, by="floorperson")
    players_proven()


def test_rounds_that_were_moved_to_a_friend_are_moved_back() -> None:
    scene = players_scene()
    customer, rating = players_rated(scene, "A Customer")
    friend = players_registered(scene, "A Friend")
    split = {"rating": rating, "player": friend, "round": 1}
    scene.in_room("split_rating", split, by="floorperson", witness="pit-manager")
    assert (players_handle(customer), players_handle(friend)) == (0, 2_000)
    back = {"rating": rating, "player": customer, "round": 1}
    scene.in_room("split_rating", back, by="compliance", witness="pit-manager")
    assert (players_handle(customer), players_handle(friend)) == (2_000, 0)
    players_proven()


def test_a_guard_does_not_let_an_excluded_player_in() -> None:
    """He lifts the self-exclusion of a friend, or excludes somebody he dislikes: compliance alone does either."""
    scene = players_scene()
    code = players_registered(scene, "A Friend")
    scene.in_room("exclude_player", {"player": code, "reason": "self"}, by="compliance")
    for by in ("security", "shift-manager", "surveillance", "games-administrator"):
        for act, params in (
            ("admit_player", {}),
            ("exclude_player", {"reason": "house"}),
            ("erase_player", {}),
        ):
            with scene.refused("role-may-not"):
                scene.in_room(act, {"player": code, **params}, by=by)
    scene.people["compliance"].department = "table-games"
    with scene.refused("may-not-prepare"):
        scene.in_room("admit_player", {"player": code}, by="compliance")
    assert Player.objects.get(code=code).exclusion == "self"


def test_an_exclusion_is_neither_made_nor_shed_by_a_merger() -> None:
    """The floor excludes nobody by a merger, and no code comes out of a merger without the exclusion of both."""
    scene = players_scene()
    friend, other = (players_registered(scene, name) for name in ("A Friend", "Another"))
    scene.in_room("merge_players", {"player": friend, "into": other}, by="floorperson", witness="pit-manager")
    scene.in_room("exclude_player", {"player": other, "reason": "list"}, by="compliance")
    with scene.refused("excluded-code"):
        scene.in_room("unmerge_players", {"player": friend}, by="floorperson", witness="pit-manager")
    scene.in_room("unmerge_players", {"player": friend}, by="floorperson", witness="compliance")
    assert set(Player.objects.values_list("exclusion", flat=True)) == {"list"}
    assert players_newest()["data"]["exclusions"] == {friend: "list"}
    third = players_registered(scene, "A Third")
    for merge in ({"player": third, "into": other}, {"player": other, "into": third}):
        with scene.refused("excluded-code"):
            scene.in_room("merge_players", merge, by="floorperson", witness="pit-manager")
    assert Player.objects.get(code=third).exclusion == ""
    players_proven()


def test_nobody_erases_a_player_whom_a_legal_hold_covers() -> None:
    """An investigation asks for a player; somebody in compliance erases them first. The hold of any code counts."""
    scene = players_scene()
    kept, merged = (players_registered(scene, name) for name in ("Quentin", "Quentin again"))
    scene.in_room("merge_players", {"player": merged, "into": kept}, by="floorperson", witness="pit-manager")
    now = timezone.now()
    hold = LegalHold.objects.create(
        facility="larkfield",
        number=1,
        reason="Letter of the Board",
        kinds=["players"],
        placed_by=scene.people["compliance"],
        placed_at=now,
    )
    with scene.refused("player-is-held"):
        scene.in_room("erase_player", {"player": kept}, by="compliance")
    assert PlayerDetails.objects.count() == 2
    for free in (
        {"kinds": ["exports"]},
        {"last_day": now.date() - dt.timedelta(days=3)},
        {"until": now.date() - dt.timedelta(days=3)},
        {"facility": "seabright"},
        {"released_at": now, "released_by": scene.people["compliance"]},
    ):
        with scene.tried():
            LegalHold.objects.filter(pk=hold.pk).update(**free)
            scene.in_room("erase_player", {"player": kept}, by="compliance")
            assert PlayerDetails.objects.count() == 0, free


def test_a_jurisdiction_may_ask_for_a_second_person_where_the_practice_asks_for_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = players_scene()
    code = players_registered(scene, "A Friend")
    row = {
        "title": "Exclusions of players",
        "covers": "that nobody may seat a player",
        "control": "signature",
        "prepare": {"security": "security"},
        "approve": {"compliance": "compliance"},
        "told": [],
        "hours": 0,
    }
    rows = policy.read_separation({"exclusions": row})
    monkeypatch.setitem(jurisdiction("PA").separation, "exclusions", rows["exclusions"])
    exclude = {"player": code, "reason": "self"}
    with scene.refused("may-not-prepare"):
        scene.in_room("exclude_player", exclude, by="compliance")
    assert policy.may_prepare(rows["exclusions"], scene.people["security"])
    malformed: list[dict[str, Any]] = [
        {"control": "change", "hours": 2},
        {"approve": {}},
        {"control": "alone"},
    ]
    for wrong in malformed:
        with pytest.raises(ValueError, match=r"separation\.exclusions"):
            policy.read_separation({"exclusions": {**row, **wrong}})


@pytest.mark.postgres
def test_the_login_of_the_auditor_reads_no_name_card_salt_or_letter() -> None:
    """A tool of surveillance has a read-only login. It counts players and letters, and reads none of their words."""
    connection.check_constraints()
    call_command("provision_roles", stdout=io.StringIO())
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL ROLE {provision_roles.AUDITOR}")
        cursor.execute("SELECT count(player_id) FROM tables_playerdetails")
        cursor.execute("SELECT count(id), max(sha256) FROM tables_caseletter")
        cursor.execute("SELECT count(id), max(sha256) FROM tables_casedocument")
        for table, column in (
            ("tables_playerdetails", "name"),
            ("tables_playerdetails", "card"),
            ("tables_playerdetails", "salt"),
            ("tables_playerdetails", "*"),
            ("tables_caseletter", "addressee"),
            ("tables_caseletter", "findings"),
            ("tables_casedocument", "content"),
        ):
            with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
                cursor.execute(f"SELECT {column} FROM {table}")
