import pytest

from tests.tables.cast import Scene, make_scene


@pytest.fixture
def scene(db) -> Scene:
    """A live table under § 625a, Paytable A, with a manual shaker: open, a dealer at it, no round yet."""
    return make_scene()
