"""Sentences about service providers; merged into `games.office.wording`."""

from typing import Any

from django.utils.translation import gettext_lazy as lazy

from . import stopped

TITLES: dict[str, Any] = {
    **stopped.TITLES,
    "chapter-528-is-not-here": lazy("Not in this state"),
    "provider-without-innovation": lazy("Not of this class"),
    "provider-without-patent": lazy("Not of this class"),
    "provider-licensed-otherwise": lazy("Not of this class"),
    "no-such-provider": lazy("No such provider"),
    "provider-not-investigated": lazy("Not investigated"),
    "provider-adverse": lazy("Finding against it"),
    "day-to-come": lazy("Day to come"),
    "ownership-without-papers": lazy("Papers missing"),
    "done-before-asked": lazy("Days do not agree"),
    "no-such-note": lazy("No such note"),
    "note-done-already": lazy("Done already"),
    "application-filed-already": lazy("Filed already"),
    "no-application": lazy("No application"),
    "no-application-filed": lazy("Not applied for"),
    "already-certified": lazy("Certified already"),
    "nothing-to-renew": lazy("Nothing to renew"),
    "part-missing-form": lazy("Form missing"),
    "part-missing-copy": lazy("Copy missing"),
    "part-missing-fee": lazy("Fee missing"),
    "part-missing-release": lazy("Release missing"),
    "part-missing-statement": lazy("Statement missing"),
    "part-missing-general": lazy("Attestation missing"),
    "costs-unpaid": lazy("Costs unpaid"),
    "laboratory-unpaid": lazy("Costs unpaid"),
    "decided-before-filed": lazy("Days do not agree"),
    "no-such-person": lazy("No such person"),
    "no-form-filed": lazy("No form filed"),
    "found-before-form": lazy("Days do not agree"),
    "gone-already": lazy("Gone already"),
    "credential-not-asked": lazy("Need not qualify"),
    "credential-without-need": lazy("Say the need"),
    "company-not-listed": lazy("Company not listed"),
    "not-found-qualified": lazy("Not found qualified"),
    "provider-not-certified": lazy("Not certified"),
    "no-such-credential": lazy("No such credential"),
    "permission-without-diligence": lazy("Diligence missing"),
    "permission-without-acknowledgement": lazy("Acknowledgement missing"),
    "permission-without-service": lazy("No service"),
    "permission-before-laboratory": lazy("Step open"),
    "permission-before-costs": lazy("Step open"),
    "permission-before-approval": lazy("Step open"),
    "permitted-before-filed": lazy("Days do not agree"),
    "no-permission": lazy("No permission"),
    "rescinded-before-granted": lazy("Days do not agree"),
    "cease-before-notice": lazy("Days do not agree"),
    "cease-later-than-notice": lazy("The notice stands"),
    "permitted-before-rescinded": lazy("Days do not agree"),
    "received-before-sent": lazy("Days do not agree"),
    "no-rescission": lazy("Not rescinded"),
    "no-such-service": lazy("No such service"),
    "no-such-wager-here": lazy("No such wager"),
    "provider-not-applied": lazy("Not applied for"),
    "approved-before-sent": lazy("Days do not agree"),
    "no-such-request-here": lazy("No such request"),
    "request-for-another-game": lazy("Another game"),
    "request-without-wager": lazy("Wager not asked for"),
    "service-ended-already": lazy("Ended already"),
    "end-in-the-past": lazy("Day past"),
}
SENTENCES: dict[str, Any] = {
    **stopped.SENTENCES,
    "chapter-528-is-not-here": lazy(
        "%(facility)s is not in Pennsylvania; this certification is asked for there alone."
    ),
    "provider-without-innovation": lazy(
        "Say what %(name)s brings to the game. Who brings nothing new needs no certification of this kind."
    ),
    "provider-without-patent": lazy(
        "Give the number of %(name)s's patent, or of its pending application. Who has neither is not of this class."
    ),
    "provider-licensed-otherwise": lazy(
        "This certification is for who needs no other license. If %(name)s needs one, file it under that license; "
        "if not, confirm it."
    ),
    "no-such-provider": lazy("No provider %(code)s is on file."),
    "provider-not-investigated": lazy(
        "The house has not looked into %(name)s yet. Record the investigation first."
    ),
    "provider-adverse": lazy(
        "The investigation of %(name)s speaks against it: %(finding)s. Nothing may be linked or filed unless a new "
        "investigation clears it."
    ),
    "day-to-come": lazy("%(on)s has yet to come. Record it when it has happened."),
    "ownership-without-papers": lazy("Attach the papers that show who owns %(name)s."),
    "done-before-asked": lazy("It was noted on %(on)s and cannot have been done before that day."),
    "no-such-note": lazy("There is no such note on file."),
    "note-done-already": lazy("This was done on %(on)s."),
    "application-filed-already": lazy(
        "The package was filed on %(on)s and waits for its decision. It cannot be changed now."
    ),
    "no-application": lazy("%(name)s has no application under way. Complete one first."),
    "no-application-filed": lazy("No application of %(name)s waits for a decision. File one first."),
    "already-certified": lazy("%(name)s is certified. Complete a renewal instead."),
    "nothing-to-renew": lazy(
        "No certification of %(name)s is in force. Complete a first application instead."
    ),
    "part-missing-form": lazy("The application and disclosure form is missing. Attach it."),
    "part-missing-copy": lazy("The copy of the form is missing. Add it, or say that the Board wants none."),
    "part-missing-fee": lazy("The fee is missing. Record its amount and the day on which it was paid."),
    "part-missing-release": lazy("The application and release of %(who)s is missing. Attach it."),
    "part-missing-statement": lazy("The house's own statement is missing. Attach it, signed."),
    "part-missing-general": lazy("The general requirements are not attested yet. Confirm them."),
    "costs-unpaid": lazy("%(money)s of the review is not paid. Record the payment, then the certification."),
    "laboratory-unpaid": lazy(
        "The laboratory's %(money)s for %(service)s is not paid. Record the payment, then the certification."
    ),
    "decided-before-filed": lazy("The application was filed on %(on)s. The decision cannot be older."),
    "no-such-person": lazy("There is no such person or entity on file."),
    "no-form-filed": lazy("No form of %(name)s is on file. Record the day on which it was filed first."),
    "found-before-form": lazy("The form was filed on %(on)s. The finding cannot be older."),
    "gone-already": lazy("Gone since %(on)s."),
    "credential-not-asked": lazy(
        "%(name)s need not be found qualified, so no credential of this kind is given."
    ),
    "credential-without-need": lazy("Say why the person is needed in the facility."),
    "company-not-listed": lazy(
        "%(name)s is neither on the Board's list nor permitted to trade. Record one of them first."
    ),
    "not-found-qualified": lazy("%(name)s has not been found qualified. Record the finding first."),
    "provider-not-certified": lazy("%(name)s is not certified. A temporary credential may be possible."),
    "no-such-credential": lazy("No credential %(number)s is held."),
    "permission-without-diligence": lazy(
        "Attach the house's signed certification that it looked into %(name)s with due diligence."
    ),
    "permission-without-acknowledgement": lazy(
        "Attach %(name)s's signed statement that the permission gives no lasting right and may end at any time."
    ),
    "permission-without-service": lazy("%(name)s has no service on file. Link what it supplies first."),
    "permission-before-laboratory": lazy(
        "The laboratory has not approved %(service)s. Record its approval first."
    ),
    "permission-before-costs": lazy(
        "The laboratory's costs for %(service)s are not paid. Record the payment first."
    ),
    "permission-before-approval": lazy(
        "No approved request stands behind %(service)s. Link it, and have it approved, first."
    ),
    "permitted-before-filed": lazy("The application was filed on %(on)s. The permission cannot be older."),
    "no-permission": lazy("%(name)s holds no permission to trade before certification."),
    "rescinded-before-granted": lazy("The permission was granted on %(on)s. The notice cannot be older."),
    "cease-before-notice": lazy("The notice is of %(on)s. It cannot name an earlier day."),
    "cease-later-than-notice": lazy(
        "The first notice ends trading by %(on)s. A second one may name an earlier day, and no later one."
    ),
    "permitted-before-rescinded": lazy(
        "Permission was rescinded on %(on)s. A new one is of that day or later, with a letter of its own."
    ),
    "received-before-sent": lazy("The notice is of %(on)s. It cannot have come before that day."),
    "no-rescission": lazy("No permission of %(name)s was rescinded."),
    "no-such-service": lazy("No service %(code)s is on file."),
    "no-such-wager-here": lazy("This game has no wager %(wager)s. Choose from its list."),
    "provider-not-applied": lazy(
        "%(name)s has no application on file. File its application before linking it to a game."
    ),
    "approved-before-sent": lazy("The service was sent in on %(on)s. The approval cannot be older."),
    "no-such-request-here": lazy("There is no request %(code)s on file."),
    "request-for-another-game": lazy("%(code)s asks for another game than that of %(service)s."),
    "request-without-wager": lazy("%(code)s does not ask for %(wager)s. Link the request that does."),
    "service-ended-already": lazy("Its use ended on %(on)s."),
    "end-in-the-past": lazy("A day that is past cannot be changed. Choose %(on)s or later."),
}
