"""Failures become typed errors; only what may succeed later is repeated; a redirect never sees the API key."""

import time
import unittest

from gateway import AnsweringServer, grant

import sallyport
from sallyport import Sallyport, SallyportError

KEY = "service_sk_live_00112233445566778899aabbccddeeff"


class Errors(unittest.TestCase):
    def setUp(self) -> None:
        self.server = self.enterContext(AnsweringServer())

    def fail_with(self, status: int, headers: dict, body: object, **options: int) -> SallyportError:
        self.server.answering = lambda *_: (status, headers, body)
        with self.assertRaises(SallyportError) as caught:
            Sallyport(self.server.url, KEY, **options).mint("user-1")
        return caught.exception

    def test_they_carry_what_the_gateway_says(self) -> None:
        headers = {"retry-after": "1800", "x-request-id": "r-1"}
        error = self.fail_with(429, headers, {"error": "Mint rate limit exceeded", "code": "RATE_LIMITED"})
        self.assertIsInstance(error, sallyport.RateLimitError)
        self.assertEqual(
            (str(error), error.status, error.code, error.retryable, error.retry_after_seconds, error.request_id),
            ("Mint rate limit exceeded", 429, "RATE_LIMITED", True, 1800, "r-1"),
        )
        self.assertEqual(len(self.server.received), 1)

    def test_each_has_its_class(self) -> None:
        expected = {
            400: sallyport.InvalidRequestError,
            401: sallyport.AuthenticationError,
            403: sallyport.PermissionDeniedError,
            404: sallyport.NotFoundError,
            502: sallyport.ServerError,
            200: sallyport.InvalidResponseError,
            307: sallyport.InvalidResponseError,
        }
        for status, kind in expected.items():
            error = self.fail_with(status, {}, b"<html>", max_retries=0)
            self.assertEqual((type(error), error.status), (kind, status))
            self.assertNotIn(KEY, repr(error.__dict__))

    def test_a_redirect_is_not_followed(self) -> None:
        with AnsweringServer() as other:
            self.fail_with(302, {"location": other.url}, {})
            self.assertEqual(other.received, [])

    def test_what_may_succeed_later_is_repeated_not_before_retry_after(self) -> None:
        began = time.monotonic()
        self.server.answering = lambda body, index: (
            grant(body, index) if index == 2 else (503, {"retry-after": "1"} if index == 0 else {}, {})
        )
        self.assertEqual(Sallyport(self.server.url, KEY).mint("user-1").token, "token-2")
        self.assertGreaterEqual(time.monotonic() - began, 1)

    def test_a_silent_and_an_absent_gateway(self) -> None:
        def silent(*_: object):
            time.sleep(1)
            return 200, {}, {}

        self.server.answering = silent
        for url, code in ((self.server.url, "TIMEOUT"), ("http://127.0.0.1:9/p/a", "UNREACHABLE")):
            with self.assertRaises(sallyport.GatewayConnectionError) as caught:
                Sallyport(url, KEY, timeout=0.2, max_retries=0).mint("user-1")
            self.assertEqual((caught.exception.status, caught.exception.code), (0, code))

    def test_addresses(self) -> None:
        for ending in ("", "/", "/v1", "/v1/"):
            self.assertEqual(Sallyport(f"http://localhost/p/a{ending}", KEY).base_url, "http://localhost/p/a")
        for wrong in ("localhost:8080", "ftp://localhost", "http://user:secret@localhost"):
            with self.assertRaisesRegex(ValueError, "base_url must be"):
                Sallyport(wrong, KEY)
        with self.assertRaisesRegex(TypeError, "api_key"):
            Sallyport("http://localhost", "")


if __name__ == "__main__":
    unittest.main()
