"""Refusals about documents, each with its sentence."""

from games.engine.refusals import RefusalCode

DOCUMENT_EMPTY = RefusalCode("document-empty", "%(name)s is empty. Choose another file.", "Empty file")
DOCUMENT_TOO_LARGE = RefusalCode(
    "document-too-large",
    "%(name)s is larger than %(most)s MB. Scan it at a lower resolution.",
    "File too large",
)
DOCUMENT_CHANGED_ON_THE_WAY = RefusalCode(
    "document-changed-on-the-way",
    "%(name)s was damaged on the way. Send it again.",
    "File damaged",
)
DOCUMENT_OF_NO_KNOWN_TYPE = RefusalCode(
    "document-of-no-known-type",
    "%(name)s is not a PDF, PNG, JPEG or plain text file. Save it as a PDF and send that.",
    "File not accepted",
)
DOCUMENT_NAMED_OTHERWISE = RefusalCode(
    "document-named-otherwise",
    "The contents of %(name)s do not match its name. If the contents are right, rename it to end in "
    "%(ending)s.",
    "File not accepted",
)
DOCUMENT_CUT_OFF = RefusalCode(
    "document-cut-off",
    "%(name)s is incomplete. Save it again and send the complete file.",
    "File damaged",
)
NO_SUCH_DOCUMENT = RefusalCode(
    "no-such-document",
    "No document %(code)s is on file. Attach the file first.",
    "No such document",
)
LETTER_UNREADABLE = RefusalCode(
    "letter-unreadable",
    "%(document)s (%(name)s) is no letter: nothing can be read in it. Attach the letter as a PDF with its pages, a "
    "scan of at least 200 by 200 pixels, or a text.",
    "Not a letter",
)
LETTER_USED = RefusalCode(
    "letter-used",
    "The same file is already the letter of %(use)s (%(document)s). Attach the letter that says this decision. If one "
    "letter says both, file it under Documents as a letter about several decisions.",
    "Letter of something else",
)
