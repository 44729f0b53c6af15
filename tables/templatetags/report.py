"""The daily report's formats as template filters."""

from django import template

from tables.reports import formatting

register = template.Library()

for function in (
    formatting.share,
    formatting.thousands,
    formatting.exact_win_share,
    formatting.exact_dollars,
    formatting.signed_dollars,
    formatting.band,
    formatting.rounds_per_hour,
    formatting.duration,
    formatting.spans,
):
    register.filter(function)
