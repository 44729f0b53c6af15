"""The pages of requests and tests, and a request on paper."""

import datetime as dt
import re

import pypdfium2 as pdfium
import pytest

from games.models import Document, GameRequest
from tests.games.office import test_game_tests as of_tests
from tests.games.office.test_game_tests import shore
from tests.games.office.test_requests import PARTS, complete, decide, draft, file, put
from tests.markup import one_line

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause
assert shore

HOME = "/office/larkfield/requests/"


def words(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page)).strip()


def see(scene, path: str = "", by: str = "games-administrator") -> str:
    answer = scene.browser("podium", by).get(HOME + path)
    assert answer.status_code == 200, path
    return one_line(answer.content.decode())


def on_paper(scene, request: str) -> list[str]:
    """The words of each page of the PDF, as one line."""
    answer = scene.browser("podium", "gaming-agent").get(f"{HOME}{request}.pdf")
    assert answer["Content-Type"] == "application/pdf"
    assert answer["Content-Disposition"] == f'attachment; filename="larkfield-{request}.pdf"'
    pages = pdfium.PdfDocument(answer.content)
    return [re.sub(r"\s+", " ", page.get_textpage().get_text_range()) for page in pages]


def test_the_list_tells_each_state_and_what_it_waits_for(hands, scene):
    draft(scene, title="Alpha")
    file(scene, complete(scene, title="Beta"))
    page = words(see(scene))
    assert "NG-0001 Alpha new game draft 9 parts are missing" in page
    assert "NG-0002 Beta new game filed Decision of the Executive Director review ends 6 Dec 2026" in page


def test_a_request_is_found_by_its_title_or_its_code(scene):
    for title in ("Alpha", "Beta"):
        draft(scene, title=title)
    assert re.findall(r"NG-\d{4}</a>", see(scene, "?q=bet")) == ["NG-0002</a>"]
    assert re.findall(r"NG-\d{4}</a>", see(scene, "?q=ng-0001")) == ["NG-0001</a>"]
    assert "No request matches." in see(scene, "?q=%00gamma")


def test_the_page_of_a_filed_request_keeps_what_the_tabs_say_of_deadlines(hands, scene):
    request = complete(scene)
    file(scene, request)
    hands.now += dt.timedelta(days=16)
    page = see(scene, f"{request}/")
    assert "review ends 6 Dec 2026" in page
    assert '<span class="due due--over">1 overdue</span>' in page


@clause("PA-521.4")
def test_the_file_shows_what_is_there_and_names_what_is_missing(scene):
    request = complete(scene, "layout", "reasons")
    page = see(scene, f"{request}/")
    assert "2 parts are missing" in page and "7 of 9 required parts are complete." in words(page)
    missing = re.findall(r'part-row--missing">.*?<h3>([^<]+)</h3>', page, re.DOTALL)
    assert missing == ["Layout", "Reasons"]
    assert len(re.findall(r'class="act big next"[^>]*data-open="part-layout"', page)) == 1
    assert page.count("part-row--there") == 7
    for part in ("layout", "reasons"):
        put(scene, request, part, PARTS[part])
    assert re.search(r'class="act big next"[^>]*data-open="file-request"', see(scene, f"{request}/"))


@clause("PA-521.4(1)(ii)")
def test_the_odds_sheet_stands_in_the_file_as_it_was_filed(scene):
    request = complete(scene, rules="pa-625a/A", wagers=["total"], kind="wager")
    assert "Calculated now" in see(scene, f"{request}/")
    file(scene, request)
    page = words(see(scene, f"{request}/"))
    assert "As filed." in page
    told = page[page.index("Odds sheet exact") : page.index("As filed.")]
    assert told.index("71 to 1") < told.index("50 to 1") < told.index("29.17")
    assert "Three of a Kind" not in told


@pytest.mark.parametrize(
    ("by", "acts"), [("compliance", True), ("gaming-agent", False), ("pit-manager", False)]
)
def test_others_read_a_request_and_change_nothing(scene, by, acts):
    request = complete(scene)
    page = see(scene, f"{request}/", by)
    assert ("data-open=" in page) is acts and ("<dialog" in page) is acts
    assert ("data-open=" in see(scene, "", by)) is acts


@pytest.mark.parametrize("path", ["", "NG-0001/", "NG-0001.pdf", "NG-0001/tests/1/"])
def test_a_dealer_sees_nothing_of_it(scene, path):
    draft(scene)
    assert scene.browser("tablet", "dealer").get(HOME + path).status_code == 403


@pytest.mark.parametrize("path", ["NG-0404/", "NG-0404.pdf", "NG-0001/tests/7/"])
def test_what_is_not_there_is_refused(scene, path):
    draft(scene)
    assert scene.browser("podium", "compliance").get(HOME + path).status_code == 403


def test_whatever_people_typed_stays_words(scene):
    evil = "<script>alert(1)</script>'\"&amp;"
    request = draft(scene, title=evil, named=evil)
    put(scene, request, "play", {"text": f"{evil}\n{evil}"})
    put(scene, request, "property", {"right": "patent", "name": evil, "number": evil})
    page = see(scene, f"{request}/") + see(scene)
    assert "<script>alert" not in page and "&lt;script&gt;alert" in page
    assert any("<script>alert" in page for page in on_paper(scene, request))


@clause("PA-521.4", "PA-521.4(1)", "PA-521.4(2)", "PA-521.4(3)", "PA-521.4(4)")
def test_the_paper_holds_every_part_its_figures_and_the_hash_of_each_document(hands, scene):
    request = complete(scene, rules="pa-625a/A", wagers=["total", "one-of-a-kind"])
    assert "Draft, not approved" in on_paper(scene, request)[0]
    file(scene, request)
    decide(scene, request)
    pages = on_paper(scene, request)
    whole = " ".join(pages)
    assert all("Approved 21 Nov 2026 by The Executive Director, reference ED-7" in page for page in pages)
    for said in (
        "NG-0001 Double Sic Bo",
        "Request for a new game",
        "Three dice are shaken twice. The second shake counts double.",
        "58 Pa. Code § 521.4(1)(iii)",
        "Variation of an authorized game: Sic Bo",
        "Patrons ask for a longer round.",
        "Offered nowhere else.",
        "None, neither granted nor pending.",
        "29.17",
        "215 to 1",
    ):
        assert said in whole, said
    flat = whole.replace(" ", "")
    codes = {code for part in stored(request).parts.values() for code in part.get("documents", [])}
    hashes = Document.objects.filter(code__in=codes).values_list("sha256", flat=True)
    assert len(hashes) == 3 and all(one in flat for one in hashes)


def test_a_game_of_many_throws_is_in_landscape(scene):
    request = complete(scene, rules="pa-675a")
    answer = scene.browser("podium", "compliance").get(f"{HOME}{request}.pdf")
    width, height = pdfium.PdfDocument(answer.content)[0].get_size()
    assert width > height


@clause("NJ-19:47-8.4(g)-gate", "NJ-19:47-8.4(f)2.v")
def test_new_jerseys_file_shows_conditions_tests_and_what_was_asked(shore):
    request = of_tests.filed(shore, "other")
    asked = {"request": request, "body": "The Division", "what": "Video of a round", "on": "2026-11-20"}
    shore.in_office("record_further_request", asked)
    shore.in_office("record_suitability", {"request": request, "on": "2026-11-20"})
    shore.in_office("record_costs", {"request": request, "on": "2026-11-20", "amount": "12,400.50"})
    of_tests.draft(shore, request=request)
    page = words(see(shore, f"{request}/"))
    assert "3 of 4 conditions are open" in page and "review ends" not in page
    assert "Found suitable for casino use Done: determined on 20 Nov 2026 19:47-8.4(g)1" in page
    assert "Costs paid in full Open: $12,400.50 open 19:47-8.4(g)4" in page
    assert "Video of a round The Division, 20 Nov 2026 open" in page
    assert "Test 1 21 Nov 2026 to 20 Dec 2026 draft" in page
    assert "$5,000, paid on 20 Nov 2026" in page and "Not required." in page


@clause("NJ-19:47-8.4(f)2.iii")
def test_the_test_shows_its_sign_and_its_missing_parts(shore):
    names = of_tests.draft(shore, "forms")
    page = see(shore, f"{names['request']}/tests/1/")
    assert "1 part is missing" in words(page)
    assert page.count('<figure class="entrance">') == 2
    assert "On test at South Pier from 21 November 2026 to 20 December 2026, T-01, T-02." in page


def stored(request: str) -> GameRequest:
    return GameRequest.objects.get(code=request)
