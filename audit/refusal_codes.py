"""Codes of refusals. A code is a constant that carries its own sentence, so neither can exist without the other."""

from typing import ClassVar


class RefusalCode(str):
    """A stable code, stored and sent as plain text, with the sentence that a person reads.

    `sentence` is filled with the refusal's parameters by `%`. `heading` is the two or three words above it, if any.
    `declared` has every code of this process, for refusals that are read from stored answers.
    """

    sentence: str
    heading: str
    declared: ClassVar[dict[str, "RefusalCode"]] = {}

    def __new__(cls, code: str, sentence: str, heading: str = "") -> "RefusalCode":
        self = super().__new__(cls, code)
        self.sentence, self.heading = sentence, heading
        cls.declared[code] = self
        return self

    def __reduce__(self) -> tuple[type["RefusalCode"], tuple[str, str, str]]:
        """Copy and pickle the code with all of its parts."""
        return RefusalCode, (str(self), self.sentence, self.heading)
