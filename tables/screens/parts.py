"""The parts of a screen: each is rendered again only if something that it read has changed.

While a part is rendered, `Recorded` notes which keys of the snapshot it reads, those of the round each by itself. What
it shows is a function of them, so it stays the same while they do, and no list by hand can lack a key that only a rare
state reads. Of a property that is `watched` a part reads the value, and not what that is computed from.

What most acts change of a part has slots in it (`Slotted`): the areas of the felt, the seats of the rail. Each is drawn
again only if its own content is another one, and the text around them only if what that reads has changed.

`Shown` keeps what one station of a table shows in this worker, once for all of its sockets. Of the parts that have
changed a push carries only the characters that are other ones (`edits`).
"""

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain
from typing import Any, Literal, NamedTuple, TypedDict, TypeVar, cast

from django.utils.safestring import SafeString, mark_safe

from games.snapshot_types import Snapshot
from tables.screens.edits import Change, Text, edits

ROUND: Literal["round"] = "round"
_Value = TypeVar("_Value")

# What a part reads


@dataclass
class Reads:
    """What was read while a part was rendered: keys of the snapshot, keys of its round, and values that are watched.

    `plain` is the station's data of the same snapshot, of which nothing is noted; None once it is rendered.
    """

    plain: Any
    keys: set[str] = field(default_factory=set)
    round_keys: set[str] = field(default_factory=set)
    values: dict[str, Any] = field(default_factory=dict)


class Recorded(dict[str, Any]):
    """A snapshot, or its round, of which each key that is read is noted. Code that takes it whole reads every key.

    `s | {…}` is another one, whose keys of the right side are not noted: they are not the snapshot's.
    """

    __slots__ = ("note", "reads")

    def __init__(
        self, content: Mapping[str, Any], reads: Reads, note: Callable[[str], None] | None = None
    ) -> None:
        super().__init__(content)
        self.reads, self.note = reads, note or reads.keys.add
        if type(round_ := content.get(ROUND)) is dict:
            super().__setitem__(ROUND, Recorded(round_, reads, reads.round_keys.add))

    def __getitem__(self, key: str, read: Callable[..., Any] = dict.__getitem__) -> Any:
        self.note(key)
        return read(self, key)

    def __contains__(self, key: object) -> bool:
        self.note(cast(str, key))
        return super().__contains__(key)

    def get(self, key: str, default: Any = None) -> Any:
        self.note(key)
        return super().get(key, default)

    def __iter__(self) -> Iterator[str]:
        self._note_all()
        return super().__iter__()

    def keys(self) -> Any:
        self._note_all()
        return super().keys()

    def values(self) -> Any:
        self._note_all()
        return super().values()

    def items(self) -> Any:
        self._note_all()
        return super().items()

    def _note_all(self) -> None:
        for key in dict.keys(self):
            self.note(key)

    def __or__(self, other: Mapping[str, Any]) -> "Recorded":  # type: ignore[override]
        note = self.note

        def note_own(key: str) -> None:
            if key not in other:
                note(key)

        return Recorded({**dict(super().items()), **other}, self.reads, note_own)


class watched(cached_property[_Value]):
    """A property of a station's data of which parts read the value: it is cheap, and seldom another one."""

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> _Value:  # type: ignore[override]
        if instance is None or type(instance.s) is not Recorded:
            return cast(_Value, super().__get__(instance, owner))
        reads, name = instance.s.reads, cast(str, self.attrname)
        value: _Value = getattr(reads.plain, name)
        instance.__dict__[name] = reads.values[name] = value
        return value


def changed_keys(old: Mapping[str, Any], new: Mapping[str, Any]) -> set[str]:
    """The keys of which two snapshots, or two rounds, have other values. `round` is none: its own keys count."""
    return {
        key
        for key in old.keys() | new.keys()
        if old.get(key) is not new.get(key) and key != ROUND and old.get(key) != new.get(key)
    }


# Slots of a part

# What is in a slot: a function that draws it, as a text or as the lines of one, and its arguments.
Content = tuple[Any, ...]
# Screens escape every value, so that no text of a person has such a sign.
MARK = re.compile("<slot ([^>]+)>")


def slot(name: str) -> SafeString:
    """Return the mark of a slot, for the text around it."""
    return mark_safe(f"<slot {name}>")


@dataclass(frozen=True)
class Slotted:
    """A part with slots: `frame` renders it with marks (`slot`), and `contents` returns what is in the slots of these
    names, and perhaps of others.
    """

    frame: Callable[[Any], str]
    contents: Callable[[Any, Sequence[str]], Mapping[str, Content]]

    def __call__(self, screen: Any) -> str:
        """Render the part with what is in its slots."""
        around, names = _frame_of(self.frame(screen))
        contents = self.contents(screen, names) if names else {}
        return "".join(_with_slots(around, ["".join(_draw(contents[name])) for name in names]))


def _frame_of(text: str) -> tuple[list[str], list[str]]:
    """Return the texts around the slots, and the names of the slots."""
    pieces = MARK.split(text)
    return pieces[::2], pieces[1::2]


def _draw(content: Content) -> Sequence[str]:
    """Return the lines of what is in a slot."""
    function, *arguments = content
    drawn: str | tuple[str, ...] = function(*arguments)
    return drawn if isinstance(drawn, tuple) else drawn.splitlines(keepends=True)


def _with_slots(around: Sequence[Any], drawn: Sequence[Any]) -> Iterator[Any]:
    for before, slot_text in zip(around, drawn, strict=False):
        yield before
        yield slot_text
    yield around[-1]


# What a station shows


class Station(NamedTuple):
    """How a station is rendered: the class of its data, and its parts in their order, each a function of such data."""

    data: Callable[[Snapshot], Any]
    parts: Mapping[str, Callable[[Any], str]]


def is_newer(state: Snapshot, shown: Snapshot) -> bool:
    """Whether a snapshot is newer than what is shown, as `static/js/live.js` decides it.

    A restored record has lower versions: a halted table is newer than one that is not, then a later incarnation is.
    """
    halted = (state["halted"] is not None) - (shown["halted"] is not None)
    incarnations = state["head"]["incarnation"] - shown["head"]["incarnation"]
    if halted > 0 or incarnations > 0:
        return True
    return halted == 0 and incarnations == 0 and state["version"] > shown["version"]


class Screen(TypedDict):
    """The complete fragment of a station, and the version that it shows."""

    version: int
    html: str


class Told(NamedTuple):
    """What a socket was told last: the turn of its station, and the version."""

    turn: int
    version: int


class Rendered(NamedTuple):
    """What was rendered, and what was read for it."""

    value: Any
    reads: Reads


@dataclass
class Part:
    """A part as it was rendered last, by lines: the text around its slots, what is in them, and how that was drawn.

    `change` is that from the text `before`, in this turn.
    """

    around: Rendered  # the lines of each text around the slots, and the names of the slots
    contents: Rendered | None
    drawn: dict[str, Sequence[str]]
    turn: int = 0
    before: Text | None = None

    @cached_property
    def text(self) -> Text:
        around, names = self.around.value
        pieces = _with_slots(around, [self.drawn[name] for name in names])
        return Text(list(chain.from_iterable(pieces)))

    @cached_property
    def change(self) -> Change:
        return self.text.whole if self.before is None else edits(self.before, self.text)


class Rendering:
    """How the parts of a station are rendered for a state, where another state was shown before."""

    def __init__(self, station: "Station", state: Snapshot, shown: Snapshot | None) -> None:
        self.station, self.state, self.plain = station, state, station.data(state)
        self.changed: tuple[set[str], set[str]] | None = None
        if shown is not None:
            self.changed = changed_keys(shown, state), changed_keys(shown[ROUND], state[ROUND])

    def part(self, render: Callable[[Any], str], before: Part | None) -> Part:
        """Return a part for this state: that of before, unless something that it read is different now."""
        frame = render.frame if isinstance(render, Slotted) else render
        lines = partial(_lines_of_frame, frame)
        around = self._again(None if before is None else before.around, lines)
        is_same_frame = before is not None and around.value == before.around.value
        names, contents = around.value[1], None
        if isinstance(render, Slotted) and names:
            contents_before = before.contents if before is not None and is_same_frame else None
            contents = self._again(contents_before, partial(_contents, render, names))
        if before is not None and is_same_frame:
            before.around = around
            if contents is before.contents:
                return before
        drawn = _drawn(contents.value, names, before) if contents is not None else {}
        return Part(around, contents, drawn)

    def _again(self, before: Rendered | None, render: Callable[[Any], Any]) -> Rendered:
        if before is not None and self.changed is not None and not self._is_affected(before.reads):
            return before
        reads = Reads(self.plain)
        value = render(self.station.data(cast(Snapshot, Recorded(self.state, reads))))
        reads.plain = None  # it would keep the whole snapshot for as long as the part stays the same
        return Rendered(value, reads)

    def _is_affected(self, reads: Reads) -> bool:
        """Whether something that was read is different now."""
        changed, round_changed = self.changed or (set(), set())
        if not (reads.keys.isdisjoint(changed) and reads.round_keys.isdisjoint(round_changed)):
            return True
        return any(getattr(self.plain, name) != value for name, value in reads.values.items())


def _lines_of_frame(frame: Callable[[Any], str], screen: Any) -> tuple[list[list[str]], list[str]]:
    around, names = _frame_of(frame(screen))
    return [piece.splitlines(keepends=True) for piece in around], names


def _contents(part: Slotted, names: Sequence[str], screen: Any) -> Mapping[str, Content]:
    return part.contents(screen, names)


def _drawn(
    contents: Mapping[str, Content], names: Sequence[str], before: Part | None
) -> dict[str, Sequence[str]]:
    """Draw what is in these slots, or take it from before where it is the same."""
    contents_before = before.contents.value if before is not None and before.contents is not None else {}
    drawn = {}
    for name in names:
        content = contents[name]
        if before is not None and name in before.drawn and contents_before[name] == content:
            drawn[name] = before.drawn[name]
        else:
            drawn[name] = _draw(content)
    return drawn


class Shown:
    """What a station of a table shows in this worker, in its newest state. Used from any thread.

    Each newer state is a turn. A socket notes the turn in which it was told last, and is told what changed since.
    """

    def __init__(self, station: Station) -> None:
        self.station = station
        self.state: Snapshot | None = None
        self.turn = 0
        self.parts: dict[str, Part] = {}
        self._messages: dict[Told | None, str] = {}  # of this turn
        self._lock = threading.Lock()

    def show(self, state: Snapshot, *, is_truth: bool = False) -> None:
        """Show a state, unless it or a newer one is shown. `is_truth`: in place of a newer one too.

        Raises what rendering raises; the next state is then rendered as a whole.
        """
        if state is self.state:  # another socket was first
            return
        with self._lock:
            if self.state is not None and not is_newer(state, self.state):
                is_older = is_newer(self.state, state)
                if not (is_truth and is_older):
                    return
            try:
                self._render(state)
            except Exception:
                self.state, self.parts = None, {}
                raise
            finally:
                self._messages.clear()
            self.state = state

    def _render(self, state: Snapshot) -> None:
        rendering = Rendering(self.station, state, self.state)
        self.turn += 1
        for name, render in self.station.parts.items():
            before = self.parts.get(name)
            part = rendering.part(render, before)
            if part is before:
                continue
            if before is not None and part.text == before.text:
                part.turn, part.before = before.turn, before.before
            else:
                part.turn, part.before = self.turn, before.text if before else None
            self.parts[name] = part

    @property
    def _told(self) -> Told:
        return Told(self.turn, self.state["version"] if self.state else 0)

    @property
    def screen(self) -> Screen:
        """The complete fragment, as the answer to a request."""
        with self._lock:
            html = "\n".join(part.text.whole for part in self.parts.values())
            return {"version": self._told.version, "html": html}

    def message(self, before: Told | None) -> tuple[str, Told]:
        """The JSON for a socket that was told `before`, None for nothing yet, and what it knows with it.

        `parts` by their names: the text of each, or with `base`, the version before, how those that changed did.
        """
        with self._lock:
            if before not in self._messages:
                self._messages[before] = json.dumps(
                    self._content(before), separators=(",", ":"), ensure_ascii=False
                )
            return self._messages[before], self._told

    def _content(self, before: Told | None) -> dict[str, Any]:
        assert self.state is not None
        content: dict[str, Any] = {"table": self.state["table"]["code"], "version": self.state["version"]}
        if before is None:
            return {**content, "parts": {name: part.text.whole for name, part in self.parts.items()}}
        changes: dict[str, Change] = {
            name: part.change if before.turn == self.turn - 1 else part.text.whole
            for name, part in self.parts.items()
            if part.turn > before.turn
        }
        return {**content, "base": before.version, "parts": changes}
