"""Every refusal of the floor and of the rules has one sentence, and what the sentence names is given with it."""

import ast
import re
from pathlib import Path

from games.engine import Refusal
from games.wording import REFUSALS, with_games
from tables.words.registry import SENTENCES as OF_THE_FLOOR
from tables.words.sentences import dollars, number_words, say, short, title

OF_THE_RULES = with_games("REFUSALS", REFUSALS)

ROOT = Path(__file__).resolve().parents[2]


def raised() -> dict[tuple[str, frozenset[str]], str]:
    """Each code with the names given to it, and where; read from the sources of the floor and the engine."""
    found = {}
    for path in [*(ROOT / "tables").rglob("*.py"), *(ROOT / "games").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or getattr(node.func, "id", "") not in ("Refusal", "Forbidden"):
                continue
            if node.args and isinstance(node.args[0], ast.Constant):
                given = frozenset(word.arg or "**" for word in node.keywords)
                found[str(node.args[0].value), given] = f"{path.name}:{node.lineno}"
    return found


def test_no_code_has_two_sentences():
    assert set(OF_THE_FLOOR) & set(OF_THE_RULES) == set()


def faults(code: str, given: frozenset[str]) -> list[str]:
    """What is wrong with the sentence of a refusal that is raised with these names."""
    sentence = str(OF_THE_FLOOR.get(code) or OF_THE_RULES.get(code) or "")
    named = set(re.findall(r"%\((\w+)\)s", sentence))
    said = say(Refusal(code, "", **dict.fromkeys(named, 3)))
    faults = {
        "it has no sentence": not sentence,
        f"{sorted(named - given)} are not given": not (named <= given or "**" in given),
        f"its sentence is {said!r}": "%" in said or not said.endswith("."),
        "it has no title": not title(Refusal(code)),
    }
    return [fault for fault, is_there in faults.items() if is_there]


def test_every_refusal_can_be_said():
    refusals = raised()
    assert len(refusals) > 350
    wrong = {f"{code} in {where}": faults(code, given) for (code, given), where in refusals.items()}
    assert {place: found for place, found in wrong.items() if found} == {}


def test_sections_are_said_short():
    assert short("58 Pa. Code § 625a.2(b)") == "§ 625a.2(b)"
    assert short("N.J.A.C. 19:47-9.5(b)") == "19:47-9.5(b)"


def test_money_and_dice_are_said_as_people_say_them():
    assert [dollars(cents) for cents in (115_000, 999, -50, 0)] == ["$1,150", "$9.99", "−$0.50", "$0"]
    assert number_words([2, 5, 5]) == "Two, five, five"
