"""Refusals that several topics of the office share, each with its sentence."""

from games.engine.refusals import RefusalCode

NOT_A_DRAFT = RefusalCode(
    "not-a-draft",
    "This is no longer a draft (%(status)s). Draft a new version to change it.",
    "Already filed",
)
NOT_FILED = RefusalCode("not-filed", "No decision is pending here (%(status)s). File it first.", "Not filed")
ALREADY_ENDED = RefusalCode("already-ended", "This has already ended (%(status)s).", "Already ended")
ANOTHER_BODY_DECIDES = RefusalCode(
    "another-body-decides",
    "The %(body)s decides on this, not the body that you entered (%(named)s). Check the letter.",
    "Another body decides",
)
