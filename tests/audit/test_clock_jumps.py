"""A clock that jumps far ahead records nothing: an entry of next year would leave its stream no time until then."""

import datetime as dt
import io

import pytest
from django.core.management import CommandError, call_command

from audit import clock, record
from audit.clock import SteadyTime
from audit.models import Department, Role
from audit.refusals import ClockRefused
from audit.sealing.state import SealingProblem
from tests.services import later

from .conftest import MOMENT
from .sealed import SECOND, House

pytestmark = pytest.mark.django_db
YEAR = dt.timedelta(days=365)
MINUTE = dt.timedelta(minutes=1)


class Seconds:
    """A steady clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_reading_is_trusted_up_to_ten_minutes_ahead_of_a_steady_clock():
    seconds = Seconds()
    steady = SteadyTime(seconds)
    assert steady.jump(MOMENT + YEAR) is None, "a process that starts trusts its first reading"
    steady.note(MOMENT)
    assert steady.jump(MOMENT + 10 * MINUTE) is None
    assert steady.jump(MOMENT + 11 * MINUTE) == 11 * MINUTE
    steady.note(MOMENT + YEAR)
    assert steady.jump(MOMENT + YEAR) == YEAR, "one reading of next year makes no other one true"
    seconds.now += 3_600
    assert steady.jump(MOMENT + 65 * MINUTE) is None, "time passes"
    assert steady.jump(MOMENT - YEAR) is None


def test_a_clock_that_goes_back_and_returns_has_not_jumped():
    steady = SteadyTime(Seconds())
    for moment in (MOMENT, MOMENT - 60 * MINUTE, MOMENT):
        steady.note(moment)
        assert steady.jump(moment) is None


def test_a_clock_that_is_set_ahead_by_minutes_is_followed():
    steady = SteadyTime(Seconds())
    for minutes in (0, 9, 18, 27):
        steady.note(MOMENT + minutes * MINUTE)
        assert steady.jump(MOMENT + minutes * MINUTE) is None


def test_every_reading_of_the_clock_is_noted_and_nothing_is_recorded_far_ahead_of_it(monkeypatch, write):
    monkeypatch.setattr(clock.clock, "_of_every_thread", None)
    monkeypatch.setattr(clock.clock, "jump", later.JUMP)
    for read in (clock.now, lambda: clock.clock.read(None)):
        monkeypatch.setattr(clock.clock, "steady", SteadyTime())
        moment = read()
        with pytest.raises(ClockRefused) as refused:
            write(moment=moment + YEAR)
        assert refused.value.code == "clock-jumped"
        assert "jumped ahead by 364 days" in refused.value.sentence
        assert write(moment=moment)


def test_nothing_is_sealed_at_such_a_time(monkeypatch, sealer):
    steady = SteadyTime(lambda: 0.0)
    steady.note(MOMENT)
    monkeypatch.setattr(clock.clock, "jump", steady.jump)
    with clock.override(MOMENT + YEAR), pytest.raises(SealingProblem, match="jumped ahead"):
        sealer.seal()
    with clock.override(MOMENT):
        assert sealer.seal() is not None


@pytest.fixture
def declarers(make_person):
    officer = make_person("ruiz-c", Role.COMPLIANCE, "222222", department=Department.COMPLIANCE)
    return officer, make_person("okafor-a", Role.FLOORPERSON, "654321")


def test_two_people_let_all_streams_go_on_that_were_written_ahead_of_the_time(
    tmp_path, write, declarers, monkeypatch
):
    house = House(tmp_path / "sealer", write)
    house.act(SECOND, "larkfield/T-06")
    for name in ("larkfield/T-04", "larkfield/sign-in"):
        write(name, moment=MOMENT + YEAR, gaming_day=(MOMENT + YEAR).date())
    with pytest.raises(ClockRefused):
        house.act(2 * SECOND, "larkfield/sign-in")
    said = io.StringIO()
    arguments = ("close_stream", "ruiz-c", "okafor-a", "--ahead", "--why", "The clock was a year ahead")

    def declare(*words: str) -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO("222222\n654321\n"))
        with clock.override(MOMENT + 10 * SECOND):
            call_command(*words, "--pins-from-stdin", stdout=said)
        return said.getvalue()

    assert declare(*arguments).splitlines() == [
        "larkfield/T-04 is closed. larkfield/T-04-2 continues it.",
        "larkfield/sign-in is closed. larkfield/sign-in-2 continues it.",
    ]
    house.act(11 * SECOND, "larkfield/sign-in")
    assert record.open_stream("larkfield/sign-in").name == "larkfield/sign-in-2"
    assert declare(*arguments).endswith("Nothing was closed.\n")
    with pytest.raises(CommandError, match="Name the stream"):
        declare("close_stream", "larkfield/T-06", "ruiz-c", "okafor-a", "--ahead", "--why", "a reason")
