"""Two verifiers, one written from FORMAT.md alone and in another language, answer alike of good files and bad ones."""

import datetime as dt
import io
import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from types import CodeType
from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction

from audit import export
from audit.exporting import bundle, segment
from audit.models import Checkpoint, Entry, SealedHead, Stream
from audit.record import open_stream
from tests.tables.cast import make_scene

from .conftest import MOMENT
from .gone_back import as_superuser
from .mutants import (
    BAD,
    FORGED_SEALS,
    GOOD,
    RAW,
    checkpoint,
    cut_short,
    forged_export,
    forged_log,
    of_bytes,
    of_lines,
    renamed,
    request,
    root,
    sha256,
    thiefs_vkey,
    with_manifest,
)
from .sealed import SECOND, House, archived, bundled, files_of, proof_of

ROOT = Path(__file__).resolve().parents[2]
FIRST = ROOT / "audit" / "verify.py"
OTHER = Path(__file__).parent / "node" / "verify.mjs"
HOUR = 3600 * SECOND

pytestmark = pytest.mark.django_db


@dataclass
class Case:
    """A file (bytes), or a folder (its files by name), and what the reader has: keys, a checkpoint, a proof."""

    name: str
    held: bytes | dict[str, bytes]
    has: dict[str, str] = field(default_factory=dict)


Asked = Callable[[list[Case]], list[tuple[str, str, str]]]


@cache
def program() -> CodeType:
    return compile(FIRST.read_bytes(), str(FIRST), "exec")


def first_says(path: Path, has: dict[str, str]) -> str:
    """`python audit/verify.py`, in this process: an interpreter for each of hundreds would take minutes."""
    words = [word for name, value in has.items() for word in ("--" + name.replace("_", "-"), value)]
    said, before = io.StringIO(), sys.argv
    sys.argv = [str(FIRST), *words, str(path)]
    try:
        with redirect_stdout(said), redirect_stderr(said), pytest.raises(SystemExit) as ended:
            exec(program(), {"__name__": "__main__", "__file__": str(FIRST)})
    finally:
        sys.argv = before
    return "good" if not ended.value.code else said.getvalue().strip().splitlines()[-1]


@pytest.fixture
def asked(tmp_path: Path) -> Asked:
    """What both say of each case: (name, of the first, of the second)."""
    node = shutil.which("node") or shutil.which("nodejs")
    if node is None:
        pytest.skip("no Node here")

    def ask(cases: list[Case]) -> list[tuple[str, str, str]]:
        paths, folder = [], Path(mkdtemp(dir=tmp_path))
        for number, case in enumerate(cases):
            path = folder / str(number)
            if isinstance(case.held, dict):
                path.mkdir()
                for name, data in case.held.items():
                    (path / name).write_bytes(data)
            else:
                path.write_bytes(case.held)
            paths.append(path)
        listed = "".join(
            json.dumps({"file": str(path), **case.has}) + "\n"
            for path, case in zip(paths, cases, strict=True)
        )
        ran = subprocess.run(
            [node, str(OTHER), "--list"], input=listed, capture_output=True, text=True, check=False
        )
        answers = ran.stdout.splitlines()
        assert ran.stderr == "" and len(answers) == len(cases)
        assert ran.returncode == int(any(answer != "good" for answer in answers))
        assert not [answer for answer in answers if "not understood" in answer]
        return [
            (case.name, first_says(path, case.has), second)
            for case, path, second in zip(cases, paths, answers, strict=True)
        ]

    return ask


def unlike(answers: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    return [one for one in answers if (one[1] == "good") != (one[2] == "good")]


def not_all(meant: str, answers: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Those of which one of the two did not say what is meant."""
    return [one for one in answers if {one[1].split(":")[0], one[2].split(":")[0]} != {meant}]


# What the house writes


TABLES = ("larkfield/T-04", "larkfield/T-1", "larkfield/sign-in")
COSIGNED = "witness.example/w1+e75f6532+BAOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4"  # as FORMAT.md has it


@pytest.fixture
def house(tmp_path_factory, write, dealer, floorperson) -> House:
    """Three streams over three days; six seals, the newest cosigned; an entry behind them on each stream."""
    house = House(tmp_path_factory.mktemp("house"), write)
    for turn in range(1, 8):
        after = turn * 9 * HOUR
        house.act(after, data={"round": turn, "said": '§ \U0001f3b2 \u2028 "\\'})
        if turn % 2:
            house.act(after, TABLES[1], actor=dealer, witness=floorperson)
            house.act(after, TABLES[2], command="6d1b7a52-0b0c-4b57-8f4e-0d4a3a4c0b0e")
        if turn < 7:
            house.seal(after + SECOND)
    house.cosign(Checkpoint.objects.latest("size"))
    return house


def exported(*names: str, since=None, until=None) -> bytes:
    return b"".join(export.lines(export.select(list(names), since, until)))


RANGES = [(None, None), (None, 30), (30, None), (30, 50), (55, 60), (200, 300)]


def ranges() -> Iterator[dict[str, dt.datetime | None]]:
    for since, until in RANGES:
        yield {
            "since": None if since is None else MOMENT + since * HOUR,
            "until": None if until is None else MOMENT + until * HOUR,
        }


def test_both_accept_what_the_product_writes(house, asked):
    mine = {"vkey": house.vkey}
    cases = []
    for span in ranges():
        for names in (TABLES, TABLES[:1], ()):
            told = f"{names} {span}"
            archive = bundled(*names, **span, at=MOMENT + 400 * HOUR)
            cases += [
                Case(f"export {told}", exported(*names, **span)),
                Case(f"bundle {told}", archive, mine),
                Case(
                    f"folder {told}", {**files_of(archive), "notes.txt": b"mine"}, {"witness_vkey": COSIGNED}
                ),
            ]
    assert json.loads(files_of(cases[-2].held)["seals.jsonl"].splitlines()[0])["first"] > 0
    sealed = Entry.objects.filter(stream__name="larkfield/T-04", seq__lt=7)
    cases += [Case(f"proof {entry.seq}", proof_of(entry), mine) for entry in sealed]
    cases.append(Case("no key", cases[-1].held))
    assert len(cases) == 61
    assert not_all("good", asked(cases)) == []


def test_both_accept_a_played_table_and_a_training_table(asked, tmp_path):
    scene = make_scene()
    scene.play((1, "small", 2_500), (2, "two-dice:2-5", 5_000), dice=[2, 5, 5])
    scene.finish()
    call_command("simulate", tables=1, rounds=3, seed=7, stdout=io.StringIO())
    played = [exported("larkfield/T-01"), exported("larkfield/SIM-01"), exported()]
    assert all(b'"settled":[{' in one for one in played)
    bare = bundled()
    cases = [Case("played", one) for one in played] + [Case("nothing is sealed", bare)]
    assert not_all("good", asked(cases)) == []
    wrong = [forged_export(one, overpaid) for one in played]
    cases = [Case("overpaid", one) for one in wrong]
    cases.append(Case("nothing is sealed, and a key", bare, {"vkey": thiefs_vkey()}))
    assert not_all("bad", asked(cases)) == []


def overpaid(bodies: list[dict]) -> None:
    """A dollar more for the first wager that won, in the totals too."""
    for said in (body["data"] for body in bodies[1:]):
        for wager in said.get("settled", ()):
            if wager["outcome"] == "win":
                wager["paid_cents"] += 100
                said["paid_cents"] += 100
                return
    raise AssertionError("nobody won")


# What was changed


def test_blind_changes_of_an_export_and_a_proof_are_found_by_both(house, asked):
    span = {"since": MOMENT + 30 * HOUR, "until": MOMENT + 50 * HOUR}
    data, proof = exported(*TABLES, **span), proof_of(Entry.objects.get(stream__name="larkfield/T-04", seq=2))
    cases = [Case(*one) for one in [*of_bytes(data, 79), *of_lines(data)]]
    mine = {"vkey": house.vkey, "witness_vkey": COSIGNED}
    cases += [Case(*one, mine) for one in [*of_bytes(proof, 41), *of_lines(proof)]]
    assert len(cases) > 110
    assert not_all("bad", asked(cases)) == []


def test_blind_changes_of_a_bundle_are_found_by_both(house, asked):
    files = files_of(bundled(*TABLES, since=MOMENT + 30 * HOUR, until=MOMENT + 50 * HOUR))
    cases, remade = [], []
    for name, data in files.items():
        cases.append(Case(f"no {name}", {one: held for one, held in files.items() if one != name}))
        every = max(len(data) // 3, 1)
        cases += [Case(f"{name}: {one}", {**files, name: held}) for one, held in of_bytes(data, every)]
        if name in ("beyond.jsonl", "checkpoint.txt", "seals.jsonl", "record.jsonl"):
            changed = [*of_bytes(data, every), *of_lines(data, 5)]
            remade += [
                Case(f"{name}, sums anew: {one}", with_manifest(files, {name: held})) for one, held in changed
            ]
    assert not_all("bad", asked(cases)) == []
    assert unlike(asked(remade)) == []


def test_both_judge_forged_exports_with_new_hashes_alike(house, asked):
    data = exported(*TABLES)
    by_code_point, by_utf16 = ("\uff34/a", "\U0001f3b2/a"), ("\U0001f3b2/a", "\uff34/a")
    good = {**GOOD, "names by code point": renamed(*by_code_point)}
    bad = {**BAD, "names by UTF-16": renamed(*by_utf16)}
    assert (
        not_all("good", asked([Case(name, forged_export(data, edit)) for name, edit in good.items()])) == []
    )
    cases = [Case(name, forged_export(data, edit)) for name, edit in bad.items()]
    cases += [Case(name, forged_export(data, GOOD["as it was"], raw)) for name, raw in RAW.items()]
    assert not_all("bad", asked(cases)) == []


# Entries of the future


def test_an_entry_dated_after_its_seal_is_bad_and_one_of_a_clock_that_went_back_is_not(house, asked):
    """A minute after its seal, and more: in the range, beyond it, and in a proof."""
    minute = 60 * SECOND
    house.act(70 * HOUR + minute, TABLES[0])
    house.seal(70 * HOUR)
    proof = proof_of(Entry.objects.filter(stream__name=TABLES[0]).latest("seq"))
    good = [
        Case("whole", bundled()),
        Case("beyond", bundled(TABLES[0], until=MOMENT + 70 * HOUR)),
        Case("proof", proof),
    ]
    assert not_all("good", asked(good)) == []
    house.act(71 * HOUR + minute + SECOND / 1_000_000, TABLES[1])
    house.act(71 * HOUR, TABLES[0])
    house.seal(71 * HOUR)
    proof = proof_of(Entry.objects.filter(stream__name=TABLES[1]).latest("seq"))
    bad = [
        Case("whole", bundled()),
        Case("beyond", bundled(TABLES[1], until=MOMENT + 70.5 * HOUR)),
        Case("proof", proof),
    ]
    assert not_all("bad", asked(bad)) == []
    assert not_all("good", asked([Case("the other table", bundled(TABLES[0]))])) == []
    house.act(96 * HOUR, TABLES[0])
    house.seal(96 * HOUR)
    later = bundled(
        TABLES[1], since=MOMENT + 97 * HOUR
    )  # the entry is before the range: an older bundle shows it
    assert not_all("good", asked([Case("later", later)])) == []


def test_a_stream_dated_after_its_seals_is_excepted_only_if_two_people_closed_it(
    house, asked, dealer, floorperson
):
    house.act(71 * HOUR, TABLES[1])
    house.seal(70 * HOUR)
    jammed = Stream.objects.get(name=TABLES[1])
    said = {"head": bytes(jammed.head).hex(), "seq": jammed.seq, "stream": jammed.name, "why": "jammed"}
    people = {"actor": dealer, "witness": floorperson}

    def closed(name="installation/system", type="stream.closed", people=people, **changed: Any) -> bytes:
        with transaction.atomic():
            house.act(72 * HOUR, name, type=type, data={**said, **changed}, **people)
            archive = bundled()
            transaction.set_rollback(True)
        return archive

    good = [Case("closed", closed()), Case("closed later", closed(seq=jammed.seq + 1, head="0" * 64))]
    bad = [
        Case("nothing", bundled()),
        Case("another head", closed(head="0" * 64)),
        Case("an earlier number", closed(seq=jammed.seq - 1)),
        Case("no number", closed(seq=str(jammed.seq))),
        Case("another stream", closed(stream=TABLES[0])),
        Case("another type", closed(type="stream.continued")),
        Case("on another stream", closed(name=TABLES[2])),
        Case("nobody with the actor", closed(people={"actor": dealer})),
        Case("nobody", closed(people={})),
    ]
    assert not_all("good", asked(good)) == []
    assert not_all("bad", asked(bad)) == []


# A stream that was deleted

EVERY = [
    {},
    {"facility": "larkfield"},
    {"training": True},
    {"since": MOMENT + 30 * HOUR, "until": MOMENT + 50 * HOUR},
]


def test_a_stream_deleted_with_all_rows_about_it_fails_a_bundle_of_every_stream(house, asked):
    open_stream("larkfield/T-24", real_play=False)
    house.act(70 * HOUR, "larkfield/T-24")
    house.seal(70 * HOUR)
    assert not_all("good", asked([Case(f"every {how}", bundled(**how)) for how in EVERY])) == []
    with as_superuser():
        SealedHead.objects.filter(stream__name=TABLES[1]).delete()
        Entry.objects.filter(stream__name=TABLES[1]).delete()
        Stream.objects.filter(name=TABLES[1]).delete()
    assert not_all("good", asked([Case("named streams", bundled(TABLES[0], TABLES[2]))])) == []
    answers = asked([Case(f"every {how}", bundled(**how)) for how in EVERY])
    assert [TABLES[1] in first and TABLES[1] in second for _, first, second in answers] == [True] * len(EVERY)


def test_a_bundle_names_no_stream_of_a_facility_that_plays_beside_it(house, asked):
    """Not in any of its files, whole or in part of the time; `larkfield2` has the other's code in its own."""
    facilities = {"larkfield": "larkfield2/T-91", "larkfield2": "larkfield/T-04"}
    for turn in range(4):
        for name in facilities.values():
            house.act((70 + turn) * HOUR, name)
            house.seal((70 + turn) * HOUR)
    cases = []
    for facility, foreign in facilities.items():
        for since, until in ((None, None), (30, None), (71, 72)):
            moments = {"since": since and MOMENT + since * HOUR, "until": until and MOMENT + until * HOUR}
            archive = bundled(facility=facility, at=MOMENT + 80 * HOUR, **moments)
            papers = ("FORMAT.md", "verify.py", "witness.py", "README.txt")
            files = {name: data for name, data in files_of(archive).items() if name not in papers}
            streams = {one["stream"] for one in first_line(archive)["streams"]}
            assert {name.partition("/")[0] for name in streams} == {"installation", facility}
            assert [name for name, data in files.items() if foreign.partition("T")[0].encode() in data] == []
            cases.append(Case(f"{facility} {since} {until}", archive, {"vkey": house.vkey}))
    assert not_all("good", asked(cases)) == []


def first_line(archive: bytes) -> dict[str, Any]:
    return json.loads(files_of(archive)["record.jsonl"].partition(b"\n")[0])["body"]


def test_a_bundle_of_every_stream_has_those_that_began_while_it_was_written(house, asked, monkeypatch):
    found = segment.segment_for
    later = iter(["larkfield/T-2", "larkfield/T-3"])

    def meanwhile(*arguments):
        for name in later:
            house.act(70 * HOUR, name)
            house.seal(70 * HOUR)
            break
        return found(*arguments)

    monkeypatch.setattr(bundle, "segment_for", meanwhile)
    archive = bundled()
    assert not_all("good", asked([Case("meanwhile", archive)])) == []
    names = [one["stream"] for one in first_line(archive)["streams"]]
    assert names == [
        "installation/system",
        "larkfield/T-04",
        *TABLES[1:2],
        "larkfield/T-2",
        "larkfield/T-3",
        TABLES[2],
    ]


WRONG_STATEMENTS = [
    None, [], {"facility": None}, {"facility": 1, "other_play": []}, {"facility": None, "other_play": None},
    {"facility": None, "other_play": [1]}, {"facility": None, "other_play": ["b/b", "a/a"]},
    {"facility": None, "other_play": ["a/a", "a/a"]}, {"facility": None, "other_play": [TABLES[0]]},
    {"facility": None, "other_play": [], "more": 1},
]  # fmt: skip


def test_a_statement_of_every_stream_is_judged_alike(house, asked):
    files = files_of(bundled(TABLES[0]))

    def stating(every: Any) -> dict[str, bytes]:
        record = forged_export(files["record.jsonl"], lambda bodies: bodies[0].update(every=every))
        return with_manifest(files, {"record.jsonl": record})

    others = ["installation/system", *TABLES[1:]]
    good = [
        {"facility": None, "other_play": others},
        {"facility": "larkfield", "other_play": [*others, "z/z"]},
    ]
    bad = [
        *WRONG_STATEMENTS,
        {"facility": None, "other_play": others[:2]},
        {"facility": "x", "other_play": []},
    ]
    assert not_all("good", asked([Case(f"good {one}", stating(one)) for one in good])) == []
    assert not_all("bad", asked([Case(f"bad {one}", stating(one)) for one in bad])) == []


# Seals, keys, and what a reader kept


def test_forged_seals_are_judged_alike(house, asked):
    spans: list[dict[str, Any]] = [
        {},
        {"since": MOMENT + 10 * HOUR, "until": MOMENT + 30 * HOUR},
        {"until": MOMENT + 20 * HOUR},
    ]
    good, bad, either = list[Case](), list[Case](), list[Case]()
    for span in spans:
        files = with_manifest(files_of(bundled(*TABLES, **span)), {})
        assert json.loads(files["seals.jsonl"].splitlines()[0])["first"] == 0
        good.append(Case("as it was", forged_log(files), {"vkey": thiefs_vkey()}))
        bad.append(Case("the house's key", forged_log(files), {"vkey": house.vkey}))
        bad.append(
            Case("another size", forged_log(files, head=lambda said: said.update(size=said["size"] + 1)))
        )
        bad.append(Case("another origin", forged_log(files, head=lambda said: said.update(origin="a\nb"))))
        either += [Case(name, forged_log(files, edit)) for name, edit in FORGED_SEALS.items()]
        beyond = files["beyond.jsonl"].splitlines(keepends=True)
        more = sorted({*beyond, *files_of(bundled(*TABLES))["record.jsonl"].splitlines(keepends=True)[1:-1]})
        more.sort(key=lambda one: (json.loads(one)["body"]["stream"], json.loads(one)["body"]["seq"]))
        for place in range(0, len(more), 2):
            some = {"beyond.jsonl": b"".join(more[place : place + 3])}
            either.append(Case(f"others beyond, {place}", forged_log(files, others=some)))
            either.append(Case(f"others beyond, cut, {place}", forged_log(files, cut_short, others=some)))
    assert not_all("good", asked(good)) == []
    assert not_all("bad", asked(bad)) == []
    answers = asked(either)
    assert unlike(answers) == []
    assert [
        one for one in answers[: len(FORGED_SEALS)] if one[2] == "good"
    ] == []  # those of the whole record


def test_a_saved_checkpoint_of_this_log_is_good_and_that_of_a_fork_is_bad(house, asked, tmp_path):
    kept = []
    for one in Checkpoint.objects.order_by("size"):
        kept.append(tmp_path / f"kept-{one.size}.txt")
        kept[-1].write_text(one.cosigned, encoding="utf-8")
    mine = {"vkey": house.vkey}
    whole = bundled(*TABLES)
    good = [Case(f"kept {path.name}", whole, {**mine, "checkpoint": str(path)}) for path in kept]
    assert len(good) == 6
    files = files_of(whole)
    thief = {"vkey": thiefs_vkey()}
    forked = forged_log(files, lambda seals: seals[0].update(at="2026-11-21T13:05:09.000000Z"))
    leaves = [sha256(b"\0", one) for one in files["seals.jsonl"].splitlines()[1:]]
    origin = json.loads(files["seals.jsonl"].splitlines()[0])["origin"]
    bad = [
        Case("another key", whole, thief),
        Case("not a key of a witness", whole, {**mine, "witness_vkey": house.vkey}),
    ]
    longer, other, proof = tmp_path / "longer.txt", tmp_path / "other.txt", tmp_path / "proof.txt"
    added = [*leaves, *(sha256(bytes([one])) for one in range(5))]
    longer.write_bytes(checkpoint(origin, len(added), root(added)))
    other.write_bytes(checkpoint("thief.example/record/1", len(leaves), root(leaves)))
    proof.write_bytes(request(len(leaves), added))
    for size in range(1, 7):
        path = tmp_path / f"thiefs-{size}.txt"
        path.write_bytes(checkpoint(origin, size, root(leaves[:size])))
        good.append(Case(f"the thief's own {size}", forged_log(files), {**thief, "checkpoint": str(path)}))
        bad.append(Case(f"a fork {size}", forked, {**thief, "checkpoint": str(path)}))
    known = {**thief, "checkpoint": str(longer)}
    good.append(Case("a longer one", forged_log(files), {**known, "proof": str(proof)}))
    bad += [
        Case("a longer one without a proof", forged_log(files), known),
        Case("a longer one of a fork", forked, {**known, "proof": str(proof)}),
        Case("of another origin", forged_log(files), {**thief, "checkpoint": str(other)}),
    ]
    either: list[Case] = []
    for name, data in [*of_bytes(proof.read_bytes(), 17), *of_lines(proof.read_bytes(), 2)]:
        path = tmp_path / f"proof {len(either)}"
        path.write_bytes(data)
        either.append(Case(f"the proof, {name}", forged_log(files), {**known, "proof": str(path)}))
    assert not_all("good", asked(good)) == []
    assert not_all("bad", asked(bad)) == []
    answers = asked(either)
    assert unlike(answers) == []


def test_an_archive_that_holds_a_file_twice_or_one_more_is_bad(house, asked):
    files = files_of(bundled(*TABLES))
    whole = archived(files)
    twice = io.BytesIO(whole)
    with zipfile.ZipFile(twice, "a") as held, pytest.warns(UserWarning, match="Duplicate"):
        held.writestr("keys.txt", files["keys.txt"])
    more = archived({**files, "more.txt": b"more\n"})
    assert not_all("good", asked([Case("stored", whole)])) == []
    cases = [Case("twice", twice.getvalue()), Case("more", more), Case("cut", whole[:-30]), Case("PK", b"PK")]
    middle = len(whole) // 2
    cases += [Case(name, data + whole[middle:]) for name, data in of_bytes(whole[:middle], middle // 8)][1:]
    assert not_all("bad", asked(cases)) == []
