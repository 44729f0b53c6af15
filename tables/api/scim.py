"""People from a personnel office by SCIM 2.0 (RFC 7644), below `/scim/v2/`: users are read, added, changed and ended.

What is sent becomes the same acts as on the page People (`scim_users.py`). Who comes, and a change of role, badge or
license, is prepared by the machine and approved by a person: until then the user has `change`, the code of what waits.
An end (`active` false, or DELETE) is done at once (`tables.staffing.employment`). Reads are on record.

An error is that of RFC 7644, 3.12, also for tokens and scopes; all addresses take the scope `staff`.
"""

import uuid
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path, re_path
from django.views.decorators.csrf import csrf_exempt
from pydantic import ValidationError
from scim2_models import (
    AuthenticationScheme,
    Bulk,
    ChangePassword,
    Context,
    Error,
    ETag,
    Filter,
    ListResponse,
    Meta,
    PatchOp,
    ResourceType,
    Schema,
    SCIMException,
    ScimPolicy,
    SearchRequest,
    ServiceProviderConfig,
    Sort,
)
from scim2_models import Patch as PatchSupport

from games.access import decides_itself
from games.facility_runner import CHANGE_ACTS
from tables.api import scim_users
from tables.api.access import ApiRequest, needs
from tables.api.acts import ActShape, do_act, refused
from tables.api.app import Problem, finished, problem_of
from tables.api.people import note_read
from tables.api.scim_users import Employee, HrUser, StaffChange, User
from tables.runner import facility as facility_runner
from tables.staffing.employment import end_employment
from tables.views.acts import ActTarget

SCOPE = "staff"
BASE = "/scim/v2/"
CONTENT_TYPE = "application/scim+json"
MOST_USERS, USUAL_USERS = 200, 100  # of one page
# What providers of identities send beside what we store is left out, and Microsoft's ways of a PATCH are understood.
POLICY = ScimPolicy(
    unknown=ScimPolicy.Unknown.ignore,
    remove_value_as_filter=ScimPolicy.RemoveValue.apply,
    unmatched_path_filter=ScimPolicy.UnmatchedPathFilter.create,
)
_TAKES_BACK = "take_back_change"
assert _TAKES_BACK in CHANGE_ACTS
_UNIQUENESS = frozenset({"person-code-taken", "badge-taken", "change-waits"})
_VALUES = frozenset({"not-a-person-code", "not-a-badge", "malformed"})
_STATUS = {
    "no-such-person": 404,
    "works-everywhere": 403,
    "too-many-ends": 429,
    "last-with-access-rights": 409,
}
_rule = needs(SCOPE)
View = Callable[..., HttpResponse]


# How it answers


def _answer(
    content: Any, status: int = 200, context: Context = Context.RESOURCE_QUERY_RESPONSE
) -> HttpResponse:
    body = content.model_dump(scim_ctx=context)
    response = JsonResponse(body, status=status, content_type=CONTENT_TYPE)
    location = body.get("meta", {}).get("location")
    if location and isinstance(content, User):
        response["Location" if status == 201 else "Content-Location"] = location
    return response


def error_response(problem: Problem) -> HttpResponse:
    """A problem in the form of RFC 7644."""
    status, scim_type = problem.status, None
    if problem.code in _UNIQUENESS:
        status, scim_type = 409, "uniqueness"
    elif problem.code in _VALUES:
        status, scim_type = 400, "invalidValue"
    elif problem.code in _STATUS:
        status = _STATUS[problem.code]
    elif status == 400:
        scim_type = problem.code
    error = Error(status=status, scim_type=scim_type, detail=problem.detail)
    response = JsonResponse(error.model_dump(), status=status, content_type=CONTENT_TYPE)
    for name, value in problem.headers.items():
        response[name] = value
    return response


def _problem(error: Exception) -> Problem:
    match error:
        case SCIMException():
            return Problem(error.status, error.scim_type, error.detail)
        case ValidationError():
            first = Error.from_validation_errors(error)[0]
            return Problem(first.status or 400, first.scim_type or "invalidValue", str(first.detail))
    return problem_of(error)


def scim(**views: View) -> View:
    """The view of an address by method, for a client with the scope `staff`; every error in the form of RFC 7644."""

    @csrf_exempt
    @decides_itself("the scope of its client decides")
    @wraps(next(iter(views.values())))
    def view(request: HttpRequest, **address: str) -> HttpResponse:
        try:
            authorization = request.headers.get("Authorization", "")
            kind, _space, token = authorization.partition(" ")
            caller = _rule.authenticate(request, token.strip()) if kind.lower() == "bearer" else None
            if caller is None:
                headers = {"WWW-Authenticate": 'Bearer realm="pitside", error="invalid_token"'}
                raise Problem(
                    401, "", "Send a token that is valid now, as Authorization: Bearer …", headers=headers
                )
            caller.whole(caller.facility.code)
            answer = views.get(request.method or "")
            if answer is None:
                raise Problem(
                    405, "", f"This address takes {', '.join(views)}.", headers={"Allow": ", ".join(views)}
                )
            with POLICY:
                response = answer(request, **address)
        except Exception as error:
            response = error_response(_problem(error))
        return response if response.status_code == 405 else _finished(request, response)

    return view


def _finished(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    answered = finished(request, response)
    assert isinstance(answered, HttpResponse)
    return answered


# Users


def _base(request: HttpRequest) -> str:
    return request.build_absolute_uri(f"{BASE}Users")


def list_users(request: ApiRequest) -> HttpResponse:
    """The users that a filter finds, by page. The read is on record."""
    search = SearchRequest[HrUser].model_validate(
        {name: value for name, value in request.GET.items() if value}, scim_ctx=Context.SEARCH_REQUEST
    )
    rows = scim_users.users(request.caller.facility, _base(request))
    matching = [row for row in rows if search.filter is None or search.filter.match(row)]
    start = search.start_index or 1
    count = min(USUAL_USERS if search.count is None else search.count, MOST_USERS)
    page_of_users = matching[start - 1 : start - 1 + count]
    note_read(request.caller, "list_scim_users", len(page_of_users))
    page = ListResponse[HrUser](
        total_results=len(matching),
        start_index=start,
        items_per_page=len(page_of_users),
        resources=page_of_users,
    )
    body = page.model_dump(scim_ctx=Context.SEARCH_RESPONSE, response_parameters=search)
    return JsonResponse(body, content_type=CONTENT_TYPE)


def read_user(request: ApiRequest, code: str) -> HttpResponse:
    """One user. The read is on record."""
    user = scim_users.user(request.caller.facility, code, _base(request))
    note_read(request.caller, "read_scim_user", 1)
    return _answer(user)


def add_user(request: ApiRequest) -> HttpResponse:
    """Prepare the addition of a user, who is not active until somebody approves it."""
    sent = HrUser.model_validate_json(request.body, scim_ctx=Context.RESOURCE_CREATION_REQUEST)
    change = scim_users.addition(sent)
    _do(request, change)
    user = scim_users.user(request.caller.facility, change.params["person"], _base(request))
    return _answer(user, 201, Context.RESOURCE_CREATION_RESPONSE)


def replace_user(request: ApiRequest, code: str) -> HttpResponse:
    """Make a user what is sent. What is left out stays."""
    before = scim_users.user(request.caller.facility, code, _base(request))
    after = HrUser.model_validate_json(request.body, scim_ctx=Context.RESOURCE_REPLACEMENT_REQUEST)
    return _changed(request, before, after, Context.RESOURCE_REPLACEMENT_RESPONSE, ends=after.active is False)


def patch_user(request: ApiRequest, code: str) -> HttpResponse:
    """Change what is sent of a user."""
    before = scim_users.user(request.caller.facility, code, _base(request))
    patch = PatchOp[HrUser].model_validate_json(request.body, scim_ctx=Context.RESOURCE_PATCH_REQUEST)
    after = before.model_copy(deep=True)
    after.active = None  # so that it is known whether the request names it
    patch.patch(after)
    ends = after.active is False
    after.active = before.active if after.active is None else after.active
    scim_users.verify_nothing_removed(before, after)
    return _changed(request, before, after, Context.RESOURCE_PATCH_RESPONSE, ends=ends)


def end_user(request: ApiRequest, code: str) -> HttpResponse:
    """End the access of a user at once, or take the addition back. The record keeps who acted, so it can be read on."""
    _end(request, scim_users.user(request.caller.facility, code, _base(request)))
    return HttpResponse(status=204)


def _changed(request: ApiRequest, before: Any, after: Any, context: Context, *, ends: bool) -> HttpResponse:
    """The user after a change; as it was, but not active, where its addition was taken back."""
    if ends:
        _end(request, before)
        return _answer(scim_users.ended(before), 200, context)
    change = scim_users.change(before, after)
    if change is not None:
        _do(request, change)
    return _answer(scim_users.user(request.caller.facility, before.id, _base(request)), 200, context)


def _end(request: ApiRequest, user: Any) -> None:
    addition = scim_users.addition_of(request.caller.facility, user.id)
    if user.active:
        _do(request, StaffChange(end_employment.__name__, {"person": user.id, "why": scim_users.WHY}))
    elif addition is not None:
        _do(request, StaffChange(_TAKES_BACK, {"change": addition.code, "why": scim_users.WHY}))


def _do(request: ApiRequest, change: StaffChange) -> None:
    """Do or prepare an act as the machine. What waits for an approval already is as good as prepared now."""
    target = ActTarget(facility_runner.RUNNER, request.caller.facility.code, "", change.act)
    act = ActShape(params=change.params, seen=None, witness=None)
    reply = do_act(request, target, act, str(uuid.uuid4()), scope=SCOPE)
    if reply.status == 200:
        return
    problem = refused(reply)
    if problem.code != "change-waits" or change.act == "add_person":
        raise problem


# What the service is, and its addresses


def config(request: ApiRequest) -> HttpResponse:
    """What of SCIM is understood here."""
    bearer = AuthenticationScheme(
        type=AuthenticationScheme.Type.oauthbearertoken,
        name="OAuth 2 bearer token",
        description="A token of a client with the scope staff, from /api/v1/oauth/token (client credentials).",
        primary=True,
    )
    return _answer(
        ServiceProviderConfig(
            patch=PatchSupport(supported=True),
            bulk=Bulk(supported=False, max_operations=0, max_payload_size=0),
            filter=Filter(supported=True, max_results=MOST_USERS),
            change_password=ChangePassword(supported=False),
            sort=Sort(supported=False),
            etag=ETag(supported=False),
            authentication_schemes=[bearer],
            meta=_meta(request, "ServiceProviderConfig", ""),
        )
    )


def _meta(request: HttpRequest, kind: str, name: str) -> Meta:
    address = f"{BASE}{kind}s/{name}" if name else f"{BASE}{kind}"
    return Meta(resource_type=kind, location=request.build_absolute_uri(address))


def _described(request: HttpRequest, kind: str) -> list[Any]:
    types: list[Any] = [ResourceType.from_resource(HrUser)]
    rows = [User.to_schema(), Employee.to_schema()] if kind == "Schema" else types
    for row in rows:
        row.meta = _meta(request, kind, str(row.id))
    return rows


def describes(kind: str, shape: type[Schema] | type[ResourceType]) -> View:
    """The view that lists the schemas or the types of resources."""

    def list_all(request: ApiRequest) -> HttpResponse:
        rows = _described(request, kind)
        page = ListResponse[shape](  # type: ignore[valid-type]
            total_results=len(rows), start_index=1, items_per_page=len(rows), resources=rows
        )
        return _answer(page, context=Context.SEARCH_RESPONSE)

    return list_all


def describes_one(kind: str) -> View:
    """The view of one schema or type of resource by its id."""

    def read_one(request: ApiRequest, name: str) -> HttpResponse:
        row = next((row for row in _described(request, kind) if row.id == name), None)
        if row is None:
            raise Problem(404, "", f"There is no {kind} {name} here.")
        return _answer(row)

    return read_one


def no_such_address(request: ApiRequest, rest: str) -> HttpResponse:
    """404 in the form of RFC 7644."""
    detail = "There is no such address. SCIM has Users, Schemas, ResourceTypes and ServiceProviderConfig."
    raise Problem(404, "", detail)


METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
urlpatterns = [
    path("Users", scim(GET=list_users, POST=add_user), name="scim-users"),
    path(
        "Users/<slug:code>",
        scim(GET=read_user, PUT=replace_user, PATCH=patch_user, DELETE=end_user),
        name="scim-user",
    ),
    path("ServiceProviderConfig", scim(GET=config), name="scim-config"),
    path("Schemas", scim(GET=describes("Schema", Schema))),
    path("Schemas/<str:name>", scim(GET=describes_one("Schema"))),
    path("ResourceTypes", scim(GET=describes("ResourceType", ResourceType))),
    path("ResourceTypes/<str:name>", scim(GET=describes_one("ResourceType"))),
    re_path(r"^(?P<rest>[\s\S]*)$", scim(**dict.fromkeys(METHODS, no_such_address))),
]
