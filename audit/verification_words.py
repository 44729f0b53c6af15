"""What a verification of the record finds, as data and as sentences."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# code: the sentence
FINDINGS: dict[str, Any] = {
    "entry-missing": "%(stream)s has no entry %(seq)s: it was removed.",
    "entry-changed": "%(stream)s, entry %(seq)s: its hash is not that of what it says. It was changed.",
    "entry-does-not-follow": "%(stream)s, entry %(seq)s does not follow the entry before it.",
    "entry-unreadable": "%(stream)s, entry %(seq)s is not written as the record writes.",
    "entry-of-elsewhere": "%(stream)s, entry %(seq)s says that it stands elsewhere.",
    "time-goes-back": "%(stream)s, entry %(seq)s is older than the entry before it.",
    "column-differs": "%(stream)s, entry %(seq)s is found by another %(column)s than it says. The entry itself is whole.",
    "head-differs": "%(stream)s says another head than its entry %(seq)s has.",
    "entry-beyond-head": "%(stream)s, entry %(seq)s stands behind the head of its stream.",
    "key-off-the-record": "No entry of the record created the key %(key)s.",
    "seal-missing": "%(origin)s has no seal %(number)s: it was removed.",
    "seal-changed": "%(origin)s, seal %(number)s: its hash is not that of what it says. It was changed.",
    "seal-unreadable": "%(origin)s, seal %(number)s is not written as the sealer writes.",
    "seal-index-differs": "%(origin)s, seal %(number)s is found by other heads than it lists. The seal itself is whole.",
    "sealed-entry-missing": "%(stream)s has no entry %(seq)s, and seal %(number)s lists it: the record was cut or gone back.",
    "sealed-head-differs": "%(stream)s, entry %(seq)s is not the one that seal %(number)s lists: the stream was rewritten.",
    "node-differs": "%(origin)s: the tree of seals has another hash at level %(level)s, index %(index)s.",
    "checkpoint-unreadable": "%(origin)s: the checkpoint of %(size)s seals is no checkpoint of this log.",
    "root-differs": "%(origin)s: the checkpoint of %(size)s seals has another root than these seals.",
    "signature-bad": "%(origin)s: no key on the record signed the checkpoint of %(size)s seals.",
    "cosignature-bad": "%(origin)s: the cosignature of %(name)s under %(size)s seals does not hold.",
    "seals-unsigned": "%(origin)s: no checkpoint was signed over its last seal, %(number)s.",
}


@dataclass(frozen=True)
class Finding:
    """One thing that is not as it must be: its code, and where."""

    code: str
    where: dict[str, Any] = field(default_factory=dict)

    def as_data(self) -> dict[str, Any]:
        """As the record tells it."""
        return {"what": self.code, **self.where}

    def __str__(self) -> str:
        return say(self.as_data())


def say(finding: Mapping[str, Any]) -> str:
    """The sentence of a finding as the record tells it (`first_bad` of `record.verified`)."""
    sentence = FINDINGS.get(finding.get("what", ""))
    try:
        return (
            str(sentence % finding)
            if sentence
            else "Something is not as it must be: %s" % finding.get("what")
        )
    except KeyError:
        return str(finding.get("what"))
