"""Refusals about corrections and Error Notification Slips. Each sentence says what to do next."""

from games.engine.refusals import RefusalCode

NO_SUCH_ROUND = RefusalCode(
    "no-such-round",
    "%(table)s has no round %(round)s. Check the number in its list of rounds.",
)
NO_SUCH_SLIP = RefusalCode(
    "no-such-slip",
    "%(table)s has no slip %(slip)s. Check the code on the page of its round.",
)
SLIP_NEEDS_TWO = RefusalCode(
    "slip-needs-two",
    "Two people must sign a slip, each with their own PIN. Ask a second person to sign.",
    "Second person needed",
)
SLIP_SIGNER_ELSEWHERE = RefusalCode(
    "slip-signer-elsewhere",
    "%(witness)s does not work at this table. Ask someone who deals or supervises here.",
)
SLIP_MANAGER_MUST_SIGN = RefusalCode(
    "slip-manager-must-sign",
    "A pit manager or a shift manager must be one of the two who sign a void round. Ask one to sign.",
    "Manager needed",
)
SLIP_MEND_IT = RefusalCode(
    "slip-mend-it",
    "Round %(round)s is in play and no one has been paid. Correct it at the table; that needs no slip.",
    "Correct it at the table",
)
SLIP_ROUND_IN_PLAY = RefusalCode(
    "slip-round-in-play",
    "Round %(round)s is in play, and some of its money has moved. Correct what the table still "
    "allows, finish the round as shown there, and file the slip when it has ended.",
    "Round in play",
)
SLIP_NOTHING_SETTLED = RefusalCode(
    "slip-nothing-settled",
    "Round %(round)s settled nothing, so there is nothing for a slip to correct.",
)
ROUND_UNREADABLE = RefusalCode(
    "round-unreadable",
    "The record of round %(round)s was altered, so the round cannot be corrected. Tell compliance "
    "now: Integrity shows which entry was changed.",
    "The record is damaged",
)
SLIP_NO_RESULT = RefusalCode(
    "slip-no-result",
    "Every open wager of round %(round)s was returned, and no dice decided it. If a wrong amount was "
    "paid or taken, file a payment slip.",
)
SLIP_IS_VOID = RefusalCode(
    "slip-is-void",
    "Slip %(slip)s made round %(round)s void. File a slip with its dice first, then this one.",
)
SLIP_NOTHING_TO_UNDO = RefusalCode(
    "slip-nothing-to-undo",
    "Nothing was taken or paid in round %(round)s, so there is nothing to undo.",
)
SLIP_CHANGES_NOTHING = RefusalCode(
    "slip-changes-nothing",
    "Round %(round)s was settled with these dice. Enter the dice that were on the layout.",
)
SLIP_WAGER_UNCHANGED = RefusalCode(
    "slip-wager-unchanged",
    "This is already recorded for seat %(seat)s. Enter the amount that was there, or 0 for nothing.",
)
SLIP_PAYMENT_UNCHANGED = RefusalCode(
    "slip-payment-unchanged",
    "This is what was settled with seat %(seat)s. Enter what was actually paid and taken.",
)
SLIP_ANOTHER_COURSE = RefusalCode(
    "slip-another-course",
    "With this correction the game would have gone on, or ended on another throw, so it cannot be "
    "settled again. Void the round.",
    "Void the round",
)
SLIP_STANDS_OTHERWISE = RefusalCode(
    "slip-stands-otherwise",
    "Someone else corrected round %(round)s in the meantime. Check the figures again, then sign.",
    "Already corrected",
)
SLIP_SETTLE_FIRST = RefusalCode(
    "slip-settle-first",
    "Slip %(slip)s of this round is waiting for its money. Settle it first, then enter the total "
    "that was handed over.",
    "Settle the open slip",
)
SLIP_SETTLED_ALREADY = RefusalCode(
    "slip-settled-already",
    "Slip %(slip)s is already settled. To correct it, file another slip.",
)
SLIP_OTHER_SEATS = RefusalCode(
    "slip-other-seats",
    "Slip %(slip)s has amounts due at seats %(seats)s. Enter what each of them received or gave back.",
)
SLIP_MOVED_MORE = RefusalCode(
    "slip-moved-more",
    "This is more than slip %(slip)s has due at seat %(seat)s. Enter no more than the amount due.",
)
SLIP_SAY_WHY_LESS = RefusalCode(
    "slip-say-why-less",
    "Slip %(slip)s would be settled with less than is due. Enter the reason, and sign again.",
    "Reason needed",
)
SLIP_REVIEW_FIRST = RefusalCode(
    "slip-review-first",
    "Slip %(slip)s moves %(sum)s. Alone, or with other slips and raises of its round, its seats or its signers, that "
    "is a sum of which no money may move before somebody outside the table has reviewed it. Ask %(who)s to review it.",
    "Review needed first",
)
SLIP_REVIEW_DIFFERS = RefusalCode(
    "slip-review-differs",
    "%(reviewer)s reviewed slip %(slip)s and differs: “%(why)s” No money may move on it. Settle it with $0, and file "
    "another slip if one is needed.",
    "The review differs",
)
SLIP_SIGNED_BY_REVIEWER = RefusalCode(
    "slip-signed-by-reviewer",
    "%(reviewer)s reviewed slip %(slip)s and cannot sign it. Ask somebody else to sign.",
    "Somebody else must sign",
)
SLIP_NEEDS_NO_REVIEW = RefusalCode(
    "slip-needs-no-review",
    "Slip %(slip)s needs no review: it moves no money, or it was filed before slips were reviewed.",
)
SLIP_REVIEWED_ALREADY = RefusalCode(
    "slip-reviewed-already",
    "%(reviewer)s reviewed slip %(slip)s already. If it is wrong, ask the table to file another slip.",
    "Already reviewed",
)
SLIP_REVIEWER_SIGNED = RefusalCode(
    "slip-reviewer-signed",
    "You signed slip %(slip)s yourself. Somebody else of %(who)s must review it.",
    "Somebody else must review",
)
SLIP_REVIEWER_OF_TABLE = RefusalCode(
    "slip-reviewer-of-table",
    "Slip %(slip)s is reviewed outside the table, by %(who)s. Ask somebody of theirs.",
    "Another department",
)
SLIP_SAY_WHY_DIFFERS = RefusalCode(
    "slip-say-why-differs",
    "Say what differs, so that the table can correct slip %(slip)s.",
    "Reason needed",
)
RAISE_NEEDS_TWO = RefusalCode(
    "raise-needs-two",
    "The dice may be known. Two people must sign what may pay more, the dealer and the floor, each with their own "
    "PIN. Ask the other to sign.",
    "Second person needed",
)
CORRECT_BY_SLIP = RefusalCode(
    "correct-by-slip",
    "The dice may be known. With this, %(sum)s that is on record could not be taken, and %(who)s must review that "
    "first. Finish the round as it is recorded, then file a slip that says where the chips are.",
    "File a slip after the round",
)
MONEY_HAS_MOVED = RefusalCode(
    "money-has-moved",
    "A winner of round %(round)s has been paid. It can no longer be corrected here.",
)
REVIEW_SUM_TOO_HIGH = RefusalCode(
    "review-sum-too-high",
    "In %(jurisdiction)s slips from %(most)s on are reviewed before money moves. Set this sum or a lower one.",
    "Above the jurisdiction's sum",
)
REVIEW_SUM_THE_SAME = RefusalCode(
    "review-sum-the-same", "Slips from %(sum)s on are reviewed before money moves already.", "The same sum"
)
