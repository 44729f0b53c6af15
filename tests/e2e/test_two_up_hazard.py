"""The fictitious two-dice game of docs/architecture.md, dealt in a browser."""

import pytest

from tests.e2e.floor import Tablet
from tests.fixtures import games as fixtures
from tests.tables.cast import Scene

pytestmark = pytest.mark.browser
hazard = fixtures.hazard


@pytest.fixture
def table(hazard, stage) -> Scene:
    return stage("xx-hazard", opened=False)


def test_a_table_is_opened_and_a_round_is_dealt(table, new_page, spotless):
    dealer = Tablet(new_page())
    spotless.append(dealer)
    dealer.enrol(table.tokens["tablet"])
    dealer.arrive("dealer")
    dealer.inspect(3, 4, signs="floorperson")
    dealer.open_table(signs="floorperson")
    columns = dealer.page.locator(".hazard").evaluate(
        "felt => getComputedStyle(felt).gridTemplateColumns.split(' ').length"
    )
    assert columns == 4
    dealer.place((1, "double", 2_500), (2, "seven", 2_500), (3, "over", 2_500))
    dealer.step("No more bets")
    dealer.tap(dealer.next)
    dealer.is_in("ready")
    dealer.call(5, 5)
    dealer.is_in("lit")
    assert dealer.lit() == {"double", "over"}
    dealer.tap(dealer.next)
    dealer.is_in("taken")
    dealer.pay_all()
    dealer.is_in("paid")
    dealer.tap(dealer.next)
    dealer.is_in("open")
    assert [(wager, outcome, paid) for _, wager, outcome, paid, _ in table.settled] == [
        ("seven", "lose", 0),
        ("double", "win", 12_500),
        ("over", "win", 2_500),
    ]
