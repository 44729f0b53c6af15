"""Codes of refusals. A code is a constant that carries its own sentence, so neither can exist without the other."""


class RefusalCode(str):
    """A stable code, stored and sent as plain text, with the sentence that a person reads.

    `sentence` is filled with the refusal's parameters by `%`. `heading` is the two or three words above it, if any.
    """

    sentence: str
    heading: str

    def __new__(cls, code: str, sentence: str, heading: str = "") -> "RefusalCode":
        self = super().__new__(cls, code)
        self.sentence, self.heading = sentence, heading
        return self

    def __reduce__(self) -> tuple[type["RefusalCode"], tuple[str, str, str]]:
        """Copy and pickle the code with all of its parts."""
        return RefusalCode, (str(self), self.sentence, self.heading)
