"""Formats of figures as template filters: those of `games/formats.py`, and those of the daily report."""

from django import template

from games import formats
from games.formats import meaning
from games.kit.tables import grouped
from tables.reports import report_tables
from tables.words.sentences import duration

register = template.Library()
register.filter("money", formats.money)
register.filter("signed", formats.signed)
register.filter("about", formats.about)
register.filter(formats.whole_dollars)  # of an amount that is not exact money, before its format
register.filter(formats.percent)
register.filter(meaning)
register.filter(grouped)
register.filter(duration)
register.filter(report_tables.spans)
