"""Template tags of the console's dialogs and of a replayed round."""

from django import template

from games.catalog.high_roll import screens

register = template.Library()
register.filter(screens.to_throw)
register.filter(screens.first_roll)
register.simple_tag(screens.face_keys)
