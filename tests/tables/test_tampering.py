"""What a superuser of the database can do to the record, and who finds it: the table of docs/evidence.md, shown."""

import contextlib
import io
import re
import shutil
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
from django.contrib.auth.hashers import make_password

from audit import chain, clock, export, notes, record, registration, verification, witness
from audit.exporting import bundle
from audit.models import Checkpoint, Device, Entry, Person, Seal, SealedHead, SigningKey, Stream
from audit.sealing import keys, state, witnesses
from audit.sealing.log import MissingNode
from audit.sealing.sealer import Sealer
from audit.sealing.state import SealingProblem
from games.engine import Refusal
from games.models import Document, RulesSubmission
from games.submissions import draft
from tables.models import Round, Wager
from tables.replay.readjudication import Readjudication
from tables.runner import table
from tests.audit.gone_back import as_superuser, forget, put_back
from tests.games.office.test_documents import PDF, send
from tests.services.entries import any_entry
from tests.tables.cast import make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
ROOT = Path(__file__).resolve().parents[2]
COSIGNER = notes.Signer("witness.example/w1", bytes(range(32)), notes.COSIGNATURE)


class Casino:
    """A table with two settled rounds, at which seats lay wagers; a seal and a cosignature behind each act; a document,
    and people on the record; a tablet that shows the newest state; and an outsider who keeps the newest checkpoint and
    the log's key."""

    def __init__(self, folder: Path) -> None:
        self.scene = make_scene()
        self.stream = self.scene.table.stream
        self.folder, self.sealed_in = folder, folder / "sealer"
        self.exported = b""
        (self.sealed_in / keys.KEY_FOLDER).mkdir(parents=True)
        key = keys.create(self.sealed_in)
        self.vkey = keys.verifier_of(key).vkey
        self.sealer = Sealer(self.sealed_in)
        self.witness = witness.Witness(
            [witness.LogKey(self.vkey)], ["pitside.local/record/1"], witness.Cosigner(COSIGNER.name, COSIGNER.seed),
            witness.State(str(folder / "witness.json")), None,
        )  # fmt: skip
        other = record.open_stream("larkfield/exports")
        export_finished = any_entry("export.finished", {})
        record.append(other, entry=export_finished, moment=clock.now(), gaming_day=clock.now().date())
        registration.record_people()
        assert send(self.scene.browser("podium", "games-administrator")).status_code == 200
        for dice in ([1, 1, 2], [2, 2, 3]):
            self.scene.play((1, "small", 2_500), dice=dice)
            self.scene.finish()
        for seat in range(1, 6):
            self.lay(seat)
            self.seal()
            self.cosign()
            if seat == 3:
                self.backup = self.now.seq, Seal.objects.count()
        self.kept = folder / "kept.txt"
        self.kept.write_text(Checkpoint.objects.latest("size").note)
        self.shown = self.scene.snapshot["head"]

    @property
    def now(self) -> Stream:
        return Stream.objects.get(pk=self.stream.pk)

    @property
    def settlement(self) -> Entry:
        """The entry that settled the second round."""
        return Entry.objects.get(stream=self.stream, type="round.settled", round=2)

    def bundle(self) -> bytes:
        """The whole record for an outsider. What is written after an attack serves both of them.

        Raises MissingEntry or MissingNode, each time, if the record has gaps.
        """
        if not self.exported:
            out = io.BytesIO()
            bundle.write(out, export.select())
            self.exported = out.getvalue()
        return self.exported

    def lay(self, seat: int, cents: int = 2_500) -> None:
        self.scene.place((seat, "small", cents))

    def seal(self) -> None:
        self.sealer.seal()

    def cosign(self) -> None:
        newest = Checkpoint.objects.latest("size")
        known = self.witness.state.known(newest.incarnation.origin)[0]
        self.witness.add(*witness.read_request(witnesses.request_of(newest, known).encode()))


@pytest.fixture
def casino(tmp_path, settings):
    settings.SEALER_DIR = str(tmp_path / "sealer")
    casino = Casino(tmp_path)
    yield casino
    casino.witness.state.close()


# What a superuser does


def rewrites_a_settlement(casino):
    entry = casino.settlement
    with as_superuser():
        body = bytes(entry.body).replace(b'"paid_cents":2500', b'"paid_cents":9500')
        Entry.objects.filter(pk=entry.pk).update(body=body)


def rehashes_its_chain(casino):
    rewrites_a_settlement(casino)
    entries = Entry.objects.filter(stream=casino.stream, seq__gte=casino.settlement.seq).order_by("seq")
    prev = bytes(entries[0].prev)
    with as_superuser():
        for entry in entries:
            digest = chain.entry_hash(prev, bytes(entry.body))
            Entry.objects.filter(pk=entry.pk).update(prev=prev, hash=digest)
            prev = digest
        Stream.objects.filter(pk=casino.stream.pk).update(head=prev)


def swaps_two_rounds(casino):
    rounds = [Entry.objects.filter(stream=casino.stream, round=number).order_by("seq") for number in (1, 2)]
    with as_superuser():
        for one, other in list(zip(*rounds, strict=True)):
            Entry.objects.filter(pk=one.pk).update(body=bytes(other.body))
            Entry.objects.filter(pk=other.pk).update(body=bytes(one.body))


def cuts_the_tail(casino):
    put_back(casino.now, casino.now.seq - 1)
    puts_wagers_back(4)


def deletes_a_stream(casino):
    """Every row about the exports' stream: the seals still name it."""
    gone = Stream.objects.filter(name="larkfield/exports")
    with as_superuser():
        SealedHead.objects.filter(stream__in=gone).delete()
        Entry.objects.filter(stream__in=gone).delete()
        assert gone.delete()[0] == 1


def drops_seals(casino):
    forget(1, casino.backup[1])


def puts_wagers_back(last_seat):
    """The tables of play as they were once this seat had wagered: a superuser does not leave them to be compared."""
    wagers = Wager.objects.filter(round__number=3)
    wagers.filter(seat__gt=last_seat).delete()
    Round.objects.filter(number=3).update(wagered_cents=sum(wagers.values_list("cents", flat=True)))


def restores_a_backup(casino):
    put_back(casino.now, casino.backup[0])
    puts_wagers_back(3)
    forget(1, casino.backup[1])


def restores_the_sealers_disk_too(casino):
    """The record and the sealer's file of an older day: so the sealer does not know that it signed more."""
    restores_a_backup(casino)
    newest = Checkpoint.objects.latest("size")
    state.write(casino.sealed_in, state.State(1, newest.size, newest.note))


def forks_with_the_stolen_key(casino):
    restores_the_sealers_disk_too(casino)
    for seat in (6, 7, 8):
        casino.lay(seat, 90_000)
        Sealer(casino.sealed_in).seal()


def replaces_the_key(casino):
    """Another key signs every checkpoint again, and the database says that it always did."""
    forger = notes.Signer("pitside.local/record", bytes(range(64, 96)))
    with as_superuser():
        public, key_id = forger.verifier.public, forger.verifier.key_id.hex()
        SigningKey.objects.update(public_key=public, key_id=key_id)
        for checkpoint in Checkpoint.objects.all():
            text = notes.Note.read(checkpoint.note).text
            Checkpoint.objects.filter(pk=checkpoint.pk).update(note=notes.sign(text, [forger]))


def changes_a_column(casino):
    """The settlement is no longer found by its amount, nor by its round."""
    with as_superuser():
        Entry.objects.filter(pk=casino.settlement.pk).update(cents=1, actor="nobody")


def sets_the_sealers_state_back(casino):
    older = Checkpoint.objects.get(size=casino.backup[1])
    state.write(casino.sealed_in, state.State(1, older.size, older.note))


def replaces_a_document(casino):
    with as_superuser():
        Document.objects.update(content=PDF.replace(b"<<>>", b"<</A>>"))


def puts_another_pin_under_a_name(casino):
    Person.objects.filter(code="shift-manager").update(password=make_password("999999"))


def adds_a_device(casino):
    Device.objects.create(
        name="ghost", facility="larkfield", station="dealer", place="larkfield/T-01",
        token_sha256=bytes(32), enrolled_at=clock.now(),
    )  # fmt: skip


def changes_the_play_tables(casino):
    Round.objects.filter(number=2).update(paid_cents=0)
    Wager.objects.filter(round__number=2).update(cents=100)


def changes_the_terms(casino):
    newer = draft(facility=casino.scene.table.facility, code="RS-0009", key="pa-625a/B")
    with as_superuser():
        RulesSubmission.objects.update(
            terms=newer.terms, terms_sha256=newer.terms_sha256, edition=newer.edition
        )


def cuts_what_nobody_saw(casino):
    """An act after the last seal and after the last state that the tablet showed."""
    casino.lay(6)
    put_back(casino.now, casino.now.seq - 1)
    puts_wagers_back(5)


# Who finds it


def verifier(casino, *kept):
    """verify.py on a bundle of the whole record, in an empty folder; or the export, which finds entries missing."""
    folder = casino.folder / "outsider"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shutil.copy(ROOT / "audit" / "verify.py", folder)
    try:
        (folder / "bundle.zip").write_bytes(casino.bundle())
    except (export.MissingEntry, MissingNode):
        return True
    found = subprocess.run(
        [sys.executable, "-I", "verify.py", "--vkey", casino.vkey, *kept, "bundle.zip"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "Traceback" not in found.stdout + found.stderr
    return found.returncode == 1


def verifier_with_a_kept_checkpoint(casino):
    return verifier(casino, "--checkpoint", str(casino.kept))


def witness_elsewhere(casino):
    """The next checkpoint, once somebody acts: the witness is ahead of it, or it does not follow from what it knows."""
    with contextlib.suppress(SealingProblem):
        _next_second(casino)
    newest = Checkpoint.objects.latest("size")
    known = casino.witness.state.known(newest.incarnation.origin)[0]
    if newest.size < known:
        return True
    try:
        said = witnesses.request_of(newest, known).encode()
        casino.witness.add(*witness.read_request(said))
    except (witness.Refused, MissingNode):
        return True
    return False


def sealer_at_its_next_second(casino):
    try:
        _next_second(casino)
    except SealingProblem:
        return True
    return False


def tablet_at_its_next_act(casino):
    scene = casino.scene
    call = table.ActRequest(
        facility="larkfield", place="T-01", act="report_dispute", command=uuid.uuid4(), seen_version=scene.version,
        params={"seat": 1, "about": "the dice"}, actor=scene.people["dealer"], device=scene.tablet,
        head=record.parse_head(casino.shown),
    )  # fmt: skip
    try:
        table.execute(call)
    except Refusal as refusal:
        return refusal.code == "record-went-back"
    return False


def verify_record(casino):
    return not verification.verify().good


def readjudicate(casino):
    try:
        return any(True for _difference in Readjudication(export.select()).differences())
    except export.MissingEntry:
        return True


def _next_second(casino):
    """Somebody acts, and the sealer comes by. Raises the sealer's Trouble."""
    casino.scene.act("report_dispute", {"seat": 2, "about": "the dice"})
    Sealer(casino.sealed_in).seal()


ATTACKS = {
    "a settlement is rewritten": rewrites_a_settlement,
    "a settlement is rewritten, and its chain is hashed again": rehashes_its_chain,
    "two rounds are swapped": swaps_two_rounds,
    "the tail of a stream is cut off": cuts_the_tail,
    "a stream is deleted, and every row about it": deletes_a_stream,
    "the key is replaced, and signs every checkpoint again": replaces_the_key,
    "a column is changed": changes_a_column,
    "the sealer's state is set back": sets_the_sealers_state_back,
    "an older backup is restored": restores_a_backup,
    "an older backup is restored, and the sealer's disk with it": restores_the_sealers_disk_too,
    "the same, and history is forked with the stolen key": forks_with_the_stolen_key,
    "a document is replaced": replaces_a_document,
    "a person is changed": puts_another_pin_under_a_name,
    "a device is added that nobody enrolled": adds_a_device,
    "the play tables are changed": changes_the_play_tables,
    "the terms are changed": changes_the_terms,
    "seals are dropped": drops_seals,
    "an entry is cut off before it was sealed or any tablet showed it": cuts_what_nobody_saw,
}
FINDERS = {
    "`verify.py`": verifier,
    "`verify.py` with a saved checkpoint": verifier_with_a_kept_checkpoint,
    "the witness": witness_elsewhere,
    "the sealer": sealer_at_its_next_second,
    "the next tablet act": tablet_at_its_next_act,
    "`verify_record`": verify_record,
    "`readjudicate`": readjudicate,
}
HEADING = "## What finds which tampering"
ROW = re.compile(r"^\| ([^|]+?) \|(.+)\|$", re.MULTILINE)


def documented_findings() -> dict[str, dict[str, bool]]:
    """The table of docs/evidence.md: for each attack, who finds it."""
    page = (ROOT / "docs" / "evidence.md").read_text().partition(HEADING)[2]
    (_, head), *rows = [row for row in ROW.findall(page) if not row[0].startswith("-")]
    finders = [name.strip() for name in head.split("|")]
    return {
        attack: dict(zip(finders, [cell.strip() == "found" for cell in cells.split("|")], strict=True))
        for attack, cells in rows
    }


def test_the_table_of_the_docs_speaks_of_every_attack_and_every_finder():
    assert {attack: set(found) for attack, found in documented_findings().items()} == {
        attack: set(FINDERS) for attack in ATTACKS
    }


def test_before_anything_is_done_nobody_finds_anything(casino):
    assert found_after(casino, lambda _: None) == dict.fromkeys(FINDERS, False)


@pytest.mark.parametrize("attack", ATTACKS)
def test_who_finds_it_is_what_the_docs_tell(casino, attack):
    assert found_after(casino, ATTACKS[attack]) == documented_findings()[attack]


def found_after(casino, attack):
    """Each finder looks by itself: what one of them does is taken back before the next one looks."""
    attack(casino)
    found = {}
    for name, finder in FINDERS.items():
        file = (casino.sealed_in / state.NAME).read_bytes()
        with casino.scene.tried():
            found[name] = finder(casino)
        (casino.sealed_in / state.NAME).write_bytes(file)
    return found
