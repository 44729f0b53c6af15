"""The forms of the signs."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
