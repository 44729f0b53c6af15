"""Where Django finds the templates, template tags and static files in the games' folders (games/catalog)."""

from typing import Any

from django.contrib.staticfiles.finders import FileSystemFinder
from django.core.checks import CheckMessage
from django.core.files.storage import FileSystemStorage
from django.template.backends.django import DjangoTemplates

from games import registry


class GameTemplates(DjangoTemplates):
    """Django's templates, with those of every registered game and its template tags."""

    def __init__(self, params: dict[str, Any]) -> None:
        folders = [str(registry.folder_of(code) / "templates") for code in registry.GAMES]
        super().__init__({**params, "DIRS": [*params["DIRS"], *folders]})

    def get_templatetag_libraries(self, custom_libraries: dict[str, str]) -> dict[str, str]:
        """Return each game's `templatetags.py` as a library by the name of the game's folder."""
        modules = [module.__name__ for module in registry.parts("templatetags").values()]
        own = {module.split(".")[-2]: module for module in modules}
        libraries: dict[str, str] = super().get_templatetag_libraries(own | custom_libraries)
        return libraries


class GameFinder(FileSystemFinder):
    """The static files of every registered game."""

    def __init__(self, app_names: object = None, *args: Any, **kwargs: Any) -> None:
        roots = [str(registry.folder_of(code) / "static") for code in registry.GAMES]
        self.locations = [("", root) for root in roots]
        self.storages = {root: FileSystemStorage(location=root) for root in roots}
        for storage in self.storages.values():
            storage.prefix = ""

    def check(self, **kwargs: Any) -> list[CheckMessage]:
        """A game without static files is valid."""
        return []
