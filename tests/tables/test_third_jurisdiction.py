"""A jurisdiction is one data file: Ruritania's casino deals, prints and proves, and cites no other state's law.

`tests/fixtures/jurisdictions/xx.toml` is everything that the product knows of Ruritania.
"""

import datetime as dt
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from django.test import Client, override_settings
from django.urls import URLPattern, get_resolver, reverse

from audit import clock
from audit.devices import enroll
from audit.export import select
from audit.exporting import bundle
from audit.models import Device, Entry, Person
from audit.sealing import keys
from audit.sealing.sealer import Sealer
from games.models import Facility, Guide, SignForm
from tables.handover.handover import handover_draft
from tables.models import Player
from tables.ticker import tick
from tests import rights
from tests.audit.outsider import check
from tests.desk.test_exports import ask
from tests.fixtures import jurisdictions as fixtures
from tests.games.office.chapter_528 import ANY_TRIPLE, applied, linked
from tests.games.office.test_requests import put
from tests.tables.cast import Scene, make_scene
from tests.tables.slip_scene import file
from tests.tables.test_cases import write as write_letter
from tests.tables.test_dice_custody import issue, stored
from tests.tables.test_football_table import settle, throw, touchdown
from tests.tables.test_high_roll_table import BOUGHT, to_the_extra_throw

pytestmark = pytest.mark.django_db
ruritania = fixtures.ruritania

MINUTES = dt.timedelta(minutes=1)
OFFICE = "Royal Dice Office"
# How Pennsylvania's and New Jersey's law is cited, and who decides there. Ruritania writes no "§".
FOREIGN = re.compile(
    r"§|Pa\. ?Code|Pa\.B|N\.J\.A\.C|Pennsylvania|New Jersey|\bPA\b|\bNJ\b|\b(?:pa|nj)-\d"
    r"|\b(?:461|465|601|603|609|611|625|675)a\b|\bChapter \d|13:69|19:4[67]"
    r"|Bureau of|Gaming Enforcement|Casino Control|Executive Director|PGCB"
)
HEX = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,}")


def foreign(text: str) -> list[str]:
    """What a text cites of another state, with the words around it. Digests and ids are not read."""
    text = HEX.sub("", text)
    return [text[max(0, match.start() - 60) : match.end() + 40] for match in FOREIGN.finditer(text)]


def texts_of_entries() -> Iterator[tuple[str, str]]:
    for entry in Entry.objects.order_by("pk"):
        yield f"{entry.stream.name} {entry.type}", bytes(entry.body).decode()


def text_of(response: Any) -> str:
    """What a person reads: a page with its attributes, the words of a PDF, the lines of a file."""
    content = b"".join(response.streaming_content) if response.streaming else response.content
    if not content.startswith(b"%PDF"):
        return content.decode()
    return " ".join(
        page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(io.BytesIO(content))
    )


def sealed_bundle(folder: Path) -> tuple[bytes, str]:
    """The bundle of the whole record, sealed now, and the key that signed it."""
    (folder / keys.KEY_FOLDER).mkdir(parents=True)
    key = keys.create(folder)
    Sealer(folder).seal()
    out = io.BytesIO()
    bundle.write(out, select())
    return out.getvalue(), keys.verifier_of(key).vkey


@pytest.fixture
def scene(hands, ruritania) -> Scene:
    """A Sic Bo table in Ruritania, with its dice registered and inspected here."""
    scene = make_scene("xx-7/A")
    SignForm.objects.update(decided_by="Royal Sign Painter", reference="RSP-1")
    stored(scene)
    issue(scene)
    scene.act("change_dice_lot", {"lot": "L-0101", "seal": "SL-9"}, by="floorperson")
    return scene


@pytest.fixture
def worked(scene, hands) -> Scene:
    """The same after a day: a round, new limits, a published guide, a submission, a request, a sign form, a feed."""
    deal_and_change_limits(scene, hands)
    put_provider_on_file(scene)
    publish_guide(scene)
    file_submission(scene)
    file_request(scene)
    approve_sign_form(scene)
    Player.objects.create(facility=scene.table.facility, code=CODES["player"], added_at=hands.now)
    tick()
    return scene


def deal_and_change_limits(scene: Scene, hands) -> None:
    scene.place((1, "small", 1_000), (2, "total:9", 500))
    scene.act(
        "change_limits", {"min_cents": 2_500, "max_cents": 200_000}, by="floorperson", device=scene.podium
    )
    scene.act("post_limits_sign", by="floorperson", device=scene.podium)
    scene.act("announce_limits", by="floorperson", device=scene.podium)
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [2, 3, 4]})
    scene.finish()
    hands.now += 44 * MINUTES
    file(scene, "payment", payments=[{"seat": 1, "paid_cents": 0, "taken_cents": 0}])
    scene.place((1, "small", 1_000))
    assert scene.fresh.min_cents == 1_000
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [1, 1, 2]})
    scene.finish()
    hands.now += MINUTES
    scene.place((1, "small", 2_500))
    assert scene.fresh.min_cents == 2_500


def letter(scene: Scene) -> dict[str, Any]:
    return {"granted": True, "body": OFFICE, "reference": "RDO-1", "letter": scene.on_file()}


def publish_guide(scene: Scene) -> None:
    guide = scene.in_office("generate_guide", {"formats": ["print", "web"], "reference": "RDO-3"}).body[
        "version"
    ]
    scene.in_office("file_guide_sample", {"guide": guide})
    scene.in_office("decide_guide", {"guide": guide, **letter(scene)})
    scene.in_office("publish_guide", {"guide": guide})
    book = {"document": scene.on_file("The rules"), "games": ["xx-7"]}
    scene.in_office("file_rules_book", book)
    permission = {
        "tables": ["T-01"],
        "reference": "RDO-2",
        "granted_on": "2026-11-20",
        "ends_on": "2026-12-01",
    }
    scene.in_office("record_board_permission", {**permission, "letter": scene.on_file()})


def file_submission(scene: Scene) -> None:
    version = {"code": "RS-0009", "version": 2}
    scene.in_office(
        "draft_submission", {"code": "RS-0009", "edition": "xx-7@2020-01-01/B", "why": "as planned"}
    )
    scene.in_office("file_submission", version)


def file_request(scene: Scene) -> None:
    about = {"title": "Double Sic Bo", "kind": "game", "rules": "xx-7/A"}
    request = scene.in_office("draft_request", about).body["request"]
    put(scene, request, "odds", {"document": "letter"})
    scene.in_office("file_request", {"request": request})


def put_provider_on_file(scene: Scene) -> None:
    """A provider with a director, whose wager is not dealt before its certification."""
    code = applied(scene)
    linked(scene, code, ANY_TRIPLE)
    scene.in_office(
        "name_person", {"provider": code, "kind": "individual", "name": "Ada Quill", "director": True}
    )


def approve_sign_form(scene: Scene) -> None:
    form = {"kind": "limits", "location": "Left of the dealer", "width_mm": 300, "height_mm": 200}
    number = scene.in_office("draft_sign_form", {**form, "en": "From {min} to {max}"}).body["form"]
    scene.in_office("file_sign_form", {"form": number})
    scene.in_office("decide_sign_form", {"form": number, **letter(scene), "body": "Royal Sign Painter"})


ARGUMENTS = {
    "facility": "larkfield", "table": "T-01", "lot": "L-0101", "number": 1, "seq": 1,
    "kind": "limits", "act": "change_limits", "station": "dealer", "version": 1, "slug": "sic-bo-xx-7-a",
    "place": "T-01", "case": "C-0001", "day": "2026-11-20", "form": "csv",
}  # fmt: skip
CODES = {
    "player": "P-RURI22",
    "submission": "RS-0009", "submission-pdf": "RS-0009", "document": "D-0001", "provider": "SP-0001",
    "change": "CH-0001",
}  # fmt: skip
QUERIES = {"light": "?dice=1,2,3", "odds-pdf": "?rules=xx-7@2020-01-01/B", "record-coverage": "?q=dice"}
# Addresses that have nothing to show here: no game is tested, nobody recorded that they take a proof or a search, the
# installation has no entries, no slip is drawn up or given by the cage, the table has no inventory, the case has no
# document, its letter is not signed, and a system administrator needs a second factor.
NOTHING_THERE = {
    "game-test", "provider", "record-proof", "record-proof-of-installation", "record-entry-of-installation",
    "slip-preview", "correction", "case-document", "case-letter-pdf", "transfer-slip", "inventory-slip",
    "record-round-pdf", "record-found", "sign-ins",
}  # fmt: skip
# Addresses that only take forms, or lead elsewhere.
FORMS = {
    "home", "act", "facility-act", "office-act", "desk-act", "feeds", "sign-off", "lock", "enrol", "second-factor",
    "ask-key", "my-sign-in", "set-up", "step-up", "change-my-sign-in",
    "new-pin", "guessed",
}  # fmt: skip
STAFF = ("pit-manager", "games-administrator", "compliance", "shift-manager")


def patterns(resolver: Any) -> Iterator[URLPattern]:
    for pattern in resolver.url_patterns:
        if str(pattern.pattern) in rights.APIS:  # no page
            continue
        yield from patterns(pattern) if hasattr(pattern, "url_patterns") else [pattern]


def addresses() -> Iterator[str]:
    """Every address that shows something here."""
    for pattern in patterns(get_resolver()):
        name, arguments = pattern.name, pattern.pattern.converters
        if name in FORMS | NOTHING_THERE or {"secret", "job"} & arguments.keys():
            continue
        values = {**ARGUMENTS, "code": CODES.get(name, "NG-0001")}
        yield reverse(name, kwargs={argument: values[argument] for argument in arguments}) + QUERIES.get(
            name, ""
        )


def hand_over(scene: Scene) -> None:
    """The shift is handed over with whatever is open."""
    draft = handover_draft(scene.table.facility, clock.now())
    shift = {"shift": draft.shift.key}
    items = [item.key for item in draft.items]
    scene.in_room("accept_open_items", {**shift, "items": items}, by="pit-manager", witness="floorperson")
    scene.in_room("sign_handover", shift, by="pit-manager", witness="shift-manager")


def locked_phone(scene: Scene) -> Client:
    browser = scene.browser(enroll("Phone", "larkfield", "pit")[1], "pit-manager")
    browser.post("/lock")
    return browser


def answer_of(address: str, browsers: list[Client]) -> tuple[int, str]:
    """The answer to the first person who may see the address."""
    for browser in browsers:
        response = browser.get(address)
        if response.status_code == 200:
            break
    return response.status_code, text_of(response)


def test_every_page_answers_and_cites_no_other_law(worked, tmp_path, settings):
    settings.EXPORTS_DIR = str(tmp_path)
    ask(worked, kind="evidence", streams=["T-01"])
    dispute = {"kind": "dispute", "about": "the call", "table": "T-01", "number": 1, "seat": 1}
    worked.in_room("open_case", dispute, by="compliance")
    write_letter(worked)
    hand_over(worked)
    browsers = [worked.browser(enroll(f"Podium of {by}", "larkfield", "pit")[1], by) for by in STAFF]
    browsers += [worked.browser("tablet", "dealer"), Client()]
    browsers += [worked.browser(enroll("Wall", "larkfield", "wall")[1]), locked_phone(worked)]
    answers = {address: answer_of(address, browsers) for address in addresses()}
    assert len(answers) > 50
    assert {address: status for address, (status, _) in answers.items() if status != 200} == {}
    assert {address: cites for address, (_, text) in answers.items() if (cites := foreign(text))} == {}
    own = [address for address, (_, text) in answers.items() if re.search(r"\b(art\.|part \d no\.)", text)]
    assert len(own) > 10, own


def test_every_sign_in_every_language_cites_no_other_law(worked):
    podium = worked.browser("podium", "floorperson")
    begin_change = {"min_cents": 5_000, "max_cents": 200_000}
    worked.act("change_limits", begin_change, by="floorperson", device=worked.podium)
    for kind in ("limits", "limits-change", "odds", "rules"):
        for address in (f"/floor/larkfield/T-01/sign/{kind}", f"/floor/larkfield/T-01/sign/{kind}.pdf"):
            response = podium.get(address)
            assert response.status_code == 200, address
            assert foreign(text_of(response)) == [], address
    assert "45 minutes after the announcement" in podium.get("/floor/larkfield/T-01/sign/").content.decode()
    assert worked.snapshot["limits"]["pending"]["say"].startswith("In 45 minutes the limits")


def test_the_guide_is_written_in_its_languages_alone(worked):
    guide = Guide.objects.get()
    assert {*guide.content["games"][0]["texts"]} == {"en", "es"}
    assert guide.facts["games"][0]["notice_minutes"] == 45
    for language in ("en", "es"):
        text = text_of(Client().get("/guide/larkfield/sic-bo-xx-7-a/", {"lang": language}))
        assert "45" in text and foreign(text) == []
        assert 'hreflang="es"' in text and 'hreflang="zh' not in text
    paper = text_of(Client().get("/guide/larkfield/guide.pdf"))
    assert "Sic Bo" in paper and foreign(paper) == []


def test_its_entries_cite_its_own_sections_and_the_bundle_verifies(worked, tmp_path):
    assert {name: cites for name, text in texts_of_entries() if (cites := foreign(text))} == {}
    sections = {
        section for _, text in texts_of_entries() for section in re.findall(r'"section":"([^"]+)"', text)
    }
    assert sections and all(section.startswith("Ruritanian Dice Act ") for section in sections)
    archive, key = sealed_bundle(tmp_path / "sealer")
    lines = check(archive, "--vkey", key, "--require-signature")
    assert lines[0].startswith("good: ") and any(line.startswith("signed by ") for line in lines), lines


def test_its_deadlines_count_its_own_days(worked):
    page = text_of(worked.browser("podium", "games-administrator").get("/office/larkfield/deadlines/"))
    assert "11 Dec 2026" in page and "art. 45" in page


def test_a_facility_without_rules_and_tables_answers(tmp_path, ruritania):
    """A file without editions opens an office: its casinos deal no game yet."""
    text = fixtures.FILE.read_text("utf-8").partition("[[editions]]")[0].replace('"XX"', '"YY"')
    (tmp_path / "yy.toml").write_text(text, "utf-8")
    with override_settings(JURISDICTION_DIRS=[tmp_path]):
        scene = make_scene(opened=False)
        Facility.objects.update(jurisdiction="YY")
        empty = Facility.objects.create(code="empty", name="Empty", jurisdiction="YY")
        Person.objects.update(facility=empty.code)
        Device.objects.update(facility=empty.code)
        browser = scene.browser("podium", "shift-manager")
        statuses = {
            address: browser.get(address).status_code
            for address in (
                *(f"/floor/empty/{page}" for page in ("tiles", "dice/", "equipment/", "staff/")),
                *(
                    f"/office/empty/{page}/"
                    for page in ("submissions", "signs", "guide", "requests", "providers")
                ),
                *(f"/office/empty/{page}/" for page in ("documents", "deadlines")),
                *(f"/record/empty/{page}" for page in ("", "clauses/", "integrity/", "report/", "exports/")),
            )
        }
        assert {address: status for address, status in statuses.items() if status != 200} == {}
        assert browser.get("/office/empty/odds/").status_code == 403
        assert Client().get("/guide/empty/").status_code == 404


@pytest.mark.parametrize("rules", ["xx-8", "xx-9"])
def test_its_other_games_are_dealt_and_cite_no_other_law(hands, ruritania, rules):
    scene = make_scene(rules, payout_limit_cents=7_500_000 if rules == "xx-8" else None)
    pages = []
    if rules == "xx-8":
        to_the_extra_throw(scene, *BOUGHT)
        pages += screens(scene)
        scene.act("call_dice", {"dice": [5, 5, 1, 1, 2, 3]})
        scene.finish()
    else:
        pages += screens(scene)
        touchdown(scene)
        pages += screens(scene)
        settle(scene)
        throw(scene, [1, 2, 3])
        settle(scene)
        scene.finish()
    pages += screens(scene)
    SignForm.objects.update(decided_by="Royal Sign Painter", reference="RSP-1")
    assert [cites for page in pages if (cites := foreign(page))] == []
    assert {name: cites for name, text in texts_of_entries() if (cites := foreign(text))} == {}


def screens(scene: Scene) -> list[str]:
    tablet, podium = scene.browser("tablet", "dealer"), scene.browser("podium", "pit-manager")
    answers = [
        tablet.get("/floor/larkfield/T-01/console"),
        *(podium.get(f"/floor/larkfield/{page}") for page in ("", "T-01/", "T-01/sign/")),
        podium.get("/record/larkfield/"),
    ]
    assert [answer.status_code for answer in answers] == [200] * len(answers)
    return [answer.content.decode() for answer in answers]
