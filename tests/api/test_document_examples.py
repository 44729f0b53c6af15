"""The examples of the document (tables/api/examples.json): each operation once, from a real run at one table.

They are written by `WRITE_API_EXAMPLES=1 pytest tests/api/test_document_examples.py`, and compared here with a new run.
What differs by chance is compared by its shape: ids, hashes, signatures, tokens and keys of rows. Of each list an
example has the first.
"""

import json
import os
import re
import uuid
from typing import Any

import jsonschema_rs
import pytest

from audit import clock, event_log, registration
from audit.models import Entry
from audit.sealing import keys
from audit.sealing.sealer import Sealer
from tables.api import documents, entry_events
from tables.api.documents import EXAMPLES_FILE, document
from tests.api.conftest import make_machine
from tests.tables import test_money, test_players
from tests.tables.cast import PIN, make_scene

pytestmark = [pytest.mark.django_db]
WRITE = "WRITE_API_EXAMPLES"
HERE = {"facility": "larkfield"}
AT_TABLE = HERE | {"table": "T-01"}
TODAY = {"from": "2026-11-21", "to": "2026-11-21"}
BY_CHANCE = (
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "<uuid>"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "<hash>"),
    (re.compile(r"\b\d+\.[0-9a-f]{8}\b"), "<position>"),
    (re.compile(r'("(?:alert|rating|next|id)": ?)\d+'), r"\1<number>"),
    (re.compile(r'"(?:token|proof|tlog_proof|seal|origin)": ?"(?:[^"\\]|\\.)*"'), "<by chance>"),
    (re.compile(r'build\\*": ?\\*"[^"\\]*'), "<build>"),
    (re.compile(r"\bP-[0-9A-Z]{4,}\b|\bpl-[0-9a-z]+\b"), "<player>"),
)
Example = dict[str, Any]


class Examples:
    """Asks each operation of the document once, and keeps what was sent and answered."""

    def __init__(self) -> None:
        self.of: dict[str, Example] = {}
        self.operations = {
            operation["operationId"]: (method, path)
            for path, methods in document()["paths"].items()
            for method, operation in methods.items()
        }

    def ask(self, machine, operation: str, parameters: dict[str, Any] | None = None, body: Any = None) -> Any:
        """Send a request, and return the answer. `parameters`: of the path and the query."""
        method, path = self.operations[operation]
        parameters = parameters or {}
        address = path.removeprefix("/api/v1/").format(**parameters)
        query = {name: value for name, value in parameters.items() if "{%s}" % name not in path}
        if method == "get":
            answer = machine.get(address, query)
        elif method == "post":
            key = {"Idempotency-Key": str(uuid.uuid4())}
            answer = machine.post(address, body, key)
        else:
            answer = machine.delete(address)
        assert answer.status_code == 200, (operation, answer.content)
        self.keep(operation, parameters, body, answer.json())
        return answer.json()

    def keep(self, operation: str, parameters: dict[str, Any], body: Any, answer: Any) -> None:
        example = {"parameters": parameters, "answer": shortened(answer)}
        self.of[operation] = example | ({} if body is None else {"body": body})


def shortened(value: Any) -> Any:
    """The value with the first of each list."""
    if isinstance(value, dict):
        return {name: shortened(part) for name, part in value.items()}
    return [shortened(part) for part in value[:1]] if isinstance(value, list) else value


def masked(examples: dict[str, Example]) -> str:
    text = json.dumps(examples, indent=1, sort_keys=True, ensure_ascii=False)
    for pattern, mark in BY_CHANCE:
        text = pattern.sub(mark, text)
    return text


@pytest.fixture
def examples(db, hands, tmp_path, settings) -> dict[str, Example]:
    """An evening in small at T-01, as other systems read it and act in it."""
    settings.SEALER_DIR = str(tmp_path / "sealer")
    keys.create(keys.folder())
    scene = make_scene(opened=False)
    test_money.keep_inventory(scene)
    scene.staff()
    registration.record_people()
    test_money.count(scene, "count_opener", test_money.OPENER)
    test_money.box(scene, "put_on_drop_box", {"box": "B-1"})
    scene.inspect()
    scene.open()
    scene.act("receive_transfer", {**test_money.fill(scene), "chips": test_money.FILL}, witness="floorperson")
    player = test_players.register(scene, card="4711-0815")
    scene.act("sell_chips", {"cents": 50_000, "chips": {"2500": 20}, "seat": 3})
    scene.play((1, "small", 1_000), (3, "big", 2_500), dice=[1, 2, 5])
    test_players.rate(scene, player)
    scene.finish()
    params = {"kind": "dispute", "about": "the call", "table": "T-01", "number": 1, "seat": 1}
    scene.in_room("open_case", params, by="compliance")
    run = Examples()
    _act(run, scene)
    _read(run, scene)
    return run.of


def _act(run: Examples, scene) -> None:
    """What machines, and people at one, do."""
    acting = make_machine("acts", name="Pit system")
    run.ask(acting, "list_acts")
    run.ask(acting, "read_act", {"act": "change_limits"})
    signed_in = run.ask(acting, "sign_in", body={"person": "floorperson", "pin": PIN})
    acting.token = signed_in["token"]
    run.ask(acting, "read_person")
    limits = {"params": {"min_cents": 2_500, "max_cents": 200_000}, "seen": scene.version}
    scene.place((1, "small", 2_500))
    limits["seen"] = scene.version
    run.ask(acting, "act_at_table", AT_TABLE | {"act": "change_limits"}, limits)
    run.ask(acting, "sign_off")
    office = make_machine("acts", name="Office system")
    office.token = office.post("person", {"person": "games-administrator", "pin": PIN}).json()["token"]
    shaker = {"params": {"shaker": "SH-77", "kind": "manual"}}
    run.ask(office, "act_of_facility", HERE | {"act": "register_shaker"}, shaker)
    run.ask(acting, "heartbeat")
    sign = make_machine("signs", place="larkfield/T-01", name="LS-01")
    shall = run.ask(sign, "read_sign", AT_TABLE)
    run.keep(
        "stream_sign", AT_TABLE, None, f"event: sign\ndata: {json.dumps(shall, separators=(',', ':'))}\n\n"
    )
    shown = {"min_cents": 1_000, "max_cents": 100_000, "change": shall["coming"]["change"]}
    run.ask(sign, "say_shown", AT_TABLE, shown)
    scene.to_the_dice()
    run.ask(make_machine("readings", place="larkfield/T-01", name="DR-01"), "read_turn", AT_TABLE)
    now = clock.now().isoformat()
    mark = {
        "camera": "C-12",
        "reference": "V-1",
        "moment": now,
        "sent_at": now,
        "table": "T-01",
        "note": "A late chip",
    }
    cameras = make_machine("bookmarks", name="VMS")
    run.ask(cameras, "send_bookmark", HERE, mark)
    run.ask(cameras, "list_bookmarks", HERE)


def _read(run: Examples, scene) -> None:
    """What there is to read then."""
    reader = make_machine("floor", "money", "people", "cases", "entries", name="Casino management")
    scene.act("call_floor")
    submission = HERE | {"code": "RS-0009", "version": 1}
    for operation, parameters in {
        "list_facilities": {}, "list_tables": HERE, "read_table": AT_TABLE, "read_limits": AT_TABLE,
        "list_limits_changes": HERE, "list_dice_lots": HERE, "list_rounds": AT_TABLE,
        "read_round": AT_TABLE | {"number": 1}, "list_wagers": AT_TABLE, "list_submissions": HERE,
        "read_submission": submission, "read_odds": submission, "read_guide": HERE, "list_figures": HERE | TODAY,
        "list_inventories": HERE, "list_transfers": HERE | {"kind": "fill"}, "list_drops": HERE,
        "list_people_on_duty": HERE, "list_players": HERE, "list_ratings": AT_TABLE, "list_alerts": AT_TABLE,
        "list_cases": HERE, "list_streams": {},
    }.items():  # fmt: skip
        run.ask(reader, operation, parameters)
    run.ask(reader, "find_player_by_card", HERE, {"card": "4711-0815"})
    run.ask(reader, "list_entries", {"type": "round.settled"})
    Sealer(keys.folder()).seal()
    number = Entry.objects.get(type="round.settled").seq
    run.ask(reader, "prove_entry", {"place": "T-01", "number": number})
    streams = event_log.streams_of("larkfield")
    settled = event_log.entries_between(streams, 0, 2**62, 1, ["round.settled"])
    run.keep("stream_entries", {"type": "round.settled"}, None, entry_events._event(settled[0]).decode())


def test_each_operation_has_an_example_of_a_real_run(examples):
    if os.environ.get(WRITE):
        text = json.dumps(examples, indent=1, sort_keys=True, ensure_ascii=False)
        EXAMPLES_FILE.write_text(text + "\n", "utf-8")
        for cached in (documents.read_examples, document):
            cached.cache_clear()
    written = json.loads(EXAMPLES_FILE.read_text("utf-8"))
    assert {*written} == {*examples} == {*Examples().operations}
    for name in examples:
        assert masked({name: written[name]}) == masked({name: examples[name]}), name


def test_an_example_is_as_the_document_says():
    content = document()
    for methods in content["paths"].values():
        for operation in methods.values():
            parts = [*operation["responses"]["200"]["content"].values()]
            parts += [*operation.get("requestBody", {}).get("content", {}).values()]
            for part in parts:
                schema = {**part["schema"], "components": content["components"]}
                errors = [*jsonschema_rs.validator_for(schema).iter_errors(part["example"])]
                assert errors == [], (operation["operationId"], errors[0].message)
