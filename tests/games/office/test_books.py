"""The complete rules: every authorized game in one book, where its print lies, and who asked to see it."""

import hashlib
import json

import pytest

from audit.models import Entry
from games.engine import Refusal
from games.models import RulesBook, RulesInspection
from tests.games.office.test_submissions_acts import P539, A, decide, filed
from tests.tables.cast import approve, make_scene

pytestmark = pytest.mark.django_db


def file(scene, *games, **params):
    return scene.in_office("file_rules_book", {"document": scene.on_file(), "games": list(games)} | params)


def newest():
    entry = Entry.objects.filter(stream__name="larkfield/rules").latest("seq")
    return json.loads(bytes(entry.body))["data"]


@pytest.mark.clause("PA-521.9(a)-copy")
def test_the_book_has_every_authorized_game_and_its_place_is_recorded(hands, scene):
    approve(scene.table.facility, "pa-675a", {}, None, "RS-0021")
    with pytest.raises(Refusal) as refusal:
        file(scene, "pa-625a")
    assert (refusal.value.code, refusal.value.section) == (
        "rules-book-leaves-out",
        "58 Pa. Code § 521.9(a)",
    )
    assert refusal.value.params["games"] == "High Roll Dice, 58 Pa. Code Chapter 675a"
    file(scene, "pa-625a", "pa-675a")
    book = RulesBook.objects.get()
    assert (book.version, book.place, book.games) == (1, "Security podium", ["pa-625a", "pa-675a"])
    assert newest()["document"]["sha256"] == book.document.sha256
    hands.now = hands.now.replace(hour=16)
    file(scene, "pa-625a", "pa-675a", elsewhere="Guest services", place_reference="BGO-5")
    assert RulesBook.objects.get(version=2).place == "Guest services"
    assert RulesBook.objects.get(version=1).replaced_at == hands.now


def test_a_game_that_is_approved_and_not_dealt_yet_belongs_into_the_book(hands, scene):
    approve(scene.table.facility, "pa-577", {}, None, "RS-0031")
    football = scene.table.facility.submissions.get(code="RS-0031")
    football.in_force_from = hands.now.replace(month=12)
    football.save()
    with pytest.raises(Refusal, match="rules-book-leaves-out"):
        file(scene, "pa-625a")


def test_a_version_that_another_will_follow_soon_belongs_into_the_book_too(hands, scene):
    for number, (edition, begins) in enumerate(
        ((P539, "2026-11-25T06:00"), (A, "2026-11-26T06:00")), start=2
    ):
        lapsed = {"lapsed_why": "extended"} if edition == P539 else {}
        filed(scene, edition, **lapsed)
        decide(scene, number, in_force_from=begins)
    with pytest.raises(Refusal, match="rules-book-leaves-out"):
        file(scene, "pa-625a")
    file(scene, "pa-625a", "pa-539")


def test_another_place_needs_its_approval_in_pennsylvania(hands, scene):
    with pytest.raises(Refusal) as refusal:
        file(scene, "pa-625a", elsewhere="Guest services")
    assert (refusal.value.code, refusal.value.section) == (
        "place-needs-approval",
        "58 Pa. Code § 521.9(a)",
    )


@pytest.mark.clause("NJ-19:47-8.5(a)-copy")
def test_in_new_jersey_it_is_at_the_security_podium_and_nowhere_else(hands):
    scene = make_scene("nj-19-47-9")
    with pytest.raises(Refusal) as refusal:
        file(scene, "nj-19-47-9", elsewhere="Guest services", place_reference="CCC-5")
    assert (refusal.value.code, refusal.value.section) == ("place-is-the-podium", "N.J.A.C. 19:47-8.5(a)")
    file(scene, "nj-19-47-9")
    assert RulesBook.objects.get().place == "Security podium"


def test_a_picture_is_no_book(hands, scene):
    picture = b"\x89PNG\r\n\x1a\n" + b"0" * 40 + b"IEND"
    said = {"title": "Rules", "filename": "rules.png", "sha256": hashlib.sha256(picture).hexdigest()}
    document = scene.in_office("file_document", said, attachment=picture).body["document"]
    with pytest.raises(Refusal, match="rules-book-not-printable"):
        scene.in_office("file_rules_book", {"document": document, "games": ["pa-625a"]})


@pytest.mark.clause("PA-521.9(a)-inspection", "NJ-19:47-8.5(a)-inspection")
@pytest.mark.parametrize(
    ("rules", "cite"), [("pa-625a/A", "58 Pa. Code § 521.9(a)"), ("nj-19-47-9", "N.J.A.C. 19:47-8.5(a)")]
)
def test_who_asks_sees_it_and_that_is_logged(hands, client, rules, cite):
    scene = make_scene(rules)
    with pytest.raises(Refusal, match="no-rules-book"):
        scene.in_office("record_rules_inspection", {"note": "early"})
    file(scene, rules.split("/")[0])
    scene.in_office("record_rules_inspection", {"note": "A guest, at the podium"})
    found = RulesInspection.objects.get()
    assert (found.at, found.place, found.book.version) == (hands.now, "Security podium", 1)
    assert (newest()["note"], newest()["section"]) == ("A guest, at the podium", cite)
    page = client.get("/rules/larkfield/")
    assert page.status_code == 200 and b"security podium" in page.content
    document = client.get("/rules/larkfield/document")
    assert document.content.startswith(b"Letter ") and "attachment" in document["Content-Disposition"]
