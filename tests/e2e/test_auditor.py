"""The auditor's story: a disputed round is dealt, sealed, witnessed, found again, replayed and proven elsewhere."""

import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import expect

from audit import witness
from audit.exporting import jobs, output
from audit.models import Entry, Job
from audit.sealing import keys, witnesses
from audit.sealing.declarations import origin_of
from audit.sealing.sealer import Sealer
from tests.e2e.floor import Tablet, tablet, touch
from tests.e2e.test_exports import patiently
from tests.e2e.test_rooms import Office, is_well
from tests.e2e.test_slips import kind, sign

pytestmark = pytest.mark.browser
WITNESS = "witness.example/board"


@dataclass
class Watched:
    """A record with a sealer, and a witness that its checkpoints go to: a process of its own."""

    folder: Path
    witness_vkey: str

    def seal(self) -> None:
        patiently(Sealer(self.folder).seal)
        (asked,) = witnesses.configured()
        patiently(lambda: witnesses.request_cosignature(asked))


@pytest.fixture
def exports(settings, tmp_path) -> None:
    settings.EXPORTS_DIR = str(tmp_path / "exports")


@pytest.fixture
def watched(scene, settings, tmp_path) -> Iterator[Watched]:
    settings.SEALER_DIR = str(tmp_path / "sealer")
    folder = keys.folder()
    key = keys.create(folder)
    program = [sys.executable, "-I", witness.__file__]
    secret = tmp_path / "witness.key"
    made = subprocess.run(
        [*program, "keygen", WITNESS, str(secret)], capture_output=True, text=True, check=True
    )
    vkey = made.stdout.strip()
    options = {
        "--log": keys.verifier_of(key).vkey, "--origin": origin_of(1), "--key": secret,
        "--state": tmp_path / "witness.json", "--copies": tmp_path / "copies", "--listen": "127.0.0.1:0",
    }  # fmt: skip
    said = [str(word) for option in options.items() for word in option]
    process = subprocess.Popen([*program, "serve", *said], stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        port = port_of(process.stderr)
        threading.Thread(
            target=process.stderr.read, daemon=True
        ).start()  # so that it never waits to be heard
        settings.WITNESSES = f"http://127.0.0.1:{port} {vkey}"
        yield Watched(folder, vkey)
    finally:
        process.kill()
        process.wait()


def port_of(lines: Iterable[str]) -> int:
    """What the program says it listens on."""
    for line in lines:
        if " listens on " in line:
            return int(line.rsplit(" ", 1)[1])
    raise AssertionError("the witness did not begin")


def deal(dealer: Tablet) -> None:
    """Three seats and the dice 2 2 5: Big loses at seat 2, whose player disputes it before the layout is cleared."""
    dealer.place((1, "small", 2_500), (2, "big", 10_000), (5, "total:9", 500))
    dealer.tap(dealer.next)
    dealer.is_in("shaken")
    dealer.step("No more bets")
    dealer.is_in("ready")
    dealer.call(2, 2, 5)
    dealer.is_in("lit")
    dealer.tap("[data-open=more]")
    dealer.tap("#more [data-dispute]")
    box = dealer.page.get_by_role("dialog", name="Report a dispute")
    box.get_by_label("Seat").select_option("2")
    box.get_by_label("What is disputed").fill("Big")
    touch(box.get_by_role("button", name="Call the floor"))
    expect(dealer.page.locator("#calls")).to_be_visible()
    dealer.tap(dealer.next)
    dealer.is_in("taken")
    unpaid = dealer.page.locator("#side-pay [data-seen]")
    for left in (1, 0):
        dealer.tap(dealer.next)
        expect(unpaid).to_have_count(left)
    dealer.is_in("paid")
    dealer.tap(dealer.next)
    dealer.is_in("open")


def file_a_slip(floor: Office) -> None:
    """Seat 1 was paid $5 less than was due."""
    page = floor.page
    page.goto("/floor/larkfield/T-01/rounds/1/")
    floor.tap(page.locator("[data-open=file-slip]"))
    box = page.locator("#file-slip")
    kind(floor, box, "payment")
    floor.tap(box.locator("[data-add-payment][data-seat='1']"))
    box.locator("[data-of-kind=payment] [data-row] [name=paid_cents]").fill("20")
    expect(box.locator(".owed li")).to_have_text(["Seat 1gets$5"])
    box.locator("[name=reason]").fill("One red chip was missing")
    sign(floor, box, "dealer")
    floor.go(box)
    expect(page.locator(".fix--open h3")).to_contain_text("ENS-0001")


def find(auditor: Office, zone: str) -> None:
    """From the table and the minute to the dispute, and from it to the replay of its round."""
    page = auditor.page
    at = Entry.objects.get(type="dispute.reported").at.astimezone(ZoneInfo(zone))
    page.goto("/record/larkfield/")
    form = page.locator("#asks")
    form.locator("[name=from]").fill(f"{at:%Y-%m-%dT%H:%M}:00")
    form.locator("[name=to]").fill(f"{at:%Y-%m-%dT%H:%M}:00")
    form.locator("[name=place]").select_option("T-01")
    auditor.tap(form.get_by_role("button", name="Search"))
    page.wait_for_url("**/record/larkfield/?*")
    auditor.tap(page.locator(".says", has_text="Dispute at seat 2: Big"))
    expect(page.locator("h1")).to_have_text("Dispute at seat 2: Big")
    auditor.tap(page.get_by_role("link", name="Replay round 1"))
    expect(page.locator("h1")).to_have_text("Round 1")


def replay(auditor: Office) -> None:
    """The lit layout at the dice; why Big lost, with its section; the slip beside it; and the proof."""
    page = auditor.page
    here = page.locator(".round-acts .current strong")
    auditor.tap(page.locator("a[data-move=first]"))
    expect(here).to_contain_text("Wagers")
    expect(page.locator(".spot.lit")).to_have_count(0)
    for _ in range(10):
        if "called and lit" in here.inner_text():
            break
        said = here.inner_text()
        auditor.tap(page.locator("a[data-move=after]"))
        expect(here).not_to_have_text(said)
    expect(here).to_have_text("Dice 2 2 5 called and lit")
    expect(page.locator(".spot.lit", has_text="Total 9")).to_be_visible()
    expect(page.locator(".spot.lit", has_text="Big")).to_have_count(0)
    row = page.locator(".wagers tbody tr", has_text="disputed")
    expect(row.locator("th")).to_contain_text("9 is under 11")
    expect(row.locator(".res")).to_contain_text("Lost")
    expect(row.locator(".res")).to_contain_text("§ 625a.3(7)")
    expect(page.locator(".fix h3")).to_contain_text("ENS-0001")
    expect(page.locator(".proofs")).to_contain_text(WITNESS)
    expect(page.locator(".holds")).to_have_text("verified")
    is_well(page)


def prove(auditor: Office) -> None:
    """The entry of the settlement and its proof."""
    page = auditor.page
    page.goto("/record/larkfield/?place=T-01&type=round.settled")
    auditor.tap(page.locator(".says"))
    expect(page.locator("aside .verdict")).to_have_text("verified")
    expect(page.get_by_role("button", name="Download the proof")).to_be_visible()


def key_of_the_house(auditor: Office) -> str:
    """What Integrity shows: a whole record, a witness that is not behind, and the key to check with."""
    page = auditor.page
    auditor.tap(page.get_by_role("link", name="Integrity"))
    expect(page.locator(".witnesses")).to_contain_text(WITNESS)
    expect(page.locator(".witnesses")).to_contain_text("0 seals behind")
    is_well(page)
    return page.locator(".lines-to-give code").inner_text()


def exported(auditor: Office, monkeypatch, as_what: str) -> Path:
    """The gaming day in one file: asked for, seen while the worker writes it, and downloaded."""
    page = auditor.page
    box = auditor.slip("ask-export")
    auditor.tap(box.locator(f"label:has([value={as_what}])"))
    auditor.go(box)
    row = page.locator(".job").first
    expect(row).to_contain_text("Waiting")
    make = output.produce

    def seen(*given):
        expect(row).to_contain_text("Writing")
        expect(row.locator(".progress")).to_be_visible()
        return make(*given)

    with monkeypatch.context() as watching:
        watching.setattr(output, "produce", seen)
        patiently(lambda: jobs.Worker().run_next())
    expect(row.get_by_role("link", name="Download")).to_be_visible()
    with page.expect_download() as waiting:
        auditor.tap(row.get_by_role("link", name="Download"))
    assert waiting.value.suggested_filename == Job.objects.latest("asked_at").filename
    return waiting.value.path()


def checked(folder: Path, *arguments: str) -> tuple[int, str]:
    """As an outsider runs the program out of the bundle, in a folder with nothing of ours."""
    run = subprocess.run(
        [sys.executable, "-I", "verify.py", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return run.returncode, run.stdout + run.stderr


def unpacked(bundle: Path, into: Path) -> None:
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(into)


def changed(record: Path, line_of: bytes, before: bytes, after: bytes) -> int:
    """One byte of the first line that has `line_of` is another; the number of that line, from one."""
    lines = record.read_bytes().splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if line_of in line)
    assert len(before) == len(after) and lines[at].count(before) >= 1
    lines[at] = lines[at].replace(before, after, 1)
    record.write_bytes(b"".join(lines))
    return at + 1


def test_an_auditor_finds_a_disputed_round_and_proves_it_elsewhere(
    scene, watched, exports, new_page, spotless, monkeypatch, tmp_path
):
    dealer = tablet(new_page, scene)
    deal(dealer)
    floor = Office(new_page())
    floor.get_session(scene.tokens["podium"], "floorperson")
    file_a_slip(floor)
    watched.seal()
    auditor = Office(new_page())
    auditor.get_session(scene.tokens["podium"], "compliance")
    spotless += [dealer, floor, auditor]

    find(auditor, scene.table.facility.time_zone)
    replay(auditor)
    prove(auditor)
    vkey = key_of_the_house(auditor)
    auditor.tap(auditor.page.get_by_role("link", name="Exports"))
    bundle = exported(auditor, monkeypatch, "evidence")
    reading = exported(auditor, monkeypatch, "csv")

    outside = tmp_path / "outside"
    outside.mkdir()
    unpacked(bundle, outside / "bundle")
    (outside / "verify.py").write_bytes((outside / "bundle" / "verify.py").read_bytes())
    trusted = ("--vkey", vkey, "--witness-vkey", watched.witness_vkey, "--require-signature")
    status, said = checked(outside, *trusted, "bundle")
    assert status == 0, said
    assert WITNESS in said
    status, said = checked(outside, *trusted, str(reading))
    assert status == 1, said
    line = changed(
        outside / "bundle" / "record.jsonl", b'"round.settled"', b'"dice":[2,2,5]', b'"dice":[2,2,6]'
    )
    status, said = checked(outside, *trusted, "bundle")
    assert status == 1 and f"line {line}" in said, said
