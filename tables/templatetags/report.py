"""The daily report's formats as template filters."""

from django import template

from games.kit.tables import grouped
from tables.reports import report_tables

register = template.Library()

for function in (report_tables.duration, report_tables.spans):
    register.filter(function)
register.filter("thousands", grouped)
