"""The meanings of fields, by name, for names that mean the same in every entry.

`manage.py reference entries` and the JSON Schemas show these. A field with another meaning in one entry declares it:
`Annotated[int, "the dice that are loose"]`. Names ending in `_cents` are integer cents, in `_um` micrometers, in `_bp`
basis points, in `_sha256` hex digests, in `_on` calendar days, in `_at` moments in UTC.
"""

MEANINGS = {
    "approval": "number of the approval",
    "assignment": "number of the assignment",
    "attested": "whether the maker attested the dice to the standard",
    "balanced": "whether the balance test passed",
    "by_hand": "whether the round is settled manually",
    "called": "what the throw comes to, by code, with its figures",
    "cameras": "the cameras that were checked, one for each end of the table",
    "change": "number of the change of limits at this table",
    "cite": "the section behind the outcome",
    "compartment": "the compartment of the dice storage",
    "corrects": "the entry that this one corrects: its number and hash",
    "cut_cents": "what the payout limit cut off the payout",
    "document": "the document: its code and the SHA-256 of its bytes; null if there is none",
    "edition": "key of the regulation edition",
    "exposed": "whether the dice stayed uncovered and in view",
    "feed": "number of the calendar feed",
    "flag": "under-min or over-max for a wager outside the limits, otherwise empty",
    "floorperson": "code of the floorperson who supervises the table",
    "game": "code of the game",
    "granted": "whether it was granted",
    "inspected_by": "code of the floorperson who inspected the table",
    "job": "id of the job",
    "lapsed_acknowledged": "whether a lapsed edition was acknowledged",
    "leaning": "how many dice were read by the face opposite to the one that leaned",
    "letter": "the letter of the decision: the code of the document and the SHA-256 of its bytes",
    "lot": "code of the dice lot",
    "lots": "the dice lots",
    "made_in": "chips or plaques",
    "origin": "name of the log of this incarnation",
    "person": "code of the person",
    "pit": "code of the pit",
    "play": "the play that a wager is made on",
    "provider": "code of the service provider",
    "relieves": "code of the person who was relieved",
    "request": "code of the request for a new game or feature",
    "revision": "revision of the throw: 1, and one more for each correction",
    "round": "number of the round at this table",
    "seat": "number of the seat",
    "seats": "numbers of the seats",
    "section": "the section of the regulations behind it; empty if they have none",
    "secured": "whether the shaker was locked away",
    "service": "code of the service",
    "settled": "the wagers in the order of settlement, as `manage.py adjudicate` writes them",
    "shaker": "code of the shaker",
    "sha256": "SHA-256 of the bytes, in hex",
    "slip": "code of the Error Notification Slip",
    "stream": "name of the stream",
    "submission": "code of the rules submission",
    "table": "code of the table",
    "takes_supervision": "whether opening the table made this person its supervisor",
    "terms": "the whole terms of the submission",
    "terms_sha256": "SHA-256 of the canonical terms of the submission",
    "throw": "number of the throw in the round",
    "uncovered": "whether the dice were uncovered",
    "wager": "wager code",
    "wagered_cents": "what is wagered in the round",
    "yards": "yards gained",
}


def meaning(name: str) -> str:
    """The meaning of a field by its name; empty if the name says enough."""
    return MEANINGS.get(name, "")
