"""What the API's own rules add to the checks of schemathesis."""

import re

import schemathesis

# What no schema of OpenAPI can say of a request that is otherwise as described.
BEYOND_A_SCHEMA = {
    "conflicting_fields",  # two fields that exclude each other
    "duplicate_key",
    "nul_character",
    "json_too_deep",
    "invalid_cursor",  # only the list itself knows its cursors
    "unknown_task",
    "invalid_payload",
    "unknown_upstream",
    "unknown_grant",
    "circular_wait",
    "idempotency_mismatch",
    "queue_disabled",
}

# Texts with a grammar of their own or that name what must exist, and the fields of which exactly one says when a schedule is due.
GRAMMARS = {"cron", "timezone", "from", "until", "scopes", "grant.scopes", "schedule"}

# JSON Schema counts characters where names count bytes. Times end in the year 9999, and durations do before they overflow;
# headers carry bytes, of which not all are text. Some fields depend on another field, or on the clock.
NUANCES = (
    "bytes long",
    "not a time; write it as",
    "datetime",
    "year",
    "offset",
    "invalid utf-8",
    "says when it is due",
    "is in the past",
    "is shorter than retry.base_seconds",
)

# JSON Schema takes 5.0 for an integer.
WHOLE_FLOAT = re.compile(r"^-?\d+(\.\d*)?(e[+-]?\d+)? is not allowed; give a whole number")


@schemathesis.hook
def filter_case(context, case):
    """Headers that nobody asked for are nothing to refuse a request for: every proxy adds some."""
    return not any(name.lower() == "x-schemathesis-unknown-property" for name in case.headers or {})


@schemathesis.hook
def map_headers(context, headers):
    """What could be a workspace becomes one that is there, or most requests would get no further."""
    name = (headers or {}).get("X-Runlane-Workspace")
    if isinstance(name, str) and name.isprintable() and 1 <= len(name.encode()) <= 200:
        headers["X-Runlane-Workspace"] = "default"
    return headers


@schemathesis.check
def valid_requests_are_taken(ctx, response, case):
    """A request that the description allows is not called invalid, except for reasons that it cannot express."""
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code not in (400, 422):
        return
    problem = response.json()
    detail = problem.get("detail", "")
    if problem.get("code") in BEYOND_A_SCHEMA or problem.get("field") in GRAMMARS:
        return
    if any(nuance in detail for nuance in NUANCES):
        return
    whole = WHOLE_FLOAT.match(detail)
    if whole and (whole[1] or whole[2]):
        return
    raise AssertionError(f"a request as described was refused: {problem.get('code')}: {detail}")


@schemathesis.check
def refusals_are_problems(ctx, response, case):
    """Whatever is refused is refused with a stable code, whose status it has, and with the id of the request."""
    if response.status_code < 400:
        return
    problem = response.json()
    told = {"type", "title", "status", "code", "detail", "request_id"}
    assert told <= set(problem), f"lacks {told - set(problem)}"
    assert problem["status"] == response.status_code
    assert problem["request_id"] == response.headers["x-request-id"][0]
