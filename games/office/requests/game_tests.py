"""Tests of a new game before its final approval in New Jersey: N.J.A.C. 19:47-8.4(f)2 and (g), reading A42.

What the submission of a test must contain, the sign at the entrances, which rules applied when, and the acts.
"""

import datetime as dt
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal, TypedDict, Unpack, get_args

from audit.columns import (
    AT,
    FACILITY,
    NONE,
    Body,
    Reading,
    Rows,
    constant,
    declare,
    document_code,
    moment,
    plain,
    same,
)
from audit.entry_types import entry_type
from games.act_forms import Code, Text, prose, several, text
from games.engine import Refusal, RefusalCode
from games.models import GameRequest, GameTest, TestRules, TestRun
from games.office import documents, reviews, signs
from games.office.core import ActOutcome, OfficeContext, office_act
from games.office.documents import DocumentReference, GrantOrDenial
from games.office.requests import parts
from games.office.requests.parts import (
    DAY_NOT_COME,
    MOST_PROSE,
    NoContents,
    PartStatus,
    PartText,
    RequestEntry,
    RequestPart,
    read_attachments,
)
from games.office.reviews import granted
from games.params import Params, malformed

TestPartKey = Literal["casinos", "dates", "times", "tables", "sign", "criteria", "documenting", "forms"]


# Entries


class TestEntry(RequestEntry):
    """The test that an entry is about."""

    test: Annotated[int, "number of the test of this request"]


TEST_DRAFTED = entry_type("test.drafted", TestEntry, "A test of a new game was drafted.")


TestDates = TypedDict(
    "TestDates",
    {
        "from": Annotated[str, "the first gaming day"],
        "to": Annotated[str, "the last gaming day"],
    },
)


class SignText(TypedDict):
    casino: Annotated[str, "name of the casino"]
    language: Annotated[str, "code of the language"]
    lines: Annotated[list[str], "the lines of the sign"]


class ProposedSign(TypedDict):
    form: Annotated[str, "version and reference of the approved form; empty if there is none"]
    texts: Annotated[list[SignText], "the sign at the entrances of each casino, in each language"]


@entry_type("test.changed")
def TEST_CHANGED(
    *,
    part: Annotated[TestPartKey, "which part"],
    said: Annotated[
        list[str] | TestDates | PartText | ProposedSign | NoContents,
        "the new contents of the part: a list of casinos, tables or documents, or an object; empty: removed",
    ],
    **data: Unpack[TestEntry],
) -> None:
    """A part of a test of a new game was changed."""


class TestParts(TypedDict):
    casinos: Annotated[list[str], "names of the casinos where it runs"]
    dates: Annotated[TestDates, "the first and the last gaming day"]
    times: Annotated[PartText, "the hours on those days"]
    tables: Annotated[list[str], "which tables or equipment"]
    sign: Annotated[ProposedSign, "the sign at the entrances"]
    criteria: Annotated[PartText, "when the test is a success"]
    documenting: Annotated[PartText, "how success is documented"]
    forms: Annotated[list[str], "codes of the documents with the forms"]


@entry_type("test.filed")
def TEST_FILED(
    *,
    parts: Annotated[TestParts, "the parts of the test"],
    forms: Annotated[list[DocumentReference], "the forms on which success is documented"],
    **data: Unpack[TestEntry],
) -> None:
    """A test of a new game was filed."""


class TestDecided(TestEntry, GrantOrDenial):
    conditions: Annotated[str, "the conditions of the decision, in words; empty if there are none"]


TEST_DECIDED = entry_type("test.decided", TestDecided, "A test of a new game was decided by letter.")


@entry_type("test.withdrawn")
def TEST_WITHDRAWN(
    *, why: Annotated[str, "the reason, in a person's words"], **data: Unpack[TestEntry]
) -> None:
    """A test of a new game was withdrawn."""


TestRulesChanged = TypedDict(
    "TestRulesChanged",
    {
        "request": str,
        "test": Annotated[int, "number of the test of this request"],
        "version": Annotated[int, "version of the rules of this test"],
        "text": Annotated[str, "the rules, in words"],
        "why": Annotated[str, "the reason, in a person's words"],
        "from": Annotated[str, "the moment from which the version is in force"],
    },
)


TEST_RULES_CHANGED = entry_type(
    "test.rules_changed", TestRulesChanged, "The rules of a running test changed."
)


TestRunRecorded = TypedDict(
    "TestRunRecorded",
    {
        "request": str,
        "test": Annotated[int, "number of the test of this request"],
        "casino": Annotated[str, "name of the casino"],
        "table": Annotated[str, "the table, in a person's words"],
        "from": Annotated[str, "the moment at which the run began"],
        "to": Annotated[str, "the moment at which the run ended"],
        "note": Annotated[str, "a note, in a person's words; empty if there is none"],
        "rules": Annotated[list[int], "versions of the rules that were in force during the run"],
    },
)


TEST_RUN = entry_type("test.run", TestRunRecorded, "A new game was dealt on test at a casino.")


# Refusals


NO_SUCH_TEST = RefusalCode(
    "no-such-test",
    "%(request)s has no test %(number)s. Choose it from the list.",
    "No such test",
)


TEST_NOT_A_DRAFT = RefusalCode(
    "test-not-a-draft",
    "Test %(number)s is no longer a draft and stays as filed. Draft another test instead.",
    "Already filed",
)


TEST_INCOMPLETE = RefusalCode(
    "test-incomplete",
    "Still missing: %(missing)s. Add what is missing, then file it.",
    "Not complete",
)


TEST_NOT_WAITING = RefusalCode(
    "test-not-waiting",
    "Test %(number)s is not waiting for a decision. File it first.",
    "Not waiting",
)


TEST_NOT_RUNNING = RefusalCode(
    "test-not-running",
    "Test %(number)s is not granted, or its request is already decided. Nothing was recorded.",
    "Not running",
)


TEST_ENDED = RefusalCode("test-ended", "Test %(number)s has already ended.", "Already ended")


TEST_RULES_SAY_NOTHING = RefusalCode(
    "test-rules-say-nothing",
    "The new rules are empty. Write them out in full.",
    "No rules",
)


RULES_IN_THE_PAST = RefusalCode(
    "rules-in-the-past",
    "Rules cannot begin in the past. Choose a later moment, or leave it empty to begin now.",
    "In the past",
)


RULES_BEFORE_THE_LAST = RefusalCode(
    "rules-before-the-last",
    "Version %(version)s begins at that moment or later. Choose a later moment.",
    "Too early",
)


RUN_ELSEWHERE = RefusalCode(
    "run-elsewhere",
    "The test was not filed for %(casino)s. Choose one of its casinos.",
    "Another casino",
)


RUN_OUTSIDE_THE_TEST = RefusalCode(
    "run-outside-the-test",
    "%(day)s is not a day of the test. Check the day.",
    "Outside the test",
)


TEST_ENDS_BEFORE_IT_BEGINS = RefusalCode(
    "test-ends-before-it-begins",
    "The last day is before the first. Swap them.",
    "Dates reversed",
)


SIGN_NEEDS_MORE = RefusalCode(
    "sign-needs-more",
    "The sign names the casinos, the dates and the tables. Still missing: %(missing)s.",
    "No sign yet",
)


# Parts, sign and rules of a test


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
            TEST_INCOMPLETE, test.request.facility.law.section("tests"), missing=parts.list_parts(absent)
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
            missing=parts.list_parts(absent),
        )
    request, dates = test.request, test.parts["dates"]
    form = signs.in_force(request.facility, "test", request.game)
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
            "lines": signs.fill_wording(wording, {**values, "casino": casino}),
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


# Acts


HOUR = re.compile(r"([01]\d|2[0-3]):([0-5]\d)")
MOST_LINES = 40
CHANGED: tuple[TestPartKey, ...] = get_args(TestPartKey)
TestPart = list[str] | TestDates | PartText | ProposedSign | NoContents


def _test(ctx: OfficeContext, request_code: str, test: str) -> GameTest:
    """The test of a request that an act names. Raises what its finders raise, and Refusal(`malformed`)."""
    request = parts.request_by_code(ctx.facility, request_code)
    if not (test.isascii() and test.isdecimal()):
        raise malformed("test")
    return test_by_number(request, int(test))


# Sent as the code of the request and the number of its test
SentTest = Annotated[GameTest, several(_test, request_code=Code, test=text(6))]


def _read_test(ctx: OfficeContext, params: Params) -> GameTest:
    return _test(ctx, params.code("request"), params.text("test", max_length=6))


@office_act()
def draft_test(ctx: OfficeContext, *, request_code: Code) -> ActOutcome:
    """Draft the submission of a test of a filed request.

    Raises Refusal(`not-in-new-jersey` or `request-not-waiting`).
    """
    request = parts.request_by_code(ctx.facility, request_code)
    parts.verify_undecided(request)
    newest = request.tests.order_by("-number").first()
    test = GameTest.objects.create(request=request, number=newest.number + 1 if newest else 1)
    return ActOutcome(TEST_DRAFTED(_test_data(test)), {"test": test.number})


@office_act()
def change_test(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Change one part of a draft. A sign that no longer matches is removed. Raises Refusal(`test-not-a-draft`)."""
    test = _read_test(ctx, params)
    verify_draft(test)
    part = params.choice("part", CHANGED)
    value = READERS[part](ctx, params, test)
    parts = {key: content for key, content in test.parts.items() if key != part}
    if value:
        parts[part] = value
    if part in SIGN_PARTS and value != test.parts.get(part):
        parts.pop("sign", None)
    test.parts = parts
    test.save()
    return ActOutcome(TEST_CHANGED(**_test_data(test), part=part, said=value))


@office_act()
def file_test(ctx: OfficeContext, *, test: SentTest) -> ActOutcome:
    """File a complete draft. Raises Refusal(`test-not-a-draft`, `test-incomplete` or `request-not-waiting`)."""
    parts.verify_undecided(test.request)
    verify_draft(test)
    verify_complete(test)
    test.status, test.filed_at = "filed", ctx.now
    test.save()
    forms = [
        documents.document_reference(documents.document_by_code(ctx.facility, code))
        for code in test.parts["forms"]
    ]
    return ActOutcome(TEST_FILED(**_test_data(test), parts=test.parts, forms=forms))


@office_act(step_up="always", subject="requests")
def decide_test(
    ctx: OfficeContext,
    *,
    test: SentTest,
    decision: reviews.SentDecision,
    conditions: Annotated[str, prose(MOST_PROSE)] = "",
) -> ActOutcome:
    """Record the decision on a test with its letter and conditions. Raises Refusal(`test-not-waiting` or
    `another-body-decides`): the body that decides on the request has it tested.

    Once granted, the rules that the request describes become version 1, from the first gaming day on.
    """
    reviews.verify_body(ctx, decision.body, "requests", duty="tests")
    if test.status != "filed":
        raise Refusal(TEST_NOT_WAITING, ctx.facility.law.section("tests"), number=test.number)
    test.status, test.decided_at = "approved" if decision.granted else "denied", ctx.now
    test.decided_by, test.reference = decision.body, decision.reference
    test.decision, test.conditions = decision.letter, conditions
    test.save()
    if decision.granted:
        _begin_rules(ctx, test)
    data: TestDecided = {
        **_test_data(test),
        "granted": decision.granted,
        "body": decision.body,
        "reference": decision.reference,
        "conditions": conditions,
        "letter": documents.document_reference(decision.letter),
    }
    return ActOutcome(TEST_DECIDED(data))


@office_act()
def withdraw_test(ctx: OfficeContext, *, test: SentTest, why: Text) -> ActOutcome:
    """Withdraw a test, with the reason. Raises Refusal(`test-ended`)."""
    if test.status in ("denied", "withdrawn"):
        raise Refusal(TEST_ENDED, ctx.facility.law.section("conditions"), number=test.number)
    test.status = "withdrawn"
    test.save(update_fields=["status"])
    return ActOutcome(TEST_WITHDRAWN(**_test_data(test), why=why))


@office_act()
def change_test_rules(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Record a new version of the rules during a test, with the reason, from now or a later moment on ((g)).

    Raises Refusal(`test-not-running`, `test-rules-say-nothing`, `rules-in-the-past` or `rules-before-the-last`).
    """
    test, why = _running_test(ctx, params), params.text("why")
    text = params.prose("text", max_length=2 * MOST_PROSE)
    start = _read_optional_moment(ctx, params) or ctx.now
    if not text:
        raise Refusal(TEST_RULES_SAY_NOTHING, ctx.facility.law.section("conditions"))
    if start < ctx.now:
        raise Refusal(RULES_IN_THE_PAST, ctx.facility.law.section("conditions"))
    last = test.rules.order_by("-version").first()
    if last and start <= last.in_force_from:
        raise Refusal(RULES_BEFORE_THE_LAST, ctx.facility.law.section("conditions"), version=last.version)
    version = last.version + 1 if last else 1
    TestRules.objects.create(test=test, version=version, text=text, why=why, in_force_from=start)
    data: TestRulesChanged = {
        **_test_data(test),
        "version": version,
        "text": text,
        "why": why,
        "from": _utc(start),
    }
    return ActOutcome(TEST_RULES_CHANGED(data), {"version": version})


@office_act()
def record_test_run(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Record where and when the game was dealt on test. The entry says under which rules.

    Raises Refusal(`test-not-running`, `run-elsewhere`, `day-not-come` or `run-outside-the-test`).
    """
    test, casino = _running_test(ctx, params), params.text("casino", max_length=100)
    table, note = params.text("table", max_length=40), params.text("note", default="")
    day, begins, ends = params.date("on"), _read_hour(params, "begins"), _read_hour(params, "ends")
    started = _local(ctx, day, begins)
    ended = _local(ctx, day + dt.timedelta(days=1) if ends <= begins else day, ends)
    _verify_run(ctx, test, casino, started, ended)
    run = TestRun.objects.create(
        test=test, casino=casino, table=table, started_at=started, ended_at=ended, note=note
    )
    data: TestRunRecorded = {
        **_test_data(test),
        "casino": casino,
        "table": table,
        "from": _utc(started),
        "to": _utc(ended),
        "note": note,
        "rules": rules_during(run, list(test.rules.all())),
    }
    return ActOutcome(TEST_RUN(data))


def _verify_run(
    ctx: OfficeContext, test: GameTest, casino: str, started: dt.datetime, ended: dt.datetime
) -> None:
    if casino not in test.parts["casinos"]:
        raise Refusal(RUN_ELSEWHERE, ctx.facility.law.section("tests.casinos"), casino=casino)
    if ended > ctx.now:
        raise Refusal(
            DAY_NOT_COME,
            ctx.facility.law.section("conditions"),
            day=f"{ctx.facility.local(ended):%Y-%m-%d %H:%M}",
        )
    day = ctx.facility.gaming_day(started)
    if not (test.starts_on and test.ends_on and test.starts_on <= day <= test.ends_on):
        raise Refusal(RUN_OUTSIDE_THE_TEST, ctx.facility.law.section("tests.dates"), day=day.isoformat())


def _begin_rules(ctx: OfficeContext, test: GameTest) -> None:
    """Create version 1 from the request, in force from the first gaming day, or from now if that has begun."""
    parts = test.request.parts
    text = "\n\n".join(
        part_text for key in ("play", "wagering") if (part_text := parts.get(key, {}).get("text"))
    )
    day = test.starts_on or ctx.gaming_day
    first = ctx.facility.day_begins(day)
    TestRules.objects.create(
        test=test, version=1, text=text or "As in the documents of the request.", in_force_from=max(first, ctx.now)
    )  # fmt: skip


def _running_test(ctx: OfficeContext, params: Params) -> GameTest:
    """Return a granted test of an undecided request. Raises Refusal(`test-not-running`)."""
    test = _read_test(ctx, params)
    if test.status != "approved" or test.request.status != "filed":
        raise Refusal(TEST_NOT_RUNNING, ctx.facility.law.section("conditions"), number=test.number)
    return test


def _test_data(test: GameTest) -> TestEntry:
    return {"request": test.request.code, "test": test.number}


def _read_hour(params: Params, name: str) -> dt.time:
    match = HOUR.fullmatch(params.text(name, max_length=5))
    if match is None:
        raise malformed(name)
    return dt.time(int(match[1]), int(match[2]))


def _read_optional_moment(ctx: OfficeContext, params: Params) -> dt.datetime | None:
    day, hour = params.date("on", optional=True), params.text("hour", default="", max_length=5)
    if day is None:
        return None
    match = HOUR.fullmatch(hour or "00:00")
    if match is None:
        raise malformed("hour")
    return _local(ctx, day, dt.time(int(match[1]), int(match[2])))


def _local(ctx: OfficeContext, day: dt.date, hour: dt.time) -> dt.datetime:
    """Return a moment given in the facility's time zone."""
    return dt.datetime.combine(day, hour, ctx.facility.zone).astimezone(dt.UTC)


def _utc(moment: dt.datetime) -> str:
    return moment.astimezone(dt.UTC).isoformat(timespec="seconds")


def _read_lines(ctx: OfficeContext, params: Params, test: GameTest) -> list[str]:
    lines = [line.strip() for line in params.prose("lines", max_length=2_000).split("\n")]
    names = list(dict.fromkeys(line for line in lines if line))
    if len(names) > MOST_LINES or any(len(line) > 100 for line in names):
        raise malformed("lines")
    return names


def _read_dates(ctx: OfficeContext, params: Params, test: GameTest) -> TestDates:
    """Read the first and the last gaming day. Raises Refusal(`test-ends-before-it-begins`)."""
    first, last = params.date("from"), params.date("to")
    if last < first:
        raise Refusal(TEST_ENDS_BEFORE_IT_BEGINS, ctx.facility.law.section("tests.dates"))
    test.starts_on, test.ends_on = first, last
    return {"from": first.isoformat(), "to": last.isoformat()}


def _read_text(ctx: OfficeContext, params: Params, test: GameTest) -> PartText | NoContents:
    text = params.prose("text", max_length=MOST_PROSE)
    return {"text": text} if text else {}


READERS: dict[TestPartKey, Callable[[OfficeContext, Params, GameTest], TestPart]] = {
    "casinos": _read_lines,
    "dates": _read_dates,
    "times": _read_text,
    "tables": _read_lines,
    "sign": lambda ctx, params, test: proposed_sign(test),
    "criteria": _read_text,
    "documenting": _read_text,
    "forms": lambda ctx, params, test: read_attachments(ctx, params, test.parts.get("forms", [])),
}


def test_changed(rows: Rows, body: Body) -> None:
    data, key = body["data"], (FACILITY(body), body["data"]["request"], body["data"]["test"])
    part, contents = data["part"], data["said"]
    before: dict[str, Any] = (rows.get(*key) or {}).get("parts", {})
    parts = {name: value for name, value in before.items() if name != part}
    if contents:
        parts[part] = contents
    if part in SIGN_PARTS and contents != before.get(part):
        parts.pop("sign", None)
    rows.put(body, *key, parts=parts)
    if part == "dates":
        rows.put(body, *key, starts_on=contents["from"], ends_on=contents["to"])


OF_REQUEST = {
    "facility": Reading(("request__facility__code",), plain, ("request",)),
    "request": Reading(("request__code",), plain, ("request",)),
}


declare(
    GameTest,
    "test",
    key={"facility": FACILITY, "request": "request", "number": "test"},
    created={
        TEST_DRAFTED: {
            "status": constant("draft"),
            "parts": constant({}),
            **dict.fromkeys(("starts_on", "ends_on", "filed_at", "decided_at", "decided_by"), NONE),
            **dict.fromkeys(("reference", "conditions", "decision"), NONE),
        }
    },
    changed={
        TEST_FILED: {"status": constant("filed"), "filed_at": AT, "parts": "parts"},
        TEST_DECIDED: {
            "status": granted,
            "decided_at": AT,
            "decided_by": "body",
            **same("reference", "conditions"),
            "decision": document_code("letter"),
        },
        TEST_WITHDRAWN: {"status": constant("withdrawn")},
    },
    folded={TEST_CHANGED: test_changed},
    readings=OF_REQUEST,
)


OF_TEST = {
    "facility": Reading(("test__request__facility__code",), plain, ("test",)),
    "request": Reading(("test__request__code",), plain, ("test",)),
    "test": Reading(("test__number",), plain, ("test",)),
}


def first_rules(rows: Rows, body: Body) -> None:
    """A granted test begins with the rules that its request describes."""
    if body["data"]["granted"]:
        rows.put(body, FACILITY(body), body["data"]["request"], body["data"]["test"], 1, why=None)


declare(
    TestRules,
    "rules of test",
    key={"facility": FACILITY, **same("request", "test", "version")},
    created={TEST_RULES_CHANGED: {**same("text", "why"), "in_force_from": moment("from")}},
    folded={TEST_DECIDED: first_rules},
    readings=OF_TEST,
)


declare(
    TestRun,
    "run of test",
    key={"facility": FACILITY, **same("request", "test", "casino", "table"), "started_at": moment("from")},
    created={TEST_RUN: {"ended_at": moment("to"), "note": "note"}},
    readings=OF_TEST,
)
