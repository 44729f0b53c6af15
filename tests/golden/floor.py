"""The floor: rounds step by step, the clock, pages, and what is done beside the screens."""

import json
import traceback
from collections.abc import Callable, Sequence
from typing import Any

from tests.golden.browsers import Answer, Browsers, Person, Station
from tests.golden.paper import some_dice

Json = dict[str, Any]
ENDED = ("cleared", "void", "no-roll")  # phases of a round that is over
MOST_STEPS = 250  # acts of one round; more means that the play is stuck


class Floor(Browsers):
    """The floor of the demo, as scenes play on it."""

    def play(self, scene: Callable[["Floor"], None]) -> None:
        """Play a scene as far as possible. A scene that fails is reported, and the next scene is played."""
        try:
            scene(self)
        except Exception:
            self.unexpected.append(f"{scene.__name__} broke off: {traceback.format_exc(limit=-3)}")

    # Reading

    def get(self, person: str, url: str, place: str = "", expect: int = 200) -> Any:
        """Opens a page, at the table's tablet or at the person's podium."""
        facility = self.people[person].facility or "larkfield"
        station = self.tablet(place) if place else self.podium(facility, person)
        if station.person != person:
            self.sign_in(station, person)
        response = self._get(station, url)
        if response.status_code in (302, 401, 423):
            self.sign_in(station, person)
            response = self._get(station, url)
        if response.status_code != expect:
            self.unexpected.append(f"{self.number} GET {url}: {response.status_code}")
        return response

    def _get(self, station: Station, url: str) -> Any:
        self._begin(url)
        return station.client.get(url, headers={"Sec-Fetch-Mode": "navigate"})

    def newest(self, place: str, type_: str) -> Json:
        """The data of the newest entry of a type on a stream."""
        entry = self.entry_model.objects.filter(stream__name=place, type=type_).order_by("-seq")[0]
        data: Json = json.loads(bytes(entry.body))["data"]
        return data

    # What is done beside the screens

    def hire(self, code: str, name: str, role: str, department: str, facility: str, pin: str) -> str:
        """One more person, on duty at the whole facility. Returns the code."""
        from django.apps import apps

        person = apps.get_model("audit", "Person")(
            code=code, name=name, role=role, department=department, facility=facility
        )
        person.set_password(pin)
        person.save()
        house = apps.get_model("games", "Facility").objects.get(code=facility)
        duty = {"person": person, "facility": house, "started_at": self.clock.now}
        apps.get_model("tables", "Assignment").objects.create(**duty)
        self.people[code] = Person(code, pin, role, facility)
        return code

    # The clock's own acts

    def wait(self, *, seconds: float = 0, minutes: float = 0, hours: float = 0) -> None:
        """Time goes by; then the clock does what it does by itself."""
        self.clock.pass_(seconds + 60 * minutes + 3600 * hours)
        self.tick()

    def tick(self, times: int = 5) -> None:
        """So many seconds of the ticker."""
        for _ in range(times):
            self._begin("tick")
            self.ticker.tick()

    # Rounds

    def inspect(self, person: str, place: str, dice: Sequence[int] = (1, 2, 5)) -> Answer:
        """The inspection that the table asks for, with everything in order."""
        facility, _, table = place.partition("/")
        asks = self.snapshot(place)["inspection_asks"]
        params: Json = {"lines": [line["code"] for line in asks["lines"]]}
        if asks["cameras"]:
            params["cameras"] = [f"C-{number}" for number in range(1, asks["cameras"] + 1)]
        if asks["tosses"]:
            params["tosses"] = asks["tosses"]
        if asks["dice"]:
            url = f"/floor/{facility}/{table}/light?dice={','.join(map(str, dice))}"
            params |= {"dice": list(dice), "lit": self.get(person, url).json().get("lit", [])}
        return self.act(person, place, "inspect_table", params)

    def wager(self, person: str, place: str, *wagers: tuple[Any, ...], expect: int = 200) -> Answer:
        """Wagers as (seat, code, cents) or (seat, code, cents, play)."""
        lines = [dict(zip(("seat", "wager", "cents", "play"), wager, strict=False)) for wager in wagers]
        return self.act(person, place, "place_wagers", {"wagers": lines}, expect=expect)

    def until(self, person: str, place: str, *acts: str, dice: Sequence[Sequence[int]] = ()) -> Json:
        """The next steps of a table one by one, up to one of `acts` or the end of the round.

        Dice are those given, in order, and then drawn. Returns the snapshot.
        """
        faces = iter(dice)
        for _ in range(MOST_STEPS):
            snapshot = self.snapshot(place)
            step = snapshot["next"]
            if step is None or step["act"] in acts:
                return snapshot
            params = dict(step["params"])
            if step["act"] == "shake" and snapshot["shaker"]["kind"] == "player-activated":
                params["activated_by_seat"] = snapshot["round"]["wagers"][0]["seat"]
            if step["act"] == "offer_dice":
                wagering = {wager["seat"] for wager in snapshot["round"]["wagers"]}
                params["accepted"] = params["seat"] in wagering  # who sits out declines
            if step["act"] == "call_dice" and "draw_dice" in snapshot["offers"]:
                self.act(self.at_post(person, snapshot, "draw_dice"), place, "draw_dice")
                continue
            if step["act"] == "call_dice":
                drawn = snapshot["round"]["drawn"] or some_dice(self.draw, step["dice"], alike=0.3)
                params = {"dice": list(next(faces, drawn))}
            answer = self.act(self.at_post(person, snapshot, step["act"]), place, step["act"], params)
            if not answer.ok or answer["phase"] in ENDED:
                return self.snapshot(place)
        raise RuntimeError(f"the round at {place} did not end")

    def at_post(self, person: str, snapshot: Json, act: str) -> str:
        """Who does an act: the person at the post that it belongs to, or else this person."""
        posts = snapshot["post_acts"].get(act)
        if posts is None:
            return person
        halves = {seat["seat"]: seat["post"] for seat in snapshot["round"]["seats"]}
        steps = (snapshot["round"]["settle"] or {"steps": []})["steps"]
        due = [
            halves[seat["seat"]]
            for step in steps
            for seat in step["seats"]
            if step["state"] == "now" and not seat["done"]
        ]
        post = due[0] if len(posts) > 1 and due else posts[0]
        field = {"dealer": "dealer", "dealer-left": "dealer_left", "stick": "stickperson"}[post]
        return str(snapshot["people"][field]["code"])

    def deal(
        self, person: str, place: str, *wagers: tuple[Any, ...], dice: Sequence[Sequence[int]] = ()
    ) -> Json:
        """A whole round, from the wagers to its end."""
        self.wager(person, place, *wagers)
        return self.until(person, place, dice=dice)
