"""What a full verification checks of passwords and second factors: their rows against the entries about them."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from django.db import connection

from audit.entries import (
    FACTOR_ENDED,
    FACTOR_REGISTERED,
    FACTORS_RESET,
    PASSWORD_CHANGED,
    PASSWORD_GIVEN,
    SIGN_IN_ENDED,
)
from audit.factors import public_digest
from audit.findings import Finding, declare_finding, record_check
from audit.models import Entry, Password, SecondFactor
from audit.registration import credential_digest

FACTOR_UNRECORDED = declare_finding(
    "factor-unrecorded", "No entry of the record registered the second factor %(factor)s of %(person)s."
)
FACTOR_DIFFERS = declare_finding(
    "factor-differs",
    "The second factor %(factor)s of %(person)s differs from %(stream)s, entry %(seq)s, in %(column)s. "
    "The entry counts.",
)
FACTOR_MISSING = declare_finding(
    "factor-missing",
    "The second factor %(factor)s of %(person)s, which %(stream)s, entry %(seq)s registered, is not in its table.",
)
PASSWORD_DIFFERS = declare_finding(
    "password-differs", "The password of %(person)s is not the one that the record has."
)
PASSWORD_MISSING = declare_finding(
    "password-missing", "The password of %(person)s, which the record has, is not in its table."
)
# An auditor may not read the PINs of people, so only their codes are read.
FACTOR_COLUMNS = [field.name for field in SecondFactor._meta.concrete_fields if field.name != "person"]
PASSWORD_TYPES = (PASSWORD_CHANGED.name, PASSWORD_GIVEN.name, FACTORS_RESET.name)


@record_check
def check_factors(tick: Callable[[], None]) -> Iterator[Finding]:
    """Compare every second factor with the entries that registered and ended it: all of them keep their rows."""
    registered: dict[int, tuple[str, int, dict[str, Any]]] = {}  # by the factor
    ended: set[int] = set()
    types = (FACTOR_REGISTERED.name, FACTOR_ENDED.name, FACTORS_RESET.name, SIGN_IN_ENDED.name)
    for stream, seq, type_, data in _entries(*types):
        if type_ == FACTOR_REGISTERED.name:
            registered[data["factor"]] = (stream, seq, data)
        else:
            ended.update([data["factor"]] if type_ == FACTOR_ENDED.name else data["factors"])
    tick()
    factors = (
        SecondFactor.objects.select_related("person").only(*FACTOR_COLUMNS, "person__code").order_by("pk")
    )
    may_read = _may_read("audit_secondfactor", "secret")
    missing = dict(registered)
    for factor in factors if may_read else factors.defer("secret"):
        who = {"factor": factor.pk, "person": factor.person.code}
        stream, seq, data = missing.pop(factor.pk, ("", 0, {}))
        if not data:
            yield Finding(FACTOR_UNRECORDED, who)
            continue
        row: dict[str, Any] = {"code": factor.person.code, "kind": factor.kind}
        if may_read or factor.kind == SecondFactor.Kind.WEBAUTHN:
            row["public_sha256"] = public_digest(factor)
        columns = [name for name, value in row.items() if data.get(name) != value]
        if (factor.ended_at is not None) != (factor.pk in ended):
            columns.append("ended_at")
        for column in columns:
            yield Finding(FACTOR_DIFFERS, {**who, "stream": stream, "seq": seq, "column": column})
    for factor_id, (stream, seq, data) in missing.items():
        where = {"stream": stream, "seq": seq}
        yield Finding(FACTOR_MISSING, {**where, "factor": factor_id, "person": data["code"]})


@record_check
def check_passwords(tick: Callable[[], None]) -> Iterator[Finding]:
    """Compare every password with the newest entry about it."""
    if not _may_read("audit_password", "hash"):
        return
    newest: dict[str, tuple[str, str]] = {}
    for _stream, _seq, _type, data in _entries(*PASSWORD_TYPES):
        if data["at"] >= newest.get(data["code"], ("", ""))[0]:
            newest[data["code"]] = data["at"], data["credential_sha256"]
    tick()
    rows = Password.objects.select_related("person").only("hash", "person__code").order_by("person__code")
    yield from (
        Finding(PASSWORD_MISSING, {"person": code})
        for code in sorted(newest.keys() - {row.person.code for row in rows})
    )
    for row in rows:
        code = row.person.code
        if newest.get(code, ("", ""))[1] != credential_digest(code, row.hash):
            yield Finding(PASSWORD_DIFFERS, {"person": code})


def _may_read(table: str, column: str) -> bool:
    """Whether this role of the database may read a secret column: that of an auditor may not."""
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_column_privilege(%s, %s, 'SELECT')", [table, column])
        return bool(cursor.fetchone()[0])


def _entries(*types: str) -> Iterator[tuple[str, int, str, dict[str, Any]]]:
    """The entries of these types in the order of their streams: stream, number, type and data, with their time."""
    rows = Entry.objects.filter(type__in=types).order_by("stream", "seq")
    for stream, seq, type_, body in rows.values_list("stream__name", "seq", "type", "body").iterator(
        chunk_size=1000
    ):
        try:
            content = json.loads(bytes(body))
            yield stream, seq, type_, {**content["data"], "at": content["at"]}
        except (ValueError, KeyError, TypeError, RecursionError):
            continue  # the verification of the chain names it
