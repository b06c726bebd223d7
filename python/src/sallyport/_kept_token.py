"""Keeps one token and renews it before it expires. Callers in all threads and event loops share one renewal."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

from ._errors import SallyportError

#: Longer than the margin in browsers, so that a token that a browser wants to renew is renewed here too.
MARGIN_SHARE = 0.2
MAX_MARGIN_SECONDS = 120.0
#: A token with less time left may expire before the gateway receives it.
USABLE_SECONDS = 5.0
#: The pause between two attempts to renew a token that is still usable.
PAUSE_SECONDS = 5.0


@dataclass(frozen=True)
class Minted:
    """What the gateway granted. `expires_at` is in seconds since 1970, by this machine's clock."""

    token: str
    session_id: str
    expires_at: float
    warning: str | None


@dataclass
class _Kept:
    value: Minted
    renew_at: float


class KeptToken:
    """`load` gets whether no usable token is left, so that waiting for a retry is better than failing."""

    def __init__(self, load: Callable[[bool], Minted]) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._kept: _Kept | None = None
        self._pending: Future[Minted] | None = None

    def get(self) -> Minted:
        future, is_first = self._begin()
        if is_first:
            self._renew(future)
        return future.result()

    async def get_async(self) -> Minted:
        future, is_first = self._begin()
        if is_first:
            # A thread of its own: a busy executor could delay the renewal, and a cancelled caller could prevent it.
            threading.Thread(target=self._renew, args=(future,), name="sallyport-renewal", daemon=True).start()
        if future.done():
            return future.result()
        return await asyncio.wrap_future(future)

    def drop(self, token: str | None = None) -> None:
        """Drops this token (or any, by default), so that the next `get` loads another."""
        with self._lock:
            if self._kept is not None and token in (None, self._kept.value.token):
                self._kept = None

    def _begin(self) -> tuple[Future[Minted], bool]:
        """Returns the token, or the renewal in flight, and whether the caller has to carry it out."""
        with self._lock:
            if self._kept is not None and time.time() < self._kept.renew_at:
                ready: Future[Minted] = Future()
                ready.set_result(self._kept.value)
                return ready, False
            if self._pending is not None:
                return self._pending, False
            self._pending = Future()
            # From now on it cannot be cancelled by one of those who wait.
            self._pending.set_running_or_notify_cancel()
            return self._pending, True

    def _renew(self, future: Future[Minted]) -> None:
        with self._lock:
            kept = self._kept
        old = kept if kept is not None and time.time() < kept.value.expires_at - USABLE_SECONDS else None
        try:
            value = self._load(old is None)
        except BaseException as error:
            self._fail(future, old, error)
            return
        margin = min(MAX_MARGIN_SECONDS, (value.expires_at - time.time()) * MARGIN_SHARE)
        with self._lock:
            self._kept = _Kept(value, value.expires_at - margin)
            self._pending = None
        future.set_result(value)

    def _fail(self, future: Future[Minted], old: _Kept | None, error: BaseException) -> None:
        with self._lock:
            self._pending = None
            # If the old token was dropped meanwhile, it must not be used.
            is_usable = old is not None and self._kept is old
            if old is not None and is_usable and isinstance(error, SallyportError) and error.retryable:
                old.renew_at = min(time.time() + PAUSE_SECONDS, old.value.expires_at - USABLE_SECONDS)
            else:
                self._kept = old = None
        if old is None:
            future.set_exception(error)
        else:
            future.set_result(old.value)
