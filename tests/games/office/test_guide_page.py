"""The guide's tab in the office: its one next step, what differs, and previews that say they are none."""

import re

import pytest

from games.engine import Rules
from games.guide.content import desk
from games.models import Guide, RulesSubmission
from games.submissions import filed_terms
from tests.games.office.test_guide_acts import deal, decide, draft, publish
from tests.markup import one_line
from tests.tables.cast import approve

pytestmark = pytest.mark.django_db
PAGE = "/office/larkfield/guide/"


def read(scene, by="games-administrator", address=PAGE):
    return scene.browser("podium", by).get(address)


def next_step(scene):
    found = re.search(
        r'class="act big next" type="button" data-open="([\w-]+)"', read(scene).content.decode()
    )
    return found and found[1]


def test_it_leads_step_by_step_from_a_draft_to_the_public(hands, scene):
    assert next_step(scene) == "generate"
    guide = draft(scene)
    assert next_step(scene) == "file-sample"
    scene.in_office("file_guide_sample", {"guide": guide})
    assert next_step(scene) == "decide-guide"
    assert desk(scene.table.facility, hands.now).due.isoformat() == "2026-12-06"
    said = {
        "granted": True,
        "body": "Bureau of Gaming Operations",
        "reference": "B-1",
        "letter": scene.on_file(),
    }
    scene.in_office("decide_guide", {"guide": guide} | said)
    assert next_step(scene) == "publish"
    scene.in_office("publish_guide", {"guide": guide})
    assert next_step(scene) is None
    deal(scene, "pa-625a/B")
    assert next_step(scene) == "generate"


@pytest.mark.clause("PA-521.9(d)", "NJ-19:47-8.5(c)-different")
def test_it_says_change_by_change_why_a_guide_needs_its_own_approval(hands, scene):
    publish(scene)
    deal(scene, "pa-625a/B")
    page = read(scene).content.decode()
    assert "Version 1 is not all dealt" in one_line(page)
    draft(scene)
    page = read(scene).content.decode()
    assert "materially different, § 521.9(d)" in page
    found = desk(scene.table.facility, hands.now)
    assert found.step == "file"
    assert ("24 to 1", "31 to 1") in [(one.old, one.new) for one in found.changes]
    assert "31 to 1" in page and "§ 625a.6(a)" in page


def test_a_guide_with_the_same_facts_may_go_under_the_approval_that_there_is(hands, scene):
    first = publish(scene)
    Guide.objects.create(
        facility=first.facility,
        version=2,
        content=first.content,
        facts=first.facts,
        facts_sha256=first.facts_sha256,
        formats=first.formats,
        drafted_at=hands.now,
    )
    assert next_step(scene) == "same"
    scene.in_office("approve_as_immaterial", {"guide": 2, "approved": 1, "because": "a comma"})
    assert next_step(scene) == "publish"


def test_it_tells_in_time_of_rules_that_are_still_to_come(hands, scene):
    publish(scene)
    coming = RulesSubmission.objects.get()
    coming.pk, coming.version = None, 2
    coming.terms, coming.terms_sha256 = filed_terms(Rules.of("pa-625a/B"))
    coming.in_force_from = hands.now.replace(day=30)
    coming.save()
    assert "Approved rules take effect on 30 Nov 2026 10:00" in read(scene).content.decode()


def test_a_guide_in_print_alone_is_missed_on_the_web_site(hands, scene):
    publish(scene, formats=["print"])
    assert "is published in print only" in read(scene).content.decode()
    publish(scene)
    assert "is published in print only" not in read(scene).content.decode()


@pytest.mark.parametrize("language", ["en", "es", "zh"])
def test_a_preview_says_in_every_language_that_it_is_no_guide_yet(hands, scene, language):
    guide = draft(scene)
    for address in (f"{PAGE}{guide}/", f"{PAGE}{guide}/sic-bo-pa-625a-a/"):
        page = read(scene, address=f"{address}?lang={language}")
        assert page.status_code == 200 and "Sample, not published" in page.content.decode()
    printed = read(scene, address=f"{PAGE}{guide}/guide.pdf?lang={language}")
    assert printed.content.startswith(b"%PDF-")
    decide(scene, guide)
    scene.in_office("publish_guide", {"guide": guide})
    assert 'class="sample"' not in read(scene, address=f"{PAGE}{guide}/").content.decode()


def test_the_public_opens_no_preview(hands, scene, client):
    guide = draft(scene)
    for address in (PAGE, f"{PAGE}{guide}/", f"{PAGE}{guide}/guide.pdf"):
        assert client.get(address).status_code in (302, 403)


@pytest.mark.parametrize("by", ["gaming-agent", "shift-manager", "surveillance"])
def test_who_only_reads_finds_no_button(hands, scene, by):
    publish(scene)
    page = read(scene, by).content.decode()
    assert "data-open=" not in page.split('id="page"')[1]


def test_the_rules_book_that_leaves_out_a_game_is_named(hands, scene):
    book = {"document": scene.on_file("Rules", b"The rules."), "games": ["pa-625a"]}
    scene.in_office("file_rules_book", book)
    assert "covers every authorized game" in read(scene).content.decode()
    approve(scene.table.facility, "pa-577", {}, None, "RS-0031")
    assert "leaves out Three Dice Football, 58 Pa. Code Chapter 577" in read(scene).content.decode()
