#!/usr/bin/env python3
"""Receives webhooks with the standard library of Python 3.9 or later: verify, store, answer, then work."""

import base64
import hashlib
import hmac
import json
import os
import re
import sqlite3
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_SECONDS = 300
MAX_BODY_BYTES = 256 * 1024


def verify(headers, body, secrets, now=None):
    """Whether a request is from the notifier. `body`: the bytes as received; `now`: seconds since 1970."""
    event_id = headers.get("webhook-id")
    timestamp = headers.get("webhook-timestamp")
    signatures = headers.get("webhook-signature")
    if not (event_id and timestamp and signatures):
        return False
    if not re.fullmatch("[0-9]{1,12}", timestamp):
        return False
    if abs(int(time.time() if now is None else now) - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed_text = f"{event_id}.{timestamp}.".encode() + body
    is_genuine = False
    for secret in secrets:
        key = base64.b64decode(secret.removeprefix("whsec_"))
        digest = hmac.new(key, signed_text, hashlib.sha256).digest()
        expected = b"v1," + base64.b64encode(digest)
        for given in signatures.split(" "):
            is_genuine |= hmac.compare_digest(expected, given.encode())
    return is_genuine


def is_newer(event, known):
    """Whether an event comes after the last one that was applied to its record; `known` is None at first."""
    return known is None or position(event) > position(known)


def position(event):
    # An event without an epoch precedes all that have one. Epochs compare as texts.
    return (event.get("epoch") or "", event["sequence"])


class Inbox:
    """Every event once, and the last event of every record, in a SQLite file."""

    def __init__(self, file):
        self.lock = threading.Lock()
        self.database = sqlite3.connect(file, check_same_thread=False, isolation_level=None)
        self.database.execute("CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY, event TEXT)")
        self.database.execute(
            "CREATE TABLE IF NOT EXISTS records (record TEXT PRIMARY KEY, id TEXT, event TEXT)"
        )

    def take(self, event):
        """Stores an event and returns whether it is new. Once it returns, answer 2xx."""
        # Event and record in one transaction: a repeat is dropped, so the record must be stored too.
        with self.lock:
            self.database.execute("BEGIN IMMEDIATE")
            try:
                is_new = self._take_new(event)
                self.database.execute("COMMIT")
            except BaseException:
                self.database.execute("ROLLBACK")
                raise
            return is_new

    def _take_new(self, event):
        text = json.dumps(event)
        stored = self.database.execute("INSERT OR IGNORE INTO events VALUES (?, ?)", (event["id"], text))
        if stored.rowcount == 0:
            return False
        if re.match(r"workforce\.(timesheet|pay_period)\.", event["type"]):
            record = f"{event['source']}/{event['subject']}"
            row = self.database.execute("SELECT event FROM records WHERE record = ?", (record,)).fetchone()
            if is_newer(event, None if row is None else json.loads(row[0])):
                # Every event has the whole record in data.current, but `details` only when they changed.
                values = (record, event["subject"], text)
                self.database.execute("INSERT OR REPLACE INTO records VALUES (?, ?, ?)", values)
        return True

    def states(self):
        """The last applied sequence by record id, for tests with `test --probe`."""
        with self.lock:
            rows = self.database.execute("SELECT id, event FROM records").fetchall()
        return {record: json.loads(event)["sequence"] for record, event in rows}


def work(event):
    """Called with each new event, after the sender was answered. The inbox holds it."""
    print(event["type"], event.get("subject", ""), event["sequence"], flush=True)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = self.headers.get("content-length", "")
        if not length.isdigit() or int(length) > MAX_BODY_BYTES:
            self.close_connection = True
            return self.answer(413 if length.isdigit() else 411)
        # The raw bytes are what is signed: JSON that was parsed and written again has another signature.
        body = self.rfile.read(int(length))
        if self.path != "/hook":
            return self.answer(404)
        if not verify(self.headers, body, self.server.secrets):
            return self.answer(401)
        try:
            event = json.loads(body)
            is_example = event["id"].startswith("example-")
        except (ValueError, KeyError, TypeError, AttributeError):
            return self.answer(400)
        # Somebody tests the delivery; nothing happened.
        if is_example:
            return self.answer(204)
        is_new = self.server.inbox.take(event)
        self.answer(204)
        if is_new:
            work(event)

    def do_GET(self):
        # For tests on this machine. Leave it out in production.
        if self.path == "/states":
            return self.answer(200, json.dumps(self.server.inbox.states()).encode())
        self.answer(405 if self.path == "/hook" else 404)

    def do_HEAD(self):
        self.answer(405)

    def answer(self, status, body=b""):
        self.send_response(status)
        if status != 204:
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 128


def main():
    secrets = [os.environ.get(name) for name in ("WEBHOOK_SECRET", "WEBHOOK_PREVIOUS_SECRET")]
    if not secrets[0]:
        sys.exit("set WEBHOOK_SECRET to the signing secret of the webhook, whsec_...")
    server = Server(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Handler)
    server.secrets = [secret for secret in secrets if secret]
    server.inbox = Inbox(os.environ.get("INBOX", ":memory:"))
    print(f"listening on http://127.0.0.1:{server.server_address[1]}/hook", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
