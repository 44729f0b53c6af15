"""Entries about limits and signs."""

from typing import TypedDict

from audit.entry_types import entry_type


class LimitsChange(TypedDict):
    """A change of limits: what they become, and what they were."""

    change: int
    min_cents: int
    max_cents: int
    was_min_cents: int
    was_max_cents: int


class LimitsAnnounced(LimitsChange):
    announced_at: str
    dealer: str
    effective_at: str | None
    posted_at: str | None


LIMITS_ANNOUNCED = entry_type(
    "limits.announced", LimitsAnnounced, "A change of the limits was announced to the players."
)


class LimitsChangeBegun(LimitsChange):
    announced_at: None
    effective_at: None
    posted_at: None


LIMITS_CHANGE_BEGUN = entry_type(
    "limits.change_begun", LimitsChangeBegun, "A change of the limits by notice began."
)


class LimitsChangeCancelled(LimitsChange):
    announced_at: str | None
    effective_at: str | None
    posted_at: str | None
    why: str


LIMITS_CHANGE_CANCELLED = entry_type(
    "limits.change_cancelled",
    LimitsChangeCancelled,
    "A change of the limits was cancelled before it took effect.",
)


class LimitsChanged(LimitsChange):
    announced_at: None
    effective_at: None
    nobody_played: bool
    posted_at: None


LIMITS_CHANGED = entry_type(
    "limits.changed", LimitsChanged, "The limits changed at once, because nobody played."
)


class LimitsPlayersLeft(LimitsChange):
    announced_at: str | None
    effective_at: str | None
    nobody_played: bool
    posted_at: str | None


LIMITS_PLAYERS_LEFT = entry_type(
    "limits.players_left", LimitsPlayersLeft, "All players left, so the announced limits took effect at once."
)


class LimitsSignPosted(LimitsChange):
    announced_at: str | None
    effective_at: str | None
    posted_at: str
    sign_form: int


LIMITS_SIGN_POSTED = entry_type(
    "limits.sign_posted", LimitsSignPosted, "The sign of a change of the limits was posted."
)


class LimitsTookEffect(LimitsChange):
    announced_at: str
    effective_at: str
    nobody_played: bool
    posted_at: str


LIMITS_TOOK_EFFECT = entry_type(
    "limits.took_effect",
    LimitsTookEffect,
    "The notice of a change of the limits had run, and the new limits took effect.",
)


class SignsTookEffect(TypedDict):
    forms: list[str]
    was: list[str]


SIGNS_TOOK_EFFECT = entry_type(
    "signs.took_effect",
    SignsTookEffect,
    "Other forms of signs took effect at this table; the clock wrote this.",
)
