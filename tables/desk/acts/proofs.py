"""Taking the proof of an entry out of the casino: an export like any other, so the record says who took which bytes."""

import hashlib
from typing import Annotated

from audit.models import Entry
from audit.record import INSTALLATION
from audit.sealing.proofs import NotProven, proof_of
from games.act_forms import text, whole
from games.engine import Refusal
from tables.desk.entry_types import PROOF_TAKEN, ProofTaken
from tables.desk.proof_file import MAX_LINES, is_short, proof_file
from tables.desk.query import MAX_NUMBER
from tables.desk.refusals import NO_SUCH_ENTRY, NOT_SEALED_YET, PROOF_BROKEN, PROOF_TOO_LONG
from tables.desk.runner import ActOutcome, DeskContext, desk_act

MAX_PLACE = 60


@desk_act(step_up="always")
def take_proof(
    ctx: DeskContext, *, place: Annotated[str, text(MAX_PLACE)], seq: Annotated[int, whole(1, MAX_NUMBER)]
) -> ActOutcome:
    """Make the proof of one entry for download, and record its range and the SHA-256 of its bytes.

    `place` (or `installation/system`) and `seq` name the entry. Raises `no-such-entry`, `not-sealed-yet`,
    `proof-too-long` or `proof-broken`.
    """
    name = place if place == INSTALLATION else f"{ctx.facility.code}/{place}"
    entry = Entry.objects.filter(stream__name=name, seq=seq).select_related("stream").first()
    if entry is None:
        raise Refusal(NO_SUCH_ENTRY, seq=seq, place=place)
    try:
        proof = proof_of(entry, ctx.facility.code)
    except NotProven:
        raise Refusal(PROOF_BROKEN) from None
    if proof is None:
        raise Refusal(NOT_SEALED_YET, seq=seq)
    if not is_short(proof):
        raise Refusal(PROOF_TOO_LONG, most=MAX_LINES)
    file = proof_file(proof)
    digest = hashlib.sha256(file.content).hexdigest()
    data: ProofTaken = {
        "stream": name, "first": file.first, "last": file.last, "bytes": len(file.content), "sha256": digest,
    }  # fmt: skip
    return ActOutcome(PROOF_TAKEN(data), {"sha256": digest})
