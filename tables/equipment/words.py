"""The inspection's lines and the approvals' subjects in words.

The codes are in the editions. The sentences are our own, never the regulation's. Those of a single game are in the
`words.py` of its folder, as `INSPECTION_LINES` and `APPROVAL_SUBJECTS`.
"""

from collections.abc import Mapping

from games.wording import with_games

# A line of the inspection or of an approval, as a person confirms it
LINES = {
    # At each opening
    "boxes": "Drop box and tip box are on the dealer's side, one at each hand, where approved.",
    "boxes-attached": "Drop box and tip box are where approved.",
    "cameras": "A fixed camera covers each end of the table.",
    "cover-conceals": "The shaker's own cover hides the dice while it runs.",
    "cup-in-front": "The dice cup is in front of the stickperson.",
    "dice-sealed": "The dice are sealed in the shaker.",
    "extra-roll-sensors": "The Extra Roll sensor responds at every place.",
    "layout-odds": "The layout shows the odds now in force.",
    "limit-sign": "A sign at the table shows the payout limit.",
    "odds-sign": "A sign at the table shows the odds.",
    "shaker-and-dice": "The shaker and all its dice are at the table.",
    "shaker-seals": "The shaker seals or locks, with the dice inside.",
    "shaker-uncovered": "Nothing covers the automated shaker.",
    "stick": "The stickperson's stick is at the table.",
    "throw-box": "The throw box is in the table top, clean and empty.",
    # Once, when the approval of the table or its layout is recorded
    "circles-nine-and-ten": "Each place has the circles nine and ten, marked “First Roll Side Bet”.",
    "circles-two-to-eight": "Each place has seven Like Kind circles, two to eight of a kind.",
    "circles-two-to-six": "Each place has Like Kind circles for two to six of a kind and for no match.",
    "dealer-opposite": "The players' places are on one side and the dealer's is opposite.",
    "equal-value-notice": "Each place tells players to keep their wagers equal.",
    "football-field": "The field has both end zones, its 10 and 20 yard lines, and yards 1 to 23 in the middle.",
    "layout-areas": "Every wager has its own marked area.",
    "layout-logo": "The layout carries our name or logo.",
    "pip-street-dice": "Each place shows six dice, from the two at the player's left to the one at the right.",
    "place-extra-point": "There is a place for the Extra Point.",
    "place-first-down": "There is a place for 1st Down.",
    "place-first-goal": "There is a place for 1st & Goal.",
    "place-game-length": "There are places for the game length, 1 to 6.",
    "place-second-down": "There is a place for 2nd Down.",
    "place-second-goal": "There is a place for 2nd & Goal.",
    "place-third-down": "There is a place for 3rd Down.",
    "place-third-goal": "There is a place for 3rd & Goal.",
    "table-shape": "The table is oblong, with round corners and high walls.",
    "throw-box-labels": "The boxes read Ace, Six, Five, Four, Three, Two from the dealer's left.",
    # Once, when the approval of the shaker or the system is recorded
    "extra-roll-device": "A device at each place acknowledges an Extra Roll.",
    "extra-roll-lock-out": "The lock-out blocks late Extra Rolls.",
    "shaker-compartment": "The dice are in a transparent compartment.",
    "shaker-cover": "It has its own opaque cover.",
    "shaker-integrity": "It is built so that nobody can tamper with the result.",
    "shaker-logo": "It carries our name or logo.",
    "shaker-sealable": "It can be sealed or locked.",
    "shaker-shakes-all": "It shakes all the dice of the game well.",
    "shaker-without-cover": "It has no separate cover.",
}

# What an approval is of
SUBJECTS = {
    "boxes": "Places of the drop box and the tip box",
    "device": "Electrical device",
    "extra-roll-system": "Extra Roll system",
    "layout": "Layout",
    "shaker": "Shaker",
    "shaker-automated": "Automated shaker, laboratory",
    "shaker-place": "Place of the automated shaker",
    "shaker-procedure": "Procedure of the automated shaker",
}


def inspection_lines() -> Mapping[str, str]:
    """Return every line of an inspection or approval by its code, those of single games included."""
    return with_games("INSPECTION_LINES", LINES)


def approval_subjects() -> Mapping[str, str]:
    """Return what approvals are of by code, those of single games included."""
    return with_games("APPROVAL_SUBJECTS", SUBJECTS)
