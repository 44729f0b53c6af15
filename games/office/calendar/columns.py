"""What the entries state of calendar feeds and reminders."""

from audit.columns import ACTOR, AT, FACILITY, NONE, Body, Rows, declare, same
from games.models import CalendarFeed, Reminder
from games.office.calendar.entry_types import DEADLINE_NOTED, DEADLINE_REMINDED, FEED_MADE, FEED_REVOKED

declare(
    CalendarFeed,
    "feed",
    key={"id": "feed"},
    created={
        FEED_MADE: {
            "facility": FACILITY,
            **same("name"),
            "person": ACTOR,
            "created_at": AT,
            "revoked_at": NONE,
        }
    },
    changed={FEED_REVOKED: {"name": "name", "revoked_at": AT}},
    unproven={
        "token_sha256": "the hash of a secret; another one only shows the deadlines, which open nothing"
    },
)


def noted(rows: Rows, body: Body) -> None:
    data = body["data"]
    for days in data["days"]:
        key = FACILITY(body), data["deadline"], data["due_on"], days
        rows.put(body, *key, noted_at=body["at"], noted_by=body["actor"])


declare(
    Reminder,
    "reminder",
    key={"facility": FACILITY, "key": "deadline", "due_on": "due_on", "days": "days"},
    created={
        DEADLINE_REMINDED: {
            "text": lambda body: body["data"]["what"][: Reminder._meta.get_field("text").max_length],
            "said_at": AT,
            "noted_at": NONE,
            "noted_by": NONE,
        }
    },
    folded={DEADLINE_NOTED: noted},
)
