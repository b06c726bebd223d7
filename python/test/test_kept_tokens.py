"""One token per session: shared by threads and event loops, renewed before it expires, kept while a renewal fails."""

import asyncio
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import patch

from gateway import AnsweringServer, grant

from sallyport import AuthenticationError, Sallyport, ServerError

KEY = "service_sk_live_00112233445566778899aabbccddeeff"


class Clock:
    """Shifts the time that the package sees."""

    def __init__(self) -> None:
        self.shift = 0.0
        self._time = time.time

    def __call__(self) -> float:
        return self._time() + self.shift


class KeptTokens(unittest.TestCase):
    def setUp(self) -> None:
        self.server = self.enterContext(AnsweringServer())
        self.clock = Clock()
        self.enterContext(patch("time.time", self.clock))
        self.sallyport = Sallyport(self.server.url, KEY)

    def test_threads_share_one_mint(self) -> None:
        barrier = threading.Barrier(20)

        def mint(_: int) -> str:
            barrier.wait()
            return self.sallyport.mint("user-1").token

        with ThreadPoolExecutor(20) as pool:
            tokens = set(pool.map(mint, range(20)))
        self.assertEqual((tokens, len(self.server.received)), ({"token-0"}, 1))

    def test_tasks_and_threads_share_one_mint_that_does_not_block_the_loop(self) -> None:
        def slowly(body: dict, index: int):
            time.sleep(0.3)
            return grant(body, index)

        self.server.answering = slowly
        provider = self.sallyport.tokens("user-1")

        async def run() -> tuple[set[str], int]:
            ticks = 0

            async def tick() -> None:
                nonlocal ticks
                while True:
                    await asyncio.sleep(0.01)
                    ticks += 1

            ticking = asyncio.create_task(tick())
            waiting = [asyncio.create_task(provider.get_async()) for _ in range(200)]
            in_thread = asyncio.to_thread(provider)
            await asyncio.sleep(0.05)
            # One that no longer waits takes nothing from the others.
            waiting.pop(0).cancel()
            tokens = {await in_thread, *await asyncio.gather(*waiting)}
            ticking.cancel()
            return tokens, ticks

        tokens, ticks = asyncio.run(run())
        self.assertEqual((tokens, len(self.server.received)), ({"token-0"}, 1))
        self.assertGreater(ticks, 5)

    def test_other_options_get_another_token_and_a_named_session_the_same(self) -> None:
        first = self.sallyport.mint("user-1")
        self.assertEqual(self.sallyport.mint("user-1", session_id=first.session_id).token, first.token)
        for options in ({"tier": "gold"}, {"ttl": 60}, {"role": "admin"}, {"session_id": "s"}):
            self.assertNotEqual(self.sallyport.mint("user-1", **options).token, first.token)
        self.assertNotEqual(self.sallyport.mint("user-2").token, first.token)

    def test_it_is_renewed_before_it_expires_in_the_same_session(self) -> None:
        first = self.sallyport.mint("user-1", ttl=100)
        self.clock.shift = 79
        self.assertEqual(self.sallyport.mint("user-1", ttl=100).token, first.token)
        self.clock.shift = 81
        second = self.sallyport.mint("user-1", ttl=100)
        self.assertEqual((second.token, second.session_id), ("token-1", first.session_id))
        self.assertEqual(self.server.received[1]["session_id"], first.session_id)

    def test_a_failed_renewal_does_no_harm_while_the_token_is_valid(self) -> None:
        first = self.sallyport.mint("user-1", ttl=100)
        self.server.answering = lambda *_: (503, {}, {"error": "Database unavailable"})
        for shift, mints in ((85, 2), (86, 2), (91, 3)):
            self.clock.shift = shift
            self.assertEqual(self.sallyport.mint("user-1", ttl=100).token, first.token)
            self.assertEqual(len(self.server.received), mints)
        self.clock.shift = 96
        with self.assertRaises(ServerError):
            self.sallyport.mint("user-1", ttl=100)
        self.server.answering = grant
        self.assertNotEqual(self.sallyport.mint("user-1", ttl=100).token, first.token)

    def test_a_refused_renewal_is_an_error_at_once(self) -> None:
        self.sallyport.mint("user-1", ttl=100)
        self.server.answering = lambda *_: (401, {}, {"error": "API key revoked"})
        self.clock.shift = 85
        with self.assertRaisesRegex(AuthenticationError, "API key revoked"):
            asyncio.run(self.sallyport.mint_async("user-1", ttl=100))

    def test_a_rejected_token_is_replaced_and_a_newer_one_is_not(self) -> None:
        provider = self.sallyport.tokens("user-1")
        first = provider()
        provider.reject(first)
        second = provider()
        provider.reject(first)
        self.assertEqual((first, second, provider()), ("token-0", "token-1", "token-1"))
        self.assertEqual(self.sallyport.mint("user-1", fresh=True).token, "token-2")
        self.assertEqual(provider(), "token-2")

    def test_those_used_last_are_kept(self) -> None:
        with patch("sallyport._sallyport.MAX_KEPT", 2):
            for user, mints in (("a", 1), ("b", 2), ("a", 2), ("c", 3), ("a", 3), ("b", 4)):
                self.sallyport.mint(user, session_id="s")
                self.assertEqual(len(self.server.received), mints)


if __name__ == "__main__":
    unittest.main()
