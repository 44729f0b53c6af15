"""Tables of every game driven by random acts, most of them offered: nothing sticks, and each wager settles once."""

import random
from collections import Counter
from typing import Any

import pytest

from games.catalog.football.engine.wagers import SINGLE_PLAY_CODES
from games.engine import Refusal, Rules
from tables.models import Settlement, Throw
from tests.tables.cast import Scene, make_scene, verify_pushed_as_read

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
STEPS, TO_THE_END = 90, 60
# These end a table's day or need another thing at hand; their own tests show them.
NOT_WALKED = {"close_table", "replace_shaker", "report_device_failure", "change_dice_lot", "withdraw_dice"}


def wagers(shown: dict[str, Any], draw: random.Random) -> list[dict[str, Any]]:
    """A few wagers at one seat, some of which the game will refuse."""
    play = shown["round"]["game"].get("play")
    codes = draw.sample([one["wager"] for one in shown["layout"]], 3)
    if shown["table"]["game"] == "high-roll":
        codes = ["pip:1", *codes]
    cents = draw.choice((0, 1_000, 2_500))
    return [
        {
            "seat": 1,
            "wager": code,
            "cents": 100 if code.startswith("millionaire") else cents,
            **({"play": play} if code in SINGLE_PLAY_CODES else {}),
        }
        for code in dict.fromkeys(codes)
    ]


def params(act: str, shown: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """What a person might send with an act."""
    seat = draw.randint(1, 4)
    if act == "place_wagers":
        return {"wagers": [{**one, "seat": seat} for one in wagers(shown, draw)]}
    if act in ("call_dice", "correct_dice"):
        count = (shown["next"] or {}).get("dice") or len(shown["round"]["dice"] or [1, 1, 1])
        dice = {"dice": [draw.randint(1, 6) for _ in range(count)]}
        return dice if act == "call_dice" else {**dice, "reason": "misread"}
    if act == "record_missed_wager":
        return {**wagers(shown, draw)[0], "seat": seat, "cents": 1_000, "reason": "overlooked"}
    if act == "strike_mistaken_wager":
        lying = [one for one in shown["round"]["wagers"] if not one["struck"]]
        one = draw.choice(lying) if lying else {"seat": 1, "wager": "small", "play": None}
        keys = {"seat": one["seat"], "wager": one["wager"], "reason": "never lay there"}
        return keys | ({"play": one["play"]} if one["play"] else {})
    if act == "call_no_roll":
        seen = [draw.randint(1, 6) for _ in range(draw.randint(0, 3))]
        return {"reason": draw.choice(("off-table", "cocked", "on-another")), "faces_read": seen}
    if act == "void_round":
        return {"reason": "emergency", "note": "fire alarm"}
    if act == "offer_dice":
        return {"seat": shown["round"]["game"]["offer"]["next"], "accepted": draw.random() < 0.7}
    if act == "return_wagers":
        return dict(shown["next"]["params"])
    return {"shakes": 3} if act == "shake" else {}


def take(scene: Scene, act: str, shown: dict[str, Any], draw: random.Random) -> bool:
    """Whether the runner took the act; a refusal changes nothing, which `Scene.version` would tell."""
    before = scene.version
    try:
        by = None if act in shown["post_acts"] else "shift-manager"
        response = scene.act(act, params(act, shown, draw), by=by, witness="floorperson")
    except Refusal:
        assert scene.version == before
        return False
    verify_pushed_as_read(response)
    return True


def walk(scene: Scene, draw: random.Random, steps: int = STEPS) -> int:
    """Random acts, then the next steps until the round is over; how many rounds ended."""
    for _ in range(steps):
        shown = scene.snapshot
        offered = [act for act in shown["offers"] if act not in NOT_WALKED and act != "void_round"]
        rare = ["void_round"] if draw.random() < 0.03 and scene.round else []
        following = [shown["next"]["act"]] * 4 if shown["next"] else []
        take(scene, draw.choice(rare or offered + following), shown, draw)
    for step in range(TO_THE_END):
        if scene.round is None:
            return scene.fresh.last_round
        shown = scene.snapshot
        if step > TO_THE_END / 2 and not shown["round"]["wagers"]:
            take(scene, "void_round", shown, draw)  # a game that nobody has a wager in is never thrown
        elif shown["missing"]:  # a Quarterback kept from the game before, who sits this one out
            scene.act("offer_dice", {"seat": scene.round.quarterback, "accepted": False})
        else:
            take(scene, shown["next"]["act"], shown, draw) or take(scene, "place_wagers", shown, draw)
    raise AssertionError((scene.snapshot["round"]["phase"], scene.snapshot["next"], scene.snapshot["offers"]))


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.repeated) for seed in (1, 2))])
@pytest.mark.parametrize("rules", ["pa-539", "pa-625a/B", "pa-675a", "pa-675a.6", "pa-577"])
def test_no_walk_sticks_and_every_wager_of_every_round_settles_once(rules, seed):
    scene = make_scene(rules)
    assert walk(scene, random.Random(f"{rules} {seed}")) >= 1
    for round_ in scene.table.rounds.all():
        newest = {throw.number: throw.pk for throw in Throw.objects.filter(round=round_).order_by("revision")}
        rows = list(Settlement.objects.filter(throw__in=newest.values()).select_related("wager"))
        times = Counter(row.wager_id for row in rows if row.outcome != "fee" or round_.phase != "void")
        standing = {wager.pk for wager in round_.wagers.filter(struck=False)}
        assert set(times) == standing and set(times.values()) <= {1}, (round_, times)
        assert sum(row.paid_cents for row in rows) == round_.paid_cents
        returned = {row.wager_id for row in rows if row.outcome == "return"}
        kept = (row for row in rows if row.outcome in ("lose", "fee") and row.wager_id not in returned)
        assert sum(row.cents for row in kept) == round_.taken_cents
    assert Rules.of(rules).key == scene.snapshot["rules"]["key"]
