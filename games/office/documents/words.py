"""Refusals about documents."""

from games.office.core.words import register

TITLES: dict[str, str] = {
    "document-empty": "Empty file",
    "document-too-large": "File too large",
    "document-changed-on-the-way": "File damaged",
    "document-of-no-known-type": "File not taken",
    "document-named-otherwise": "File not taken",
    "document-cut-off": "File damaged",
    "no-such-document": "No such document",
    "not-a-draft": "Filed already",
    "not-filed": "Not filed",
    "already-ended": "Ended already",
}
SENTENCES: dict[str, str] = {
    "document-empty": "%(name)s holds nothing. Choose another file.",
    "document-too-large": "%(name)s is larger than %(most)s MB. Scan it at a lower resolution.",
    "document-changed-on-the-way": "%(name)s did not arrive as it was sent. Send it again.",
    "document-of-no-known-type": "%(name)s is no PDF, PNG or JPEG, and no plain text. Save it as a PDF and send that.",
    "document-named-otherwise": "What %(name)s holds does not match its name. If it really is such a file, name it %(ending)s.",
    "document-cut-off": "%(name)s ends in the middle. Save it again and send the whole file.",
    "not-a-draft": "This is no draft any more (%(status)s). Draft a new version to change it.",
    "not-filed": "Nothing waits for a decision here (%(status)s). File it first.",
    "already-ended": "This has ended already (%(status)s).",
    "no-such-document": "There is no document %(code)s on file. Attach the file first.",
}

register(titles=TITLES, sentences=SENTENCES)
