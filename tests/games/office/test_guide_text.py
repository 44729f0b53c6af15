"""What the guide says in three languages: every odds that is filed, as it is filed, in words of our own."""

import io
import json
import os
import re
from pathlib import Path
from typing import get_args

import pypdfium2
import pytest
from reportlab.pdfgen.canvas import Canvas

from games.engine import Rules
from games.engine.game import DieColor
from games.engine.odds import SAID_FOR, Odds
from games.guide.content import GuideText, content_at, plan_of, winners
from games.guide.words import LANGUAGES, game_words, odds, odds_of_tiers, words
from games.models import Facility, Guide
from games.office.guides.pdf import DICE_COLORS, NOT_APPROVED, Dice, guide_pdf
from games.registry import parts
from tests.games.office.test_guide_acts import publish
from tests.tables.cast import approve

ROOT = Path(__file__).resolve().parents[3]
EDITIONS = ("pa-539", "nj-19-47-9", "pa-625a/A", "pa-625a/B", "pa-675a", "pa-675a.6", "pa-577")
PENNSYLVANIA = Facility(code="larkfield", name="Larkfield Casino", jurisdiction="PA")
NEW_JERSEY = Facility(code="seabright", name="Seabright", jurisdiction="NJ")


def guide_text(rules, language, house=PENNSYLVANIA):
    return GuideText(house, rules, plan_of(rules.edition.game, rules.edition.dice), language).text()


def texts(value):
    """Every text of a guide, and no figure of a drawing."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from texts(one)


@pytest.mark.parametrize("key", EDITIONS)
def test_every_row_of_the_paytable_stands_under_a_wager(key):
    rules = Rules.of(key)
    plan = plan_of(rules.edition.game, rules.edition.dice)
    shown = [row for entry in plan.entries for row in (*entry.pays, *(one.key for one in entry.rows))]
    assert sorted(shown) == sorted(rules.payouts)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", EDITIONS)
def test_every_odds_is_written_as_it_is_filed(key, language):
    rules = Rules.of(key)
    plan, guide = plan_of(rules.edition.game, rules.edition.dice), guide_text(rules, language)
    for entry, wager in zip(plan.entries, guide["wagers"], strict=True):
        pays = [rules.payouts[row].odds for row in entry.pays]
        whole = (
            odds_of_tiers(language, pays) if len(pays) > 1 else "".join(odds(language, one) for one in pays)
        )
        assert wager["pays"] == whole
        for row, said in zip(entry.rows, wager["rows"], strict=True):
            paid = rules.payouts[row.key].odds
            assert said["pays"] in (odds(language, paid), str(getattr(paid, "to", "")))


def test_odds_are_said_in_the_words_of_each_language():
    assert [odds(language, Odds(6, 1)) for language in LANGUAGES] == ["6 to 1", "6 a 1", "6比1"]
    tiers = [Odds(1), Odds(2), Odds(12)]
    assert [odds_of_tiers(language, tiers) for language in LANGUAGES] == [
        "1, 2 or 12 to 1",
        "1, 2 o 12 a 1",
        "1、2或12比1",
    ]


@pytest.mark.parametrize("key", EDITIONS)
def test_no_odds_is_said_with_the_word_that_means_other_money(key):
    for language in LANGUAGES:
        for text in texts(guide_text(Rules.of(key), language)):
            assert not SAID_FOR.search(text) and not re.search(r"\d\s+por\s+\d|\d\s*赔\s*\d", text), text


def test_a_changed_payout_changes_the_guide_in_every_language():
    rules = Rules.of("pa-539", {"two-dice": "6 to 1"})
    for language, said in zip(LANGUAGES, ("6 to 1", "6 a 1", "6比1"), strict=True):
        wager = next(entry for entry in guide_text(rules, language)["wagers"] if entry["dice"] == [2, 5])
        assert wager["pays"] == said


def test_the_examples_are_what_the_engine_pays():
    rules = Rules.of("pa-625a/B")
    assert [(code, str(pays)) for code, pays in winners(rules, ((2, 2, 5),))] == [
        ("two-of-a-kind:2", "11 to 1"),
        ("total:9", "7 to 1"),
        ("two-dice:2-5", "6 to 1"),
        ("small", "1 to 1"),
        ("one-of-a-kind:2", "2 to 1"),
        ("one-of-a-kind:5", "1 to 1"),
    ]
    said = guide_text(rules, "es")["examples"][0]["text"]
    assert "Total 9 (7 a 1)" in said and "Dos iguales al 2 (11 a 1)" in said and "Pequeño (1 a 1)" in said


def test_figures_of_the_submission_stand_where_they_belong():
    limited = Rules.of("pa-675a", None, 7_500_000)
    assert any("$75,000" in line for line in guide_text(limited, "en")["know"])
    assert any("75,000美元" in line for line in guide_text(limited, "zh")["know"])
    assert not any("at most" in line for line in guide_text(Rules.of("pa-675a"), "en")["know"])
    stepped = Rules.of("pa-577", increments={"defense": 500})
    assert any("$5 (Defense)" in line for line in guide_text(stepped, "en")["know"])
    assert any("30 minutes" in line for line in guide_text(limited, "en")["know"])
    assert not any("minutes" in line for line in guide_text(Rules.of("nj-19-47-9"), "en", NEW_JERSEY)["know"])


def test_the_order_of_the_steps_is_the_one_of_the_edition():
    shakes, closes = (guide_text(Rules.of(key), "en")["play"][1] for key in ("pa-625a/A", "pa-539"))
    assert shakes.index("shakes") < shakes.index("No more bets")
    assert closes.index("No more bets") < closes.index("shakes")
    pinned = Rules.of("pa-625a/A", shakers={"manual": ""})
    assert len(guide_text(pinned, "en")["know"]) + 1 == len(guide_text(Rules.of("pa-625a/A"), "en")["know"])


@pytest.mark.parametrize("language", ["es", "zh"])
def test_every_language_says_everything_with_the_same_figures(language):
    def shape(value):
        if isinstance(value, dict):
            return {key: shape(one) for key, one in value.items()}
        return (
            [shape(one) for one in value]
            if isinstance(value, list)
            else sorted(re.findall(r"{[^}]*}", value))
        )

    assert shape(words(language)) == shape(words("en"))
    plans = [(code, plan.text) for code, guide in parts("guide").items() for plan in guide.PLANS.values()]
    assert len(plans) >= 4
    for code, text in plans:
        assert shape(game_words(code, language, text)) == shape(game_words(code, "en", text)), (code, text)


@pytest.mark.clause("PA-521.9(b)", "NJ-19:47-8.5(b)-guide")
@pytest.mark.django_db
def test_the_print_says_what_the_page_says_in_every_language(hands, scene):
    for code, rules in (("RS-0021", "pa-675a"), ("RS-0022", "pa-675a.6"), ("RS-0031", "pa-577")):
        approve(scene.table.facility, rules, {}, None, code)
    guide = publish(scene)
    for language in LANGUAGES:
        printed = squeezed(text_of(guide_pdf(guide, language)))
        assert NOT_APPROVED.replace(" ", "") not in printed
        for game in guide.content["games"]:
            said = game["texts"][language]
            for text in texts(
                [said["title"], said["wagers"], said["play"], said["know"], said["layout"]["under"]]
            ):
                assert squeezed(text) in printed, text


@pytest.mark.clause("PA-521.9(c)", "NJ-19:47-8.5(c)-sample")
@pytest.mark.django_db
def test_the_print_of_a_guide_that_is_not_approved_says_so_on_every_page(hands, scene):
    content = content_at(scene.table.facility, hands.now)
    guide = Guide(facility=scene.table.facility, version=1, content=content)
    document = pypdfium2.PdfDocument(guide_pdf(guide, "es"))
    assert len(document) > 1
    assert all(NOT_APPROVED in page.get_textpage().get_text_bounded() for page in document)


def text_of(pdf):
    return "\n".join(page.get_textpage().get_text_bounded() for page in pypdfium2.PdfDocument(pdf))


def squeezed(text):
    return re.sub(r"\s", "", text).replace("\ufffe", "").replace("\xad", "")


RUN = 8  # words


def our_words():
    """Every text that patrons or the office read: the guide's files, the wording of refusals, pages and signs."""
    for folder, pattern in (
        ("games/guide/text", "en.toml"),
        ("games/catalog", "*/guide/en*.toml"),
        ("games/office", "**/*.py"),
        ("games", "wording.py"),
        ("games/catalog", "*/words.py"),
        ("games/guide", "*.py"),
        ("templates/games", "**/*.html"),
    ):
        yield from (ROOT / folder).glob(pattern)


def runs(text, length=RUN):
    found = re.findall(r"[a-z0-9]+", re.sub(r"<[^>]+>|{[{%][^}]*[%}]}", " ", text.lower()))
    return {" ".join(found[place : place + length]) for place in range(len(found) - length + 1)}


def test_a_quoted_run_of_words_would_be_found():
    assert runs("One two three four five six seven eight nine.") & runs(
        "TWO three, four five six seven eight nine"
    )
    assert not runs("one two three four five six seven") & runs("one two three four five six seven")


@pytest.mark.skipif(
    "PITSIDE_REGULATIONS" not in os.environ, reason="the texts of the regulations lie elsewhere"
)
def test_nothing_published_quotes_the_texts_of_the_regulations():
    texts = "\n".join(path.read_text() for path in Path(os.environ["PITSIDE_REGULATIONS"]).glob("*.txt"))
    quoted = runs(texts)
    found = {str(path.relative_to(ROOT)): sorted(runs(path.read_text()) & quoted) for path in our_words()}
    assert {path: one for path, one in found.items() if one} == {}


def test_a_guide_is_json_that_reads_back_the_same():
    content = guide_text(Rules.of("pa-577"), "zh")
    assert json.loads(json.dumps(content)) == content


def test_a_wager_that_is_stopped_is_in_no_list_no_example_and_pays_nothing_on_the_layout():
    rules = Rules.of("pa-625a/B")
    stopped = frozenset({"any-three-of-a-kind", "total:9"})
    text = GuideText(PENNSYLVANIA, rules, plan_of("sic-bo", 3), "en", stopped).text()
    assert "Any Three of a Kind" not in [one["name"] for one in text["wagers"]]
    assert "9" not in [row["label"] for row in text["wagers"][-1]["rows"]]
    assert not any("Total 9" in one["text"] for one in text["examples"])
    assert "31 to 1" not in list(texts(text["layout"]))


def test_a_die_of_any_color_is_drawn_on_the_page_and_in_the_pdf():
    style = (ROOT / "static" / "css" / "patrons.css").read_text("utf-8")
    colors = get_args(DieColor)
    assert [color for color in colors if f".die--{color} {{ fill: " not in style] == []
    assert len({DICE_COLORS[color][0].hexval() for color in colors}) == len(colors)
    canvas = Canvas(io.BytesIO())
    Dice([[(6, color) for color in colors]], 24).drawOn(canvas, 0, 0)
