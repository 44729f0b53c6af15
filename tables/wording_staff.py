"""Sentences about staff; merged into `tables.wording`."""

from collections.abc import Callable
from typing import Any

TITLES: dict[str, Any] = {}

SENTENCES: dict[str, Any] = {}

ACT_LINES: dict[str, Callable[[dict[str, Any]], str]] = {}
