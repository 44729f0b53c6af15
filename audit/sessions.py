"""Sessions: Django's own in the database, whose row is read together with the device (`identity.py`)."""

from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session


class SessionStore(db.SessionStore):
    """Django's store of a session in the database. A row that another statement has read is not read again."""

    row: Session | None = None

    def load(self) -> dict[str, Any]:
        """The data of the session; empty for a session that does not exist or is over."""
        if self.row is not None and self.row.session_key == self.session_key:
            return self.decode(self.row.session_data)
        return super().load()
