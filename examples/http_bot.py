#!/usr/bin/env python3
"""A bot for Texas 42 that needs nothing but HTTP requests, with Python's standard library alone.

    python3 examples/http_bot.py 'http://localhost:4242/#bot/<table>/<key>'

The key belongs to an invite with the role `ai`. The bot counts as present while it polls. If it stops, a bot of the server plays its
seat until it returns.
"""

import base64
import hashlib
import json
import random
import sys
import time
import uuid
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen


class Table:
    def __init__(self, link):
        parts = urlsplit(link)
        _, game, self.key = parts.fragment.split("/")
        self.url = f"{parts.scheme}://{parts.netloc}/api/games/{game}"

    def call(self, path, body=None):
        """Sends one request and returns the status and the reply. A body makes it a POST."""
        data = None if body is None else json.dumps(body).encode()
        request = Request(f"{self.url}/{path}", data, {"Authorization": f"Bearer {self.key}"})
        try:
            with urlopen(request, timeout=30) as reply:
                return reply.status, json.load(reply)
        except HTTPError as error:
            return error.code, json.load(error)
        except OSError as error:  # no connection: the caller tries again
            print(f"{error}; trying again", file=sys.stderr)
            return None, None


def play(link):
    table = Table(link)
    # The key of the session follows from the invite, so that a bot that is started again returns to its seat.
    digest = hashlib.sha256(f"texas42 bot\0{table.key}\0Service".encode()).digest()[:16]
    session_key = base64.urlsafe_b64encode(digest).decode().rstrip("=")
    status, joined = table.call("join", {"name": "Service", "sessionKey": session_key})
    while status is None:
        time.sleep(1)
        status, joined = table.call("join", {"name": "Service", "sessionKey": session_key})
    if status != 200:
        sys.exit(f"the table says: {joined['error']['message']}")
    table.key = session_key
    while True:
        status, state = table.call("state")
        if status == 401:
            return print("a person has taken the seat")
        if status == 200:
            view = state["view"]
            if view["state"]["phase"] in ("game-end", "one-hand-complete"):
                return print("the game is over, {} to {}".format(*view["state"]["score"]))
            actions = [valid["action"] for valid in view["validActions"] if valid["action"]["type"] != "claim"]
            if actions:
                # A stale decision is refused, and the next round decides again.
                act = {"requestId": str(uuid.uuid4()), "version": state["version"], "action": random.choice(actions)}
                table.call("action", act)
                continue
        time.sleep(0.05 if status == 200 else 1)


if __name__ == "__main__":
    if len(sys.argv) != 2 or not any(word in sys.argv[1] for word in ("#bot/", "#join/")):
        sys.exit(__doc__)
    play(sys.argv[1])
