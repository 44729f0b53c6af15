"""Every row of the policy, at the endpoints and at the screens: who prepares, who approves, and nobody is both."""

import datetime as dt
import json
import uuid
from collections.abc import Callable
from html import unescape
from typing import Any, NamedTuple

import pytest
from django.db.models import QuerySet

from audit.devices import enroll
from audit.models import Device, Entry, Person
from games.jurisdictions import all_jurisdictions
from games.models import (
    BoardPermission,
    Facility,
    GameRequest,
    Guide,
    PreparedChange,
    RulesSubmission,
    SignForm,
)
from games.office import core as office_runner
from games.separation import policy
from tables.models import Approval, Assignment, Slip, Webhook
from tables.runner import facility as facility_runner
from tables.runner import table as table_runner
from tests.fixtures import jurisdictions as fixtures
from tests.tables.cast import PIN, Scene, make_scene
from tests.tables.slip_scene import file, found
from tests.tables.test_dice_custody import box
from tests.tables.test_dice_pages import words
from tests.tables.test_rooms_and_tables import LAYOUT, layout

pytestmark = pytest.mark.django_db
ruritania = fixtures.ruritania
BUREAU = "Bureau of Gaming Operations"


class Row(NamedTuple):
    """An act of a row of the policy: its parameters, made by the office, and whether its effect is there.

    `page`: where the maker sees that somebody else approves it, and the checker approves it.
    """

    act: str
    params: Callable[[Scene], dict[str, Any]]
    is_done: Callable[[], bool]
    maker: str = "games-administrator"
    checker: str = "shift-manager"
    page: str = "/office/larkfield/changes/{}/"
    says: str = "You prepared this; somebody else must approve it"


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


def another_table(scene: Scene) -> str:
    table = {"table": "T-02", "pit": "p1", "submission": "RS-0009", "kind": "live", "seats": 6}
    scene.in_room("add_table", {**table, "min_cents": 1_000, "max_cents": 50_000}, by="games-administrator")
    return "T-02"


def newest_rules() -> RulesSubmission:
    return RulesSubmission.objects.get(code="RS-0009", version=2)


def review_sum() -> int | None:
    return Facility.objects.get(code="larkfield").review_first_from_cents


def layouts() -> QuerySet[Approval]:
    return Approval.objects.filter(reference=LAYOUT["reference"])


ROWS = {
    "rules": Row("record_decision", rules, lambda: newest_rules().status == "approved"),
    "guides": Row("decide_guide", guide, lambda: Guide.objects.get().status == "approved"),
    "signs": Row("decide_sign_form", sign, lambda: SignForm.objects.latest("pk").status == "approved"),
    "permissions": Row("record_board_permission", permission, BoardPermission.objects.exists),
    "requests": Row("decide_request", request, lambda: GameRequest.objects.get().status == "approved"),
    "review-sum": Row("set_review_sum", lambda scene: {"cents": 50_000}, lambda: review_sum() == 50_000),
    "equipment": Row("record_approval", layout, lambda: layouts().exists()),
    "devices": Row(
        "move_device", lambda scene: {"device": "Tablet of T-01", "table": another_table(scene)},
        lambda: Device.objects.get(name="Tablet of T-01").place == "larkfield/T-02",
        "system-administrator", "compliance", "/floor/larkfield/devices/", "Somebody else approves it.",
    ),
    "clients": Row(
        "add_client", lambda scene: {"name": "Casino management", "scopes": ["floor"]},
        lambda: Device.objects.filter(name="Casino management").exists(),
        "system-administrator", "compliance", "/floor/larkfield/systems/", "Somebody else approves it.",
    ),
    "webhooks": Row(
        "add_webhook", lambda scene: {"url": "https://example.com/", "purpose": "Ratings", "types": []},
        Webhook.objects.exists,
        "system-administrator", "compliance", "/floor/larkfield/webhooks/", "Somebody else approves it.",
    ),
    "people": Row(
        "end_access", lambda scene: {"person": "relief", "why": "left"},
        lambda: not Person.objects.get(code="relief").is_active,
        "system-administrator", "compliance", "/floor/larkfield/people/", "Somebody else approves it.",
    ),
    "leaves": Row(
        "record_leave", lambda scene: {"person": "relief", "begins_on": "2030-01-01", "reason": "family"},
        lambda: Person.objects.get(code="relief").leave_from is not None,
        "system-administrator", "compliance", "/floor/larkfield/people/", "Somebody else approves it.",
    ),
}  # fmt: skip


@pytest.fixture
def scene() -> Scene:
    return make_scene()


class Endpoints:
    """The podium of the facility, where people sign in one after the other and post acts.

    The visitor works at another facility too, and posts from a podium there.
    """

    def __init__(
        self, scene: Scene, maker: str = "games-administrator", checker: str = "shift-manager"
    ) -> None:
        self.scene = scene
        self.people = {
            **scene.people,
            "maker": scene.people[maker],
            "checker": scene.people[checker],
            "outsider": self.hire("compliance-of-the-pit", "compliance", "table-games"),
        }
        self.elsewhere = ""

    def hire(self, code: str, role: str, department: str) -> Person:
        facility = self.scene.table.facility
        person = Person.objects.create_person(code, PIN, name=code, role=role, department=department)
        Assignment.objects.create(person=person, facility=facility, started_at="2020-01-01T00:00Z")
        self.scene.people[code] = person
        return person

    def post(
        self, by: str, act: str, params: dict[str, Any], witness: str = "", *, visiting: bool = False
    ) -> tuple[int, str]:
        """The status, and the type of the entry or the code of the refusal."""
        runner = "office" if act in office_runner.ACTS and "change" not in params else "floor"
        if "change" in params:
            change = PreparedChange.objects.get(code=params["change"])
            runner = "office" if change.act in office_runner.ACTS else "floor"
        at = "larkfield/T-01" if act in table_runner.ACTS else "larkfield"
        content: dict[str, Any] = {"command": str(uuid.uuid4()), "params": params}
        if act in table_runner.ACTS:
            content["seen"] = self.scene.version
        if witness:
            content["witness"] = {"person": self.people[witness].code, "pin": PIN}
        client = self.scene.browser(self._podium(visiting), self.people[by].code)
        answer = client.post(f"/{runner}/{at}/acts/{act}", content, content_type="application/json")
        refusal = answer.json().get("refusal")
        return answer.status_code, refusal["code"] if refusal else answer.json()["answer"]["type"]

    def _podium(self, visiting: bool) -> str:
        """The token of a podium; of one at another facility for a visit."""
        if visiting and not self.elsewhere:
            Facility.objects.create(code="seabright", name="Seabright", jurisdiction="PA")
            self.elsewhere = enroll("Podium of Seabright", "seabright", "podium")[1]
        return self.elsewhere if visiting else "podium"

    def page(self, by: str, address: str) -> str:
        client = self.scene.browser("podium", self.people[by].code)
        return client.get(address).content.decode()


class Step(NamedTuple):
    """Somebody posts an act, with a witness or "", and what is answered: an entry's type or a refusal's code."""

    by: str
    witness: str
    answer: str


def walk(people: Endpoints, act: str, params: dict[str, Any], steps: list[Step]) -> None:
    """Post an act as each of these, one after the other."""
    answers = [people.post(by, act, params, witness)[1] for by, witness, _ in steps]
    assert answers == [step.answer for step in steps]


def test_every_row_of_the_policy_has_an_act_and_every_such_act_a_row() -> None:
    acts = {**office_runner.ACTS, **facility_runner.ACTS}
    subjects = {act.subject for act in acts.values() if act.subject}
    for law in all_jurisdictions().values():
        rows = policy.rows_of(law)
        assert {subject: rows[subject].control for subject in rows} == {
            **dict.fromkeys(subjects, "change"),
            "dice": "signature",
            "credits": "signature",
            "pars": "signature",
            "chips": "signature",
            "duties": "signature",
            "no-rolls": "signature",
            "rethrows": "signature",
            "ratings": "signature",
            "unlocks": "signature",
            "revocations": "signature",
            **dict.fromkeys(("exclusions", "admissions", "erasures", "limits"), "alone"),
            "hand-settled-rounds": "signature",
            "corrections": "review",
        }
        assert subjects == set(ROWS)
        assert all(row.told for row in policy.changed(rows).values())


@pytest.mark.parametrize("subject", ROWS)
def test_the_maker_alone_and_the_checker_alone_do_nothing_and_both_do_it(scene: Scene, subject: str) -> None:
    row = ROWS[subject]
    people = Endpoints(scene, row.maker, row.checker)
    params = row.params(scene)
    assert people.post("checker", row.act, params) == (403, "may-not-prepare")
    assert people.post("outsider", row.act, params) == (403, "may-not-prepare")
    assert people.post("maker", row.act, params) == (200, "change.prepared")
    assert people.post("maker", row.act, params) == (422, "change-waits")
    change = PreparedChange.objects.get()
    named = {"change": change.code}
    assert not row.is_done()
    page = row.page.format(change.code)
    assert people.post("maker", "approve_change", named)[1] in ("may-not-approve", "made-by-you")
    assert people.post("outsider", "approve_change", named) == (403, "may-not-approve")
    assert row.says in people.page("maker", page)
    assert 'data-open="approve"' not in people.page("maker", page)
    assert 'data-open="approve"' in people.page("checker", page)
    visitor = Person.objects.filter(pk=people.people["checker"].pk)
    visitor.update(facility="")
    assert people.post("checker", "approve_change", named, visiting=True)[1] == "device-of-another-table"
    visitor.update(facility="larkfield")
    assert not row.is_done() and change.decided_by is None
    status, done = people.post("checker", "approve_change", named)
    assert status == 200 and row.is_done()
    assert people.post("checker", "approve_change", named) == (422, "change-has-ended")
    newest = Entry.objects.filter(stream__name=f"larkfield/{change.stream}").order_by("-seq")[:2]
    approved, entry = newest
    assert (entry.type, approved.type) == (done, "change.approved")
    assert (entry.actor, approved.actor) == (row.checker, row.checker)
    data = json.loads(bytes(approved.body))["data"]
    assert (data["prepared_by"], data["entry"]) == (row.maker, entry.seq)


def test_somebody_who_may_do_both_never_does_both(scene: Scene) -> None:
    people = Endpoints(scene)
    people.people["maker"] = scene.people["compliance"]
    assert people.post("maker", "record_approval", layout(scene)) == (200, "change.prepared")
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
    people.post("maker", "record_approval", layout(scene))
    why = {"change": "CH-0001", "why": "The letter is of another table"}
    assert people.post("maker", "send_back_change", why)[1] == "may-not-approve"
    assert people.post("checker", "take_back_change", why) == (403, "not-made-by-you")
    people.people["another"] = scene.people["compliance"]
    assert people.post("another", "take_back_change", why) == (403, "not-made-by-you")
    assert people.post("checker", "send_back_change", why) == (200, "change.sent_back")
    people.post("maker", "record_approval", layout(scene))
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


# Rows whose second person signs the same act

TWO_DEPARTMENTS = "two-departments-must-sign"
BOXES = {"from": "the maker", "lots": [box()]}


def test_dice_are_received_by_table_games_and_security_and_nobody_else(scene: Scene) -> None:
    people = Endpoints(scene)
    people.people["outsider"] = people.hire("manager-of-security", "shift-manager", "security")
    steps = [
        Step("shift-manager", "", TWO_DEPARTMENTS),
        Step("security", "", "role-may-not"),
        Step("security", "shift-manager", "role-may-not"),
        Step("shift-manager", "shift-manager", "same-person"),
        Step("shift-manager", "pit-manager", TWO_DEPARTMENTS),
        Step("shift-manager", "surveillance", TWO_DEPARTMENTS),
        Step("outsider", "security", TWO_DEPARTMENTS),
        Step("shift-manager", "security", "dice.received"),
    ]
    visit = ("outsider", "receive_dice", BOXES, "security")
    assert people.post(*visit, visiting=True)[1] == "device-of-another-table"
    walk(people, "receive_dice", BOXES, steps)
    page = people.page("shift-manager", "/floor/larkfield/dice/")
    assert ">Security, security</option>" in page and "Surveillance, surveillance" not in page
    assert "data-witness" not in people.page("security", "/floor/larkfield/dice/")


def test_the_file_of_a_jurisdiction_replaces_the_row_of_the_dice(ruritania: Any) -> None:
    people = Endpoints(make_scene("xx-7/A"))
    steps = [
        Step("shift-manager", "compliance", TWO_DEPARTMENTS),
        Step("shift-manager", "surveillance", "dice.received"),
    ]
    walk(people, "receive_dice", BOXES, steps)
    assert "Surveillance, surveillance</option>" in people.page("shift-manager", "/floor/larkfield/dice/")


def test_duties_of_others_are_ended_by_an_administrator_and_a_second_person(scene: Scene) -> None:
    people = Endpoints(scene)
    administrator = people.hire("administrator-of-the-pit", "system-administrator", "table-games")
    people.people["outsider"] = administrator
    agent = Assignment.objects.get(person=scene.people["gaming-agent"], ended_at=None)
    steps = [
        Step("shift-manager", "", "duty-of-another-department"),
        Step("shift-manager", "compliance", "duty-of-another-department"),
        Step("compliance", "", "role-may-not"),
        Step("system-administrator", "", "second-person-for-duty"),
        Step("system-administrator", "system-administrator", "same-person"),
        Step("system-administrator", "shift-manager", "second-person-for-duty"),
        Step("system-administrator", "gaming-agent", "second-person-for-duty"),
        Step("outsider", "compliance", "duty-of-another-department"),
        Step("system-administrator", "compliance", "assignment.ended"),
    ]
    visit = ("outsider", "end_assignment", {"assignment": agent.pk}, "compliance")
    assert people.post(*visit, visiting=True)[1] == "device-of-another-table"
    walk(people, "end_assignment", {"assignment": agent.pk}, steps)
    own = {"assignment": Assignment.objects.get(person=scene.people["pit-manager"], ended_at=None).pk}
    walk(people, "end_assignment", own, [Step("shift-manager", "", "assignment.ended")])
    staff = people.page("system-administrator", "/floor/larkfield/staff/?all=1")
    assert "Second person, of compliance or regulator or the department of the duty" in staff
    assert ">Compliance, compliance</option>" in staff
    assert "data-witness" not in people.page("shift-manager", "/floor/larkfield/staff/?all=1")


def test_a_department_with_nobody_on_duty_starts_its_duty_itself(scene: Scene) -> None:
    people = Endpoints(scene)
    second = people.hire("night-watch", "surveillance", "surveillance")
    people.people["night-watch"] = second
    staff = "/floor/larkfield/staff/"
    assert people.post("surveillance", "begin_own_duty", {})[1] == "already-assigned"
    ended = Assignment.objects.filter(person__role__in=("surveillance", "compliance"))
    ended.update(ended_at="2026-01-01T00:00Z")
    assert people.post("surveillance", "end_assignment", {"assignment": 1})[1] == "not-on-duty"
    assert "Nobody of surveillance is on duty" in people.page("surveillance", staff)
    assert "begin-duty" not in people.page("compliance", staff)
    assert people.post("night-watch", "begin_own_duty", {}, visiting=True)[1] == "device-of-another-table"
    steps = [
        Step("compliance", "", "role-may-not"),
        Step("outsider", "", "role-may-not"),
        Step("night-watch", "", "assignment.started"),
        Step("surveillance", "", "colleague-starts-your-duty"),
    ]
    walk(people, "begin_own_duty", {}, steps)
    assert "begin-duty" not in people.page("surveillance", staff)
    walk(people, "assign_person", {"person": "surveillance"}, [Step("night-watch", "", "assignment.started")])


# The row that is reviewed afterward


def corrected(scene: Scene) -> dict[str, Any]:
    """A round in which seat 2 was overpaid $30, and the slip about it."""
    scene.play((1, "small", 2_500), (2, "big", 90_000), dice=[2, 5, 5])
    scene.finish()
    wrong = {"kind": "payment", "payments": [{"seat": 2, "paid_cents": 87_000, "taken_cents": 0}]}
    return {"round": 1, "corrects": found(scene, **wrong).corrects.seq, "reason": "misread", **wrong}


def test_a_slip_is_signed_by_two_of_table_games_and_reviewed_by_surveillance_or_compliance(
    scene: Scene,
) -> None:
    people = Endpoints(scene)
    people.people["dealer-of-security"] = people.hire("dealer-of-security", "floorperson", "security")
    filing = [
        Step("dealer", "", "slip-needs-two"),
        Step("surveillance", "", "role-may-not"),
        Step("dealer", "dealer", "same-person"),
        Step("dealer", "dealer-of-security", "may-not-prepare"),
        Step("dealer", "floorperson", "slip.filed"),
    ]
    walk(people, "file_slip", corrected(scene), filing)
    slip = {"slip": "ENS-0001", "differs": False}
    visit = people.post("outsider", "review_slip", slip, visiting=True)
    assert visit[1] == "device-of-another-table"
    reviewing = [
        Step("dealer", "", "role-may-not"),
        Step("shift-manager", "", "role-may-not"),
        Step("security", "", "role-may-not"),
        Step("outsider", "", "slip-reviewer-of-table"),
    ]
    walk(people, "review_slip", slip, reviewing)
    page = "/floor/larkfield/T-01/rounds/1/"
    offered = {by: 'id="review-slip"' in people.page(by, page) for by in ("surveillance", "shift-manager")}
    assert offered == {"surveillance": True, "shift-manager": False}
    walk(people, "review_slip", slip, [Step("surveillance", "", "slip.reviewed")])


def test_the_file_of_a_jurisdiction_replaces_the_row_of_corrections(ruritania: Any) -> None:
    scene = make_scene("xx-7/A")
    people = Endpoints(scene)
    corrected(scene)
    file(scene, "payment", payments=[{"seat": 2, "paid_cents": 87_000, "taken_cents": 0}])
    slip = Slip.objects.get()
    assert (slip.review_due_at - slip.filed_at, slip.review_comes_first) == (dt.timedelta(hours=12), True)
    steps = [
        Step("surveillance", "", "slip-reviewer-of-table"),
        Step("compliance", "", "slip.reviewed"),
    ]
    walk(people, "review_slip", {"slip": "ENS-0001", "differs": False}, steps)


def test_the_page_of_approvals_has_every_row_of_every_kind(scene: Scene) -> None:
    page = unescape(words(Endpoints(scene).page("surveillance", "/office/larkfield/changes/")))
    for row in policy.rows_of(scene.table.facility.law).values():
        assert f"{row.title} {row.covers}" in page
    assert "security signs the same act" in page
    assert "nobody the first person does it alone" in page
    assert "at their own tables, within 24 h; older or elsewhere with compliance" in page
    assert "24 h; from $1,000 before money moves" in page
    assert "surveillance, compliance reviews it after it is done" in page
