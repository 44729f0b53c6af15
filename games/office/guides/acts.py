"""Acts on the gaming guide: draft, file its sample, decide, publish, display, withdraw."""

from typing import Annotated

from games.act_forms import Text, found, text, whole
from games.engine import Refusal
from games.guide.authorized import all_in_force_by
from games.guide.content import content_at, facts_at, sha256
from games.guide.content_types import GuideContent
from games.guide.sections import section
from games.guide.standing import FORMATS, approval_of, differences, is_approved
from games.models import Guide, GuideDisplay, Review, RulesSubmission
from games.office import reviews
from games.office.core.refusals import NOT_A_DRAFT
from games.office.core.runner import ActOutcome, OfficeContext, office_act
from games.office.guides.entry_types import (
    GUIDE_DECIDED,
    GUIDE_DISPLAY_ENDED,
    GUIDE_DISPLAYED,
    GUIDE_DRAFTED,
    GUIDE_FILED,
    GUIDE_PUBLISHED,
    GUIDE_SAME_AS_APPROVED,
    GUIDE_WITHDRAWN,
    FormatApproval,
    GuideDecided,
    GuideDrafted,
    GuideEntry,
    GuideFiled,
    GuidePublished,
    GuideSameAsApproved,
    GuideWithdrawn,
)
from games.office.guides.refusals import (
    APPROVAL_IS_NONE,
    FORMAT_NEEDS_APPROVAL,
    GUIDE_DIFFERS_MATERIALLY,
    GUIDE_ENDED,
    GUIDE_IS_PRINTED,
    GUIDE_NOT_APPROVED,
    GUIDE_NOT_DEALT,
    GUIDE_NOT_PUBLISHED,
    GUIDE_PUBLISHED_ALREADY,
    GUIDE_SAYS_THE_SAME,
    IMMATERIAL_FORMATS,
    LIES_NOT_THERE,
    LIES_THERE,
    NO_RULES_TO_GUIDE,
    NO_SUCH_GUIDE,
)
from games.params import Params

MOST_VERSION = 2**31 - 1


def _guide_by_version(ctx: OfficeContext, version: int) -> Guide:
    guide = (
        Guide.objects.filter(facility=ctx.facility, version=version)
        .select_related("same_as", "facility")
        .first()
    )
    if guide is None:
        raise Refusal(NO_SUCH_GUIDE, section(ctx.facility, "guide"), version=version)
    return guide


_Guide = Annotated[Guide, found(whole(1, MOST_VERSION), _guide_by_version)]


@office_act()
def generate_guide(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Draft a guide of every authorized game in every language.

    It describes the submissions in force, or with `coming` those in force once everything approved is, so that its
    sample can be decided on time. `formats`: how it is given out. `reference`: the approval of a format that needs
    one. Raises Refusal(`no-rules-to-guide`, `guide-is-printed`, `format-needs-approval` or `guide-says-the-same`).
    """
    formats = _read_formats(ctx, params)
    of = all_in_force_by(ctx.facility, ctx.now) if params.boolean("coming") else ctx.now
    content, facts = content_at(ctx.facility, of), facts_at(ctx.facility, of)
    if not content["games"]:
        raise Refusal(NO_RULES_TO_GUIDE, section(ctx.facility, "guide"))
    newest = Guide.objects.filter(facility=ctx.facility).first()
    if newest and _is_current(newest) and _is_unchanged(newest, content, facts, formats):
        raise Refusal(GUIDE_SAYS_THE_SAME, section(ctx.facility, "guide"), version=newest.version)
    guide = Guide.objects.create(
        facility=ctx.facility,
        version=newest.version + 1 if newest else 1,
        content=content,
        content_sha256=sha256(content),
        facts=facts,
        facts_sha256=sha256(facts),
        formats=formats,
        drafted_at=ctx.now,
        drafted_by=ctx.actor,
    )
    guide.submissions.set(_submissions_of(ctx, content))
    data: GuideDrafted = {
        **_guide_data(guide, "guide"),
        "submissions": [code for game in content["games"] for code in game["submissions"]],
        "formats": formats,
    }
    return ActOutcome(GUIDE_DRAFTED(data), {"version": guide.version})


def _read_formats(ctx: OfficeContext, params: Params) -> list[FormatApproval]:
    """Return the formats of the guide, each with the reference of its approval if it needs one."""
    names = params.texts("formats")
    formats = [name for name in FORMATS if name in names]
    reference = params.text("reference", default="", max_length=60)
    law = ctx.facility.law
    free = law.guide.formats_without_approval
    if not formats or (law.guide.print_always and "print" not in formats):
        raise Refusal(GUIDE_IS_PRINTED, section(ctx.facility, "guide"))
    for name in formats:
        if name not in free and not reference:
            raise Refusal(FORMAT_NEEDS_APPROVAL, section(ctx.facility, "format"), format=name)
    return [{"format": name, "reference": "" if name in free else reference} for name in formats]


def _submissions_of(ctx: OfficeContext, content: GuideContent) -> list[RulesSubmission]:
    codes = {code for game in content["games"] for code in game["submissions"]}
    rows = RulesSubmission.objects.filter(facility=ctx.facility)
    return [submission for submission in rows if str(submission) in codes]


def _is_unchanged(guide: Guide, content: object, facts: object, formats: list[FormatApproval]) -> bool:
    """Return whether a guide has the same pages, formats and facts."""
    current = guide.content_sha256, guide.facts_sha256, guide.formats
    return current == (sha256(content), sha256(facts), formats)


def _is_current(guide: Guide) -> bool:
    return guide.status in (Review.DRAFT, Review.FILED, Review.APPROVED) and guide.ended_at is None


@office_act()
def file_guide_sample(ctx: OfficeContext, *, guide: _Guide) -> ActOutcome:
    """File the complete guide as the sample, all pages included whatever has changed (NJ 8.5(d))."""
    reviews.file(ctx, guide)
    data: GuideFiled = {**_guide_data(guide, "sample"), "games": len(guide.content["games"])}
    return ActOutcome(GUIDE_FILED(data))


@office_act(step_up="always", subject="guides")
def decide_guide(ctx: OfficeContext, *, guide: _Guide, decision: reviews.SentDecision) -> ActOutcome:
    """Record the body's decision on a sample with its letter."""
    data: GuideDecided = {**_guide_data(guide, "sample"), **reviews.decide(ctx, guide, decision, of="guides")}
    return ActOutcome(GUIDE_DECIDED(data))


@office_act(step_up="always", subject="guides")
def approve_as_immaterial(
    ctx: OfficeContext, *, guide: _Guide, because: Text, approved_id: Annotated[int, whole(1, MOST_VERSION)]
) -> ActOutcome:
    """Cover a draft by the approval of another guide with the same facts, and record the reason.

    Raises Refusal(`not-a-draft`, `approval-is-none`, `guide-differs-materially` or `immaterial-formats`).
    """
    ctx.add_makers(guide.drafted_by)
    approved = _guide_by_version(ctx, approved_id)
    if guide.status != Review.DRAFT:
        raise Refusal(NOT_A_DRAFT, status=guide.get_status_display())
    if not is_approved(approved):
        raise Refusal(APPROVAL_IS_NONE, section(ctx.facility, "sample"), version=approved.version)
    differing = differences(approval_of(approved).facts, guide.facts)
    if differing or approved.facts_sha256 != guide.facts_sha256:
        raise Refusal(
            GUIDE_DIFFERS_MATERIALLY,
            section(ctx.facility, "different"),
            first=str(differing[0]) if differing else "facts",
            count=len(differing),
        )
    if {item["format"] for item in guide.formats} - {item["format"] for item in approved.formats}:
        raise Refusal(IMMATERIAL_FORMATS, section(ctx.facility, "format"), version=approved.version)
    guide.same_as, guide.immaterial_because, guide.status = approval_of(approved), because, Review.APPROVED
    guide.save(update_fields=["same_as", "immaterial_because", "status"])
    data: GuideSameAsApproved = {
        **_guide_data(guide, "different"),
        "same_as": approval_of(approved).version,
        "because": because,
    }
    return ActOutcome(GUIDE_SAME_AS_APPROVED(data))


@office_act(step_up="always")
def publish_guide(ctx: OfficeContext, *, guide: _Guide) -> ActOutcome:
    """Publish an approved guide from now on, and end the previous one.

    Raises Refusal(`guide-not-approved`, `guide-ended`, `guide-published-already` or `guide-not-dealt`).
    """
    if not is_approved(guide):
        raise Refusal(GUIDE_NOT_APPROVED, section(ctx.facility, "sample"), version=guide.version)
    if guide.ended_at is not None:
        raise Refusal(GUIDE_ENDED, section(ctx.facility, "sample"), version=guide.version)
    if guide.published_at is not None:
        raise Refusal(GUIDE_PUBLISHED_ALREADY, section(ctx.facility, "sample"), version=guide.version)
    differing = differences(guide.facts, facts_at(ctx.facility, ctx.now))
    if differing:
        cite = section(ctx.facility, "different")
        raise Refusal(
            GUIDE_NOT_DEALT, cite, version=guide.version, first=str(differing[0]), count=len(differing)
        )
    before = Guide.objects.filter(facility=ctx.facility, published_at__isnull=False, ended_at=None).first()
    if before is not None:
        _end_guide(ctx, before)
    guide.published_at = ctx.now
    guide.save(update_fields=["published_at"])
    data: GuidePublished = {
        **_guide_data(guide, "guide"),
        "replaces": before.version if before else None,
        "approval": approval_of(guide).reference,
    }
    return ActOutcome(GUIDE_PUBLISHED(data))


@office_act()
def withdraw_guide(ctx: OfficeContext, *, guide: _Guide, why: Text) -> ActOutcome:
    """Withdraw a guide, and every guide that its approval covers. They can no longer be given out."""
    reviews.withdraw(ctx, guide)
    ended = [guide, *Guide.objects.filter(same_as=guide, ended_at=None).select_related("facility")]
    for ended_guide in ended:
        _end_guide(ctx, ended_guide)
    data: GuideWithdrawn = {
        **_guide_data(guide, "sample"),
        "why": why,
        "also": [ended_guide.version for ended_guide in ended[1:]],
    }
    return ActOutcome(GUIDE_WITHDRAWN(data))


def _end_guide(ctx: OfficeContext, guide: Guide) -> None:
    """End a guide and its displays: a guide that is not in use may not be displayed."""
    guide.ended_at = ctx.now
    guide.save(update_fields=["ended_at"])
    guide.displays.filter(until=None).update(until=ctx.now)


@office_act()
def record_guide_display(ctx: OfficeContext, *, guide: _Guide, place: Annotated[str, text(80)]) -> ActOutcome:
    """Record that the published guide is on display at a place.

    Raises Refusal(`guide-not-approved`, `guide-not-published` or `lies-there`).
    """
    cite = section(ctx.facility, "display")
    if not is_approved(guide):
        raise Refusal(GUIDE_NOT_APPROVED, section(ctx.facility, "sample"), version=guide.version)
    if guide.published_at is None or guide.ended_at is not None:
        raise Refusal(GUIDE_NOT_PUBLISHED, cite, version=guide.version)
    if guide.displays.filter(place=place, until=None).exists():
        raise Refusal(LIES_THERE, cite, place=place)
    GuideDisplay.objects.create(guide=guide, place=place, since=ctx.now)
    return ActOutcome(GUIDE_DISPLAYED({**_guide_data(guide, "display"), "place": place}))


@office_act()
def end_guide_display(ctx: OfficeContext, *, guide: _Guide, place: Annotated[str, text(80)]) -> ActOutcome:
    """Record that the guide is no longer on display at a place. Raises Refusal(`lies-not-there`)."""
    cite = section(ctx.facility, "display")
    if not guide.displays.filter(place=place, until=None).update(until=ctx.now):
        raise Refusal(LIES_NOT_THERE, cite, place=place)
    return ActOutcome(GUIDE_DISPLAY_ENDED({**_guide_data(guide, "display"), "place": place}))


def _guide_data(guide: Guide, duty: str) -> GuideEntry:
    """Return what every entry about a guide says. `duty` names the section behind the act."""
    return {
        "version": guide.version,
        "content_sha256": guide.content_sha256,
        "facts_sha256": guide.facts_sha256,
        "section": section(guide.facility, duty),
    }
