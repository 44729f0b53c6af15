"""The rules that a round pins: an edition, and the options that the rules submission chose.

They say what its terms are, what a wager pays, which shakers may be used, and how long dice may be used.
"""

import calendar
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property, lru_cache
from typing import Annotated, Any, NotRequired, TypedDict

from games.engine import editions
from games.engine.editions import Edition, Payout, ShakerKind
from games.engine.odds import Odds, Pays, Prize, verify_stated
from games.engine.refusals import (
    BAD_AMOUNT,
    NO_PAYOUT_LIMIT,
    NO_SUCH_FAMILY,
    ODDS_ARE_FIXED,
    ODDS_WORD_NOT_ALLOWED,
    PAYOUTS_ARE_EXACT,
    SHAKER_NOT_ALLOWED,
    SHAKER_NOT_FILED,
    TERMS_CHANGED,
    UNDER_THE_FLOOR,
    Refusal,
)

TERMS_FORMAT = 1
DEFAULT_WORD = "to"  # allowed by every edition (reading A18)


class Terms(TypedDict):
    """Everything that the money of a round depends on, as it is filed under its hash. Options may be absent."""

    format: Annotated[int, "version of the format of terms"]
    edition: str
    game: str
    payouts: Annotated[dict[str, str], "odds of every row of the paytable"]
    readings: Annotated[dict[str, bool], "how unclear sections of the edition are read, by name"]
    payout_limit_cents: NotRequired[Annotated[int, "aggregate payout limit of each player and round"]]
    odds_word: NotRequired[Annotated[str, "word by which odds are stated, if it is not `to`"]]
    increments: NotRequired[
        Annotated[dict[str, int], "cents of which a stake is a multiple, by wager family"]
    ]
    shakers: NotRequired[Annotated[dict[str, str], "procedure of each kind of shaker, in words"]]


@dataclass(frozen=True)
class Rules:
    """An edition with the options of a submission: pairs in the order of their names, empty if it has none.

    `overrides`: odds above the floors, by wager family of the paytable. `odds_word`: how odds are stated.
    `increments`: cents of which every stake of a wager family is a multiple. `shakers`: the kinds that the
    submission names, each with its procedure in words; if it names none, any kind that the edition allows may be
    used.
    """

    edition: Edition
    overrides: tuple[tuple[str, Odds], ...] = ()
    payout_limit_cents: int | None = None
    odds_word: str = DEFAULT_WORD
    increments: tuple[tuple[str, int], ...] = ()
    shakers: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(
        cls,
        key: str,
        payouts: Mapping[str, Any] | None = None,
        payout_limit_cents: int | None = None,
        *,
        odds_word: str = DEFAULT_WORD,
        increments: Mapping[str, int] | None = None,
        shakers: Mapping[str, str] | None = None,
    ) -> "Rules":
        """Return the rules of a key such as "pa-625a/B", with overrides such as {"total:4": "60 to 1"}.

        `payout_limit_cents` is the aggregate payout limit of each player and round, if one is filed. Raises what
        `editions.edition` raises; `payouts-are-exact` for an override if the edition sets no floors,
        `no-such-family`, `odds-are-fixed`, `under-the-floor`, `odds-unreadable`, `no-payout-limit`, `bad-amount`,
        `odds-word-not-allowed`, `shaker-not-allowed`.
        """
        edition = editions.edition(key)
        pairs = tuple(sorted((str(family), str(odds)) for family, odds in (payouts or {}).items()))
        steps, kinds = tuple(sorted((increments or {}).items())), tuple(sorted((shakers or {}).items()))
        if payout_limit_cents is not None:
            _verify_limit(edition, payout_limit_cents)
        _verify_word(edition, odds_word)
        for family, cents in steps:
            _verify_increment(edition, family, cents)
        for kind, _ in kinds:
            _verify_shaker(edition, kind)
        return _rules(edition, pairs, payout_limit_cents, odds_word, steps, kinds)

    @classmethod
    def from_terms(cls, terms: Terms) -> "Rules":
        """Return the rules of a submission's terms. Raises `terms-changed` if these rules have other terms now."""
        base = cls.of(terms["edition"]).terms()["payouts"]
        changed = {family: odds for family, odds in terms["payouts"].items() if base.get(family) != odds}
        rules = cls.of(
            terms["edition"],
            changed,
            terms.get("payout_limit_cents"),
            odds_word=terms.get("odds_word", DEFAULT_WORD),
            increments=terms.get("increments"),
            shakers=terms.get("shakers"),
        )
        if rules.terms() != terms:
            raise Refusal(TERMS_CHANGED, rules=terms["edition"])
        return rules

    def terms(self) -> Terms:
        """Return everything that the money of a round depends on, ready for JSON. The same rules always give the
        same terms.

        An option without a value is left out, so that terms from before the option existed stay the same.
        """
        terms: Terms = {
            "format": TERMS_FORMAT,
            "edition": self.edition.key,
            "game": self.edition.game,
            "payouts": {code: str(payout.odds) for code, payout in sorted(self.payouts.items())},
            "readings": dict(sorted(self.edition.readings.items())),
        }
        if self.payout_limit_cents is not None:
            terms["payout_limit_cents"] = self.payout_limit_cents
        if self.odds_word != DEFAULT_WORD:
            terms["odds_word"] = self.odds_word
        if self.increments:
            terms["increments"] = dict(self.increments)
        if self.shakers:
            terms["shakers"] = dict(self.shakers)
        return terms

    @property
    def key(self) -> str:
        """Return the dated key, for instance "pa-625a@2019-08-31/A"."""
        return self.edition.key

    @cached_property
    def payouts(self) -> Mapping[str, Payout]:
        """Return odds and citation of every row, the submission's odds if they pay more."""
        rows = dict(self.edition.payouts)
        rows.update((family, Payout(odds, rows[family].cite)) for family, odds in self.overrides)
        return rows

    def section(self, duty: str, shaker: str | None = None) -> str:
        """Return the citation of a duty, "" if this edition says nothing. KeyError for a duty that no edition
        names.
        """
        kind = self.edition.shakers.get(shaker) if shaker else None
        if kind and duty in kind.sections:
            return kind.sections[duty]
        if duty not in editions.duties():
            raise KeyError(duty)
        return self.edition.sections.get(duty, "")

    def shaker(self, kind: str) -> ShakerKind:
        """Return what the edition says about a kind of shaker. Raises `shaker-not-allowed`."""
        shaker = self.edition.shakers.get(kind)
        if shaker is None:
            raise Refusal(SHAKER_NOT_ALLOWED, self.section("shaker"), kind=kind)
        return shaker

    def verify_shaker_filed(self, kind: str) -> None:
        """Raise `shaker-not-filed` if the submission names kinds of shaker, but not this one."""
        if self.shakers and kind not in dict(self.shakers):
            raise Refusal(SHAKER_NOT_FILED, self.section("shaker", kind), kind=kind)

    def increment(self, family: str) -> int:
        """Return the cents of which every stake of a wager family is a multiple: 1 if the submission names no
        increment.
        """
        return dict(self.increments).get(family, 1)

    def witness(self, duty: str) -> str | None:
        """Return the lowest role that witnesses a duty, for instance "floorperson"; None if no witness is named."""
        roles = self.edition.witnesses.get(duty)
        return roles[0] if roles else None

    def least_payout_limit_cents(self, min_cents: int) -> int:
        """Return the lowest aggregate payout limit that a table with this minimum wager may have (reading A30).

        KeyError for an edition without such a limit.
        """
        floors = self.edition.limit_floors
        return max(floors["cents"], floors["times"] * min_cents)

    def state_odds(self, odds: Pays, word: str | None = None) -> str:
        """Return odds as players may read them, with the submission's word or another one.

        "6 to 1", or "1 wins 6" or "1 win 6" if the edition allows it. Raises `odds-word-not-allowed`.
        """
        word = word or self.odds_word
        _verify_word(self.edition, word)
        if word == DEFAULT_WORD or isinstance(odds, Prize):
            return str(odds)
        return f"{odds.per} {word} {odds.to}"

    def verify_odds_text(self, text: str) -> None:
        """Raise `odds-said-for` if a layout, sign or guide would state odds with "for"."""
        verify_stated(text, self.section("odds-words"))


@lru_cache(maxsize=512)
def _rules(
    edition: Edition, pairs: tuple[tuple[str, str], ...], limit_cents: int | None, *options: Any
) -> Rules:
    odds = tuple(_override(edition, family, written) for family, written in pairs)
    return Rules(edition, odds, limit_cents, *options)


def _verify_word(edition: Edition, word: str) -> None:
    """Refuse a word that the edition does not allow: 58 Pa. Code §§ 539.6(a), 625a.6(c), N.J.A.C. 19:47-9.4(a)
    (A18).
    """
    if word not in edition.odds_words:
        section = edition.sections.get("odds-words") or edition.sections["odds"]
        raise Refusal(ODDS_WORD_NOT_ALLOWED, section, word=str(word)[:40])


def _verify_increment(edition: Edition, family: str, cents: Any) -> None:
    """Refuse an increment that § 521.7(d) does not allow."""
    section = edition.sections.get("increments") or edition.sections["odds"]
    if family not in {code.split(":")[0] for code in edition.wagers}:
        raise Refusal(NO_SUCH_FAMILY, section, family=str(family)[:40])
    if type(cents) is not int or cents < 1:
        raise Refusal(BAD_AMOUNT, section, cents=str(cents)[:40])


def _verify_shaker(edition: Edition, kind: str) -> None:
    if kind not in edition.shakers:
        raise Refusal(SHAKER_NOT_ALLOWED, edition.sections.get("shaker", ""), kind=str(kind)[:40])


def _verify_limit(edition: Edition, cents: Any) -> None:
    """Refuse what no limit may be. The floor of a filed limit depends on the table's minimum (reading A30)."""
    section = edition.sections.get("payout-limit", "")
    if not edition.limit_floors:
        raise Refusal(NO_PAYOUT_LIMIT, section)
    if type(cents) is not int or cents < 1:
        raise Refusal(BAD_AMOUNT, section, cents=str(cents)[:40])


def _override(edition: Edition, family: str, written: str) -> tuple[str, Odds]:
    """Return one override, checked against its floor: N.J.A.C. 19:47-9.4(b), 58 Pa. Code § 539.6(b)."""
    section = edition.sections["odds"]
    if not edition.sets_floors:
        raise Refusal(PAYOUTS_ARE_EXACT, section, family=family[:40])
    if any(code.split("/")[0] == family.split("/")[0] for code in edition.fixed):
        raise Refusal(ODDS_ARE_FIXED, section, family=family[:40])
    if family not in edition.payouts:
        raise Refusal(NO_SUCH_FAMILY, section, family=family[:40])
    odds, floor = Odds.parse(written), edition.payouts[family].odds
    if odds.ratio() < floor.ratio():
        raise Refusal(UNDER_THE_FLOOR, section, family=family, odds=str(odds), floor=str(floor))
    return family, odds


# How long dice may be used: 58 Pa. Code §§ 539.2(b), 625a.2(b). In New Jersey it is a setting of the facility.


A_DAY = timedelta(hours=24)


def dice_expiry(rules: Rules, shaker_kind: str, placed_at: datetime, attested: bool) -> tuple[datetime, str]:
    """Return the moment from which no new shake may begin with these dice, and the section that says so.

    `placed_at` is when they were put into the shaker (or locked in it), in the facility's time zone. A calendar
    month keeps its clock time and ends at the latest on the last day of the month; 24 hours are elapsed time.
    `attested` says that the lot meets § 603a.12(c); without it the dice of an automated shaker have 24 hours too.
    Raises `shaker-not-allowed`, and ValueError for a moment without a time zone.
    """
    if placed_at.tzinfo is None:
        raise ValueError("placed_at needs a time zone")
    kind = rules.shaker(shaker_kind)
    section = rules.section("dice-clock-automated" if kind.automated else "dice-clock-manual")
    if kind.months and attested:
        return months_after(placed_at, kind.months), section
    return (placed_at.astimezone(UTC) + A_DAY).astimezone(placed_at.tzinfo), section


def months_after(moment: datetime, months: int) -> datetime:
    """Return the same day and clock time some months later, or the last day of a shorter month."""
    years, month = divmod(moment.month - 1 + months, 12)
    year, month = moment.year + years, month + 1
    day = min(moment.day, calendar.monthrange(year, month)[1])
    return moment.replace(year=year, month=month, day=day)
