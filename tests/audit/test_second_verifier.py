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
from audit.exporting import bundle
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
    content: bytes | dict[str, bytes]
    has: dict[str, str] = field(default_factory=dict)


Judges = Callable[[list[Case]], list[tuple[str, str, str]]]


@cache
def program() -> CodeType:
    return compile(FIRST.read_bytes(), str(FIRST), "exec")


def first_says(path: Path, has: dict[str, str]) -> str:
    """`python audit/verify.py`, in this process: an interpreter for each of hundreds would take minutes."""
    words = [word for name, value in has.items() for word in ("--" + name.replace("_", "-"), value)]
    output, before = io.StringIO(), sys.argv
    sys.argv = [str(FIRST), *words, str(path)]
    try:
        with redirect_stdout(output), redirect_stderr(output), pytest.raises(SystemExit) as ended:
            exec(program(), {"__name__": "__main__", "__file__": str(FIRST)})
    finally:
        sys.argv = before
    return "good" if not ended.value.code else output.getvalue().strip().splitlines()[-1]


@pytest.fixture
def judged(tmp_path: Path) -> Judges:
    """What both verifiers say of each case: its name, the first answer, the second answer."""
    node = shutil.which("node") or shutil.which("nodejs")
    if node is None:
        pytest.skip("no Node here")

    def judge(cases: list[Case]) -> list[tuple[str, str, str]]:
        paths, folder = [], Path(mkdtemp(dir=tmp_path))
        for number, case in enumerate(cases):
            path = folder / str(number)
            if isinstance(case.content, dict):
                path.mkdir()
                for name, data in case.content.items():
                    (path / name).write_bytes(data)
            else:
                path.write_bytes(case.content)
            paths.append(path)
        listed = "".join(
            json.dumps({"file": str(path), **case.has}) + "\n"
            for path, case in zip(paths, cases, strict=True)
        )
        completed = subprocess.run(
            [node, str(OTHER), "--list"], input=listed, capture_output=True, text=True, check=False
        )
        answers = completed.stdout.splitlines()
        assert completed.stderr == "" and len(answers) == len(cases)
        assert completed.returncode == int(any(answer != "good" for answer in answers))
        assert not [answer for answer in answers if "not understood" in answer]
        return [
            (case.name, first_says(path, case.has), second)
            for case, path, second in zip(cases, paths, answers, strict=True)
        ]

    return judge


def unlike(answers: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    return [answer for answer in answers if (answer[1] == "good") != (answer[2] == "good")]


def not_all(expected: str, answers: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """The cases in which a verifier did not give the expected answer."""
    return [answer for answer in answers if {answer[1].split(":")[0], answer[2].split(":")[0]} != {expected}]


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


def test_both_accept_what_the_product_writes(house, judged):
    mine = {"vkey": house.vkey}
    cases = []
    for span in ranges():
        for names in (TABLES, TABLES[:1], ()):
            label = f"{names} {span}"
            archive = bundled(*names, **span, at=MOMENT + 400 * HOUR)
            cases += [
                Case(f"export {label}", exported(*names, **span)),
                Case(f"bundle {label}", archive, mine),
                Case(
                    f"folder {label}", {**files_of(archive), "notes.txt": b"mine"}, {"witness_vkey": COSIGNED}
                ),
            ]
    assert json.loads(files_of(cases[-2].content)["seals.jsonl"].splitlines()[0])["first"] > 0
    sealed = Entry.objects.filter(stream__name="larkfield/T-04", seq__lt=7)
    cases += [Case(f"proof {entry.seq}", proof_of(entry), mine) for entry in sealed]
    cases.append(Case("no key", cases[-1].content))
    assert len(cases) == 61
    assert not_all("good", judged(cases)) == []


def test_both_accept_a_played_table_and_a_training_table(judged, tmp_path):
    scene = make_scene()
    scene.play((1, "small", 2_500), (2, "two-dice:2-5", 5_000), dice=[2, 5, 5])
    scene.finish()
    call_command("simulate", tables=1, rounds=3, seed=7, stdout=io.StringIO())
    played = [exported("larkfield/T-01"), exported("larkfield/SIM-01"), exported()]
    assert all(b'"settled":[{' in record for record in played)
    bare = bundled()
    cases = [Case("played", record) for record in played] + [Case("nothing is sealed", bare)]
    assert not_all("good", judged(cases)) == []
    wrong = [forged_export(record, overpaid) for record in played]
    cases = [Case("overpaid", record) for record in wrong]
    cases.append(Case("nothing is sealed, and a key", bare, {"vkey": thiefs_vkey()}))
    assert not_all("bad", judged(cases)) == []


def overpaid(bodies: list[dict]) -> None:
    """A dollar more for the first wager that won, in the totals too."""
    for data in (body["data"] for body in bodies[1:]):
        for wager in data.get("settled", ()):
            if wager["outcome"] == "win":
                wager["paid_cents"] += 100
                data["paid_cents"] += 100
                return
    raise AssertionError("nobody won")


# What was changed


def test_blind_changes_of_an_export_and_a_proof_are_found_by_both(house, judged):
    span = {"since": MOMENT + 30 * HOUR, "until": MOMENT + 50 * HOUR}
    data, proof = exported(*TABLES, **span), proof_of(Entry.objects.get(stream__name="larkfield/T-04", seq=2))
    cases = [Case(*change) for change in [*of_bytes(data, 79), *of_lines(data)]]
    mine = {"vkey": house.vkey, "witness_vkey": COSIGNED}
    cases += [Case(*change, mine) for change in [*of_bytes(proof, 41), *of_lines(proof)]]
    assert len(cases) > 110
    assert not_all("bad", judged(cases)) == []


def test_blind_changes_of_a_bundle_are_found_by_both(house, judged):
    files = files_of(bundled(*TABLES, since=MOMENT + 30 * HOUR, until=MOMENT + 50 * HOUR))
    cases, remade = [], []
    for name, data in files.items():
        cases.append(
            Case(
                f"no {name}",
                {other_name: content for other_name, content in files.items() if other_name != name},
            )
        )
        every = max(len(data) // 3, 1)
        cases += [
            Case(f"{name}: {change}", {**files, name: content}) for change, content in of_bytes(data, every)
        ]
        if name in ("beyond.jsonl", "checkpoint.txt", "seals.jsonl", "record.jsonl"):
            changed = [*of_bytes(data, every), *of_lines(data, 5)]
            remade += [
                Case(f"{name}, with new sums: {change}", with_manifest(files, {name: content}))
                for change, content in changed
            ]
    assert not_all("bad", judged(cases)) == []
    assert unlike(judged(remade)) == []


def test_both_judge_forged_exports_with_new_hashes_alike(house, judged):
    data = exported(*TABLES)
    by_code_point, by_utf16 = ("\uff34/a", "\U0001f3b2/a"), ("\U0001f3b2/a", "\uff34/a")
    good = {**GOOD, "names by code point": renamed(*by_code_point)}
    bad = {**BAD, "names by UTF-16": renamed(*by_utf16)}
    assert (
        not_all("good", judged([Case(name, forged_export(data, edit)) for name, edit in good.items()])) == []
    )
    cases = [Case(name, forged_export(data, edit)) for name, edit in bad.items()]
    cases += [Case(name, forged_export(data, GOOD["as it was"], raw)) for name, raw in RAW.items()]
    assert not_all("bad", judged(cases)) == []


# Entries of the future


def test_an_entry_dated_after_its_seal_is_bad_and_one_of_a_clock_that_went_back_is_not(house, judged):
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
    assert not_all("good", judged(good)) == []
    house.act(71 * HOUR + minute + SECOND / 1_000_000, TABLES[1])
    house.act(71 * HOUR, TABLES[0])
    house.seal(71 * HOUR)
    proof = proof_of(Entry.objects.filter(stream__name=TABLES[1]).latest("seq"))
    bad = [
        Case("whole", bundled()),
        Case("beyond", bundled(TABLES[1], until=MOMENT + 70.5 * HOUR)),
        Case("proof", proof),
    ]
    assert not_all("bad", judged(bad)) == []
    assert not_all("good", judged([Case("the other table", bundled(TABLES[0]))])) == []
    house.act(96 * HOUR, TABLES[0])
    house.seal(96 * HOUR)
    later = bundled(
        TABLES[1], since=MOMENT + 97 * HOUR
    )  # the entry is before the range: an older bundle shows it
    assert not_all("good", judged([Case("later", later)])) == []


def test_a_stream_dated_after_its_seals_is_excepted_only_if_two_people_closed_it(
    house, judged, dealer, floorperson
):
    house.act(71 * HOUR, TABLES[1])
    house.seal(70 * HOUR)
    jammed = Stream.objects.get(name=TABLES[1])
    closing = {"head": bytes(jammed.head).hex(), "seq": jammed.seq, "stream": jammed.name, "why": "jammed"}
    people = {"actor": dealer, "witness": floorperson}

    def closed(name="installation/system", type="stream.closed", people=people, **changed: Any) -> bytes:
        with transaction.atomic():
            house.act(72 * HOUR, name, type=type, data={**closing, **changed}, **people)
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
    assert not_all("good", judged(good)) == []
    assert not_all("bad", judged(bad)) == []


# A stream that was deleted

EVERY = [
    {},
    {"facility": "larkfield"},
    {"training": True},
    {"since": MOMENT + 30 * HOUR, "until": MOMENT + 50 * HOUR},
]


def test_a_stream_deleted_with_all_rows_about_it_fails_a_bundle_of_every_stream(house, judged):
    open_stream("larkfield/T-24", real_play=False)
    house.act(70 * HOUR, "larkfield/T-24")
    house.seal(70 * HOUR)
    assert not_all("good", judged([Case(f"every {how}", bundled(**how)) for how in EVERY])) == []
    with as_superuser():
        SealedHead.objects.filter(stream__name=TABLES[1]).delete()
        Entry.objects.filter(stream__name=TABLES[1]).delete()
        Stream.objects.filter(name=TABLES[1]).delete()
    assert not_all("good", judged([Case("named streams", bundled(TABLES[0], TABLES[2]))])) == []
    answers = judged([Case(f"every {how}", bundled(**how)) for how in EVERY])
    assert [TABLES[1] in first and TABLES[1] in second for _, first, second in answers] == [True] * len(EVERY)


def test_a_bundle_names_no_stream_of_a_facility_that_plays_beside_it(house, judged):
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
            streams = {stream["stream"] for stream in first_line(archive)["streams"]}
            assert {name.partition("/")[0] for name in streams} == {"installation", facility}
            assert [name for name, data in files.items() if foreign.partition("T")[0].encode() in data] == []
            vkey = files["keys.txt"].split()[1].decode()
            cases.append(Case(f"{facility} {since} {until}", archive, {"vkey": vkey}))
    assert not_all("good", judged(cases)) == []


def first_line(archive: bytes) -> dict[str, Any]:
    return json.loads(files_of(archive)["record.jsonl"].partition(b"\n")[0])["body"]


def test_a_bundle_of_every_stream_has_those_that_began_while_it_was_written(house, judged, monkeypatch):
    segment_for = bundle.segment_for
    later = iter(["larkfield/T-2", "larkfield/T-3"])

    def meanwhile(*arguments):
        for name in later:
            house.act(70 * HOUR, name)
            house.seal(70 * HOUR)
            break
        return segment_for(*arguments)

    monkeypatch.setattr(bundle, "segment_for", meanwhile)
    archive = bundled()
    assert not_all("good", judged([Case("meanwhile", archive)])) == []
    names = [stream["stream"] for stream in first_line(archive)["streams"]]
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


def test_a_statement_of_every_stream_is_judged_alike(house, judged):
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
    assert (
        not_all("good", judged([Case(f"good {statement}", stating(statement)) for statement in good])) == []
    )
    assert not_all("bad", judged([Case(f"bad {statement}", stating(statement)) for statement in bad])) == []


# Seals, keys, and what a reader kept


def test_forged_seals_are_judged_alike(house, judged):
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
            Case(
                "another size", forged_log(files, head=lambda header: header.update(size=header["size"] + 1))
            )
        )
        bad.append(
            Case("another origin", forged_log(files, head=lambda header: header.update(origin="a\nb")))
        )
        either += [Case(name, forged_log(files, edit)) for name, edit in FORGED_SEALS.items()]
        beyond = files["beyond.jsonl"].splitlines(keepends=True)
        more = sorted({*beyond, *files_of(bundled(*TABLES))["record.jsonl"].splitlines(keepends=True)[1:-1]})
        more.sort(key=lambda line: (json.loads(line)["body"]["stream"], json.loads(line)["body"]["seq"]))
        for place in range(0, len(more), 2):
            some = {"beyond.jsonl": b"".join(more[place : place + 3])}
            either.append(Case(f"others beyond, {place}", forged_log(files, others=some)))
            either.append(Case(f"others beyond, cut, {place}", forged_log(files, cut_short, others=some)))
    assert not_all("good", judged(good)) == []
    assert not_all("bad", judged(bad)) == []
    answers = judged(either)
    assert unlike(answers) == []
    assert [
        answer for answer in answers[: len(FORGED_SEALS)] if answer[2] == "good"
    ] == []  # those of the whole record


def test_a_saved_checkpoint_of_this_log_is_good_and_that_of_a_fork_is_bad(house, judged, tmp_path):
    paths = []
    for saved in Checkpoint.objects.order_by("size"):
        paths.append(tmp_path / f"kept-{saved.size}.txt")
        paths[-1].write_text(saved.cosigned, encoding="utf-8")
    mine = {"vkey": house.vkey}
    archive = bundled(*TABLES)
    good = [Case(f"kept {path.name}", archive, {**mine, "checkpoint": str(path)}) for path in paths]
    assert len(good) == 6
    files = files_of(archive)
    thief = {"vkey": thiefs_vkey()}
    forked = forged_log(files, lambda seals: seals[0].update(at="2026-11-21T13:05:09.000000Z"))
    leaves = [sha256(b"\0", line) for line in files["seals.jsonl"].splitlines()[1:]]
    origin = json.loads(files["seals.jsonl"].splitlines()[0])["origin"]
    bad = [
        Case("another key", archive, thief),
        Case("no key is stated", forged_log(files, others={"keys.txt": b""}), thief),
        Case("not a key of a witness", archive, {**mine, "witness_vkey": house.vkey}),
    ]
    longer, foreign, proof = tmp_path / "longer.txt", tmp_path / "other.txt", tmp_path / "proof.txt"
    added = [*leaves, *(sha256(bytes([number])) for number in range(5))]
    longer.write_bytes(checkpoint(origin, len(added), root(added)))
    foreign.write_bytes(checkpoint("thief.example/record/1", len(leaves), root(leaves)))
    proof.write_bytes(request(len(leaves), added))
    for size in range(1, 7):
        path = tmp_path / f"thiefs-{size}.txt"
        path.write_bytes(checkpoint(origin, size, root(leaves[:size])))
        good.append(Case(f"the thief's own {size}", forged_log(files), {**thief, "checkpoint": str(path)}))
        bad.append(Case(f"a fork {size}", forked, {**thief, "checkpoint": str(path)}))
    with_longer = {**thief, "checkpoint": str(longer)}
    good.append(Case("a longer one", forged_log(files), {**with_longer, "proof": str(proof)}))
    bad += [
        Case("a longer one without a proof", forged_log(files), with_longer),
        Case("a longer one of a fork", forked, {**with_longer, "proof": str(proof)}),
        Case("of another origin", forged_log(files), {**thief, "checkpoint": str(foreign)}),
    ]
    either: list[Case] = []
    for name, data in [*of_bytes(proof.read_bytes(), 17), *of_lines(proof.read_bytes(), 2)]:
        path = tmp_path / f"proof {len(either)}"
        path.write_bytes(data)
        either.append(Case(f"the proof, {name}", forged_log(files), {**with_longer, "proof": str(path)}))
    assert not_all("good", judged(good)) == []
    assert not_all("bad", judged(bad)) == []
    answers = judged(either)
    assert unlike(answers) == []


def test_an_archive_that_holds_a_file_twice_or_one_more_is_bad(house, judged):
    files = files_of(bundled(*TABLES))
    archive = archived(files)
    twice = io.BytesIO(archive)
    with zipfile.ZipFile(twice, "a") as archive_file, pytest.warns(UserWarning, match="Duplicate"):
        archive_file.writestr("keys.txt", files["keys.txt"])
    more = archived({**files, "more.txt": b"more\n"})
    assert not_all("good", judged([Case("stored", archive)])) == []
    cases = [
        Case("twice", twice.getvalue()),
        Case("more", more),
        Case("cut", archive[:-30]),
        Case("PK", b"PK"),
    ]
    middle = len(archive) // 2
    cases += [Case(name, data + archive[middle:]) for name, data in of_bytes(archive[:middle], middle // 8)][
        1:
    ]
    assert not_all("bad", judged(cases)) == []


def test_an_archive_with_other_bytes_around_it_or_packed_too_tightly_is_bad(house, judged):
    """An archive begins with its first file and ends with its end record, and none of its files is a bomb."""
    files = files_of(bundled(*TABLES))
    archive = archived(files)
    commented = io.BytesIO(archive)
    with zipfile.ZipFile(commented, "a") as archive_file:
        archive_file.comment = b"seen"
    cases = [
        Case("bytes after it", archive + b"x"),
        Case("a line after it", archive + b"\n"),
        Case("bytes before it", b"PK\3\4" + bytes(40) + archive),
        Case("a comment", commented.getvalue()),
        Case("another archive after it", archive + archive),
    ]
    for name in ("record.jsonl", "README.txt"):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive_file:
            for other, data in files.items():
                archive_file.writestr(other, data if other != name else bytes(3_000_000))
        cases.append(Case(f"a bomb in {name}", packed.getvalue()))
    answers = judged(cases)
    assert not_all("bad", answers) == []
    for _name, *both in answers[-2:]:
        assert ["packed" in answer for answer in both] == [True, True]


def test_a_folder_with_a_link_in_place_of_a_file_is_bad(house, judged, tmp_path):
    """What a link points to may change between two readings, and is no part of the folder."""
    files = files_of(bundled(*TABLES))
    for number, name in enumerate(("record.jsonl", "keys.txt", "verify.py")):
        folder, elsewhere = tmp_path / f"linked {number}", tmp_path / f"elsewhere {number}"
        folder.mkdir()
        for other, data in files.items():
            (folder / other).write_bytes(data)
        (folder / name).rename(elsewhere)
        (folder / name).symlink_to(elsewhere)
        assert first_says(folder, {}) == f"bad: {name}: it is not a regular file"
        node = shutil.which("node") or shutil.which("nodejs") or ""
        said = subprocess.run([node, str(OTHER), str(folder)], capture_output=True, text=True, check=False)
        assert said.stdout == f"bad: {name} is missing\n"
    assert not_all("good", judged([Case("no link", files)])) == []
