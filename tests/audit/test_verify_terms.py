"""`verify.py` compares the terms of rounds with the approvals of the same export."""

import hashlib

import pytest

from audit import chain, verify

from .outsider import bad, check, exported
from .test_export import OPENING, body

SYSTEM, RULES, TABLE = "installation/system", "larkfield/rules", "larkfield/T-04"
A, B = {"edition": "a"}, {"edition": "b"}
UNCHECKED = (
    "NOT CHECKED: whether the terms of %d entries were approved. That takes the streams of their tables and of the"
    " facility's rules, and installation/system, all from the beginning"
)


def digest_of(terms):
    return hashlib.sha256(chain.canonical(terms)).hexdigest()


def approved(terms, code="RS-0009", version=1, **fields):
    return "rules.approved", {"code": code, "edition": "x", "terms": terms, "version": version}, None, fields


def made(code="RS-0009"):
    return "table.made", {"submission": code}, None, {}


def dealt(terms, number=1, **fields):
    return "wagers.placed", {"round": number}, digest_of(terms), fields


def opened(terms, code="RS-0009", version=1):
    data = {"submission": code, "submission_version": version, "terms_sha256": digest_of(terms)}
    return "table.opened", data, digest_of(terms), {}


def took_effect(terms, version):
    return (
        "rules.took_effect",
        {"submission": "RS-0009", "terms_sha256": digest_of(terms), "version": version},
        None,
        {},
    )


def closed(name, continuation, witness="okafor-a"):
    return "stream.closed", {"continued_by": continuation, "stream": name}, None, {"witness": witness}


CONTINUED: tuple = ("stream.continued", {"stream": "of no account"}, None, {})


def export_of(streams, before=()):
    """An export of these entries by stream, every hash right. Streams in `before` have an entry before its range."""
    streams = dict(sorted({SYSTEM: [], RULES: [], **streams}.items()))
    prior = {name: int(name in before) for name in streams}
    opening = {**OPENING, "from": "2026-11-21T13:00:00.000000Z" if before else None}
    opening["streams"] = [
        {"head": chain.genesis(name + "?" * prior[name]).hex(), "seq": prior[name], "stream": name}
        for name in streams
    ]
    return exported(
        opening,
        {
            name: [
                body(prior[name] + place, data, _type=type_, terms=terms, stream=name, **fields)
                for place, (type_, data, terms, fields) in enumerate(entries, 1)
            ]
            for name, entries in streams.items()
        },
    )


def test_terms_that_were_approved_for_the_tables_submission_are_good():
    lines = check(
        export_of({
            RULES: [approved(A), approved(A, "RS-0012"), approved(B, version=2)],
            TABLE: [made(), opened(A), dealt(A), took_effect(B, 2), dealt(B, 2)],
        })
    )  # fmt: skip
    assert not [line for line in lines if "terms" in line]


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ([made(), dealt(A), dealt(B, 2)], "4: seq 3: its terms were not approved for RS-0009 by then, but for RS-0012"),
        ([made(), dealt({})], "3: seq 2: its terms were not approved for RS-0009 by then"),
        ([made("RS-0012"), dealt(A)], "3: seq 2: its terms were not approved for RS-0012 by then, but for RS-0009"),
        ([made(), opened(B, "RS-0012")], "3: seq 2: it is under RS-0012, but its table was made for RS-0009"),
        ([made(), opened(B)], "3: seq 2: its terms are not those of RS-0009 v1, as approved"),
        ([made(), took_effect(A, 2)], "3: seq 2: its terms were not approved for RS-0009 by then"),
    ],
)  # fmt: skip
def test_terms_that_were_not_approved_for_the_tables_submission_are_bad(table, told):
    written = export_of({RULES: [approved(A), approved(B, "RS-0012")], TABLE: table})
    assert "line " + told.replace("seq", f"{TABLE} seq") == bad(written)
    assert check(written, "--hashes-only")


def test_terms_that_were_approved_only_later_are_bad():
    """The minute is for a clock that was set back in between."""
    streams = {TABLE: [made(), dealt(A)]}
    check(export_of({**streams, RULES: [approved(A, at="2026-11-21T13:06:09.123456Z")]}))
    later = export_of({**streams, RULES: [approved(A, at="2026-11-21T13:06:09.123457Z")]})
    assert "not approved for RS-0009 by then" in bad(later)


@pytest.mark.parametrize(
    ("streams", "before", "entries"),
    [
        ({RULES: [], TABLE: [dealt(A), dealt(A, 2)]}, (SYSTEM, RULES, TABLE), 2),
        ({RULES: [], TABLE: [made(), dealt(A), dealt(B, 2), dealt(B, 2)]}, (RULES,), 3),
        ({RULES: [approved(B)], TABLE: [made(), dealt(A), dealt(B, 2)]}, (SYSTEM,), 1),
        ({RULES: [approved(A)], TABLE: [dealt(A), dealt(B, 2)]}, (TABLE,), 2),
        ({RULES: [approved(A)], TABLE: [("table.made", {}, None, {}), made(), dealt(A)]}, (), 1),
    ],
)
def test_terms_of_which_the_export_does_not_have_the_approval_are_counted_and_not_called_good(
    streams, before, entries
):
    assert UNCHECKED % entries in check(export_of(streams, before))


def test_a_version_whose_approval_the_export_has_is_compared_in_any_range():
    streams = {RULES: [approved(A)], TABLE: [opened(B)]}
    assert "its terms are not those of RS-0009 v1, as approved" in bad(
        export_of(streams, (SYSTEM, RULES, TABLE))
    )


def test_a_stream_of_rules_counts_with_what_two_people_declared_as_its_continuation_and_no_other():
    later = f"{RULES}-2"
    streams = {later: [CONTINUED, approved(A)], TABLE: [made(), dealt(A)]}
    check(export_of({**streams, SYSTEM: [closed(RULES, later)]}))
    for system in ([], [closed(RULES, later, witness=None)], [closed("larkfield/T-05", later)]):
        assert "not approved for RS-0009" in bad(export_of({**streams, SYSTEM: system}))
    assert UNCHECKED % 1 in check(export_of({SYSTEM: [closed(RULES, later)], TABLE: streams[TABLE]}))


def test_a_table_that_continues_another_names_its_submission_second():
    streams = {RULES: [approved(A)], "larkfield/T-04-2": [CONTINUED, made(), dealt(B)]}
    assert bad(export_of(streams)).startswith("line 4: larkfield/T-04-2 seq 3: its terms were not approved")


def test_no_more_terms_are_compared_than_fit_into_memory(monkeypatch):
    monkeypatch.setattr(verify, "TERMS_MOST", 2)
    table = [made(), *(dealt({"number": number}, number) for number in range(5))]
    assert UNCHECKED % 3 in check(
        export_of({RULES: [approved({"number": n}) for n in range(2)], TABLE: table})
    )
    full = export_of({RULES: [approved(A, version=n) for n in range(3)], TABLE: [made(), dealt(B)]})
    assert UNCHECKED % 1 in check(full)


def test_processes_that_share_a_file_compare_its_terms_together(tmp_path, monkeypatch):
    monkeypatch.setattr(verify, "LONG_FILE_BYTES", 1 << 20)
    monkeypatch.setattr(verify.os, "cpu_count", lambda: 3)
    filler: list = [("note.made", {"note": "x" * 99_000}, None, {})] * 11
    path = tmp_path / "export.jsonl"
    for terms in (A, B):
        table = [made(), *filler, dealt(terms), *filler, dealt(terms, 2), *filler]
        path.write_bytes(export_of({RULES: [*filler, approved(A)], TABLE: table}))
        if terms == A:
            assert verify.verify_file(str(path), True, None)
        else:
            with pytest.raises(
                verify.Bad, match="line 14: larkfield/T-04 seq 13: its terms were not approved"
            ):
                verify.verify_file(str(path), True, None)
