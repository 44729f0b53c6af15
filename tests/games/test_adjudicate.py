"""Rounds as JSON lines: exact answers, and no line that can bring it down."""

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.adjudication import BadLine, adjudicate
from games.engine import Rules
from games.engine.wagers import Wager
from games.management.commands.adjudicate import answer_all
from games.registry import game_of
from tests.services.examples import examples

WAGER = {"seat": 1, "wager": "two-dice:2-5", "cents": 500}
ROUND = {"id": "x1", "rules": "pa-625a/B", "throws": [[2, 2, 5]], "wagers": [WAGER]}


def answers(*lines):
    """The answers to some lines, given as bytes or as what JSON writes of them, and whether all were good."""
    written = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    out = io.BytesIO()
    good = answer_all(io.BytesIO(b"\n".join(written)), out)
    return [json.loads(line) for line in out.getvalue().splitlines()], good


def error(line):
    (answer,), good = answers(line)
    assert not good
    assert list(answer) == ["line", "id", "error"]
    return answer["id"], answer["error"]


def test_the_worked_example():
    assert answers(ROUND) == (
        [
            {
                "id": "x1",
                "rules": "pa-625a/B",
                "ending": "settled",
                "order": [0],
                "wagers": [
                    {
                        **WAGER,
                        "outcome": "win",
                        "pays": "6 to 1",
                        "paid_cents": 3000,
                        "returned_cents": 500,
                        "cite": "58 Pa. Code § 625a.6(a)",
                    }
                ],
            }
        ],
        True,
    )


def test_a_bad_line_says_its_number_and_the_rest_still_runs():
    found, good = answers(ROUND, b"", b"  \r", b"{", {**ROUND, "id": 7, "throws": []}, ROUND)
    assert not good
    assert [one.get("line") for one in found] == [None, 4, 5, None]
    assert [one["id"] for one in found] == ["x1", None, 7, "x1"]


def test_wagers_come_back_as_given_with_the_order_of_settlement_beside_them():
    wagers = [
        {"seat": seat, "wager": code, "cents": 100}
        for seat, code in [(2, "small"), (2, "big"), (1, "small"), (1, "big")]
    ]
    (found,), _ = answers({**ROUND, "wagers": wagers})
    assert [(one["seat"], one["wager"]) for one in found["wagers"]] == [
        (one["seat"], one["wager"]) for one in wagers
    ]
    assert found["order"] == [3, 1, 2, 0]
    assert [one["pays"] for one in found["wagers"]] == ["1 to 1", None, "1 to 1", None]


@pytest.mark.parametrize(
    ("rules", "void", "voided"),
    [
        ("pa-539", "58 Pa. Code § 539.7(a)", "58 Pa. Code § 539.7"),
        ("pa-625a/A", "58 Pa. Code § 625a.7(a)", "58 Pa. Code § 625a.7"),
        ("nj-19-47-9", "N.J.A.C. 19:47-9.6(a)", "N.J.A.C. 19:47-9.6"),
    ],
)
def test_a_no_roll_and_a_void_return_all(rules, void, voided):
    line = {"id": 1, "rules": rules, "wagers": [WAGER]}
    found, good = answers(
        {**line, "throws": [{"void": "leaning"}]},
        {**line, "voided": "spill"},
        {**line, "voided": "x", "throws": [[1, 2, 3]]},
    )
    assert good
    assert [one["ending"] for one in found] == ["no-roll", "void", "void"]
    assert [one["order"] for one in found] == [[0]] * 3
    assert [one["wagers"][0]["cite"] for one in found] == [void, voided, voided]
    for one in found:
        (wager,) = one["wagers"]
        assert (wager["outcome"], wager["pays"], wager["paid_cents"], wager["returned_cents"]) == (
            "return",
            None,
            0,
            500,
        )


def test_a_submission_that_pays_more_is_settled_as_filed():
    line = {**ROUND, "rules": "pa-539", "payouts": {"two-dice": "13 to 2"}}
    (found,), _ = answers(line)
    assert (found["wagers"][0]["pays"], found["wagers"][0]["paid_cents"]) == ("13 to 2", 3250)
    assert "part of a cent" in error({**line, "wagers": [{**WAGER, "cents": 501}]})[1]


def test_no_wagers_at_all_is_a_round_too():
    assert answers({**ROUND, "wagers": []})[0][0]["order"] == []


@pytest.mark.parametrize(
    "change",
    [
        {"throws": []},
        {"throws": [[1, 2, 3], [1, 2, 3]]},
        {"throws": [{"void": "x"}, [1, 2, 3]]},
        {"throws": [[1, 2]]},
        {"throws": [[1, 2, 3, 4]]},
        {"throws": [[0, 1, 2]]},
        {"throws": [[7, 1, 2]]},
        {"throws": [[True, 1, 2]]},
        {"throws": [[1.0, 1, 2]]},
        {"throws": [["1", 1, 2]]},
        {"throws": [123]},
        {"throws": {}},
        {"throws": None},
        {"throws": [{"void": ""}]},
        {"throws": [{"void": 1}]},
        {"throws": [{"void": "x", "by": "me"}]},
        {"throws": [{}]},
        {"voided": True},
        {"voided": ""},
        {"voided": "spill", "throws": [[1, 2, 9]]},
        {"voided": "spill", "throws": [[1, 2, 3], [1, 2, 3]]},
        {"wagers": None},
        {"wagers": [None]},
        {"wagers": [WAGER, WAGER]},
        {"wagers": [{**WAGER, "cents": 0}]},
        {"wagers": [{**WAGER, "cents": -5}]},
        {"wagers": [{**WAGER, "cents": 500.0}]},
        {"wagers": [{**WAGER, "cents": True}]},
        {"wagers": [{**WAGER, "cents": "500"}]},
        {"wagers": [{**WAGER, "cents": None}]},
        {"wagers": [{**WAGER, "seat": 0}]},
        {"wagers": [{**WAGER, "seat": True}]},
        {"wagers": [{**WAGER, "seat": 1.0}]},
        {"wagers": [{**WAGER, "wager": "two-dice:5-2"}]},
        {"wagers": [{**WAGER, "wager": ["big"]}]},
        {"wagers": [{**WAGER, "play": 1}]},
        {"wagers": [{**WAGER, "odds": "6 to 1"}]},
        {"wagers": [{"seat": 1, "wager": "big"}]},
        {"payouts": {"two-dice": "7 to 1"}},
        {"payouts": []},
        {"payout_limit_cents": 5},
        {"notes": "?"},
        {"rules": "pa-625a"},
        {"rules": "pa-675a"},
        {"rules": None},
        {"rules": ["pa-539"]},
    ],
)
def test_it_refuses_a_round_and_still_names_it(change):
    id_, words = error({**ROUND, **change})
    assert id_ == "x1"
    assert words


@pytest.mark.parametrize(
    ("line", "id_"),
    [
        (b"\xff\xfe{}", None),
        (b"[1, 2", None),
        (b"[" * 100_000, None),
        (b"[]", None),
        (b"7", None),
        (b'"x"', None),
        (b'{"id": "a", "id": "b"}', None),
        (b'{"id": "a", "rules": "pa-539", "rules": "pa-539"}', "a"),
        (b'{"id": "a", "rules": NaN}', "a"),
        (b'{"id": "a", "rules": Infinity}', "a"),
        (b'{"id": "a", "x": ' + b"9" * 5000 + b"}", "a"),
        (b'{"id": 1e3, "rules": "pa-539"}', None),
        (b'{"id": true, "rules": "pa-539", "throws": [[1,1,1]], "wagers": []}', None),
        (b'{"id": {"a": 1}, "rules": "pa-539", "throws": [[1,1,1]], "wagers": []}', None),
        (b'{"id": "\\ud800", "rules": "\\ud800"}', "\ud800"),
        (
            b'{"id": "x", "rules": "pa-539", "throws": [[1,1,1]], "wagers": [{"seat":1,"wager":"big","cents":1e3}]}',
            "x",
        ),
        (b'{"id": "x", "rules": "%s %(x)s", "throws": [[1,1,1]], "wagers": []}', "x"),
    ],
)
def test_it_survives_a_line_that_is_no_round(line, id_):
    found = error(line)
    assert found[0] == id_


def test_an_error_names_its_section_where_there_is_one():
    assert error({**ROUND, "wagers": [{**WAGER, "wager": "total:3"}]})[1].endswith("(58 Pa. Code § 625a.3)")
    assert error({**ROUND, "throws": [[1, 2]]})[1].endswith("(58 Pa. Code § 625a.5(d))")


def test_large_amounts_stay_exact():
    (found,), _ = answers({**ROUND, "wagers": [{**WAGER, "cents": 10**30 + 1}]})
    assert found["wagers"][0]["paid_cents"] == 6 * (10**30 + 1)


@settings(max_examples=examples(300), deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_bring_it_down(line):
    assert_answered(line)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["big", "pa-539", "total:4"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["id", "rules", "throws", "wagers", "seat", "wager", "cents", "void"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=examples(300), deadline=None)
@given(st.dictionaries(st.sampled_from([*ROUND, "voided", "payouts"]), JSON))
def test_no_json_brings_it_down(change):
    assert_answered(json.dumps({**ROUND, **change}).encode())


def assert_answered(line):
    try:
        adjudicate(line)
    except BadLine as bad:
        assert bad.refusal.code


@pytest.mark.parametrize(("dice", "ending"), [([1, 1, 1], "lose"), ([2, 5, 6], None)])
def test_adjudicate_refuses_a_fraction_of_a_cent_only_where_it_would_be_paid(dice, ending):
    line = {
        "id": "x1",
        "rules": "nj-19-47-9",
        "payouts": {"two-dice": "11 to 2"},
        "throws": [dice],
        "wagers": [{"seat": 1, "wager": "two-dice:2-5", "cents": 501}],
    }
    if ending:
        assert [one["outcome"] for one in adjudicate(json.dumps(line).encode())["wagers"]] == [ending]
    else:
        with pytest.raises(BadLine, match=r"19:47-9\.4\(b\)|fraction"):
            adjudicate(json.dumps(line).encode())


VOID_OF_CENTS = [
    ("pa-577", [[1, 1, 6]], ["defense"]),
    ("pa-675a", [[2, 2, 2, 3, 3, 4, 4, 5, 6, 6]], ["pip:2", "like-kind:3"]),
    ("pa-675a.6", [[2, 2, 3, 4, 5, 6]], ["pip:2", "like-kind:2"]),
]


@pytest.mark.parametrize(("rules", "throws", "codes"), VOID_OF_CENTS)
def test_a_void_round_returns_a_cent_that_its_throws_would_have_split(rules, throws, codes):
    wagers = [{"seat": 1, "wager": code, "cents": 1} for code in codes]
    found = adjudicate(
        json.dumps({"rules": rules, "voided": "fire", "throws": throws, "wagers": wagers}).encode()
    )
    assert found["ending"] == "void"
    assert [(one["outcome"], one["returned_cents"]) for one in found["wagers"]] == [("return", 1)] * len(
        codes
    )
    with pytest.raises(BadLine, match="fraction-of-a-cent"):
        adjudicate(json.dumps({"rules": rules, "throws": throws, "wagers": wagers}).encode())


@pytest.mark.parametrize(
    ("line", "code", "section"),
    [
        ({"throws": [[1, 1, 1]], "wagers": [{"seat": 1, "wager": "penalty", "cents": 5, "play": 2}]},
         "no-such-play", "3(e)"),
        ({"throws": [[1, 1, 1]], "wagers": [{"seat": 1, "wager": "extra-point", "cents": 5}]},
         "too-few-throws", "6(f)(1)"),
        ({"throws": [[1, 1, 6], [1, 1, 1]], "wagers": []}, "too-many-throws", "5(e)"),
    ],
)  # fmt: skip
def test_a_game_that_lacks_a_throw_or_a_play_names_its_paragraph(line, code, section):
    with pytest.raises(BadLine) as bad:
        adjudicate(json.dumps({"rules": "pa-577", **line}).encode())
    assert (bad.value.refusal.code, bad.value.refusal.section) == (code, f"58 Pa. Code § 577.{section}")


def test_a_play_that_is_null_is_refused():
    wagers = [{"seat": 1, "wager": "touchdown", "cents": 5, "play": None}]
    with pytest.raises(BadLine, match="wrong-value"):
        adjudicate(json.dumps({"rules": "pa-577", "throws": [[1, 1, 1]], "wagers": wagers}).encode())


def test_an_id_of_too_many_digits_is_nobodys():
    with pytest.raises(BadLine) as bad:
        adjudicate(b'{"id":' + b"9" * 3000 + b',"rules":"pa-577","throws":[],"wagers":[]}')
    assert bad.value.id is None


# Rounds voided between two throws


BETWEEN_THROWS = [
    (
        "pa-577",
        [[4, 3, 1]],
        [(1, "touchdown", 1_000, None), (2, "over-four", 1_000, 1), (3, "under-four", 2_000, 1),
         (3, "no-gain", 500, 2)],
        ["return", "win", "lose", "return"],
    ),
    (
        "pa-675a",
        [[6, 6, 6, 1, 2, 3, 4, 5, 1, 2]],
        [(1, "pip:6", 1_000, None), (1, "pip:1", 1_000, None), (1, "like-kind:5", 1_000, None),
         (1, "extra-roll", 1_000, None), (2, "pip:6", 1_000, None), (2, "like-kind:3", 1_000, None)],
        ["win", "lose", "return", "return", "win", "win"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "throws", "wagers", "outcomes"), BETWEEN_THROWS)
def test_a_round_voided_between_throws_keeps_what_they_decided_as_on_the_floor(
    rules, throws, wagers, outcomes
):
    lines = [
        {"seat": seat, "wager": code, "cents": cents, **({"play": play} if play else {})}
        for seat, code, cents, play in wagers
    ]
    paper = adjudicate(
        json.dumps({"rules": rules, "voided": "fire", "throws": throws, "wagers": lines}).encode()
    )
    assert (paper["ending"], [line["outcome"] for line in paper["wagers"]]) == ("void", outcomes)
    assert [(line["seat"], line["wager"]) for line in paper["wagers"]] == [
        (seat, code) for seat, code, *_ in wagers
    ]
    game = game_of(Rules.of(rules))
    staked = [Wager(*wager) for wager in wagers]
    floor = game.restore(
        Rules.of(rules), Rules.of(rules).edition.default_shaker, "void", staked, throws, returned_for="void"
    ).settled
    by_wager = {settled.wager.key: settled for settled in floor}
    for wager, line in zip(staked, paper["wagers"], strict=True):
        settled = by_wager[wager.key]
        assert (line["outcome"], line["paid_cents"], line["returned_cents"], line["cite"]) == (
            settled.outcome,
            settled.paid_cents,
            settled.returned_cents,
            settled.cite,
        )
    assert [paper["wagers"][index]["wager"] for index in paper["order"]] == [
        settled.wager.code for settled in floor
    ]


def test_a_round_voided_before_its_first_throw_or_after_its_last_returns_all():
    wagers = [{"seat": 1, "wager": "pip:6", "cents": 1_000}]
    for throws in ([], [{"void": "cocked"}], [[6, 6, 6, 1, 2, 3, 4, 5, 1, 2]]):
        line = {"rules": "pa-675a", "voided": "fire", "throws": throws, "wagers": wagers}
        assert adjudicate(json.dumps(line).encode())["wagers"][0]["outcome"] == "return"


@pytest.mark.clause("PA-675a.5(e)-floor", "PA-675a.6(l)-floor")
@pytest.mark.parametrize(("rules", "section"), [("pa-675a", "5(e)"), ("pa-675a.6", "6(l)")])
def test_a_payout_limit_that_no_table_may_have_is_refused(rules, section):
    dice = [6] * (10 if rules == "pa-675a" else 6)
    line = {"rules": rules, "throws": [dice], "wagers": [{"seat": 1, "wager": "pip:6", "cents": 1_000}]}
    for cents in (4_999_999, 1):
        with pytest.raises(BadLine) as bad:
            adjudicate(json.dumps({**line, "payout_limit_cents": cents}).encode())
        assert (bad.value.refusal.code, bad.value.refusal.section) == (
            "limit-under-the-least",
            f"58 Pa. Code § 675a.{section}",
        )
    adjudicate(json.dumps({**line, "payout_limit_cents": 5_000_000}).encode())
