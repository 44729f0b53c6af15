"""The tablets of a schedule, and who taps on them: dealers, and the floor and the cage with their fills.

A tablet has its page (`pages.py`), what the page shows, and its way to the server, on which requests and answers are
lost, late or repeated.
"""

import copy
import json
from dataclasses import dataclass
from http.cookies import SimpleCookie
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.test import Client

from audit.models import Stream
from games.snapshot_types import Snapshot
from script.faults.floor import FILL, FILLS, GUARD, SECOND_SIGNER, Seat
from script.faults.load import STAKES_CENTS, next_act
from script.schedules.house import Answer, Crash
from script.schedules.pages import Awaited, Happened, Sent, Told
from script.tablet import Claim, Json
from tables.models import Table

if TYPE_CHECKING:
    from script.schedules.schedule import Schedule

HEARTBEAT_SECONDS = 5.0
PUSH_SECONDS = 0.4
SIGN_IN_SECONDS = 2.0
NO_ANSWER = Answer(0, None)
ALTERED_MAC = "0" * 64
MOST_AHEAD = 4  # acts that a dealer taps before the first of them is answered


@dataclass(kw_only=True)
class Tapped(Claim):
    """An act that somebody tapped. `is_stored`: it outlives its page."""

    by: "Tablet"
    is_stored: bool


class Tablet:
    """A device with its page."""

    def __init__(self, schedule: "Schedule", number: int, seat: Seat, cookies: SimpleCookie) -> None:
        self.schedule, self.number, self.seat = schedule, number, seat
        self.draws, self.world = schedule.draws, schedule.world
        self.name = f"{seat.place} {seat.person}"
        self.client = Client(raise_request_exception=False)
        self.client.cookies = copy.copy(cookies)
        self.page = 0  # how often a page was loaded
        self.shown: dict[str, Snapshot] = {}
        self.most_shown: dict[str, int] = {}  # the highest numbers that it has shown
        self.signs_in = True
        self.restored: int | None = None  # the number of its table in a restored backup, if it has shown more
        self.offline_until = 0.0
        self.clock_offset = 0.0  # ms
        self.answered: dict[str, int] = {}  # by command: how many backups had been restored before the answer
        self.wakes_at: float | None = None
        tables = Table.objects.filter(facility__code=seat.facility).select_related("facility", "stream")
        self.places = {table.stream.name: table.pk for table in tables if seat.table in ("", table.code)}

    @property
    def is_offline(self) -> bool:
        return self.world.seconds < self.offline_until

    @property
    def waiting(self) -> list[Tapped]:
        """Its acts of which nobody has been told."""
        return [tapped for tapped in self.schedule.waiting if tapped.by is self]

    def log(self, text: str) -> None:
        self.schedule.log(self.name, text)

    def begin(self) -> None:
        """Sign in."""
        self.sign_in()
        self.schedule.at(HEARTBEAT_SECONDS, self.hear_heartbeat)

    def sign_in(self) -> None:
        """Sign in, with the heads that the device stores, until it works; then load the page."""
        self.signs_in, answer = True, NO_ANSWER
        if not self.is_offline:
            heads = self.schedule.engine.happens("heads", self._now, self.number).heads
            form = {"person": self.seat.person, "pin": self.seat.pin, "heads": json.dumps(heads)}
            answer = self._ask("POST", "/sign-in", None, form)
        if answer.status == 302:
            self.load()
        else:
            self.schedule.at(SIGN_IN_SECONDS, self.sign_in)

    # The page

    @property
    def _now(self) -> float:
        return self.world.seconds * 1_000

    def load(self) -> None:
        """Load the page: what the one before was doing is gone, but for what the device stores."""
        for tapped in self.waiting:
            tapped.is_over |= not tapped.is_stored
        self.page, self.wakes_at, self.signs_in, self.shown = self.page + 1, None, False, {}
        self.socket_cookies = copy.copy(self.client.cookies)
        for place in self.places:
            self._keep(place, self.schedule.house.read(self.places[place]))
        self.happens(
            "open",
            offset=self.clock_offset,
            seed=(self.draws.seed * 10 + self.number) * 100 + self.page,
            person=self.seat.person,
            place=self.seat.place if self.seat.table else None,
            shown={place: dataset_of(state, place) for place, state in self.shown.items()},
        )

    def happens(self, what: str, **details: Any) -> Happened:
        """Let something happen at the page, and do what it asks for."""
        happened = self.schedule.engine.happens(what, self._now, self.number, **details)
        for sent in happened.sent:
            self.send(sent)
        for awaited in happened.awaited:
            self.schedule.at(PUSH_SECONDS, self.reach, self.page, awaited)
        for told in happened.told:
            self.be_told(told)
        if happened.is_left and not self.signs_in:
            self.signs_in = True
            self.schedule.at(1.0, self.sign_in)
        if happened.due is not None and happened.due != self.wakes_at:
            self.wakes_at = happened.due
            self.schedule.at((happened.due - self._now) / 1_000, self.wake, self.page, happened.due)
        return happened

    def wake(self, page: int, due: float) -> None:
        """Let a timer of the page run out, unless another is due by now."""
        if (page, due) == (self.page, self.wakes_at):
            self.wakes_at = None
            self.happens("wake")

    # Its screen

    def _keep(self, place: str, state: Snapshot) -> None:
        self.shown[place] = state
        self.most_shown[place] = max(self.most_shown.get(place, 0), state["version"])

    def be_pushed(self, place: str, state: Snapshot) -> None:
        """Take a push, unless it is lost: then the next heartbeat brings it."""
        if (
            place in self.places
            and not self.is_offline
            and not self.draws.happens("push lost", 0.1, self.name)
        ):
            seconds = self.draws.of(f"push {self.number}").uniform(0.01, 0.3)
            self.schedule.at(seconds, self.show, self.page, place, state)

    def show(self, page: int, place: str, state: Snapshot) -> None:
        if page == self.page and not self.signs_in and is_newer(state, self.shown[place]):
            self._keep(place, state)
            self.happens("show", place=place, dataset=dataset_of(state, place))

    def reach(self, page: int, awaited: Awaited) -> None:
        """Fetch the screen for which the page waits, unless a push has brought it. The page goes on if that fails."""
        place = awaited.place
        if page == self.page and not self.signs_in and self.shown[place]["version"] < awaited.version:
            self.fetch(place)
            if page == self.page:
                self.happens("show", place=place, dataset=dataset_of(self.shown[place], place), isNewest=True)

    def fetch(self, place: str) -> None:
        """Fetch a screen, if the server answers. Signs in where the person is signed out."""
        station = f"{place.partition('/')[2]}/screen/dealer" if self.seat.table else "tiles"
        answer = (
            NO_ANSWER if self.is_offline else self._ask("GET", f"/floor/{self.seat.facility}/{station}", None)
        )
        if answer.status == 200:
            self.show(self.page, place, self.schedule.house.read(self.places[place]))
        elif answer.status in (401, 423) and not self.signs_in:
            self.sign_in()

    def hear_heartbeat(self) -> None:
        """A heartbeat names the newest versions: a page that is behind fetches its screen."""
        self.schedule.at(HEARTBEAT_SECONDS, self.hear_heartbeat)
        if self.is_offline:
            return
        newest = Stream.objects.filter(name__in=self.places).values_list("name", "seq")
        for place, version in newest:
            if not self.signs_in and version != self.shown[place]["version"]:
                self.fetch(place)

    # The network

    def _ask(self, method: str, path: str, body: Json | None, form: Json | None = None) -> Answer:
        try:
            return self.schedule.house.request(self.client, method, path, body, form)
        except Crash:
            return NO_ANSWER

    def _ask_on_socket(self, sent: Sent) -> Answer:
        try:
            return self.schedule.house.act_on_socket(self.socket_cookies, sent.url, sent.body)
        except Crash:
            return NO_ANSWER

    def send(self, sent: Sent) -> None:
        """Send a try of an act, with what happens to it on the way."""
        if sent.body.get("head") and self.draws.happens("head altered", 0.04, self.name):
            self.log(f"the head of {sent.act} is altered")
            sent.body["head"]["mac"] = ALTERED_MAC
        draw, cookies = self.draws.of(f"network {self.number}"), copy.copy(self.client.cookies)
        seconds, silence = draw.uniform(0.005, 0.05), draw.random() < 0.5
        if self.is_offline:
            self.schedule.at(seconds, self.answer, self.page, sent, NO_ANSWER)
        elif self.draws.happens("request lost", 0.04, self.name):
            self.log(f"the request of {sent.act} is lost")
            if not silence:
                self.schedule.at(seconds, self.answer, self.page, sent, NO_ANSWER)
        else:
            if self.draws.happens("request late", 0.02, self.name):
                seconds = draw.uniform(1, 15)
                self.log(f"the request of {sent.act} takes {seconds:.1f} s")
            if not sent.is_on_socket and self.draws.happens("request repeated", 0.05, self.name):
                self.log(f"the request of {sent.act} is sent twice, and the second answer is heard")
                self.schedule.at(seconds * draw.random(), self.serve, None, sent, cookies)
            if not sent.is_on_socket and self.draws.happens("copy late", 0.1, self.name):
                late = draw.uniform(0.1, 20)
                self.log(f"a copy of {sent.act} is on its way for {late:.1f} s")
                self.schedule.at(late, self.serve, None, sent, cookies)
            self.schedule.at(seconds, self.serve, self.page, sent, cookies, self.restored)

    def serve(self, page: int | None, sent: Sent, cookies: SimpleCookie, restored: int | None = None) -> None:
        """Let the server answer a request. `page`: the one that waits for it; None for a copy.

        `cookies`: those with which it was sent. `restored`: the number of its table in a restored backup, if its tablet
        had shown more by then; one that was on its way before that claims what the backup has.
        """
        self.schedule.acts += 1
        now, self.client.cookies = self.client.cookies, cookies
        draw = self.draws.of(f"network {self.number}")
        answer = self._ask_on_socket(sent) if sent.is_on_socket else self._ask("POST", sent.url, sent.body)
        self.client.cookies = now
        kind = " again" * bool(sent.body.get("retry")) + " (a copy)" * (page is None)
        self.log(f"{sent.act}{kind}{' on the socket' * sent.is_on_socket}: {answer.words}")
        if answer.status == 200 and sent.body["head"] and sent.body["head"]["mac"] == ALTERED_MAC:
            self.schedule.house.problems.append(f"{sent.act} was taken with a head that nobody signed")
        # the answer of an act that the backup has may be repeated
        is_new = (
            answer.status == 200
            and restored is not None
            and (answer.content or {}).get("version", 0) > restored
        )
        if is_new and self.restored is not None and page == self.page:
            self.schedule.house.problems.append(f"{self.seat.place} plays on after the restored backup")
        if page is None:
            return
        if self.draws.happens("answer lost", 0.04, self.name):
            self.log(f"the answer to {sent.act} is lost")
            if draw.random() < 0.5:
                return
            answer = NO_ANSWER
        self.schedule.at(
            draw.uniform(0.005, 0.05), self.answer, page, sent, answer, self.schedule.house.restored
        )

    def answer(self, page: int, sent: Sent, answer: Answer, restored: int = 0) -> None:
        """Hear an answer. `restored`: how many backups had been restored when the server gave it."""
        if page == self.page:
            self.answered[sent.body["command"]] = restored
            self.happens("answer", id=sent.id, status=answer.status, content=answer.content)

    def meet_trouble(self) -> None:
        """What may happen to this device alone: no network, a page that is loaded anew, a clock that is set."""
        if self.draws.happens("tablet offline", 0.03, self.name) and not self.is_offline and self.page:
            seconds = self.draws.of(f"offline {self.number}").uniform(2, 60)
            self.offline_until = self.world.seconds + seconds
            self.log(f"offline for {seconds:.0f} s")
            self.lose_line(seconds)
        if (
            self.draws.happens("page loaded again", 0.03, self.name)
            and not self.signs_in
            and not self.is_offline
        ):
            self.log("the page is loaded again")
            self.load()
        if self.draws.happens("session ended", 0.03, self.name) and not self.signs_in:
            self.log("its session ends")
            self.client.cookies.pop(settings.SESSION_COOKIE_NAME, None)
        if self.draws.happens("clock of a tablet set", 0.02, self.name):
            self.clock_offset = self.draws.of(f"clock {self.number}").choice((-3.6e6, -5e3, 5e3, 3.6e6))

    def lose_line(self, seconds: float) -> None:
        """Lose the socket of the page, which connects again after so long."""
        self.happens("connect", isLive=False)
        self.schedule.at(seconds, self.come_back, self.page)

    def come_back(self, page: int) -> None:
        """The network is back: the page connects, and fetches what it missed."""
        if page == self.page:
            self.happens("connect", isLive=True)
            for place in self.places:
                if not self.signs_in:
                    self.fetch(place)

    # Acts

    def tap(self, place: str, act: str, params: Json, witness: tuple[str, str] | None = None) -> None:
        """Tap an act, with a second person who signs it."""
        shown, signature = self.shown[place], witness and dict(zip(("person", "pin"), witness, strict=True))
        stored = bool(self.seat.table) and witness is None
        tapped = Tapped("", place, act, self.world.seconds, by=self, is_stored=stored)
        number = self.schedule.note(tapped)
        self.log(f"taps {act} at {place}, which shows {shown['version']}")
        round_ = {name: shown["round"][name] for name in ("number", "phase")}
        happened = self.happens(
            "tap",
            place=place,
            claim=number,
            act=act,
            params=params,
            state={"round": round_},
            witness=signature,
        )
        tapped.command = happened.command or ""

    def be_told(self, told: Told) -> None:
        """The person reads what became of an act. One that is kept until they have signed in again is not over."""
        tapped = self.schedule.find(told.claim)
        is_kept = told.is_signed_out and told.version is None
        if tapped is None or tapped.is_over or (is_kept and tapped.is_stored):
            return
        tapped.is_over, tapped.answered = True, self.world.seconds
        tapped.status, tapped.code = told.status, told.code
        if told.version is not None:
            tapped.fate, tapped.version, tapped.answer = (
                "taken",
                told.version,
                told.response.get("answer", {}),
            )
        elif told.code != "unknown":
            tapped.fate = "refused"
        if tapped.fate != "unknown" and self.answered.get(tapped.command, 0) != self.schedule.house.restored:
            self.schedule.forget(tapped.command)
        self.log(f"is told of {tapped.act}: {tapped.fate} {tapped.code or tapped.version}")
        self.go_on(tapped)

    def go_on(self, tapped: Tapped) -> None:
        """What the person does once an act is answered."""


class Dealer(Tablet):
    """A tablet whose dealer plays: taps what the screen invites to, and at times the acts after it before an answer."""

    def __init__(self, schedule: "Schedule", number: int, seat: Seat, cookies: SimpleCookie) -> None:
        super().__init__(schedule, number, seat, cookies)
        self.draw = self.draws.of(f"dealer {number}")
        self.fills = list(range(1, FILLS + 1)) if seat.facility == "larkfield" else []

    def begin(self) -> None:
        super().begin()
        self.schedule.at(self.draw.uniform(0, 1), self.play)

    def play(self) -> None:
        self.schedule.at(self.draw.uniform(0.2, 1.2), self.play)
        if self.signs_in or self.schedule.is_over or self.shown[self.seat.place]["halted"]:
            return
        waiting = self.waiting
        if not waiting and self.fills and self.draw.random() < 0.05:
            params = {"transfer": self.fills.pop(0), "chips": FILL}
            self.tap(self.seat.place, "receive_transfer", params, SECOND_SIGNER)
        elif not waiting and self.draw.random() < 0.05:
            self.tap(self.seat.place, "sell_chips", {"cents": self.draw.choice(STAKES_CENTS)})
        elif not waiting:
            state: Any = self.shown[self.seat.place]
            if (act := next_act(state, self.draw)) is not None:
                self.tap(self.seat.place, *act)
        elif len(waiting) < MOST_AHEAD and self.draw.random() < 0.3:
            self.tap_ahead(waiting[-1].act)

    def tap_ahead(self, after: str) -> None:
        """Tap the act that leads on to the dice after one that waits."""
        shown = self.shown[self.seat.place]
        acts = [step["act"] for step in shown["ahead"]]
        place = acts.index(after) + 1 if after in acts else 0
        if place < len(acts) and acts[place] != after:
            step = shown["ahead"][place]
            dice = (
                {"dice": [self.draw.randint(1, 6) for _ in range(step["dice"] or 0)]} if step["dice"] else {}
            )
            self.tap(self.seat.place, step["act"], {**step["params"], **dice})


class Desk(Tablet):
    """A device from which a person acts at several tables."""

    fills: "Fills"

    def go_on(self, tapped: Tapped) -> None:
        self.fills.go_on(tapped)


class Fills:
    """Fills on their way: the floor asks for one, and the cage prepares it, hands it over or voids it."""

    def __init__(self, schedule: "Schedule", floor: Desk, cage: Desk, dealers: list[Dealer]) -> None:
        self.schedule, self.floor, self.cage = schedule, floor, cage
        self.draw = schedule.draws.of("fills")
        self.dealers = {
            dealer.seat.place: dealer for dealer in dealers if dealer.seat.facility == floor.seat.facility
        }
        floor.fills = cage.fills = self
        schedule.at(self.draw.uniform(1, 5), self.ask)

    def ask(self) -> None:
        self.schedule.at(self.draw.uniform(4, 12), self.ask)
        if not self.schedule.is_over:
            self._tap(self.floor, self.draw.choice(sorted(self.dealers)), "request_fill", {"chips": FILL})

    def _tap(
        self, desk: Desk, place: str, act: str, params: Json, witness: tuple[str, str] | None = None
    ) -> None:
        if not desk.signs_in and not self.schedule.is_over:
            desk.tap(place, act, params, witness)

    def go_on(self, tapped: Tapped) -> None:
        """The next step of a fill, some time after the one before was taken."""
        # Who was signed out since is told that an act was taken, without its answer.
        if tapped.fate == "taken" and tapped.act != "void_transfer" and "transfer" in tapped.answer:
            self.schedule.at(self.draw.uniform(0.2, 1), self.step, tapped, tapped.answer["transfer"])

    def step(self, tapped: Tapped, number: int) -> None:
        transfer = {"transfer": number}
        if tapped.act != "request_fill" and self.draw.random() < 0.2:
            self._tap(self.cage, tapped.place, "void_transfer", {**transfer, "reason": "not needed"}, GUARD)
        elif tapped.act == "request_fill":
            self._tap(self.cage, tapped.place, "prepare_transfer", transfer)
        elif tapped.act == "prepare_transfer":
            self._tap(self.cage, tapped.place, "hand_over_transfer", transfer, GUARD)
        else:
            self.dealers[tapped.place].fills.append(number)


# What a screen says of a state


def dataset_of(state: Snapshot, place: str) -> dict[str, str]:
    """The attributes of a fragment that shows this state, as scripts read them."""
    head, shown = state["head"], {"version": str(state["version"]), "stream": place}
    if head is None:
        return {**shown, "incarnation": "1"}
    return {**shown, "head": head["head"], "incarnation": str(head["incarnation"]), "mac": head["mac"]}


def is_newer(state: Snapshot, shown: Snapshot) -> bool:
    """As `isNewer` of static/js/live.js."""
    halted = bool(state["halted"]) - bool(shown["halted"])
    incarnations = [one["head"]["incarnation"] if one["head"] else 1 for one in (state, shown)]
    if halted > 0 or incarnations[0] > incarnations[1]:
        return True
    return halted == 0 and incarnations[0] == incarnations[1] and state["version"] > shown["version"]
