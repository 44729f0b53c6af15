"""A round one of whose entries somebody changed in the database: no slip is built upon it, and every page answers."""

import html
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.utils.html import escape

from audit import chain
from audit.models import Entry
from games.engine import Refusal
from tables.corrections.settlements import ROUND_UNREADABLE
from tables.models import Slip
from tables.screens import table_history
from tables.words.sentences import say
from tests.services.restore import restored_later
from tests.tables.cast import Scene, make_scene
from tests.tables.slip_scene import file, found, settle
from tests.tables.test_readjudicate import unguarded

pytestmark = pytest.mark.django_db
SENTENCE = say(Refusal(ROUND_UNREADABLE, round=1))
Body = Callable[[dict[str, Any]], Any]


@restored_later
def round_with_slips() -> Scene:
    scene = make_scene()
    scene.place((1, "small", 2_500), (2, "big", 5_000))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [2, 5, 6]})
    scene.act("correct_dice", {"dice": [2, 5, 5], "reason": "misread"}, witness="floorperson")
    scene.finish()
    file(scene, "dice", dice=[1, 1, 2])
    settle(scene, (1, 5_000), (2, -10_000))
    file(scene, "wager", wagers=[{"seat": 1, "wager": "small", "cents": 5_000}])
    return scene


@pytest.fixture
def slipped(db) -> Scene:
    """Round 1, its dice corrected before money moved; a slip about it that was settled, and one that waits."""
    scene = round_with_slips()
    table_history._newest_lines.clear()
    return scene


def damage(scene: Scene, type_: str, body: bytes | Body, *, rehash: bool = True) -> int:
    """The newest entry of a type with another body, and a hash that fits it. Its number."""
    entry = Entry.objects.filter(stream=scene.table.stream, type=type_).latest("seq")
    if not isinstance(body, bytes):
        body = chain.canonical(body(json.loads(bytes(entry.body))))
    digest = chain.entry_hash(bytes(entry.prev), body) if rehash else entry.hash
    with unguarded():
        Entry.objects.filter(pk=entry.pk).update(body=body, hash=digest)
    return entry.seq


def with_data(**data: Any) -> Body:
    return lambda body: {**body, "data": {**body["data"], **data}}


def without(*names: str) -> Body:
    return lambda body: {
        **body,
        "data": {name: value for name, value in body["data"].items() if name not in names},
    }


UNREADABLE: dict[str, tuple[str, bytes | Body]] = {
    "not JSON": ("wagers.placed", b"torn"),
    "no entry": ("wagers.placed", b"[]"),
    "too deep": ("layout.cleared", b"[" * 100_000),
    "no data": ("bets.closed", lambda body: {name: value for name, value in body.items() if name != "data"}),
    "data that is a list": ("round.settled", lambda body: {**body, "data": []}),
    "another round's": ("losers.taken", with_data(round=2)),
    "no dice": ("dice.corrected", without("dice")),
    "dice that are no numbers": ("dice.corrected", with_data(dice=[None])),
    "wagers that are none": ("round.settled", with_data(settled=[7])),
    "no throw": ("dice.corrected", without("throw")),
    "no seats": ("winners.paid", without("seats")),
    "seats of objects": ("winners.paid", with_data(seats=[{}])),
    "a slip without its throws": ("slip.filed", with_data(throws=[])),
    "a slip without its ending": ("slip.filed", without("ending")),
    "a slip whose code is a list": ("slip.filed", with_data(slip=[])),
    "a slip that settles nothing": ("slip.filed", without("settled")),
    "a slip that is due a word": ("slip.filed", with_data(due=[{}])),
    "a slip without its mistake": ("slip.filed", with_data(mended=None)),
    "a wager of no seat": (
        "wagers.placed",
        with_data(placed=[{"seat": "x", "wager": 7, "cents": 1, "flag": ""}]),
    ),
    "a wager that was paid a list": (
        "dice.corrected",
        lambda body: with_data(settled=[{**body["data"]["settled"][0], "paid_cents": []}])(body),
    ),
    "a slip about one wager without an end": (
        "slip.filed",
        lambda body: with_data(settled=[{**body["data"]["settled"][0], "outcome": None}])(body),
    ),
}


UNSEEN_BY_SLIPS = {"a wager of no seat"}  # they go on from what was settled, which says the wagers again


def pages(scene: Scene, seq: int) -> None:
    """Everything that tells of the round answers; the page of the round says what is wrong, and offers no slip."""
    dealer, desk = scene.browser("tablet", "dealer"), scene.browser("podium", "compliance")
    replay = "/floor/larkfield/T-01/rounds/1/"
    day = scene.last_round.gaming_day
    for browser, address in (
        (dealer, "/floor/larkfield/T-01/"),
        (desk, replay),
        (desk, f"/record/larkfield/entries/T-01/{seq}/"),
        (desk, f"/record/larkfield/report/?day={day}"),
        (desk, "/record/larkfield/?place=T-01"),
    ):
        assert browser.get(address).status_code == 200, address
    text = html.unescape(dealer.get(replay).content.decode())
    assert ('data-open="file-slip"' in text) != (SENTENCE in text)


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_round_that_cannot_be_read_cannot_be_corrected_and_its_pages_explain_it(slipped, name):
    seq = damage(slipped, *UNREADABLE[name])
    pages(slipped, seq)
    if name in UNSEEN_BY_SLIPS:
        return
    before = list(Slip.objects.order_by("pk").values())
    for kind, said in (
        ("dice", {"dice": [1, 1, 3]}),
        ("wager", {"wagers": [{"seat": 3, "wager": "big", "cents": 500}]}),
        ("payment", {"payments": [{"seat": 2, "paid_cents": 1, "taken_cents": 0}]}),
        ("void", {}),
    ):
        with slipped.refused("round-unreadable"):
            file(slipped, kind, corrects=1, witness="pit-manager", **said)
    assert list(Slip.objects.order_by("pk").values()) == before
    question = json.dumps({"round": 1, "kind": "dice", "dice": [1, 1, 3]})
    answer = slipped.browser("tablet", "dealer").get(
        "/floor/larkfield/T-01/rounds/1/slip", {"said": question}
    )
    assert answer.status_code == 422 and escape(SENTENCE) in answer.content.decode()


def test_a_round_on_paper_with_a_wager_that_no_layout_has_is_shown(scene):
    wagers = [{"seat": 2, "wager": "big", "cents": 1_000}]
    scene.settle_by_hand(wagers=wagers, dice=[5, 5, 1])
    seq = damage(
        scene,
        "round.recorded_by_hand",
        lambda body: with_data(settled=[{**body["data"]["settled"][0], "wager": "biggest"}])(body),
    )
    pages(scene, seq)


def test_no_slip_is_filed_on_a_body_that_does_not_match_its_hash(slipped):
    damage(slipped, "round.settled", with_data(taken_cents=0), rehash=False)
    with slipped.refused("round-unreadable"):
        found(slipped, kind="void")


def test_no_slip_is_filed_after_an_earlier_slip_was_removed(slipped):
    with unguarded():
        Entry.objects.filter(stream=slipped.table.stream, type="slip.filed").last().delete()
    with slipped.refused("round-unreadable"):
        found(slipped, kind="void")


def test_an_ended_round_without_its_settlement_cannot_be_corrected(scene):
    scene.play((1, "small", 2_500), dice=[2, 5, 5])
    scene.finish()
    with unguarded():
        Entry.objects.filter(stream=scene.table.stream, type="round.settled").delete()
    with scene.refused("round-unreadable"):
        found(scene, kind="void")


@pytest.mark.parametrize("change", [with_data(due=[{"seat": 1, "cents": 9_000}]), with_data(slip="ENS-0009")])
def test_a_slip_that_differs_from_its_entry_cannot_be_settled(slipped, change):
    damage(slipped, "slip.filed", change)
    with slipped.refused("round-unreadable"):
        settle(slipped, (1, 2_500), code="ENS-0002")


def test_a_slip_without_its_entry_cannot_be_settled(slipped):
    with unguarded():
        Entry.objects.filter(stream=slipped.table.stream, type="slip.filed").last().delete()
    with slipped.refused("round-unreadable"):
        settle(slipped, (1, 2_500), code="ENS-0002")


def test_the_newest_acts_of_a_table_use_the_columns_of_an_unreadable_body(slipped):
    seq = damage(slipped, "slip.settled", b"torn")
    line = next(value for value in slipped.snapshot["acts"] if value["seq"] == seq)
    assert (line["type"], line["text"], line["who"]) == ("slip.settled", "Slip settled", "Dealer")
