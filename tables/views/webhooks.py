"""The page *Webhooks*: which addresses outside are told of new entries, and how each message arrived or failed."""

import datetime as dt
from dataclasses import dataclass

from django.db.models import Max, OuterRef, Q, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from audit import clock
from audit.identity import Denied
from audit.models import Person
from games.access import opened_by
from games.kit.searches import Search, Words
from games.models import Facility
from games.separation import policy
from tables.models import Webhook, WebhookKey, WebhookMessage
from tables.runner.access import DEVICES, FACILITY_PAGES, PEOPLE
from tables.views.facility import page_context
from tables.views.people import State, waiting_changes
from tables.webhooks import STOPPERS, SUBJECT, Trial, send_test

MESSAGES_SHOWN = 50
DELIVERED_SHOWN = 5
Status = WebhookMessage.Status


@dataclass(frozen=True)
class WebhookRow:
    """A webhook in the list: its state, when a message last arrived, and the one that waits after a failure."""

    webhook: Webhook
    state: State
    arrived_at: dt.datetime | None
    failing: WebhookMessage | None


@dataclass(frozen=True)
class Deliveries:
    """What the webhooks of a facility send: which message does not arrive, by webhook, and what arrived of late.

    `arrived`: the newest of the `count` messages that are kept, which are those of a day.
    """

    webhooks: list[WebhookRow]
    arrived: list[WebhookMessage]
    count: int

    @property
    def waiting(self) -> list[WebhookRow]:
        """The webhooks whose message waits for its next try, or was given up."""
        return [row for row in self.webhooks if row.failing is not None]


class WebhookSearch(Search):
    """The webhook that is shown in full."""

    webhook = Words(max_length=20)


@require_http_methods(["GET", "POST"])
@opened_by(FACILITY_PAGES[DEVICES])
def webhooks(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """List the webhooks of the facility, and the newest messages and the keys of one of them.

    POST sends that one a message for a test, and shows what became of it. Raises `Denied` for who prepares no webhooks.
    """
    row_of_policy = policy.row_of(facility.law, SUBJECT)
    prepares = policy.may_prepare(row_of_policy, person)
    code = WebhookSearch(request.GET).values["webhook"]
    is_test = request.method == "POST"
    if is_test and not prepares:
        raise Denied
    trial = _test(facility, code) if is_test else None
    now = clock.now()
    rows = webhook_rows(facility)
    selected = next((row for row in rows if row.webhook.code == code), None)
    context = page_context(person, facility, PEOPLE, now) | {
        "tab": "webhooks",
        "rows": rows,
        "active": sum(row.webhook.ended_at is None for row in rows),
        "selected": selected,
        "messages": list(selected.webhook.messages.order_by("-pk")[:MESSAGES_SHOWN]) if selected else [],
        "keys": signing_keys(selected.webhook, now) if selected else [],
        "changes": waiting_changes(facility, person, SUBJECT, now),
        "prepares": prepares,
        "trial": trial,
        "nothing_tested": is_test and trial is None,
        "ends": person.role in STOPPERS,
        "policy": {
            "prepare": policy.in_words(row_of_policy.prepare),
            "approve": policy.in_words(row_of_policy.approve),
        },
    }
    status = 422 if context["nothing_tested"] else 200
    return render(request, "tables/people/webhooks.html", context, status=status)


def _test(facility: Facility, code: str) -> Trial | None:
    """Send the webhook of this code a message for a test; None where there is none, or it has ended."""
    rows = Webhook.objects.select_related("facility")
    webhook = rows.filter(facility=facility, code=code, ended_at=None).first()
    return None if webhook is None else send_test(webhook)


def webhook_rows(facility: Facility) -> list[WebhookRow]:
    """Every webhook of the facility: those that need somebody first, ended ones last."""
    webhooks = Webhook.objects.filter(facility=facility).annotate(arrived_at=Max("messages__done_at"))
    newest = WebhookMessage.objects.filter(webhook=OuterRef("webhook")).order_by("-pk").values("pk")[:1]
    failing = {
        message.webhook_id: message
        for message in WebhookMessage.objects.filter(
            ~Q(error=""),
            pk=Subquery(newest),  # an earlier failure is over
            webhook__facility=facility,
            status__in=(Status.DUE, Status.WRITING, Status.FAILED),
        )
    }
    rows = [
        WebhookRow(
            webhook, _state(webhook, failing.get(webhook.pk)), webhook.arrived_at, failing.get(webhook.pk)
        )
        for webhook in webhooks
    ]
    return sorted(
        rows,
        key=lambda row: (row.webhook.ended_at is not None, not row.state.needs_somebody, row.webhook.code),
    )


def deliveries_of(facility: Facility) -> Deliveries | None:
    """The deliveries of the webhooks that have not ended; None without one."""
    rows = [row for row in webhook_rows(facility) if row.webhook.ended_at is None]
    if not rows:
        return None
    webhooks = [row.webhook for row in rows]
    arrived = WebhookMessage.objects.filter(webhook__in=webhooks, status=Status.DONE).select_related(
        "webhook"
    )
    return Deliveries(rows, list(arrived.order_by("-done_at", "-pk")[:DELIVERED_SHOWN]), arrived.count())


def _state(webhook: Webhook, failing: WebhookMessage | None) -> State:
    if webhook.ended_at is not None:
        by = "" if webhook.ended_by_id else " by its receiver"
        return State("off", f"Ended{by}", needs_somebody=False)
    if webhook.stopped_at is not None:
        return State("stop", "Stopped: replay it")
    if failing is not None and failing.status != Status.FAILED:
        return State("warn", "Does not arrive")
    return State("ok", "Sends", needs_somebody=False)


def signing_keys(webhook: Webhook, now: dt.datetime) -> list[WebhookKey]:
    """The keys that sign the messages of a webhook now, newest first."""
    return list(webhook.keys.filter(Q(ends_at=None) | Q(ends_at__gt=now)).order_by("-number"))
