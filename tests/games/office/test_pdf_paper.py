"""Papers: what stands on each page, fonts that travel with it, and that nothing is cut off or becomes a box."""

import ctypes
import datetime as dt
import functools
import io
from fractions import Fraction

import pypdfium2
import pypdfium2.raw as raw
import pytest
from fontTools.ttLib import TTFont, woff2
from reportlab.lib.pagesizes import A4, LETTER

from games.engine import Rules
from games.kit.paper import CHINESE, INTER, UNDRAWABLE, as_markup, fonts, render, styles, table, text
from games.models import Facility, RulesSubmission
from games.office.odds import curve, odds_sheet, odds_sheet_pdf
from games.office.pdf import approval_text
from games.office.submissions import compare
from games.office.submissions.compare import Change
from games.submissions import options_of_rules
from script import pdf_fonts

JERSEY = "nj-19-47-9"
APPROVED = "Approved 12 Oct 2026 by the Board, reference RS-77"


class Read:
    """A PDF as a reader sees it: its pages' words, its fonts, what its pages look like."""

    def __init__(self, content):
        self.file = pypdfium2.PdfDocument(io.BytesIO(content))
        self.meta = self.file.get_metadata_dict()
        self.pages = [page.get_textpage().get_text_bounded() for page in self.file]

    def words(self):
        """All text with one space for each stretch of white."""
        return " ".join(" ".join(self.pages).replace("\xa0", " ").split())

    def fonts(self):
        """Each font's name without the mark of its subset, and whether its bytes are in the file."""
        found = {}
        for page in self.file:
            for one in page.get_objects(filter=[raw.FPDF_PAGEOBJ_TEXT]):
                font = raw.FPDFTextObj_GetFont(one.raw)
                name = (ctypes.c_char * 99)()
                raw.FPDFFont_GetBaseFontName(font, name, 99)
                found[name.value.decode().rpartition("+")[2]] = bool(raw.FPDFFont_GetIsEmbedded(font))
        return found

    def edges(self):
        """For each page, how far in points its ink keeps from left, bottom, right and top."""
        for page in self.file:
            image = page.render(scale=1).to_pil().convert("L").point(lambda tone: 255 if tone < 250 else 0)
            left, top, right, bottom = image.getbbox()
            yield left, image.height - bottom, image.width - right, top


def paper(words="Words.", **how):
    given = {"title": "A paper", "facility_name": "Larkfield Casino", "approved": APPROVED, **how}
    return render([text(words, styles(given.get("language", "en"))["body"])], **given)


def long_table(language="en", rows=120):
    cells = [["Wager", "Pays"], *([f"Row {one}", f"{one} to 1"] for one in range(1, rows + 1))]
    return [table(cells, (3, 1), numbers=(1,), language=language)]


# Each page


def test_every_page_has_house_title_number_and_approval():
    read = Read(render(long_table(), title="Odds sheet", facility_name="Larkfield Casino", approved=APPROVED))
    assert len(read.pages) == 4
    for place, words in enumerate(read.pages, start=1):
        assert "Larkfield Casino" in words and "Odds sheet" in words and APPROVED in words
        assert f"{place} of 4" in words
        assert "Wager" in words  # the heading of the table stands again
    assert all(f"{one} to 1" in read.words() for one in range(1, 121))


@pytest.mark.parametrize(("language", "count"), [("en", "1 of 1"), ("es", "1 de 1"), ("zh", "1 / 1")])
def test_page_numbers_are_in_the_papers_language(language, count):
    assert count in Read(paper(language=language)).words()


def test_it_says_what_it_is_to_a_reader_that_cannot_see_it():
    read = Read(paper(title="Odds sheet, RS-0014", language="es"))
    assert (read.meta["Title"], read.meta["Author"]) == ("Odds sheet, RS-0014", "Larkfield Casino")
    assert b"/Lang (es)" in paper(language="es")


def test_the_same_story_gives_the_same_bytes():
    assert render(long_table(), title="T", facility_name="H", approved="A") == render(
        long_table(), title="T", facility_name="H", approved="A"
    )
    first = paper("骰子 35 to 1", language="zh")
    paper("other signs come between: 大小", language="zh")
    assert paper("骰子 35 to 1", language="zh") == first


@pytest.mark.parametrize("size", [LETTER, A4])
@pytest.mark.parametrize("landscape", [False, True])
def test_nothing_stands_outside_the_margins(size, landscape):
    content = render(
        long_table(),
        title="T" * 60,
        facility_name="H" * 60,
        approved="A" * 90,
        size=size,
        landscape=landscape,
    )
    for sides in Read(content).edges():
        assert min(sides) >= 20


# Fonts


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_font_travels_with_the_paper(language):
    found = Read(paper("Total 4 总点数 pays 60 to 1.", language=language)).fonts()
    assert found and all(found.values())
    assert {name.replace("PDF", "") for name in found} <= {
        "InterRegular",
        "InterSemiBold",
        "NotoSansSC-Regular",
    }


def test_chinese_with_latin_figures_is_drawn_and_can_be_read_again():
    said = "三同号的赔率是 150 to 1，骰子 “大” 与 “小” 《规则》 $5"
    for language in ("zh", "en", "es"):
        assert said.replace(" ", "") in Read(paper(said, language=language)).words().replace(" ", "")


def test_the_chinese_font_has_every_character_of_gb2312_and_latin_figures():
    codes = fonts()[CHINESE]
    places = [(row, cell) for row in range(0xB0, 0xD8) for cell in range(0xA1, 0xFA if row == 0xD7 else 0xFF)]
    level_1 = [bytes(place).decode("gb2312") for place in places]
    assert len(level_1) == 3755 and [one for one in level_1 if ord(one) not in codes] == []
    assert [
        one for one in "骰子0123456789ABCxyz，。！？；：“”‘’（）《》、…—$% " if ord(one) not in codes
    ] == []


def test_spanish_and_the_regulations_signs_are_in_inter():
    missing = [one for one in "áéíóúüñÁÉÍÓÚÑ¿¡«»§¶–—’“”−×·%$€" if ord(one) not in fonts()[INTER]]
    assert missing == []


def test_a_sign_that_no_font_has_becomes_its_plain_letter_or_a_question_mark():
    assert as_markup("Nguyễn", INTER) == "Nguyen"
    assert as_markup("dice 🎲", INTER) == f"dice {UNDRAWABLE}"


def test_what_looks_like_markup_is_only_text():
    assert "<b>bold</b> & <font color=red>" in Read(paper("<b>bold</b> & <font color=red>")).words()


# The odds sheet


def test_the_odds_sheet_says_every_figure_exactly():
    before, now = Rules.of(JERSEY), Rules.of(JERSEY, {"total:4": "60 to 1"})
    shown = odds_sheet(now, before, "version 4", "version 3")
    drawn = curve(now, "total:4", "Total 4", name="version 4", before=before, before_name="version 3")
    content = odds_sheet_pdf(
        shown, drawn, title="RS-0014 version 4", facility_name="Larkfield Casino", approved=APPROVED
    )
    read = Read(content)
    assert len(read.pages) == 1 and all(read.fonts().values())
    words = read.words()
    for row in shown.rows:
        assert row.label.split(",")[0] in words and row.advantage_exact in words
        assert row.advantage_text in words
        assert all(one.true_odds_text in words and str(one.pays) in words for one in row.levels)
    assert "15.28 %" in words and "11/72" in words and "What Total 4 can pay" in words
    assert "refused" in words and APPROVED in words


@pytest.mark.parametrize("key", ["pa-577", "pa-675a", "pa-675a.6", "pa-625a/B"])
def test_no_fraction_however_long_is_broken_or_cut(key):
    shown = odds_sheet(Rules.of(key))
    read = Read(
        odds_sheet_pdf(
            shown, None, title=key, facility_name="Larkfield Casino", approved="Draft, not approved"
        )
    )
    lines = " ".join(read.pages).replace("\xa0", " ")  # line feeds stay, so that a broken figure is not found
    for row in shown.rows:
        assert row.advantage_exact in lines
        assert shown.throws or all(one.chance_exact in lines for one in row.levels)
        assert row.advantage_text in lines and all(one.true_odds_text in lines for one in row.levels)
    for sides in read.edges():
        assert min(sides) >= 20


def ink(page, colour, near=30):
    """How many pixels of a page have about this colour."""
    wanted = [int(one, 16) for one in (colour[0:2], colour[2:4], colour[4:6])]
    seen = page.render(scale=1).to_pil().convert("RGB").getcolors(1 << 24)
    return sum(
        count
        for count, tone in seen
        if all(abs(one - want) < near for one, want in zip(tone, wanted, strict=True))
    )


def test_a_bar_that_favours_the_player_is_drawn_in_the_signal_colour():
    rules, edition = Rules.of(JERSEY), Rules.of(JERSEY).edition
    bad = Rules(edition, (("total:4", Rules.of(JERSEY, {"total:4": "80 to 1"}).payouts["total:4"].odds),))
    given = {"title": "T", "facility_name": "H", "approved": "A"}
    good_page = Read(odds_sheet_pdf(odds_sheet(rules), None, **given)).file[0]
    bad_page = Read(odds_sheet_pdf(odds_sheet(bad), None, **given)).file[0]
    assert ink(good_page, "a63a22") == 0
    assert ink(bad_page, "a63a22") > 40
    assert odds_sheet(bad).favored[0].advantage == Fraction(-1, 8)


# Approval, as each page says it

FILED, DECIDED = dt.datetime(2026, 10, 1, 15, tzinfo=dt.UTC), dt.datetime(2026, 10, 13, 1, tzinfo=dt.UTC)
LATER = dt.datetime(2026, 11, 2, 12, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"status": "draft"}, "Draft, not approved"),
        ({"status": "filed", "filed_at": FILED}, "Filed 1 Oct 2026, not approved"),
        (
            {"status": "withdrawn", "filed_at": FILED, "withdrawn_at": LATER},
            "Filed 1 Oct 2026, withdrawn 2 Nov 2026",
        ),
        (
            {
                "status": "approved",
                "filed_at": FILED,
                "decided_at": DECIDED,
                "decided_by": "the Board",
                "reference": "RS-77",
            },
            "Approved 12 Oct 2026 by the Board, reference RS-77",
        ),
        ({"status": "denied", "filed_at": FILED, "decided_at": DECIDED}, "Denied 12 Oct 2026"),
        (
            {"status": "superseded", "decided_at": DECIDED, "superseded_at": LATER},
            "Approved 12 Oct 2026, superseded from 2 Nov 2026",
        ),
        (
            {"status": "withdrawn", "decided_at": DECIDED, "withdrawn_at": LATER},
            "Approved 12 Oct 2026, withdrawn 2 Nov 2026",
        ),
    ],
)
def test_approval_is_stated_in_the_facilitys_days(given, said):
    assert approval_text(RulesSubmission(**given), Facility(time_zone="America/New_York")) == said


def test_the_latin_fonts_are_those_that_the_script_makes(tmp_path):
    for weight in pdf_fonts.WEIGHTS:
        made = tmp_path / f"{weight}.ttf"
        pdf_fonts.inter(weight).save(made)
        assert made.read_bytes() == (pdf_fonts.MADE / f"Inter-{weight}.ttf").read_bytes()


def test_a_browser_shows_every_chinese_character_that_a_pdf_shows(tmp_path, monkeypatch):
    quickly = functools.partial(
        woff2.brotli.compress, quality=1
    )  # smaller takes five seconds, and has the same characters
    monkeypatch.setattr(woff2.brotli, "compress", quickly)
    source = pdf_fonts.MADE / "NotoSansSC-Regular.ttf"
    written = tmp_path / "web.woff2"
    pdf_fonts.write_web_font(source, written)
    committed = TTFont(pdf_fonts.CHINESE_WEB_FONT).getBestCmap()
    assert TTFont(written).getBestCmap() == committed == TTFont(source).getBestCmap()
    assert {ord(sign) for sign in "小大最低投注"} <= committed.keys()


# The pages that give them


@pytest.fixture
def podium(scene):
    return scene.browser("podium", "games-administrator")


@pytest.mark.django_db
def test_the_sheet_of_a_what_if_says_that_nothing_was_filed(podium):
    answer = podium.get(
        "/office/larkfield/odds/sheet.pdf", {"rules": JERSEY, "family": "total:4", "odds": "80"}
    )
    assert answer["Content-Type"] == "application/pdf" and answer["X-Content-Type-Options"] == "nosniff"
    words = Read(answer.content).words()
    assert "Refused: Total 4 at 80 to 1 favors the player by 12.50 %" in words and "not filed" in words


@pytest.mark.django_db
def test_a_submission_on_paper_says_its_options_hash_dates_and_approval_on_each_page(scene, podium):
    row = RulesSubmission.objects.get()
    RulesSubmission.objects.filter(pk=row.pk).update(reference="L-42", decided_by="the Board")
    answer = podium.get(f"/office/larkfield/submissions/{row.code}/1.pdf")
    read = Read(answer.content)
    approved = scene.table.facility.local(row.decided_at)
    line = f"Approved {approved.day} {approved:%b %Y} by the Board, reference L-42"
    assert len(read.pages) == 2 and all(line in page for page in read.pages)
    words = read.words()
    for said in (
        row.terms_sha256,
        row.edition,
        "58 Pa. Code Chapter 625a, Paytable A",
        "In force from",
        "65/216",
    ):
        assert said in words
    assert all(read.fonts().values())


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (
            Rules.of(JERSEY, {"total:4": "60 to 1", "two-dice": "6 to 1"}, increments={"total": 500}),
            [
                "Payouts Total 4: 60 to 1; Two Dice Combination: 6 to 1",
                "Increments Total: $5",
                "50 60 to 1 15.28 % 11/72",
            ],
        ),
        (
            Rules.of("pa-675a", None, 5_000_000, shakers={"manual": "As filed on 1 October."}),
            [
                "Aggregate payout limit $50,000 for each player and round",
                "Shakers manual: As filed on 1 October.",
            ],
        ),
    ],
)
def test_every_option_stands_on_the_paper(rules, said):
    row = RulesSubmission(code="RS-0014", version=1, edition=rules.key, status="filed", filed_at=FILED)
    house = Facility(name="Larkfield Casino", time_zone="America/New_York")
    words = Read(
        compare.submission_pdf(row, options_of_rules(rules), odds_sheet(rules), None, house, LATER)
    ).words()
    assert [
        one for one in [*said, "filed, not decided", "Filed 1 Oct 2026, not approved"] if one not in words
    ] == []


@pytest.mark.django_db
def test_a_draft_on_paper_says_that_it_is_one_and_what_it_changes(scene, podium):
    row = RulesSubmission.objects.get()
    row.pk, row.version, row.status, row.options = None, 2, "draft", {"payouts": {}}
    row.edition, row.decided_at, row.filed_at, row.reference = "pa-625a@2019-08-31/B", None, None, ""
    row.why = "Paytable B asked for by the floor"
    row.save()
    read = Read(podium.get(f"/office/larkfield/submissions/{row.code}/2.pdf").content)
    assert all("Draft, not approved" in page for page in read.pages)
    words = read.words()
    assert "Changed since version 1" in words and "Total 4, payout 50 to 1 62 to 1 29.17 % 12.50 %" in words
    assert "Paytable B asked for by the floor" in words


def test_what_changed_is_named_on_paper_as_the_page_names_it():
    for what, wager, named in (("limit", "", "Payout limit"), ("payout", "Total 4", "Total 4, payout")):
        assert compare._change_title(Change(kind=what, wager=wager, old="1", new="2")) == named


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path", ["submissions/RS-0009/9.pdf", "submissions/none/1.pdf", "odds/sheet.pdf?rules=no"]
)
def test_a_paper_that_is_not_there_is_denied(podium, path):
    assert podium.get(f"/office/larkfield/{path}").status_code == 403
