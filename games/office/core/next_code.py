"""Codes such as D-0001 and RS-0042. The caller holds the lock of the office's stream."""

import re
from typing import Any

from django.db.models import QuerySet

NUMBERED = re.compile(r"-(\d+)\Z")


def next_code(rows: QuerySet[Any], prefix: str) -> str:
    """Return the code with this prefix that follows the highest one among these rows."""
    codes = rows.filter(code__startswith=f"{prefix}-").values_list("code", flat=True)
    numbers = [int(match.group(1)) for code in codes if (match := NUMBERED.search(code))]
    return f"{prefix}-{max(numbers, default=0) + 1:04d}"
