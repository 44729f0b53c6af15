"""People from a personnel office by SCIM 2.0: added and changed by two, ended at once, read on record."""

import json
from typing import Any

import pytest
from django.test import Client
from scim2_models import Context, Error, ListResponse, ResourceType, Schema, ServiceProviderConfig

from audit import devices, registration
from audit.clients import SCOPES
from audit.models import Entry, OneTimeSecret, Person
from audit.verification import verify
from games.models import PreparedChange
from tables.api.scim_users import HrUser
from tables.core.alerts import ALERT_RULES
from tables.models import Alert, Assignment
from tables.staffing.employment import MOST_ENDS
from tables.ticker import reconcile_alerts

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
CORE, OWN = "urn:ietf:params:scim:schemas:core:2.0:User", "urn:pitside:scim:schemas:2.0:User"
PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
ZOE = {
    "schemas": [CORE, OWN], "userName": "park-z", "displayName": "Zoe Park", "active": True,
    "roles": [{"value": "Dealer"}], "emails": [{"value": "zoe@casino.example"}],
    OWN: {"badge": "4417", "license": "G-20417", "licenseEndsOn": "2028-01-31"},
}  # fmt: skip
RELIEF = {"schemas": [CORE], "userName": "relief"}


class Office:
    """The personnel office: what it sends, and the status and JSON of each answer."""

    def __init__(self, machine) -> None:
        self.machine = machine

    def send(self, method: str, address: str, body: Any = None) -> tuple[int, Any]:
        answer = Client().generic(
            method,
            f"/scim/v2/{address}",
            json.dumps(body) if body is not None else "",
            content_type="application/scim+json",
            headers=self.machine.headers,
        )
        return answer.status_code, json.loads(answer.content) if answer.content else None

    def patch(self, code: str, *operations: dict[str, Any]) -> tuple[int, Any]:
        return self.send("PATCH", f"Users/{code}", {"schemas": [PATCH], "Operations": list(operations)})

    def end(self, code: str) -> tuple[int, Any]:
        return self.patch(code, {"op": "replace", "path": "active", "value": False})


@pytest.fixture
def office(machine, scene) -> Office:
    registration.record_people()
    return Office(machine("staff", name="Personnel"))


def newest(type_: str) -> dict[str, Any]:
    return json.loads(bytes(Entry.objects.filter(type=type_).latest("id").body))


def approve(scene, by="compliance"):
    change = PreparedChange.objects.get(status="waiting")
    scene.in_room("approve_change", {"change": change.code}, by=by)


def test_somebody_who_comes_is_prepared_by_the_machine_and_approved_by_a_person(office, scene):
    status, user = office.send("POST", "Users", ZOE)
    change = PreparedChange.objects.get()
    assert (status, user["id"], user["active"], user[OWN]["change"]) == (201, "park-z", False, change.code)
    assert user["roles"] == [{"value": "dealer", "display": "Dealer", "primary": True}]
    assert "emails" not in user
    assert (change.act, change.prepared_by) == ("add_person", office.machine.client.person)
    assert not Person.objects.filter(code="park-z").exists()
    approve(scene)
    status, user = office.send("GET", "Users/park-z")
    assert (status, user["active"], user[OWN]) == (
        200, True, {"badge": "4417", "license": "G-20417", "licenseEndsOn": "2028-01-31"},
    )  # fmt: skip
    stated = newest("person.recorded")
    assert (stated["actor"], stated["witness"]) == (office.machine.client.person.code, "compliance")
    secret = OneTimeSecret.objects.get(person__code="park-z")
    assert (secret.asked_by, secret.approved_by.code) == (office.machine.client.person, "compliance")
    assert verify().findings == []


def test_an_answer_of_each_kind_has_the_shape_of_scim(office, scene):
    office.send("POST", "Users", ZOE)
    HrUser.model_validate(office.send("GET", "Users/park-z")[1], scim_ctx=Context.RESOURCE_QUERY_RESPONSE)
    page = office.send("GET", "Users?count=2&startIndex=2")[1]
    ListResponse[HrUser].model_validate(page, scim_ctx=Context.SEARCH_RESPONSE)
    assert (page["totalResults"], page["startIndex"], page["itemsPerPage"]) == (
        Person.objects.exclude(role="machine").count() + 1, 2, 2,
    )  # fmt: skip
    config = office.send("GET", "ServiceProviderConfig")[1]
    ServiceProviderConfig.model_validate(config, scim_ctx=Context.RESOURCE_QUERY_RESPONSE)
    assert (config["patch"]["supported"], config["bulk"]["supported"]) == (True, False)
    schemas = ListResponse[Schema].model_validate(office.send("GET", "Schemas")[1])
    types = ListResponse[ResourceType].model_validate(office.send("GET", "ResourceTypes")[1])
    assert [row.id for row in schemas.resources] == [CORE, OWN]
    assert types.resources[0].schema_extensions[0].schema_ == OWN
    assert office.send("GET", f"Schemas/{OWN}")[1]["id"] == OWN
    for address, status in (
        ("Users/nobody", 404),
        ("Bulk", 404),
        ("Schemas/urn:x:y", 404),
        ("Users?filter=x", 400),
    ):
        answered, body = office.send("GET", address)
        error = Error.model_validate(body)
        assert (answered, error.status) == (status, status) and error.detail


def test_users_are_found_by_their_name_and_no_machine_is_among_them(office, scene):
    _status, page = office.send("GET", 'Users?filter=userName eq "RELIEF"')
    assert [(row["id"], row["displayName"]) for row in page["Resources"]] == [
        ("relief", scene.people["relief"].name)
    ]
    assert office.send("GET", 'Users?filter=userName eq "nobody"')[1]["totalResults"] == 0
    everybody = office.send("GET", "Users?count=200&attributes=userName")[1]["Resources"]
    assert office.machine.client.person.code not in [row["userName"] for row in everybody]
    assert all(set(row) == {"schemas", "id", "userName"} for row in everybody)
    read = newest("personal_data.read")
    assert (read["actor"], read["data"]["what"]) == (office.machine.client.person.code, "list_scim_users")


@pytest.mark.parametrize("who", ["security", "dealer"])
def test_an_end_is_done_at_once_also_of_somebody_at_an_open_table(office, scene, who):
    tablet = scene.browser("podium", "security")
    status, user = office.end(who)
    assert (status, user["active"]) == (200, False)
    ended = newest("access.ended")
    assert (ended["data"]["person"], ended["actor"], ended["witness"]) == (
        who, office.machine.client.person.code, None,
    )  # fmt: skip
    assert not Person.objects.get(code=who).is_active
    assert not Assignment.objects.unended().filter(person__code=who).exists()
    if who == "security":
        assert tablet.get("/floor/larkfield/dice/").status_code != 200
    else:
        reconcile_alerts(ALERT_RULES, scene.fresh.stream.last_at)
        assert Alert.objects.filter(table=scene.table, kind="shaker-unattended", ended_at=None).exists(), (
            list(Alert.objects.values())
        )
    assert office.end(who)[0] == 200
    assert Entry.objects.filter(type="access.ended").count() == 1
    assert verify().findings == []


@pytest.mark.parametrize(
    "send",
    [
        lambda office: office.send("DELETE", "Users/relief"),
        lambda office: office.send("PUT", "Users/relief", RELIEF | {"active": False}),
        lambda office: office.patch("relief", {"op": "Replace", "path": "active", "value": "False"}),
        lambda office: office.patch("relief", {"op": "replace", "value": {"active": False}}),
    ],
)
def test_each_way_to_say_it_ends_access(office, scene, send):
    assert send(office)[0] in (200, 204)
    assert not Person.objects.get(code="relief").is_active
    assert office.send("GET", "Users/relief")[1]["active"] is False
    refused, error = office.patch("relief", {"op": "replace", "path": "active", "value": True})
    assert (refused, error["scimType"]) == (400, "mutability")


def test_a_fault_of_the_office_ends_the_access_of_few_and_never_of_the_last(office, scene):
    refused, error = office.end("system-administrator")
    assert (refused, "Add somebody first" in error["detail"]) == (409, True)
    for number in range(MOST_ENDS):
        Person.objects.create_person(
            f"d-{number}",
            "",
            name=f"D {number}",
            role="dealer",
            department="table-games",
            facility="larkfield",
        )
    assert [office.end(f"d-{number}")[0] for number in range(MOST_ENDS)] == [200] * MOST_ENDS
    refused, error = office.end("relief")
    assert refused == 429 and "Personnel has ended the access of 10 people" in error["detail"]
    assert Person.objects.get(code="relief").is_active


def test_another_role_waits_for_an_approval_and_is_prepared_once(office, scene):
    wanted = {"op": "replace", "path": "roles", "value": [{"value": "floorperson"}]}
    for _time in range(2):
        status, user = office.patch("relief", wanted)
        change = PreparedChange.objects.get()
        assert (status, user["roles"][0]["value"], user[OWN]["change"]) == (200, "dealer", change.code)
    approve(scene)
    user = office.send("GET", "Users/relief")[1]
    assert (user["roles"][0]["value"], "change" in user.get(OWN, {})) == ("floorperson", False)
    assert office.patch("relief", {"op": "add", "path": f"{OWN}:badge", "value": "99"})[0] == 200
    assert PreparedChange.objects.latest("pk").params == {"person": "relief", "badge": "99"}


@pytest.mark.parametrize(
    ("change", "status", "kind"),
    [
        ({"userName": "Zoe Park"}, 400, "invalidValue"),
        ({"userName": "dealer"}, 409, "uniqueness"),
        ({"roles": [{"value": "king"}]}, 400, "invalidValue"),
        ({"roles": []}, 400, "invalidValue"),
        ({"displayName": ""}, 400, "invalidValue"),
        ({"active": False}, 400, "invalidValue"),
        ({OWN: {"badge": "12a"}}, 400, "invalidValue"),
        ({OWN: {"licenseEndsOn": "31.12.2028"}}, 400, "invalidValue"),
        ({"userName": None}, 400, "invalidValue"),
        ({"roles": [{"value": "machine"}]}, 400, "invalidValue"),
    ],
)
def test_who_cannot_be_added_is_refused_in_the_form_of_scim(office, change, status, kind):
    answered, error = office.send("POST", "Users", ZOE | change)
    assert (answered, error["status"], error["scimType"]) == (status, str(status), kind)
    assert not PreparedChange.objects.exists()


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "replace", "path": "userName", "value": "other"},
        {"op": "replace", "path": "displayName", "value": "Other Name"},
        {"op": "remove", "path": "roles"},
    ],
)
def test_what_nobody_changes_is_refused(office, operation):
    answered, error = office.patch("relief", operation)
    assert (answered, error["scimType"]) == (400, "mutability")


def test_an_addition_that_waits_is_taken_back_by_an_end(office, scene):
    office.send("POST", "Users", ZOE)
    again, error = office.send("POST", "Users", ZOE)
    assert (again, error["scimType"]) == (409, "uniqueness")
    assert office.end("park-z")[0] == 200
    assert PreparedChange.objects.get().status == "taken-back"
    assert office.send("GET", "Users/park-z")[0] == 404


def test_it_takes_the_scope_staff_of_the_whole_facility_and_no_cookie(office, scene, machine):
    assert Client().get("/scim/v2/Users").status_code == 401
    assert scene.browser("podium", "compliance").get("/scim/v2/Users").status_code == 401
    others = machine(*(SCOPES.keys() - {"staff"}))
    for method, address in (("GET", "Users"), ("DELETE", "Users/relief"), ("GET", "Schemas")):
        status, error = Office(others).send(method, address)
        assert (status, error["schemas"]) == (403, ["urn:ietf:params:scim:api:messages:2.0:Error"])
    assert Office(machine("staff", place="larkfield/T-01")).send("GET", "Users")[0] == 403
    devices.revoke(office.machine.client.device)
    assert office.send("GET", "Users")[0] == 401
    assert Person.objects.get(code="relief").is_active


def test_a_machine_without_the_scope_prepares_nobody_by_the_acts(machine, scene):
    registration.record_people()
    person = {"person": "park-z", "name": "Zoe Park", "role": "dealer"}
    key = {"Idempotency-Key": "6a0a6f34-6d3b-4d0e-9e1b-0d8d2a3f3c11"}
    acts = machine("acts")
    for act, params in (("add_person", person), ("end_employment", {"person": "relief", "why": "x"})):
        answer = acts.post(f"facilities/larkfield/acts/{act}", {"params": params}, key)
        assert (answer.status_code, answer.json()["code"]) == (403, "insufficient-scope")
    assert not PreparedChange.objects.exists()


def test_another_casino_has_no_users_here(office, scene):
    Person.objects.create_person(
        "elsewhere", "", name="Else Where", role="dealer", department="table-games", facility="seabright"
    )
    assert office.send("GET", "Users/elsewhere")[0] == 404
    assert office.end("elsewhere")[0] == 404
    assert Person.objects.get(code="elsewhere").is_active
