"""`manage.py simulate_reader` reads a shift over the API, with faults, and a dealer calls what the dice show."""

import datetime as dt
import io
import json
import urllib.request
from collections import Counter

import pytest
from django.core.management import call_command
from django.test import Client

from audit import clock, registration
from audit.models import Entry
from audit.verification import verify
from games.engine import Refusal
from tables.management.commands import simulate_reader
from tables.models import DiceReading

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def answer_of(request: urllib.request.Request) -> dict:
    """What the server answers to a request of the command."""
    headers = dict(request.headers)
    content_type = headers.pop("Content-type", "application/x-www-form-urlencoded")
    response = Client().generic(
        request.get_method(),
        request.full_url,
        request.data or b"",
        content_type=content_type,
        headers=headers,
    )
    if response.status_code >= 400:
        problem = response.json()
        raise simulate_reader.Refused(problem["code"], problem["detail"])
    return response.json()


class Dealer:
    """Deals on whenever the reader waits: calls what the dice show, and asks the floor where that differs."""

    def __init__(self, scene, hands, output: io.StringIO) -> None:
        self.scene, self.hands, self.output = scene, hands, output

    def __call__(self, seconds: float) -> None:
        self.hands.now += dt.timedelta(seconds=1)
        if self.scene.round is None:
            self.scene.place((1, "small", 2_500))
        if self.scene.round_part["next"]["act"] != "call_dice":
            self.scene.to_the_dice()
        elif "show" in self.output.getvalue():
            self.call(
                [int(face) for face in self.output.getvalue().rpartition("show ")[2].split("\n")[0].split()]
            )

    def call(self, dice: list[int]) -> None:
        try:
            self.scene.act("call_dice", {"dice": dice})
        except Refusal as refusal:
            assert refusal.code == "reading-differs"
            self.scene.act("call_dice", {"dice": dice}, witness="floorperson")
        self.scene.finish()


def test_a_shift_with_faults_leaves_each_reading_on_record_and_each_decision(
    machine, scene, hands, monkeypatch
):
    registration.record_people()
    client, output = machine("readings", place="larkfield/T-01", name="DR-01"), io.StringIO()
    monkeypatch.setattr(simulate_reader, "_send", answer_of)
    monkeypatch.setattr(simulate_reader, "now", clock.now)
    monkeypatch.setattr(simulate_reader.time, "sleep", Dealer(scene, hands, output))
    call_command(
        "simulate_reader", "larkfield", "T-01", client=client.id, secret=client.secret, url="http://testserver",
        readings=12, faults="late,twice,wrong,silent", seed=7, first_number=100, stdout=output,
    )  # fmt: skip
    said = output.getvalue()
    assert said.count("the dice show") == 12
    assert said.count("refused. reading-known") == 1
    assert Counter(DiceReading.objects.values_list("outcome", flat=True)) == {"pending": 10, "late": 2}
    assert list(DiceReading.objects.order_by("number").values_list("number", flat=True)) == list(
        range(100, 112)
    )
    settled = [json.loads(bytes(row.body)) for row in Entry.objects.filter(type="round.settled")]
    differing = [entry for entry in settled if "entered" in entry["data"].get("reading", {})]
    assert [entry["witness"] for entry in differing] == ["floorperson"]
    assert verify().findings == []
