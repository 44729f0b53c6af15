"""The arithmetic of slips: for each thing that can have been wrong, what a seat is owed, to the cent."""

import random
from types import SimpleNamespace

import pytest

from games.engine import Refusal, Rules
from games.engine.wagers import Wager
from games.registry import game_of
from tables.corrections import settlements
from tables.corrections.settlements import CorrectedWager, SeatPayment
from tables.rounds.settlement import settled_data
from tests.tables.slip_scene import win_change_cents

RULES = Rules.of("pa-625a/A")
LOSES, WINS = (5, 5, 2), (1, 2, 3)  # Small
TWENTY = Wager(3, "small", 2_000)


def lines(*wagers, dice=WINS, rules=RULES):
    return [settled_data(wager) for wager in settlements.readjudicate(rules, [dice], wagers)[1]]


def voided(*wagers):
    return [settled_data(wager) for wager in settlements.return_all(RULES, wagers, "x")[1]]


def owed(before, after, *corrected):
    return settlements.sum_by_seat(
        settlements.due_between(before, after), settlements.due_for_chips(before, corrected)
    )


def corrected(before, after, chips="recorded"):
    return CorrectedWager(3, "small", None, before, after, chips)


FIFTY = Wager(3, "small", 5_000)
CASES = [
    ("dice: it lost, and wins", lines(TWENTY, dice=LOSES), lines(TWENTY), [], 4_000),
    ("dice: it won, and loses", lines(TWENTY), lines(TWENTY, dice=LOSES), [], -4_000),
    ("missed, won, with the player", [], lines(TWENTY), [corrected(0, 2_000)], 2_000),
    ("missed, won, swept by the house", [], lines(TWENTY), [corrected(0, 2_000, "house")], 4_000),
    ("missed, lost, with the player", [], lines(TWENTY, dice=LOSES), [corrected(0, 2_000)], -2_000),
    ("missed, lost, swept by the house", [], lines(TWENTY, dice=LOSES), [corrected(0, 2_000, "house")], 0),
    ("mistaken, had won", lines(TWENTY), [], [corrected(2_000, 0)], -2_000),
    ("mistaken, had lost, other chips taken", lines(TWENTY, dice=LOSES), [], [corrected(2_000, 0)], 2_000),
    ("mistaken, had lost, none taken", lines(TWENTY, dice=LOSES), [], [corrected(2_000, 0, "player")], 0),
    ("another amount, won", lines(TWENTY), lines(FIFTY), [corrected(2_000, 5_000)], 3_000),
    (
        "another amount, lost, as recorded",
        lines(TWENTY, dice=LOSES),
        lines(FIFTY, dice=LOSES),
        [corrected(2_000, 5_000)],
        -3_000,
    ),
    (
        "another amount, lost, all taken",
        lines(TWENTY, dice=LOSES),
        lines(FIFTY, dice=LOSES),
        [corrected(2_000, 5_000, "house")],
        0,
    ),
    (
        "another amount, lost, none taken",
        lines(TWENTY, dice=LOSES),
        lines(FIFTY, dice=LOSES),
        [corrected(2_000, 5_000, "player")],
        -5_000,
    ),
    ("void: it had won", lines(TWENTY), voided(TWENTY), [], -2_000),
    ("void: it had lost", lines(TWENTY, dice=LOSES), voided(TWENTY), [], 2_000),
]


@pytest.mark.parametrize(
    ("before", "after", "wagers", "cents"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_seat_is_owed_the_difference_of_what_its_wagers_are_worth(before, after, wagers, cents):
    assert owed(before, after, *wagers) == ([{"seat": 3, "cents": cents}] if cents else [])


def test_another_code_is_a_mistaken_wager_and_a_missed_one():
    """$20 on Big were entered on Small at 1 2 3: it won 2,000 that were due to nobody, and Big loses its stake."""
    both = [corrected(2_000, 0), CorrectedWager(3, "big", None, 0, 2_000, "recorded")]
    wagers = settlements.apply_corrections([TWENTY], both)
    assert wagers == [Wager(3, "big", 2_000)]
    assert owed(lines(TWENTY), lines(*wagers), *both) == [{"seat": 3, "cents": -4_000}]


def test_a_fee_given_back_by_a_void_is_owed():
    rules = Rules.of("pa-675a")
    wagers = [Wager(1, code, 500) for code in ("pip:1", "like-kind:3", "extra-roll")]
    roll, extra = (6, 6, 6, 1, 2, 3, 4, 5, 5, 4), (1, 2, 3, 4, 5, 5, 4)
    before = [settled_data(one) for one in settlements.readjudicate(rules, [roll, extra], wagers)[1]]
    assert [one["outcome"] for one in before] == ["fee", "lose", "win"]
    after = [settled_data(one) for one in settlements.return_all(rules, wagers, "x")[1]]
    paid = settlements.totals(before)["paid_cents"]
    assert settlements.sum_by_seat(settlements.due_between(before, after)) == [
        {"seat": 1, "cents": 1_000 - paid}
    ]


@pytest.mark.parametrize(("chips", "cents"), [("recorded", 500), ("house", 500), ("player", 0)])
def test_a_mistaken_fee_is_owed_to_the_seat_that_had_paid_it_alone(chips, cents):
    """Four sixes, and no more of them: seat 1 was entered with an Extra Roll that in truth only seat 2 had bought."""
    rules = Rules.of("pa-675a")
    seats = [Wager(seat, code, 500) for seat in (1, 2) for code in ("pip:1", "like-kind:5", "extra-roll")]
    throws = [(6, 6, 6, 6, 2, 3, 4, 5, 5, 4), (1, 2, 3, 4, 5, 5)]
    one = CorrectedWager(1, "extra-roll", None, 500, 0, chips)
    before, after = (
        [settled_data(line) for line in settlements.readjudicate(rules, throws, wagers)[1]]
        for wagers in (seats, settlements.apply_corrections(seats, [one]))
    )
    assert owed(before, after, one) == ([{"seat": 1, "cents": cents}] if cents else [])


@pytest.mark.parametrize(
    ("handed", "cents"),
    [
        (SeatPayment(3, 500, 0), 1_500),  # 2,000 settled, 500 handed
        (SeatPayment(3, 2_700, 0), -700),
        (SeatPayment(3, 2_000, 300), 300),  # 300 taken that nobody had lost
        (SeatPayment(4, 0, 1_000), -1_000),  # 2,000 lost, half of it left lying
        (SeatPayment(5, 900, 0), -900),  # a seat without a wager was handed 900
    ],
)
def test_a_payment_is_compared_with_what_was_settled_at_the_seat(handed, cents):
    before = lines(TWENTY, Wager(4, "big", 2_000))
    assert settlements.sum_by_seat(settlements.due_for_payments(before, [handed])) == [
        {"seat": handed.seat, "cents": cents}
    ]


def test_throws_that_do_not_make_this_game_are_refused_with_the_section():
    football, wagers = Rules.of("pa-577"), [Wager(1, "touchdown", 1_000)]
    for throws in (
        [(1, 1, 1), (2, 3, 1)],
        [(2, 3, 1)],
    ):  # ended on the first throw; goes on after the only one
        with pytest.raises(Refusal) as refusal:
            settlements.readjudicate(football, throws, wagers)
        assert refusal.value.code == "slip-another-course"
        assert refusal.value.section.startswith("58 Pa. Code § 577.")


def test_what_all_seats_are_owed_is_what_the_house_wins_less():
    rng = random.Random(6)
    codes = [wager_type.code for wager_type in game_of(RULES).wager_types(RULES)]
    for _ in range(200):
        dice = [tuple(rng.randint(1, 6) for _ in range(3)) for _ in range(2)]
        keys = {(rng.randint(1, 8), rng.choice(codes)) for _ in range(12)}
        wagers = [Wager(seat, code, 100 * rng.randint(1, 50)) for seat, code in sorted(keys)]
        before, after = (lines(*wagers, dice=faces) for faces in dice)
        slip = SimpleNamespace(before=settlements.totals(before), after=settlements.totals(after))
        assert win_change_cents(slip) == -sum(amount["cents"] for amount in owed(before, after))
