"""What must stand at a table before it opens, clause by clause: shaker, dice, places, and each line of an approval."""

import pytest

from audit.models import Stream
from games.engine.editions import ApprovalRule, edition
from tables.models import Approval, DiceLot, Shaker, Table
from tables.opening.opening import make_table
from tests.tables.cast import CHAPTER, SEATS, Scene, make_scene
from tests.tables.house import hire

pytestmark = pytest.mark.django_db
clause, param = pytest.mark.clause, pytest.param

HIGH_ROLL = [
    param("pa-675a", marks=clause("PA-675a.3(d)")),
    param("pa-675a.6", marks=clause("PA-675a.6(f)")),
]


def inspected(rules: str, shaker: str | None = None) -> Scene:
    """A closed table of which the opening alone is left."""
    scene = make_scene(rules, shaker, opened=False)
    scene.staff()
    scene.inspect()
    return scene


def opens(scene: Scene) -> None:
    scene.open()
    assert scene.fresh.status == "open"


# The shaker and the dice of High Roll Dice


@pytest.mark.parametrize("rules", HIGH_ROLL)
def test_no_table_opens_without_a_shaker(rules):
    scene = inspected(rules)
    Shaker.objects.filter(code="S-01").update(table=None)
    with scene.refused("no-shaker"):
        scene.open()
    Shaker.objects.filter(code="S-01").update(table=scene.table)
    opens(scene)


@pytest.mark.parametrize(
    ("rules", "section"),
    [
        param("pa-675a", "3(a)", marks=clause("PA-675a.3(d)", "PA-675a.3(a)-number")),
        param("pa-675a.6", "6(e)", marks=clause("PA-675a.6(f)", "PA-675a.6(e)-number")),
    ],
)
def test_no_table_opens_without_dice_or_with_another_number_of_them(rules, section):
    scene, cites = inspected(rules), CHAPTER[rules] + section
    scene.act("withdraw_dice", {"why": "unsuitable"}, by="floorperson")
    with scene.refused("no-dice", cites):
        scene.open()
    right = edition(rules).dice
    for dice in sorted({3, 6, 9, 10, 11} - {right}):
        DiceLot.objects.filter(code="L-0002").update(dice=dice)
        with scene.refused("lot-of-other-dice", cites):
            scene.act("change_dice_lot", {"lot": "L-0002"}, by="floorperson")
        with scene.refused("no-dice", cites):
            scene.open()
    DiceLot.objects.filter(code="L-0002").update(dice=right)
    scene.act("change_dice_lot", {"lot": "L-0002"}, by="floorperson")
    opens(scene)


@pytest.mark.parametrize(
    ("rules", "section"),
    [
        param("pa-675a", "3(c)", marks=clause("PA-675a.3(c)-unattended")),
        param("pa-675a.6", "6(f)", marks=clause("PA-675a.6(f)")),
    ],
)
def test_a_shaker_is_never_left_alone(rules, section):
    scene, cites = make_scene(rules), CHAPTER[rules] + section
    with scene.refused("shaker-left-unattended", cites):
        scene.act("leave_table")
    with scene.refused("secure-the-shaker", cites):
        scene.close(secured=False)
    scene.close()
    scene.act("leave_table")
    assert Shaker.objects.get(code="S-01").secured
    scene.inspect()
    with scene.refused("post-is-empty"):
        scene.open()


# The set of Three Dice Football


@clause("PA-577.4(a)-set")
@pytest.mark.parametrize("dice", [3, 5, 7])
def test_a_football_table_takes_six_dice_and_no_other_number(dice):
    scene = make_scene("pa-577", opened=False)
    DiceLot.objects.filter(code="L-0002").update(dice=dice)
    with scene.refused("lot-of-other-dice", "58 Pa. Code § 577.4(a)"):
        scene.act("change_dice_lot", {"lot": "L-0002"}, by="floorperson")
    assert DiceLot.objects.get(status="placed").code == "L-0001"


@clause("PA-577.4(a)-control")
@pytest.mark.parametrize(
    ("post", "role", "takes"),
    [("stick", "stickperson", "S-01"), ("dealer", "dealer", None), ("dealer-left", "dealer", None)],
)
def test_who_takes_the_stick_takes_the_dice_and_nobody_else(post, role, takes):
    scene = make_scene("pa-577")
    hire(scene, ("newcomer", role))
    scene.act("take_over_table", {"post": post}, by="newcomer")
    said = scene.entry
    assert (said["_type"], said["data"]["dealer"], said["data"]["post"]) == (
        "dealer.relieved",
        "newcomer",
        post,
    )
    assert said["data"]["takes_shaker"] == takes


# The places of the players


@pytest.mark.parametrize(
    ("rules", "most"),
    [
        param("pa-675a", 6, marks=clause("PA-675a.1(a)-positions")),
        param("pa-675a.6", 6, marks=clause("PA-675a.6(b)")),
        param("pa-577", 16, marks=clause("PA-577.2(a)-players")),
    ],
)
def test_no_table_has_more_places_than_its_text_allows(rules, most):
    scene = make_scene(rules, opened=False)
    assert SEATS[rules] == scene.table.seats == most
    beside = {"pit": scene.table.pit, "submission": "RS-0009", "kind": "live"}
    limits = {"min_cents": 1_000, "max_cents": 100_000}
    with pytest.raises(ValueError, match=str(most)):
        make_table(scene.table.facility, code="T-02", seats=most + 1, **beside, **limits)
    assert not Table.objects.filter(code="T-02").exists()
    assert not Stream.objects.filter(name="larkfield/T-02").exists()
    assert make_table(scene.table.facility, code="T-02", seats=most, **beside, **limits).seats == most


def test_a_text_that_names_no_number_lets_the_house_choose():
    scene = make_scene(opened=False)
    table = make_table(
        scene.table.facility,
        code="T-02",
        pit=scene.table.pit,
        submission="RS-0009",
        kind="live",
        seats=20,
        min_cents=1_000,
        max_cents=100_000,
    )
    assert table.seats == 20


# Each line of each approval


def lines_asked(rules: str, automated: bool) -> list[tuple[ApprovalRule, str]]:
    """Each approval with lines that is asked with this sort of shaker, and each of its lines."""
    here = ("", "automated" if automated else "manual")
    return [(rule, line) for rule in edition(rules).approvals if rule.when in here for line in rule.lines]


# The lines of the approvals, by the lists of each text. Named, so that no other line can stand in for one of them.
LAYOUT = "layout-logo layout-areas"
ON_A_SHAKER = f"{LAYOUT} shaker-integrity shaker-compartment shaker-cover shaker-sealable shaker-logo"
WITHOUT_COVER = (
    f"{LAYOUT} shaker-integrity shaker-compartment shaker-sealable shaker-logo shaker-without-cover"
)
AUTOMATED = f"{LAYOUT} shaker-compartment shaker-sealable"
ON_SIX_DICE = (
    "dealer-opposite layout-logo circles-two-to-six pip-street-dice equal-value-notice throw-box-labels"
    " shaker-integrity shaker-shakes-all shaker-logo"
)
ON_TEN_DICE = (
    "dealer-opposite layout-logo circles-two-to-eight circles-nine-and-ten pip-street-dice equal-value-notice"
    " throw-box-labels shaker-integrity shaker-shakes-all shaker-logo extra-roll-device extra-roll-lock-out"
)
ON_THE_FIELD = (
    f"table-shape {LAYOUT} football-field place-first-down place-second-down place-third-down place-first-goal"
    " place-second-goal place-third-goal place-extra-point place-game-length"
)


@pytest.mark.parametrize(
    ("rules", "shaker", "lines"),
    [
        param(
            "pa-539", "manual", ON_A_SHAKER,
            marks=clause(
                "PA-539.1(c)(1)", "PA-539.1(c)(2)", "PA-539.1(d)(1)", "PA-539.1(d)(1)(i)-compartment",
                "PA-539.1(d)(1)(i)-cover", "PA-539.1(d)(1)(ii)", "PA-539.1(d)(1)(iii)",
            ),
        ),
        param("pa-539", "automated-uncovered", WITHOUT_COVER, marks=clause("PA-539.1(d)(2)(i)")),
        param(
            "pa-625a/A", "manual", ON_A_SHAKER,
            marks=clause(
                "PA-625a.1(c)(1)", "PA-625a.1(c)(2)", "PA-625a.1(d)(1)", "PA-625a.1(d)(1)(i)-compartment",
                "PA-625a.1(d)(1)(i)-cover", "PA-625a.1(d)(1)(ii)", "PA-625a.1(d)(1)(iii)",
            ),
        ),
        ("pa-625a/B", "manual", ON_A_SHAKER),
        param("pa-625a/A", "automated-covered", AUTOMATED, marks=clause("PA-625a.1(d)(2)(i)-compartment")),
        ("pa-625a/A", "automated-uncovered", AUTOMATED),
        ("pa-625a/B", "player-activated", AUTOMATED),
        param(
            "pa-675a", "manual", ON_TEN_DICE,
            marks=clause(
                "PA-675a.1(a)-dealer", "PA-675a.1(b)(1)", "PA-675a.1(b)(2)(i)", "PA-675a.1(b)(2)(ii)",
                "PA-675a.1(b)(2)(iii)", "PA-675a.1(b)(2)(iv)", "PA-675a.1(b)(5)-labels", "PA-675a.3(b)",
                "PA-675a.3(b)(1)", "PA-675a.3(b)(2)", "PA-675a.1(c)(1)",
            ),
        ),
        param(
            "pa-675a.6", "manual", ON_SIX_DICE,
            marks=clause("PA-675a.6(b)", "PA-675a.6(b)(1)", "PA-675a.6(b)(2)", "PA-675a.6(b)(3)"),
        ),
        param(
            "pa-577", "dice-cup", ON_THE_FIELD,
            marks=clause(
                "PA-577.2(a)-shape", "PA-577.2(b)(1)", "PA-577.2(b)(2)", "PA-577.2(b)(4)", "PA-577.2(b)(5)(i)",
                "PA-577.2(b)(5)(ii)", "PA-577.2(b)(5)(iii)", "PA-577.2(b)(5)(iv)", "PA-577.2(b)(5)(v)",
                "PA-577.2(b)(5)(vi)", "PA-577.2(b)(5)(vii)", "PA-577.2(b)(6)",
            ),
        ),
    ],
)  # fmt: skip
def test_nothing_opens_with_a_line_of_an_approval_missing(rules, shaker, lines):
    scene = inspected(rules, shaker)
    asked = lines_asked(rules, automated=shaker not in ("manual", "dice-cup"))
    assert [line for _rule, line in asked] == lines.split()
    for rule, line in asked:
        with scene.tried():
            approval = Approval.objects.get(subject=rule.subject)
            others = [one for one in approval.lines if one != line]
            assert len(others) == len(rule.lines) - 1
            Approval.objects.filter(pk=approval.pk).update(lines=others)
            with scene.refused("approval-says-less", rule.lines[line]) as refusal:
                scene.open()
            assert refusal.value.params["line"] == line
            assert refusal.value.section.startswith("58 Pa. Code §")
    opens(scene)
