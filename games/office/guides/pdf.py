"""The gaming guide as a PDF in one language, drawn only from the guide's frozen content."""

from collections.abc import Iterable, Mapping
from typing import Any

from reportlab.lib.colors import HexColor
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, KeepTogether, PageBreak, Spacer

from games.guide.content import approval_of, is_approved
from games.guide.content_types import GameText, GuideExample, GuideLayout, GuideRow, GuideWager
from games.guide.words import TAGS, day, words
from games.kit.paper import BOLD, CHINESE, INK, INTER, content_size, render, styles, table, text
from games.models import Guide

FELT, IVORY = HexColor("#0b211a"), HexColor("#f4ecda")
IVORY_2 = HexColor("#c9c6b2")
# The color of a die and of its pips, by its `DieColor`; "" where all dice are alike
DICE_COLORS: Mapping[str, tuple[HexColor, HexColor]] = {
    "": (FELT, IVORY),
    "amber": (HexColor("#e0a83a"), FELT),
    "black": (HexColor("#1b1b1b"), IVORY),
    "blue": (HexColor("#24568f"), IVORY),
    "green": (HexColor("#1d6b46"), IVORY),
    "purple": (HexColor("#5e3a86"), IVORY),
    "red": (HexColor("#9c2f22"), IVORY),
    "white": (HexColor("#c4bdab"), FELT),
}
PIPS = {
    1: ((12, 12),),
    2: ((7, 7), (17, 17)),
    3: ((7, 7), (12, 12), (17, 17)),
    4: ((7, 7), (17, 7), (7, 17), (17, 17)),
    5: ((7, 7), (17, 7), (12, 12), (7, 17), (17, 17)),
    6: ((7, 7), (17, 7), (7, 12), (17, 12), (7, 17), (17, 17)),
}
NOT_APPROVED = "Sample, not approved: not for patrons"
LAYOUT_WIDTH = 330.0  # points


def guide_pdf(guide: Guide, language: str) -> bytes:
    """Return the guide in one of its languages. Each page names its approval, or says that it is a sample."""
    story: list[Flowable] = []
    for place, game in enumerate(guide.content["games"]):
        story += [PageBreak()] if place else []
        story += PrintedGame(game["texts"][language], language).story()
    return render(
        story,
        title=str(words(language)["guide"]),
        facility_name=str(guide.content["house"]["name"]),
        approved=approval_line(guide, language),
        language=TAGS[language],
    )


def approval_line(guide: Guide, language: str) -> str:
    """Return the text at the foot of each page."""
    first = approval_of(guide)
    if not is_approved(guide) or first.decided_at is None:
        return NOT_APPROVED
    common = words(language)
    params = {
        "version": guide.version,
        "other": first.version,
        "day": day(language, guide.facility.local(first.decided_at).date()),
    }
    return (
        str(common["approved_under" if guide.same_as else "approved"].format(**params)) + f" {common['help']}"
    )


class PrintedGame:
    """One game of the printed guide."""

    def __init__(self, content: GameText, language: str) -> None:
        self.content, self.language, self.look = content, language, styles(language)
        self.common = words(language)

    def story(self) -> list[Flowable]:
        """Return the game from its title to the notes."""
        content, look = self.content, self.look
        return [
            text(content["title"], look["title"]),
            text(content["variant"], look["dim"]),
            Spacer(1, 8),
            text(content["lead"], look["body"]),
            text(self.common["examples"], look["heading"]),
            *[part for example in content["examples"] for part in self._example(example)],
            text(self.common["bets"], look["heading"]),
            *self._wagers(),
            KeepTogether(
                [
                    text(self.common["layout"], look["heading"]),
                    Layout(content["layout"], self.language),
                    Spacer(1, 4),
                    text(content["layout"]["under"], look["dim"]),
                ]
            ),
            text(self.common["play"], look["heading"]),
            *(text(f"{place}. {step}", look["body"]) for place, step in enumerate(content["play"], start=1)),
            text(self.common["know"], look["heading"]),
            *(text(f"– {note}", look["body"]) for note in content["know"]),
        ]

    def _example(self, example: GuideExample) -> list[Flowable]:
        rows = [
            [
                (face, color)
                for face, color in zip(throw, example["colours"] or [""] * len(throw), strict=True)
            ]
            for throw in example["throws"]
        ]
        caption = text(example["text"], self.look["body"])
        return [KeepTogether([Dice(rows, 20), Spacer(1, 4), caption])]

    def _wagers(self) -> Iterable[Flowable]:
        """Return a table for each group of wagers, with the rows of a wager below it."""
        rows: list[list[Any]] = []
        group = ""
        for bet in self.content["wagers"]:
            if bet["group"] != group and rows:
                yield self._table(rows)
                rows = []
            if bet["group"] != group:
                group = bet["group"]
                yield text(group, self.look["strong"])
            name = f"{bet['name']}\n{bet['printed']}" if bet["printed"] else bet["name"]
            rows.append([text(name, self.look["strong"]), bet["what"], bet["pays"]])
            rows += self._rows(bet)
        if rows:
            yield self._table(rows)

    def _rows(self, bet: GuideWager) -> Iterable[list[Any]]:
        if bet["squares"]:
            yield ["", Squares(bet["rows"], self.language), ""]
            return
        for row in bet["rows"]:
            dice = Dice([[(face, "") for face in row["dice"]]], 12) if row["dice"] else None
            label = row["label"]
            yield ["", dice if dice and label == str(row["dice"][0]) else label, row["pays"]]

    def _table(self, rows: list[list[Any]]) -> Flowable:
        return table(rows, (27, 53, 20), language=self.language, numbers=(2,), head=0)


class Dice(Flowable):
    """Rows of dice, each with its color."""

    def __init__(self, rows: list[list[tuple[int, str]]], size: float) -> None:
        super().__init__()
        self.rows, self.size = rows, size

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        return width, len(self.rows) * (self.size + 4)

    def draw(self) -> None:
        for down, row in enumerate(self.rows):
            top = (len(self.rows) - down) * (self.size + 4) - 2
            for place, (face, color) in enumerate(row):
                die(self.canv, face, place * (self.size + 5), top, self.size, *DICE_COLORS[color])


class Squares(Flowable):
    """Totals with their payouts below, seven in a row."""

    def __init__(self, rows: list[GuideRow], language: str) -> None:
        super().__init__()
        self.rows, self.fonts = rows, _fonts(language)
        self.width = 0.0

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        self.width = width
        return width, 26.0 * -(-len(self.rows) // 7)

    def draw(self) -> None:
        step, lines = self.width / 7, -(-len(self.rows) // 7)
        for place, row in enumerate(self.rows):
            down, column = divmod(place, 7)
            middle, top = step * (column + 0.5), 26.0 * (lines - down)
            self.canv.setFillColor(INK)
            self.canv.setFont(self.fonts[0], 8)
            self.canv.drawCentredString(middle, top - 9, row["label"])
            self.canv.setFont(self.fonts[1], 9)
            self.canv.drawCentredString(middle, top - 20, row["pays"])


class Layout(Flowable):
    """The drawing of a layout, with the same shapes as on the page."""

    def __init__(self, drawing: GuideLayout, language: str) -> None:
        super().__init__()
        self.drawing, self.fonts = drawing, _fonts(language)
        self.scale = min(LAYOUT_WIDTH, content_size()[0]) / drawing["width"]

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        return self.scale * self.drawing["width"], self.scale * self.drawing["height"]

    def draw(self) -> None:
        self.canv.scale(self.scale, self.scale)
        tall = self.drawing["height"]
        for kind, *of in self.drawing["shapes"]:
            if kind == "rect":
                self.canv.setFillColor(FELT)
                self.canv.roundRect(of[0], tall - of[1] - of[3], of[2], of[3], 3, stroke=0, fill=1)
            elif kind == "circle":
                self.canv.setFillColor(FELT)
                self.canv.circle(of[0], tall - of[1], of[2], stroke=0, fill=1)
            elif kind == "line":
                self.canv.setStrokeColor(IVORY_2)
                self.canv.line(of[0], tall - of[1], of[2], tall - of[3])
            elif kind == "die":
                die(self.canv, of[0], of[1], tall - of[2], of[3], IVORY, FELT)
            else:
                self._text(of[0], tall - of[1], of[2], of[3])

    def _text(self, x: float, y: float, words: str, kind: str) -> None:
        big = kind.endswith("big")
        self.canv.setFillColor(INK if kind.startswith("ink") else IVORY if big else IVORY_2)
        self.canv.setFont(self.fonts[big], 12 if big else 11)
        self.canv.drawCentredString(x, y, words)


def die(canvas: Canvas, face: int, x: float, top: float, size: float, fill: HexColor, pips: HexColor) -> None:
    """Draw a die of this size whose upper left corner is at x, top."""
    unit = size / 24
    canvas.setFillColor(fill)
    canvas.roundRect(x + unit, top - 23 * unit, 22 * unit, 22 * unit, 5 * unit, stroke=0, fill=1)
    canvas.setFillColor(pips)
    for across, down in PIPS[face]:
        canvas.circle(
            x + across * unit, top - down * unit, (3.2 if face == 1 else 2.3) * unit, stroke=0, fill=1
        )


def _fonts(language: str) -> tuple[str, str]:
    """Return the regular and the bold font of a language."""
    return (CHINESE, CHINESE) if language == "zh" else (INTER, BOLD)
