"""Sentences about documents on file; merged into `games.office.wording`."""

from typing import Any

from django.utils.translation import gettext_lazy as lazy

TITLES: dict[str, Any] = {
    "document-empty": lazy("Empty file"),
    "document-too-large": lazy("File too large"),
    "document-changed-on-the-way": lazy("File damaged"),
    "document-of-no-known-type": lazy("File not taken"),
    "document-named-otherwise": lazy("File not taken"),
    "document-cut-off": lazy("File damaged"),
    "no-such-document": lazy("No such document"),
    "not-a-draft": lazy("Filed already"),
    "not-filed": lazy("Not filed"),
    "already-ended": lazy("Ended already"),
}
SENTENCES: dict[str, Any] = {
    "document-empty": lazy("%(name)s holds nothing. Choose another file."),
    "document-too-large": lazy("%(name)s is larger than %(most)s MB. Scan it at a lower resolution."),
    "document-changed-on-the-way": lazy("%(name)s did not arrive as it was sent. Send it again."),
    "document-of-no-known-type": lazy(
        "%(name)s is no PDF, PNG or JPEG, and no plain text. Save it as a PDF and send that."
    ),
    "document-named-otherwise": lazy(
        "What %(name)s holds does not match its name. If it really is such a file, name it %(ending)s."
    ),
    "document-cut-off": lazy("%(name)s ends in the middle. Save it again and send the whole file."),
    "not-a-draft": lazy("This is no draft any more (%(status)s). Draft a new version to change it."),
    "not-filed": lazy("Nothing waits for a decision here (%(status)s). File it first."),
    "already-ended": lazy("This has ended already (%(status)s)."),
    "no-such-document": lazy("There is no document %(code)s on file. Attach the file first."),
}
