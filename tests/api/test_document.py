"""Every address of the API, called as its document allows and otherwise, by clients of each scope and by none.

Schemathesis makes the requests. Whatever they are: no error of the server, no answer outside the document, and nothing
is read or written without the right. `TEST_EVERY_EXAMPLE=1` makes three times as many.
"""

import json
from collections import Counter
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from audit.clients import SCOPES, WRITES
from audit.models import Entry
from audit.verification import verify
from tests.services.examples import examples

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
# What is there, so that not every request ends at a facility that nobody has.
KNOWN = {"facility": "larkfield", "table": "T-01", "place": "T-01", "number": 1, "stream": "T-01"}
AS_DRAWN, MOSTLY = False, (True, True, True)
# `positive_data_acceptance` is left out: a rule may refuse what has the right shape.
ENDLESS = ("/entries/stream", "/sign/stream")  # tests/api/test_entries.py, test_signs.py


@pytest.fixture
def floor(scene):
    """A table with a settled round and an open one, of which there is something to read."""
    scene.play((1, "small", 2_500), (2, "total:12", 500), dice=[1, 2, 3])
    scene.finish()
    scene.place((3, "big", 2_500))
    return scene


def operations(application) -> Iterator[Any]:
    schema: Any = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", application)
    for found in schema.get_all_operations():
        operation = found.ok()
        if not operation.path.endswith(ENDLESS):
            yield operation


def scopes_of(operation) -> set[str]:
    """Any of these is enough."""
    return {
        scope for rule in operation.definition.raw["security"] for named in rule.values() for scope in named
    }


def call(operation, headers, answers: Counter[int]) -> None:
    """Send what the document allows and what it does not, and compare each answer with the document."""
    cases = [operation.as_strategy(generation_mode=mode) for mode in GenerationMode]

    @given(case=st.one_of(cases), is_known=st.sampled_from([*MOSTLY, AS_DRAWN]))
    @settings(
        max_examples=examples(9),
        database=None,
        suppress_health_check=[*HealthCheck],
        phases=[Phase.generate],
    )
    def send(case, is_known):
        if is_known:
            case.path_parameters |= {name: KNOWN[name] for name in case.path_parameters if name in KNOWN}
        response = case.call(headers=headers)
        answers[response.status_code] += 1
        case.validate_response(response, excluded_checks=[positive_data_acceptance])

    send()


@pytest.mark.parametrize("scope", ["", *sorted(SCOPES)])
def test_nothing_that_a_client_sends_breaks_the_document_or_the_record(
    floor, machine, application, scope, record_property
):
    headers = machine(scope).headers if scope else {}
    found, before = verify().findings, Entry.objects.count()
    total: Counter[int] = Counter()
    for operation in operations(application):
        answers: Counter[int] = Counter()
        call(operation, headers, answers)
        if scope not in scopes_of(operation):
            assert not [status for status in answers if status < HTTPStatus.BAD_REQUEST], operation.label
        total += answers
    record_property("answers", dict(total))
    assert all(status < HTTPStatus.INTERNAL_SERVER_ERROR for status in total), total
    if scope not in WRITES:
        written = {
            json.loads(bytes(body))["_type"]
            for body in Entry.objects.order_by("pk")[before:].values_list("body", flat=True)
        }
        assert written <= {"personal_data.read", "player.found", "client.read_entries"}
    assert verify().findings == found
