"""The signs at a table, drawn from its snapshot alone: limits, their coming change, payout odds, payout limit, rules.

Each sign stands under the approved form that the table's record last told of (§ 521.8(d)). A sign shows what holds here
and nothing else: no roll, no trend, nothing that foretells (§ 521.6, reading A03).
"""

import datetime as dt
import uuid
from functools import lru_cache
from typing import TypedDict, cast

from games.engine import Refusal
from games.engine.editions import edition
from games.jurisdictions import jurisdiction
from games.models import Facility, SignForm
from games.office.signs.forms import LANGUAGES, filled, verify_form
from tables.models import LimitsChange, Table
from tables.snapshot_types import PendingLimits, Sign, SignKind, Snapshot
from tables.words.sentences import dollars, moment

BOARD_KINDS = ("limits-change", "limits", "payout-limit", "odds", "rules")
AFTER_ANNOUNCEMENT = {
    "en": "30 minutes after the announcement",
    "es": "30 minutos después del anuncio",
    "zh": "宣布后30分钟",
}
FIRST_AND_EXTRA = 2  # High Roll pays a Like Kind by its first roll, and by the Extra Roll
# Lines of an inspection that a sign answers
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
    """What stands on one sign: its form, its lines in each language, and the odds where it gives them."""

    kind: str
    form: Sign
    texts: list[SignText]
    odds: list[OddsRow]


def forms_of(table: Table) -> list[Sign]:
    """The forms that the record last told of here, as the snapshot shows them."""
    return list(_forms(table.uid, table.recorded_sign_ids))


@lru_cache(maxsize=1024)
def _forms(uid: uuid.UUID, recorded: str) -> tuple[Sign, ...]:
    """A form's text never changes, so that each set of them is read once for a table."""
    rows = SignForm.objects.filter(pk__in=[int(key) for key in recorded.split()])
    return tuple(_form(form) for form in rows.select_related("facility"))


def form_of(forms: list[Sign], kind: str) -> Sign | None:
    """The form of this kind among those of a snapshot."""
    return next((form for form in forms if form["kind"] == kind), None)


def _form(form: SignForm) -> Sign:
    return {
        "kind": cast(SignKind, form.kind),
        "version": form.version,
        "approved_on": local_day(form.facility, form.decided_at),
        "reference": form.reference,
        "location": form.location,
        "width_mm": form.width_mm,
        "height_mm": form.height_mm,
        "wording": form.wording,
    }


def local_day(house: Facility, moment: dt.datetime | None) -> str | None:
    """The day of a moment by the house's calendar; None where there is none."""
    return house.local(moment).date().isoformat() if moment else None


def pending_change_data(table: Table, change: LimitsChange | None, now: dt.datetime) -> PendingLimits | None:
    """The change under way as the snapshot shows it; None where none is."""
    if change is None:
        return None
    begins = change.effective_at
    return {
        "number": change.number,
        "min_cents": change.min_cents,
        "max_cents": change.max_cents,
        "asked_at": moment(change.asked_at),
        "posted_at": moment(change.posted_at),
        "announced_at": moment(change.announced_at),
        "announced_by": change.announced_by.short_name if change.announced_by else None,
        "effective_at": moment(begins),
        "from": _clock_time(table, begins) if begins else None,
        "due": begins is not None and now >= begins,
        "say": _announcement(change),
    }


def _clock_time(table: Table, moment: dt.datetime) -> str:
    """A moment as people at this table read it on a clock, rounded up to the minute: `2:32 PM`."""
    local = table.facility.local(moment)
    if local.second or local.microsecond:
        local = local.replace(second=0, microsecond=0) + dt.timedelta(minutes=1)
    return f"{local.hour % 12 or 12}:{local:%M} {local:%p}"


def _announcement(change: LimitsChange) -> str:
    """The words of the announcement."""
    low, high = dollars(change.min_cents), dollars(change.max_cents)
    return f"In 30 minutes the limits at this table change: minimum {low}, maximum {high}."


def verify_form_in_force(table: Table, kind: str) -> None:
    """Raises `no-approved-sign` where the form that the record told of here is in force no more, § 521.8(d)."""
    form = verify_form(table.facility, kind, table.game)
    if str(form.pk) not in table.recorded_sign_ids.split():
        raise Refusal(
            "no-approved-sign", table.facility.law.section("signs.form"), kind=form.get_kind_display()
        )


def _form_section(s: Snapshot) -> str:
    """The section on forms of signs in the jurisdiction of the rules that the table deals."""
    return jurisdiction(edition(s["rules"]["key"]).jurisdiction).section("signs.form")


def values(s: Snapshot, language: str) -> dict[str, str]:
    """What the placeholders of a wording stand for at this table."""
    rules, change = s["rules"], s["limits"]["pending"]
    limit = s["round"]["game"].get("payout_limit_cents")
    values = {
        "table": s["table"]["code"],
        "game": s["table"]["game_name"],
        "min": dollars(s["limits"]["min_cents"]),
        "max": dollars(s["limits"]["max_cents"]),
        "rules": f"{rules['title']}, {rules['submission']} v{rules['version']}",
        "approved": day(rules["approved_on"]) if rules["approved_on"] else "",
        "limit": dollars(limit) if limit else "",
    }
    if change:
        values |= {"new_min": dollars(change["min_cents"]), "new_max": dollars(change["max_cents"])}
        values["from"] = change["from"] or AFTER_ANNOUNCEMENT[language]
    return values


def form_note(table: Table, line: str) -> str:
    """What a line of the inspection says besides of the form of its sign; empty where it is about none."""
    form = form_of(forms_of(table), SIGN_OF_LINE.get(line, ""))
    if form is None:
        return ""
    return " " + "Form version %(version)s, %(reference)s." % form


def day(written: str) -> str:
    """`12 Jan 2026` of `2026-01-12`."""
    day = dt.date.fromisoformat(written)
    return f"{day.day} {day:%b %Y}"


def has_content(s: Snapshot, kind: str) -> bool:
    """Whether a sign of this kind has anything to tell at this table now."""
    if kind == "limits-change":
        return s["limits"]["pending"] is not None
    if kind == "payout-limit":
        return bool(s["round"]["game"].get("payout_limit_cents"))
    return True


def sign(s: Snapshot, kind: str) -> SignFace:
    """One sign: its form, its lines in each language, and the odds where it gives them.

    Raises `no-approved-sign`, § 521.8(d), or `sign-has-nothing-to-say`.
    """
    form = form_of(s["signs"], kind)
    if form is None:
        raise Refusal("no-approved-sign", _form_section(s), kind=SignForm.Kind(kind).label)
    if not has_content(s, kind):
        label = SignForm.Kind(kind).label
        raise Refusal("sign-has-nothing-to-say", "", table=s["table"]["code"], kind=label)
    texts: list[SignText] = [
        {"language": language, "lines": filled(form["wording"][language], values(s, language))}
        for language in LANGUAGES
        if language in form["wording"]
    ]
    return {"kind": kind, "form": form, "texts": texts, "odds": odds(s) if kind == "odds" else []}


def board(s: Snapshot) -> list[SignFace]:
    """Every sign that may stand at this table and has something to tell, the coming change first."""
    return [sign(s, kind) for kind in BOARD_KINDS if form_of(s["signs"], kind) and has_content(s, kind)]


def odds(s: Snapshot) -> list[OddsRow]:
    """The payout odds of the rules in force: wagers of a family that pay alike stand on one line."""
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    size: dict[str, int] = {}
    for wager in s["layout"]:
        pays = tuple(dict.fromkeys(wager["odds"]))
        if wager["family"] == "like-kind" and len(wager["odds"]) == FIRST_AND_EXTRA:
            pays = (wager["odds"][0], f"Extra Roll {wager['odds'][1]}")
        size[wager["family"]] = size.get(wager["family"], 0) + 1
        if pays:
            groups.setdefault((wager["family"], pays), []).append(wager["label"])
    return [
        {"label": _label(labels, len(labels) == size[family]), "pays": " · ".join(pays)}
        for (family, pays), labels in groups.items()
    ]


def _label(labels: list[str], is_whole_game: bool) -> str:
    """`Total 4, 17` of two labels; only what they share where the whole family pays so."""
    if len(labels) == 1:
        return labels[0]
    shared = _common_words([label.split() for label in labels])
    return shared if is_whole_game else f"{shared} {', '.join(label[len(shared) + 1 :] for label in labels)}"


def _common_words(labels: list[list[str]]) -> str:
    """The words with which all of these begin."""
    words = []
    for word in zip(*labels, strict=False):
        if len(set(word)) > 1:
            break
        words.append(word[0])
    return " ".join(words)
