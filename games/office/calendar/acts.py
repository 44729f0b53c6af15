"""Acts on reminders, and on the secret addresses at which a calendar reads the deadlines."""

from games.engine import Refusal
from games.models import CalendarFeed, Reminder
from games.office.calendar.entry_types import DEADLINE_NOTED, FEED_MADE, FEED_REVOKED, DeadlineNoted
from games.office.calendar.refusals import FEED_OF_THAT_NAME, NO_SUCH_FEED, NO_SUCH_REMINDER
from games.office.core.runner import ActOutcome, OfficeContext, office_act
from games.office.documents.acts import SHA256
from games.params import Params, malformed


@office_act()
def note_reminder(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Acknowledge every open reminder of one deadline. Later reminders of it are still sent."""
    key, due_on = params.text("deadline", max_length=80), params.date("due_on")
    reminders = Reminder.objects.filter(facility=ctx.facility, key=key, due_on=due_on, noted_at=None)
    days = sorted(reminders.values_list("days", flat=True))
    if not days:
        raise Refusal(NO_SUCH_REMINDER)
    reminders.update(noted_at=ctx.now, noted_by=ctx.actor)
    data: DeadlineNoted = {"deadline": key, "due_on": due_on.isoformat(), "days": days}
    return ActOutcome(DEADLINE_NOTED(data), {"deadline": key})


@office_act()
def make_feed(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Open an address for one calendar. `sha256` is the hash of its secret, which is never stored."""
    name, sha256 = params.text("name", max_length=60), params.text("sha256", max_length=64)
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
def revoke_feed(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Close an address for good."""
    number = params.integer("feed", 1, 2**53 - 1)
    feed = CalendarFeed.objects.filter(facility=ctx.facility, pk=number, revoked_at=None).first()
    if feed is None:
        raise Refusal(NO_SUCH_FEED)
    feed.revoked_at = ctx.now
    feed.save(update_fields=["revoked_at"])
    return ActOutcome(FEED_REVOKED({"feed": feed.pk, "name": feed.name}), {"feed": feed.pk})
