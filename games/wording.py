"""Every reason of the engine as a sentence. (Refusals carry theirs: `games/engine/refusals.py`.)

The words of a single game are in its folder, `games/catalog/*/words.py`, under the same names.
"""

from collections import ChainMap
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from games import registry
from games.engine import Reason

Key = TypeVar("Key")
Words = TypeVar("Words")


REASONS = {
    "no-roll": "No roll: the wager goes back",
    "void": "The round is void: the wager goes back",
    "device-failed": "The device failed before the dice were seen: the wager goes back",
    "shaker-failed": "The shaker failed: the wager goes back",
}


# Why a throw is void, by the code that the editions list
NO_ROLLS = {
    "off-table": "A die left the table",
    "on-another": "A die came to rest on another",
    "cocked": "More than one side of a die rests on an object",
}

# What several dice of a face are called
FACES = {1: "aces", 2: "twos", 3: "threes", 4: "fours", 5: "fives", 6: "sixes"}


def with_games(name: str, shared: Mapping[Key, Words]) -> Mapping[Key, Words]:
    """Return shared words together with those that every registered game has under the same name."""
    words = _words.get(name)
    if words is None or words[0] is not shared:
        of_games = (getattr(module, name, {}) for module in registry.parts("words").values())
        words = _words[name] = shared, dict(ChainMap(dict(shared), *of_games))
    return cast(Mapping[Key, Words], words[1])


_words: dict[str, tuple[Mapping[Any, Any], Mapping[Any, Any]]] = {}
registry.clear_on_change(_words.clear)


def no_roll_text(reason: str) -> str:
    """Return why a throw was void, in words. What people entered in their own words stays as it is."""
    return str(with_games("NO_ROLLS", NO_ROLLS).get(reason, reason))


def reason_text(reason: Reason) -> str:
    """Return the sentence of a reason, for instance "12 is over 10"."""
    sentence = with_games("REASONS", REASONS).get(reason_key(reason), reason.code)
    return str(sentence) % _figures(reason)


def reason_key(reason: Reason) -> str:
    """Return the sentence's key. If a number is written in words, each number has a sentence of its own."""
    counts = [str(reason.params[name]) for name in ("count", "needed") if name in reason.params]
    return "-".join([reason.code, *counts])


def _figures(reason: Reason) -> dict[str, Any]:
    faces = {"faces": FACES[reason.params["face"]]} if "face" in reason.params else {}
    return {**reason.params, **faces}
