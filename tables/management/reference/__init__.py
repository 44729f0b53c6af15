"""The reference: pages that are made from declarations in the code, in Markdown (`manage.py reference`).

`acts` has every act with what a program may send, `entries` every entry type with its fields, `snapshot` every field
that a screen gets. The pages are printed and not kept, so that they are never older than the program.
"""

from collections.abc import Callable

from tables.management.reference import acts, entries, snapshot

PAGES: dict[str, Callable[[], str]] = {
    "acts": acts.page,
    "entries": entries.page,
    "snapshot": snapshot.page,
}
