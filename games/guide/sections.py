"""Which paragraph asks what of guides and rules books, in each jurisdiction."""

from games.models import Facility

PENNSYLVANIA = {
    "device": "58 Pa. Code § 521.6",
    "book": "58 Pa. Code § 521.9(a)",
    "guide": "58 Pa. Code § 521.9(b)",
    "sample": "58 Pa. Code § 521.9(c)",
    "different": "58 Pa. Code § 521.9(d)",
    "display": "58 Pa. Code § 521.9(e)",
    "web": "58 Pa. Code § 521.9(f)",
    "format": "58 Pa. Code § 521.9(b)",
}
NEW_JERSEY = {
    "device": "",  # no text of New Jersey on devices is supplied
    "book": "N.J.A.C. 19:47-8.5(a)",
    "guide": "N.J.A.C. 19:47-8.5(b)",
    "sample": "N.J.A.C. 19:47-8.5(c)",
    "different": "N.J.A.C. 19:47-8.5(d)",
    "display": "N.J.A.C. 19:47-8.5(e)",
    "web": "N.J.A.C. 19:47-8.5(b)",
    "format": "N.J.A.C. 19:47-8.5(b)",
}


def section(house: Facility, duty: str) -> str:
    """The paragraph of a duty where this house stands; "" where the texts are silent. KeyError for an unknown duty."""
    return (PENNSYLVANIA if house.jurisdiction == "PA" else NEW_JERSEY)[duty]
