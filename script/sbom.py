"""Print the bill of materials of a release as CycloneDX JSON: each package of the lock with version and hashes.

`python -m script.sbom > pitside.cdx.json`. The program is cyclonedx-py, in an environment of its own.
"""

import contextlib
import subprocess
import sys

from script import environment
from script.service_finder import ROOT

TOOLS = ROOT / ".script" / "sbom"
LOCK = ROOT / "requirements" / "base.txt"


def main() -> int:
    with contextlib.redirect_stdout(sys.stderr):
        environment.make(TOOLS, ROOT / "requirements" / "release.txt")
    options = ["--output-format=JSON", "--spec-version=1.6", "--output-reproducible", "--validate"]
    made = subprocess.run(
        [TOOLS / "bin" / "cyclonedx-py", "requirements", *options, LOCK],
        capture_output=True,
        text=True,
        check=False,
    )
    sys.stderr.write(made.stderr)
    sys.stdout.write(made.stdout)
    return made.returncode


if __name__ == "__main__":
    sys.exit(main())
