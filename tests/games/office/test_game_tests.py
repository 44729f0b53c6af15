"""New Jersey's tests of new games, and the extra papers of petitioners without a license."""

import datetime as dt
import json
from typing import Any

import pytest

from audit.models import Entry
from games.engine import Refusal
from games.models import GameRequest, GameTest, SignForm
from games.office.requests import parts
from tests.tables.cast import Scene, make_scene

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause

CITE = "19:47-8.4(f)2"
TEST: dict[str, dict[str, Any]] = {
    "casinos": {"lines": "Larkfield Boardwalk\nSouth Pier"},
    "dates": {"from": "2026-11-21", "to": "2026-12-20"},
    "times": {"text": "Friday to Sunday, 18:00 to 02:00"},
    "tables": {"lines": "T-01\nT-02"},
    "sign": {},
    "criteria": {"text": "Forty rounds an hour, and no dispute unsettled."},
    "documenting": {"text": "The floorperson fills in form T-1 at the end of each shift."},
    "forms": {"document": "form"},
}
PARAGRAPHS = {
    "casinos": f"casinos ({CITE}.i)",
    "dates": f"dates ({CITE}.ii)",
    "times": f"times ({CITE}.ii)",
    "tables": f"tables or equipment ({CITE}.ii)",
    "sign": f"sign at the entrances ({CITE}.iii)",
    "criteria": f"success criteria ({CITE}.iv)",
    "documenting": f"how success is documented ({CITE}.iv)",
    "forms": f"forms ({CITE}.iv)",
}
OF_OTHERS: dict[str, dict[str, Any]] = {
    "application": {"license": "Gaming-related", "document": "form"},
    "fee": {"amount": "$5,000", "on": "2026-11-20"},
    "waiver": {"none": True},
}


@pytest.fixture
def shore(hands, db) -> Scene:
    """A house in New Jersey at 10:00 in the morning of 21 November 2026."""
    return make_scene("nj-19-47-9")


def refusal(scene: Scene, act: str, params: dict, code: str) -> Refusal:
    """The act is refused so, in a sentence, and nothing was written."""
    before = Entry.objects.count()
    with pytest.raises(Refusal) as found:
        scene.in_office(act, params)
    assert found.value.code == code, (found.value.code, found.value.params)
    assert "%(" not in found.value.sentence
    assert Entry.objects.count() == before
    return found.value


def entry() -> dict:
    return json.loads(bytes(Entry.objects.filter(stream__name="larkfield/rules").latest("seq").body))["data"]


def stored(request: str) -> GameRequest:
    return GameRequest.objects.get(code=request)


def put(scene: Scene, act: str, said: dict) -> None:
    scene.in_office(act, said | ({"document": scene.on_file("Form T-1")} if "document" in said else {}))


def request_of(scene: Scene, petitioner: str = "casino", *but: str) -> str:
    """A draft that New Jersey's house may file, without these parts."""
    about = {"title": "Double Sic Bo", "kind": "game", "petitioner": petitioner, "rules": "nj-19-47-9"}
    request = str(scene.in_office("draft_request", about).body["request"])
    said = {"play": {"text": "Shake twice."}, "wagering": {"text": "Chips on the layout."}}
    for part, value in (said | (OF_OTHERS if petitioner == "other" else {})).items():
        if part not in but:
            put(scene, "change_request", {"request": request, "part": part, **value})
    return request


def filed(scene: Scene, petitioner: str = "casino") -> str:
    request = request_of(scene, petitioner)
    scene.in_office("file_request", {"request": request})
    return request


def draft(scene: Scene, *but: str, request: str = "") -> dict:
    """A test of a filed request with every part but these; what names it in an act."""
    request = request or filed(scene)
    number = scene.in_office("draft_test", {"request": request}).body["test"]
    names = {"request": request, "test": str(number)}
    for part, value in TEST.items():
        if part not in but and (part != "sign" or not {"casinos", "dates", "tables"} & set(but)):
            put(scene, "change_test", {**names, "part": part, **value})
    return names


def granted(scene: Scene, names: dict, conditions: str = "") -> GameTest:
    scene.in_office("file_test", names)
    said = {"granted": True, "body": "The Commission", "reference": "C-12", "letter": scene.on_file()}
    scene.in_office("decide_test", {**names, **said, "conditions": conditions})
    return GameTest.objects.get(request__code=names["request"], number=int(names["test"]))


# Who asks decides the extra papers


@clause("NJ-19:47-8.4(f)1")
@pytest.mark.parametrize(
    ("petitioner", "asked"),
    [("casino", []), ("csi-licensee", []), ("other", ["application", "fee", "waiver"])],
)
def test_who_asks_decides_which_papers_are_asked_for(shore, petitioner, asked):
    lines = parts.part_statuses(stored(request_of(shore, petitioner)))
    assert [line.part.key for line in lines if line.part.cite] == asked
    assert all(line.is_required for line in lines if line.part.key in asked)


def test_in_new_jersey_somebody_asks(shore):
    refusal(shore, "draft_request", {"title": "Double Sic Bo", "kind": "game"}, "malformed")


@clause("NJ-19:47-8.4(f)1.i-application", "NJ-19:47-8.4(f)1.i-fee", "NJ-19:47-8.4(f)1.ii", "NJ-19:47-8.4(f)1")
@pytest.mark.parametrize(
    ("part", "words", "kept"),
    [
        (
            "application",
            "license application (19:47-8.4(f)1.i)",
            {"license": "Gaming-related", "documents": ["D-0001"]},
        ),
        ("fee", "application fee (19:47-8.4(f)1.i)", {"cents": 500_000, "on": "2026-11-20"}),
        ("waiver", "transactional waiver (19:47-8.4(f)1.ii)", {"none": True}),
    ],
)
def test_a_petitioner_without_a_license_files_each_paper(shore, part, words, kept):
    request = request_of(shore, "other", *OF_OTHERS)
    for other in OF_OTHERS.keys() - {part}:
        put(shore, "change_request", {"request": request, "part": other, **OF_OTHERS[other]})
    found = refusal(shore, "file_request", {"request": request}, "request-incomplete")
    assert (found.section, found.params["missing"]) == ("N.J.A.C. 19:47-8.4(f)1", words)
    put(shore, "change_request", {"request": request, "part": part, **OF_OTHERS[part]})
    shore.in_office("file_request", {"request": request})
    said = stored(request).parts[part]
    assert said.keys() == kept.keys() and all(said[key] == kept[key] for key in kept if key != "documents")
    assert entry()["parts"][part] == said


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"amount": "five", "on": "2026-11-20"}, "amount-unreadable"),
        ({"amount": "1,23", "on": "2026-11-20"}, "amount-unreadable"),
        ({"amount": "5000", "on": "2026-11-22"}, "day-not-come"),
    ],
)
def test_a_fee_is_an_amount_on_a_day_that_has_come(shore, said, code):
    request = request_of(shore, "other", "fee")
    refusal(shore, "change_request", {"request": request, "part": "fee", **said}, code)


# The submission of a test


@clause("NJ-19:47-8.4(f)2", "NJ-19:47-8.4(f)2.i", "NJ-19:47-8.4(f)2.ii", "NJ-19:47-8.4(f)2.iv")
@pytest.mark.parametrize("part", TEST)
def test_a_test_is_not_filed_without_any_one_part(shore, part):
    names = draft(shore, part)
    found = refusal(shore, "file_test", names, "test-incomplete")
    assert found.section == "N.J.A.C. 19:47-8.4(f)2"
    without = [PARAGRAPHS[part]] + [PARAGRAPHS["sign"]] * (part in ("casinos", "dates", "tables"))
    assert found.params["missing"] == ", ".join(without)
    for late in dict.fromkeys([part, "sign"]):
        put(shore, "change_test", {**names, "part": late, **TEST[late]})
    shore.in_office("file_test", names)
    test = GameTest.objects.get()
    assert test.status == "filed" and test.parts["casinos"] == ["Larkfield Boardwalk", "South Pier"]
    assert (test.starts_on, test.ends_on) == (dt.date(2026, 11, 21), dt.date(2026, 12, 20))
    assert test.parts["criteria"]["text"].startswith("Forty rounds") and len(test.parts["forms"]) == 1
    assert entry()["forms"][0]["document"] == test.parts["forms"][0]


@clause("NJ-19:47-8.4(f)2.v")
def test_a_test_waits_until_what_a_body_asked_is_answered(shore):
    names = draft(shore)
    request = names["request"]
    asked = {"request": request, "body": "The Division", "what": "Video of a round", "on": "2026-11-20"}
    item = str(shore.in_office("record_further_request", asked).body["item"])
    found = refusal(shore, "file_test", names, "test-incomplete")
    assert found.params["missing"] == f"answers to further requests ({CITE}.v)"
    shore.in_office("answer_further_request", {"request": request, "item": item, "on": "2026-11-21"})
    shore.in_office("file_test", names)


@clause("NJ-19:47-8.4(f)2.iii")
def test_the_sign_for_the_entrances_is_made_of_the_test_and_attached(shore):
    names = draft(shore)
    first = GameTest.objects.get().parts["sign"]["texts"][0]
    assert first == {
        "casino": "Larkfield Boardwalk",
        "language": "en",
        "lines": [
            "TEST OF A NEW GAME",
            "Double Sic Bo",
            "On test at Larkfield Boardwalk from 21 November 2026 to 20 December 2026, T-01, T-02.",
            "Its rules may change during the test.",
        ],
    }
    shore.in_office("file_test", names)
    assert entry()["parts"]["sign"]["texts"][0] == first


def approve_a_form(scene: Scene) -> None:
    SignForm.objects.create(
        facility=scene.table.facility, kind="test", version=3, location="entrances", width_mm=600,
        height_mm=900, status="approved", reference="S-9", drafted_at=dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
        wording={"en": "{game} is tested at {casino} until {ends}", "es": "Aquí se prueba {game}"},
    )  # fmt: skip


@clause("NJ-19:47-8.4(f)2.iii")
def test_the_sign_is_in_the_approved_form_where_there_is_one(shore):
    approve_a_form(shore)
    draft(shore)
    said = GameTest.objects.get().parts["sign"]
    assert said["form"] == "version 3, S-9"
    assert [(one["casino"], one["lines"]) for one in said["texts"]] == [
        (casino, [words])
        for casino in ("Larkfield Boardwalk", "South Pier")
        for words in (
            f"Double Sic Bo is tested at {casino} until 20 December 2026",
            "Aquí se prueba Double Sic Bo",
        )
    ]


@clause("NJ-19:47-8.4(f)2.iii")
def test_a_form_that_was_approved_since_asks_for_the_sign_anew(shore):
    names = draft(shore)
    approve_a_form(shore)
    found = refusal(shore, "file_test", names, "test-incomplete")
    assert found.params["missing"] == PARAGRAPHS["sign"]
    put(shore, "change_test", {**names, "part": "sign"})
    shore.in_office("file_test", names)


def test_a_sign_that_would_say_something_else_now_is_made_anew(shore):
    names = draft(shore)
    put(shore, "change_test", {**names, "part": "tables", "lines": "T-01\nT-02"})
    assert "sign" in GameTest.objects.get().parts
    put(shore, "change_test", {**names, "part": "tables", "lines": "T-03"})
    assert "sign" not in GameTest.objects.get().parts
    found = refusal(shore, "file_test", names, "test-incomplete")
    assert found.params["missing"] == PARAGRAPHS["sign"]


def test_a_sign_needs_what_it_speaks_of(shore):
    names = draft(shore, "casinos", "dates")
    found = refusal(shore, "change_test", {**names, "part": "sign"}, "sign-needs-more")
    assert found.params["missing"] == f"{PARAGRAPHS['casinos']}, {PARAGRAPHS['dates']}"


def test_a_test_ends_after_it_begins(shore):
    names = draft(shore, "dates")
    said = {**names, "part": "dates", "from": "2026-12-02", "to": "2026-12-01"}
    refusal(shore, "change_test", said, "test-ends-before-it-begins")


def test_only_a_filed_request_is_tested_and_only_in_new_jersey(shore):
    request = request_of(shore)
    refusal(shore, "draft_test", {"request": request}, "request-not-waiting")
    type(shore.table.facility).objects.update(jurisdiction="PA")
    assert refusal(shore, "draft_test", {"request": request}, "not-in-new-jersey").section == ""


def test_what_is_filed_of_a_test_stays_and_a_decision_waits_for_it(shore):
    names = draft(shore)
    decision = {"granted": True, "body": "Commission", "reference": "y", "letter": shore.on_file()}
    refusal(shore, "decide_test", {**names, **decision}, "test-not-waiting")
    test = granted(shore, names, "Two tables at most.\nA supervisor at each.")
    assert (test.status, test.conditions) == ("approved", "Two tables at most.\nA supervisor at each.")
    refusal(shore, "change_test", {**names, "part": "times", "text": "Always"}, "test-not-a-draft")
    refusal(shore, "file_test", names, "test-not-a-draft")
    refusal(shore, "decide_test", {**names, **decision}, "test-not-waiting")
    refusal(shore, "file_test", {**names, "test": "7"}, "no-such-test")
    shore.in_office("withdraw_test", {**names, "why": "The maker has closed."})
    refusal(shore, "withdraw_test", {**names, "why": "again"}, "test-ended")


def test_no_test_runs_by_the_decision_of_another_body(shore):
    names = draft(shore)
    shore.in_office("file_test", names)
    decision = {"granted": True, "body": "Kitchen", "reference": "K-1", "letter": shore.on_file()}
    refused = refusal(shore, "decide_test", {**names, **decision}, "another-body-decides")
    assert (refused.section, refused.params["body"]) == ("N.J.A.C. 19:47-8.4(f)2", "Commission")


# The rules of a test, and its runs


def test_rules_change_in_mid_test_and_each_run_shows_which_version_held(shore, hands):
    names = draft(shore)
    test = granted(shore, names)
    hands.now += dt.timedelta(days=1)  # 22 November, 10:00
    change = {**names, "text": "Shake three times.", "why": "Too few rounds a night"}
    shore.in_office("change_test_rules", {**change, "on": "2026-11-22", "hour": "20:00"})
    hands.now += dt.timedelta(days=1)
    at = {**names, "casino": "South Pier", "table": "T-02"}
    for on, begins, ends, versions in (
        ("2026-11-21", "18:00", "02:00", [1]),
        ("2026-11-22", "18:00", "02:00", [1, 2]),
        ("2026-11-22", "20:00", "21:00", [2]),
    ):
        shore.in_office("record_test_run", {**at, "on": on, "begins": begins, "ends": ends})
        assert entry()["rules"] == versions
    assert [(one.version, one.text) for one in test.rules.order_by("version")] == [
        (1, "Shake twice.\n\nChips on the layout."),
        (2, "Shake three times."),
    ]
    page = shore.browser("podium", "games-administrator").get(
        f"/office/larkfield/requests/{names['request']}/tests/1/"
    )
    said = page.content.decode()
    assert said.count("versions 1 and 2") == 1 and "Shake three times." in said


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"text": " \n", "why": "x"}, "test-rules-say-nothing"),
        ({"text": "x", "why": "x", "on": "2026-11-20", "hour": "10:00"}, "rules-in-the-past"),
    ],
)
def test_changed_rules_say_something_and_begin_now_or_later(shore, said, code):
    names = draft(shore)
    refusal(shore, "change_test_rules", {**names, **said}, "test-not-running")
    granted(shore, names)
    refusal(shore, "change_test_rules", {**names, **said}, code)


def test_versions_follow_each_other(shore, hands):
    names = draft(shore)
    granted(shore, names)
    hands.now += dt.timedelta(hours=1)
    later = {**names, "text": "x", "why": "x", "on": "2026-11-25", "hour": "20:00"}
    assert shore.in_office("change_test_rules", later).body["version"] == 2
    refusal(shore, "change_test_rules", {**names, "text": "y", "why": "y"}, "rules-before-the-last")


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"casino": "Elsewhere"}, "run-elsewhere"),
        ({"on": "2026-11-20"}, "run-outside-the-test"),
        ({"ends": "23:00"}, "day-not-come"),
        ({"begins": "25:00"}, "malformed"),
    ],
)
def test_a_run_is_where_and_when_the_test_was_filed_for(shore, hands, said, code):
    names = draft(shore)
    granted(shore, names)
    hands.now += dt.timedelta(hours=10)  # 20:00
    run = {"casino": "South Pier", "table": "T-02", "on": "2026-11-21", "begins": "18:00", "ends": "19:00"}
    refusal(shore, "record_test_run", {**names, **run, **said}, code)
    shore.in_office("record_test_run", {**names, **run})
