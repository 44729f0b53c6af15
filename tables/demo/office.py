"""Give the demo facility a rules office with some history. Past decisions are rows, current acts are executed.

Of the rules dealt it changes only the payout odds of RS-0003, whose version 2 is in force.
"""

import datetime as dt
import hashlib
import uuid
from typing import Any

from audit import clock
from audit.models import Device, Person
from games.kit import paper
from games.models import (
    Application,
    Document,
    Facility,
    GameRequest,
    Provider,
    ProviderNote,
    Qualifier,
    Review,
    Service,
)
from games.office import core
from games.separation.changes import CHANGE_PREPARED

TERM_YEARS = 4
BUREAU = "Bureau of Gaming Operations"
ENDS_IN = 90  # days, so that its renewal is due in a month
DAY = dt.timedelta(days=1)
AMENDED, FILED = "RS-0003", "RS-0021"
PAYOUTS = {"three-of-a-kind": "180 to 1", "total:4": "62 to 1", "total:17": "62 to 1"}


QUICK_STRIKE = {
    "play": {
        "text": "Three Dice Football is played as before. Each play of a score is counted from the first."
    },
    "wagering": {
        "text": "Made before the first throw of a game. It wins when the score comes in plays 1 to 4."
    },
    "reasons": {"text": "Players ask for a wager on how soon the score comes."},
    "elsewhere": {"none": True},
    "property": {"none": True},
}


class Office:
    """The games administrator of a facility at a podium, and the shift manager who approves what needs two people."""

    def __init__(self, house: Facility, person: Person, approver: Person, podium: Device) -> None:
        self.house, self.person, self.approver, self.podium = house, person, approver, podium
        self.today = house.local(clock.now()).date()

    def do(self, act: str, params: dict[str, Any], attachment: bytes = b"") -> dict[str, Any]:
        """Execute one act and return its answer. What a second person approves is approved at once."""
        answer = self._execute(act, params, self.person, attachment)
        if answer["type"] == CHANGE_PREPARED.name:
            answer = self._execute("approve_change", {"change": answer["change"]}, self.approver)
        return answer

    def _execute(
        self, act: str, params: dict[str, Any], person: Person, attachment: bytes = b""
    ) -> dict[str, Any]:
        call = core.ActRequest(
            self.house.code, core.STREAM, act, uuid.uuid4(), 0, params, person, self.podium,
            attachment=attachment,
        )  # fmt: skip
        return core.execute(call).body

    def letter(self, title: str, *lines: str) -> str:
        """File a letter of one page and return its code."""
        styles = paper.styles()
        story = [paper.text(line, styles["body"]) for line in lines]
        content = paper.render(
            story, title=title, facility_name=self.house.name, approved="A letter of the demo"
        )
        params = {
            "title": title,
            "filename": f"{title}.pdf",
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        return str(self.do("file_document", params, content)["document"])

    def paper(self, title: str, line: str) -> Document:
        """File a letter of one page and return its row."""
        return Document.objects.get(facility=self.house, code=self.letter(title, line))


def seed_office(house: Facility, person: Person, approver: Person, podium: Device) -> None:
    """Fill the office of a facility that the demo has just created."""
    office = Office(house, person, approver, podium)
    _amend(office)
    _file(office)
    _guide(office)
    _providers(office)
    _request(office)


def _decision(office: Office, reference: str, letter: str) -> dict[str, Any]:
    return {"granted": True, "body": BUREAU, "reference": reference, "letter": letter}


def _draft(office: Office, code: str, edition: str, why: str, **options: Any) -> dict[str, Any]:
    office.do("draft_submission", {"code": code, "edition": edition, "why": why})
    which = {"code": code, "version": 2}
    office.do("change_draft", {**which, "edition": edition, "why": why, **options})
    office.do("file_submission", which)
    return which


def _amend(office: Office) -> None:
    """Add a second version that is approved and in force; the first is superseded."""
    payouts = [{"family": family, "odds": odds} for family, odds in PAYOUTS.items()]
    which = _draft(office, AMENDED, _edition(office, AMENDED), "Totals of 4 and 17 pay more", payouts=payouts,
        lapsed_why="The demo deals an edition that has lapsed"
    )  # fmt: skip
    letter = office.letter(
        "Approval of RS-0003 version 2", "Rules submission RS-0003, version 2, is approved as it was filed."
    )
    office.do("record_decision", {**which, **_decision(office, "BGO-2291", letter)})


def _file(office: Office) -> None:
    """Add a second version that awaits its decision."""
    _draft(
        office, FILED, _edition(office, FILED), "A higher payout limit for the new pit",
        payout_limit_cents=10_000_000,
    )  # fmt: skip


def _edition(office: Office, code: str) -> str:
    return str(office.house.submissions.get(code=code, version=1).edition)


def _guide(office: Office) -> None:
    """Add an approved and published gaming guide."""
    office.do("generate_guide", {"formats": ["print", "web"], "reference": "BGO-2303"})
    office.do("file_guide_sample", {"guide": 1})
    letter = office.letter("Approval of the gaming guide", "The sample of the gaming guide is approved.")
    office.do("decide_guide", {"guide": 1, **_decision(office, "BGO-2304", letter)})
    office.do("publish_guide", {"guide": 1})
    office.do("record_guide_display", {"guide": 1, "place": "Security podium"})


def _providers(office: Office) -> None:
    """Add a provider whose certification ends soon and renewal is overdue, and one with a service that is dealt."""
    first = _provider(office, "SP-0001", "Millrace Table Games LLC", "Sic Bo", "An automated count of seats")
    ProviderNote.objects.create(
        provider=first, kind=ProviderNote.Kind.INFORMATION, on=office.today - 4 * DAY,
        text="The Board asks for the ownership chart of the parent company", due_on=office.today + 5 * DAY,
    )  # fmt: skip
    _certify(office, first, office.today + ENDS_IN * DAY)
    second = _provider(
        office, "SP-0002", "Overbrook Dice Works Inc.", "Three Dice Football", "The Quick Strike wager"
    )
    _certify(office, second, office.today + 3 * 365 * DAY)
    request = GameRequest.objects.create(
        facility=office.house, code="NG-0001", title="Quick Strike", kind=GameRequest.Kind.WAGER,
        game="football", rules="pa-577", wagers=["quick-strike"], status=Review.APPROVED,
        parts=QUICK_STRIKE, decided_by="Executive Director",
        reference="PGCB-1187", decision=office.paper("Approval of Quick Strike", "The wager is approved."),
        **_past(30),
    )  # fmt: skip
    Service.objects.create(
        provider=second, code="SV-0001", name="Quick Strike", game="football", wagers=["quick-strike"],
        lab_submitted_on=office.today - 90 * DAY, lab_approved_on=office.today - 45 * DAY,
        lab_reference="LAB-0417", costs_cents=1_250_000, costs_paid_on=office.today - 40 * DAY, request=request,
    )  # fmt: skip


def _past(days: int) -> dict[str, dt.datetime]:
    """Return the moments of drafting, filing and decision, the decision `days` ago."""
    now = clock.now()
    return {
        "drafted_at": now - (days + 20) * DAY,
        "filed_at": now - (days + 12) * DAY,
        "decided_at": now - days * DAY,
    }


def _provider(office: Office, code: str, name: str, game: str, innovation: str) -> Provider:
    provider = Provider.objects.create(
        facility=office.house, code=code, name=name, innovation=innovation, game=game,
        patent="US 11,204,117",
        no_other_license=True, investigated_on=office.today - 120 * DAY, listed_on=office.today - 100 * DAY,
        investigation=office.paper(f"Investigation of {code}", f"Nothing adverse was found about {name}."),
        created_at=clock.now(),
    )  # fmt: skip
    Qualifier.objects.create(
        provider=provider, kind=Qualifier.Kind.INDIVIDUAL, name="R. Alvarado", title="President", officer=True,
        owns_bp=2_500, form_filed_on=office.today - 120 * DAY, qualified_on=office.today - 60 * DAY,
    )  # fmt: skip
    return provider


def _certify(office: Office, provider: Provider, ends_on: dt.date) -> None:
    """Add a certification of four years that ends on this day, or on the 28th where February 29 did not exist."""
    day = min(ends_on.day, 28) if ends_on.month == 2 else ends_on.day
    decided = ends_on.replace(year=ends_on.year - TERM_YEARS, day=day)
    ago = (provider.created_at.date() - decided).days
    Application.objects.create(
        provider=provider, kind=Application.Kind.FIRST, completed_by="R. Alvarado", fee_cents=500_000,
        fee_paid_on=decided - 30 * DAY, filed_at=provider.created_at - (ago + 30) * DAY,
        decided_on=decided, granted=True, ends_on=ends_on, created_at=provider.created_at,
        decision=office.paper(f"Certification of {provider.code}", f"{provider.name} is certified."),
    )  # fmt: skip


def _request(office: Office) -> None:
    """Add a request for a new wager, barely begun."""
    made = office.do(
        "draft_request",
        {
            "title": "Lucky Pair",
            "kind": "wager",
            "rules": "pa-625a/A",
            "wagers": [],
            "named": "Lucky Pair",
        },
    )
    part = {"part": "reasons", "text": "Players ask for a wager on a pair of their own choice."}
    office.do("change_request", {"request": made["request"], **part})
