"""The slips of a round as its page shows them, what their dialogs offer, and the preview of one before it is signed.

`panel_of` is the context `slips` of `tables/slips/panel.html` and `tables/slips/dialogs.html`.
"""

import datetime as dt
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.urls import reverse

from audit.models import Entry, Person
from games import submissions
from games.engine import Refusal, Rules
from games.engine.odds import in_dollars
from games.registry import game_of
from tables.core.entries import COLUMNS, MISSHAPEN, RecordedEntry, read
from tables.core.permissions import AT_THE_TABLE, FLOOR, STAFFERS, has_work_for, is_assigned
from tables.corrections import slips
from tables.corrections.correction import Correction
from tables.corrections.outcomes import RoundOutcome, outcome_of
from tables.corrections.words import CHIPS, FIGURES, KINDS, OUTCOMES, moved_in_words, owed_in_words
from tables.models import Assignment, Round, Slip, Table
from tables.rounds.layout import labels
from tables.words.sentences import say

PLAYS = range(1, 7)


def panel_of(table: Table, round_: Round, person: Person) -> dict[str, Any]:
    """Every slip of a round, the oldest first, and for those who may file one what the dialogs offer.

    `filed` is the list; `form` is None where this person files nothing, and `may_file` says whether a slip can be
    filed now: the round has ended and is settled. `damaged` is a sentence where the record of the round was changed.
    """
    rules = submissions.rules_of(round_.submission)
    kept = Slip.objects.filter(round=round_).order_by("number")
    found = list(kept.select_related("filed_by", "filed_with", "settled_by", "settled_with"))
    works = person.role in AT_THE_TABLE and has_work_for(person, table) and is_assigned(person, table)
    stand, damaged = _stand_of(round_) if round_.ended_at is not None else (None, "")
    return {
        "round": round_.number,
        "game": table.game,
        "ended": round_.ended_at is not None,
        "filed": _shown(table, rules, found),
        "damaged": damaged,
        "may_file": works and stand is not None,
        "settles": works and not damaged,
        "form": _form(table, round_, rules, stand, person) if works else None,
    }


def _stand_of(round_: Round) -> tuple[RoundOutcome | None, str]:
    """How the round stands, or why nobody can say so."""
    try:
        return outcome_of(round_), ""
    except Refusal as refusal:
        return None, say(refusal)


# The list


def _shown(table: Table, rules: Rules, found: list[Slip]) -> list[dict[str, Any]]:
    asked = {seq for slip in found for seq in (slip.filed_seq, slip.settled_seq) if seq}
    rows = Entry.objects.filter(stream=table.stream_id, seq__in=asked).values_list(*COLUMNS)
    said = {told.seq: told for told in map(read, rows)}
    return [_slip(table, rules, slip, said) for slip in found]


def _slip(table: Table, rules: Rules, slip: Slip, said: dict[int, RecordedEntry]) -> dict[str, Any]:
    """`mended` is None where the slip's own entry cannot be read; the rest is of its row."""
    filed, end = said.get(slip.filed_seq), None
    if slip.settled_at is not None and slip.settled_seq != slip.filed_seq:
        moved = said.get(slip.settled_seq or 0)
        end = {
            "at": _moment(table, slip.settled_at),
            "seq": slip.settled_seq,
            "signed": _signed(slip.settled_by, slip.settled_with),
            "moved": moved_in_words(slip.handed_over),
            "reason": str(moved.data.get("reason", "")) if moved else "",
        }
    return {
        "code": slip.code,
        "kind": slip.kind,
        "label": str(KINDS[slip.kind]),
        "at": _moment(table, slip.filed_at),
        "corrects_seq": slip.corrects_seq,
        "seq": slip.filed_seq,
        "reason": slip.reason,
        "signed": _signed(slip.filed_by, slip.filed_with),
        "mended": _read(lambda: _mended(rules, slip.kind, filed.data["mended"])) if filed else None,
        "figures": _figures(slip.before, slip.after),
        "owed": owed_in_words(slip.due),
        "due": json.dumps(slip.due),
        "open": slip.status == Slip.Status.FILED,
        "settled": end,
    }


def _read(words: Callable[[], list[dict[str, Any]]]) -> list[dict[str, Any]] | None:
    """These words of an entry; None where it has another shape than it was written in."""
    try:
        return words()
    except MISSHAPEN:
        return None


def _moment(table: Table, at: dt.datetime) -> str:
    """`22 Nov, 21:49` by the clocks of the house."""
    return table.facility.local(at).strftime("%-d %b, %H:%M")


def _signed(*people: Person | None) -> list[dict[str, str]]:
    return [{"name": one.short_name, "role": one.get_role_display().lower()} for one in people if one]


def _mended(rules: Rules, kind: str, mended: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What was recorded, and what it was in fact: dice, or words of each."""
    if kind == Slip.Kind.DICE:
        arranged = game_of(rules).arranged
        dice = {name: list(arranged(mended[name])) for name in ("before", "after")}
        return [{"dice": True, "what": "", **dice}]
    if kind == Slip.Kind.WAGER:
        return [_mended_wager(rules, one) for one in mended["wagers"]]
    if kind == Slip.Kind.PAYMENT:
        return [shown for one in mended["payments"] for shown in _mended_payment(one)]
    return []


def _mended_wager(rules: Rules, one: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "what": _named(rules, one),
        "before": _lay(one["before_cents"]),
        "after": _lay(one["after_cents"]),
        "besides": "" if one["chips"] == "recorded" else str(CHIPS[one["chips"]]),
    }


def _mended_payment(one: Mapping[str, int]) -> Iterable[dict[str, Any]]:
    for name, figure in (("paid", "paid_cents"), ("taken", "taken_cents")):
        settled, handed = one[f"settled_{figure}"], one[f"handed_{figure}"]
        if settled != handed:
            yield {
                "what": f"Seat {one['seat']}",
                "before": f"{in_dollars(settled)} {FIGURES[name]}",
                "after": f"{in_dollars(handed)} in fact",
            }


def _named(rules: Rules, one: Mapping[str, Any]) -> str:
    """`Seat 3, Total 9`, and of a single play wager its play."""
    play = f", play {one['play']}" if one.get("play") else ""
    return f"Seat {one['seat']}, {labels(rules).get(one['wager'], one['wager'])}{play}"


def _lay(cents: int) -> str:
    return in_dollars(cents) if cents else "nothing"


def _figures(before: Mapping[str, int], after: Mapping[str, int]) -> list[dict[str, Any]]:
    """Both figures of each total, the win of the house among them; none where the settlement stands as it was."""
    if before == after:
        return []
    both = [(name, before[f"{name}_cents"], after[f"{name}_cents"]) for name in ("taken", "paid", "returned")]
    was, now = (one["taken_cents"] - one["paid_cents"] for one in (before, after))
    both.append(("win", was, now))
    return [
        {"label": str(FIGURES[name]).capitalize(), "before": was, "after": now, "changed": was != now}
        for name, was, now in both
    ]


# The dialogs


def _form(
    table: Table, round_: Round, rules: Rules, stand: RoundOutcome | None, person: Person
) -> dict[str, Any] | None:
    """What the dialogs offer: throws, wagers and seats as they stand, and who may sign as the second person."""
    place = [table.facility.code, table.code]
    form: dict[str, Any] = {
        "signers": _signers(table, person),
        "is_manager": person.role in STAFFERS,
        "file": reverse("act", args=[*place, "file_slip"]),
        "settle": reverse("act", args=[*place, "settle_slip"]),
        "preview": reverse("slip-preview", args=[*place, round_.number]),
    }
    if stand is None:
        return form
    plays = "play" in game_of(rules).wager_keys
    return form | {
        "kinds": [{"code": code, "label": str(label)} for code, label in KINDS.items()],
        "chips": [{"code": code, "label": str(label)} for code, label in CHIPS.items()],
        "throws": _throws(rules, stand),
        "lines": [_line(rules, line) for line in sorted(stand.lines, key=lambda line: line["seat"])],
        "types": [_type(rules, code, label) for code, label in labels(rules).items()],
        "plays": list(PLAYS) if plays else [],
        "seats": _seats(table, stand),
    }


def _signers(table: Table, person: Person) -> list[dict[str, Any]]:
    """Who may sign besides: where the actor is not of the floor, the floor alone."""
    roles = AT_THE_TABLE if person.role in FLOOR else FLOOR
    duty = Assignment.objects.at(table).filter(person__role__in=roles, person__is_active=True)
    people = {one.person_id: one.person for one in duty.select_related("person")}
    return [
        {
            "code": one.code,
            "name": one.name,
            "role": one.get_role_display().lower(),
            "manages": one.role in STAFFERS,
        }
        for one in sorted(people.values(), key=lambda one: (one.role not in FLOOR, one.name))
        if one.pk != person.pk and has_work_for(one, table)
    ]


def _throws(rules: Rules, stand: RoundOutcome) -> list[dict[str, Any]]:
    return [
        {"number": one.number, "place": place, "dice": list(game_of(rules).arranged(one.dice))}
        for place, one in enumerate(stand.throws, start=1)
    ]


def _line(rules: Rules, line: slips.Line) -> dict[str, Any]:
    return {
        "seat": line["seat"],
        "wager": line["wager"],
        "play": line.get("play") or "",
        "label": labels(rules).get(line["wager"], line["wager"]),
        "cents": line["cents"],
        "said": _said(line),
    }


def _type(rules: Rules, code: str, label: str) -> dict[str, Any]:
    try:
        game_of(rules).verify_play(rules, code, None)
    except Refusal:
        return {"code": code, "label": label, "single": True}
    return {"code": code, "label": label, "single": False}


def _seats(table: Table, stand: RoundOutcome) -> list[dict[str, Any]]:
    settled, nothing = slips.by_seat(stand.lines), slips.totals(())
    return [{"seat": seat, **settled.get(seat, nothing)} for seat in range(1, table.seats + 1)]


# The preview


def preview_of(table: Table, round_: Round, found: Correction) -> dict[str, Any]:
    """What a slip would change, and what each seat is owed by it: shown before anybody signs."""
    rules = submissions.rules_of(round_.submission)
    return {
        "corrects": found.corrects.seq,
        "due": [{**one, "sum": in_dollars(abs(one["cents"]))} for one in found.due],
        "figures": _figures(found.before, found.after),
        "changed": _changed(rules, found),
    }


def _changed(rules: Rules, found: Correction) -> list[dict[str, Any]]:
    """The wagers that end otherwise than they did, by seat."""
    before = {slips.key_of(line): line for line in found.was}
    after = {slips.key_of(line): line for line in found.lines}
    changed = []
    for key in sorted({**before, **after}, key=lambda key: (key[0], key[1], key[2] or 0)):
        was, now = before.get(key), after.get(key)
        if _money(was) != _money(now):
            said = was or now or {}
            changed.append({"what": _named(rules, said), "before": _said(was), "after": _said(now)})
    return changed


def _money(line: slips.Line | None) -> tuple[Any, ...]:
    return (
        (line["outcome"], line["cents"], line["paid_cents"], line["returned_cents"])
        if line
        else ("", 0, 0, 0)
    )


def _said(line: slips.Line | None) -> str:
    """`won $120 on $20`, `lost $20`, `$20 returned`; a wager that is not there is `nothing`."""
    if line is None:
        return str(OUTCOMES[""])
    figures = {"paid": in_dollars(line["paid_cents"]), "stake": in_dollars(line["cents"])}
    return str(OUTCOMES[line["outcome"]]) % figures
