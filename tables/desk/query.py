"""What somebody asks of the record: the query string of the search, read by name and kind.

A field that says nothing that can be searched for is told in a sentence, and then nothing is searched: a list without
that field would pass for its answer.
"""

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from django.core.exceptions import TooManyFieldsSent
from django.db.models import Q
from django.http import QueryDict

from audit.models import Entry, Person, Stream
from audit.record import INSTALLATION, TYPE
from games.models import Facility
from games.params import CODE, MOST_CENTS, YEARS

FIELDS = ("from", "to", "day", "place", "round", "lot", "who", "type", "least", "most", "training")
MOST_TYPED = 90
MOST_QUERY = 1000  # what a saved filter may hold
LARGEST = 2**31 - 1
MINUTE = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?")
AMOUNT = re.compile(r"\$?\s*(\d{1,3}(?:,\d{3})+|\d{1,10})(?:\.(\d\d))?")


@dataclass
class Asked:
    """A search of one house's record. `since` and `until` are moments, the second one not in it; `round`, `least` and
    `most` (cents) are None where nobody asked. `typed` is what stands in the form, `wrong` the sentence about a field.
    """

    house: Facility
    typed: dict[str, str]
    wrong: dict[str, str] = field(default_factory=dict)
    since: dt.datetime | None = None
    until: dt.datetime | None = None
    day: dt.date | None = None
    stream: Stream | None = None
    round: int | None = None
    lot: str = ""
    who: str = ""
    type: str = ""
    least: int | None = None
    most: int | None = None
    training: bool = False
    before: Entry | None = None

    @property
    def query(self) -> str:
        """The query string of this search, without the page."""
        return urlencode({name: self.typed[name] for name in FIELDS if self.typed.get(name)})

    @property
    def of_a_sum(self) -> bool:
        """Whether an entry answers only by a sum that it tells."""
        return self.least is not None or self.most is not None

    @property
    def any(self) -> bool:
        """Whether anything is asked but real play or training."""
        return any(self.typed.get(name) for name in FIELDS if name != "training")


def read(values: Mapping[str, str], house: Facility) -> Asked:
    """The search that a query string asks for; raises nothing, whatever stands there."""
    typed = {name: values.get(name, "").strip() for name in (*FIELDS, "before")}
    asked = Asked(house, {name: text[:MOST_TYPED] for name, text in typed.items()})
    for name, text in typed.items():
        if len(text) > MOST_TYPED:
            asked.wrong[name] = "This is longer than anything that can be searched for."
        elif not text.isprintable():
            asked.wrong[name] = "There are signs in this that nobody can type."
            asked.typed[name] = ""
        elif text:
            READ[name](asked, text)
    if asked.since and asked.until and asked.since >= asked.until:
        asked.wrong.setdefault("to", "This is before the moment at which the search begins.")
    if asked.least is not None and asked.most is not None and asked.least > asked.most:
        asked.wrong.setdefault("most", "This is less than the sum before it.")
    return asked


def query_of(query: str, house: Facility) -> str | None:
    """The same query string with nothing in it but what the search knows; None where something in it is wrong."""
    try:
        values = QueryDict(query[: 4 * MOST_QUERY]).dict()
    except TooManyFieldsSent:
        return None
    asked = read(values | {"before": ""}, house)
    found = asked.query
    return None if asked.wrong or len(found) > MOST_QUERY else found


def of_day(day: dt.date, house: Facility) -> tuple[dt.datetime, dt.datetime]:
    """From when to when a gaming day lasts by the house's clocks; 23 or 25 hours where the clocks are set."""
    return house.day_begins(day), house.day_begins(day + dt.timedelta(days=1))


def _moment(asked: Asked, name: str, text: str, *, last: bool) -> dt.datetime | None:
    """A moment by the house's clocks. The end of a search is the end of the minute, or second, that was named.

    Where the clocks are set, an hour comes twice or never: the search spans both, or begins and ends around it.
    """
    found = MINUTE.fullmatch(text)
    try:
        there = dt.datetime.fromisoformat(f"{found[1]}T{found[2]}{found[3] or ''}") if found else None
    except ValueError:
        there = None
    if there is None or there.year not in YEARS:
        asked.wrong[name] = "A moment is a day and a time, such as 2026-11-21 21:17."
        return None
    zone = asked.house.zone
    readings = [there.replace(tzinfo=zone, fold=fold).astimezone(dt.UTC) for fold in (0, 1)]
    if not last:
        return min(readings)
    return max(readings) + (dt.timedelta(seconds=1) if found and found[3] else dt.timedelta(minutes=1))


def _from(asked: Asked, text: str) -> None:
    asked.since = _moment(asked, "from", text, last=False)


def _to(asked: Asked, text: str) -> None:
    asked.until = _moment(asked, "to", text, last=True)


def _day(asked: Asked, text: str) -> None:
    try:
        day = dt.date.fromisoformat(text) if re.fullmatch(r"\d{4}-\d\d-\d\d", text) else None
    except ValueError:
        day = None
    if day is None or day.year not in YEARS:
        asked.wrong["day"] = "A gaming day is a date, such as 2026-11-21."
    else:
        asked.day = day


def _place(asked: Asked, text: str) -> None:
    name = text if text == INSTALLATION else f"{asked.house.code}/{text}"
    asked.stream = Stream.objects.filter(name=name).first()
    if asked.stream is None:
        asked.wrong["place"] = "There is no %(place)s in this house." % {"place": text}
        return
    wants_training = bool(asked.typed.get("training"))
    if asked.stream.real_play == wants_training:
        asked.wrong["place"] = (
            "%(place)s is a place of real play. Search it there."
            if asked.stream.real_play
            else "%(place)s is a place of training. Search it there."
        ) % {"place": text}


def _whole(asked: Asked, name: str, text: str, said: str) -> int | None:
    if not (text.isascii() and text.isdigit()) or not 0 < int(text) <= LARGEST:
        asked.wrong[name] = said
        return None
    return int(text)


def _round(asked: Asked, text: str) -> None:
    asked.round = _whole(asked, "round", text, "A round is a whole number, such as 297.")


def _lot(asked: Asked, text: str) -> None:
    if CODE.fullmatch(text):
        asked.lot = text
    else:
        asked.wrong["lot"] = "A dice lot has a code, such as L-0027."


def _who(asked: Asked, text: str) -> None:
    people = Person.objects.filter(facility__in=("", asked.house.code))
    found = list(people.filter(Q(code=text.lower()) | Q(name__iexact=text)).order_by("code")[:2])
    exact = [one for one in found if one.code == text.lower()]
    if len(exact or found) == 1:
        asked.who = (exact or found)[0].code
    elif found:
        asked.wrong["who"] = "Several people are called so. Choose one by the code."
    else:
        asked.wrong["who"] = "Nobody of this house has that code or that whole name."


def _type(asked: Asked, text: str) -> None:
    if len(text) <= 60 and TYPE.fullmatch(text):
        asked.type = text
    else:
        asked.wrong["type"] = "That is no act of the record. Pick one from the list."


def _cents(asked: Asked, name: str, text: str) -> int | None:
    found = AMOUNT.fullmatch(text)
    cents = int(found[1].replace(",", "")) * 100 + int(found[2] or 0) if found else -1
    if not 0 <= cents <= MOST_CENTS:
        asked.wrong[name] = "An amount is in dollars, such as 1,150 or 12.50."
        return None
    return cents


def _least(asked: Asked, text: str) -> None:
    asked.least = _cents(asked, "least", text)


def _most(asked: Asked, text: str) -> None:
    asked.most = _cents(asked, "most", text)


def _training(asked: Asked, text: str) -> None:
    asked.training = text == "1"
    if not asked.training:
        asked.wrong["training"] = "Real play or training: one or the other."
        asked.typed["training"] = ""


def _before(asked: Asked, text: str) -> None:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0
    asked.before = Entry.objects.only("pk", "at", "seq", "stream_id").filter(pk=number).first()
    if asked.before is None:
        asked.wrong["before"] = "There is no such page of this search. Begin with the newest entries."


READ = {
    "from": _from, "to": _to, "day": _day, "place": _place, "round": _round, "lot": _lot, "who": _who,
    "type": _type, "least": _least, "most": _most, "training": _training, "before": _before,
}  # fmt: skip
