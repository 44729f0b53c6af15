"""Every row of the policy, at the endpoints and at the screens: who prepares, who approves, and nobody is both."""

import json
import uuid
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from django.db.models import QuerySet

from audit.models import Entry, Person
from games.jurisdictions import all_jurisdictions
from games.models import (
    BoardPermission,
    GameRequest,
    Guide,
    PreparedChange,
    RulesSubmission,
    SignForm,
)
from games.office.core import runner as office_runner
from games.separation import policy
from tables.models import Approval, Assignment
from tables.runner import facility as facility_runner
from tests.tables.cast import PIN, Scene, make_scene
from tests.tables.test_rooms_and_tables import LAYOUT

pytestmark = pytest.mark.django_db
BUREAU = "Bureau of Gaming Operations"


class Row(NamedTuple):
    """An act of a row of the policy: its parameters, made by the office, and whether its effect is there."""

    act: str
    params: Callable[[Scene], dict[str, Any]]
    is_done: Callable[[], bool]


def letter(scene: Scene, body: str = BUREAU) -> dict[str, Any]:
    return {"granted": True, "body": body, "reference": "ED-1", "letter": scene.on_file("The letter")}


def rules(scene: Scene) -> dict[str, Any]:
    version = {"code": "RS-0009", "version": 2}
    scene.in_office(
        "draft_submission", {"code": "RS-0009", "edition": "pa-625a@2019-08-31/B", "why": "asked"}
    )
    scene.in_office("file_submission", version)
    return {**version, **letter(scene)}


def guide(scene: Scene) -> dict[str, Any]:
    scene.in_office("generate_guide", {"formats": ["print"], "reference": "BGO-1"})
    scene.in_office("file_guide_sample", {"guide": 1})
    return {"guide": 1, **letter(scene)}


def sign(scene: Scene) -> dict[str, Any]:
    form = {"kind": "limits", "location": "Left of the dealer", "width_mm": 300, "height_mm": 200}
    number = scene.in_office("draft_sign_form", {**form, "en": "From {min} to {max}"}).body["form"]
    scene.in_office("file_sign_form", {"form": number})
    return {"form": number, **letter(scene)}


def permission(scene: Scene) -> dict[str, Any]:
    return {"reference": "BD-9", "granted_on": "2020-01-01", "letter": scene.on_file("The letter")}


def request(scene: Scene) -> dict[str, Any]:
    about = {"title": "A pair pays", "kind": "wager", "rules": "pa-625a/A", "wagers": ["two-dice"]}
    code = scene.in_office("draft_request", about).body["request"]
    scene.in_office("change_request", {"request": code, "part": "play", "text": "A pair wins."})
    scene.in_office("change_request", {"request": code, "part": "reasons", "text": "Players ask."})
    scene.in_office("change_request", {"request": code, "part": "wagering", "text": "Before no more bets."})
    scene.in_office("change_request", {"request": code, "part": "elsewhere", "none": True})
    scene.in_office("change_request", {"request": code, "part": "property", "none": True})
    scene.in_office("file_request", {"request": code})
    return {"request": code, **letter(scene, "Executive Director")}


def newest_rules() -> RulesSubmission:
    return RulesSubmission.objects.get(code="RS-0009", version=2)


def layouts() -> QuerySet[Approval]:
    return Approval.objects.filter(reference=LAYOUT["reference"])


ROWS = {
    "rules": Row("record_decision", rules, lambda: newest_rules().status == "approved"),
    "guides": Row("decide_guide", guide, lambda: Guide.objects.get().status == "approved"),
    "signs": Row("decide_sign_form", sign, lambda: SignForm.objects.latest("pk").status == "approved"),
    "permissions": Row("record_board_permission", permission, BoardPermission.objects.exists),
    "requests": Row("decide_request", request, lambda: GameRequest.objects.get().status == "approved"),
    "equipment": Row("record_approval", lambda scene: LAYOUT, lambda: layouts().exists()),
}  # fmt: skip


@pytest.fixture
def scene() -> Scene:
    return make_scene()


class Endpoints:
    """The podium of the facility, where people sign in one after the other and post acts."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.people = {
            "maker": scene.people["games-administrator"],
            "checker": scene.people["shift-manager"],
            "outsider": self._hire("compliance-of-the-pit", "compliance", "table-games"),
        }

    def _hire(self, code: str, role: str, department: str) -> Person:
        facility = self.scene.table.facility
        person = Person.objects.create_person(
            code, PIN, name=code, role=role, department=department, facility=facility.code
        )
        Assignment.objects.create(person=person, facility=facility, started_at="2020-01-01T00:00Z")
        return person

    def post(self, by: str, act: str, params: dict[str, Any]) -> tuple[int, str]:
        """The status, and the type of the entry or the code of the refusal."""
        runner = "office" if act in office_runner.ACTS and "change" not in params else "floor"
        if "change" in params:
            change = PreparedChange.objects.get(code=params["change"])
            runner = "office" if change.act in office_runner.ACTS else "floor"
        client = self.scene.browser("podium", self.people[by].code)
        body = json.dumps({"command": str(uuid.uuid4()), "params": params})
        answer = client.post(f"/{runner}/larkfield/acts/{act}", body, content_type="application/json")
        content = answer.json()
        refusal = content.get("refusal")
        return answer.status_code, refusal["code"] if refusal else content["answer"]["type"]

    def page(self, by: str, code: str) -> str:
        client = self.scene.browser("podium", self.people[by].code)
        return client.get(f"/office/larkfield/changes/{code}/").content.decode()


def test_every_row_of_the_policy_has_an_act_and_every_such_act_a_row() -> None:
    acts = {**office_runner.ACTS, **facility_runner.ACTS}
    subjects = {act.subject for act in acts.values() if act.subject}
    for law in all_jurisdictions().values():
        assert set(policy.rows_of(law)) == subjects == set(ROWS)
        for row in policy.rows_of(law).values():
            assert row.hours > 0 and row.prepare and row.approve and row.told


@pytest.mark.parametrize("subject", ROWS)
def test_the_maker_alone_and_the_checker_alone_do_nothing_and_both_do_it(scene: Scene, subject: str) -> None:
    row, people = ROWS[subject], Endpoints(scene)
    params = row.params(scene)
    assert people.post("checker", row.act, params) == (403, "may-not-prepare")
    assert people.post("outsider", row.act, params) == (403, "may-not-prepare")
    assert people.post("maker", row.act, params) == (200, "change.prepared")
    assert people.post("maker", row.act, params) == (422, "change-waits")
    change = PreparedChange.objects.get()
    named = {"change": change.code}
    assert not row.is_done()
    assert people.post("maker", "approve_change", named)[1] == "may-not-approve"
    assert people.post("outsider", "approve_change", named) == (403, "may-not-approve")
    assert "You prepared this; somebody else must approve it" in people.page("maker", change.code)
    assert 'data-open="approve"' not in people.page("maker", change.code)
    assert 'data-open="approve"' in people.page("checker", change.code)
    assert not row.is_done() and change.decided_by is None
    status, done = people.post("checker", "approve_change", named)
    assert status == 200 and row.is_done()
    assert people.post("checker", "approve_change", named) == (422, "change-has-ended")
    newest = Entry.objects.filter(stream__name=f"larkfield/{change.stream}").order_by("-seq")[:2]
    approved, entry = newest
    assert (entry.type, approved.type) == (done, "change.approved")
    assert (entry.actor, approved.actor) == ("shift-manager", "shift-manager")
    data = json.loads(bytes(approved.body))["data"]
    assert (data["prepared_by"], data["entry"]) == ("games-administrator", entry.seq)


def test_somebody_who_may_do_both_never_does_both(scene: Scene) -> None:
    people = Endpoints(scene)
    people.people["maker"] = scene.people["compliance"]
    assert people.post("maker", "record_approval", LAYOUT) == (200, "change.prepared")
    change = PreparedChange.objects.get()
    assert people.post("maker", "approve_change", {"change": change.code}) == (403, "made-by-you")
    assert not Approval.objects.filter(reference=LAYOUT["reference"]).exists()


def test_who_drafted_the_rules_does_not_approve_them_even_if_somebody_else_recorded_the_decision(
    scene: Scene,
) -> None:
    people = Endpoints(scene)
    version = {"code": "RS-0009", "version": 2}
    draft = {"code": "RS-0009", "edition": "pa-625a@2019-08-31/B", "why": "asked"}
    scene.in_office("draft_submission", draft, by="compliance")
    scene.in_office("file_submission", version)
    people.post("maker", "record_decision", {**version, **letter(scene)})
    people.people["drafter"] = scene.people["compliance"]
    assert people.post("drafter", "approve_change", {"change": "CH-0001"}) == (403, "made-by-you")
    assert people.post("checker", "approve_change", {"change": "CH-0001"}) == (200, "rules.approved")


def test_a_change_is_sent_back_by_a_checker_or_taken_back_by_its_maker_and_then_nothing_is_done(
    scene: Scene,
) -> None:
    people = Endpoints(scene)
    people.post("maker", "record_approval", LAYOUT)
    why = {"change": "CH-0001", "why": "The letter is of another table"}
    assert people.post("maker", "send_back_change", why)[1] == "may-not-approve"
    assert people.post("checker", "take_back_change", why) == (403, "may-not-prepare")
    people.people["another"] = scene.people["compliance"]
    assert people.post("another", "take_back_change", why) == (403, "not-made-by-you")
    assert people.post("checker", "send_back_change", why) == (200, "change.sent_back")
    people.post("maker", "record_approval", LAYOUT)
    assert people.post("maker", "take_back_change", {**why, "change": "CH-0002"}) == (
        200,
        "change.taken_back",
    )
    assert people.post("checker", "approve_change", {"change": "CH-0002"}) == (422, "change-has-ended")
    assert not Approval.objects.filter(reference=LAYOUT["reference"]).exists()


def test_an_approval_is_refused_if_the_act_is_refused_by_now(scene: Scene) -> None:
    people = Endpoints(scene)
    params = rules(scene)
    people.post("maker", "record_decision", params)
    scene.in_office("withdraw_submission", {"code": "RS-0009", "version": 2, "why": "not wanted"})
    assert people.post("checker", "approve_change", {"change": "CH-0001"}) == (422, "not-filed")
    assert PreparedChange.objects.get().status == "waiting"
