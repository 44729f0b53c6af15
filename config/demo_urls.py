"""The URLs of a demo: its landing, and those of every installation. No other installation has its landing."""

from django.urls import URLPattern, URLResolver, path

from config.urls import handler500 as handler500
from config.urls import urlpatterns as of_every_installation
from games.access import verify_rules
from tables.views import demo

urlpatterns: list[URLPattern | URLResolver] = [
    path("", demo.front, name="front"),
    path("demo/", demo.landing, name="demo"),
    path("demo/floor", demo.floor_now, name="demo-floor"),
    path("demo/deal", demo.deal, name="demo-deal"),
    path("demo/watch", demo.watch, name="demo-watch"),
    path("demo/comply", demo.comply, name="demo-comply"),
    path("demo/record", demo.record, name="demo-record"),
    path("demo/everything", demo.everything, name="demo-everything"),
    *of_every_installation,
]

verify_rules(urlpatterns)
