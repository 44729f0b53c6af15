"""The desk's tests share the floor's scene and its clock."""

from tests.tables.conftest import committed, hands, scene

__all__ = ["committed", "hands", "scene"]
