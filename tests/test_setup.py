"""script/setup: the environment that it makes for a first run."""

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from script import environment

WHEEL = "shaker-1.0-py3-none-any.whl"


@pytest.fixture
def lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lock of one package, which is found without a network."""
    with zipfile.ZipFile(tmp_path / WHEEL, "w") as wheel:
        wheel.writestr("shaker.py", "DICE = 3\n")
        wheel.writestr("shaker-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: shaker\nVersion: 1.0\n")
        tags = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        wheel.writestr("shaker-1.0.dist-info/WHEEL", tags)
        wheel.writestr("shaker-1.0.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    digest = hashlib.sha256((tmp_path / WHEEL).read_bytes()).hexdigest()
    file = tmp_path / "base.txt"
    file.write_text(f"shaker==1.0 \\\n    --hash=sha256:{digest}\n")
    return file


def test_setup_installs_what_the_lock_names_with_the_pip_that_is_there(lock: Path, tmp_path: Path) -> None:
    base = str(Path(sys.base_prefix, "bin", "python3"))  # as script/setup is run, outside of any environment
    venv = tmp_path / "venv"
    make = "import sys; from pathlib import Path; from script import environment; "
    make += "print(environment.pip_reaches_others()); "
    make += "environment.make_with_pip(Path(sys.argv[1]), Path(sys.argv[2]), install_system=False)"
    run = subprocess.run(
        [base, "-c", make, venv, lock], cwd=environment.ROOT, check=True, capture_output=True, text=True
    )
    python = environment.python_of(venv)
    assert subprocess.check_output([python, "-c", "import shaker; print(shaker.DICE)"], text=True) == "3\n"
    has_own_pip = environment.works(python, "-c", "import pip")
    assert (run.stdout, has_own_pip) in (("True\n", False), ("False\n", True)), (
        "a second pip takes four seconds"
    )
