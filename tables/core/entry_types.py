"""Entries about alerts, and what the entries of acts have in common that belong to a post."""

from typing import Annotated, Literal, NotRequired, TypedDict

from audit.entry_types import entry_type
from games.engine.game import PostCode
from games.snapshot_types import Addressee, AlertLevel, EquipmentKind

Breach = Literal["unsupervised", "supervisor-off-duty", "span-exceeded"]


class HeldAmount(TypedDict):
    cents: Annotated[int, "what is held back of this seat"]
    seat: int


class Raised(TypedDict):
    """What a throw pays more than when its dice became known, by what was corrected or recorded late."""

    cents: Annotated[int, "of all seats, with stakes that by a correction were not there"]
    by_seat: Annotated[list[HeldAmount], "what of it can be held back, by seat"]
    held: Annotated[bool, "whether it is held back until a slip about it is reviewed"]


class AlertEnded(TypedDict):
    key: Annotated[str, "what the alert is about, unique among the open alerts of a table"]
    kind: Annotated[str, "code of the alert's kind"]


class AlertAcknowledged(AlertEnded):
    note: Annotated[str, "how it was decided, in a person's words; empty where the person wrote nothing"]
    raised_at: NotRequired[
        Annotated[str, "when this alert was raised; only where another one with its key waited too"]
    ]


ALERT_ACKNOWLEDGED = entry_type(
    "alert.acknowledged",
    AlertAcknowledged,
    "A person acknowledged an alert. The entry itself says who and when.",
)


class AlertDecided(AlertEnded):
    decision: Annotated[str, "code of the decision; `words` where the note is the decision"]
    note: Annotated[str, "the decision in a person's words; may be empty beside another code"]
    seat: Annotated[int | None, "the seat concerned; null where no seat was named"]


ALERT_DECIDED = entry_type("alert.decided", AlertDecided, "The floor decided a dispute or a call.")


ALERT_ENDED = entry_type("alert.ended", AlertEnded, "The cause of an alert is over.")


class AlertRaised(AlertEnded):
    level: Annotated[AlertLevel, "how urgent it is"]
    section: Annotated[str, "the section behind the alert; empty without one"]
    alarm: NotRequired[Annotated[int, "the evidence at which the dice watch asks somebody to look"]]
    about: NotRequired[Annotated[str, "what a dispute is about, in a person's words"]]
    breach: NotRequired[Annotated[Breach, "what is wrong with the supervision of the table"]]
    act: NotRequired[Annotated[str, "name of the act that raised a payout after the dice"]]
    cents: NotRequired[
        Annotated[
            int, "the amount of a wager over the maximum, what is paid beside the dice, or what a tray lacks"
        ]
    ]
    code: NotRequired[Annotated[str, "code of the rules submission"]]
    day: NotRequired[Annotated[str, "when something was due, local day and time"]]
    count: NotRequired[Annotated[int, "how many tables the floorperson supervises"]]
    counted_cents: NotRequired[Annotated[int, "what was counted"]]
    device: NotRequired[Annotated[str, "name of the device; empty if unknown"]]
    differs: NotRequired[
        Annotated[
            Literal["opener", "count", "transfer", "drop", "closer"], "the count that differs from the record"
        ]
    ]
    discrepancy: NotRequired[Annotated[int, "number of the discrepancy at this table"]]
    evidence: NotRequired[Annotated[str, "the evidence against fair dice, in words"]]
    expected_cents: NotRequired[Annotated[int, "what the record says"]]
    first_round: NotRequired[Annotated[int, "the first round with these dice"]]
    held: NotRequired[Annotated[bool, "whether what is paid is held back for a review"]]
    last: NotRequired[Annotated[int, "number of the newest entry of the table on the record"]]
    lot: NotRequired[str]
    minutes: NotRequired[Annotated[int, "the dice expire within so many minutes"]]
    percent: NotRequired[Annotated[int, "how full the battery of the device was"]]
    person: NotRequired[Annotated[str, "name of the person"]]
    undone: NotRequired[Annotated[int, "rounds without a result, or void throws, of the person"]]
    within_minutes: NotRequired[Annotated[int, "in how many minutes"]]
    player: NotRequired[Annotated[str, "random code of a rated player"]]
    post: NotRequired[Annotated[PostCode, "the post that is empty, or whose tablet is silent"]]
    round: NotRequired[
        Annotated[int | None, "number of the round; null for a dispute before the first round"]
    ]
    seat: NotRequired[int]
    seconds: NotRequired[Annotated[int, "by how much the clock jumped"]]
    seats: NotRequired[Annotated[list[int], "numbers of the seats whose payout was raised"]]
    signed_with: NotRequired[Annotated[str, "name of the second person who signed"]]
    seen: NotRequired[Annotated[int, "number of the newest entry that a screen has shown"]]
    shaker: NotRequired[str]
    slip: NotRequired[str]
    subject: NotRequired[Annotated[str, "what the approval was of, as the edition names it"]]
    table: NotRequired[str]
    tables: NotRequired[Annotated[list[str], "codes of the tables, and of the games elsewhere"]]
    to: NotRequired[Annotated[Addressee, "whom the table calls"]]
    throw: NotRequired[int]
    until: NotRequired[Annotated[str, "when the dice expire, or when the clock has caught up"]]
    version: NotRequired[Annotated[int, "the version of the submission in force"]]
    wager: NotRequired[Annotated[str, "code of a wager over the maximum"]]
    what: NotRequired[Annotated[EquipmentKind, "what failed"]]


ALERT_RAISED = entry_type(
    "alert.raised",
    AlertRaised,
    "An alert was raised. Beside `kind`, `key`, `level` and `section` it has the values of its sentence.",
)
