"""The acts of the office, one file a noun. Importing this registers them all."""

from . import (
    applications,
    books,
    calendar,
    documents,
    final_approval,
    game_tests,
    guides,
    people,
    permissions,
    providers,
    requests,
    services,
    signs,
    submissions,
)

__all__ = [
    "applications",
    "books",
    "calendar",
    "documents",
    "final_approval",
    "game_tests",
    "guides",
    "people",
    "permissions",
    "providers",
    "requests",
    "services",
    "signs",
    "submissions",
]
