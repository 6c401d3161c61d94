#!/usr/bin/env python3
"""A bot for Texas 42 in plain Python, written from /api and /api/openapi.json alone. It needs no packages.

    python3 examples/bot.py http://localhost:4242                       # creates a table with other bots, and plays
    python3 examples/bot.py 'http://localhost:4242/#bot/<table>/<key>'  # joins by an invite link: #bot for a bot, #join for a player

It picks a random valid action; put your own strategy into `choose`.
"""

import base64
import hashlib
import json
import os
import random
import socket
import struct
import sys
import time
import uuid
from urllib.parse import urlsplit


class WebSocket:
    """The part of RFC 6455 that a client of this server needs."""

    def __init__(self, host, port, path):
        self.socket = socket.create_connection((host, port), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        request = (
            f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        self.socket.sendall(request.encode())
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.fill()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise ConnectionError(head.decode(errors="replace"))

    def fill(self):
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionError("the line is gone")
        self.buffer += data

    def take(self, count):
        while len(self.buffer) < count:
            self.fill()
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def send(self, message, opcode=1):
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        head = bytes([0x80 | opcode])
        if len(data) < 126:
            head += bytes([0x80 | len(data)])
        else:
            head += bytes([0x80 | 126]) + struct.pack(">H", len(data))
        mask = os.urandom(4)
        self.socket.sendall(head + mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(data)))

    def receive(self):
        """Returns the next message, parsed from JSON."""
        text = b""
        while True:
            first, length = self.take(2)
            length &= 0x7F
            if length == 126:
                (length,) = struct.unpack(">H", self.take(2))
            elif length == 127:
                (length,) = struct.unpack(">Q", self.take(8))
            data = self.take(length)
            opcode = first & 0x0F
            if opcode == 8:
                code = struct.unpack(">H", data[:2])[0] if len(data) >= 2 else None
                raise ConnectionError(f"closed with {code}: {data[2:].decode(errors='replace')}")
            if opcode == 9:
                self.send(data, opcode=10)
            elif opcode in (0, 1):
                text += data
                if first & 0x80:
                    return json.loads(text)


def merge(target, patch):
    """Applies a JSON merge patch (RFC 7396)."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, change in patch.items():
        if change is None:
            result.pop(name, None)
        else:
            result[name] = merge(result.get(name), change)
    return result


def choose(view):
    """Your strategy goes here. A failed claim costs the hand, so this bot never claims."""
    actions = [valid["action"] for valid in view["validActions"] if valid["action"]["type"] != "claim"]
    return random.choice(actions) if actions else None


class Player:
    def __init__(self, link):
        parts = urlsplit(link)
        self.host, self.port = parts.hostname, parts.port or 80
        self.game = self.invite = self.key = self.player = self.seat = self.view = self.pending = self.session_key = None
        self.version = 0
        if parts.fragment.startswith(("join/", "bot/")):
            _, self.game, self.invite = parts.fragment.split("/")

    def hello(self):
        if self.game is None:
            config = {"players": ["human", "ai", "ai", "ai"], "target": 2}
            return {"type": "CREATE_GAME", "name": "Python", "config": config, "table": {"pause": 0}}
        if self.key:
            return {"type": "JOIN_GAME", "gameId": self.game, "key": self.key, "name": "Python"}
        # The key of the session follows from the invite, so that a bot that is started again returns to its seat.
        digest = hashlib.sha256(f"texas42 bot\0{self.invite}\0Python".encode()).digest()[:16]
        self.session_key = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        join = {"type": "JOIN_GAME", "gameId": self.game, "key": self.invite, "name": "Python"}
        return join | {"sessionKey": self.session_key}

    def run(self):
        """Plays to the end of the game. After a disconnect it reconnects and repeats the unanswered request."""
        wait = 0.2
        while True:
            try:
                self.line = WebSocket(self.host, self.port, "/api/ws")
                self.line.send(self.hello())
                while not self.hear(self.line.receive()):
                    wait = 0.2
                return
            except (OSError, ConnectionError) as error:
                print(f"{error}; trying again", file=sys.stderr)
                time.sleep(wait)
                wait = min(wait * 2, 10)

    def hear(self, message):
        """Handles a message and returns whether the game is over."""
        kind = message["type"]
        if kind in ("GAME_CREATED", "JOINED"):
            self.game, self.version, self.view = message["gameId"], message["version"], message["view"]
            self.key, self.player = message.get("key", self.key or self.session_key), message["playerId"]
            self.seat = message.get("seat", 0)  # the creator of a table has the first seat
            if self.pending:
                self.line.send(self.pending)
        elif kind == "STATE_UPDATE":
            self.follow(message)
        elif kind == "ERROR":
            self.note_error(message)
        elif kind == "LEFT":
            print("a person has taken the seat")
            return True
        else:
            return False
        phase = self.view["state"]["phase"] if self.view else None
        if phase in ("game-end", "one-hand-complete"):
            print("the game is over, {} to {}".format(*self.view["state"]["score"]))
            return True
        self.act()
        return False

    def follow(self, message):
        if (message.get("ack") or {}).get("requestId") == (self.pending or {}).get("requestId"):
            self.pending = None
        if "view" in message:
            self.version, self.view = message["version"], message["view"]
        elif "patch" in message and message["version"] == self.version + 1:
            self.version, self.view = message["version"], merge(self.view, message["patch"])
        elif message["version"] > self.version:
            self.line.send({"type": "SUBSCRIBE", "gameId": self.game})

    def note_error(self, message):
        error = message["error"]
        if error["code"] in ("rate-limited", "not-stored"):
            time.sleep(1)
            self.line.send(self.pending or self.hello())
            return
        if message.get("requestType") in ("JOIN_GAME", "CREATE_GAME"):
            sys.exit(f"the table says: {error['message']}")
        self.pending = None
        if "view" in message:
            self.version, self.view = message["version"], message["view"]

    def is_asked_ready(self):
        """Whether the table waits for this bot to declare itself ready. With an invite for a bot, it never does."""
        metadata = self.view["metadata"]
        own = [player for player in self.view["players"] if player["playerId"] == self.player]
        if own and own[0]["controlType"] == "ai":
            return False
        waits = self.view["state"]["phase"] == "setup" and metadata["table"].get("ready")
        return waits and self.seat not in metadata.get("ready", [])

    def act(self):
        if self.pending is None and self.is_asked_ready():
            self.pending = {"type": "READY", "gameId": self.game, "requestId": str(uuid.uuid4())}
            self.line.send(self.pending)
            return
        action = choose(self.view) if self.pending is None else None
        if action is not None:
            self.pending = {
                "type": "EXECUTE_ACTION", "gameId": self.game, "requestId": str(uuid.uuid4()),
                "version": self.version, "action": action,
            }
            self.line.send(self.pending)


if __name__ == "__main__":
    wanted = sys.argv[1] if len(sys.argv) > 1 else "http://localhost:4242"
    if not wanted.startswith("http://"):
        sys.exit(__doc__)
    Player(wanted).run()
