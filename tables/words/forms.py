"""Formats that sentences and screens share."""


def span(seconds: float) -> str:
    """A duration for people: `8 h 40 min`, `17 days`."""
    minutes = max(0, int(seconds)) // 60
    if minutes >= 48 * 60:
        return f"{minutes // 1440} days"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min"
