"""Roles × endpoints × objects: everybody tries every address, every act and every socket, here and next door.

tests/rights.py states the rights, and refused is whatever it does not name. Nothing is listed by hand: addresses come
from the resolver, acts from their runners, sockets from their routing, and parameters from what the acts read.
"""

import json
import logging
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection, transaction
from django.http import Http404, HttpRequest
from django.template.base import Template
from django.test import Client
from django.urls import get_resolver, path
from reportlab.platypus import BaseDocTemplate

from audit.identity import Denied, Locked, SignedOut
from audit.models import Person
from audit.runner import ActRequest, ActRunner
from games.access import Unchecked, access_rules, verify_rules
from games.engine import Refusal
from games.models import Document, GameRequest, Provider
from games.office import core as office
from games.params import Params
from games.views import office as office_pages
from tables.core.duty import MACHINES
from tables.desk import desk
from tables.models import Table
from tables.runner import facility, table
from tables.runner.access import current_request
from tables.screens import fragments, snapshot
from tables.views import acts
from tables.views.sockets import Beat, run_heartbeats, websocket_urlpatterns
from tests import rights
from tests.services.restore import columns_of, filled_tables, literals
from tests.two_facilities import FILTER, Casinos, browser, make_casinos

pytestmark = pytest.mark.django_db
BY_SCRIPT = {"Sec-Fetch-Mode": "cors"}
REFUSED = {401, 403, 404, 405, 423}
ARGUMENT = re.compile(r"<(?:\w+:)?(\w+)>")
THEIRS = {"facility": "seabright", **rights.ONLY_AT_LARKFIELD}
CHANGED_BY_SIGN_IN = ("django_session", "audit_device")


@pytest.fixture
def casinos() -> Iterator[Casinos]:
    """Both casinos. Their thousands of refusals are not logged."""
    logging.disable()
    yield make_casinos()
    logging.disable(logging.NOTSET)


@pytest.fixture
def nothing_changes(casinos) -> Iterator[None]:
    """Whatever the test sends leaves every row as it was."""
    before = all_rows()
    yield
    assert before ^ all_rows() == set()


@pytest.fixture
def nothing_drawn(casinos, monkeypatch) -> None:
    """Pages without their HTML and PDF: who reads them is decided before."""
    monkeypatch.setattr(Template, "render", lambda *_: "")
    monkeypatch.setattr(BaseDocTemplate, "build", lambda *_, **__: None)
    monkeypatch.setattr(office_pages, "deadlines", lambda *_: ())
    monkeypatch.setattr(snapshot, "of_table", cache(snapshot.of_table))
    monkeypatch.setattr(fragments, "screen", lambda *_: {})


def all_rows() -> set[tuple[str, ...]]:
    return {
        (name, *row)
        for name in filled_tables(connection)
        if name not in CHANGED_BY_SIGN_IN
        for row in literals(name, columns_of(name))
    }


@contextmanager
def taken_back() -> Iterator[None]:
    savepoint = transaction.savepoint()
    try:
        yield
    finally:
        transaction.savepoint_rollback(savepoint)


def differences(expected: Mapping[str, Set[str]], admitted: Mapping[str, Set[str]]) -> list[str]:
    """Each right that is not as stated, as a sentence."""
    lines = []
    for right in sorted({*expected, *admitted}):
        if right not in expected:
            lines.append(f"{right!r} has no line in tests/rights.py; it is open to {sorted(admitted[right])}")
        elif right not in admitted:
            lines.append(f"{right!r} of tests/rights.py does not exist")
        else:
            lines += [f"{right!r} is open to: {who}" for who in sorted(admitted[right] - expected[right])]
            lines += [f"{right!r} is closed to: {who}" for who in sorted(expected[right] - admitted[right])]
    return lines


def assert_none(lines: list[str]) -> None:
    """Fail with every line."""
    assert not lines, "\n" + "\n".join(lines)


# Addresses


def routes(patterns: Iterable[Any] | None = None, prefix: str = "") -> Iterator[str]:
    """Every route of the installation, without the API."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        if hasattr(pattern, "url_patterns"):
            yield from routes(pattern.url_patterns, prefix + str(pattern.pattern))
        elif not prefix.startswith(rights.APIS):
            yield prefix + str(pattern.pattern)


def address(route: str, **changed: Any) -> str:
    """An address of Larkfield by its route, with other arguments where the test says so."""
    arguments = {**rights.EXAMPLES, **changed}
    for group, code in rights.CODES.items():
        if f"/{group}/" in route:
            arguments["code"] = code
    return "/" + ARGUMENT.sub(lambda match: str(arguments[match[1]]), route) + rights.QUERIES.get(route, "")


def status(client: Client, url: str, method: str = "GET") -> int:
    if method == "GET":
        return client.get(url, headers=BY_SCRIPT).status_code
    with taken_back():
        form = {"command": str(uuid.uuid4()), "name": "A phone"}
        return client.post(url, form, headers=BY_SCRIPT).status_code


def takes_forms(route: str, client: Client) -> bool:
    """Whether an address other than an act's reads what is sent to it."""
    return "/acts/" not in route and status(client, address(route), "POST") != 405


@pytest.mark.usefixtures("nothing_drawn", "nothing_changes")
def test_every_address_is_open_to_those_who_are_named_and_to_nobody_else(casinos):
    forms = [route for route in routes() if takes_forms(route, browser(casinos.larkfield["compliance"]))]
    readers: dict[str, set[str]] = {route: set() for route in routes()}
    senders: dict[str, set[str]] = {route: set() for route in forms}
    for who, cookies in casinos.larkfield.items():
        for admitted, method in ((readers, "GET"), (senders, "POST")):
            for route, people in admitted.items():
                if people >= rights.LEAST:
                    people.add(who)  # open to everybody: nobody else needs to try
                elif status(browser(cookies), address(route), method) not in REFUSED:
                    people.add(who)
    assert_none(differences(rights.READERS, readers) + differences(rights.SENDERS, senders))


@pytest.mark.usefixtures("nothing_drawn", "nothing_changes")
def test_nobody_of_another_casino_reads_anything_here(casinos):
    public = {route for route, readers in rights.READERS.items() if readers == rights.EVERYBODY}
    here = [route for route in routes() if "facility" in route and route not in public]
    requests = [("GET", address(route)) for route in here]
    requests += [("GET", address(route, **THEIRS)) for route in here if names_an_object(route)]
    requests += [("POST", address(route)) for route in here if route in rights.SENDERS]
    opened = []
    for who, cookies in casinos.seabright.items():
        client = browser(cookies)
        answers = {f"{who}: {method} {url}": status(client, url, method) for method, url in requests}
        opened += [request for request, code in answers.items() if code not in REFUSED]
    assert_none(opened)


def test_an_address_without_a_rule_ends_the_start():
    with pytest.raises(ImproperlyConfigured, match="floor/open-door"):
        verify_rules([*get_resolver().url_patterns, path("floor/open-door", lambda request: None)])


def test_each_address_declares_the_rule_by_which_it_is_read(casinos):
    requests = {who: current_request({"cookies": cookies}) for who, cookies in casinos.larkfield.items()}
    expected, admitted = {}, {}
    for route, rule in access_rules(get_resolver().url_patterns):
        if route.startswith(rights.APIS):
            continue
        readers = rights.READERS[route]
        if isinstance(rule, Unchecked):
            if rule.is_open:
                expected[route], admitted[route] = readers, rights.EVERYBODY
        elif readers and route not in rights.NARROWED_BY_VIEW:
            expected[route] = readers
            admitted[route] = {who for who, request in requests.items() if admits(rule, route, request)}
    assert_none(differences(expected, admitted))
    assert len(expected) > 80, "nearly every address has a rule of its own"


def admits(rule: Any, route: str, request: HttpRequest) -> bool:
    try:
        return bool(rule.authorize(request, *[rights.EXAMPLES[name] for name in rule.arguments]))
    except (SignedOut, Denied, Locked, Http404):
        return False


def names_an_object(route: str) -> bool:
    return bool(set(ARGUMENT.findall(route)) & {*rights.ONLY_AT_LARKFIELD, "code", "job", "version"})


def test_no_page_of_another_casino_names_anybody_or_anything_here(casinos):
    names = names_of_larkfield()
    lists = [route for route in routes() if set(ARGUMENT.findall(route)) == {"facility"}]
    urls = [address(route, **THEIRS) for route in lists if rights.READERS[route] != rights.EVERYBODY]
    urls += [f"/{url}" for url in rights.FOREIGN_QUERIES]
    leaks, opened = [], set()
    for who in ("shift-manager", "compliance"):
        client = browser(casinos.seabright[who])
        for url in urls:
            answer = client.get(url, headers=BY_SCRIPT)
            content = b"".join(answer) if answer.streaming else answer.content
            opened |= {url} if answer.status_code == 200 else set()
            leaks += [f"{who}: {url} names {name}" for name in names if name.encode() in content]
    assert_none(leaks)
    assert len(opened) > len(urls) // 2, "most of these pages open, or nothing was tried"


def names_of_larkfield() -> set[str]:
    """What only Larkfield's own people may read: names of people, tables, documents and the like."""
    return {
        *Person.objects.filter(facility="larkfield").values_list("name", flat=True),
        *Document.objects.filter(facility__code="larkfield").values_list("title", flat=True),
        *Provider.objects.filter(facility__code="larkfield").values_list("name", flat=True),
        *GameRequest.objects.filter(facility__code="larkfield").values_list("title", flat=True),
        *("Larkfield Casino", FILTER, "Phone of Noah", "RS-0031"),
    }


# Acts

RUNNERS: dict[str, tuple[ActRunner[Any, Any, Any], tuple[str, ...]]] = {
    "tables": (table.RUNNER, ("T-01", "T-42")),
    "facility": (facility.RUNNER, ("",)),
    "office": (office.RUNNER, ("",)),
    "desk": (desk.RUNNER, ("",)),
}


class LetIn(Exception):
    """The act would be done now."""


@pytest.fixture
def acts_let_in(casinos, monkeypatch) -> None:
    """Every act ends where its own rules would begin."""

    def let_in(*_: Any) -> None:
        raise LetIn

    for runner, _tables in RUNNERS.values():
        for name, act in list(runner.acts.items()):
            monkeypatch.setitem(runner.acts, name, replace(act, do=let_in))


class Sender:
    """Somebody who posts acts, read from their cookies as a request is."""

    def __init__(self, cookies: dict[str, str]) -> None:
        self.request = current_request({"cookies": cookies})

    def post(self, runner: ActRunner[Any, Any, Any], casino: str, code: str, act: str) -> str:
        """The act's answer: "let in", or the status and code of its refusal."""
        request = HttpRequest()
        request.__dict__ |= {
            name: getattr(self.request, name) for name in ("user", "session", "device", "locked")
        }
        body = {"command": str(uuid.uuid4()), "seen": version_of(casino, code), "params": {}}
        request._body = json.dumps(body).encode()
        try:
            reply = acts.execute_request(request, acts.ActTarget(runner, casino, code, act))
        except LetIn:
            return "let in"
        return f"{reply.status} {reply.body['refusal']['code']}"


@cache
def version_of(casino: str, code: str) -> int:
    return Table.objects.get(facility__code=casino, code=code).stream.seq if "-" in code else 0


@pytest.mark.usefixtures("nothing_drawn", "nothing_changes", "acts_let_in")
def test_every_act_is_open_to_those_who_are_named_and_to_nobody_else(casinos):
    version_of.cache_clear()
    admitted: dict[str, set[str]] = {}
    for who, cookies in casinos.larkfield.items():
        sender = Sender(cookies)
        for kind, (runner, codes) in RUNNERS.items():
            for code in codes:
                if code == "T-42" and who not in rights.TRY_AT_FOOTBALL:
                    continue
                for act in runner.acts:
                    senders = admitted.setdefault(f"{kind} {code} {act}", set())
                    if sender.post(runner, "larkfield", code, act) == "let in":
                        senders.add(who)
    expected = {
        **{f"tables T-01 {act}": who.sic_bo for act, who in rights.ACTS_AT_TABLES.items()},
        **{f"tables T-42 {act}": who.football for act, who in rights.ACTS_AT_TABLES.items()},
        **{f"facility  {act}": who for act, who in rights.ACTS_OF_FACILITY.items()},
        **{f"office  {act}": who for act, who in rights.ACTS_OF_OFFICE.items()},
        **{f"desk  {act}": who for act, who in rights.ACTS_OF_DESK.items()},
    }
    assert_none(differences(expected, admitted))


@pytest.mark.usefixtures("nothing_drawn", "nothing_changes", "acts_let_in")
def test_nobody_of_another_casino_does_anything_here(casinos):
    version_of.cache_clear()
    done = []
    for who, cookies in casinos.seabright.items():
        sender = Sender(cookies)
        for kind, (runner, _codes) in RUNNERS.items():
            for act in runner.acts:
                answer = sender.post(runner, "larkfield", "T-01" if kind == "tables" else "", act)
                if answer[:3] not in ("401", "403", "423"):
                    done.append(f"{who}: {act}: {answer}")
    assert_none(done)


# Objects of another casino, named by an act of this one

PLAUSIBLE: dict[str, Any] = {
    "integer": lambda low, *_, **__: low,
    "text": lambda **_: "a",
    "prose": lambda **_: "a",
    "code": lambda **_: "a",
    "date": lambda **_: "2026-11-20",
    "choice": lambda choices, **_: choices[0],
    "boolean": lambda **_: True,
    "texts": lambda **_: ["a"],
    "integers": lambda **_: [1],
    "objects": lambda *_, **__: [{}],
    "chips": lambda **_: {"500": 1},
}


Name = tuple[str, str]  # of a parameter, and "number" or "text"


class Prompter:
    """Answers whatever an act reads: with a value of the test, or else with a plausible one. Notes the names."""

    def __init__(self) -> None:
        self.values: dict[Name, Any] = {}
        self.names: list[Name] = []
        self.inside: list[str] = []  # `code` reads by `text`

    def answer(self, params: Params, name: str, kind: str, plausible: Any) -> None:
        if name not in self.inside:
            key = (name, "number" if kind == "integer" else "text")
            self.names.append(key)
            value = self.values.get(key)
            params._unread.setdefault(name, plausible if value is None else value)


@pytest.fixture
def prompter(monkeypatch) -> Prompter:
    prompter = Prompter()

    def prompted(kind: str, method: Any) -> Any:
        def read(self: Params, name: str, *args: Any, **options: Any) -> Any:
            prompter.answer(self, name, kind, PLAUSIBLE[kind](*args, **options))
            prompter.inside.append(name)
            try:
                return method(self, name, *args, **options)
            finally:
                prompter.inside.pop()

        return read

    for kind in PLAUSIBLE:
        monkeypatch.setattr(Params, kind, prompted(kind, getattr(Params, kind)))
    return prompter


PATHS = {
    rights.Alert: "table__facility__code",
    rights.Rating: "table__facility__code",
    rights.ProviderNote: "provider__facility__code",
    rights.Qualifier: "provider__facility__code",
    rights.Qualification: "person__facility",
    rights.Lockout: "facility",
}


def value_of(value: Any, casino: str) -> Any:
    """The value itself, or the newest row's key of a model in this casino; None if it has no row."""
    if not isinstance(value, type):
        return value
    rows = value.objects.filter(**{PATHS.get(value, "facility__code"): casino})
    return rows.order_by("pk").values_list("pk", flat=True).last()


def refusal_of(casinos: Casinos, runner: ActRunner[Any, Any, Any], code: str, act: str) -> str:
    """What the first person of Seabright who may do this act is answered; "" if it is done. Two people sign."""
    role, signer = next(pair for pair in SIGNERS if pair[0] in runner.acts[act].roles)
    request = current_request({"cookies": casinos.seabright[role]})
    witness = Person.objects.get(code=signer) if runner.acts[act].witness else None
    try:
        runner.execute(
            ActRequest(
                "seabright", code, act, uuid.uuid4(), version_of("seabright", code), {}, request.user,
                request.device, witness,
            )
        )  # fmt: skip
    except Refusal as refusal:
        return refusal.code
    return ""


SIGNERS = (
    ("dealer", "fred"),
    ("floorperson", "their-shift-manager"),
    ("casino-supervisor", "their-security"),
    ("pit-manager", "their-compliance"),
    ("cage", "their-compliance"),
    ("compliance", "their-shift-manager"),
    ("surveillance", ""),
    ("system-administrator", ""),
)


@pytest.mark.usefixtures("nothing_drawn")
def test_no_act_takes_an_object_of_another_casino(casinos, prompter):
    version_of.cache_clear()
    foreign = {name: value_of(row.foreign, "larkfield") for name, row in rights.OBJECTS.items()}
    assert None not in foreign.values(), foreign
    own = rights.VALUES | {name: value_of(row.own, "seabright") for name, row in rights.OBJECTS.items()}
    wrong, words, tried = [], set(), set()
    for kind, (runner, _codes) in RUNNERS.items():
        code = "T-01" if kind == "tables" else ""
        for act in runner.acts:
            if runner.acts[act].roles == MACHINES:  # it names no object: its device says where it acts
                continue
            names = try_act(casinos, prompter, own, runner, code, act)[1]
            words |= {name for name, _ in names - set(rights.OBJECTS)}
            tried |= names & set(rights.OBJECTS)
            for name in sorted(names & set(rights.OBJECTS)):
                answer, _ = try_act(casinos, prompter, {**own, name: foreign[name]}, runner, code, act)
                expected = rights.OTHER_REFUSALS.get((act, name[0]), rights.OBJECTS[name].refusal)
                if answer != expected:
                    wrong.append(f"{act} of a foreign {name[0]}: {answer or 'done'} instead of {expected}")
    assert_none(wrong)
    assert words ^ set(rights.OTHER_WORDS.split()) == set(), "a parameter needs its line in tests/rights.py"
    assert tried == set(rights.OBJECTS), "an act names each of these objects"


def try_act(
    casinos: Casinos, prompter: Prompter, values: dict[Name, Any], runner: Any, code: str, act: str
) -> tuple[str, set[Name]]:
    """The refusal of this act with these values, and the names of the parameters that it read."""
    prompter.values, prompter.names = values, []
    with taken_back():
        refusal = refusal_of(casinos, runner, code, act)
    return refusal, set(prompter.names)


# Sockets


def test_every_socket_is_open_to_those_who_are_named_and_to_nobody_else(casinos, nothing_changes):
    admitted: dict[str, set[str]] = {}
    foreign = []
    for pattern in websocket_urlpatterns:
        route = str(pattern.pattern)
        admitted[route] = {who for who, cookies in casinos.larkfield.items() if listens(pattern, cookies)}
        foreign += [
            f"{who}: {route}" for who, cookies in casinos.seabright.items() if listens(pattern, cookies)
        ]
        foreign += [
            f"{who}: {route} of T-42"
            for who, cookies in casinos.seabright.items()
            if "table" in pattern.pattern.converters and listens(pattern, cookies, **THEIRS)
        ]
        together = listen_together(pattern, casinos.larkfield)
        assert together is None or together == admitted[route], route
    assert_none(differences(rights.SOCKETS, admitted) + foreign)


def socket_at(pattern: Any, cookies: dict[str, str], **changed: Any) -> Any:
    """A socket of this browser, before it connects."""
    consumer = pattern.callback.consumer_class()
    arguments = {name: {**rights.EXAMPLES, **changed}[name] for name in pattern.pattern.converters}
    consumer.scope = {"cookies": cookies, "url_route": {"kwargs": arguments}}
    return consumer


def listen_together(pattern: Any, browsers: dict[str, dict[str, str]]) -> set[str] | None:
    """Who is let in if the heartbeats of all browsers are due at once; None for a socket without heartbeats."""
    sockets = {who: socket_at(pattern, cookies) for who, cookies in browsers.items()}
    if not all(hasattr(socket, "heartbeat") for socket in sockets.values()):
        return None
    outcomes = dict(zip(sockets, run_heartbeats(list(sockets.values())), strict=True))
    refused = {who for who, outcome in outcomes.items() if isinstance(outcome, SignedOut | Denied | Locked)}
    assert not [
        outcome for who, outcome in outcomes.items() if who not in refused and not isinstance(outcome, Beat)
    ]
    return set(browsers) - refused


def listens(pattern: Any, cookies: dict[str, str], **changed: Any) -> bool:
    """Whether the socket's own check, on connecting and with each heartbeat, lets this browser in."""
    consumer = socket_at(pattern, cookies, **changed)
    try:
        return hasattr(consumer, "heartbeat") and consumer.heartbeat() is not None
    except (SignedOut, Denied, Locked):
        return False
