"""The act that files a document."""

import re
from typing import Annotated, Literal

from games.act_forms import text
from games.office.core.runner import ActOutcome, OfficeContext, office_act
from games.office.documents import filing
from games.office.documents.entry_types import DOCUMENT_FILED, DocumentFiled
from games.params import malformed

SHA256 = re.compile(r"[0-9a-f]{64}")


@office_act()
def file_document(
    ctx: OfficeContext,
    *,
    title: Annotated[str, text(120)],
    filename: Annotated[str, text(120)],
    sha256: Annotated[str, text(64)],
    several: Literal["", "false", "true"] = "",
) -> ActOutcome:
    """File the attachment of the request as a document.

    `sha256` is the hash that the browser computed before sending. The same bytes may be filed again under another
    title; the answer then names the first document that has them. `several`, "true": a letter about several decisions.
    """
    if not SHA256.fullmatch(sha256):
        raise malformed("sha256")
    is_about_several = several == "true"
    same = filing.first_with_bytes(ctx.facility, sha256)
    document = filing.file_upload(
        ctx, filing.Upload(title, filename, sha256, ctx.attachment, is_about_several)
    )
    data: DocumentFiled = {
        "document": document.code,
        "title": title,
        "filename": filename,
        "media_type": document.media_type,
        "size": document.size,
        "sha256": sha256,
        "same_as": same.code if same else None,
    }
    if is_about_several:
        data["several"] = True
    answer = {"document": document.code, "title": title, "same_as": data["same_as"]}
    return ActOutcome(DOCUMENT_FILED(data), answer)
