"""The office's tests stand on the floor's scene."""

from tests.tables.conftest import committed, hands, scene

__all__ = ["committed", "hands", "scene"]
