"""Failures: the electrical device or the lit layout, and an automated shaker. Gaming ceases until it is repaired."""

from audit.people import at_least
from games.engine import Refusal
from games.params import Params
from tables.core.context import AtTable
from tables.core.permissions import AT_THE_TABLE
from tables.failures.ceasing import cease, mark_repaired
from tables.models import Round, Table
from tables.rounds.progress import advance, verify_live
from tables.rounds.settlement import settle_throw
from tables.runner.signatures import verify_signed_by_floor
from tables.runner.table import Recorded, act

WHAT_FAILS = ("device", "layout", "shaker")


@act(roles=AT_THE_TABLE, witness=True)
def report_device_failure(at: AtTable, params: Params) -> Recorded:
    """The device, the lit layout (A14) or an automated shaker failed.

    Before the dice are seen the round is void and wagers are returned. With the dice seen, the announced dice
    settle it by hand before the witness that the edition names. Either way gaming here ceases afterwards.
    """
    what = params.choice("what", WHAT_FAILS, default="device")
    dice = params.dice(optional=True)
    if at.table.status == Table.Status.CEASED:
        return _failed_too(at, what)
    if at.table.status != Table.Status.OPEN:
        raise Refusal("table-closed", table=at.table.code)
    if what == "shaker":
        return _shaker_failed(at)
    round_ = at.round
    section = at.rules.section("device-failure")
    cease(at, what, section)
    if round_ is None:
        if dice is not None:
            at.game.verify_report_device_failure(at.state, dice)
        return Recorded("device.failed", {"what": what, "section": section, "round": None})
    if dice is not None or at.state.dice:
        verify_edition_witness(at)
    return _settle_failure(at, round_, what, dice)


def _settle_failure(at: AtTable, round_: Round, what: str, dice: tuple[int, ...] | None) -> Recorded:
    had_dice = bool(at.state.dice)
    if had_dice and dice is not None and sorted(dice) != sorted(at.state.dice):
        raise Refusal("dice-entered-already", round=round_.number)
    state, failed = at.game.report_device_failure(at.state, dice)
    if had_dice:
        advance(at, state, by_hand=True)
        return Recorded("device.failed", {"what": what, "round": round_.number, "dice": list(state.dice)})
    if dice is not None:
        at.verify_as_they_lie(dice)
        more = {"failed": what}
        return settle_throw(
            at, round_, state, "round.settled_by_hand", state.settled, dice=state.dice, more=more
        )
    reason = "device failure before the dice were seen"
    return settle_throw(
        at, round_, state, "round.voided", failed.settled, reason=reason, more={"failed": what}
    )


def _shaker_failed(at: AtTable) -> Recorded:
    """An automated shaker failed to run or malfunctioned: the round is void and wagers are returned."""
    section = at.rules.section("shaker-failure")
    if at.round is None and at.rules.shaker(at.shaker_kind).automated:
        cease(at, "shaker", section)
        return Recorded("device.failed", {"what": "shaker", "section": section, "round": None})
    round_ = verify_live(at)
    state, failed = at.game.report_shaker_failure(at.state)
    cease(at, "shaker", section)
    return settle_throw(
        at,
        round_,
        state,
        "round.voided",
        failed.settled,
        reason="automated shaker failed",
        more={"failed": "shaker"},
    )


def _failed_too(at: AtTable, what: str) -> Recorded:
    """Something else fails while gaming has ceased already, or what was repaired fails again: the repair begins anew.

    A failed device or layout outweighs a failed shaker, which another one may replace.
    """
    table = at.table
    if at.round is not None:
        raise Refusal("round-in-play", round=at.round.number)
    if what == table.ceased_what and table.repaired_at is None:
        raise Refusal("gaming-ceased", table.ceased_section, what=table.ceased_what)
    if what == "shaker" and not at.rules.shaker(at.shaker_kind).automated:
        raise Refusal("shaker-not-automated", at.rules.section("shaker-failure"))
    section = at.rules.section("shaker-failure" if what == "shaker" else "device-failure")
    if what == "shaker" and table.ceased_what != "shaker":
        at.change_table(repaired_at=None)
    else:
        cease(at, what, section)
    return Recorded("device.failed", {"what": what, "section": section, "round": None})


@act(roles=AT_THE_TABLE, witness=True)
def record_repair(at: AtTable, params: Params) -> Recorded:
    """Records that what failed has been repaired, and how (A15). The floor signs; its inspection lets gaming go on."""
    verify_signed_by_floor(at)
    how = params.text("what")
    if not at.table.ceased_what:
        raise Refusal("nothing-failed", table=at.table.code)
    if at.round is not None:
        raise Refusal("round-in-play", round=at.round.number)
    what = at.table.ceased_what
    mark_repaired(at)
    return Recorded("repair.recorded", {"what": what, "how": how})


def verify_edition_witness(at: AtTable) -> None:
    """Raises `Refusal` unless the witness of this edition signed (PA: floorperson or above; NJ: casino supervisor)."""
    role = at.rules.witness("device-failure") or "floorperson"
    if not any(at_least(person, role) for person in (at.witness, at.actor) if person is not None):
        raise Refusal("witness-must-sign", at.rules.section("device-failure"), role=role.replace("-", " "))
