"""Entries about forms of signs."""

from typing import TypedDict

from audit.entry_types import entry_type


class SignFormDecided(TypedDict):
    body: str
    game: str
    granted: bool
    kind: str
    letter: dict[str, str]
    reference: str
    version: int


SIGN_FORM_DECIDED = entry_type(
    "sign_form.decided", SignFormDecided, "The form of a sign was decided by letter."
)


class SignFormDrafted(TypedDict):
    game: str
    height_mm: int
    kind: str
    location: str
    version: int
    width_mm: int
    wording: dict[str, str]


SIGN_FORM_DRAFTED = entry_type("sign_form.drafted", SignFormDrafted, "The form of a sign was drafted.")


class SignFormFiled(TypedDict):
    game: str
    kind: str
    version: int


SIGN_FORM_FILED = entry_type("sign_form.filed", SignFormFiled, "The form of a sign was filed.")


class SignFormWithdrawn(TypedDict):
    game: str
    kind: str
    version: int
    why: str


SIGN_FORM_WITHDRAWN = entry_type(
    "sign_form.withdrawn", SignFormWithdrawn, "The form of a sign was withdrawn."
)
