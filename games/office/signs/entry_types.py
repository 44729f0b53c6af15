"""Entries about forms of signs."""

from typing import Annotated, TypedDict

from audit.entry_types import entry_type
from games.models.patrons import SignKind
from games.office.documents.entry_types import LetterDecision


class SignFormEntry(TypedDict):
    """The version of a form that an entry is about."""

    kind: Annotated[SignKind, "kind of sign"]
    game: Annotated[str, "code of the game; empty: for every game"]
    version: Annotated[int, "version of the form"]


class SignFormDrafted(SignFormEntry):
    location: Annotated[str, "where the sign is posted"]
    width_mm: Annotated[int, "width in millimeters"]
    height_mm: Annotated[int, "height in millimeters"]
    wording: Annotated[
        dict[str, str], "text in each language (en, es, zh), with placeholders such as {table}"
    ]


SIGN_FORM_DRAFTED = entry_type("sign_form.drafted", SignFormDrafted, "The form of a sign was drafted.")


SIGN_FORM_FILED = entry_type("sign_form.filed", SignFormEntry, "The form of a sign was filed.")


class SignFormDecided(SignFormEntry, LetterDecision):
    pass


SIGN_FORM_DECIDED = entry_type(
    "sign_form.decided", SignFormDecided, "The form of a sign was decided by letter."
)


class SignFormWithdrawn(SignFormEntry):
    why: Annotated[str, "the reason, in a person's words"]


SIGN_FORM_WITHDRAWN = entry_type(
    "sign_form.withdrawn",
    SignFormWithdrawn,
    "The form of a sign was withdrawn, and its earlier approved versions with it.",
)
