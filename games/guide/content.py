"""The content of a guide: everything that its pages and its print show, as JSON, from the submissions in force.

`facts` is the part whose change is material (A06): the terms of each submission as they were filed (wagers, odds,
payout limit, increments, procedures, edition), the order of play, and the rule for changing limits. The rest is
spelling and form. What wins with the throws of an example is computed by the engine; no result is written down.
"""

import datetime as dt
import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

import rfc8785

from games.engine import Odds, Rules
from games.engine.editions import Edition, edition
from games.engine.odds import Pays
from games.engine.wagers import Wager, WagerType
from games.guide.authorized import authorized
from games.guide.drawings import WIDTH, Entry, Plan, Row, Throws, has_plan, plan_of
from games.models import Facility, RulesSubmission
from games.office.providers.services import WHOLE_GAME, suspensions
from games.registry import game_by_code, game_of
from games.submissions import rules_of

from .content_types import (
    GameContent,
    GameFacts,
    GameText,
    GuideContent,
    GuideExample,
    GuideFacts,
    GuideLayout,
    GuideRow,
    GuideWager,
)
from .words import game_words, listed, money, odds, odds_of_tiers, words


def section(facility: Facility, duty: str) -> str:
    """Return the paragraph of a duty at this facility, "" if the texts say nothing. KeyError for an unknown duty."""
    return facility.law.section(f"guide.{duty}")


# What wins with the throws of an example


STAKE = 100  # cents: any filed odds pay whole cents on it


def winners(
    rules: Rules, throws: Throws, without: Collection[str] = frozenset()
) -> tuple[tuple[str, Pays], ...]:
    """Return the wagers that win, each with its payout, in the order of the layout.

    One player has all of them except those of the families `without`; a fee only if the example throws twice.
    """
    game = game_of(rules)
    types = game.wager_types(rules)
    wagers = [
        Wager(1, wager.code, STAKE, 1 if game.is_single_play(wager.code) else None)
        for wager in types
        if wager.family not in without and (len(throws) > 1 or not game.is_fee(wager.code))
    ]
    settled = game.result(rules, wagers, throws).settled
    paid = {line.wager.code: line.pays for line in settled if line.outcome == "win" and line.pays is not None}
    return tuple((wager.code, paid[wager.code]) for wager in types if wager.code in paid)


# Facts and content


FORMAT = 1
NOT_DEALT = "–"


def sha256(data: Any) -> str:
    """Return the SHA-256 of data as canonical JSON (RFC 8785), in hex."""
    return hashlib.sha256(rfc8785.dumps(data)).hexdigest()


def facts_at(facility: Facility, moment: dt.datetime) -> GuideFacts:
    """Return what is material in a guide of the rules in force at a moment."""
    return {"format": FORMAT, "games": [_facts(facility, game) for game in _games(facility, moment)]}


def content_at(facility: Facility, moment: dt.datetime) -> GuideContent:
    """Return what a guide of the rules in force at a moment shows, in every language."""
    games = [_content(facility, game) for game in _games(facility, moment)]
    return {"format": FORMAT, "house": {"code": facility.code, "name": facility.name}, "games": games}


@dataclass(frozen=True)
class AuthorizedGame:
    """One set of rules: its page, the submissions that filed it, and the wagers of providers that may not be dealt."""

    slug: str
    rules: Rules
    filed: list[RulesSubmission]
    stopped: frozenset[str] = frozenset()


def _games(facility: Facility, moment: dt.datetime) -> list[AuthorizedGame]:
    """Return each set of rules once.

    Leaves out games that a provider supplies and that may not be dealt (§ 528.7), and games without a plan
    (`without_plan` names them).
    """
    versions: dict[str, list[RulesSubmission]] = {}
    for submission in authorized(facility, moment):
        versions.setdefault(submission.terms_sha256, []).append(submission)
    rules_and_versions = [(rules_of(filed[0]), filed) for filed in versions.values()]
    slugs = [_slug(rules.edition) for rules, _ in rules_and_versions]
    stopped = {
        game: frozenset(suspensions(facility, game, moment))
        for game in {rules.edition.game for rules, _ in rules_and_versions}
    }
    return [
        AuthorizedGame(
            slug if slugs.count(slug) == 1 else f"{slug}-{filed[0].code.lower()}",
            rules,
            filed,
            stopped[rules.edition.game],
        )
        for slug, (rules, filed) in zip(slugs, rules_and_versions, strict=True)
        if WHOLE_GAME not in stopped[rules.edition.game] and has_plan(rules.edition.game, rules.edition.dice)
    ]


def without_plan(facility: Facility, moment: dt.datetime) -> list[str]:
    """Return the names of authorized games that no guide can show, because their folder has no plan."""
    editions = [edition(submission.edition) for submission in authorized(facility, moment)]
    names = {game_by_code(e.game).full_name(e.dice) for e in editions if not has_plan(e.game, e.dice)}
    return sorted(names)


def _slug(filed: Edition) -> str:
    return f"{filed.game}-{filed.short_key}".lower().replace("/", "-").replace(".", "-")


def _facts(facility: Facility, game: AuthorizedGame) -> GameFacts:
    rules = game.rules
    return {
        "slug": game.slug,
        "terms": rules.terms(),
        "stopped": sorted(game.stopped & {wager.code for wager in game_of(rules).wager_types(rules)}),
        "notice_minutes": facility.law.notice_minutes,
        "procedure": sorted(flags(facility, rules)),
    }


def flags(facility: Facility, rules: Rules) -> frozenset[str]:
    """Return what the text of a guide depends on: the order of the steps, and which rules exist at all."""
    filed = rules.edition
    kinds = [kind for kind in filed.shakers if not rules.shakers or kind in dict(rules.shakers)]
    first = filed.default_shaker if filed.default_shaker in kinds else kinds[0]
    conditions = {
        filed.shakers[first].procedure: True,
        "both-orders": len({filed.shakers[kind].procedure for kind in kinds}) > 1,
        "triple-wins-two": filed.readings.get("triple-wins-two-of-a-kind", False),
        "device": "device-failure" in filed.sections,
        "limit": rules.payout_limit_cents is not None,
        "increments": bool(rules.increments),
        "notice": facility.law.notice_minutes > 0,
    }
    return frozenset(name for name, holds in conditions.items() if holds)


def _content(facility: Facility, game: AuthorizedGame) -> GameContent:
    rules = game.rules
    plan = plan_of(rules.edition.game, rules.edition.dice)
    return {
        "slug": game.slug,
        "game": rules.edition.game,
        "dice": rules.edition.dice,
        "edition": rules.key,
        "submissions": [str(filed) for filed in game.filed],
        "texts": {
            language: GuideText(facility, rules, plan, language, game.stopped).text()
            for language in facility.law.languages
        },
    }


class GuideText:
    """One game in one language."""

    def __init__(
        self,
        facility: Facility,
        rules: Rules,
        plan: Plan,
        language: str,
        stopped: frozenset[str] = frozenset(),
    ) -> None:
        self.facility, self.rules, self.plan, self.language = facility, rules, plan, language
        self.stopped = stopped
        game = rules.edition.game
        self.own, self.common = game_words(game, language, plan.text), words(language)
        self.english = game_words(game, "en", plan.text)

    def text(self) -> GameText:
        """Return the whole text: title, lead, examples, wagers, layout, the order of play, and notes."""
        return {
            "title": self.own["title"],
            "variant": self._variant(),
            "lead": self.own["lead"],
            "examples": [self._example(throws) for throws in self.plan.examples],
            "wagers": [self._wager(entry) for entry in self.plan.entries if self._is_dealt(entry)],
            "layout": self._layout(),
            "play": self._sentences("play"),
            "know": [*self._know_all(), *self._sentences("know")],
        }

    def _variant(self) -> str:
        """Return what tells two tables of one game apart, and its name at the table."""
        edition, printed = self.rules.edition, self.english["title"]
        parts = [printed] if printed != self.own["title"] else []
        parts.append(edition.title)
        if edition.paytable:
            parts.append(self.common["paytable"].format(edition.paytable))
        return ", ".join(parts)

    def _is_dealt(self, entry: Entry) -> bool:
        """Return whether any wager of this family may be dealt."""
        return self._pays_anything(entry.family)

    def _pays_anything(self, row: str) -> bool:
        """Return whether a wager that pays by this row may be dealt."""
        base = self.plan.paid_by.get(row.split(":")[0], row.split("/")[0])
        types = game_of(self.rules).wager_types(self.rules)
        return any(wager.code not in self.stopped for wager in types if base in (wager.code, wager.family))

    def _odds(self, row: str) -> str:
        return odds(self.language, self.rules.payouts[row].odds)

    def _wager(self, entry: Entry) -> GuideWager:
        texts = self.own["wagers"][entry.family]
        printed = self.english["wagers"][entry.family]["name"]
        tiers = [self.rules.payouts[row].odds for row in entry.pays]
        pays = odds_of_tiers(self.language, tiers) if len(tiers) > 1 else "".join(map(self._odds, entry.pays))
        return {
            "name": texts["name"],
            "printed": printed if printed != texts["name"] else "",
            "what": texts["what"],
            "group": self.own.get("groups", {}).get(entry.group, ""),
            "dice": list(entry.dice),
            "pays": pays,
            "rows": [self._row(row, entry.squares) for row in entry.rows if row.key not in self.stopped],
            "squares": entry.squares,
        }

    def _row(self, row: Row, square: bool) -> GuideRow:
        label = self.own["rows"][row.label].format(row.number) if row.label else row.number
        paid = self.rules.payouts[row.key].odds
        small = square and isinstance(paid, Odds) and paid.per == 1
        return {
            "label": label,
            "dice": list(row.dice),
            "pays": str(paid.to) if small and isinstance(paid, Odds) else odds(self.language, paid),
        }

    def _example(self, throws: Throws) -> GuideExample:
        wins = [
            self.common["win"].format(name=self._name(code), pays=odds(self.language, pays))
            for code, pays in winners(self.rules, throws, self.plan.not_in_examples)
            if code not in self.stopped
        ]
        key = "nothing" if not wins else "wins_extra" if len(throws) > 1 else "wins"
        dice = [listed(self.language, throw) for throw in throws]
        text = self.common[key].format(dice=dice[0], extra=dice[-1], wins=listed(self.language, wins))
        colors: list[str] = [*game_of(self.rules).die_colors]
        return {"throws": [list(throw) for throw in throws], "colours": colors, "text": text}

    def _name(self, code: str) -> str:
        family, _, number = code.partition(":")
        key = "no-match" if number == "none" else family
        return str(self.own["names"][key]).format(*number.split("-"))

    def _layout(self) -> GuideLayout:
        texts = self.own["drawing"]
        names = {family: texts_["name"] for family, texts_ in self.own["wagers"].items()}
        payouts = {row: payout.odds for row, payout in self.rules.payouts.items()}
        pays = {row: odds(self.language, payout_odds) for row, payout_odds in payouts.items()}
        pays |= {row: NOT_DEALT for row in pays if not self._pays_anything(row)}
        numbers = {
            row: str(payout_odds.to)
            if isinstance(payout_odds, Odds) and payout_odds.per == 1 and pays[row] != NOT_DEALT
            else pays[row]
            for row, payout_odds in payouts.items()
        }
        shapes, height = self.plan.draw(names, pays, numbers)
        return {
            "width": WIDTH,
            "height": height,
            "shapes": shapes,
            "label": texts["label"],
            "under": texts["under"].format_map(pays),
        }

    def _sentences(self, part: str) -> list[str]:
        conditions = flags(self.facility, self.rules)
        return [
            sentence["text"]
            for sentence in self.own[part]
            if sentence.get("when") is None or sentence["when"] in conditions
        ]

    def _know_all(self) -> Iterable[str]:
        """Return what applies to every game of the facility, with its figures."""
        sentences, conditions = self.common["know_all"], set(flags(self.facility, self.rules))
        stopped = [self._full_name(wager) for wager in self._stopped_apart()]
        conditions |= {"stopped"} if stopped else set()
        figures = {
            "minutes": self.facility.law.notice_minutes,
            "limit": money(self.language, self.rules.payout_limit_cents or 0),
            "increments": self._increments(),
            "stopped": listed(self.language, stopped),
        }
        needs = {"notice", "limit", "increments", "stopped"}
        for name, sentence in sentences.items():
            if name not in needs or name in conditions:
                yield sentence.format_map(figures)

    def _stopped_apart(self) -> list[WagerType]:
        """Return suspended wagers whose family is otherwise dealt: no list leaves these out (§ 528.7)."""
        types = game_of(self.rules).wager_types(self.rules)
        return [wager for wager in types if wager.code in self.stopped and self._pays_anything(wager.family)]

    def _full_name(self, type_: WagerType) -> str:
        """Return the name of a wager as an example has it, otherwise its family's name with the rest of its label."""
        if type_.family in self.own["names"] or type_.code.endswith(":none"):
            return self._name(type_.code)
        name = str(self.own["wagers"].get(type_.family, {}).get("name", ""))
        return f"{name} ({type_.label})" if name else str(type_.label)

    def _increments(self) -> str:
        steps = dict(self.rules.increments)
        if len(set(steps.values())) == 1 and set(self.own["wagers"]) <= set(steps):
            return money(self.language, next(iter(steps.values())))
        names = {family: texts["name"] for family, texts in self.own["wagers"].items()}
        parts = (
            f"{money(self.language, cents)} ({names.get(family.split(':')[0], family)})"
            for family, cents in steps.items()
        )
        return listed(self.language, parts)
