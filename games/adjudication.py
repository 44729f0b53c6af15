"""Settles one round written as a line of JSON by the same rules as the floor.

Reads any bytes. Raises `BadLine` for anything that it cannot read or that the rules refuse.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

from games.engine.odds import in_dollars
from games.engine.refusals import BAD_SEAT, LIMIT_UNDER_THE_LEAST, Refusal
from games.engine.rules import Rules
from games.engine.wagers import Settled, Wager, WagerOutcome, settlement_order
from games.refusals import (
    KEY_MISSING,
    NOT_A_NUMBER,
    NOT_AN_OBJECT,
    NUMBER_TOO_LONG,
    REASON_NEEDED,
    REPEATED_KEY,
    REPEATED_WAGER,
    UNKNOWN_KEY,
    UNREADABLE_LINE,
    WRONG_VALUE,
)
from games.registry import game_of

ROUND_KEYS = frozenset({"id", "rules", "throws", "wagers", "payouts", "voided"})
WAGER_KEYS = frozenset({"seat", "wager", "cents"})
DIGITS_MOST = 1000  # more digits cannot be an amount; Python itself stops at 4300


class TooLong(int):
    """Stands in for a number with too many digits; it is no valid value anywhere."""


class AdjudicatedWager(TypedDict):
    """A settled wager. `play` belongs to single play wagers; `cut_cents` is there if the payout limit cut something."""

    seat: int
    wager: str
    play: NotRequired[int]
    cents: int
    outcome: WagerOutcome
    pays: str | None
    paid_cents: int
    returned_cents: int
    cite: str
    cut_cents: NotRequired[int]


class AdjudicatedRound(TypedDict):
    """The answer to a line. `order` has the indexes of `wagers` in the order of settlement."""

    id: str | int | None
    rules: str
    ending: str
    order: list[int]
    wagers: list[AdjudicatedWager]


class BadLine(Exception):
    """A line that cannot be adjudicated, with its id if that was readable, and the reason."""

    def __init__(self, id_: str | int | None, refusal: Refusal) -> None:
        super().__init__(id_, refusal)
        self.id = id_
        self.refusal = refusal


def adjudicate(line: bytes) -> AdjudicatedRound:
    """Return the settled round of one line, ready for JSON. Raises `BadLine`."""
    id_: str | int | None = None
    try:
        read, faults = _read(line)
        id_ = _id(read, faults)
        if faults:
            raise faults[0]
        return _adjudicated(id_, _round(read))
    except Refusal as refusal:
        raise BadLine(id_, refusal) from None


def _read(line: bytes) -> tuple[Any, list[Refusal]]:
    """Return the JSON value of a line, and faults that leave it readable."""
    faults: list[Refusal] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        entries = dict(items)
        if len(entries) != len(items):
            twice = sorted(key for key, times in Counter(key for key, _ in items).items() if times > 1)
            faults.extend(Refusal(REPEATED_KEY, key=key[:40]) for key in twice)
        return entries

    def constant(name: str) -> None:
        faults.append(Refusal(NOT_A_NUMBER, value=name))

    def whole(digits: str) -> int:
        if len(digits) > DIGITS_MOST:
            faults.append(Refusal(NUMBER_TOO_LONG, digits=len(digits)))
            return TooLong()
        return int(digits)

    try:
        text = line.decode("utf-8")
        value = json.loads(text, object_pairs_hook=pairs, parse_constant=constant, parse_int=whole)
    except (ValueError, RecursionError):
        raise Refusal(UNREADABLE_LINE) from None
    return value, faults


def _id(read: Any, faults: list[Refusal]) -> str | int | None:
    """Return the line's id if it is a string or an integer and given once."""
    id_ = read.get("id") if isinstance(read, dict) else None
    repeated = any(fault.params.get("key") == "id" for fault in faults)
    if type(id_) not in (str, int) or repeated:
        return None
    return id_


def _round(read: Any) -> Mapping[str, Any]:
    if not isinstance(read, dict):
        raise Refusal(NOT_AN_OBJECT, what="line")
    if not isinstance(read.get("rules"), str):
        raise Refusal(KEY_MISSING, key="rules")
    if "id" in read and type(read["id"]) not in (str, int):
        raise Refusal(WRONG_VALUE, key="id")
    return read


def _adjudicated(id_: str | int | None, read: Mapping[str, Any]) -> AdjudicatedRound:
    if read.get("payout_limit_cents", 1) is None:
        raise Refusal(WRONG_VALUE, key="payout_limit_cents")
    rules = Rules.of(read["rules"], _payouts(read), read.get("payout_limit_cents"))
    _verify_limit(rules)
    game = game_of(rules)
    _verify_keys(read, ROUND_KEYS | game.round_keys)
    voided = _voided(read)
    wagers = _wagers(rules, read)
    ending, settled = game.adjudicate(rules, _throws(read, voided), wagers, voided)
    return {
        "id": id_,
        "rules": read["rules"],
        "ending": ending,
        "order": settlement_order(settled),
        "wagers": [_as_line(settled_wager) for settled_wager in settled],
    }


def _verify_limit(rules: Rules) -> None:
    """Refuse a payout limit that no table may have, whatever its minimum (58 Pa. Code §§ 675a.5(e), 675a.6(l))."""
    limit = rules.payout_limit_cents
    if limit is not None and limit < (least := rules.least_payout_limit_cents(0)):
        section = rules.section("payout-limit")
        raise Refusal(LIMIT_UNDER_THE_LEAST, section, limit=in_dollars(limit), least=in_dollars(least))


def _payouts(read: Mapping[str, Any]) -> Mapping[str, Any]:
    payouts = read.get("payouts", {})
    if not isinstance(payouts, dict):
        raise Refusal(WRONG_VALUE, key="payouts")
    return payouts


def _voided(read: Mapping[str, Any]) -> str | None:
    if "voided" not in read:
        return None
    return _words(read["voided"], "voided")


def _throws(read: Mapping[str, Any], voided: str | None) -> list[Any]:
    """Return throws as lists of faces or {"void": reason}. The game checks their number and faces."""
    if "throws" not in read and voided is None:
        raise Refusal(KEY_MISSING, key="throws")
    throws = read.get("throws", [])
    if not isinstance(throws, list):
        raise Refusal(WRONG_VALUE, key="throws")
    for throw in throws:
        if isinstance(throw, dict):
            _verify_keys(throw, frozenset({"void"}))
            _words(throw.get("void"), "void")
        elif not isinstance(throw, list):
            raise Refusal(WRONG_VALUE, key="throws")
    return throws


def _wagers(rules: Rules, read: Mapping[str, Any]) -> list[Wager]:
    if not isinstance(read.get("wagers"), list):
        raise Refusal(WRONG_VALUE if "wagers" in read else KEY_MISSING, key="wagers")
    allowed_keys = WAGER_KEYS | game_of(rules).wager_keys
    wagers = [_wager(rules, line, allowed_keys) for line in read["wagers"]]
    wager_keys = set()
    for wager in wagers:
        if wager.key in wager_keys:
            raise Refusal(REPEATED_WAGER, seat=wager.seat, code=wager.code)
        wager_keys.add(wager.key)
    return wagers


def _wager(rules: Rules, line: Any, allowed_keys: frozenset[str]) -> Wager:
    if not isinstance(line, dict):
        raise Refusal(NOT_AN_OBJECT, what="wager")
    _verify_keys(line, allowed_keys)
    if not line.keys() >= WAGER_KEYS:
        raise Refusal(KEY_MISSING, key=min(WAGER_KEYS - line.keys()))
    seat, code, cents = line["seat"], line["wager"], line["cents"]
    if type(seat) is not int or seat < 1:
        raise Refusal(BAD_SEAT, rules.section("placement"), seat=str(seat)[:40])
    game_of(rules).verify_amount(rules, code, cents)  # a payout with a fraction of a cent is refused here
    if "play" in line and line["play"] is None:
        raise Refusal(WRONG_VALUE, key="play")
    game_of(rules).verify_play(rules, code, line.get("play"))
    return Wager(seat, code, cents, line.get("play"))


def _verify_keys(read: Mapping[str, Any], allowed_keys: frozenset[str]) -> None:
    if not read.keys() <= allowed_keys:
        raise Refusal(UNKNOWN_KEY, key=min(read.keys() - allowed_keys)[:40])


def _words(value: Any, key: str) -> str:
    if not isinstance(value, str) or not re.search(r"\S", value):
        raise Refusal(REASON_NEEDED, key=key)
    return value


def _as_line(settled: Settled) -> AdjudicatedWager:
    line: AdjudicatedWager = {
        "seat": settled.wager.seat,
        "wager": settled.wager.code,
        "play": settled.wager.play or 0,
        "cents": settled.wager.cents,
        "outcome": settled.outcome,
        "pays": None if settled.pays is None else str(settled.pays),
        "paid_cents": settled.paid_cents,
        "returned_cents": settled.returned_cents,
        "cite": settled.cite,
        "cut_cents": settled.cut_cents,
    }
    if settled.wager.play is None:
        del line["play"]
    if not settled.cut_cents:
        del line["cut_cents"]
    return line
