"""Declarations of the entries of the record: one `EntryType` for each type, in the package that writes it.

An entry's `data` is declared once, as a TypedDict. Writers build it through the entry type, so that mypy checks them;
`record.append` refuses an undeclared type. `manage.py reference entries` and the JSON Schemas of an export bundle are
generated from these declarations (`audit.entry_schemas`).

A field's meaning is declared with it (`Annotated[int, "…"]`), or in `audit.entry_fields` if it is the same in all
entries.
"""

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

NAME = re.compile(r"[a-z][a-z0-9_-]*(?:\.[a-z][a-z0-9_-]*)+")
D = TypeVar("D", bound=Mapping[str, Any])

ENTRY_TYPES: dict[str, "EntryType[Any]"] = {}


class EntryBody(NamedTuple):
    """The content that a writer appends to the record: the name of the entry type, and the data."""

    type: str
    data: dict[str, Any]


@dataclass(frozen=True)
class EntryType(Generic[D]):
    """One type of entry: its stable dotted name, the TypedDict of its data, and one sentence for auditors."""

    name: str
    data: type[D]
    about: str
    module: str  # that declares it

    def __call__(self, data: D) -> EntryBody:
        """Return the data as an entry of this type. mypy checks the data against the declaration."""
        return EntryBody(self.name, dict(data))

    def of(self, data: Mapping[str, Any]) -> EntryBody:
        """The same for data put together from parts, which mypy cannot check. Tests check it at run time."""
        return EntryBody(self.name, dict(data))


def entry_type(name: str, data: type[D], about: str, *, of_caller: int = 1) -> EntryType[D]:
    """Declare a type of entry. Raises ValueError for a name that is not dotted, or is declared already.

    `of_caller`: how many calls above this one the module is that declares it.
    """
    if not NAME.fullmatch(name):
        raise ValueError(f"no dotted name: {name!r}")
    if name in ENTRY_TYPES:
        raise ValueError(f"declared twice: {name}")
    declared = EntryType(name, data, about, sys._getframe(of_caller).f_globals["__name__"])
    ENTRY_TYPES[name] = declared
    return declared
