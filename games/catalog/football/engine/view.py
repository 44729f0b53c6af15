"""What only Three Dice Football shows of a round (docs/architecture.md)."""

from typing import TypedDict

from games.engine.game_views import GameView

# "from" is a keyword, so this type is written as a call.
Advance = TypedDict("Advance", {"play": int, "from": int, "to": int, "what": str, "yards": int})
Advance.__doc__ = "One play on the field: the yards that the Yard Marker moved between, and why."


class FootballView(GameView):
    """Where the Yard Marker and the pucks are, the plays so far, and who throws."""

    yard: int
    down: int
    goal: bool
    play: int
    track: list[Advance]
    score: str | None  # touchdown or trips-td
    locked: bool
    extra_point: bool
    quarterback: int | None
