"""Who held the posts of a table at a point of its record, from the entries that say who took and left them."""

from typing import Any

from audit.models import Entry
from games.engine.game import PostCode
from tables.core.entries import COLUMNS, MISSHAPEN, RecordedEntry, read
from tables.staffing.entry_types import DEALER_BEGAN, DEALER_LEFT, DEALER_RELIEVED

POST_TYPES = (DEALER_BEGAN.name, DEALER_LEFT.name, DEALER_RELIEVED.name)
ONLY_POST: PostCode = "dealer"  # of a table whose entries name no post
BATCH = 100


class PostHolders:
    """The people at the posts of one table, followed through its record. `advance` moves forward only."""

    def __init__(self, stream_id: int, posts: tuple[PostCode, ...], before: int) -> None:
        """Start before the entry with this number."""
        self._stream_id, self._posts, self._seq = stream_id, posts, before - 1
        self._holders: dict[str, str] = {}
        for changes in self._changes_backward(before):
            for post, person in changes.items():
                self._holders.setdefault(post, person)
            if self._holders.keys() >= set(posts):
                break

    def advance(self, seq: int) -> tuple[str, ...]:
        """Return the codes of the people who held posts when this entry was written, in the order of the posts."""
        if seq > self._seq:
            rows = self._rows().filter(seq__gt=self._seq, seq__lte=seq).order_by("seq")
            for row in rows.values_list(*COLUMNS):
                self._holders |= post_changes(read(row))
            self._seq = seq
        codes = (self._holders.get(post, "") for post in self._posts)
        return tuple(dict.fromkeys(code for code in codes if code))

    @property
    def by_post(self) -> dict[str, str]:
        """The code of the person at each post: "" for a post that was left empty."""
        return dict(self._holders)

    def _rows(self) -> Any:
        return Entry.objects.filter(stream=self._stream_id, type__in=POST_TYPES)

    def _changes_backward(self, before: int) -> Any:
        while True:
            rows = list(self._rows().filter(seq__lt=before).order_by("-seq").values_list(*COLUMNS)[:BATCH])
            for row in rows:
                yield post_changes(read(row))
            if len(rows) < BATCH:
                return
            before = rows[-1][0]


def post_changes(entry: RecordedEntry) -> dict[str, str]:
    """Return who holds which posts after this entry: "" for a post that was left empty."""
    data = entry.data
    try:
        post, person = str(data.get("post") or ONLY_POST), str(data["dealer"])
        if entry.type == DEALER_LEFT.name:
            return {post: ""}
        post_left = data.get("leaves_post")
        return {**({str(post_left): str(data.get("follows") or "")} if post_left else {}), post: person}
    except MISSHAPEN:
        return {}
