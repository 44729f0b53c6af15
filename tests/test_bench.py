"""What is pure in script/bench: schedule, percentiles, screens and the comparison. No test measures time."""

import asyncio
import itertools
import json
import random

from script.bench_load import Display, Load, deal_round, deal_shift, percentile
from script.capacity import TableCost, lines
from script.faults.floor import Seat
from script.figures import Committed, Comparison, Figure, Run, better_of, compare, page_lines
from script.tablet import Browser


def test_it_reports_the_nearest_rank_as_a_percentile():
    values = [float(number) for number in range(1, 101)]
    assert [percentile(values, share) for share in (0.5, 0.95, 0.99, 1.0)] == [50.0, 95.0, 99.0, 100.0]
    assert percentile([7.0], 0.5) == 7.0


def test_its_round_takes_losers_and_pays_winners():
    acts = deal_round(random.Random(3), wagers=10)
    lines = [line for act in acts if act.name == "place_wagers" for line in act.params["wagers"]]
    assert len(acts) == 16
    assert len({(line["seat"], line["wager"]) for line in lines}) == 10
    assert {"small", "big"} <= {line["wager"] for line in lines}
    dice = next(act.params["dice"] for act in acts if act.name == "call_dice")
    assert len(set(dice)) > 1  # a triple takes both


def test_its_acts_are_due_in_order_and_within_the_shift():
    acts = deal_shift(random.Random(5), wagers=10, rounds_an_hour=60, seconds=300)
    due = [act.due for act in acts]
    assert due == sorted(due)
    assert due[0] >= 0
    assert due[-1] <= 300
    assert sum(act.name == "clear_layout" for act in acts) in (4, 5)
    # The acts of one table are further apart than a dashboard's pause between two tiles.
    assert min(later - earlier for earlier, later in itertools.pairwise(due)) > 0.5


def test_its_screens_show_changes_to_what_they_show_and_fetch_the_rest():
    async def hear(*messages):
        load = Load(random.Random(1))
        display = Display(load, Browser(Seat("larkfield/T-01", "mei", ""), "", load.front(1)), 1, "dealer")
        fetched = []

        async def resync():
            fetched.append(True)

        display.resync = resync
        assert not display.is_told
        for message in messages:
            await display.hear(json.dumps(message))
            assert display.is_told
        return display.fragment.version, len(fetched), dict(load.messages), load.shown

    state = {"table": "T-01", "version": 7, "html": "x" * 70_000}
    change = {"table": "T-01", "version": 9, "base": 7, "lines": []}
    version, fetched, messages, shown = asyncio.run(hear(state, change))
    assert (version, fetched, messages) == (9, 0, {"dealer": 2})
    assert {key: screens for key, (screens, _) in shown.items()} == {("T-01", n): 1 for n in (7, 8, 9)}
    # Changes to another state are of no use; a heartbeat names what is lacking.
    assert asyncio.run(hear(state, {**change, "base": 8}))[:2] == (7, 1)
    assert asyncio.run(hear(state, {"versions": {"T-01": 8}}))[:3] == (7, 1, {"dealer": 1, "heartbeats": 1})
    assert asyncio.run(hear(state, {"versions": {"T-01": 7}, "incarnation": 0}))[1] == 0
    assert asyncio.run(hear(state, {"versions": {"T-01": 7}, "incarnation": 1}))[1] == 1


def figure(value, **fields):
    stated = {"key": "acts.bytes_tile", "is_portable": True, **fields}
    return Figure(label="bytes of a tile", value=value, unit="B", **stated)


def committed(before):
    record = Committed()
    record.replace(Run("2026-11-23", "two cores", 0.1, figures=(before,)))
    return record


def test_it_calls_worse_what_is_more_than_a_fifth_worse():
    def is_worse(now, before):
        (comparison,) = compare([now], committed(before))
        return comparison.is_worse

    assert is_worse(figure(2_500.0), figure(2_000.0))
    assert not is_worse(figure(2_300.0), figure(2_000.0))
    assert is_worse(figure(0.5, better="higher"), figure(0.7, better="higher"))
    assert not is_worse(figure(0.7, better="higher"), figure(0.5, better="higher"))
    # Milliseconds of another machine say nothing.
    assert not is_worse(figure(9.0, is_portable=False), figure(2.0, is_portable=False))


def test_it_takes_the_better_of_two_measurements():
    first, other = figure(2_500.0), figure(7.0, key="acts.bytes_sign")
    assert better_of([first, other], [figure(2_100.0)]) == [figure(2_100.0), other]
    assert better_of([first, other], [figure(2_900.0)]) == [first, other]


def test_its_page_says_where_a_part_was_measured_and_which_goals_are_met():
    lines = "\n".join(page_lines(committed(figure(2_500.0, goal=2_000.0)), {"acts": "an act"}))
    assert "Measured on 2026-11-23, two cores; load average before the run 0.1." in lines
    assert "| bytes of a tile | 2,500 B | ≤ 2,000 B | **no** |" in lines


def test_a_comparison_says_how_much_worse_a_figure_is():
    assert str(Comparison(figure(3_000.0), figure(2_000.0), 1.5)) == (
        "bytes of a tile: 3,000 B, committed 2,000 B (1.50 times worse)"
    )


def test_the_capacity_follows_from_the_floor_that_was_measured():
    values = {
        "tables": 60,
        "acts_a_second": 16,
        "web-1_core": 20.0,
        "web-2_core": 20.0,
        "postgres_core": 8.0,
        "redis_core": 0.8,
        "stored_bytes": 2_000.0,
        "wal_bytes": 3_000.0,
    }
    figures = tuple(Figure(f"floor.{name}", name, value) for name, value in values.items())
    committed = Committed({"floor": Run("2026-11-23", "two cores", 0.1, "abc", figures)})
    cost = TableCost.of(committed.runs["floor"])
    # 60 tables at 60 rounds an hour are 16 acts a second, so each uses a sixtieth of what was measured.
    assert round(60 * cost.web, 6) == 0.4
    assert cost.tables(web_cores=2, postgres_cores=1) == 210  # the workers are the limit: 0.7 * 2 * 60 / 0.4
    assert cost.tables(web_cores=20, postgres_cores=1) == 525  # PostgreSQL is: 0.7 * 60 / 0.08
    page = "\n".join(lines(committed))
    assert "| 100 tables | 561 million | 1,121 GB | 1,682 GB |" in page
