"""The calendar of deadlines, and its feed."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
