"""A refusal is data; `games.wording` makes the sentence that a dealer reads."""

from typing import Any


class Refusal(Exception):
    """What the rules do not allow: a code, the section that says so ("" where none does) and the figures."""

    def __init__(self, code: str, section: str = "", /, **params: Any) -> None:
        super().__init__(code, section, params)
        self.code = code
        self.section = section
        self.params = params

    def __str__(self) -> str:
        return f"{self.code} ({self.section})" if self.section else self.code
