"""The pages of rules submissions: what is in force, what waits, and one version whole."""

import datetime as dt

import pytest

from games.models import RulesSubmission
from tests.games.office.test_submissions_acts import P539, WHY, decide, drafted, filed, named

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause
LIST, ONE = "/office/larkfield/submissions/", "/office/larkfield/submissions/RS-0009/"


def read(scene, address, by="games-administrator"):
    answer = scene.browser("podium", by).get(address)
    assert answer.status_code == 200, answer.status_code
    return " ".join(answer.content.decode().split())


def test_the_list_says_what_is_in_force_where_it_is_dealt_and_what_waits(hands, scene):
    drafted(scene)
    page = read(scene, LIST)
    assert "Version 1 in force" in page and "dealt at T-01" in page and "Version 2, a draft" in page
    scene.in_office("file_submission", named())
    assert "Version 2 filed" in read(scene, LIST)
    decide(scene, in_force_from="2026-12-01T06:00")
    assert "in force from 1 Dec 2026 06:00" in read(scene, LIST)


def test_every_version_shows_its_approval_date_with_its_letter(hands, scene):
    filed(scene)
    decide(scene)
    hands.now += dt.timedelta(days=400)
    page = read(scene, ONE)
    assert "Approved 21 Nov 2026 10:00" in page and "letter D-0001" in page
    old = read(scene, f"{ONE}1/")
    assert "superseded 21 Nov 2026 10:00" in old and "<b>Approved 22 Oct 2026" in old
    assert "Not approved" not in page + old
    drafted(scene)
    assert "<b>Not approved</b>" in read(scene, ONE)


def test_a_draft_shows_the_findings_of_the_gate_with_figures_and_remedies(hands, scene):
    drafted(scene, P539, payouts=[{"family": "total:4", "odds": "80"}])
    page = read(scene, ONE)
    assert "Refused: Total 4 at 80 to 1" in page
    assert "It wins in 3 of 216 throws: 71 to 1 would be even, and 70 to 1 leaves the house 1.39 %." in page
    assert "Set Total 4 to 70 to 1" in page and "File version 2" not in page
    assert "Changed since version 1" in page and "<del>50 to 1</del> 80 to 1" in page


def test_the_page_lists_what_the_gate_checked_and_what_it_does_not(hands, scene):
    drafted(scene, P539, payouts=[{"family": "total:4", "odds": "70"}])
    page = read(scene, ONE)
    for words in (
        "Refused: Lapsed edition",
        "lapsed on 3 Apr 2012. Choose a newer edition, or write in the options why it may still be dealt.",
        "rows pays less than its floor; 1 pay more.",
        "These rules set none, so none is checked",
        "none favors the player. The smallest is 1.39 %, Total 4.",
        "Whether the layout, the signs, the guide and the equipment agree with these rules",
    ):
        assert words in page
    scene.in_office("change_draft", {**named(), "edition": P539, "lapsed_why": WHY})
    page = read(scene, ONE)
    assert "Refused:" not in page and f"The casino recorded why it may be dealt: {WHY}" in page
    assert f"<dd><span>{WHY}</span></dd>" in page


def test_an_under_the_floor_draft_still_has_its_page(hands, scene):
    drafted(scene, P539, payouts=[{"family": "total:4", "odds": "40"}, {"family": "small", "odds": "lots"}])
    page = read(scene, ONE)
    assert "Total 4 at 40 to 1 is below its floor. File 50 to 1 or more." in page
    assert "Small: lots is not readable as odds." in page


@clause("PA-10-591-expiry")
@clause("PA-10-591-effective")
def test_the_page_says_since_when_the_text_is_in_force_and_that_it_lapsed(hands, scene):
    drafted(scene, P539)
    page = read(scene, ONE)
    assert "text from 3 Apr 2010" in page and "lapsed 3 Apr 2012" in page
    assert "chapter from 19 May 2012, text from 31 Aug 2019" in read(scene, f"{ONE}1/")


@clause("PA-521.7(d)")
def test_options_are_shown_as_they_were_chosen(hands, scene):
    filed(scene, odds_word="wins", increments=[{"family": "total", "cents": 500}],
          shakers=[{"kind": "manual", "procedure": "Three shakes.", "named": True}])  # fmt: skip
    page = read(scene, ONE)
    assert "as 1 wins 6" in page and "Total $5" in page and "Three shakes." in page
    digest = RulesSubmission.objects.get(version=2).terms_sha256
    assert digest in page


@pytest.mark.parametrize("by", ["gaming-agent", "pit-manager"])
def test_others_who_may_look_have_no_buttons(hands, scene, by):
    for address in (LIST, ONE):
        page = read(scene, address, by)
        assert "data-open" not in page and "<dialog" not in page


def test_what_is_not_there_is_no_page(scene):
    podium = scene.browser("podium", "games-administrator")
    assert podium.get("/office/larkfield/submissions/RS-0777/").status_code in (403, 404)
    assert podium.get(f"{ONE}9/").status_code in (403, 404)
    assert scene.browser("podium", "dealer").get(LIST).status_code in (403, 404)
