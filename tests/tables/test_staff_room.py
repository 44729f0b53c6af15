"""The staff room: duty, training, and what a duty cannot end in the middle of."""

import json
from typing import Any

import pytest

from audit import clock
from audit.models import Entry, Person
from games.models import Facility
from tables.core.duty import Forbidden
from tables.models import Assignment, Pit, Qualification, Table
from tables.runner import facility
from tables.words.sentences import act_line
from tests.tables.cast import ROLES, Scene, make_scene
from tests.tables.test_two_at_once import at_once

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause

STAFF_ACTS: dict[str, dict[str, Any]] = {
    "assign_person": {"person": "stranger"},
    "assign_elsewhere": {"person": "floorperson", "game": "craps"},
    "end_assignment": {"assignment": 1},
    "record_qualification": {
        "person": "dealer",
        "game": "sic-bo",
        "reference": "TR-7",
        "since": "2026-11-02",
    },
    "end_qualification": {"qualification": 1, "ends_on": "2026-12-01"},
}


def newest() -> dict[str, Any]:
    return json.loads(bytes(Entry.objects.filter(stream__name="larkfield/staff").latest("seq").body))


def duty_of(person: str) -> Assignment:
    return Assignment.objects.get(person__code=person, ended_at=None)


def end(scene: Scene, person: str, **how: Any) -> None:
    scene.in_room("end_assignment", {"assignment": duty_of(person).pk}, **how)


OF_EACH_DEPARTMENT = {
    *("pit-manager", "shift-manager", "security", "surveillance", "cage", "system-administrator"),
}


@pytest.mark.parametrize("act", STAFF_ACTS)
def test_pit_managers_and_shift_managers_staff_the_floor_and_each_department_its_own(scene, act):
    is_duty = act in ("assign_person", "end_assignment")
    roles = OF_EACH_DEPARTMENT if is_duty else {"pit-manager", "shift-manager"}
    assert facility.ACTS[act].roles == roles
    assert facility.ACTS[act].witness == is_duty and facility.RUNNER.streams[act] == "staff"
    for by, (role, _, _) in ROLES.items():
        if role not in roles:
            with pytest.raises(Forbidden) as refused:
                scene.in_room(act, STAFF_ACTS[act], by=by)
            assert refused.value.code == "role-may-not"


@pytest.mark.parametrize(("place", "covers"), [
    ({"table": "T-01"}, True), ({"pit": "p1"}, True), ({}, True), ({"pit": "p2"}, False),
])  # fmt: skip
def test_somebody_is_put_on_duty_at_a_table_a_pit_or_the_facility(scene, place, covers):
    Pit.objects.create(facility=scene.table.facility, code="p2", name="Pit 2")
    answer = scene.in_room("assign_person", {"person": "other-floorperson", **place}, by="pit-manager")
    duty = duty_of("other-floorperson")
    assert answer.body == {"type": "assignment.started", "assignment": duty.pk}
    entry = newest()
    assert (entry["_type"], entry["actor"]) == ("assignment.started", "pit-manager")
    assert entry["data"] == {
        "assignment": duty.pk,
        "person": "other-floorperson",
        "pit": place.get("pit"),
        "table": place.get("table"),
        "elsewhere": None,
    }
    assert (clock.format_moment(duty.started_at), duty.ended_at) == (entry["at"], None)
    if covers:
        scene.act("take_supervision", by="other-floorperson")
    else:
        with scene.refused("not-assigned"):
            scene.act("take_supervision", by="other-floorperson")


def test_nobody_is_put_twice_at_the_same_place_and_may_have_several(scene):
    for place in ({"table": "T-01"}, {"pit": "p1"}, {}):
        stranger = {"person": "stranger", **place}
        scene.in_room("assign_person", stranger)
        with scene.refused("already-assigned"):
            scene.in_room("assign_person", stranger)
    assert Assignment.objects.filter(person__code="stranger").count() == 3
    Assignment.objects.filter(person__code="stranger").update(ended_at=clock.now())
    scene.in_room("assign_person", {"person": "stranger", "table": "T-01"})


def test_only_people_of_this_house_and_its_own_places(scene):
    Person.objects.filter(code="stranger").update(facility="seabright")
    with scene.refused("no-such-person"):
        scene.in_room("assign_person", {"person": "stranger", "table": "T-01"})
    with scene.refused("no-such-person"):
        scene.in_room("assign_elsewhere", {"person": "nobody", "game": "craps"})
    Person.objects.filter(code="relief").update(is_active=False)
    with scene.refused("no-such-person"):
        scene.in_room("record_qualification", {**STAFF_ACTS["record_qualification"], "person": "relief"})
    other = Facility.objects.create(code="seabright", name="Seabright", jurisdiction="NJ")
    Pit.objects.create(facility=other, code="p9", name="Pit 9")
    for place in ({"pit": "p9"}, {"table": "T-99"}):
        with scene.refused("no-such-place"):
            scene.in_room("assign_person", {"person": "dealer", **place})
    with scene.refused("malformed"):
        scene.in_room("assign_person", {"person": "dealer", "pit": "p1", "table": "T-01"})
    duty = duty_of("dealer")
    Assignment.objects.filter(pk=duty.pk).update(facility=other)
    with scene.refused("no-such-assignment"):
        scene.in_room("end_assignment", {"assignment": duty.pk})


ANOTHER = "duty-of-another-department"
SECOND = "second-person-for-duty"
# Who may end whose duty: the refusal by whom it is about, who acts and who signs; "" where it is done.
DUTY_ENDED_BY = [
    *(
        (whose, by, None, ANOTHER)
        for whose in ("gaming-agent", "compliance", "games-administrator", "surveillance", "security")
        for by in ("shift-manager", "pit-manager")
    ),
    ("system-administrator", "shift-manager", None, ANOTHER),
    ("shift-manager", "surveillance", None, ANOTHER),
    ("surveillance", "security", None, ANOTHER),
    ("gaming-agent", "surveillance", None, ANOTHER),
    ("surveillance", "surveillance", None, ""),
    ("security", "security", None, ""),
    ("gaming-agent", "system-administrator", None, SECOND),
    ("gaming-agent", "system-administrator", "shift-manager", SECOND),
    ("gaming-agent", "system-administrator", "gaming-agent", SECOND),
    ("gaming-agent", "system-administrator", "compliance", ""),
    ("compliance", "system-administrator", "compliance", SECOND),
    ("compliance", "system-administrator", "gaming-agent", ""),
    ("system-administrator", "system-administrator", None, SECOND),
    ("shift-manager", "system-administrator", "pit-manager", ""),
]


@pytest.mark.parametrize(("whose", "by", "witness", "code"), DUTY_ENDED_BY)
def test_each_department_ends_the_duty_of_its_own_people(scene, whose, by, witness, code):
    if not code:
        end(scene, whose, by=by, witness=witness)
        assert (newest()["actor"], newest().get("witness")) == (by, witness)
        return
    with scene.refused(code):
        end(scene, whose, by=by, witness=witness)
    assert duty_of(whose).ended_at is None


def test_table_games_neither_moves_nor_starts_the_duty_of_the_regulator(scene):
    for place in ({"table": "T-01"}, {"pit": "p1"}):
        with scene.refused(ANOTHER) as refusal:
            scene.in_room("assign_person", {"person": "gaming-agent", **place})
    assert "a system administrator with a second person" in refusal.value.params["who"]
    Assignment.objects.filter(person__code="gaming-agent").update(ended_at=clock.now())
    with scene.refused(ANOTHER):
        scene.in_room("assign_person", {"person": "gaming-agent"})
    agent = {"person": "gaming-agent"}
    scene.in_room("assign_person", agent, by="system-administrator", witness="compliance")
    Person.objects.filter(code="other-floorperson").update(department="compliance")
    with scene.refused(ANOTHER):
        scene.in_room("assign_elsewhere", {"person": "other-floorperson", "game": "craps"})


@pytest.mark.parametrize(
    ("by", "may", "may_not"),
    [
        ("shift-manager", "Pit Manager", "Gaming Agent"),
        ("surveillance", "Surveillance", "Pit Manager"),
        ("system-administrator", "Gaming Agent", ""),
        ("compliance", "", "Compliance"),
    ],
)
def test_the_staff_page_offers_the_duty_of_the_own_department(scene, by, may, may_not):
    page = scene.browser("podium", by).get("/floor/larkfield/staff/?all=1")
    offered = page.content.decode()
    assert page.status_code == 200
    for name in filter(None, (may, may_not)):
        assert (f'End<span class="hush"> a duty of {name}' in offered) == (name == may), name
    assert ("data-witness" in offered) == (by == "system-administrator")


def test_a_duty_ends_once(scene):
    end(scene, "pit-manager")
    entry, duty = newest(), Assignment.objects.get(person__code="pit-manager")
    assert entry["_type"] == "assignment.ended"
    assert entry["data"]["person"] == "pit-manager" and entry["data"]["assignment"] == duty.pk
    assert clock.format_moment(duty.ended_at) == entry["at"]
    with scene.refused("no-such-assignment"):
        scene.in_room("end_assignment", {"assignment": duty.pk})
    with scene.refused("no-such-assignment"):
        scene.in_room("end_assignment", {"assignment": 2**40})


@pytest.mark.parametrize(
    ("rules", "section"),
    [
        ("pa-625a/A", "58 Pa. Code § 465a.35"),
        pytest.param("pa-577", "58 Pa. Code § 577.9(b)", marks=clause("PA-577.9(b)-dealers")),
        ("nj-19-47-9", "N.J.A.C. 19:47-9.1"),
    ],
)
@pytest.mark.parametrize("status", ["open", "ceased"])
def test_a_dealer_goes_off_duty_once_somebody_relieves(rules, section, status):
    scene = make_scene(rules)
    Table.objects.update(status=status)
    by = "stickperson" if rules == "pa-577" else "dealer"
    with scene.refused("still-at-a-post", section) as refusal:
        end(scene, by)
    assert refusal.value.params["table"] == "T-01"
    assert duty_of(by).ended_at is None
    if rules == "pa-577":
        scene.in_room("assign_person", {"person": "stranger", "table": "T-01"})
        Qualification.objects.create(
            person=scene.people["stranger"], game="football", reference="TR-1", since="2026-01-01"
        )
        scene.act("take_over_table", {"post": "stick"}, by="stranger")
    else:
        scene.act("take_over_table", by="relief")
    end(scene, by)
    assert not Assignment.objects.filter(person__code=by, ended_at=None).exists()


@pytest.mark.parametrize(
    ("rules", "section"),
    [
        ("pa-625a/A", "58 Pa. Code § 465a.35"),
        ("pa-577", "58 Pa. Code § 577.9(c)"),
        ("nj-19-47-9", ""),
    ],
)
@pytest.mark.parametrize("status", ["open", "ceased"])
def test_a_floorperson_goes_off_duty_once_somebody_takes_the_table(rules, section, status):
    scene = make_scene(rules)
    Table.objects.update(status=status)
    with scene.refused("still-supervises", section) as refusal:
        end(scene, "floorperson")
    assert refusal.value.params == {"person": "Floorperson", "table": "T-01"}
    scene.act("take_supervision", by="casino-supervisor")
    end(scene, "floorperson")


def test_at_a_closed_table_everybody_goes_off_duty(scene):
    scene.close()
    for person in ("dealer", "floorperson"):
        end(scene, person)
    with scene.refused("not-assigned"):
        scene.act("leave_table")


def test_another_duty_that_covers_the_table_lets_the_first_one_end(scene):
    scene.in_room("assign_person", {"person": "floorperson"})
    in_pit, anywhere = Assignment.objects.filter(person__code="floorperson").order_by("pk")
    scene.in_room("end_assignment", {"assignment": in_pit.pk})
    with scene.refused("still-supervises"):
        scene.in_room("end_assignment", {"assignment": anywhere.pk})


def test_supervision_elsewhere_is_noted_and_ends(scene):
    scene.in_room("assign_elsewhere", {"person": "floorperson", "game": "craps"})
    assert newest()["data"] | {"assignment": 0} == {
        "assignment": 0,
        "person": "floorperson",
        "pit": None,
        "table": None,
        "elsewhere": "craps",
    }
    with scene.refused("role-does-not-supervise"):
        scene.in_room("assign_elsewhere", {"person": "dealer", "game": "craps"})
    with scene.refused("malformed"):
        scene.in_room("assign_elsewhere", {"person": "floorperson", "game": "sic-bo"})
    craps = Assignment.objects.get(elsewhere="craps")
    scene.in_room("end_assignment", {"assignment": craps.pk})
    assert newest()["data"]["elsewhere"] == "craps"


def record(scene: Scene, **changed: Any) -> Qualification:
    answer = scene.in_room("record_qualification", {**STAFF_ACTS["record_qualification"], **changed})
    return Qualification.objects.get(pk=answer.body["qualification"])


def test_training_is_filed_and_ended(scene):
    Qualification.objects.filter(person__code="dealer").delete()
    filed = record(scene)
    said = {
        "qualification": filed.pk,
        "person": "dealer",
        "game": "sic-bo",
        "reference": "TR-7",
        "since": "2026-11-02",
    }
    assert (newest()["_type"], newest()["data"]) == ("qualification.recorded", {**said, "ends_on": None})
    ending = {"qualification": filed.pk, "ends_on": "2026-12-01"}
    scene.in_room("end_qualification", ending)
    assert (newest()["_type"], newest()["data"]) == ("qualification.ended", {**said, "ends_on": "2026-12-01"})
    for later in ("2026-12-01", "2027-01-01"):
        with scene.refused("qualification-has-ended"):
            scene.in_room("end_qualification", {**ending, "ends_on": later})
    with scene.refused("qualification-ends-before-it-begins"):
        scene.in_room("end_qualification", {**ending, "ends_on": "2026-11-01"})
    scene.in_room("end_qualification", {**ending, "ends_on": "2026-11-02"})
    filed.refresh_from_db()
    assert filed.ends_on == filed.since


def test_training_is_not_filed_twice_nor_backwards(scene):
    Qualification.objects.filter(person__code="dealer").delete()
    record(scene)
    with scene.refused("qualification-filed-already"):
        record(scene)
    record(scene, game="football")
    for ends_on in ("2026-11-02", "2026-11-01"):
        with scene.refused("qualification-ends-before-it-begins"):
            record(scene, since="2026-11-02", game="high-roll", ends_on=ends_on)
    assert str(record(scene, game="high-roll", ends_on="2026-11-03").ends_on) == "2026-11-03"
    with scene.refused("malformed"):
        record(scene, game="craps")


def test_training_of_another_house_is_not_ended_here(scene):
    filed = record(scene, since="2020-01-01")
    Person.objects.filter(code="dealer").update(facility="seabright")
    ending = {"qualification": filed.pk, "ends_on": "2026-12-01"}
    with scene.refused("no-such-qualification"):
        scene.in_room("end_qualification", ending)
    with scene.refused("no-such-qualification"):
        scene.in_room("end_qualification", {**ending, "qualification": 2**40})


def test_a_trained_relief_may_deal_from_the_moment_that_it_is_filed(scene):
    Qualification.objects.filter(person__code="relief").delete()
    with scene.refused("not-qualified", "58 Pa. Code Chapter 611a"):
        scene.act("take_over_table", by="relief")
    record(scene, person="relief", since="2020-01-01")
    scene.act("take_over_table", by="relief")
    assert scene.fresh.dealer.code == "relief"


@pytest.mark.parametrize(
    ("type_", "data", "line"),
    [
        ("assignment.started", {"table": "T-01", "pit": None, "elsewhere": None}, "mei on duty: T-01"),
        ("assignment.ended", {"table": None, "pit": "p1", "elsewhere": None}, "mei off duty: p1"),
        (
            "assignment.started",
            {"table": None, "pit": None, "elsewhere": None},
            "mei on duty: the whole facility",
        ),
        ("assignment.started", {"table": None, "pit": None, "elsewhere": "craps"}, "mei on duty: Craps"),
        ("qualification.recorded", {"game": "football"}, "Training of mei recorded: Three Dice Football"),
        (
            "qualification.ended",
            {"game": "sic-bo", "ends_on": "2026-12-01"},
            "Training of mei ends on 2026-12-01: Sic Bo",
        ),
        ("supervision.assigned", {"floorperson": "kate"}, "kate supervises the table"),
    ],
)
def test_the_record_reads_as_lines(type_, data, line):
    assert act_line(type_, {"person": "mei", **data}) == line


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_floorperson_does_not_take_a_table_while_the_duty_ends(committed):
    """Whichever is first, nobody off duty is left with the table."""
    committed.act("take_supervision", by="casino-supervisor")
    found = at_once(
        lambda: committed.act("take_supervision", by="floorperson"), lambda: end(committed, "floorperson")
    )
    assert sorted(type(one).__name__ in ("Refusal", "Forbidden") for one in found) == [False, True]
    left = committed.fresh.floorperson.code
    assert Assignment.objects.filter(person__code=left, ended_at=None).exists()


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_dealer_does_not_take_a_post_while_the_duty_ends(committed):
    committed.act("take_over_table", by="relief")
    found = at_once(lambda: committed.act("take_over_table"), lambda: end(committed, "dealer"))
    assert sorted(type(one).__name__ in ("Refusal", "Forbidden") for one in found) == [False, True]
    left = committed.fresh.dealer.code
    assert Assignment.objects.filter(person__code=left, ended_at=None).exists()
