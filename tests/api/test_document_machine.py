"""The document of the API as a state machine: what an answer leads to is asked next, and people act meanwhile.

Schemathesis follows the links of the document and makes the requests. What must hold on a floor is judged after each
(`tests/tables/floor_invariants.py`), and the record at the end. `TEST_EVERY_EXAMPLE=1` walks three times as often, and
`API_WALKS=100` walks a hundred times with each scope. `-s` prints how many answers there were.
"""

import contextlib
import os
import random
import uuid
from collections import Counter
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import pytest
import schemathesis
from django.db import transaction
from hypothesis import HealthCheck, Phase, seed
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.errors import FlakyStrategyDefinition
from hypothesis.stateful import Bundle, initialize, precondition, rule, run_state_machine_as_test
from schemathesis.generation import GenerationMode
from schemathesis.generation.stateful.state_machine import StepInput, StepOutput
from schemathesis.specs.openapi.checks import positive_data_acceptance

from audit.clients import OF_ONE_TABLE, SCOPES
from audit.models import Entry, Person, Role
from games.engine import Refusal
from script.faults.invariants import read_facts, violations
from tables.api.acts import SCOPE_OF_ACT
from tables.runner import facility as facility_runner
from tables.runner import table as table_runner
from tests.api.conftest import Machine, make_machine
from tests.api.test_document import ENDLESS, scopes_of
from tests.services.examples import day, examples
from tests.tables.cast import PIN
from tests.tables.floor_invariants import CREWS, DEALERS, FLOOR, FloorInvariants, open_three
from tests.tables.test_walks import params as sent

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
WALKS = "API_WALKS"
STEPS = 25
RUNNING = ("T-01", "T-31", "T-41")
ACTS = sorted(table_runner.ACTS)
ACTS_OF_FACILITY = sorted(facility_runner.RUNNER.acts)
PEOPLE = (*DEALERS, *FLOOR, "security", "stranger", "surveillance", "gaming-agent")


def values(draw: random.Random) -> dict[str, Any]:
    """What is there, so that not every request ends at a facility or a table that nobody has."""
    return {
        "facility": "larkfield",
        "table": draw.choice(RUNNING),
        "place": draw.choice(RUNNING),
        "number": draw.randint(1, 9),
        "code": f"RS-000{draw.choice((9, 5, 7))}",
        "version": 1,
    }


def make_walk(schema: Any) -> type[Any]:
    """The state machine of the document, whose steps are made by one client and judged."""
    operations = {
        operation.definition.raw["operationId"]: operation
        for found in schema.get_all_operations()
        if not (operation := found.ok()).path.endswith(ENDLESS)
    }

    class Walk(FloorInvariants, schema.as_state_machine()):
        machine: Machine | None
        own_token: str
        scopes: frozenset[str]
        answers: Counter[tuple[str, int]]
        found: list[str]  # what was wrong with the record before

        def __init__(self) -> None:
            super().__init__()
            self.back = transaction.savepoint()
            self.newest = Entry.objects.latest("pk").pk
            if self.machine:
                self.machine.token = self.own_token
            self.bets_closed = {}
            self.draw = random.Random()

        @initialize(number=st.integers(0, 2**32))
        def begin(self, number: int) -> None:
            self.draw = random.Random(number)

        # What is sent

        @rule(target=Bundle("catch_all"), data=st.data())
        def anything_is_asked(self, data: Any) -> StepOutput | None:
            """Any operation, as the document allows it or otherwise. Links go on from its answer."""
            every = sorted(operations.values(), key=lambda operation: operation.label)
            own = [operation for operation in every if self.scopes & scopes_of(operation)]
            operation = data.draw(
                st.sampled_from(data.draw(st.sampled_from([every, own or every, own or every])))
            )
            mode = data.draw(st.sampled_from([GenerationMode.POSITIVE] * 3 + [GenerationMode.NEGATIVE]))
            case = data.draw(operation.as_strategy(generation_mode=mode))
            self.recorder.record_case(case=case)
            return self._step(StepInput.initial(case))

        @rule(code=st.sampled_from(RUNNING), steps=st.integers(3, 10))
        def play_goes_on(self, code: str, steps: int) -> None:
            """The person at the post signs in and does the next act, or another one, in season or not."""
            for _ in range(steps):
                shown = self.house[code].snapshot
                following = shown["next"]["act"] if shown["next"] else ""
                act = following if following and self.draw.random() < 0.7 else "place_wagers"
                params = sent(act, shown, self.draw)
                person = self.house[code].at_the_post_of(act, params)
                if person == "dealer":
                    person = CREWS[code][0]
                if "acts" in self.scopes:
                    self.send("sign_in", body={"person": person, "pin": PIN})
                    self.do(code, act, params)
                else:  # at a tablet, so that there is more to read
                    with contextlib.suppress(Refusal):
                        self.house[code].act(act, params, by=person, device=self.house[code].podium)

        @precondition(lambda self: "acts" in self.scopes)
        @rule(code=st.sampled_from(sorted(CREWS)), act=st.sampled_from(ACTS), who=st.sampled_from(PEOPLE))
        def somebody_tries_something(self, code: str, act: str, who: str) -> None:
            if act == "offer_dice" and code not in ("T-41", "T-42", "T-43"):
                return
            self.send("sign_in", body={"person": who, "pin": PIN})
            self.do(code, act, sent(act, self.house[code].snapshot, self.draw))

        def do(self, code: str, act: str, params: dict[str, Any]) -> None:
            """Do an act, and now and then the same again."""
            body = {"params": params, "seen": self.house[code].version}
            if self.draw.random() < 0.5:
                body["witness"] = {"person": "floorperson", "pin": PIN}
            key = self.new_key()
            for _ in range(1 + (self.draw.random() < 0.2)):
                self.send(
                    "act_at_table",
                    path_parameters={"facility": "larkfield", "table": code, "act": act},
                    headers={"Idempotency-Key": key},
                    body=body,
                )

        def send(self, name: str, **parts: Any) -> None:
            case = operations[name].Case(media_type="application/json", **parts)
            self.recorder.record_case(case=case)
            self._step(StepInput.initial(case))

        def new_key(self) -> str:
            return str(uuid.UUID(int=self.draw.getrandbits(128), version=4))

        def step(self, input: StepInput) -> StepOutput:
            """Put what is there in the place of most that no link has given."""
            case = input.case
            linked = {name for _location, name in input.applied_parameters}
            if case.meta is not None and self.draw.random() < 0.8:
                for name, value in values(self.draw).items():
                    if name in case.path_parameters and name not in linked:
                        case.path_parameters[name] = value
                if "act" in case.path_parameters and (case.method == "POST" or "act" not in linked):
                    at_table = "table" in case.path_parameters
                    case.path_parameters["act"] = self.draw.choice(ACTS if at_table else ACTS_OF_FACILITY)
                if "Idempotency-Key" in case.headers and self.draw.random() < 0.9:
                    case.headers["Idempotency-Key"] = self.new_key()
            return super().step(input)

        def get_call_kwargs(self, case: Any) -> dict[str, Any]:
            return {"headers": self.machine.headers} if self.machine else {}

        # What is judged

        def call(self, case: Any, **how: Any) -> Any:
            label, path = case.operation.definition.raw["operationId"], case.path_parameters
            code = path.get("table") if label == "act_at_table" else None
            before = self.rows(code) if code in self.house else None
            lot = self.lot_in_play(before) if before else None
            response = case.call(**how)
            self.answers[label, response.status_code] += 1
            assert response.status_code < HTTPStatus.INTERNAL_SERVER_ERROR, (
                case.as_curl_command(),
                response.text,
            )
            if response.status_code >= HTTPStatus.BAD_REQUEST:
                return response
            if label == "sign_in":  # acts are theirs with this token
                self.machine.token = response.json()["token"]
            assert self.scopes & scopes_of(case.operation), f"{label} without its scope"
            if label.startswith("act_"):
                self.judge_right(path["act"])
            if before and not response.json()["again"]:
                self.judge(code, path["act"], before, lot)
            return response

        def judge_right(self, act: str) -> None:
            """Nobody did an act whose role may not, and no client without the act's scope."""
            assert SCOPE_OF_ACT.get(act, "acts") in self.scopes, act
            roles = {**facility_runner.RUNNER.acts, **table_runner.ACTS}[act].roles
            assert self.machine is not None
            person = Person.objects.filter(devices__pk=self.machine.client.device.pk).first()
            assert Role.MACHINE in roles or (person is not None and person.role in roles), (act, person)

        def validate_response(self, response: Any, case: Any, *more: Any, **how: Any) -> None:
            how.pop("additional_checks", None)
            case.validate_response(
                response,
                excluded_checks=[positive_data_acceptance],
                transport_kwargs=how or None,
                recorder=self.recorder,
            )

        def teardown(self) -> None:
            if (
                Entry.objects.latest("pk").pk != self.newest
            ):  # a walk that wrote nothing left the record as it was
                self.no_wager_settled_twice()
                assert violations(read_facts()) == self.found
            transaction.savepoint_rollback(self.back)
            super().teardown()

    return Walk


@contextlib.contextmanager
def printed(answers: Counter[tuple[str, int]], scope: str) -> Iterator[None]:
    yield
    statuses: Counter[int] = Counter()
    for (_operation, status), count in answers.items():
        statuses[status] += count
    acts = sum(
        count for (name, status), count in answers.items() if name.startswith("act_") and status == 200
    )
    operations = len({name for name, status in answers if status == 200})
    print(
        f"{scope or 'no token':<10}{sum(statuses.values()):7} requests, {dict(sorted(statuses.items()))}, "
        f"{operations} operations answered, {acts} acts taken"
    )


EVERY = "every scope"


@pytest.mark.parametrize("scope", ["", *sorted(SCOPES), EVERY])
def test_no_walk_over_the_document_breaks_it_or_the_floor_or_the_record(hands, application, settings, scope):
    settings.API_REQUESTS_PER_MINUTE = 10**9  # the clock stands still
    house = open_three()
    scopes = SCOPES if scope == EVERY else [scope] if scope else []
    place = "larkfield/T-01" if scopes and OF_ONE_TABLE & {*scopes} == {*scopes} else ""
    Walk = make_walk(schemathesis.openapi.from_wsgi("/api/v1/openapi.json", application))
    Walk.house, Walk.hands, Walk.answers, Walk.scopes = house, hands, Counter(), frozenset(scopes)
    Walk.machine = make_machine(*scopes, place=place) if scopes else None
    Walk.own_token = Walk.machine.token if Walk.machine else ""
    Walk.found = violations(read_facts())
    count = int(os.environ.get(WALKS, 0)) or examples(3 if "acts" in scopes else 15)
    how = hypothesis_settings(
        max_examples=2,  # Hypothesis begins with the shortest walk
        stateful_step_count=STEPS,
        suppress_health_check=list(HealthCheck),
        database=None,
        phases=(Phase.generate,),
    )
    with printed(Walk.answers, scope):
        for walk in range(count):
            # Schemathesis draws which answer it follows by chance of its own, so no walk is found to be the same again.
            with contextlib.suppress(FlakyStrategyDefinition):
                run_state_machine_as_test(seed(1_000 * day() + walk)(Walk), settings=how)
    if "acts" in scopes:
        assert Walk.answers["act_at_table", 200]
