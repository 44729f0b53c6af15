"""Who deals, and who holds the shaker: relief in mid-round, no leaving without one, and nobody at two tables."""

import pytest

from audit.devices import enroll
from audit.models import Device
from tables.core import duty
from tables.models import Assignment, Shaker, Table
from tables.opening.opening import make_table
from tests.tables.cast import CHAPTER, PIN, make_scene

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param("pa-539", marks=clause("PA-539.1(f)-responsible")),
        pytest.param("pa-625a/A", marks=clause("PA-625a.1(e)-responsible")),
        pytest.param("nj-19-47-9", marks=clause("NJ-19:47-9.1-responsible")),
    ],
)
def test_relief_in_mid_round_takes_the_shaker_and_the_round_goes_on(rules):
    scene = make_scene(rules, opened=False)
    scene.staff()
    assert scene.entry["data"] == {
        "dealer": "dealer",
        "relieves": None,
        "takes_shaker": "S-01",
        "round": None,
    }
    scene.inspect()
    scene.open()
    scene.place((1, "small", 2_500))
    scene.to_the_dice()
    scene.act("take_over_table", by="relief")
    assert (scene.entry["_type"], scene.entry["actor"]) == ("dealer.relieved", "relief")
    assert scene.entry["data"] == {
        "dealer": "relief",
        "relieves": "dealer",
        "takes_shaker": "S-01",
        "round": 1,
    }
    assert scene.snapshot["people"]["dealer"]["code"] == scene.fresh.dealer.code == "relief"
    scene.act("call_dice", {"dice": [1, 1, 2]}, by="relief")
    scene.finish(by="relief")


def test_nobody_relieves_themselves(scene):
    with scene.refused("already-dealing"):
        scene.act("take_over_table")


@pytest.mark.parametrize(
    ("rules", "shaker", "section"),
    [
        pytest.param("pa-539", "manual", "1(f)", marks=clause("PA-539.1(f)-unattended")),
        pytest.param("pa-539", "automated-uncovered", "1(f)", marks=clause("PA-539.1(f)-unattended")),
        pytest.param("pa-625a/A", "manual", "1(e)", marks=clause("PA-625a.1(e)-unattended")),
        pytest.param("pa-675a", "manual", "3(c)", marks=clause("PA-675a.3(c)-unattended")),
        pytest.param("nj-19-47-9", "manual", "1"),
    ],
)
def test_a_dealer_does_not_leave_a_shaker_alone_at_an_open_table(rules, shaker, section):
    scene = make_scene(rules, shaker)
    with scene.refused("shaker-left-unattended", CHAPTER[rules] + section):
        scene.act("leave_table")
    with scene.refused("not-dealing"):
        scene.act("leave_table", by="relief")
    scene.act("take_over_table", by="relief")
    with scene.refused("not-dealing"):
        scene.act("leave_table")
    scene.close()
    scene.act("leave_table", by="relief")
    assert (scene.entry["_type"], scene.fresh.dealer) == ("dealer.left", None)


def test_gaming_that_ceased_leaves_the_shaker_with_its_dealer(scene):
    scene.act("report_device_failure")
    with scene.refused("shaker-left-unattended"):
        scene.act("leave_table")


@pytest.mark.clause("PA-625a.1(e)-unattended")
def test_signing_off_at_an_open_table_is_refused_and_locks_the_tablet(scene):
    tablet = scene.browser("tablet", "dealer")
    before = scene.version
    page = tablet.post("/sign-off")
    assert page.status_code == 422 and "never be left unattended" in page.content.decode()
    device = Device.objects.get(pk=scene.tablet.pk)
    assert (device.person.code, device.locked_at is not None) == ("dealer", True)
    assert (scene.fresh.dealer.code, scene.version) == ("dealer", before)
    tablet.post("/sign-in", {"person": "relief", "pin": PIN})
    assert scene.fresh.dealer.code == "relief"
    assert scene.entry["data"]["relieves"] == "dealer"


def test_signing_off_at_a_closed_table_leaves_it(scene):
    tablet = scene.browser("tablet", "dealer")
    scene.close()
    assert tablet.post("/sign-off")["Location"] == "/sign-in"
    assert (scene.fresh.dealer, Device.objects.get(pk=scene.tablet.pk).person) == (None, None)


def test_a_floorperson_at_the_dealers_tablet_holds_no_shaker(scene):
    tablet = scene.browser("tablet", "floorperson")
    assert scene.fresh.dealer.code == "dealer"
    assert tablet.post("/sign-off")["Location"] == "/sign-in"


def test_a_dealer_who_is_not_assigned_does_not_take_the_table_by_signing_in(scene):
    tablet = scene.browser("tablet")
    answer = tablet.post("/sign-in", {"person": "stranger", "pin": PIN})
    assert answer.status_code == 403 and "not assigned to T-01" in answer.content.decode()
    assert (scene.fresh.dealer.code, Device.objects.get(pk=scene.tablet.pk).person) == ("dealer", None)


@pytest.mark.parametrize(("rules", "shaker", "left"), [
    ("pa-625a/A", "automated-covered", True),
    ("pa-625a/A", "manual", False),
    ("pa-539", "automated-uncovered", False),
    ("nj-19-47-9", "manual", False),
])  # fmt: skip
def test_between_rounds_only_the_shaker_that_an_edition_lets_stand_alone_may_be_left(db, rules, shaker, left):
    scene = make_scene(rules, shaker)
    if left:
        scene.act("leave_table")
        assert scene.fresh.dealer is None
    else:
        with scene.refused("shaker-left-unattended"):
            scene.act("leave_table")


@pytest.fixture
def next_door(scene):
    """T-02 beside the open T-01, the dealer on duty at both: a browser that is the tablet of T-02."""
    house, pit = scene.table.facility, scene.table.pit
    limits = {"seats": 8, "min_cents": 1_000, "max_cents": 100_000}
    table = make_table(house, code="T-02", pit=pit, submission="RS-0009", kind="live", **limits)
    Shaker.objects.create(facility=house, table=table, code="S-02", kind="manual")
    Assignment.objects.filter(person__code="dealer").update(table=None, pit=pit)
    return scene.browser(enroll("Tablet of T-02", house.code, "dealer", "larkfield/T-02")[1])


def deals(code):
    return Table.objects.values_list("dealer__code", flat=True).get(code=code)


def test_a_dealer_does_not_walk_away_to_another_table(scene, next_door):
    answer = next_door.post("/sign-in", {"person": "dealer", "pin": PIN})
    assert answer.status_code == 403
    assert "is at T-01 and may not leave it alone" in answer.content.decode()
    assert (deals("T-01"), deals("T-02")) == ("dealer", None)
    scene.act("take_over_table", by="relief")
    assert next_door.post("/sign-in", {"person": "dealer", "pin": PIN}).status_code == 302
    assert (deals("T-01"), deals("T-02")) == ("relief", "dealer")


def test_the_sign_in_warns_a_dealer_of_a_closed_table_who_deals_elsewhere(scene, next_door):
    scene.close()
    next_door.post("/sign-in", {"person": "dealer", "pin": PIN})
    Table.objects.filter(code="T-02").update(status="open")
    tablet = scene.browser("tablet")
    answer = tablet.post("/sign-in", {"person": "dealer", "pin": PIN})
    assert answer.status_code == 403
    assert "T-02" in answer.content.decode() or "never be left unattended" in answer.content.decode()
    assert deals("T-02") == "dealer"


def test_signing_off_leaves_the_table_of_the_tablet(scene, next_door):
    scene.close()
    next_door.post("/sign-in", {"person": "dealer", "pin": PIN})
    Table.objects.filter(code="T-02").update(status="open")
    assert next_door.post("/sign-off").status_code == 422
    assert (deals("T-01"), deals("T-02")) == ("dealer", "dealer")
    Table.objects.filter(code="T-02").update(status="closed")
    next_door.post("/sign-off")  # a refused sign-off locks the tablet, and nobody signs off without a PIN
    assert deals("T-02") == "dealer"
    next_door.post("/sign-in", {"person": "dealer", "pin": PIN})
    assert next_door.post("/sign-off").status_code == 302
    assert (deals("T-01"), deals("T-02")) == ("dealer", None)


@pytest.mark.clause("PA-675a.3(c)-responsible")
def test_the_shaker_of_high_roll_dice_is_in_the_charge_of_whoever_deals(db):
    scene = make_scene("pa-675a")
    scene.act("take_over_table", by="relief")
    assert scene.entry["data"]["takes_shaker"] == "S-01"
    assert scene.entry["data"]["relieves"] == "dealer"


def test_one_who_may_leave_signs_off_before_another_table():
    """An automated shaker may stand alone between rounds; its dealer still does not deal in two places."""
    scene = make_scene("pa-625a/A", "automated-covered")
    house, pit = scene.table.facility, scene.table.pit
    limits = {"seats": 8, "min_cents": 1_000, "max_cents": 100_000}
    make_table(house, code="T-02", pit=pit, submission="RS-0009", kind="live", **limits)
    Assignment.objects.filter(person__code="dealer").update(table=None, pit=pit)
    tablet = scene.browser(enroll("Tablet of T-02", house.code, "dealer", "larkfield/T-02")[1])
    answer = tablet.post("/sign-in", {"person": "dealer", "pin": PIN})
    assert answer.status_code == 403
    assert "Dealer is still at T-01. Sign off there first." in answer.content.decode()
    scene.act("leave_table")
    assert tablet.post("/sign-in", {"person": "dealer", "pin": PIN}).status_code == 302
    assert (deals("T-01"), deals("T-02")) == (None, "dealer")


def test_a_football_dealer_does_not_walk_away_to_another_table(db):
    scene = make_scene("pa-577")
    house, pit = scene.table.facility, scene.table.pit
    limits = {"seats": 16, "min_cents": 1_000, "max_cents": 100_000}
    make_table(house, code="T-02", pit=pit, submission="RS-0009", kind="live", **limits)
    Assignment.objects.filter(person__code="dealer").update(table=None, pit=pit)
    tablet = scene.browser(enroll("Tablet of T-02", house.code, "dealer", "larkfield/T-02")[1])
    assert tablet.post("/sign-in", {"person": "dealer", "pin": PIN}).status_code == 403
    assert (deals("T-01"), deals("T-02")) == ("dealer", None)


def test_somebody_at_a_post_of_another_table_in_play_is_not_at_work_here(scene, next_door):
    dealer = scene.people["dealer"]
    assert duty.at_work(scene.fresh, [dealer.pk]) == {dealer.pk}
    Table.objects.filter(code="T-02").update(dealer=dealer)
    assert duty.at_work(scene.fresh, [dealer.pk]) == {dealer.pk}
    Table.objects.filter(code="T-02").update(status="open")
    assert duty.at_work(scene.fresh, [dealer.pk]) == set()
    with scene.refused("post-is-empty"):
        scene.place((1, "small", 2_500))


@pytest.mark.parametrize(
    ("rules", "keeper", "equipment"),
    [("pa-625a/A", "Dealer", "shaker"), ("pa-577", "Stickperson", "dice cup")],
)
def test_the_sign_in_names_what_its_keeper_holds_as_the_game_does(db, rules, keeper, equipment):
    page = make_scene(rules).browser("tablet").get("/sign-in").content.decode()
    assert f"{keeper}, holds the {equipment}<" in page and f"keeps the {equipment} until relief" in page
