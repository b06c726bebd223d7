"""Posts JSON to the gateway and reads the response. Retries what may succeed later, not before Retry-After says."""

from __future__ import annotations

import http.client
import json
import random
import time
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from ._errors import GatewayConnectionError, InvalidResponseError, SallyportError, error_from_response
from ._version import __version__

#: If Retry-After is longer, the call fails at once; the error says how long to wait.
MAX_WAIT_SECONDS = 30
FIRST_BACK_OFF_SECONDS = 0.25
#: The gateway's own responses are a few KB.
MAX_RESPONSE_BYTES = 1_000_000


class _NoRedirects(HTTPRedirectHandler):
    """Following a redirect could send the API key to another server."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = build_opener(_NoRedirects)


def post_json(url: str, api_key: str, body: object, *, timeout: float, max_retries: int) -> dict[str, Any]:
    """`timeout` is for connecting and for each read."""
    headers = {
        "Authorization": f"Bearer {api_key}",
        "Content-Type": "application/json",
        "User-Agent": f"sallyport-python/{__version__}",
    }
    retries = 0
    while True:
        try:
            return _attempt(Request(url, data=json.dumps(body).encode(), headers=headers, method="POST"), timeout)
        except SallyportError as error:
            wait = _find_wait(error, retries) if retries < max_retries else None
            if wait is None:
                raise
        time.sleep(wait)
        retries += 1


def _find_wait(error: SallyportError, retries: int) -> float | None:
    if not error.retryable:
        return None
    spread = random.random() * FIRST_BACK_OFF_SECONDS
    if error.retry_after_seconds is None:
        return FIRST_BACK_OFF_SECONDS * (1 << retries) + spread
    return None if error.retry_after_seconds > MAX_WAIT_SECONDS else error.retry_after_seconds + spread


def _attempt(request: Request, timeout: float) -> dict[str, Any]:
    try:
        try:
            with _opener.open(request, timeout=timeout) as response:
                status, request_id = response.status, response.headers.get("x-request-id")
                text = response.read(MAX_RESPONSE_BYTES + 1)
        except HTTPError as refusal:
            with refusal:
                text = refusal.read(MAX_RESPONSE_BYTES)
            raise error_from_response(refusal.code, refusal.headers, text.decode(errors="replace")) from None
    except (OSError, http.client.HTTPException) as cause:
        raise _error_from_failure(cause) from cause
    try:
        answer = json.loads(text) if len(text) <= MAX_RESPONSE_BYTES else None
    except ValueError:
        answer = None
    if isinstance(answer, dict):
        return answer
    words = "The answer is not a JSON object"
    raise InvalidResponseError(words, status=status, code="INVALID_RESPONSE", request_id=request_id)


def _error_from_failure(cause: OSError | http.client.HTTPException) -> GatewayConnectionError:
    reason = cause.reason if isinstance(cause, URLError) else cause
    if isinstance(reason, TimeoutError):
        return GatewayConnectionError("Timed out waiting for the gateway", status=0, code="TIMEOUT", retryable=True)
    words = f"Could not reach the gateway: {reason}"
    return GatewayConnectionError(words, status=0, code="UNREACHABLE", retryable=True)
