#!/usr/bin/env python
"""Django's command line."""

import os
import sys

from config import settings


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", settings.default())
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
        sys.stdout.flush()
    except BrokenPipeError:  # `manage.py figures … | head`: the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


if __name__ == "__main__":
    main()
