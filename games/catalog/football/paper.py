"""The layout of Three Dice Football on paper: the wagers of a play above, those of the whole game below."""

from games.catalog.football.engine.wagers import SINGLE_PLAY_CODES
from games.drawing import PAPER_ROW, PaperArea, PaperLayout, row
from games.engine.rules import Rules
from games.registry import game_of

LENGTH = "game-length:"


def layout(rules: Rules) -> PaperLayout:
    """Return the layout in three rows: a single play, the whole game, and the length of the game."""
    types = [(type_.code, type_.label) for type_ in game_of(rules).wager_types(rules)]
    single = [(code, label) for code, label in types if code in SINGLE_PLAY_CODES]
    lengths = [
        (code, label.replace("Length ", "Length|")) for code, label in types if code.startswith(LENGTH)
    ]
    full = [pair for pair in types if pair not in single and not pair[0].startswith(LENGTH)]
    rows = [wagers for wagers in (single, full, lengths) if wagers]
    areas: list[PaperArea] = []
    for place, wagers in enumerate(rows):
        areas += row(PAPER_ROW * place, wagers)
    return PaperLayout(PAPER_ROW * len(rows), tuple(areas))
