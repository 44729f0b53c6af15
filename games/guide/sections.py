"""Which paragraph requires what of guides and rules books."""

from games.models import Facility


def section(facility: Facility, duty: str) -> str:
    """Return the paragraph of a duty at this facility, "" if the texts say nothing. KeyError for an unknown duty."""
    return facility.law.section(f"guide.{duty}")
