"""The load: dealers at their tablets, a podium and the cage, who play until they are told to pause."""

import asyncio
import contextlib
import random
from collections.abc import Iterator, Sequence

from script.faults.floor import DESKS, FILL, FILLS, GUARD, PODIUM, SECOND_SIGNER, Seat
from script.faults.scene import HOST
from script.tablet import Desk, Front, Json, Ledger, Screen, Tablet, Trouble

STAKES_CENTS = (2_500, 5_000, 10_000)
WAGERS = ("small", "big", "total:9", "total:12", "one-of-a-kind:3", "two-of-a-kind:5", "any-three-of-a-kind")
DICE = 3
VOID_CHANCE = 0.2  # that the cage voids a fill that it prepared, and again once it is on the way
MONEY_CHANCE = 0.2  # that a tablet sells chips or receives a fill before its next act


def next_act(state: Json, draw: random.Random) -> tuple[str, Json] | None:
    """The act that a table invites its dealer to, with its parameters; None while there is none."""
    if "place_wagers" in state["offers"] and (not state["round"]["wagers"] or draw.random() < 0.2):
        return "place_wagers", {"wagers": _wagers(draw)}
    step = state["next"]
    if step is None:
        return None
    if step["act"] == "call_dice":
        return "call_dice", {"dice": [draw.randint(1, 6) for _ in range(step["dice"] or DICE)]}
    return step["act"], step["params"]


def _wagers(draw: random.Random) -> list[Json]:
    seats = draw.sample(range(1, 8), draw.randint(1, 4))
    return [
        {"seat": seat, "wager": code, "cents": draw.choice(STAKES_CENTS)}
        for seat in seats
        for code in draw.sample(WAGERS, draw.randint(1, 3))
    ]


class Turns:
    """When somebody acts, and when they pause between two acts."""

    def __init__(self) -> None:
        self.may_play = asyncio.Event()
        self.may_play.set()
        self.is_idle = asyncio.Event()

    async def wait(self) -> None:
        """Wait while nobody may act."""
        if not self.may_play.is_set():
            self.is_idle.set()
            await self.may_play.wait()
            self.is_idle.clear()


class Dealer(Tablet):
    """A tablet whose dealer plays."""

    def __init__(self, seat: Seat, token: str, front: Front, ledger: Ledger, draw: random.Random) -> None:
        super().__init__(seat, token, front, ledger, draw)
        self.turns = Turns()
        self.fills = list(range(1, FILLS + 1)) if seat.facility == PODIUM.facility else []

    def open(self) -> None:
        super().open()
        self.tasks.append(asyncio.create_task(self.play()))

    async def play(self) -> None:
        """Play rounds, one act after the other, at the pace of a hasty dealer."""
        while True:
            await self.turns.wait()
            if self.fills and self.draw.random() < MONEY_CHANCE:
                await self.move_chips()
            act = self.choose()
            if act is not None:
                await self.act(*act)
            await asyncio.sleep(self.draw.uniform(0.2, 0.5))

    async def move_chips(self) -> None:
        """Sell chips to a player, or receive the next fill with the signature of the floor."""
        if self.draw.random() < 0.5:
            await self.act("sell_chips", {"cents": self.draw.choice(STAKES_CENTS)})
            return
        params = {"transfer": self.fills.pop(0), "chips": FILL}
        person, pin = SECOND_SIGNER
        await self.act("receive_transfer", params, {"person": person, "pin": pin})

    def choose(self) -> tuple[str, Json] | None:
        """The act that the screen invites, with its parameters; None while there is none."""
        state = self.fragment.state
        return next_act(state, self.draw) if state and not self.fragment.is_halted else None


class Cage:
    """Fills from the request to the table: the floor asks, the cage prepares, hands over or voids them.

    A tablet receives what was handed over, with the signature of the floor.
    """

    def __init__(self, floor: Desk, cage: Desk, tablets: Sequence[Dealer]) -> None:
        self.floor, self.cage, self.tablets = floor, cage, tablets
        self.seat = cage.seat
        self.turns = Turns()
        self.task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        for desk in (self.floor, self.cage):
            await desk.enroll()
            if not await desk.sign_in() and not await desk.sign_in():  # a busy machine answers late
                raise RuntimeError(f"{desk.seat.person} could not sign in")
        self.task = asyncio.create_task(self.play())

    async def close(self) -> None:
        if self.task is not None:
            self.task.cancel()
            await asyncio.gather(self.task, return_exceptions=True)

    async def play(self) -> None:
        while True:
            await self.turns.wait()
            await self.send_fill(self.cage.draw.choice(self.tablets))
            await asyncio.sleep(self.cage.draw.uniform(0.5, 1.0))

    async def send_fill(self, tablet: Dealer) -> None:
        """Take a fill as far as it goes. A step that is refused leaves it where it is."""
        requested = await self.floor.act(tablet.table, "request_fill", {"chips": FILL})
        if requested.fate != "taken":
            return
        transfer = {"transfer": requested.answer["transfer"]}
        steps: tuple[tuple[str, tuple[str, str] | None], ...] = (
            ("prepare_transfer", None),
            ("hand_over_transfer", GUARD),
        )
        for name, witness in steps:
            claim = await self.cage.act(tablet.table, name, transfer, witness)
            if claim.fate != "taken":
                return
            if self.cage.draw.random() < VOID_CHANCE:
                params = {**transfer, "reason": "not needed"}
                await self.cage.act(tablet.table, "void_transfer", params, GUARD)
                return
        tablet.fills.append(transfer["transfer"])


class Load:
    """All tablets of the floor, the podium and the cage, from the seats of `floor.py`."""

    def __init__(
        self,
        ports: Sequence[int],
        tokens: dict[str, str],
        draw: random.Random,
        seats: Sequence[Seat],
        podium: Seat,
        host: str = HOST,
    ) -> None:
        self.ledger = Ledger()
        self.draw = draw
        self.front = Front(ports, random.Random(draw.random()), self.ledger, host)
        self.tablets = [
            Dealer(seat, tokens[seat.place], self.front, self.ledger, random.Random(draw.random()))
            for seat in seats
        ]
        self.podium = Screen(podium, tokens[podium.place], self.front)
        floor_desk, cage_desk = (
            Desk(seat, tokens[name], self.front, self.ledger, random.Random(draw.random()))
            for name, seat in DESKS.items()
        )
        filled = [tablet for tablet in self.tablets if tablet.seat.facility == PODIUM.facility]
        self.cage = Cage(floor_desk, cage_desk, filled)

    @property
    def screens(self) -> list[Screen]:
        return [*self.tablets, self.podium]

    async def open(self) -> None:
        """Enroll, sign in and open every page, one after the other."""
        for screen in self.screens:
            await screen.enroll()
            if not await screen.sign_in():
                raise RuntimeError(f"{screen.seat.person} could not sign in")
            await screen.resync()
            screen.open()
        await self.cage.open()

    async def close(self) -> None:
        await self.cage.close()
        for screen in self.screens:
            await screen.close()
        await self.front.close()

    @property
    def players(self) -> list[Dealer | Cage]:
        return [*self.tablets, self.cage]

    async def pause(self, seconds: float) -> list[Dealer | Cage]:
        """Let everybody finish their act, and play no more. Returns who still does not know after so long."""
        for player in self.players:
            player.turns.may_play.clear()
        waits = [asyncio.create_task(player.turns.is_idle.wait()) for player in self.players]
        await asyncio.wait(waits, timeout=seconds)
        for wait in waits:
            wait.cancel()
        return [player for player in self.players if not player.turns.is_idle.is_set()]

    def resume(self) -> None:
        for player in self.players:
            player.turns.is_idle.clear()
            player.turns.may_play.set()

    @contextlib.contextmanager
    def troubled(self, trouble: Trouble) -> Iterator[None]:
        """Make the network lose, repeat or reorder acts within the block."""
        self.front.trouble = trouble
        try:
            yield
        finally:
            self.front.trouble = ""
