"""Sign forms: what a wording may contain, which form is approved, and how it is filled in (58 Pa. Code § 521.8).

A wording is a text for each language, with placeholders such as {min} for the values of a table. No sign may be
displayed without an approved form of its kind (§ 521.8(d)).
"""

import re
from collections.abc import Iterable, Mapping
from typing import get_args

from games.engine import Refusal, Rules
from games.engine.odds import verify_stated
from games.models import Facility, RulesSubmission, SignForm
from games.models.patrons import SignKind
from games.office.signs.refusals import (
    NO_APPROVED_SIGN,
    SIGN_BRACES,
    SIGN_PLACEHOLDER_MISSING,
    SIGN_PLACEHOLDER_UNKNOWN,
    SIGN_SAYS_NOTHING,
)
from games.submissions import rules_of

LANGUAGES = ("en", "es", "zh")
KINDS: tuple[SignKind, ...] = get_args(SignKind)
LEAST_MM, MOST_MM = 50, 3000
PLACEHOLDER = re.compile(r"\{([a-z_]*)\}")
COMMON_PLACEHOLDERS = frozenset({"table", "game"})
# Further placeholders that a wording may contain, and those that it must contain
ALLOWED_PLACEHOLDERS: Mapping[str, tuple[str, ...]] = {
    "odds": ("rules", "approved"),
    "limits": ("min", "max"),
    "limits-change": ("min", "max", "new_min", "new_max", "from"),
    "payout-limit": ("limit",),
    "rules": ("rules", "approved", "min", "max", "limit"),
    "test": ("casino", "starts", "ends"),
}
REQUIRED_PLACEHOLDERS: Mapping[str, tuple[str, ...]] = {
    "limits": ("min", "max"),
    "limits-change": ("new_min", "new_max", "from"),
    "payout-limit": ("limit",),
    "rules": ("rules",),
}


def verify_wording(
    kind: str, wording: Mapping[str, str], rules: Iterable[Rules] = (), *, section: str
) -> None:
    """Refuse a wording that is empty, has wrong placeholders, or states odds with "for".

    `rules` are the rules that the sign may quote. Raises Refusal(`sign-says-nothing`, `sign-braces`,
    `sign-placeholder-unknown`, `sign-placeholder-missing` or `odds-said-for`).
    """
    if not wording:
        raise Refusal(SIGN_SAYS_NOTHING, section)
    for language, text in wording.items():
        _verify_text(kind, language, text, section)
        for rule_set in rules:
            rule_set.verify_odds_text(text)
        verify_stated(text, section)


def _verify_text(kind: str, language: str, text: str, section: str) -> None:
    placeholders = PLACEHOLDER.findall(text)
    if re.search(r"[{}]", PLACEHOLDER.sub("", text)):
        raise Refusal(SIGN_BRACES, section, language=language)
    may = COMMON_PLACEHOLDERS | frozenset(ALLOWED_PLACEHOLDERS[kind])
    if unknown := [name for name in placeholders if name not in may]:
        raise Refusal(SIGN_PLACEHOLDER_UNKNOWN, section, name=unknown[0], may=_braced(sorted(may)))
    if missing := [name for name in REQUIRED_PLACEHOLDERS.get(kind, ()) if name not in placeholders]:
        raise Refusal(SIGN_PLACEHOLDER_MISSING, section, name=missing[0], language=language)


def _braced(names: Iterable[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in names)


def fill_wording(text: str, values: Mapping[str, str]) -> list[str]:
    """Return the lines of a wording filled in with these values. A missing value becomes a dash."""
    filled_text = PLACEHOLDER.sub(lambda match: values.get(match[1]) or "–", text)
    return [line.strip() for line in filled_text.splitlines() if line.strip()]


def in_force(facility: Facility, kind: str, game: str) -> SignForm | None:
    """Return the newest approved form of a kind of sign: the game's own, or else the one for every game."""
    return forms_in_force(facility, game).get(kind)


def forms_in_force(facility: Facility | int, game: str) -> dict[str, SignForm]:
    """Return the form in force of each kind of sign at the tables of a game, in one query."""
    rows = SignForm.objects.filter(facility=facility, game__in=["", game], status="approved")
    return {form.kind: form for form in rows.order_by("game", "version")}


def verify_form(facility: Facility, kind: str, game: str) -> SignForm:
    """The form in force. Raises `no-approved-sign`, § 521.8(d); in New Jersey a practice of the house (A45)."""
    form = in_force(facility, kind, game)
    if form is None:
        section = facility.law.section("signs.form")
        raise Refusal(NO_APPROVED_SIGN, section, kind=SignForm.Kind(kind).label)
    return form


def rules_on_signs(facility: Facility, game: str) -> list[Rules]:
    """Return the approved rules that a sign of this game (empty: of any game) may quote."""
    rows = RulesSubmission.objects.filter(facility=facility, status="approved")
    return [rules_of(row) for row in (rows.filter(game=game) if game else rows)]


def recorded_sign_keys(places: Iterable[tuple[int, str]]) -> dict[tuple[int, str], str]:
    """Return the ids of the forms in force for each facility id and game, as a table's record writes them.

    Takes one query for all of them.
    """
    pairs = set(places)
    rows = SignForm.objects.filter(facility__in={facility for facility, _ in pairs}, status="approved")
    newest: dict[tuple[int, str], dict[str, int]] = {place: {} for place in pairs}
    for pk, facility, kind, game in rows.order_by("game", "version").values_list(
        "pk", "facility", "kind", "game"
    ):
        for place in pairs:
            if place[0] == facility and game in ("", place[1]):
                newest[place][kind] = pk
    return {
        place: " ".join(map(str, sorted(keys_by_kind.values()))) for place, keys_by_kind in newest.items()
    }
