"""Refusals of the compliance desk, each with its sentence."""

from games.engine.refusals import RefusalCode

EXPORT_EMPTY = RefusalCode(
    "export-empty",
    "The record has no entries in this range. Choose another range, or more streams.",
    "No entries",
)
EXPORT_RANGE = RefusalCode(
    "export-range",
    "The range ends before it begins. Swap its beginning and end.",
    "Range",
)
EXPORT_TO_COME = RefusalCode(
    "export-to-come",
    "This range is in the future. Choose one that begins before now.",
    "Range",
)
EXPORT_TOO_LONG = RefusalCode(
    "export-too-long",
    "An export can hold at most %(most)s gaming days. Request it in parts.",
    "Range",
)
NO_TABLES_TO_EXPORT = RefusalCode(
    "no-tables-to-export",
    "No table here has this code, game and kind of play. Choose from the lists.",
    "No table",
)
EXPORT_MIXED = RefusalCode(
    "export-mixed",
    "%(real)s is real play, which is kept apart from training. Request a separate export for each.",
)
NO_SUCH_EXPORT = RefusalCode(
    "no-such-export",
    "This casino has no finished export %(job)s. Choose one from the list.",
    "No such export",
)
NO_SUCH_STREAM = RefusalCode(
    "no-such-stream",
    "This casino's record has no stream %(stream)s. Choose one from the list.",
)
TOO_MANY_JOBS = RefusalCode(
    "too-many-jobs",
    "%(most)s exports are already waiting or running. Try again when one of them is done.",
    "Too many exports",
)
VERIFICATION_RUNS = RefusalCode(
    "verification-runs",
    "A full verification was requested at %(at)s and is still running. Wait until it is done.",
    "Already running",
)
ENTRY_MISSING = RefusalCode(
    "entry-missing",
    "Entry %(seq)s of %(stream)s is missing: the record was tampered with. Verify the whole record now.",
    "Entry missing",
)
FOUND_NOTHING = RefusalCode(
    "found-nothing",
    "This search finds no entry, so there is nothing to take.",
    "No entries",
)
FOUND_TOO_MUCH = RefusalCode(
    "found-too-much",
    "This search finds more than %(most)s entries, or reaches too far back. Narrow it by gaming day, table or act, or "
    "request an export.",
    "Too much",
)
FILTER_SAYS_NOTHING = RefusalCode(
    "filter-says-nothing",
    "%(filter)s is empty. Fill in what to search for, search, then save it.",
)
FILTER_NOT_UNDERSTOOD = RefusalCode(
    "filter-not-understood",
    "%(filter)s has a field that cannot be searched for. Correct it, then save it.",
)
FILTER_NAME_TAKEN = RefusalCode(
    "filter-name-taken",
    "You already have a filter called %(filter)s. Choose another name.",
)
TOO_MANY_FILTERS = RefusalCode(
    "too-many-filters",
    "You already have %(most)s saved filters. Remove one first.",
)
NO_SUCH_ENTRY = RefusalCode("no-such-entry", "There is no entry %(seq)s at %(place)s. Check the number.")
NOT_SEALED_YET = RefusalCode(
    "not-sealed-yet",
    "Entry %(seq)s is not sealed yet. Seals are written every second: try again in a moment.",
)
PROOF_TOO_LONG = RefusalCode(
    "proof-too-long",
    "More than %(most)s entries are between this one and its seal. Request an evidence bundle instead.",
)
PROOF_BROKEN = RefusalCode("proof-broken", "The log lacks what proves this entry. See the integrity page.")
NO_SUCH_FILTER = RefusalCode(
    "no-such-filter",
    "You have no filter called %(filter)s. It may have been removed already.",
)
NO_SUCH_HOLD = RefusalCode(
    "no-such-hold",
    "No legal hold %(hold)s stands here. It may have been released already.",
)
HOLD_RANGE = RefusalCode(
    "hold-range",
    "The legal hold would end before it begins. Correct its days.",
    "Days",
)
