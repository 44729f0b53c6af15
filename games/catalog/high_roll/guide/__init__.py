"""What a gaming guide shows of High Roll Dice: its wagers in a reader's order, and its layouts."""

from collections.abc import Sequence

from games.guide.drawings import WIDTH, Drawing, Entry, Names, Pays, Plan, Row, Shape, box, text


def _alike(counts: range, key: str) -> tuple[Row, ...]:
    return tuple(Row(f"{key}:{count}", "alike", str(count)) for count in counts)


def _pips() -> tuple[Row, ...]:
    """In the order of the layout: § 675a.1(b)(2)."""
    return tuple(
        Row(f"pip:{face}", "ace" if face == 1 else "", str(face), (face,)) for face in (2, 3, 4, 5, 6, 1)
    )


def _draw_ten(names: Names, pays: Pays, numbers: Pays) -> Drawing:
    shapes = _circles(names["like-kind"], [(str(n), pays[f"like-kind:{n}"]) for n in range(2, 9)], 0)
    shapes += box(4, 102, 106, 60, names["extra-roll"], "", 14)
    shapes.append(text(230, 112, names["millionaire"], "ink-big"))
    for middle, count in ((180, 9), (280, 10)):
        shapes += [["circle", middle, 138, 18], text(middle, 142, str(count), "big")]
        shapes.append(text(middle, 172, pays[f"millionaire:{count}"], "ink"))
    return [*shapes, *_street(names["pip"], pays, 184)], 264


def _draw_six(names: Names, pays: Pays, numbers: Pays) -> Drawing:
    counts = [("–", pays["like-kind:none"])] + [(str(n), pays[f"like-kind:{n}"]) for n in range(2, 7)]
    return [*_circles(names["like-kind"], counts, 0), *_street(names["pip"], pays, 100)], 180


def _circles(name: str, counts: Sequence[tuple[str, str]], top: int) -> list[Shape]:
    """Return the circles of Like Kind Boulevard, each with its number alike and its payout."""
    step = WIDTH // len(counts)
    close = len(counts) > 6  # every second payout is lower, or "400 to 1" would touch "5000 to 1"
    shapes: list[Shape] = [text(WIDTH // 2, top + 14, name, "ink-big")]
    for place, (count, paid) in enumerate(counts):
        middle = step // 2 + step * place
        shapes += [["circle", middle, top + 46, 20], text(middle, top + 50, count, "big")]
        shapes.append(text(middle, top + 81 + (12 if close and place % 2 else 0), paid, "ink"))
    return shapes


def _street(name: str, pays: Pays, top: int) -> list[Shape]:
    """Return the six dice of Pip Street in the order of the layout: § 675a.1(b)(2)."""
    shapes: list[Shape] = [text(WIDTH // 2, top + 12, name, "ink-big")]
    for place, face in enumerate((2, 3, 4, 5, 6, 1)):
        middle = 29 + 58 * place
        shapes += [["rect", middle - 21, top + 18, 42, 40], ["die", face, middle - 15, top + 23, 30]]
        shapes += [text(middle, top + 72, pays[f"pip:{face}"], "ink")]
    return shapes


TEN = Plan(
    _draw_ten,
    (
        Entry("pip", rows=_pips()),
        Entry("like-kind", rows=_alike(range(2, 9), "like-kind")),
        Entry("extra-roll", rows=_alike(range(3, 9), "like-kind/extra")),
        Entry("millionaire", rows=_alike(range(9, 11), "millionaire")),
    ),
    (
        ((6, 6, 6, 6, 4, 4, 4, 2, 1, 3),),
        ((1, 1, 1, 6, 6, 6, 5, 5, 3, 2),),
        ((5, 5, 5, 5, 2, 2, 3, 4, 6, 1), (5, 1, 2, 3, 6, 6)),
    ),
    paid_by={"like-kind/extra": "extra-roll"},
)
SIX = Plan(
    _draw_six,
    (
        Entry("pip", rows=_pips()),
        Entry("like-kind", rows=(Row("like-kind:none", "none"), *_alike(range(2, 7), "like-kind"))),
    ),
    (((1, 1, 1, 1, 6, 6),), ((1, 2, 3, 4, 5, 6),)),
    text="six",
)

PLANS = {10: TEN, 6: SIX}  # by the number of dice
