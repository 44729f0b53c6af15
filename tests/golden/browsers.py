"""The people of the demo floor, their browsers, and what the server answers them."""

import json
import random
import re
import uuid
from dataclasses import dataclass, field
from typing import Any

from tests.golden.installation import Clock, Randomness, manage

Json = dict[str, Any]


@dataclass
class Person:
    """Somebody of the demo floor."""

    code: str
    pin: str
    role: str
    facility: str


@dataclass
class Station:
    """One enrolled browser, and who is signed in at it. `table` is empty at a podium."""

    facility: str
    table: str
    client: Any
    person: str = ""


@dataclass
class Answer:
    """What the server answered."""

    status: int
    body: Json = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return self.status == 200

    def __getitem__(self, name: str) -> Any:
        """A value of the act's own answer; 0 where it has none."""
        return self.body.get("answer", {}).get(name, 0)


class Browsers:
    """The people of the demo floor at their stations, who act through the same addresses as their browsers do."""

    def __init__(self, clock: Clock, randomness: Randomness) -> None:
        from django.apps import apps

        from tables.ticker import Ticker

        self.clock, self.randomness = clock, randomness
        self.draw = random.Random(2026)
        self.number = 0
        self.approvers = {"larkfield": "viktor"}  # who approves what a second person must
        self.unexpected: list[str] = []
        self.stations: dict[str, Station] = {}
        self.table_model = apps.get_model("tables", "Table")
        self.entry_model = apps.get_model("audit", "Entry")
        self.people = self._read_people()
        self.ticker = Ticker(clock.monotonic)

    def _read_people(self) -> dict[str, Person]:
        """The people of the demo with their PINs, which `seed_demo --show` prints."""
        from django.apps import apps

        sign_ins = manage("seed_demo", "--show")[0]
        pins = {
            name.strip(): pin for pin, name in re.findall(r"^  (\d{6})  (.{18}) ", sign_ins, re.MULTILINE)
        }
        people = apps.get_model("audit", "Person").objects.order_by("code")
        return {
            person.code: Person(person.code, pins[person.name], person.role, person.facility)
            for person in people
            if person.name in pins
        }

    # Stations

    def tablet(self, place: str) -> Station:
        """The tablet of a table, `facility/table`."""
        return self._station(place, place.partition("/")[0], "dealer", place)

    def podium(self, facility: str, person: str) -> Station:
        """A podium of the facility where this person alone signs in."""
        return self._station(f"{facility}/podium of {person}", facility, "podium", "")

    def _station(self, name: str, facility: str, kind: str, place: str) -> Station:
        from django.test import Client

        if name not in self.stations:
            self._begin(f"enrol {name}")
            words = [f"{kind} {name}"[:40], "--facility", facility, "--station", kind]
            token = manage("enrol_device", *words, *(["--place", place] if place else []))[0].strip()
            client = Client(REMOTE_ADDR=f"10.0.0.{len(self.stations) + 1}")
            client.post("/enrol", {"token": token})
            self.stations[name] = Station(facility, place.partition("/")[2], client)
        return self.stations[name]

    def sign_in(self, station: Station, person: str, pin: str = "", expect: int = 302) -> int:
        """Signs somebody in at a station; a dealer at a table's own tablet takes it over."""
        self._begin(f"sign in {person}")
        sent = {"person": person, "pin": pin or self.people[person].pin}
        response = station.client.post("/sign-in", sent)
        if response.status_code == 302:
            station.person = person
        self._note("/sign-in", {"person": person}, response.status_code, {}, expect)
        return int(response.status_code)

    def send(self, station: Station, url: str, expect: int = 302) -> None:
        """A post without a body: `/sign-off`, `/lock`."""
        self._begin(url)
        response = station.client.post(url)
        if response.status_code == 302:
            station.person = ""
        self._note(url, {}, response.status_code, {}, expect)

    # Acts

    def act(
        self,
        person: str,
        place: str,
        act: str,
        params: Json | None = None,
        *,
        witness: str = "",
        expect: int = 200,
        **sent: Any,
    ) -> Answer:
        """One act at a table, `facility/table`: from its tablet for dealers, else from the person's podium."""
        facility, _, table = place.partition("/")
        at_tablet = self.people[person].role in ("dealer", "stickperson")
        station = self.tablet(place) if at_tablet else self.podium(facility, person)
        snapshot = self.snapshot(place)
        sent = {"seen": snapshot["version"], "head": snapshot["head"], **sent}
        return self._post(
            station, person, f"/floor/{facility}/{table}/acts/{act}", params, witness, expect, sent
        )

    def in_room(
        self, person: str, facility: str, act: str, params: Json, *, witness: str = "", expect: int = 200
    ) -> Answer:
        """One act in the dice room, the equipment room or the staff room."""
        url = f"/floor/{facility}/acts/{act}"
        return self._post(self.podium(facility, person), person, url, params, witness, expect, {})

    def in_office(
        self,
        act: str,
        params: Json | None = None,
        *,
        by: str = "noah",
        facility: str = "larkfield",
        expect: int = 200,
    ) -> Answer:
        """One act of the rules office."""
        url = f"/office/{facility}/acts/{act}"
        return self._post(self.podium(facility, by), by, url, params, "", expect, {})

    def at_desk(
        self, act: str, params: Json | None = None, *, by: str = "carla", expect: int = 200
    ) -> Answer:
        """One act of the compliance desk."""
        url = f"/record/larkfield/acts/{act}"
        return self._post(self.podium("larkfield", by), by, url, params, "", expect, {})

    def document(
        self, title: str, content: bytes = b"", *, by: str = "noah", facility: str = "larkfield"
    ) -> str:
        """Files a document in the rules office, as a form with one file, and returns its code."""
        from django.core.files.uploadedfile import SimpleUploadedFile

        url = f"/office/{facility}/acts/file_document"
        station = self.podium(facility, by)
        if station.person != by:
            self.sign_in(station, by)
        for _ in range(2):
            self._begin(url)
            form = {
                "title": title,
                "command": self._command(),
                "file": SimpleUploadedFile("paper.txt", content or f"{title}, as it was received.".encode()),
            }
            response = station.client.post(url, form)
            answer = self._note(url, {"title": title}, response.status_code, response.json(), 200)
            if answer.status != 423:
                break
            self.sign_in(station, by)
        return str(answer["document"])

    def _post(
        self,
        station: Station,
        person: str,
        url: str,
        params: Json | None,
        witness: str,
        expect: int,
        sent: Json,
    ) -> Answer:
        if station.person != person:
            self.sign_in(station, person)
        answer = self._post_once(station, url, params, witness, expect, sent)
        if answer.status == 423 and answer.body.get("refusal", {}).get("code") == "locked":
            self.sign_in(station, person)
            answer = self._post_once(station, url, params, witness, expect, sent)
        if answer.body.get("answer", {}).get("type") == "change.prepared":
            return self._approve(station.facility, url, answer["change"])
        return answer

    def _approve(self, facility: str, url: str, change: str) -> Answer:
        """A second person approves what was prepared, at once."""
        approve = f"{url.rpartition('/')[0]}/approve_change"
        person = self.approvers[facility]
        return self._post(self.podium(facility, person), person, approve, {"change": change}, "", 200, {})

    def _post_once(
        self, station: Station, url: str, params: Json | None, witness: str, expect: int, sent: Json
    ) -> Answer:
        self._begin(url)
        body: Json = {"command": self._command(), "params": params or {}, **sent}
        if witness:
            body["witness"] = {"person": witness, "pin": self.people[witness].pin}
        response = station.client.post(url, json.dumps(body), content_type="application/json")
        return self._note(
            url, {"params": params, "witness": witness}, response.status_code, response.json(), expect
        )

    def _command(self) -> str:
        return str(uuid.UUID(int=self.number, version=4))

    def _begin(self, label: str) -> None:
        self.number += 1
        self.clock.pass_()
        self.randomness.restart(f"{self.number} {label}")

    def _note(self, url: str, sent: Json, status: int, body: Json, expect: int) -> Answer:
        """Notes an answer that was not expected."""
        if status not in (expect, 423):
            refusal = body.get("refusal", {})
            self.unexpected.append(
                f"{self.number} {url} {sent}: {status} {refusal.get('code')} {refusal.get('message')}"
            )
        return Answer(status, body)

    def snapshot(self, place: str) -> Json:
        """The snapshot of a table as it now is."""
        from tables.screens.snapshot import of_table

        snapshot: Any = of_table(self.table_model.objects.get(stream__name=place).pk)
        return dict(snapshot)
