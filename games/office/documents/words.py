"""Refusals about documents."""

from games.office.core.words import register

TITLES: dict[str, str] = {
    "document-empty": "Empty file",
    "document-too-large": "File too large",
    "document-changed-on-the-way": "File damaged",
    "document-of-no-known-type": "File not accepted",
    "document-named-otherwise": "File not accepted",
    "document-cut-off": "File damaged",
    "no-such-document": "No such document",
    "not-a-draft": "Already filed",
    "not-filed": "Not filed",
    "already-ended": "Already ended",
}
SENTENCES: dict[str, str] = {
    "document-empty": "%(name)s is empty. Choose another file.",
    "document-too-large": "%(name)s is larger than %(most)s MB. Scan it at a lower resolution.",
    "document-changed-on-the-way": "%(name)s was damaged on the way. Send it again.",
    "document-of-no-known-type": "%(name)s is not a PDF, PNG, JPEG or plain text file. Save it as a PDF and send that.",
    "document-named-otherwise": "The contents of %(name)s do not match its name. If the contents are right, rename it to end in %(ending)s.",
    "document-cut-off": "%(name)s is incomplete. Save it again and send the complete file.",
    "not-a-draft": "This is no longer a draft (%(status)s). Draft a new version to change it.",
    "not-filed": "No decision is pending here (%(status)s). File it first.",
    "already-ended": "This has already ended (%(status)s).",
    "no-such-document": "No document %(code)s is on file. Attach the file first.",
}

register(titles=TITLES, sentences=SENTENCES)
