"""Sentences of the floor, as each package registers them in its own `words.py`.

A code that is registered twice is an error: one refusal has one sentence, one entry type one line.
"""

from collections.abc import Callable, Mapping
from typing import Any

ActLine = Callable[[dict[str, Any]], str]
ParamWords = Callable[[dict[str, Any]], dict[str, Any]]

TITLES: dict[str, str] = {}
SENTENCES: dict[str, str] = {}
ACT_LINES: dict[str, ActLine] = {}
PARAM_WORDS: list[ParamWords] = []


def register(
    *,
    titles: Mapping[str, str] | None = None,
    sentences: Mapping[str, str] | None = None,
    act_lines: Mapping[str, ActLine] | None = None,
    params: ParamWords | None = None,
) -> None:
    """Add one package's words. `params` turns codes among a refusal's parameters into words.

    Raises ValueError for a code that another package has registered.
    """
    for registered, added in ((TITLES, titles), (SENTENCES, sentences), (ACT_LINES, act_lines)):
        words: Mapping[str, Any] = added or {}
        if repeated := registered.keys() & words.keys():
            raise ValueError(f"registered twice: {', '.join(sorted(repeated))}")
        registered.update(words)
    if params is not None:
        PARAM_WORDS.append(params)
