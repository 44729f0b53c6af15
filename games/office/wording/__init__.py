"""The office's sentences: refusals and names, one file a noun. Merged into the floor's, which answers every act."""

from typing import Any

from games import wording as games_wording
from games.engine import Refusal

from . import calendar, documents, guides, limits, providers, requests, signs, submissions

PARTS = (calendar, documents, guides, limits, providers, requests, signs, submissions)
TITLES: dict[str, Any] = {code: text for part in PARTS for code, text in part.TITLES.items()}
SENTENCES: dict[str, Any] = {code: text for part in PARTS for code, text in part.SENTENCES.items()}


def say(refusal: Refusal) -> str:
    """The refusal as a sentence."""
    sentence = SENTENCES.get(refusal.code)
    return str(sentence) % refusal.params if sentence is not None else games_wording.say(refusal)


def title(refusal: Refusal) -> str:
    """Two or three words over the sentence."""
    found = TITLES.get(refusal.code)
    return str(found) if found is not None else games_wording.title(refusal)


def short(cite: str) -> str:
    """`§ 521.4(1)` of `58 Pa. Code § 521.4(1)`; New Jersey's `N.J.A.C. 19:47-8.4(f)` becomes `19:47-8.4(f)`."""
    return cite.replace("58 Pa. Code ", "").replace("N.J.A.C. ", "")
