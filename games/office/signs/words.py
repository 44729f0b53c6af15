"""Refusals about signs."""

from games.office.core.words import register

TITLES: dict[str, str] = {
    "no-approved-sign": "Sign not approved",
    "no-such-sign-form": "No such form",
    "sign-says-nothing": "No wording",
    "sign-braces": "Wording not accepted",
    "sign-placeholder-unknown": "Wording not accepted",
    "sign-placeholder-missing": "Wording not accepted",
    "sign-has-nothing-to-say": "No such sign here",
}
SENTENCES: dict[str, str] = {
    "no-approved-sign": (
        "No form of this sign is approved (%(kind)s). It may not be displayed until its place, size and wording are approved. File its form in the rules office, under Signs."
    ),
    "no-such-sign-form": "This form no longer exists in the office. Reload the page.",
    "sign-says-nothing": "The form has no wording. Write what the sign says in at least one language.",
    "sign-braces": "The wording (%(language)s) has a single brace. Write a placeholder as {min}, or leave the brace out.",
    "sign-placeholder-unknown": "This kind of sign has no placeholder {%(name)s}. It may use %(may)s.",
    "sign-placeholder-missing": "The wording (%(language)s) is missing {%(name)s}, which this kind of sign requires. Add it.",
    "sign-has-nothing-to-say": "%(table)s has nothing to show on a sign of this kind (%(kind)s).",
}

register(titles=TITLES, sentences=SENTENCES)
