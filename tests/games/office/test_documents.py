"""Documents on file: what is taken, what is refused, and how one is given out again."""

import hashlib
import json
import uuid
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from audit import verification
from audit.models import Entry
from config.handler import with_limit
from games.models import Document, Facility, GameRequest, RulesSubmission
from games.office import documents
from tests.audit.gone_back import as_superuser
from tests.markup import one_line

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

PDF = b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\n%%EOF\n"
ACT = "/office/larkfield/acts/file_document"


def send(browser, content=PDF, name="letter.pdf", **said):
    fields = {"command": str(uuid.uuid4()), "title": "Letter of approval", **said}
    return browser.post(ACT, {**fields, "file": SimpleUploadedFile(name, content)})


@pytest.fixture
def podium(scene):
    return scene.browser("podium", "games-administrator")


def test_it_keeps_a_file_as_it_came_and_its_hash_in_the_record(podium):
    answer = send(podium)
    assert answer.status_code == 200, answer.content
    assert answer.json()["answer"]["document"] == "D-0001"
    found = Document.objects.get(code="D-0001")
    assert bytes(found.content) == PDF and found.media_type == "application/pdf"
    assert found.sha256 == hashlib.sha256(PDF).hexdigest()
    entry = Entry.objects.filter(stream__name="larkfield/rules").latest("seq")
    assert found.sha256.encode() in bytes(entry.body)


def test_it_gives_a_document_out_as_a_download_that_runs_nowhere(podium):
    send(podium)
    answer = podium.get("/office/larkfield/documents/D-0001")
    assert answer.content == PDF
    assert answer["Content-Disposition"] == 'attachment; filename="D-0001.pdf"'
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("content", "name", "code"),
    [
        (b"", "empty.pdf", "document-empty"),
        (b"MZ\x90\x00\x03", "tool.exe", "document-of-no-known-type"),
        (b"<html><script>alert(1)</script>", "page.txt", "document-of-no-known-type"),
        (b"  <svg onload='x'>", "drawing.txt", "document-of-no-known-type"),
        (PDF, "letter.html", "document-named-otherwise"),
        (b"\x89PNG\r\n\x1a\n" + b"0" * 40, "layout.png", "document-cut-off"),
        (PDF[:-8], "letter.pdf", "document-cut-off"),
        (b"\xff\xfe\x00bad", "note.txt", "document-of-no-known-type"),
        (b"null\x00byte", "note.txt", "document-of-no-known-type"),
    ],
)
def test_it_refuses_a_bad_file_in_words_and_keeps_nothing(podium, content, name, code):
    answer = send(podium, content, name)
    assert answer.status_code == 422
    assert answer.json()["refusal"]["code"] == code
    assert "%(" not in answer.json()["refusal"]["message"]
    assert not Document.objects.exists()


def test_it_refuses_a_file_that_is_too_large(podium):
    answer = send(podium, PDF + b"0" * documents.MOST_BYTES)
    assert answer.json()["refusal"]["code"] == "document-too-large"


def test_it_refuses_a_file_that_changed_on_the_way(podium):
    answer = send(podium, sha256="0" * 64)
    assert answer.json()["refusal"]["code"] == "document-changed-on-the-way"


def test_the_same_command_files_it_once(podium):
    command = str(uuid.uuid4())
    assert send(podium, command=command).json()["again"] is False
    assert send(podium, command=command).json()["again"] is True
    assert Document.objects.count() == 1


@pytest.mark.parametrize("by", ["dealer", "floorperson", "pit-manager", "gaming-agent"])
def test_others_file_nothing(scene, by):
    answer = send(scene.browser("podium", by))
    assert answer.status_code == 403
    assert not Document.objects.exists()


def test_a_form_without_a_file_is_refused(podium):
    answer = podium.post(ACT, {"command": str(uuid.uuid4()), "title": "Letter"})
    assert answer.json()["refusal"]["code"] == "malformed"


def test_the_page_lists_it(podium):
    send(podium)
    page = podium.get("/office/larkfield/documents/").content.decode()
    assert "D-0001" in page and "Letter of approval" in page


PNG = b"\x89PNG\r\n\x1a\n" + b"\x00" * 30 + b"IEND\xaeB`\x82"
SCRIPTED = b"%PDF-1.7\n1 0 obj\n<< /OpenAction << /S /JavaScript /JS (app.alert(1)) >> >>\nendobj\n%%EOF\n"


@pytest.mark.parametrize(
    ("content", "name", "media_type"),
    [
        (SCRIPTED, "letter.pdf", "application/pdf"),
        (PNG + b"<html><script>alert(1)</script>", "layout.png", "image/png"),
        (b"name: <script>alert(1)</script>", "note.txt", "text/plain"),
    ],
)
def test_what_could_run_elsewhere_is_a_download_that_runs_nowhere(podium, content, name, media_type):
    assert send(podium, content, name).status_code == 200
    answer = podium.get("/office/larkfield/documents/D-0001")
    assert answer.content == content
    assert (answer["Content-Type"], answer["X-Content-Type-Options"]) == (media_type, "nosniff")
    assert answer["Content-Disposition"] == f'attachment; filename="D-0001.{name[-3:]}"'
    assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert answer["Cross-Origin-Resource-Policy"] == "same-origin"


def test_a_byte_order_mark_hides_no_markup(podium):
    answer = send(podium, b"\xef\xbb\xbf <html>", "page.txt")
    assert answer.json()["refusal"]["code"] == "document-of-no-known-type"


@pytest.mark.parametrize("name", ["../../etc/passwd.pdf", 'a"; filename="x.html.pdf', "Brief Übung.PDF"])
def test_the_name_of_a_file_leads_nowhere(podium, name):
    send(podium, name=name)
    found = Document.objects.get()
    answer = podium.get(f"/office/larkfield/documents/{found.code}")
    assert answer["Content-Disposition"] == 'attachment; filename="D-0001.pdf"'


def test_the_same_bytes_are_filed_again_and_the_answer_says_so(podium):
    assert send(podium).json()["answer"]["same_as"] is None
    again = send(podium, title="The same letter").json()["answer"]
    assert (again["document"], again["same_as"]) == ("D-0002", "D-0001")
    entry = json.loads(bytes(Entry.objects.filter(type="document.filed").latest("seq").body))
    assert entry["data"]["same_as"] == "D-0001"


def test_a_form_that_says_it_is_too_large_is_refused_before_it_is_read(podium, monkeypatch):
    def is_read(self):
        raise AssertionError("the form was read")

    monkeypatch.setattr("django.http.request.HttpRequest._load_post_and_files", is_read)
    fields = {"command": str(uuid.uuid4()), "title": "Letter", "file": SimpleUploadedFile("a.pdf", PDF)}
    answer = podium.post(ACT, fields, headers={"content-length": str(documents.MOST_FORM_BYTES + 1)})
    assert answer.status_code == 422
    assert answer.json()["refusal"]["code"] == "document-too-large"
    assert answer.json()["refusal"]["message"].startswith("The file is larger than 8 MB")


@pytest.mark.parametrize(
    ("asked", "found"),
    [("appr", True), ("letter.pdf", True), ("d-0001", True), ("D-0009", False), ("%", False), ("\0", True)],
)
def test_a_document_is_found_by_title_file_and_code(podium, asked, found):
    send(podium)
    shown = podium.get("/office/larkfield/documents/", {"q": asked}).content.decode()
    assert ("Letter of approval" in shown) is found


def test_a_document_is_found_by_the_beginning_of_its_hash(podium):
    send(podium)
    digest = hashlib.sha256(PDF).hexdigest()
    for asked, found in ((digest, True), (digest[:8].upper(), True), (digest[:7], False)):
        shown = podium.get("/office/larkfield/documents/", {"q": asked}).content.decode()
        assert ("Letter of approval" in shown) is found


def test_the_page_says_where_a_document_is_used(scene, podium, hands):
    send(podium)
    letter = Document.objects.get()
    RulesSubmission.objects.update(decision=letter)
    GameRequest.objects.create(
        facility=letter.facility, code="NG-0001", title="Lucky Pip", kind="wager",
        parts={"layout": ["D-0001"]}, drafted_at=hands.now,
    )  # fmt: skip
    shown = podium.get("/office/larkfield/documents/").content.decode()
    assert "RS-0009 v1, decision<br>NG-0001 Lucky Pip</td>" in one_line(shown)
    assert "nothing yet" not in shown


@pytest.mark.parametrize("column", ["content", "sha256", "title", "filename"])
def test_a_document_that_was_replaced_in_the_database_is_named_with_its_entry(podium, column):
    send(podium)
    assert verification.verify().good
    entry = Entry.objects.filter(type="document.filed").latest("seq")
    replaced = {"content": PDF.replace(b"<<>>", b"<</A>>"), "sha256": "0" * 64}.get(column, "Another.pdf")
    with as_superuser():
        Document.objects.update(**{column: replaced})
    where = {"row": "document D-0001", "stream": "larkfield/rules", "seq": entry.seq, "column": column}
    assert [finding.as_data() for finding in verification.verify().findings] == [
        {"what": "row-differs", **where}
    ]


def test_a_document_without_an_entry_and_an_entry_without_its_document_are_named(podium):
    send(podium)
    entry = Entry.objects.filter(type="document.filed").latest("seq")
    with as_superuser():
        Document.objects.update(code="D-0666")
    assert [finding.as_data() for finding in verification.verify().findings] == [
        {"what": "row-without-entry", "stream": "larkfield", "row": "document D-0666"},
        {"what": "row-without-row", "row": "document D-0001", "stream": "larkfield/rules", "seq": entry.seq},
    ]


def test_a_document_of_another_house_is_not_to_be_had(scene, podium):
    send(podium)
    other = Facility.objects.create(code="other", name="Other", jurisdiction="PA")
    Document.objects.create(
        facility=other, code="D-0777", title="Theirs", filename="a.txt", media_type="text/plain", size=1,
        sha256="0" * 64, content=b"x", filed_at=Document.objects.get().filed_at,
    )  # fmt: skip
    assert podium.get("/office/larkfield/documents/D-0777").status_code == 403
    assert "Theirs" not in podium.get("/office/larkfield/documents/").content.decode()


# What the server takes at all


class Said:
    """One request as a server hands it on, and what was answered."""

    def __init__(self, *parts: bytes, length: int | None = None) -> None:
        headers = [(b"content-length", str(length).encode())] if length is not None else []
        self.scope = {"type": "http", "method": "POST", "path": "/", "headers": headers}
        self.parts = list(parts)
        self.heard: list[Any] = []
        self.sent: list[Any] = []

    async def receive(self):
        body = self.parts.pop(0)
        return {"type": "http.request", "body": body, "more_body": bool(self.parts)}

    async def send(self, message):
        self.sent.append(message)

    async def application(self, scope, receive, send):
        while True:
            message = await receive()
            self.heard.append(message["type"])
            if message["type"] == "http.disconnect":
                return
            if not message["more_body"]:
                await send({"type": "http.response.start", "status": 200, "headers": []})
                return


async def ask(said):
    await with_limit(said.application, 10)(said.scope, said.receive, said.send)
    return said.sent[0]["status"]


async def test_a_body_that_says_it_is_too_large_is_never_read():
    said = Said(b"x" * 11, length=11)
    assert await ask(said) == 413
    assert said.heard == [] and len(said.parts) == 1
    assert json.loads(said.sent[1]["body"])["refusal"]["message"].startswith("This is larger than")


async def test_a_body_that_says_nothing_is_cut_off_where_it_is_too_much():
    said = Said(b"x" * 6, b"x" * 6, b"x" * 6)
    assert await ask(said) == 413
    assert said.heard == ["http.request", "http.disconnect"] and len(said.parts) == 1


async def test_a_body_that_fits_goes_through():
    assert await ask(Said(b"x" * 5, b"x" * 5, length=10)) == 200


def test_the_server_takes_a_file_of_the_greatest_size_with_its_form(settings):
    assert documents.MOST_BYTES == 8 * 2**20
    assert documents.MOST_FORM_BYTES < settings.MOST_BODY_BYTES == 9 * 2**20
    assert settings.DATA_UPLOAD_MAX_MEMORY_SIZE == settings.FILE_UPLOAD_MAX_MEMORY_SIZE == 2**20
