"""The act that files a document."""

import re

from games.office.core.runner import ActOutcome, OfficeContext, office_act
from games.office.documents import filing
from games.office.documents.entry_types import DOCUMENT_FILED, DocumentFiled
from games.params import Params, malformed

SHA256 = re.compile(r"[0-9a-f]{64}")


@office_act()
def file_document(ctx: OfficeContext, params: Params) -> ActOutcome:
    """File the attachment of the request as a document.

    `sha256` is the hash that the browser computed before sending. The same bytes may be filed again under another
    title; the answer then names the first document that has them. `several`, "true": a letter about several decisions.
    """
    title, filename, sha256 = (
        params.text("title", max_length=120),
        params.text("filename", max_length=120),
        params.text("sha256", max_length=64),
    )
    if not SHA256.fullmatch(sha256):
        raise malformed("sha256")
    several = params.choice("several", ("", "false", "true"), default="") == "true"
    same = filing.first_with_bytes(ctx.facility, sha256)
    document = filing.file_upload(ctx, filing.Upload(title, filename, sha256, ctx.attachment, several))
    data: DocumentFiled = {
        "document": document.code,
        "title": title,
        "filename": filename,
        "media_type": document.media_type,
        "size": document.size,
        "sha256": sha256,
        "same_as": same.code if same else None,
    }
    if several:
        data["several"] = True
    answer = {"document": document.code, "title": title, "same_as": data["same_as"]}
    return ActOutcome(DOCUMENT_FILED(data), answer)
