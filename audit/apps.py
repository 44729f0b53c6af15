from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class AuditConfig(AppConfig):
    name = "audit"

    def ready(self) -> None:
        """Register what a full verification checks of people and devices."""
        from audit.discovery import modules_named

        autodiscover_modules(*modules_named("record_checks", self.path))
