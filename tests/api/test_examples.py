"""The examples of docs/integration.md and examples/sign/ do what they say, against the server."""

import importlib.util
import json
import re
import urllib.request
import uuid
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from audit import clock
from audit.models import Entry

pytestmark = [pytest.mark.django_db]
TABLE = "facilities/larkfield/tables/T-01"


def example(function: str, **names: Any) -> Any:
    """A function of the page, run with these names beside it."""
    page = (Path(settings.BASE_DIR) / "docs/integration.md").read_text("utf-8")
    (code,) = [
        block for block in re.findall(r"```python\n(.*?)```", page, re.S) if f"def {function}(" in block
    ]
    scope = dict(names)
    exec(code, scope)
    return scope[function]


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


def test_a_reader_posts_until_its_reading_is_on_record(machine, scene):
    reader = machine("readings", place="larkfield/T-01")
    send, lost = sender(reader), [True]

    def unreliable(*request):
        answer = send(*request)
        if lost.pop() if lost else False:  # the answer is lost, and the reading was taken
            raise OSError
        return answer

    post = example("post_reading", wait=scene.to_the_dice)
    scene.place((1, "small", 2_500))
    reading = {
        "number": 1, "dice": [1, 2, 3], "read_at": clock.now().isoformat(), "confidence": 97, "firmware": "1.0",
    }  # fmt: skip
    # Bets are open at first: it waits, and meanwhile the dealer closes them
    assert post(send, TABLE, reading, str(uuid.uuid4())) == "pending"
    assert post(unreliable, TABLE, reading | {"number": 2}, str(uuid.uuid4())) == "pending"
    assert Entry.objects.filter(type="dice.read").count() == 2
    assert post(send, TABLE, reading, str(uuid.uuid4())) == "known"
    assert post(send, TABLE, reading | {"dice": [1, 1, 1]}, str(uuid.uuid4())) == ""


def test_a_sign_says_what_it_shows_after_it_shows_it(machine, scene):
    sign = machine("signs", place="larkfield/T-01")
    glass: list[Any] = []
    follow = example("follow", new_key=lambda: str(uuid.uuid4()))
    shown = follow(sender(sign), TABLE, glass.append, None)
    assert shown == {"min_cents": 1_000, "max_cents": 100_000, "change": 0}
    assert follow(sender(sign), TABLE, glass.append, shown) == shown
    scene.place((1, "small", 1_000))
    scene.act(
        "change_limits", {"min_cents": 2_500, "max_cents": 200_000}, by="floorperson", device=scene.podium
    )
    assert follow(sender(sign), TABLE, glass.append, shown)["change"] == 1
    assert [face["coming"] is not None for face in glass] == [False, True]
    assert Entry.objects.filter(type="limits.sign_posted").count() == 1


def test_the_relay_of_the_sign_asks_and_says_with_its_own_secret(machine, scene, monkeypatch):
    path = Path(settings.BASE_DIR) / "examples/sign/relay.py"
    spec = importlib.util.spec_from_file_location("sign_relay", path)
    assert spec is not None and spec.loader is not None
    relay_module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(relay_module)

    def ask(request: urllib.request.Request) -> tuple[int, Any]:
        headers = dict(request.headers)
        kind = headers.pop("Content-type", "application/x-www-form-urlencoded")
        answer = Client().generic(
            request.get_method(), request.full_url, request.data or b"", content_type=kind, headers=headers
        )
        return answer.status_code, answer.json()

    monkeypatch.setattr(relay_module, "ask", ask)
    sign = machine("signs", place="larkfield/T-01")
    relay = relay_module.Relay("http://testserver", sign.id, sign.secret, "larkfield", "T-01")
    assert relay.read()[1]["max_cents"] == 100_000
    shows = {"min_cents": 1_000, "max_cents": 100_000, "change": 0}
    assert relay.say(shows, str(uuid.uuid4()))[0] == 200
    assert relay.say(shows, str(uuid.uuid4()))[0] == 200
    assert relay.say(shows | {"change": 4}, str(uuid.uuid4()))[0] == 422
    page = relay_module.PAGE.read_text("utf-8")
    assert sign.secret not in page and not re.search(r"(src|href)=\"http", page)
