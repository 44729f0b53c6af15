"""New people from a CSV of the personnel office: read, checked line by line, and shown before anything is prepared.

The first line names the columns. A spreadsheet of any country may have written the file: with commas, semicolons or
tabs, in UTF-8 or in Windows' Western encoding, with days as 2028-11-30 or, as in the United States, 11/30/2028.
"""

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass

from audit.models import Person, Role
from games.engine import Refusal
from games.models import Facility
from games.params import Params
from tables.staffing.people_acts import MOST_PEOPLE, NewPerson, read_new_person, verify_new_person

MOST_BYTES = 256 * 1024
# The heading of each column with the parameter of `add_person` that it has.
COLUMNS = {
    "name": "name",
    "code": "person",
    "role": "role",
    "badge": "badge",
    "license": "licence",
    "license ends": "licence_ends_on",
}
AMERICAN_DAY = re.compile(r"(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4})", re.ASCII)
NEEDED = ("name", "code", "role")
EXAMPLE = (
    "name,code,role,badge,license,license ends\n"
    "Zoe Park,park-z,dealer,4417,G-20417,2028-01-31\n"
    "Viktor Lind,lind-v,shift manager,1101,G-11810,2027-06-30\n"
)
ROLES = {label.casefold(): code for code, label in Role.choices} | {code: code for code in Role.values}
UNREADABLE = {
    "name": "“%s” is too long for a name, or has a character that nobody can type.",
    "code": "“%s” is too long for a code.",
    "role": "“%s” is not a role here.",
    "badge": "“%s” is too long for a badge.",
    "license": "“%s” is too long for a license.",
    "license ends": "“%s” is not a day. Write 2028-11-30 or 11/30/2028.",
}
# What a refused parameter is called in the file.
HEADINGS = {param: heading for heading, param in COLUMNS.items()}


class UnreadableFile(Exception):
    """The file as a whole cannot be read. Its text is a sentence."""


@dataclass(frozen=True)
class PersonLine:
    """A line of the file. `person`: None where it cannot be read. `problem`: why it cannot be added, or ""."""

    number: int
    cells: Mapping[str, str]
    person: NewPerson | None
    problem: str

    @property
    def ends_on(self) -> str:
        """The day on which the license ends, as it is written."""
        return self.cells["license ends"]

    @property
    def role_label(self) -> str:
        """The role as people call it; as it is written where it is none."""
        return str(Role(self.person.role).label) if self.person else self.cells["role"]


def read_people(content: bytes, facility: Facility, by: Person) -> list[PersonLine]:
    """The lines of a file, each checked as the act checks it whose preparer is `by`. Raises UnreadableFile."""
    lines = _rows(content)
    if not lines:
        raise UnreadableFile("The file has no people: only a line of headings, or nothing.")
    if len(lines) > MOST_PEOPLE:
        raise UnreadableFile(f"The file has {len(lines)} people. At most {MOST_PEOPLE} come at once.")
    checked = [_line(number, cells, facility, by) for number, cells in lines]
    return _without_repetitions(checked)


def _rows(content: bytes) -> list[tuple[int, dict[str, str]]]:
    """The number and the cells of each line, by heading. Empty lines are left out."""
    text = _decoded(content)
    try:
        reader = csv.reader(io.StringIO(text), _dialect(text), strict=True)
        rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader]
    except csv.Error as error:
        raise UnreadableFile(f"This is not a CSV: {error}.") from None
    rows = [(number, row) for number, row in rows if any(row)]
    if not rows:
        return []
    headings = [" ".join(heading.casefold().split()) for heading in rows[0][1]]
    _verify_headings(headings)
    found = []
    for number, row in rows[1:]:
        if len(row) > len(headings) and any(row[len(headings) :]):
            raise UnreadableFile(f"Line {number} has more columns than the first line.")
        cells = dict(zip(headings, row + [""] * len(headings), strict=False))
        found.append((number, {heading: cells.get(heading, "") for heading in COLUMNS}))
    return found


def _decoded(content: bytes) -> str:
    if len(content) > MOST_BYTES:
        raise UnreadableFile(f"The file is larger than {MOST_BYTES // 1024} kB.")
    if b"\0" in content:
        raise UnreadableFile("This is not a CSV. Save the sheet as CSV in your spreadsheet.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def _dialect(text: str) -> type[csv.Dialect]:
    class Dialect(csv.excel):
        delimiter = max(",;\t", key=text.partition("\n")[0].count)

    return Dialect


def _verify_headings(headings: list[str]) -> None:
    known = ", ".join(COLUMNS)
    missing = [heading for heading in NEEDED if heading not in headings]
    if missing:
        raise UnreadableFile(f"The first line has no column “{missing[0]}”. It names the columns: {known}.")
    unknown = [heading for heading in headings if heading and heading not in COLUMNS]
    if unknown:
        raise UnreadableFile(f"There is no column “{unknown[0][:40]}” here. The columns are: {known}.")
    twice = [heading for heading in COLUMNS if headings.count(heading) > 1]
    if twice:
        raise UnreadableFile(f"The column “{twice[0]}” is there twice.")


def _line(number: int, cells: dict[str, str], facility: Facility, by: Person) -> PersonLine:
    missing = next((heading for heading in NEEDED if not cells[heading]), None)
    if missing:
        return PersonLine(number, cells, None, f"The {missing} is missing.")
    values: dict[str, object] = {param: cells[heading] for heading, param in COLUMNS.items()}
    values["role"] = ROLES.get(" ".join(cells["role"].casefold().split()), "")
    values["licence_ends_on"] = _day(cells["license ends"])
    try:
        person = read_new_person(Params(values))
    except Refusal as refusal:
        heading = HEADINGS[str(refusal.params["name"])]
        return PersonLine(number, cells, None, UNREADABLE[heading] % cells[heading][:40])
    try:
        verify_new_person(facility, by, person)
    except Refusal as refusal:
        return PersonLine(number, cells, person, refusal.sentence)
    return PersonLine(number, cells, person, "")


def _day(text: str) -> str | None:
    """The day as 2028-11-30; None without one. What is no day stays as it is, so that it is refused."""
    if not text:
        return None
    american = AMERICAN_DAY.fullmatch(text)
    return f"{american['year']}-{american['month']:0>2}-{american['day']:0>2}" if american else text


def _without_repetitions(lines: list[PersonLine]) -> list[PersonLine]:
    """The same lines, where a code or badge of an earlier line is a problem."""
    first: dict[tuple[str, str], int] = {}
    checked = []
    for line in lines:
        problem = line.problem
        for heading in ("code", "badge"):
            value = line.cells[heading]
            earlier = first.setdefault((heading, value), line.number)
            if value and earlier != line.number:
                problem = problem or f"Line {earlier} has the same {heading}."
        checked.append(PersonLine(line.number, line.cells, line.person, problem))
    return checked
