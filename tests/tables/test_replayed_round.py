"""A round followed by its entries alone comes to the same state as the table, after every act."""

import random
from dataclasses import asdict
from typing import Any

import pytest

from audit import clock
from games.engine import RoundState
from games.registry import game_of
from tables.core.context import TableContext
from tables.core.entries import of_round
from tables.models import Round
from tables.replay.readjudication import readjudicate_round
from tables.replay.replayed_round import RulesFinder
from tests.tables.cast import Scene, make_scene
from tests.tables.test_walks import walk

# What an entry of the round does not say, and what no later step of the round rests on.
NOT_TOLD = {"game", "rules", "shaker", "quarterback", "offered", "seated", "absent"}
EVERY_RULES = ["pa-539", "pa-625a/B", "nj-19-47-9", "pa-675a", "pa-675a.6", "pa-577"]

pytestmark = pytest.mark.django_db


def by_the_rows(scene: Scene) -> RoundState | None:
    return TableContext(scene.fresh, None, None, None, clock.now()).state if scene.round else None


def by_the_record(scene: Scene, round_: Round) -> RoundState:
    entries = of_round(scene.table.stream, round_.number)
    course = readjudicate_round(entries, scene.table.facility.code, RulesFinder()).replayed
    assert course is not None
    return course.state


def plain(state: RoundState) -> dict[str, Any]:
    values = {name: value for name, value in asdict(state).items() if name not in NOT_TOLD}
    return values | {"throws": [game_of(state.rules).arranged(dice) for dice in state.throws]}


@pytest.mark.parametrize("rules", EVERY_RULES)
def test_after_every_act_of_a_walk_the_record_tells_the_state_that_the_table_has(rules, monkeypatch):
    scene, seen, act = make_scene(rules), set(), Scene.act

    def compared(self: Scene, *args: Any, **kwargs: Any) -> Any:
        answer = act(self, *args, **kwargs)
        if (state := by_the_rows(self)) is not None:
            assert plain(by_the_record(self, self.round)) == plain(state), args
            seen.add(state.phase)
        return answer

    monkeypatch.setattr(Scene, "act", compared)
    walk(scene, random.Random(f"course {rules}"))
    assert len(seen) >= 4, seen
