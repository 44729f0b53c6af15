"""What lists and searches read from their addresses, as Django forms.

    class DeviceSearch(Search):
        find = Words(max_length=40)
        show = OneOf(FILTERS, otherwise="all")

    search = DeviceSearch(request.GET)
    search.values["find"]

A search never fails: words lose what nobody can type, a link with an unknown choice shows the usual one, and a field
that a person filled in wrongly counts as empty and says at the field what is wrong (`errors`).
"""

import datetime as dt
from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

from django import forms
from django.core.exceptions import ValidationError
from django.core.paginator import Page, Paginator
from django.http import QueryDict

from games.params import read_day

Row = TypeVar("Row")
NEXT_CENTURY = 2100


class Search(forms.Form):
    """The fields of an address. `values` has each of them, with what stands for an empty or a wrong one.

    A field `from_` reads `from`, a word of Python.
    """

    use_required_attribute = False

    def __init__(self, query: QueryDict) -> None:
        super().__init__(query)
        self.full_clean()

    def add_prefix(self, field_name: str) -> str:
        return super().add_prefix(field_name.rstrip("_"))

    @property
    def values(self) -> dict[str, Any]:
        """Each field's value by its name."""
        return {name: self.cleaned_data.get(name, field.initial) for name, field in self.fields.items()}

    @property
    def problem(self) -> str:
        """The first sentence about a field that was filled in wrongly; empty if all is well."""
        return next((str(sentences[0]) for sentences in self.errors.values()), "")


class Words(forms.CharField):
    """Words that somebody typed, without what nobody can type, such as a NUL, which PostgreSQL refuses."""

    def __init__(self, max_length: int) -> None:
        super().__init__(required=False, initial="")
        self.length = max_length

    def to_python(self, value: Any) -> str:
        typed = "".join(letter for letter in value or "" if letter.isprintable())
        return typed.strip()[: self.length].rstrip()


class OneOf(forms.CharField):
    """A choice that a link or a list makes; `otherwise` for an unknown one."""

    def __init__(
        self, choices: Collection[str] | Callable[[], Collection[str]], *, otherwise: str = ""
    ) -> None:
        super().__init__(required=False, initial=otherwise)
        self.choices = choices

    def clean(self, value: Any) -> str:
        choices = self.choices() if callable(self.choices) else self.choices
        return value if value in choices else str(self.initial)


class Flag(forms.Field):
    """Whether a link says that all is to be shown, or the like."""

    def __init__(self) -> None:
        super().__init__(required=False, initial=False)

    def to_python(self, value: Any) -> bool:
        return bool(value)


class Number(forms.Field):
    """A number of at most nine digits, such as that of a page; `otherwise` for anything else."""

    def __init__(self, otherwise: int | None = None) -> None:
        super().__init__(required=False, initial=otherwise)

    def to_python(self, value: Any) -> int | None:
        is_number = isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10
        return int(value) if is_number else self.initial


class Day(forms.Field):
    """A gaming day, such as 2026-11-21; None for an empty field."""

    def __init__(self) -> None:
        super().__init__(required=False)

    def to_python(self, value: Any) -> dt.date | None:
        typed = (value or "").strip()
        day = read_day(typed)
        if typed and day is None:
            raise ValidationError("A gaming day is a date, such as 2026-11-21.")
        return day


class Month(forms.Field):
    """A month of this century, such as 2026-11, as its first day; None for anything else, since only links name it."""

    def __init__(self) -> None:
        super().__init__(required=False)

    def to_python(self, value: Any) -> dt.date | None:
        month = read_day(f"{value}-01")
        return month if month is not None and month.year < NEXT_CENTURY else None


class DaySearch(Search):
    """A gaming day that has begun. `today`: the gaming day of now."""

    day = Day()

    def __init__(self, query: QueryDict, today: dt.date) -> None:
        self.today = today
        super().__init__(query)

    def clean_day(self) -> dt.date | None:
        day: dt.date | None = self.cleaned_data["day"]
        if day is not None and day > self.today:
            raise ValidationError("That gaming day has not begun.")
        return day


def page_of(rows: Sequence[Row], size: int, number: int) -> Page[Row]:
    """Return a page of a long list, by its number from 0; the last one for a number beyond the end."""
    return Paginator(rows, size).get_page(number + 1)
