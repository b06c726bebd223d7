"""The package against the running product, whose project the environment names."""

import asyncio
import json
import os
import unittest
from urllib.request import Request, urlopen

import sallyport
from sallyport import Sallyport

URL = os.environ["SALLYPORT_URL"]
KEY = os.environ["SALLYPORT_API_KEY"]


def list_models(token: str) -> int:
    with urlopen(Request(f"{URL}/v1/models", headers={"Authorization": f"Bearer {token}"})) as response:
        return response.status


class Product(unittest.TestCase):
    def setUp(self) -> None:
        self.sallyport = Sallyport(URL, KEY)

    def test_a_minted_token_opens_the_models(self) -> None:
        minted = self.sallyport.mint("user-python", ttl=120)
        self.assertEqual(list_models(minted.token), 200)
        self.assertLessEqual(minted.ttl, 120)
        self.assertGreater(minted.ttl, 60)
        self.assertIsNone(minted.warning)
        self.assertNotIn(minted.token, repr(minted))
        shown = json.loads(json.dumps(minted.to_dict()))
        self.assertEqual(list(shown), ["token", "ttl", "sessionId", "expiresAt"])

    def test_providers_for_threads_and_for_asyncio(self) -> None:
        provider = self.sallyport.tokens("user-python")
        first = provider()
        self.assertEqual((asyncio.run(provider.get_async()), list_models(first)), (first, 200))
        provider.reject(first)
        second = asyncio.run(provider.get_async())
        self.assertNotEqual(second, first)
        self.assertEqual(list_models(second), 200)

    def test_a_tier_that_the_project_does_not_have_is_a_warning(self) -> None:
        minted = asyncio.run(self.sallyport.mint_async("user-python", tier="gold"))
        self.assertEqual(minted.warning, 'The project has no tier "gold"')

    def test_refusals(self) -> None:
        with self.assertRaisesRegex(sallyport.InvalidRequestError, "ttl") as refused:
            self.sallyport.mint("user-python", ttl=1)
        self.assertEqual((refused.exception.status, refused.exception.retryable), (400, False))
        self.assertTrue(refused.exception.request_id)
        with self.assertRaisesRegex(sallyport.AuthenticationError, "Invalid API key"):
            Sallyport(URL, "service_sk_live_" + "0" * 32).mint("user-python")
        with self.assertRaisesRegex(sallyport.NotFoundError, "/p/{slug} is missing"):
            Sallyport(URL.split("/p/")[0], KEY).mint("user-python")


if __name__ == "__main__":
    unittest.main()
