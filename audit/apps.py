from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class AuditConfig(AppConfig):
    name = "audit"

    def ready(self) -> None:
        """Register what a full verification checks of people and devices, and of every declared column."""
        from audit import stated_rows  # noqa: F401 (the import registers its check)
        from audit.discovery import modules_named

        autodiscover_modules(*modules_named("record_checks", self.path), *modules_named("columns", self.path))
