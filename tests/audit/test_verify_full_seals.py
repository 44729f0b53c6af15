"""The checker: a full seal leaves nothing out, and keys.txt stands in its order."""

import json

import pytest

from audit import chain

from .outsider import bad, check, packed
from .sealed import SECOND, House, bundled, files_of
from .test_verify_bundle import sealed_again

pytestmark = pytest.mark.django_db


@pytest.fixture
def house(tmp_path, write):
    """Two tables, one entry each, and a seal behind each."""
    house = House(tmp_path / "sealer", write)
    for number, name in enumerate(("larkfield/T-04", "larkfield/T-05")):
        house.act(number * SECOND, name)
        house.seal(number * SECOND + SECOND / 2)
    return house


@pytest.fixture
def files(house):
    return files_of(bundled("larkfield/T-04", "larkfield/T-05"))


def with_a_full_seal_of(files, house, *names):
    """One more seal that is full and lists the heads of these streams, signed by the log's own key."""

    def more(seals):
        heads = {one["stream"]: one for seal in seals for one in seal["heads"]}
        listed = [heads[name] for name in sorted(heads) if name in names or name.startswith("installation/")]
        return [*seals, {**seals[-1], "full": True, "heads": listed, "number": len(seals)}]

    again = sealed_again(files, house, more)
    said = json.loads(files["manifest.json"]) | {"size": again["seals.jsonl"].count(b"\n") - 1}
    return packed({**again, "manifest.json": chain.canonical(said) + b"\n"})


def test_a_full_seal_lists_every_stream_that_was_listed_before(files, house):
    check(with_a_full_seal_of(files, house, "larkfield/T-04", "larkfield/T-05"), "--vkey", house.vkey)
    for listed in (["larkfield/T-04"], ["larkfield/T-05"], []):
        assert "is full but leaves out a stream" in bad(with_a_full_seal_of(files, house, *listed))


def test_keys_are_in_order_and_their_last_line_is_complete(files, house):
    line = files["keys.txt"]
    witness = b"witness " + house.vkey.encode() + b"\n"
    earlier = line.replace(b"created 2026", b"created 2025")
    for wrong in (line + earlier, line[:-1], witness + line):
        assert bad(packed({**files, "keys.txt": wrong})).startswith("keys.txt: ")
    assert "not in order" in bad(packed({**files, "keys.txt": line + earlier}))
    assert "cut off" in bad(packed({**files, "keys.txt": line[:-1]}))


def test_the_stated_keys_have_signed_the_checkpoint_whatever_key_the_reader_has(files, house):
    check(packed(files), "--vkey", house.vkey)
    reason = bad(packed({**files, "keys.txt": b""}), "--vkey", house.vkey)
    assert reason.startswith("keys.txt: it states no key of the log that signed the checkpoint")
