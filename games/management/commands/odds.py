"""Print every wager of a set of rules with its exact odds."""

import json
from argparse import ArgumentParser
from fractions import Fraction
from typing import Any, TypedDict

from django.core.management.base import BaseCommand, CommandError

from games.engine import Refusal, Rules
from games.registry import game_of


class Command(BaseCommand):
    help = "Print every wager's winning outcomes with exact probability and payout, and its house advantage."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("rules", help="a rules key, such as pa-625a/A")
        parser.add_argument("--json", action="store_true", help="print JSON")
        parser.add_argument(
            "--payouts", metavar="FILE", help="a JSON file of odds above the floors, by wager family"
        )

    def handle(self, *args: Any, rules: str, payouts: str | None, **options: Any) -> None:
        try:
            rows = odds_rows(Rules.of(rules, read_payouts(payouts) if payouts is not None else None))
        except Refusal as refusal:
            raise CommandError(
                f"{refusal.sentence} ({refusal.section})" if refusal.section else refusal.sentence
            ) from None
        if options["json"]:
            self.stdout.write(json.dumps(rows, indent=1))
        else:
            self.stdout.write("\n".join(table(rows)))


class OddsLevel(TypedDict):
    """One payout of a wager. Fractions are in lowest terms, and integers have no denominator."""

    probability: str
    pays: str


class OddsRow(TypedDict):
    """A wager with its payouts."""

    wager: str
    outcomes: list[OddsLevel]
    house_advantage: str


def read_payouts(path: str) -> dict[str, Any]:
    """Return odds by family from a JSON file.

    Raises CommandError for anything but an object without repeated keys.
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) != len(pairs):
            raise ValueError("a key is repeated")
        return dict(pairs)

    try:
        with open(path, encoding="utf-8") as file:
            read = json.load(file, object_pairs_hook=once)
    except (OSError, ValueError, RecursionError) as error:
        raise CommandError(f"{path} cannot be read: {error}") from None
    if not isinstance(read, dict):
        raise CommandError(f"{path} is not a JSON object of odds by wager family.")
    return read


def odds_rows(rules: Rules) -> list[OddsRow]:
    """Return the list that --json prints. Fractions are in lowest terms, integers have no denominator."""
    return [
        {
            "wager": code,
            "outcomes": [
                {"probability": str(outcome.probability), "pays": str(outcome.pays)} for outcome in outcomes
            ],
            "house_advantage": str(game_of(rules).advantage(rules, code, outcomes)),
        }
        for code, outcomes in game_of(rules).outcomes(rules).items()
    ]


def table(rows: list[OddsRow]) -> list[str]:
    """Return the table for people: one line for each payout."""
    longest = max((len(outcome["probability"]) for row in rows for outcome in row["outcomes"]), default=0)
    wide = max(14, longest + 2)
    lines = [f"{'Wager':<24}{'Pays':<12}{'Probability':<{wide}}{'House advantage':<16}"]
    for row in rows:
        advantage = row["house_advantage"]
        for place, outcome in enumerate(row["outcomes"]):
            name, advantage_text = (
                (row["wager"], f"{advantage} ({percent(advantage)})") if place == 0 else ("", "")
            )
            lines.append(
                f"{name:<24}{outcome['pays']:<12}{outcome['probability']:<{wide}}{advantage_text}".rstrip()
            )
    return lines


def percent(fraction: str) -> str:
    """Return a fraction as a percentage with four decimals, rounded half to even, without floats."""
    scaled = round(Fraction(fraction) * 1_000_000)
    sign, digits = "-" if scaled < 0 else "", f"{abs(scaled):05d}"
    return f"{sign}{digits[:-4]}.{digits[-4:]}%"
