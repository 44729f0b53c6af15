"""The rules that a round pins: an edition, and what the rules submission pays above its floors."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from games.engine import editions
from games.engine.editions import Edition, Payout, ShakerKind
from games.engine.odds import Odds, Pays, Prize, verify_stated
from games.engine.refusals import Refusal

if TYPE_CHECKING:
    from games.engine.rounds import Game

TERMS_FORMAT = 1


@dataclass(frozen=True)
class Rules:
    """An edition with its overrides, pairs of wager family and odds in the order of the family."""

    edition: Edition
    overrides: tuple[tuple[str, Odds], ...] = ()
    payout_limit_cents: int | None = None

    @classmethod
    def of(
        cls, key: str, payouts: Mapping[str, Any] | None = None, payout_limit_cents: int | None = None
    ) -> "Rules":
        """The rules of a key such as "pa-625a/B", with overrides such as {"total:4": "60 to 1"}.

        `payout_limit_cents` is the aggregate payout limit of each player and round, where one is filed. Raises what
        `editions.edition` raises; `payouts-are-exact` for an override where the edition sets no floors,
        `no-such-family`, `odds-are-fixed`, `under-the-floor`, `odds-unreadable`, `no-payout-limit`, `bad-amount`.
        """
        chosen = editions.edition(key)
        pairs = tuple(sorted((str(family), str(odds)) for family, odds in (payouts or {}).items()))
        if payout_limit_cents is not None:
            _verify_limit(chosen, payout_limit_cents)
        return _rules(chosen, pairs, payout_limit_cents)

    @classmethod
    def from_terms(cls, terms: Mapping[str, Any]) -> "Rules":
        """The rules of a submission's terms; raises `terms-changed` if they no longer say the same."""
        base = cls.of(terms["edition"]).terms()["payouts"]
        changed = {family: odds for family, odds in terms["payouts"].items() if base.get(family) != odds}
        rules = cls.of(terms["edition"], changed, terms.get("payout_limit_cents"))
        if rules.terms() != terms:
            raise Refusal("terms-changed", rules=terms["edition"])
        return rules

    def terms(self) -> dict[str, Any]:
        """Everything a round's money rests on, ready for JSON; the same rules always give the same terms."""
        limit = {} if self.payout_limit_cents is None else {"payout_limit_cents": self.payout_limit_cents}
        return {
            "format": TERMS_FORMAT,
            "edition": self.edition.key,
            "game": self.edition.game,
            "payouts": {code: str(payout.odds) for code, payout in sorted(self.payouts.items())},
            "readings": dict(sorted(self.edition.readings.items())),
            **limit,
        }

    @property
    def key(self) -> str:
        """The dated key, for instance "pa-625a@2019-08-31/A"."""
        return self.edition.key

    @cached_property
    def game(self) -> "Game":
        """The game that these rules are for; `rules.edition.game` is its code."""
        from games.engine.registry import game

        return game(self.edition.game)

    @cached_property
    def payouts(self) -> Mapping[str, Payout]:
        """Odds and citation of every row, the submission's where it pays more."""
        rows = dict(self.edition.payouts)
        rows.update((family, Payout(odds, rows[family].cite)) for family, odds in self.overrides)
        return rows

    def section(self, duty: str, shaker: str | None = None) -> str:
        """The citation of a named duty, "" where this edition is silent; KeyError for a name nobody uses."""
        kind = self.edition.shakers.get(shaker) if shaker else None
        if kind and duty in kind.sections:
            return kind.sections[duty]
        if duty not in duties():
            raise KeyError(duty)
        return self.edition.sections.get(duty, "")

    def shaker(self, kind: str) -> ShakerKind:
        """What the edition says of a kind of shaker; raises `shaker-not-allowed`."""
        found = self.edition.shakers.get(kind)
        if found is None:
            raise Refusal("shaker-not-allowed", self.section("shaker"), kind=kind)
        return found

    def witness(self, duty: str) -> str | None:
        """The least role before whom a duty is done, for instance "floorperson"; None where none is named."""
        roles = self.edition.witnesses.get(duty)
        return roles[0] if roles else None

    def least_payout_limit_cents(self, min_cents: int) -> int:
        """The least aggregate payout limit that may stand at a table of this minimum wager (reading A30).

        KeyError for an edition that knows no such limit.
        """
        floors = self.edition.limit_floors
        return max(floors["cents"], floors["times"] * min_cents)

    def state_odds(self, odds: Pays, word: str = "to") -> str:
        """Odds as players may read them: "6 to 1", or "1 wins 6", "1 win 6" where the edition allows it.

        Raises `odds-word-not-allowed`.
        """
        if word not in self.edition.odds_words:
            raise Refusal("odds-word-not-allowed", self.section("odds-words"), word=word)
        if word == "to" or isinstance(odds, Prize):
            return str(odds)
        return f"{odds.per} {word} {odds.to}"

    def verify_odds_text(self, text: str) -> None:
        """Raises `odds-said-for` where a layout, sign or guide would state odds with "for"."""
        verify_stated(text, self.section("odds-words"))


@lru_cache(maxsize=1)
def duties() -> frozenset[str]:
    """Every duty that any edition names."""
    return frozenset(duty for one in editions.all_editions().values() for duty in one.sections)


@lru_cache(maxsize=512)
def _rules(edition: Edition, pairs: tuple[tuple[str, str], ...], limit_cents: int | None) -> Rules:
    return Rules(edition, tuple(_override(edition, family, odds) for family, odds in pairs), limit_cents)


def _verify_limit(edition: Edition, cents: Any) -> None:
    """What any limit must be. The floor of a filed one depends on the table's minimum (reading A30)."""
    section = edition.sections.get("payout-limit", "")
    if not edition.limit_floors:
        raise Refusal("no-payout-limit", section)
    if type(cents) is not int or cents < 1:
        raise Refusal("bad-amount", section, cents=str(cents)[:40])


def _override(edition: Edition, family: str, written: str) -> tuple[str, Odds]:
    """One override, checked against its floor: N.J.A.C. 19:47-9.4(b), 58 Pa. Code § 539.6(b)."""
    section = edition.sections["odds"]
    if not edition.sets_floors:
        raise Refusal("payouts-are-exact", section, family=family[:40])
    if any(code.split("/")[0] == family.split("/")[0] for code in edition.fixed):
        raise Refusal("odds-are-fixed", section, family=family[:40])
    if family not in edition.payouts:
        raise Refusal("no-such-family", section, family=family[:40])
    odds, floor = Odds.parse(written), edition.payouts[family].odds
    if odds.ratio() < floor.ratio():
        raise Refusal("under-the-floor", section, family=family, odds=str(odds), floor=str(floor))
    return family, odds
