#!/usr/bin/env python3
"""Pays approved hours, each once, with the standard library of Python 3.9 or later: docs/subscribing.md."""

import json
import math
import sqlite3
import sys
from datetime import datetime, timezone


def enter(event, book, since):
    """Takes an event into the book. Events may come in any order and more than once. `since`: when we began to pay."""
    key = f"{event['source']}/{event['subject']}"
    entry = book.get(key) or {"position": None, "current": None, "opening": None, "payments": []}
    position = [event.get("epoch") or "", event["sequence"]]
    # Every event has the whole record in data.current; None: it was removed.
    if entry["position"] is None or position > entry["position"]:
        entry.update(position=position, current=event["data"]["current"])
    entry["opening"] = find_opening(event, entry["opening"], since)
    book.set(key, entry)


def pay(book, transfer):
    """Pays what is owed and was not paid yet. After a crash, run it again: it repeats the unsent payments, ids included."""
    for key, entry in book.items():
        payments = entry["payments"]
        due = count_due(entry)
        if due != 0:
            payments.append({"id": f"{key}/{len(payments)}", "minutes": due, "sent": False})
        unsent = [payment for payment in payments if not payment["sent"]]
        if not unsent:
            continue
        # In the book before it is sent: an event that comes after a crash must not make another payment of it.
        book.set(key, entry)
        for payment in unsent:
            transfer(payment)
            payment["sent"] = True
        book.set(key, entry)


def list_paid(book):
    """Hours paid by timesheet, by others before we began too: what `notifier period --compare` reads."""
    for key, entry in book.items():
        before = entry["opening"]["minutes"] if entry["opening"] else 0
        minutes = before + sum(payment["minutes"] for payment in entry["payments"])
        if minutes != 0:
            yield {"timesheetId": key.rsplit("/", 1)[1], "hours": minutes / 60}


def count_due(entry):
    """Approved hours, less what was paid. Zero while it is not known what was paid before we began."""
    current, opening = entry["current"], entry["opening"]
    if opening is None:
        return 0
    owed = to_minutes(current["hoursToPay"]) if current and current["approvedHours"] else 0
    return owed - opening["minutes"] - sum(payment["minutes"] for payment in entry["payments"])


def find_opening(event, known, since):
    """What was processed before `since` was paid by others: the earliest state from then on says how much."""
    is_snapshot = event["type"] == "workforce.timesheet.snapshot"
    # Sent again, from before we began.
    if not is_snapshot and event["time"] < since:
        return known
    position = [event.get("epoch") or "", event["sequence"] - (0 if is_snapshot else 1)]
    if known is not None and known["position"] <= position:
        return known
    state = {**(event["data"]["current"] or {}), **(event["data"]["previous"] or {})}
    processed = state.get("processed")
    is_paid = processed is not None and not is_since(processed, since)
    return {"position": position, "minutes": to_minutes(state["hoursToPay"]) if is_paid else 0}


def is_since(stamp, since):
    """Whether the source processed it after we began; False where it does not say when."""
    try:
        return read_time(stamp) >= read_time(since)
    except ValueError:
        return False


def read_time(text):
    read = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return read if read.tzinfo else read.replace(tzinfo=timezone.utc)


def to_minutes(hours):
    return math.floor(hours * 60 + 0.5)


class Book:
    """Entries by record, in a SQLite file or `:memory:`. An entry is on the disk once `set` returned."""

    def __init__(self, file):
        self.database = sqlite3.connect(file, isolation_level=None)
        self.database.execute("CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, entry TEXT)")

    def get(self, key):
        row = self.database.execute("SELECT entry FROM entries WHERE key = ?", (key,)).fetchone()
        return None if row is None else json.loads(row[0])

    def set(self, key, entry):
        self.database.execute("INSERT OR REPLACE INTO entries VALUES (?, ?)", (key, json.dumps(entry)))

    def items(self):
        rows = self.database.execute("SELECT key, entry FROM entries").fetchall()
        return [(key, json.loads(entry)) for key, entry in rows]


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: payer.py BOOK SINCE < EVENTS, an event in JSON on each line; BOOK alone prints what was paid")
    book = Book(sys.argv[1])
    if len(sys.argv) == 2:
        for paid in list_paid(book):
            print(json.dumps(paid))
        return
    for line in sys.stdin:
        event = json.loads(line)
        if event["type"].startswith("workforce.timesheet.") and not event["id"].startswith("example-"):
            enter(event, book, sys.argv[2])
    pay(book, lambda payment: print(json.dumps({"id": payment["id"], "minutes": payment["minutes"]}), flush=True))


if __name__ == "__main__":
    main()
