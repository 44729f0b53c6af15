"""The layout of High Roll Dice on paper: Pip Street, Like Kind, and below them Extra Roll and Millionaire Row."""

from games.catalog.high_roll.screens import FACES, PIPS
from games.drawing import PAPER_ROW, PAPER_WIDTH, PaperArea, PaperLayout, row
from games.engine.rules import Rules
from games.registry import game_of

STREET = 1.3 * PAPER_ROW


def layout(rules: Rules) -> PaperLayout:
    """Return the layout of the game with ten dice, or of the variation with six."""
    types = [(type_.code, type_.label) for type_ in game_of(rules).wager_types(rules)]
    likes = [(code, _like(code)) for code, _label in types if code.startswith("like-kind:")]
    further = [(code, label.replace(" Row ", " Row|")) for code, label in types if not _is_street(code)]
    width = PAPER_WIDTH / len(PIPS)
    pips = [
        PaperArea(f"pip:{face}", place * width, 0, width, STREET, (FACES[face],), (face,))
        for place, face in enumerate(PIPS)
    ]
    areas = [*pips, *row(STREET, likes, height=STREET), *(row(2 * STREET, further) if further else ())]
    return PaperLayout(2 * STREET + (PAPER_ROW if further else 0), tuple(areas))


def _is_street(code: str) -> bool:
    return code.partition(":")[0] in ("pip", "like-kind")


def _like(code: str) -> str:
    count = code.partition(":")[2]
    return "Like Kind|no match" if count == "none" else f"Like Kind|{count}"
