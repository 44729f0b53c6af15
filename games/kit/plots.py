"""Plots: a few marks on a plane of pixels, from the top left. A page draws them as SVG, paper with the same marks.

What a mark looks like is its kind: a class of the style sheet on a page, an ink of `paper.py` on paper. A plot that is
stretched fills its cell; its lines keep their width (`vector-effect` in the style sheet).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

Amount: TypeAlias = float | Fraction
LETTER, LINE = 7.4, 16  # width of a figure and height of a line of text, 13 pixels high
BAR_BOX = (240, 20)
BAR_MARGIN = 5  # free pixels at both ends of a bar's box


@dataclass(frozen=True)
class Line:
    """A straight line."""

    x1: float
    y1: float
    x2: float
    y2: float
    kind: str = ""

    def svg(self) -> str:
        """As an element of SVG."""
        return _element("line", self.kind, x1=self.x1, x2=self.x2, y1=self.y1, y2=self.y2)


@dataclass(frozen=True)
class Rect:
    """A rectangle. `title` is what it says when a pointer rests on it."""

    x: float
    y: float
    width: float
    height: float
    kind: str = ""
    title: str = ""

    def svg(self) -> str:
        """As an element of SVG."""
        inside = f"<title>{conditional_escape(self.title)}</title>" if self.title else None
        return _element("rect", self.kind, inside, x=self.x, y=self.y, width=self.width, height=self.height)


@dataclass(frozen=True)
class Circle:
    """A circle; its radius is in points on paper, so that a small plot has no smaller dots."""

    x: float
    y: float
    radius: float
    kind: str = ""
    on_paper: float = 2.6

    def svg(self) -> str:
        """As an element of SVG."""
        return _element("circle", self.kind, cx=self.x, cy=self.y, r=self.radius)


@dataclass(frozen=True)
class Path:
    """A line through points, or the area within them."""

    points: Sequence[tuple[float, float]]
    kind: str = ""
    is_closed: bool = False

    def svg(self) -> str:
        """As an element of SVG."""
        along = "L".join(f"{px(x)} {px(y)}" for x, y in self.points)
        return _element("path", self.kind, d=f"M{along}{'Z' if self.is_closed else ''}")


@dataclass(frozen=True)
class Text:
    """A text at a place; `anchor` is the SVG's word for where the place is in it, `below` how far its foot is below."""

    x: float
    y: float
    text: str
    kind: str = ""
    anchor: str = ""
    below: float = 0

    def svg(self) -> str:
        """As an element of SVG."""
        more = {"dy": self.below} if self.below else {}
        anchor = {"text_anchor": self.anchor} if self.anchor else {}
        return _element(
            "text", self.kind, conditional_escape(self.text), x=self.x, y=self.y, **more, **anchor
        )


@dataclass(frozen=True)
class Sign:
    """A sign of the page's set, such as a die; paper has none."""

    x: float
    y: float
    size: int
    name: str
    kind: str = ""

    def svg(self) -> str:
        """As an element of SVG."""
        size = self.size
        return _element("use", self.kind, href=f"#{self.name}", x=self.x, y=self.y, width=size, height=size)


Mark: TypeAlias = Line | Rect | Circle | Path | Text | Sign


@dataclass(frozen=True)
class Plot:
    """Marks with the size of their plane, and the plot in words; "" for one that only repeats the figure beside it.

    `is_stretched`: it fills the room that it gets. `left` and `top` are where its plane begins.
    """

    width: float
    height: float
    marks: Sequence[Mark]
    css_class: str = ""
    words: str = ""
    code: str = ""  # names the words as the plot's title, which also shows where a pointer rests
    is_stretched: bool = False
    is_sized: bool = False  # whether the page shows it at this size
    left: float = 0
    top: float = 0
    paper_width: float = 84  # points on paper, beside a row

    def svg(self) -> SafeString:
        """The plot as SVG."""
        box = " ".join(map(_number, (self.left, self.top, self.width, self.height)))
        attributes = {"viewBox": box}
        if self.css_class:
            attributes = {"class": self.css_class, **attributes}
        if self.is_sized:
            attributes |= {"width": _number(self.width), "height": _number(self.height)}
        if self.is_stretched:
            attributes["preserveAspectRatio"] = "none"
        if self.code:
            attributes |= {"role": "img", "aria-labelledby": self.code}
        else:
            attributes |= {"role": "img", "aria-label": self.words} if self.words else {"aria-hidden": "true"}
        named = "".join(f' {name}="{conditional_escape(value)}"' for name, value in attributes.items())
        marks = "\n".join(mark.svg() for mark in self.marks)
        if self.code:
            marks = f'<title id="{self.code}">{conditional_escape(self.words)}</title>{marks}'
        return mark_safe(f"<svg{named}>{marks}</svg>")  # every text in it is escaped


def px(position: float) -> str:
    """Return a position in pixels with one decimal."""
    return f"{position:.1f}"


def _number(position: float) -> str:
    return str(position) if isinstance(position, int) else px(position)


def _element(_tag: str, _kind: str, _inside: str | None = None, **attributes: float | str) -> str:
    """An element of SVG; only `_inside` may be markup."""
    written = [f'class="{_kind}"'] if _kind else []
    for name, value in attributes.items():
        text = value if isinstance(value, str) else _number(value)
        written.append(f'{name.replace("_", "-")}="{text}"')
    start = f"<{_tag} {' '.join(written)}"
    return f"{start}/>" if _inside is None else f"{start}>{_inside}</{_tag}>"


# Scales and labels


@dataclass(frozen=True)
class Scale:
    """Turns amounts into pixels: `low` is at `first`, `high` at `last`."""

    low: Amount
    high: Amount
    first: float
    last: float

    def __call__(self, amount: Amount) -> float:
        return self.first + self.length(amount - self.low)

    def length(self, amount: Amount) -> float:
        """The pixels of a difference between two amounts."""
        return (self.last - self.first) * float(amount / ((self.high - self.low) or 1))


def round_steps(least: int) -> Iterator[int]:
    """Yield `least` times 1, 2, 5, 10, 20, 50 and so on: the steps of a grid that people can read."""
    while True:
        yield from (least, 2 * least, 5 * least)
        least *= 10


def grid_amounts(low: float, high: float, most: int) -> list[int]:
    """Return round amounts between two amounts in cents, zero among them if it is between, at most so many."""
    step = next(step for step in round_steps(100) if (high - low) // step < most)
    first = -(-int(low) // step)
    return [step * number for number in range(first, int(high) // step + 1)]


def grid(lines: Sequence[tuple[float, str]], zero_y: float, left: float, right: float) -> Iterator[Mark]:
    """Yield the lines of a grid, each (y, text) with its text at the left edge."""
    for y, text in lines:
        yield Line(left, y, right, y, "zero" if y == zero_y else "rule")
        yield Text(0, y, text, below=4)


def apart(ys: Sequence[float], lowest: float, line: float = LINE) -> list[float]:
    """Return the heights of labels, given from the top down, moved apart so that none covers another."""
    moved = list(ys)
    for below in range(1, len(moved)):
        moved[below] = max(moved[below], moved[below - 1] + line)
    limit = lowest
    for place in reversed(range(len(moved))):
        moved[place] = min(moved[place], limit)
        limit = moved[place] - line
    return [round(y, 1) for y in moved]


# Drawings beside the figures of a row


def bars(values: Sequence[int]) -> list[Plot]:
    """Draw a bar for each value, from zero, on one scale."""
    scale = _beside_rows([0, *values])
    return [
        Plot(
            *BAR_BOX,
            [
                _zero(scale),
                Rect(
                    min(scale(0), scale(value)), 5, scale.length(abs(value)), 10,
                    "report-loss" if value < 0 else "",
                ),
            ],
            "report-bar",
            is_stretched=True,
        )
        for value in values
    ]  # fmt: skip


@dataclass(frozen=True)
class Band:
    """What was expected, how far from it is not unusual, and what was. `is_outside`: it is farther."""

    expected: Fraction
    half: Fraction | int
    value: int
    is_outside: bool


def whiskers(bands: Sequence[Band]) -> list[Plot]:
    """Draw each band with a line at what was expected and a dot at what was, on one scale."""
    ends: list[Fraction | int] = [0]
    for band in bands:
        ends += [band.expected - band.half, band.expected + band.half, band.value]
    scale = _beside_rows(ends)
    return [
        Plot(*BAR_BOX, _whisker(band, scale), "report-bar", is_stretched=True, paper_width=180)
        for band in bands
    ]


def _whisker(band: Band, scale: Scale) -> list[Mark]:
    expected, value = scale(band.expected), scale(band.value)
    return [
        _zero(scale),
        Rect(scale(band.expected - band.half), 4, scale.length(2 * band.half), 12, "report-band"),
        Line(expected, 1, expected, 19, "report-expected"),
        Line(value, 10, value, 10, "report-dot report-dot--out" if band.is_outside else "report-dot"),
    ]


def _beside_rows(values: Sequence[Fraction | int]) -> Scale:
    return Scale(min(values), max(values), BAR_MARGIN, BAR_BOX[0] - BAR_MARGIN)


def _zero(scale: Scale) -> Line:
    return Line(scale(0), -300, scale(0), 300, "report-zero")  # through all rows of the table


def parts(width: int, *lengths: tuple[float, int, int, str]) -> Plot:
    """Draw parts of a width as bars, each (length, y, height, kind), beside the figures of a row."""
    marks = [Rect(0, y, float(length), height, kind) for length, y, height, kind in lengths]
    return Plot(width, 14, marks, is_stretched=True)


def sigma_band(sigmas: float, words: str) -> Plot:
    """Draw a band of two standard deviations on either side, with a mark at so many."""
    return Plot(
        6,
        10,
        [
            Line(-3, 5, 3, 5, "sigma-axis"),
            Line(-2, 5, 2, 5, "sigma-range"),
            Line(0, 0, 0, 10, "sigma-mid"),
            Line(float(sigmas), 5, float(sigmas), 5, "sigma-win"),
        ],
        "sigma-band",
        words,
        is_stretched=True,
        left=-3,
    )
