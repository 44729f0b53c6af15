"""The content of a guide, from the submissions in force; and the state of the guide that a facility shows.

1. What a facility may deal, and show to patrons: every submission's version in force, dealt at a table or not (A06). A
   page or display for patrons may show earlier rolls only by a permission of the Board (§ 521.6, A03).
2. The content is everything that the guide's pages and its print show, as JSON. `facts` is the part whose change is
   material (A06): the terms of each submission as they were filed (wagers, odds, payout limit, increments, procedures,
   edition), the order of play, and the rule for changing limits. The rest is spelling and form. What wins with the
   throws of an example is computed by the engine; no result is written down.
3. The state: whether its odds are still dealt, what a new guide would change (`differences`), its approval, and the
   next step. `desk` puts it together for the office: what patrons read, whether it is dealt, and what is to be done.
"""

import datetime as dt
import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import rfc8785
from django.db.models import Q

from games.engine import Odds, Rules
from games.engine.editions import Edition, all_editions, edition
from games.engine.odds import Pays
from games.engine.wagers import Wager, WagerType
from games.guide.drawings import WIDTH, Entry, Plan, Row, Throws, has_plan, plan_of
from games.models import BoardPermission, Facility, Guide, Review, RulesSubmission
from games.models.patrons import GuideFormat
from games.office.core import floor
from games.office.providers.services import WHOLE_GAME, suspensions
from games.office.reviews import review_due_on
from games.office.submissions.compare import changes
from games.registry import game_by_code, game_of
from games.submissions import all_in_force, rules_of

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

# What may be dealt and shown


OF_FORCE = ("approved", "superseded")


def authorized(facility: Facility, moment: dt.datetime) -> list[RulesSubmission]:
    """Return the version in force of each submission at a moment, by code; a withdrawn submission has none."""
    return sorted(all_in_force([facility.pk], moment).values(), key=lambda submission: submission.code)


def all_in_force_by(facility: Facility, now: dt.datetime) -> dt.datetime:
    """Return the moment from which every approved version is in force: now, if none is still to come."""
    return max([now, *_begins_after(facility, now)])


def _begins_after(facility: Facility, now: dt.datetime) -> list[dt.datetime]:
    """Return when each approved version that is still to come begins."""
    rows = RulesSubmission.objects.filter(facility=facility, status__in=OF_FORCE, in_force_from__gt=now)
    return [submission.in_force_from for submission in rows if submission.in_force_from]


def chapters(facility: Facility, moment: dt.datetime) -> dict[str, str]:
    """Return the editions that a complete rules book must contain, by key without date and paytable: "Sic Bo, 58
    Pa. …".
    """
    titles = {}
    for submission in authorized(facility, moment):
        filed = edition(submission.edition)
        code = filed.short_key.split("/")[0]
        titles[code] = title_of(code)
    return dict(sorted(titles.items()))


def chapters_to_come(facility: Facility, now: dt.datetime) -> dict[str, str]:
    """Return the chapters of now and of every approved version that is still to come, in any order (A06)."""
    titles = chapters(facility, now)
    for moment in _begins_after(facility, now):
        titles |= chapters(facility, moment)
    return dict(sorted(titles.items()))


def title_of(code: str) -> str:
    """Return a code of `chapters` as people read it; the code itself if no edition has it any more."""
    for filed in reversed(list(all_editions().values())):
        if filed.short_key.split("/")[0] == code:
            return f"{_named(filed.game, filed.dice)}, {filed.title}"
    return code


def named_rules(rules: Rules) -> str:
    """Return the name of the game of these rules, with their paytable."""
    filed = rules.edition
    return f"{_named(filed.game, filed.dice)} ({filed.short_key})"


def _named(code: str, dice: int) -> str:
    return game_by_code(code).full_name(dice)


# Earlier rolls


ROLL_HISTORY: Literal["roll-history"] = "roll-history"


def permissions_on(facility: Facility, day: dt.date) -> list[BoardPermission]:
    """Return the permissions that apply on a day of the facility's calendar, the newest first."""
    permissions = BoardPermission.objects.filter(
        Q(ends_on=None) | Q(ends_on__gt=day),
        facility=facility,
        subject=ROLL_HISTORY,
        granted_on__lte=day,
        withdrawn_at=None,
    )
    return list(permissions)


def may_show_history(facility: Facility, table: str, day: dt.date) -> bool:
    """Return whether patrons at this table (its code) may be shown earlier rolls on this day.

    They may where a text of the jurisdiction approves it, and by a permission on record.
    """
    return facility.law.results.approved or any(
        not permission.tables or table in permission.tables for permission in permissions_on(facility, day)
    )


# The content of a guide


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


# The state of a guide


FORMATS: tuple[GuideFormat, ...] = get_args(GuideFormat)


@dataclass(frozen=True)
class Difference:
    """A material difference between two guides: the game, the topic, the old and the new value."""

    game: str
    topic: str
    old: str = ""
    new: str = ""
    section: str = ""

    def __str__(self) -> str:
        return f"{self.game}: {self.topic}, {self.old or 'none'} → {self.new or 'none'}"


def differences(old: GuideFacts, new: GuideFacts) -> list[Difference]:
    """Return every material difference between the facts of two guides (A06), game by game."""
    rows: list[Difference] = []
    for before, after in _paired(old["games"], new["games"]):
        if before == after:
            continue
        if before and after:
            rows += _game_differences(before, after)
        elif game := before or after:
            presence = ["in the guide" if facts else "" for facts in (before, after)]
            rows.append(Difference(named_rules(Rules.from_terms(game["terms"])), "game", *presence))
    return rows


def _paired(old: list[GameFacts], new: list[GameFacts]) -> list[tuple[GameFacts | None, GameFacts | None]]:
    """Return each game of the old guide with the same game of the new one, None if a guide does not have it.

    A game that is now dealt by another paytable or edition is still the same game.
    """
    old_slugs, new_by_slug = {game["slug"] for game in old}, {game["slug"]: game for game in new}
    added = [game for game in new if game["slug"] not in old_slugs]
    pairs: list[tuple[GameFacts | None, GameFacts | None]] = []
    for game in old:
        kind = _kind(game)
        after = new_by_slug.get(game["slug"]) or next((new for new in added if _kind(new) == kind), None)
        added = [new for new in added if new is not after]
        pairs.append((game, after))
    return [*pairs, *((None, game) for game in added)]


def _kind(game: GameFacts) -> tuple[str, int]:
    """Return the game and its number of dice."""
    edition = Rules.from_terms(game["terms"]).edition
    return edition.game, edition.dice


def _game_differences(before: GameFacts, after: GameFacts) -> list[Difference]:
    old, new = Rules.from_terms(before["terms"]), Rules.from_terms(after["terms"])
    name = named_rules(new)
    rows = [
        Difference(
            name,
            f"{change.kind} {change.wager or change.row}".strip(),
            change.old,
            change.new,
            change.section,
        )
        for change in changes(old, new)
    ]
    if before["notice_minutes"] != after["notice_minutes"]:
        minutes = (f"{facts['notice_minutes']} minutes" for facts in (before, after))
        rows.append(Difference(name, "notice of new limits", *minutes))
    if before["stopped"] != after["stopped"]:
        codes = (", ".join(facts["stopped"]) for facts in (before, after))
        rows.append(Difference(name, "wagers that are stopped", *codes))
    if before["procedure"] != after["procedure"]:
        steps = (", ".join(facts["procedure"]) for facts in (before, after))
        rows.append(Difference(name, "procedure", *steps))
    return rows or [Difference(name, "terms", "as they were filed", "as they are filed now")]


def still_true(guide: Guide, moment: dt.datetime) -> dict[str, bool]:
    """Return, for each game of a guide by the name of its page, whether the page may be read at a moment.

    It may while a submission in force states what the page states. A page whose submission has a newer version in
    force may be read until a table deals that version: what no table deals leaves the guide alone. The name of a page
    does not count, since another submission under the same edition changes it.
    """
    current = [_without_slug(game) for game in facts_at(guide.facility, moment)["games"]]
    dealt = {table.submission for table in floor().tables(guide.facility)}
    not_dealt = {
        submission.code: str(submission)
        for submission in authorized(guide.facility, moment)
        if submission.code not in dealt
    }
    submissions = {game["slug"]: game["submissions"] for game in guide.content["games"]}
    return {
        game["slug"]: _without_slug(game) in current
        or any(not_dealt.get(name.partition(" ")[0], name) != name for name in submissions[game["slug"]])
        for game in guide.facts["games"]
    }


def _without_slug(game: GameFacts) -> dict[str, object]:
    return {name: value for name, value in game.items() if name != "slug"}


def published(facility: Facility) -> Guide | None:
    """Return the guide that patrons read now, if any."""
    guides = Guide.objects.filter(facility=facility, published_at__isnull=False, ended_at=None)
    return guides.select_related("facility", "same_as").first()


def approval_of(guide: Guide) -> Guide:
    """Return the guide whose sample was approved for this one: itself, or the one with the same facts."""
    return guide.same_as or guide


def is_approved(guide: Guide) -> bool:
    """Return whether this guide may be given out: its own sample is approved, or that of a guide with the same
    facts.
    """
    return guide.status == Review.APPROVED and approval_of(guide).status == Review.APPROVED


def comes_as(guide: Guide, format_: str) -> bool:
    """Return whether the guide is given out in a format."""
    return any(entry["format"] == format_ for entry in guide.formats)


# What the office has to do


DRAFT, FILE, SAME, DECIDE, PUBLISH, NOTHING = "draft", "file", "same", "decide", "publish", "nothing"


@dataclass(frozen=True)
class Desk:
    """The state of the guide at a moment.

    `stale`: pages that patrons no longer see, because something else is dealt. `newest` is the version in
    preparation; `changes` are its differences from the guide whose approval `covers` it.
    """

    step: str
    published: Guide | None = None
    stale: list[Difference] = field(default_factory=list)
    newest: Guide | None = None
    covers: Guide | None = None
    changes: list[Difference] = field(default_factory=list)
    due: dt.date | None = None
    has_rules: bool = False
    coming: dt.datetime | None = None


def desk(facility: Facility, now: dt.datetime) -> Desk:
    """Return the state of the guide now."""
    now_facts, by = facts_at(facility, now), all_in_force_by(facility, now)
    read = published(facility)
    stale = differences(read.facts, now_facts) if read else []
    newest = _on_its_way(facility, read)
    covers = _approved(facility, newest)
    changes = differences(covers.facts, newest.facts) if covers and newest else []
    return Desk(
        step=_step(newest, covers, changes, now_facts, bool(read and not stale)),
        published=read,
        stale=stale,
        newest=newest,
        covers=covers,
        changes=changes,
        due=review_due_on(newest, facility) if newest else None,
        has_rules=bool(authorized(facility, now)),
        coming=by if by > now else None,
    )


def _on_its_way(facility: Facility, read: Guide | None) -> Guide | None:
    """Return the newest guide that could still be published, newer than the published one."""
    rows = Guide.objects.filter(facility=facility, published_at=None, ended_at=None)
    rows = rows.filter(status__in=[Review.DRAFT, Review.FILED, Review.APPROVED])
    return rows.filter(version__gt=read.version if read else 0).select_related("facility", "same_as").first()


def _approved(facility: Facility, newest: Guide | None) -> Guide | None:
    """Return the approved guide that the newest one is compared with."""
    rows = Guide.objects.filter(facility=facility, status=Review.APPROVED).select_related("same_as")
    return next((approval_of(guide) for guide in rows if guide != newest and is_approved(guide)), None)


def _step(
    newest: Guide | None,
    covers: Guide | None,
    changes: list[Difference],
    now_facts: GuideFacts,
    settled: bool,
) -> str:
    """Return the next step. An approved guide of rules that are still to come waits for its day."""
    if newest is None:
        return NOTHING if settled else DRAFT
    if newest.status == Review.FILED:
        return DECIDE
    if newest.status == Review.APPROVED:
        return PUBLISH if newest.facts == now_facts else NOTHING if settled else DRAFT
    return SAME if covers is not None and not changes else FILE


def missing_chapters(facility: Facility, codes: list[str], now: dt.datetime) -> list[str]:
    """Return the authorized games that a rules book of these codes leaves out, including those still to come (A06)."""
    return [name for code, name in chapters_to_come(facility, now).items() if code not in codes]
