"""The token endpoint: a client shows its id and secret, and gets a token for ten minutes (RFC 6749, 4.4).

Authlib reads the request and words its errors, which are those of RFC 6749, not problems. Which secrets are accepted,
and what is in a token, is in `audit/clients.py`.
"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, cast

from authlib.integrations.django_oauth2 import AuthorizationServer
from authlib.integrations.django_oauth2.requests import DjangoOAuth2Payload, DjangoOAuth2Request
from authlib.oauth2.rfc6749 import ClientMixin, InvalidScopeError, OAuth2Request
from authlib.oauth2.rfc6749.authenticate_client import (  # type: ignore[attr-defined]  # its types leave it out
    authenticate_client_secret_basic,
)
from authlib.oauth2.rfc6749.grants import ClientCredentialsGrant
from authlib.oauth2.rfc6749.util import scope_to_list
from django.core.exceptions import BadRequest, SuspiciousOperation
from django.http import HttpRequest, JsonResponse
from django.http.multipartparser import MultiPartParserError
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from audit import clients
from audit.models import ClientSecret
from games.access import decides_itself
from tables.api.access import certificate_of
from tables.api.app import answering

SEND_A_FORM = "Send a form (application/x-www-form-urlencoded), and no JSON: RFC 6749, section 4.4.2."
METHODS = ["client_secret_basic", "client_secret_post"]


class _Request(DjangoOAuth2Request):
    """A request as Authlib reads it. That it came over TLS is the business of the proxy and of Django's settings."""

    def __init__(self, request: HttpRequest) -> None:
        OAuth2Request.__init__(
            self, request.method or "", f"https://{request.get_host()}{request.path}", headers=request.headers
        )
        self.payload = DjangoOAuth2Payload(request)
        self._request = request


class _Client(ClientMixin):
    """A client that says who it is; once its secret is right, with that secret."""

    secret: ClientSecret

    def __init__(self, client_id: str, certificate: str) -> None:
        self.client_id, self.certificate = client_id, certificate

    def get_client_id(self) -> str:
        return self.client_id

    def check_client_secret(self, client_secret: str) -> bool:
        secret = clients.client_of_secret(self.client_id, client_secret)
        if secret is None or not clients.has_certificate(secret.client, self.certificate):
            return False
        self.secret = secret
        return True

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return method in METHODS

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type == ClientCredentialsGrant.GRANT_TYPE


def _by_basic(query_client: Callable[[str], _Client], request: OAuth2Request) -> _Client | None:
    """The client that the header names, as Authlib reads it; None also for bytes that are no text."""
    try:
        return cast(_Client | None, authenticate_client_secret_basic(query_client, request))
    except ValueError:  # no ASCII, or no UTF-8 once it is decoded
        return None


class _Server(AuthorizationServer):
    """Authlib's server. Tokens are signed and not stored, so that there is nothing to save."""

    def __init__(self) -> None:
        super().__init__(None, None)
        self.register_token_generator("default", cast(Any, _token))
        self.register_client_auth_method("client_secret_basic", _by_basic)
        self.register_grant(_Grant)

    def query_client(self, client_id: str) -> _Client:
        return _Client(client_id, _certificate.get())

    def save_token(self, token: dict[str, Any], request: OAuth2Request) -> None:
        return None

    def create_oauth2_request(self, request: HttpRequest) -> _Request:
        return _Request(request)

    def send_signal(self, name: str, *args: Any, **kwargs: Any) -> None:
        return None


class _Grant(ClientCredentialsGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = METHODS


def _token(grant_type: str, client: _Client, scope: str | None = None, **_others: Any) -> dict[str, Any]:
    """A token with the scopes that were asked for, or all of the client. Raises InvalidScopeError for any other."""
    own = {*client.secret.client.scopes}
    wanted = {*(scope_to_list(scope) or own)}
    if not wanted <= own:
        raise InvalidScopeError(f"This client may ask for: {' '.join(sorted(own))}")
    return {
        "access_token": clients.issue_token(client.secret, wanted),
        "token_type": "Bearer",
        "expires_in": int(clients.TOKEN_LIFETIME.total_seconds()),
        "scope": " ".join(sorted(wanted)),
    }


_certificate: ContextVar[str] = ContextVar(
    "certificate", default=""
)  # that the client showed with this request
SERVER = _Server()


@csrf_exempt
@decides_itself("the id and the secret of a client decide")
@answering
@require_POST
def token(request: HttpRequest) -> HttpResponseBase:
    """Give a client a token. 400 or 401 with an error of RFC 6749 otherwise, also for what is no form."""
    if request.content_type == "application/json":
        error = {"error": "invalid_request", "error_description": SEND_A_FORM}
        return JsonResponse(error, status=400)
    _certificate.set(certificate_of(request))
    try:
        return cast(HttpResponseBase, SERVER.create_token_response(request))
    except (BadRequest, SuspiciousOperation, MultiPartParserError) as unreadable:
        error = {"error": "invalid_request", "error_description": f"This cannot be read: {unreadable}"}
        return JsonResponse(error, status=400)
