"""What a play writes down: the files of one fingerprint."""

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

Json = dict[str, Any]
BUNDLE = "bundle.jsonl"


class Notes:
    """The files of one fingerprint."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.lines: dict[str, list[str]] = {}

    def line(self, name: str, value: Any) -> None:
        """One more line of a file of JSON lines."""
        self.lines.setdefault(name, []).append(json.dumps(value, ensure_ascii=False))

    def write(self, name: str, content: bytes) -> None:
        (self.folder / name).write_bytes(content)

    def close(self) -> None:
        for name, lines in self.lines.items():
            self.write(name, "".join(f"{line}\n" for line in lines).encode())


class PageText(HTMLParser):
    """The text of a page without its markup."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.hidden += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.parts.append(data)

    @classmethod
    def of(cls, html: str) -> str:
        page = cls()
        page.feed(html)
        return " ".join(" ".join(page.parts).split())


def without_html(value: Any) -> Any:
    """An answer without the markup of its screen, and without heads that only the server's key makes long."""
    if isinstance(value, dict):
        return {key: without_html(inner) for key, inner in value.items() if key != "html"}
    if isinstance(value, list):
        return [without_html(inner) for inner in value]
    return value
