"""What is pure in script/bench: the schedule, the percentiles, the frames and the comparison. No test measures time."""

import asyncio
import itertools
import random

from script.capacity import TableCost, lines
from script.figures import Committed, Comparison, Figure, Run, better_of, compare, page_lines
from script.generator.schedule import deal_round, deal_shift, percentile
from script.generator.wire import PING, TEXT, SocketConnection, frame


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
    acts = deal_shift(random.Random(5), wagers=10, rounds_an_hour=60, seconds=300, lead=2)
    due = [act.due for act in acts]
    assert due == sorted(due)
    assert due[0] >= 2
    assert due[-1] <= 302
    assert sum(act.name == "clear_layout" for act in acts) in (4, 5)
    # The acts of one table are further apart than a dashboard's pause between two tiles.
    assert min(later - earlier for earlier, later in itertools.pairwise(due)) > 0.5


def socket_frame(content):
    """A message as a server sends it: unmasked."""
    masked = frame(TEXT, content)
    size = len(masked) - len(content) - 4
    return bytes([masked[0], masked[1] & 127]) + masked[2:size] + content


def test_its_sockets_read_messages_however_they_are_cut():
    messages = [
        b'{"table": "T-01", "version": 7, "html": "%s"}' % (b"x" * 70_000),
        b'{"versions": {}}',
        b"z" * 300,
    ]
    stream = b"HTTP/1.1 101 Switching Protocols\r\n\r\n" + b"".join(map(socket_frame, messages))

    async def lengths(size):
        received = []
        connection = SocketConnection(
            b"", lambda opening, length, moment: received.append((opening[:30], length))
        )
        for start in range(0, len(stream), size):
            connection.data_received(stream[start : start + size])
        return received

    expected = [(message[:30], len(message)) for message in messages]
    for size in (1, 7, 300, 4_096, len(stream)):
        assert asyncio.run(lengths(size)) == expected


def test_its_sockets_answer_a_ping():
    sent = []

    class Transport:
        def write(self, data):
            sent.append(data)

    async def ping():
        connection = SocketConnection(b"", lambda *_: None)
        connection.transport = Transport()
        connection.data_received(b"HTTP/1.1 101 Switching Protocols\r\n\r\n" + bytes([128 | PING, 2]) + b"hi")

    asyncio.run(ping())
    assert sent == [bytes([138, 130, 0, 0, 0, 0]) + b"hi"]


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
