"""A thief with all rights in the database, who is faster than the sealer: what an outsider sees by himself.

The entries are false before anything is sealed, and every hash, seal, signature and cosignature over them is right. So
neither the chain nor the seals nor a witness can know. Only the rules do.
"""

import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from audit import chain, export, verify
from audit.exporting import bundle
from audit.models import Entry, Stream
from audit.sealing import keys
from audit.sealing.sealer import Sealer
from tests.tables.cast import Scene, make_scene

from .gone_back import as_superuser
from .outsider import bad, check

pytestmark = pytest.mark.django_db
Change = Callable[[dict[str, Any]], None]


@pytest.fixture
def verifier_scene(tmp_path, settings):
    """A table with a round in which total 8 won $40 for $5, and a sealer that has not sealed it yet."""
    settings.SEALER_DIR = str(tmp_path / "sealer")
    scene = make_scene("pa-625a/A")
    scene.play((1, "total:8", 500), (2, "big", 2_000), dice=[1, 3, 4])
    scene.finish()
    keys.create(keys.folder())
    return scene


def verifier_rewrite(scene: Scene, changes: dict[str, Change]) -> int:
    """Change entries of the table by their type, and hash its chain again. Returns the first changed number."""
    stream, first = scene.table.stream, 0
    entries = Entry.objects.filter(stream=stream).order_by("seq")
    prev = chain.genesis(stream.name)
    with as_superuser():
        for entry in entries:
            body = json.loads(bytes(entry.body))
            if entry.type in changes:
                changes[entry.type](body["data"])
                first = first or entry.seq
            content = chain.canonical(body)
            digest = chain.entry_hash(prev, content)
            Entry.objects.filter(pk=entry.pk).update(prev=prev, hash=digest, body=content)
            prev = digest
        Stream.objects.filter(pk=stream.pk).update(head=prev)
    return first


def verifier_bundle() -> bytes:
    """The sealed record for an outsider. The sealer notices nothing."""
    Sealer(keys.folder()).seal()
    out = io.BytesIO()
    bundle.write(out, export.select())
    return out.getvalue()


def verifier_pay_more(data: dict[str, Any]) -> None:
    """Pay the winner 180 to 1, with sums that agree."""
    for line in data.get("settled", ()):
        if line["outcome"] == "win":
            line.update(pays="180 to 1", paid_cents=90_000)
    data["paid_cents"] = 90_000


def test_a_winner_paid_at_180_to_1_before_the_seal(verifier_scene):
    """The thief pays a friend $900 for $5, and changes each entry about it. Stopped: the outsider's copy of verify.py
    settles the round by the terms of the file. Told: whoever checks any bundle of that day.
    """
    assert "settled again by their terms: 1 rounds" in "\n".join(check(verifier_bundle()))
    changed = dict.fromkeys(("round.settled", "winners.paid", "layout.cleared"), verifier_pay_more)
    seq = verifier_rewrite(verifier_scene, changed)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            verify, "TABLE_TYPES", frozenset()
        )  # a checker of hashes and sums alone finds nothing
        unsealed = b"".join(export.lines(export.select()))
        assert verify.verify(io.BytesIO(unsealed))
    assert (
        f"larkfield/T-01 seq {seq}: it settles seat 1's total:8: 500 cents win 90000 at 180 to 1; its terms give"
        in bad(unsealed)
    )


def test_5000_dollars_more_on_a_cleared_layout(verifier_scene):
    """The thief books $5,000 as paid out when the layout is cleared, to explain a tray that is short."""
    seq = verifier_rewrite(
        verifier_scene, {"layout.cleared": lambda data: data.update(paid_cents=data["paid_cents"] + 500_000)}
    )
    said = bad(verifier_bundle())
    assert said == (
        f"record.jsonl: line {line_of(seq)}: larkfield/T-01 seq {seq}: its paid_cents is 504000, and the entries and"
        " terms give 4000"
    )


def line_of(seq: int) -> int:
    """The line of an entry of the table: after the first line, and the streams before it."""
    before = Stream.objects.filter(name__lt="larkfield/T-01").values_list("seq", flat=True)
    return 1 + sum(before) + seq
