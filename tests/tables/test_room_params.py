"""What a screen may send to a room: texts as long as their column, lists as long as a delivery, nothing unknown."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit.models import Entry
from audit.refusals import AuditRefusal
from games.engine import Refusal
from tables.models import Approval, DiceLot, Pit
from tables.opening.opening import make_table
from tables.runner import facility
from tests.tables.test_dice_custody import TWO, box, die, receive
from tests.tables.test_malformed import any_params

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("name", "most"), [("maker", 60), ("serial", 40), ("lot", 20)])
def test_a_text_of_a_lot_is_stored_unchanged_or_refused(scene, name, most):
    with pytest.raises(Refusal, match="malformed"):
        receive(scene, box(**{name: "x" * (most + 1)}))
    receive(scene, box(**{name: "x" * most}))
    field = "code" if name == "lot" else name
    assert getattr(DiceLot.objects.latest("pk"), field) == "x" * most


def test_a_compartment_or_a_seal_that_fits_nowhere_is_refused(scene):
    receive(scene)
    tools = {"micrometer": "M", "caliper": "C", "square": "Q", "dice": [die()] * 3}
    with pytest.raises(Refusal, match="malformed"):
        scene.in_room("inspect_dice", {"lot": "L-0101", "compartment": "x" * 41, **tools}, **TWO)
    with scene.refused("malformed"):
        scene.act("change_dice_lot", {"lot": "L-0002", "seal": "x" * 41}, by="floorperson")
    with scene.refused("malformed"):
        scene.act("return_dice", {"lot": "L-0002", "compartment": "x" * 41}, device=scene.podium, **TWO)


@pytest.mark.parametrize(("name", "most"), [("reference", 60), ("version", 40)])
def test_an_approval_is_recorded_as_it_was_written_or_not_at_all(scene, name, most):
    given_ = {
        "subject": "device",
        "table": "T-01",
        "body": "Bureau of Gaming Laboratory Operations",
        "reference": "R",
        "approved_on": "2026-01-01",
        "version": "0.1",
        "letter": scene.on_file("The approval"),
    }
    for text in ("x" * (most + 1), "y\n"):
        with pytest.raises(Refusal, match="malformed"):
            scene.in_room("record_approval", {**given_, name: text}, by="compliance")
    scene.in_room("record_approval", {**given_, name: "x" * most}, by="compliance")
    assert getattr(Approval.objects.latest("pk"), name) == "x" * most


def test_a_delivery_has_its_limit(scene):
    with pytest.raises(Refusal, match="malformed"):
        receive(scene, *[box(f"N-{number}") for number in range(101)])
    receive(scene, *[box(f"N-{number}") for number in range(100)])
    assert DiceLot.objects.filter(code__startswith="N-").count() == 100


@settings(max_examples=80, suppress_health_check=list(HealthCheck))
@given(act=st.sampled_from(sorted(facility.ACTS)), params=any_params)
def test_any_request_to_a_facility_is_refused_or_executed_completely(scene, act, params):
    before = Entry.objects.count()
    by = "shift-manager" if "shift-manager" in facility.ACTS[act].roles else "compliance"
    with scene.tried():
        try:
            scene.in_room(act, params, by=by, witness="security")
        except (Refusal, AuditRefusal):
            assert Entry.objects.count() == before


@pytest.mark.parametrize("code", ["dice", "Staff", "equipment", "acts", "rules", "sign-in"])
def test_no_table_has_the_name_of_a_room_or_of_another_stream(scene, code):
    with pytest.raises(ValueError, match="no code of a table"):
        make_table(
            scene.table.facility,
            code=code,
            pit=Pit.objects.get(),
            submission="RS-0009",
            kind="live",
            seats=8,
            min_cents=100,
            max_cents=200,
        )
