"""A token endpoint on Python's own HTTP server: GET /token mints a token for the user who is signed in."""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from sallyport import Sallyport, SallyportError

if not os.environ.get("SALLYPORT_URL") or not os.environ.get("SALLYPORT_API_KEY"):
    sys.exit("Set SALLYPORT_URL to the address of your project, and SALLYPORT_API_KEY to its API key. See README.md.")

sallyport = Sallyport(os.environ["SALLYPORT_URL"], os.environ["SALLYPORT_API_KEY"])


def mint(user_id, fresh):
    """Returns the status and body for the page, which `createTokenProvider` reads as it is."""
    try:
        return 200, sallyport.mint(user_id, fresh=fresh).to_dict()
    except SallyportError as error:
        # The page has no part in what is wrong with the API key; the log shows the gateway's own words.
        print("No token:", error.status, error, error.request_id, file=sys.stderr)
        return 502, {"error": "No token can be minted now"}


class TokenHandler(BaseHTTPRequestHandler):
    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path != "/token":
            self.send_error(404)
            return
        # Take the user from your own session. Anybody who may choose it could act as somebody else.
        status, answer = mint("user-1", fresh="fresh=true" in query.split("&"))
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), TokenHandler)
    print(f"GET http://localhost:{server.server_port}/token", flush=True)
    server.serve_forever()
