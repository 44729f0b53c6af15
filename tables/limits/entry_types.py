"""Entries about limits and signs."""

from typing import Annotated, NotRequired, TypedDict

from audit.entry_types import entry_type


class LimitsChange(TypedDict):
    """A change of limits: what they become, what they were, and how far its notice is."""

    change: int
    min_cents: Annotated[int, "the new minimum wager"]
    max_cents: Annotated[int, "the new maximum wager"]
    was_min_cents: Annotated[int, "the minimum wager before"]
    was_max_cents: Annotated[int, "the maximum wager before"]
    posted_at: Annotated[str | None, "when the sign was posted; null while it is not"]
    announced_at: Annotated[str | None, "when the change was announced; null while it is not"]
    effective_at: Annotated[
        str | None, "when the notice is over; null while the sign or the announcement is missing"
    ]


class LimitsAnnounced(LimitsChange):
    dealer: Annotated[str | None, "code of the dealer at the table; null without one"]


class LimitsChangeCancelled(LimitsChange):
    why: Annotated[str, "why, in a person's words"]


class LimitsInEffect(LimitsChange):
    nobody_played: Annotated[bool, "whether the limits changed because nobody played"]
    left: NotRequired[Annotated[list[int], "seats that were taken and that the floor records as left"]]


class LimitsSignPosted(LimitsChange):
    sign_form: Annotated[int, "version of the approved form of the sign"]


LIMITS_ANNOUNCED = entry_type(
    "limits.announced", LimitsAnnounced, "A change of the limits was announced to the players."
)
LIMITS_CHANGE_BEGUN = entry_type(
    "limits.change_begun", LimitsChange, "A change of the limits by notice began."
)
LIMITS_CHANGE_CANCELLED = entry_type(
    "limits.change_cancelled",
    LimitsChangeCancelled,
    "A change of the limits was canceled before it took effect.",
)
LIMITS_CHANGED = entry_type(
    "limits.changed", LimitsInEffect, "The limits changed at once, because nobody played."
)
LIMITS_PLAYERS_LEFT = entry_type(
    "limits.players_left",
    LimitsInEffect,
    "All players left during the notice of a change, so the new limits took effect at once.",
)
LIMITS_SIGN_POSTED = entry_type(
    "limits.sign_posted", LimitsSignPosted, "The sign of a change of the limits was posted."
)
LIMITS_TOOK_EFFECT = entry_type(
    "limits.took_effect",
    LimitsInEffect,
    "The notice of a change of the limits had run, and the new limits took effect.",
)


class SignsTookEffect(TypedDict):
    forms: Annotated[list[str], "keys of the approved forms of signs, from now on"]
    was: Annotated[list[str], "keys of the approved forms of signs before"]


SIGNS_TOOK_EFFECT = entry_type(
    "signs.took_effect",
    SignsTookEffect,
    "Other forms of signs took effect at this table; the clock wrote this.",
)
