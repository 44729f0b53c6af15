"""The chart of the daily report: its settled rounds by hour."""

from collections.abc import Sequence

from games.engine.odds import in_dollars
from games.kit.plots import Line, Mark, Plot, Rect, Scale, Text, round_steps
from tables.reports.figures import HourFigures

WIDTH, HEIGHT = 960, 236
LEFT, RIGHT, TOP, FOOT = 58, 952, 26, 190
GAP = 6
MAX_STEPS = 4


def hour_chart(hours: Sequence[HourFigures], labels: Sequence[str]) -> Plot:
    """Chart the settled rounds of each hour. Every third hour has a label, so that labels do not touch on a tablet."""
    most_rounds = max((hour.figures.settled for hour in hours), default=0)
    step = next(step for step in round_steps(1) if most_rounds <= MAX_STEPS * step)
    top = max(step, -(-most_rounds // step) * step)
    y_of, room = Scale(0, top, FOOT, TOP), (RIGHT - LEFT) / (len(hours) or 1)
    marks: list[Mark] = []
    for rounds in range(0, top + 1, step):
        y = y_of(rounds)
        marks += [
            Line(LEFT, y, RIGHT, y, "report-grid"),
            Text(LEFT - 10, y, f"{rounds:,}", anchor="end", below=6),
        ]
    described = []
    for place, (hour, label) in enumerate(zip(hours, labels, strict=True)):
        rounds, x, y = hour.figures.settled, LEFT + place * room, y_of(hour.figures.settled)
        marks.append(Rect(x + GAP / 2, y, room - GAP, FOOT - y))
        if rounds:
            marks.append(Text(x + room / 2, y - 5, f"{rounds:,}", "report-count", "middle"))
            win = in_dollars(hour.figures.win_cents)
            described.append(f"{label}: {rounds:,} round{'' if rounds == 1 else 's'}, win {win}")
        if place % 3 == 0:
            marks.append(Text(x + room / 2, FOOT + 24, label, anchor="middle"))
    words = f"Rounds by hour. {'; '.join(described) or 'None was settled'}."
    return Plot(WIDTH, HEIGHT, marks, "report-plot", words, "plot-t")
