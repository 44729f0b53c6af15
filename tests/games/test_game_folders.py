"""Every registered game is complete: its folder holds all that a game is (docs/games.md)."""

import ast
import random
import re
import shutil
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from games import registry
from games.engine import Rules
from games.engine.editions import Edition, all_editions
from games.engine.game import Game
from games.guide.content import GuideText
from games.guide.plans import has_plan, plan_of
from games.guide.words import game_words
from games.jurisdictions import jurisdiction
from games.models import Facility
from games.wording import REASONS, with_games
from tables.words.sentences import NEXT_LABELS, STEP_LABELS
from tests.fixtures import games as fixtures

TEMPLATES = ("mark.html", "console/felt.html", "table/layout.html")
hazard = fixtures.hazard


def missing_parts(code: str) -> list[str]:
    """What a registered game lacks, in words."""
    game = registry.game_by_code(code)
    editions = [edition for edition in all_editions().values() if edition.game == code]
    return list(
        chain(
            [] if editions else ["an edition"],
            *(_missing_rules(game, edition) for edition in editions),
            *(_missing_guide(code, edition) for edition in editions),
            _missing_templates(code),
            *(_missing_simulation(game, edition) for edition in editions),
            _missing_words(game),
        )
    )


def _missing_rules(game: Game, edition: Edition) -> Iterator[str]:
    rules = Rules(edition)
    outcomes = game.outcomes(rules)
    if not game.wager_types(rules):
        yield f"wagers of {edition.key}"
    for wager in game.wager_types(rules):
        if not game.possible_odds(rules, wager.code) and not game.is_fee(wager.code):
            yield f"odds of {wager.code}"
        if wager.code not in outcomes:
            yield f"outcomes of {wager.code}"
    state = game.open_round(rules)
    if game.next_act(state) is None or not game.steps(state):
        yield f"a procedure of {edition.key}"


def _missing_guide(code: str, edition: Edition) -> Iterator[str]:
    if not has_plan(code, edition.dice):
        yield f"a guide plan for {edition.dice} dice"
        return
    rules, plan = Rules(edition), plan_of(code, edition.dice)
    law = jurisdiction(edition.jurisdiction)
    facility = Facility(code="a", name="A", jurisdiction=edition.jurisdiction)
    for language in law.languages:
        try:
            game_words(code, language, plan.text)
        except FileNotFoundError:
            yield f"a guide text in {language}"
            continue
        try:
            GuideText(facility, rules, plan, language).text()
        except KeyError as absent:
            yield f"{absent} in the guide text in {language}"


def _missing_templates(code: str) -> Iterator[str]:
    for path in TEMPLATES:
        if code not in registry.with_asset("templates", path):
            yield f"the template {path}"
    if not {code} & {*registry.with_asset("templates", "console/glyph.html"), *_with_side()}:
        yield "the template console/glyph.html"


def _with_side() -> tuple[str, ...]:
    """Games that draw their own lists to take and to pay, where others need a glyph for each line."""
    return registry.with_asset("templates", "console/side.html")


def _missing_simulation(game: Game, edition: Edition) -> Iterator[str]:
    simulation = registry.parts("simulation").get(game.code)
    if simulation is None:
        yield "simulated wagers"
        return
    rules, draw = Rules(edition), random.Random(7)
    codes = [wager.code for wager in game.wager_types(rules)]
    for _ in range(20):
        lines = simulation.wagers_of_seat(codes, draw)
        game.verify_place_wagers(
            game.open_round(rules), [(1, line["wager"], line["cents"]) for line in lines]
        )


def _missing_words(game: Game) -> Iterator[str]:
    reasons = with_games("REASONS", REASONS)
    keys = {key.rstrip("-0123456789") for key in reasons} | {*reasons}
    yield from (f"the sentence of the reason {code}" for code in sorted(_reason_codes(game.code) - keys))
    labels, steps = with_games("NEXT_LABELS", NEXT_LABELS), with_games("STEP_LABELS", STEP_LABELS)
    for edition in (edition for edition in all_editions().values() if edition.game == game.code):
        state = game.open_round(Rules(edition))
        yield from (f"the label of {act}" for act in state.procedure.next_act.values() if act not in labels)
        for step in game.steps(state):
            code, colon, _ = step.code.partition(":")
            if code + colon not in steps:
                yield f"the label of the step {step.code}"


def _reason_codes(code: str) -> set[str]:
    """The literal codes of `Reason` in the sources of a game's engine."""
    folder = Path(str(registry.folder_of(code)))
    codes: set[str] = set()
    for path in [*folder.glob("engine.py"), *folder.glob("engine/*.py")]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Reason":
                leaves = (leaf.value for leaf in ast.walk(node.args[0]) if isinstance(leaf, ast.Constant))
                codes |= {leaf for leaf in leaves if isinstance(leaf, str)}
    return codes


def test_every_registered_game_is_complete():
    assert len(registry.GAMES) >= 3
    assert {code: missing for code in registry.GAMES if (missing := missing_parts(code))} == {}


def test_the_fictitious_game_is_complete(hazard):
    assert missing_parts(hazard.code) == []


@pytest.mark.parametrize(
    ("path", "missing"),
    [
        ("editions/xx-hazard.toml", ["an edition"]),
        ("guide", ["a guide plan for 2 dice"]),
        ("guide/zh.toml", ["a guide text in zh"]),
        ("templates/{}/mark.html", ["the template mark.html"]),
        ("templates/{}/console/glyph.html", ["the template console/glyph.html"]),
        ("simulation.py", ["simulated wagers"]),
        ("words.py", ["the sentence of the reason hazard-double", "the sentence of the reason hazard-total"]),
    ],
)
def test_a_game_without_a_part_is_told_which(path, missing, tmp_path, monkeypatch):
    name = "hazard_without_" + re.sub(r"\W", "_", path)
    folder = tmp_path / name
    shutil.copytree(Path(fixtures.__file__).parent / "two_up_hazard", folder)
    shutil.move(folder / "templates" / "two_up_hazard", folder / "templates" / name)
    absent = folder / path.format(name)
    shutil.rmtree(absent) if absent.is_dir() else absent.unlink()
    monkeypatch.syspath_prepend(tmp_path)
    game = registry.register(name)
    try:
        assert missing_parts(game.code) == missing
    finally:
        registry.unregister(game.code)


def test_no_sentence_is_given_twice():
    words = registry.parts("words")
    for name, shared in (("REASONS", REASONS), ("STEP_LABELS", STEP_LABELS)):
        keys = [*shared, *chain(*(getattr(module, name, {}) for module in words.values()))]
        assert sorted(keys) == sorted(set(keys)), name


def test_a_code_is_registered_once():
    with pytest.raises(ValueError, match="sic-bo"):
        registry.register(registry.FOLDERS[0])


NAMES = ("sic-bo", "sic_bo", "high-roll", "high_roll", "football")


def test_no_file_outside_its_folder_compares_the_name_of_a_game():
    """Templates, scripts and style sheets name no game at all; Python compares none."""
    root = Path(__file__).resolve().parents[2]
    files = [
        path
        for folder, pattern in (("templates", "*.html"), ("static", "*.css"), ("static", "*.js"))
        for path in (root / folder).rglob(pattern)
        if "vendor" not in path.parts
    ]
    assert len(files) > 200
    assert {str(path): name for path in files for name in NAMES if name in path.read_text("utf-8")} == {}
    compared = {}
    for path in [
        *(root / "games").rglob("*.py"),
        *(root / "tables").rglob("*.py"),
        *(root / "audit").rglob("*.py"),
    ]:
        if "catalog" in path.parts or "migrations" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Compare):
                values = {leaf.value for leaf in ast.walk(node) if isinstance(leaf, ast.Constant)}
                named = sorted(set(NAMES) & values)
                if named:
                    compared[f"{path}:{node.lineno}"] = named
    assert compared == {}
