"""What a winning wager pays: odds ("6 to 1") as an exact pair, or a fixed sum such as "$50,000".

Either way the stake is returned as well. From what a wager pays and how probable that is follows what the house keeps
of it, by enumeration and in fractions.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from games.engine.refusals import FRACTION_OF_A_CENT, ODDS_SAID_FOR, ODDS_UNREADABLE, Refusal

WRITTEN = re.compile(r"([1-9][0-9]{0,8}) to ([1-9][0-9]{0,8})", re.ASCII)
# "for", and its equivalents on Spanish and Chinese signs
SAID_FOR = re.compile(r"(?<!\d)\d[\d,.]*(?:[\s-]+(?:for|por)[\s-]+|\s*赔\s*)\d", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Odds:
    """`to` units paid for every `per` units staked, as the source writes them, never reduced."""

    to: int
    per: int = 1

    @classmethod
    def parse(cls, text: object) -> "Odds":
        """Return odds from "6 to 1" or "5000 to 1" (no commas, no other words). Raises `odds-unreadable`."""
        match = WRITTEN.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            raise Refusal(ODDS_UNREADABLE, text=str(text)[:40])
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.to} to {self.per}"

    def ratio(self) -> Fraction:
        """Return the units paid for one unit staked, for comparing and for the mathematics."""
        return Fraction(self.to, self.per)

    def win(self, cents: int, section: str = "") -> int:
        """Return the cents paid on a stake in cents, exactly. Raises `fraction-of-a-cent` (citing `section`) rather
        than round.
        """
        paid, remainder = divmod(cents * self.to, self.per)
        if remainder:
            raise Refusal(FRACTION_OF_A_CENT, section, cents=cents, odds=str(self))
        return paid

    def splits(self, cents: int) -> bool:
        """Return whether a stake in cents would win a fraction of a cent."""
        return bool(cents * self.to % self.per)


@dataclass(frozen=True, slots=True)
class Prize:
    """A fixed sum in cents, whole dollars, paid on a wager of exactly one dollar."""

    cents: int

    @classmethod
    def parse(cls, text: str) -> "Prize":
        """Return a prize from "$50,000". Raises ValueError for anything else."""
        prize = cls(int(text.removeprefix("$").replace(",", "")) * 100)
        if str(prize) != text:
            raise ValueError(f"{text} is not a sum in dollars")
        return prize

    def __str__(self) -> str:
        return f"${self.cents // 100:,}"

    def ratio(self) -> Fraction:
        """Return the dollars paid on the one dollar staked."""
        return Fraction(self.cents, 100)

    def win(self, cents: int, section: str = "") -> int:
        """Return the sum in cents, at any stake."""
        return self.cents

    def splits(self, cents: int) -> bool:
        return False


Pays = Odds | Prize


def in_dollars(cents: int) -> str:
    """Return an amount for people: `$1,150`, `$2.50`, `−$30`; with cents only if there are any."""
    sign, cents = ("−", -cents) if cents < 0 else ("", cents)
    return f"{sign}${cents // 100:,}" + (f".{cents % 100:02d}" if cents % 100 else "")


def verify_stated(text: str, section: str) -> None:
    """Raise `odds-said-for` if a text for players states odds with "for", "por" or "赔": it means other money."""
    match = SAID_FOR.search(text)
    if match:
        raise Refusal(ODDS_SAID_FOR, section, text=match[0])


# What the house keeps


@dataclass(frozen=True, slots=True)
class Outcome:
    """One payout of a wager, and the probability that the wager is paid by it."""

    probability: Fraction
    pays: Pays


def house_advantage(outcomes: Iterable[Outcome]) -> Fraction:
    """Return the house advantage: what the house keeps of each unit staked. Negative if it favors the player."""
    advantage = Fraction(1)
    for outcome in outcomes:
        advantage -= outcome.probability * (outcome.pays.ratio() + 1)
    return advantage
