"""What the submission of a test of a new game has to hold, the sign at the entrances, and which rules held when.

N.J.A.C. 19:47-8.4(f)2 and (g), reading A42.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from games.engine import Refusal
from games.models import GameRequest, GameTest, TestRules, TestRun
from games.office.requests import contents
from games.office.requests.contents import PartStatus, RequestPart
from games.office.signs import forms

PARTS = (
    RequestPart("casinos", "casinos", "Every casino where it will run."),
    RequestPart("dates", "dates", "The first day and the last."),
    RequestPart("times", "times", "The hours on those days."),
    RequestPart("tables", "tables or equipment", "Which tables, or which equipment."),
    RequestPart("sign", "sign at the entrances", "Made of the casinos, the dates and the tables."),
    RequestPart("criteria", "success criteria", "When the test is a success."),
    RequestPart("documenting", "how success is documented", "Who writes what down, and when."),
    RequestPart("forms", "forms", "The forms on which it is written down."),
    RequestPart("further", "answers to further requests", "What a body asked for besides."),
)  # fmt: skip
BY_KEY = {part.key: part for part in PARTS}
SIGN_PARTS = ("casinos", "dates", "tables")  # a sign that says otherwise is made anew
SIGN = {
    "en": "TEST OF A NEW GAME\n{game}\nOn test at {casino} from {starts} to {ends}, {table}.\n"
    "Its rules may change during the test."
}


def test_by_number(request: GameRequest, number: int) -> GameTest:
    """A test of a request by its number. Raises `no-such-test`."""
    test = request.tests.filter(number=number).first()
    if test is None:
        raise Refusal("no-such-test", request=request.code, number=number)
    test.request = request
    return test


def verify_request(request: GameRequest) -> None:
    """Raises `not-in-new-jersey`, or `request-not-waiting` unless the request is filed and undecided."""
    if not request.facility.law.requests.tests:
        raise Refusal("not-in-new-jersey")
    contents.verify_filed(request)


def verify_draft(test: GameTest) -> None:
    """Raises `test-not-a-draft`."""
    if test.status != "draft":
        raise Refusal("test-not-a-draft", test.request.facility.law.section("tests"), number=test.number)


def test_part_statuses(test: GameTest) -> list[PartStatus]:
    """Every part of the submission as it stands, in the order of the paragraph."""
    parts = [_cited(test, part) for part in PARTS]
    return [PartStatus(part, True, _is_present(test, part.key), _value(test, part.key)) for part in parts]


def _cited(test: GameTest, part: RequestPart) -> RequestPart:
    """The part with the paragraph that asks for it at the facility of this test."""
    return replace(part, cite=test.request.facility.law.section(f"tests.{part.key}"))


def missing_test_parts(test: GameTest) -> list[RequestPart]:
    """The parts that are not there."""
    return [line.part for line in test_part_statuses(test) if not line.there]


def verify_complete(test: GameTest) -> None:
    """Raises `test-incomplete`, naming every part that is missing with its paragraph."""
    if absent := missing_test_parts(test):
        raise Refusal(
            "test-incomplete", test.request.facility.law.section("tests"), missing=contents.list_parts(absent)
        )


def proposed_sign(test: GameTest) -> dict[str, Any]:
    """The sign proposed for each casino's entrances, in the approved form where there is one, else in ours.

    Raises `sign-needs-more` while the casinos, the dates or the tables are not said.
    """
    absent = [_cited(test, BY_KEY[key]) for key in SIGN_PARTS if not test.parts.get(key)]
    if absent:
        raise Refusal(
            "sign-needs-more",
            test.request.facility.law.section("tests.sign"),
            missing=contents.list_parts(absent),
        )
    request, dates = test.request, test.parts["dates"]
    form = forms.in_force(request.facility, "test", request.game)
    values = {
        "game": request.title,
        "table": ", ".join(test.parts["tables"]),
        "starts": _day(dates["from"]),
        "ends": _day(dates["to"]),
    }
    texts = [
        {
            "casino": casino,
            "language": language,
            "lines": forms.fill_wording(wording, {**values, "casino": casino}),
        }
        for casino in test.parts["casinos"]
        for language, wording in (form.wording if form else SIGN).items()
    ]
    return {"form": f"version {form.version}, {form.reference}".rstrip(", ") if form else "", "texts": texts}


def rules_at(test: GameTest, moment: dt.datetime) -> TestRules | None:
    """The version of the rules that held at a moment; None before the first."""
    return test.rules.filter(in_force_from__lte=moment).order_by("-version").first()


def rules_during(run: TestRun, rules: Sequence[TestRules]) -> list[int]:
    """The versions that held during a run, of all `rules` of its test: several where they changed in its middle."""
    begun = [version.version for version in rules if version.in_force_from <= run.started_at]
    later = [version.version for version in rules if run.started_at < version.in_force_from < run.ended_at]
    return [*([max(begun)] if begun else []), *sorted(later)]


def _is_present(test: GameTest, key: str) -> bool:
    if key == "further":
        return not test.request.further.filter(answered_on=None).exists()
    if key == "sign" and test.status == "draft":
        return bool(test.parts.get(key)) and test.parts[key] == proposed_sign(
            test
        )  # a form approved since then counts
    return bool(test.parts.get(key))


def _value(test: GameTest, key: str) -> dict[str, Any]:
    value = test.parts.get(key, {})
    return value if isinstance(value, dict) else {"items": value}


def _day(iso: str) -> str:
    day = dt.date.fromisoformat(iso)
    return f"{day.day} {day:%B %Y}"
