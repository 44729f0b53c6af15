"""The approvals that each edition asks for before a table opens: literals here, data in the editions."""

import pytest

from games.engine.editions import edition

OPERATIONS = "Bureau of Gaming Operations"
LABORATORY = "Bureau of Gaming Laboratory Operations"
COMPLIANCE = "Bureau of Casino Compliance"
KEYS = ["pa-539", "pa-625a/A", "pa-625a/B", "pa-675a", "pa-675a.6", "pa-577", "nj-19-47-9"]
clause, param = pytest.mark.clause, pytest.param


def approval(key: str, subject: str, when: str = ""):
    """The one rule of this subject under this condition."""
    (found,) = [rule for rule in edition(key).approvals if (rule.subject, rule.when) == (subject, when)]
    return found


@pytest.mark.parametrize(
    ("key", "subject", "when", "section", "body"),
    [
        param("pa-539", "layout", "", "§ 539.1(c)", OPERATIONS, marks=clause("PA-539.1(c)")),
        param("pa-539", "device", "", "§ 539.1(b)", LABORATORY, marks=clause("PA-539.1(b)-approval")),
        param("pa-539", "boxes", "", "§ 539.1(a)", OPERATIONS, marks=clause("PA-539.1(a)")),
        param("pa-539", "shaker", "manual", "§ 539.1(d)", OPERATIONS, marks=clause("PA-539.1(d)")),
        param(
            "pa-539",
            "shaker",
            "automated",
            "§ 539.1(d)(2)(ii)",
            OPERATIONS,
            marks=clause("PA-539.1(d)(2)(ii)"),
        ),
        param(
            "pa-539",
            "shaker-place",
            "automated",
            "§ 539.1(d)(2)(ii)",
            OPERATIONS,
            marks=clause("PA-539.1(d)(2)(ii)"),
        ),
        param(
            "pa-539",
            "shaker-procedure",
            "automated",
            "§ 539.1(d)(2)(ii)",
            OPERATIONS,
            marks=clause("PA-539.1(d)(2)(ii)"),
        ),
        param(
            "pa-539",
            "shaker-automated",
            "automated",
            "§ 539.1(d)(2)",
            LABORATORY,
            marks=clause("PA-539.1(d)(2)"),
        ),
        param("pa-625a/A", "layout", "", "§ 625a.1(c)", OPERATIONS, marks=clause("PA-625a.1(c)")),
        param("pa-625a/A", "device", "", "§ 625a.1(b)", LABORATORY, marks=clause("PA-625a.1(b)-approval")),
        param("pa-625a/A", "boxes", "", "§ 625a.1(a)", COMPLIANCE, marks=clause("PA-625a.1(a)")),
        param("pa-625a/A", "shaker", "manual", "§ 625a.1(d)", OPERATIONS, marks=clause("PA-625a.1(d)")),
        param("pa-625a/A", "shaker", "automated", "§ 625a.1(d)", OPERATIONS, marks=clause("PA-625a.1(d)")),
        param(
            "pa-625a/A",
            "shaker-place",
            "automated",
            "§ 625a.1(d)(2)(iii)",
            COMPLIANCE,
            marks=clause("PA-625a.1(d)(2)(iii)"),
        ),
        param(
            "pa-625a/A",
            "shaker-procedure",
            "automated",
            "§ 625a.1(d)(2)(ii)",
            OPERATIONS,
            marks=clause("PA-625a.1(d)(2)(ii)"),
        ),
        param(
            "pa-625a/A",
            "shaker-automated",
            "automated",
            "§ 625a.1(d)(2)",
            LABORATORY,
            marks=clause("PA-625a.1(d)(2)"),
        ),
        param("pa-625a/B", "layout", "", "§ 625a.1(c)", OPERATIONS, marks=clause("PA-625a.1(c)")),
        param("pa-625a/B", "device", "", "§ 625a.1(b)", LABORATORY, marks=clause("PA-625a.1(b)-approval")),
        param("pa-625a/B", "boxes", "", "§ 625a.1(a)", COMPLIANCE, marks=clause("PA-625a.1(a)")),
        param("pa-625a/B", "shaker", "manual", "§ 625a.1(d)", OPERATIONS, marks=clause("PA-625a.1(d)")),
        param("pa-625a/B", "shaker", "automated", "§ 625a.1(d)", OPERATIONS, marks=clause("PA-625a.1(d)")),
        param(
            "pa-625a/B",
            "shaker-place",
            "automated",
            "§ 625a.1(d)(2)(iii)",
            COMPLIANCE,
            marks=clause("PA-625a.1(d)(2)(iii)"),
        ),
        param(
            "pa-625a/B",
            "shaker-procedure",
            "automated",
            "§ 625a.1(d)(2)(ii)",
            OPERATIONS,
            marks=clause("PA-625a.1(d)(2)(ii)"),
        ),
        param(
            "pa-625a/B",
            "shaker-automated",
            "automated",
            "§ 625a.1(d)(2)",
            LABORATORY,
            marks=clause("PA-625a.1(d)(2)"),
        ),
        param("pa-675a", "layout", "", "§ 675a.1(b)", OPERATIONS, marks=clause("PA-675a.1(b)")),
        param("pa-675a", "boxes", "", "§ 675a.1(d)", COMPLIANCE, marks=clause("PA-675a.1(d)")),
        param("pa-675a", "shaker", "", "§ 675a.3(b)", OPERATIONS, marks=clause("PA-675a.3(b)")),
        param("pa-675a", "extra-roll-system", "", "§ 675a.1(c)", "", marks=clause("PA-675a.1(c)")),
        param("pa-675a.6", "layout", "", "§ 675a.6(b)", OPERATIONS, marks=clause("PA-675a.6(b)")),
        param("pa-675a.6", "boxes", "", "§ 675a.1(d)", COMPLIANCE, marks=clause("PA-675a.1(d)")),
        param("pa-675a.6", "shaker", "", "§ 675a.3(b)", OPERATIONS, marks=clause("PA-675a.3(b)")),
        param("pa-577", "layout", "", "§ 577.2(b)", OPERATIONS, marks=clause("PA-577.2(b)")),
        param("pa-577", "boxes", "", "§ 577.2(c)", COMPLIANCE, marks=clause("PA-577.2(c)")),
    ],
)
def test_an_approval_is_given_by_the_body_that_its_clause_names(key, subject, when, section, body):
    rule = approval(key, subject, when)
    assert (rule.section, rule.body) == (f"58 Pa. Code {section}", body)


# Each clause on how a thing is built or marked, seen once when its approval is recorded


@pytest.mark.parametrize(
    ("key", "line", "section"),
    [
        param("pa-539", "layout-logo", "§ 539.1(c)(1)", marks=clause("PA-539.1(c)(1)")),
        param("pa-539", "layout-areas", "§ 539.1(c)(2)", marks=clause("PA-539.1(c)(2)")),
        param("pa-625a/A", "layout-logo", "§ 625a.1(c)(1)", marks=clause("PA-625a.1(c)(1)")),
        param("pa-625a/A", "layout-areas", "§ 625a.1(c)(2)", marks=clause("PA-625a.1(c)(2)")),
        param("pa-675a", "dealer-opposite", "§ 675a.1(a)", marks=clause("PA-675a.1(a)-dealer")),
        param("pa-675a", "layout-logo", "§ 675a.1(b)(1)", marks=clause("PA-675a.1(b)(1)")),
        param("pa-675a", "circles-two-to-eight", "§ 675a.1(b)(2)(i)", marks=clause("PA-675a.1(b)(2)(i)")),
        param("pa-675a", "circles-nine-and-ten", "§ 675a.1(b)(2)(ii)", marks=clause("PA-675a.1(b)(2)(ii)")),
        param("pa-675a", "pip-street-dice", "§ 675a.1(b)(2)(iii)", marks=clause("PA-675a.1(b)(2)(iii)")),
        param("pa-675a", "equal-value-notice", "§ 675a.1(b)(2)(iv)", marks=clause("PA-675a.1(b)(2)(iv)")),
        param("pa-675a", "throw-box-labels", "§ 675a.1(b)(5)", marks=clause("PA-675a.1(b)(5)-labels")),
        param("pa-675a.6", "dealer-opposite", "§ 675a.1(a)", marks=clause("PA-675a.1(a)-dealer")),
        param("pa-675a.6", "layout-logo", "§ 675a.1(b)(1)", marks=clause("PA-675a.1(b)(1)")),
        param("pa-675a.6", "circles-two-to-six", "§ 675a.6(b)(1)", marks=clause("PA-675a.6(b)(1)")),
        param("pa-675a.6", "pip-street-dice", "§ 675a.6(b)(2)", marks=clause("PA-675a.6(b)(2)")),
        param("pa-675a.6", "equal-value-notice", "§ 675a.6(b)(3)", marks=clause("PA-675a.6(b)(3)")),
        param("pa-675a.6", "throw-box-labels", "§ 675a.1(b)(5)", marks=clause("PA-675a.1(b)(5)-labels")),
        param("pa-577", "table-shape", "§ 577.2(a)", marks=clause("PA-577.2(a)-shape")),
        param("pa-577", "layout-logo", "§ 577.2(b)(1)", marks=clause("PA-577.2(b)(1)")),
        param("pa-577", "layout-areas", "§ 577.2(b)(2)", marks=clause("PA-577.2(b)(2)")),
        param("pa-577", "football-field", "§ 577.2(b)(4)", marks=clause("PA-577.2(b)(4)")),
        param("pa-577", "place-first-down", "§ 577.2(b)(5)(i)", marks=clause("PA-577.2(b)(5)(i)")),
        param("pa-577", "place-second-down", "§ 577.2(b)(5)(ii)", marks=clause("PA-577.2(b)(5)(ii)")),
        param("pa-577", "place-third-down", "§ 577.2(b)(5)(iii)", marks=clause("PA-577.2(b)(5)(iii)")),
        param("pa-577", "place-first-goal", "§ 577.2(b)(5)(iv)", marks=clause("PA-577.2(b)(5)(iv)")),
        param("pa-577", "place-second-goal", "§ 577.2(b)(5)(v)", marks=clause("PA-577.2(b)(5)(v)")),
        param("pa-577", "place-third-goal", "§ 577.2(b)(5)(vi)", marks=clause("PA-577.2(b)(5)(vi)")),
        param("pa-577", "place-extra-point", "§ 577.2(b)(5)(vii)", marks=clause("PA-577.2(b)(5)(vii)")),
        param("pa-577", "place-game-length", "§ 577.2(b)(6)", marks=clause("PA-577.2(b)(6)")),
    ],
)
def test_a_layout_is_confirmed_once_with_its_approval(key, line, section):
    assert approval(key, "layout").lines[line] == f"58 Pa. Code {section}"


@pytest.mark.parametrize(
    ("key", "when", "line", "section"),
    [
        param("pa-539", "manual", "shaker-integrity", "§ 539.1(d)(1)", marks=clause("PA-539.1(d)(1)")),
        param(
            "pa-539",
            "manual",
            "shaker-compartment",
            "§ 539.1(d)(1)(i)",
            marks=clause("PA-539.1(d)(1)(i)-compartment"),
        ),
        param(
            "pa-539", "manual", "shaker-cover", "§ 539.1(d)(1)(i)", marks=clause("PA-539.1(d)(1)(i)-cover")
        ),
        param("pa-539", "manual", "shaker-sealable", "§ 539.1(d)(1)(ii)", marks=clause("PA-539.1(d)(1)(ii)")),
        param("pa-539", "manual", "shaker-logo", "§ 539.1(d)(1)(iii)", marks=clause("PA-539.1(d)(1)(iii)")),
        param("pa-625a/A", "manual", "shaker-integrity", "§ 625a.1(d)(1)", marks=clause("PA-625a.1(d)(1)")),
        param(
            "pa-625a/A",
            "manual",
            "shaker-compartment",
            "§ 625a.1(d)(1)(i)",
            marks=clause("PA-625a.1(d)(1)(i)-compartment"),
        ),
        param(
            "pa-625a/A",
            "manual",
            "shaker-cover",
            "§ 625a.1(d)(1)(i)",
            marks=clause("PA-625a.1(d)(1)(i)-cover"),
        ),
        param(
            "pa-625a/A",
            "manual",
            "shaker-sealable",
            "§ 625a.1(d)(1)(ii)",
            marks=clause("PA-625a.1(d)(1)(ii)"),
        ),
        param(
            "pa-625a/A", "manual", "shaker-logo", "§ 625a.1(d)(1)(iii)", marks=clause("PA-625a.1(d)(1)(iii)")
        ),
        param("pa-675a", "", "shaker-integrity", "§ 675a.3(b)", marks=clause("PA-675a.3(b)")),
        param("pa-675a", "", "shaker-shakes-all", "§ 675a.3(b)(1)", marks=clause("PA-675a.3(b)(1)")),
        param("pa-675a", "", "shaker-logo", "§ 675a.3(b)(2)", marks=clause("PA-675a.3(b)(2)")),
        param("pa-675a.6", "", "shaker-shakes-all", "§ 675a.3(b)(1)", marks=clause("PA-675a.3(b)(1)")),
        param("pa-675a.6", "", "shaker-logo", "§ 675a.3(b)(2)", marks=clause("PA-675a.3(b)(2)")),
    ],
)
def test_a_shaker_is_confirmed_once_with_its_approval(key, when, line, section):
    assert approval(key, "shaker", when).lines[line] == f"58 Pa. Code {section}"


@pytest.mark.parametrize(
    ("key", "line", "section"),
    [
        param("pa-539", "shaker-integrity", "§ 539.1(d)(2)(i)", marks=clause("PA-539.1(d)(2)(i)")),
        param("pa-539", "shaker-compartment", "§ 539.1(d)(2)(i)", marks=clause("PA-539.1(d)(2)(i)")),
        param("pa-539", "shaker-sealable", "§ 539.1(d)(2)(i)", marks=clause("PA-539.1(d)(2)(i)")),
        param("pa-539", "shaker-logo", "§ 539.1(d)(2)(i)", marks=clause("PA-539.1(d)(2)(i)")),
        param("pa-539", "shaker-without-cover", "§ 539.1(d)(2)(i)", marks=clause("PA-539.1(d)(2)(i)")),
        param(
            "pa-625a/B",
            "shaker-compartment",
            "§ 625a.1(d)(2)(i)",
            marks=clause("PA-625a.1(d)(2)(i)-compartment"),
        ),
        param(
            "pa-625a/B",
            "shaker-sealable",
            "§ 625a.1(d)(2)(i)",
            marks=clause("PA-625a.1(d)(2)(i)-compartment"),
        ),
    ],
)
def test_an_automated_shaker_is_confirmed_once_with_its_approval(key, line, section):
    assert approval(key, "shaker-automated", "automated").lines[line] == f"58 Pa. Code {section}"


@clause("PA-675a.1(c)", "PA-675a.1(c)(1)")
def test_the_extra_roll_system_is_confirmed_once_when_it_is_recorded():
    assert approval("pa-675a", "extra-roll-system").lines == {
        "extra-roll-device": "58 Pa. Code § 675a.1(c)(1)",
        "extra-roll-lock-out": "58 Pa. Code § 675a.1(c)(2)",
    }


@pytest.mark.parametrize(
    ("key", "subjects"),
    [
        ("pa-539", "boxes device layout shaker shaker-automated shaker-place shaker-procedure"),
        ("pa-625a/A", "boxes device layout shaker shaker-automated shaker-place shaker-procedure"),
        ("pa-625a/B", "boxes device layout shaker shaker-automated shaker-place shaker-procedure"),
        ("pa-675a", "boxes extra-roll-system layout shaker"),
        ("pa-675a.6", "boxes layout shaker"),  # no Extra Roll: A31
        ("pa-577", "boxes layout"),
        ("nj-19-47-9", ""),  # its equipment chapter is not supplied: A45
    ],
)
def test_an_edition_asks_for_these_approvals_and_no_other(key, subjects):
    assert sorted({rule.subject for rule in edition(key).approvals}) == subjects.split()


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("shaker", ["manual", "automated"])
def test_no_subject_needs_two_approvals_at_one_table(key, shaker):
    subjects = [rule.subject for rule in edition(key).approvals if rule.when in ("", shaker)]
    assert len(set(subjects)) == len(subjects)


@clause("PA-539.1(d)(2)(i)")
def test_an_automated_shaker_of_the_old_chapter_is_what_the_manual_one_is_but_for_the_cover():
    manual = set(approval("pa-539", "shaker", "manual").lines)
    automated = set(approval("pa-539", "shaker-automated", "automated").lines)
    assert manual - automated == {"shaker-cover"}
    assert automated - manual == {"shaker-without-cover"}


def test_an_automated_shaker_may_have_a_cover_under_the_newer_chapter():
    assert "shaker-without-cover" not in approval("pa-625a/A", "shaker-automated", "automated").lines


def test_six_dice_share_the_ten_dice_shaker_though_the_text_borrows_less():
    assert approval("pa-675a.6", "shaker") == approval("pa-675a", "shaker")  # A31
