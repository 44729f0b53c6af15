"""Lines of the record, as each package registers them in its own `words.py`.

An entry type that is registered twice is an error: it has one line.
"""

from collections.abc import Callable, Mapping
from typing import Any

ActLine = Callable[[dict[str, Any]], str]
ParamWords = Callable[[dict[str, Any]], dict[str, Any]]

ACT_LINES: dict[str, ActLine] = {}
PARAM_WORDS: list[ParamWords] = []


def register(*, act_lines: Mapping[str, ActLine], params: ParamWords | None = None) -> None:
    """Add one package's lines by entry type. `params` turns codes among a refusal's parameters into words.

    Raises ValueError for an entry type that another package has registered.
    """
    if repeated := ACT_LINES.keys() & act_lines.keys():
        raise ValueError(f"registered twice: {', '.join(sorted(repeated))}")
    ACT_LINES.update(act_lines)
    if params is not None:
        PARAM_WORDS.append(params)
