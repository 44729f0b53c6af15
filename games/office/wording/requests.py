"""Sentences about new games and their tests; merged into `games.office.wording`."""

from typing import Any

TITLES: dict[str, Any] = {}
SENTENCES: dict[str, Any] = {}
