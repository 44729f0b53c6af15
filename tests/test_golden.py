"""A seeded play gives what it gave at `ca248ff`: no refactoring changes a format (script/fingerprint).

`tests/golden/ca248ff.json` holds the hashes of its short play. A change that is meant (a new field of an entry, say)
writes them anew, and its commit says why:

    python -m script.fingerprint play OUT --short && python -m script.fingerprint hashes OUT
"""

import json
import subprocess
import sys
from pathlib import Path

from script.fingerprint.comparison import hashes

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "tests" / "golden" / "ca248ff.json"


def test_a_seeded_play_gives_what_it_gave(tmp_path):
    command = [sys.executable, "-m", "script.fingerprint", "play", str(tmp_path / "out"), "--short"]
    played = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert played.returncode == 0, played.stderr
    assert "not as expected" not in played.stderr, played.stderr
    found, golden = hashes(tmp_path / "out"), json.loads(GOLDEN.read_text())
    streams = found.pop("entries"), golden.pop("entries")
    assert {name for name in golden if found[name] != golden[name]} == set()
    assert {name for name in streams[1] if streams[0].get(name) != streams[1][name]} == set()
    assert streams[0].keys() == streams[1].keys()
