"""The fingerprint of a seeded play: proof that a change of the code changes no format.

    python -m script.fingerprint play OUT [--short]    play, and write what comes out to the folder OUT
    python -m script.fingerprint compare A B           compare two such folders
    python -m script.fingerprint hashes OUT            the SHA-256 of what no sentence may change, as JSON
    python -m script.fingerprint types OUT             which entry types of the documents the play reaches

The play seeds the demo floor, deals every game at its tables through the same addresses as the tablets, works in
every room, and writes down each answer, snapshot and entry. Time and randomness are fixed, so the same code gives
the same bytes. The file runs in any checkout: copy it alone into `script/` of an older one to have something to
compare with. What has another name there is looked up in `Product`, and nowhere else.

`compare` wants every byte to be equal, with two exceptions, which it lists so that a person can read them: sentences
in snapshots and answers, and the text of pages. Files of schemas in the bundle may be new.
"""

import argparse
import contextlib
import datetime as dt
import hashlib
import importlib
import io
import json
import os
import random
import re
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from unittest.mock import patch

Json = dict[str, Any]
ROOT = Path(__file__).resolve().parents[1]
BEGIN = dt.datetime(2026, 11, 21, 15, tzinfo=dt.UTC)  # 10:00 on the clocks of both facilities
SECONDS_PER_ACT = 3
ENDED = ("cleared", "void", "no-roll")  # phases of a round that is over
MOST_STEPS = 250  # acts of one round; a longer one has lost its way


# What may have another name in another version of the product


class Product:
    """The few places of the product that are reached by name, each under every name that it has had."""

    SNAPSHOT = ("tables.screens.snapshot:of_table", "tables.snapshot:of_table")
    CLOCK = ("audit.clock:at", "audit.clock:fixed_at", "audit.clock:set_to")
    TICKER = ("tables.clock.ticker:Ticker", "tables.ticker:Ticker")
    SEALER = ("audit.sealing.sealer:Sealer",)

    @staticmethod
    def find(names: Sequence[str]) -> Any:
        """The first of these that exists, each `module:name`."""
        for name in names:
            module, _, attribute = name.partition(":")
            with contextlib.suppress(ModuleNotFoundError, AttributeError):
                return getattr(importlib.import_module(module), attribute)
        raise LookupError(f"none of {', '.join(names)} exists: add its new name to {__name__}.Product")

    @classmethod
    def snapshot(cls, table_id: int) -> Json:
        """The snapshot of one table (docs/snapshot.md)."""
        snapshot: Json = cls.find(cls.SNAPSHOT)(table_id)
        return snapshot

    @classmethod
    def clock_at(cls, now: Callable[[], dt.datetime]) -> contextlib.AbstractContextManager[None]:
        """Within it the product's clock says what `now` returns."""
        context: contextlib.AbstractContextManager[None] = cls.find(cls.CLOCK)(now)
        return context

    @classmethod
    def ticker(cls, monotonic: Callable[[], float]) -> Any:
        """The ticker: `tick()` does all the checks of one second."""
        return cls.find(cls.TICKER)(monotonic)

    @classmethod
    def sealer(cls, folder: Path) -> Any:
        """The sealer: `second()` seals what moved."""
        return cls.find(cls.SEALER)(folder)


# Fixed randomness and time


class Randomness:
    """Stands in for the system's random bytes: the same label gives the same bytes again.

    Keys of new rows come from a counter for each model, so that one row more of another model moves none of them.
    """

    def __init__(self) -> None:
        self.restart("start")
        self.rows: dict[str, int] = {}

    def restart(self, label: str) -> None:
        """Begin anew under a label, so that one draw more or less changes no later act."""
        self.label, self.draws = label, 0

    def __call__(self, size: int) -> bytes:
        """As `os.urandom`."""
        frame = sys._getframe(1)
        field_of_row = None
        if frame.f_code.co_name == "uuid4" and frame.f_back is not None:
            field_of_row = getattr(frame.f_back.f_locals.get("self"), "model", None)
        if field_of_row is not None:
            label = str(field_of_row._meta.label)
            self.rows[label] = number = self.rows.get(label, 0) + 1
        else:
            label, number = self.label, self.draws
            self.draws += 1
        return self._bytes(f"{label}/{number}", size)

    def _bytes(self, label: str, size: int) -> bytes:
        parts = [hashlib.sha256(f"{label}/{part}".encode()).digest() for part in range(size // 32 + 1)]
        return b"".join(parts)[:size]


class Clock:
    """The moment of every act. It moves only when told to."""

    def __init__(self, now: dt.datetime = BEGIN) -> None:
        self.now = now

    def __call__(self) -> dt.datetime:
        return self.now

    def monotonic(self) -> float:
        """Seconds that go by with the clock."""
        return (self.now - BEGIN).total_seconds()

    def pass_(self, seconds: float = SECONDS_PER_ACT) -> None:
        self.now += dt.timedelta(seconds=seconds)


# What is written down


class Notes:
    """The files of one fingerprint."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.lines: dict[str, list[str]] = {}

    def line(self, name: str, value: Any) -> None:
        """One more line of a file of JSON lines."""
        self.lines.setdefault(name, []).append(json.dumps(value, ensure_ascii=False, sort_keys=True))

    def write(self, name: str, content: bytes) -> None:
        (self.folder / name).write_bytes(content)

    def close(self) -> None:
        for name, lines in self.lines.items():
            self.write(name, "".join(f"{line}\n" for line in lines).encode())


class PageText(HTMLParser):
    """The text of a page without its markup."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.hidden += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.parts.append(data)

    @classmethod
    def of(cls, html: str) -> str:
        page = cls()
        page.feed(html)
        return " ".join(" ".join(page.parts).split())


def without_html(value: Any) -> Any:
    """An answer without the markup of its screen, and without heads that only the server's key makes long."""
    if isinstance(value, dict):
        return {key: without_html(inner) for key, inner in value.items() if key != "html"}
    if isinstance(value, list):
        return [without_html(inner) for inner in value]
    return value


# The installation under test


@contextlib.contextmanager
def installation(folder: Path, *, migrated: bool) -> Iterator[None]:
    """A fresh database in `folder`, with Django set up on it. Once in a process."""
    os.environ.update(
        DJANGO_SETTINGS_MODULE="config.settings.test",
        TEST_DATABASE_URL=f"sqlite:///{folder / 'fingerprint.sqlite3'}",
        TEST_REDIS_URL="",
        PITSIDE_BUILD="fingerprint",
        PITSIDE_EXPORTS_DIR=str(folder / "exports"),
        LANGUAGE="en",
        TZ="UTC",
    )
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    import django
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection
    from django.test.utils import setup_test_environment, teardown_test_environment

    django.setup()
    setup_test_environment()
    settings.DEMO = True
    settings.SEALER_DIR = str(folder / "sealer")
    if not migrated:
        settings.MIGRATION_MODULES = dict.fromkeys(("audit", "games", "tables"))
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA synchronous=OFF")
    call_command("migrate", verbosity=0, run_syncdb=True)
    try:
        yield
    finally:
        connection.close()
        teardown_test_environment()


def manage(*words: str, stdin: bytes = b"") -> tuple[str, int]:
    """What a command of `manage.py` writes to standard output, and its exit status."""
    from django.core.management import CommandError, call_command

    out, raw = io.StringIO(), io.BytesIO()
    streams = (io.TextIOWrapper(io.BytesIO(stdin)), io.TextIOWrapper(raw, write_through=True))
    status = 0
    with patch.object(sys, "stdin", streams[0]), patch.object(sys, "stdout", streams[1]):
        try:
            call_command(*words, stdout=out, stderr=io.StringIO(), no_color=True)
        except CommandError as error:
            out.write(f"CommandError: {error}\n")
            status = 1
        except SystemExit as stopped:
            status = int(stopped.code or 0)
        streams[1].flush()
    return out.getvalue() + raw.getvalue().decode(), status


# Odds and rounds on paper: no database


RULES = ("pa-539", "nj-19-47-9", "pa-625a/A", "pa-625a/B", "pa-675a", "pa-675a.6", "pa-577")
SIC_BO_RULES = RULES[:4]
PAYOUTS: tuple[tuple[str, Json], ...] = (
    ("pa-539", {"three-of-a-kind": "180 to 1", "total:4": "60 to 1", "two-dice": "6 to 1"}),
    ("nj-19-47-9", {"two-dice": "6 to 1", "total:9": "7 to 1"}),
    ("nj-19-47-9", {"three-of-a-kind": "250 to 1"}),
    ("pa-539", {"two-dice": "1 to 1"}),
    ("pa-539", {"no-such-wager": "9 to 1"}),
    ("pa-625a/A", {"two-dice": "6 to 1"}),
)


def odds(folder: Path) -> list[Json]:
    """Every `odds` of every rules key: as JSON, as a table, with other payouts, and refused."""
    answers = []
    for key in (*RULES, "pa-625a@2019-08-31/A", "pa-999"):
        for options in ((), ("--json",)):
            text, status = manage("odds", key, *options)
            answers.append({"words": [key, *options], "status": status, "out": _as_json(text)})
    for key, payouts in PAYOUTS:
        file = folder / "payouts.json"
        file.write_text(json.dumps(payouts))
        text, status = manage("odds", key, "--json", "--payouts", str(file))
        answers.append({"words": [key, payouts], "status": status, "out": _as_json(text)})
    return answers


def _as_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def sic_bo_codes() -> list[str]:
    pairs = [f"two-dice:{low}-{high}" for low in range(1, 7) for high in range(low + 1, 7)]
    faces = [
        f"{family}:{n}"
        for family in ("three-of-a-kind", "two-of-a-kind", "one-of-a-kind")
        for n in range(1, 7)
    ]
    return [*faces, "any-three-of-a-kind", *(f"total:{n}" for n in range(4, 18)), *pairs, "small", "big"]


SINGLE_PLAY = (
    "trips-td", "penalty", "turnover", "cover-three", "no-gain", "big-play", "over-four", "under-four",
)  # fmt: skip
FULL_GAME = (
    "touchdown", "defense", "extra-point", "quick-strike", "game-changer",
    *(f"game-length:{n}" for n in range(1, 7)),
)  # fmt: skip
STAKES = (500, 1_000, 2_500, 5_000, 10_000)


def some_dice(draw: random.Random, count: int, *, alike: float = 0.0) -> list[int]:
    """Faces of a throw; with the chance `alike` each die shows the same face as the first."""
    first = draw.randint(1, 6)
    return [first if draw.random() < alike else draw.randint(1, 6) for _ in range(count)]


def matching(dice: Sequence[int]) -> int:
    """How many dice show the face that shows most often."""
    return max(dice.count(face) for face in set(dice))


def high_roll_lines(draw: random.Random, dice: int, stakes: Sequence[int] = STAKES) -> list[Json]:
    """One seat's wagers of one unit: some of Pip Street, some circles, perhaps an Extra Roll and Millionaire Row."""
    unit = draw.choice(stakes)
    circles = [f"like-kind:{n}" for n in range(2, 9 if dice == 10 else 7)]
    circles += ["like-kind:none"] if dice == 6 else []
    codes = draw.sample([f"pip:{n}" for n in range(1, 7)], draw.randint(1, 3))
    chosen = draw.sample(circles, draw.randint(0, 4))
    codes += chosen
    if dice == 10 and chosen and draw.random() < 0.5:
        codes.append("extra-roll")
    lines = [{"wager": code, "cents": unit} for code in codes]
    if dice == 10 and draw.random() < 0.4:
        lines.append({"wager": draw.choice(("millionaire:9", "millionaire:10")), "cents": 100})
    return lines


def paper_rounds() -> list[Json]:
    """Some hundred rounds of all rules, good and bad, as `adjudicate` reads them."""
    draw = random.Random(577)
    rounds = [one for key in SIC_BO_RULES for _ in range(60) for one in [_sic_bo_round(draw, key)]]
    rounds += [
        one for key in ("pa-675a", "pa-675a.6") for _ in range(60) for one in [_high_roll_round(draw, key)]
    ]
    for _ in range(40):
        rounds += _football_rounds(draw)
    return [{"id": f"r{number}", **one} for number, one in enumerate(rounds)]


def _sic_bo_round(draw: random.Random, key: str) -> Json:
    codes = sic_bo_codes()
    wagers = [
        {"seat": draw.randint(1, 8), "wager": draw.choice(codes), "cents": draw.choice((*STAKES, 100, 33, 1))}
        for _ in range(draw.randint(1, 12))
    ]
    line: Json = {"rules": key, "throws": [some_dice(draw, 3, alike=0.25)], "wagers": wagers}
    chance = draw.random()
    if chance < 0.1:
        line["throws"] = [{"void": draw.choice(("a die is cocked", "off the table"))}]
    elif chance < 0.15:
        line |= {"throws": [], "voided": "the light failed"}
    elif chance < 0.2:
        line["throws"].append(some_dice(draw, 3))
    elif chance < 0.25:
        line["throws"][0][0] = draw.choice((0, 7, True, 2.5, "4", None))
    if key in ("pa-539", "nj-19-47-9") and draw.random() < 0.3:
        line["payouts"] = {"three-of-a-kind": "200 to 1", "two-dice": "6 to 1"}
    return line


def _high_roll_round(draw: random.Random, key: str) -> Json:
    dice = 10 if key == "pa-675a" else 6
    seats = draw.sample(range(1, 7), draw.randint(1, 4))
    wagers = [{"seat": seat, **line} for seat in seats for line in high_roll_lines(draw, dice)]
    first = some_dice(draw, dice, alike=draw.choice((0.1, 0.4, 0.8)))
    throws: list[Any] = [first]
    loose = dice - matching(first)
    if loose and any(wager["wager"] == "extra-roll" for wager in wagers):
        throws.append(some_dice(draw, loose, alike=0.4))
        if draw.random() < 0.2:
            throws[1] = [first[0]] * loose
    line: Json = {"rules": key, "throws": throws, "wagers": wagers}
    chance = draw.random()
    if chance < 0.1:
        throws.insert(0, {"void": "off the table"})
    elif chance < 0.15:
        line["voided"] = "the fire alarm"
    elif chance < 0.2:
        throws.pop()
    elif chance < 0.25:
        wagers[-1]["cents"] += 500
    if draw.random() < 0.3:
        line["payout_limit_cents"] = draw.choice((100_000, 2_500_000, 5_000_000))
    return line


def _football_rounds(draw: random.Random) -> list[Json]:
    """The same game after each of its throws: one of them is its end, and the others say what is missing."""
    seats = draw.sample(range(1, 17), 4)
    full: list[Json] = [
        {"seat": seat, "wager": code, "cents": draw.choice(STAKES)}
        for seat in seats
        for code in draw.sample(FULL_GAME, draw.randint(1, 4))
        if draw.random() < 0.8
    ]
    single: list[Json] = [
        {"seat": seat, "wager": code, "cents": draw.choice(STAKES), "play": play}
        for play in range(1, 7)
        for seat in draw.sample(seats, 2)
        for code in draw.sample(SINGLE_PLAY, 2)
    ]
    throws: list[Any] = [some_dice(draw, 3, alike=0.2) for _ in range(8)]
    if draw.random() < 0.3:
        throws.insert(draw.randint(0, 2), {"void": "cocked"})
    rounds = []
    for count in range(1, 9):
        made = sum(isinstance(throw, list) for throw in throws[:count])
        laid = full + [wager for wager in single if wager["play"] <= made]
        rounds.append({"rules": "pa-577", "throws": throws[:count], "wagers": laid})
    rounds.append({"rules": "pa-577", "throws": throws[:2], "wagers": full, "voided": "the lights went out"})
    return rounds


BAD_LINES = (
    b"", b"not json", b"[]", b"17", b'{"id": 1}', b'{"id": 1.5, "rules": "pa-539"}', b"\xff\xfe",
    b'{"id": "a", "id": "b", "rules": "pa-539", "throws": [[1,2,3]], "wagers": []}',
    b'{"id": "a", "rules": "pa-999", "throws": [[1,2,3]], "wagers": []}',
    b'{"id": "a", "rules": "pa-539", "throws": [[1,2,3]], "wagers": [], "more": 1}',
    b'{"id": "a", "rules": "pa-539", "throws": [[1,2,3]]}',
    b'{"id": "a", "rules": "pa-539", "wagers": []}',
    b'{"id": "a", "rules": "pa-539", "throws": [[1,2,3]], "wagers": [{"seat": 0, "wager": "small", "cents": 500}]}',
    b'{"id": "a", "rules": "pa-539", "throws": [[1,2,3]], "wagers": [{"seat": 1, "wager": "huge", "cents": 500}]}',
    b'{"id": "a", "rules": "pa-539", "throws": [[1,2,3]], "wagers": [{"seat": 1, "wager": "small", "cents": 0}]}',
    b'{"id": "a", "rules": "pa-539", "throws": [[1,2,3]], "wagers": [{"seat": 1, "wager": "small", "cents": true}]}',
    b'{"id": "a", "rules": "pa-539", "throws": [[1,2,3]], "wagers": [{"seat": 1, "wager": "small"}]}',
    b'{"id": "a", "rules": "pa-539", "throws": [[1,2]], "wagers": []}',
    b'{"id": "a", "rules": "pa-539", "throws": [], "wagers": []}',
    b'{"id": "a", "rules": "pa-539", "throws": [{"void": ""}], "wagers": []}',
    b'{"id": "a", "rules": "pa-539", "throws": [{"void": "x", "dice": 1}], "wagers": []}',
    b'{"id": "a", "rules": "pa-539", "throws": [[1,2,3]], "wagers": [], "voided": ""}',
    b'{"id": "a", "rules": "pa-539", "throws": [[1,2,3]], "wagers": [], "payout_limit_cents": null}',
    b'{"id": "a", "rules": "pa-539", "throws": [[1,2,3]], "wagers": [NaN]}',
    b'{"id": "a", "rules": "pa-577", "throws": [[1,2,3]], "wagers": [{"seat": 1, "wager": "no-gain", "cents": 5}]}',
    b'{"id": "a", "rules": "pa-675a.6", "throws": [[1,1,1,1,1,1]], "wagers": [{"seat": 1, "wager": "pip:1"}]}',
)  # fmt: skip


def adjudicated() -> tuple[bytes, int]:
    """What `adjudicate` answers to all of these, and its exit status."""
    lines = [json.dumps(one).encode() for one in paper_rounds()]
    text, status = manage("adjudicate", stdin=b"\n".join([*lines, *BAD_LINES]) + b"\n")
    return text.encode(), status


# Who plays


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


class Floor:
    """The floor of the demo and its people, who act through the same addresses as their browsers do."""

    def __init__(self, notes: Notes, clock: Clock, randomness: Randomness) -> None:
        from django.apps import apps

        self.notes, self.clock, self.randomness = notes, clock, randomness
        self.draw = random.Random(2026)
        self.number = 0
        self.unexpected: list[str] = []
        self.stations: dict[str, Station] = {}
        self.seen: dict[str, int] = {}
        self.table_model = apps.get_model("tables", "Table")
        self.entry_model = apps.get_model("audit", "Entry")
        self.people = self._read_people()
        self.ticker = Product.ticker(clock.monotonic)

    def _read_people(self) -> dict[str, Person]:
        """The people of the demo with their PINs, which `seed_demo --show` prints."""
        from django.apps import apps

        shown = manage("seed_demo", "--show")[0]
        pins = {name.strip(): pin for pin, name in re.findall(r"^  (\d{6})  (.{18}) ", shown, re.MULTILINE)}
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
        shown = self.snapshot(place)
        sent = {"seen": shown["version"], "head": shown["head"], **sent}
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
        self, title: str, content: bytes = b"As received.", *, by: str = "noah", facility: str = "larkfield"
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
                "file": SimpleUploadedFile("paper.txt", content),
            }
            response = station.client.post(url, form)
            answer = self._note(url, {"title": title}, response.status_code, response.json(), 200)
            if answer.status != 423:
                break
            self.sign_in(station, by)
        return str(answer.body.get("answer", {}).get("document", ""))

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
        return answer

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
        """Writes an answer down, and the snapshot of every table that changed."""
        line = {
            "number": self.number,
            "url": url,
            "sent": sent,
            "status": status,
            "answer": without_html(body),
        }
        self.notes.line("answers.jsonl", line)
        if status not in (expect, 423):
            refusal = body.get("refusal", {})
            self.unexpected.append(
                f"{self.number} {url} {sent}: {status} {refusal.get('code')} {refusal.get('message')}"
            )
        self.note_snapshots()
        return Answer(status, body)

    def note_snapshots(self) -> None:
        """The snapshot of every table that changed since the last time."""
        tables = self.table_model.objects.order_by("stream__name").values_list(
            "pk", "stream__name", "stream__seq"
        )
        for pk, name, seq in list(tables):
            if self.seen.get(name) != seq:
                self.seen[name] = seq
                line = {"number": self.number, "table": name, "snapshot": Product.snapshot(pk)}
                self.notes.line("snapshots.jsonl", line)

    def snapshot(self, place: str) -> Json:
        """The snapshot of a table as it now is."""
        return Product.snapshot(self.table_model.objects.get(stream__name=place).pk)

    # Reading

    def get(self, person: str, url: str, place: str = "", expect: int = 200) -> Any:
        """Opens a page, at the table's tablet or at the person's podium, and writes its text down."""
        facility = self.people[person].facility or "larkfield"
        station = self.tablet(place) if place else self.podium(facility, person)
        if station.person != person:
            self.sign_in(station, person)
        response = self._get(station, url)
        if response.status_code in (302, 401, 423):
            self.sign_in(station, person)
            response = self._get(station, url)
        kind = response.headers.get("Content-Type", "").partition(";")[0]
        line: Json = {"number": self.number, "url": url, "status": response.status_code, "type": kind}
        if kind == "text/html" and not response.streaming:
            line["text"] = PageText.of(response.content.decode())
        elif kind == "application/json":
            line["json"] = without_html(response.json())
        self.notes.line("pages.jsonl", line)
        if response.status_code != expect:
            self.unexpected.append(f"{self.number} GET {url}: {response.status_code}")
        return response

    def _get(self, station: Station, url: str) -> Any:
        self._begin(url)
        return station.client.get(url, headers={"Sec-Fetch-Mode": "navigate"})

    def last_entry(self, place: str, *types: str) -> int:
        """The number of the newest entry of these types on a stream."""
        entries = self.entry_model.objects.filter(stream__name=place, type__in=types)
        return int(entries.order_by("-seq").values_list("seq", flat=True)[0])

    # The clock's own acts

    def wait(self, *, seconds: float = 0, minutes: float = 0, hours: float = 0) -> None:
        """Time goes by; then the clock does what it does by itself."""
        self.clock.pass_(seconds + 60 * minutes + 3600 * hours)
        self.tick()

    def tick(self, times: int = 5) -> None:
        """So many seconds of the ticker."""
        for _ in range(times):
            self._begin("tick")
            self.ticker.tick()
            self.note_snapshots()

    # Rounds

    def inspect(self, person: str, place: str, dice: Sequence[int] = (1, 2, 5)) -> Answer:
        """The inspection that the table asks for, with everything in order."""
        facility, _, table = place.partition("/")
        asks = self.snapshot(place)["inspection_asks"]
        params: Json = {"lines": [line["code"] for line in asks["lines"]]}
        if asks["cameras"]:
            params["cameras"] = [f"C-{number}" for number in range(1, asks["cameras"] + 1)]
        if asks["tosses"]:
            params["tosses"] = asks["tosses"]
        if asks["dice"]:
            url = f"/floor/{facility}/{table}/light?dice={','.join(map(str, dice))}"
            params |= {"dice": list(dice), "lit": self.get(person, url).json().get("lit", [])}
        return self.act(person, place, "inspect_table", params)

    def wager(self, person: str, place: str, *wagers: tuple[Any, ...], expect: int = 200) -> Answer:
        """Wagers as (seat, code, cents) or (seat, code, cents, play)."""
        lines = [dict(zip(("seat", "wager", "cents", "play"), wager, strict=False)) for wager in wagers]
        return self.act(person, place, "place_wagers", {"wagers": lines}, expect=expect)

    def until(self, person: str, place: str, *acts: str, dice: Sequence[Sequence[int]] = ()) -> Json:
        """The next steps of a table one by one, up to one of `acts` or the end of the round.

        Dice are those given, in order, and then drawn. Returns the snapshot.
        """
        given = iter(dice)
        for _ in range(MOST_STEPS):
            shown = self.snapshot(place)
            step = shown["next"]
            if step is None or step["act"] in acts:
                return shown
            params = dict(step["params"])
            if step["act"] == "call_dice":
                drawn = shown["round"]["drawn"] or some_dice(self.draw, step["dice"], alike=0.3)
                params = {"dice": list(next(given, drawn))}
            answer = self.act(person, place, step["act"], params)
            if not answer.ok or answer.body["answer"].get("phase") in ENDED:
                return self.snapshot(place)
        raise RuntimeError(f"the round at {place} did not end")

    def deal(
        self, person: str, place: str, *wagers: tuple[Any, ...], dice: Sequence[Sequence[int]] = ()
    ) -> Json:
        """A whole round, from the wagers to its end."""
        self.wager(person, place, *wagers)
        return self.until(person, place, dice=dice)


# What is played


def play_sic_bo(floor: Floor, dealer: str, place: str, rounds: int = 1) -> None:
    """Some rounds with wagers of all sorts, inside and outside the limits."""
    codes = sic_bo_codes()
    for _ in range(rounds):
        seats = floor.draw.sample(range(1, 9), 3)
        chosen = [(seat, code) for seat in seats for code in floor.draw.sample(codes, 4)]
        wagers = [(seat, code, floor.draw.choice((100, *STAKES, 250_000))) for seat, code in chosen]
        floor.deal(dealer, place, *wagers)


def play_one_table(floor: Floor) -> None:
    """Everything that can happen to a round, at a table of Sic Bo."""
    mei, kate, t = "mei", "kate", "larkfield/T-01"
    tablet = floor.tablet(t)
    floor.sign_in(tablet, mei, "000000", expect=403)
    floor.sign_in(tablet, mei)
    for act, params, expect in (
        ("call_dice", {"dice": [1, 2, 3]}, 422),
        ("no_such_act", {}, 404),
        ("place_wagers", {"wagers": "none"}, 422),
        ("place_wagers", {"wagers": [{"seat": 1, "wager": "huge", "cents": 500}]}, 422),
        ("place_wagers", {"wagers": [{"seat": 9, "wager": "big", "cents": 500}]}, 422),
        ("place_wagers", {"wagers": [{"seat": 1, "wager": "big", "cents": 500, "made_in": "cash"}]}, 422),
        ("place_wagers", {"wagers": [{"seat": 1, "wager": "big", "cents": 0}]}, 422),
        ("take_supervision", {}, 403),
        ("seat_player", {"seat": 1}, 422),
    ):
        floor.act(mei, t, act, params, expect=expect)
    play_sic_bo(floor, mei, t, 2)
    _correct_before_payment(floor, mei, kate, t)
    _end_early(floor, mei, kate, t)
    _relief(floor, mei, t)


def _correct_before_payment(floor: Floor, dealer: str, chief: str, t: str) -> None:
    floor.wager(
        dealer, t, (1, "big", 2_500), (2, "small", 1_000), (3, "total:9", 500), (4, "two-dice:2-5", 5_000)
    )
    floor.wager(dealer, t, (3, "total:9", 0), (2, "small", 2_000))
    floor.act(dealer, t, "no_more_bets", seen=1, head=None, expect=409)
    floor.until(dealer, t, "call_dice")
    floor.wager(dealer, t, (5, "big", 1_000), expect=422)
    missed = {
        "seat": 5,
        "wager": "total:12",
        "cents": 1_000,
        "made_in": "chips",
        "reason": "lay under a plaque",
    }
    floor.act(dealer, t, "record_missed_wager", missed, expect=422)
    floor.act(dealer, t, "record_missed_wager", missed, witness=chief)
    struck = {"seat": 4, "wager": "two-dice:2-5", "reason": "was another seat's"}
    floor.act(dealer, t, "strike_mistaken_wager", struck, witness=chief)
    floor.act(dealer, t, "call_dice", {"dice": [7, 1, 1]}, expect=422)
    floor.act(dealer, t, "call_dice", {"dice": [2, 5, 5]})
    floor.act(dealer, t, "correct_dice", {"dice": [2, 5, 6], "reason": "read wrongly"}, witness=chief)
    late = {
        "seat": 6,
        "wager": "one-of-a-kind:6",
        "cents": 1_500,
        "made_in": "plaques",
        "reason": "seen on camera",
    }
    floor.act(dealer, t, "record_missed_wager", late, witness=chief)
    early = {"seat": 1, "wager": "big", "reason": "was a late bet"}
    floor.act(dealer, t, "strike_mistaken_wager", early, witness=chief)
    floor.act(dealer, t, "report_dispute", {"seat": 2, "about": "says that the total was 11"})
    floor.until(dealer, t, "pay_seats")
    floor.act(dealer, t, "pay_seats", {"seats": [6]})
    floor.act(dealer, t, "correct_dice", {"dice": [1, 1, 1], "reason": "too late"}, witness=chief, expect=422)
    floor.until(dealer, t)
    alerts = [alert for alert in floor.snapshot(t)["alerts"] if alert["kind"] == "dispute"]
    floor.act(chief, t, "acknowledge_alert", {"alert": alerts[0]["id"], "note": ""}, expect=422)
    floor.act(chief, t, "acknowledge_alert", {"alert": alerts[0]["id"], "note": "Decided by the recording."})


def _end_early(floor: Floor, dealer: str, chief: str, t: str) -> None:
    """A no roll, a round voided, and failures of the device before and after the dice were seen."""
    floor.wager(dealer, t, (1, "small", 1_000), (2, "any-three-of-a-kind", 500))
    floor.until(dealer, t, "call_dice")
    floor.act(dealer, t, "call_no_roll", {"reason": "a die is cocked"})
    floor.wager(dealer, t, (1, "small", 1_000))
    floor.act(dealer, t, "void_round", {"reason": "a fire alarm"}, expect=422)
    floor.act(dealer, t, "void_round", {"reason": "a fire alarm"}, witness=chief)
    floor.wager(dealer, t, (1, "small", 1_000), (8, "total:4", 1_000))
    floor.until(dealer, t, "call_dice")
    floor.act(dealer, t, "report_device_failure", {"dice": [1, 1, 2], "what": "layout"}, witness=chief)
    floor.until(dealer, t, "record_repair", "inspect_table")
    floor.wager(dealer, t, (1, "small", 1_000), expect=422)
    floor.act(chief, t, "record_repair", {"what": "a lamp was changed"})
    floor.inspect(chief, t)
    floor.wager(dealer, t, (1, "small", 1_000))
    floor.act(dealer, t, "report_device_failure", {"dice": None, "what": "device"})
    by_hand = {
        "dice": [3, 3, 4],
        "reason": "the tablet was dead",
        "wagers": [{"seat": 2, "wager": "small", "cents": 2_000}],
    }
    floor.act(chief, t, "record_hand_settled_round", by_hand)
    floor.act(chief, t, "record_repair", {"what": "the cable was changed"})
    floor.inspect(chief, t, (6, 6, 6))
    floor.act(dealer, t, "report_device_failure", {"what": "device"})
    floor.act(chief, t, "record_repair", {"what": "restarted"})
    floor.inspect(chief, t)


def _relief(floor: Floor, dealer: str, t: str) -> None:
    """Somebody takes over in the middle of a round, and cannot leave."""
    tablet = floor.tablet(t)
    floor.wager(dealer, t, (7, "big", 5_000))
    floor.sign_in(tablet, "zara")
    floor.send(tablet, "/sign-off", expect=422)
    floor.until("zara", t)
    floor.send(tablet, "/lock")
    floor.sign_in(tablet, dealer)


def play(out: Path, *, short: bool) -> list[str]:
    """Plays, and writes the fingerprint to the folder. Returns what was not answered as expected."""
    notes, clock, randomness = Notes(out), Clock(), Randomness()
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for name in ("os.urandom", "random._urandom"):
            stack.enter_context(patch(name, randomness))
        stack.enter_context(installation(folder, migrated=not short))
        stack.enter_context(Product.clock_at(clock))
        notes.line("odds.json", odds(folder))
        answers, status = adjudicated()
        notes.write("adjudicate.jsonl", answers)
        notes.line("adjudicate-status.json", status)
        manage("seed_demo")
        floor = Floor(notes, clock, randomness)
        floor.note_snapshots()
        play_one_table(floor)
        write_record(notes, floor, folder)
    notes.close()
    return floor.unexpected


def write_record(notes: Notes, floor: Floor, folder: Path) -> None:
    """Every entry, the exports, and every settlement settled again."""
    entries = floor.entry_model.objects.order_by("stream__name", "seq")
    for stream, type_, body in entries.values_list("stream__name", "type", "body"):
        notes.line("entries.jsonl", {"stream": stream, "type": type_, "body": bytes(body).decode()})
    live = floor.table_model.objects.filter(kind="live").order_by("stream__name")
    tables = [word for name in live.values_list("stream__name", flat=True) for word in ("--stream", name)]
    for name, words in (("live", ()), ("training", ("--training",)), ("tables", tables)):
        export = folder / f"{name}.jsonl"
        manage("audit_export", *words, "--output", str(export))
        notes.write(f"export-{name}.jsonl", export.read_bytes())
        notes.line(
            "figures.jsonl", {"readjudicate": name, "answer": manage("readjudicate", "--json", *words)}
        )


# Two fingerprints side by side


EXACT = frozenset(
    {"section", "cite", "reference", "name", "short", "facility_name", "key", "code", "type", "kind"}
)
WORDED = ("snapshots.jsonl", "answers.jsonl")  # whose sentences may differ
READ = ("pages.jsonl",)  # whose text may differ
BUNDLE = "bundle.jsonl"
PAPERS = frozenset(
    {"README.txt", "FORMAT.md", "verify.py", "witness.py", "manifest.json"}
)  # of a bundle: may differ
MOST_SHOWN = 40


@dataclass
class Comparison:
    """What differs between two fingerprints: `faults` may not, and the sentences are for a person to read."""

    faults: list[str] = field(default_factory=list)
    sentences: dict[tuple[str, str], tuple[str, str, str]] = field(default_factory=dict)
    """By both texts without their figures: the first such pair, and where it was met."""

    def values(self, where: str, before: Any, after: Any, key: str = "") -> None:
        """Compares two JSON values of which sentences may differ."""
        if type(before) is not type(after):
            self.faults.append(f"{where}: {_brief(before)} became {_brief(after)}")
        elif isinstance(before, dict):
            if list(before) != list(after):
                self.faults.append(
                    f"{where}: keys {sorted(before.keys() ^ after.keys()) or 'in another order'}"
                )
            for name in before.keys() & after.keys():
                self.values(f"{where}.{name}", before[name], after[name], name)
        elif isinstance(before, list):
            if len(before) != len(after):
                self.faults.append(f"{where}: {len(before)} items became {len(after)}")
            for number, (old, new) in enumerate(zip(before, after, strict=False)):
                self.values(f"{where}[{number}]", old, new, key)
        elif before != after:
            if isinstance(before, str) and key not in EXACT and is_sentence(before) and is_sentence(after):
                self.sentences.setdefault((masked(before), masked(after)), (before, after, where))
            else:
                self.faults.append(f"{where}: {_brief(before)} became {_brief(after)}")

    def lines(self, name: str, before: bytes, after: bytes, *, exactly: bool) -> None:
        """Compares two files of JSON lines."""
        if before == after:
            return
        old, new = before.splitlines(), after.splitlines()
        if len(old) != len(new):
            self.faults.append(f"{name}: {len(old)} lines became {len(new)}")
        found = Comparison()
        for number, pair in enumerate(zip(old, new, strict=False), 1):
            if pair[0] != pair[1]:
                found.values(f"{name}:{number}", *(_decoded(line) for line in pair))
        self.faults += found.faults
        if exactly:
            self.faults += [
                f"{where}: {_brief(b)} became {_brief(a)}" for (b, a), where in found.sentences.items()
            ]
        for pair_of_texts, where in () if exactly else found.sentences.items():
            self.sentences.setdefault(pair_of_texts, where)

    def bundle(self, before: bytes, after: bytes) -> None:
        """Compares two listings of evidence bundles: schemas may be new, and papers may differ."""
        old, new = (
            {line["name"]: line for line in map(json.loads, text.splitlines())} for text in (before, after)
        )
        for name in sorted(old.keys() | new.keys()):
            if name not in new or (name not in old and "schema" not in name):
                self.faults.append(f"{BUNDLE}: {name} is {'gone' if name in old else 'new'}")
            elif name in old and old[name] != new[name] and name.rpartition("/")[2] not in PAPERS:
                self.faults.append(f"{BUNDLE}: {name} has other bytes")


def is_sentence(text: str) -> bool:
    """Whether people read this text: codes, hashes and moments have no space."""
    return " " in text.strip()


def masked(text: str) -> str:
    """A sentence without its figures, so that one of many rounds stands for all of them."""
    return re.sub(r"\d[\d,.]*", "#", text)


def figures_of(text: str) -> list[str]:
    """The figures of a sentence, which a new wording keeps."""
    return sorted(re.findall(r"\d[\d,.]*\d|\d", text))


def compare(before: Path, after: Path) -> Comparison:
    """Compares the fingerprints in two folders."""
    found = Comparison()
    names = sorted({path.name for folder in (before, after) for path in folder.iterdir()})
    for name in names:
        if not ((before / name).exists() and (after / name).exists()):
            found.faults.append(f"{name} is in one of the two alone")
            continue
        old, new = (before / name).read_bytes(), (after / name).read_bytes()
        if name == BUNDLE:
            found.bundle(old, new)
        else:
            found.lines(name, old, new, exactly=name not in WORDED + READ)
    return found


def _decoded(line: bytes) -> Any:
    """A line as a value; of an entry the body too, so that the difference is shown inside it."""
    try:
        value = json.loads(line)
    except ValueError:
        return line.decode(errors="replace")
    if isinstance(value, dict) and isinstance(value.get("body"), str):
        value["body"] = json.loads(value["body"])
    return value


def _brief(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else f"{text[:157]}…"


def show(found: Comparison) -> None:
    """Prints a comparison: pairs of sentences, then the faults."""
    for before, after, where in sorted(found.sentences.values()):
        figures = "" if figures_of(before) == figures_of(after) else "  (look: other figures)"
        print(f"  {where}{figures}\n    - {before}\n    + {after}")
    for fault in found.faults[:MOST_SHOWN]:
        print(f"  FAULT {fault}")
    if len(found.faults) > MOST_SHOWN:
        print(f"  … and {len(found.faults) - MOST_SHOWN} more")
    print(f"{len(found.sentences)} sentences differ, {len(found.faults)} faults.")


# What no change of wording may touch


def hashes(folder: Path) -> Json:
    """The SHA-256 of everything in a fingerprint that holds no sentence of ours, by what it is.

    Entries are told by stream, without the digests of papers that are written in words.
    """
    streams: dict[str, Any] = {}
    for line in _values(folder, "entries.jsonl"):
        body = WRITTEN_IN_WORDS.sub("", line["body"])
        streams.setdefault(line["stream"], hashlib.sha256()).update(f"{line['type']} {body}\n".encode())
    settled = [
        {**line, "error": ""} if "error" in line else line for line in _values(folder, "adjudicate.jsonl")
    ]
    listed = [one for line in _values(folder, "odds.json") for one in line if not one["status"]]
    return {
        "odds": _sha256(listed),
        "adjudicate": _sha256(settled),
        "figures": _sha256(list(_values(folder, "figures.jsonl"))),
        "export-tables": hashlib.sha256((folder / "export-tables.jsonl").read_bytes()).hexdigest(),
        "export-training": hashlib.sha256((folder / "export-training.jsonl").read_bytes()).hexdigest(),
        "entries": {name: digest.hexdigest() for name, digest in sorted(streams.items())},
    }


# Digests and sizes of documents, and of a guide's pages: they change with every word of them.
WRITTEN_IN_WORDS = re.compile(r'"(?:content_sha256|facts_sha256|sha256|size)":(?:"[0-9a-f]{64}"|\d+),?')


def _values(folder: Path, name: str) -> Iterator[Any]:
    for line in (folder / name).read_bytes().splitlines():
        yield json.loads(line)


def _sha256(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def entry_types(folder: Path) -> tuple[list[str], list[str]]:
    """The entry types of the documents that a play reaches, and those that it does not."""
    documents = "".join((ROOT / "docs" / name).read_text() for name in ("record.md", "office.md"))
    reached = {line["type"] for line in _values(folder, "entries.jsonl")}
    rows = [line for line in documents.splitlines() if line.startswith("|")]
    named = {type_ for row in rows for type_ in re.findall(r"`([a-z_]+\.[a-z_]+)`", row)}
    return sorted(reached), sorted(named - reached)


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    playing = commands.add_parser("play", help="play, and write the fingerprint to a folder")
    playing.add_argument("out", type=Path)
    playing.add_argument("--short", action="store_true", help="a round at each table, for the test suite")
    comparing = commands.add_parser("compare", help="compare two fingerprints")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    for name, meant in (
        ("hashes", "the SHA-256 of what holds no sentence"),
        ("types", "the entry types reached"),
    ):
        commands.add_parser(name, help=meant).add_argument("out", type=Path)
    asked = parser.parse_args(words)
    if asked.command == "play":
        for line in play(asked.out, short=asked.short):
            print(f"not as expected: {line}", file=sys.stderr)
    elif asked.command == "compare":
        found = compare(asked.before, asked.after)
        show(found)
        return 1 if found.faults else 0
    elif asked.command == "hashes":
        print(json.dumps(hashes(asked.out), indent=2))
    else:
        reached, missing = entry_types(asked.out)
        print(f"{len(reached)} entry types reached: {' '.join(reached)}")
        print(f"{len(missing)} not reached: {' '.join(missing)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
