"""python3 -m unittest discover examples/webhook-receiver-python"""

import json
import unittest
from pathlib import Path

from receiver import Inbox, is_newer, verify

VECTORS = json.loads((Path(__file__).parent.parent / "webhook-vectors.json").read_text(encoding="utf-8"))


class VectorTest(unittest.TestCase):
    def test_requests(self):
        for vector in VECTORS["requests"]:
            with self.subTest(vector["name"]):
                accepted = verify(
                    vector["headers"], vector["body"].encode(), vector["secrets"], vector["now"]
                )
                self.assertEqual(accepted, vector["accepted"])
        self.assertGreater(len(VECTORS["requests"]), 15)

    def test_order(self):
        for vector in VECTORS["order"]:
            with self.subTest(vector["name"]):
                self.assertEqual(is_newer(vector["event"], vector["known"]), vector["newer"])
        self.assertGreater(len(VECTORS["order"]), 5)


class InboxTest(unittest.TestCase):
    def test_takes_an_event_once_and_keeps_the_latest(self):
        inbox = Inbox(":memory:")
        event = {"type": "workforce.timesheet.changed", "source": "/s", "subject": "r", "epoch": "2026"}
        self.assertTrue(inbox.take({**event, "id": "b", "sequence": 2}))
        self.assertTrue(inbox.take({**event, "id": "a", "sequence": 1}))
        self.assertFalse(inbox.take({**event, "id": "b", "sequence": 2}))
        self.assertEqual(inbox.states(), {"r": 2})


if __name__ == "__main__":
    unittest.main()
