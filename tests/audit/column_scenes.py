"""Scenes with rows of almost every model, for `test_columns.py`: an evening at a table, and an office."""

import datetime as dt
import hashlib
import json
import uuid
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from unittest.mock import patch

from django.conf import settings
from django.core.management import call_command

from audit import clients, clock, people, registration
from audit.runner import ActRequest
from tables.cases.case import open_found_cases
from tables.desk.desk import STREAM, execute
from tables.figures import rollup
from tables.models import Alert, Case, CaseLetter
from tables.ticker import Ticker
from tests.desk import test_retention
from tests.golden.floor import Floor
from tests.golden.installation import Clock, Randomness, manage
from tests.golden.office import play_office, play_providers, play_requests
from tests.golden.rooms import play_rooms
from tests.golden.tables import play_dice_and_shakers, play_limits
from tests.tables import (
    slip_scene,
    test_cases,
    test_dice_control,
    test_handover,
    test_money,
    test_people,
    test_players,
)
from tests.tables.cast import PIN, Scene, make_scene
from tests.tables.conftest import Hands

NOON = dt.datetime(2026, 11, 21, 15, tzinfo=dt.UTC)
INSTRUMENT = {
    "instrument": "M-9",
    "kind": "micrometer",
    "serial": "9",
    "calibrated_on": "2026-11-01",
    "ends_on": "2027-11-01",
}


def evening(folder: Path) -> None:
    """An evening, and the morning after it."""
    hands = Hands(NOON)
    with clock.override(hands):
        scene = play_evening(folder)
        hands.now += dt.timedelta(days=1)
        test_cases.accept(scene, test_cases.opened(scene)[0])
        call_command("record_rows", "larkfield")


def play_evening(folder: Path) -> Scene:
    """A table with a row of each sort: an inventory that is over and an open one, slips, players, plans, a handover,
    cases, people, and the figures of its rounds.
    """
    scene = make_scene(opened=False)
    registration.record_people()
    test_money.keep_inventory(scene)
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
    received = test_money.fill(scene)
    scene.act("report_count_difference", {**received, "chips": {"500": 1}, "note": "a short tube"})
    scene.act("receive_transfer", {**received, "chips": test_money.FILL}, witness="floorperson")
    test_money.cage(scene, "void_transfer", {**test_money.fill(scene), "reason": "not needed"}, "security")
    credit = test_money.request(scene, "credit", {"2500": 20})
    test_money.cage(scene, "prepare_transfer", credit)
    scene.act("sign_to_carry", credit, witness="security")
    scene.act("hand_over_transfer", credit, witness="floorperson")
    test_money.cage(scene, "receive_transfer", {**credit, "chips": {"2500": 20}}, "security")
    canceled = {**test_money.request(scene), "reason": "asked twice"}
    scene.act("cancel_transfer", canceled, by="floorperson", device=scene.podium)
    code = test_players.register(scene)
    scene.play((1, "small", 2_500), (2, "big", 5_000), (4, "small", 1_000), dice=[2, 5, 6])
    test_players.rate(scene, code)
    scene.finish()
    scene.act("move_rating", {"seat": 1, "to_seat": 4}, by="floorperson")
    slip_scene.file(scene, "dice", dice=[1, 1, 2])
    slip_scene.review(scene, reason="as on the recording")
    slip_scene.settle(scene, (1, 5_000), (2, -10_000), (4, 2_000))
    scene.act("report_dispute", {"seat": 3, "about": "the call"})
    watch_the_floor(scene)
    test_money.count(scene, "count_tray", {"100": 1})
    test_money.box(scene, "take_off_drop_box")
    test_money.cage(scene, "count_drop", {"drop_box": 1, "cents": 49_900}, "compliance")
    test_money.count(scene, "count_closer", {"100": 2})
    dispute = {"alert": Alert.objects.get(kind="dispute", decided_at=None).pk}
    scene.act("decide_alert", {**dispute, "decision": "as-recorded"}, by="floorperson", device=scene.podium)
    scene.close()
    test_money.count(scene, "count_opener", {"100": 2, "500": 1})
    scene.in_room("plan_move", {"person": "relief", "table": "T-01"}, by="floorperson")
    scene.act("take_over_table", by="relief")
    scene.in_room("plan_move", {"person": "dealer", "table": "T-01"}, by="floorperson")
    draft = test_handover.handover_draft(scene.table.facility, scene.fresh.stream.last_at)
    test_handover.accept(scene, *[item.key for item in draft.items])
    test_handover.sign(scene, note="A quiet night")
    work_on_a_case(scene)
    change_people(scene)
    Ticker(lambda: 0.0).tick()
    rollup.write_rollups()
    declare_report(folder)
    return scene


def watch_the_floor(scene: Scene) -> None:
    """Calls to the floor: answered, muted, explained, decided and read; a device that may help to cheat."""
    scene.act("call_floor")
    call = {"alert": Alert.objects.get(kind="floor-call").pk}
    scene.act("explain_call", {**call, "reason": "dispute", "seat": 2})
    scene.act("answer_alert", call, by="floorperson", device=scene.podium)
    scene.act("mute_alert", {**call, "minutes": 5}, by="floorperson", device=scene.podium)
    scene.act("decide_alert", {**call, "decision": "settled"}, by="floorperson", device=scene.podium)
    scene.act("read_decision", call)
    incident = {"what": "a telephone", "action": "put away", "seat": 2}
    scene.act("log_device_incident", incident, by="floorperson", device=scene.podium)


def work_on_a_case(scene: Scene) -> None:
    """The case of the dispute: noted, seen on a camera, documented, answered by a letter, signed and reopened."""
    open_found_cases()
    case = {"case": Case.objects.get(subject="T-01:1:3").code}
    scene.in_room("take_case", case, by="compliance")
    scene.in_room("add_case_note", {**case, "text": "Asked the dealer"}, by="compliance")
    seen = {"camera": "04-A", "clip": "77", "begins": "21:17:30", "ends": "21:18:00", "shows": "2 2 5"}
    scene.in_room("record_camera_seen", {**case, **seen}, by="surveillance")
    content = b"I had $100 on Big."
    document = {"title": "Statement", "filename": "said.txt", "sha256": hashlib.sha256(content).hexdigest()}
    scene.in_room("add_case_document", {**case, **document}, by="compliance", attachment=content)
    scene.in_room("write_case_letter", {**test_cases.LETTER, **case}, by="compliance")
    signed = {**case, "outcome": test_cases.LETTER["outcome"], "reason": test_cases.LETTER["reason"]}
    letter = CaseLetter.objects.get().sha256
    scene.in_room("sign_case_outcome", {**signed, "sha256": letter}, by="surveillance")
    scene.in_room("sign_case_outcome", {**signed, "sha256": letter}, by="compliance")
    scene.in_room("close_case", case, by="compliance")


def change_people(scene: Scene) -> None:
    """People and devices, a lock-out, a hold, a filter, the count of the dice, and the sum of a first review."""
    test_people.change(scene, "add_person", test_people.ZOE)
    client = clients.make("Casino management", "larkfield", ["money"], by=scene.people["compliance"])
    for _ in range(2):
        clients.make_secret(client, scene.people["compliance"])
    test_people.change(
        scene, "add_people", {"people": [{**test_people.ZOE, "person": "park-y", "badge": "4418"}]}
    )
    duty = {"person": "park-z", "table": "T-01"}
    scene.in_room("assign_person", duty, by="shift-manager", witness="pit-manager")
    leave = {"person": "park-z", "begins_on": "2026-11-21", "last_day": "2026-12-03", "reason": "family"}
    test_people.change(scene, "record_leave", leave)
    test_people.change(scene, "record_return", {"person": "park-z"})
    trained = {"person": "relief", "game": "football", "reference": "TR-9", "since": "2026-11-01"}
    scene.in_room("record_qualification", trained, by="shift-manager")
    for _ in range(people.MAX_WRONG_PINS[people.Scope.PERSON_AT_DEVICE]):
        scene.browser().post("/sign-in", {"person": "dealer", "pin": "000000"})
    test_people.change(scene, "set_review_sum", {"cents": 40_000}, by="compliance", approver="shift-manager")
    hold = {"reason": "A complaint", "kinds": ["record"], "first_day": "2026-11-21"}
    test_retention.act(scene, "place_legal_hold", **hold)
    call = ActRequest(
        facility="larkfield", place=STREAM, act="save_filter", command=uuid.uuid4(), seen_version=0,
        params={"name": "Voids", "query": "type=round.voided"}, actor=scene.people["compliance"],
        device=scene.podium,
    )  # fmt: skip
    execute(call)
    test_dice_control.count(scene)
    test_dice_control.instrument(scene, **INSTRUMENT)


def declare_report(folder: Path) -> None:
    """A report that is written every day."""
    (folder / "reports").mkdir()
    file = folder / "reports.toml"
    file.write_text(f'[reports.evening]\nevery = "day"\nfolder = {json.dumps(str(folder / "reports"))}\n')
    by = ("--by", "system-administrator", "--with", "compliance", "--pin-from-stdin")
    with patch("sys.stdin", StringIO(f"{PIN}\n" * 2)):
        call_command("figures_report", "larkfield", "--declare", file, *by)


# The office


def office(folder: Path) -> None:
    """The demo, its dice room and its rules office: as `tests/golden` plays them."""
    played, randomness = Clock(), Randomness()
    with patch("os.urandom", randomness), patch("random._urandom", randomness), clock.override(played):
        settings.DEMO = True
        manage("seed_demo")
        floor = Floor(played, randomness)
        for scene in (
            play_dice_and_shakers,
            play_limits,
            play_rooms,
            play_office,
            play_requests,
            play_providers,
        ):
            floor.play(scene)
        registration.record_people()
        for facility in ("larkfield", "seabright"):
            call_command("record_rows", facility)


SCENES: dict[str, Callable[[Path], None]] = {"evening": evening, "office": office}
