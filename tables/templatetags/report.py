"""The daily report's formats as template filters."""

from django import template

from tables.reports import formatting

register = template.Library()

for function in (
    formatting.share,
    formatting.thousands,
    formatting.exact,
    formatting.as_cents,
    formatting.change,
    formatting.band,
    formatting.an_hour,
    formatting.lasted,
    formatting.spans,
):
    register.filter(function)
