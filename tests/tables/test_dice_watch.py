"""The dice watch: its evidence by a second computation, its counts against the throws, its page, alerts and cases."""

import datetime as dt
import itertools
import math
import re
from collections import Counter
from fractions import Fraction
from html import unescape
from typing import Any

import pytest
from django.template.loader import render_to_string
from hypothesis import given
from hypothesis import strategies as st

from audit import clock
from games.dice_watch import (
    CONCENTRATIONS,
    FALSE_ALARMS_A_YEAR,
    DiceTally,
    alarm_line,
    comparisons,
    false_alarm_chance,
    is_finding,
    log_evidence,
    total_chances,
)
from games.kit.plots import Line
from games.models import Facility
from tables import dice_watch as watch_page
from tables.cases.case import open_found_cases
from tables.cases.kinds import words_of_case
from tables.core.alerts import ALERT_RULES
from tables.dice_watch import (
    UNFAIR_LOT,
    count_dice,
    evidence_line,
    lots_at,
    rarity_words,
    watch_of,
)
from tables.figures import rollup
from tables.models import Alert, Case, DiceLot, HourOfDice, Table, Throw, WatchedDice
from tables.screens import snapshot
from tables.screens.console_data import ConsoleData
from tables.screens.floor_data import TileData, WallData
from tables.ticker import reconcile_alerts
from tests.services.plots import marks_of

COLORS = ("green", "green", "red")


def tally_of(throws, colors=()) -> DiceTally:
    tally = DiceTally()
    for dice in throws:
        tally.add_throw(dice, 3, colors)
    return tally


def exact_mixture(values, chances) -> Fraction:
    """The predictive chances multiplied value by value, without any gamma function."""
    mean = Fraction(0)
    for concentration in CONCENTRATIONS:
        counts: Counter = Counter()
        ratio, whole = Fraction(1), 6 * concentration
        for number, value in enumerate(values):
            ratio *= (whole * chances[value] + counts[value]) / (whole + number) / chances[value]
            counts[value] += 1
        mean += ratio / len(CONCENTRATIONS)
    return mean


def exact_evidence(throws, colors=()) -> Fraction:
    sixth = {face: Fraction(1, 6) for face in range(1, 7)}
    ways = Counter(sum(dice) for dice in itertools.product(range(1, 7), repeat=3))
    totals = exact_mixture(
        [sum(dice) for dice in throws], {total: Fraction(n, 216) for total, n in ways.items()}
    )
    together = exact_mixture([face for dice in throws for face in dice], sixth)
    if not colors:
        return totals / 4 + together * 3 / 4
    by_color = [
        exact_mixture([dice[place] for dice in throws for place in range(3) if colors[place] == color], sixth)
        for color in ("green", "red")
    ]
    return (totals + together + sum(by_color)) / 4


THROWS = st.lists(st.lists(st.integers(1, 6), min_size=3, max_size=3), max_size=12)


@given(THROWS, st.sampled_from([(), COLORS]), st.randoms())
def test_the_evidence_is_that_of_exact_fractions_and_the_order_does_not_matter(throws, colors, draw):
    log = log_evidence(tally_of(throws, colors))
    assert math.exp(log) == pytest.approx(float(exact_evidence(throws, colors)), rel=1e-9)
    shuffled = draw.sample(throws, len(throws))
    assert log_evidence(tally_of(shuffled, colors)) == pytest.approx(log, abs=1e-9)


def test_the_evidence_of_fair_dice_is_one_on_average_over_every_sequence_of_two_throws():
    pairs = itertools.combinations_with_replacement(range(1, 7), 3)
    throws = [(dice, len(set(itertools.permutations(dice)))) for dice in pairs]
    assert sum(exact_evidence([dice]) * ways for dice, ways in throws) == 216
    mean = sum(
        math.exp(log_evidence(tally_of([first, second]))) * ways * others
        for first, ways in throws
        for second, others in throws
    )
    assert mean / 216**2 == pytest.approx(1, abs=1e-9)
    ordered = itertools.product(range(1, 7), repeat=3)
    assert sum(math.exp(log_evidence(tally_of([dice], COLORS))) for dice in ordered) == pytest.approx(216)


def test_the_chances_of_false_alarms_of_all_lots_add_up_to_the_rate_of_the_year():
    assert Fraction(1, 20) == FALSE_ALARMS_A_YEAR
    spent = sum(false_alarm_chance(place) for place in range(1, 1001))
    assert spent == FALSE_ALARMS_A_YEAR / 2  # and the other half is for the lots after these
    assert (alarm_line(1), alarm_line(480), alarm_line(7540)) == (20_020, 43_779, 1_458_462)
    assert not is_finding(math.log(20_019), 1) and is_finding(math.log(20_020), 1)
    assert [int(216 * chance) for chance in total_chances(3)][:8] == [1, 3, 6, 10, 15, 21, 25, 27]


def test_loose_dice_thrown_again_count_as_faces_and_colors_count_apart():
    tally = DiceTally()
    tally.add_throw([1, 1, 6, 6, 6, 5, 5, 5, 5, 4], 10)
    tally.add_throw([2, 3], 10)
    assert tally.counts == [2, 1, 1, 1, 4, 3] and {key: sum(row) for key, row in tally.totals.items()} == {
        "10": 1
    }
    assert tally.totals["10"][44 - 10] == 1
    football = tally_of([[1, 2, 6], [1, 1, 6]], COLORS)
    assert (football.faces["green"], football.faces["red"]) == ([3, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 2])


# What was thrown


def play(scene, *throws):
    for dice in throws:
        scene.play((1, "small", 2_500), dice=list(dice))
        scene.finish()


def thrown_faces(lot: DiceLot) -> list[int]:
    """The faces of a lot, from the throws by themselves."""
    newest = {}
    for throw in Throw.objects.filter(lot=lot, round__ended_at__isnull=False).order_by("revision"):
        newest[throw.round_id, throw.number] = throw
    faces = Counter(face for throw in newest.values() if not throw.void_reason for face in throw.dice)
    return [faces[face] for face in range(1, 7)]


@pytest.mark.django_db
@pytest.mark.both_databases
def test_ended_rounds_are_counted_once_by_lot_shaker_and_hour_in_their_newest_revision(hands, scene):
    play(scene, [1, 2, 3])
    scene.play((1, "small", 2_500), dice=[6, 6, 6])
    scene.act("correct_dice", {"dice": [4, 4, 5], "reason": "misread"}, by="floorperson")
    count_dice()
    assert HourOfDice.objects.get().rounds == 1  # the second round has not ended
    scene.finish()
    count_dice()
    count_dice()
    hands.now += dt.timedelta(hours=1)
    play(scene, [6, 5, 1])
    count_dice()
    lot = DiceLot.objects.get(code="L-0001")
    watched, shaker = WatchedDice.objects.order_by("place")
    assert (watched.lot, watched.place, shaker.lot, shaker.place) == (lot, 1, None, 2)
    for row in (watched, shaker):
        assert row.faces == {"": [2, 1, 1, 2, 2, 1]} and row.faces[""] == thrown_faces(lot)
        assert (row.rounds, row.throws, row.first_round, row.last_round) == (3, 3, 1, 3)
        assert row.log_evidence == log_evidence(tally_of([[1, 2, 3], [4, 4, 5], [6, 5, 1]]))
    assert [(hour.rounds, hour.faces[""]) for hour in HourOfDice.objects.order_by("hour")] == [
        (2, [1, 1, 1, 2, 1, 0]),
        (1, [1, 0, 0, 0, 1, 1]),
    ]
    today = dt.date(2026, 11, 21)
    [at_table] = lots_at(scene.fresh, today, today)
    assert (at_table.code, at_table.rounds, at_table.dice, at_table.state) == ("L-0001", 3, 9, "in use")
    assert (at_table.first, at_table.last, at_table.has_finding) == (today, today, False)
    assert lots_at(scene.fresh, today - dt.timedelta(days=9), today - dt.timedelta(days=1)) == []
    rollup.write_rollups()
    page = scene.browser("podium", "shift-manager").get("/floor/larkfield/figures/T-01/").content.decode()
    assert "Dice lots in these days" in page and "/floor/larkfield/dice-watch/?lot=L-0001" in page


@pytest.mark.django_db
def test_training_counts_nothing_and_simulated_tables_have_places_of_their_own(scene):
    play(scene, [1, 2, 3])
    Table.objects.update(kind="training")
    count_dice()
    assert not WatchedDice.objects.exists()
    Table.objects.update(kind="simulated")
    count_dice()
    assert set(WatchedDice.objects.values_list("kind", "place")) == {("simulated", 1), ("simulated", 2)}


def test_the_drawing_says_since_when_the_evidence_has_been_above_1():
    first = dt.datetime(2026, 11, 21, 10, 0, tzinfo=dt.UTC)
    hours = [first + dt.timedelta(hours=number) for number in range(1, 6)]
    logs = (0.5, -0.2, -0.1, 0.4, 1.2)
    words: dict[str, Any] = {"now": "3.3", "alarm": "20", "is_found": False}
    line = evidence_line(list(zip(hours, logs, strict=True)), first, 10.0, **words)
    assert line is not None and line.rose == "21 Nov 13:00"
    assert [mark.x1 for mark in marks_of(line.plot, Line, "watch-rose")] == [208]  # 3 of 5 hours
    fair = evidence_line([(hours[0], -0.1)], first, 10.0, **words)
    assert fair is not None and fair.rose == "" and "watch-rose" not in fair.plot.svg()
    at_once = evidence_line([(hours[0], 0.1)], first, 10.0, **words)
    assert at_once is not None and at_once.rose == "21 Nov 10:00"
    assert (
        at_once.plot.words == "Evidence against fair dice: 3.3 now, alarm at 20, above 1 since 21 Nov 10:00"
    )


# A finding


@pytest.fixture
def unfair(scene, monkeypatch):
    """A lot that reaches an alarm line of 1 in its third round."""
    monkeypatch.setattr("games.dice_watch.alarm_line", lambda place: 1.2 if place == 1 else 1e9)
    play(scene, [6, 6, 6], [1, 2, 3])
    count_dice()
    assert WatchedDice.objects.get(place=1).found_at is None
    play(scene, [6, 6, 6], [6, 6, 6])
    count_dice()
    return scene


def reconcile():
    rule = next(rule for rule in ALERT_RULES if UNFAIR_LOT in rule.kinds)
    return reconcile_alerts([rule], clock.now())


def see(scene, address="/floor/larkfield/dice-watch/", by="floorperson"):
    response = scene.browser("podium", by).get(address)
    assert response.status_code == 200
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", response.content.decode())))


@pytest.mark.django_db
def test_a_finding_alerts_the_pit_and_not_the_table_and_opens_one_case(unfair):
    watched = WatchedDice.objects.get(place=1)
    assert watched.found_round in (3, 4) and watched.found_rounds == watched.found_round
    assert reconcile() == [unfair.table.pk]
    alert = Alert.objects.get(kind="dice-watch")
    assert (alert.key, alert.section) == ("dice-watch:lot:L-0001", "58 Pa. Code § 521.6")
    assert (alert.params["shaker"], alert.params["first_round"]) == ("S-01", 1)
    state = snapshot.of_table(unfair.table.pk)
    shown = [
        any(row["kind"] == "dice-watch" for row in screen(state).alerts)
        for screen in (TileData, ConsoleData, WallData)
    ]
    assert shown == [True, False, False]

    open_found_cases()
    open_found_cases()
    case = Case.objects.get(kind="dice")
    title, text = words_of_case(case)
    assert (case.subject, title) == ("lot:L-0001", "Dice watch: lot L-0001")
    assert text.startswith("T-01, shaker S-01, rounds 1 to ") and "Proposed: withdraw the dice" in text
    assert case.due_at == watched.found_at + dt.timedelta(hours=24)
    assert "the dice watch" in see(unfair, f"/inbox/larkfield/{case.code}/", by="compliance")

    unfair.act("withdraw_dice", {"why": "unsuitable"}, by="floorperson")
    reconcile()
    assert Alert.objects.get(kind="dice-watch").ended_at is not None


@pytest.mark.django_db
def test_the_page_begins_with_a_sentence_and_proposes_the_withdrawal_to_the_floor(unfair):
    page = see(unfair)
    assert "These dice need a look. In round" in page and "Withdraw lot L-0001…" in page
    assert "at most one false alarm in 20 years" in page and "(§ 521.6)" in page
    assert "Withdraw lot" not in see(unfair, by="surveillance")
    calm = see(unfair, "/floor/larkfield/dice-watch/?shaker=S-01&table=T-01&from=2026-11-01")
    assert (
        "Worth watching. Outside 3 σ: face 6" in calm
        and "Shaker S-01 in 2026" in calm
        and "4 rounds, 4 throws" in calm
    )
    assert "above 1 since" in page
    part = render_to_string("tables/dice_watch/watch.html", {"table": unfair.table})
    assert "These dice need a look." in part and "?lot=L-0001" in part and "data-open" not in part
    client = unfair.browser("podium", "floorperson")
    assert client.get("/floor/larkfield/dice-watch/?lot=L-9999").status_code == 403
    assert client.get("/floor/larkfield/dice-watch/?to=0001-01-02").status_code == 200
    button = re.search(
        r'data-seen="(\d+)"\s+data-address="([^"]+)"',
        client.get("/floor/larkfield/dice-watch/").content.decode(),
    )
    assert button and (int(button[1]), button[2]) == (
        unfair.version,
        "/floor/larkfield/T-01/acts/withdraw_dice",
    )
    assert unfair.browser("podium", "security").get("/floor/larkfield/dice-watch/").status_code == 403


def watched_with(faces, rounds, highest=0.0):
    """An unsaved row of a lot in Larkfield, with these counts."""
    return WatchedDice(
        facility=Facility(code="larkfield", jurisdiction="PA", time_zone="America/New_York"),
        lot=DiceLot(code="L-0001", status="placed"),
        place=7_540,
        rounds=rounds,
        throws=rounds,
        faces=faces,
        totals={},
        highest=highest,
        log_evidence=highest,
        first_at=dt.datetime(2026, 11, 21, tzinfo=dt.UTC),
        last_at=dt.datetime(2026, 11, 22, tzinfo=dt.UTC),
    )


def counts_at(deviation, faces=30_000):
    """Six counts of which the third is so many standard deviations above its expectation."""
    extra = round(deviation * math.sqrt(faces * 5) / 6)
    return (
        [(faces - faces // 6 - extra) // 5] * 2
        + [faces // 6 + extra]
        + [(faces - faces // 6 - extra) // 5] * 3
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("deviation", "sentence", "words"),
    [
        (1.0, "Nothing unusual.", "Every face is within 2 σ."),
        (2.5, "Nothing unusual.", "Outside 2 σ: face 3 (+2.5 σ), of 6 compared. Chance alone puts about one of 22"),
        (3.2, "Worth watching.", "Outside 3 σ: face 3 (+3.2 σ)."),
        (6.0, "Worth watching.", "as far off as the first in about one look of 58 million."),
    ],
)  # fmt: skip
def test_a_face_outside_three_sigma_is_never_called_chance(monkeypatch, deviation, sentence, words):
    monkeypatch.setattr(watch_page, "hours_of", lambda watched: [])
    watch = watch_of(watched_with({"": counts_at(deviation)}, 10_000, math.log(40)))
    assert watch.sentence == sentence and words in watch.text
    assert "after each of 10,000 rounds" in watch.text
    if deviation > 3:
        assert "chance does" not in watch.text and "Nothing" not in watch.text
        assert "these 6 comparisons" in watch.text


@pytest.mark.django_db
def test_evidence_under_a_late_alarm_line_is_worth_watching(monkeypatch):
    monkeypatch.setattr(watch_page, "hours_of", lambda watched: [])
    watch = watch_of(watched_with({"": counts_at(1)}, 10_000, math.log(1_400_001)))
    assert (watch.sentence, watch.state, watch.alarm) == ("Worth watching.", "watching", "1,458,462")
    assert "Fair dice ever reach that for at most one lot or shaker in 1,400,00" in watch.text
    calm = watch_of(watched_with({"": counts_at(1)}, 10_000, math.log(99)))
    assert calm.state == "nothing"


def test_comparisons_have_the_chances_of_the_binomial_distribution():
    """Twelve faces, of which ten are sixes: against every outcome of 12 throws of a die."""
    tally = DiceTally()
    for face in (*[6] * 10, 1, 2):
        tally.add_throw([face], 1)
    six = next(row for row in comparisons(tally) if row.face == 6)
    ways = sum(math.comb(12, count) * 5 ** (12 - count) for count in (10, 11, 12))
    assert six.chance == pytest.approx(2 * ways / 6**12)
    none = next(row for row in comparisons(tally) if row.face == 3)
    assert none.chance == pytest.approx(2 * (5 / 6) ** 12)
    assert not [row for row in comparisons(tally) if row.total]  # none is expected 25 times


@pytest.mark.parametrize(
    ("chance", "words"),
    [(0.5, "2"), (1 / 1_234, "1,234"), (1.2e-8, "83 million"), (1e-20, "more than a trillion")],
)
def test_rarity_in_words(chance, words):
    assert rarity_words(chance) == f"one look of {words}"
