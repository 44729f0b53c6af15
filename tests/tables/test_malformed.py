"""Any parameters whatever: a refusal, and nothing changed."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.engine import Refusal
from tables.runner import table
from tests.tables.cast import make_scene

pytestmark = pytest.mark.django_db

NAMES = sorted(
    {
        "dice",
        "lit",
        "tosses",
        "acknowledge_lapsed",
        "lot",
        "shaker",
        "covered_or_signed",
        "removed_from_table",
    }
    | {
        "wagers",
        "shakes",
        "activated_by_seat",
        "seats",
        "reason",
        "seat",
        "wager",
        "cents",
        "made_in",
        "what",
    }
)
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-1, 9)
    | st.floats()
    | st.text(st.characters(), max_size=5)
    | st.sampled_from(
        ["small", "total:12", "chips", "cash", "L-0002", "S-01", "\ud800", "device", "shaker", ""]
    )
)
json_values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)
any_params = st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=4), json_values, max_size=5)


@pytest.fixture(params=["closed", "open", "ready", "lit"])
def at_phase(request, db):
    scene = make_scene(opened=request.param != "closed")
    if request.param in ("ready", "lit"):
        scene.place((1, "small", 2_500), (2, "big", 2_500))
        scene.to_the_dice()
    if request.param == "lit":
        scene.act("call_dice", {"dice": [2, 5, 5]})
    return scene


@settings(max_examples=120, suppress_health_check=list(HealthCheck))
@given(act=st.sampled_from(sorted(table.ACTS)), params=any_params)
def test_any_request_is_refused_or_executed_completely(at_phase, act, params):
    scene = at_phase
    before = scene.version
    with scene.tried():
        try:
            by = "floorperson" if "floorperson" in table.ACTS[act].roles else "dealer"
            scene.act(act, params, by=by, witness="shift-manager")
        except (Refusal, table.Stale):
            assert scene.version == before
        else:
            assert scene.version > before  # an act that raises an alert has two entries
    assert scene.version == before


@pytest.mark.parametrize("act", sorted(table.ACTS))
def test_a_parameter_that_the_act_does_not_know_is_refused(scene, act):
    by = "dealer" if "dealer" in table.ACTS[act].roles else "floorperson"
    before = scene.version
    for params in (
        {"payout": 1},
        {"dice ": [1, 2, 3]},
        {"": None},
        {"x": float("nan")},
        {"x": 2**53},
        {"x": "\ud800"},
    ):
        with pytest.raises(Refusal):
            scene.act(act, params, by=by)
    assert scene.version == before


@pytest.mark.parametrize(
    "wagers",
    [
        None,
        {},
        "all",
        [],
        [None],
        [[]],
        [{"seat": 1}],
        [{"seat": 1, "wager": "small", "cents": 500, "note": "x"}],
        [{"seat": [1], "wager": {}, "cents": "5"}],
        [{"seat": 0, "wager": "small", "cents": 500}],
    ],
)
def test_wagers_are_a_list_of_wagers(scene, wagers):
    with scene.refused("malformed"):
        scene.act("place_wagers", {"wagers": wagers})
