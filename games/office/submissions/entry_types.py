"""Entries about rules submissions."""

from typing import Annotated, Literal, NotRequired, TypedDict

from audit.entry_types import entry_type
from games.engine.rules import Terms
from games.office.documents.entry_types import DecisionLetter, DocumentReference
from games.submission_options import FilledOptions

StateBeforeWithdrawal = Literal["draft", "filed", "coming", "in-force"]


class RulesEntry(TypedDict):
    """The version of a submission that an entry is about."""

    code: Annotated[str, "code of the rules submission"]
    version: Annotated[int, "version of the submission"]
    edition: str
    lapsed_why: NotRequired[Annotated[str, "why rules of a lapsed edition may be dealt, in a person's words"]]


class RulesDrafted(RulesEntry):
    options: Annotated[FilledOptions, "the options of the draft, without what is empty"]
    why: Annotated[str, "what the version is for, in a person's words; empty if nothing was said"]


RULES_DRAFTED = entry_type("rules.drafted", RulesDrafted, "A rules submission was drafted.")


RULES_CHANGED = entry_type("rules.changed", RulesDrafted, "A drafted rules submission was changed.")


class RulesFiled(RulesEntry):
    terms: Terms


RULES_FILED = entry_type("rules.filed", RulesFiled, "A rules submission was filed, with its whole terms.")


class RulesApproved(RulesEntry):
    """The rules of a demo were approved before its record began: their entry has the terms alone."""

    terms: Terms
    body: NotRequired[Annotated[str, "the body that decided; absent in a demo, as are the fields below"]]
    reference: NotRequired[Annotated[str, "reference of the letter"]]
    letter: NotRequired[DocumentReference]
    in_force_from: NotRequired[Annotated[str, "the moment from which the version is in force"]]
    supersedes: NotRequired[Annotated[int | None, "the version that it supersedes; null if there is none"]]


RULES_APPROVED = entry_type(
    "rules.approved", RulesApproved, "A rules submission was approved, with its whole terms."
)


class RulesDenied(RulesEntry, DecisionLetter):
    pass


RULES_DENIED = entry_type("rules.denied", RulesDenied, "A rules submission was denied by letter.")


class RulesWithdrawn(RulesEntry):
    was: Annotated[StateBeforeWithdrawal, "state of the version until then"]
    why: Annotated[str, "the reason, in a person's words"]
    tables: Annotated[list[str], "codes of the tables that stop dealing under it at their next round"]


RULES_WITHDRAWN = entry_type("rules.withdrawn", RulesWithdrawn, "A rules submission was withdrawn.")
