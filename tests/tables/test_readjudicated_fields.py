"""Every field of every entry of a round, changed one by one as an insider could who hashes the chain again: settling it
again names all but those that nothing else on the record settles, and the document lists just these.
"""

import copy
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.db import transaction

from tables.core.entries import of_round
from tables.models import Slip
from tables.replay.readjudication import is_about_round, readjudicate_round
from tables.replay.replayed_round import RulesFinder
from tests.services.documents import fields_listed
from tests.tables.cast import Scene, make_scene
from tests.tables.slip_scene import file, review
from tests.tables.slip_scene import settle as hand_over
from tests.tables.test_readjudicate import about, rewrite, settled_again

pytestmark = pytest.mark.django_db

OF_THE_STREAM = {"round", "slip"}  # numbers that follow from the round and the slip before it


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where each figure, word or row of dice stands."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from leaves(item, (*path, name))
    elif isinstance(value, list) and value and not all(isinstance(item, int) for item in value):
        for number, item in enumerate(value):
            yield from leaves(item, (*path, number))
    else:
        yield path


def other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return value + "x"
    if isinstance(value, list):
        return [*value[:-1], value[-1] % 6 + 1] if value else [1]
    return 1


def changed(data: dict[str, Any], path: tuple[Any, ...]) -> dict[str, Any]:
    copied = copy.deepcopy(data)
    target: Any = copied
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = other(target[path[-1]])
    return copied


def unnoticed(scene: Scene) -> dict[str, set[str]]:
    """By the type of an entry of round 1 the fields whose change shows in no difference."""
    entries, terms = of_round(scene.table.stream, 1), RulesFinder()
    assert readjudicate_round(entries, "larkfield", terms).differences == []
    unnoticed_: dict[str, set[str]] = defaultdict(set)
    for place, entry in enumerate(entries):
        for path in leaves(entry.data) if is_about_round(entry) else ():
            another = replace(entry, data=changed(entry.data, path))
            if not readjudicate_round(
                [*entries[:place], another, *entries[place + 1 :]], "larkfield", terms
            ).differences:
                unnoticed_[entry.type].add(".".join("*" if isinstance(step, int) else step for step in path))
    return unnoticed_


def pay(scene: Scene) -> None:
    slip = Slip.objects.latest("number")
    hand_over(scene, *((amount["seat"], amount["cents"]) for amount in slip.due), code=slip.code)


def corrected_and_slipped() -> Scene:
    """Sic Bo with every sort of correction, and a slip of every sort about the slip before it."""
    scene = make_scene()
    scene.place((1, "small", 5_000), (2, "total:9", 1_000))
    scene.place((2, "big", 10_000), (3, "total:10", 500))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [2, 2, 6]})
    scene.act("correct_dice", {"dice": [2, 2, 5], "reason": "misread"}, witness="floorperson")
    missed = {"seat": 4, "wager": "small", "cents": 1_000, "reason": "overlooked"}
    scene.act("record_missed_wager", missed, witness="floorperson")
    struck = {"seat": 3, "wager": "total:10", "reason": "never lay there"}
    scene.act("strike_mistaken_wager", struck, witness="floorperson")
    scene.finish()
    file(scene, "dice", dice=[1, 1, 2])
    review(scene)
    pay(scene)
    file(scene, "wager", wagers=[{"seat": 1, "wager": "small", "cents": 2_000}])
    pay(scene)
    file(scene, "payment", payments=[{"seat": 2, "paid_cents": 5_000, "taken_cents": 0}])
    pay(scene)
    file(scene, "void", witness="pit-manager")
    return scene


def void_after_a_first_throw() -> Scene:
    scene = make_scene("pa-675a")
    scene.place((1, "pip:6", 1_000), (1, "like-kind:5", 1_000), (1, "extra-roll", 1_000))
    scene.to_the_dice()
    scene.act("call_no_roll", {"reason": "on-another", "faces_read": [6, 6]})
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [6, 6, 6, 1, 2, 3, 4, 5, 1, 2]})
    scene.act("move_dice")
    scene.act("settle_seats")
    scene.act("void_round", {"reason": "dispute"}, witness="floorperson")
    return scene


def a_game_of_two_plays() -> Scene:
    scene = make_scene("pa-577")
    scene.act("offer_dice", {"seat": 1, "accepted": True})
    scene.place((1, "touchdown", 1_000), (2, "penalty", 1_000, 1))
    for dice in ([4, 3, 1], [1, 1, 6]):
        scene.until("call_dice")
        scene.act("call_dice", {"dice": dice})
        while scene.round is not None and scene.snapshot["next"]["act"] == "settle_seats":
            scene.act("settle_seats")
    scene.finish()
    return scene


def no_roll() -> Scene:
    scene = make_scene()
    scene.place((1, "small", 2_500))
    scene.to_the_dice()
    scene.act("call_no_roll", {"reason": "cocked", "faces_read": [1, 1]}, witness="floorperson")
    file(scene, "payment", payments=[{"seat": 1, "paid_cents": 0, "taken_cents": 2_500}])
    return scene


def settled_manually() -> Scene:
    scene = make_scene()
    scene.place((1, "small", 1_000))
    scene.to_the_dice()
    scene.act("report_device_failure", {"what": "device", "dice": [1, 2, 3]}, witness="floorperson")
    scene.finish()
    return scene


def on_paper() -> Scene:
    scene = make_scene()
    wagers = [{"seat": 2, "wager": "big", "cents": 1_000}, {"seat": 1, "wager": "total:11", "cents": 500}]
    scene.settle_by_hand(wagers=wagers, dice=[5, 5, 1])
    return scene


SCENES = [
    corrected_and_slipped,
    void_after_a_first_throw,
    a_game_of_two_plays,
    no_roll,
    settled_manually,
    on_paper,
]


def test_whatever_is_changed_of_a_round_is_named_but_what_only_people_can_say():
    found: dict[str, set[str]] = defaultdict(set)
    for made in SCENES:
        back = transaction.savepoint()
        for type_, fields in unnoticed(made()).items():
            found[type_] |= fields - OF_THE_STREAM
        transaction.savepoint_rollback(back)
    assert {type_: fields for type_, fields in found.items() if fields} == fields_listed(
        "**Readjudication cannot check some fields**"
    )


# Over the rounds of a table


def two_rounds_and_two_slips(scene: Scene) -> None:
    for _ in range(2):
        scene.play((1, "small", 1_000), dice=[2, 2, 5])
        scene.finish()
    file(scene, "dice", dice=[6, 6, 5])
    file(scene, "dice", number=2, dice=[6, 6, 5])
    assert settled_again()[0] == []


def test_an_entry_that_was_given_to_another_round_is_named(scene):
    two_rounds_and_two_slips(scene)
    seq = rewrite(scene, "dice.shaken", lambda data: data.update(round=1))
    assert (seq, None, "round", 1, 2) in about(settled_again()[0])


def test_an_entry_that_names_no_round_any_more_is_named(scene):
    two_rounds_and_two_slips(scene)
    seq = rewrite(scene, "dice.shaken", lambda data: data.update(round="two"))
    assert (seq, None, "entry", "dice.shaken", "an entry of a round") in about(settled_again()[0])


def test_a_slip_that_was_given_another_number_is_named(scene):
    two_rounds_and_two_slips(scene)
    seq = rewrite(scene, "slip.filed", lambda data: data.update(slip="ENS-0007"))
    assert about(settled_again()[0]) == [(seq, None, "slip", "ENS-0007", "ENS-0002")]


def test_a_slip_that_names_another_entry_or_another_hash_of_it_is_named(scene):
    two_rounds_and_two_slips(scene)
    right: dict[str, Any] = {}

    def change(data: dict[str, Any]) -> None:
        right.update(data["corrects"])
        data["corrects"] = {**right, "hash": "0" * 64}

    seq = rewrite(scene, "slip.filed", change)
    assert about(settled_again()[0]) == [(seq, None, "corrects", {**right, "hash": "0" * 64}, right)]


def test_a_settlement_that_was_changed_no_longer_has_the_hash_that_its_slip_names(scene):
    scene.play((1, "small", 1_000), dice=[2, 2, 5])
    scene.finish()
    file(scene, "dice", dice=[6, 6, 5])
    rewrite(scene, "round.settled", lambda data: data.update(shaker="S-0"))
    assert [one["what"] for one in settled_again()[0]] == ["corrects"]


def test_money_that_moves_by_a_slip_that_does_not_wait_is_named(scene):
    two_rounds_and_two_slips(scene)
    pay(scene)
    seq = rewrite(scene, "slip.settled", lambda data: data.update(slip="ENS-0001"))
    assert (seq, None, "slip", "ENS-0001", "no slip of this round that waits") in about(settled_again()[0])


def test_a_line_that_says_more_than_was_settled_is_named(scene):
    scene.play((1, "small", 1_000), dice=[2, 2, 5])
    seq = rewrite(scene, "round.settled", lambda data: data["settled"][0].update(cut_cents=5, tip_cents=9))
    assert about(settled_again()[0]) == [(seq, 1, "cut_cents", 5, None), (seq, 1, "tip_cents", 9, None)]
