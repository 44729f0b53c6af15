"""What the tests of chapter 528 have in common: a provider of Sic Bo wagers, and its way to certification."""

import datetime as dt
import json
from typing import Any

import pytest

from audit import export
from audit.models import Entry
from games.engine import Refusal
from games.models import GameRequest, Review, Service
from tests.tables.cast import Scene

TODAY = dt.date(2026, 11, 21)
ANY_TRIPLE = "any-three-of-a-kind"


def registered(scene: Scene, **changed) -> str:
    """A provider on file, looked into, without a finding."""
    params = {
        "name": "Tumbling Dice Ideas",
        "game": "Sic Bo",
        "innovation": "a wager on any three of a kind",
        "patent": "US 9,999,999",
        "no_other_license": True,
    }
    code = scene.in_office("register_provider", {**params, **changed}).body["provider"]
    return str(code)


def investigated(scene: Scene, **changed) -> str:
    code = registered(scene, **changed)
    say = {"provider": code, "on": "2026-11-20", "document": scene.on_file("Background report")}
    scene.in_office("record_investigation", say)
    return code


def completed(scene: Scene, code: str, **changed) -> dict:
    """The package as the provider completed it, whole unless the test says otherwise."""
    params = {
        "provider": code,
        "kind": "certification",
        "completed_by": "Ada Quill, president",
        "form": scene.on_file("Form"),
        "copy": "one",
        "statement": scene.on_file("Statement"),
        "general": True,
        "fee_cents": 250_000,
        "fee_paid_on": "2026-11-20",
    }
    params = {name: value for name, value in {**params, **changed}.items() if value is not None}
    scene.in_office("complete_application", params)
    return params


def applied(scene: Scene, **changed) -> str:
    """A provider whose application is filed."""
    code = investigated(scene, **changed)
    completed(scene, code)
    scene.in_office("file_application", {"provider": code})
    return code


def linked(scene: Scene, code: str, *wagers: str, name: str = "Any Triple", game: str = "sic-bo") -> Service:
    params = {"provider": code, "name": name, "game": game, "wagers": list(wagers)}
    answer = scene.in_office("register_service", params)
    return Service.objects.get(code=answer.body["service"])


def approved_request(scene: Scene, at: dt.datetime, *wagers: str, code: str = "NG-0001") -> GameRequest:
    """A request under § 521.4 that the Executive Director has approved at this moment."""
    return GameRequest.objects.create(
        facility=scene.table.facility,
        code=code,
        title="Any Triple",
        kind="wager",
        game="sic-bo",
        wagers=list(wagers),
        status=Review.APPROVED,
        drafted_at=at,
        filed_at=at,
        decided_at=at,
    )


def three_steps(scene: Scene, service: Service, at: dt.datetime) -> None:
    """Laboratory, costs and request of a service are done by today."""
    request = approved_request(scene, at, *service.wagers, code=f"NG-{service.pk:04d}")
    lab = {
        "service": service.code,
        "submitted_on": "2026-11-01",
        "approved_on": "2026-11-18",
        "reference": "GL-7",
    }
    scene.in_office("record_laboratory", lab)
    costs = {"service": service.code, "costs_cents": 480_000, "paid_on": "2026-11-19"}
    scene.in_office("record_laboratory_costs", costs)
    scene.in_office("link_request", {"service": service.code, "request": request.code})


def certified(scene: Scene, code: str, on: str = "2026-11-21", granted: bool = True) -> None:
    letter = scene.on_file("Letter of the Board")
    scene.in_office("decide_application", {"provider": code, "granted": granted, "on": on, "letter": letter})


def permitted(scene: Scene, code: str, **changed) -> None:
    params = {
        "provider": code,
        "on": "2026-11-21",
        "reference": "BL-12",
        "diligence": scene.on_file("Due diligence"),
        "acknowledgement": scene.on_file("Acknowledgement"),
    }
    scene.in_office("record_permission", {**params, **changed})


def dealt(scene: Scene, at: dt.datetime) -> Service:
    """Any Triple of a certified provider with all four steps done."""
    code = applied(scene)
    service = linked(scene, code, ANY_TRIPLE)
    three_steps(scene, service, at)
    certified(scene, code)
    return service


def exported(scene: Scene, type_: str) -> list[dict[str, Any]]:
    """The data of the entries of this type in an export of the office's stream, oldest first."""
    name = f"{scene.table.facility.code}/rules"
    bodies = [json.loads(line)["body"] for line in export.lines(export.select([name]))]
    return [body["data"] for body in bodies if body["_type"] == type_]


def refused(scene: Scene, code: str, act: str, params: dict[str, Any], section: str | None = None) -> None:
    """The act is refused with this code, and a sentence stands for it; nothing is recorded."""
    before = Entry.objects.filter(stream__name="larkfield/rules").count()
    with pytest.raises(Refusal) as refusal:
        scene.in_office(act, params)
    assert refusal.value.code == code
    assert section is None or refusal.value.section == f"58 Pa. Code § {section}"
    assert "%(" not in refusal.value.sentence
    assert Entry.objects.filter(stream__name="larkfield/rules").count() == before


def last(type_: str) -> dict[str, Any]:
    """The data of the newest entry of this type."""
    return json.loads(bytes(Entry.objects.filter(type=type_).latest("pk").body))["data"]
