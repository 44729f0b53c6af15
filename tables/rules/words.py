"""The line of the record about the rules in force."""

from tables.rules.entry_types import RULES_TOOK_EFFECT, RulesTookEffect
from tables.words.registry import line, register


def _rules_line(data: RulesTookEffect) -> str:
    """The line when rules take effect: another version, no rules at all, or other suspensions."""
    if data["version"] is None:
        return "No rules in force: %(submission)s is no longer dealt" % data
    if data["version"] != data["was"]:
        return "Now dealt under %(submission)s version %(version)s" % data
    return "Suspended wagers changed"


register(act_lines=[line(RULES_TOOK_EFFECT, _rules_line)])
