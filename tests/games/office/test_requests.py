"""Requests for new games, wagers and features: what they hold, when they may be filed, and what is decided on them."""

import datetime as dt
import hashlib
import json
from fractions import Fraction
from itertools import product

import pytest

from audit.models import Entry
from games.engine import Refusal
from games.models import Document, Facility, GameRequest, Provider
from games.office.requests import parts
from tests.tables.cast import Scene, newest_of_an_act

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause

PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 30 + b"IEND\xaeB`\x82"
GAME = {"title": "Double Sic Bo", "kind": "game"}
PARTS = {
    "play": {"text": "Three dice are shaken twice.\nThe second shake counts double."},
    "wagering": {"text": "Double Small wins where both totals are 4 to 10."},
    "class": {"class": "variation", "of": "Sic Bo"},
    "odds": {"document": "letter"},
    "layout": {"document": "picture"},
    "equipment": {"document": "picture"},
    "reasons": {"text": "Patrons ask for a longer round."},
    "elsewhere": {"none": True},
    "property": {"none": True},
}
PARAGRAPHS = {
    "play": "how it is played (§ 521.4(1))",
    "wagering": "how it is wagered on (§ 521.4(1))",
    "class": "variation, composite or new (§ 521.4(1)(i))",
    "odds": "true odds, payout odds and house advantage (§ 521.4(1)(ii))",
    "layout": "layout (§ 521.4(1)(iii))",
    "equipment": "equipment (§ 521.4(1)(iv))",
    "reasons": "reasons (§ 521.4(2))",
    "elsewhere": "other jurisdictions (§ 521.4(3))",
    "property": "copyrights, trademarks and patents (§ 521.4(4))",
}


def picture(scene: Scene, title: str = "A drawing") -> str:
    said = {"title": title, "filename": "it.png", "sha256": hashlib.sha256(PNG).hexdigest()}
    return str(scene.in_office("file_document", said, attachment=PNG).body["document"])


def draft(scene: Scene, **said) -> str:
    return str(scene.in_office("draft_request", {**GAME, **said}).body["request"])


def put(scene: Scene, request: str, part: str, said: dict) -> None:
    if "document" in said:
        made = picture(scene) if said["document"] == "picture" else scene.on_file()
        said = {**said, "document": made}
    scene.in_office("change_request", {"request": request, "part": part, **said})


def complete(scene: Scene, *but: str, **said) -> str:
    """A draft with every part but these."""
    request = draft(scene, **said)
    for part in PARTS.keys() - set(but):
        put(scene, request, part, PARTS[part])
    return request


def file(scene: Scene, request: str) -> GameRequest:
    scene.in_office("file_request", {"request": request})
    return GameRequest.objects.get(code=request)


def decide(scene: Scene, request: str, granted: bool = True) -> None:
    said = {"granted": granted, "body": "The Executive Director", "reference": "ED-7"}
    scene.in_office("decide_request", {"request": request, **said, "letter": scene.on_file()})


def refusal(scene: Scene, act: str, params: dict, code: str) -> Refusal:
    """The act is refused so, in a sentence, and its entry was not written."""
    before = Entry.objects.count()
    with pytest.raises(Refusal) as found:
        scene.in_office(act, params)
    assert found.value.code == code, (found.value.code, found.value.params)
    assert "%(" not in found.value.sentence
    assert Entry.objects.count() == before
    return found.value


def entry() -> dict:
    return json.loads(bytes(newest_of_an_act("larkfield/rules").body))["data"]


def stored(request: str) -> GameRequest:
    return GameRequest.objects.get(code=request)


# What must be there


@clause("PA-521.4")
@pytest.mark.parametrize("part", PARTS)
def test_a_new_game_is_not_filed_without_any_one_part(scene, part):
    request = complete(scene, part)
    found = refusal(scene, "file_request", {"request": request}, "request-incomplete")
    assert found.section == "58 Pa. Code § 521.4"
    assert found.params["missing"] == PARAGRAPHS[part]
    assert stored(request).status == "draft"
    put(scene, request, part, PARTS[part])
    assert file(scene, request).status == "filed"


@clause("PA-521.4")
def test_a_bare_draft_names_every_missing_part_with_its_paragraph(scene):
    found = refusal(scene, "file_request", {"request": draft(scene)}, "request-incomplete")
    assert found.params["missing"] == ", ".join(PARAGRAPHS.values())


@clause("PA-521.4")
@pytest.mark.parametrize("kind", ["wager", "feature"])
def test_a_wager_or_a_feature_is_asked_for_class_and_drawings_but_not_held_up_by_them(scene, kind):
    request = complete(scene, "class", "layout", "equipment", kind=kind)
    asked = {line.part.key: line.is_required for line in parts.part_statuses(stored(request))}
    assert asked == {part: part not in ("class", "layout", "equipment") for part in PARTS}
    assert file(scene, request).status == "filed"


@pytest.mark.parametrize("kind", ["wager", "feature"])
def test_odds_are_never_left_out(scene, kind):
    request = complete(scene, "odds", kind=kind)
    found = refusal(scene, "file_request", {"request": request}, "request-incomplete")
    assert found.params["missing"] == PARAGRAPHS["odds"]


@clause("PA-521.4(1)(ii)")
def test_a_wager_that_the_engine_does_not_know_brings_its_odds_in_a_document(scene):
    request = complete(scene, "odds", kind="wager", rules="pa-625a/A", wagers=["total"], named="Lucky triple")
    found = refusal(scene, "file_request", {"request": request}, "request-incomplete")
    assert found.params["missing"] == PARAGRAPHS["odds"]
    put(scene, request, "odds", {"document": "letter"})
    odds = file(scene, request).parts["odds"]
    assert len(odds["documents"]) == 1 and len(odds["figures"]["wagers"]) == 14


# What is kept


@clause("PA-521.4(1)")
def test_the_description_of_play_and_wagers_is_kept_with_its_lines(scene):
    filed = file(scene, complete(scene))
    assert filed.parts["play"]["text"] == "Three dice are shaken twice.\nThe second shake counts double."
    assert entry()["parts"]["wagering"]["text"].startswith("Double Small wins")


@clause("PA-521.4(1)(i)")
@pytest.mark.parametrize(
    ("chosen", "of"), [("variation", "Sic Bo"), ("composite", "Sic Bo, Craps"), ("new", "")]
)
def test_the_class_is_one_of_three(scene, chosen, of):
    request = draft(scene)
    put(scene, request, "class", {"class": chosen, "of": of})
    assert stored(request).parts["class"] == {"class": chosen, "of": of}
    said = {"request": request, "part": "class", "class": "other", "of": ""}
    refusal(scene, "change_request", said, "malformed")


def test_a_variation_says_of_which_game(scene):
    said = {"request": draft(scene), "part": "class", "class": "variation", "of": ""}
    assert refusal(scene, "change_request", said, "class-of-what").section == "58 Pa. Code § 521.4(1)(i)"


@clause("PA-521.4(1)(iii)", "PA-521.4(1)(iv)")
@pytest.mark.parametrize("part", ["layout", "equipment"])
def test_drawings_are_attached_as_pictures_and_named_in_the_record_by_their_hash(scene, part):
    request = draft(scene)
    put(scene, request, part, {"document": "picture"})
    first = stored(request).parts[part]["documents"]
    scene.in_office(
        "change_request", {"request": request, "part": part, "keep": first, "document": picture(scene)}
    )
    both = stored(request).parts[part]["documents"]
    assert len(both) == 2 and both[0] == first[0]
    assert [one["sha256"] for one in entry()["documents"]] == [hashlib.sha256(PNG).hexdigest()] * 2
    said = {"request": request, "part": part, "keep": both, "document": scene.on_file()}
    refusal(scene, "change_request", said, "drawing-is-no-picture")
    assert stored(request).parts[part]["documents"] == both


def test_a_document_that_is_not_on_file_is_not_attached(scene):
    said = {"request": draft(scene), "part": "layout", "document": "D-9999"}
    refusal(scene, "change_request", said, "no-such-document")


def test_where_there_is_no_layout_that_is_said(scene):
    request = complete(scene, "layout")
    put(scene, request, "layout", {"none": True})
    assert file(scene, request).parts["layout"] == {"none": True}
    said = {"request": draft(scene), "part": "layout", "none": True, "document": picture(scene)}
    refusal(scene, "change_request", said, "none-and-some")


@clause("PA-521.4(2)")
def test_reasons_taken_out_again_are_missing(scene):
    request = complete(scene)
    put(scene, request, "reasons", {"text": "  \n "})
    assert "reasons" not in stored(request).parts
    found = refusal(scene, "file_request", {"request": request}, "request-incomplete")
    assert found.params["missing"] == "reasons (§ 521.4(2))"


@clause("PA-521.4(3)")
def test_other_jurisdictions_are_listed_or_said_to_be_none(scene):
    request = complete(scene, "elsewhere")
    refusal(scene, "file_request", {"request": request}, "request-incomplete")
    put(scene, request, "elsewhere", {"places": "Nevada\n\nMississippi\nNevada"})
    assert file(scene, request).parts["elsewhere"] == {"places": ["Nevada", "Mississippi"]}
    assert file(scene, complete(scene)).parts["elsewhere"] == {"none": True}


@clause("PA-521.4(4)")
def test_rights_are_disclosed_and_tied_to_the_providers_file(scene):
    Provider.objects.create(
        facility=scene.table.facility, code="SP-0001", name="Diceworks", innovation="x", patent="y",
        no_other_license=True, created_at=dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
    )  # fmt: skip
    request = draft(scene)
    patent = {
        "right": "patent",
        "state": "pending",
        "about": "its equipment",
        "name": "Shaker",
        "number": "US 1",
    }
    put(scene, request, "property", {**patent, "provider": "SP-0001"})
    mark = {"right": "trademark", "state": "granted", "about": "its name", "name": "DOUBLE", "holder": "We"}
    put(scene, request, "property", {**mark, "keep": ["0"]})
    items = stored(request).parts["property"]["items"]
    assert items[0] == {**patent, "holder": "Diceworks", "provider": "SP-0001"}
    assert items[1] == {**mark, "number": "", "provider": ""}
    said = {"request": request, "part": "property", **patent, "keep": ["0", "1"], "provider": "SP-0009"}
    assert refusal(scene, "change_request", said, "no-such-holder").section == "58 Pa. Code § 521.4(4)"
    put(scene, request, "property", {"keep": ["1"]})
    assert [one["name"] for one in stored(request).parts["property"]["items"]] == ["DOUBLE"]


# Figures that the engine knows


@clause("PA-521.4(1)(ii)")
def test_filed_figures_are_those_of_all_216_throws_and_stay(scene):
    request = complete(scene, "odds", rules="pa-625a/A", wagers=["total"], kind="wager")
    odds = file(scene, request).parts["odds"]["figures"]
    assert odds["rules"] == "pa-625a@2019-08-31/A"
    assert len(odds["wagers"]) == 14
    for one in odds["wagers"]:
        total = int(one["wager"].removeprefix("total:"))
        wins = sum(sum(dice) == total for dice in product(range(1, 7), repeat=3))
        (level,) = one["outcomes"]
        pays = int(level["pays"].removesuffix(" to 1"))
        assert Fraction(level["probability"]) == Fraction(wins, 216)
        assert Fraction(level["true_odds"]) == Fraction(216 - wins, wins)
        assert Fraction(one["house_advantage"]) == 1 - Fraction(wins, 216) * (pays + 1)
    assert entry()["odds"]["sha256"] == parts.figures_sha256(odds)
    GameRequest.objects.filter(code=request).update(rules="pa-625a/B")
    assert parts.filed_or_computed(stored(request)) == odds


def test_a_wager_of_several_levels_has_one_house_advantage():
    told = parts.compute_figures(GameRequest(rules="pa-625a/A", wagers=["one-of-a-kind", "small"]))
    sheet = parts.figures_sheet(told)
    small, row = sheet.rows
    assert (small.label, row.label) == ("Small", "One of a Kind")
    assert (row.advantage_exact, row.advantage_text) == ("17/216", "7.87 %")
    assert [(str(one.pays), one.true_odds_text) for one in row.levels] == [
        ("1 to 1", "1.88 to 1"),
        ("2 to 1", "13.4 to 1"),
        ("3 to 1", "215 to 1"),
    ]


def test_without_named_wagers_the_figures_are_of_the_game():
    odds = parts.compute_figures(GameRequest(rules="pa-577", wagers=["A side bet of ours"]))
    assert len(odds["wagers"]) == 19
    assert parts.compute_figures(GameRequest(rules="", wagers=[])) is None


def test_rules_that_do_not_exist_are_refused(scene):
    refusal(scene, "draft_request", {**GAME, "rules": "pa-999"}, "no-such-rules")
    refusal(scene, "draft_request", {**GAME, "rules": "pa-625a"}, "which-paytable")


def test_wagers_of_other_rules_fall_away_and_named_ones_stay(scene):
    request = draft(scene, rules="pa-625a/A", wagers=["total", "pip"], named="Lucky triple\nLucky triple\n")
    assert stored(request).wagers == ["total", "Lucky triple"]
    assert stored(request).game == "sic-bo"


# Filed, decided, withdrawn, asked further


def test_what_is_filed_stays_as_it_is(scene):
    request = complete(scene)
    file(scene, request)
    said = {"request": request, "part": "reasons", "text": "Other reasons."}
    refusal(scene, "change_request", said, "request-not-a-draft")
    refusal(scene, "file_request", {"request": request}, "request-not-a-draft")
    assert stored(request).parts["reasons"]["text"] == "Patrons ask for a longer round."


def test_the_entry_of_a_filing_names_every_document_once(scene):
    request = complete(scene)
    file(scene, request)
    codes = [one["document"] for one in entry()["documents"]]
    assert sorted(codes) == sorted(Document.objects.values_list("code", flat=True)) and len(codes) == 3


@pytest.mark.parametrize(("granted", "status"), [(True, "approved"), (False, "denied")])
def test_a_decision_stands_with_its_letter(scene, granted, status):
    request = complete(scene)
    refusal(
        scene,
        "decide_request",
        {"request": request, "granted": granted, "body": "x", "reference": "y", "letter": "D-0001"},
        "request-not-waiting",
    )
    file(scene, request)
    decide(scene, request, granted)
    found = stored(request)
    assert (found.status, found.decided_by, found.reference) == (status, "The Executive Director", "ED-7")
    assert found.decision.code == entry()["letter"]["document"]


def test_a_withdrawn_request_says_why_and_is_decided_no_more(scene):
    request = complete(scene)
    file(scene, request)
    scene.in_office("withdraw_request", {"request": request, "why": "The maker has closed."})
    assert (stored(request).status, stored(request).withdrawn_why) == ("withdrawn", "The maker has closed.")
    refusal(scene, "withdraw_request", {"request": request, "why": "again"}, "already-ended")


def test_what_a_body_asks_besides_is_tracked_until_it_is_answered(hands, scene):
    request = complete(scene)
    today, before = "2026-11-21", "2026-11-20"
    asked = {"request": request, "body": "The Bureau", "what": "A sample of the dice", "on": before}
    refusal(scene, "record_further_request", {**asked, "on": "2026-11-22"}, "day-not-come")
    item = str(scene.in_office("record_further_request", asked).body["item"])
    answer = {"request": request, "item": item, "on": today, "document": scene.on_file()}
    refusal(scene, "answer_further_request", {**answer, "on": "2026-11-19"}, "answered-before-asked")
    refusal(scene, "answer_further_request", {**answer, "item": "999"}, "no-such-further-request")
    refusal(scene, "answer_further_request", {**answer, "item": "²"}, "no-such-further-request")
    scene.in_office("answer_further_request", answer)
    assert stored(request).further.get().answered_on == dt.date(2026, 11, 21)
    refusal(scene, "answer_further_request", answer, "answered-already")


def test_a_request_of_another_house_is_not_there(scene):
    shore = Facility.objects.create(code="shore", name="Shore", jurisdiction="PA")
    now = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    GameRequest.objects.create(facility=shore, code="NG-0404", title="x", kind="game", drafted_at=now)
    refusal(scene, "file_request", {"request": "NG-0404"}, "no-such-request")
    assert scene.browser("podium", "compliance").get("/office/larkfield/requests/NG-0404/").status_code == 403


@pytest.mark.parametrize("by", ["dealer", "pit-manager", "gaming-agent"])
def test_others_draft_nothing(scene, by):
    with pytest.raises(Refusal) as found:
        scene.in_office("draft_request", GAME, by=by)
    assert found.value.code == "role-may-not" and not GameRequest.objects.exists()
