"""How the inspection is drawn. Everything here reads the snapshot alone."""

from typing import Any

from django import template

register = template.Library()

ENDS = ("Camera, right end", "Camera, left end")


@register.filter
def camera_ends(asks: dict[str, Any]) -> list[dict[str, str]]:
    """A field for each camera that is asked, with the one of the last inspection in it."""
    last = asks["last_cameras"]
    names = ENDS if asks["cameras"] == len(ENDS) else [f"Camera {n}" for n in range(1, asks["cameras"] + 1)]
    return [{"name": name, "last": last[i] if i < len(last) else ""} for i, name in enumerate(names)]


@register.filter
def runs(asks: dict[str, Any]) -> range:
    """A number for each test run of an automated shaker."""
    return range(1, asks["tosses"] + 1)


@register.filter
def inspection_key(s: dict[str, Any]) -> str:
    """Tells one list from another: with other equipment what was confirmed of it counts no more."""
    asks, equipment = s["inspection_asks"], [one["code"] if one else "-" for one in (s["shaker"], s["lot"])]
    return " ".join(
        [asks["why"], *equipment, *(line["code"] for line in asks["lines"]), str(asks["cameras"])]
    )
