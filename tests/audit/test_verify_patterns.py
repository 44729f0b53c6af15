"""`verify.py` accepts most bodies by patterns that it learned, and shares long files. Neither changes an answer."""

import json
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit import chain, export, verify

from . import outsider, stored
from .mutants import FORGED_SEALS, forged_log
from .sealed import archived, files_of
from .test_export import SETTLED, bad, body, check, resealed

LEARNED = [
    {
        "round": 1,
        "note": "§ 5",
        "deep": {"a": [1, 0, -7], "b": []},
        "items": [{"a": None}, {"a": "x", "b": True}],
    },
    {"round": 2, "note": "", "deep": {"a": [], "b": [[], ["x"]]}, "items": []},
    {"round": 3, "note": "Zoë", "deep": {"a": [12], "b": []}, "items": [{"a": False}, {}]},
]


@pytest.fixture(autouse=True)
def eager(monkeypatch):
    """A pattern for each kind of body, made again whenever one is parsed."""
    monkeypatch.setattr(verify, "PARSED_FIRST", 1)


def learned(more=()):
    """A reader that learned from these data and from a settlement, eight times each, and how often it parsed since."""
    reader, parsed = verify.ContentsReader("", "~", verify.RoundTerms()), []
    for _ in range(8):
        for data in (*LEARNED, SETTLED, *more):
            reader.parse(verify.encode(body(1, data)).encode(), 2, verify.Position("larkfield/T-04", 0))
    reader.parse = lambda text, *_where: parsed.append(text)
    return reader, parsed


def accepts(raw, reader_and_parsed, *, after=()):
    """Whether a pattern accepts this body after another, and after these good ones in the same block."""
    reader, parsed = reader_and_parsed
    before, first_line = first_of_an_export()
    lines = []
    for text in (*(chain.canonical(good) for good in after), raw):
        digest = chain.entry_hash(before, text)
        lines.append(export.format_line(digest, before, text))
        before = digest
    parsed.clear()
    reader.read(b"".join(lines), 2, first_line)
    return not parsed


@cache
def first_of_an_export():
    """The hash and the line of a first body, made once for tens of thousands of second bodies."""
    head, text = chain.genesis("larkfield/T-04"), chain.canonical(body(1))
    digest = chain.entry_hash(head, text)
    return digest, export.format_line(digest, head, text).removesuffix(b"\n")


def is_good(raw):
    """Whether parsing accepts this body, as the second of an export."""
    try:
        check(resealed([body(1), raw]))
    except verify.Bad:
        return False
    return True


def test_bodies_of_a_learned_shape_are_accepted_without_parsing():
    reader = learned()
    for data in (*LEARNED, SETTLED, {**LEARNED[0], "round": 999_999_999_999_999, "note": "another"}):
        assert accepts(verify.encode(body(2, data)).encode(), reader)


def test_no_changed_body_is_accepted_by_a_pattern_and_refused_by_parsing():
    reader = learned()
    for data in (LEARNED[0], SETTLED):
        raw = verify.encode(body(2, data, terms="ab" * 32, witness="okafor-a")).encode()
        assert accepts(raw, reader)
        signs = [
            b"",
            b" ",
            b"0",
            b"1",
            b"-",
            b".",
            b",",
            b'"',
            b"\\",
            b"]",
            b"}",
            b"[",
            b"{",
            b"\0",
            b"\x1f",
            b"\xff",
            b"e",
        ]
        for place in range(len(raw)):
            for sign in signs:
                for changed in (raw[:place] + sign + raw[place + 1 :], raw[:place] + sign + raw[place:]):
                    if b"\n" not in changed and accepts(changed, reader):
                        assert is_good(changed), changed


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.text()
    | st.sampled_from(["§", "\\", '"', "],[", "},{"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abc§"), inner, max_size=3),
    max_leaves=12,
)


@given(taught=st.lists(JSON, max_size=3), content=JSON, spaces=st.booleans())
def test_whatever_a_reader_learned_it_accepts_nothing_that_parsing_refuses(taught, content, spaces):
    taught = [
        value
        for value in taught
        if is_good(verify.encode(body(2, {"round": value})).encode("utf-8", "replace"))
    ]
    reader = learned([{"round": value} for value in taught])
    data = json.dumps(
        {"round": content}, ensure_ascii=False, separators=(", ", ": ") if spaces else (",", ":")
    )
    raw = verify.encode(body(2, {})).replace('"data":{}', '"data":' + data).encode("utf-8", "replace")
    if accepts(raw, reader):
        assert is_good(raw)


@pytest.mark.parametrize(
    "change",
    [
        {"actor": "okafor-a"}, {"at": "2026-11-21T13:05:09.123455Z"}, {"at": "2026-11-21T24:05:09.123456Z"},
        {"at": "2026-11-21T13:60:09.123456Z"}, {"gaming_day": "2026-11-24"}, {"seq": 3}, {"stream": "larkfield/T-05"},
        {"terms": "AB" * 32}, {"build": "a\x7f\x00"}, {"command": "x"}, {"device": "x"},
    ],
)  # fmt: skip
def test_what_is_about_the_entry_and_not_its_data_is_compared_too(change):
    good = body(2, LEARNED[0], terms="ab" * 32, witness="okafor-a")
    following = {**good, "seq": 3}
    assert accepts(verify.encode(good).encode(), learned())
    assert accepts(verify.encode(following).encode(), learned(), after=[good])
    assert not accepts(verify.encode({**good, **change}).encode(), learned())
    if change != {"seq": 3}:
        assert not accepts(verify.encode({**following, **change}).encode(), learned(), after=[good])
    assert not accepts(verify.encode(good).encode(), learned(), after=[good])


def test_an_entry_that_claims_the_stream_before_it_in_the_block_is_parsed_and_refused():
    reader, parsed = learned()
    first = [body(seq, LEARNED[0]) for seq in (1, 2)]
    second = [body(1, LEARNED[0], stream="larkfield/T-05"), body(2, LEARNED[0])]
    lines = [
        *resealed(first).splitlines(keepends=True)[1:-1],
        *resealed(second, ("larkfield/T-05",)).splitlines(keepends=True)[1:-1],
    ]
    reader.read(b"".join(lines), 1, b"")
    assert [json.loads(text)["stream"] for text in parsed] == ["larkfield/T-04"]


@pytest.mark.parametrize("change", [{"paid_cents": 3001}, {"returned_cents": 0}, {"taken_cents": 701}])
def test_money_is_added_up_without_parsing_too(change):
    reader = learned()
    assert accepts(verify.encode(body(2, SETTLED)).encode(), reader)
    assert not accepts(verify.encode(body(2, {**SETTLED, **change})).encode(), reader)
    lost, won = SETTLED["settled"]
    wagers = [lost, {**won, "paid_cents": 2999}]
    assert not accepts(
        verify.encode(body(2, {**SETTLED, "settled": wagers, "paid_cents": 2999})).encode(), reader
    )


def test_what_it_learns_stays_small_and_deep_data_leave_no_traceback(monkeypatch):
    monkeypatch.setattr(verify, "SHAPES_MOST", 20)
    monkeypatch.setattr(verify, "KINDS_MOST", 3)
    bodies = [body(1), *(body(seq, {"a": {f"k{seq}": seq}}) for seq in range(2, 60))]
    bodies += [body(seq, {f"k{seq}": 1}) for seq in range(60, 80)]
    deep = (
        verify.encode(body(80, {"a": 1})).replace('{"a":1}', '{"a":' + "[" * 300 + "]" * 300 + "}").encode()
    )
    reader = verify.ContentsReader("", "~", verify.RoundTerms())
    lines = resealed([*bodies, deep]).splitlines(keepends=True)
    reader.read(b"".join(lines[1:-1]), 1, b"")
    position = verify.Position("larkfield/T-04", 0)
    for entry in bodies:
        reader.parse(verify.encode(entry).encode(), 2, position)
    assert len(reader.kinds) == 3
    assert max(kind.shapes for kind in reader.kinds.values()) <= 22
    assert "before" in bad(resealed([body(1), body(2, at="2026-11-21T13:05:09.123455Z")]))


@pytest.mark.parametrize("forgery", [None, "another head", "one number, two heads", "no seals"])
def test_the_first_process_compares_the_sealed_heads_in_the_blocks_of_others_too(forgery, monkeypatch):
    files = files_of(stored.read("eight-entries.zip"))
    data = archived(forged_log(files, FORGED_SEALS[forgery]) if forgery else files)
    answers = []
    for process in (0, 1):
        monkeypatch.setattr(verify, "owner", lambda *_block, process=process: process)
        try:
            answers.append(outsider.check(data))
        except verify.Bad as error:
            answers.append(str(error))
    assert answers[0] == answers[1]
    assert isinstance(answers[0], str) == bool(forgery)


def test_of_several_failures_at_a_line_that_of_one_process_alone_is_named():
    hashed, chained = verify.Bad("its hash does not match its bytes", 7), verify.Bad("it does not follow", 7)
    false = verify.Bad("its witness and actor are the same person", 7)
    assert verify.first_failure([chained], [false, hashed]) is hashed
    assert verify.first_failure([chained], [false]) is chained
    assert verify.first_failure([verify.Bad("the end is cut off")], [false]) is false
