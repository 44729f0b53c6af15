"""What the headers of an answer allow a browser to do with it."""

from csp.middleware import CSPMiddleware
from django.http import HttpRequest
from django.http.response import HttpResponseBase

POLICY = "Content-Security-Policy"
NOTHING = "default-src 'none'; frame-ancestors 'none'"


class PolicyMiddleware(CSPMiddleware):
    """The policy of the settings for pages, which django-csp builds for each of them. Data may load and do nothing."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if response.get("Content-Type") == "application/json" and POLICY not in response:
            response[POLICY] = NOTHING
            return response
        return super().process_response(request, response)
