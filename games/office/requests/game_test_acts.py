"""Acts on tests of a new game before its final approval in New Jersey: N.J.A.C. 19:47-8.4(f)2 and (g)."""

import datetime as dt
import re
from collections.abc import Callable
from typing import Annotated, get_args

from games.act_forms import Code, Text, prose, several, text
from games.engine import Refusal
from games.models import GameTest, TestRules, TestRun
from games.office import reviews
from games.office.core.runner import ActOutcome, OfficeContext, office_act
from games.office.documents import filing
from games.office.requests import contents, game_tests
from games.office.requests.contents import MOST_PROSE
from games.office.requests.entry_types import (
    TEST_CHANGED,
    TEST_DECIDED,
    TEST_DRAFTED,
    TEST_FILED,
    TEST_RULES_CHANGED,
    TEST_RUN,
    TEST_WITHDRAWN,
    NoContents,
    PartText,
    ProposedSign,
    TestDates,
    TestDecided,
    TestEntry,
    TestPartKey,
    TestRulesChanged,
    TestRunRecorded,
)
from games.office.requests.game_tests import SIGN_PARTS
from games.office.requests.part_readers import read_attachments
from games.office.requests.refusals import (
    DAY_NOT_COME,
    RULES_BEFORE_THE_LAST,
    RULES_IN_THE_PAST,
    RUN_ELSEWHERE,
    RUN_OUTSIDE_THE_TEST,
    TEST_ENDED,
    TEST_ENDS_BEFORE_IT_BEGINS,
    TEST_NOT_RUNNING,
    TEST_NOT_WAITING,
    TEST_RULES_SAY_NOTHING,
)
from games.params import Params, malformed

HOUR = re.compile(r"([01]\d|2[0-3]):([0-5]\d)")
MOST_LINES = 40
CHANGED: tuple[TestPartKey, ...] = get_args(TestPartKey)
TestPart = list[str] | TestDates | PartText | ProposedSign | NoContents


def _test(ctx: OfficeContext, request_code: str, test: str) -> GameTest:
    """The test of a request that an act names. Raises what its finders raise, and Refusal(`malformed`)."""
    request = contents.request_by_code(ctx.facility, request_code)
    if not (test.isascii() and test.isdecimal()):
        raise malformed("test")
    return game_tests.test_by_number(request, int(test))


# Sent as the code of the request and the number of its test
SentTest = Annotated[GameTest, several(_test, request_code=Code, test=text(6))]


def _read_test(ctx: OfficeContext, params: Params) -> GameTest:
    return _test(ctx, params.code("request"), params.text("test", max_length=6))


@office_act()
def draft_test(ctx: OfficeContext, *, request_code: Code) -> ActOutcome:
    """Draft the submission of a test of a filed request.

    Raises Refusal(`not-in-new-jersey` or `request-not-waiting`).
    """
    request = contents.request_by_code(ctx.facility, request_code)
    game_tests.verify_request(request)
    newest = request.tests.order_by("-number").first()
    test = GameTest.objects.create(request=request, number=newest.number + 1 if newest else 1)
    return ActOutcome(TEST_DRAFTED(_test_data(test)), {"test": test.number})


@office_act()
def change_test(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Change one part of a draft. A sign that no longer matches is removed. Raises Refusal(`test-not-a-draft`)."""
    test = _read_test(ctx, params)
    game_tests.verify_draft(test)
    part = params.choice("part", CHANGED)
    value = READERS[part](ctx, params, test)
    parts = {key: content for key, content in test.parts.items() if key != part}
    if value:
        parts[part] = value
    if part in SIGN_PARTS and value != test.parts.get(part):
        parts.pop("sign", None)
    test.parts = parts
    test.save()
    return ActOutcome(TEST_CHANGED({**_test_data(test), "part": part, "said": value}))


@office_act()
def file_test(ctx: OfficeContext, *, test: SentTest) -> ActOutcome:
    """File a complete draft. Raises Refusal(`test-not-a-draft`, `test-incomplete` or `request-not-waiting`)."""
    game_tests.verify_request(test.request)
    game_tests.verify_draft(test)
    game_tests.verify_complete(test)
    test.status, test.filed_at = "filed", ctx.now
    test.save()
    forms = [
        filing.document_reference(filing.document_by_code(ctx.facility, code)) for code in test.parts["forms"]
    ]
    return ActOutcome(TEST_FILED({**_test_data(test), "parts": test.parts, "forms": forms}))


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
        "letter": filing.document_reference(decision.letter),
    }
    return ActOutcome(TEST_DECIDED(data))


@office_act()
def withdraw_test(ctx: OfficeContext, *, test: SentTest, why: Text) -> ActOutcome:
    """Withdraw a test, with the reason. Raises Refusal(`test-ended`)."""
    if test.status in ("denied", "withdrawn"):
        raise Refusal(TEST_ENDED, ctx.facility.law.section("conditions"), number=test.number)
    test.status = "withdrawn"
    test.save(update_fields=["status"])
    return ActOutcome(TEST_WITHDRAWN({**_test_data(test), "why": why}))


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
        "rules": game_tests.rules_during(run, list(test.rules.all())),
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
    "sign": lambda ctx, params, test: game_tests.proposed_sign(test),
    "criteria": _read_text,
    "documenting": _read_text,
    "forms": lambda ctx, params, test: read_attachments(ctx, params, test.parts.get("forms", [])),
}
