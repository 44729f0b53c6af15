"""Refusals about service providers, each with its sentence."""

from games.engine.refusals import RefusalCode

WAGER_STOPPED_LABORATORY = RefusalCode(
    "wager-stopped-laboratory",
    "%(wager)s is not dealt: the laboratory has not approved %(service)s of %(provider)s (%(code)s). "
    "Return the wager, and call compliance.",
    "Wager not dealt",
)
WAGER_STOPPED_COSTS = RefusalCode(
    "wager-stopped-costs",
    "%(wager)s is not dealt: the laboratory's costs for %(service)s of %(provider)s (%(code)s) are "
    "unpaid. Return the wager, and call compliance.",
    "Wager not dealt",
)
WAGER_STOPPED_APPROVAL = RefusalCode(
    "wager-stopped-approval",
    "%(wager)s is not dealt: %(service)s of %(provider)s (%(code)s) has no approved request. Return "
    "the wager, and call compliance.",
    "Wager not dealt",
)
WAGER_STOPPED_CERTIFIED = RefusalCode(
    "wager-stopped-certified",
    "%(wager)s is not dealt: its provider %(provider)s (%(code)s) is neither certified nor permitted "
    "to trade. Return the wager, and call compliance.",
    "Wager not dealt",
)
WAGER_STOPPED_ENDED = RefusalCode(
    "wager-stopped-ended",
    "%(wager)s is not dealt: this casino no longer uses %(service)s of %(provider)s (%(code)s). "
    "Return the wager.",
    "Wager not dealt",
)
GAME_STOPPED_LABORATORY = RefusalCode(
    "game-stopped-laboratory",
    "This game is not dealt: the laboratory has not approved %(service)s of %(provider)s (%(code)s). "
    "Call compliance.",
    "Game not dealt",
)
GAME_STOPPED_COSTS = RefusalCode(
    "game-stopped-costs",
    "This game is not dealt: the laboratory's costs for %(service)s of %(provider)s (%(code)s) are "
    "unpaid. Call compliance.",
    "Game not dealt",
)
GAME_STOPPED_APPROVAL = RefusalCode(
    "game-stopped-approval",
    "This game is not dealt: %(service)s of %(provider)s (%(code)s) has no approved request. Call "
    "compliance.",
    "Game not dealt",
)
GAME_STOPPED_CERTIFIED = RefusalCode(
    "game-stopped-certified",
    "This game is not dealt: its provider %(provider)s (%(code)s) is neither certified nor permitted "
    "to trade. Call compliance.",
    "Game not dealt",
)
GAME_STOPPED_ENDED = RefusalCode(
    "game-stopped-ended",
    "This game is not dealt: this casino no longer uses %(service)s of %(provider)s (%(code)s).",
    "Game not dealt",
)
CHAPTER_528_IS_NOT_HERE = RefusalCode(
    "chapter-528-is-not-here",
    "%(facility)s is in a jurisdiction without this certification. Nothing was recorded.",
    "Not in this state",
)
PROVIDER_WITHOUT_INNOVATION = RefusalCode(
    "provider-without-innovation",
    "Say what %(name)s adds to the game. A provider that adds nothing new needs no certification of "
    "this kind.",
    "Not of this class",
)
PROVIDER_WITHOUT_PATENT = RefusalCode(
    "provider-without-patent",
    "Enter the number of %(name)s's patent, or of its pending application. A provider with neither "
    "is not in this class.",
    "Not of this class",
)
PROVIDER_LICENSED_OTHERWISE = RefusalCode(
    "provider-licensed-otherwise",
    "This certification is for providers that need no other license. If %(name)s needs one, file it "
    "under that license; if not, confirm it.",
    "Not of this class",
)
NO_SUCH_PROVIDER = RefusalCode("no-such-provider", "No provider %(code)s is on file.", "No such provider")
PROVIDER_NOT_INVESTIGATED = RefusalCode(
    "provider-not-investigated",
    "%(name)s has not been investigated. Record your investigation first.",
    "Not investigated",
)
PROVIDER_ADVERSE = RefusalCode(
    "provider-adverse",
    "The investigation of %(name)s has an adverse finding: %(finding)s. Nothing can be linked or "
    "filed until a new investigation clears it.",
    "Adverse finding",
)
DAY_TO_COME = RefusalCode(
    "day-to-come",
    "%(on)s is in the future. Record it after it has happened.",
    "Future day",
)
OWNERSHIP_WITHOUT_PAPERS = RefusalCode(
    "ownership-without-papers",
    "Attach the papers that show who owns %(name)s.",
    "Papers missing",
)
DONE_BEFORE_ASKED = RefusalCode(
    "done-before-asked",
    "It was noted on %(on)s and cannot have been done earlier. Check the day.",
    "Days do not agree",
)
NO_SUCH_NOTE = RefusalCode("no-such-note", "There is no such note on file.", "No such note")
NOTE_DONE_ALREADY = RefusalCode("note-done-already", "This was already done on %(on)s.", "Already done")
APPLICATION_FILED_ALREADY = RefusalCode(
    "application-filed-already",
    "The package was filed on %(on)s and is waiting for a decision. It can no longer be changed.",
    "Already filed",
)
NO_APPLICATION = RefusalCode(
    "no-application",
    "%(name)s has no application in progress. Complete one first.",
    "No application",
)
NO_APPLICATION_FILED = RefusalCode(
    "no-application-filed",
    "%(name)s has no application waiting for a decision. File one first.",
    "Not applied for",
)
ALREADY_CERTIFIED = RefusalCode(
    "already-certified",
    "%(name)s is certified. Complete a renewal instead.",
    "Already certified",
)
NOTHING_TO_RENEW = RefusalCode(
    "nothing-to-renew",
    "%(name)s has no certification in force. Complete a first application instead.",
    "Nothing to renew",
)
PART_MISSING_FORM = RefusalCode(
    "part-missing-form",
    "The application and disclosure form is missing. Attach it.",
    "Form missing",
)
PART_MISSING_COPY = RefusalCode(
    "part-missing-copy",
    "The copy of the form is missing. Add it, or record that the Board waived it.",
    "Copy missing",
)
PART_MISSING_FEE = RefusalCode(
    "part-missing-fee",
    "The fee is missing. Record its amount and the day on which it was paid.",
    "Fee missing",
)
PART_MISSING_RELEASE = RefusalCode(
    "part-missing-release",
    "The application and release of %(who)s is missing. Attach it.",
    "Release missing",
)
PART_MISSING_STATEMENT = RefusalCode(
    "part-missing-statement",
    "The certificate holder's own statement is missing. Attach it, signed.",
    "Statement missing",
)
PART_MISSING_GENERAL = RefusalCode(
    "part-missing-general",
    "The general requirements are not attested yet. Confirm that they are met.",
    "Attestation missing",
)
COSTS_UNPAID = RefusalCode(
    "costs-unpaid",
    "%(money)s of the review is unpaid. Record the payment, then the certification.",
    "Costs unpaid",
)
LABORATORY_UNPAID = RefusalCode(
    "laboratory-unpaid",
    "%(money)s of the laboratory's costs for %(service)s is unpaid. Record the payment, then the "
    "certification.",
    "Costs unpaid",
)
DECIDED_BEFORE_FILED = RefusalCode(
    "decided-before-filed",
    "The application was filed on %(on)s. The decision cannot be earlier: check its day.",
    "Days do not agree",
)
NO_SUCH_QUALIFIER = RefusalCode(
    "no-such-qualifier",
    "There is no such person or entity on file.",
    "No such person",
)
NO_FORM_FILED = RefusalCode(
    "no-form-filed",
    "No form of %(name)s is on file. First record the day on which it was filed.",
    "No form filed",
)
FOUND_BEFORE_FORM = RefusalCode(
    "found-before-form",
    "The form was filed on %(on)s. The finding cannot be earlier: check its day.",
    "Days do not agree",
)
GONE_ALREADY = RefusalCode("gone-already", "This person already left on %(on)s.", "Already left")
CREDENTIAL_NOT_ASKED = RefusalCode(
    "credential-not-asked",
    "%(name)s does not have to be found qualified, so no credential of this kind is issued.",
    "Need not qualify",
)
CREDENTIAL_WITHOUT_NEED = RefusalCode(
    "credential-without-need",
    "Say why the person is needed in the facility.",
    "Reason missing",
)
COMPANY_NOT_LISTED = RefusalCode(
    "company-not-listed",
    "%(name)s is neither on the Board's list nor permitted to trade. Record one of these first.",
    "Company not listed",
)
NOT_FOUND_QUALIFIED = RefusalCode(
    "not-found-qualified",
    "%(name)s has not been found qualified. Record the finding first.",
    "Not found qualified",
)
PROVIDER_NOT_CERTIFIED = RefusalCode(
    "provider-not-certified",
    "%(name)s is not certified. Issue a temporary credential if its conditions are met.",
    "Not certified",
)
NO_SUCH_CREDENTIAL = RefusalCode(
    "no-such-credential",
    "There is no open credential %(number)s.",
    "No such credential",
)
PERMISSION_WITHOUT_DILIGENCE = RefusalCode(
    "permission-without-diligence",
    "Attach the certificate holder's signed certification of due diligence on %(name)s.",
    "Diligence missing",
)
PERMISSION_WITHOUT_ACKNOWLEDGEMENT = RefusalCode(
    "permission-without-acknowledgement",
    "Attach %(name)s's signed acknowledgment that the permission gives no lasting right and may end "
    "at any time.",
    "Acknowledgment missing",
)
PERMISSION_WITHOUT_SERVICE = RefusalCode(
    "permission-without-service",
    "%(name)s has no service on file. Link its service first.",
    "No service",
)
PERMISSION_BEFORE_LABORATORY = RefusalCode(
    "permission-before-laboratory",
    "The laboratory has not approved %(service)s. Record its approval first.",
    "Step open",
)
PERMISSION_BEFORE_COSTS = RefusalCode(
    "permission-before-costs",
    "The laboratory's costs for %(service)s are unpaid. Record the payment first.",
    "Step open",
)
PERMISSION_BEFORE_APPROVAL = RefusalCode(
    "permission-before-approval",
    "%(service)s has no approved request. Link the request and record its approval first.",
    "Step open",
)
PERMITTED_BEFORE_FILED = RefusalCode(
    "permitted-before-filed",
    "The application was filed on %(on)s. The permission cannot be earlier: check its day.",
    "Days do not agree",
)
NO_PERMISSION = RefusalCode(
    "no-permission",
    "%(name)s has no permission to trade before certification.",
    "No permission",
)
RESCINDED_BEFORE_GRANTED = RefusalCode(
    "rescinded-before-granted",
    "The permission was granted on %(on)s. The notice cannot be earlier: check its day.",
    "Days do not agree",
)
CEASE_BEFORE_NOTICE = RefusalCode(
    "cease-before-notice",
    "The notice is dated %(on)s. It cannot name an earlier day.",
    "Days do not agree",
)
CEASE_LATER_THAN_NOTICE = RefusalCode(
    "cease-later-than-notice",
    "The first notice ends trading by %(on)s. A second notice may name an earlier day, but not a later one.",
    "First notice applies",
)
PERMITTED_BEFORE_RESCINDED = RefusalCode(
    "permitted-before-rescinded",
    "The permission was rescinded on %(on)s. A new permission must be dated that day or later, with "
    "its own letter.",
    "Days do not agree",
)
RECEIVED_BEFORE_SENT = RefusalCode(
    "received-before-sent",
    "The notice is dated %(on)s. It cannot have arrived earlier: check the day.",
    "Days do not agree",
)
NO_RESCISSION = RefusalCode("no-rescission", "No permission of %(name)s has been rescinded.", "Not rescinded")
NO_SUCH_SERVICE = RefusalCode("no-such-service", "No service %(code)s is on file.", "No such service")
NO_SUCH_WAGER_HERE = RefusalCode(
    "no-such-wager-here",
    "This game has no wager %(wager)s. Choose one from its list.",
    "No such wager",
)
PROVIDER_NOT_APPLIED = RefusalCode(
    "provider-not-applied",
    "%(name)s has no application on file. File its application before you link it to a game.",
    "Not applied for",
)
APPROVED_BEFORE_SENT = RefusalCode(
    "approved-before-sent",
    "The service was submitted on %(on)s. The approval cannot be earlier: check its day.",
    "Days do not agree",
)
NO_SUCH_REQUEST_HERE = RefusalCode(
    "no-such-request-here",
    "There is no request %(code)s on file.",
    "No such request",
)
REQUEST_FOR_ANOTHER_GAME = RefusalCode(
    "request-for-another-game",
    "%(code)s is for another game than %(service)s. Link the right request.",
    "Another game",
)
REQUEST_WITHOUT_WAGER = RefusalCode(
    "request-without-wager",
    "%(code)s does not ask for %(wager)s. Link the request that does.",
    "Wager not in request",
)
SERVICE_ENDED_ALREADY = RefusalCode(
    "service-ended-already",
    "Its use already ended on %(on)s.",
    "Already ended",
)
END_IN_THE_PAST = RefusalCode(
    "end-in-the-past",
    "A past day cannot be changed. Choose %(on)s or later.",
    "Day in the past",
)

# Why a service stops a wager or its whole game, by the step that is open, or "ended"
WAGER_STOPPED = {
    "laboratory": WAGER_STOPPED_LABORATORY,
    "costs": WAGER_STOPPED_COSTS,
    "approval": WAGER_STOPPED_APPROVAL,
    "certified": WAGER_STOPPED_CERTIFIED,
    "ended": WAGER_STOPPED_ENDED,
}
GAME_STOPPED = {
    "laboratory": GAME_STOPPED_LABORATORY,
    "costs": GAME_STOPPED_COSTS,
    "approval": GAME_STOPPED_APPROVAL,
    "certified": GAME_STOPPED_CERTIFIED,
    "ended": GAME_STOPPED_ENDED,
}
PART_MISSING = {
    "form": PART_MISSING_FORM,
    "copy": PART_MISSING_COPY,
    "fee": PART_MISSING_FEE,
    "release": PART_MISSING_RELEASE,
    "statement": PART_MISSING_STATEMENT,
    "general": PART_MISSING_GENERAL,
}
# Why a permission comes too early, by the step that is open
PERMISSION_BEFORE = {
    "laboratory": PERMISSION_BEFORE_LABORATORY,
    "costs": PERMISSION_BEFORE_COSTS,
    "approval": PERMISSION_BEFORE_APPROVAL,
}
