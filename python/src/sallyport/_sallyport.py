"""Mints short-lived tokens with a project's API key. One token per session is kept and renewed before it expires."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Literal
from urllib.parse import urlsplit

from ._errors import InvalidResponseError, NotFoundError
from ._http import post_json
from ._kept_token import KeptToken, Minted

Role = Literal["user", "dashboard-service", "admin"]

MAX_KEPT = 10_000


@dataclass(frozen=True)
class MintedToken:
    """A token, and how long it is valid by this machine's clock."""

    token: str = field(repr=False)
    session_id: str
    expires_at: datetime
    #: What may be wrong with the options all the same, such as a tier that the project does not have.
    warning: str | None = None

    @property
    def ttl(self) -> int:
        """The seconds that are left."""
        return max(0, math.ceil(self.expires_at.timestamp() - time.time()))

    def to_dict(self) -> dict[str, Any]:
        """The JSON that `createTokenProvider` of the SDK for JavaScript reads."""
        expires_at = self.expires_at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return {"token": self.token, "ttl": self.ttl, "sessionId": self.session_id, "expiresAt": expires_at}


@dataclass(frozen=True)
class _Request:
    user_id: str
    role: Role | None
    ttl: int | None
    tier: str | None
    session_id: str | None

    def to_wire(self, session_id: str | None) -> dict[str, Any]:
        wire = {
            "user_id": self.user_id,
            "role": self.role,
            "ttl": self.ttl,
            "tier": self.tier,
            "session_id": session_id,
        }
        return {name: value for name, value in wire.items() if value is not None}


class TokenProvider:
    """
    Returns a valid token at each call: `OpenAI(api_key=provider)`, and `AsyncOpenAI(api_key=provider.get_async)`.
    Safe to use from many threads and event loops.
    """

    def __init__(self, kept: KeptToken) -> None:
        self._kept = kept

    def __call__(self) -> str:
        return self._kept.get().token

    async def get_async(self) -> str:
        return (await self._kept.get_async()).token

    def reject(self, token: str | None = None) -> None:
        """Call this when the gateway has refused the token (by default: any), so that the next call mints another."""
        self._kept.drop(token)


class Sallyport:
    """Mints tokens for the end users of a project, on your server. Safe to use from many threads and event loops."""

    def __init__(self, base_url: str, api_key: str, *, timeout: float = 10.0, max_retries: int = 2) -> None:
        """
        `base_url` is the project's address: `https://{slug}.{domain}` or `{BASE_URL}/p/{slug}`.
        `timeout` is for connecting and for each read; `max_retries` follow the first attempt.
        """
        if not isinstance(api_key, str) or api_key == "":
            raise TypeError("api_key must be the API key of the project (service_sk_live_…)")
        #: The project's address without a slash or `/v1` at its end: what `Anthropic` takes. `OpenAI` takes it with `/v1`.
        self.base_url = _read_base_url(base_url)
        self._api_key = api_key
        self._timeout = timeout
        self._max_retries = max_retries
        self._lock = threading.Lock()
        #: Least recently used first.
        self._kept_by_request: OrderedDict[_Request, KeptToken] = OrderedDict()

    def mint(
        self,
        user_id: str,
        *,
        role: Role | None = None,
        ttl: int | None = None,
        tier: str | None = None,
        session_id: str | None = None,
        fresh: bool = False,
    ) -> MintedToken:
        """
        Take `user_id` from the verified session of your application and `tier` from your billing data, never from the
        client's input. `ttl` is in seconds, 60 to 86400. `fresh` mints again even if the kept token is still valid.
        """
        kept = self._keep(_Request(user_id, role, ttl, tier, session_id), fresh)
        return _present(kept.get())

    async def mint_async(
        self,
        user_id: str,
        *,
        role: Role | None = None,
        ttl: int | None = None,
        tier: str | None = None,
        session_id: str | None = None,
        fresh: bool = False,
    ) -> MintedToken:
        """As `mint`, without blocking the event loop."""
        kept = self._keep(_Request(user_id, role, ttl, tier, session_id), fresh)
        return _present(await kept.get_async())

    def tokens(
        self,
        user_id: str,
        *,
        role: Role | None = None,
        ttl: int | None = None,
        tier: str | None = None,
        session_id: str | None = None,
    ) -> TokenProvider:
        """Tokens for the client libraries of a server that calls models on behalf of its user."""
        return TokenProvider(self._keep(_Request(user_id, role, ttl, tier, session_id), False))

    def _keep(self, request: _Request, fresh: bool) -> KeptToken:
        with self._lock:
            kept = self._kept_by_request.get(request) or self._make_kept(request)
            self._remember(request, kept)
        if fresh:
            kept.drop()
        return kept

    def _remember(self, request: _Request, kept: KeptToken) -> None:
        self._kept_by_request[request] = kept
        self._kept_by_request.move_to_end(request)
        if len(self._kept_by_request) > MAX_KEPT:
            self._kept_by_request.popitem(last=False)

    def _make_kept(self, request: _Request) -> KeptToken:
        session_id = request.session_id

        def load(is_urgent: bool) -> Minted:
            nonlocal session_id
            minted = self._post(request.to_wire(session_id), self._max_retries if is_urgent else 0)
            if session_id is None:
                # A later mint that names the session gets the same token.
                session_id = minted.session_id
                named = _Request(request.user_id, request.role, request.ttl, request.tier, session_id)
                with self._lock:
                    self._remember(named, kept)
            return minted

        kept = KeptToken(load)
        return kept

    def _post(self, body: dict[str, Any], max_retries: int) -> Minted:
        started_at = time.time()
        url = f"{self.base_url}/v1/auth/mint"
        try:
            answer = post_json(url, self._api_key, body, timeout=self._timeout, max_retries=max_retries)
        except NotFoundError as error:
            if error.message != "Not found" or "/p/" in self.base_url:
                raise
            words = f"Not found: base_url must be the address of a project, but …/p/{{slug}} is missing in {self.base_url}"
            raise NotFoundError(words, status=404, request_id=error.request_id) from error
        return _read_minted(answer, started_at)


def _read_base_url(base_url: str) -> str:
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or parts.hostname is None or "@" in parts.netloc:
        raise ValueError("base_url must be an address such as https://amber-falcon-4821.example.com")
    return f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/").removesuffix("/v1")


def _read_minted(answer: dict[str, Any], started_at: float) -> Minted:
    token, seconds, session_id = (answer.get(name) for name in ("access_token", "expires_in", "session_id"))
    if not isinstance(token, str) or not isinstance(seconds, (int, float)) or not isinstance(session_id, str):
        words = "The answer holds no token; base_url must be the address of a project, not of the management API"
        raise InvalidResponseError(words, status=200, code="INVALID_RESPONSE")
    warning = answer.get("warning")
    return Minted(token, session_id, started_at + seconds, warning if isinstance(warning, str) else None)


def _present(minted: Minted) -> MintedToken:
    expires_at = datetime.fromtimestamp(minted.expires_at, timezone.utc)
    return MintedToken(minted.token, minted.session_id, expires_at, minted.warning)
