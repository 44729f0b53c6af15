"""Refusals about sign forms, each with its sentence."""

from games.engine.refusals import RefusalCode

NO_APPROVED_SIGN = RefusalCode(
    "no-approved-sign",
    "No form of this sign is approved (%(kind)s). It may not be displayed until its place, size and "
    "wording are approved. File its form in the rules office, under Signs.",
    "Sign not approved",
)
NO_SUCH_SIGN_FORM = RefusalCode(
    "no-such-sign-form",
    "This form no longer exists in the office. Reload the page.",
    "No such form",
)
SIGN_SAYS_NOTHING = RefusalCode(
    "sign-says-nothing",
    "The form has no wording. Write what the sign says in at least one language.",
    "No wording",
)
SIGN_BRACES = RefusalCode(
    "sign-braces",
    "The wording (%(language)s) has a single brace. Write a placeholder as {min}, or leave the brace out.",
    "Wording not accepted",
)
SIGN_PLACEHOLDER_UNKNOWN = RefusalCode(
    "sign-placeholder-unknown",
    "This kind of sign has no placeholder {%(name)s}. It may use %(may)s.",
    "Wording not accepted",
)
SIGN_PLACEHOLDER_MISSING = RefusalCode(
    "sign-placeholder-missing",
    "The wording (%(language)s) is missing {%(name)s}, which this kind of sign requires. Add it.",
    "Wording not accepted",
)
