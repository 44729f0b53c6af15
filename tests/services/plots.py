"""The marks of a plot, for tests of its geometry."""

from typing import TypeVar

from games.kit.plots import Mark, Plot

MarkT = TypeVar("MarkT", bound=Mark)


def marks_of(plot: Plot, sort: type[MarkT], kind: str | None = None) -> list[MarkT]:
    """The marks of a sort in their order, of one kind or of all."""
    return [mark for mark in plot.marks if isinstance(mark, sort) and kind in (None, mark.kind)]
