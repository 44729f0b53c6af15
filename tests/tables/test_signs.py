"""The signs of a table: their content and form, on a display and on paper."""

import datetime as dt

import pytest
from pypdfium2 import PdfDocument

from audit.days import day_in_words
from audit.devices import enroll
from games.engine import Refusal
from games.models import RulesSubmission, SignForm
from tables.equipment import signs
from tables.models import Approval
from tables.ticker import tick
from tests.tables.cast import make_scene

pytestmark = pytest.mark.django_db
AT = "/floor/larkfield/T-01/sign/"
NEW = {"min_cents": 2_500, "max_cents": 200_000}


@pytest.fixture
def podium(scene):
    return scene.browser("podium", "floorperson")


def said(scene, kind, language="en"):
    sign = signs.sign(scene.snapshot, kind)
    return next(text["lines"] for text in sign["texts"] if text["language"] == language)


def begin(scene):
    scene.place((1, "small", 1_000))
    scene.act("change_limits", NEW, by="floorperson", device=scene.podium)


@pytest.mark.clause("PA-521.7(b)")
def test_the_sign_of_the_limits_says_them_and_what_is_to_change(scene, podium):
    assert said(scene, "limits") == ["Minimum wager $10", "Maximum wager $1,000"]
    page = podium.get(AT).content.decode()
    assert "Minimum wager $10" in page and "New limits from" not in page
    begin(scene)
    page = podium.get(AT).content.decode()
    assert "Minimum wager $10" in page and "Minimum $25" in page and "Maximum $2,000" in page


@pytest.mark.clause("PA-521.8(c)(2)(ii)")
def test_the_sign_of_a_change_says_the_new_limits_and_when_they_begin(hands, scene):
    begin(scene)
    assert said(scene, "limits-change")[0] == "New limits from 30 minutes after the announcement"
    assert said(scene, "limits-change", "zh")[0] == "新限额生效时间：宣布后30分钟"
    scene.act("post_limits_sign")
    scene.act("announce_limits")
    assert said(scene, "limits-change") == ["New limits from 10:30 AM", "Minimum $25", "Maximum $2,000"]


@pytest.mark.clause("PA-521.8(a)")
def test_the_signs_say_the_rules_in_effect_their_options_and_the_odds(scene, podium):
    day = scene.snapshot["rules"]["approved_on"]
    assert said(scene, "rules") == [
        "Rules in effect",
        "58 Pa. Code Chapter 625a · Paytable A, RS-0009 v1",
        f"Approved {day_in_words(day)}",
    ]
    odds = {row["label"]: row["pays"] for row in signs.odds(scene.snapshot)}
    assert odds["Three of a Kind"] == "150 to 1" and odds["Total 4, 17"] == "50 to 1"
    assert odds["Two dice"] == "5 to 1" and odds["One of a Kind"] == "1 to 1 · 2 to 1 · 3 to 1"
    page = podium.get(AT).content.decode()
    assert "Paytable A, RS-0009 v1" in page and "150 to 1" in page and "Total 4, 17" in page


def test_a_form_approved_in_the_evening_has_the_local_day(hands, scene):
    evening = dt.datetime(
        2026, 11, 22, 2, tzinfo=dt.UTC
    )  # 21:00 of the day before, by the clocks of the house
    RulesSubmission.objects.update(decided_at=evening)
    SignForm.objects.update(decided_at=evening)
    snapshot = scene.snapshot
    assert snapshot["rules"]["approved_on"] == "2026-11-21"
    assert {form["approved_on"] for form in snapshot["signs"]} == {"2026-11-21"}


def test_odds_of_a_part_of_a_family_name_its_numbers(db):
    scene = make_scene("pa-675a", payout_limit_cents=7_500_000)
    odds = {row["label"]: row["pays"] for row in signs.odds(scene.snapshot)}
    assert odds["Pip Street 2, 3"] == "6 to 1" and odds["Like Kind 2"] == "12 to 1"
    assert (
        odds["Like Kind 3"] == "3 to 5 · Extra Roll 6 to 1"
        and odds["Like Kind 4"] == "1 to 1 · Extra Roll 1 to 1"
    )
    assert said(scene, "payout-limit") == ["Highest payout of each player in a round: $75,000"]


def test_a_table_without_a_payout_limit_has_no_sign_of_one(scene):
    with pytest.raises(Refusal) as refused:
        signs.sign(scene.snapshot, "payout-limit")
    assert refused.value.code == "sign-has-nothing-to-say"


@pytest.mark.clause("PA-521.8(d)")
@pytest.mark.parametrize("ending", ["", ".pdf"])
def test_no_sign_is_shown_or_printed_without_an_approved_form(scene, podium, ending):
    SignForm.objects.filter(kind="odds").update(status="withdrawn")
    answer = podium.get(f"{AT}odds{ending}")
    assert answer.status_code == 422
    assert "521.8(d)" in answer.content.decode() or ending
    tick()
    assert [form["kind"] for form in scene.snapshot["signs"]] == [
        "limits",
        "limits-change",
        "payout-limit",
        "rules",
    ]
    assert "150 to 1" not in podium.get(AT).content.decode()
    assert scene.snapshot["acts"][0]["type"] == "signs.took_effect"


def test_a_form_of_one_game_goes_before_that_of_every_game(scene):
    form = SignForm.objects.get(kind="limits")
    own = SignForm.objects.create(
        facility=form.facility, kind="limits", game="sic-bo", version=1, location="left", width_mm=300,
        height_mm=200, wording={"en": "{min}–{max}"}, status="approved", drafted_at=form.drafted_at,
    )  # fmt: skip
    tick()
    assert said(scene, "limits") == ["$10–$1,000"]
    assert signs.form_of(scene.snapshot["signs"], "limits")["width_mm"] == own.width_mm


def test_a_pdf_has_the_approved_size_and_every_language(scene, podium):
    for kind in ("limits", "odds", "rules"):
        answer = podium.get(f"{AT}{kind}.pdf")
        assert answer["Content-Type"] == "application/pdf"
        [page] = PdfDocument(answer.content)
        assert [round(side * 25.4 / 72) for side in page.get_size()] == [216, 279]
        text = page.get_textpage().get_text_range()
        assert "form 1 approved" in text and "BGO-S" in text
        if kind == "limits":
            assert "Minimum wager $10" in text and "Apuesta máxima $1,000" in text and "最低投注" in text
        if kind == "odds":
            assert "150 to 1" in text and "Total 4, 17" in text


@pytest.mark.clause("PA-521.6")
def test_the_display_shows_no_roll_that_was(scene, podium):
    scene.play((1, "small", 1_000), dice=[2, 5, 5])
    scene.finish()
    page = podium.get(AT).content.decode()
    for trace in ("2, 5, 5", "Two, five, five", "round", "Round", "histor", "trend"):
        assert trace not in page


# Who sees it


def test_a_display_at_the_table_needs_nobody_signed_in(scene):
    _, token = enroll("Sign of T-01", "larkfield", "sign", "larkfield/T-01")
    display = scene.browser(token)
    assert display.get("/").headers["Location"] == AT
    assert display.get("/sign-in").headers["Location"] == "/"
    assert display.get(AT).status_code == 200
    assert display.get("/floor/larkfield/T-01/screen/sign").json()["version"] == scene.version
    for closed in ("/floor/larkfield/T-01/", "/floor/larkfield/T-01/console", "/floor/larkfield/"):
        assert display.get(closed).status_code in (302, 403)


def test_a_display_shows_its_own_table_alone(scene):
    _, token = enroll("Sign elsewhere", "larkfield", "sign", "larkfield/T-09")
    assert scene.browser(token).get(AT).status_code == 403


def test_nobody_else_sees_it_signed_out(scene):
    assert scene.browser("podium").get(AT).status_code == 302


# The inspection


@pytest.mark.clause("PA-521.8(d)", "PA-625a.1(c)(3)-sign")
def test_an_odds_sign_without_an_approved_form_opens_no_table(db):
    scene = make_scene(opened=False)
    Approval.objects.filter(table=scene.table, subject="layout").update(prints=[])
    lines = {line["code"]: line["text"] for line in scene.snapshot["inspection_asks"]["lines"]}
    assert lines["odds-sign"] == "A sign at the table shows the odds. Form version 1, BGO-S-01."
    SignForm.objects.filter(kind="odds").update(status="withdrawn")
    with scene.refused("no-approved-sign", "58 Pa. Code § 521.8(d)"):
        scene.inspect()
    SignForm.objects.filter(kind="odds").update(status="approved")
    scene.inspect()
    assert scene.entry["_type"] == "table.inspected"
