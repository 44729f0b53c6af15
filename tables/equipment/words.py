"""What a floorperson confirms of a table and its equipment, and what the approvals are called, for the floor's pages.

The codes stand in the editions; the sentences are ours, never the regulation's.
"""

from django.utils.translation import gettext_lazy as lazy

# A line of the inspection, or of an approval: what is so, as a person would confirm it
LINES = {
    # At each opening
    "boxes": lazy("Drop box and tip box hang on the dealer's side, one to each hand, where approved."),
    "boxes-attached": lazy("Drop box and tip box hang where approved."),
    "cameras": lazy("A fixed camera covers each end of the table."),
    "cover-conceals": lazy("The shaker's own cover hides the dice while it runs."),
    "cup-in-front": lazy("The dice cup stands in front of the stickperson."),
    "dice-in-cup": lazy("Four green and two red dice lie in the dice cup."),
    "dice-sealed": lazy("The three dice are sealed in the shaker."),
    "extra-roll-sensors": lazy("The Extra Roll sensor answers at every place."),
    "layout-odds": lazy("The layout shows the odds that are paid now."),
    "limit-sign": lazy("A sign at the table tells the payout limit."),
    "odds-sign": lazy("A sign at the table tells the odds."),
    "shaker-and-dice": lazy("The shaker and all its dice are at the table."),
    "shaker-seals": lazy("The shaker seals or locks, with the dice inside."),
    "shaker-uncovered": lazy("Nothing covers the automated shaker."),
    "stick": lazy("The stickperson's stick is at the table."),
    "throw-box": lazy("The throw box sits in the table top, clean and empty."),
    # Once, when the approval of the table or its layout is recorded
    "circles-nine-and-ten": lazy("Each place has the circles nine and ten, marked “First Roll Side Bet”."),
    "circles-two-to-eight": lazy("Each place has seven Like Kind circles, two to eight of a kind."),
    "circles-two-to-six": lazy("Each place has Like Kind circles for two to six of a kind and for no match."),
    "dealer-opposite": lazy("The players' places are on one side and the dealer's is opposite."),
    "equal-value-notice": lazy("Each place tells players to keep their wagers of equal value."),
    "football-field": lazy(
        "The field has both end zones, its 10 and 20 yard lines, and yards 1 to 23 in the middle."
    ),
    "layout-areas": lazy("Every wager has its own marked area."),
    "layout-logo": lazy("The layout carries our name or logo."),
    "pip-street-dice": lazy(
        "Each place shows six dice, from the two at the player's left to the one at the right."
    ),
    "place-extra-point": lazy("There is a place for the Extra Point."),
    "place-first-down": lazy("There is a place for 1st Down."),
    "place-first-goal": lazy("There is a place for 1st & Goal."),
    "place-game-length": lazy("There are places for the game length, 1 to 6."),
    "place-second-down": lazy("There is a place for 2nd Down."),
    "place-second-goal": lazy("There is a place for 2nd & Goal."),
    "place-third-down": lazy("There is a place for 3rd Down."),
    "place-third-goal": lazy("There is a place for 3rd & Goal."),
    "table-shape": lazy("The table is oblong, its corners round and its walls high."),
    "throw-box-labels": lazy("The boxes read Ace, Six, Five, Four, Three, Two from the dealer's left."),
    # Once, when the approval of the shaker or the system is recorded
    "extra-roll-device": lazy("A device at each place acknowledges an Extra Roll."),
    "extra-roll-lock-out": lazy("The lock-out keeps late Extra Rolls from being recognized."),
    "shaker-compartment": lazy("The dice lie in a transparent compartment."),
    "shaker-cover": lazy("It has a cover of its own that nobody can see through."),
    "shaker-integrity": lazy("It is built so that nobody can tamper with the result."),
    "shaker-logo": lazy("It carries our name or logo."),
    "shaker-sealable": lazy("It can be sealed or locked."),
    "shaker-shakes-all": lazy("It shakes all the dice of the game well."),
    "shaker-without-cover": lazy("It has no separate cover."),
}

# What an approval is of
SUBJECTS = {
    "boxes": lazy("Places of drop box and tip box"),
    "device": lazy("Electrical device"),
    "extra-roll-system": lazy("Extra Roll system"),
    "layout": lazy("Layout"),
    "shaker": lazy("Shaker"),
    "shaker-automated": lazy("Automated shaker, laboratory"),
    "shaker-place": lazy("Place of the automated shaker"),
    "shaker-procedure": lazy("Procedure of the automated shaker"),
}
