"""The page of one entry: what it says, what it belongs to, and what proves it; and its proof as a file."""

import json
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
from django.db import connection, transaction

from audit import chain, clock, merkle, notes, record
from audit.models import Entry, Seal
from audit.sealing import keys
from audit.sealing.sealer import Sealer
from tables.models import Round, Slip
from tables.replay import evidence
from tests.audit.gone_back import as_superuser
from tests.services.emptying import guards_aside
from tests.services.entries import any_entry
from tests.services.restore import restored_later
from tests.tables.cast import make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
CHECKER = Path(__file__).resolve().parents[2] / "audit" / "verify.py"


@restored_later
def one_round():
    scene = make_scene()
    scene.play((2, "small", 7_000), dice=[5, 5, 3])
    scene.finish()
    return scene


@pytest.fixture
def played(db):
    return one_round()


@pytest.fixture
def sealed(played, tmp_path, settings):
    """The same record with a seal, as the sealer makes one."""
    settings.SEALER_DIR = str(tmp_path / "sealer")
    folder = keys.folder()
    keys.create(folder)
    Sealer(folder).seal()
    return played


def page(scene, seq, by="compliance", place="T-01"):
    return browser_of(scene, by).get(f"/record/larkfield/entries/{place}/{seq}/")


def browser_of(scene, by):
    """One browser for each person, so that each signs in once."""
    browsers = scene.__dict__.setdefault("kept_browsers", {})
    if by not in browsers:
        browsers[by] = scene.browser("podium", by)
    return browsers[by]


def states(answer):
    return [check.state for check in (*answer.context["checks"], *answer.context["proof_checks"])]


@pytest.mark.parametrize(
    "named",
    [
        {"corrects": {"seq": -1}},
        {"stream": "larkfield/T 01", "entry": 3},
        {"stream": "larkfield/", "entry": 3},
        {"stream": "larkfield/T-01", "entry": -3},
    ],
)
def test_what_an_entry_names_and_no_address_leads_to_is_shown_without_a_link(scene, named):
    """Somebody may have changed its body: then this page matters most."""
    with transaction.atomic():
        stream = record.lock_stream("larkfield/T-01")
        now = clock.never_before(stream, clock.now())
        written = record.append(stream, entry=any_entry("x.y", named), moment=now, gaming_day=now.date())
    answer = page(scene, written.seq)
    assert answer.status_code == 200
    (one,) = answer.context["related"]
    assert one.url == "" and f"entry {one.seq}" in answer.content.decode()


def test_a_body_with_endless_nesting_is_shown_as_bad(played):
    entry = settled()
    with as_superuser(), connection.cursor() as cursor:
        cursor.execute("UPDATE audit_entry SET body = %s WHERE id = %s", [b"[" * 100_000, entry.pk])
    answer = page(played, entry.seq)
    assert (answer.status_code, answer.context["checks"][0].state) == (200, "bad")
    assert browser_of(played, "compliance").get("/record/larkfield/").status_code == 200


def settled():
    return Entry.objects.get(type="round.settled")


def test_it_shows_the_content_of_the_entry(played):
    entry = settled()
    text = page(played, entry.seq).content.decode()
    body = json.loads(bytes(entry.body))
    for part in (
        "Dice 5 5 3 called and lit", "round.settled", "Tablet of T-01", body["command"], body["device"], body["at"],
        body["terms"], "RS-0009 version 1", bytes(entry.hash).hex(), bytes(entry.prev).hex(), "$70",
    ):  # fmt: skip
        assert part in text, part
    raw = page(played, entry.seq).context["raw"]
    assert chain.entry_hash(bytes(entry.prev), raw.encode()) == bytes(entry.hash)


def test_it_links_to_its_round_in_real_play_or_training(played):
    entry = settled()
    assert page(played, entry.seq).context["round_query"] == "?place=T-01&round=1"
    type(entry.stream).objects.filter(pk=entry.stream_id).update(real_play=False)
    training = page(played, entry.seq).context["round_query"]
    assert training == "?place=T-01&round=1&training=1"
    response = browser_of(played, "compliance").get(f"/record/larkfield/{training}")
    assert response.context["errors"] == {} and str(entry.seq) in response.content.decode()


def test_every_entry_of_the_table_holds_and_leads_to_its_neighbours(played):
    for seq in range(1, played.version + 1):
        answer = page(played, seq)
        assert set(states(answer)[:4]) == {"ok"}, seq
    assert answer.context["neighbor_urls"] == [f"/record/larkfield/entries/T-01/{seq - 1}/", ""]
    assert page(played, 1).context["neighbor_urls"] == ["", "/record/larkfield/entries/T-01/2/"]


def test_before_the_first_seal_the_page_says_that_the_entry_waits(played):
    answer = page(played, 3)
    assert states(answer) == ["ok"] * 4 + ["waits"]
    assert "Not sealed yet" in answer.content.decode() and "Download the proof" not in answer.content.decode()


def test_a_sealed_entry_is_proven_up_to_the_signed_checkpoint(sealed):
    answer = page(sealed, 3)
    assert states(answer) == ["ok"] * 7 + ["waits"]
    text = answer.content.decode()
    assert "Its chain leads to the sealed head" in text and f"{sealed.version - 3} entries link it" in text
    assert "No witness has cosigned it yet" in text


def settle(cursor):
    """PostgreSQL alters no table that still has rows to check."""
    if connection.vendor == "postgresql":
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def tampered(statement, *params):
    """As a superuser would, past the guards."""
    with connection.cursor() as cursor:
        settle(cursor)
    with guards_aside(connection), connection.cursor() as cursor:
        cursor.execute(statement, params)


@pytest.mark.parametrize(
    ("statement", "at"),
    [
        ("UPDATE audit_entry SET body = %s WHERE stream_id = %s AND seq = 5", 5),
        ("UPDATE audit_entry SET body = %s WHERE stream_id = %s AND seq = 7", 3),
    ],
)
def test_a_changed_body_shows_at_its_entry_and_its_neighbors(sealed, statement, at):
    tampered(statement, b"{}", sealed.table.stream_id)
    answer = page(sealed, at)
    assert "bad" in states(answer) and "This entry failed verification" in answer.content.decode()


def test_a_changed_column_shows(sealed):
    tampered(
        "UPDATE audit_entry SET actor = 'relief' WHERE stream_id = %s AND seq = 9", sealed.table.stream_id
    )
    answer = page(sealed, 9)
    assert [one.text for one in answer.context["checks"] if one.state == "bad"] == [
        "The search columns do not match the body"
    ]


def test_a_missing_neighbour_and_a_lost_seal_show(sealed):
    tampered("DELETE FROM audit_entry WHERE stream_id = %s AND seq = 6", sealed.table.stream_id)
    assert "The previous entry, 6, is missing" in page(sealed, 7).content.decode()
    assert "The entries after it are missing" in page(sealed, 5).content.decode()
    tampered("UPDATE audit_seal SET body = %s", b'{"heads":[]}')
    answer = page(sealed, 7)
    assert answer.status_code == 200 and "bad" in states(answer)


def test_a_checkpoint_of_a_strange_key_shows(sealed):
    note = notes.Note.read(Seal.objects.get().incarnation.checkpoints.get().note)
    stranger = notes.Signer("pitside.local/record", bytes(32))
    forged = notes.sign(note.text, [stranger])
    tampered("UPDATE audit_checkpoint SET note = %s", forged)
    assert "The checkpoint is not signed by any key of its log" in page(sealed, 3).content.decode()


def take(scene, seq, by="compliance", place="T-01"):
    browser = scene.browser("podium", by)
    body = {"command": str(uuid.uuid4()), "seen": 0, "params": {"place": place, "seq": seq}}
    answer = browser.post(
        "/record/larkfield/acts/take_proof", json.dumps(body), content_type="application/json"
    )
    return browser, answer


def test_the_proof_is_a_self_contained_file(sealed):
    browser, answer = take(sealed, 3)
    assert answer.status_code == 200
    sealed_head = sealed.version
    fetched = browser.get("/record/larkfield/entries/T-01/3/proof.jsonl")
    assert fetched["Content-Disposition"] == 'attachment; filename="larkfield-T-01-3.proof.jsonl"'
    first, *lines = fetched.content.splitlines()
    said = json.loads(first)
    assert list(said) == ["_format", "_type", "checkpoint", "path", "seal"] and len(lines) == sealed_head - 2
    head = bytes.fromhex(json.loads(lines[0])["prev"])
    for line in lines:
        told, prev, body = line[9:73], line[83:147], line[156:-1]
        assert bytes.fromhex(prev.decode()) == head
        head = chain.entry_hash(head, body)
        assert told.decode() == head.hex()
    seal = json.loads(said["seal"])
    assert {"head": head.hex(), "seq": sealed_head, "stream": "larkfield/T-01"} in seal["heads"]
    checkpoint = notes.Checkpoint.read(notes.Note.read(said["checkpoint"]).text)
    leaf = merkle.leaf_hash(said["seal"].encode())
    path = [bytes.fromhex(one) for one in said["path"]]
    assert merkle.verify_inclusion(seal["number"], checkpoint.size, leaf, path, checkpoint.root)


def checked(path):
    """What the outsider's checker says of a file, with nothing of ours to import."""
    ran = subprocess.run([sys.executable, "-I", CHECKER, path], capture_output=True, text=True, check=False)
    return ran.returncode, ran.stdout + ran.stderr


def test_the_checker_for_outsiders_takes_the_proof_and_no_other_bytes(sealed, tmp_path):
    browser, _ = take(sealed, 3)
    content = browser.get("/record/larkfield/entries/T-01/3/proof.jsonl").content
    file = tmp_path / "entry.proof.jsonl"
    file.write_bytes(content)
    status, said = checked(file)
    assert status == 0, said
    file.write_bytes(content.replace(b'"cents":7000', b'"cents":9000', 1))
    assert file.read_bytes() != content
    status, said = checked(file)
    assert status == 1 and "Traceback" not in said


def test_who_took_which_proof_is_recorded(sealed):
    browser, _ = take(sealed, 3, by="gaming-agent")
    newest = Entry.objects.filter(stream__name="larkfield/exports").latest("seq")
    fetched = browser.get("/record/larkfield/entries/T-01/3/proof.jsonl").content
    assert (newest.type, newest.actor) == ("proof.taken", "gaming-agent")
    assert json.loads(bytes(newest.body))["data"] == {
        "bytes": len(fetched), "first": 3, "last": sealed.version, "sha256": evidence.sha256(fetched),
        "stream": "larkfield/T-01",
    }  # fmt: skip


def test_without_the_act_there_is_no_file(sealed):
    for by in ("compliance", "surveillance"):
        browser = sealed.browser("podium", by)
        assert browser.get("/record/larkfield/entries/T-01/3/proof.jsonl").status_code == 403
    assert take(sealed, 3, by="surveillance")[1].status_code == 403


@pytest.mark.parametrize(
    ("place", "seq", "code"), [("T-77", 1, "no-such-entry"), ("T-01", 999, "no-such-entry")]
)
def test_a_proof_of_nothing_is_refused(sealed, place, seq, code):
    assert take(sealed, seq, place=place)[1].json()["refusal"]["code"] == code


def test_an_unsealed_entry_has_no_proof_yet(played):
    assert take(played, 3)[1].json()["refusal"]["code"] == "not-sealed-yet"


def test_what_the_installation_recorded_has_its_page_too(sealed):
    answer = sealed.browser("podium", "compliance").get("/record/larkfield/entries/installation/system/1/")
    assert answer.status_code == 200 and "key.created" in answer.content.decode()


@pytest.mark.parametrize("place", ["T-01/0", "T-01/999", "T-77/1", "exports/99999999999999999999"])
def test_a_missing_entry_is_refused_like_a_forbidden_entry(played, place):
    assert (
        played.browser("podium", "compliance").get(f"/record/larkfield/entries/{place}/").status_code == 403
    )


def test_a_slip_and_what_it_corrects_lead_to_each_other(played):
    entry, people = settled(), played.people
    Slip.objects.create(
        table=played.table, number=1, round=Round.objects.get(), gaming_day=entry.gaming_day, kind="payment",
        reason="Paid short", corrects_seq=entry.seq, filed_seq=entry.seq + 1, filed_at=entry.at,
        filed_by=people["floorperson"], filed_with=people["surveillance"],
    )  # fmt: skip
    assert [(one.text, one.seq) for one in page(played, entry.seq).context["related"]] == [
        ("Corrected by", entry.seq + 1)
    ]
    assert [(one.text, one.seq, one.detail) for one in page(played, entry.seq + 1).context["related"]] == [
        ("Corrects", entry.seq, "Paid short")
    ]
