"""The reasons why the sealer does not seal, as codes with the sentences that the integrity page and the log show."""

from typing import Any

SENTENCES = {
    "no-key": "The sealer has no key that is on the record. Create one: manage.py sealer_key create.",
    "key-readable": "Other users can read the file of key %(key)s. Restrict it to its owner: chmod 600.",
    "key-missing": (
        "The sealer's folder does not have the key of %(log)s: keys/%(key)s.key. Restore that file from its copy. Only "
        "if it is lost for good, create another key, give its line to witnesses and readers, and retire the lost one: "
        "manage.py sealer_key rotate."
    ),
    "key-of-other-log": (
        "The file keys/%(key)s.key is the key of another log under the name of %(log)s, and a key serves one log. "
        "Delete it: another key is created."
    ),
    "state-missing": (
        "The record was sealed before, but the sealer's folder does not have the last signed state. Restore the "
        "folder, or declare a new incarnation: manage.py declare_incarnation."
    ),
    "folder-behind": (
        "This sealer's folder is out of date: it has %(signed)s seals, and the database has %(found)s. The others were "
        "sealed from another copy of the folder: start the sealer with that one, and stop this one. Only if it is lost "
        "for good, declare a new incarnation: manage.py declare_incarnation."
    ),
    "another-folder": (
        "This sealer's folder (%(own)s) is not the one from which the record is sealed (%(other)s). Stop this sealer, "
        "or start it with that folder. Only if that folder is lost for good, declare a new incarnation: "
        "manage.py declare_incarnation."
    ),
    "lease-lost": "Another sealer has taken over, because this one did not report for ten seconds.",
    "not-confirmed": (
        "The database has not confirmed a write on its standby (%(warning)s), so nothing is signed that a failover "
        "might lose. It is tried again every second."
    ),
    "database-read-only": (
        "The database is a standby, or read-only, so no sealer leads there. Give the sealer the address of the "
        "primary, or let the address choose: ?target_session_attrs=read-write."
    ),
    "lease-not-granted": "The sealer's login may not use audit_sealerlease. Run migrate, then provision_roles.",
    "no-database": "The database does not answer (%(error)s).",
    "folder-unwritable": "The sealer cannot write its folder: %(error)s. Free its disk, or restore its rights.",
    "sealing-failed": "The sealer failed with %(error)s, and tries again every second. See its log.",
    "clock-jumped": (
        "The clock of the record jumped ahead, and a seal keeps its time. Set the clock right, or restart the sealer "
        "if the new time is right."
    ),
    "state-broken": "The sealer cannot read its state file. Restore it from a copy.",
    "record-went-back": (
        "The record was rolled back: %(signed)s seals were signed, and the database has %(found)s of them. Find out "
        "why, then declare a new incarnation: manage.py declare_incarnation."
    ),
    "head-went-back": (
        "The record of %(stream)s was rolled back: entry %(seq)s was sealed, and is now missing or different. Find out "
        "why, then declare a new incarnation: manage.py declare_incarnation."
    ),
    "seals-differ": (
        "Of the seals from number %(number)s on, one in the database is missing or was changed. Find out why, then "
        "declare a new incarnation: manage.py declare_incarnation."
    ),
    "first-log-stopped": (
        "The first log of the record is not sealed, so the log of this facility cannot begin. See the sealer's log."
    ),
    "facility-malformed": "The record has a stream whose name does not begin with the code of a facility.",
    "undeclared": "Incarnation %(number)s is in the database, but nobody declared it on the record.",
    "witness-ahead": (
        "Witness %(witness)s has seen %(size)s seals of the log, and there are %(ours)s here: the record was rolled "
        "back. Find out why, then declare a new incarnation: manage.py declare_incarnation."
    ),
    "witness-disagrees": (
        "Witness %(witness)s has a different log at %(size)s seals. Find out why, then declare a new incarnation: "
        "manage.py declare_incarnation."
    ),
    "copy-ahead": (
        "Copy %(copy)s is newer than the database, or differs from it: the record was rolled back. Find out why, then "
        "declare a new incarnation: manage.py declare_incarnation."
    ),
    # About a witness or the folder of copies; the sealer continues.
    "unreachable": "The witness does not answer.",
    "key-not-known": "The witness does not know the signing key. Give it the key's line.",
    "log-not-known": "The witness does not know this log. Give it the log's name and key.",
    "bad-answer": "The witness did not return a valid cosignature.",
    "asked-again": "The witness claims to be ahead of this record. It is asked once more before sealing stops.",
    "failed": "The request to the witness failed. See the sealer's log.",
    "copy-failed": "The folder of copies cannot be written.",
}

# Why a log is not sealed because of what the record has: a verification that knows of one is not good.
RECORD_CODES = frozenset(
    {
        "record-went-back", "head-went-back", "seals-differ", "undeclared", "witness-ahead", "witness-disagrees",
        "copy-ahead", "facility-malformed",
    }
)  # fmt: skip


class SealingProblem(Exception):
    """The sealer must not seal. `code` is a key of SENTENCES, and `params` fill its sentence.

    `facility` is that of the log, as in `Log.facility`: "" for the first log.
    """

    def __init__(self, code: str, facility: str = "", **params: Any) -> None:
        self.code, self.facility, self.params = code, facility, params
        super().__init__(code, params)

    def __str__(self) -> str:
        return say(self.code, self.params)


class _Params(dict[str, Any]):
    """The parameters of a sentence. A status that the release before stored may lack one that the sentence has now."""

    def __missing__(self, name: str) -> str:
        return "(not stated)"


def say(code: str, params: dict[str, Any]) -> str:
    """The sentence of a problem, or the code itself if it has none."""
    return str(SENTENCES[code]) % _Params(params) if code in SENTENCES else code
