"""Acts that one game alone has: what each does to the round, its entry, and how a replay follows that entry.

The folder of a game declares them in its `acts.py` (docs/architecture.md), with their entry types and lines of the
record. They are as pure as its engine: an act gets the round as a `Play`, and returns the state after it and the entry
that says so.

    ACTS = GameActs(HighRoll)

    @ACTS.act(DICE_MOVED, line=lambda data: "%(count)s dice into the box of %(face)s" % data)
    def move_dice(play: Play[HighRoll]) -> Played: ...

The floor registers each as an act at its tables (`tables.rounds.course`), with what every act there has: the lock,
who may act and at which post, repeats, staleness, and the push. Parameters are declared as by every act
(`games.act_forms`).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, NamedTuple, NotRequired, TypedDict, TypeVar

from audit.entry_types import EntryBody, EntryType
from games import registry
from games.engine.game import Game, PostCode
from games.engine.rounds import RoundState
from games.snapshot_types import NextParams

G = TypeVar("G", bound=Game)
D = TypeVar("D", bound=Mapping[str, Any])


# What entries about a round have in common

LotOrNone = Annotated[str | None, "code of the dice lot; null where the shaker has no dice"]
ThrowNumber = Annotated[int, "number of the throw in the round, void throws included"]


class ActedFor(TypedDict):
    """The post whose tablet was lost: another tablet acted for it, with the PIN of the person there."""

    person: Annotated[str, "code of the person at the post, who signed as the witness of the entry"]
    post: Annotated[PostCode, "the post that the act belongs to"]
    reason: Annotated[str, "why the post's own tablet was not used, in a person's words"]


class ActOfPost(TypedDict):
    """An act that belongs to a post of the table."""

    acted_for: NotRequired[Annotated[ActedFor, "present only if another tablet acted for the post"]]


class DeviceClaim(TypedDict):
    """What a device says about an act that waited for its connection. Nobody checks it: its clock may be wrong."""

    tapped_at: Annotated[str, "when the act was tapped, by the clock of the device"]
    waited_ms: Annotated[int, "how long the act waited before it was sent, as the device counted"]


class ActThatWaits(TypedDict):
    """An act that a tablet without a connection keeps and sends later."""

    device_claim: NotRequired[Annotated[DeviceClaim, "present only if the device says that the act waited"]]


# An act of a game


@dataclass(frozen=True, slots=True)
class Play(Generic[G]):
    """The live round as an act of its game sees it. `number` counts the table's rounds, `last_throw` its throws."""

    game: G
    state: RoundState
    number: int
    last_throw: int
    wagered_cents: int
    lot: str | None


class Played(NamedTuple):
    """The state after an act, its entry, and the seats that it takes, whose players play from now on."""

    state: RoundState
    entry: EntryBody
    takes: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Replay(Generic[G]):
    """What a replay knows at an entry: the round before and after it, and its newest throw."""

    game: G
    before: RoundState
    after: RoundState
    last_throw: int


Line = Callable[[Any], str]
Expected = Callable[[Replay[Any]], Mapping[str, object]]
Changes = Callable[[Any], Mapping[str, object]]


@dataclass(frozen=True)
class GameAct(Generic[G]):
    """One act, and what the floor and a replay need to know of it. The arguments are those of `GameActs.act`."""

    game: type[G]
    do: Callable[..., Played]
    entry: EntryType[Any]
    line: Line
    begins_round: bool
    throws_dice: bool
    may_be_signed: bool
    moves: bool
    takes_fees: bool
    changes: Changes
    expected: Expected
    verify: Callable[[RoundState], None]
    next_params: Callable[[Mapping[str, Any]], NextParams]

    @property
    def name(self) -> str:
        """The name of the act, by which the engine's procedures know it."""
        return self.do.__name__


@dataclass(frozen=True)
class GameActs(Generic[G]):
    """The acts of one game, in the order of play."""

    game: type[G]
    acts: list[GameAct[G]] = field(default_factory=list)

    def act(
        self,
        entry: EntryType[D],
        *,
        line: Callable[[D], str],
        begins_round: bool = False,
        throws_dice: bool = False,
        may_be_signed: bool = False,
        moves: bool = True,
        takes_fees: bool = False,
        changes: Callable[[D], Mapping[str, object]] = lambda data: {},
        expected: Callable[[Replay[G]], Mapping[str, object]] = lambda replay: {},
        verify: Callable[[RoundState], None] = lambda state: None,
        next_params: Callable[[Mapping[str, Any]], NextParams] = lambda view: {},
    ) -> Callable[[Callable[..., Played]], Callable[..., Played]]:
        """Declare the decorated function as an act.

        `line`: its line of the record. `begins_round`: it may be the first act of a round. `throws_dice`: refused once
        the dice have expired. `may_be_signed`: a second person may sign it.

        A replay applies the entry by the engine's move of the act's name (`moves`), with the `changes` of the state
        that its data say, and takes the fees off the layout (`takes_fees`). `expected`: what the entry must state by
        the round that was replayed.

        `verify` raises what keeps a screen from offering the act as the next step, which the act refuses as well.
        `next_params`: what a screen sends with it, by the game's view.
        """

        def declare(do: Callable[..., Played]) -> Callable[..., Played]:
            self.acts.append(
                GameAct(
                    game=self.game,
                    do=do,
                    entry=entry,
                    line=line,
                    begins_round=begins_round,
                    throws_dice=throws_dice,
                    may_be_signed=may_be_signed,
                    moves=moves,
                    takes_fees=takes_fees,
                    changes=changes,
                    expected=expected,
                    verify=verify,
                    next_params=next_params,
                )
            )
            return do

        return declare


def game_acts() -> Iterator[GameAct[Any]]:
    """Every act of a single game, of all registered games."""
    for module in registry.parts("acts").values():
        yield from module.ACTS.acts


def game_act(name: str) -> GameAct[Any] | None:
    """The act of a single game with this name, or None."""
    return next((act for act in game_acts() if act.name == name), None)
