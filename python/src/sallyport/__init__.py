"""Tokens of the Sallyport LLM gateway for Python servers: mints, providers for client libraries, webhooks, errors."""

from ._errors import (
    AuthenticationError,
    GatewayConnectionError,
    InvalidRequestError,
    InvalidResponseError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    SallyportError,
    ServerError,
)
from ._sallyport import MintedToken, Sallyport, TokenProvider
from ._version import __version__
from ._webhooks import WebhookError, WebhookEvent, verify_webhook

__all__ = [
    "AuthenticationError",
    "GatewayConnectionError",
    "InvalidRequestError",
    "InvalidResponseError",
    "MintedToken",
    "NotFoundError",
    "PermissionDeniedError",
    "RateLimitError",
    "Sallyport",
    "SallyportError",
    "ServerError",
    "TokenProvider",
    "WebhookError",
    "WebhookEvent",
    "__version__",
    "verify_webhook",
]
