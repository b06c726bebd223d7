"""A token endpoint with nothing but the standard library: GET /token mints a token for the user who is signed in."""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen


def mint(user_id):
    """Returns the status and body of the gateway's answer, which the SDK reads as it is."""
    request = Request(
        f"{os.environ['SALLYPORT_URL'].rstrip('/')}/v1/auth/mint",
        data=json.dumps({"user_id": user_id, "ttl": 3600}).encode(),
        headers={
            "Authorization": f"Bearer {os.environ['SALLYPORT_API_KEY']}",
            "Content-Type": "application/json",
        },
    )
    try:
        with urlopen(request, timeout=10) as response:
            return response.status, response.read()
    except HTTPError as error:
        # The page has no part in what is wrong with the API key; the log shows the gateway's own words.
        print("The gateway refused:", error.code, error.read().decode(), file=sys.stderr)
    except URLError as error:
        print("The gateway is unreachable:", error.reason, file=sys.stderr)
    return 502, b'{"error": "No token can be minted now"}'


class TokenHandler(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path.split("?")[0] != "/token":
            self.send_error(404)
            return
        # Take the user from your own session. Anybody who may choose it could act as somebody else.
        status, body = mint("user-1")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    if not os.environ.get("SALLYPORT_URL") or not os.environ.get("SALLYPORT_API_KEY"):
        sys.exit("Set SALLYPORT_URL to the address of your project, and SALLYPORT_API_KEY to its API key. See README.md.")
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), TokenHandler)
    print(f"GET http://localhost:{server.server_port}/token", flush=True)
    server.serve_forever()
