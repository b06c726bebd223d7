"""A server that answers as the test wants, for what the running product does not do on demand: failures and delays."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, str], Any]
Answering = Callable[[dict[str, Any], int], Answer]


def grant(body: dict[str, Any], index: int) -> Answer:
    """A token of its own for each mint, in the session that it names."""
    session_id = body.get("session_id", f"opened-{index}")
    return 200, {}, {"access_token": f"token-{index}", "expires_in": body.get("ttl", 3600), "session_id": session_id}


class AnsweringServer:
    """Its `received` are the bodies in their order. Use it in a `with`."""

    def __init__(self, answering: Answering = grant) -> None:
        received: list[dict[str, Any]] = []
        self.received = received
        self.answering = answering
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                received.append(body)
                status, headers, answer = outer.answering(body, len(received) - 1)
                text = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(status)
                for name, value in {"content-length": str(len(text)), **headers}.items():
                    self.send_header(name, value)
                try:
                    self.end_headers()
                    self.wfile.write(text)
                except BrokenPipeError:
                    # The client did not wait.
                    self.close_connection = True

            def do_GET(self) -> None:
                received.append({"GET": self.path})
                self.send_error(404)

            def log_message(self, *_: Any) -> None:
                """Prints nothing: the test's output is for failures."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/p/a"

    def __enter__(self) -> AnsweringServer:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
