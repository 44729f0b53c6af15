"""A jurisdiction is one data file, and the system check says what is wrong with one."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeGuard

import pytest
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from games.engine import Rules, editions
from games.engine.editions import all_editions
from games.jurisdictions import all_jurisdictions, choices, jurisdiction
from games.models import Facility
from games.submissions import draft, rules_of
from tests.fixtures import jurisdictions as fixtures

ruritania = fixtures.ruritania
TEXT = fixtures.FILE.read_text("utf-8")


def errors_of(folder: Path, **options) -> list[tuple[str | None, str]]:
    with override_settings(JURISDICTION_DIRS=[folder]):
        return [(error.id, error.msg) for error in run_checks(**options) if error.id.startswith("games.")]


def test_the_files_of_the_product_are_right():
    assert run_checks() == []
    assert {*all_jurisdictions()} == {"NJ", "PA"}


def test_a_folder_of_the_setting_adds_a_jurisdiction_with_its_editions(ruritania):
    assert ("XX", "Ruritania") in choices()
    assert Facility(jurisdiction="XX").law.section("limits") == "Ruritanian Dice Act art. 40"
    own = {key: edition for key, edition in all_editions().items() if edition.jurisdiction == "XX"}
    assert {*own} == {"xx-7@2020-01-01/A", "xx-7@2020-01-01/B", "xx-8@2020-01-01", "xx-9@2020-01-01"}
    adopted = all_editions()["pa-625a@2019-08-31/A"]
    assert {row: payout.odds for row, payout in own["xx-7@2020-01-01/A"].payouts.items()} == {
        row: payout.odds for row, payout in adopted.payouts.items()
    }
    assert own["xx-7@2020-01-01/A"].sections["shake"] == "Ruritanian Dice Act part 7 no. 5(b)"
    assert own["xx-9@2020-01-01"].lapses_on is None


def test_rules_that_were_read_before_get_the_editions_read_now():
    submission = draft(facility=Facility(jurisdiction="PA"), code="RS-0001", key="pa-625a/A")
    assert rules_of(submission) == Rules.of("pa-625a/A")
    editions.forget()
    assert rules_of(submission) == Rules.of("pa-625a/A")


def test_without_the_setting_it_is_gone_again(ruritania):
    with override_settings(JURISDICTION_DIRS=[]):
        assert "XX" not in all_jurisdictions()
        assert not any(key.startswith("xx-") for key in all_editions())


def test_nothing_in_its_editions_cites_the_adopted_law(ruritania):
    for key, edition in all_editions().items():
        if edition.jurisdiction == "XX":
            parts = (
                edition.title, edition.source, edition.sections, edition.wagers, edition.no_rolls,
                edition.inspection, edition.approvals, edition.shakers, edition.payouts,
            )  # fmt: skip
            assert not [word for word in ("Pa. Code", "Bureau", "Pa.B.") if word in repr(parts)], key


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('name = "Ruritania"', "name = Ruritania", "Invalid value"),
        ('name = "Ruritania"', "", "missing key name"),
        ('name = "Ruritania"', "name = 7", "name is of the wrong type"),
        ('name = "Ruritania"', 'name = "Ruritania"\nnick = "R"', "unknown key nick"),
        ('code = "XX"', 'code = "Ruritania"', "the code Ruritania is not 1 to 8 capital letters"),
        ('code = "XX"', 'code = "PA"', "there is another file of PA"),
        ('languages = ["en", "es"]', "languages = []", "no language"),
        ('signs = "Royal Sign Painter"', "", "no body for signs"),
        ('"limits" = ', '"limit" = ', "sections of unknown duties: limit"),
        ("print_always = true", 'print_always = "yes"', "guide.print_always is of the wrong type"),
        ('parts_always = ["odds"]', 'parts_always = ["odd"]', "unknown parts of a request: odd"),
        ('control = "review"', 'control = "change"', "separation.corrections is controlled by a review, not"),
        (
            '{ compliance = "compliance" }',
            '{ clerk = "compliance" }',
            "unknown roles or departments: clerk",
        ),
        (
            "first_from_cents = 2000",
            "first_from_cents = 2000\nsum_minutes = 0",
            "counts sums within less than a minute",
        ),
        (
            "[separation.corrections]",
            "[money]\ntray_percent = 99\n\n[separation.corrections]",
            "money bounds a tray",
        ),
        ("notice_minutes = 45", "notice_minutes = -45", "notice_minutes is negative"),
        ("pa-625a@2019-08-31", "pa-625a", "there is no edition pa-625a; name it with its date"),
        ('key = "xx-7"\n', "", "an edition lacks key"),
        ('key = "xx-7"\n', 'key = "xx-7"\nshakers = 3\n', "the edition xx-7 is malformed"),
        ('key = "xx-7"\n', 'key = "xx-7"\ngame = "ludo"\n', "the edition xx-7 is of an unknown game, ludo"),
        ('key = "xx-7"\n', 'key = "pa-539"\n', "the key pa-539 belongs to an edition of a game's folder"),
        ('key = "xx-7"\n', 'key = "xx-7"\njurisdiction = "PA"\n', "in the file of a jurisdiction names none"),
        (
            '"Bureau of Casino Compliance" = "Royal Dice Office"\n',
            "",
            "nothing in place of: Bureau of Casino",
        ),
    ],
)
def test_a_malformed_file_is_an_error_and_leaves_the_others(tmp_path, old, new, reason):
    assert old in TEXT
    (tmp_path / "xx.toml").write_text(TEXT.replace(old, new, 1), "utf-8")
    ((error, message),) = errors_of(tmp_path)
    assert error == "games.E001"
    assert message.startswith(f"{tmp_path}/xx.toml: ") and reason in message
    with override_settings(JURISDICTION_DIRS=[tmp_path]):
        assert {*all_jurisdictions()} == {"NJ", "PA"}


def test_a_file_sets_other_bounds_of_chips_and_sums(tmp_path):
    money = "[money]\nfill_percent = 50\nrefused_counts = 1\n\n[separation.corrections]\nsum_minutes = 30"
    (tmp_path / "xx.toml").write_text(TEXT.replace("[separation.corrections]", money, 1), "utf-8")
    assert errors_of(tmp_path) == []
    with override_settings(JURISDICTION_DIRS=[tmp_path]):
        law = all_jurisdictions()["XX"]
        assert (law.money.fill_percent, law.money.tray_percent, law.money.refused_counts) == (50, 200, 1)
        assert law.separation["corrections"].sum_minutes == 30
        assert all_jurisdictions()["PA"].money.fill_percent == 100


def test_two_files_with_editions_of_one_key_are_an_error(tmp_path):
    (tmp_path / "xx.toml").write_text(TEXT, "utf-8")
    (tmp_path / "yy.toml").write_text(TEXT.replace('"XX"', '"YY"'), "utf-8")
    assert errors_of(tmp_path) == [
        ("games.E001", f"{tmp_path}/yy.toml: another file has editions xx-7, xx-8, xx-9.")
    ]


def test_a_file_that_is_no_text_and_a_missing_folder_are_errors(tmp_path):
    (tmp_path / "xx.toml").write_bytes(b"\xff")
    assert [error for error, _ in errors_of(tmp_path)] == ["games.E001"]
    assert errors_of(tmp_path / "absent") == [("games.E001", f"{tmp_path}/absent: is no folder.")]


def test_a_language_without_a_text_is_an_error(tmp_path):
    (tmp_path / "xx.toml").write_text(TEXT.replace('["en", "es"]', '["en", "fr"]'), "utf-8")
    message = "Ruritania has gaming guides in the language fr, in which no text is written."
    assert errors_of(tmp_path) == [("games.E003", message)]


def test_a_jurisdiction_without_editions_is_a_warning(tmp_path):
    (tmp_path / "xx.toml").write_text(TEXT.partition("[[editions]]")[0], "utf-8")
    message = "The jurisdiction XX has no edition, so its casinos can deal no game."
    assert errors_of(tmp_path) == [("games.W001", message)]


def test_an_edition_of_an_unknown_jurisdiction_is_an_error(monkeypatch):
    laws = {code: law for code, law in all_jurisdictions().items() if code != "NJ"}
    monkeypatch.setattr("games.checks.all_jurisdictions", lambda: laws)
    assert [(error.id, error.msg) for error in run_checks()] == [
        (
            "games.E002",
            "The edition nj-19-47-9@1993-12-06 names the jurisdiction NJ, which has no file.",
        )
    ]


@pytest.mark.django_db
def test_a_facility_of_an_unknown_jurisdiction_is_an_error():
    Facility.objects.create(code="a", name="A", jurisdiction="PA")
    unknown = Facility.objects.create(code="b", name="B", jurisdiction="ZZ")
    errors = [(error.id, error.msg) for error in run_checks(databases=["default"])]
    assert errors == [("games.E004", "The facility b is in the jurisdiction ZZ, which has no file.")]
    with pytest.raises(ImproperlyConfigured, match=r"There is no jurisdiction ZZ\. Known are NJ, PA\."):
        assert unknown.law


def test_an_unknown_code_says_what_to_do():
    with pytest.raises(ImproperlyConfigured, match="Add its file to a folder of JURISDICTION_DIRS"):
        jurisdiction("ZZ")


ROOT = Path(__file__).resolve().parents[2]
CODES = frozenset({"PA", "NJ", "pa", "nj", "Pennsylvania", "New Jersey"})
# What Pennsylvania or New Jersey writes: their codes, the beginning of their citations, the keys of their editions.
OF_A_STATE = re.compile(
    r"Pa\. Code|Pa\.B\.|N\.J\.A\.C\.|Pennsylvania|New Jersey|§ ?\d|\b13:69|\b19:4[67]|\bchapter \d{3}"
    r"|Bureau of|Executive Director|\b(?:pa|nj)-\d|\b(?:PA|NJ)\b|\b\d{3}a\.\d",
    re.IGNORECASE,
)
# The data of a state, and what is about its text: its jurisdiction and editions, the catalog of clauses, the seeded
# demo floor, migrations, and help texts of models (which only developers read).
OF_STATES = ("jurisdictions", "editions", "regulations", "demo", "migrations", "models")
EXAMPLES = {
    "games/engine/refusals.py": "There are no rules %(rules)s. Use a key such as pa-625a/A.",  # printed by commands
    "templates/desk/coverage.html": "625a.2",  # what to search the catalog of clauses for
    "games/management/commands/odds.py": "a rules key, such as pa-625a/A",  # the help of a command
    "games/office/providers/register.py": "chapter-528-is-not-here",  # a code on the record, not a citation
    "audit/verify.py": '"cite":"58 Pa. Code §',  # the commonest text that is not ASCII, for speed alone
}


def product_files(*patterns: str) -> list[Path]:
    return [
        path
        for folder in ("games", "tables", "audit", "config", "templates", "static")
        for pattern in patterns
        for path in sorted((ROOT / folder).rglob(pattern))
        if not {*OF_STATES, "vendor"} & {*path.relative_to(ROOT).parts}
    ]


def is_docstring(node: ast.AST) -> TypeGuard[ast.Expr | ast.Assign]:
    """Whether a statement is a text of its own, or the assignment of a `__doc__`."""
    if isinstance(node, ast.Assign):
        return isinstance(node.targets[0], ast.Attribute) and node.targets[0].attr == "__doc__"
    return isinstance(node, ast.Expr)


def texts_in(path: Path) -> Iterator[tuple[int, str]]:
    """The strings of a Python file that are no docstrings, each with its line."""
    tree = ast.parse(path.read_text("utf-8"))
    docstrings = {id(node.value) for node in ast.walk(tree) if is_docstring(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.lineno, node.value


def compared_in(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The codes and names of jurisdictions that a Python file compares, or matches a beginning with."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        is_beginning = (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("startswith", "endswith", "removeprefix")
        )
        if isinstance(node, ast.Compare | ast.match_case) or is_beginning:
            values = {leaf.value for leaf in ast.walk(node) if isinstance(leaf, ast.Constant)}
            if codes := sorted(CODES & {str(value).rstrip("-") for value in values}):
                yield node.lineno if hasattr(node, "lineno") else 0, codes


def test_no_file_outside_the_data_compares_the_code_of_a_jurisdiction():
    files = [
        path for folder in ("games", "tables", "audit", "config") for path in (ROOT / folder).rglob("*.py")
    ]
    files = [path for path in files if "migrations" not in path.parts]
    assert len(files) > 300
    assert {f"{path}:{line}": codes for path in files for line, codes in compared_in(path)} == {}


def test_no_file_outside_the_data_cites_a_state():
    """Python, templates, scripts and style sheets take each section from a jurisdiction or an edition."""
    cited = {}
    for path in product_files("*.py"):
        name = str(path.relative_to(ROOT))
        for line, text in texts_in(path):
            if OF_A_STATE.search(text) and EXAMPLES.get(name) != text:
                cited[f"{name}:{line}"] = text
    for path in product_files("*.html", "*.jinja", "*.css", "*.js", "*.svg"):
        text = re.sub(
            r"/\*.*?\*/|\{#.*?#\}|^\s*//.*$", "", path.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE
        )
        name = str(path.relative_to(ROOT))
        if cites := [words for words in OF_A_STATE.findall(text) if words != EXAMPLES.get(name)]:
            cited[name] = cites
    assert cited == {}


@pytest.mark.parametrize(
    "code",
    [
        'x == "PA"', 'x in ("PA", "NJ")', '"NJ" != x', 'x.startswith("nj-")', 'x.startswith("pa")',
        'x == "New Jersey"', 'match x:\n    case "PA": pass',
    ],
)  # fmt: skip
def test_a_comparison_is_recognized(tmp_path, code):
    (tmp_path / "a.py").write_text(code, "utf-8")
    assert len(list(compared_in(tmp_path / "a.py"))) == 1
