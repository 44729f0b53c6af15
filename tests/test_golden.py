"""A seeded play gives what it gave at `ca248ff`: no refactoring changes a format.

`tests/golden/ca248ff.json` holds the hashes of the play. A change that is meant (a new field of an entry, say) writes
them anew, and its commit says why:

    python -m tests.golden.play > tests/golden/ca248ff.json
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "tests" / "golden" / "ca248ff.json"


def test_a_seeded_play_gives_what_it_gave():
    command = [sys.executable, "-m", "tests.golden.play"]
    played = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert played.returncode == 0, played.stderr
    assert "not as expected" not in played.stderr, played.stderr
    golden, today = json.loads(GOLDEN.read_text()), json.loads(played.stdout)
    streams, streams_today = golden.pop("entries"), today.pop("entries")
    assert {name for name in streams if streams[name] != streams_today.get(name)} == set()
    assert streams.keys() == streams_today.keys()
    assert {name for name in golden if golden[name] != today[name]} == set()
