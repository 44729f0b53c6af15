"""The rules office: submissions, signs, guides, requests and providers."""

import hashlib
import re
from typing import Any

from tests.golden.floor import Floor

Json = dict[str, Any]


def play_office(floor: Floor) -> None:
    """Rules submissions, signs, the guide, the rules book, permissions and a calendar of the rules office."""
    letter = floor.document("A letter of the bureau")
    decision: Json = {"body": "Bureau of Gaming Operations", "reference": "BGO-3001"}
    granted = {"granted": True, **decision}
    _file_submissions(floor, decision)
    sign = {
        "kind": "limits", "game": "sic-bo", "location": "At the dealer's left", "width_mm": 200, "height_mm": 150,
        "en": "Minimum {min}\nMaximum {max}",
    }  # fmt: skip
    floor.in_office("draft_sign_form", {**sign, "en": "Maximum {max}"}, expect=422)
    form = floor.in_office("draft_sign_form", sign)["form"]
    floor.in_office("file_sign_form", {"form": form})
    floor.in_office("decide_sign_form", {"form": form, **granted, "letter": _letter(floor, "a sign")})
    floor.tick()
    floor.in_office("withdraw_sign_form", {"form": form, "why": "too small"})
    floor.tick()
    guide = floor.get("noah", "/guide/larkfield/").content.decode()
    for url in sorted(set(re.findall(r'"(/guide/larkfield/[a-z0-9-]+/)"', guide))):
        floor.get("noah", url)
    floor.in_office("generate_guide", {"formats": ["web"]}, expect=422)
    floor.in_office("generate_guide", {"formats": ["print", "video"], "reference": "BGO-3002"})
    floor.in_office("file_guide_sample", {"guide": 2})
    floor.in_office("decide_guide", {"guide": 2, **granted, "letter": _letter(floor, "the guide")})
    floor.in_office("publish_guide", {"guide": 2})
    floor.in_office("generate_guide", {"formats": ["print"]})
    floor.in_office("approve_as_immaterial", {"guide": 3, "approved": 2, "because": "one format less"})
    floor.in_office("record_guide_display", {"guide": 2, "place": "Cage"})
    floor.in_office("end_guide_display", {"guide": 2, "place": "Cage"})
    floor.in_office("withdraw_guide", {"guide": 2, "why": "to be replaced"})
    book = {"document": letter, "games": ["pa-539", "pa-625a", "pa-675a", "pa-675a.6", "pa-577"]}
    floor.in_office("file_rules_book", {**book, "games": []}, expect=422)
    floor.in_office("file_rules_book", {**book, "elsewhere": "Lobby"}, expect=422)
    floor.in_office("file_rules_book", {**book, "elsewhere": "Lobby", "place_reference": "BGO-3003"})
    floor.in_office("record_rules_inspection", {"note": "read the chapter on Sic Bo"})
    permission = {"tables": ["T-01"], "reference": "PGCB-77", "granted_on": "2026-11-20"}
    permission["letter"] = _letter(floor, "the permission")
    floor.in_office("record_board_permission", {**permission, "ends_on": "2026-12-31"})
    floor.in_office("withdraw_board_permission", {"reference": "PGCB-77", "why": "revoked"})
    secret = hashlib.sha256(b"a secret of a calendar").hexdigest()
    feed = floor.in_office("make_feed", {"name": "Office calendar", "sha256": secret})["feed"]
    floor.in_office("revoke_feed", {"feed": feed})
    for _ in range(13):
        floor.wait(seconds=1)
    reminded = floor.newest("larkfield/rules", "deadline.reminded")
    floor.in_office("note_reminder", {"deadline": reminded["deadline"], "due_on": reminded["due_on"]})


def _letter(floor: Floor, about: str) -> str:
    """A letter of its own for each decision: the same file says no second one."""
    return floor.document(f"A letter about {about}")


def _file_submissions(floor: Floor, decision: Json) -> None:
    """Versions that are approved, denied and withdrawn, and one that is filed for a table that deals under it."""
    newer: Json = {"code": "RS-0012", "version": 2}
    edition = "pa-625a@2019-08-31/B"
    floor.in_office("draft_submission", {"code": "RS-0012", "edition": "pa-999"}, expect=422)
    floor.in_office("draft_submission", {"code": "RS-0012", "edition": edition, "why": "larger steps"})
    floor.in_office("draft_submission", {"code": "RS-0012", "edition": edition}, expect=422)
    floor.in_office("file_submission", newer, expect=422)
    steps = [{"family": "total", "cents": 500}, {"family": "small", "cents": 500}]
    floor.in_office("change_draft", {**newer, "edition": edition, "increments": steps, "why": "chips of $5"})
    floor.in_office("file_submission", newer)
    later = {"in_force_from": "2026-11-21T10:00"}
    decision = {**decision, "letter": _letter(floor, "RS-0012")}
    floor.in_office("record_decision", {**newer, "granted": True, **decision, **later}, expect=422)
    floor.in_office("record_decision", {**newer, "granted": True, **decision})
    floor.tick()
    place = "larkfield/T-03"
    floor.wager("linh", place, (1, "big", 5_000), expect=422)
    alert = next(alert["id"] for alert in floor.snapshot(place)["alerts"] if alert["kind"] == "new-rules")
    floor.act("kate", place, "acknowledge_alert", {"alert": alert, "note": "read to the dealer"})
    floor.deal("linh", place, (1, "big", 5_000))
    for granted in (False, True):
        code = floor.in_office("draft_submission", {"edition": "pa-675a.6@2016-08-27"})["code"]
        if not code:
            code = floor.newest("larkfield/rules", "rules.drafted")["code"]
        submission: Json = {"code": code, "version": 1}
        floor.in_office("file_submission", submission)
        decision["letter"] = _letter(floor, code)
        floor.in_office("record_decision", {**submission, "granted": granted, **decision})
    floor.in_office("withdraw_submission", {**submission, "why": "no table will deal it"})
    floor.in_office("withdraw_submission", {**submission, "why": "once more"}, expect=422)


def play_requests(floor: Floor) -> None:
    """Requests for new games in both jurisdictions, and the test of a game in New Jersey."""
    drawing = floor.document("A drawing", b"Rules of play.")
    floor.in_office("file_request", {"request": "NG-0002"}, expect=422)
    for part in (
        {"part": "play", "text": "A pair of the player's choice wins.", "document": drawing},
        {"part": "wagering", "text": "Made before the dice are shaken."},
        {"part": "class", "class": "variation", "of": "Sic Bo"},
        {"part": "odds", "document": drawing},
        {"part": "elsewhere", "places": "Nevada\nMississippi"},
        {
            "part": "property",
            "right": "patent",
            "state": "pending",
            "about": "the game",
            "name": "Lucky Pair",
        },
        {"part": "layout", "none": True},
    ):
        floor.in_office("change_request", {"request": "NG-0002", **part})
    floor.in_office("file_request", {"request": "NG-0002"})
    further: Json = {"body": "Bureau", "what": "a sample of the layout", "on": "2026-11-20"}
    item = floor.in_office("record_further_request", {"request": "NG-0002", **further}).body["answer"]["item"]
    answered = {"request": "NG-0002", "item": str(item), "on": "2026-11-21", "document": drawing}
    floor.in_office("answer_further_request", answered)
    decision = {"body": "Executive Director", "reference": "ED-4", "letter": _letter(floor, "NG-0002")}
    floor.in_office("decide_request", {"request": "NG-0002", "granted": True, **decision})
    about = {
        "title": "Third Die",
        "kind": "feature",
        "rules": "pa-539",
        "wagers": ["total"],
        "named": "Third",
    }
    withdrawn = floor.in_office("draft_request", about)["request"]
    floor.in_office("withdraw_request", {"request": withdrawn, "why": "not wanted"})
    _play_new_jersey(floor)


def _play_new_jersey(floor: Floor) -> None:
    """A request with a test in New Jersey, up to its final approval."""
    house, by = (
        "seabright",
        floor.hire("nina", "Nina Shore", "games-administrator", "compliance", "seabright", "250025"),
    )
    floor.approvers[house] = floor.hire("nell", "Nell Cray", "compliance", "compliance", house, "260026")

    def act(name: str, params: Json, expect: int = 200) -> Json:
        answer: Json = floor.in_office(name, params, by=by, facility=house, expect=expect).body.get(
            "answer", {}
        )
        return answer

    form = floor.document("Form T-1", by=by, facility=house)
    about = {"title": "Double Sic Bo", "kind": "game", "petitioner": "other", "rules": "nj-19-47-9"}
    code = act("draft_request", about)["request"]
    for part in (
        {"part": "play", "text": "Shake twice."},
        {"part": "wagering", "text": "Chips on the layout."},
        {"part": "application", "license": "Gaming-related", "document": form},
        {"part": "fee", "amount": "$5,000", "on": "2026-11-20"},
        {"part": "waiver", "none": True},
    ):
        act("change_request", {"request": code, **part})
    act("file_request", {"request": code})
    number = str(act("draft_test", {"request": code})["test"])
    test = {"request": code, "test": number}
    for part in (
        {"part": "casinos", "lines": "Seabright Hotel Casino"},
        {"part": "dates", "from": "2026-11-21", "to": "2026-12-20"},
        {"part": "times", "text": "Friday to Sunday, 18:00 to 02:00"},
        {"part": "tables", "lines": "T-01\nT-02"},
        {"part": "sign"},
        {"part": "criteria", "text": "Forty rounds an hour."},
        {"part": "documenting", "text": "Form T-1 after each shift."},
        {"part": "forms", "document": form},
    ):
        act("change_test", {**test, **part})
    act("file_test", test)
    decision = {"body": "The Commission", "reference": "C-12"}
    tested = floor.document("A letter about the test", by=by, facility=house)
    decision["letter"] = floor.document("A letter about the game", by=by, facility=house)
    act(
        "decide_test",
        {**test, "granted": True, **decision, "letter": tested, "conditions": "Report each week."},
    )
    floor.wait(hours=2)
    act("change_test_rules", {**test, "text": "Shake three times.", "why": "too quick"})
    run = {
        "casino": "Seabright Hotel Casino",
        "table": "T-01",
        "on": "2026-11-21",
        "begins": "10:30",
        "ends": "11:00",
    }
    act("record_test_run", {**test, **run})
    act("record_test_run", {**test, **run, "casino": "Elsewhere"}, 422)
    again = {**test, "test": str(act("draft_test", {"request": code})["test"])}
    act("withdraw_test", {**again, "why": "one test is enough"})
    act("decide_request", {"request": code, "granted": True, **decision}, 422)
    act("record_suitability", {"request": code, "on": "2026-11-21", "reference": "S-1", "document": form})
    act("record_amendment", {"request": code, "not_needed": True})
    licensing = {"applications": "filed", "waivers": "not-needed", "on": "2026-11-21"}
    act("record_licensing", {"request": code, **licensing})
    act("record_costs", {"request": code, "amount": "1,250.50", "on": "2026-11-21"})
    act("record_payment", {"request": code, "amount": "1,250.50", "on": "2026-11-21", "document": form})
    act("decide_request", {"request": code, "granted": True, **decision})


def play_providers(floor: Floor) -> None:
    """A service provider from its registration to its certification, its people, its service and its permission."""
    act = floor.in_office
    paper = floor.document("A paper of the provider", b"Papers.")
    innovation = {"name": "Tumbling Dice Ideas", "game": "Sic Bo", "innovation": "any three of a kind"}
    act("register_provider", {**innovation, "no_other_license": True}, expect=422)
    registered = act("register_provider", {**innovation, "patent": "US 9,999,999", "no_other_license": True})
    who: Json = {"provider": registered["provider"]}
    act("record_investigation", {**who, "on": "2026-11-20", "document": paper})
    act("record_listing", {**who, "on": "2026-11-20"})
    note: Json = {
        "kind": "information",
        "on": "2026-11-20",
        "text": "ownership chart",
        "due_on": "2026-11-25",
    }
    number = act("note_on_provider", {**who, **note})["note"]
    act("close_note", {"note": number, "done_on": "2026-11-21", "document": paper})
    person: Json = {
        "kind": "individual", "name": "Ada Quill", "title": "President", "officer": True, "director": False,
        "salesperson": False, "owns_bp": 2_500, "votes_bp": 0, "named_by_board": "",
        "form_filed_on": "2026-11-20",
    }  # fmt: skip
    ada: Json = {"person": act("name_person", {**who, **person})["person"]}
    act("change_person", {**ada, **person, "salesperson": True})
    package: Json = {
        **who, "kind": "certification", "completed_by": "Ada Quill, president", "form": paper, "copy": "one",
        "statement": paper, "general": True, "fee_cents": 250_000, "fee_paid_on": "2026-11-20",
    }  # fmt: skip
    act("complete_application", package)
    act("file_application", who, expect=422)
    act("attach_release", {**ada, "document": paper})
    act("file_application", who)
    act("record_application_costs", {**who, "costs_cents": 100_000, "paid_cents": 100_000})
    service = act(
        "register_service", {**who, "name": "Any Triple", "game": "sic-bo", "wagers": ["any-three-of-a-kind"]}
    )
    service_code: Json = {"service": service["service"]}
    floor.tick()
    floor.wager("omar", "larkfield/T-05", (1, "any-three-of-a-kind", 1_000), expect=422)
    lab = {"submitted_on": "2026-11-01", "approved_on": "2026-11-18", "reference": "GL-7"}
    act("record_laboratory", {**service_code, **lab})
    act("record_laboratory_costs", {**service_code, "costs_cents": 480_000, "paid_on": "2026-11-19"})
    act("link_request", {**service_code, "request": "NG-0002"}, expect=422)
    about = {"title": "Any Triple", "kind": "wager", "rules": "pa-539", "wagers": ["any-three-of-a-kind"]}
    request = act("draft_request", about)["request"]
    for part in (
        {"part": "play", "text": "As before."},
        {"part": "wagering", "text": "Chips."},
        {"part": "reasons", "text": "Players ask."},
        {"part": "elsewhere", "none": True},
        {"part": "property", "none": True},
    ):
        act("change_request", {"request": request, **part})
    act("file_request", {"request": request})
    decision = {"granted": True, "body": "Executive Director", "reference": "ED-5"}
    decision["letter"] = _letter(floor, "the request")
    act("decide_request", {"request": request, **decision})
    act("link_request", {**service_code, "request": request})
    permission = {"on": "2026-11-21", "reference": "BL-12", "diligence": paper, "acknowledgement": paper}
    act("record_permission", {**who, **permission})
    floor.tick()
    floor.deal("omar", "larkfield/T-05", (1, "any-three-of-a-kind", 1_000), dice=[[4, 4, 4]])
    rescinded = {"on": "2026-11-21", "cease_on": "2026-11-23", "notice": paper}
    act("rescind_permission", {**who, **rescinded})
    act("record_receipt", {**who, "on": "2026-11-21"})
    act(
        "issue_credential",
        {**ada, "kind": "temporary", "number": "C-1", "need": "training", "on": "2026-11-21"},
    )
    act("end_credential", {**ada, "number": "C-1", "on": "2026-11-21"})
    act("record_qualification", {**ada, "qualified": True, "on": "2026-11-21"})
    certified = _letter(floor, "the application")
    act("decide_application", {**who, "granted": True, "on": "2026-11-21", "letter": certified})
    act("end_person", {**ada, "on": "2026-11-21"})
    act("end_service", {**service_code, "on": "2026-11-21", "why": "the wager is dealt no more"})
    floor.tick()
