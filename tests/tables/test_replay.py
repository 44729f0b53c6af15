"""A round as its replay shows it: read from the record, step by step, with every wager's end and what proves it."""

import html
import json
import re
from typing import Any

import pytest

from audit import chain
from audit.models import Entry
from tables.core.entries import of_round
from tables.models import Wager
from tables.replay.history import RoundHistory, timeline_of
from tests.markup import one_line
from tests.tables.cast import Scene, make_scene
from tests.tables.test_readjudicate import unguarded

pytestmark = pytest.mark.django_db


def page(scene: Scene, number: int = 1, step: int | str = "", by: str = "shift-manager") -> str:
    answer = scene.browser("podium", by).get(f"/floor/larkfield/T-01/rounds/{number}/?step={step}")
    assert answer.status_code == 200
    return one_line(answer.content.decode())


def words(markup: str) -> str:
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", markup))).strip()


def part(html: str, start: str, end: str = "</section>") -> str:
    """The words of one part of a page, from a mark in it to its end."""
    return words(html[html.index(start) : html.index(end, html.index(start))].partition(">")[2])


def spots(html: str) -> dict[str, list[str]]:
    """The areas of the layout that are lit, lost, or have money on them."""
    layout = html[html.index('class="lit-up"') : html.index('class="scrub"')]
    spots_ = re.findall(r'<p class="spot ?[^"]*?(lit|lost|bet)">(.*?)</p>', layout, re.DOTALL)
    spots_by_state: dict[str, list[str]] = {"lit": [], "lost": [], "bet": []}
    for state, area in spots_:
        spots_by_state[state].append(words(area))
    return spots_by_state


def rows(html: str) -> list[str]:
    """The rows of the table of wagers, in words."""
    table = html[html.index("<tbody>", html.index('class="wagers"')) :]
    return [words(row) for row in re.findall(r"<tr.*?</tr>", table[: table.index("</tbody>")], re.DOTALL)]


def story(scene: Scene, number: int = 1) -> RoundHistory:
    return RoundHistory("larkfield", of_round(scene.table.stream, number))


def corrected_round(scene: Scene) -> None:
    """A round whose dice were called wrongly, played to its end."""
    scene.place((1, "small", 5_000), (2, "total:9", 1_000))
    scene.place((2, "big", 10_000))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [2, 2, 6]})
    scene.act("correct_dice", {"dice": [2, 2, 5], "reason": "misread"}, witness="floorperson")
    scene.finish()


# Steps


def test_every_entry_of_the_round_is_a_step_with_its_time_person_number_and_hash(scene):
    corrected_round(scene)
    told = list(Entry.objects.filter(stream=scene.table.stream, round=1).order_by("seq"))
    shown = page(scene)
    acts = shown[shown.index('class="acts round-acts"') : shown.index('class="round-layout"')]
    assert re.findall(r'<li id="e(\d+)"', acts) == [str(one.seq) for one in told]
    assert re.findall(r"<code>(\w+)</code>", acts) == [bytes(one.hash).hex()[:8] for one in told]
    assert re.findall(r'<time datetime="([^"]+)"', acts) == [
        json.loads(bytes(one.body))["at"] for one in told
    ]
    assert "Dice corrected to 2 2 5, not 2 2 6 Dealer; misread; signed by Floorperson, floorperson" in words(
        acts
    )
    assert "Wagers, seats 1 2 Dealer; $60 in 2" in words(acts)


def test_the_layout_is_as_it_lay_and_was_lit_at_the_step_that_is_asked_for(scene):
    corrected_round(scene)
    types = [one.type for one in story(scene).entries]
    at = {name: types.index(name) + 1 for name in types}
    assert spots(page(scene, step=1))["bet"] == ["Small 4 to 10 $50 seat 1 $50", "Total 9 $10 seat 2 $10"]
    assert spots(page(scene, step=1))["lit"] == []
    called = spots(page(scene, step=at["round.settled"]))
    assert "Small 4 to 10 wins $50 seat 1 $50" in called["lit"]
    assert called["lost"] == ["Big 11 to 17 $100 loses seat 2 $100", "Total 9 $10 loses seat 2 $10"]
    corrected = spots(page(scene, step=at["dice.corrected"]))
    assert "Total 9 wins $10 seat 2 $10" in corrected["lit"]
    assert corrected["lost"] == ["Big 11 to 17 $100 loses seat 2 $100"]
    taken = spots(page(scene, step=at["losers.taken"]))
    assert taken["lost"] == [] and "Total 9 wins $10 seat 2 $10" in taken["lit"]
    assert spots(page(scene, step=at["layout.cleared"])) == {"lit": [], "lost": [], "bet": []}


def test_steps_lead_on_and_back_and_stop_at_both_ends(scene):
    corrected_round(scene)
    last = len(story(scene).entries)

    def ways(step: int) -> dict[str, str]:
        found = re.findall(r'href="\?step=(\d+)" data-step data-move="(\w+)"', page(scene, step=step))
        return {way: to for to, way in found}

    assert ways(1) == {"after": "2", "last": str(last)}
    assert ways(3) == {"first": "1", "before": "2", "after": "4", "last": str(last)}
    assert ways(last) == {"first": "1", "before": str(last - 1)}


@pytest.mark.parametrize("step", ["", "0", "999", "-1", "x", "1e3", "٣", "99999999999999999999"])
def test_without_a_step_that_there_is_the_layout_stands_as_it_was_lit_last(scene, step):
    corrected_round(scene)
    assert "Dice corrected to 2 2 5, not 2 2 6" in part(page(scene, step=step), 'class="play"', "</div>")


def test_steps_never_fall_together_on_the_line(scene):
    corrected_round(scene)
    steps = story(scene).steps
    positions = [float(tick.x) for tick in timeline_of(steps, 2).ticks]
    assert (
        positions == sorted(positions)
        and len(set(positions)) == len(steps)
        and positions[0] == 8
        and positions[-1] == 592
    )
    assert [tick.state for tick in timeline_of(steps, 2).ticks[:4]] == ["past", "past", "current", "later"]


# Wagers and sums


def test_every_wager_says_how_it_ended_and_why_under_which_section(scene):
    corrected_round(scene)
    assert rows(page(scene)) == [
        "1 Small The total is 9 $50 Won § 625a.6(a) 1 to 1 $50 $50",
        "2 Total 9 The total is 9 $10 Won § 625a.6(a) 6 to 1 $60 $10",
        "2 Big 9 is under 11 $100 Lost § 625a.3(7)",
    ]


def test_the_sums_of_the_round_stand_over_it(scene):
    corrected_round(scene)
    assert (
        part(page(scene), '<dl class="figures"', "</dl>")
        == "Staked $160 Taken $100 Paid $110 Returned $60 Win −$10"
    )


def test_a_round_in_play_says_so_and_its_wagers_are_not_settled(scene):
    scene.place((1, "small", 5_000))
    shown = page(scene)
    assert "in play" in part(shown, '<header class="top', "</header>")
    assert rows(shown) == ["1 Small $50 Not settled"]
    scene.to_the_dice()
    scene.act("call_no_roll", {"reason": "leans"}, witness="floorperson")
    shown = page(scene)
    assert "in play" not in part(shown, '<header class="top', "</header>")
    assert rows(shown) == ["1 Small No roll: the wager goes back $50 Returned § 625a.7(a) $50"]


def test_a_correction_shows_both_values_the_reason_and_who_signed(scene):
    corrected_round(scene)
    scene.place((1, "small", 1_000))
    scene.to_the_dice()
    missed = {"seat": 1, "wager": "small", "cents": 2_000, "reason": "overlooked"}
    scene.act("record_missed_wager", missed, witness="floorperson")
    fixes = story(scene).corrections
    assert fixes[0].dice == ([2, 2, 6], [2, 2, 5]) and fixes[0].reason == "misread"
    assert fixes[0].signed == "Dealer and Floorperson" and fixes[0].seq == fixes[0].before_seq + 1
    fix = story(scene, 2).corrections[0]
    assert (fix.before, fix.after, fix.reason) == ("Small, seat 1: $10", "$20", "overlooked")


def test_a_struck_wager_stays_on_the_page_and_in_no_sum(scene):
    scene.play((1, "small", 5_000), (2, "big", 1_000), dice=[2, 2, 5])
    strike = {"seat": 2, "wager": "big", "reason": "never lay there"}
    scene.act("strike_mistaken_wager", strike, witness="floorperson")
    shown = page(scene)
    assert rows(shown)[1].startswith("2 Big entered by mistake")
    assert "Staked $50 Taken $0 Paid $50" in part(shown, '<dl class="figures"', "</dl>")


def test_the_page_reads_the_record_and_not_the_rows(scene):
    corrected_round(scene)
    before = page(scene)
    Wager.objects.update(cents=77_700)
    assert rows(page(scene)) == rows(before)


# What is said of it later


def test_a_dispute_after_the_round_belongs_to_it_until_the_next_one_begins(scene):
    corrected_round(scene)
    scene.act("report_dispute", {"seat": 2, "about": "Big, says the dice were 6"})
    scene.place((1, "small", 1_000))
    scene.act("report_dispute", {"seat": 1, "about": "wants his chip back"})
    first, second = story(scene), story(scene, 2)
    assert [one.type for one in first.entries][-2:] == ["dispute.reported", "alert.raised"]
    assert [line.disputed is not None for line in first.wager_rows] == [False, False, True]
    assert sum(one.type == "dispute.reported" for one in second.entries) == 1
    assert "disputed" in rows(page(scene))[2]


def test_the_end_of_an_alert_that_was_raised_over_the_round_belongs_to_it(scene):
    corrected_round(scene)
    scene.act("report_dispute", {"seat": 2, "about": "Big"})
    (alert,) = [one for one in scene.snapshot["alerts"] if one["kind"] == "dispute"]
    note = {"alert": alert["id"], "note": "shown the dice"}
    scene.act("acknowledge_alert", note, by="floorperson", device=scene.podium)
    types = [one.type for one in story(scene).entries]
    assert types[-3:] == ["alert.raised", "alert.acknowledged", "alert.ended"]


def test_a_disputed_round_in_play_is_a_tap_away_from_its_alert(scene):
    scene.play((1, "small", 1_000), dice=[2, 2, 5])
    scene.act("report_dispute", {"seat": 1, "about": "Small"})
    shown = scene.browser("podium", "shift-manager").get("/floor/larkfield/T-01/").content.decode()
    assert 'href="/floor/larkfield/T-01/rounds/1/">Replay round 1</a>' in shown


# The other games


def test_a_game_of_several_throws_shows_the_field_of_each_and_every_play(scene_of_football):
    scene = scene_of_football
    lines = rows(page(scene))
    assert [line for line in lines if "play 1" in line] == [
        "1 Penalty, play 1 Penalty $10 Won § 577.8(b) 9 to 1 $90 $10"
    ]
    types = [one.type for one in story(scene).entries]
    first = page(scene, step=types.index("throw.settled") + 1)
    assert "Penalty wins" in " ".join(spots(first)["lit"])
    assert "Seat 1 takes the dice" in words(first)
    assert story(scene).differences == []


@pytest.fixture
def scene_of_football() -> Scene:
    """A game of two throws that a turnover ends."""
    scene = make_scene("pa-577")
    scene.place((1, "touchdown", 1_000), (1, "penalty", 1_000, 1))
    scene.act("offer_dice", {"seat": 1, "accepted": True}, by="stickperson")
    for dice in ([1, 1, 5], [1, 1, 6]):
        scene.act("throw_dice", by="stickperson")
        scene.act("call_dice", {"dice": dice}, by="stickperson")
        while scene.round is not None and scene.snapshot["next"]["act"] == "settle_seats":
            scene.act("settle_seats")
    scene.finish()
    return scene


def test_an_extra_throw_reads_on_from_the_first_roll():
    scene = make_scene("pa-675a")
    scene.place((1, "pip:6", 1_000), (1, "like-kind:5", 1_000), (1, "extra-roll", 1_000))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [6, 6, 6, 1, 2, 3, 4, 5, 1, 2]})
    scene.until("call_dice")
    scene.act("call_dice", {"dice": [6, 6, 1, 2, 3, 4, 5]})
    scene.finish()
    types = [one.type for one in story(scene).entries]
    first = spots(page(scene, step=types.index("throw.settled") + 1))
    assert first["bet"] == ["Like Kind 5 $10 seat 1 $10"] and any(
        "Pip Street 6" in one for one in first["lit"]
    )
    last = spots(page(scene, step=types.index("round.settled") + 1))
    assert last["lit"] == ["Like Kind 5 wins $10 seat 1 $10"] and last["bet"] == []
    ends = [(line.label, line.outcome, line.paid_cents) for line in story(scene).wager_rows]
    assert ends == [("Pip Street 6", "win", 4_000), ("Like Kind 5", "win", 2_000), ("Extra Roll", "fee", 0)]


# Proof


def test_the_chain_is_recomputed_and_an_edited_entry_breaks_it_where_it_stands(scene):
    corrected_round(scene)
    entry = Entry.objects.filter(stream=scene.table.stream, type="wagers.placed").earliest("seq")
    last = scene.version
    assert f"Chain {entry.seq} to {last} intact" in part(page(scene), 'aria-labelledby="proof"')
    body = json.loads(bytes(entry.body))
    body["data"]["placed"][0]["cents"] = 100
    entry.body = chain.canonical(body)
    with unguarded():
        entry.save()
    shown = part(page(scene), 'aria-labelledby="proof"')
    assert f"broken at {entry.seq}" in shown and "failed" in shown


def test_a_figure_that_the_rules_do_not_give_stands_beside_the_one_that_they_give(scene):
    corrected_round(scene)
    entry = Entry.objects.filter(stream=scene.table.stream, type="dice.corrected").get()
    body = json.loads(bytes(entry.body))
    body["data"]["settled"][1]["paid_cents"] = 9_999
    entry.body = chain.canonical(body)
    with unguarded():
        entry.save()
    shown = page(scene)
    assert "paid: record $99.99" in " ".join(rows(shown))
    assert "failed" in part(shown, 'aria-labelledby="proof"')


def test_a_round_that_no_seal_covers_yet_says_so(scene):
    corrected_round(scene)
    assert f"no seal covers entry {scene.version} yet" in part(page(scene), 'aria-labelledby="proof"')


def test_the_rules_stand_by_their_code_version_and_hash(scene):
    corrected_round(scene)
    shown = part(page(scene), 'aria-labelledby="proof"')
    assert "Rules RS-0009 v1 pinned" in shown
    digest = story(scene).terms_sha256
    assert f"{digest[:8]} {digest[8:16]}" in shown


# Doors


@pytest.mark.parametrize(
    ("by", "device", "status"),
    [
        ("dealer", "tablet", 200),
        ("floorperson", "podium", 200),
        ("compliance", "podium", 200),
        ("gaming-agent", "podium", 200),
        ("surveillance", "podium", 200),
        ("other-floorperson", "podium", 200),
        ("security", "podium", 403),
        ("system-administrator", "podium", 403),
    ],
)
def test_whoever_sees_the_table_or_the_desk_may_replay_its_rounds(scene, by, device, status):
    corrected_round(scene)
    assert scene.browser(device, by).get("/floor/larkfield/T-01/rounds/1/").status_code == status


def test_a_round_that_never_was_is_not_found_and_nobody_signed_in_sees_none(scene):
    corrected_round(scene)
    browser = scene.browser("podium", "shift-manager")
    for number in ("2", "0", "99999999999999999999999"):
        assert browser.get(f"/floor/larkfield/T-01/rounds/{number}/").status_code == 404
    assert scene.browser("podium").get("/floor/larkfield/T-01/rounds/1/").status_code in (302, 401)


def test_only_those_who_may_export_are_offered_it_with_this_stream_and_these_times(scene):
    corrected_round(scene)
    assert "ask_export" not in page(scene, by="shift-manager")
    shown = page(scene, by="compliance")
    dialog = shown[shown.index('id="export-round"') :].partition("</dialog>")[0]
    said = dict(re.findall(r'name="(\w+)" value="([^"]*)"', dialog))
    told = story(scene).entries
    assert (said["kind"], said["streams"], said["from"]) == ("evidence", "larkfield/T-01", told[0].at)
    assert said["to"] > told[-1].at


def test_an_export_of_the_round_holds_its_entries_and_no_others(scene):
    from audit.export import select
    from audit.management.commands.audit_export import moment

    corrected_round(scene)
    corrected_round(scene)
    shown = page(scene, number=1, by="compliance")
    said: dict[str, Any] = dict(
        re.findall(r'name="(\w+)" value="([^"]*)"', shown[shown.index('id="export-round"') :])
    )
    (span,) = select(["larkfield/T-01"], moment(said["from"]), moment(said["to"])).spans
    told = story(scene).entries
    assert (span.first, span.last) == (told[0].seq, told[-1].seq)


def test_words_that_people_typed_stay_words(scene):
    scene.play((1, "small", 5_000), dice=[2, 2, 6])
    evil = "<script>alert(1)</script>"
    scene.act("correct_dice", {"dice": [2, 2, 5], "reason": evil}, witness="floorperson")
    shown = page(scene)
    assert evil not in shown and html.escape(evil) in shown


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b'{"data":{}}', b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"]
    + [
        b'{"_type":%b,"actor":%b,"at":%b,"data":{},"seq":6,"terms":null,"witness":null}' % one
        for one in ((b"5", b"null", b"null"), (b'"x.y"', b"[]", b'"2026"'), (b'"x.y"', b"null", b'"then"'))
    ],
)
def test_a_round_with_an_entry_that_cannot_be_read_is_shown_all_the_same(scene, body):
    scene.play((2, "small", 7_000), dice=[5, 5, 3])
    scene.finish()
    entry = Entry.objects.get(stream=scene.table.stream, type="wagers.placed")
    with unguarded():
        Entry.objects.filter(pk=entry.pk).update(body=body)
    assert "An entry that cannot be read" in page(scene)
