"""A log that somebody damaged in the database: every page still answers, and says that its proof does not hold."""

import pytest

from audit import chain
from audit.models import Checkpoint, Entry
from audit.sealing import keys
from audit.sealing.sealer import Sealer
from tests.desk.test_entry import page, played, states, take, tampered

pytestmark = pytest.mark.django_db
__all__ = ["played"]

DAMAGE = {
    "a note that is none": ("UPDATE audit_checkpoint SET note = %s", "torn"),
    "a seal that cannot be read": ("UPDATE audit_seal SET body = %s WHERE number = 1", b"torn"),
    "a seal that names no head": ("UPDATE audit_seal SET body = %s WHERE number = 1", b'{"heads":[]}'),
    "a tree without its first leaf": ("UPDATE audit_seal SET number = %s WHERE number = 0", -1),
    "a root of another tree": ("UPDATE audit_checkpoint SET root = %s", bytes(32)),
}


@pytest.fixture
def sealed_twice(played, tmp_path, settings):
    """A round that the second seal of a log covers, so that its proof needs the leaf of the first."""
    settings.SEALER_DIR = str(tmp_path / "sealer")
    keys.create(keys.folder())
    sealer = Sealer(keys.folder())
    sealer.seal()
    played.play((1, "big", 3_000), dice=[6, 5, 4])
    played.finish()
    sealer.seal()
    assert Checkpoint.objects.latest("size").size == 2
    return played


def proof_panel(scene):
    answer = scene.browser("podium", "compliance").get("/floor/larkfield/T-01/rounds/2/")
    assert answer.status_code == 200
    return answer.content.decode().partition('aria-labelledby="proof"')[2].partition("</section>")[0]


def test_an_undamaged_log_holds_on_both_pages(sealed_twice):
    assert "bad" not in states(page(sealed_twice, sealed_twice.version))
    assert "failed" not in proof_panel(sealed_twice)


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_log_shows_on_the_page_of_an_entry_and_on_that_of_its_round(sealed_twice, damage):
    tampered(*DAMAGE[damage])
    answer = page(sealed_twice, sealed_twice.version)
    assert answer.status_code == 200 and "bad" in states(answer)
    assert "failed" in proof_panel(sealed_twice)


@pytest.mark.parametrize(
    "damage", ["a seal that cannot be read", "a seal that names no head", "a tree without its first leaf"]
)
def test_no_proof_is_given_of_a_log_that_lacks_it(sealed_twice, damage):
    tampered(*DAMAGE[damage])
    assert take(sealed_twice, sealed_twice.version)[1].json()["refusal"]["code"] == "proof-broken"


def test_a_round_whose_entries_were_hashed_again_does_not_match_its_seal(sealed_twice):
    newest = Entry.objects.get(stream=sealed_twice.table.stream, seq=sealed_twice.version)
    body = bytes(newest.body).replace(b'"actor":"dealer"', b'"actor":"relief"')
    assert body != bytes(newest.body)
    digest = chain.entry_hash(bytes(newest.prev), body)
    tampered("UPDATE audit_entry SET body = %s, hash = %s WHERE id = %s", body, digest, newest.pk)
    tampered("UPDATE audit_stream SET head = %s WHERE id = %s", digest, newest.stream_id)
    assert "failed" in proof_panel(sealed_twice)
