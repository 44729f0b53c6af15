#!/usr/bin/env python
"""Django's command line."""

import os
import select
import sys

from config import settings


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", settings.default())
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
        sys.stdout.flush()
    except BrokenPipeError:
        if not _reader_has_left():
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _reader_has_left() -> bool:
    """Whether nobody reads standard output any more, as in `manage.py figures … | head`."""
    poll = select.poll()
    poll.register(sys.stdout, 0)
    return bool(poll.poll(0))


if __name__ == "__main__":
    main()
