"""Refusals about signs."""

from games.office.core.words import register

TITLES: dict[str, str] = {
    "no-approved-sign": "Sign not approved",
    "no-such-sign-form": "No such form",
    "sign-says-nothing": "No wording",
    "sign-braces": "Wording not taken",
    "sign-placeholder-unknown": "Wording not taken",
    "sign-placeholder-missing": "Wording not taken",
    "sign-has-nothing-to-say": "No such sign here",
}
SENTENCES: dict[str, str] = {
    "no-approved-sign": (
        "No form of this sign is approved (%(kind)s). Until its place, size and wording are approved, it may not stand "
        "at a table. File its form in the rules office, under Signs."
    ),
    "no-such-sign-form": "This form is not in the office any more. Load the page again.",
    "sign-says-nothing": "The form has no wording. Write what the sign says in one language at least.",
    "sign-braces": "A brace stands alone in the wording (%(language)s). Write a placeholder as {min}, or leave the brace out.",
    "sign-placeholder-unknown": "This sign knows no {%(name)s}. It may name %(may)s.",
    "sign-placeholder-missing": "The wording (%(language)s) does not say {%(name)s}, which a sign of this kind must. Add it.",
    "sign-has-nothing-to-say": "Nothing stands at %(table)s that a sign of this kind could tell (%(kind)s).",
}

register(titles=TITLES, sentences=SENTENCES)
