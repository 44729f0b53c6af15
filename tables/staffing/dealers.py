"""Dealers at the posts of a table: who takes one, leaves it or relieves another, how long they work, who was there.

1. A dealer on duty here takes a post with their own PIN, and with the keeper's post the shaker or the dice
   (`take_over_table`). The floor sends a relief from another device, who signs there (`relieve_dealer`). Either may be
   in mid-round. A live table needs a person trained for its game.
2. A game with several posts keeps each of them staffed while the table is open: three dealers (§ 577.9(b)). So two
   people at posts of the same table swap, and nobody leaves one empty (`verify_may_leave`). Elsewhere a dealer leaves
   (`leave_table`) unless a round or a shaker that must be attended would lose its keeper.
3. A post that gets another person ends the moves that were planned to it (`end_moves_to_posts`); planning and canceling
   are acts of the rotation board (tables.rotation).
4. Each change begins or ends work (`begin_work`, `end_work`), and so do opening and closing (`resume_work`,
   `pause_work`). The facility's `work_minutes` and `break_minutes` say when a break is due. They are house figures: no
   section of the law asks for them, and no relief is refused because of them; only a planned move is. A pause that is
   shorter than a break counts as work, so that the time does not start over when a dealer goes from table to table.
5. An empty post or an unattended shaker raises an alert (`absences`).

`PostHolders` says from the entries who was at which post when, for figures and open times. Who may come next is
tables.staffing.roster.
"""

import datetime as dt
import uuid
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Annotated, Any, NotRequired, TypedDict, Unpack

from django.conf import settings

from audit import clock
from audit.entry_types import ABSENT, entry_type
from audit.models import Entry, Person
from games.engine import Refusal, RefusalCode
from games.engine.game import PostCode
from games.facility_runner import Forbidden
from games.models import Facility
from games.params import Params
from tables.core import posts
from tables.core.alerts import AlertKind, AlertRule, ExpectedAlert, Level, alert_rule, live_tables
from tables.core.context import ROUND_IN_PLAY, TableContext
from tables.core.duty import DEALERS, FLOOR, NOT_ASSIGNED, covers, lock_duty_of, locked_duty
from tables.core.entries import COLUMNS, MISSHAPEN, RecordedEntry, read
from tables.models import Assignment, PlannedMove, Qualification, Table
from tables.models.staffing import AssignmentSet
from tables.runner.table import ActOutcome, act, act_without_post

# Refusals

POST_LEFT_EMPTY = RefusalCode(
    "post-left-empty",
    "Every post must be staffed while %(table)s is open. A relief must take over from %(post)s with "
    "their PIN.",
    "Relief needed",
)
AT_ANOTHER_TABLE = RefusalCode("at-another-table", "%(person)s is still at %(table)s. Sign off there first.")
NEEDED_AT_ANOTHER_TABLE = RefusalCode(
    "needed-at-another-table",
    "%(person)s is at %(table)s and may not leave it alone. Another dealer must sign in there first.",
    "Relief needed there",
)
NOT_QUALIFIED = RefusalCode(
    "not-qualified",
    "%(person)s has no training for %(game)s in effect today. Send a dealer who has.",
    "Not trained for this game",
)
NO_SUCH_POST = RefusalCode("no-such-post", "%(table)s has no such post.")
POST_OF_ANOTHER = RefusalCode(
    "post-of-another",
    "That post is for a stickperson; a stickperson takes no other.",
)
ALREADY_DEALING = RefusalCode("already-dealing", "%(dealer)s deals here already.")
NOT_DEALING = RefusalCode("not-dealing", "You are not the dealer of %(table)s.")
SHAKER_LEFT_UNATTENDED = RefusalCode(
    "shaker-left-unattended",
    "Shaker %(shaker)s must never be left unattended. A relief takes it over with their PIN.",
    "Relief needed",
)
RELIEF_MUST_SIGN = RefusalCode(
    "relief-must-sign",
    "The dealer who takes over signs with their own PIN. Say who comes.",
    "Who takes over?",
)


# What the record says

PlannedMoves = Annotated[list[int], "numbers of the planned moves that ended with it; absent where none did"]


class PostTaken(TypedDict):
    """A person takes a post. The fields about posts are there at tables with several posts."""

    dealer: Annotated[str, "code of the person"]
    round: Annotated[int | None, "number of the round in play; null between rounds"]
    takes_shaker: Annotated[
        str | None, "code of the shaker that the person is now responsible for; null for a post without it"
    ]
    follows: NotRequired[
        Annotated[str | None, "code of the person who takes the post that was left; null without one"]
    ]
    leaves_post: NotRequired[Annotated[PostCode | None, "the post that the person left; null without one"]]
    planned_moves: NotRequired[PlannedMoves]
    post: NotRequired[Annotated[PostCode, "the post that the person took"]]
    sent_by: NotRequired[
        Annotated[
            str, "code of the floorperson who sent the person from another device, and whom they sign beside"
        ]
    ]


def _post_taken(data: PostTaken, by_dealer: str) -> str:
    """What a dealer did at the tablet; where the floor sent them, who acted is not who came."""
    return "Sends a dealer, who signs and takes the shaker" if "sent_by" in data else by_dealer


@entry_type("dealer.began")
def DEALER_BEGAN(
    *, relieves: Annotated[None, "null: nobody held the post"], **data: Unpack[PostTaken]
) -> str:
    """A person took a post at the table that nobody held."""
    return _post_taken(data, "Takes the table and the shaker")


@entry_type("dealer.relieved")
def DEALER_RELIEVED(*, relieves: str, **data: Unpack[PostTaken]) -> str:
    """A person relieved another one at a post of the table."""
    return _post_taken(data, "Relieves and takes the shaker")


@entry_type("dealer.left")
def DEALER_LEFT(
    *,
    dealer: Annotated[str, "code of the person"],
    post: Annotated[PostCode, "the post that was left, at tables with several posts"] = ABSENT,
) -> str:
    """A person left a post at the table without relief."""
    return "Leaves the table"


# Work and breaks


def break_due(facility: Facility, works_since: dt.datetime | None) -> dt.datetime | None:
    """Return when a break is due; None without a house figure, or where the beginning of the work is not known."""
    if facility.work_minutes is None or works_since is None:
        return None
    return works_since + dt.timedelta(minutes=facility.work_minutes)


def overdue_at(due: dt.datetime) -> dt.datetime:
    """Return when a break that was due calls for somebody, by the practice figure `BREAK_OVERDUE_MINUTES`.

    Until then it is information: a relief comes within a round or two of the time.
    """
    return due + dt.timedelta(minutes=settings.BREAK_OVERDUE_MINUTES)


def is_break(facility: Facility, pause: dt.timedelta) -> bool:
    """Return whether a pause is a break. Without a house figure any pause is."""
    return pause > dt.timedelta() and pause >= dt.timedelta(minutes=facility.break_minutes or 0)


def begin_work(ctx: TableContext, person: Person, post: PostCode) -> None:
    """Note that a person takes a post now. The caller has locked the person's duty."""
    field = posts.FIELDS[post]
    ctx.change_table(**{f"{field}_since": ctx.now})
    _count_from_now(ctx, person, field)


def end_work(ctx: TableContext, person: Person, post: PostCode) -> None:
    """Note that a person leaves a post now. The caller has locked the person's duty."""
    field = posts.FIELDS[post]
    ctx.change_table(**{f"{field}_since": None, f"{field}_works_since": None})
    elsewhere = Table.objects.filter(posts.at_any_post(person)).exclude(pk=ctx.table.pk)
    if not elsewhere.exclude(status=Table.Status.CLOSED).exists():
        _duty(ctx, person).filter(rests_since=None).update(rests_since=ctx.now)


def pause_work(ctx: TableContext) -> None:
    """Note that the table closes with people at its posts. The caller has locked their duty."""
    for post in posts.posts_of(ctx.table):
        person = posts.holder(ctx.table, post)
        if person is not None:
            _duty(ctx, person).filter(rests_since=None).update(rests_since=ctx.now)


def resume_work(ctx: TableContext) -> None:
    """Note that the table opens with people at its posts. The caller has locked their duty."""
    for post in posts.posts_of(ctx.table):
        person = posts.holder(ctx.table, post)
        if person is not None:
            _count_from_now(ctx, person, posts.FIELDS[post])


def _count_from_now(ctx: TableContext, person: Person, field: str) -> None:
    """Set when the person's work began: as before, or now if they come from a break."""
    facility, works_since = ctx.table.facility, ctx.now
    duty = _duty(ctx, person)
    for began, rests_since in duty.exclude(works_since=None).values_list("works_since", "rests_since")[:1]:
        if began is not None and (rests_since is None or not is_break(facility, ctx.now - rests_since)):
            works_since = began
    duty.update(works_since=works_since, rests_since=None)
    ctx.change_table(**{f"{field}_works_since": works_since})


def _duty(ctx: TableContext, person: Person) -> AssignmentSet:
    """The unended assignments of a person at this facility."""
    return Assignment.objects.at_facility(ctx.table.facility).filter(person=person)


# How a planned move ends

Outcome = PlannedMove.Outcome


def end_moves_to_posts(
    table: Table, holders: Mapping[PostCode, Person], by: Person, now: dt.datetime
) -> list[int]:
    """End the planned moves to posts of a table that got another person. Return their numbers.

    `holders`: those posts, and who is there now. The caller holds the lock of the table.
    """
    ended = []
    for post, person in holders.items():
        for move in PlannedMove.objects.open_moves().filter(table=table, post=post):
            took = move.person_id == person.pk
            ended.append(_end_move(move, Outcome.TAKEN if took else Outcome.OVERTAKEN, by, now))
    return ended


def end_moves_without_duty(
    person: Person, facility: Facility, remaining: Iterable[Assignment], by: Person | None, now: dt.datetime
) -> list[int]:
    """End the planned move of a person whose remaining duties do not cover its table. Return the numbers.

    `by` is None where the clock ends the duty.
    """
    duty = list(remaining)
    moves = PlannedMove.objects.open_moves(facility).filter(person=person).select_related("table")
    return [_end_move(move, Outcome.OFF_DUTY, by, now) for move in moves if not covers(duty, move.table)]


def _end_move(move: PlannedMove, outcome: Outcome, by: Person | None, now: dt.datetime) -> int:
    move.outcome, move.ended_by, move.ended_at = outcome, by, now
    move.save(update_fields=["outcome", "ended_by", "ended_at"])
    return move.number


# Taking, relieving and leaving a post


@act(roles=DEALERS, depends_on="nothing")
@act_without_post
def take_over_table(ctx: TableContext, params: Params) -> ActOutcome:
    """Put the signed-in person at a post of this table. A relief in mid-round is the same act.

    Without `post` the post is that of `posts.post_for`. The person who takes the keeper's post is responsible for
    the shaker or the dice. A live table needs a person trained for its game. Two people at posts of the same open table
    swap, so that no post is left empty.
    """
    assert ctx.actor is not None
    return _take_post(ctx, ctx.actor, params)


@act(roles=FLOOR, witness=True, depends_on="nothing")
def relieve_dealer(ctx: TableContext, params: Params) -> ActOutcome:
    """Put the dealer who signs at a post of this table: the floor sends them, and they take it with their own PIN.

    It is `take_over_table` from another device than the tablet, with the same checks. Raises `relief-must-sign`.
    """
    if ctx.witness is None or ctx.witness.role not in DEALERS:
        raise Refusal(RELIEF_MUST_SIGN)
    return _take_post(ctx, ctx.witness, params)


def _take_post(ctx: TableContext, dealer: Person, params: Params) -> ActOutcome:
    """Put a dealer, who acts or signs, at a post of this table, and the dealer who was there off it."""
    assert ctx.actor is not None
    post = params.choice("post", posts.POSTS, default=posts.post_for(ctx.table, dealer))
    verify_post(ctx, dealer, post)
    relieved = posts.holder(ctx.table, post)
    lock_duty_of([dealer.pk] if relieved is None else [dealer.pk, relieved.pk])
    verify_free_to_deal(ctx, dealer)
    if relieved is not None and relieved.pk == dealer.pk:
        raise Refusal(ALREADY_DEALING, dealer=relieved.name)
    verify_qualified(ctx, dealer)
    post_left = posts.post_of(ctx.table, dealer)
    successor_person = successor(ctx, post_left, relieved)
    ctx.change_table(
        **({posts.FIELDS[post_left]: successor_person} if post_left else {}), **{posts.FIELDS[post]: dealer}
    )
    if relieved is not None:
        end_work(ctx, relieved, post)
    if post_left is not None:
        end_work(ctx, dealer, post_left)
    begin_work(ctx, dealer, post)
    if post_left is not None and successor_person is not None:
        begin_work(ctx, successor_person, post_left)
    is_keeper = post == posts.keeper_post(ctx.table)
    data: PostTaken = {
        "dealer": dealer.code,
        "takes_shaker": ctx.shaker.code if is_keeper and ctx.shaker else None,
        "round": ctx.round.number if ctx.round else None,
    }
    if len(posts.posts_of(ctx.table)) > 1:
        data["post"] = post
        data["leaves_post"] = post_left
        data["follows"] = successor_person.code if successor_person else None
    if dealer.pk != ctx.actor.pk:
        data["sent_by"] = ctx.actor.code
    moves = end_moves_to_posts(
        ctx.table, _new_holders(dealer, post, post_left, successor_person), ctx.actor, ctx.now
    )
    if moves:
        data["planned_moves"] = moves
    entry = (
        DEALER_RELIEVED(**data, relieves=relieved.code) if relieved else DEALER_BEGAN(**data, relieves=None)
    )
    return ActOutcome(entry, changes="nothing")


def _new_holders(
    dealer: Person, post: PostCode, post_left: PostCode | None, successor_person: Person | None
) -> dict[PostCode, Person]:
    """The posts that got another person, and who is there now."""
    holders = {post: dealer}
    if post_left is not None and successor_person is not None:
        holders[post_left] = successor_person
    return holders


@act(roles=DEALERS, depends_on="nothing")
@act_without_post
def leave_table(ctx: TableContext) -> ActOutcome:
    """Leave a post without relief: at a closed table, or where no post may become empty and nothing is left
    unattended.
    """
    assert ctx.actor is not None
    post = posts.post_of(ctx.table, ctx.actor)
    if post is None:
        raise Refusal(NOT_DEALING, table=ctx.table.code)
    if ctx.table.status != Table.Status.CLOSED:
        verify_may_leave(ctx, post)
    lock_duty_of([ctx.actor.pk])
    ctx.change_table(**{posts.FIELDS[post]: None})
    end_work(ctx, ctx.actor, post)
    return ActOutcome(
        DEALER_LEFT(dealer=ctx.actor.code, post=post if len(posts.posts_of(ctx.table)) > 1 else ABSENT),
        changes="nothing",
    )


def successor(ctx: TableContext, post_left: PostCode | None, before: Person | None) -> Person | None:
    """The person who takes the post that somebody leaves for another at the same open table.

    That is the person relieved there, if their role fits. Raises `Refusal` if the post would become empty.
    """
    if post_left is None or ctx.table.status == Table.Status.CLOSED:
        return None
    if before is None:
        verify_may_leave(ctx, post_left)
        return None
    verify_post(ctx, before, post_left)
    return before


def verify_post(ctx: TableContext, person: Person, post: str) -> None:
    """Raises `no-such-post`, or `post-of-another` for a post that this person's role does not work."""
    if post not in posts.posts_of(ctx.table):
        raise Refusal(NO_SUCH_POST, table=ctx.table.code)
    if person.role == "stickperson" and post != "stick":
        raise Refusal(POST_OF_ANOTHER)


def verify_qualified(ctx: TableContext, person: Person) -> None:
    """Raises `not-qualified` at a live table unless the person has a training for its game in effect today.

    Today is the facility's local day. A training table takes anybody who is assigned.
    """
    table = ctx.table
    if table.kind != Table.Kind.LIVE:
        return
    today = table.facility.local(ctx.now).date()
    trainings = Qualification.objects.in_effect(today)
    if not trainings.filter(person=person, game=table.game).exists():
        section = ctx.rules.section("qualified") if ctx.deals else ""
        raise Refusal(NOT_QUALIFIED, section, person=person.name, game=table.game)


def verify_free_to_deal(ctx: TableContext, person: Person) -> None:
    """Refuse a person who is not on duty here, or who works a post of another open table.

    Raises `Forbidden`, `at-another-table` for a person who may leave the other table, or `needed-at-another-table`
    with the section that requires a relief there. Locks the person's assignments, so that nobody takes two tables at
    once, or one while the duty ends.
    """
    if not covers(locked_duty(person), ctx.table):
        raise Forbidden(NOT_ASSIGNED, table=ctx.table.code)
    tables = Table.objects.select_related("stream", "facility").filter(posts.at_any_post(person))
    in_play = tables.exclude(pk=ctx.table.pk).exclude(status=Table.Status.CLOSED)
    for table in in_play.order_by("pk"):
        post = posts.post_of(table, person) or posts.keeper_post(table)
        try:
            verify_may_leave(TableContext(table, person, ctx.device, None, ctx.now), post)
        except Refusal as refusal:
            raise Refusal(
                NEEDED_AT_ANOTHER_TABLE, refusal.section, person=person.name, table=table.code
            ) from refusal
        raise Refusal(AT_ANOTHER_TABLE, person=person.name, table=table.code)


def verify_may_leave(ctx: TableContext, post: str) -> None:
    """Refuse to leave a post of an open table that needs a relief.

    A game with several posts keeps each of them staffed while the table is open: three dealers (§ 577.9(b)). Raises
    `post-left-empty`, `shaker-left-unattended` or `round-in-play`.
    """
    if len(posts.posts_of(ctx.table)) > 1:
        section = ctx.rules.section("dealers") if ctx.deals else ""
        raise Refusal(POST_LEFT_EMPTY, section, post=post, table=ctx.table.code)
    verify_nothing_unattended(ctx, post)


def verify_nothing_unattended(ctx: TableContext, post: str) -> None:
    """Refuse if a live round, or a shaker that must be attended, would lose its keeper.

    Raises `shaker-left-unattended` or `round-in-play`.
    """
    if post != posts.keeper_post(ctx.table):
        return
    section = posts.unattended_shaker_section(ctx)
    if section is not None and ctx.shaker is not None:
        raise Refusal(SHAKER_LEFT_UNATTENDED, section, shaker=ctx.shaker.code)
    if ctx.round is not None:
        raise Refusal(ROUND_IN_PLAY, round=ctx.round.number)


# Alerts about posts

POST_TICKS = 5
EMPTY_POST = AlertKind(
    "post-empty",
    "post:{post}",
    Level.WARN,
    "Empty post",
    "A post is empty",
    "The post of %(post)s is empty. Send a relief, who takes it over with their PIN.",
)
UNATTENDED_SHAKER = AlertKind(
    "shaker-unattended",
    "shaker",
    Level.WARN,
    "Shaker unattended",
    "Shaker unattended",
    "Nobody is responsible for shaker %(shaker)s. Send a dealer, who takes it over with their PIN.",
)


def absences(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return empty posts and unattended shakers, by the same duty rule as play (`posts.empty_posts`).

    A table with several posts needs a person at each of them (§ 577.9(b)). Elsewhere the dealer keeps the shaker.
    """
    tables = list(live_tables(table_id).exclude(status=Table.Status.CLOSED))
    alerts = []
    empty_posts = posts.empty_posts_by_table(tables)
    for table in tables:
        empty = empty_posts[table.pk]
        if len(posts.posts_of(table)) > 1:
            if table.status == Table.Status.OPEN:
                alerts += [EMPTY_POST.expected(table.pk, duty="dealers", post=post) for post in empty]
            continue
        minute = now.replace(second=0, microsecond=0)
        if empty and (shaker := _unattended_shaker(table.uid, table.status_seq, minute)):
            code, section = shaker
            alerts.append(UNATTENDED_SHAKER.expected(table.pk, section=section, shaker=code))
    return alerts


@lru_cache(maxsize=1024)
def _unattended_shaker(uid: uuid.UUID, status_seq: int, minute: dt.datetime) -> tuple[str, str] | None:
    """Return the code of a shaker that may not be left alone, and the section; None where it may.

    Cached for a minute; every change of equipment changes `status_seq`.
    """
    table = Table.objects.select_related("stream", "facility").get(uid=uid)
    ctx = TableContext(table, None, None, None, clock.displayed_moment(table.stream, minute))
    try:
        section = posts.unattended_shaker_section(ctx)
    except Refusal:
        return None
    return (ctx.shaker.code, section) if section and ctx.shaker and not ctx.shaker.secured else None


alert_rule(AlertRule((EMPTY_POST, UNATTENDED_SHAKER), absences, POST_TICKS))


# Who held the posts, from the record

POST_TYPES = (DEALER_BEGAN.name, DEALER_LEFT.name, DEALER_RELIEVED.name)
ONLY_POST: PostCode = "dealer"  # of a table whose entries name no post
BATCH = 100


class PostHolders:
    """The people at the posts of one table, followed through its record. `advance` moves forward only."""

    def __init__(self, stream_id: int, posts: tuple[PostCode, ...], before: int) -> None:
        """Start before the entry with this number."""
        self._stream_id, self._posts, self._seq = stream_id, posts, before - 1
        self._holders: dict[str, str] = {}
        for changes in self._changes_backward(before):
            for post, person in changes.items():
                self._holders.setdefault(post, person)
            if self._holders.keys() >= set(posts):
                break

    def advance(self, seq: int) -> tuple[str, ...]:
        """Return the codes of the people who held posts when this entry was written, in the order of the posts."""
        if seq > self._seq:
            rows = self._rows().filter(seq__gt=self._seq, seq__lte=seq).order_by("seq")
            for row in rows.values_list(*COLUMNS):
                self._holders |= post_changes(read(row))
            self._seq = seq
        codes = (self._holders.get(post, "") for post in self._posts)
        return tuple(dict.fromkeys(code for code in codes if code))

    @property
    def by_post(self) -> dict[str, str]:
        """The code of the person at each post: "" for a post that was left empty."""
        return dict(self._holders)

    def _rows(self) -> Any:
        return Entry.objects.filter(stream=self._stream_id, type__in=POST_TYPES)

    def _changes_backward(self, before: int) -> Any:
        while True:
            rows = list(self._rows().filter(seq__lt=before).order_by("-seq").values_list(*COLUMNS)[:BATCH])
            for row in rows:
                yield post_changes(read(row))
            if len(rows) < BATCH:
                return
            before = rows[-1][0]


def post_changes(entry: RecordedEntry) -> dict[str, str]:
    """Return who holds which posts after this entry: "" for a post that was left empty."""
    data = entry.data
    try:
        post, person = str(data.get("post") or ONLY_POST), str(data["dealer"])
        if entry.type == DEALER_LEFT.name:
            return {post: ""}
        post_left = data.get("leaves_post")
        return {**({str(post_left): str(data.get("follows") or "")} if post_left else {}), post: person}
    except MISSHAPEN:
        return {}
