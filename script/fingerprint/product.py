"""The few places of the product that are reached by name.

A module that moves gets its new name here, and nowhere else.
"""

import contextlib
import datetime as dt
import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Json = dict[str, Any]


class Product:
    """The few places of the product that are reached by name, each under every name that it has had."""

    SNAPSHOT = ("tables.screens.snapshot:of_table", "tables.snapshot:of_table")
    CLOCK = ("audit.clock:override", "audit.clock:at")
    TICKER = ("tables.ticker.ticker:Ticker", "tables.ticker:Ticker")
    SEALER = ("audit.sealing.sealer:Sealer",)

    @staticmethod
    def find(names: Sequence[str]) -> Any:
        """The first of these that exists, each `module:name`."""
        for name in names:
            module, _, attribute = name.partition(":")
            with contextlib.suppress(ModuleNotFoundError, AttributeError):
                return getattr(importlib.import_module(module), attribute)
        raise LookupError(f"none of {', '.join(names)} exists: add its new name to {__name__}")

    @classmethod
    def snapshot(cls, table_id: int) -> Json:
        """The snapshot of one table."""
        snapshot: Json = cls.find(cls.SNAPSHOT)(table_id)
        return snapshot

    @classmethod
    def clock_at(cls, now: Callable[[], dt.datetime]) -> contextlib.AbstractContextManager[None]:
        """Within it the product's clock says what `now` returns."""
        context: contextlib.AbstractContextManager[None] = cls.find(cls.CLOCK)(now)
        return context

    @classmethod
    def ticker(cls, monotonic: Callable[[], float]) -> Any:
        """The ticker: `tick()` does all the checks of one second."""
        return cls.find(cls.TICKER)(monotonic)

    @classmethod
    def sealer(cls, folder: Path) -> Callable[[], object]:
        """A sealer of this folder: each call seals the streams that changed."""
        sealer = cls.find(cls.SEALER)(folder)
        seal: Callable[[], object] = getattr(sealer, "seal", None) or sealer.second
        return seal
