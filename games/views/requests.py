"""New games and features, and their tests."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
