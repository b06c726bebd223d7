"""Verifies deliveries to webhooks, which are signed by the Standard Webhooks convention."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


class WebhookError(Exception):
    """The delivery is not authentic: answer with 401, and do nothing else."""


@dataclass(frozen=True)
class WebhookEvent:
    """`id` is the same in each attempt to deliver the event: skip those that you have seen."""

    id: str
    type: str
    timestamp: datetime
    tenant_id: str
    project_id: str | None
    data: dict[str, Any]


def verify_webhook(
    secret: str, headers: Mapping[str, str], body: bytes, *, tolerance_seconds: float = 300
) -> WebhookEvent:
    """
    Returns the event of an authentic delivery, and raises a `WebhookError` otherwise. `body` holds the bytes as they
    arrived, and the names of `headers` may have any case.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    delivery_id, sent_at = lower.get("webhook-id", ""), lower.get("webhook-timestamp", "")
    key = _read_key(secret)
    if not (sent_at.isascii() and sent_at.isdigit() and len(sent_at) <= 12):
        raise WebhookError("The header webhook-timestamp is missing or wrong")
    if abs(time.time() - int(sent_at)) > tolerance_seconds:
        raise WebhookError("The delivery is too old, or the clock is wrong")
    signed = f"{delivery_id}.{sent_at}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
    # During a rotation there are two.
    given = lower.get("webhook-signature", "").split(" ")
    if not any(hmac.compare_digest(each.encode(), expected) for each in given):
        raise WebhookError("No signature matches the secret")
    return _read_event(delivery_id, body)


def _read_key(secret: str) -> bytes:
    prefix, _, encoded = secret.partition("_")
    try:
        if prefix == "whsec" and encoded != "":
            return base64.b64decode(encoded, validate=True)
    except binascii.Error:
        pass
    raise ValueError("secret must be that of a webhook: whsec_…")


def _read_event(delivery_id: str, body: bytes) -> WebhookEvent:
    event = json.loads(body)
    sent = datetime.fromisoformat(event["timestamp"].replace("Z", "+00:00"))
    return WebhookEvent(delivery_id, event["type"], sent, event["tenant_id"], event["project_id"], event["data"])
