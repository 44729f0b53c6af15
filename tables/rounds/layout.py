"""The wagers of some rules with their odds, as screens list them."""

from functools import lru_cache

from games.engine import Rules
from games.registry import game_of
from games.snapshot_types import LayoutWager
from tables.core.context import TableContext
from tables.rules import suspensions


@lru_cache(maxsize=64)
def _layout(rules: Rules) -> tuple[tuple[str, str, str, tuple[str, ...]], ...]:
    game = game_of(rules)
    return tuple(
        (
            type_.code,
            str(type_.label),
            type_.family,
            tuple(rules.state_odds(odds) for odds in game.possible_odds(rules, type_.code)),
        )
        for type_ in game.wager_types(rules)
    )


def layout(ctx: TableContext) -> list[LayoutWager]:
    """Every wager of the edition with its odds in force in the submission's words, and its suspension if any."""
    wagers: list[LayoutWager] = [
        {
            "wager": code,
            "label": label,
            "family": family,
            "odds": list(odds),
            "stopped": suspensions.suspension_data(ctx, code),
        }
        for code, label, family, odds in _layout(ctx.rules)
    ]
    if ctx.rules.increments:
        for wager in wagers:
            increment_cents = ctx.rules.increment(wager["family"])
            if increment_cents > 1:
                wager["increment_cents"] = increment_cents
    return wagers


@lru_cache(maxsize=64)
def labels(rules: Rules) -> dict[str, str]:
    """The labels of wagers by their codes."""
    return {code: label for code, label, _, _ in _layout(rules)}
