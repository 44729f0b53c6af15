"""Sentences about limits and the rules that took effect; merged into `games.office.wording`."""

from typing import Any

TITLES: dict[str, Any] = {}
SENTENCES: dict[str, Any] = {}
