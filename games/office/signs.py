"""Forms of signs (58 Pa. Code § 521.8): what a wording may contain, and the way of a form from draft to approval.

A wording is a text for each language, with placeholders such as {min} for the values of a table. A form is drafted,
filed, decided or withdrawn; no sign may be displayed without an approved form of its kind (§ 521.8(d)). The floor fills
approved forms in (`tables.equipment`), `games.office.pdf` prints them.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, TypedDict, Unpack, get_args

from audit.columns import FACILITY, Body, Rows, declare, same
from audit.entry_types import entry_type
from games.act_forms import Text, found, whole
from games.engine import Refusal, RefusalCode, Rules
from games.engine.odds import verify_stated
from games.models import Facility, RulesSubmission, SignForm
from games.models.patrons import SignKind
from games.office import reviews
from games.office.core import ActOutcome, OfficeContext, office_act
from games.office.documents import GrantOrDenial
from games.office.reviews import DECIDED, DRAFTED, FILED, WITHDRAWN
from games.params import Params
from games.registry import GAMES
from games.submissions import rules_of

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


# Entries


class SignFormEntry(TypedDict):
    """The version of a form that an entry is about."""

    kind: Annotated[SignKind, "kind of sign"]
    game: Annotated[str, "code of the game; empty: for every game"]
    version: Annotated[int, "version of the form"]


@entry_type("sign_form.drafted")
def SIGN_FORM_DRAFTED(
    *,
    location: Annotated[str, "where the sign is posted"],
    width_mm: Annotated[int, "width in millimeters"],
    height_mm: Annotated[int, "height in millimeters"],
    wording: Annotated[
        dict[str, str], "text in each language (en, es, zh), with placeholders such as {table}"
    ],
    **data: Unpack[SignFormEntry],
) -> None:
    """The form of a sign was drafted."""


SIGN_FORM_FILED = entry_type("sign_form.filed", SignFormEntry, "The form of a sign was filed.")


class SignFormDecided(SignFormEntry, GrantOrDenial):
    pass


SIGN_FORM_DECIDED = entry_type(
    "sign_form.decided", SignFormDecided, "The form of a sign was decided by letter."
)


@entry_type("sign_form.withdrawn")
def SIGN_FORM_WITHDRAWN(
    *, why: Annotated[str, "the reason, in a person's words"], **data: Unpack[SignFormEntry]
) -> None:
    """The form of a sign was withdrawn, and its earlier approved versions with it."""


# Wordings, and forms in force


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


# Acts


MOST_WORDS = 400


def _form_by_number(ctx: OfficeContext, number: int) -> SignForm:
    form = SignForm.objects.filter(facility=ctx.facility, pk=number).first()
    if form is None:
        raise Refusal(NO_SUCH_SIGN_FORM)
    return form


_Form = Annotated[SignForm, found(whole(1, 2**31 - 1), _form_by_number)]


@office_act()
def draft_sign_form(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Draft the next version of a sign form, for one game or (`game` empty) for every game.

    A form has a location, a size in millimeters, and a wording for each language. Odds are never stated with "for".
    """
    kind = params.choice("kind", KINDS)
    game = params.choice("game", ("", *GAMES), default="")
    location = params.text("location", max_length=80)
    width_mm = params.integer("width_mm", LEAST_MM, MOST_MM)
    height_mm = params.integer("height_mm", LEAST_MM, MOST_MM)
    texts = {language: params.prose(language, max_length=MOST_WORDS) for language in LANGUAGES}
    wording = {language: text for language, text in texts.items() if text}
    section = ctx.facility.law.section("signs.form")
    verify_wording(kind, wording, rules_on_signs(ctx.facility, game), section=section)
    same = SignForm.objects.filter(facility=ctx.facility, kind=kind, game=game)
    newest = same.order_by("-version").values_list("version", flat=True).first() or 0
    form = SignForm.objects.create(
        facility=ctx.facility,
        kind=kind,
        game=game,
        version=newest + 1,
        location=location,
        width_mm=width_mm,
        height_mm=height_mm,
        wording=wording,
        drafted_at=ctx.now,
        drafted_by=ctx.actor,
    )
    return ActOutcome(
        SIGN_FORM_DRAFTED(
            **_form_data(form), location=location, width_mm=width_mm, height_mm=height_mm, wording=wording
        ),
        {"form": form.pk, **_form_data(form)},
    )


@office_act()
def file_sign_form(ctx: OfficeContext, *, form: _Form) -> ActOutcome:
    """Mark a drafted form as filed for approval."""
    reviews.file(ctx, form)
    return ActOutcome(SIGN_FORM_FILED(_form_data(form)))


@office_act(step_up="always", subject="signs")
def decide_sign_form(ctx: OfficeContext, *, form: _Form, decision: reviews.SentDecision) -> ActOutcome:
    """Record the decision on a filed form with its letter. An approved form replaces the previous version."""
    decided = reviews.decide(ctx, form, decision, of="signs")
    return ActOutcome(SIGN_FORM_DECIDED({**_form_data(form), **decided}))


@office_act()
def withdraw_sign_form(ctx: OfficeContext, *, form: _Form, why: Text) -> ActOutcome:
    """Withdraw a form and its earlier versions, so that none of them can be displayed."""
    reviews.withdraw(ctx, form)
    earlier = SignForm.objects.filter(
        facility=ctx.facility, kind=form.kind, game=form.game, version__lt=form.version, status="approved"
    )
    for earlier_form in earlier:
        reviews.withdraw(ctx, earlier_form)
    return ActOutcome(SIGN_FORM_WITHDRAWN(**_form_data(form), why=why))


def _form_data(form: SignForm) -> SignFormEntry:
    return {"kind": form.kind, "game": form.game, "version": form.version}


# What the entries state


def earlier_withdrawn(rows: Rows, body: Body) -> None:
    """The earlier approved versions of a withdrawn form are withdrawn with it."""
    data, facility = body["data"], FACILITY(body)
    for version in range(1, data["version"]):
        form = rows.get(facility, data["kind"], data["game"] or None, version) or {}
        if form.get("status") == "approved":
            key = facility, data["kind"], data["game"] or None, version
            rows.put(body, *key, status="withdrawn", withdrawn_at=body["at"])


declare(
    SignForm,
    "sign form",
    may_be_seeded=True,
    key={
        "facility": FACILITY,
        "kind": "kind",
        "game": lambda body: body["data"]["game"] or None,
        "version": "version",
    },
    created={SIGN_FORM_DRAFTED: {**DRAFTED, **same("location", "width_mm", "height_mm", "wording")}},
    changed={SIGN_FORM_FILED: FILED, SIGN_FORM_DECIDED: DECIDED, SIGN_FORM_WITHDRAWN: WITHDRAWN},
    folded={SIGN_FORM_WITHDRAWN: earlier_withdrawn},
)
