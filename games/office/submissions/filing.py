"""Rules submissions: the form of a version, and its way from draft to decision.

The form has everything that a version may choose under its edition. A version is drafted, filed, decided, withdrawn.
Tables deal only under approved versions (§ 521.8(b)).
"""

import datetime as dt
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Literal, Unpack

from audit import clock
from audit.columns import (
    ACTOR,
    AT,
    FACILITY,
    NONE,
    Body,
    Reading,
    Rows,
    Values,
    constant,
    declare,
    document_code,
    same,
)
from audit.entry_types import EntryBody, entry_type
from games import submissions
from games.act_forms import Code, Text, one_of, several, text, whole
from games.engine import Refusal, RefusalCode, Rules
from games.engine.editions import Edition, all_editions, edition
from games.engine.editions import edition as read_edition
from games.engine.odds import Odds, Pays
from games.engine.rules import DEFAULT_WORD, Terms
from games.facility_runner import next_code
from games.formats import percent
from games.models import Facility, RulesSubmission
from games.office.core import (
    ActOutcome,
    DealtTable,
    OfficeContext,
    floor,
    office_act,
)
from games.office.documents import DecisionLetter, document_reference
from games.office.odds import cite, family_label, payout_row, row_label
from games.office.reviews import ALREADY_ENDED, NOT_A_DRAFT, NOT_FILED, SentDecision, verify_body
from games.office.submissions.compare import edition_title
from games.office.submissions.gate import (
    ODDS_WORD_EXAMPLES,
    RULES_APPROVED,
    Lapse,
    RulesApproved,
    RulesEntry,
    verify_may_file,
)
from games.params import MOST_CENTS, YEARS, Params, malformed
from games.registry import game_by_code, game_of
from games.submissions import FilledOptions, Options, VersionState, options_of

StateBeforeWithdrawal = Literal["draft", "filed", "coming", "in-force"]


class RulesDrafted(RulesEntry):
    options: Annotated[FilledOptions, "the options of the draft, without what is empty"]
    why: Annotated[str, "what the version is for, in a person's words; empty if nothing was said"]


RULES_DRAFTED = entry_type("rules.drafted", RulesDrafted, "A rules submission was drafted.")


RULES_CHANGED = entry_type("rules.changed", RulesDrafted, "A drafted rules submission was changed.")


@entry_type("rules.filed")
def RULES_FILED(*, terms: Terms, **data: Unpack[RulesEntry]) -> None:
    """A rules submission was filed, with its whole terms."""


class RulesDenied(RulesEntry, DecisionLetter):
    pass


RULES_DENIED = entry_type("rules.denied", RulesDenied, "A rules submission was denied by letter.")


@entry_type("rules.withdrawn")
def RULES_WITHDRAWN(
    *,
    was: Annotated[StateBeforeWithdrawal, "state of the version until then"],
    why: Annotated[str, "the reason, in a person's words"],
    tables: Annotated[list[str], "codes of the tables that stop dealing under it at their next round"],
    **data: Unpack[RulesEntry],
) -> None:
    """A rules submission was withdrawn."""


# Refusals


NO_SUCH_SUBMISSION = RefusalCode(
    "no-such-submission",
    "There is no version %(version)s of %(code)s. Check the list.",
    "No such submission",
)


VERSION_WAITS = RefusalCode(
    "version-waits",
    "Version %(version)s of %(code)s is %(status)s. Decide or withdraw it before you draft the next one.",
    "Version pending",
)


OTHER_GAME = RefusalCode(
    "other-game",
    "%(code)s is for %(game)s. Draft a new submission for another game.",
    "Another game",
)


NOT_A_NEW_EDITION_HERE = RefusalCode(
    "not-a-new-edition-here",
    "%(edition)s belongs to another jurisdiction. Choose an edition of this facility's jurisdiction.",
    "Another jurisdiction",
)


NOTHING_CHANGED = RefusalCode(
    "nothing-changed",
    "Version %(version)s has the same rules. Change something, or leave it as it is.",
    "Nothing changed",
)


IN_FORCE_BEFORE_DECIDED = RefusalCode(
    "in-force-before-decided",
    "Rules come into force when they are approved or later. Choose %(least)s or a later moment.",
    "Too early",
)


IN_FORCE_BEFORE_EARLIER = RefusalCode(
    "in-force-before-earlier",
    "Version %(version)s comes into force at %(from)s. Choose a later moment, or withdraw that version.",
    "Too early",
)


# The form


@dataclass(frozen=True)
class PayoutRow:
    """A row of the paytable that may pay more: its floor, the odds in the draft ("" for the floor), and how it wins."""

    row: str
    label: str
    floor: str
    odds: str
    wins: int
    of: int
    advantage: str


@dataclass(frozen=True)
class IncrementRow:
    """A wager family with its increment in cents, or None."""

    family: str
    label: str
    cents: int | None


@dataclass(frozen=True)
class ShakerRow:
    """A kind of shaker that the edition allows, whether the submission names it, and its procedure."""

    kind: str
    label: str
    is_named: bool
    procedure: str


@dataclass(frozen=True)
class SubmissionForm:
    """Everything that a submission under one edition may choose, with the present options."""

    options: Options
    payouts: tuple[PayoutRow, ...]
    words: tuple[tuple[str, str], ...]  # the word, and how odds look with it
    increments: tuple[IncrementRow, ...]
    shakers: tuple[ShakerRow, ...]
    least_limit_cents: int | None
    increments_cite: str
    limit_cite: str
    words_cite: str
    odds_cite: str

    @property
    def edition(self) -> Edition:
        return self.options.edition


def submission_form(options: Options, tables: Sequence[DealtTable]) -> SubmissionForm:
    """Return the form for these options and the tables that deal under them."""
    edition = options.edition
    base = Rules(edition)
    types = game_of(base).wager_types(base)
    families = dict.fromkeys(type_.family for type_ in types)
    highest = max((table.highest_min_cents for table in tables), default=0)
    return SubmissionForm(
        options,
        _payout_rows(base, options),
        tuple((word, ODDS_WORD_EXAMPLES[word]) for word in edition.odds_words),
        tuple(
            IncrementRow(family, family_label(family, types), options.increments.get(family))
            for family in families
        ),
        tuple(
            ShakerRow(kind, SHAKERS.get(kind, kind), kind in options.shakers, options.shakers.get(kind, ""))
            for kind in edition.shakers
        ),
        base.least_payout_limit_cents(highest) if edition.limit_floors else None,
        cite(edition, "increments"),
        cite(edition, "payout-limit"),
        cite(edition, "odds-words"),
        cite(edition, "odds"),
    )


SHAKERS = {
    "manual": "Manual shaker",
    "automated-covered": "Automated shaker with a cover",
    "automated-uncovered": "Automated shaker without a cover",
    "player-activated": "Player-activated shaker",
    "dice-cup": "Dice cup",
}


def _payout_rows(base: Rules, options: Options) -> tuple[PayoutRow, ...]:
    """Return the rows that have a floor, with the number of winning throws."""
    edition = base.edition
    if not edition.sets_floors:
        return ()
    types, throws = game_of(base).wager_types(base), 6**edition.dice
    rows: dict[str, PayoutRow] = {}
    for code, outcomes in game_of(base).outcomes(base).items():
        row = payout_row(base, code)
        if row not in edition.payouts or row in edition.fixed or row in rows:
            continue
        chance, floor = outcomes[0].probability, edition.payouts[row].odds
        chosen_odds = options.payouts.get(row, "")
        advantage = percent(1 - chance * (_paid_ratio(chosen_odds, floor) + 1))
        label = row_label(row, types)
        rows[row] = PayoutRow(row, label, str(floor), chosen_odds, int(chance * throws), throws, advantage)
    return tuple(rows.values())


def _paid_ratio(odds_text: str, floor: Pays) -> Fraction:
    """Return what a row pays for one unit; its floor if the text is unreadable."""
    try:
        return Odds.parse(odds_text).ratio()
    except Refusal:
        return floor.ratio()


def editions_for(facility: Facility, game: str = "") -> list[tuple[str, str, str]]:
    """Return the editions of the facility's jurisdiction: dated key, title and game, the newest text last."""
    return [
        (key, edition_title(Rules(edition)), edition.game)
        for key, edition in all_editions().items()
        if edition.jurisdiction == facility.jurisdiction and game in ("", edition.game)
    ]


# Acts


Status = RulesSubmission.Status
OPEN = frozenset({Status.DRAFT, Status.FILED})
WITHDRAWABLE: Mapping[VersionState, StateBeforeWithdrawal] = {
    VersionState.DRAFT: "draft",
    VersionState.FILED: "filed",
    VersionState.COMING: "coming",
    VersionState.IN_FORCE: "in-force",
}
MOST_ROWS = 64
MOST_PROCEDURE = 2000
PLAIN = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)


def _version(ctx: OfficeContext, code: str, version: int) -> RulesSubmission:
    """Return a version of a submission. Raises Refusal(`no-such-submission`)."""
    submission = RulesSubmission.objects.filter(facility=ctx.facility, code=code, version=version).first()
    if submission is None:
        raise Refusal(NO_SUCH_SUBMISSION, code=code, version=version)
    return submission


# The version that an act names by `code` and `version`
_Version = Annotated[RulesSubmission, several(_version, code=Code, version=whole(1, 10**6))]


@office_act()
def draft_submission(
    ctx: OfficeContext,
    *,
    code: Annotated[str, text(20)] = "",
    edition: Annotated[str, one_of(all_editions)],
    why: Text = "",
) -> ActOutcome:
    """Draft a submission under the next code, or the next version of `code` with the options of its newest one.

    Raises Refusal(`version-waits`) while another version is drafted or filed, `other-game` or
    `not-a-new-edition-here`.
    """
    last = _newest_version(ctx, code) if code else None
    _verify_edition(ctx, edition, last)
    if last is not None and last.status in OPEN:
        details = {"code": code, "version": last.version, "status": last.get_status_display()}
        raise Refusal(VERSION_WAITS, **details)
    options = options_of(last) if last and last.edition == edition else Options(edition)
    row = RulesSubmission(
        facility=ctx.facility,
        code=code or next_code(RulesSubmission.objects.filter(facility=ctx.facility), "RS"),
        version=last.version + 1 if last else 1,
        drafted_at=ctx.now,
        drafted_by=ctx.actor,
        lapsed_why=last.lapsed_why if last and last.edition == edition else "",
    )
    _fill_draft(row, options, why)
    row.save()
    return _outcome(ctx, row, RULES_DRAFTED({**_row_data(row), "options": row.options, "why": why}))


@office_act()
def change_draft(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Change the options of a draft. The gate checks them only when the draft is filed.

    `lapsed_why`: why rules of a lapsed edition may be dealt.
    """
    row = _version(ctx, params.code("code"), params.integer("version", 1, 10**6))
    options = read_options(params)
    why, lapsed_why = params.text("why", default=""), params.text("lapsed_why", default="")
    if row.status != Status.DRAFT:
        raise Refusal(NOT_A_DRAFT, status=row.get_status_display())
    before = _newest_version(ctx, row.code, below=row.version)
    _verify_edition(ctx, options.key, before)
    _fill_draft(row, options, why)
    row.lapsed_why = lapsed_why
    row.save()
    return _outcome(ctx, row, RULES_CHANGED({**_row_data(row), "options": row.options, "why": why}))


@office_act()
def file_submission(ctx: OfficeContext, *, submission: _Version) -> ActOutcome:
    """File a draft and fix its terms. Raises what the gate finds, and Refusal(`not-a-draft`).

    Raises Refusal(`nothing-changed`) if its terms are those of the approved version before it.
    """
    if submission.status != Status.DRAFT:
        raise Refusal(NOT_A_DRAFT, status=submission.get_status_display())
    rules = verify_may_file(
        options_of(submission), tables_under(ctx, submission.code), _lapse(ctx, submission)
    )
    submission.terms, submission.terms_sha256 = submissions.filed_terms(rules)
    before = _approved_before(submission)
    if before is not None and before.terms_sha256 == submission.terms_sha256:
        raise Refusal(NOTHING_CHANGED, version=before.version)
    submission.status, submission.filed_at, submission.filed_by = Status.FILED, ctx.now, ctx.actor
    submission.save()
    return _outcome(ctx, submission, RULES_FILED(**_row_data(submission), terms=json.loads(submission.terms)))


@office_act(step_up="always", subject="rules")
def record_decision(
    ctx: OfficeContext,
    *,
    submission: _Version,
    decision: SentDecision,
    in_force_from: Annotated[str, text(40)] = "",
) -> ActOutcome:
    """Record the body's decision from its letter.

    Approved rules come into force at `in_force_from` (local time such as 2026-11-22T06:00; now if it is not sent),
    never before they are approved: 58 Pa. Code § 521.8(b). From that moment, each table changes at its next round.
    Raises Refusal(`not-filed`, `another-body-decides`, `in-force-before-decided` or `in-force-before-earlier`), and
    what the gate finds for the tables as they are now.
    """
    row = submission
    verify_body(ctx, decision.body, "submissions")
    since = _local_moment(ctx, in_force_from) or ctx.now
    ctx.add_makers(row.drafted_by, row.filed_by)
    if row.status != Status.FILED:
        raise Refusal(NOT_FILED, status=row.get_status_display())
    row.decided_at, row.decided_by = ctx.now, decision.body
    row.reference, row.decision = decision.reference, decision.letter
    row.status = Status.APPROVED if decision.granted else Status.DENIED
    by_letter: DecisionLetter = {
        "body": decision.body,
        "reference": decision.reference,
        "letter": document_reference(decision.letter),
    }
    if decision.granted:
        verify_may_file(options_of(row), tables_under(ctx, row.code), _lapse(ctx, row))
        row.in_force_from = _verified_start(ctx, row, since)
        approval: RulesApproved = {
            **_row_data(row),
            **by_letter,
            "in_force_from": clock.format_moment(since),
            "terms": json.loads(row.terms),
            "supersedes": _supersede(row, since),
        }
        entry = RULES_APPROVED(approval)
    else:
        entry = RULES_DENIED({**_row_data(row), **by_letter})
    row.save()
    return _outcome(ctx, row, entry)


@office_act()
def withdraw_submission(ctx: OfficeContext, *, submission: _Version, why: Text) -> ActOutcome:
    """Withdraw a version. Raises Refusal(`already-ended`).

    Tables stop dealing under a version in force at their next round. If it was not in force yet, the previous version
    stays in force.
    """
    version_state = submissions.state_of_version(submission, ctx.now)
    if version_state not in WITHDRAWABLE:
        raise Refusal(ALREADY_ENDED, status=submission.get_status_display())
    if version_state == VersionState.COMING:
        _keep_previous_in_force(submission)
    submission.status, submission.withdrawn_at, submission.withdrawn_why = Status.WITHDRAWN, ctx.now, why
    submission.save()
    stops = version_state == VersionState.IN_FORCE
    tables = [table.table for table in tables_under(ctx, submission.code)] if stops else []
    return _outcome(
        ctx,
        submission,
        RULES_WITHDRAWN(**_row_data(submission), was=WITHDRAWABLE[version_state], why=why, tables=tables),
    )


def tables_under(ctx: OfficeContext, code: str) -> tuple[DealtTable, ...]:
    """Return the facility's tables that deal under a submission, whatever its version."""
    return tuple(table for table in floor().tables(ctx.facility) if table.submission == code)


# Parameters


def read_options(params: Params) -> Options:
    """Read the options of the form: rows of `payouts`, `increments` and `shakers`. Empty rows are dropped."""
    payouts = params.objects("payouts", _payout, max_items=MOST_ROWS, optional=True)
    steps = params.objects("increments", _increment, max_items=MOST_ROWS, optional=True)
    kinds = params.objects("shakers", _shaker, max_items=MOST_ROWS, optional=True)
    return Options(
        params.choice("edition", tuple(all_editions())),
        {row: odds for row, odds in payouts if odds},
        params.integer("payout_limit_cents", 0, MOST_CENTS, default=0) or None,
        params.text("odds_word", default=DEFAULT_WORD, max_length=10),
        {family: cents for family, cents in steps if cents},
        {kind: procedure for kind, procedure, is_named in kinds if is_named},
    )


def _payout(params: Params) -> tuple[str, str]:
    """Read a row of the paytable and its odds. A plain number means "to 1"."""
    row, odds = params.text("family", max_length=40), params.text("odds", default="", max_length=40)
    return row, f"{odds} to 1" if PLAIN.fullmatch(odds) else odds


def _increment(params: Params) -> tuple[str, int]:
    return params.text("family", max_length=40), params.integer("cents", 0, MOST_CENTS, default=0)


def _shaker(params: Params) -> tuple[str, str, bool]:
    kind, procedure = (
        params.text("kind", max_length=40),
        params.text("procedure", default="", max_length=MOST_PROCEDURE),
    )
    return kind, procedure, params.boolean("named")


def _local_moment(ctx: OfficeContext, written: str) -> dt.datetime | None:
    """Return a moment given in local time, such as 2026-11-22T06:00; None if it is empty.

    Raises Refusal(`malformed`).
    """
    if not written:
        return None
    try:
        parsed = dt.datetime.fromisoformat(written)
        moment = (parsed if parsed.tzinfo else parsed.replace(tzinfo=ctx.facility.zone)).astimezone(dt.UTC)
    except (ValueError, OverflowError):
        raise malformed("in_force_from") from None
    if moment.year not in YEARS:
        raise malformed("in_force_from")
    return moment


def _newest_version(ctx: OfficeContext, code: str, below: int = 10**6 + 1) -> RulesSubmission | None:
    versions = RulesSubmission.objects.filter(facility=ctx.facility, code=code, version__lt=below)
    newest = versions.order_by("-version").first()
    if newest is None and below > 10**6:
        raise Refusal(NO_SUCH_SUBMISSION, code=code, version=1)
    return newest


# Changes


def _verify_edition(ctx: OfficeContext, key: str, before: RulesSubmission | None) -> None:
    """Refuse another game than that of the submission, and an edition of another jurisdiction."""
    new_edition = edition(key)
    if new_edition.jurisdiction != ctx.facility.jurisdiction:
        raise Refusal(NOT_A_NEW_EDITION_HERE, edition=new_edition.title)
    if before is not None and before.game != new_edition.game:
        raise Refusal(OTHER_GAME, code=before.code, game=game_by_code(before.game).name)


def _fill_draft(row: RulesSubmission, options: Options, why: str) -> None:
    """Copy the options into the draft, and its terms if the engine accepts them."""
    row.game, row.edition = options.edition.game, options.edition.key
    row.options, row.why = options.as_json(), why
    rules = options.rules_if_any()
    row.terms, row.terms_sha256 = submissions.filed_terms(rules) if rules else ("", "")


def _verified_start(ctx: OfficeContext, row: RulesSubmission, since: dt.datetime) -> dt.datetime:
    if since < ctx.now:
        section = ctx.facility.law.section("submissions.start")
        raise Refusal(IN_FORCE_BEFORE_DECIDED, section, least=_local_text(ctx, ctx.now))
    before = _approved_before(row)
    if before is not None and before.in_force_from and since <= before.in_force_from:
        details = {"version": before.version, "from": _local_text(ctx, before.in_force_from)}
        raise Refusal(IN_FORCE_BEFORE_EARLIER, **details)
    return since


def _approved_before(row: RulesSubmission) -> RulesSubmission | None:
    """Return the newest approved version before this one."""
    earlier = RulesSubmission.objects.filter(facility=row.facility, code=row.code, version__lt=row.version)
    return earlier.filter(status=Status.APPROVED).order_by("-version").first()


def _supersede(row: RulesSubmission, since: dt.datetime) -> int | None:
    """Mark the previous version as superseded from the moment the new one is in force. Returns its number."""
    before = _approved_before(row)
    if before is None:
        return None
    before.status, before.superseded_at = Status.SUPERSEDED, since
    before.save(update_fields=["status", "superseded_at"])
    return before.version


def _keep_previous_in_force(row: RulesSubmission) -> None:
    """Keep the version in force that this one was to supersede, until a later approved one takes over."""
    superseded = RulesSubmission.objects.filter(
        facility=row.facility, code=row.code, status=Status.SUPERSEDED, superseded_at=row.in_force_from
    )
    status = Status.SUPERSEDED if row.superseded_at else Status.APPROVED
    superseded.update(status=status, superseded_at=row.superseded_at)


def _local_text(ctx: OfficeContext, moment: dt.datetime) -> str:
    return ctx.facility.local(moment).strftime("%H:%M on %d %b %Y")


def _row_data(row: RulesSubmission) -> RulesEntry:
    """Return what every entry about a version says."""
    data: RulesEntry = {"code": row.code, "version": row.version, "edition": row.edition}
    if row.lapsed_why:
        data["lapsed_why"] = row.lapsed_why
    return data


def _lapse(ctx: OfficeContext, row: RulesSubmission) -> Lapse:
    return Lapse(ctx.gaming_day, row.lapsed_why)


def _outcome(ctx: OfficeContext, row: RulesSubmission, entry: EntryBody) -> ActOutcome:
    ctx.terms_sha256 = row.terms_sha256
    return ActOutcome(entry, {"code": row.code, "version": row.version, "status": row.status})


# What the entries state


def text_sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest() if text else ""


def stated_terms(body: Body) -> str | None:
    """The SHA-256 of the terms; nothing for a draft that the engine does not accept."""
    terms: str | None = body["terms"]
    return terms


def lapsed_why(body: Body) -> str | None:
    reason: str | None = body["data"].get("lapsed_why")
    return reason


STATED_VERSION: Values = {
    "edition": "edition",
    "lapsed_why": lapsed_why,
    "terms": stated_terms,
    "terms_sha256": stated_terms,
}


STATED_DRAFT: Values = {
    **STATED_VERSION,
    **same("options", "why"),
    "game": lambda body: game_of_edition(body["data"]["edition"]),
}


DECISION: Values = {
    "decided_at": AT,
    "decided_by": "body",
    "reference": "reference",
    "decision": document_code("letter"),
}


EMPTY = (
    *("filed_at", "filed_by", "decided_at", "decided_by", "reference", "in_force_from", "superseded_at"),
    *("withdrawn_at", "withdrawn_why", "decision"),
)


def game_of_edition(edition: str) -> str:
    """The game of an edition."""
    return read_edition(edition).game


def supersede_the_one_before(rows: Rows, body: Body) -> None:
    """The version before is superseded from the moment the new one is in force."""
    data = body["data"]
    if data.get("supersedes"):
        key = FACILITY(body), data["code"], data["supersedes"]
        rows.put(body, *key, status="superseded", superseded_at=data["in_force_from"])


def restore_the_one_before(rows: Rows, body: Body) -> None:
    """A version that was not in force yet keeps the one before in force."""
    data, facility = body["data"], FACILITY(body)
    if data["was"] != "coming":
        return
    version = rows.get(facility, data["code"], data["version"]) or {}
    for number in range(1, data["version"]):
        before = rows.get(facility, data["code"], number) or {}
        is_superseded = before.get("status") == "superseded"
        if is_superseded and before.get("superseded_at") == version.get("in_force_from"):
            until = version.get("superseded_at")
            status = "superseded" if until else "approved"
            rows.put(body, facility, data["code"], number, status=status, superseded_at=until)


declare(
    RulesSubmission,
    "submission",
    may_be_seeded=True,
    key={"facility": FACILITY, "code": "code", "version": "version"},
    created={
        RULES_DRAFTED: {
            **STATED_DRAFT,
            "status": constant("draft"),
            "drafted_at": AT,
            "drafted_by": ACTOR,
            **dict.fromkeys(EMPTY, NONE),
        }
    },
    changed={
        RULES_CHANGED: STATED_DRAFT,
        RULES_FILED: {**STATED_VERSION, "status": constant("filed"), "filed_at": AT, "filed_by": ACTOR},
        RULES_APPROVED: {
            **STATED_VERSION,
            **DECISION,
            "status": constant("approved"),
            "in_force_from": "in_force_from",
        },
        RULES_DENIED: {**STATED_VERSION, **DECISION, "status": constant("denied")},
        RULES_WITHDRAWN: {
            **STATED_VERSION,
            "status": constant("withdrawn"),
            "withdrawn_at": AT,
            "withdrawn_why": "why",
        },
    },
    folded={RULES_APPROVED: supersede_the_one_before, RULES_WITHDRAWN: restore_the_one_before},
    readings={"terms": Reading(("terms",), text_sha256, ("terms",))},
)
