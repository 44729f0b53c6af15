"""The floor plan: every table has its place and its game's shape, and a lens changes its color and one line."""

import contextlib
import json
from io import StringIO
from itertools import combinations
from math import hypot
from types import MappingProxyType
from unittest import mock

import pytest
from django.core.management import CommandError, call_command

from audit.models import Entry
from games import registry
from games.engine import Refusal
from games.models import Facility
from tables.screens import fragments, screen_data
from tables.screens.floor_data import LockedTileData, TileData
from tables.screens.floor_plan import PitOnFloor, floor_plan, shape_of
from tests.tables.cast import PIN, make_scene

GAMES = ("sic-bo", "high-roll", "football")


def tables(count, game="sic-bo", first=1):
    return [(f"T-{number:02}", game) for number in range(first, first + count)]


def pit(number, tables_of_pit, places=MappingProxyType({})):
    return PitOnFloor(f"p{number}", f"Pit {number}", tables_of_pit, places)


def item(row, code="", landmark=""):
    return {"row": row, "pit": code, "landmark": landmark}


def places_of(plan):
    return {table.code: (table.x, table.y, table.is_turned) for pit in plan.pits for table in pit.tables}


@pytest.mark.parametrize("counts", [(1,), (3, 4, 3), (8, 8, 8), (1, 2, 40)])
def test_no_table_covers_another_and_all_are_on_the_plan(counts):
    pits = [
        pit(number, tables(count, game, 1 + 50 * number))
        for number, (count, game) in enumerate(zip(counts, GAMES[: len(counts)], strict=True))
    ]
    plan = floor_plan(pits)
    places = places_of(plan)
    assert len(places) == sum(counts)
    widths = {code: shape_of(game).width for of_pit in pits for code, game in of_pit.tables}
    for (code, (x, y, _)), (other, (other_x, other_y, _)) in combinations(places.items(), 2):
        apart = abs(x - other_x) - (widths[code] + widths[other]) / 2
        assert apart >= 18 or abs(y - other_y) >= 120, (code, other)
    assert plan.is_large is plan.is_scrolled is (max(counts) > 8)
    assert all(0 < x < plan.width and 0 < y < plan.height for x, y, _ in places.values())


def test_the_state_of_fifty_tables_in_eight_pits_fits_a_screen():
    games = ("sic-bo", "sic-bo", "high-roll", "sic-bo", "sic-bo", "high-roll", "football", "sic-bo")
    pits = [pit(i, tables(8 if i > 2 else 3, game, 10 * i)) for i, game in enumerate(games)]
    plan = floor_plan(pits)
    assert (plan.is_large, plan.is_scrolled) == (True, False)


def test_a_declared_place_is_kept_and_the_others_follow_in_order():
    declared = {"T-03": [1, 1], "T-04": [1, 1], "T-09": [2, 2]}  # two for one place, and a table that is gone
    places = places_of(floor_plan([pit(1, tables(4), declared)]))
    left, right = sorted({x for x, _, _ in places.values()})
    assert {code: (x, is_turned) for code, (x, _, is_turned) in places.items()} == {
        "T-04": (left, False),
        "T-01": (right, False),
        "T-02": (left, True),
        "T-03": (right, True),
    }


def test_an_arranged_plan_has_a_spare_column_and_every_table_at_a_spot():
    (drawn,) = floor_plan([pit(1, tables(3))], spare_columns=1).pits
    assert [(spot.row, spot.column) for spot in drawn.spots] == [
        (1, 1),
        (1, 2),
        (1, 3),
        (2, 1),
        (2, 2),
        (2, 3),
    ]
    assert {(table.x, table.y) for table in drawn.tables} <= {(spot.x, spot.y) for spot in drawn.spots}
    assert all(spot.x < drawn.x + drawn.width for spot in drawn.spots)


def test_pits_and_landmarks_stand_in_their_declared_rows_and_other_pits_below():
    pits = [pit(number, tables(3, first=10 * number)) for number in (1, 2, 3)]
    declared = [
        item(2, landmark="Cage"),
        item(2, landmark="Podium"),
        item(1, "p3"),
        item(5, "p1"),
        item(5, "p9"),
    ]
    plan = floor_plan(pits, declared=declared)
    assert [(of_plan.row, of_plan.name) for of_plan in plan.items] == [
        (1, "Pit 3"), (2, "Cage"), (2, "Podium"), (3, "Pit 1"), (4, "Pit 2"),
    ]  # fmt: skip
    boxes = {drawn.name: drawn for drawn in (*plan.pits, *plan.landmarks)}
    assert boxes["Pit 3"].y < boxes["Cage"].y == boxes["Podium"].y < boxes["Pit 1"].y < boxes["Pit 2"].y
    assert boxes["Cage"].x + boxes["Cage"].width < boxes["Podium"].x
    assert all(drawn.y + drawn.height < plan.height for drawn in boxes.values())
    beside = floor_plan(pits, declared=[item(1, "p2"), item(1, landmark="Cage"), item(1, "p1")])
    middles = {drawn.name: (drawn.middle_x, drawn.middle_y) for drawn in (*beside.pits, *beside.landmarks)}
    assert middles["Pit 2"][0] < middles["Cage"][0] < middles["Pit 1"][0]
    wide = floor_plan([pit(1, tables(4)), pit(2, tables(12, first=50))]).pits
    assert [drawn.is_narrow for drawn in wide] == [True, False]
    gaps = [(gap.row, gap.place, gap.is_row) for gap in plan.gaps if gap.row == 2]
    assert gaps == [(2, 0, True), (2, 0, False), (2, 1, False), (2, 2, False)]
    assert floor_plan([]).pits == ()


@pytest.mark.parametrize(("game", "seats"), [("sic-bo", 8), ("high-roll", 6), ("football", 16)])
def test_the_seats_stand_around_the_shape_of_the_game_and_none_behind_the_dealers(game, seats):
    shape = shape_of(game)
    chairs = shape.chairs(seats)
    assert len(set(chairs)) == seats
    assert [(-x, y) for x, y in chairs] == list(reversed(chairs))
    assert not [
        place for place in chairs if place[1] > shape.height / 2 and abs(place[0]) < shape.dealers / 2
    ]
    assert all(hypot(a[0] - b[0], a[1] - b[1]) > 8 for a, b in combinations(chairs, 2))
    assert len({shape_of(code) for code in registry.GAMES}) == len(registry.GAMES)


# What a table says on the plan


@pytest.fixture
def played(scene):
    """A table after a round, with a target of the house."""
    scene.table.facility.target_paces = {"sic-bo": 50}
    scene.table.facility.save()
    scene.play((1, "small", 2_500), dice=[2, 5, 5])
    scene.finish()
    return scene


def lines(s):
    return {line["lens"]: (line["text"], line["level"]) for line in TileData(s).plan["lines"]}


@pytest.mark.django_db
def test_each_lens_has_one_line_and_a_color_where_somebody_should_look(played, monkeypatch):
    s = played.snapshot
    assert s["table"]["target_pace"] == 50
    assert lines(s)["state"] == ("Bets open", "")
    assert (lines(s)["pace"], lines(s)["dice"][1]) == (("–", ""), "")
    figures = {"expected_cents": 1_000, "band_cents": 4_000, "win_cents": -4_000}
    for pace, level in ((49, ""), (40, ""), (39, "warn")):
        looked = {**s, "figures": {**s["figures"], **figures}}
        monkeypatch.setattr(screen_data, "pace_now", lambda s, pace=pace: pace)
        assert lines(looked)["pace"] == (f"{pace}/h of 50", level)
        assert lines(looked)["win"] == ("−2.5 σ", "warn")
        assert ("pace-warn" in TileData(looked).plan["look"]) is (level == "warn")


@pytest.mark.django_db
def test_only_a_stop_fills_a_table_and_it_says_why_and_a_long_code_is_small(played):
    calm = TileData(played.snapshot).plan
    assert (calm["look"], calm["is_long"], calm["dot_x"]) == ("", False, 32)
    named = {**played.snapshot, "table": {**played.snapshot["table"], "code": "HIGH-ROLLERS-12"}}
    assert (TileData(named).plan["is_long"], TileData(named).plan["dot_x"]) == (True, 57)
    played.act("report_dispute", {"seat": 1, "about": "Ms. Ortiz says 12"})
    dispute = TileData(played.snapshot).plan
    assert (dispute["look"], dispute["note"]) == ("state-warn", "Dispute at seat 1")
    assert "Ortiz" not in fragments.render("locked", played.snapshot)
    played.act("report_device_failure")
    stop = LockedTileData(played.snapshot).plan
    assert stop["look"].split()[0] == "stop" and stop["note_level"] == "stop"
    assert stop["label"] == "T-01, Sic Bo: Ceased, Gaming ceased, 0 of 8 seats playing"


@pytest.mark.django_db
def test_a_table_that_a_program_deals_is_not_called_connected(played):
    table = played.snapshot["table"]
    for kind, is_connected in (("live", True), ("training", True), ("simulated", False)):
        html = str(fragments.render("tile", {**played.snapshot, "table": {**table, "kind": kind}}))
        assert ('class="dot"' in html, ">connected<" in html) == (is_connected, is_connected), kind


# What the house declares


@pytest.mark.django_db
def test_the_house_declares_paces_and_places_in_a_file(scene, tmp_path):
    file = tmp_path / "floor.toml"
    file.write_text(
        '[target_paces]\nsic-bo = 45\n[places]\n"T-01" = [2, 3]\n'
        "[shifts]\nearly = 06:00:00\nlate = 18:00:00\n"
        '[floor]\nrows = [["Main entrance", "p1"], ["Cage"]]\n'
    )
    file.write_text("keeps_inventory = true\n" + file.read_text())
    with pytest.raises(CommandError, match="name who answers for it, --by"):
        call_command("declare_floor", "larkfield", file)
    out = StringIO()
    for witness, typed, refusal in (
        ("", [PIN], "--by and --witness: shift manager of table games, and cage"),  # nobody does it alone
        ("pit-manager", [PIN, PIN], "--by and --witness"),
        ("cage", [PIN, "654321"], "Code or PIN is wrong"),
        ("cage", [PIN, PIN], ""),
    ):
        expected = pytest.raises(CommandError, match=refusal) if refusal else contextlib.nullcontext()
        people = ["--by=shift-manager", f"--witness={witness}", "--pin-from-stdin"]
        with mock.patch("sys.stdin", StringIO("\n".join(typed) + "\n")), expected:
            call_command("declare_floor", "larkfield", file, *people, stdout=out)
    assert "landmarks: Main entrance, Cage." in out.getvalue()
    table = scene.fresh
    assert (table.facility.target_paces, table.pit.places) == ({"sic-bo": 45}, {"T-01": [2, 3]})
    assert table.facility.shifts == {"early": "06:00", "late": "18:00"}
    assert table.facility.keeps_inventory
    entrance, cage = item(1, landmark="Main entrance"), item(2, landmark="Cage")
    assert table.facility.floor_items == [entrance, item(1, "p1"), cage]
    entry = Entry.objects.get(stream__name="larkfield/setup", type="inventory.keeping_changed")
    assert entry.witness == "cage"
    assert (entry.actor, json.loads(bytes(entry.body))["data"]) == ("shift-manager", {"keeps": True})
    for wrong, words in (
        ("[shifts]\nlate = 18:00:00", "the first with the gaming day at 06:00"),
        ("[shifts]\nearly = 6", "The shift early must begin at a local time"),
        ("[places]\nT-99 = [1, 1]", "The place of T-99"),
        ("[places]\nT-01 = [3, 1]", "The place of T-01"),
        ('[floor]\nrows = ["p1"]', "must be at most 20 lists"),
        ('[floor]\nrows = [["p1"], ["p1"]]', "each pit once"),
        ("[floor]\nrows = [[7]]", "must be at most 20 lists"),
        ("floor = 1", "floor must be a section"),
        ("[target_paces]\nsic-bo = 0", "The target pace of sic-bo must be a whole number"),
        ("[target_paces]\nfaro = 45", "There is no game faro. The games are"),
        ("[places", "cannot be read"),
        ("keeps_inventory = 1", "keeps_inventory must be true or false"),
    ):
        file.write_text(wrong)
        with pytest.raises(CommandError, match=words):
            call_command("declare_floor", "larkfield", file)
    assert scene.fresh.facility.target_paces == {"sic-bo": 45}


@pytest.mark.django_db
def test_a_shift_manager_arranges_a_pit_and_each_table_has_another_place(scene):
    pit = scene.table.pit.name
    places = [{"table": "T-01", "row": 2, "column": 3}]
    scene.in_room("arrange_pit", {"pit": pit, "places": places}, by="shift-manager")
    assert scene.fresh.pit.places == {"T-01": [2, 3]}
    for wrong, code in (
        ({"pit": "Pit 9", "places": places}, "no-such-place"),
        ({"pit": pit, "places": [{**places[0], "table": "T-99"}]}, "no-such-place"),
        ({"pit": pit, "places": [{**places[0], "row": 3}]}, "malformed"),
    ):
        with pytest.raises(Refusal) as refused:
            scene.in_room("arrange_pit", wrong, by="shift-manager")
        assert refused.value.code == code


@pytest.mark.django_db
def test_a_pit_manager_arranges_pits_and_landmarks(scene):
    scene.in_room("add_pit", {"pit": "p2", "name": "Pit 2"}, by="games-administrator")
    items = [{"row": 3, "landmark": " Cage "}, {"row": 2, "pit": "p2"}, {"row": 2, "pit": "p1"}]
    scene.in_room("arrange_floor", {"items": items}, by="pit-manager")
    arranged = [item(2, "p2"), item(2, "p1"), item(3, landmark="Cage")]
    assert scene.fresh.facility.floor_items == arranged
    entry = Entry.objects.get(stream__name="larkfield/setup", type="floor.arranged")
    assert json.loads(bytes(entry.body))["data"] == {"items": arranged}
    for wrong, code in (
        ([{"row": 1, "pit": "p9"}], "no-such-place"),
        ([{"row": 1, "pit": "p1"}, {"row": 2, "pit": "p1"}], "malformed"),
        ([{"row": 1}], "malformed"),
        ([{"row": 1, "pit": "p1", "landmark": "Cage"}], "malformed"),
        ([{"row": 21, "pit": "p1"}], "malformed"),
        ([{"row": 1, "landmark": "C" * 25}], "malformed"),
    ):
        with pytest.raises(Refusal) as refused:
            scene.in_room("arrange_floor", {"items": wrong}, by="pit-manager")
        assert refused.value.code == code
    scene.in_room("arrange_floor", {"items": []}, by="pit-manager")
    assert scene.fresh.facility.floor_items == []


@pytest.mark.django_db
def test_an_unsaved_arrangement_is_drawn_and_an_invalid_one_is_ignored():
    browser = make_scene().browser("podium", "pit-manager")

    def page(plan, arrange="floor"):
        return browser.get("/floor/larkfield/", {"arrange": arrange, "plan": plan}).content.decode()

    drawn = page(json.dumps([{"row": 1, "landmark": "Cage <1>"}, {"row": 2, "pit": "p1"}]))
    assert 'aria-label="Cage &lt;1&gt;, row 1"' in drawn and 'aria-label="Pit 1, row 2"' in drawn
    assert 'id="arrange-save">' in drawn
    for unusable in ("", "[", "[" * 5000, "7", '[{"row": 1, "pit": "p9"}]', '[{"row": 1, "pit": ["p1"]}]'):
        assert 'id="arrange-save" disabled>' in page(unusable), unusable
    assert "data-item" not in page("[]", arrange="")
    assert Facility.objects.get().floor_items == []


@pytest.mark.django_db
def test_the_floor_page_has_the_place_of_every_table():
    page = make_scene().browser("podium", "pit-manager").get("/floor/larkfield/").content.decode()
    assert page.count('data-plan-of="T-01"') == 1 and 'data-plan-pit="' in page
