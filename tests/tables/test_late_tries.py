"""A try that waited (for a connection, a lock, the network) may arrive after a later try of the same act was refused.

The refusal names the command, so the tablet says "not taken", and the dealer may do the act again. What arrives later
is then not taken either: a refused retry ends its command.
"""

import json
import uuid
from typing import Any

import pytest
from django.db import OperationalError
from psycopg.errors import LockNotAvailable

from audit.models import Command, Entry
from tables.runner.table import RUNNER
from tests.tables.cast import Scene

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

JSON = {"accept": "application/json"}
RETURN = {"round": 1}  # refused until round 1 has ended without a result; depends on nothing on the screen


class Tablet:
    """One act of a tablet, whose tries share an id and a content."""

    def __init__(self, scene: Scene) -> None:
        self.browser, self.seen = scene.browser("tablet", "dealer"), scene.version
        self.command = str(uuid.uuid4())

    def send(self, **more: Any) -> tuple[int, dict[str, Any]]:
        body = {"command": self.command, "seen": self.seen, "params": RETURN, **more}
        address = "/floor/larkfield/T-01/acts/return_wagers"
        answer = self.browser.post(address, json.dumps(body), content_type="application/json", headers=JSON)
        return answer.status_code, answer.json()


def end_without_result(scene: Scene) -> None:
    scene.act("void_round", {"reason": "dispute"}, witness="floorperson")


def test_a_try_that_comes_after_its_refused_retry_is_not_taken(scene):
    """The first try waits in a worker. The retry is refused and says so, round 1 ends, and the first try goes on."""
    scene.place((1, "small", 2_500))
    tablet = Tablet(scene)
    status, said = tablet.send(retry=True)
    assert (status, said["refusal"]["code"], said["command"]) == (422, "nothing-to-return", tablet.command)
    end_without_result(scene)
    status, late = tablet.send()
    assert (status, late["refusal"]["code"]) == (422, "command-ended")
    assert late["command"] == tablet.command
    assert not Entry.objects.filter(type="wagers.returned").exists()
    assert tablet.send(retry=True)[1]["refusal"]["code"] == "command-ended"
    assert Tablet(scene).send()[0] == 200, "done again, it is taken"


def test_a_first_try_that_is_refused_ends_nothing(scene):
    """Its tablet heard every answer, so no other try is on its way. Nothing is written."""
    scene.place((1, "small", 2_500))
    tablet = Tablet(scene)
    assert tablet.send()[1]["refusal"]["code"] == "nothing-to-return"
    assert not Command.objects.filter(pk=tablet.command).exists()


def test_a_retry_whose_first_try_was_taken_meanwhile_gets_its_answer(scene, monkeypatch):
    """Between the refusal of the retry and the end of its command, the first try gets the lock."""
    scene.place((1, "small", 2_500))
    tablet = Tablet(scene)
    first: list[Any] = []
    end = RUNNER.end_command

    def overtaken(request: Any) -> bool:
        if not first:
            first.append(None)
            end_without_result(scene)
            first[0] = tablet.send()
        return end(request)

    monkeypatch.setattr(RUNNER, "end_command", overtaken)
    status, said = tablet.send(retry=True)
    assert (status, said["again"], first[0][0]) == (200, True, 200)
    assert Entry.objects.filter(type="wagers.returned").count() == 1


def test_a_refusal_whose_command_could_not_be_ended_does_not_name_it(scene, monkeypatch):
    """The lock is not free any more. The tablet does not know, and asks again."""
    scene.place((1, "small", 2_500))
    tablet = Tablet(scene)

    def is_busy(_request: Any) -> bool:
        raise OperationalError("lock timeout") from LockNotAvailable("lock timeout")

    with monkeypatch.context() as patch:
        patch.setattr(RUNNER, "end_command", is_busy)
        tablet.browser.raise_request_exception = False
        status, said = tablet.send(retry=True)
    assert (status, said["refusal"]["code"], said.get("command")) == (503, "not-begun", None)
    assert tablet.send(retry=True)[1]["command"] == tablet.command
