"""The worked example of FORMAT.md is what the program writes."""

import datetime as dt
import hashlib
import json
from pathlib import Path

import pytest

from audit import clock, export

from .conftest import MOMENT
from .test_export import SETTLED, check

PAGE = Path(export.__file__).with_name("FORMAT.md")


@pytest.mark.django_db
def test_the_worked_example_is_regenerated_to_the_byte(write, dealer, settings):
    settings.BUILD = "1.0.0"
    write(type="round.opened", data={"round": 1}, actor=dealer)
    write(type="round.settled", data=SETTLED, actor=dealer, at=MOMENT + dt.timedelta(seconds=40))
    with clock.at(MOMENT + dt.timedelta(minutes=1)):
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
