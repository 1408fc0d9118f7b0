"""Receive webhooks, and take only what RAGSpine has signed just now. Needs nothing but Python.

RAGSPINE_WEBHOOK_SECRET=… python receive_webhook.py 9000
"""

import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRET = os.environ["RAGSPINE_WEBHOOK_SECRET"].encode()
SEEN: set[tuple[str, str]] = set()
"""In a real app: a table."""


def is_genuine(at: str, given: str, body: bytes) -> bool:
    """Whether one of the given signatures is ours, and the message is not an old one."""
    expected = "v1=" + hmac.new(SECRET, at.encode() + b"." + body, hashlib.sha256).hexdigest()
    is_fresh = at.isdecimal() and abs(time.time() - int(at)) < 300
    return is_fresh and any(hmac.compare_digest(expected, signature) for signature in given.split(","))


class Receiver(BaseHTTPRequestHandler):
    """Answers 204 once a message is kept; anything else brings it again."""

    def do_POST(self) -> None:
        """Take one message."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        at, given = self.headers.get("Ragspine-Timestamp", ""), self.headers.get("Ragspine-Signature", "")
        genuine = is_genuine(at, given, body)
        if genuine:
            ask = json.loads(body)
            if (ask["ask_id"], ask["finished_at"]) not in SEEN:  # it may come more than once
                SEEN.add((ask["ask_id"], ask["finished_at"]))
                print(ask["ask_id"], ask["state"], (ask["answer"] or ask["error"]), flush=True)
        self.send_response(204 if genuine else 401)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing else."""


if __name__ == "__main__":
    HTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
