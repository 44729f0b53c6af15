"""The office's sentences for refusals, as each topic registers them in its own `words.py`.

A code that is registered twice is an error: one refusal has one sentence. `tables.words` merges them with the floor's.
"""

from collections.abc import Mapping

from games import jurisdictions
from games.engine import Refusal

TITLES: dict[str, str] = {}
SENTENCES: dict[str, str] = {}


def register(*, titles: Mapping[str, str], sentences: Mapping[str, str]) -> None:
    """Add one topic's titles and sentences. Raises ValueError for a code that another topic has registered."""
    for registered, added in ((TITLES, titles), (SENTENCES, sentences)):
        if repeated := registered.keys() & added.keys():
            raise ValueError(f"registered twice: {', '.join(sorted(repeated))}")
        registered.update(added)


def say(refusal: Refusal) -> str:
    """Return the refusal as a sentence."""
    sentence = SENTENCES.get(refusal.code)
    return sentence % refusal.params if sentence is not None else refusal.sentence


def title(refusal: Refusal) -> str:
    """Return the two or three words above the sentence."""
    words = TITLES.get(refusal.code)
    return words if words is not None else getattr(refusal.code, "heading", "") or "Not possible"


def short(cite: str) -> str:
    """Return a citation without its code: `§ 521.4(1)`; `19:47-8.4(f)` for New Jersey."""
    return jurisdictions.short(cite)
