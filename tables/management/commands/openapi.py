"""`manage.py openapi` writes the OpenAPI document of the API, as docs/openapi.json has it."""

import json
from typing import Any

from django.core.management.base import BaseCommand

from tables.api.documents import document


class Command(BaseCommand):
    help = "Write the OpenAPI document of the API to standard output: manage.py openapi > docs/openapi.json"

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(json.dumps(document(), indent=1, ensure_ascii=False))
