"""What patrons read without signing in."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
