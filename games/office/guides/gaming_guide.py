"""The gaming guide: drafted, its sample filed, decided, published, displayed, withdrawn."""

from typing import Annotated, TypedDict, Unpack

from audit.columns import AT, FACILITY, NONE, Body, Reading, Rows, constant, declare, plain, same
from audit.entry_types import entry_type
from games.act_forms import Text, found, text, whole
from games.engine import Refusal, RefusalCode
from games.guide.content import (
    FORMATS,
    all_in_force_by,
    approval_of,
    content_at,
    differences,
    facts_at,
    is_approved,
    section,
    sha256,
)
from games.guide.content_types import GuideContent
from games.models import Guide, GuideDisplay, Review, RulesSubmission
from games.models.patrons import GuideFormat
from games.office import reviews
from games.office.core import ActOutcome, OfficeContext, office_act
from games.office.documents import GrantOrDenial
from games.office.reviews import DECIDED, DRAFTED, FILED, NOT_A_DRAFT, WITHDRAWN
from games.params import Params


class GuideEntry(TypedDict):
    """The version of the guide that an entry is about."""

    version: Annotated[int, "version of the guide"]
    content_sha256: Annotated[str, "SHA-256 of all that its pages show"]
    facts_sha256: Annotated[str, "SHA-256 of the facts whose change needs a new approval"]
    section: str


class FormatApproval(TypedDict):
    format: Annotated[GuideFormat, "how the guide is given out"]
    reference: Annotated[str, "reference of the approval of this format; empty if it needs none"]


@entry_type("guide.drafted")
def GUIDE_DRAFTED(
    *,
    submissions: Annotated[list[str], "the rules submissions that it describes, with their versions"],
    formats: Annotated[list[FormatApproval], "how the guide is given out, and by which approvals"],
    **data: Unpack[GuideEntry],
) -> None:
    """A version of the gaming guide was drafted from the rules in force, or from those approved to come."""


@entry_type("guide.filed")
def GUIDE_FILED(*, games: Annotated[int, "how many games it describes"], **data: Unpack[GuideEntry]) -> None:
    """The sample of a gaming guide was filed."""


class GuideDecided(GuideEntry, GrantOrDenial):
    pass


GUIDE_DECIDED = entry_type(
    "guide.decided", GuideDecided, "The sample of a gaming guide was decided by letter."
)


@entry_type("guide.same_as_approved")
def GUIDE_SAME_AS_APPROVED(
    *,
    same_as: Annotated[int, "version of the approved guide whose approval covers this version"],
    because: Annotated[str, "why the change is not material, in a person's words"],
    **data: Unpack[GuideEntry],
) -> None:
    """A draft of the gaming guide was covered by the approval of another version with the same facts."""


@entry_type("guide.published")
def GUIDE_PUBLISHED(
    *,
    replaces: Annotated[int | None, "version of the guide that it replaces; null if there is none"],
    approval: Annotated[str, "reference of the letter that approved it"],
    **data: Unpack[GuideEntry],
) -> None:
    """A version of the gaming guide was published."""


@entry_type("guide.withdrawn")
def GUIDE_WITHDRAWN(
    *,
    why: Annotated[str, "the reason, in a person's words"],
    also: Annotated[list[int], "versions that ended with it, because its approval covered them"],
    **data: Unpack[GuideEntry],
) -> None:
    """A version of the gaming guide was withdrawn."""


class GuideDisplayEntry(GuideEntry):
    """The place at which a guide is displayed."""

    place: Annotated[str, "where it is displayed"]


GUIDE_DISPLAYED = entry_type(
    "guide.displayed", GuideDisplayEntry, "A gaming guide was put on display at a place."
)


GUIDE_DISPLAY_ENDED = entry_type(
    "guide.display_ended", GuideDisplayEntry, "A gaming guide is no longer displayed at a place."
)


# Refusals


APPROVAL_IS_NONE = RefusalCode(
    "approval-is-none",
    "The sample of guide version %(version)s is not approved, so it cannot cover another guide. "
    "Choose an approved guide, or file this one.",
    "No approval",
)


FORMAT_NEEDS_APPROVAL = RefusalCode(
    "format-needs-approval",
    "A guide in the format %(format)s needs an approval of the format here. Enter its reference, or "
    "leave the format out.",
    "Format not approved",
)


GUIDE_DIFFERS_MATERIALLY = RefusalCode(
    "guide-differs-materially",
    "This guide needs its own approval. It differs from the approved one in %(count)s places, first: "
    "%(first)s. File it as a new sample.",
    "Materially different",
)


GUIDE_ENDED = RefusalCode(
    "guide-ended",
    "Guide version %(version)s has ended. Draft a new one.",
    "Guide has ended",
)


GUIDE_IS_PRINTED = RefusalCode(
    "guide-is-printed",
    "Choose at least one format. Where a printed guide is required, print must be one of them.",
    "Format missing",
)


GUIDE_NOT_APPROVED = RefusalCode(
    "guide-not-approved",
    "The sample of guide version %(version)s is not approved, so it may not be given out or "
    "displayed. File it, and record the decision.",
    "Guide not approved",
)


GUIDE_NOT_DEALT = RefusalCode(
    "guide-not-dealt",
    "Guide version %(version)s does not match the rules dealt now. It differs in %(count)s places, "
    "first: %(first)s. Draft a new guide, or wait until its rules are in force.",
    "Does not match play",
)


GUIDE_NOT_PUBLISHED = RefusalCode(
    "guide-not-published",
    "Guide version %(version)s is not published. Publish it before you put it on display.",
    "Not published",
)


GUIDE_PUBLISHED_ALREADY = RefusalCode(
    "guide-published-already",
    "Guide version %(version)s is already published.",
    "Already published",
)


GUIDE_SAYS_THE_SAME = RefusalCode(
    "guide-says-the-same",
    "Guide version %(version)s already matches these rules. There is nothing new to draft.",
    "Nothing new",
)


IMMATERIAL_FORMATS = RefusalCode(
    "immaterial-formats",
    "The approval of guide version %(version)s covers fewer formats. File this guide as a sample of its own.",
    "Another format",
)


LIES_NOT_THERE = RefusalCode(
    "lies-not-there",
    "The guide is not on display at %(place)s. Reload the page.",
    "Not on display there",
)


LIES_THERE = RefusalCode("lies-there", "The guide is already on display at %(place)s.", "Already on display")


NO_RULES_TO_GUIDE = RefusalCode(
    "no-rules-to-guide",
    "No rules are in force here, so the guide would be empty. Have a submission approved first.",
    "No rules in force",
)


NO_SUCH_GUIDE = RefusalCode("no-such-guide", "There is no guide version %(version)s here.", "No such guide")


# Acts


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
    return ActOutcome(
        GUIDE_DRAFTED(
            **_guide_data(guide, "guide"),
            submissions=[code for game in content["games"] for code in game["submissions"]],
            formats=formats,
        ),
        {"version": guide.version},
    )


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
    return ActOutcome(GUIDE_FILED(**_guide_data(guide, "sample"), games=len(guide.content["games"])))


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
    return ActOutcome(
        GUIDE_SAME_AS_APPROVED(
            **_guide_data(guide, "different"), same_as=approval_of(approved).version, because=because
        )
    )


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
    return ActOutcome(
        GUIDE_PUBLISHED(
            **_guide_data(guide, "guide"),
            replaces=before.version if before else None,
            approval=approval_of(guide).reference,
        )
    )


@office_act()
def withdraw_guide(ctx: OfficeContext, *, guide: _Guide, why: Text) -> ActOutcome:
    """Withdraw a guide, and every guide that its approval covers. They can no longer be given out."""
    reviews.withdraw(ctx, guide)
    ended = [guide, *Guide.objects.filter(same_as=guide, ended_at=None).select_related("facility")]
    for ended_guide in ended:
        _end_guide(ctx, ended_guide)
    return ActOutcome(
        GUIDE_WITHDRAWN(
            **_guide_data(guide, "sample"), why=why, also=[ended_guide.version for ended_guide in ended[1:]]
        )
    )


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


def _ended_versions(body: Body) -> list[int]:
    """The guides that end with this one's publication or withdrawal."""
    data = body["data"]
    if body["_type"] == GUIDE_PUBLISHED.name:
        return [data["replaces"]] if data["replaces"] else []
    return [data["version"], *data["also"]]


def ended(rows: Rows, body: Body) -> None:
    for version in _ended_versions(body):
        rows.put(body, FACILITY(body), version, ended_at=body["at"])


declare(
    Guide,
    "guide",
    key={"facility": FACILITY, "version": "version"},
    created={
        GUIDE_DRAFTED: {
            **DRAFTED,
            **same("content_sha256", "facts_sha256", "formats"),
            "content": "content_sha256",
            "facts": "facts_sha256",
            **dict.fromkeys(("same_as", "immaterial_because", "published_at", "ended_at"), NONE),
        }
    },
    changed={
        GUIDE_FILED: FILED,
        GUIDE_DECIDED: DECIDED,
        GUIDE_SAME_AS_APPROVED: {
            "same_as": "same_as",
            "immaterial_because": "because",
            "status": constant("approved"),
        },
        GUIDE_PUBLISHED: {"published_at": AT},
        GUIDE_WITHDRAWN: WITHDRAWN,
    },
    folded={GUIDE_PUBLISHED: ended, GUIDE_WITHDRAWN: ended},
    readings={
        "content": Reading(("content",), sha256, ("content",)),
        "facts": Reading(("facts",), sha256, ("facts",)),
        "same_as": Reading(("same_as__version",), plain, ("same_as",)),
    },
)


def displayed(rows: Rows, body: Body) -> None:
    data, facility = body["data"], FACILITY(body)
    rows.memory.setdefault((facility, data["version"]), {})[data["place"]] = body["at"]
    rows.put(body, facility, data["version"], data["place"], body["at"], until=None)


def display_ended(rows: Rows, body: Body) -> None:
    data, facility = body["data"], FACILITY(body)
    since = rows.memory.get((facility, data["version"]), {}).pop(data["place"], None)
    if since is not None:
        rows.put(body, facility, data["version"], data["place"], since, until=body["at"])


def displays_ended(rows: Rows, body: Body) -> None:
    """A guide that is not in use may not be displayed."""
    for version in _ended_versions(body):
        for place, since in rows.memory.pop((FACILITY(body), version), {}).items():
            rows.put(body, FACILITY(body), version, place, since, until=body["at"])


declare(
    GuideDisplay,
    "display of guide",
    key={"facility": FACILITY, "guide": "version", "place": "place", "since": AT},
    folded={
        GUIDE_DISPLAYED: displayed,
        GUIDE_DISPLAY_ENDED: display_ended,
        GUIDE_PUBLISHED: displays_ended,
        GUIDE_WITHDRAWN: displays_ended,
    },
    folded_columns=("until",),
    readings={
        "facility": Reading(("guide__facility__code",), plain, ("guide",)),
        "guide": Reading(("guide__version",), plain, ("guide",)),
    },
)
