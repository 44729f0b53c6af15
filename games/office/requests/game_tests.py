"""What the submission of a test must contain, the sign at the entrances, and which rules applied when.

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
from games.office.requests.entry_types import ProposedSign, SignText
from games.office.requests.refusals import (
    NO_SUCH_TEST,
    NOT_IN_NEW_JERSEY,
    SIGN_NEEDS_MORE,
    TEST_INCOMPLETE,
    TEST_NOT_A_DRAFT,
)
from games.office.signs import forms

PARTS = (
    RequestPart("casinos", "casinos", "Every casino where it will run."),
    RequestPart("dates", "dates", "The first day and the last."),
    RequestPart("times", "times", "The hours on those days."),
    RequestPart("tables", "tables or equipment", "Which tables, or which equipment."),
    RequestPart("sign", "sign at the entrances", "It is made from the casinos, dates and tables."),
    RequestPart("criteria", "success criteria", "When the test is a success."),
    RequestPart("documenting", "how success is documented", "Who writes what down, and when."),
    RequestPart("forms", "forms", "The forms on which it is written down."),
    RequestPart("further", "answers to further requests", "What a body asked for in addition."),
)  # fmt: skip
BY_KEY = {part.key: part for part in PARTS}
SIGN_PARTS = ("casinos", "dates", "tables")  # the sign is made again when one of these changes
SIGN = {
    "en": "TEST OF A NEW GAME\n{game}\nOn test at {casino} from {starts} to {ends}, {table}.\n"
    "Its rules may change during the test."
}


def test_by_number(request: GameRequest, number: int) -> GameTest:
    """Return a test of a request by its number. Raises Refusal(`no-such-test`)."""
    test = request.tests.filter(number=number).first()
    if test is None:
        raise Refusal(NO_SUCH_TEST, request=request.code, number=number)
    test.request = request
    return test


def verify_request(request: GameRequest) -> None:
    """Refuse a request outside New Jersey or one that is not filed and undecided.

    Raises Refusal(`not-in-new-jersey` or `request-not-waiting`).
    """
    if not request.facility.law.requests.tests:
        raise Refusal(NOT_IN_NEW_JERSEY)
    contents.verify_filed(request)


def verify_draft(test: GameTest) -> None:
    """Refuse to change a test that was filed. Raises Refusal(`test-not-a-draft`)."""
    if test.status != "draft":
        raise Refusal(TEST_NOT_A_DRAFT, test.request.facility.law.section("tests"), number=test.number)


def test_part_statuses(test: GameTest) -> list[PartStatus]:
    """Return every part of the submission, in the order of the paragraph."""
    parts = [_cited(test, part) for part in PARTS]
    return [PartStatus(part, True, _is_present(test, part.key), _value(test, part.key)) for part in parts]


def _cited(test: GameTest, part: RequestPart) -> RequestPart:
    """Return the part with the paragraph that requires it at the facility of this test."""
    return replace(part, cite=test.request.facility.law.section(f"tests.{part.key}"))


def missing_test_parts(test: GameTest) -> list[RequestPart]:
    """Return the missing parts."""
    return [line.part for line in test_part_statuses(test) if not line.is_present]


def verify_complete(test: GameTest) -> None:
    """Refuse a test with missing parts, naming each with its paragraph. Raises Refusal(`test-incomplete`)."""
    if absent := missing_test_parts(test):
        raise Refusal(
            TEST_INCOMPLETE, test.request.facility.law.section("tests"), missing=contents.list_parts(absent)
        )


def proposed_sign(test: GameTest) -> ProposedSign:
    """Return the proposed sign for each casino's entrances, in the approved form if there is one.

    Raises Refusal(`sign-needs-more`) while the casinos, the dates or the tables are missing.
    """
    absent = [_cited(test, BY_KEY[key]) for key in SIGN_PARTS if not test.parts.get(key)]
    if absent:
        raise Refusal(
            SIGN_NEEDS_MORE,
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
    texts: list[SignText] = [
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
    """Return the version of the rules in force at a moment; None before the first."""
    return test.rules.filter(in_force_from__lte=moment).order_by("-version").first()


def rules_during(run: TestRun, rules: Sequence[TestRules]) -> list[int]:
    """Return the versions in force during a run: several if the rules changed while it was dealt."""
    begun = [version.version for version in rules if version.in_force_from <= run.started_at]
    later = [version.version for version in rules if run.started_at < version.in_force_from < run.ended_at]
    return [*([max(begun)] if begun else []), *sorted(later)]


def _is_present(test: GameTest, key: str) -> bool:
    if key == "further":
        return not test.request.further.filter(answered_on=None).exists()
    if key == "sign" and test.status == "draft":
        return bool(test.parts.get(key)) and test.parts[key] == proposed_sign(
            test
        )  # compared with the form that is approved now
    return bool(test.parts.get(key))


def _value(test: GameTest, key: str) -> dict[str, Any]:
    value = test.parts.get(key, {})
    return value if isinstance(value, dict) else {"items": value}


def _day(iso: str) -> str:
    day = dt.date.fromisoformat(iso)
    return f"{day.day} {day:%B %Y}"
