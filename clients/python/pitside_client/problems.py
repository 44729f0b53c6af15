"""What the server refuses, as an exception."""

from typing import TypeVar

import httpx
from pitside_api.models import ProblemShape

T = TypeVar("T")


class Refused(Exception):
    """The server refused a request (RFC 9457). Text of it is the sentence for people.

    `code` is for programs, `section` the law behind it or "". Nothing was changed.
    """

    def __init__(self, status: int, code: str, detail: str, section: str = "") -> None:
        super().__init__(detail)
        self.status, self.code, self.detail, self.section = status, code, detail, section


class NotAnswered(Exception):
    """No answer came, also after every try. Of an act nobody knows here what became of it: do it again by its key."""


def answered(answer: T | ProblemShape | None) -> T:
    """The answer of a generated function. Raises Refused where it is a problem."""
    if isinstance(answer, ProblemShape):
        raise Refused(answer.status, answer.code, answer.detail, answer.section)
    if answer is None:
        raise NotAnswered("The server answered with nothing.")
    return answer


def refusal_of(response: httpx.Response) -> Refused:
    """The refusal that a response is. What is no problem of RFC 9457, such as a proxy's page, is told by its status."""
    try:
        problem = ProblemShape.from_dict(response.json())
    except (ValueError, KeyError, TypeError, AttributeError):
        return Refused(response.status_code, "no-problem", f"The server answered {response.status_code}.")
    return Refused(problem.status, problem.code, problem.detail, problem.section)
