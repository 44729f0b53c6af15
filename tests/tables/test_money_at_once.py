"""Two people at once at the same chips, on PostgreSQL: nothing moves twice, and no slip number is missing."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from audit import verification
from audit.runner import ActResponse
from games.engine import Refusal
from tables.models import Assignment, ChipTransfer, DropBox, SlipNumbers, Table, TableInventory
from tables.opening.opening import make_table
from tests.tables.cast import Scene, make_scene
from tests.tables.test_money import (
    FILL,
    OPENER,
    OPENER_CENTS,
    box,
    cage,
    count,
    fill,
    keep_inventory,
    request,
    tray,
)
from tests.tables.test_two_at_once import at_once

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def scene(transactional_db) -> Scene:
    """A table with an opener of $61,550 and a drop box."""
    scene = keep_inventory(make_scene(opened=False))
    scene.staff()
    count(scene, "count_opener", OPENER)
    box(scene, "put_on_drop_box", {"box": "B-17"})
    scene.inspect()
    scene.open()
    return scene


def outcome(result: Any) -> str:
    """`done`, or the code of the refusal. Anything else is raised."""
    if isinstance(result, ActResponse):
        return "done"
    if isinstance(result, Refusal):
        return result.code
    raise result


def race(*acts: Callable[[], Any]) -> list[str]:
    return [outcome(result) for result in at_once(*acts)]


def received(scene: Scene, transfer: dict[str, int]) -> Callable[[], Any]:
    seen = scene.version
    return lambda: scene.act(
        "receive_transfer", {**transfer, "chips": FILL}, witness="floorperson", seen=seen
    )


def voided(scene: Scene, transfer: dict[str, int]) -> Callable[[], Any]:
    seen, params = scene.version, {**transfer, "reason": "not needed"}
    return lambda: cage(scene, "void_transfer", params, "security", seen=seen)


def test_a_request_that_two_cashiers_prepare_gets_one_slip(scene):
    transfer, seen = request(scene), scene.version
    outcomes = race(*[lambda: cage(scene, "prepare_transfer", transfer, seen=seen)] * 4)
    assert sorted(outcomes) == ["done", *["transfer-not-at-this-step"] * 3]
    assert SlipNumbers.objects.get().fill == 1
    assert verification.verify().good


def test_a_fill_that_is_received_and_voided_at_once_ends_one_way(scene):
    for turn in range(3):
        transfer, before = fill(scene), tray(scene)
        acts = [received(scene, transfer), voided(scene, transfer), received(scene, transfer)]
        outcomes = race(*acts[turn:], *acts[:turn])
        assert sorted(outcomes) == ["done", *["transfer-not-at-this-step"] * 2]
        status = ChipTransfer.objects.get(number=transfer["transfer"]).status
        assert tray(scene) - before == (300_000 if status == "received" else 0)
    assert verification.verify().good


def test_two_closers_a_sale_and_a_fill_at_once_leave_one_order(scene):
    transfer = fill(scene)
    box(scene, "take_off_drop_box")
    box(scene, "put_on_drop_box", {"box": "B-18"})
    seen = scene.version
    closer = lambda: count(scene, "count_closer", OPENER, seen=seen)  # noqa: E731
    outcomes = race(
        closer,
        lambda: scene.act("sell_chips", {"cents": 2_500}, seen=seen),
        received(scene, transfer),
        lambda: box(scene, "take_off_drop_box", seen=seen),
        closer,
    )
    assert outcomes[2] == outcomes[3] == "done"
    exact = OPENER_CENTS + 300_000 - (2_500 if outcomes[1] == "done" else 0)
    closers = [outcomes[0], outcomes[4]]
    if "done" in closers:
        inventory = TableInventory.objects.get()
        assert sorted(closers)[0] in ("closer-is-signed", "done", "drop-box-is-on", "transfers-under-way")
        assert (closers.count("done"), inventory.fills_cents) == (1, 300_000) and tray(scene) is None
    else:
        assert tray(scene) == exact
    box_sold = sum(DropBox.objects.values_list("sold_cents", flat=True))
    assert box_sold == TableInventory.objects.get().sold_cents
    assert verification.verify().good


def test_a_drop_box_that_two_take_off_while_chips_are_sold_has_every_sale(scene):
    seen = scene.version
    sale = lambda: scene.act("sell_chips", {"cents": 2_500}, seen=seen)  # noqa: E731
    off = lambda: box(scene, "take_off_drop_box", seen=seen)  # noqa: E731
    outcomes = race(sale, off, sale, off, sale)
    assert sorted((outcomes[1], outcomes[3])) == ["done", "no-drop-box"]
    sold = 2_500 * [outcomes[place] for place in (0, 2, 4)].count("done")
    assert DropBox.objects.get().sold_cents == sold == OPENER_CENTS - (tray(scene) or 0)
    assert verification.verify().good


def test_tables_that_ask_for_slips_at_once_get_every_number_once(scene):
    scenes = [scene]
    Assignment.objects.update(table=None)
    for code in ("T-02", "T-03", "T-04"):
        table = make_table(
            scene.table.facility, code=code, pit=scene.table.pit, submission="RS-0009", kind="live", seats=8,
            min_cents=1_000, max_cents=100_000,
        )  # fmt: skip
        Table.objects.filter(pk=table.pk).update(
            dealer=scene.people["dealer"], floorperson=scene.people["floorperson"]
        )
        another = Scene(table, scene.people, scene.tablet, scene.podium)
        count(another, "count_opener", OPENER, device=scene.podium)
        scenes.append(another)
    asked = [(each, request(each, kind)) for each, kind in itertools.product(scenes, ("fill", "credit") * 2)]
    outcomes = race(
        *(
            lambda each=each, transfer=transfer: cage(each, "prepare_transfer", transfer)
            for each, transfer in asked
        )
    )
    assert set(outcomes) == {"done"}
    for kind in ("fill", "credit"):
        numbers = ChipTransfer.objects.filter(kind=kind).values_list("slip_number", flat=True)
        assert sorted(numbers) == list(range(1, 9))
    assert verification.verify().good
