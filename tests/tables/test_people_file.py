"""People from a file: a CSV is checked line by line, shown, prepared as one change, and approved by somebody else."""

import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from audit.models import Entry, OneTimeSecret, Person
from audit.verification import verify
from tables.staffing.access import EXAMPLE_FILE, MOST_BYTES
from tests.services.entries import newest_body
from tests.tables.cast import Scene, make_scene
from tests.tables.test_people import page

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
PAGE = "/floor/larkfield/people/file"
ADMINISTRATOR = "system-administrator"
HEAD = "name,code,role,badge,license,license ends\n"


@pytest.fixture
def scene(hands) -> Scene:
    return make_scene()


def send(scene, content, *, by=ADMINISTRATOR):
    """The page after a file was sent: its status, and its text without markup."""
    file = SimpleUploadedFile("people.csv", content if isinstance(content, bytes) else content.encode())
    answer = scene.browser("podium", by).post(PAGE, {"file": file})
    return answer.status_code, " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split())


def checks(scene, text, **who):
    """What the page says of each line."""
    return [line.problem for line in scene_lines(scene, HEAD + text, **who)]


def scene_lines(scene, text, by=ADMINISTRATOR):
    file = SimpleUploadedFile("people.csv", text.encode())
    return scene.browser("podium", by).post(PAGE, {"file": file}).context["lines"]


def test_the_example_of_the_page_is_read_shown_prepared_and_approved_at_once(scene):
    lines = scene_lines(scene, EXAMPLE_FILE)
    assert [(line.number, line.person.code, line.role_label, line.problem) for line in lines] == [
        (2, "park-z", "Dealer", ""),
        (3, "lind-v", "Shift manager", ""),
    ]
    params = {
        "people": [
            {
                "person": line.person.code,
                "name": line.person.name,
                "role": line.person.role,
                "badge": line.person.badge,
                "licence": line.person.licence,
                "licence_ends_on": line.person.licence_ends_on.isoformat(),
            }
            for line in lines
        ]
    }
    before = Person.objects.count()
    scene.in_room("add_people", params, by=ADMINISTRATOR, approve=False)
    assert Person.objects.count() == before
    waiting = page(scene, "compliance")
    assert "2 people added: Zoe Park (park-z) added as dealer, badge 4417; Viktor Lind (lind-v)" in waiting
    scene.approve_changes(by="compliance")

    zoe, viktor = Person.objects.get(code="park-z"), Person.objects.get(code="lind-v")
    assert (zoe.role, zoe.badge, zoe.licence, str(zoe.licence_ends_on)) == (
        "dealer",
        "4417",
        "G-20417",
        "2028-01-31",
    )
    assert (viktor.role, viktor.department) == ("shift-manager", "table-games")
    assert [row["person"] for row in newest_body("people.added")["data"]["people"]] == ["park-z", "lind-v"]
    recorded = [json.loads(bytes(row.body)) for row in Entry.objects.filter(type="person.recorded")]
    answered = [
        (row["actor"], row["witness"]) for row in recorded if row["data"]["code"] in ("park-z", "lind-v")
    ]
    assert answered == [(ADMINISTRATOR, "compliance")] * 2
    secrets = OneTimeSecret.objects.filter(person__in=(zoe, viktor))
    assert sorted(secrets.values_list("person__code", "kind", "approved_by__code")) == [
        ("lind-v", "pin", "compliance"),
        ("park-z", "pin", "compliance"),
    ]
    scene.in_room("make_pin", {"person": "park-z"}, by="compliance")
    assert not [finding for finding in verify().findings if "park-z" in str(finding)]


def test_of_people_who_come_at_once_all_are_added_or_nobody(scene):
    taken = {"person": "dealer", "name": "Somebody", "role": "dealer"}
    new = {"person": "park-z", "name": "Zoe Park", "role": "dealer"}
    before = Person.objects.count()
    with scene.refused("person-code-taken"):
        scene.in_room("add_people", {"people": [new, taken]}, by=ADMINISTRATOR, approve=False)
    with scene.refused("person-code-taken"):
        scene.in_room("add_people", {"people": [new, new]}, by=ADMINISTRATOR, approve=False)
    assert Person.objects.count() == before


def test_each_line_says_what_is_wrong_with_it(scene):
    text = (
        "Zoe Park,park-z,dealer,4417,,\n"
        ",nobody,dealer,,,\n"
        "Ann Lee,dealer,dealer,,,\n"
        "Bob Roy,roy-b,croupier,,,\n"
        "Cy Dow,dow-c,dealer,4417,,\n"
        "Di Fox,park-z,dealer,,,\n"
        "Ed Hay,hay-e,dealer,44x,,\n"
        "Flo Ink,ink-f,dealer,,,31.12.2028\n"
        "Gil Jay,Jay G,dealer,,,\n"
        "Hal Kit,kit-h,Dealer,,G-1,11/30/2028\n"
    )
    assert checks(scene, text) == [
        "",
        "The name is missing.",
        "Somebody has the code dealer already, perhaps somebody who left.",
        "“croupier” is not a role here.",
        "Line 2 has the same badge.",
        "Line 2 has the same code.",
        "A badge number has at most six digits.",
        "“31.12.2028” is not a day. Write 2028-11-30 or 11/30/2028.",
        "The code Jay G is not possible. Use lowercase letters, digits and single hyphens, such as park-z.",
        "",
    ]
    status, shown = send(scene, HEAD + text)
    assert status == 422 and "10 people read, 8 with a problem" in shown and "Prepare 10 people" not in shown
    assert "30 Nov 2028" in shown


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "The file has no people"),
        (HEAD, "The file has no people"),
        ("name,role\nZoe,dealer\n", "The first line has no column “code”."),
        (HEAD.replace("badge", "shoe size") + "Zoe,z,dealer,,,\n", "There is no column “shoe size” here."),
        ("name,code,role,name\nZoe,z,dealer,Zoe\n", "The column “name” is there twice."),
        (HEAD + "Zoe,z,dealer,,,,secret\n", "Line 2 has more columns than the first line."),
        (HEAD + 'Zoe,"z,dealer\n', "This is not a CSV"),
        (b"PK\3\4\0\0sheet", "This is not a CSV"),
        (HEAD + "Zoe,z,dealer,,,\n" * 201, "The file has 201 people. At most 200 come at once."),
        (b"x" * (MOST_BYTES + 1), "The file is larger than 256 kB."),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_a_sentence(scene, content, sentence):
    status, shown = send(scene, content)
    assert status == 422 and sentence in shown


def test_files_of_other_spreadsheets_are_read(scene):
    semicolons = "﻿Code;Name;Role;License  ends\r\npark-z;Zoë Park;DEALER;1/31/2028\r\n;;;\r\n"
    (line,) = scene_lines(scene, semicolons)
    person = line.person
    assert (person.name, person.role, person.licence_ends_on.isoformat()) == (
        "Zoë Park",
        "dealer",
        "2028-01-31",
    )
    status, shown = send(scene, "name\tcode\trole\nZoë Park\tpark-z\tdealer\n".encode("cp1252"))
    assert status == 200 and "Zoë Park" in shown and "Prepare 1 person" in shown


def test_a_shift_manager_reads_in_the_line_that_another_department_is_not_theirs(scene):
    (dealer, guard) = checks(scene, "Zoe,z,dealer,,,\nGus,g,security,,,\n", by="shift-manager")
    assert dealer == "" and "table games alone" in guard


def test_who_prepares_no_access_has_no_such_page(scene):
    assert scene.browser("podium", "compliance").get(PAGE).status_code == 403
    assert "From a file" not in page(scene, "compliance") and "From a file" in page(scene, ADMINISTRATOR)
