"""`verify.py` reads lists of wagers apart from their entry, and shares long files. Neither changes an answer."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit import verify

from . import outsider, stored
from .mutants import FORGED_SEALS, forged_log
from .sealed import archived, files_of
from .test_export import SETTLED, body

PLACED = {
    "placed": [
        {"cents": 700, "flag": "", "made_in": "chips", "seat": 2, "wager": "big"},
        {"cents": 500, "flag": "§ 5", "made_in": "plaques", "play": 1, "seat": 1, "wager": "penalty"},
    ],
    "round": 1,
    "wagered_cents": 1_200,
}
TYPES = {"round.settled": SETTLED, "wagers.placed": PLACED}


def read(raw: bytes, apart: bool, monkeypatch):
    """What a body says as the second of its stream, or why it says nothing."""
    with monkeypatch.context() as patched:
        if not apart:
            patched.setattr(verify, "WAGER_LISTS", {})
        try:
            entry = verify.read_entry(raw, "larkfield/T-04", 2)
            if verify.is_settlement(entry.type, entry.data):
                verify.verify_settled(entry.data)
        except verify.Bad:
            return None
    placed = entry.data.get("placed")
    if isinstance(placed, list) and entry.type == "wagers.placed":
        try:
            entry.data["placed"] = [
                item if isinstance(item, tuple) else verify.placed_wager_of(item) for item in placed
            ]
        except verify.MISSHAPEN:
            return None
    return entry


@pytest.mark.parametrize("type_", TYPES)
def test_no_changed_body_is_read_otherwise_because_its_wagers_are_read_apart(type_, monkeypatch):
    raw = verify.encode(body(2, TYPES[type_], _type=type_)).encode()
    assert read(raw, True, monkeypatch) == read(raw, False, monkeypatch) is not None
    assert verify.without_wagers(raw.decode(), 0, verify.WAGER_LISTS[type_])[1] is not None
    signs = [b"", b" ", b"0", b"1", b"-", b".", b",", b'"', b"\\", b"]", b"}", b"[", b"{", b"\0", b"\x1f"]
    for place in range(raw.index(b'"data"'), len(raw)):
        for sign in (*signs, b"},{", b"}]"):
            for changed in (raw[:place] + sign + raw[place + 1 :], raw[:place] + sign + raw[place:]):
                assert read(changed, True, monkeypatch) == read(changed, False, monkeypatch), changed


JSON = st.recursive(
    st.none() | st.integers(-5, 5) | st.text() | st.sampled_from(["}],[{", "},{", '"settled":[{', "]"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["a", "settled", "placed", "}]", '"'], ), inner, max_size=3),
    max_leaves=10,
)  # fmt: skip


@given(content=st.dictionaries(st.sampled_from(["a", "settled", "placed", "z"]), JSON), spaces=st.booleans())
def test_whatever_stands_in_an_entry_is_read_alike(content, spaces):
    data = json.dumps(content, ensure_ascii=False, separators=(", ", ": ") if spaces else (",", ":"))
    for type_ in TYPES:
        empty = verify.encode(body(2, {}, _type=type_))
        raw = empty.replace('"data":{}', '"data":' + data).encode("utf-8", "replace")
        with pytest.MonkeyPatch.context() as monkeypatch:
            assert read(raw, True, monkeypatch) == read(raw, False, monkeypatch)


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
