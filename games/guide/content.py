"""A guide's content: everything that its pages and its print show, as JSON, made of the submissions in force.

`facts` is the part whose change is material (A06): the terms of each submission as they were filed (wagers, odds,
payout limit, increments, procedures, edition), the order of play, and the rule for changing limits. The rest is
spelling and form.
"""

import datetime as dt
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import rfc8785

from games.engine import Odds, Rules
from games.engine.editions import Edition, edition
from games.engine.wagers import WagerType
from games.models import Facility, RulesSubmission
from games.office.providers.services import WHOLE_GAME, suspensions
from games.registry import game_by_code, game_of
from games.submissions import rules_of

from .authorized import authorized
from .drawings import WIDTH
from .examples import winners
from .plans import Entry, Plan, Row, Throws, has_plan, plan_of
from .words import game_words, listed, money, odds, odds_of_tiers, words

FORMAT = 1
NOT_DEALT = "–"


def sha256(data: Any) -> str:
    """The SHA-256 of data as canonical JSON (RFC 8785), in hex."""
    return hashlib.sha256(rfc8785.dumps(data)).hexdigest()


def facts_at(house: Facility, at: dt.datetime) -> dict[str, Any]:
    """What is material in a guide of the rules in force at a moment."""
    return {"format": FORMAT, "games": [_facts(house, one) for one in _games(house, at)]}


def content_at(house: Facility, at: dt.datetime) -> dict[str, Any]:
    """What a guide of the rules in force at a moment says and shows, in every language."""
    games = [_content(house, one) for one in _games(house, at)]
    return {"format": FORMAT, "house": {"code": house.code, "name": house.name}, "games": games}


@dataclass(frozen=True)
class Authorized:
    """One set of rules: its page, the submissions that filed it, and the wagers of providers that may not be dealt."""

    slug: str
    rules: Rules
    filed: list[RulesSubmission]
    stopped: frozenset[str] = frozenset()


def _games(house: Facility, at: dt.datetime) -> list[Authorized]:
    """Each set of rules once.

    Without games that a provider supplies and that may not be dealt (§ 528.7), and without those that have no plan
    (`without_plan` names them).
    """
    same: dict[str, list[RulesSubmission]] = {}
    for one in authorized(house, at):
        same.setdefault(one.terms_sha256, []).append(one)
    found = [(rules_of(filed[0]), filed) for filed in same.values()]
    slugs = [_slug(rules.edition) for rules, _ in found]
    stopped = {
        game: frozenset(suspensions(house, game, at)) for game in {rules.edition.game for rules, _ in found}
    }
    return [
        Authorized(
            slug if slugs.count(slug) == 1 else f"{slug}-{filed[0].code.lower()}",
            rules,
            filed,
            stopped[rules.edition.game],
        )
        for slug, (rules, filed) in zip(slugs, found, strict=True)
        if WHOLE_GAME not in stopped[rules.edition.game] and has_plan(rules.edition.game, rules.edition.dice)
    ]


def without_plan(house: Facility, at: dt.datetime) -> list[str]:
    """The names of authorized games that no guide can show, because their folder has no plan for one."""
    editions = [edition(submission.edition) for submission in authorized(house, at)]
    names = {game_by_code(e.game).full_name(e.dice) for e in editions if not has_plan(e.game, e.dice)}
    return sorted(names)


def _slug(filed: Edition) -> str:
    return f"{filed.game}-{filed.short_key}".lower().replace("/", "-").replace(".", "-")


def _facts(house: Facility, one: Authorized) -> dict[str, Any]:
    rules = one.rules
    return {
        "slug": one.slug,
        "terms": rules.terms(),
        "stopped": sorted(one.stopped & {wager.code for wager in game_of(rules).wager_types(rules)}),
        "notice_minutes": house.law.notice_minutes,
        "procedure": sorted(flags(house, rules)),
    }


def flags(house: Facility, rules: Rules) -> frozenset[str]:
    """What the text of a guide depends on: the order of the steps, and which rules there are at all."""
    filed = rules.edition
    kinds = [kind for kind in filed.shakers if not rules.shakers or kind in dict(rules.shakers)]
    first = filed.default_shaker if filed.default_shaker in kinds else kinds[0]
    asked = {
        filed.shakers[first].procedure: True,
        "both-orders": len({filed.shakers[kind].procedure for kind in kinds}) > 1,
        "triple-wins-two": filed.readings.get("triple-wins-two-of-a-kind", False),
        "device": "device-failure" in filed.sections,
        "limit": rules.payout_limit_cents is not None,
        "increments": bool(rules.increments),
        "notice": house.law.notice_minutes > 0,
    }
    return frozenset(name for name, holds in asked.items() if holds)


def _content(house: Facility, one: Authorized) -> dict[str, Any]:
    rules = one.rules
    plan = plan_of(rules.edition.game, rules.edition.dice)
    return {
        "slug": one.slug,
        "game": rules.edition.game,
        "dice": rules.edition.dice,
        "edition": rules.key,
        "submissions": [str(filed) for filed in one.filed],
        "texts": {
            language: Told(house, rules, plan, language, one.stopped).text()
            for language in house.law.languages
        },
    }


class Told:
    """One game in one language."""

    def __init__(
        self,
        house: Facility,
        rules: Rules,
        plan: Plan,
        language: str,
        stopped: frozenset[str] = frozenset(),
    ) -> None:
        self.house, self.rules, self.plan, self.language = house, rules, plan, language
        self.stopped = stopped
        game = rules.edition.game
        self.own, self.common = game_words(game, language, plan.text), words(language)
        self.english = game_words(game, "en", plan.text)

    def text(self) -> dict[str, Any]:
        """All of it: title, lead, examples, wagers, layout, the order of play, and what is good to know."""
        return {
            "title": self.own["title"],
            "variant": self._variant(),
            "lead": self.own["lead"],
            "examples": [self._example(throws) for throws in self.plan.examples],
            "wagers": [self._wager(entry) for entry in self.plan.entries if self._is_dealt(entry)],
            "layout": self._layout(),
            "play": self._told("play"),
            "know": [*self._know_all(), *self._told("know")],
        }

    def _variant(self) -> str:
        """Which rules these are: what tells two tables of one game apart, and its name as the table has it."""
        filed, printed = self.rules.edition, self.english["title"]
        said = [printed] if printed != self.own["title"] else []
        said.append(filed.title)
        if filed.paytable:
            said.append(self.common["paytable"].format(filed.paytable))
        return ", ".join(said)

    def _is_dealt(self, entry: Entry) -> bool:
        """Whether any wager of this family may be dealt."""
        return self._pays_anything(entry.family)

    def _pays_anything(self, row: str) -> bool:
        """Whether a wager that pays by this row may be dealt."""
        base = self.plan.paid_by.get(row.split(":")[0], row.split("/")[0])
        types = game_of(self.rules).wager_types(self.rules)
        return any(one.code not in self.stopped for one in types if base in (one.code, one.family))

    def _odds(self, row: str) -> str:
        return odds(self.language, self.rules.payouts[row].odds)

    def _wager(self, entry: Entry) -> dict[str, Any]:
        said = self.own["wagers"][entry.family]
        printed = self.english["wagers"][entry.family]["name"]
        tiers = [self.rules.payouts[row].odds for row in entry.pays]
        pays = odds_of_tiers(self.language, tiers) if len(tiers) > 1 else "".join(map(self._odds, entry.pays))
        return {
            "name": said["name"],
            "printed": printed if printed != said["name"] else "",
            "what": said["what"],
            "group": self.own.get("groups", {}).get(entry.group, ""),
            "dice": list(entry.dice),
            "pays": pays,
            "rows": [self._row(row, entry.squares) for row in entry.rows if row.key not in self.stopped],
            "squares": entry.squares,
        }

    def _row(self, row: Row, square: bool) -> dict[str, Any]:
        label = self.own["rows"][row.label].format(row.number) if row.label else row.number
        paid = self.rules.payouts[row.key].odds
        small = square and isinstance(paid, Odds) and paid.per == 1
        return {
            "label": label,
            "dice": list(row.dice),
            "pays": str(paid.to) if small and isinstance(paid, Odds) else odds(self.language, paid),
        }

    def _example(self, throws: Throws) -> dict[str, Any]:
        wins = [
            self.common["win"].format(name=self._name(code), pays=odds(self.language, pays))
            for code, pays in winners(self.rules, throws, self.plan.not_in_examples)
            if code not in self.stopped
        ]
        key = "nothing" if not wins else "wins_extra" if len(throws) > 1 else "wins"
        dice = [listed(self.language, throw) for throw in throws]
        said = self.common[key].format(dice=dice[0], extra=dice[-1], wins=listed(self.language, wins))
        colours = list(game_of(self.rules).die_colors)
        return {"throws": [list(throw) for throw in throws], "colours": colours, "text": said}

    def _name(self, code: str) -> str:
        family, _, number = code.partition(":")
        key = "no-match" if number == "none" else family
        return str(self.own["names"][key]).format(*number.split("-"))

    def _layout(self) -> dict[str, Any]:
        said = self.own["drawing"]
        names = {family: one["name"] for family, one in self.own["wagers"].items()}
        payouts = {row: one.odds for row, one in self.rules.payouts.items()}
        pays = {row: odds(self.language, one) for row, one in payouts.items()}
        pays |= {row: NOT_DEALT for row in pays if not self._pays_anything(row)}
        numbers = {
            row: str(one.to)
            if isinstance(one, Odds) and one.per == 1 and pays[row] != NOT_DEALT
            else pays[row]
            for row, one in payouts.items()
        }
        shapes, height = self.plan.draw(names, pays, numbers)
        return {
            "width": WIDTH,
            "height": height,
            "shapes": shapes,
            "label": said["label"],
            "under": said["under"].format_map(pays),
        }

    def _told(self, part: str) -> list[str]:
        held = flags(self.house, self.rules)
        return [one["text"] for one in self.own[part] if one.get("when") is None or one["when"] in held]

    def _know_all(self) -> Iterable[str]:
        """What holds for every game of the house, with its figures."""
        told, held = self.common["know_all"], set(flags(self.house, self.rules))
        stopped = [self._named(one) for one in self._stopped_apart()]
        held |= {"stopped"} if stopped else set()
        figures = {
            "minutes": self.house.law.notice_minutes,
            "limit": money(self.language, self.rules.payout_limit_cents or 0),
            "increments": self._increments(),
            "stopped": listed(self.language, stopped),
        }
        needs = {"notice", "limit", "increments", "stopped"}
        for name, sentence in told.items():
            if name not in needs or name in held:
                yield sentence.format_map(figures)

    def _stopped_apart(self) -> list[WagerType]:
        """The wagers that are stopped while others of their family are dealt: no list leaves these out (§ 528.7)."""
        types = game_of(self.rules).wager_types(self.rules)
        return [one for one in types if one.code in self.stopped and self._pays_anything(one.family)]

    def _named(self, type_: WagerType) -> str:
        """A wager by the name that an example would say, or else its family's with what the layout says besides."""
        if type_.family in self.own["names"] or type_.code.endswith(":none"):
            return self._name(type_.code)
        name = str(self.own["wagers"].get(type_.family, {}).get("name", ""))
        return f"{name} ({type_.label})" if name else str(type_.label)

    def _increments(self) -> str:
        steps = dict(self.rules.increments)
        if len(set(steps.values())) == 1 and set(self.own["wagers"]) <= set(steps):
            return money(self.language, next(iter(steps.values())))
        names = {family: one["name"] for family, one in self.own["wagers"].items()}
        said = (
            f"{money(self.language, cents)} ({names.get(family.split(':')[0], family)})"
            for family, cents in steps.items()
        )
        return listed(self.language, said)
