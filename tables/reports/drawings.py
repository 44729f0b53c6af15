"""The drawings of the daily report in the PDF, from the same geometry as on the page."""

from reportlab.platypus import Flowable

from games.kit.paper import DIM, FAINT, INTER, STOP
from tables.reports.charts import BAR_HEIGHT, BAR_WIDTH, Bar, HourChart, Whisker

BAR_POINTS, BAND_POINTS = 84, 180


class _RowDrawing(Flowable):  # type: ignore[misc]  # reportlab has no types
    """A drawing beside one row, in the box of a bar."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width, self.height = width, 12.0
        self.across, self.down = width / BAR_WIDTH, 12.0 / BAR_HEIGHT

    def wrap(self, available_width: float, available_height: float) -> tuple[float, float]:
        return self.width, self.height

    def _line(self, x: str, top: float, foot: float) -> None:
        position = float(x) * self.across
        self.canv.line(position, self.height - top * self.down, position, self.height - foot * self.down)


class BarDrawing(_RowDrawing):
    """A bar from zero."""

    def __init__(self, bar: Bar) -> None:
        super().__init__(BAR_POINTS)
        self.bar = bar

    def draw(self) -> None:
        canvas, bar = self.canv, self.bar
        canvas.setFillColor(STOP if bar.is_loss else DIM)
        canvas.rect(float(bar.x) * self.across, 3, float(bar.width) * self.across, 6, stroke=0, fill=1)
        canvas.setLineWidth(0.6)
        canvas.setStrokeColor(DIM)
        self._line(bar.zero, -4, BAR_HEIGHT + 4)


class WhiskerDrawing(_RowDrawing):
    """The band, a line at the expected win, a dot at the actual win."""

    def __init__(self, mark: Whisker) -> None:
        super().__init__(BAND_POINTS)
        self.mark = mark

    def draw(self) -> None:
        canvas, mark = self.canv, self.mark
        canvas.setFillColor(FAINT)
        canvas.rect(
            float(mark.band_x) * self.across, 2.5, float(mark.band) * self.across, 7, stroke=0, fill=1
        )
        canvas.setStrokeColor(DIM)
        canvas.setLineWidth(1.2)
        self._line(mark.expected, 1, BAR_HEIGHT - 1)
        canvas.setFillColor(STOP if mark.is_outside else DIM)
        canvas.circle(float(mark.won) * self.across, self.height / 2, 2.6, stroke=0, fill=1)


class HourChartDrawing(Flowable):  # type: ignore[misc]  # reportlab has no types
    """Rounds by hour, drawn as on the page: pixels from the top become points from the bottom."""

    def __init__(self, chart: HourChart, width: float) -> None:
        super().__init__()
        self.chart, self.width, self.scale = chart, width, width / chart.size[0]
        self.height = chart.size[1] * self.scale

    def wrap(self, available_width: float, available_height: float) -> tuple[float, float]:
        return self.width, self.height

    def draw(self) -> None:
        canvas, chart, scale = self.canv, self.chart, self.scale
        canvas.setFont(INTER, 8)
        canvas.setLineWidth(0.4)
        canvas.setStrokeColor(FAINT)
        canvas.setFillColor(DIM)
        for line in chart.grid:
            y = self.height - float(line.y) * scale
            canvas.line(chart.left_edge * scale, y, chart.right_edge * scale, y)
            canvas.drawRightString((chart.left_edge - 8) * scale, y - 2.5, line.label)
        for bar in chart.bars:
            foot = self.height - chart.foot * scale
            x, wide = float(bar.x) * scale, float(bar.width) * scale
            if bar.rounds:
                canvas.rect(x, foot, wide, float(bar.height) * scale, stroke=0, fill=1)
            if bar.label:
                y = self.height - chart.label_y * scale
                canvas.drawCentredString(float(bar.middle) * scale, y, bar.label)
