"""Serve the demo as `script/run` does, in a casino where it is this hour: `python -m tests.e2e.demo_apart HOUR`."""

import dataclasses
import datetime as dt
import os
import sys

from script import serve


def zone_in_which_it_is(hour: int) -> str:
    """A time zone without daylight saving in which this hour has begun."""
    ahead = (hour - dt.datetime.now(dt.UTC).hour + 12) % 24 - 12
    return f"Etc/GMT{-ahead:+d}"  # its sign is that of the seconds west


def main() -> None:
    os.environ.update(serve.environment_for([]))
    import django

    django.setup()
    import uvicorn

    from tables.demo import floor, seeding

    house = dataclasses.replace(floor.LARKFIELD, time_zone=zone_in_which_it_is(int(sys.argv[1])))
    floor.LARKFIELD, floor.FACILITIES = house, (house, floor.SEABRIGHT)
    assert seeding.demo is floor
    uvicorn.run(
        "config.asgi:application", port=int(os.environ["PORT"]), ws="websockets-sansio", log_level="warning"
    )


if __name__ == "__main__":
    main()
