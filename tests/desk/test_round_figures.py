"""The exact figures of rounds from the record, and the lines of `manage.py figures`."""

import datetime as dt
import io
import json
from fractions import Fraction
from itertools import product

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit.models import Entry
from tables.figures.round_figures import round_figures, round_line, table_lines
from tests.audit.gone_back import as_superuser
from tests.desk.test_figures import TODAY, at, day_of
from tests.desk.test_football_band import played
from tests.tables.cast import make_scene
from tests.tables.slip_scene import file, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def figures_of(scene, **how):
    return list(round_figures(scene.fresh.facility, TODAY, TODAY, **how))


def lines_of(scene, *arguments, first=TODAY, last=TODAY):
    written = io.StringIO()
    call_command(
        "figures",
        scene.fresh.facility.code,
        "--from",
        str(first),
        "--to",
        str(last),
        *arguments,
        stdout=written,
    )
    return [json.loads(line) for line in written.getvalue().splitlines()]


def sic_bo_win(code: str, dice) -> int:
    """What one unit wins for the house under pa-625a/A, written down here from the text."""
    triple, total = len(set(dice)) == 1, sum(dice)
    if code == "small":
        return -1 if not triple and 4 <= total <= 10 else 1
    if code == "big":
        return -1 if not triple and 11 <= total <= 17 else 1
    return {"total:9": -6 if total == 9 else 1}[code]


def over_216(stakes: dict[str, int]) -> tuple[Fraction, Fraction]:
    """The mean and the variance of stakes by code, over every throw."""
    wins = [
        sum(cents * sic_bo_win(code, dice) for code, cents in stakes.items())
        for dice in product(range(1, 7), repeat=3)
    ]
    mean = Fraction(sum(wins), 216)
    return mean, Fraction(sum(win * win for win in wins), 216) - mean**2


def test_a_round_counts_what_stood_when_bets_closed(hands, scene):
    """A missed wager stood, and a wager that was struck did not."""
    scene.place((1, "small", 2_500), (4, "big", 7_000))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [6, 6, 2]})
    missed = {"seat": 3, "wager": "total:9", "cents": 500, "reason": "under a hand"}
    scene.act("record_missed_wager", missed, witness="floorperson")
    struck = {"seat": 4, "wager": "big", "reason": "it lay on Small"}
    scene.act("strike_mistaken_wager", struck, witness="floorperson")
    scene.finish()
    [figures] = figures_of(scene)
    mean, variance = over_216({"small": 2_500, "total:9": 500})
    assert (figures.expected_win, figures.variance) == (mean, variance)
    assert (figures.wagers, figures.seats, figures.dealers) == (2, (1, 3), ("dealer",))
    assert (figures.handle_cents, figures.taken_cents, figures.paid_cents, figures.win_cents) == (
        3_000,
        3_000,
        0,
        3_000,
    )
    assert figures.by_code["total:9"].expected_win == 500 * Fraction(41, 216)
    assert sum(code.expected_win for code in figures.by_code.values()) == figures.expected_win


def test_void_rounds_and_no_rolls_count_nothing(hands, scene):
    scene.place((4, "big", 4_000))
    scene.to_the_dice()
    scene.act("call_no_roll", {"reason": "leans"}, witness="floorperson")
    scene.place((4, "big", 7_000))
    scene.act("void_round", {"reason": "dispute"}, witness="floorperson")
    assert (figures_of(scene), lines_of(scene, "--by", "round")) == ([], [])
    later = TODAY + dt.timedelta(days=1)
    assert lines_of(scene, first=later, last=later) == []


def test_a_table_that_dealt_only_void_rounds_has_its_line(hands, scene):
    assert lines_of(scene) == []
    scene.place((4, "big", 7_000))
    assert lines_of(scene) == []  # the round is in play
    scene.act("void_round", {"reason": "dispute"}, witness="floorperson")
    money = ("handle_cents", "taken_cents", "paid_cents", "win_cents", "fees_cents", "cut_cents")
    nothing = {"table": "T-01", "game": "sic-bo", "rounds": 0, "wagers": 0, **dict.fromkeys(money, 0)}
    nothing |= {"expected_win": "0", "variance": "0"}
    assert lines_of(scene) == [nothing]
    assert lines_of(scene, "--table", "T-01") == [nothing]
    scene.play((1, "small", 1_000), dice=[6, 6, 2])
    scene.finish()
    [line] = lines_of(scene)
    assert (line["rounds"], line["taken_cents"]) == (1, 1_000)
    dealt = [("T-00", "sic-bo"), ("T-01", "sic-bo"), ("T-31", "high-roll")]
    lines = list(table_lines(figures_of(scene), dealt))
    assert [(line["table"], line["rounds"]) for line in lines] == [("T-00", 0), ("T-01", 1), ("T-31", 0)]


def test_a_slip_changes_the_figures_of_its_round_on_the_day_of_the_round(hands, scene):
    scene.play((1, "small", 2_500), (2, "big", 5_000), dice=[2, 5, 5])
    scene.finish()
    scene.play((1, "small", 1_000), dice=[2, 5, 5])
    scene.finish()
    hands.now = at(12, day=22)
    file(scene, "dice", dice=[1, 1, 2])
    corrected, plain = figures_of(scene)
    assert (corrected.taken_cents, corrected.paid_cents, corrected.has_slip) == (5_000, 2_500, True)
    assert (corrected.expected_win, corrected.variance) == over_216({"small": 2_500, "big": 5_000})
    assert (plain.taken_cents, plain.has_slip, plain.gaming_day) == (1_000, False, TODAY)
    missed = {"seat": 3, "wager": "total:9", "cents": 1_000, "chips": "house"}
    file(scene, "wager", wagers=[missed])
    corrected, _ = figures_of(scene)
    assert (corrected.expected_win, corrected.variance) == over_216(
        {"small": 2_500, "big": 5_000, "total:9": 1_000}
    )
    assert (corrected.wagers, corrected.handle_cents) == (3, 8_500)
    file(scene, "void", number=2, by="pit-manager")
    assert [figures.round for figures in figures_of(scene)] == [1]
    later = TODAY + dt.timedelta(days=1)
    assert lines_of(scene, first=later, last=later) == []


def test_the_command_writes_exact_lines(hands, scene):
    """Small at $25 and a total of 9 at $10, worked out by hand: 2,500/36 + 1,000 · 41/216."""
    scene.play((1, "small", 2_500), (2, "total:9", 1_000), dice=[1, 1, 2])
    scene.finish()
    scene.play((1, "small", 1_000), dice=[6, 6, 2])
    scene.finish()
    first, second = lines_of(scene, "--by", "round")
    mean, variance = over_216({"small": 2_500, "total:9": 1_000})
    assert str(mean) == "7000/27"
    assert first == {
        "table": "T-01", "round": 1, "gaming_day": "2026-11-21", "game": "sic-bo", "rounds": 1, "wagers": 2,
        "handle_cents": 3_500, "taken_cents": 1_000, "paid_cents": 2_500, "win_cents": -1_500, "fees_cents": 0,
        "cut_cents": 0, "expected_win": "7000/27", "variance": str(variance),
    }  # fmt: skip
    assert (second["expected_win"], second["variance"]) == ("250/9", "80937500/81")
    [table] = lines_of(scene)
    assert list(table) == [name for name in first if name not in ("round", "gaming_day")]
    assert (table["rounds"], table["wagers"], table["win_cents"]) == (2, 3, -500)
    assert Fraction(table["expected_win"]) == mean + Fraction(250, 9)
    assert Fraction(table["variance"]) == variance + Fraction(80_937_500, 81)
    assert lines_of(scene, "--table", "T-01") == lines_of(scene, last=dt.date.max) == [table]
    assert lines_of(scene, first=dt.date.max, last=dt.date.max) == []
    with pytest.raises(CommandError, match="--from is after --to"):
        lines_of(scene, last=TODAY - dt.timedelta(days=1))
    with pytest.raises(CommandError, match="There is no table T-99 at larkfield"):
        lines_of(scene, "--table", "T-99")
    with pytest.raises(CommandError, match="T-01 is a live table"):
        lines_of(scene, "--table", "T-01", "--play", "training")
    with pytest.raises(CommandError, match="2026-02-30' is no gaming day"):
        lines_of(scene, first="2026-02-30")
    with pytest.raises(CommandError, match="There is no facility nowhere"):
        call_command("figures", "nowhere", "--from", str(TODAY), "--to", str(TODAY))


def test_rounds_are_read_in_batches_and_each_kind_of_play_apart(hands, monkeypatch):
    scene = make_scene(kind="simulated")
    for _ in range(3):
        scene.play((1, "small", 1_000), dice=[6, 6, 2])
        scene.finish()
    assert lines_of(scene) == []
    in_one_batch = lines_of(scene, "--play", "simulated", "--by", "round")
    assert [line["round"] for line in in_one_batch] == [1, 2, 3]
    monkeypatch.setattr("tables.figures.round_figures.BATCH_ROUNDS", 1)
    with CaptureQueriesContext(connection) as queries:
        rounds = round_figures(scene.fresh.facility, TODAY, TODAY, play="simulated")
        next(rounds)
        read = len(queries)
        next(rounds)
    assert len(queries) == read + 2  # the next batch, and who took the post since
    assert lines_of(scene, "--play", "simulated", "--by", "round") == in_one_batch


def test_an_extra_roll_is_a_fee_and_the_payout_limit_cuts(hands):
    scene = make_scene("pa-675a", payout_limit_cents=5_006_000)
    scene.place((2, "pip:5", 50_000), (2, "like-kind:8", 50_000), (2, "extra-roll", 50_000))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [5, 5, 5, 5, 5, 5, 5, 5, 1, 6]})
    while scene.round is not None:
        following = scene.snapshot["next"]
        params = {"dice": [1, 2]} if following["act"] == "call_dice" else following["params"]
        scene.act(following["act"], params)
    [figures] = figures_of(scene)
    assert (figures.wagers, figures.handle_cents, figures.fees_cents, figures.taken_cents) == (
        2,
        100_000,
        50_000,
        0,
    )
    uncut = 50_000 * 4 + 50_000 * 5_000
    assert (figures.paid_cents, figures.cut_cents) == (5_006_000, uncut - 5_006_000)
    assert figures.win_cents == 50_000 - 5_006_000
    assert figures.by_code["extra-roll"].expected_win == 50_000
    assert (figures.by_code["extra-roll"].fees_cents, figures.by_code["extra-roll"].wagers) == (50_000, 0)


def test_the_people_at_the_posts_are_those_when_the_round_ended(hands, scene):
    scene.play((1, "small", 2_500), dice=[1, 1, 2])
    scene.finish()
    scene.play((1, "small", 2_500), dice=[1, 1, 2])
    scene.act("take_over_table", by="relief")
    scene.finish(by="relief")
    assert [figures.dealers for figures in figures_of(scene)] == [("dealer",), ("relief",)]


def test_a_game_counts_each_play_from_its_position(hands):
    """The definition is that of the daily report, which another test holds against every course of a game."""
    game, gain, score = [(2, "touchdown", 500), (5, "defense", 1_000)], [3, 4, 1], [1, 1, 1]
    scene = played(
        [*game, (2, "no-gain", 500, 1)],
        [(5, "over-four", 1_500, 2), (2, "trips-td", 500, 2)],
        throws=[gain, score],
    )
    [figures] = figures_of(scene)
    sums = day_of(scene).total.sums
    assert (figures.expected_win, figures.variance) == (sums.expected.value, sums.variance.value)
    assert (figures.wagers, figures.handle_cents, figures.win_cents) == (5, 4_000, sums.win_cents)
    assert figures.dealers == ("dealer", "relief", "stickperson")


def test_a_changed_entry_leaves_the_expectation_unknown_and_ends_the_command_with_an_error(hands, scene):
    scene.play((1, "small", 2_500), dice=[1, 1, 2])
    scene.finish()
    [entry] = Entry.objects.filter(stream=scene.table.stream, type="round.settled")
    with as_superuser():
        changed = bytes(entry.body).replace(b'"dice":[1,1,2]', b'"dice":[1,1,3]')
        Entry.objects.filter(pk=entry.pk).update(body=changed)
    [figures] = figures_of(scene)
    assert (figures.expected_win, figures.variance, figures.unreadable) == (None, None, (entry.seq,))
    assert round_line(figures)["expected_win"] is None
    assert next(table_lines([figures]))["variance"] is None
    with pytest.raises(CommandError, match="not known of 1 round, first T-01, round 1"):
        lines_of(scene)


def test_an_altered_slip_under_a_newer_one_leaves_the_expectation_unknown_in_figures_and_report(hands, scene):
    """They fold the same round: the report once looked at its newest slip alone."""
    scene.play((1, "small", 2_500), (2, "big", 5_000), dice=[2, 5, 5])
    scene.finish()
    file(scene, "dice", dice=[1, 1, 2])
    settle(scene, (1, 5_000), (2, -10_000))
    file(scene, "wager", wagers=[{"seat": 1, "wager": "small", "cents": 5_000}])
    older = Entry.objects.filter(stream=scene.table.stream, type="slip.filed").earliest("seq")
    with as_superuser():
        changed = bytes(older.body).replace(b'"reason":"misread"', b'"reason":"mistake"')
        Entry.objects.filter(pk=older.pk).update(body=changed)
    [figures] = figures_of(scene)
    report = day_of(scene)
    assert (figures.expected_win, figures.unreadable) == (None, (older.seq,))
    assert (report.total.sums.unknown_rounds, report.unreadable) == (1, [("T-01", older.seq)])
    assert (figures.handle_cents, report.total.sums.handle_cents) == (10_000, 10_000)
