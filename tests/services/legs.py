"""What this run of pytest has: which tests must be skipped here, and why."""

import pytest
from django.conf import settings


def has_postgres() -> bool:
    return settings.DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql"


def has_redis() -> bool:
    return "redis" in settings.CHANNEL_LAYERS["default"]["BACKEND"]


def skip_what_lacks(items: list[pytest.Item]) -> None:
    """Tests marked for a service that this run does not have; script/test tells which leg has it."""
    present = {"postgres": has_postgres(), "redis": has_redis()}
    for item in items:
        for service, here in present.items():
            if not here and item.get_closest_marker(service):
                item.add_marker(pytest.mark.skip(reason=f"needs {service}: script/test runs it"))


def unknown_clauses(items: list[pytest.Item], known: set[str]) -> list[str]:
    """One line for each clause id that stands in no catalogue."""
    return sorted(
        f"{item.nodeid} names an unknown clause: {name}"
        for item in items
        for mark in item.iter_markers("clause")
        for name in mark.args
        if name not in known
    )
