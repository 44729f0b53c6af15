"""Documents on file: what is taken, what is refused, and how one is given out again."""

import hashlib
import uuid

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from audit.models import Entry
from games.models import Document
from games.office import documents

pytestmark = pytest.mark.django_db

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
