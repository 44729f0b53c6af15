"""The gaming guide: drafted from the submissions in force, its sample filed and decided, published, ended, laid out."""

from games.engine import Refusal
from games.guide.authorized import all_in_force_by
from games.guide.content import content_at, facts_at, sha256
from games.guide.sections import section
from games.guide.standing import FORMATS, FREE, approval_of, differences, is_approved
from games.models import Guide, GuideDisplay, Review, RulesSubmission
from games.office import reviews
from games.office.core.runner import ActOutcome, OfficeContext, office_act
from games.params import Params

MOST_VERSION = 2**31 - 1


@office_act()
def generate_guide(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Drafts a guide of every authorized game, in every language: of the submissions in force, or with `coming` of
    those that will be once everything approved is in force, so that its sample can be decided in time.

    `formats` says how it is given out, `reference` under which approval where a format needs one. Raises
    `no-rules-to-guide`, `guide-is-printed`, `format-needs-approval`, `guide-says-the-same`.
    """
    formats = _formats(ctx, params)
    of = all_in_force_by(ctx.facility, ctx.now) if params.yes("coming") else ctx.now
    content, facts = content_at(ctx.facility, of), facts_at(ctx.facility, of)
    if not content["games"]:
        raise Refusal("no-rules-to-guide", section(ctx.facility, "guide"))
    newest = Guide.objects.filter(facility=ctx.facility).first()
    if newest and _is_alive(newest) and _says_the_same(newest, content, facts, formats):
        raise Refusal("guide-says-the-same", section(ctx.facility, "guide"), version=newest.version)
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
    guide.submissions.set(_submissions(ctx, content))
    data = _said(guide) | {
        "submissions": [code for game in content["games"] for code in game["submissions"]],
        "formats": formats,
        "section": section(ctx.facility, "guide"),
    }
    return ActOutcome("guide.drafted", data, {"version": guide.version})


def _formats(ctx: OfficeContext, params: Params) -> list[dict[str, str]]:
    """How the guide is given out, with the reference of each format that needs an approval of its own."""
    said = params.texts("formats")
    asked = [one for one in FORMATS if one in said]
    reference = params.text("reference", default="", most=60)
    free = FREE[ctx.facility.jurisdiction]
    if not asked or (ctx.facility.jurisdiction == "PA" and "print" not in asked):
        raise Refusal("guide-is-printed", section(ctx.facility, "guide"))
    for one in asked:
        if one not in free and not reference:
            raise Refusal("format-needs-approval", section(ctx.facility, "format"), format=one)
    return [{"format": one, "reference": "" if one in free else reference} for one in asked]


def _submissions(ctx: OfficeContext, content: dict[str, list[dict[str, list[str]]]]) -> list[RulesSubmission]:
    named = {code for game in content["games"] for code in game["submissions"]}
    rows = RulesSubmission.objects.filter(facility=ctx.facility)
    return [one for one in rows if str(one) in named]


def _says_the_same(guide: Guide, content: object, facts: object, formats: list[dict[str, str]]) -> bool:
    """Whether a guide shows these pages in these formats, of these facts."""
    said = guide.content_sha256, guide.facts_sha256, guide.formats
    return said == (sha256(content), sha256(facts), formats)


def _is_alive(guide: Guide) -> bool:
    return guide.status in (Review.DRAFT, Review.FILED, Review.APPROVED) and guide.ended_at is None


@office_act()
def file_guide_sample(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Files the complete guide as the sample, every page of it whatever has changed (NJ 8.5(d))."""
    guide = _asked(ctx, params)
    reviews.file(ctx, guide)
    data = _said(guide) | {"section": section(ctx.facility, "sample"), "games": len(guide.content["games"])}
    return ActOutcome("guide.filed", data)


@office_act()
def decide_guide(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Records the body's decision on a sample, with its letter."""
    guide = _asked(ctx, params)
    data = _said(guide) | {"section": section(ctx.facility, "sample"), **reviews.decide(ctx, guide, params)}
    return ActOutcome("guide.decided", data)


@office_act()
def approve_as_immaterial(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Takes a draft under the approval of another guide, because it says the same facts in other words or form; the
    reason is recorded. Raises `not-a-draft`, `approval-is-none`, `guide-differs-materially`, `immaterial-formats`.
    """
    guide, because = _asked(ctx, params), params.text("because")
    other = _numbered(ctx, params.whole("approved", 1, MOST_VERSION))
    if guide.status != Review.DRAFT:
        raise Refusal("not-a-draft", status=guide.get_status_display())
    if not is_approved(other):
        raise Refusal("approval-is-none", section(ctx.facility, "sample"), version=other.version)
    found = differences(approval_of(other).facts, guide.facts)
    if found or other.facts_sha256 != guide.facts_sha256:
        raise Refusal(
            "guide-differs-materially",
            section(ctx.facility, "different"),
            first=str(found[0]) if found else "facts",
            count=len(found),
        )
    if {one["format"] for one in guide.formats} - {one["format"] for one in other.formats}:
        raise Refusal("immaterial-formats", section(ctx.facility, "format"), version=other.version)
    guide.same_as, guide.immaterial_because, guide.status = approval_of(other), because, Review.APPROVED
    guide.save(update_fields=["same_as", "immaterial_because", "status"])
    data = _said(guide) | {
        "same_as": approval_of(other).version,
        "because": because,
        "section": section(ctx.facility, "different"),
    }
    return ActOutcome("guide.same_as_approved", data)


@office_act()
def publish_guide(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Gives an approved guide out from now on, and ends the one before. Raises `guide-not-approved`,
    `guide-ended`, `guide-published-already`, `guide-not-dealt`.
    """
    guide = _asked(ctx, params)
    if not is_approved(guide):
        raise Refusal("guide-not-approved", section(ctx.facility, "sample"), version=guide.version)
    if guide.ended_at is not None:
        raise Refusal("guide-ended", section(ctx.facility, "sample"), version=guide.version)
    if guide.published_at is not None:
        raise Refusal("guide-published-already", section(ctx.facility, "sample"), version=guide.version)
    found = differences(guide.facts, facts_at(ctx.facility, ctx.now))
    if found:
        cite = section(ctx.facility, "different")
        raise Refusal("guide-not-dealt", cite, version=guide.version, first=str(found[0]), count=len(found))
    before = Guide.objects.filter(facility=ctx.facility, published_at__isnull=False, ended_at=None).first()
    if before is not None:
        _end(ctx, before)
    guide.published_at = ctx.now
    guide.save(update_fields=["published_at"])
    data = _said(guide) | {
        "replaces": before and before.version,
        "approval": approval_of(guide).reference,
        "section": section(ctx.facility, "guide"),
    }
    return ActOutcome("guide.published", data)


@office_act()
def withdraw_guide(ctx: OfficeContext, params: Params) -> ActOutcome:
    """A guide is given out no more, and can be published no more; so is each one that stood on its approval."""
    guide, why = _asked(ctx, params), params.text("why")
    reviews.withdraw(ctx, guide)
    ended = [guide, *Guide.objects.filter(same_as=guide, ended_at=None).select_related("facility")]
    for one in ended:
        _end(ctx, one)
    data = _said(guide) | {
        "why": why,
        "also": [one.version for one in ended[1:]],
        "section": section(ctx.facility, "sample"),
    }
    return ActOutcome("guide.withdrawn", data)


def _end(ctx: OfficeContext, guide: Guide) -> None:
    """Ends a guide, and with it every place where it lies: what is not in use may not lie out."""
    guide.ended_at = ctx.now
    guide.save(update_fields=["ended_at"])
    guide.displays.filter(until=None).update(until=ctx.now)


@office_act()
def record_guide_display(ctx: OfficeContext, params: Params) -> ActOutcome:
    """The published guide lies out at a place. Raises `guide-not-approved`, `guide-not-published`, `lies-there`."""
    guide, place = _asked(ctx, params), params.text("place", most=80)
    cite = section(ctx.facility, "display")
    if not is_approved(guide):
        raise Refusal("guide-not-approved", section(ctx.facility, "sample"), version=guide.version)
    if guide.published_at is None or guide.ended_at is not None:
        raise Refusal("guide-not-published", cite, version=guide.version)
    if guide.displays.filter(place=place, until=None).exists():
        raise Refusal("lies-there", cite, place=place)
    GuideDisplay.objects.create(guide=guide, place=place, since=ctx.now)
    return ActOutcome("guide.displayed", _said(guide) | {"place": place, "section": cite})


@office_act()
def end_guide_display(ctx: OfficeContext, params: Params) -> ActOutcome:
    """The guide lies at this place no more. Raises `lies-not-there`."""
    guide, place = _asked(ctx, params), params.text("place", most=80)
    cite = section(ctx.facility, "display")
    if not guide.displays.filter(place=place, until=None).update(until=ctx.now):
        raise Refusal("lies-not-there", cite, place=place)
    return ActOutcome("guide.display_ended", _said(guide) | {"place": place, "section": cite})


def _asked(ctx: OfficeContext, params: Params) -> Guide:
    return _numbered(ctx, params.whole("guide", 1, MOST_VERSION))


def _numbered(ctx: OfficeContext, version: int) -> Guide:
    found = (
        Guide.objects.filter(facility=ctx.facility, version=version)
        .select_related("same_as", "facility")
        .first()
    )
    if found is None:
        raise Refusal("no-such-guide", section(ctx.facility, "guide"), version=version)
    return found


def _said(guide: Guide) -> dict[str, object]:
    """A guide as every entry about it names it."""
    return {
        "version": guide.version,
        "content_sha256": guide.content_sha256,
        "facts_sha256": guide.facts_sha256,
    }
