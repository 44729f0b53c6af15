"""Every code of the engine has a sentence, and every sentence its figures."""

import ast
import re
from pathlib import Path

from games import engine
from games.engine.refusals import Refusal
from games.engine.settlement import Reason
from games.engine.state import RETURNS
from games.registry import GAMES
from games.wording import REASONS as SHARED_REASONS
from games.wording import REFUSALS as SHARED_REFUSALS
from games.wording import reason_text, say, title, with_games

REFUSALS, REASONS = with_games("REFUSALS", SHARED_REFUSALS), with_games("REASONS", SHARED_REASONS)
OUT_OF_TURN = {refusal for game in GAMES.values() for refusal, _ in game.out_of_turn.values()}
ENGINE = Path(engine.__file__).parent
SOURCES = [
    *ENGINE.rglob("*.py"),
    *(ENGINE.parent / "catalog").rglob("*.py"),
    *(ENGINE.parent / name for name in ("adjudication.py", "registry.py", "submissions.py")),
]


def constructed(name):
    """The literal codes and keyword names with which a class is called in the engine's sources."""
    for source in SOURCES:
        for node in ast.walk(ast.parse(source.read_text("utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == name
                and node.args
            ):
                yield node, literals(node.args[0])


def literals(node):
    if isinstance(node, ast.IfExp):
        return literals(node.body) | literals(node.orelse)
    return {node.value} if isinstance(node, ast.Constant) else set()


RAISED = {code for _, codes in constructed("Refusal") for code in codes} | OUT_OF_TURN
GIVEN = {code for _, codes in constructed("Reason") for code in codes} | set(RETURNS)


def test_every_refusal_has_a_sentence_and_every_sentence_a_refusal():
    assert len(RAISED) > 40
    assert set(REFUSALS) == RAISED


def test_every_reason_has_a_sentence_and_every_sentence_a_reason():
    assert {re.sub(r"(-\d+)+$", "", key) for key in REASONS} == GIVEN


def test_a_refusal_gives_every_figure_that_its_sentence_shows():
    for node, codes in constructed("Refusal"):
        given = {keyword.arg for keyword in node.keywords}
        for code in codes:
            shown = set(re.findall(r"%\((\w+)\)", str(REFUSALS[code][1])))
            assert shown <= given, code
    for code in OUT_OF_TURN:
        assert "%(" not in str(REFUSALS[code][1])


def says_what_to_do(code: str) -> bool:
    name, text = map(str, REFUSALS[code])
    return text.endswith(".") and len(re.findall(r"[.;?:] |\.$", text)) >= 2 and len(name.split()) <= 4


def test_a_refusal_is_sentences_that_say_what_to_do():
    assert [code for code in REFUSALS if not says_what_to_do(code)] == []


def test_unknown_codes_are_shown_rather_than_hidden():
    assert "who-knows" in say(Refusal("who-knows"))
    assert title(Refusal("who-knows")) == "Not possible"
    assert title(Refusal("bets-closed")) == "Bets are closed"
    assert reason_text(Reason("who-knows")) == "who-knows"
