"""Template filters of the inspection. They read the snapshot only."""

from typing import TypedDict

from django import template

from games.snapshot_types import InspectionAsks, Snapshot

register = template.Library()

ENDS = ("Camera, right end", "Camera, left end")


class CameraField(TypedDict):
    """A field for the name of a camera, with its name at the last inspection."""

    name: str
    last: str


@register.filter
def camera_ends(asks: InspectionAsks) -> list[CameraField]:
    """Return a field for each required camera."""
    last = asks["last_cameras"]
    names = ENDS if asks["cameras"] == len(ENDS) else [f"Camera {n}" for n in range(1, asks["cameras"] + 1)]
    return [{"name": name, "last": last[i] if i < len(last) else ""} for i, name in enumerate(names)]


@register.filter
def runs(asks: InspectionAsks) -> range:
    """Return the numbers of the test runs of an automated shaker."""
    return range(1, asks["tosses"] + 1)


@register.filter
def inspection_key(s: Snapshot) -> str:
    """Return a key of the inspection's content. With other equipment, earlier confirmations no longer count."""
    asks = s["inspection_asks"]
    assert asks is not None
    equipment = [item["code"] if item else "-" for item in (s["shaker"], s["lot"])]
    return " ".join(
        [asks["why"], *equipment, *(line["code"] for line in asks["lines"]), str(asks["cameras"])]
    )
