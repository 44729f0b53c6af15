"""Lines of the record, as each topic registers them beside its entry types; and what leaves nothing to do for an act.

An entry type that is registered twice is an error: it has one line.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from audit.entry_types import ACT_LINES, ActLine, EntryType
from audit.refusals import RefusalCode

D = TypeVar("D", bound=Mapping[str, Any])
ParamWords = Callable[[dict[str, Any]], dict[str, Any]]

PARAM_WORDS: list[ParamWords] = []
# By the code of a refusal, the names of the entries that left nothing to do for the act that it refuses.
OVERTAKEN_BY: dict[str, set[str]] = {}


def line(entry_type: EntryType[D], words: Callable[[D], str]) -> tuple[str, ActLine]:
    """The line about entries of this type, for `register`; `words` gets the data as the type declares it."""
    return entry_type.name, words  # type: ignore[return-value]  # read from the record, so its type is not proven


def register(*, act_lines: Iterable[tuple[str, ActLine]], params: ParamWords | None = None) -> None:
    """Add one package's lines by entry type. `params` turns codes among a refusal's parameters into words.

    Raises ValueError for an entry type that another package has registered.
    """
    lines = dict(act_lines)
    if repeated := ACT_LINES.keys() & lines.keys():
        raise ValueError(f"registered twice: {', '.join(sorted(repeated))}")
    ACT_LINES.update(lines)
    if params is not None:
        PARAM_WORDS.append(params)


def overtaken_by(refusal: RefusalCode, *entries: EntryType[Any]) -> None:
    """Declare that an act so refused came too late, if another screen has made one of these entries.

    The loser of two screens then reads who did what on the other one (`tables.views.acts`).
    """
    OVERTAKEN_BY.setdefault(refusal, set()).update(entry.name for entry in entries)
