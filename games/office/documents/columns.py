"""What the entries state of documents: their bytes, by the SHA-256 that the browser sent with them."""

from audit.columns import ACTOR, AT, FACILITY, declare, hashed, same
from games.models import Document
from games.office.documents.entry_types import DOCUMENT_FILED

declare(
    Document,
    "document",
    key={"facility": FACILITY, "code": "document"},
    created={
        DOCUMENT_FILED: {
            **same("title", "filename", "media_type", "size", "sha256"),
            "content": "sha256",
            "is_about_several": lambda body: body["data"].get("several", False),
            "filed_at": AT,
            "filed_by": ACTOR,
        }
    },
    readings={"content": hashed("content")},
)
