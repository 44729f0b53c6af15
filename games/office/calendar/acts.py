"""Acts on reminders, and on the secret addresses at which a calendar reads the deadlines."""

from typing import Annotated

from games.act_forms import Day, text, whole
from games.engine import Refusal
from games.models import CalendarFeed, Reminder
from games.office.calendar.entry_types import DEADLINE_NOTED, FEED_MADE, FEED_REVOKED, DeadlineNoted
from games.office.calendar.refusals import FEED_OF_THAT_NAME, NO_SUCH_FEED, NO_SUCH_REMINDER
from games.office.core.runner import ActOutcome, OfficeContext, office_act
from games.office.documents.acts import SHA256
from games.params import malformed


@office_act()
def note_reminder(ctx: OfficeContext, *, deadline: Annotated[str, text(80)], due_on: Day) -> ActOutcome:
    """Acknowledge every open reminder of one deadline. Later reminders of it are still sent."""
    reminders = Reminder.objects.filter(facility=ctx.facility, key=deadline, due_on=due_on, noted_at=None)
    days = sorted(reminders.values_list("days", flat=True))
    if not days:
        raise Refusal(NO_SUCH_REMINDER)
    reminders.update(noted_at=ctx.now, noted_by=ctx.actor)
    data: DeadlineNoted = {"deadline": deadline, "due_on": due_on.isoformat(), "days": days}
    return ActOutcome(DEADLINE_NOTED(data), {"deadline": deadline})


@office_act()
def make_feed(
    ctx: OfficeContext, *, name: Annotated[str, text(60)], sha256: Annotated[str, text(64)]
) -> ActOutcome:
    """Open an address for one calendar. `sha256` is the hash of its secret, which is never stored."""
    if not SHA256.fullmatch(sha256):
        raise malformed("sha256")
    open_ones = CalendarFeed.objects.filter(facility=ctx.facility, revoked_at=None)
    if open_ones.filter(name__iexact=name).exists():
        raise Refusal(FEED_OF_THAT_NAME, name=name)
    if CalendarFeed.objects.filter(token_sha256=sha256).exists():
        raise malformed("sha256")
    feed = CalendarFeed.objects.create(
        facility=ctx.facility, person=ctx.actor, name=name, token_sha256=sha256, created_at=ctx.now
    )
    return ActOutcome(FEED_MADE({"feed": feed.pk, "name": name}), {"feed": feed.pk})


@office_act()
def revoke_feed(ctx: OfficeContext, *, feed_id: Annotated[int, whole(1, 2**53 - 1)]) -> ActOutcome:
    """Close an address for good."""
    feed = CalendarFeed.objects.filter(facility=ctx.facility, pk=feed_id, revoked_at=None).first()
    if feed is None:
        raise Refusal(NO_SUCH_FEED)
    feed.revoked_at = ctx.now
    feed.save(update_fields=["revoked_at"])
    return ActOutcome(FEED_REVOKED({"feed": feed.pk, "name": feed.name}), {"feed": feed.pk})
