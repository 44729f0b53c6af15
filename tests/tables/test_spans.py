"""How many tables one floorperson may answer for, and which games not together; who is missed where."""

import datetime as dt
import itertools
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit import clock
from audit.models import Person
from games.engine import Refusal
from games.models import RulesSubmission
from tables.models import Assignment, Table
from tables.runner import table
from tables.staffing import supervision
from tables.staffing.supervision import SPAN_EXCEEDED
from tables.words.sentences import say
from tests.tables.cast import Scene
from tests.tables.house import hire, make_house
from tests.tables.test_two_at_once import at_once

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause

SIC_BO, HIGH_ROLL, FOOTBALL, JERSEY = "pa-625a/A", "pa-675a", "pa-577", "nj-19-47-9"
TWO, FOUR = "58 Pa. Code § 577.9(c)", "58 Pa. Code § 465a.35"
EXCLUDED = ("baccarat", "midibaccarat", "craps", "mini-craps", "pai-gow")


def house(*rules: str) -> list[Scene]:
    """Open tables T-01, T-02, … under these rules, supervised by nobody."""
    made = make_house(*((f"T-{number:02d}", key, None) for number, key in enumerate(rules, start=1)))
    Table.objects.update(status="open", floorperson=None)
    return list(made.values())


def take(scene: Scene, by: str = "floorperson") -> table.ActResponse:
    return scene.act("take_supervision", by=by, device=scene.podium)


def staffed(scene: Scene) -> None:
    """Somebody new at every post, and the inspection made: the table only waits to be opened."""
    code = scene.table.code.lower()
    people = {"dealer": "dealer", "dealer-left": "dealer", "stick": "stickperson"}
    posts = people if scene.table.game == "football" else {"dealer": "dealer"}
    for post, role in posts.items():
        hire(scene, (f"{post}-{code}", role))
        scene.act("take_over_table", {"post": post}, by=f"{post}-{code}", device=scene.podium)
    scene.inspect()


def breaches(now: dt.datetime, only: int | None = None) -> list[tuple[int, str, dict[str, Any], str]]:
    """What is wrong now: the table's id, the code, the values of the sentence, the section."""
    found = supervision.breaches(now, only)
    return [(table_id, breach.code, breach.params, breach.section) for table_id, breach in found]


def supervisor(code: str) -> str | None:
    return Table.objects.values_list("floorperson__code", flat=True).get(code=code)


ALLOWED = [
    pytest.param([FOOTBALL, FOOTBALL], marks=clause("PA-577.9(c)-two")),
    pytest.param([FOOTBALL, SIC_BO], marks=clause("PA-577.9(c)-mixed")),
    pytest.param([HIGH_ROLL, FOOTBALL], marks=clause("PA-577.9(c)-mixed")),
    [SIC_BO] * 4,
    [SIC_BO, HIGH_ROLL, "pa-539", "pa-675a.6"],
    [JERSEY] * 6,
]
FORBIDDEN = [
    pytest.param([FOOTBALL] * 3, TWO, marks=clause("PA-577.9(c)-two")),
    pytest.param([FOOTBALL, FOOTBALL, SIC_BO], TWO, marks=clause("PA-577.9(c)-two")),
    pytest.param([FOOTBALL, SIC_BO, SIC_BO], TWO, marks=clause("PA-577.9(c)-mixed")),
    pytest.param([SIC_BO, HIGH_ROLL, FOOTBALL], TWO, marks=clause("PA-577.9(c)-mixed")),
    pytest.param([SIC_BO] * 4 + [FOOTBALL], TWO, marks=clause("PA-577.9(c)-mixed")),
    ([SIC_BO] * 5, FOUR),
    ([SIC_BO, HIGH_ROLL, "pa-539", "pa-675a.6", SIC_BO], FOUR),
]


@pytest.mark.parametrize("rules", ALLOWED)
def test_one_floorperson_takes_what_every_edition_among_them_allows(rules):
    for scene in house(*rules):
        take(scene)
        assert supervisor(scene.table.code) == "floorperson"
    assert breaches(clock.now()) == []


@pytest.mark.parametrize(("rules", "section"), FORBIDDEN)
def test_one_more_table_is_refused_with_the_section_that_forbids_it(rules, section):
    *first, last = house(*rules)
    Table.objects.exclude(pk=last.table.pk).update(floorperson=last.people["floorperson"])
    with last.refused("span-exceeded", section) as refusal:
        take(last)
    codes = [scene.table.code for scene in (*first, last)]
    assert refusal.value.params == {"person": "Floorperson", "count": len(codes), "tables": codes}
    sentence = say(refusal.value)
    assert sentence.startswith(
        f"Floorperson may not supervise these {len(codes)} tables at once: {', '.join(codes)}."
    )
    take(last, by="casino-supervisor")
    assert supervisor(last.table.code) == "casino-supervisor"


def test_the_table_that_is_opened_counts_and_names_its_supervisor(db):
    """A third table opens under somebody else only, beside football and Sic Bo."""
    made = make_house(("T-01", FOOTBALL, None), ("T-02", SIC_BO, None), ("T-03", SIC_BO, None))
    for scene in made.values():
        staffed(scene)
    for code in ("T-01", "T-02"):
        made[code].open()
        assert made[code].entry["data"]["floorperson"] == supervisor(code) == "floorperson"
        assert made[code].entry["data"]["takes_supervision"] is True
    with made["T-03"].refused("span-exceeded", TWO):
        made["T-03"].open()
    assert made["T-03"].fresh.status == "closed" and supervisor("T-03") is None
    made["T-03"].inspect(by="casino-supervisor")
    made["T-03"].open(by="casino-supervisor")
    assert supervisor("T-03") == "casino-supervisor"


def test_a_table_that_ceased_counts_and_a_closed_one_does_not():
    one, two, three = house(FOOTBALL, FOOTBALL, FOOTBALL)
    take(one)
    take(two)
    Table.objects.filter(code="T-02").update(status="ceased")
    with three.refused("span-exceeded", TWO):
        take(three)
    Table.objects.filter(code="T-02").update(status="closed")
    take(three)


@pytest.mark.parametrize("kind", ["training", "simulated"])
def test_tables_without_real_play_count_in_no_span(kind):
    one, two, three = house(FOOTBALL, FOOTBALL, FOOTBALL)
    Table.objects.filter(pk=three.table.pk).update(kind=kind)
    for scene in (three, one, two):
        take(scene)
    assert breaches(clock.now()) == []


def test_rules_that_are_not_in_force_limit_nobody_else():
    scenes = house(FOOTBALL, SIC_BO, SIC_BO)
    RulesSubmission.objects.filter(game="football").update(status="withdrawn")
    for scene in scenes:
        take(scene)
    assert supervisor("T-03") == "floorperson"


@pytest.mark.clause("PA-577.9(c)-excluded")
@pytest.mark.parametrize("game", EXCLUDED)
def test_a_game_that_football_excludes_is_not_supervised_beside_it(game):
    football, sic_bo = house(FOOTBALL, SIC_BO)
    take(football)
    with football.refused("span-exceeded", TWO) as refusal:
        football.in_room("assign_elsewhere", {"person": "floorperson", "game": game})
    assert refusal.value.params["tables"] == ["T-01", game]
    football.in_room("assign_elsewhere", {"person": "casino-supervisor", "game": game})
    with football.refused("span-exceeded", TWO):
        take(football, by="casino-supervisor")
    take(sic_bo, by="casino-supervisor")


@pytest.mark.clause("PA-577.9(c)-mixed")
def test_another_banking_game_elsewhere_stands_beside_football_and_nothing_more():
    football, sic_bo = house(FOOTBALL, SIC_BO)
    take(football)
    other = {"person": "floorperson", "game": "other-banking"}
    football.in_room("assign_elsewhere", other)
    with football.refused("span-exceeded", TWO) as refusal:
        football.in_room("assign_elsewhere", other)
    assert "T-01, Another banking game, Another banking game" in say(refusal.value)
    with sic_bo.refused("span-exceeded", TWO):
        take(sic_bo)


def test_tables_elsewhere_count_among_four():
    scenes = house(SIC_BO, SIC_BO, SIC_BO)
    for _ in range(2):
        scenes[0].in_room("assign_elsewhere", {"person": "floorperson", "game": "craps"})
    take(scenes[0])
    take(scenes[1])
    with scenes[2].refused("span-exceeded", FOUR):
        take(scenes[2])
    craps = Assignment.objects.filter(elsewhere="craps").first()
    scenes[0].in_room("end_assignment", {"assignment": craps.pk})
    take(scenes[2])


def test_supervising_elsewhere_gives_no_right_at_any_table():
    (scene,) = house(SIC_BO)
    scene.in_room("assign_elsewhere", {"person": "other-floorperson", "game": "craps"})
    with scene.refused("not-assigned"):
        take(scene, by="other-floorperson")
    with scene.refused("witness-not-assigned"):
        scene.act(
            "void_round",
            {"reason": "accident"},
            by="floorperson",
            device=scene.podium,
            witness="other-floorperson",
        )
    with scene.refused("supervisor-not-on-duty"):
        assign(scene, "other-floorperson")
    assert "other-floorperson" not in scene.browser("tablet").get("/sign-in").content.decode()


def test_supervising_elsewhere_opens_no_page_of_the_facility():
    (scene,) = house(SIC_BO)
    Assignment.objects.filter(person__code="pit-manager").update(elsewhere="craps", pit=None, table=None)
    with scene.refused("not-on-duty"):
        scene.in_room("assign_person", {"person": "stranger"}, by="pit-manager")


def assign(scene: Scene, person: str, by: str = "pit-manager") -> table.ActResponse:
    return scene.act("assign_floorperson", {"person": person}, by=by, device=scene.podium)


def test_whoever_takes_supervision_relieves_by_name():
    (scene,) = house(SIC_BO)
    take(scene)
    assert (scene.entry["_type"], scene.entry["actor"]) == ("supervision.taken", "floorperson")
    assert scene.entry["data"] == {"floorperson": "floorperson", "relieves": None}
    with scene.refused("already-supervising"):
        take(scene)
    take(scene, by="shift-manager")
    assert scene.entry["data"] == {"floorperson": "shift-manager", "relieves": "floorperson"}
    assert scene.snapshot["people"]["floorperson"]["code"] == "shift-manager"


def test_the_snapshot_shows_nobody_where_nobody_answers():
    (scene,) = house(SIC_BO)
    assert scene.snapshot["people"]["floorperson"] is None


def test_a_pit_manager_puts_a_floorperson_over_a_table():
    scene, other = house(FOOTBALL, FOOTBALL)
    assign(scene, "floorperson")
    assert (scene.entry["_type"], scene.entry["actor"]) == ("supervision.assigned", "pit-manager")
    assert scene.entry["data"] == {"floorperson": "floorperson", "relieves": None}
    assign(scene, "casino-supervisor", by="shift-manager")
    assert scene.entry["data"]["relieves"] == "floorperson"
    with other.refused("role-does-not-supervise"):
        assign(other, "dealer")
    with other.refused("supervisor-not-on-duty"):
        assign(other, "other-floorperson")
    with other.refused("no-such-person"):
        assign(other, "nobody")
    Person.objects.filter(code="floorperson").update(is_active=False)
    with other.refused("no-such-person"):
        assign(other, "floorperson")


@pytest.mark.clause("PA-577.9(c)-two")
def test_a_third_football_table_is_not_assigned_and_a_closed_one_waits_for_its_opening():
    *_, last = scenes = house(FOOTBALL, FOOTBALL, FOOTBALL)
    for scene in scenes[:2]:
        assign(scene, "floorperson")
    with last.refused("span-exceeded", TWO):
        assign(last, "floorperson")
    Table.objects.filter(code="T-03").update(status="closed")
    assign(last, "floorperson")
    staffed(last)
    with last.refused("span-exceeded", TWO):
        last.open(by="casino-supervisor")
    take(last, by="casino-supervisor")
    last.inspect(by="casino-supervisor")
    last.open()
    assert last.entry["data"]["floorperson"] == "casino-supervisor"
    assert last.entry["data"]["takes_supervision"] is False


@pytest.mark.parametrize("gone", ["off duty", "inactive"])
def test_who_signs_the_opening_takes_over_from_somebody_who_is_not_there(gone):
    (scene,) = make_house(("T-01", SIC_BO, None)).values()
    assign(scene, "floorperson")
    staffed(scene)
    if gone == "off duty":
        Assignment.objects.filter(person__code="floorperson").update(ended_at=clock.now())
    else:
        Person.objects.filter(code="floorperson").update(is_active=False)
    with scene.refused("inspected-by-another"):
        scene.open(by="casino-supervisor")
    scene.inspect(by="casino-supervisor")
    scene.open(by="casino-supervisor")
    assert scene.entry["data"]["floorperson"] == supervisor("T-01") == "casino-supervisor"


def test_a_dealer_who_opens_leaves_the_table_to_the_floorperson_who_signs():
    (scene,) = make_house(("T-01", SIC_BO, None)).values()
    staffed(scene)
    with scene.refused("floorperson-must-sign"):
        scene.act("open_table", by="dealer-t-01", device=scene.podium)
    scene.inspect(by="casino-supervisor")
    scene.act("open_table", by="dealer-t-01", witness="casino-supervisor", device=scene.podium)
    assert supervisor("T-01") == "casino-supervisor"


def test_what_is_wrong_with_the_supervision_is_listed_as_it_stands():
    one, two, three, four = house(FOOTBALL, SIC_BO, SIC_BO, JERSEY)
    people = {scene.table.code: scene.table.pk for scene in (one, two, three, four)}
    unsupervised = [
        (people[code], "unsupervised", {"table": code}, section)
        for code, section in (("T-01", TWO), ("T-02", FOUR), ("T-03", FOUR), ("T-04", ""))
    ]
    assert breaches(clock.now()) == unsupervised
    assert breaches(clock.now(), people["T-02"]) == [unsupervised[1]]
    Table.objects.update(floorperson=one.people["floorperson"])
    together = {"person": "Floorperson", "count": 4, "tables": ["T-01", "T-02", "T-03", "T-04"]}
    assert breaches(clock.now()) == [(people["T-01"], "span-exceeded", together, TWO)]
    for code, alone in (
        ("T-01", breaches(clock.now())),
        ("T-02", []),
    ):  # asked of one, the others count all the same
        assert breaches(clock.now(), people[code]) == alone
    Table.objects.filter(code="T-01").update(status="closed")
    assert breaches(clock.now()) == []
    Assignment.objects.filter(person__code="floorperson").update(table=two.table)
    absent = {"person": "Floorperson", "table": "T-03"}
    found = {breach[0]: breach for breach in breaches(clock.now())}
    assert found.pop(people["T-03"]) == (people["T-03"], "supervisor-off-duty", absent, FOUR)
    assert set(found) == {people["T-04"]}
    Person.objects.filter(code="floorperson").update(is_active=False)
    assert {code for _, code, _, _ in breaches(clock.now())} == {"supervisor-off-duty"}
    assert len(breaches(clock.now())) == 3


def test_a_table_elsewhere_can_break_a_span_that_held():
    (scene,) = house(FOOTBALL)
    take(scene)
    Assignment.objects.create(
        person=scene.people["floorperson"],
        facility=scene.table.facility,
        elsewhere="craps",
        started_at=clock.now(),
    )
    together = {"person": "Floorperson", "count": 2, "tables": ["T-01", "craps"]}
    assert breaches(clock.now()) == [(scene.table.pk, "span-exceeded", together, TWO)]
    said = say(Refusal(SPAN_EXCEEDED, TWO, **together))
    assert (
        said
        == "Floorperson may not supervise these 2 tables at once: T-01, Craps. Another floorperson must take one."
    )


def test_breaches_are_found_in_a_constant_number_of_queries():
    now = clock.now()

    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            breaches(now)
        return len(found)

    scenes = house(FOOTBALL, SIC_BO, SIC_BO, SIC_BO)
    Table.objects.exclude(code="T-01").update(status="closed")
    take(scenes[0])
    few = queries()
    Table.objects.update(status="open")
    for scene, by in zip(scenes, itertools.cycle(("floorperson", "casino-supervisor")), strict=False):
        Table.objects.filter(pk=scene.table.pk).update(floorperson=scene.people[by])
    assert queries() == few == 3


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
@pytest.mark.clause("PA-577.9(c)-two")
def test_two_openings_at_once_do_not_both_pass(transactional_db):
    made = make_house(*((f"T-0{number}", FOOTBALL, None) for number in (1, 2, 3)))
    for scene in made.values():
        staffed(scene)
    made["T-01"].open()
    found = at_once(made["T-02"].open, made["T-03"].open)
    assert sorted(type(one).__name__ for one in found) == ["ActResponse", "Refusal"]
    (refused,) = (one for one in found if isinstance(one, Refusal))
    assert (refused.code, refused.section) == ("span-exceeded", TWO)
    assert Table.objects.filter(status="open", floorperson__code="floorperson").count() == 2
    assert breaches(clock.now()) == []


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
@pytest.mark.clause("PA-577.9(c)-excluded")
def test_a_table_here_and_one_elsewhere_at_once_do_not_both_pass(transactional_db):
    (scene,) = house(FOOTBALL)
    craps = {"person": "floorperson", "game": "craps"}
    found = at_once(lambda: take(scene), lambda: scene.in_room("assign_elsewhere", craps))
    assert sorted(type(one).__name__ for one in found) == ["ActResponse", "Refusal"]
    assert breaches(clock.now()) in (
        [],
        [(scene.table.pk, "unsupervised", {"table": "T-01"}, TWO)],
    )
