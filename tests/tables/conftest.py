"""A scene that is ready, and a clock whose hands a test may move."""

import datetime as dt
from collections.abc import Iterator

import pytest

from audit import clock
from tests.tables.cast import Scene, make_scene


@pytest.fixture
def scene(db) -> Scene:
    """A live table under § 625a, Paytable A, with a manual shaker: open, a dealer at it, no round yet."""
    return make_scene()


@pytest.fixture
def committed(transactional_db) -> Scene:
    """The same, as other threads and sockets see it."""
    return make_scene()


class Hands:
    """The hands of the clock: `hands.now` is the moment of every act."""

    def __init__(self, now: dt.datetime) -> None:
        self.now = now

    def __call__(self) -> dt.datetime:
        return self.now


@pytest.fixture
def hands() -> Iterator[Hands]:
    """It is 10:00 in the morning of 21 November 2026 on the casino's clocks, until the test moves them."""
    hands = Hands(dt.datetime(2026, 11, 21, 15, tzinfo=dt.UTC))
    with clock.override(hands):
        yield hands
