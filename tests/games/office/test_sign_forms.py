"""The forms of the signs in the office: what a wording may say, and the way to an approval."""

import json

import pytest

from audit.models import Entry
from games.engine import Refusal
from games.models import SignForm
from games.office import pdf, signs

pytestmark = pytest.mark.django_db
FORM = {"kind": "limits", "location": "Left of the dealer", "width_mm": 300, "height_mm": 200}


def draft(scene, **changed):
    return scene.in_office("draft_sign_form", {**FORM, "en": "From {min} to {max}", **changed}).body


def decide(scene, form, granted=True):
    decision = {"granted": granted, "body": scene.table.facility.law.body("signs"), "reference": "BGO-77"}
    return scene.in_office("decide_sign_form", {**decision, "form": form, "letter": scene.on_file()})


def approved(scene, **changed):
    form = draft(scene, **changed)["form"]
    scene.in_office("file_sign_form", {"form": form})
    decide(scene, form)
    return SignForm.objects.get(pk=form)


def newest(type_):
    return json.loads(bytes(Entry.objects.filter(type=type_).latest("pk").body))["data"]


@pytest.mark.clause("PA-521.8(d)")
def test_a_form_is_approved_by_the_body_that_the_regulation_names(scene):
    form = draft(scene)["form"]
    scene.in_office("file_sign_form", {"form": form})
    letter = {"form": form, "granted": True, "reference": "K-1", "letter": scene.on_file()}
    with pytest.raises(Refusal, match="another-body-decides") as refused:
        scene.in_office("decide_sign_form", {**letter, "body": "Kitchen"})
    assert refused.value.section == "58 Pa. Code § 521.8(d)"
    scene.in_office("decide_sign_form", {**letter, "body": "Bureau of Gaming Operations"})


@pytest.mark.clause("PA-521.8(d)")
def test_a_form_is_in_force_only_once_its_place_size_and_wording_are_approved(scene):
    house = scene.table.facility
    before = signs.in_force(house, "limits", "sic-bo")
    form = draft(scene)["form"]
    assert signs.in_force(house, "limits", "sic-bo") == before
    scene.in_office("file_sign_form", {"form": form})
    assert signs.in_force(house, "limits", "sic-bo") == before
    decide(scene, form)
    current = signs.in_force(house, "limits", "sic-bo")
    assert (current.pk, current.location, current.width_mm, current.height_mm) == (
        form,
        "Left of the dealer",
        300,
        200,
    )
    assert (current.reference, current.decision.code) == ("BGO-77", "D-0001")
    data = newest("sign_form.decided")
    assert (data["kind"], data["version"], data["granted"]) == ("limits", 2, True)
    assert data["letter"]["document"] == "D-0001"


@pytest.mark.clause("PA-521.8(d)")
def test_a_denied_form_never_stands(scene):
    SignForm.objects.all().delete()
    form = draft(scene)["form"]
    scene.in_office("file_sign_form", {"form": form})
    decide(scene, form, granted=False)
    with pytest.raises(Refusal) as refused:
        signs.verify_form(scene.table.facility, "limits", "sic-bo")
    assert (refused.value.code, refused.value.section) == ("no-approved-sign", "58 Pa. Code § 521.8(d)")


def test_nothing_is_decided_before_it_is_filed(scene):
    form = draft(scene)["form"]
    with pytest.raises(Refusal) as refused:
        decide(scene, form)
    assert refused.value.code == "not-filed"


def test_a_withdrawn_form_takes_the_versions_before_it_along(scene):
    form = approved(scene)
    scene.in_office("withdraw_sign_form", {"form": form.pk, "why": "New address"})
    assert signs.in_force(scene.table.facility, "limits", "sic-bo") is None
    assert set(SignForm.objects.filter(kind="limits").values_list("status", flat=True)) == {"withdrawn"}
    assert newest("sign_form.withdrawn")["why"] == "New address"


def test_a_form_of_a_game_goes_first_there_alone(scene):
    own = approved(scene, game="sic-bo")
    house = scene.table.facility
    assert signs.in_force(house, "limits", "sic-bo") == own
    assert signs.in_force(house, "limits", "high-roll").game == ""
    assert own.version == 1


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"en": ""}, "sign-says-nothing"),
        ({"en": "From {min}"}, "sign-placeholder-missing"),
        ({"en": "From {min} to {max} at {time}"}, "sign-placeholder-unknown"),
        ({"en": "{min} {max} {from}"}, "sign-placeholder-unknown"),
        ({"en": "{min} {max} {"}, "sign-braces"),
        ({"en": "{min} {max} {Min}"}, "sign-braces"),
        ({"es": "Desde {min}"}, "sign-placeholder-missing"),
        ({"kind": "payout-limit", "en": "The most is much"}, "sign-placeholder-missing"),
        ({"kind": "limits-change", "en": "{new_min} {new_max}"}, "sign-placeholder-missing"),
        ({"width_mm": 49}, "malformed"),
        ({"height_mm": 3_001}, "malformed"),
        ({"kind": "menu"}, "malformed"),
        ({"game": "roulette"}, "malformed"),
        ({"location": ""}, "malformed"),
    ],
)
def test_a_form_that_cannot_be_is_refused_in_words(scene, changed, code):
    count = SignForm.objects.count()
    with pytest.raises(Refusal) as refused:
        draft(scene, **changed)
    assert refused.value.code == code
    assert "%(" not in refused.value.sentence
    assert SignForm.objects.count() == count


@pytest.mark.clause("PA-539.6(a)-for", "PA-625a.6(c)")
@pytest.mark.parametrize(
    "text", ["Triples pay 150 for 1", "One wins 8 FOR 1", "150-for-1", "Un trío paga 150 por 1", "围骰1赔150"]
)
def test_no_sign_states_odds_with_for(scene, text):
    with pytest.raises(Refusal) as refused:
        draft(scene, kind="odds", en=text)
    assert refused.value.code == "odds-said-for"
    assert draft(scene, kind="odds", en="Triples pay 150 to 1")["version"] == 2


def test_a_filled_wording_has_its_lines_and_a_dash_for_what_is_not_known():
    assert signs.fill_wording("From {min}\n\n to {max} ", {"min": "$10"}) == ["From $10", "to –"]


@pytest.mark.parametrize("by", ["dealer", "floorperson", "shift-manager", "gaming-agent"])
def test_others_draft_no_form(scene, by):
    with pytest.raises(Refusal) as refused:
        scene.in_office("draft_sign_form", {**FORM, "en": "{min} {max}"}, by=by)
    assert refused.value.code == "role-may-not"


@pytest.mark.parametrize(("width", "height"), [(50, 50), (216, 279), (600, 100), (100, 900)])
def test_a_sign_keeps_within_its_sheet_whatever_its_size(width, height):
    texts = [("en", ["Minimum wager $10", "Maximum wager $1,000"]), ("zh", ["最低投注 $10"])]
    rows = [("Any Three of a Kind", "150 to 1"), ("One of a Kind", "1 to 1 · 2 to 1 · 3 to 1")]
    lines = pdf.sign_lines(pdf.SignSheet("", texts, rows, "approved 12 Jan 2026", width, height))
    assert all(0 < line.size < line.y < height and 0 <= line.x <= width for line in lines)
    feet = [line.y for line in lines if line.anchor != "end"]
    assert feet == sorted(feet)


def test_the_page_shows_each_kind_with_its_form_and_what_waits(scene):
    draft(scene, kind="test", en="A new game is tested here")
    page = scene.browser("podium", "games-administrator").get("/office/larkfield/signs/").content.decode()
    assert page.count('class="sign-form"') == 6 and "A new game is tested here" in page
    assert 'data-open="file-sign"' in page and 'data-open="withdraw-sign"' in page
    read = scene.browser("podium", "gaming-agent").get("/office/larkfield/signs/").content.decode()
    assert "data-open=" not in read and "Maximum wager $1,000" in read
