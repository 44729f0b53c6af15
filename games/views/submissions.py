"""Rules submissions and their odds sheets."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
