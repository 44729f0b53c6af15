"""The daily report's formats as template filters."""

from django import template

from games.kit.tables import grouped
from tables.reports import formatting

register = template.Library()

for function in (formatting.duration, formatting.spans):
    register.filter(function)
register.filter("thousands", grouped)
