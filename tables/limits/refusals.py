"""Refusals about limits, each with its sentence."""

from games.engine.refusals import RefusalCode

MAXIMUM_UNDER_MINIMUM = RefusalCode(
    "maximum-under-minimum",
    "The maximum %(max)s is under the minimum %(min)s. Swap them.",
    "Limits not changed",
)
LIMITS_UNCHANGED = RefusalCode(
    "limits-unchanged",
    "These are already the limits: %(min)s to %(max)s.",
    "Nothing changes",
)
CHANGE_IS_PENDING = RefusalCode(
    "change-is-pending",
    "A change to %(min)s–%(max)s is already pending here. Cancel it first.",
    "Change pending",
)
NO_CHANGE_IS_PENDING = RefusalCode(
    "no-change-is-pending",
    "No change of limits is pending at %(table)s. Begin one first.",
    "No change pending",
)
SOMEBODY_PLAYS = RefusalCode(
    "somebody-plays",
    "There is play at seat %(seats)s, so players must get %(minutes)s minutes' notice. Say that players are "
    "here, then post the sign and announce the change; or record each of these seats as left.",
    "Players at the table",
)
LIMITS_ANNOUNCED_ALREADY = RefusalCode(
    "limits-announced-already",
    "The change was already announced at %(at)s.",
    "Already announced",
)
LIMITS_SIGN_STANDS = RefusalCode(
    "limits-sign-stands",
    "The sign has been posted since %(at)s.",
    "Sign already posted",
)
STAKE_NOT_IN_CHIPS = RefusalCode(
    "stake-not-in-chips",
    "No chips here make %(cents)s. The smallest chip is %(chip)s: enter %(stakes)s.",
    "Not an amount in chips",
)
PAYOUT_NOT_IN_CHIPS = RefusalCode(
    "payout-not-in-chips",
    "%(cents)s at seat %(seat)s may win an amount that no chips here make: the smallest chip is %(chip)s. Tell the "
    "player, and take %(stakes)s instead.",
    "Not payable in chips",
)
