"""The signs at a table, made from its snapshot alone: limits, their coming change, odds, payout limit, rules.

A form is approved in the office (`games.office.signs`). From then on the signs of the table are made from it, and the
clock records the change at each table (`record_sign_forms`). A sign without an approved form of its kind is not
displayed (§ 521.8(d)).

A sign shows what applies here and nothing else: no past rolls, no trend, no forecast (§ 521.6, reading A03).
"""

import datetime as dt
import uuid
from functools import lru_cache
from typing import Annotated, TypedDict

from audit import record
from audit.days import day_in_words
from audit.entry_types import entry_type
from games.engine import Refusal, RefusalCode
from games.engine.editions import edition
from games.jurisdictions import PRACTICE_NOTICE_MINUTES, Jurisdiction, jurisdiction
from games.models import Facility, SignForm
from games.office.signs import LANGUAGES, NO_APPROVED_SIGN, fill_wording, recorded_sign_keys, verify_form
from games.snapshot_types import Sign, Snapshot
from tables.core.context import TableContext
from tables.models import Table
from tables.runner.table import for_each_table
from tables.words.sentences import dollars

SIGN_HAS_NOTHING_TO_SAY = RefusalCode(
    "sign-has-nothing-to-say",
    "%(table)s has nothing to show on a sign of this kind (%(kind)s).",
    "No such sign here",
)


# The forms in force at a table, on the record from the moment they apply there


@entry_type("signs.took_effect")
def SIGNS_TOOK_EFFECT(
    *,
    forms: Annotated[list[str], "keys of the approved forms of signs, from now on"],
    was: Annotated[list[str], "keys of the approved forms of signs before"],
) -> str:
    """Other forms of signs took effect at this table; the clock wrote this."""
    return "Approved sign forms changed"


def record_sign_forms() -> list[int]:
    """Record at each table the forms of signs that are in force there. Return the ids of the tables that changed.

    A check takes two queries; only tables that change are locked.
    """
    real = Table.objects.exclude(kind=Table.Kind.SIMULATED)
    rows = list(real.values_list("pk", "facility", "game", "recorded_sign_ids"))
    forms_by_place = recorded_sign_keys((facility, game) for _, facility, game, _ in rows)
    differing = {
        pk for pk, facility, game, recorded_ids in rows if recorded_ids != forms_by_place[facility, game]
    }
    return for_each_table(Table.objects.filter(pk__in=differing), _record_sign_forms) if differing else []


def _record_sign_forms(ctx: TableContext) -> bool:
    table = ctx.table
    recorded = recorded_sign_keys([(table.facility_id, table.game)])[table.facility_id, table.game]
    if table.recorded_sign_ids == recorded:
        return False
    record.append(
        ctx.stream,
        entry=SIGNS_TOOK_EFFECT(was=table.recorded_sign_ids.split(), forms=recorded.split()),
        moment=ctx.now,
        gaming_day=ctx.gaming_day,
    )
    ctx.change_table(recorded_sign_ids=recorded)
    ctx.save_changes("nothing", ())
    return True


def forms_of(table: Table) -> list[Sign]:
    """The forms in force at this table by its record, as the snapshot shows them."""
    return list(_forms(table.uid, table.recorded_sign_ids))


@lru_cache(maxsize=1024)
def _forms(uid: uuid.UUID, recorded: str) -> tuple[Sign, ...]:
    """Read a set of forms. The text of a form never changes, so each set is read once."""
    rows = SignForm.objects.filter(pk__in=[int(key) for key in recorded.split()])
    return tuple(_form(form) for form in rows.select_related("facility"))


def form_of(forms: list[Sign], kind: str) -> Sign | None:
    """The form of this kind in a snapshot, if any."""
    return next((form for form in forms if form["kind"] == kind), None)


def _form(form: SignForm) -> Sign:
    return {
        "kind": form.kind,
        "version": form.version,
        "approved_on": local_day(form.facility, form.decided_at),
        "reference": form.reference,
        "location": form.location,
        "width_mm": form.width_mm,
        "height_mm": form.height_mm,
        "wording": form.wording,
    }


def verify_form_in_force(table: Table, kind: str) -> None:
    """Raises `no-approved-sign` if the form that the table's record names is no longer in force, § 521.8(d)."""
    form = verify_form(table.facility, kind, table.game)
    if str(form.pk) not in table.recorded_sign_ids.split():
        raise Refusal(
            NO_APPROVED_SIGN, table.facility.law.section("signs.form"), kind=form.get_kind_display()
        )


# The signs


BOARD_KINDS = ("limits-change", "limits", "payout-limit", "odds", "rules")
AFTER_ANNOUNCEMENT = {
    "en": "{} minutes after the announcement",
    "es": "{} minutos después del anuncio",
    "zh": "宣布后{}分钟",
}
FIRST_AND_EXTRA = 2  # High Roll has two odds for a Like Kind: first roll, Extra Roll
# Lines of the inspection that ask for a sign
SIGN_OF_LINE = {"odds-sign": "odds", "limit-sign": "payout-limit"}


class OddsRow(TypedDict):
    """Wagers of a family that pay alike."""

    label: str
    pays: str


class SignText(TypedDict):
    """The lines of a sign in one language."""

    language: str
    lines: list[str]


class SignFace(TypedDict):
    """The content of one sign: its form, its lines in each language, and the odds if it lists them."""

    kind: str
    form: Sign
    texts: list[SignText]
    odds: list[OddsRow]


def local_day(facility: Facility, moment: dt.datetime | None) -> str | None:
    """The local day of a moment at this facility, if there is one."""
    return facility.local(moment).date().isoformat() if moment else None


def _law(snapshot: Snapshot) -> Jurisdiction:
    """The jurisdiction of the rules that the table deals."""
    return jurisdiction(edition(snapshot["rules"]["key"]).jurisdiction)


def notice_minutes(snapshot: Snapshot) -> int:
    """The notice of a change of limits; the casinos' practice at a table without rules in force."""
    key = snapshot["rules"].get("key")
    return _law(snapshot).limits_notice.seconds // 60 if key else PRACTICE_NOTICE_MINUTES


def values(snapshot: Snapshot, language: str) -> dict[str, str]:
    """The values of a wording's placeholders at this table."""
    rules, change = snapshot["rules"], snapshot["limits"]["pending"]
    limit = snapshot["round"]["game"].get("payout_limit_cents")
    values = {
        "table": snapshot["table"]["code"],
        "game": snapshot["table"]["game_name"],
        "min": dollars(snapshot["limits"]["min_cents"]),
        "max": dollars(snapshot["limits"]["max_cents"]),
        "rules": f"{rules['title']}, {rules['submission']} v{rules['version']}",
        "approved": day_in_words(rules["approved_on"]) if rules["approved_on"] else "",
        "limit": dollars(limit) if limit else "",
    }
    if change:
        values |= {"new_min": dollars(change["min_cents"]), "new_max": dollars(change["max_cents"])}
        values["from"] = change["from"] or AFTER_ANNOUNCEMENT[language].format(notice_minutes(snapshot))
    return values


def form_note(table: Table, line: str) -> str:
    """What a line of the inspection adds about its sign's form; empty for a line without a sign."""
    form = form_of(forms_of(table), SIGN_OF_LINE.get(line, ""))
    if form is None:
        return ""
    return " " + "Form version %(version)s, %(reference)s." % form


def has_content(snapshot: Snapshot, kind: str) -> bool:
    """Whether a sign of this kind has something to show at this table now."""
    if kind == "limits-change":
        return snapshot["limits"]["pending"] is not None
    if kind == "payout-limit":
        return bool(snapshot["round"]["game"].get("payout_limit_cents"))
    return True


def sign(snapshot: Snapshot, kind: str) -> SignFace:
    """One sign: its form, its lines in each language, and the odds if it lists them.

    Raises `no-approved-sign`, § 521.8(d), or `sign-has-nothing-to-say`.
    """
    form = form_of(snapshot["signs"], kind)
    if form is None:
        raise Refusal(NO_APPROVED_SIGN, _law(snapshot).section("signs.form"), kind=SignForm.Kind(kind).label)
    if not has_content(snapshot, kind):
        label = SignForm.Kind(kind).label
        raise Refusal(SIGN_HAS_NOTHING_TO_SAY, "", table=snapshot["table"]["code"], kind=label)
    texts: list[SignText] = [
        {"language": language, "lines": fill_wording(form["wording"][language], values(snapshot, language))}
        for language in LANGUAGES
        if language in form["wording"]
    ]
    return {"kind": kind, "form": form, "texts": texts, "odds": odds(snapshot) if kind == "odds" else []}


def board(snapshot: Snapshot) -> list[SignFace]:
    """Every sign of this table that has something to show, the coming change first."""
    return [
        sign(snapshot, kind)
        for kind in BOARD_KINDS
        if form_of(snapshot["signs"], kind) and has_content(snapshot, kind)
    ]


def odds(snapshot: Snapshot) -> list[OddsRow]:
    """The payout odds of the rules in force. Wagers of one family that pay alike share a line."""
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    count_by_family: dict[str, int] = {}
    for wager in snapshot["layout"]:
        pays = tuple(dict.fromkeys(wager["odds"]))
        if wager["family"] == "like-kind" and len(wager["odds"]) == FIRST_AND_EXTRA:
            pays = (wager["odds"][0], f"Extra Roll {wager['odds'][1]}")
        count_by_family[wager["family"]] = count_by_family.get(wager["family"], 0) + 1
        if pays:
            groups.setdefault((wager["family"], pays), []).append(wager["label"])
    return [
        {"label": _label(labels, len(labels) == count_by_family[family]), "pays": " · ".join(pays)}
        for (family, pays), labels in groups.items()
    ]


def _label(labels: list[str], is_whole_game: bool) -> str:
    """`Total 4, 17` for two labels; only their common words if the whole family pays the same."""
    if len(labels) == 1:
        return labels[0]
    shared = _common_words([label.split() for label in labels])
    return shared if is_whole_game else f"{shared} {', '.join(label[len(shared) + 1 :] for label in labels)}"


def _common_words(labels: list[list[str]]) -> str:
    """The words with which all of these labels begin."""
    words = []
    for word in zip(*labels, strict=False):
        if len(set(word)) > 1:
            break
        words.append(word[0])
    return " ".join(words)
