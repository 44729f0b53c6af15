"""Where documents are used: by rows with a foreign key, and by the parts of requests, tests and applications."""

import json
from collections.abc import Iterable, Iterator

from django.apps import apps
from django.db.models import Model

from games.models import (
    Application,
    Document,
    Facility,
    GameRequest,
    GameTest,
    InterimPermission,
    ProviderNote,
    SignForm,
)

WITH_PARTS: tuple[tuple[type[Model], str], ...] = (
    (GameRequest, "facility"),
    (GameTest, "request__facility"),
    (Application, "provider__facility"),
)


def usage_of(facility: Facility, documents: Iterable[Document]) -> dict[str, list[str]]:
    """Return what uses each document, in words, by the document's code. Unused documents are left out."""
    codes = {document.pk: document.code for document in documents}
    uses: dict[str, list[str]] = {}
    for code, label in [*_usage_by_rows(codes), *_usage_by_parts(facility, set(codes.values()))]:
        if label not in uses.setdefault(code, []):
            uses[code].append(label)
    return uses


def _usage_by_rows(codes: dict[int, str]) -> Iterator[tuple[str, str]]:
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            if field.is_relation and field.related_model is Document:
                rows = model._default_manager.filter(**{f"{field.name}__in": codes})
                for row in rows.order_by("pk"):
                    yield codes[getattr(row, field.attname)], f"{label_of(row)}, {field.verbose_name}"


def label_of(row: Model) -> str:
    """Return the name by which people know a row."""
    if isinstance(row, Application):
        return f"{row.provider.name}, {row.get_kind_display()}"
    if isinstance(row, GameTest):
        return f"{row.request.code}, test {row.number}"
    if isinstance(row, InterimPermission | ProviderNote):
        return f"{row.provider.name}, {row}"
    if isinstance(row, SignForm):
        return f"sign form {row}"
    return str(row)


def _usage_by_parts(facility: Facility, codes: set[str]) -> Iterator[tuple[str, str]]:
    for model, path in WITH_PARTS:
        for row in model._default_manager.filter(**{path: facility}).order_by("pk"):
            text = json.dumps(row.parts)  # type: ignore[attr-defined]
            yield from ((code, label_of(row)) for code in sorted(codes) if json.dumps(code) in text)
