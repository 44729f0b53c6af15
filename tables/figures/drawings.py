"""The plots of a page of figures in its PDF, from the same geometry as on the page.

Pixels from the top become points from the bottom.
"""

from reportlab.platypus import Flowable

from games.office.pdf.paper import BOLD, DIM, FAINT, INK, INTER
from tables.figures.period_plots import FRAME, PeriodPlot
from tables.figures.plots import LEFT, TEXT_HEIGHT, BandPlot, Label

MAX_FONT_SIZE = 9.0  # points
DASHES, DOTS = (4, 3), (1, 3)


class _PlotDrawing(Flowable):
    """A plot of some pixels, scaled to a width in points."""

    def __init__(self, pixels: tuple[int, int], width: float) -> None:
        super().__init__()
        self.scale = width / pixels[0]
        self.width, self.height = width, pixels[1] * self.scale

    def wrap(self, available_width: float, available_height: float) -> tuple[float, float]:
        return self.width, self.height

    def _y(self, pixels: float) -> float:
        return self.height - pixels * self.scale

    def _line(self, x1: float, y1: float, x2: float, y2: float, dashes: tuple[int, ...] = ()) -> None:
        self.canv.setDash(*dashes)
        self.canv.line(x1 * self.scale, self._y(y1), x2 * self.scale, self._y(y2))
        self.canv.setDash()

    def _label(self, label: Label) -> None:
        canvas = self.canv
        is_strong = label.kind == "strong"
        canvas.setFillColor(INK if is_strong else DIM)
        canvas.setFont(BOLD if is_strong else INTER, min(MAX_FONT_SIZE, TEXT_HEIGHT * self.scale))
        draw = {
            "start": canvas.drawString,
            "middle": canvas.drawCentredString,
            "end": canvas.drawRightString,
        }[label.anchor]
        draw(label.x * self.scale, self._y(label.y), _drawable(label.text))

    def _grid(self, grid: tuple[Label, ...], left: float, right: float) -> None:
        for line in grid:
            self.canv.setLineWidth(0.5)
            self.canv.setStrokeColor(DIM if line.kind == "zero" else FAINT)
            self._line(left, line.y, right, line.y)
            self._label(Label(0, line.y + 4, line.text))


def _drawable(text: str) -> str:
    """Return a text of the page without what the fonts of the paper lack: σ and the narrow space."""
    return text.replace("σ", "s.d.").replace("\u202f", " ")


class BandPlotDrawing(_PlotDrawing):
    """The win in its band, with its labels and its note."""

    def __init__(self, plot: BandPlot, width: float) -> None:
        super().__init__((plot.size.width, plot.size.height), width)
        self.plot = plot

    def draw(self) -> None:
        canvas, plot = self.canv, self.plot
        canvas.setFillColor(FAINT)
        self._path(plot.band, stroke=0, fill=1)
        self._grid(plot.grid, LEFT, plot.right_edge)
        canvas.setStrokeColor(DIM)
        for lot in plot.lots:
            self._line(lot.x, 4, lot.x, plot.foot, DOTS)
        canvas.setLineWidth(0.8)
        canvas.setDash(*DASHES)
        self._path(plot.expected)
        canvas.setDash()
        canvas.setStrokeColor(INK)
        canvas.setLineWidth(1.2)
        self._path(plot.win)
        canvas.setFillColor(INK)
        canvas.circle(plot.end_x * self.scale, self._y(plot.end_y), 2.6, stroke=0, fill=1)
        if plot.note:
            canvas.setLineWidth(0.6)
            self._line(plot.note.x, plot.note.line_from, plot.note.x, plot.note.line_to)
        notes = plot.note.texts if plot.note else ()
        for label in (*plot.ends, *plot.ticks, *notes, *(text for lot in plot.lots for text in lot.texts)):
            self._label(label)

    def _path(self, drawn: str, stroke: int = 1, fill: int = 0) -> None:
        """Draw a path of `tables.figures.plots`: a first point after `M`, the others after `L`, `Z` if it is closed."""
        path = self.canv.beginPath()
        for place, point in enumerate(drawn.strip("MZ").split("L")):
            x, y = map(float, point.split())
            (path.lineTo if place else path.moveTo)(x * self.scale, self._y(y))
        if drawn.endswith("Z"):
            path.close()
        self.canv.drawPath(path, stroke=stroke, fill=fill)


class PeriodPlotDrawing(_PlotDrawing):
    """Bars by hour, day or month, with the casino's target as a line."""

    def __init__(self, plot: PeriodPlot, width: float) -> None:
        super().__init__((plot.width, plot.height), width)
        self.plot = plot

    def draw(self) -> None:
        canvas, plot = self.canv, self.plot
        self._grid(plot.grid, *FRAME)
        canvas.setFillColor(DIM)
        for bar in plot.bars:
            foot = self._y(bar.y + bar.height)
            width, height = bar.width * self.scale, bar.height * self.scale
            canvas.rect(bar.x * self.scale, foot, width, height, stroke=0, fill=1)
        if plot.target_y is not None:
            canvas.setStrokeColor(INK)
            canvas.setLineWidth(0.8)
            self._line(FRAME[0], plot.target_y, FRAME[1], plot.target_y, DASHES)
        for tick in plot.ticks:
            self._label(tick)
