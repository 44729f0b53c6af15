"""What the office has to do about its guide: what patrons read, whether it is dealt, and the next step."""

import datetime as dt
from dataclasses import dataclass, field

from games.models import Facility, Guide, Review
from games.office.reviews import review_due_on

from .authorized import all_in_force_by, authorized, chapters_to_come
from .content import facts_at
from .content_types import GuideFacts
from .standing import Difference, approval_of, differences, is_approved, published

DRAFT, FILE, SAME, DECIDE, PUBLISH, NOTHING = "draft", "file", "same", "decide", "publish", "nothing"


@dataclass(frozen=True)
class Desk:
    """The state of the guide at a moment.

    `stale`: pages that patrons no longer see, because something else is dealt. `newest` is the version in
    preparation; `changes` are its differences from the guide whose approval `covers` it.
    """

    step: str
    published: Guide | None = None
    stale: list[Difference] = field(default_factory=list)
    newest: Guide | None = None
    covers: Guide | None = None
    changes: list[Difference] = field(default_factory=list)
    due: dt.date | None = None
    has_rules: bool = False
    coming: dt.datetime | None = None


def desk(facility: Facility, now: dt.datetime) -> Desk:
    """Return the state of the guide now."""
    now_facts, by = facts_at(facility, now), all_in_force_by(facility, now)
    read = published(facility)
    stale = differences(read.facts, now_facts) if read else []
    newest = _on_its_way(facility, read)
    covers = _approved(facility, newest)
    changes = differences(covers.facts, newest.facts) if covers and newest else []
    return Desk(
        step=_step(newest, covers, changes, now_facts, bool(read and not stale)),
        published=read,
        stale=stale,
        newest=newest,
        covers=covers,
        changes=changes,
        due=review_due_on(newest, facility) if newest else None,
        has_rules=bool(authorized(facility, now)),
        coming=by if by > now else None,
    )


def _on_its_way(facility: Facility, read: Guide | None) -> Guide | None:
    """Return the newest guide that could still be published, newer than the published one."""
    rows = Guide.objects.filter(facility=facility, published_at=None, ended_at=None)
    rows = rows.filter(status__in=[Review.DRAFT, Review.FILED, Review.APPROVED])
    return rows.filter(version__gt=read.version if read else 0).select_related("facility", "same_as").first()


def _approved(facility: Facility, newest: Guide | None) -> Guide | None:
    """Return the approved guide that the newest one is compared with."""
    rows = Guide.objects.filter(facility=facility, status=Review.APPROVED).select_related("same_as")
    return next((approval_of(guide) for guide in rows if guide != newest and is_approved(guide)), None)


def _step(
    newest: Guide | None,
    covers: Guide | None,
    changes: list[Difference],
    now_facts: GuideFacts,
    settled: bool,
) -> str:
    """Return the next step. An approved guide of rules that are still to come waits for its day."""
    if newest is None:
        return NOTHING if settled else DRAFT
    if newest.status == Review.FILED:
        return DECIDE
    if newest.status == Review.APPROVED:
        return PUBLISH if newest.facts == now_facts else NOTHING if settled else DRAFT
    return SAME if covers is not None and not changes else FILE


def missing_chapters(facility: Facility, codes: list[str], now: dt.datetime) -> list[str]:
    """Return the authorized games that a rules book of these codes leaves out, including those still to come (A06)."""
    return [name for code, name in chapters_to_come(facility, now).items() if code not in codes]
