"""The signed list of a release: what an inspector compares an installation with, by this software and without it."""

import py_compile
import re
import subprocess

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from audit import release
from audit.notes import Malformed, Signer

KEY = Signer("releases.example", bytes(range(32)))
OTHER = Signer("releases.example", bytes(32))
BUILD = "0.1.1"


@pytest.fixture
def installed(tmp_path):
    """An installation of three files, one of them compiled, and of one package of this process."""
    (tmp_path / "audit").mkdir()
    (tmp_path / "requirements").mkdir()
    (tmp_path / "manage.py").write_text("print('manage')\n")
    (tmp_path / "audit" / "chain.py").write_text("def genesis():\n    return 0\n")
    lock = (settings.BASE_DIR / release.LOCK).read_text()
    (tmp_path / release.LOCK).write_text(re.search(r"^tqdm==.*$", lock, re.MULTILINE)[0] + "\n")
    py_compile.compile(
        str(tmp_path / "audit" / "chain.py"), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
    )
    return tmp_path


@pytest.fixture
def listed(installed):
    return release.write(installed, BUILD, KEY)


def differences(installed, listed, build=BUILD):
    return release.differences(installed, build, listed, KEY.verifier)


def test_an_installation_of_the_release_differs_in_nothing(installed, listed):
    assert differences(installed, listed) == []


@pytest.mark.parametrize(
    ("path", "content", "said"),
    [
        ("manage.py", "print('changed')\n", "manage.py was changed."),
        ("audit/more.py", "", "audit/more.py is not of this release."),
        ("manage.py", None, "manage.py is missing."),
        ("requirements/base.txt", "", "requirements/base.txt was changed."),
    ],
)
def test_each_file_that_differs_is_named(installed, listed, path, content, said):
    if content is None:
        (installed / path).unlink()
    else:
        (installed / path).write_text(content)
    assert differences(installed, listed) == [said]


def test_a_module_that_was_compiled_from_something_else_is_named_though_every_source_is_right(
    installed, listed
):
    other = installed / "elsewhere.py"
    other.write_text("def genesis():\n    return 1\n")
    (compiled,) = (installed / "audit" / "__pycache__").iterdir()
    py_compile.compile(
        str(other), cfile=str(compiled), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
    )
    assert differences(installed, listed) == [
        f"audit/__pycache__/{compiled.name} was not compiled from the file beside it."
    ]


def test_a_package_of_another_version_is_named(installed):
    lock = (installed / release.LOCK).read_text()
    (installed / release.LOCK).write_text(re.sub(r"==\S+", "==1.0", lock))
    listed = release.write(installed, BUILD, KEY)
    (said,) = differences(installed, listed)
    assert re.fullmatch(r"tqdm is 4\.\S+, not 1\.0\.", said)


def test_another_version_is_named(installed, listed):
    assert differences(installed, listed, build="0.1.2") == [
        "The list is of pitside 0.1.1; here runs pitside 0.1.2."
    ]


def test_a_list_that_somebody_else_signed_or_changed_says_nothing(installed, listed):
    with pytest.raises(Malformed, match=r"not signed by releases\.example"):
        release.differences(installed, BUILD, release.write(installed, BUILD, OTHER), KEY.verifier)
    with pytest.raises(Malformed, match=r"The signature of releases\.example is wrong"):
        differences(installed, listed.replace("manage.py", "manage.sh"))


def test_an_inspector_needs_only_sha256sum(installed, listed):
    lines = "\n".join(re.findall(r"^[0-9a-f]{64}  .+$", listed, re.MULTILINE)) + "\n"

    def check():
        return subprocess.run(
            ["sha256sum", "--check", "--quiet"], input=lines, cwd=installed, capture_output=True, text=True,
            check=False,
        )  # fmt: skip

    assert check().returncode == 0
    (installed / "manage.py").write_text("print('changed')\n")
    assert check().stdout == "manage.py: FAILED\n"


def test_the_command_signs_this_tree_and_finds_it_unchanged(tmp_path, capsys):
    (tmp_path / "key").write_text(KEY.private)
    call_command("manifest", sign=tmp_path / "key")
    listed = capsys.readouterr().out
    assert "  audit/verify.py\n" in listed
    (tmp_path / "list").write_text(listed)
    call_command("manifest", check=tmp_path / "list", key=KEY.verifier.vkey)
    assert capsys.readouterr().out == "good: every file is that of pitside dev, signed by releases.example.\n"
    (tmp_path / "list").write_text(listed.replace("  audit/verify.py\n", "  audit/verify.sh\n"))
    with pytest.raises(CommandError, match="signature"):
        call_command("manifest", check=tmp_path / "list", key=KEY.verifier.vkey)
