"""The logic of the pages' scripts, in Node's own test runner: `node --test tests/js/*.test.mjs`."""

import shutil
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


def test_the_scripts_pass_their_own_tests():
    node = shutil.which("node") or shutil.which("nodejs")
    if node is None:
        pytest.skip("no Node here")
    # Node before 22 takes no patterns, and Node 22 no folders.
    files = sorted(FOLDER.glob("*.test.mjs"))
    run = subprocess.run([node, "--test", *files], cwd=FOLDER, capture_output=True, text=True, check=False)
    assert files and run.returncode == 0, run.stdout + run.stderr
