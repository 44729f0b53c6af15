"""From an empty database to the first round, by the endpoints of the screens alone."""

import io
import json
import sys
import uuid
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client

from audit import clock, devices
from audit.models import Person
from audit.verification import verify
from games.models import Facility
from tables.demo.seeding import inspection_of
from tables.management.commands import create_facility
from tables.models import Table
from tables.setup.first_day import first_day
from tests import first_day as walk
from tests.first_day import FACILITY, PEOPLE, PIN

pytestmark = pytest.mark.django_db


class Browser:
    """A device with somebody signed in, who posts acts as its pages do."""

    approver: "Browser | None" = None  # the second person, who approves what is only prepared here

    def __init__(self, token: str, person: str) -> None:
        self.client = Client()
        assert self.client.post("/enrol", {"token": token})["Location"] == "/sign-in"
        self.sign_in(person)

    def sign_in(self, person: str) -> "Browser":
        assert self.client.post("/sign-in", {"person": person, "pin": PIN}).status_code == 302, person
        return self

    def post(
        self, place: str, act: str, params: dict[str, Any], witness: tuple[str, str] | None = None
    ) -> dict[str, Any]:
        """Post an act of the `office`, of the `floor`, or of a table, and return its answer."""
        area = place if place in ("office", "floor") else f"floor/{FACILITY}/{place}"
        address = f"/{area}/{FACILITY}/acts/{act}" if place in ("office", "floor") else f"/{area}/acts/{act}"
        table = Table.objects.filter(code=place).select_related("stream").first()
        body: dict[str, Any] = {
            "command": str(uuid.uuid4()), "seen": table.stream.seq if table else 0, "params": params,
        }  # fmt: skip
        if witness:
            body["witness"] = {"person": witness[0], "pin": witness[1]}
        response = self.client.post(address, json.dumps(body), content_type="application/json")
        assert response.status_code == 200, (act, response.content)
        answer = response.json()["answer"]
        if self.approver and "change" in answer and act != "approve_change":
            return self.approver.post(place, "approve_change", {"change": answer["change"]})
        return answer

    def file(self, title: str) -> str:
        """File a letter, and return its code."""
        letter = SimpleUploadedFile("letter.txt", f"{title}: granted.".encode(), "text/plain")
        form = {"command": str(uuid.uuid4()), "title": title, "file": letter}
        response = self.client.post(f"/office/{FACILITY}/acts/file_document", form)
        assert response.status_code == 200, response.content
        return response.json()["answer"]["document"]


def missing(facility: Facility) -> set[str]:
    return {need.name for step in first_day(facility, clock.now()) for need in step.missing}


def test_a_facility_opens_its_first_table_and_deals_a_round_from_an_empty_database(monkeypatch):
    monkeypatch.setattr(create_facility.sys, "stdin", io.StringIO(f"{PIN}\n{PIN}\n"))
    out = io.StringIO()
    call_command(
        "create_facility", FACILITY, "Larkfield Boardwalk", "--jurisdiction=PA", "--time-zone=America/New_York",
        "--system-administrator", *PEOPLE[0][:2], "--compliance", *PEOPLE[1][:2], "--pins-from-stdin",
        stdout=out, stderr=io.StringIO(),
    )  # fmt: skip
    facility = Facility.objects.get()
    assert {"Pit", "Table", "Gaming guide", "Security", "Dealer, trained"} <= missing(facility)
    office = Browser(out.getvalue().strip(), "teo")
    office.post("floor", "add_pit", {"pit": "p1", "name": "Pit 1"})
    hire(monkeypatch)
    for person in ("viktor", "noah", "rita"):
        office.post("floor", "assign_person", {"person": person}, witness=("carla", PIN))
    office.sign_in("carla")
    podium = Browser(devices.enroll("Podium 2", FACILITY, "podium")[1], "viktor")
    office.approver = podium
    walk.fill_the_office(office.post, office.file)
    walk.publish_a_guide(office.post, office.file)
    limits = {"seats": 8, "min_cents": 1_000, "max_cents": 100_000}
    office.post("floor", "add_table", {"table": "T-01", "pit": "p1", "submission": "RS-0001", **limits})
    walk.approve_the_shaker(office.post, office.file)
    for person in ("kate", "mei"):
        podium.post("floor", "assign_person", {"person": person, "pit": "p1"})
    training = {"person": "mei", "game": "sic-bo", "reference": "TR-1", "since": "2026-01-05"}
    podium.post("floor", "record_qualification", training)
    tablet = Browser(devices.enroll("Tablet 1", FACILITY, "dealer", f"{FACILITY}/T-01")[1], "mei")
    floor = ("kate", PIN)
    tablet.post("T-01", "replace_shaker", {"shaker": "S-01"}, witness=floor)
    walk.approve_the_table(office.post, office.file, settings.BUILD)
    walk.bring_the_dice(podium.post, ("rita", PIN))
    tablet.post("T-01", "change_dice_lot", {"lot": "L-0001", "seal": "SL-1"}, witness=floor)
    assert missing(facility) == {"Table opened"}
    table = Table.objects.select_related("stream", "facility").get()
    tablet.post("T-01", "inspect_table", inspection_of(table), witness=floor)
    tablet.post("T-01", "open_table", {}, witness=floor)
    assert missing(facility) == set()
    tablet.post(
        "T-01", "place_wagers", {"wagers": [{"seat": 1, "wager": "big", "cents": 2_500, "made_in": "chips"}]}
    )
    tablet.post("T-01", "shake", {"shakes": 3})
    tablet.post("T-01", "no_more_bets", {})
    tablet.post("T-01", "call_dice", {"dice": [2, 5, 6]})
    tablet.post("T-01", "pay_seats", {})
    tablet.post("T-01", "clear_layout", {})
    table.refresh_from_db()
    assert (table.status, table.last_round) == ("open", 1)
    assert verify().findings == []


def hire(monkeypatch: pytest.MonkeyPatch) -> None:
    """The people whom the administrator adds, with somebody of compliance."""
    for code, name, role, department in PEOPLE[2:]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(f"{PIN}\n" * 3))  # of Teo, of Carla, and their own
        who = ("--by=teo", "--with=carla", "--pin-from-stdin")
        call_command(
            "add_person", code, name, f"--facility={FACILITY}", f"--role={role}", *who, stdout=io.StringIO()
        )
        assert Person.objects.get(code=code).department == department
