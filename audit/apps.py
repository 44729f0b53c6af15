from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "audit"

    def ready(self) -> None:
        """Register what a full verification checks of people and devices, and of every declared column."""
        from audit import registrations  # noqa: F401 (the checks register themselves)
