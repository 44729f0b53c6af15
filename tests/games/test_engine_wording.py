"""Every refusal of the engine says what to do and is given its figures, and every reason has a sentence."""

import ast
import re
from pathlib import Path

from games import engine
from games.engine.rounds import RETURNS
from games.engine.wagers import Reason
from games.registry import GAMES
from games.wording import REASONS as SHARED_REASONS
from games.wording import reason_text, with_games
from tests.refusals import declared_codes, params_of, raised_refusals

REASONS = with_games("REASONS", SHARED_REASONS)
OUT_OF_TURN = {refusal for game in GAMES.values() for refusal, _ in game.out_of_turn.values()}
ENGINE = Path(engine.__file__).parent
CODES = [*declared_codes("games/engine"), *declared_codes("games/catalog")]


def test_every_refusal_is_raised():
    raised = {refusal.code for refusal in raised_refusals("games")} | OUT_OF_TURN
    assert len(CODES) > 80
    assert [code for code in CODES if code not in raised] == []


def test_a_refusal_is_given_every_figure_that_its_sentence_shows():
    wrong = {
        refusal.place: missing for refusal in raised_refusals("games") if (missing := refusal.missing_params)
    }
    assert wrong == {}
    assert [code for code in OUT_OF_TURN if params_of(code)] == []


def says_what_to_do(code):
    sentences = len(re.findall(r"[.;?:] |\.$", code.sentence))
    return code.sentence.endswith(".") and sentences >= 2 and 1 <= len(code.heading.split()) <= 4


def test_a_refusal_is_sentences_that_say_what_to_do():
    assert [code for code in CODES if not says_what_to_do(code)] == []


def reason_codes():
    """The literal codes of `Reason` in the sources of the engine and the games."""
    for source in [*ENGINE.rglob("*.py"), *(ENGINE.parent / "catalog").rglob("*.py")]:
        for node in ast.walk(ast.parse(source.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Reason":
                yield from literals(node.args[0])


def literals(node):
    if isinstance(node, ast.IfExp):
        return literals(node.body) | literals(node.orelse)
    return {node.value} if isinstance(node, ast.Constant) else set()


def test_every_reason_has_a_sentence_and_every_sentence_a_reason():
    codes = {*reason_codes(), *RETURNS}
    assert {re.sub(r"(-\d+)+$", "", key) for key in REASONS} == codes


def test_an_unknown_reason_is_shown_rather_than_hidden():
    assert reason_text(Reason("who-knows")) == "who-knows"
