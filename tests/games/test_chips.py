"""The one table of chips, and what is derived from it."""

import re
from pathlib import Path

from games.chips import CHIPS_CENTS, breakdown, chip_class

CSS = Path(__file__).resolve().parents[2] / "static" / "css"


def test_every_chip_has_a_color_and_a_class():
    dollars = {str(cents // 100) for cents in CHIPS_CENTS}
    assert set(re.findall(r"--chip-(\d+):", (CSS / "tokens.css").read_text())) == dollars
    assert set(re.findall(r"^ *\.c(\d+) \{", (CSS / "chips.css").read_text(), re.MULTILINE)) == dollars


def test_an_amount_looks_like_its_largest_chip():
    amounts = (50, 100, 499, 500, 2_400, 9_900, 10_000, 50_000, 250_000)
    assert [chip_class(cents) for cents in amounts] == [
        "c1",
        "c1",
        "c1",
        "c5",
        "c5",
        "c25",
        "c100",
        "c500",
        "c1000",
    ]


def test_an_amount_is_the_fewest_chips_and_a_rest_of_coin():
    assert breakdown(117_650) == [[100_000, 1], [10_000, 1], [2_500, 3], [100, 1], [50, 1]]
