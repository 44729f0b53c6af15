"""The daily report's formats as template filters."""

from django import template

from tables.reports import formatting

register = template.Library()

for function in (formatting.thousands, formatting.duration, formatting.spans):
    register.filter(function)
