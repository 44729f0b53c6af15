"""Which paragraph asks what of guides and rules books."""

from games.models import Facility


def section(facility: Facility, duty: str) -> str:
    """The paragraph of a duty at this facility; "" where the texts are silent. KeyError for an unknown duty."""
    return facility.law.section(f"guide.{duty}")
