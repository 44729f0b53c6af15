"""The examples that docs/integration.md names do what they say, against the server."""

import importlib.util
import json
import re
import urllib.request
import uuid
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from audit import clock
from audit.models import Entry

pytestmark = [pytest.mark.django_db]
TABLE = "facilities/larkfield/tables/T-01"


def example(path: str) -> ModuleType:
    """A module of the examples."""
    spec = importlib.util.spec_from_file_location(
        Path(path).stem, Path(settings.BASE_DIR) / "examples" / path
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sender(machine):
    def send(method, path, body=None, key=""):
        headers = machine.headers | ({"Idempotency-Key": key} if key else {})
        answer = Client().generic(
            method,
            f"/api/v1/{path}",
            json.dumps(body or {}),
            content_type="application/json",
            headers=headers,
        )
        return answer.status_code, answer.json()

    return send


def asks_here(monkeypatch, module):
    """The module sends its requests to the application itself. Returns the paths, as they are asked for."""
    paths = []

    def ask(request: urllib.request.Request) -> tuple[int, Any]:
        paths.append(request.selector)
        headers = dict(request.headers)
        kind = headers.pop("Content-type", "application/x-www-form-urlencoded")
        answer = Client().generic(
            request.get_method(), request.full_url, request.data or b"", content_type=kind, headers=headers
        )
        return answer.status_code, answer.json()

    monkeypatch.setattr(module, "ask", ask)
    return paths


def test_a_reader_posts_until_its_reading_is_on_record(machine, scene):
    reader = machine("readings", place="larkfield/T-01")
    send, lost = sender(reader), [True]

    def unreliable(*request):
        answer = send(*request)
        if lost.pop() if lost else False:  # the answer is lost, and the reading was taken
            raise OSError
        return answer

    post = partial(example("dice_reader/reader.py").post_reading, wait=scene.to_the_dice)
    scene.place((1, "small", 2_500))
    reading = {
        "number": 1, "dice": [1, 2, 3], "read_at": clock.now().isoformat(), "confidence": 97, "firmware": "1.0",
    }  # fmt: skip
    # Bets are open at first: it waits, and meanwhile the dealer closes them
    assert post(send, TABLE, reading, str(uuid.uuid4())) == "pending"
    assert post(unreliable, TABLE, reading | {"number": 2}, str(uuid.uuid4())) == "pending"
    assert Entry.objects.filter(type="dice.read").count() == 2
    assert post(send, TABLE, reading, str(uuid.uuid4())) == "reading-known"
    assert post(send, TABLE, reading | {"dice": [1, 1, 1]}, str(uuid.uuid4())) == "reading-number-used"


@pytest.mark.parametrize("status", [401, 403, 423, 429, 500, 502])
def test_a_reader_loses_no_reading_while_its_token_is_refused_or_the_server_is_away(status):
    answers = [(status, {}), (status, {"code": "x"}), (200, {"answer": {"outcome": "late"}})]
    waited: list[bool] = []
    post = example("dice_reader/reader.py").post_reading
    assert post(lambda *_: answers.pop(0), TABLE, {}, "key", lambda: waited.append(True)) == "late"
    assert waited == [True, True]


def test_a_reader_renews_its_token_before_its_end_and_once_it_is_refused(machine, scene, monkeypatch):
    module = example("dice_reader/reader.py")
    paths, own = asks_here(monkeypatch, module), machine("readings", place="larkfield/T-01")
    connection = module.Connection("http://testserver", own.id, own.secret)
    turn = "GET", f"{TABLE}/readings/turn"
    assert connection.send(*turn)[0] == connection.send(*turn)[0] == 200
    connection.token = "ended"
    assert connection.send(*turn)[0] == 200
    connection.secret, connection.token_ends = "another", 0.0
    assert connection.send(*turn)[0] == 401
    of_turn, of_token = f"/api/v1/{TABLE}/readings/turn", "/api/v1/oauth/token"
    assert paths == [of_token, of_turn, of_turn, of_turn, of_token, of_turn, of_token]


def test_a_sign_says_what_it_shows_after_it_shows_it(machine, scene):
    send = sender(machine("signs", place="larkfield/T-01"))
    glass: list[Any] = []
    sign = example("sign/polled_sign.py").PolledSign(send, TABLE, glass.append)
    sign.refresh()
    assert sign.confirmed == {"min_cents": 1_000, "max_cents": 100_000, "change": 0}
    sign.refresh()
    scene.place((1, "small", 1_000))
    scene.act(
        "change_limits", {"min_cents": 2_500, "max_cents": 200_000}, by="floorperson", device=scene.podium
    )
    sign.refresh()
    assert sign.confirmed["change"] == 1
    assert [face["coming"] is not None for face in glass] == [False, True]
    assert Entry.objects.filter(type="limits.sign_posted").count() == 1


def test_a_sign_shows_each_result_and_takes_them_down_with_the_permission():
    results: list[Any] = [None, [3], [4, 3], [4, 3], None]
    answers, posted = iter(results), []

    def send(method: str, _path: str, *content: Any) -> tuple[int, Any]:
        if method == "POST":
            posted.append(content[0])
            return 200, {}
        return 200, {"min_cents": 1_000, "max_cents": 100_000, "coming": None, "results": next(answers)}

    glass: list[Any] = []
    sign = example("sign/polled_sign.py").PolledSign(send, TABLE, glass.append)
    for _ in results:
        sign.refresh()
    assert [face["results"] for face in glass] == [None, [3], [4, 3], None]
    assert posted == [{"min_cents": 1_000, "max_cents": 100_000, "change": 0}]


@pytest.mark.parametrize("status", [0, 401, 503])
def test_a_sign_takes_its_limits_down_once_the_server_was_silent_for_fifteen_seconds(machine, scene, status):
    send, seconds, is_away = sender(machine("signs", place="larkfield/T-01")), [0.0], [False]
    glass: list[Any] = []

    def send_or_fail(*request):
        if not is_away[0]:
            return send(*request)
        if not status:
            raise OSError
        return status, {}

    module = example("sign/polled_sign.py")
    sign = module.PolledSign(send_or_fail, TABLE, glass.append, lambda: seconds[0])
    sign.refresh()
    is_away[0] = True
    for moment in (15.0, 15.1, 20.0):
        seconds[0] = moment
        sign.refresh()
        assert len(glass) == (1 if moment == 15.0 else 2)
    assert glass[1] is None and sign.shown is None
    is_away[0] = False
    sign.refresh()
    assert glass[2]["min_cents"] == 1_000 and sign.confirmed is not None


def test_the_relay_of_the_sign_asks_and_says_with_its_own_secret(machine, scene, monkeypatch):
    relay_module = example("sign/relay.py")
    asks_here(monkeypatch, relay_module)
    sign = machine("signs", place="larkfield/T-01")
    relay = relay_module.Relay("http://testserver", sign.id, sign.secret, "larkfield", "T-01")
    assert relay.read()[1]["max_cents"] == 100_000
    relay.token = "ended"
    assert relay.read()[0] == 200
    shows = {"min_cents": 1_000, "max_cents": 100_000, "change": 0}
    assert relay.say(shows, str(uuid.uuid4()))[0] == 200
    assert relay.say(shows, str(uuid.uuid4()))[0] == 200
    assert relay.say(shows | {"change": 4}, str(uuid.uuid4()))[0] == 422
    page = relay_module.PAGE.read_text("utf-8")
    assert sign.secret not in page and not re.search(r"(src|href)=\"http", page)
