"""Builds the package: `pitside_client`, and `pitside_api`, which is generated from the API's OpenAPI document.

The document lies beside the server's code, and in a source distribution beside this file.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = Path(__file__).parent
DOCUMENT = "openapi.json"
NO_HOOKS = "post_hooks: []\n"  # a formatter would only cost time: nobody edits what is generated


def document() -> Path:
    """Where the OpenAPI document is."""
    beside = HERE / DOCUMENT
    return beside if beside.exists() else HERE.parents[1] / "docs" / DOCUMENT


class BuildWithApi(build_py):
    """Copies the modules, and generates those of the API."""

    def run(self) -> None:
        super().run()
        target = Path(self.build_lib, "pitside_api")
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder, "config.yaml")
            config.write_text(NO_HOOKS, "utf-8")
            generate = [sys.executable, "-m", "openapi_python_client", "generate", "--overwrite"]
            given = ["--path", str(document()), "--config", str(config)]
            subprocess.run([*generate, *given, "--meta", "none", "--output-path", str(target)], check=True)


class DistributeWithDocument(sdist):
    """Puts the document beside this file in the source distribution."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        shutil.copy(document(), Path(base_dir, DOCUMENT))


setup(cmdclass={"build_py": BuildWithApi, "sdist": DistributeWithDocument})
