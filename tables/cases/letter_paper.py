"""What a letter to a patron says, for its page and its PDF: its words, who signed it, and their entries."""

from dataclasses import dataclass
from functools import cached_property

from audit.models import Entry
from games.engine.odds import in_dollars
from tables.alerts.floor_call_acts import NO_WORDS
from tables.cases.kinds import BY_SLIP, GOODWILL, kind_of
from tables.cases.letters import LetterFacts
from tables.cases.next_steps import signatures_of
from tables.desk.entry_rows import local_date_and_time
from tables.models import Case, CaseLetter
from tables.runner.facility import CASES


@dataclass(frozen=True)
class LetterSigner:
    """A person who signed the letter, with the entry of the signature; `digest` is its hash in hex."""

    name: str
    role: str
    moment: str
    seq: int
    digest: str


@dataclass(frozen=True)
class LetterPaper:
    """A letter as it is read. Its signatures are those of the case, if the letter counts."""

    letter: CaseLetter

    @property
    def case(self) -> Case:
        return self.letter.case

    @property
    def facts(self) -> LetterFacts | None:
        facts: LetterFacts | None = self.letter.facts
        return facts

    @property
    def title(self) -> str:
        return f"Letter {self.letter.number}, case {self.case.code}"

    @property
    def heading(self) -> str:
        """What the letter answers."""
        if self.facts is None:
            return "Your dispute"
        seat = f", seat {self.facts['seat']}" if self.facts["seat"] else ""
        return f"Your dispute of round {self.facts['round']:,} at table {self.facts['table']}{seat}"

    @property
    def says(self) -> str:
        """What the record has of the dispute, with its moment."""
        about = str(self.case.params.get("about") or "").strip().rstrip(".")
        opened = " at ".join(local_date_and_time(self.case.opened_at, self.case.facility))
        complaint = "without words" if about in ("", NO_WORDS) else f"with these words: “{about}”"
        return f"Your dispute was recorded on {opened} as case {self.case.code}, {complaint}."

    @property
    def decision(self) -> str:
        """The outcome as a sentence for the patron."""
        letter = self.letter
        if letter.outcome == GOODWILL:
            return f"Without a finding about it, we pay {in_dollars(letter.cents or 0)} as goodwill."
        if letter.outcome == BY_SLIP:
            return "The round is corrected by slip. What the slip says is below."
        return "The round stands as it was settled." if self.facts else "What was decided stands."

    @property
    def camera(self) -> str:
        """Which recordings surveillance had looked at when the letter was written; "" for none."""
        cameras = self.case.cameras.filter(seen_at__lte=self.letter.written_at)
        names = [f"{row.camera}{f', clip {row.clip}' if row.clip else ''}" for row in cameras]
        return f"Surveillance looked at the recording of camera {'; '.join(names)}." if names else ""

    @cached_property
    def signers(self) -> list[LetterSigner]:
        """The people who signed it. Nobody signed a letter that no longer counts."""
        if not self.letter.counts:
            return []
        case, signatures = self.case, signatures_of(self.case)
        entries = Entry.objects.filter(
            stream__name=f"{case.facility.code}/{CASES}", seq__in=[signature.seq for signature in signatures]
        )
        digests = {entry.seq: bytes(entry.hash).hex() for entry in entries}
        return [
            LetterSigner(
                signature.person.name,
                signature.person.get_role_display().lower(),
                ", ".join(local_date_and_time(signature.signed_at, case.facility)),
                signature.seq,
                digests.get(signature.seq, ""),
            )
            for signature in signatures
        ]

    @property
    def is_signed(self) -> bool:
        """Whether nobody is missing."""
        return self.letter.counts and len(self.signers) >= kind_of(self.case).signatures

    @property
    def missing(self) -> int:
        """How many signatures are missing."""
        return max(0, kind_of(self.case).signatures - len(self.signers))

    @property
    def date(self) -> str:
        """The day of the last signature; "" while one is missing."""
        if not self.is_signed:
            return ""
        local = self.case.facility.local(signatures_of(self.case)[-1].signed_at)
        return f"{local:%B} {local.day}, {local.year}"

    @property
    def stream(self) -> str:
        """The stream of the signatures."""
        return f"{self.case.facility.code}/{CASES}"
