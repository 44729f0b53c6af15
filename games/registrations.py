"""Every module of the rules office that registers something when it is imported: acts, checks, columns' witnesses.

`GamesConfig.ready` imports this module, and `tests/test_structure.py` fails if one is missing here.
"""

# ruff: noqa: F401

import games.office.calendar.acts
import games.office.calendar.columns
import games.office.core.reviewed_columns
import games.office.documents.acts
import games.office.documents.columns
import games.office.guides.acts
import games.office.guides.columns
import games.office.guides.rules_book_acts
import games.office.providers.acts
import games.office.providers.application_acts
import games.office.providers.columns
import games.office.providers.people_acts
import games.office.providers.permission_acts
import games.office.providers.service_acts
import games.office.requests.acts
import games.office.requests.columns
import games.office.requests.final_approval_acts
import games.office.requests.game_test_acts
import games.office.signs.acts
import games.office.signs.columns
import games.office.submissions.acts
import games.office.submissions.columns
import games.office.submissions.record_checks
import games.separation.acts
import games.separation.columns
