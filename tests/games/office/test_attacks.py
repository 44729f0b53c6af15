"""What nobody's screen sends: every act answers with a sentence, and nothing is changed."""

import io
import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.handlers.asgi import ASGIRequest

from audit.models import Entry
from config.handler import with_limit
from games.engine import Refusal
from games.models import Document
from games.office import core as office
from games.params import Params

pytestmark = pytest.mark.django_db

PDF = b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\n%%EOF\n"
REFUSED = {401, 403, 404, 409, 422, 423}
NESTED = json.loads("[" * 40 + "]" * 40)
JUNK = (True, 10**30, "\ud800", "x" * 10_000, [NESTED], {"a": {"b": 1}})
PLAUSIBLE: dict[str, Callable[..., Any]] = {
    "integer": lambda low, high, **_: low,
    "text": lambda **_: "a",
    "prose": lambda **_: "a",
    "code": lambda **_: "a",
    "date": lambda **_: "2026-11-20",
    "choice": lambda choices, **_: choices[-1],
    "boolean": lambda **_: True,
    "texts": lambda **_: ["a"],
    "objects": lambda *_, **__: [{}],
}


def remembering(kind, read, found):
    def reading(self, name, *args, **how):
        found[name] = PLAUSIBLE[kind](*args, **how)
        return read(self, name, *args, **how)

    return reading


@pytest.fixture
def podium(scene):
    return scene.browser("podium", "games-administrator")


@pytest.fixture
def asked(monkeypatch):
    """What an act asks of its parameters, by name, with a value of that kind."""
    found: dict[str, Any] = {}
    for kind in PLAUSIBLE:
        monkeypatch.setattr(Params, kind, remembering(kind, getattr(Params, kind), found))
    return found


def send(browser, act, params):
    body = {"command": str(uuid.uuid4()), "seen": 0, "params": params}
    return browser.post(f"/office/larkfield/acts/{act}", json.dumps(body), content_type="application/json")


def is_a_sentence(answer):
    said = answer.json()["refusal"]
    return said["message"] and said["title"] and "%(" not in said["message"]


def test_every_act_refuses_in_words_whatever_stands_where_it_asks_for_something_else(scene, podium, asked):
    rows = Entry.objects.filter(stream__name="larkfield/rules")
    before = rows.count()
    for act in sorted(office.ACTS):
        wanted = {"unknown": 1}
        while True:  # the next name is asked for once the one before it reads well
            asked.clear()
            answer = send(podium, act, wanted)
            assert answer.status_code in REFUSED and is_a_sentence(answer), (act, wanted)
            if not (new := {name: value for name, value in asked.items() if name not in wanted}):
                break
            wanted |= new
        for name in wanted:
            for junk in JUNK:
                answer = send(podium, act, {**wanted, name: junk})
                assert answer.status_code in REFUSED and is_a_sentence(answer), (act, name, junk)
    assert rows.count() == before


def test_a_form_sent_where_no_form_is_read_is_refused_and_not_a_fault(scene):
    browser = scene.browser("podium", "games-administrator")
    browser.get("/sign-in")
    browser.handler.enforce_csrf_checks = True  # the check reads the form, and nobody can read the body again
    token = {"X-CSRFToken": browser.cookies["csrftoken"].value}
    for where in ("/floor/larkfield/T-01/acts/shake", "/floor/larkfield/acts/assign_person"):
        answer = browser.post(where, {"file": SimpleUploadedFile("a.pdf", PDF)}, headers=token)
        assert answer.status_code == 422 and is_a_sentence(answer), answer.content
    assert not Document.objects.exists()


def test_a_body_of_megabytes_is_refused_in_words_before_it_is_read(podium):
    answer = podium.post("/office/larkfield/acts/make_feed", " " * 3_000_000, content_type="application/json")
    assert answer.status_code == 422 and is_a_sentence(answer)


def test_a_file_of_a_long_name_keeps_its_ending(podium):
    fields = {"command": str(uuid.uuid4()), "title": "A", "file": SimpleUploadedFile("n" * 200 + ".pdf", PDF)}
    assert podium.post("/office/larkfield/acts/file_document", fields).status_code == 200
    assert Document.objects.get().filename == "n" * 116 + ".pdf"


@pytest.mark.parametrize(
    "charset", ["charset=hex", 'Charset="rot13"', "charset*=utf-8''hex", "charset = hex"]
)
async def test_no_request_names_the_codec_that_the_server_decodes_by(charset):
    found = []
    form = b'--x\r\nContent-Disposition: form-data; name="title"\r\n\r\nLetter\r\n--x--\r\n'

    async def django(scope, receive, send):
        found.append(ASGIRequest(scope, io.BytesIO(form)).POST["title"])

    headers = [
        (b"content-type", b"multipart/form-data; boundary=x; " + charset.encode()),
        (b"content-length", str(len(form)).encode()),
    ]
    scope = {"type": "http", "method": "POST", "path": "/", "headers": headers}
    await with_limit(django, 1000)(scope, None, None)
    assert found == ["Letter"]


@pytest.mark.parametrize("day", ["0001-01-01", "1899-12-31", "2200-01-01", "9999-12-31"])
def test_a_day_from_which_nothing_can_be_counted_is_refused(day):
    with pytest.raises(Refusal, match="malformed"):
        Params({"on": day}).date("on")
