"""Every registered game is complete: its folder holds all that a game is (docs/architecture.md)."""

import ast
import random
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest

from games import registry
from games.engine import Rules
from games.engine.editions import Edition, all_editions
from games.engine.game import Game
from games.engine.refusals import Refusal
from games.guide.content import GuideText
from games.guide.drawings import Plan, has_plan, plan_of
from games.guide.words import game_words
from games.jurisdictions import jurisdiction
from games.models import Facility
from games.wording import REASONS, with_games
from tables.equipment.approvals import approval_subjects, inspection_lines
from tables.words.sentences import NEXT_LABELS, STEP_LABELS
from tests.fixtures import games as fixtures
from tests.tables.cast import make_scene

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = ("mark.html", "console/felt.jinja", "table/layout.jinja")
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
    absent = [language for language in law.languages if not _has_text(code, language, plan)]
    yield from (f"a guide text in {language}" for language in absent)
    for language in () if absent else law.languages:
        try:
            GuideText(facility, rules, plan, language).text()
        except KeyError as key:
            yield f"{key} in the guide text in {language}"


def _has_text(code: str, language: str, plan: Plan) -> bool:
    try:
        return bool(game_words(code, language, plan.text))
    except FileNotFoundError:
        return False


def _missing_templates(code: str) -> Iterator[str]:
    for path in TEMPLATES:
        if code not in registry.with_asset("templates", path):
            yield f"the template {path}"
    if not {code} & {*registry.with_asset("templates", "console/glyph.jinja"), *_with_side()}:
        yield "the template console/glyph.jinja"


def _with_side() -> tuple[str, ...]:
    """Games that draw their own lists to take and to pay, where others need a glyph for each line."""
    return registry.with_asset("templates", "console/side.jinja")


def _missing_simulation(game: Game, edition: Edition) -> Iterator[str]:
    simulation = registry.parts("simulation").get(game.code)
    for name in ("wagers_of_seat", "wagers_before_act"):
        if not hasattr(simulation, name):
            yield f"simulated wagers: {name}"
            return
    rules, draw = Rules(edition), random.Random(7)
    codes = [wager.code for wager in game.wager_types(rules)]
    for _ in range(20 if codes else 0):
        lines = simulation.wagers_of_seat(codes, draw)
        placings = [(1, line["wager"], line["cents"]) for line in lines]
        try:
            game.verify_place_wagers(game.open_round(rules), placings)
        except Refusal as refusal:
            yield f"simulated wagers that are accepted: {refusal.code}"
            return


def _missing_words(game: Game) -> Iterator[str]:
    reasons = with_games("REASONS", REASONS)
    refusals = {refusal for refusal, _ in game.out_of_turn.values()} | _codes(game.code, "Refusal")
    unworded = (code for code in refusals if not getattr(code, "sentence", ""))
    yield from (f"the sentence of the refusal {code}" for code in sorted(unworded))
    worded = {key.rstrip("-0123456789") for key in reasons} | {*reasons}
    yield from (f"the sentence of the reason {code}" for code in sorted(_codes(game.code, "Reason") - worded))
    labels, steps = with_games("NEXT_LABELS", NEXT_LABELS), with_games("STEP_LABELS", STEP_LABELS)
    lines, subjects = inspection_lines(), approval_subjects()
    for edition in (edition for edition in all_editions().values() if edition.game == game.code):
        codes = {line.code for line in edition.inspection}
        codes |= {code for rule in edition.approvals for code in rule.lines}
        yield from (f"the inspection line {code}" for code in sorted(codes - {*lines}))
        yield from (
            f"the subject {rule.subject}" for rule in edition.approvals if rule.subject not in subjects
        )
        state = game.open_round(Rules(edition))
        yield from (f"the label of {act}" for act in state.procedure.next_act.values() if act not in labels)
        for step in game.steps(state):
            code, colon, _ = step.code.partition(":")
            if code + colon not in steps:
                yield f"the label of the step {step.code}"


def _codes(code: str, name: str) -> set[str]:
    """The literal codes of `Refusal` or `Reason` in the sources of a game's engine.

    A refusal whose code is a constant of `refusals.py` carries its sentence.
    """
    folder = Path(str(registry.folder_of(code)))
    codes: set[str] = set()
    for path in [*folder.glob("engine.py"), *folder.glob("engine/*.py")]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                leaves = (leaf.value for leaf in ast.walk(node.args[0]) if isinstance(leaf, ast.Constant))
                codes |= {leaf for leaf in leaves if isinstance(leaf, str)}
    return codes


def test_every_registered_game_is_complete():
    assert len(registry.GAMES) >= 3
    assert {code: missing for code in registry.GAMES if (missing := missing_parts(code))} == {}


def test_the_fictitious_game_is_complete(hazard):
    assert missing_parts(hazard.code) == []


def broken(folder: Path, path: str, before: str = "", after: str = "") -> Game:
    """Register a copy of Two Up Hazard that has no `path`, or that has `after` there in place of `before`."""
    shutil.copytree(Path(fixtures.__file__).parent / "two_up_hazard", folder)
    shutil.move(folder / "templates" / "two_up_hazard", folder / "templates" / folder.name)
    part = folder / path.format(folder.name)
    if before:
        text = part.read_text("utf-8")
        assert text.count(before) == 1
        part.write_text(text.replace(before, after), "utf-8")
    else:
        shutil.rmtree(part) if part.is_dir() else part.unlink()
    return registry.register(folder.name)


def with_procedure(change: str) -> str:
    """What replaces the beginning of the engine's last line: another order of steps, in which coins may be tossed."""
    return f"""from dataclasses import replace
TwoUpHazard.procedure = lambda *_: replace(SINGLE_THROW["close-first"], {change})
TwoUpHazard.duties = {{**Game.duties, "toss_coins": "shake"}}
GAME = """


WAGERS = ("under", "double", "seven", "over")


@pytest.mark.parametrize(
    ("path", "missing"),
    [
        ("editions/xx-hazard.toml", ["an edition"]),
        ("guide", ["a guide plan for 2 dice"]),
        ("guide/en.toml", ["a guide text in en"]),
        ("guide/es.toml", ["a guide text in es"]),
        ("guide/zh.toml", ["a guide text in zh"]),
        ("templates/{}/mark.html", ["the template mark.html"]),
        ("templates/{}/console/felt.jinja", ["the template console/felt.jinja"]),
        ("templates/{}/console/glyph.jinja", ["the template console/glyph.jinja"]),
        ("templates/{}/table/layout.jinja", ["the template table/layout.jinja"]),
        ("simulation.py", ["simulated wagers: wagers_of_seat"]),
        ("words.py", ["the sentence of the reason hazard-double", "the sentence of the reason hazard-total"]),
    ],
)
def test_the_check_names_the_part_that_a_folder_lacks(path, missing, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    game = broken(tmp_path / ("hazard_without_" + re.sub(r"\W", "_", path)), path)
    try:
        assert missing_parts(game.code) == missing
    finally:
        registry.unregister(game.code)


@pytest.mark.parametrize(
    ("name", "path", "before", "after", "missing"),
    [
        (
            "wagers",
            "engine.py",
            "for code, bet in BETS.items()\n        )\n\n    def possible",
            "for code, bet in ()\n        )\n\n    def possible",
            ["wagers of xx-hazard@2020-01-01"],
        ),
        (
            "odds",
            "engine.py",
            "return (rules.payouts[code].odds,)",
            "return ()",
            [f"odds of {code}" for code in WAGERS],
        ),
        (
            "outcomes",
            "engine.py",
            "for code in BETS\n",
            'for code in BETS if code != "seven"\n',
            ["outcomes of seven"],
        ),
        (
            "procedure",
            "engine.py",
            "GAME = ",
            with_procedure("ribbon=()"),
            ["a procedure of xx-hazard@2020-01-01"],
        ),
        (
            "act",
            "engine.py",
            "GAME = ",
            with_procedure("next_act={'open': 'toss_coins'}"),
            ["the label of toss_coins"],
        ),
        (
            "step",
            "engine.py",
            "GAME = ",
            with_procedure("ribbon=('device',)"),
            ["the label of the step device"],
        ),
        (
            "refusal",
            "engine.py",
            "    no_roll_ends = True\n",
            "    no_roll_ends = True\n    out_of_turn = {('shake', ''): ('hazard-closed', 'shake')}\n",
            ["the sentence of the refusal hazard-closed"],
        ),
        (
            "raised",
            "engine.py",
            "THROWS = tuple",
            "from games.engine import Refusal\nCLOSED = Refusal('hazard-shut')\nTHROWS = tuple",
            ["the sentence of the refusal hazard-shut"],
        ),
        (
            "line",
            "editions/xx-hazard.toml",
            "[shakers.manual]",
            '[[inspection]]\ncode = "dice-on-tray"\nsection = "4(a)"\n\n[shakers.manual]',
            ["the inspection line dice-on-tray"],
        ),
        (
            "reason",
            "engine.py",
            '"hazard-total"',
            '"hazard-sum"',
            ["the sentence of the reason hazard-sum"],
        ),
        (
            "text",
            "guide/es.toml",
            'double = "Cualquier doble"\n',
            "",
            ["'double' in the guide text in es"],
        ),
        (
            "simulation",
            "simulation.py",
            '"wager": code',
            '"wager": "triple"',
            ["simulated wagers that are accepted: no-such-wager"],
        ),
        (
            "between_acts",
            "simulation.py",
            "def wagers_before_act",
            "def wagers_between_acts",
            ["simulated wagers: wagers_before_act"],
        ),
    ],
)
def test_the_check_names_what_a_part_lacks(name, path, before, after, missing, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    game = broken(tmp_path / f"hazard_with_other_{name}", path, before, after)
    try:
        assert missing_parts(game.code) == missing
    finally:
        registry.unregister(game.code)


def test_a_folder_without_an_engine_or_a_game_is_not_registered(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="hazard_without_engine"):
        broken(tmp_path / "hazard_without_engine", "engine.py")
    with pytest.raises(TypeError, match="no game"):
        broken(tmp_path / "hazard_without_game", "engine.py", "GAME = TwoUpHazard()", "GAME = TwoUpHazard")


@pytest.mark.django_db
@pytest.mark.parametrize("rules", [*(edition.short_key for edition in all_editions().values()), "xx-hazard"])
def test_every_wager_has_an_area_on_the_console_and_on_the_table_page(rules, hazard):
    scene = make_scene(rules)
    console = scene.browser("tablet", "dealer").get("/floor/larkfield/T-01/console").content.decode()
    page = scene.browser("podium", "pit-manager").get("/floor/larkfield/T-01/").content.decode()
    areas = set(re.findall(r' data-wager="([^"]+)"', console))
    codes = {wager.code for wager in registry.game_of(Rules.of(rules)).wager_types(Rules.of(rules))}
    assert codes - areas == set()
    assert page.count('class="spot') >= len(codes)


def test_no_sentence_is_given_twice():
    words = registry.parts("words")
    for name, shared in (("REASONS", REASONS), ("STEP_LABELS", STEP_LABELS)):
        keys = [*shared, *chain(*(getattr(module, name, {}) for module in words.values()))]
        assert sorted(keys) == sorted(set(keys)), name


def test_a_table_has_the_places_of_its_edition_or_else_of_its_game():
    numbered, unnumbered = Rules.of("pa-577").edition, Rules.of("nj-19-47-9").edition
    assert (numbered.places, registry.seats_of(numbered)) == (16, 16)
    assert registry.seats_of(replace(numbered, places=12)) == 12
    assert (unnumbered.places, registry.seats_of(unnumbered)) == (0, 8)
    assert registry.seats_of(replace(Rules.of("pa-675a").edition, places=0)) == 6


def test_a_code_is_registered_once():
    with pytest.raises(ValueError, match="sic-bo"):
        registry.register(registry.FOLDERS[0])


def game_names_in(root: Path) -> dict[str, list[str]]:
    """Where templates, scripts and style sheets outside the game folders name a game, and where Python compares one.

    Python may write the name of a game in a sentence. It may hold a game's code only in the demo's rows, and in the
    checker for outsiders, which is one file by itself and settles every game with an engine of its own.
    """
    codes = {*registry.GAMES} | {folder.rpartition(".")[2] for folder in registry.FOLDERS}
    names = codes | {game.name for game in registry.GAMES.values()}
    pattern = re.compile(
        r"(?<![\w-])(" + "|".join(map(re.escape, sorted(names))) + r")(?![\w-])", re.IGNORECASE
    )
    places = {}
    for folder in SHARED_FOLDERS:
        for path in sorted((root / folder).rglob("*.*")):
            parts = path.relative_to(root).parts
            if {"catalog", "migrations", "vendor", "__pycache__"} & {*parts}:
                continue
            if path.suffix in (".html", ".jinja", ".css", ".js", ".svg", ".txt", ".xml"):
                found = sorted({*pattern.findall(path.read_text("utf-8"))})
            elif path.suffix == ".py" and parts[:2] not in (("tables", "demo"), CHECKER):
                found = sorted(_codes_in_python(path, codes, names))
            else:
                continue
            if found:
                places["/".join(parts)] = found
    return places


CHECKER = ("audit", "verify.py")
SHARED_FOLDERS = ("templates", "static", "audit", "config", "games", "tables")


def _codes_in_python(path: Path, codes: set[str], names: set[str]) -> set[str]:
    text = path.read_text("utf-8")
    if not any(name in text for name in names):
        return set()
    tree = ast.parse(text)
    compared = [node for node in ast.walk(tree) if isinstance(node, ast.Compare | ast.match_case)]
    return (_texts(compared) & names) | (_texts([tree]) & codes)


def _texts(nodes: Iterable[ast.AST]) -> set[str]:
    """The string constants in these nodes."""
    leaves = (leaf.value for node in nodes for leaf in ast.walk(node) if isinstance(leaf, ast.Constant))
    return {value for value in leaves if isinstance(value, str)}


def test_no_file_outside_the_game_folders_names_a_game():
    assert game_names_in(ROOT) == {}


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("templates/tables/console.html", '{% if s.table.game == "sic-bo" %}', "sic-bo"),
        (
            "templates/tables/console/screen.jinja",
            '{% include "high_roll/console/felt.jinja" %}',
            "high_roll",
        ),
        ("templates/desk/round.html", "<p>Three Dice Football</p>", "Three Dice Football"),
        ("static/css/console.css", '.frame[data-game="football"] { gap: 0; }', "football"),
        ("static/css/console.css", '@import url("sic_bo/console.css");', "sic_bo"),
        ("static/js/acts.js", 'if (game === "high-roll") dice();', "high-roll"),
        ("tables/core/duty.py", 'posts = 3 if table.game == "football" else 1', "football"),
        ("tables/core/duty.py", 'posts = 3 if table.game in ("football", "craps") else 1', "football"),
        ("tables/core/duty.py", 'posts = {"football": 3}.get(table.game, 1)', "football"),
        ("tables/core/duty.py", 'match game:\n    case "sic-bo":\n        posts = 1', "sic-bo"),
        ("tables/core/duty.py", 'posts = 3 if game.name == "High Roll Dice" else 1', "High Roll Dice"),
        ("config/settings/base.py", 'GAME = "sic-bo"', "sic-bo"),
        ("audit/chain.py", 'GAME = "sic-bo"', "sic-bo"),
        ("games/wording.py", 'GAME = "sic-bo"', "sic-bo"),
    ],
)
def test_a_game_that_is_named_outside_its_folder_is_found(path, text, name, tmp_path):
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text(text, "utf-8")
    assert game_names_in(tmp_path) == {path: [name]}


def test_nothing_outside_the_folder_of_a_game_imports_from_it():
    importing = [
        path.relative_to(ROOT).as_posix()
        for folder in ("audit", "config", "games", "tables")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "catalog" not in path.parts and "games.catalog" in path.read_text("utf-8")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("games.catalog")
    ]
    assert importing == []
