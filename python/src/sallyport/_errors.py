"""The errors that this package raises, and how they are read from a response of the gateway."""

from __future__ import annotations

import json
import math
import time
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Any


class SallyportError(Exception):
    """A refusal or a failure. The text is the gateway's own words."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str | None = None,
        retryable: bool = False,
        retry_after_seconds: int | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        #: The HTTP status; 0 if no response arrived.
        self.status = status
        #: The gateway's machine-readable code, or `TIMEOUT`, `UNREACHABLE` or `INVALID_RESPONSE`; None if there is none.
        self.code = code
        #: Whether the same request may succeed later.
        self.retryable = retryable
        #: How long to wait before a retry, if the gateway says so.
        self.retry_after_seconds = retry_after_seconds
        #: Identifies the request in the gateway's log.
        self.request_id = request_id


class InvalidRequestError(SallyportError):
    """4xx without a class of its own: a field is wrong; the message begins with its name."""


class AuthenticationError(SallyportError):
    """401: the API key is wrong, expired or revoked."""


class PermissionDeniedError(SallyportError):
    """403: for example a blocked user, or a tier that the project does not have."""


class NotFoundError(SallyportError):
    """404: the address is not that of a project."""


class RateLimitError(SallyportError):
    """429: `retry_after_seconds` says how long to wait."""


class ServerError(SallyportError):
    """5xx: the gateway, or a proxy before it, cannot answer now."""


class GatewayConnectionError(SallyportError):
    """No response arrived; `code` is `TIMEOUT` or `UNREACHABLE`."""


class InvalidResponseError(SallyportError):
    """The response is not the gateway's, for example because base_url leads elsewhere."""


_classes: dict[int, type[SallyportError]] = {
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    429: RateLimitError,
}


def error_from_response(status: int, headers: Message, text: str) -> SallyportError:
    """The body may be something else than JSON, for example from a proxy."""
    body = _read_object(text)
    nested = body.get("error")
    inner = nested if isinstance(nested, dict) else {}
    message = _find_text(body.get("message"), nested, inner.get("message"))
    is_transient = status in (408, 429) or status >= 500
    retryable = body.get("retryable")
    if status < 400:
        return InvalidResponseError(f"The gateway answered with status {status}", status=status, code="INVALID_RESPONSE")
    kind = _classes.get(status, ServerError if status >= 500 else InvalidRequestError)
    return kind(
        message or f"The gateway answered with status {status}",
        status=status,
        code=_find_text(body.get("code"), inner.get("code")),
        retryable=retryable if isinstance(retryable, bool) else is_transient,
        retry_after_seconds=_read_retry_after(headers.get("retry-after")),
        request_id=headers.get("x-request-id"),
    )


def _read_object(text: str) -> dict[str, Any]:
    try:
        body = json.loads(text)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _find_text(*values: object) -> str | None:
    return next((value for value in values if isinstance(value, str) and value != ""), None)


def _read_retry_after(header: str | None) -> int | None:
    if header is None:
        return None
    if header.isascii() and header.isdigit():
        return int(header)
    try:
        seconds = parsedate_to_datetime(header).timestamp() - time.time()
    except ValueError:
        return None
    return max(0, math.ceil(seconds))
