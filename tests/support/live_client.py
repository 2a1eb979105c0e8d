"""Client of the live view, as a page without a browser. Needs the standard library only."""

import base64
import http.client
import json
import os
import socket
import struct
import time
import urllib.parse

PATIENCE = 60  # seconds; also on a busy machine


def get(address, headers=None):
    """Returns the response to a GET of an address: status, headers, text."""
    parts = urllib.parse.urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=PATIENCE)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    connection.request("GET", target or "/", headers=headers or {})
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, response.headers, text


class LiveClient:
    """Page that a program or a run of Python serves at `address`."""

    def __init__(self, address):
        parts = urllib.parse.urlsplit(address)
        cookie = (get(address)[1]["Set-Cookie"] or "").split(";")[0]
        self.socket = socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE)
        target = "/live" if parts.query else parts.path + "live"
        self.socket.sendall(
            f"GET {target} HTTP/1.1\r\nHost: {parts.netloc}\r\nOrigin: http://{parts.netloc}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
            f"{base64.b64encode(os.urandom(16)).decode()}\r\nCookie: {cookie}\r\n\r\n".encode())
        self.stream = self.socket.makefile("rb")
        self.status_line = self.stream.readline().decode()
        while self.stream.readline().strip():
            pass
        self.status = self.run = self.picture = None
        self.texts = []

    def send(self, **request):
        data = json.dumps(request).encode()
        length = struct.pack(">B", 0x80 | len(data)) if len(data) < 126 else struct.pack(">BH", 0x80 | 126, len(data))
        self.socket.sendall(b"\x81" + length + bytes(4) + data)  # the mask 0

    def frame(self):
        """Receives a frame. Returns its first byte and its data."""
        head, length = self.stream.read(2)
        if length >= 126:
            length = struct.unpack(">H" if length == 126 else ">Q", self.stream.read(2 if length == 126 else 8))[0]
        return head, self.stream.read(length)

    def receive(self):
        """Receives a message, which has one frame or more, and notes it."""
        head, data = self.frame()
        kind = head & 15
        is_whole = head & 0x80
        while not is_whole:
            head, part = self.frame()
            if not head & 8:  # a control frame may be between two parts
                data += part
                is_whole = head & 0x80
        if kind == 2:
            self.picture = json.loads(data[4:4 + struct.unpack("<I", data[:4])[0]])
        elif kind == 1:
            message = json.loads(data)
            self.texts.append(message)
            if message["is"] in ("status", "run"):
                setattr(self, message["is"], message)

    def until(self, condition):
        """Receives messages until `condition(self)` holds; returns its value."""
        end = time.monotonic() + PATIENCE
        while not (value := condition(self)):
            if time.monotonic() > end:
                raise AssertionError(f"not within {PATIENCE} s; last status: {self.status}")
            self.receive()
        return value

    def text(self, kind, **members):
        """Waits for a message of a kind with these members; returns it."""
        wanted = {"is": kind, **members}.items()
        return self.until(lambda client: next((text for text in client.texts if wanted <= text.items()), None))

    def state(self, state, step=None):
        """Waits for a state of the run, at a step."""
        self.until(lambda client: client.status and client.status["state"] == state
                   and step in (None, client.status["step"]))

    def shown(self, step):
        """Asks for pictures until that of a step comes."""
        while self.picture is None or self.picture["step"] != step:
            last = self.picture
            self.send(do="frame", size=[64, 64], reduce="mean", after=last["number"] if last else -1, id=1)
            self.until(lambda client: client.picture is not last)

    def hash(self, step):
        """Returns the hash of the state at a step."""
        self.send(do="hash")
        return self.text("hash", step=step)["hash"]

    def close(self):
        self.stream.close()
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
