"""Any request whatever, by anybody, to every address, act and socket: never a 5xx, never a success without right.

tests/rights.py states the rights; addresses, acts and sockets come from the product. What a page or an act reads and
was not sent, is answered in that moment, as if it had been sent: so a request reaches far, and nobody lists parameters.
An ordinary run tries the same requests each time; with `--all` there are thousands, others each time, and
`FUZZ_EXAMPLES` sets their number.
"""

import datetime as dt
import inspect
import json
import logging
import os
import re
import uuid
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager
from random import Random
from typing import Any, NamedTuple

import pytest
from django.http import QueryDict
from django.urls import Resolver404, resolve
from django.utils.datastructures import MultiValueDict
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from audit import clock, factors
from audit.identity import Denied, Locked, SignedOut
from audit.models import Device, Entry, Person
from games.params import Params
from tables.demo.seeding import PODIUM
from tables.models import Table
from tables.money.chips import change_keeping
from tables.views.sockets import websocket_urlpatterns
from tests import rights
from tests.services.examples import VARIABLE
from tests.tables.cast import PIN, Scene
from tests.tables.test_money import OPENER, box, cage, count, request
from tests.test_rights import RUNNERS, address, routes, socket_at, taken_back, value_of, version_of
from tests.two_facilities import Casinos, browser, make_casinos

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
EVERY = bool(os.environ.get(VARIABLE))


def fuzzed(count: int, every: int, part: int) -> Callable[[Any], Any]:
    """Try `count` requests, the same in each run; `every` others with `--all`, in tests of `part` requests each.

    A test that takes more than five minutes is ended (`faulthandler_timeout`), also on a slow machine.
    """
    number = int(os.environ.get("FUZZ_EXAMPLES", 0)) or (every if EVERY else count)
    examples = settings(
        max_examples=min(number, part),
        derandomize=number == count,
        database=None,
        phases=[Phase.generate],  # each example is short, and notes what it sent
        suppress_health_check=list(HealthCheck),
    )
    parts = pytest.mark.parametrize("prompter", range(-(-number // part)), indirect=True)
    return lambda test: parts(examples(test)) if number > part else examples(test)


# What somebody may send

ODD_TEXTS = (
    *("", " ", "\0", "a\0b", "é", "e\u0301", "\ud7ff", "\U0001f3b2", "٣", "²", "½", "%", "%00", "'", '"', "\\", "{"),
    *("\r\nX: y", "\u202e", "\u2028", "<b>", "{{ s }}", "../..", "null", "true", "NaN", "Infinity", "-1"),
    *("1e999", "0", "1", "2", "007", "1.5", "1_0", "+1", " 1 "),
    *("2147483648", "9223372036854775808", "9" * 40, "9" * 5_000),
    *("2026-11-20", "2026-11-20 10:00", "2026-02-30", "0001-01-01", "9999-12-31", "2026-W47-5", "20261120"),
    *("1,2,5", "1,1,", "9,9,9", "[1,2,5]", '{"seat": 1}', '{"dice": [1, 1, 6]}', "[" * 500, "a" * 300, "\u00df" * 90),
    *("sic-bo", "high-roll", "three-dice-football", "small", "all", "open", "closed", "live", "en", "RS-0009.1"),
)  # fmt: skip
ODD_NUMBERS = (-1, 0, 1, 2, 255, 32_768, 2**31 - 1, 2**31, 2**53 - 1, -(2**53) + 1)
WILD: tuple[Any, ...] = (
    *(None, True, 1.5, float("nan"), float("inf"), -1, 2**53, 2**64, -(10**40), "", "\0", "\ud800", "a\udc00", [], {}),
    *([[[]]] * 3, {"é": 1}, {"\0": "\ud800"}, {"person": 1, "pin": []}, {"clock": "9999-12-31", "waited_ms": 1}),
    *({"seq": 1, "hash": "", "incarnation": 1, "mac": "\0"}, {"clock": "0001-01-01T00:00+14:00"}, "table"),
)  # fmt: skip
CHIPS = {"500": 100, "2500": 100}
seeds = st.integers(0, 2**64)


class Prompter:
    """Answers what a request reads and was not sent, while `answers` is set; and notes what it answered.

    Hypothesis chooses the seed of the answers: it could not draw inside a request, which ends by more than one way.
    """

    def __init__(self, casinos: Casinos) -> None:
        self.cookies = casinos.larkfield
        self.answers: Random | None = None
        self.known: dict[str, list[Any]] = {}  # values that name something, by the parameter's name
        self.answered: dict[str, Any] = {}
        self.is_plain = True  # whether this request answers each reader with what it accepts
        self.inside: list[str] = []  # `code` reads by `text`

    @contextmanager
    def prompting(self, seed: int) -> Iterator[None]:
        self.answers, self.answered = Random(seed), {}
        self.is_plain = not self.once_in(3)
        try:
            yield
        finally:
            self.answers = None
            note(f"read {self.answered}")

    def once_in(self, times: int) -> bool:
        return self.answers.randrange(times) == 0

    def parameter(self, values: dict[str, Any], kind: str, name: str, options: Mapping[str, Any]) -> None:
        """Answer a parameter of an act. What is answered is what the record accepts: anything else never gets here."""
        if self.answers is None or name in values or name in self.inside:
            return
        is_optional = options.get("default") is not None or options.get("optional")
        if (is_optional and self.once_in(2)) or (not self.is_plain and self.once_in(20)):
            return
        is_odd = not self.is_plain and self.once_in(4)
        value = self.odd_value() if is_odd else self.accepted(kind, name, options)
        values[name] = self.answered[name] = value

    def odd_value(self, depth: int = 0) -> Any:
        choose = self.answers.choice
        match self.answers.randrange(6 if depth < 3 else 4):
            case 0:
                return choose([None, True, False, {}, []])
            case 1:
                return choose(ODD_NUMBERS)
            case 2 | 3:
                return choose(ODD_TEXTS[3:])
            case 4:
                return [self.odd_value(depth + 1) for _ in range(self.answers.randrange(3))]
        return {choose(["seat", "a", ""]): self.odd_value(depth + 1)}

    def accepted(self, kind: str, name: str, options: Mapping[str, Any]) -> Any:
        """A value that this reader accepts; if this request is not plain, also one just beyond."""
        choose, known = self.answers.choice, self.known.get(name, [])
        numbers = [value for value in known if isinstance(value, int)]
        words = [value for value in known if isinstance(value, str)]
        faces = [choose(range(1, 7)) for _ in range(choose((2, 3, 3, 3, 5)))]
        match kind:
            case "integer":
                low, high = options["low"], options["high"]
                near = [*numbers * 2, low, low + 1, low + 2, high, high // 2]
                beyond = [] if self.is_plain else [low - 1, min(high + 1, 2**53 - 1)]
                return choose([*[number for number in near if low <= number <= high], *beyond])
            case "text" | "code" | "prose":
                long = "a" * min(options.get("max_length") or 20, 300)
                odd = ["a", long] if self.is_plain else [long, long + "a", *ODD_TEXTS[3:]]
                return choose([*words * 4, "a", "Repaired", choose(odd)])
            case "date":
                near = [(clock.now() + dt.timedelta(days)).date().isoformat() for days in (0, -1, 30)]
                return choose([*near, "2025-01-01", "1900-01-01", "2199-12-31", "20261120"])
            case "choice":
                return choose([*options["choices"]])
            case "boolean":
                return choose([True, True, False])
            case "dice":
                return faces if self.is_plain else choose([faces, [0, 2, 7], [2**53 - 1], []])
            case "throws":
                return [faces]
            case "chips":
                beyond = [{"100": -1}, {"7": 1}, {"100": 10**12}, {"100": True}, {"\0": 1}, {"100": None}]
                return choose(
                    [CHIPS, CHIPS, OPENER, {}, {"100": 1}, choose([CHIPS] if self.is_plain else beyond)]
                )
            case "integers":
                odd_numbers = () if self.is_plain else ODD_NUMBERS
                return [choose([1, 2, 3, *numbers, *odd_numbers]) for _ in range(choose(range(3)))]
            case "texts":
                lists = [value for value in known if isinstance(value, list)]
                return choose([*lists, *[[word] for word in words], [], ["a", "a"]])
        return [{} for _ in range(choose((1, 2)))]  # objects, read one by one

    def field(self, values: MultiValueDict[str, Any], name: str) -> None:
        """Answer a field of a query string or of a form."""
        if self.answers is None or values._mutable or not isinstance(name, str) or name in values.keys():  # noqa: SIM118
            return
        if self.once_in(3):
            return
        known = [value for value in self.known.get(name, []) if isinstance(value, str)]
        value = self.answers.choice(known if known and self.once_in(2) else ODD_TEXTS)
        self.answered[f"?{name}"] = value[:60]
        dict.__setitem__(values, name, [value])


@pytest.fixture
def prompter(monkeypatch) -> Iterator[Prompter]:
    """Both casinos, where everybody gave a second factor just now, and a prompter. Refusals are not logged."""
    logging.disable()
    monkeypatch.setattr(factors, "factor_at", lambda _session: clock.now())
    version_of.cache_clear()
    prompter = Prompter(make_casinos())
    prompter.known = known_values()
    for kind in (
        "integer",
        "text",
        "prose",
        "code",
        "date",
        "choice",
        "boolean",
        "dice",
        "throws",
        "chips",
        "integers",
        "texts",
        "objects",
    ):
        monkeypatch.setattr(Params, kind, prompted(prompter, kind, getattr(Params, kind)))
    for method in ("get", "getlist", "__getitem__"):
        monkeypatch.setattr(
            QueryDict, method, prompted_field(prompter, getattr(QueryDict, method)), raising=False
        )
    with clock.override(clock.now()):  # no device is locked, however long the test takes
        yield prompter
    logging.disable(logging.NOTSET)


def prompted(prompter: Prompter, kind: str, method: Any) -> Any:
    signature = inspect.signature(method)

    def read(self: Params, *args: Any, **options: Any) -> Any:
        bound = signature.bind(self, *args, **options)
        bound.apply_defaults()
        name = bound.arguments["name"]
        prompter.parameter(self._unread, kind, name, bound.arguments)
        prompter.inside.append(name)
        try:
            return method(self, *args, **options)
        finally:
            prompter.inside.pop()

    return read


def prompted_field(prompter: Prompter, method: Any) -> Any:
    def read(self: Any, name: Any, *args: Any, **options: Any) -> Any:
        prompter.field(self, name)
        return method(self, name, *args, **options)

    return read


def known_values() -> dict[str, list[Any]]:
    """For each parameter, what it may name: at Larkfield, at Seabright, and what an act comes to its objects by."""
    known: dict[str, list[Any]] = {}
    for (name, _kind), row in rights.OBJECTS.items():
        for value, casino in ((row.foreign, "larkfield"),) * 4 + ((row.own, "seabright"),):
            known.setdefault(name, []).append(value_of(value, casino))
    known["person"] += [*Person.objects.filter(facility="larkfield").values_list("code", flat=True)]
    known["table"] += ["T-01"]
    known["device"] += [*Device.objects.filter(facility="larkfield").values_list("name", flat=True)[:4]]
    known |= {
        "wager": ["small", "big", "total:12", "double:3", "quick", "*"],
        "subject": ["table", "provider", "rules"],
        "seat": [1, 2, 3],
        "game": ["sic-bo", "three-dice-football"],
        "who": known["person"],
        "place": ["T-01", "T-42", "rules", "security-podium"],
        "transfer": [*known["transfer"], 1, 2, 3, 4, 5, 6],
        "planned_for": ["2026-11-21T10:00:00Z", "9999-12-31T23:59:59+14:00", "0001-01-01T00:00:00-14:00"],
        "from": ["2026-11-20", "2000-01-01", "0001-01-01"],
        "to": ["2026-11-20", "2099-12-31", "9999-12-31"],
        "by": ["table", "pit", "game", "shift", "dealer"],
        "play": ["live", "training", "simulated"],
        "dealer": known["person"],
        "shift": ["day", "swing", "grave"],
        "next": ["/floor/larkfield/", "//elsewhere", "https://elsewhere"],
        "act": ["correct_dice", "strike_mistaken_wager", "record_missed_wager"],
        "params": [
            '{"dice": [1, 1, 2]}',
            '{"seat": 1, "wager": "small"}',
            "[]",
            '{"dice": [99999999999999999999]}',
        ],
        "number": [*known.get("number", []), 1, "T-01-1", "C-0001", "CH-0001", "ENS-0001"],
    }
    return {name: [value for value in values if value is not None] for name, values in known.items()}


# Addresses

CONVERTED = r"<(?:(\w+):)?(\w+)>"
HEADERS: tuple[dict[str, str], ...] = (
    {},
    {"Accept": "application/json"},
    {"Accept-Language": "es;q=abc, *;q=9, zh-" + "x" * 90},
    {"Range": "bytes=9-1"},
    {"Range": "bytes=0-99999999999999999999"},
    {"If-None-Match": 'W/"\u00e9", *'},
    {"HX-Request": "true"},
    {"Cookie": "pitside_device=\u00e9%00; sessionid=\0; csrftoken=' OR 1=1"},
    {"X-Forwarded-For": "::::", "Referer": "http://[", "Origin": "null"},
)  # fmt: skip
ODD_ARGUMENTS = {
    "slug": ("seabright", "a", "_" * 300, "-", "0" * 64, "NULL", "pit", "en"),
    "code": ("T-42", "T-99", "T-01.", "A" * 300, "0", "x._-"),
    "place": ("T-42", "rules", "dice", "x" * 200),
    "int": ("0", "2", "007", "2147483648", "9223372036854775808", "9" * 60, "9" * 5_000),
    "uuid": (str(uuid.UUID(int=0)), str(uuid.UUID(int=2**128 - 1))),
    "str": ("__class__", "shake", "file_document", "a%00b", "%F0%9F%8E%B2", "%FF", "."),
}
SPOILERS = ("%00", "%FF", "%C3%A9", "%2F", "//", "..", ";", "%0A", "é")
SEARCHES = (
    *("", "who=mei&from=2026-02-30&to=9999-12-31", "number=9223372036854775808&round=2147483648&least=1"),
    *("most=-1&day=0001-01-01&place=T-01", "lot=%00&type=round.%20&before=99999999999999999999999"),
)
BODIES = (
    b"",
    b"a=1&a=%00&a=%FF",
    b'{"a": ',
    b"[" * 9_000,
    b"\xff\xfe\x00",
    b'"\\ud800"',
    b"--x\r\n",
    b"NaN",
    b"=" * 2_000,
)
TYPES = (
    *(
        "application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "text/plain; charset=bogus",
    ),
    *(
        "multipart/form-data; boundary=x",
        "application/x-www-form-urlencoded; charset=utf-16",
        "",
        "\u00e9/;;=",
    ),
)
converters = {
    route: {name: kind or "str" for kind, name in re.findall(CONVERTED, route)} for route in routes()
}


def path_of(draw: Callable[[Any], Any], route: str) -> str:
    """An address by its route: that of Larkfield, or with one argument that is another or odd, or spoiled."""
    path = address(route).partition("?")[0]
    spoil = draw(st.integers(0, 9))
    names = sorted(converters[route])
    if names and spoil in (6, 7, 8):
        name = draw(st.sampled_from(names))
        path = address(
            route, **{name: draw(st.sampled_from(ODD_ARGUMENTS[converters[route][name]]))}
        ).partition("?")[0]
        if name == "code":
            path = (
                address(route)
                .partition("?")[0]
                .replace("-0001", draw(st.sampled_from(["-9001", "-9999", "é", ""])))
            )
    if spoil == 9:
        cut = draw(st.integers(1, len(path)))
        path = path[:cut] + draw(st.sampled_from(SPOILERS)) + path[cut:]
    return path


SLIP_ON_PAPER = "floor/<slug:facility>/cage/<slug:slip>.pdf"


def may(who: str, method: str, path: str, has_chips: bool) -> bool:
    """Whether this person may have a success at this address. `has_chips`: the cage has given slips."""
    try:
        match = resolve(path)
    except (Resolver404, ValueError):
        return False
    if method == "POST":
        return "/acts/" not in match.route and who in rights.SENDERS.get(match.route, set())
    readers = rights.READERS[
        "floor/<slug:facility>/cage/" if has_chips and match.route == SLIP_ON_PAPER else match.route
    ]
    casino = match.kwargs.get("facility") or "larkfield"
    if readers == rights.EVERYBODY:
        return True
    if match.kwargs.get("table") == "T-42":
        readers = readers - {"dealer", "display"} | AT_FOOTBALL
    return casino == "larkfield" and who in readers


AT_FOOTBALL = {
    *(
        "dealer at another table's tablet",
        "football dealer",
        "stickperson",
        "floorperson of the football pit",
    ),
    "dealer of another table",
}


@fuzzed(60, 4_000, 250)
@given(data=st.data())
def test_no_address_fails_or_opens_without_right(prompter, data):
    draw = data.draw
    route = draw(st.sampled_from(sorted(converters)))
    people = sorted(rights.READERS[route] | rights.SENDERS.get(route, set()))
    who = draw(st.sampled_from(people if people and draw(st.booleans()) else sorted(rights.EVERYBODY)))
    path, client = path_of(draw, route), browser(prompter.cookies[who])
    method = (
        "POST"
        if route in rights.SENDERS and draw(st.booleans())
        else draw(st.sampled_from(["GET"] * 5 + ["POST", "PUT"]))
    )
    headers = draw(st.sampled_from(HEADERS)) if draw(st.integers(0, 3)) == 3 else {}
    note(f"{who}: {method} {path} {headers}")
    with taken_back():
        has_chips = draw(st.integers(0, 3)) == 3 and bool(bring_to("chips"))
        if method == "GET":
            query = "?" + draw(st.sampled_from(SEARCHES))
            with prompter.prompting(draw(seeds)):
                answer = client.get(path + query, headers=headers)
        else:
            body, kind = draw(st.sampled_from(BODIES)), draw(st.sampled_from(TYPES))
            note(f"{kind}: {body[:60]!r}")
            with prompter.prompting(draw(seeds)):
                answer = client.generic(method, path, body, content_type=kind, headers=headers)
        read = b"".join(answer) if answer.streaming else answer.content
    assert answer.status_code < 500, read[:200]
    if answer.status_code < 300:  # a redirect only leads somewhere, such as to the sign-in
        assert may(who, method, answer.wsgi_request.path_info, has_chips), (
            f"{answer.status_code} without right: {read[:200]!r}"
        )


# Acts

KINDS = {"tables": "/floor/larkfield/{table}/acts/", "facility": "/floor/larkfield/acts/"}
KINDS |= {"office": "/office/larkfield/acts/", "desk": "/record/larkfield/acts/"}
ACTS = [(kind, act) for kind, (runner, _codes) in RUNNERS.items() for act in sorted(runner.acts)]
WITHOUT_TABLE: dict[str, Mapping[str, Set[str]]] = {
    "facility": rights.ACTS_OF_FACILITY,
    "office": rights.ACTS_OF_OFFICE,
    "desk": rights.ACTS_OF_DESK,
}
STATES = (
    "as it is",
    "wagers",
    "dice",
    "called",
    "paying",
    "chips",
    "chips",
    "football wagers",
    "football dice",
)
ENVELOPE = ("command", "seen", "params", "head", "stored_heads", "tapped", "after", "witness", "station")


class Sent(NamedTuple):
    """An act as somebody sends it. `prompted`: what it reads and was not sent is answered."""

    who: str
    path: str
    body: bytes
    content_type: str
    prompted: bool


def doers(kind: str, table: str, act: str) -> Set[str]:
    """Who may do an act."""
    if kind != "tables":
        return WITHOUT_TABLE[kind][act]
    people = rights.ACTS_AT_TABLES[act]
    return people.sic_bo if table == "T-01" else people.football


def bring_to(state: str) -> str:
    """Bring a table to this state of play, and return its code."""
    code = "T-42" if state.startswith("football") else "T-01"
    table = Table.objects.select_related("stream", "facility").get(facility__code="larkfield", code=code)
    podium = Device.objects.get(facility="larkfield", name=PODIUM)
    cast = ("dana", "emil", "stan", "otto") if code == "T-42" else ("mei", "mei", "mei", "kate")
    cast += ("rita", "cleo")
    people = {person.code: person for person in Person.objects.filter(code__in=cast)}
    roles = dict(
        zip(("dealer", "relief", "stickperson", "floorperson", "security", "cage"), cast, strict=True)
    )
    scene = Scene(table, people | {role: people[code] for role, code in roles.items()}, podium, podium)
    if state == "chips":
        lay_out_chips(scene)
    elif code == "T-42":
        scene.act("seat_player", {"seat": 3})
        scene.place((3, "touchdown", 500))
    elif state != "as it is":
        scene.place((1, "small", 1_000), (2, "big", 2_500), (3, "total:12", 500))
    if state in ("dice", "called", "paying", "football dice"):
        scene.to_the_dice()
    if state in ("called", "paying"):
        scene.act("call_dice", {"dice": [2, 5, 5]})
    if state == "paying":
        scene.act(scene.round_part["next"]["act"], scene.round_part["next"]["params"])
    return code


def lay_out_chips(scene: Scene) -> None:
    """The house keeps inventories: an opener, a drop box, a sale, and a fill and a credit at each step."""
    change_keeping(scene.table.facility, True)
    count(scene, "count_opener", OPENER)
    box(scene, "put_on_drop_box", {"box": "B-1"})
    scene.act("sell_chips", {"cents": 5_000})
    for kind in ("fill", "credit"):
        request(scene, kind, CHIPS)
        for with_carrier in (False, True):
            transfer = request(scene, kind, CHIPS)
            cage(scene, "prepare_transfer", transfer)
            if with_carrier and kind == "fill":
                cage(scene, "hand_over_transfer", transfer, "security")
            elif with_carrier:
                scene.act("sign_to_carry", transfer, witness="rita")
                scene.act("hand_over_transfer", transfer, witness="floorperson")


def an_act(draw: Callable[[Any], Any], table: str) -> tuple[str, str]:
    """The runner and the name of an act, at this table or without a table."""
    kind, act = draw(st.sampled_from(ACTS))
    return (
        ("tables", draw(st.sampled_from(sorted(rights.ACTS_AT_TABLES)))) if table == "T-42" else (kind, act)
    )


SIGNERS = ("viktor", "kate", "marta", "carla", "otto", "stan", "rita", "cleo", "mei")


def envelope(draw: Callable[[Any], Any], who: str, version: int) -> dict[str, Any]:
    """A body as our screens send it, some with the signature of a second person."""
    body: dict[str, Any] = {
        "command": str(uuid.UUID(int=draw(st.integers(0, 2**64)))),
        "seen": version,
        "params": {},
    }
    if draw(st.integers(0, 2)) == 2:
        signer = draw(st.sampled_from([*SIGNERS, "ana", "nobody", "\0", ""]))
        body["witness"] = {
            "person": signer,
            "pin": draw(st.sampled_from([PIN, PIN, PIN, "000000", "\0", "²" * 6])),
        }
    return body


def sent(draw: Callable[[Any], Any], who: str, path: str, version: int) -> Sent:
    sort = draw(st.integers(0, 14))
    if sort < 12 or (sort == 14 and "/office/" not in path and "document" not in path):
        return Sent(who, path, json.dumps(envelope(draw, who, version)).encode(), "application/json", True)
    if sort == 12:
        changed = draw(
            st.dictionaries(
                st.sampled_from([*ENVELOPE, "more", "é"]), st.sampled_from(WILD), min_size=1, max_size=3
            )
        )
        body = {**envelope(draw, who, version), **changed}
        return Sent(who, path, json.dumps(body).encode(), draw(st.sampled_from(TYPES[:4])), False)
    if sort == 13:
        return Sent(who, path, draw(st.sampled_from(BODIES)), draw(st.sampled_from(TYPES)), False)
    return Sent(who, path, form(draw), "multipart/form-data; boundary=x", True)


def form(draw: Callable[[Any], Any]) -> bytes:
    """A form with a file."""
    fields = {
        "command": str(uuid.UUID(int=draw(st.integers(0, 2**64)))),
        draw(st.sampled_from(["title", "params", "a\0"])): "é\0",
    }
    name = draw(
        st.sampled_from(["a.txt", "", "..", "é" * 300 + ".pdf", "a." + "x" * 90, "a\0b.txt", "\u202e.exe"])
    )
    content = draw(
        st.sampled_from([b"%PDF-1.7 a", b"", b"a", b"\x89PNG\r\n\x1a\n", b"\0" * 9, b"PK\x03\x04"])
    )
    parts = [
        f'--x\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'.encode()
        for key, value in fields.items()
    ]
    head = f'--x\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: text/plain\r\n\r\n'
    return b"".join([*parts, head.encode(), content, b"\r\n--x--\r\n"])


@fuzzed(30, 2_000, 100)
@given(data=st.data())
def test_no_act_fails_or_is_done_without_right(prompter, data):
    draw = data.draw
    with taken_back():
        table = bring_to(draw(st.sampled_from(STATES)))
        version = Table.objects.get(facility__code="larkfield", code=table).stream.seq
        for _ in range(4):
            kind, act = an_act(draw, table)
            allowed = doers(kind, table, act)
            everybody = sorted(rights.TRY_AT_FOOTBALL if table == "T-42" else rights.EVERYBODY)
            who = draw(
                st.sampled_from(everybody if not allowed or draw(st.integers(0, 5)) == 5 else sorted(allowed))
            )
            request = sent(draw, who, KINDS[kind].format(table=table) + act, version)
            note(f"{who} at {table}: {request.path} {request.content_type} {request.body[:300]!r}")
            with taken_back():
                status, entries, content = post(prompter, draw, request)
            assert status < 500, content
            if status == 200:
                signed = b'"witness"' in request.body  # with the PIN of the person at the post
                assert who in allowed or (signed and who in doers("tables", table, "place_wagers")), content
            elif request.prompted and b'"witness"' not in request.body:
                assert not entries, f"refused by {status} and {entries} entries: {content!r}"


def post(prompter: Prompter, draw: Callable[[Any], Any], request: Sent) -> tuple[int, int, bytes]:
    """The status, how many entries were written, and the beginning of the answer."""
    before = Entry.objects.count()
    client = browser(prompter.cookies[request.who])
    if request.prompted:
        with prompter.prompting(draw(seeds)):
            answer = client.generic("POST", request.path, request.body, content_type=request.content_type)
    else:
        answer = client.generic("POST", request.path, request.body, content_type=request.content_type)
    return answer.status_code, Entry.objects.count() - before, answer.content[:200]


# Sockets


@fuzzed(60, 2_000, 500)
@given(data=st.data())
def test_no_socket_fails_or_opens_without_right(prompter, data):
    draw = data.draw
    pattern = draw(st.sampled_from(websocket_urlpatterns))
    route, who = str(pattern.pattern), draw(st.sampled_from(sorted(rights.EVERYBODY)))
    kinds = {name: kind or "str" for kind, name in re.findall(CONVERTED, route)}
    name = draw(st.sampled_from(["", *sorted(kinds)]))
    changed = {name: draw(st.sampled_from(ODD_ARGUMENTS[kinds[name]]))} if name else {}
    note(f"{who}: {route} {changed}")
    socket = socket_at(pattern, prompter.cookies[who], **changed)
    if draw(st.integers(0, 3)) == 3:
        odd = draw(st.sampled_from(["\0", "é", "' OR 1=1", "a" * 5_000, "\ud800"]))
        socket.scope["cookies"] = {
            **socket.scope["cookies"],
            draw(st.sampled_from(["pitside_device", "sessionid"])): odd,
        }
    socket.scope["query_string"] = draw(
        st.sampled_from([b"", b"version=\xff&head=%00", b"a=" * 3_000, b"seen=-1&=&&"])
    )
    try:
        is_open = hasattr(socket, "heartbeat") and socket.heartbeat() is not None
    except (SignedOut, Denied, Locked):
        is_open = False
    assert not is_open or (who in rights.SOCKETS[route] and not changed) or changed.get("table") == "T-42"
