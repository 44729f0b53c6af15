"""The acts of the office, one file a noun. Importing this registers them all."""

from . import (
    books,
    calendar,
    documents,
    game_tests,
    guides,
    providers,
    requests,
    services,
    signs,
    submissions,
)

__all__ = [
    "books",
    "calendar",
    "documents",
    "game_tests",
    "guides",
    "providers",
    "requests",
    "services",
    "signs",
    "submissions",
]
