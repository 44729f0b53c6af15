"""Why the sealer does not seal, as codes; `say` makes the sentence that the integrity page and the log show."""

from typing import Any

SENTENCES = {
    "no-key": "No key of this sealer is on the record. Make one: manage.py sealer_key create.",
    "key-readable": "The file of key %(key)s may be read by others. Only its owner may: chmod 600.",
    "state-missing": (
        "The record was sealed before, and the sealer's folder does not say what was signed last. Put the folder "
        "back, or declare a new incarnation: manage.py declare_incarnation."
    ),
    "folder-behind": (
        "The sealer's folder is of an older day: it knows %(signed)s seals, and the database holds %(found)s. Put "
        "the newest folder back, or declare a new incarnation: manage.py declare_incarnation."
    ),
    "state-broken": "The sealer's file of what was signed cannot be read. Put it back from a copy.",
    "record-went-back": (
        "The record has gone back: the log was signed at %(signed)s seals, and the database holds %(found)s of "
        "that story. Find out why, then declare a new incarnation: manage.py declare_incarnation."
    ),
    "head-went-back": (
        "The record of %(stream)s has gone back: entry %(seq)s was sealed, and is not there as it was. Find out "
        "why, then declare a new incarnation: manage.py declare_incarnation."
    ),
    "undeclared": "Incarnation %(number)s stands in the database, and nobody declared it on the record.",
    "witness-ahead": (
        "Witness %(witness)s knows the log at %(size)s seals, and it has %(ours)s here: the record has gone back. "
        "Find out why, then declare a new incarnation: manage.py declare_incarnation."
    ),
    "witness-disagrees": (
        "Witness %(witness)s knows another story of the log, at %(size)s seals. Find out why, then declare a new "
        "incarnation: manage.py declare_incarnation."
    ),
    "copy-ahead": (
        "Copy %(copy)s was signed later than what the database holds, or tells another story: the record has gone "
        "back. Find out why, then declare a new incarnation: manage.py declare_incarnation."
    ),
    # Of a witness or of the folder of copies; the sealer goes on.
    "unreachable": "The witness does not answer.",
    "key-not-known": "The witness does not know the key that signs. Give it the key's line.",
    "log-not-known": "The witness does not know this log. Give it the log's name and key.",
    "bad-answer": "The witness answered something else than a cosignature.",
    "asked-again": "The witness says that it knows more than this record. It is asked once more before it is believed.",
    "failed": "The witness could not be asked; the sealer's log says why.",
    "copy-failed": "The folder of copies cannot be written.",
}


class SealingProblem(Exception):
    """The sealer does not seal. `code` is one of SENTENCES, `params` fill its sentence."""

    def __init__(self, code: str, **params: Any) -> None:
        self.code, self.params = code, params
        super().__init__(code, params)

    def __str__(self) -> str:
        return say(self.code, self.params)


def say(code: str, params: dict[str, Any]) -> str:
    """The sentence of a problem in the reader's language; "" where there is none."""
    return str(SENTENCES[code]) % params if code in SENTENCES else code
