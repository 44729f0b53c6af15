"""A new act is one function and its words (docs/architecture.md): the rest of the product needs no change."""

import importlib
import json
import sys
import uuid
from unittest.mock import patch

import pytest
from django.core.exceptions import ImproperlyConfigured

from audit.entry_types import ACT_LINES, ENTRY_TYPES
from audit.models import Entry
from tables.runner import facility, table

pytestmark = pytest.mark.django_db

MODULE = "tests.tables.order_chips"


@pytest.fixture
def new_act():
    """Register the fictitious act and its words for one test, as the start of the application would."""
    with (
        patch.dict(table.RUNNER.acts),
        patch.dict(ACT_LINES),
        patch.dict(ENTRY_TYPES),
        patch.dict(sys.modules),
    ):
        sys.modules.pop(MODULE, None)
        yield importlib.import_module(MODULE)


@pytest.fixture
def order(scene, new_act):
    """Post the act as a tablet does."""
    browser = scene.browser("tablet", "dealer")

    def send(cents: int, command: str | None = None):
        body = {
            "command": command or str(uuid.uuid4()),
            "seen": scene.version,
            "params": {"cents": cents},
        }
        return browser.post(
            "/floor/larkfield/T-01/acts/order_chips", json.dumps(body), content_type="application/json"
        )

    return send


def test_a_new_act_is_executed_recorded_and_shown(scene, order):
    response = order(250_000)
    assert response.status_code == 200, response.content
    assert response.json()["answer"] == {"type": "chips.ordered", "cents": 250_000}
    entry = Entry.objects.get(stream=scene.table.stream, seq=scene.version)
    body = json.loads(bytes(entry.body))
    assert (entry.type, body["data"], body["actor"]) == (
        "chips.ordered",
        {"cents": 250_000},
        scene.people["dealer"].code,
    )
    line = scene.snapshot["acts"][0]
    assert (line["type"], line["text"]) == ("chips.ordered", "Chips ordered: $2,500")


def test_a_new_act_is_refused_with_its_sentence(scene, order):
    version = scene.version
    response = order(500_001)
    assert response.status_code == 422
    assert response.json()["refusal"] == {
        "code": "too-many-chips",
        "title": "Order less",
        "message": "Order at most $5,000 at a time.",
        "section": "",
    }
    assert scene.version == version


def test_a_repeated_command_of_a_new_act_has_the_first_answer(scene, order):
    command = str(uuid.uuid4())
    first, repeated = order(100, command).json(), order(100, command).json()
    assert (repeated["again"], repeated["answer"], repeated["version"]) == (
        True,
        first["answer"],
        first["version"],
    )


def test_the_act_is_gone_after_its_test():
    assert "order_chips" not in table.RUNNER.acts
    assert "chips.ordered" not in ACT_LINES


def test_an_act_that_would_run_without_the_approval_that_it_names_is_refused_at_registration():
    """Nothing at a table waits for a second person, and a row that two people sign is no prepared change."""

    def change_rules(ctx, params):
        raise NotImplementedError

    for register in (
        lambda do: table.act(roles=(), subject="rules")(do),
        lambda do: facility.facility_act(facility.STAFF, roles=(), subject="ratings")(do),
        lambda do: facility.facility_act(facility.STAFF, roles=(), subject="unheard-of")(do),
    ):
        with pytest.raises(ImproperlyConfigured, match="No act is done here by the row"):
            register(change_rules)
    assert "change_rules" not in {**table.ACTS, **facility.ACTS}
