"""What the public reads without signing in: in its language, only what is approved, and only what is dealt."""

import datetime as dt

import pytest
from django.test import Client

from games.engine import Rules
from games.guide.content import facts_at
from games.models import Guide, RulesSubmission
from games.submissions import filed_terms
from tests.games.office.test_guide_acts import deal, decide, draft, publish
from tests.games.office.test_submissions_acts import decide as decide_rules
from tests.games.office.test_submissions_acts import filed
from tests.tables.cast import approve, make_scene

pytestmark = pytest.mark.django_db
GUIDE, SIC_BO = "/guide/larkfield/", "/guide/larkfield/sic-bo-pa-625a-a/"


def page(address, **headers):
    answer = Client().get(address, headers=headers)
    return answer, answer.content.decode(errors="replace")


@pytest.mark.clause("PA-521.9(f)")
def test_the_approved_guide_is_on_the_web_site_for_everybody(hands, scene):
    publish(scene)
    for address in (GUIDE, SIC_BO):
        answer, text = page(address)
        assert answer.status_code == 200 and "Sic Bo" in text
        assert not answer.cookies and "max-age=60" in answer["Cache-Control"]
        assert "Accept-Language" in answer["Vary"]


@pytest.mark.clause("PA-521.9(c)", "NJ-19:47-8.5(c)-sample")
@pytest.mark.parametrize("rules", ["pa-625a/A", "nj-19-47-9"])
def test_nothing_is_shown_before_the_approval_and_nothing_after_the_withdrawal(hands, rules):
    scene = make_scene(rules)
    addresses = (GUIDE, f"{GUIDE}sic-bo-{rules.lower().replace('/', '-')}/", f"{GUIDE}guide.pdf")

    def statuses():
        return {page(address)[0].status_code for address in addresses}

    assert statuses() == {404}
    guide = draft(scene, formats=["print", "web"], reference="CCC-1" if rules.startswith("nj") else "")
    assert statuses() == {404}
    decide(scene, guide)
    assert statuses() == {404}
    scene.in_office("publish_guide", {"guide": guide})
    assert statuses() == {200}
    scene.in_office("withdraw_guide", {"guide": guide, "why": "called back"})
    assert statuses() == {404}


@pytest.mark.parametrize("code", ["RS-0099", "RS-0031"])
def test_what_no_table_deals_leaves_the_guide_alone(hands, code):
    """Another submission under the same edition, and a newer version of one that no table deals."""
    scene = make_scene("pa-539")
    approve(scene.table.facility, "pa-539", {"total:4": "60 to 1"}, None, "RS-0031")
    guide = publish(scene)
    addresses = [GUIDE, *(f"{GUIDE}{game['slug']}/" for game in guide.content["games"]), f"{GUIDE}guide.pdf"]
    before = {address: page(address)[1] for address in addresses[:-1]}
    if code == "RS-0099":
        approve(scene.table.facility, "pa-539", {"total:4": "65 to 1"}, None, code)
    else:
        newer = RulesSubmission.objects.get(code=code)
        newer.pk, newer.version, newer.in_force_from = None, 2, hands.now
        newer.terms, newer.terms_sha256 = filed_terms(Rules.of("pa-539", {"total:4": "65 to 1"}))
        newer.save()
    assert {address: page(address)[1] for address in addresses[:-1]} == before
    assert page(addresses[-1])[0].status_code == 200


def test_a_guide_that_is_only_printed_is_not_on_the_web_site(hands):
    scene = make_scene("nj-19-47-9")
    publish(scene, formats=["print"])
    assert page(GUIDE)[0].status_code == 404


@pytest.mark.parametrize(
    ("address", "accepts", "language"),
    [
        (SIC_BO, "es-MX,es;q=0.9,en;q=0.5", "es"),
        (SIC_BO, "zh-CN", "zh-Hans"),
        (SIC_BO, "fr,en;q=0.3", "en"),
        (SIC_BO, "", "en"),
        (f"{SIC_BO}?lang=es", "zh-CN", "es"),
        (f"{SIC_BO}?lang=xx", "zh-TW", "zh-Hans"),
    ],
)
def test_it_speaks_the_readers_language_and_then_the_one_of_the_switch(
    hands, scene, address, accepts, language
):
    publish(scene)
    answer, text = page(address, accept_language=accepts)
    said = {"es": "150 a 1", "zh-Hans": "150比1", "en": "150 to 1"}
    assert answer["Content-Language"] == language and f'<html lang="{language}">' in text
    assert said[language] in text


def test_odds_that_are_dealt_no_more_are_shown_no_more(hands, scene):
    approve(scene.table.facility, "pa-577", {}, None, "RS-0031")
    publish(scene)
    assert "150 to 1" in page(SIC_BO)[1]
    deal(scene, "pa-625a/B")
    answer, text = page(SIC_BO)
    assert answer.status_code == 200 and "being renewed" in text
    assert "150" not in text and "to 1" not in text
    assert "being renewed" in page(GUIDE)[1] and "guide.pdf" not in page(GUIDE)[1]
    assert page(f"{GUIDE}guide.pdf")[0].status_code == 404
    assert "30 to 1" in page(f"{GUIDE}football-pa-577/")[1]


@pytest.mark.clause("PA-521.9(d)")
def test_a_withdrawn_version_brings_back_no_page_of_what_it_had_superseded(hands, scene):
    publish(scene)
    hands.now += dt.timedelta(hours=1)
    filed(scene)
    decide_rules(scene)
    hands.now += dt.timedelta(hours=1)
    scene.in_office("withdraw_submission", {"code": "RS-0009", "version": 2, "why": "a fault"})
    assert facts_at(scene.table.facility, hands.now)["games"] == []
    assert "150" not in page(SIC_BO)[1] and page(f"{GUIDE}guide.pdf")[0].status_code == 404


@pytest.mark.clause("PA-539.4(b)-instructions", "PA-625a.4(b)-instructions", "NJ-19:47-9.3(b)-instructions")
@pytest.mark.parametrize("rules", ["pa-539", "pa-625a/A", "nj-19-47-9"])
def test_the_guide_asks_players_to_check_the_placing_of_a_verbal_wager(hands, rules):
    scene = make_scene(rules)
    publish(scene, reference="CCC-1" if rules.startswith("nj") else "")
    address = f"{GUIDE}sic-bo-{rules.lower().replace('/', '-')}/"
    assert "watch that it goes where you said" in page(f"{address}?lang=en")[1]
    assert "compruebe que queda donde usted dijo" in page(f"{address}?lang=es")[1]
    assert "请看清楚是否放在您指定的位置" in page(f"{address}?lang=zh")[1]


@pytest.mark.parametrize("address", ["/guide/nowhere/", "/rules/nowhere/", f"{GUIDE}no-such-game/"])
def test_what_is_not_there_is_a_quiet_page(hands, scene, address):
    publish(scene)
    assert page(address)[0].status_code == 404


def test_the_page_of_the_rules_says_when_there_is_no_book_yet(hands, scene):
    answer, text = page("/rules/larkfield/?lang=es")
    assert answer.status_code == 200 and "Pídalo en el puesto de seguridad" in text
    assert page("/rules/larkfield/document")[0].status_code == 404


def test_the_print_is_the_approved_guide_as_a_download(hands, scene):
    publish(scene)
    answer = Client().get(f"{GUIDE}guide.pdf?lang=zh")
    assert answer.content.startswith(b"%PDF-")
    assert answer["Content-Disposition"] == 'attachment; filename="guide-larkfield-zh.pdf"'
    assert Guide.objects.get().content_sha256
