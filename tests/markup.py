"""Markup on one line: templates break lines where a browser shows no difference, and tests look for sentences."""

import re

BREAK = r"\s*\n\s*"


def one_line(html: str) -> str:
    """Join lines: without a space between tags, after `<br>` and before a closing tag, and with one elsewhere."""
    line = re.sub(rf"(?<=>){BREAK}(?=<)|(?<=<br>){BREAK}|{BREAK}(?=</|>)", "", html)
    return re.sub(BREAK, " ", line)
