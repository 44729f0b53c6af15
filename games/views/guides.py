"""The gaming guide, the rules book, permissions and incidents, for the office."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
