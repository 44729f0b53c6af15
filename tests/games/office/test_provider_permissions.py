"""Permission to trade before certification: its four conditions, its rescission and its end."""

import datetime as dt

import pytest

from games.models import Application, InterimPermission, Provider
from games.office.providers import register

from .chapter_528 import (
    ANY_TRIPLE,
    applied,
    certified,
    completed,
    exported,
    investigated,
    last,
    linked,
    permitted,
    refused,
    three_steps,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def house(hands, scene):
    return scene


@pytest.mark.clause("PA-528.8(a)(1)", "PA-528.8(a)(2)", "PA-528.8(a)(3)", "PA-528.8(a)(4)")
def test_permission_to_trade_waits_for_its_four_conditions(house, hands):
    code = investigated(house)
    params = {"provider": code, "on": "2026-11-21", "reference": "BL-12"}
    refused(house, "no-application-filed", "record_permission", params, "528.8(a)(1)")
    completed(house, code)
    refused(house, "no-application-filed", "record_permission", params, "528.8(a)(1)")
    house.in_office("file_application", {"provider": code})
    refused(house, "permission-without-diligence", "record_permission", params, "528.8(a)(2)")
    params["diligence"] = house.on_file("Due diligence")
    refused(house, "permission-without-acknowledgement", "record_permission", params, "528.8(a)(3)")
    params["acknowledgement"] = house.on_file("Acknowledgement")
    refused(house, "permission-without-service", "record_permission", params, "528.8(a)(4)")
    service = linked(house, code, ANY_TRIPLE)
    refused(house, "permission-before-laboratory", "record_permission", params, "528.8(a)(4)")
    lab = {"service": service.code, "submitted_on": "2026-11-01", "approved_on": "2026-11-18"}
    house.in_office("record_laboratory", lab)
    refused(house, "permission-before-costs", "record_permission", params, "528.8(a)(4)")
    house.in_office(
        "record_laboratory_costs", {"service": service.code, "costs_cents": 1, "paid_on": "2026-11-19"}
    )
    refused(house, "permission-before-approval", "record_permission", params, "528.8(a)(4)")
    three_steps(house, service, hands.now)
    house.in_office("record_permission", params)
    kept = InterimPermission.objects.get()
    assert (kept.diligence.code, kept.acknowledgement.code) == (
        params["diligence"],
        params["acknowledgement"],
    )
    assert Application.objects.get().filed_at == hands.now
    assert last("provider.permitted")["diligence"]["sha256"] == kept.diligence.sha256


@pytest.mark.clause("PA-528.8(c)-notice")
def test_a_rescission_is_kept_with_its_notice_and_the_day_on_which_it_came_and_is_exported(house, hands):
    code = applied(house)
    three_steps(house, linked(house, code, ANY_TRIPLE), hands.now)
    permitted(house, code)
    notice = house.on_file("Notice of rescission")
    params = {"provider": code, "on": "2026-11-21", "cease_on": "2026-11-30", "notice": notice}
    refused(house, "cease-before-notice", "rescind_permission", {**params, "cease_on": "2026-11-20"})
    house.in_office("rescind_permission", params)
    hands.now += dt.timedelta(days=3)
    refused(house, "received-before-sent", "record_receipt", {"provider": code, "on": "2026-11-20"})
    house.in_office("record_receipt", {"provider": code, "on": "2026-11-24"})
    kept = InterimPermission.objects.get()
    assert (kept.rescinded_on, kept.received_on, kept.cease_on) == (
        dt.date(2026, 11, 21),
        dt.date(2026, 11, 24),
        dt.date(2026, 11, 30),
    )
    said = exported(house, "provider.rescinded")[0]
    assert (said["notice"]["document"], said["cease_on"]) == (notice, "2026-11-30")
    assert exported(house, "provider.rescission_received")[0]["received_on"] == "2026-11-24"


@pytest.mark.clause("PA-528.8(b)-cease")
def test_neither_a_second_notice_nor_an_older_permission_puts_the_day_to_cease_off(house, hands):
    code = applied(house)
    three_steps(house, linked(house, code, ANY_TRIPLE), hands.now)
    permitted(house, code)
    hands.now += dt.timedelta(days=3)
    notice = {"provider": code, "on": "2026-11-24", "notice": house.on_file("Notice")}
    house.in_office("rescind_permission", {**notice, "cease_on": "2026-11-30"})
    later = {**notice, "cease_on": "2026-12-01"}
    refused(house, "cease-later-than-notice", "rescind_permission", later, "528.8(c)")
    papers = {name: house.on_file(name) for name in ("diligence", "acknowledgement")}
    older = {"provider": code, "on": "2026-11-23", "reference": "BL-13", **papers}
    refused(house, "permitted-before-rescinded", "record_permission", older, "528.8(b)")
    house.in_office("rescind_permission", {**notice, "cease_on": "2026-11-27"})
    assert InterimPermission.objects.get().cease_on == dt.date(2026, 11, 27)
    house.in_office("record_permission", {**older, "on": "2026-11-24"})  # the Bureau has thought again


def test_a_permission_ends_with_the_application_that_it_was_granted_for(house, hands):
    code = applied(house)
    three_steps(house, linked(house, code, ANY_TRIPLE), hands.now)
    permitted(house, code)
    certified(house, code, granted=False)
    file = register.ProviderFile(house.table.facility, Provider.objects.get(), dt.date(2026, 11, 21))
    assert (file.certification.state, file.trading.state) == ("denied", "ceased")
