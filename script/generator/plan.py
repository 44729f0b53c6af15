"""What the generator is to do, and what it reports: plain data that travels as JSON between the two processes."""

import dataclasses
import json
from dataclasses import dataclass, field
from typing import Any

from script.generator.schedule import DueAct


@dataclass(frozen=True)
class Screen:
    """A page: its socket, the kind by which its bytes are counted, and where it fetches its state when it is behind.

    `table`: the code of the only table that it shows; empty for a dashboard.
    """

    port: int
    path: str
    kind: str
    table: str = ""
    cookie: str = ""
    fallback: str = ""


@dataclass(frozen=True)
class Tablet:
    """The tablet of one table, which acts. `headers`: complete lines for its requests."""

    port: int
    table: str
    path: str
    headers: str
    acts: tuple[DueAct, ...]


@dataclass(frozen=True)
class Plan:
    """One run. `pause`: where acts follow each other, the seconds after every screen showed the last one.

    Without `pause` acts are due at their own moments, whether or not earlier ones were answered. With `text` there are
    no tablets: the first socket sends a text of that many bytes `texts` times, and every socket receives it.
    """

    screens: tuple[Screen, ...] = ()
    tablets: tuple[Tablet, ...] = ()
    pause: float | None = None
    text: int = 0
    texts: int = 0
    # Seconds that the screens stay open before the first act and after the last one.
    lead: float = 0.0
    tail: float = 0.0

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Plan":
        fields: dict[str, Any] = json.loads(text)
        fields["screens"] = tuple(Screen(**screen) for screen in fields["screens"])
        fields["tablets"] = tuple(
            Tablet(**{**tablet, "acts": tuple(DueAct(**act) for act in tablet["acts"])})
            for tablet in fields["tablets"]
        )
        return cls(**fields)


@dataclass
class SentAct:
    """An act and its answer. The moments are seconds of `time.monotonic`; `displayed` is 0 if a screen lacks it."""

    command: str
    table: str
    name: str
    due: float
    sent: float
    answered: float = 0.0
    status: int = 0
    code: str = ""
    version: int = 0
    tries: int = 1
    # When the last of the screens of its table showed it, and how many did.
    displayed: float = 0.0
    screens: int = 0

    @property
    def is_taken(self) -> bool:
        return self.status == 200


@dataclass
class Outcome:
    """What happened. `started` and `ended`: seconds of `time.monotonic` around the acts."""

    acts: list[SentAct] = field(default_factory=list)
    # The version that each screen shows of each table at the end, in the order of the plan.
    displays: list[dict[str, int]] = field(default_factory=list)
    # Bytes and number of the messages on each kind of socket, and of the answers, from the first act on.
    bytes: dict[str, int] = field(default_factory=dict)
    messages: dict[str, int] = field(default_factory=dict)
    heads_sent: int = 0
    resyncs: int = 0
    lost_sockets: int = 0
    started: float = 0.0
    ended: float = 0.0
    processor_seconds: float = 0.0  # of the generator itself, from the first act to the last

    @property
    def taken(self) -> list[SentAct]:
        return [act for act in self.acts if act.is_taken]

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Outcome":
        fields: dict[str, Any] = json.loads(text)
        return cls(**{**fields, "acts": [SentAct(**act) for act in fields["acts"]]})
