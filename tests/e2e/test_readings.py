"""A dice reader at a dealer's tablet: one press confirms what it read; where they differ, the floor decides by PIN."""

import datetime as dt
import io
import itertools
import json
import os
import threading
import time
import uuid
from collections import Counter

import pytest
from django.core.management import call_command
from playwright.sync_api import expect

from audit import clients, clock
from audit.devices import enroll
from audit.models import Entry
from audit.verification import verify
from tables.core.alerts import ALERT_RULES
from tables.dice.readings import READER_SILENT, SILENT_AFTER
from tables.management.commands import simulate_reader
from tables.management.commands.simulate_reader import FAULTS, fault_sequence
from tables.models import Alert
from tables.runner import table as table_runner
from tables.ticker import reconcile_alerts
from tests.e2e.field import FieldTablet
from tests.e2e.floor import Tablet, tablet
from tests.tables.cast import Scene

pytestmark = pytest.mark.browser


@pytest.fixture
def dice_next(scene) -> Scene:
    """Wagers on small and on the total 12 lie there, and the dice are to be called."""
    scene.place((1, "small", 2_500), (2, "total:12", 1_000))
    scene.to_the_dice()
    return scene


@pytest.fixture
def dealer(dice_next, new_page) -> Tablet:
    return tablet(new_page, dice_next)


@pytest.fixture
def read(dice_next, session_server):
    """`read(2, 5, 5)`: the reader of the table posts these faces."""
    return reader(dice_next, session_server)


def reader(scene: Scene, session_server):
    """A function by which a reader at the table posts faces."""
    client = clients.make("DR-01", "larkfield", ["readings"], "larkfield/T-01")

    def post(*dice: int, number: int = 1) -> None:
        params = {
            "number": number, "dice": list(dice), "read_at": clock.now().isoformat(), "confidence": 98,
            "firmware": "2.4.1",
        }  # fmt: skip
        table_runner.execute(
            table_runner.ActRequest(
                "larkfield", "T-01", "post_reading", uuid.uuid4(), 0, params, client.person, client.device
            )
        )
        session_server.push(scene.table.pk)

    return post


def settled(scene: Scene) -> dict:
    entry = Entry.objects.filter(stream=scene.fresh.stream, type="round.settled").latest("seq")
    return json.loads(bytes(entry.body))


def test_one_press_confirms_what_the_reader_read(dice_next, dealer, read):
    dealer.says("Tap the dice")
    read(5, 2, 5)
    dealer.says("Confirm 2 5 5")
    expect(dealer.next).to_contain_text("you call it; 1 win, 1 lose")
    expect(dealer.page.locator("#slots")).to_have_attribute(
        "aria-label", "Dice read: 2, 5, 5. Not yet recorded"
    )
    expect(dealer.page.locator("#reading")).to_contain_text("Total 12, big, not yet recorded")
    assert dealer.lit() == set()
    dealer.tap(dealer.next)
    expect(dealer.page.locator("#dock-dice")).to_be_visible()
    assert settled(dice_next)["data"]["reading"] == {"device": "DR-01", "number": 1, "dice": [5, 2, 5]}


def test_where_the_dice_differ_a_floorperson_decides_on_the_tablet(dice_next, dealer, read):
    read(2, 5, 5)
    dealer.says("Confirm 2 5 5")
    dealer.enter(2, 5, 6)
    dealer.says("Enter dice")
    dealer.tap(dealer.next)
    expect(dealer.page.locator("#ask")).to_contain_text("Leave the dice as they lie")
    dealer.page.keyboard.press("Escape")
    differ = dealer.page.locator("#differ")
    expect(differ.locator(".die--differs")).to_have_count(2)
    expect(differ.locator("tbody tr")).to_have_text("Total 12 2 $60 loses", use_inner_text=True)
    expect(dealer.next).to_contain_text("Waits for the floor to decide")
    dealer.tap("#differ .act >> nth=0")
    expect(dealer.page.locator("#ask")).to_be_visible()
    dealer.sign("floorperson")
    expect(dealer.page.locator("#dock-dice")).to_be_visible()
    expect(differ).to_have_count(0)
    entry = settled(dice_next)
    assert (entry["witness"], entry["data"]["dice"]) == ("floorperson", [2, 5, 5])
    assert entry["data"]["reading"]["entered"] == [2, 5, 6]


def test_at_high_roll_dice_one_press_calls_all_ten_dice(stage, new_page, session_server):
    scene = stage("pa-675a", payout_limit_cents=7_500_000)
    scene.place((2, "pip:5", 2_500), (2, "like-kind:3", 2_500))
    scene.to_the_dice()
    dealer = tablet(new_page, scene)
    reader(scene, session_server)(1, 1, 2, 2, 3, 3, 4, 4, 5, 6)
    dealer.says("Confirm the reading")
    expect(dealer.next).to_contain_text("2 aces, 1 six, 1 five, 2 fours, 2 threes, 2 twos")
    dealer.tap(dealer.next)
    expect(dealer.page.locator("#screen")).not_to_have_attribute("data-phase", "ready")


def test_at_football_the_stick_confirms_two_green_and_one_red(stage, new_page, session_server):
    scene = stage("pa-577")
    scene.place((3, "touchdown", 1_000))
    scene.to_the_dice()
    right = FieldTablet(new_page()).begin(scene)
    _, token = enroll("Third tablet of T-01", "larkfield", "dealer", "larkfield/T-01")
    stick = FieldTablet(new_page(1024, 768))
    stick.let_in(token, "stickperson")
    stick.is_live()
    reader(scene, session_server)(4, 6, 2)
    stick.says("Confirm 4 · 6 · 2")
    stick.tap(stick.next)
    expect(right.page.locator("#screen")).not_to_have_attribute("data-phase", "ready")


def test_the_simulated_reader_and_a_dealer_play_over_the_real_server(
    scene, new_page, live_url, session_server
):
    client = clients.make("DR-01", "larkfield", ["readings"], "larkfield/T-01")
    _secret, secret = clients.make_secret(client)
    output, dealer = io.StringIO(), tablet(new_page, scene)

    def play() -> None:
        call_command(
            "simulate_reader", "larkfield", "T-01", client=str(client.device_id), secret=secret, url=live_url,
            readings=3, faults="wrong", seed=11, every=0.2, stdout=output, stderr=output,
        )  # fmt: skip

    reader = threading.Thread(target=play)
    reader.start()
    for number in range(1, 4):
        scene.place((1, "small", 2_500))
        scene.to_the_dice()
        session_server.push(scene.table.pk)
        expect(dealer.page.locator("#reading")).to_be_visible(timeout=20_000)
        dice = [int(face) for face in output.getvalue().rpartition("show ")[2].split("\n")[0].split()]
        if number < 3:
            dealer.says("Confirm " + " ".join(map(str, sorted(dice))))
            dealer.tap(dealer.next)
        else:  # the reader has read another face: the dealer enters what lies there
            dealer.enter(*dice)
            dealer.tap(dealer.next)
            dealer.sign("floorperson")
        expect(dealer.page.locator("#dock-dice")).to_be_visible()
        assert settled(scene)["data"]["dice"] in (dice, sorted(dice))
        scene.finish()
        session_server.push(scene.table.pk)
    reader.join(20)
    assert not reader.is_alive()
    assert (settled(scene)["witness"], "entered" in settled(scene)["data"]["reading"]) == (
        "floorperson",
        True,
    )


SILENT_LONGER = SILENT_AFTER + dt.timedelta(seconds=5)


class MovedClock:
    """The clock of the product and of the reader, which a test moves ahead of that of this machine."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ahead = dt.timedelta()
        monkeypatch.setattr(clock.clock, "_of_every_thread", self.now)
        monkeypatch.setattr(simulate_reader, "now", self.now)

    def now(self) -> dt.datetime:
        return dt.datetime.now(dt.UTC) + self.ahead


def reader_alerts(scene: Scene, session_server) -> list[str]:
    """What the ticker finds of the reader, and which alerts are open then."""
    reconcile_alerts([rule for rule in ALERT_RULES if READER_SILENT in rule.kinds], clock.now())
    session_server.push(scene.table.pk)
    return list(
        Alert.objects.filter(kind="reader-silent", ended_at=None).values_list("table__code", flat=True)
    )


def test_a_shift_with_every_fault_of_the_reader_is_on_record_with_who_decided(
    stage, new_page, live_url, session_server, monkeypatch
):
    """Twelve throws at T-04 have each fault once. `READER_THROWS=120` makes the shift longer."""
    scene = stage(code="T-04")
    moved = MovedClock(monkeypatch)
    throws = int(os.environ.get("READER_THROWS", 12))
    sequence = list(itertools.islice(fault_sequence(",".join(FAULTS)), throws))
    client = clients.make("DR-04", "larkfield", ["readings"], "larkfield/T-04")
    _secret, secret = clients.make_secret(client)
    output, dealer = io.StringIO(), tablet(new_page, scene)

    def play() -> None:
        call_command(
            "simulate_reader", "larkfield", "T-04", client=str(client.device_id), secret=secret, url=live_url,
            readings=throws, faults=",".join(FAULTS), seed=11, every=0.2, late_seconds=8.0, silent_seconds=12.0,
            stdout=output, stderr=output,
        )  # fmt: skip

    reader = threading.Thread(target=play)
    reader.start()
    for number, fault in enumerate(sequence, start=1):
        scene.place((1, "small", 2_500))
        scene.to_the_dice()
        session_server.push(scene.table.pk)
        deadline = time.monotonic() + 60
        while output.getvalue().count("the dice show") < number:
            assert time.monotonic() < deadline, output.getvalue()
            dealer.page.wait_for_timeout(100)
        dice = [int(face) for face in output.getvalue().rpartition("show ")[2].split("\n")[0].split()]
        if fault == "silent":
            moved.ahead += SILENT_LONGER
            assert reader_alerts(scene, session_server) == ["T-04"], "the floor is told of a silence"
        if fault in ("late", "silent"):  # nobody waits for a reader
            dealer.call(*dice)
        else:
            expect(dealer.page.locator("#reading")).to_be_visible(timeout=20_000)
            if fault == "wrong":
                dealer.enter(*dice)
            dealer.tap(dealer.next)
            if fault == "wrong":
                dealer.sign("floorperson")
            expect(dealer.page.locator("#dock-dice")).to_be_visible()
        if fault in (
            "late",
            "silent",
        ):  # it is refused while bets are open, so it comes before the next round
            while output.getvalue().count(": late") < late_so_far(sequence[:number]):
                assert time.monotonic() < deadline, output.getvalue()
                dealer.page.wait_for_timeout(100)
            assert reader_alerts(scene, session_server) == [], "it is heard"
        scene.finish()
        session_server.push(scene.table.pk)
    reader.join(20)
    assert not reader.is_alive()
    injected = Counter(sequence)
    bodies = [json.loads(bytes(body)) for body in bodies_of("dice.read")]
    assert Counter(body["data"]["outcome"] for body in bodies) == {
        "pending": throws - injected["late"] - injected["silent"],
        "late": injected["late"] + injected["silent"],
    }
    assert output.getvalue().count("refused. reading-known") == injected["twice"]
    rounds = [json.loads(bytes(body)) for body in bodies_of("round.settled")]
    decided = [body["witness"] for body in rounds if "entered" in (body["data"].get("reading") or {})]
    assert decided == ["floorperson"] * injected["wrong"]
    confirmed = [body for body in rounds if body["data"].get("reading") and not body["witness"]]
    assert len(confirmed) == injected[""] + injected["twice"]
    assert {body["actor"] for body in rounds} == {"dealer"}
    for type_ in ("alert.raised", "alert.ended"):
        kinds = [json.loads(bytes(body))["data"]["kind"] for body in bodies_of(type_)]
        assert kinds.count("reader-silent") == injected["silent"]
    assert verify().findings == []
    print(f"{throws} throws at T-04: {dict(injected)}")


def bodies_of(type_: str) -> list[bytes]:
    return list(Entry.objects.filter(type=type_).order_by("pk").values_list("body", flat=True))


def late_so_far(sequence: list[str]) -> int:
    return sum(fault in ("late", "silent") for fault in sequence)
