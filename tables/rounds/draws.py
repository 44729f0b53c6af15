"""Dice drawn by the machine, at training tables only. They stay on the layout until the trainee calls them."""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

Dice = tuple[int, ...]
_system = secrets.SystemRandom()


class Draws:
    """Draws the dice of a throw. `draws` is the only instance; tests set its throws with `showing`."""

    def __init__(self) -> None:
        self._shown: Iterator[Dice] | None = None

    def dice(self, count: int, faces: int) -> Dice:
        """Draw `count` faces from 1 to `faces` with the system's randomness, in the order in which they are shown."""
        if self._shown is not None:
            return next(self._shown)
        return tuple(_system.randint(1, faces) for _ in range(count))

    @contextmanager
    def showing(self, *throws: Sequence[int]) -> Iterator[None]:
        """For tests: inside the block the throws of every thread show these faces, one throw after the other."""
        before, self._shown = self._shown, iter([tuple(dice) for dice in throws])
        try:
            yield
        finally:
            self._shown = before


draws = Draws()
showing = draws.showing
