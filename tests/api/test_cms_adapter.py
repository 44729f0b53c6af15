"""The adapter in examples/cms_adapter, between a table and a stand-in for a casino management system."""

import importlib.util
import socket
import sys
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest
from django.core.wsgi import get_wsgi_application

from tests.api.test_python_client import client_package
from tests.tables.test_players import CARD, rate, register

__all__ = ["client_package"]
pytestmark = [pytest.mark.django_db]
ADAPTER = Path(__file__).parents[2] / "examples/cms_adapter/cms_adapter.py"


class Cms:
    """A system that takes each message id once. While it `is_down`, it takes nothing; `forgets`: no answer leaves."""

    def __init__(self) -> None:
        self.taken: dict[str, tuple[str, dict[str, Any]]] = {}
        self.is_down, self.forgets, self.asked = False, False, 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked += 1
        if self.is_down:
            return httpx.Response(503)
        content = httpx.Response(200, content=request.content).json()
        self.taken.setdefault(request.headers["Message-Id"], (request.url.path, content))
        if self.forgets:
            raise httpx.ReadTimeout("no answer", request=request)
        return httpx.Response(204)

    @property
    def kinds(self) -> list[str]:
        return [path for path, _content in self.taken.values()]


@pytest.fixture(scope="module")
def adapter_module(client_package) -> ModuleType:
    spec = importlib.util.spec_from_file_location("cms_adapter", ADAPTER)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def connect(adapter_module, client_package, machine, tmp_path):
    """`connect(cms)` is an adapter that was just started, with what it stored before."""
    reader = machine("entries", "people")

    def start(cms):
        transport = httpx.WSGITransport(app=get_wsgi_application())
        pitside = client_package.Pitside("http://testserver", reader.id, reader.secret, transport=transport)
        outside = httpx.Client(base_url="http://cms.test", transport=httpx.MockTransport(cms))
        return adapter_module.Adapter(pitside, outside, adapter_module.State(str(tmp_path / "state.sqlite3")))

    return start


def play(scene):
    scene.play((1, "small", 2_500), dice=[1, 2, 4])
    scene.finish()


def test_results_arrive_once_and_in_order_although_the_system_was_down_and_answers_were_lost(connect, scene):
    cms = Cms()
    connect(cms).catch_up()
    before = len(cms.taken)
    play(scene)
    cms.is_down = True
    with pytest.raises(httpx.HTTPStatusError):
        connect(cms).catch_up()
    play(scene)
    cms.is_down, cms.forgets = False, True
    with pytest.raises(httpx.ReadTimeout):
        connect(cms).catch_up()
    cms.forgets = False
    connect(cms).catch_up()
    results = [content for path, content in [*cms.taken.values()][before:] if path == "/results"]
    assert [(one["table"], one["round"], one["taken_cents"], one["paid_cents"]) for one in results] == [
        ("T-01", 1, 0, 2_500), ("T-01", 2, 0, 2_500),
    ]  # fmt: skip
    asked = cms.asked
    connect(cms).catch_up()
    assert cms.asked == asked  # nothing is new


def test_a_rating_arrives_with_its_exact_figures_and_a_card_is_looked_up(connect, scene, adapter_module):
    play(scene)
    player = register(scene)
    rate(scene, player)
    play(scene)
    scene.act("end_rating", {"seat": 1}, by="floorperson")
    cms = Cms()
    adapter = connect(cms)
    adapter.catch_up()
    [rating] = [content for path, content in cms.taken.values() if path == "/ratings"]
    assert (rating["player"], rating["table"], rating["rounds"], rating["handle_cents"]) == (
        player,
        "T-01",
        1,
        2_500,
    )
    # The house keeps 1/36 of a wager on Small under § 625a: 2,500/36 cents of 2,500.
    assert (rating["win_cents"], rating["theoretical_win"]) == (-2_500, "625/9")
    assert adapter_module.player_of_card(adapter.pitside, "larkfield", CARD) == player
    assert adapter_module.player_of_card(adapter.pitside, "larkfield", "0000") is None


def test_the_adapter_ends_with_a_sentence_while_the_system_is_down_and_keeps_what_is_unsent(
    adapter_module, client_package, machine, scene, tmp_path, monkeypatch
):
    play(scene)
    reader, state = machine("entries", "people"), tmp_path / "state.sqlite3"
    pitside = partial(client_package.Pitside, transport=httpx.WSGITransport(app=get_wsgi_application()))
    monkeypatch.setattr(adapter_module, "Pitside", pitside)
    monkeypatch.setenv("PITSIDE_CLIENT_ID", reader.id)
    monkeypatch.setenv("PITSIDE_CLIENT_SECRET", reader.secret)
    with socket.create_server(("127.0.0.1", 0)) as bound:
        cms = f"http://127.0.0.1:{bound.getsockname()[1]}/api"  # where nobody answers from now on
    words = f"adapter --pitside http://testserver --cms {cms} --state {state} --once"
    monkeypatch.setattr(sys, "argv", words.split())
    with pytest.raises(SystemExit, match=f"The system at {cms} takes no message: .+ What is unsent is kept."):
        adapter_module.main()
    assert [message.kind for message in adapter_module.State(str(state)).unsent()] == ["openings"]
    monkeypatch.setenv("PITSIDE_CLIENT_SECRET", "wrong")
    monkeypatch.setattr(sys, "argv", words.replace("state.sqlite3", "another.sqlite3").split())
    with pytest.raises(SystemExit, match="Pitside at http://testserver: "):
        adapter_module.main()
