"""A try that waited (for a connection, a lock, the network) may arrive after a later try of the same act was refused.

The refusal names the command, so the tablet says "not taken", and the dealer may do the act again. What arrives later
is then not taken either: a refused retry ends its command, and so does a refused try that is never sent again.

And an act that was taken may be sent again after its person left the table, or was signed out: a browser resends a
request by itself when a connection that it had used before breaks. Such an act is never called not taken.
"""

import copy
import json
import uuid
from typing import Any

import pytest
from django.db import OperationalError
from psycopg.errors import LockNotAvailable

from audit import people, runner
from audit.models import Command, Device, Entry, Person
from audit.refusals import Forbidden, SecondFactorNeeded
from audit.runner import ActRequest
from tables.runner.table import RUNNER
from tests.tables.cast import PIN, Scene

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

JSON = {"accept": "application/json"}
RETURN = {"round": 1}  # refused until round 1 has ended without a result; depends on nothing on the screen


class Tablet:
    """One act of a tablet, whose tries share an id and a content."""

    def __init__(
        self, scene: Scene, act: str = "return_wagers", params: Any = RETURN, by: str = "dealer"
    ) -> None:
        self.browser, self.seen = scene.browser("tablet", by), scene.version
        self.act, self.params, self.command = act, params, str(uuid.uuid4())

    def send(self, **more: Any) -> tuple[int, dict[str, Any]]:
        body = {"command": self.command, "seen": self.seen, "params": self.params, **more}
        address = f"/floor/larkfield/T-01/acts/{self.act}"
        answer = self.browser.post(address, json.dumps(body), content_type="application/json", headers=JSON)
        return answer.status_code, answer.json()

    def another(self) -> "Tablet":
        """The same act by another command, at the same device and in the same session."""
        tablet = copy.copy(self)
        tablet.command = str(uuid.uuid4())
        return tablet


def end_without_result(scene: Scene) -> None:
    scene.act("void_round", {"reason": "dispute"}, witness="floorperson")


@pytest.mark.parametrize("once", [True, False])
def test_a_copy_that_comes_after_the_refusal_is_taken_only_if_the_page_may_send_the_act_again(scene, once):
    """The network has a copy of the only try. The act is refused and called not taken, and what refused it passes."""
    scene.place((1, "small", 2_500))
    tablet = Tablet(scene)
    flags = {"once": True} if once else {}
    status, refused = tablet.send(**flags)
    assert (status, refused["command"]) == (422, tablet.command)
    end_without_result(scene)
    status, late = tablet.send(**flags)
    assert (status, late.get("refusal", {}).get("code")) == ((422, "command-ended") if once else (200, None))


def test_a_copy_is_not_taken_either_once_its_person_may_act_again(scene, monkeypatch):
    scene.place((1, "small", 2_500))
    end_without_result(scene)
    tablet = Tablet(scene)
    with monkeypatch.context() as patch:
        patch.setattr(RUNNER, "verify_permission", forbid)
        assert tablet.send(once=True)[0] == 403
    assert tablet.send(once=True)[1]["refusal"]["code"] == "command-ended"


def test_an_act_that_lacked_a_second_factor_is_taken_once_there_is_one_with_its_command(scene, monkeypatch):
    scene.place((1, "small", 2_500))
    end_without_result(scene)
    tablet = Tablet(scene)
    with monkeypatch.context() as patch:
        patch.setattr(runner, "verify_step_up", need_factor)
        assert tablet.send(once=True)[1]["refusal"]["code"] == "second-factor-needed"
    assert tablet.send(once=True)[0] == 200


def need_factor(*_arguments: Any) -> None:
    raise SecondFactorNeeded


def forbid(*_arguments: Any) -> None:
    raise Forbidden


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


def test_the_refusal_of_a_first_try_that_may_be_sent_again_ends_nothing(scene):
    """Its page does not say that it never sends it again, so nothing is written."""
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


# Who may not act any more


def leave(scene: Scene) -> Tablet:
    """The dealer leaves the closed table, and their tablet has no answer yet."""
    scene.close()
    tablet = Tablet(scene, "leave_table", {})
    assert tablet.send()[0] == 200
    return tablet


def test_who_left_the_table_gets_the_answer_of_leaving_again_and_no_screen(scene):
    tablet = leave(scene)
    scene.in_room("end_assignment", {"assignment": scene.people["dealer"].assignments.get().pk})
    status, answer = tablet.send(retry=True)
    assert (status, answer["again"], answer["screen"]) == (200, True, None)
    assert tablet.another().send()[0] == 403, "another act is refused"
    assert Entry.objects.filter(type="dealer.left").count() == 1


@pytest.mark.parametrize(("end", "status"), [("sign-out", 401), ("lock", 423), ("another", 423)])
def test_a_tablet_whose_person_was_signed_out_is_told_of_what_was_taken(scene, end, status):
    tablet = leave(scene)
    if end == "sign-out":
        tablet.browser.post("/sign-off")
    elif end == "lock":
        people.lock(Device.objects.get(pk=scene.tablet.pk))
    else:
        scene.browser("tablet", "floorperson")
    again = tablet.send(retry=True)
    assert again[0] == status
    assert (again[1]["recorded"], again[1]["refusal"]["title"]) == (tablet.command, "Recorded")
    assert "command" not in again[1] and "answer" not in again[1], "what it answered is for who signed in"
    unknown = tablet.another()
    assert "recorded" not in unknown.send(retry=True)[1]
    assert not Command.objects.filter(pk=unknown.command).exists(), "nobody ends a command without a sign-in"


def test_what_is_called_recorded_was_locked_so_that_its_standby_has_it(scene, monkeypatch):
    """A read alone would see what a failover may still lose; the commit of a lock waits for the standby."""
    tablet, lock = leave(scene), RUNNER.lock
    locked: list[str] = []

    def noted(request: ActRequest) -> Any:
        locked.append(str(request.command))
        return lock(request)

    tablet.browser.post("/sign-off")
    monkeypatch.setattr(RUNNER, "lock", noted)
    assert tablet.send(retry=True)[1]["recorded"] == tablet.command and locked == [tablet.command]


def test_nobody_else_learns_what_was_taken(scene):
    """Neither by other content, nor at another device, nor as somebody else."""
    tablet = leave(scene)
    tablet.browser.post("/sign-off")
    other_content = tablet.send(params={"post": "base"})[1]
    elsewhere = Tablet(scene, "leave_table", {})
    elsewhere.browser, elsewhere.command = scene.browser("podium"), tablet.command
    assert ["recorded" in answer for answer in (other_content, elsewhere.send()[1])] == [False, False]
    somebody = Tablet(scene, "leave_table", {}, by="floorperson")
    somebody.command = tablet.command
    status, refused = somebody.send(retry=True)
    assert (status, refused.get("command"), "answer" in refused) == (403, None, False)


def test_what_was_refused_on_the_record_or_ended_is_not_called_recorded(scene):
    scene.place((1, "small", 2_500))
    tablet = Tablet(scene)
    assert tablet.send(retry=True)[1]["refusal"]["code"] == "nothing-to-return"
    tablet.browser.post("/sign-off")
    assert "recorded" not in tablet.send(retry=True)[1]


def test_a_signed_act_is_told_of_although_its_witness_has_left(scene):
    scene.place((1, "small", 2_500))
    scene.to_the_dice()
    tablet = Tablet(scene, "void_round", {"reason": "dispute"})
    signature = {"person": "floorperson", "pin": PIN}
    assert tablet.send(witness=signature)[0] == 200
    Person.objects.filter(code="floorperson").update(is_active=False)
    assert tablet.send(witness=signature)[1]["again"] is True
    tablet.browser.post("/sign-off")
    assert tablet.send(witness=signature)[1]["recorded"] == tablet.command
    assert "recorded" not in tablet.send()[1], "without the witness it is another act"
