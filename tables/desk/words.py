"""Sentences about the desk's saved filters and proofs, and lines of entries that belong to no table."""

from collections.abc import Callable
from typing import Any

from tables.words.registry import register

TITLES: dict[str, Any] = {}
SENTENCES: dict[str, Any] = {
    "filter-says-nothing": "%(filter)s is empty. Fill in what to search for, search, then save it.",
    "filter-not-understood": "%(filter)s has a field that cannot be searched for. Correct it, then save it.",
    "filter-name-taken": "You already have a filter called %(filter)s. Choose another name.",
    "too-many-filters": "You already have %(most)s saved filters. Remove one first.",
    "no-such-entry": "There is no entry %(seq)s at %(place)s. Check the number.",
    "not-sealed-yet": "Entry %(seq)s is not sealed yet. Seals are written every second: try again in a moment.",
    "proof-too-long": "More than %(most)s entries are between this one and its seal. Request an evidence bundle instead.",
    "proof-broken": "The log lacks what proves this entry. See the integrity page.",
    "no-such-filter": "You have no filter called %(filter)s. It may have been removed already.",
}

ACT_LINES: dict[str, Callable[[dict[str, Any]], str]] = {
    "filter.saved": lambda data: "Filter saved: %(filter)s" % data,
    "proof.taken": lambda data: "Proof of %(stream)s, entry %(first)s, taken" % data,
    "filter.removed": lambda data: "Filter removed: %(filter)s" % data,
    "person.signed_in": lambda data: "Signed in at %(name)s" % data,
    "person.signed_out": lambda data: "Signed off at %(name)s" % data,
    "person.refused": lambda data: "Wrong PIN at %(name)s" % data,
    "person.locked_out": lambda data: "Locked out at %(name)s after wrong PINs" % data,
    "device.locked": lambda data: "%(name)s locked" % data,
    "device.enrolled": lambda data: (
        ("%(name)s enrolled at %(place)s" if data["place"] else "%(name)s enrolled") % data
    ),
    "device.revoked": lambda data: "%(name)s revoked: nobody acts there any more" % data,
    "key.created": lambda data: "Key %(key)s of the sealer made" % data,
    "key.retired": lambda data: "Key %(key)s of the sealer retired" % data,
    "incarnation.opened": lambda data: "The record begins: %(origin)s" % data,
    "incarnation.declared": lambda data: "The record goes on as %(origin)s: %(why)s" % data,
}


register(titles=TITLES, sentences=SENTENCES, act_lines=ACT_LINES)
