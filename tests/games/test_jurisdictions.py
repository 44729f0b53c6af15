"""A jurisdiction is one data file, and the system check says what is wrong with one."""

from pathlib import Path

import pytest
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from games.engine.editions import all_editions
from games.jurisdictions import all_jurisdictions, choices, jurisdiction
from games.models import Facility
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
