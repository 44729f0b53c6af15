"""Every field of every entry that moves money or says who may, changed one by one as an insider could who writes a
false entry before anything is sealed, with every hash right. The outsider's verifier says so, but of what only people
can say; `docs/evidence.md` lists just these.
"""

import copy
import functools
import hashlib
import io
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import transaction

from audit import chain, export, verify
from audit.entry_types import ENTRY_TYPES
from tests.services.documents import fields_listed
from tests.tables import slip_scene, test_money, test_readjudicated_fields
from tests.tables.cast import Scene, make_scene
from tests.tables.test_readjudicated_fields import changed, leaves

from .test_insiders import afterdice_hand_settled, afterdice_missed, afterdice_scene

pytestmark = pytest.mark.django_db
Body = dict[str, Any]
REFERENCES = ("corrects", "filed", "held")


class Record:
    """The export of a table, to be written again with other entries and every hash right, references to them too."""

    def __init__(self, scene: Scene) -> None:
        lines = b"".join(export.lines(export.select([scene.fresh.stream.name]))).splitlines()
        self.opening = json.loads(lines[0])["body"]
        self.bodies: list[Body] = [json.loads(line)["body"] for line in lines[1:-1]]
        self.bytes = {id(body): chain.canonical(body) for body in self.bodies}
        self.hashes = {seq: json.loads(line)["hash"] for seq, line in enumerate(lines[1:-1], 1)}

    def written(self, bodies: list[Body]) -> bytes:
        """The export of these entries; it begins late where the first of them do not."""
        stream, opening = dict(self.opening["streams"][0]), self.opening
        if bodies[0] in self.bodies[1:]:
            stream |= {"seq": bodies[0]["seq"] - 1, "head": self.hashes[bodies[0]["seq"] - 1]}
            opening = {**opening, "from": bodies[0]["at"], "streams": [stream]}
        head, lines = bytes.fromhex(stream["head"]), [export._line(export.NO_HASH, opening)]
        places: dict[int, tuple[int, str]] = {}
        for seq, body in enumerate(bodies, stream["seq"] + 1):
            old_seq = body["seq"]
            if seq != old_seq or any(name in body["data"] for name in REFERENCES):
                body = {**body, "seq": seq, "data": self.referring(body["data"], places)}
            content = self.bytes.get(id(body)) or chain.canonical(body)
            digest = chain.entry_hash(head, content)
            lines.append(export.format_line(digest, head, content))
            head = digest
            places.setdefault(old_seq, (seq, digest.hex()))
        whole = hashlib.sha256(b"".join(lines))
        last = stream["seq"] + len(bodies)
        closing = {"entries": len(bodies), "head": head.hex(), "seq": last, "stream": stream["stream"]}
        said = {"_format": 1, "_type": "export.closed", "entries": len(bodies), "sha256": whole.hexdigest(),
                "streams": [closing]}  # fmt: skip
        return b"".join([*lines, export._line(whole.digest(), said)])

    def referring(self, data: dict[str, Any], places: dict[int, tuple[int, str]]) -> dict[str, Any]:
        """The data with the number and hash that each entry has now which they named rightly."""
        data = dict(data)
        for name in REFERENCES:
            named = data.get(name)
            if (
                isinstance(named, dict)
                and self.hashes.get(named["seq"]) == named["hash"]
                and named["seq"] in places
            ):
                seq, digest = places[named["seq"]]
                data[name] = {**named, "seq": seq, "hash": digest}
        return data

    def said(self, bodies: list[Body]) -> str:
        collected = verify.Collected()
        try:
            verify.verify(io.BytesIO(self.written(bodies)), collected=collected)
        except verify.Bad as bad:
            return bad.reason
        return "; ".join(collected.settlements.lines())


# What is changed

TOPICS = re.compile(r"(transfer|drop_box|inventory|slip|chips|par)\.")


def is_about_money(type_: str) -> bool:
    return type_ in verify.TABLE_TYPES or TOPICS.match(type_) is not None


def name_of(path: tuple[Any, ...]) -> str:
    """A field's name: items of a list, and chips by their value, are `*`."""
    return ".".join("*" if isinstance(step, int) or step.isdigit() else step for step in path)


def optional_fields(type_: str) -> frozenset[str]:
    return ENTRY_TYPES[type_].data.__optional_keys__


def mutants(bodies: list[Body]) -> Iterator[tuple[str, str, list[Body]]]:
    """Yield (type of the entry, what is changed, the bodies) for each change of one entry."""
    for place, body in enumerate(bodies):
        before, after, data = bodies[:place], bodies[place + 1 :], body["data"]
        if not is_about_money(body["_type"]):
            continue
        for path in leaves(data):
            yield body["_type"], name_of(path), [*before, {**body, "data": changed(data, path)}, *after]
        for name in optional_fields(body["_type"]) & data.keys():
            without = {key: value for key, value in data.items() if key != name}
            yield body["_type"], f"no {name}", [*before, {**body, "data": without}, *after]
        if body["witness"] is not None:
            yield body["_type"], "no witness", [*before, {**body, "witness": None}, *after]
        yield body["_type"], "left out", [*before, *after]
        yield body["_type"], "twice", [*before, body, {**body}, *after]


def unnoticed(record: Record) -> Iterator[tuple[str, str]]:
    """Each change after which the verifier says what it says of the record as it is."""
    good = record.said(record.bodies)
    assert good.startswith("settled again") and not re.search("NOT (SETTLED|CHECKED)", good), good
    for type_, what, bodies in mutants(record.bodies):
        if record.said(bodies) == good:
            yield type_, what


# Evenings with every sort of entry


def held_paid_and_refused() -> Scene:
    """What was added once the dice were known is held back at one seat; its slip is reviewed and paid."""
    scene = afterdice_scene()
    scene.play((1, "small", 2_500), (2, "big", 5_000), dice=[2, 5, 5])
    afterdice_missed(scene, 3, "big", 400_000)
    while scene.round.phase != "paid":
        following = scene.round_part["next"]
        scene.act(following["act"], following["params"])
    test_money.count(scene, "count_tray", {"2500": 1661})
    scene.finish()
    slip_scene.review(scene)
    slip_scene.settle(scene, (3, 400_000))
    scene.act("report_device_failure", {"what": "device"})
    afterdice_hand_settled(scene, (2, "total:12", 50_000), (4, "small", 500))
    slip_scene.review(scene, "ENS-0002", differs=True, reason="no such wager on camera 4")
    slip_scene.settle(scene, (2, 0), code="ENS-0002", reason="the review differs")
    test_money.box(scene, "take_off_drop_box")
    test_money.count(scene, "count_tray", {"2500": 1661})
    return scene


def high_roll_with_a_late_wager() -> Scene:
    """A wager that was recorded between the throws is held back where the extra throw pays it."""
    scene = make_scene("pa-675a")
    scene.place(*((1, code, 100_000) for code in ("pip:1", "like-kind:5", "like-kind:6", "extra-roll")))
    scene.place((2, "pip:6", 2_000))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [1] * 5 + [2, 2, 3, 3, 4]})
    afterdice_missed(scene, 1, "like-kind:7", 100_000)
    scene.until("call_dice")
    scene.act("call_dice", {"dice": [1, 1, 2, 3, 4]})
    scene.finish()
    slip_scene.review(scene)
    return scene


def an_evening_of_chips() -> Scene:
    """An inventory from its opener to the next: sales, a box, fills and a credit, counts that differ."""
    scene = test_money.keep_inventory(make_scene(opened=False))
    scene.staff()
    scene.act(
        "set_par",
        {"chips": test_money.OPENER},
        by="pit-manager",
        witness="shift-manager",
        device=scene.podium,
    )
    test_money.count(scene, "count_opener", test_money.OPENER)
    test_money.box(scene, "put_on_drop_box", {"box": "B-1"})
    scene.inspect()
    scene.open()
    scene.act("sell_chips", {"cents": 50_000, "chips": {"2500": 20}, "seat": 3})
    scene.act("sell_chips", {"cents": 2_500})
    received = test_money.fill(scene)
    scene.act("report_count_difference", {**received, "chips": {"500": 1}, "note": "a short tube"})
    with scene.refused_on_record("receipt-differs"):
        scene.act("receive_transfer", {**received, "chips": {"500": 99}}, witness="floorperson")
    scene.act("receive_transfer", {**received, "chips": test_money.FILL}, witness="floorperson")
    test_money.cage(scene, "void_transfer", {**test_money.fill(scene), "reason": "not needed"}, "security")
    for is_voided in (True, False):
        credit = test_money.request(scene, "credit", {"2500": 20})
        test_money.cage(scene, "prepare_transfer", credit)
        scene.act("sign_to_carry", credit, witness="security")
        scene.act("hand_over_transfer", credit, witness="floorperson")
        if is_voided:
            scene.act("void_transfer", {**credit, "reason": "a wrong tube"}, witness="floorperson")
        else:
            test_money.cage(scene, "receive_transfer", {**credit, "chips": {"2500": 20}}, "security")
    canceled = {**test_money.request(scene), "reason": "asked twice"}
    scene.act("cancel_transfer", canceled, by="floorperson", device=scene.podium)
    scene.play((1, "small", 2_500), (2, "big", 5_000), dice=[2, 5, 6])
    scene.finish()
    test_money.count(scene, "count_tray", {"100": 1})
    test_money.box(scene, "take_off_drop_box")
    test_money.cage(scene, "count_drop", {"drop_box": 1, "cents": 49_900}, "compliance")
    test_money.count(scene, "count_closer", {"100": 2})
    scene.close()
    test_money.count(scene, "count_opener", {"100": 2, "500": 1})
    test_money.count(scene, "count_tray", {"100": 2, "500": 1})
    return scene


SCENES: list[Callable[[], Scene]] = [
    *test_readjudicated_fields.SCENES,
    held_paid_and_refused,
    high_roll_with_a_late_wager,
    an_evening_of_chips,
]


# What nobody outside can notice. docs/evidence.md says why

IN_WORDS = {
    "announced",
    "called",
    "cite",
    "lit",
    "lot",
    "reason",
    "shaker",
    "uncovered",
}  # of every settlement


def without_words(type_: str, names: set[str]) -> set[str]:
    """The names of changes without those of a settlement's words."""
    words = IN_WORDS if type_ in (*verify.SETTLING, "slip.filed") else set()
    parts = {name: name.removeprefix("no ").removeprefix("settled.*.").partition(".")[0] for name in names}
    return {
        name for name, part in parts.items() if part not in words or (type_, name) == ("slip.filed", "reason")
    }


@functools.cache
def made_records() -> dict[str, Record]:
    """The record of each evening by its name, made once: what is read of it needs no database any more."""
    made = {}
    for scene in SCENES:
        back = transaction.savepoint()
        made[scene.__name__] = Record(scene())
        transaction.savepoint_rollback(back)
    return made


@pytest.fixture
def records(db: None) -> dict[str, Record]:
    return made_records()


def test_whatever_is_changed_is_said_but_what_only_people_can_say(records):
    found: dict[str, set[str]] = defaultdict(set)
    for record in records.values():
        for type_, what in unnoticed(record):
            found[type_].add(what)
    left = {type_: without_words(type_, names) for type_, names in found.items()}
    assert {type_: names for type_, names in left.items() if names} == fields_listed(
        "**What one false entry can still say.**"
    )


# The sentences of the changes that were called good before


def said_of(record: Record, type_: str, change: Callable[[list[Body], Body], None], nth: int = -1) -> str:
    """What the verifier says after a change of the nth entry of a type."""
    bodies = copy.deepcopy(record.bodies)
    change(bodies, [body for body in bodies if body["_type"] == type_][nth])
    return record.said(bodies)


def leave_out(bodies: list[Body], body: Body) -> None:
    bodies.remove(body)


def in_data(**fields: Any) -> Callable[[list[Body], Body], None]:
    return lambda bodies, body: body["data"].update(fields)


def test_a_slip_that_was_paid_without_its_review_is_named(records):
    said = said_of(records["held_paid_and_refused"], "slip.reviewed", leave_out, 0)
    assert said == "it settles a slip before its review, which comes before any money moves"


def test_money_against_a_review_is_named(records):
    paid = in_data(moved=[{"cents": 300_000, "seat": 2}])
    assert said_of(records["held_paid_and_refused"], "slip.settled", paid) == (
        "it moves money of a slip whose review differs"
    )


def test_a_review_by_somebody_who_signed_the_slip_is_named(records):
    said = said_of(
        records["held_paid_and_refused"], "slip.reviewed", lambda _, body: body.update(actor="dealer")
    )
    assert said == "a slip is reviewed by somebody who did not sign it"


def test_a_slip_whose_later_review_is_left_out_is_counted(records):
    record = records["corrected_and_slipped"]
    assert "NOT REVIEWED: 3 slips" in record.said(record.bodies)
    assert "NOT REVIEWED: 4 slips" in said_of(record, "slip.reviewed", leave_out)


def test_a_round_of_which_money_was_held_back_without_its_slip_is_named(records):
    def without_the_slip(bodies: list[Body], filed: Body) -> None:
        code = filed["data"]["slip"]
        bodies[:] = [body for body in bodies if body["data"].get("slip") != code]

    said = said_of(records["held_paid_and_refused"], "slip.filed", without_the_slip, 0)
    assert said == "400000 to seat 3 was held back of round 1, and no slip about it follows"


def test_another_sum_that_is_raised_is_named(records):
    raised = in_data(raised={"by_seat": [{"cents": 90_000, "seat": 3}], "cents": 90_000, "held": False})
    assert said_of(records["held_paid_and_refused"], "wager.missed", raised) == (
        "it says that it pays 90000 more than the throw at first, 90000 to seat 3; "
        "its wagers give 400000, 400000 to seat 3"
    )


def test_a_missed_wager_with_other_dice_is_named(records):
    said = said_of(records["held_paid_and_refused"], "wager.missed", in_data(dice=[6, 6, 6]))
    assert said == "its dice are 6, 6, 6, and those of the throw were 2, 5, 5"


def test_a_payment_of_what_was_held_back_is_named(records):
    assert said_of(records["held_paid_and_refused"], "winners.paid", in_data(held_cents=0)) == (
        "its held_cents is 0, and the entries and terms give 400000"
    )


def test_corrections_that_say_no_raise_are_counted_in_a_record_from_before(records):
    """The whole record says nothing of raises, as before they were recorded: the verifier says what it cannot check."""

    def from_before(bodies: list[Body], _body: Body) -> None:
        kept = []
        for body in bodies:
            if "held" in body["data"]:
                break
            body["data"].pop("raised", None)
            body["data"].pop("held_cents", None)
            kept.append(body)
        bodies[:] = [body for body in kept if body["_type"] != "inventory.counted"]

    said = said_of(records["held_paid_and_refused"], "wager.missed", from_before)
    assert "NOT CHECKED: 1 corrections that pay more than the dice at first" in said


def test_fills_and_drop_boxes_are_followed_from_step_to_step(records):
    record = records["an_evening_of_chips"]
    more = in_data(chips={"500": 100, "2500": 101}, cents=302_500)
    assert said_of(record, "transfer.received", more, 0) == (
        "it is another slip, or has other chips, than the entry before it about 1"
    )
    assert said_of(record, "transfer.handed_over", leave_out, 0) == (
        "it is count_refused, and the entry before it about 1 was preparing"
    )
    assert said_of(record, "transfer.requested", leave_out, 0) == "no fill or credit 1 was requested"
    assert said_of(record, "drop_box.taken_off", in_data(sold_cents=50_000)) == (
        "its sold_cents is 50000, and the entries and terms give 52500"
    )
    assert said_of(record, "inventory.discrepancy", leave_out, -2) == (
        "a count of 200 where 6350000 were expected is followed by no discrepancy"
    )


@pytest.mark.parametrize("scene", [scene.__name__ for scene in SCENES])
def test_an_export_from_any_moment_on_is_good(records, scene):
    """What began before it is unknown, and never called false."""
    record = records[scene]
    for place in range(1, len(record.bodies)):
        if record.bodies[place - 1]["at"] < record.bodies[place]["at"]:
            verify.verify(io.BytesIO(record.written(record.bodies[place:])))
