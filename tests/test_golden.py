"""A seeded play gives what it gave at `ca248ff`: no refactoring changes a format (script/fingerprint).

`tests/golden/ca248ff.json` holds the hashes of its short play. A change that is meant (a new field of an entry, say)
writes them anew, and its commit says why:

    python -m script.fingerprint play OUT --short && python -m script.fingerprint hashes OUT
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from script.fingerprint.comparison import hashes

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "tests" / "golden" / "ca248ff.json"


def play(out: Path, *options: str) -> None:
    command = [sys.executable, "-m", "script.fingerprint", "play", str(out), *options]
    played = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert played.returncode == 0, played.stderr
    assert "not as expected" not in played.stderr, played.stderr


@pytest.mark.repeated
def test_every_act_of_the_whole_play_is_answered_as_expected(tmp_path):
    play(tmp_path / "out")


def test_a_seeded_play_gives_what_it_gave(tmp_path):
    play(tmp_path / "out", "--short")
    golden, today = json.loads(GOLDEN.read_text()), hashes(tmp_path / "out")
    streams, streams_today = golden.pop("entries"), today.pop("entries")
    assert {name for name in streams if streams[name] != streams_today.get(name)} == set()
    assert streams.keys() == streams_today.keys()
    assert {name for name in golden if golden[name] != today[name]} == set()
