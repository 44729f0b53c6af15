"""Sentences about guides, rules books and § 521.6; merged into `games.office.wording`."""

from typing import Any

TITLES: dict[str, Any] = {}
SENTENCES: dict[str, Any] = {}
