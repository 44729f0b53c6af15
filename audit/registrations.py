"""Every module of people and the record that registers something when it is imported: checks, and what states a column.

`AuditConfig.ready` imports this module, and `tests/test_structure.py` fails if one is missing here.
"""

# ruff: noqa: F401

import audit.columns
import audit.findings
import audit.people_record_checks
import audit.sealing.status
