"""The layout of Sic Bo on paper: four rows of areas, as § 625a.1(c)(2) and the felt have them."""

from itertools import combinations

from games.drawing import PAPER_WIDTH, PaperArea, PaperLayout
from games.engine.rules import Rules

WING = 11.0
ANY = 11.0
HEIGHT = 5.4


def layout(rules: Rules) -> PaperLayout:
    """Return the layout: the same areas for each edition."""
    return PaperLayout(4 * HEIGHT, (*_doubles_and_triples(), *_totals(), *_two_dice(), *_one_of_a_kind()))


def _doubles_and_triples() -> list[PaperArea]:
    narrow = (PAPER_WIDTH - 2 * WING - ANY) / 12
    any_x = WING + 6 * narrow
    return [
        PaperArea("small", 0, 0, WING, 2 * HEIGHT, ("Small", "4 to 10")),
        *(
            PaperArea(f"two-of-a-kind:{face}", WING + (face - 1) * narrow, 0, narrow, HEIGHT, (), (face,) * 2)
            for face in range(1, 7)
        ),
        PaperArea("any-three-of-a-kind", any_x, 0, ANY, HEIGHT, ("Any triple",)),
        *(
            PaperArea(
                f"three-of-a-kind:{face}",
                any_x + ANY + (face - 1) * narrow,
                0,
                narrow,
                HEIGHT,
                (),
                (face,) * 3,
            )
            for face in range(1, 7)
        ),
        PaperArea("big", PAPER_WIDTH - WING, 0, WING, 2 * HEIGHT, ("Big", "11 to 17")),
    ]


def _totals() -> list[PaperArea]:
    width = (PAPER_WIDTH - 2 * WING) / 14
    return [
        PaperArea(f"total:{total}", WING + (total - 4) * width, HEIGHT, width, HEIGHT, (str(total),))
        for total in range(4, 18)
    ]


def _two_dice() -> list[PaperArea]:
    pairs = list(combinations(range(1, 7), 2))
    width = PAPER_WIDTH / len(pairs)
    return [
        PaperArea(f"two-dice:{low}-{high}", place * width, 2 * HEIGHT, width, HEIGHT, (), (low, high))
        for place, (low, high) in enumerate(pairs)
    ]


def _one_of_a_kind() -> list[PaperArea]:
    width = PAPER_WIDTH / 6
    return [
        PaperArea(f"one-of-a-kind:{face}", (face - 1) * width, 3 * HEIGHT, width, HEIGHT, (), (face,))
        for face in range(1, 7)
    ]
