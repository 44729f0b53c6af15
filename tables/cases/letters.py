"""Letters to patrons: their words, the facts of the round that they state, and when the people may sign them.

The words are fixed by their SHA-256, which an entry has. They name a patron, so no entry has the words themselves.
"""

import datetime as dt
import hashlib
import json
from typing import Any, TypedDict

from games.engine import Refusal
from tables.cases.refusals import (
    LETTER_NOT_READ,
    LETTER_OUTDATED,
    LETTER_ROUND_DAMAGED,
    LETTER_SAYS_OTHERWISE,
)
from tables.core.entries import of_round
from tables.desk.round_paper import OUTCOME_WORDS, round_paper
from tables.desk.sheets.columns import section_in_words
from tables.models import Case, CaseLetter


class LetterWager(TypedDict):
    """A wager of the patron's seat, as the record settled it. Amounts are cents."""

    label: str
    stake_cents: int
    outcome: str
    why: str
    section: str
    paid_cents: int
    returned_cents: int


class LetterFacts(TypedDict):
    """What the record says of a round, in words, when a letter is written. `last` is its newest entry, `hash` in hex.

    Wagers, slips and `what_if` are those of the seat of the case; empty where it names none, because they would tell
    the patron what others wagered.
    """

    table: str
    round: int
    seat: int | None
    played: str
    rules: str
    dice: list[str]
    wagers: list[LetterWager]
    what_if: list[str]
    slips: list[str]
    sections: list[list[str]]
    stream: str
    last: int
    hash: str


def letter_facts(case: Case, moment: dt.datetime) -> LetterFacts | None:
    """Return what the record says of the round of a case; None where it names no round.

    Raises `letter-round-damaged` if the entries of the round are not as they were written, or settle otherwise.
    """
    if case.table is None or case.round is None:
        return None
    paper = round_paper(case.table, case.round, case.seat, moment=moment, printed_by="")
    if paper is None:
        return None
    if paper.faults:
        raise Refusal(LETTER_ROUND_DAMAGED, number=case.round, fault=paper.faults[0])
    rows = [row for row in paper.wagers if row.outcome != "struck"] if case.seat is not None else []
    sections = {row.cite: section_in_words(row.cite, row.code.partition(":")[0]) for row in rows if row.cite}
    return {
        "table": paper.table,
        "round": paper.number,
        "seat": case.seat,
        "played": paper.played,
        "rules": paper.rules,
        "dice": [
            f"Dice, {call.label[:1].lower()}{call.label[1:]}{', withdrawn' if call.is_withdrawn else ''}:"
            f" {' '.join(map(str, call.dice))}."
            for call in paper.calls
        ],
        "wagers": [
            {
                "label": f"{row.label}, play {row.play}" if row.play else row.label,
                "stake_cents": row.stake_cents,
                "outcome": OUTCOME_WORDS[row.outcome] + (f", {row.pays}" if row.pays else ""),
                "why": row.why,
                "section": row.section,
                "paid_cents": row.paid_cents,
                "returned_cents": row.returned_cents,
            }
            for row in rows
        ],
        "what_if": paper.what_if if case.seat is not None else [],
        "slips": paper.slips if case.seat is not None else [],
        "sections": [[cite, words] for cite, words in sorted(sections.items())],
        "stream": paper.stream,
        "last": paper.newest.seq,
        "hash": paper.newest.digest,
    }


def letter_sha256(letter: CaseLetter) -> str:
    """Return the SHA-256 of the words of a letter, in hex: of canonical JSON, with the case's own words."""
    case = letter.case
    words: dict[str, Any] = {
        "addressee": letter.addressee,
        "case": case.code,
        "cents": letter.cents,
        "facility": case.facility.code,
        "facts": letter.facts,
        "findings": letter.findings,
        "letter": letter.number,
        "outcome": letter.outcome,
        "reason": letter.reason,
        "says": case.params.get("about", ""),
    }
    text = json.dumps(words, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def letter_of(case: Case) -> CaseLetter | None:
    """Return the letter of a case that counts."""
    return case.letters.filter(counts=True).select_related("case__facility", "written_by").first()


def verify_signed_letter(case: Case, sha256: str, outcome: str, reason: str, cents: int) -> None:
    """Refuse a signature that does not fit the letter of the case. `sha256` is of the words that the person has read.

    Raises `letter-not-read`, `letter-says-otherwise`, or `letter-outdated` if the round got another entry.
    """
    letter = letter_of(case)
    if (letter.sha256 if letter else "") != sha256:
        raise Refusal(LETTER_NOT_READ, case=case.code)
    if letter is None:
        return
    if (letter.outcome, letter.reason, letter.cents or 0) != (outcome, reason, cents):
        raise Refusal(LETTER_SAYS_OTHERWISE, case=case.code)
    if letter.facts and case.table is not None:
        entries = of_round(case.table.stream, letter.facts["round"])
        if not entries or entries[-1].seq != letter.facts["last"]:
            raise Refusal(LETTER_OUTDATED, number=letter.facts["round"])
