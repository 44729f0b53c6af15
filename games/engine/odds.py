"""Odds as an exact pair, "6 to 1": six units paid for each unit staked, and the stake returned besides."""

import re
from dataclasses import dataclass
from fractions import Fraction

from games.engine.refusals import Refusal

WRITTEN = re.compile(r"([1-9][0-9]{0,8}) to ([1-9][0-9]{0,8})", re.ASCII)
SAID_FOR = re.compile(r"\b\d[\d,.]*\s+for\s+\d", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Odds:
    """`to` units paid for every `per` units staked; kept as the source writes them, never reduced."""

    to: int
    per: int = 1

    @classmethod
    def parse(cls, text: object) -> "Odds":
        """Odds from "6 to 1" or "5000 to 1" (no commas, no other words); raises `odds-unreadable`."""
        match = WRITTEN.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            raise Refusal("odds-unreadable", text=str(text)[:40])
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.to} to {self.per}"

    def ratio(self) -> Fraction:
        """Units paid for one unit staked, for comparing and for the mathematics."""
        return Fraction(self.to, self.per)

    def win(self, cents: int, section: str = "") -> int:
        """Cents paid on a stake in cents, exactly; raises `fraction-of-a-cent` (citing `section`) rather than round."""
        paid, rest = divmod(cents * self.to, self.per)
        if rest:
            raise Refusal("fraction-of-a-cent", section, cents=cents, odds=str(self))
        return paid


def verify_stated(text: str, section: str) -> None:
    """Raises `odds-said-for` where a text for players states odds with "for", which means other money."""
    match = SAID_FOR.search(text)
    if match:
        raise Refusal("odds-said-for", section, text=match[0])
