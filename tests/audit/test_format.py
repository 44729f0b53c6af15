"""The worked examples of FORMAT.md are what the program writes."""

import base64
import datetime as dt
import hashlib
import io
import json
from pathlib import Path

import pytest

from audit import clock, export
from audit.exporting import bundle
from audit.models import Entry
from audit.sealing import keys
from games.adjudication import adjudicate

from .conftest import MOMENT
from .sealed import SECOND, WITNESS, House, files_of, proof_of
from .test_export import SETTLED, check

PAGE = Path(export.__file__).with_name("FORMAT.md")


def shown(name: str) -> bytes:
    """The block of the page that shows a file."""
    return PAGE.read_bytes().partition(f"`{name}`:\n\n```text\n".encode())[2].partition(b"```")[0]


@pytest.mark.django_db
def test_the_worked_example_is_regenerated_to_the_byte(write, dealer, settings):
    settings.BUILD = "1.0.0"
    write(type="round.opened", data={"round": 1}, actor=dealer)
    write(type="round.settled", data=SETTLED, actor=dealer, moment=MOMENT + dt.timedelta(seconds=40))
    with clock.override(MOMENT + dt.timedelta(minutes=1)):
        written = b"".join(export.lines(export.select(["larkfield/T-04"])))
    check(written)
    shown = PAGE.read_text().partition("```jsonl\n")[2].partition("```")[0]
    assert shown == written.decode()


def test_the_worked_example_follows_the_page_alone():
    """A second verifier in a dozen lines, by the page's formulas and offsets."""
    data = PAGE.read_bytes().partition(b"```jsonl\n")[2].partition(b"```")[0]
    lines = data.splitlines()
    head = hashlib.sha256(b"pitside/stream/v1\nlarkfield/T-04").digest()
    for number, line in enumerate(lines):
        said, prev, body = line[9:73], line[83:147], line[156:-1]
        digest = hashlib.sha256(b"pitside/entry/v1\n" + bytes.fromhex(prev.decode()) + body)
        assert digest.hexdigest() == said.decode()
        if 0 < number < len(lines) - 1:
            assert prev.decode() == head.hex()
            head = digest.digest()
    before = data[: len(data) - len(lines[-1]) - 1]
    assert lines[-1][83:147].decode() == hashlib.sha256(before).hexdigest()
    assert json.loads(lines[-1])["body"]["streams"][0]["head"] == head.hex()


def test_the_worked_settlement_matches_the_engine():
    data = json.loads(PAGE.read_bytes().partition(b"```jsonl\n")[2].splitlines()[2][156:-1])["data"]
    wagers = [{key: wager[key] for key in ("seat", "wager", "cents")} for wager in reversed(data["settled"])]
    asked = {"id": "x", "rules": "pa-625a/B", "throws": [data["dice"]], "wagers": wagers}
    said = adjudicate(json.dumps(asked).encode())
    assert [said["wagers"][place] for place in said["order"]] == data["settled"]


@pytest.fixture
def sealed_example(tmp_path, write, dealer, settings, monkeypatch):
    """The files of the bundle of the worked example: three entries, of which the export has two, and three seals."""
    settings.BUILD, settings.LOG_ORIGIN = "1.0.0", "larkfield.example/record"
    settings.WITNESSES = f"https://witness.example {WITNESS.verifier.vkey}"
    monkeypatch.setattr(keys.secrets, "token_bytes", lambda count: bytes(range(32, 32 + count)))
    house = House(tmp_path / "sealer", write, keyed_before=SECOND)
    house.act(0 * SECOND, type="round.opened", data={"round": 1}, actor=dealer)
    house.seal(SECOND)
    house.act(40 * SECOND, type="round.settled", data=SETTLED, actor=dealer)
    house.seal(41 * SECOND)
    selection = export.select(["larkfield/T-04"])
    house.act(50 * SECOND, type="round.opened", data={"round": 2}, actor=dealer)
    house.cosign(house.seal(51 * SECOND), time=1_795_266_400)
    out = io.BytesIO()
    with clock.override(MOMENT + 60 * SECOND):
        bundle.write(out, selection)
    first = Entry.objects.get(stream__name="larkfield/T-04", seq=1)
    files = {**files_of(out.getvalue()), "proof of the first entry": proof_of(first)}
    manifest = json.loads(files["manifest.json"])
    manifest["files"] = []
    files["manifest.json, its `files` left out"] = (
        json.dumps(manifest, separators=(",", ":")).encode() + b"\n"
    )
    return files


SHOWN = (
    "beyond.jsonl", "seals.jsonl", "checkpoint.txt", "keys.txt", "manifest.json, its `files` left out",
    "proof of the first entry",
)  # fmt: skip


@pytest.mark.django_db
def test_the_worked_bundle_is_regenerated_to_the_byte(sealed_example):
    assert (
        sealed_example["record.jsonl"] == PAGE.read_bytes().partition(b"```jsonl\n")[2].partition(b"```")[0]
    )
    for name in SHOWN:
        assert shown(name) == sealed_example[name], name


def test_the_seals_of_the_worked_example_follow_the_page_alone():
    """Leaves, root, and the heads that they list, by the page's formulas."""
    opening, *bodies = shown("seals.jsonl").splitlines()
    leaves = [hashlib.sha256(b"\0" + body).digest() for body in bodies]
    left = hashlib.sha256(b"\1" + leaves[0] + leaves[1]).digest()
    root = hashlib.sha256(b"\1" + left + leaves[2]).digest()
    origin, size, said = shown("checkpoint.txt").decode().split("\n")[:3]
    assert (origin, size) == (json.loads(opening)["origin"], "3")
    assert base64.b64decode(said) == root
    beyond = shown("beyond.jsonl")
    listed = [
        head for body in bodies for head in json.loads(body)["heads"] if head["stream"] == "larkfield/T-04"
    ]
    assert [head["seq"] for head in listed] == [1, 2, 3]
    assert listed[-1]["head"].encode() == beyond[9:73]
    record = PAGE.read_bytes().partition(b"```jsonl\n")[2].splitlines()
    assert [head["head"].encode() for head in listed[:2]] == [record[1][9:73], record[2][9:73]]
