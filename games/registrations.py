"""Every module of the rules office that registers something when it is imported: acts, checks, columns' witnesses.

`GamesConfig.ready` imports this module, and `tests/test_structure.py` fails if one is missing here.
"""

# ruff: noqa: F401

import games.office.calendar
import games.office.documents
import games.office.guides.gaming_guide
import games.office.guides.rules_book
import games.office.providers.applications
import games.office.providers.people
import games.office.providers.permissions
import games.office.providers.register
import games.office.providers.services
import games.office.requests.filing
import games.office.requests.final_approvals
import games.office.requests.game_tests
import games.office.requests.parts
import games.office.signs
import games.office.submissions.filing
import games.office.submissions.gate
import games.separation.acts
import games.separation.changes
import games.separation.signatures
