"""The declaration of a guide's content and facts: JSON documents, filed under their hash and never changed."""

from typing import TypedDict

from games.engine.rules import Terms
from games.guide.drawings import Shape


class GuideExample(TypedDict):
    """A round as an example: its throws, the color of each die if they differ, and what wins."""

    throws: list[list[int]]
    colours: list[str]
    text: str


class GuideRow(TypedDict):
    """A row of the paytable under a wager."""

    label: str
    dice: list[int]
    pays: str


class GuideWager(TypedDict):
    """A wager: its name, the printed name if that differs, and what it pays."""

    name: str
    printed: str
    what: str
    group: str
    dice: list[int]
    pays: str
    rows: list[GuideRow]
    squares: bool


class GuideLayout(TypedDict):
    """The drawing of a layout (`games.guide.drawings`)."""

    width: int
    height: int
    shapes: list[Shape]
    label: str
    under: str


class GameText(TypedDict):
    """One game in one language."""

    title: str
    variant: str
    lead: str
    examples: list[GuideExample]
    wagers: list[GuideWager]
    layout: GuideLayout
    play: list[str]
    know: list[str]


class GameContent(TypedDict):
    """One game, with its text by language."""

    slug: str
    game: str
    dice: int
    edition: str
    submissions: list[str]
    texts: dict[str, GameText]


class GuideFacility(TypedDict):
    """Whose guide it is."""

    code: str
    name: str


class GuideContent(TypedDict):
    """Everything that the pages and the print of a guide show."""

    format: int
    house: GuideFacility
    games: list[GameContent]


class GameFacts(TypedDict):
    """What is material about one game."""

    slug: str
    terms: Terms
    stopped: list[str]
    notice_minutes: int
    procedure: list[str]


class GuideFacts(TypedDict):
    """What is material in a guide (A06)."""

    format: int
    games: list[GameFacts]
