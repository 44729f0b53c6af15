"""What is played at each game: every kind of act, by taps on its own tablets and on the pit's screens."""

import functools
from collections.abc import Sequence

from playwright.sync_api import expect

from script.walk.house import Member
from script.walk.walk import Walk
from tests.e2e.field import GAIN_OF_4, GAIN_OF_8, GAIN_OF_9, LEFT, RIGHT, TWO_ONES, FieldTablet
from tests.e2e.floor import Tablet, press_pin, touch

Placed = tuple[int, str, int]
SIC_BO: tuple[Placed, ...] = (
    (1, "small", 2_500), (1, "total:9", 2_500), (2, "big", 10_000), (2, "two-dice:2-5", 2_500),
    (3, "one-of-a-kind:5", 2_500), (3, "small", 2_500), (4, "any-three-of-a-kind", 2_500), (4, "big", 2_500),
    (5, "two-of-a-kind:5", 2_500), (5, "total:12", 2_500), (6, "three-of-a-kind:4", 2_500), (6, "big", 2_500),
    (7, "total:12", 10_000), (7, "one-of-a-kind:2", 2_500), (8, "small", 10_000), (8, "two-dice:5-6", 2_500),
)  # fmt: skip
HIGH_ROLL: tuple[Placed, ...] = (
    (1, "pip:2", 2_500), (1, "pip:5", 2_500), (2, "pip:5", 2_500), (2, "pip:1", 2_500), (2, "like-kind:3", 2_500),
    (2, "like-kind:4", 2_500), (2, "like-kind:5", 2_500), (3, "pip:6", 2_500), (3, "like-kind:2", 2_500),
    (4, "pip:6", 10_000), (4, "pip:1", 10_000), (5, "pip:2", 10_000), (5, "like-kind:6", 10_000), (6, "pip:1", 2_500),
)  # fmt: skip
EXTRA_ROLL: tuple[Placed, ...] = ((2, "extra-roll", 2_500), (2, "millionaire:9", 2_500))
FOUR_FIVES, ONE_MORE = (5, 5, 5, 5, 6, 6, 6, 1, 1, 4), (5, 1, 2, 3, 6, 6)
EVERY_FACE = (1, 2, 3, 4, 5, 6)
AWAITING_DICE = "ready"


def play_sic_bo(walk: Walk) -> None:
    """Two rounds that are settled, one without a roll and a void one, with what happens around them."""
    place(walk, SIC_BO)
    change_wagers(walk, "big")
    mark_seats(walk)
    step_until(walk, AWAITING_DICE)
    call_no_roll(walk)
    walk.act("repeat all", lambda: walk.dealer.tap("[data-do=repeat-all]"))
    call_the_floor(walk)
    announce_limits(walk)
    change_lot(walk)
    step_until(walk, AWAITING_DICE)
    walk.act("dice called", lambda: walk.dealer.call(2, 5, 5))
    correct_dice(walk, (1, 5, 6))
    record_missed_wager(walk, 4, "total:12", "25")
    strike_wager(walk)
    settle_areas(walk)
    place(walk, SIC_BO[:6])
    void_round(walk)
    relieve_and_lock(walk)


def deal_sic_bo(walk: Walk) -> None:
    """What differs between editions and shakers: opening, order of the steps, a round, and one without a roll."""
    if walk.dealer.page.locator("#screen").get_attribute("data-mode") == "closed":
        open_table(walk)
    place(walk, SIC_BO)
    step_until(walk, AWAITING_DICE)
    walk.act("dice called", lambda: walk.dealer.call(2, 5, 5))
    settle_areas(walk)
    walk.act("repeat all", lambda: walk.dealer.tap("[data-do=repeat-all]"))
    change_lot(walk)
    step_until(walk, AWAITING_DICE)
    call_no_roll(walk)


def settle_areas(walk: Walk) -> None:
    """What lost is taken; one seat is paid by itself, then all others; the layout is cleared."""
    step_until(walk, "taken", "paid")
    if phase(walk) == "taken":
        pay_one_seat(walk)
        walk.act("paid all", walk.dealer.pay_all)
    step_until(walk, "open")


def play_high_roll(walk: Walk) -> None:
    """A round of ten dice with an Extra Roll, or of six dice; then an invalid roll, and a void round."""
    has_extra_roll = walk.dealer.area("extra-roll").count() > 0
    place(walk, HIGH_ROLL[:2])
    change_wagers(walk, "pip:5")
    place(walk, (*HIGH_ROLL[2:], *(EXTRA_ROLL if has_extra_roll else ())))
    call_the_floor(walk)
    announce_limits(walk)
    change_lot(walk)
    step_until(walk, AWAITING_DICE)
    call_invalid_roll(walk)
    step_until(walk, AWAITING_DICE)
    roll = FOUR_FIVES if has_extra_roll else EVERY_FACE
    walk.act("first roll called", lambda: walk.dealer.call(*roll))
    if has_extra_roll:
        correct_counted_dice(walk)
    step_until(walk, "lit")
    record_missed_wager(walk, 6, "pip:2", "25")
    strike_wager(walk)
    walk.act("a seat settled", lambda: walk.dealer.tap(".done >> nth=0"))
    step_until(walk, "loose", "paid")
    if phase(walk) == "loose":
        step_until(walk, AWAITING_DICE)
        walk.act("Extra Roll called", lambda: walk.dealer.call(*ONE_MORE))
        step_until(walk, "paid")
    step_until(walk, "open")
    walk.act("repeat all", lambda: walk.dealer.tap("[data-do=repeat-all]"))
    void_round(walk)
    relieve_and_lock(walk)


def play_football(walk: Walk) -> None:
    """A game to its extra point roll at three tablets, with a no roll and corrections; then a void one."""
    right, left, stick = (field_tablet(walk, post) for post in ("dealer", "dealer-left", "stick"))
    place(walk, RIGHT)
    place(walk, LEFT, left)
    change_wagers(walk, "over-four")
    for seat in (9, 1, 4, 7, 10, 11, 13, 15, 16):
        place(walk, ((seat, "over-four", 2_500),), left if seat > 8 else right)
    call_the_floor(walk)
    announce_limits(walk)
    walk.act("the dice are declined", lambda: stick.tap("#decline"))
    walk.act("the dice are accepted", lambda: stick.tap(stick.next))
    change_lot(walk)
    walk.act("dice out", lambda: stick.tap(stick.next))
    walk.act(
        "no roll",
        lambda: stick.tap_each('.dock [data-open="no-roll"]', '#no-roll [data-params*="off-table"]'),
    )
    throw(walk, stick, GAIN_OF_4)
    correct_dice(walk, GAIN_OF_8)
    record_missed_wager(walk, 8, "over-four", "25")
    strike_wager(walk, "Over Four")
    step_until(walk, "open")
    walk.act("wagers of the second play", functools.partial(left.place, (14, "over-four", 2_500)))
    throw(walk, stick, GAIN_OF_4)
    step_until(walk, "open")
    walk.act("repeat a seat", lambda: left.tap("[data-do=repeat-seat]"))
    throw(walk, stick, GAIN_OF_9)
    step_until(walk, "point")
    throw(walk, stick, TWO_ONES)
    step_until(walk, "paid")
    step_until(walk, "open")
    walk.act("repeat all", lambda: right.tap("[data-do=repeat-all]"))
    void_round(walk)
    relieve_and_lock(walk)


# Acts of every game


def phase(walk: Walk) -> str | None:
    return walk.dealer.page.locator("#screen").get_attribute("data-phase")


def place(walk: Walk, wagers: Sequence[Placed], tablet: Tablet | None = None) -> None:
    """Wagers by taps, one act for each seat."""
    by_tablet = tablet or walk.dealer
    for seat in dict.fromkeys(wager[0] for wager in wagers):
        own = [wager for wager in wagers if wager[0] == seat]
        walk.act(f"wagers of seat {seat}", functools.partial(by_tablet.place, *own))


def change_wagers(walk: Walk, wager: str) -> None:
    """Undo, a wager once more, clear the seat, and undo that."""
    dealer = walk.dealer

    def tap(target: str) -> None:
        dealer.tap(target)
        dealer.is_taken()

    walk.act("undo", lambda: tap("[data-do=undo]"))
    walk.act("a wager once more", lambda: tap(f'[data-wager="{wager}"]'))
    walk.act("clear the seat", dealer.clear_seat)
    walk.act("undo the clearing", lambda: tap("[data-do=undo]"))


def mark_seats(walk: Walk) -> None:
    """A player is away, back, and has left."""
    for mark in ("seat-away", "seat-back", "free-seat"):
        tap = functools.partial(walk.dealer.tap_each, "[data-open=more]", f"#more [data-do={mark}]")
        walk.act(mark, tap)


def whose_turn(walk: Walk) -> Tablet:
    """The tablet whose next step is not that of another post, once its lines were on screen."""
    for _ in range(100):
        for tablet in walk.tablets.values():
            rows = tablet.page.locator(".row, [data-seen]")
            if rows.count():
                rows.last.scroll_into_view_if_needed()
            if tablet.next.get_attribute("aria-disabled") != "true":
                return tablet
        walk.dealer.page.wait_for_timeout(100)
    raise AssertionError(f"nobody has the next step at {walk.crew.table}")


def step(walk: Walk) -> None:
    tablet = whose_turn(walk)
    label = tablet.next.locator(".next-l").inner_text()

    def tap() -> None:
        tablet.tap(tablet.next)
        answer_dialog(tablet)

    walk.act(label, tap)


def answer_dialog(tablet: Tablet) -> None:
    """A step may ask who did it: the first answer is right."""
    if tablet.page.locator("#ask[open]").count():
        tablet.go()


def step_until(walk: Walk, *phases: str) -> None:
    """The next steps until the table is in one of these phases."""
    for _ in range(40):
        step(walk)
        if phase(walk) in phases:
            return
    raise AssertionError(f"{walk.crew.table} never came to {phases}")


def give_reason(dealer: Tablet) -> None:
    dealer.tap("#ask [data-reason] >> nth=0")


def choose_reason(dealer: Tablet) -> None:
    """The first of the declared reasons for a round without a result."""
    dealer.tap("#ask [data-choices] [data-fill] >> nth=0")


def sign(walk: Walk) -> None:
    """The floorperson's own PIN in the dialog that asks for it."""
    floorperson = walk.crew.floorperson
    walk.dealer.sign(floorperson.code, floorperson.pin)
    expect(walk.dealer.page.locator("#ask")).to_be_hidden()


def sign_correction(walk: Walk) -> None:
    """Nobody signs before the dialog has shown what the correction changes."""
    expect(walk.dealer.page.locator("#ask .would")).to_be_visible()
    sign(walk)


def call_no_roll(walk: Walk) -> None:
    """The dice do not count, and every seat gets its wagers back."""
    dealer = walk.dealer

    def call() -> None:
        dealer.tap('[data-ask="call_no_roll"] >> nth=0')
        dealer.page.locator("#ask [data-ask-face='6']").click()
        choose_reason(dealer)
        sign(walk)

    walk.act("no roll", call)
    return_wagers(walk)


def return_wagers(walk: Walk) -> None:
    """One seat by itself, then all others at once."""
    if not walk.dealer.page.locator("#dock-return").count():
        return
    step(walk)
    everything = walk.dealer.page.locator("#all")
    if everything.count():
        for line in walk.dealer.page.locator("[data-seen]").all():
            line.scroll_into_view_if_needed()
        expect(everything).to_have_attribute("aria-disabled", "false")
        walk.act("returned all", lambda: walk.dealer.tap(everything))
    elif walk.dealer.page.locator("#dock-return").count():
        step(walk)


def call_invalid_roll(walk: Walk) -> None:
    dealer = walk.dealer
    walk.act("invalid roll", lambda: dealer.tap_each("[data-invalid=on-another]", dealer.next))


def void_round(walk: Walk) -> None:
    dealer = walk.dealer

    def void() -> None:
        dealer.other("void_round")
        choose_reason(dealer)
        sign(walk)

    walk.act("void", void)
    return_wagers(walk)


def correct_dice(walk: Walk, dice: Sequence[int]) -> None:
    dealer = walk.dealer

    def correct() -> None:
        dealer.tap('.acts [data-ask="correct_dice"] >> nth=0')
        dealer.replace_dice(*dice)
        sign_correction(walk)

    walk.act("dice corrected", correct)


def correct_counted_dice(walk: Walk) -> None:
    """Ten dice: one six becomes a four, and the four fives stay."""
    dealer = walk.dealer

    def correct() -> None:
        dealer.tap_each(
            '.dock [data-ask="correct_dice"]', "#ask [data-ask-less='6']", "#ask [data-ask-face='4']"
        )
        sign_correction(walk)

    walk.act("dice corrected", correct)


def record_missed_wager(walk: Walk, seat: int, wager: str, dollars: str) -> None:
    dealer = walk.dealer

    def record() -> None:
        dealer.tap('[data-ask="record_missed_wager"] >> nth=0')
        dealer.page.locator("#ask [name=seat]").select_option(str(seat))
        dealer.page.locator("#ask [name=wager]").select_option(wager)
        dealer.page.locator("#ask [name=dollars]").fill(dollars)
        give_reason(dealer)
        sign_correction(walk)

    walk.act("missed wager", record)


def strike_wager(walk: Walk, label: str = "") -> None:
    """The last wager of the list, or the last of this label."""
    dealer = walk.dealer

    def strike() -> None:
        dealer.tap('[data-ask="strike_mistaken_wager"] >> nth=0')
        options = [
            text
            for text in dealer.page.locator("#ask [name=lying] option").all_inner_texts()
            if label in text
        ]
        dealer.page.locator("#ask [name=lying]").select_option(label=options[-1])
        give_reason(dealer)
        sign_correction(walk)

    walk.act("wager struck", strike)


def pay_one_seat(walk: Walk) -> None:
    if walk.dealer.page.locator("#all").count():
        step(walk)


def throw(walk: Walk, stick: FieldTablet, dice: Sequence[int]) -> None:
    """The dice leave the hand, and are called."""
    walk.act("dice out", lambda: stick.tap(stick.next))

    def call() -> None:
        stick.is_in(AWAITING_DICE)
        stick.tap_dice(*dice)
        stick.tap(stick.next)
        expect(stick.page.locator("#entry")).to_have_count(0)

    walk.act("dice called", call)


def call_the_floor(walk: Walk) -> None:
    """A call with its reason and seat, who comes, the decision, and that it was read."""
    dealer, dashboard = walk.dealer, walk.dashboard.page
    panel = dealer.page.locator("#call-floor")
    walk.act("floor called", lambda: dealer.tap("[data-call=floor]"))
    walk.act("reason of the call", lambda: dealer.tap(panel.locator("[data-explain=reason]").first))
    walk.act("seat of the call", lambda: dealer.tap(panel.locator("[data-explain=seat]").nth(1)))
    alert = dashboard.locator("#alerts .alert", has=dashboard.locator(f'[data-of="{walk.crew.table}"]')).first
    walk.act("the floor comes", lambda: touch(alert.get_by_role("button", name="I’m coming")))

    def decide() -> None:
        touch(alert.get_by_role("button", name="Decide"))
        dashboard.get_by_label("Decision, for the record").fill("Surveillance saw it.")
        touch(dashboard.get_by_role("button", name="Stands as recorded"))

    walk.act("decision", decide)
    walk.act("decision read", lambda: dealer.tap("[data-read-decision]"))


def announce_limits(walk: Walk) -> None:
    """A new maximum with notice: changed at the table page, announced at the tablet, its sign posted, then canceled."""
    page, dealer = walk.page.page, walk.dealer
    minimum = page.locator(".limits-now").inner_text().partition("–")[0].removeprefix("$")

    def change() -> None:
        touch(page.locator("[data-limits-open=limits-change]"))
        box = page.locator("#limits-change")
        box.locator("[name=min]").fill(minimum)
        box.locator("[name=max]").fill("700")
        touch(box.locator("label", has_text="Players are here"))
        touch(box.locator("[type=submit]"))

    def cancel() -> None:
        touch(page.locator("[data-limits-open=limits-cancel]"))
        page.locator("#limits-cancel [name=why]").fill("The sign was wrong")
        touch(page.locator("#limits-cancel [type=submit]"))

    walk.act("limits changed", change)
    walk.act("limits announced", lambda: dealer.tap_each("#announce", ".announced"))
    walk.act("sign posted", lambda: touch(page.locator("[data-limits=post_limits_sign]")))
    walk.act("limits kept", cancel)


def change_lot(walk: Walk) -> None:
    dealer = walk.dealer

    def change() -> None:
        dealer.other("change_dice_lot")
        dealer.tap("#ask [data-fill=lot] >> nth=0")
        seal = dealer.page.locator("#ask [name=seal]")
        if seal.count():
            seal.fill("SL-9")
        sign(walk)

    walk.act("dice lot changed", change)


def relieve_and_lock(walk: Walk) -> None:
    """Another dealer takes over and the first comes back; then the tablet is locked and unlocked."""
    dealer, first = walk.dealer, next(iter(walk.crew.dealers.values()))
    if walk.crew.relief:
        for member in (walk.crew.relief, first):
            walk.act(f"relief by {member.code}", functools.partial(relieve, dealer, member))
    walk.visit("locked and unlocked", lambda: lock(dealer, first))


def relieve(dealer: Tablet, member: Member) -> None:
    dealer.tap("[data-open=people]")
    dealer.tap(f"#people label:has([name=person][value='{member.code}'])")
    press_pin(dealer.page.locator("#people .relief-pin"), member.pin, by_fingers=False)
    expect(dealer.page.locator("live-screen")).to_have_attribute("data-me", member.code)
    dealer.is_live()


def lock(dealer: Tablet, member: Member) -> None:
    dealer.tap("[data-open=people]")
    dealer.tap("#people .choice:has-text('Lock the tablet')")
    expect(dealer.page.locator("#sign-in")).to_be_visible()
    dealer.sign_in(member.code, member.pin)
    dealer.is_live()


def open_table(walk: Walk) -> None:
    """The inspection, signed by the floorperson, and the opening."""
    dealer = walk.dealer

    def inspect() -> None:
        dealer.light(1, 2, 5)
        for part in ("[data-combo]", "[data-toss]", "[data-line]"):
            dealer.tap_all(f"#inspect {part}")
        dealer.tap(dealer.next)
        sign(walk)

    def open_it() -> None:
        dealer.tap(dealer.next)
        sign(walk)

    walk.act("inspected", inspect)
    walk.act("opened", open_it)


def field_tablet(walk: Walk, post: str) -> FieldTablet:
    tablet = walk.tablets[post]
    assert isinstance(tablet, FieldTablet)
    return tablet
