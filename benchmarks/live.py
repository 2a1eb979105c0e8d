#!/usr/bin/env python3
"""Measures the cost of a viewer of the live view.

    benchmarks/live.py [--programs build/cpu/bin] [--size 960x960] [--seconds 5] [--rounds 3] APP [KEY=VALUE ...]

Starts `APP --live --live-now` and asks as the page does: for the next frame when one has come. Prints the steps per
second without and with a viewer, in turns, the frames per second and the largest frame. For the goal on a GPU:

    benchmarks/live.py life rows=8192 columns=8192 pattern= density=0.3 backend=cuda
"""

import argparse
import base64
import http.client
import json
import os
import pathlib
import re
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
QUIET = ["output.table_every=0", "output.frame_every=0", "output.data_every=0", "checkpoint.every=0"]
STEPS = 10**12


class Viewer:
    """WebSocket of a page: requests are JSON, frames have the length of a header, the header and pixels."""

    def __init__(self, port, token):
        page = http.client.HTTPConnection("127.0.0.1", port)
        page.request("GET", f"/?token={token}")
        answer = page.getresponse()
        cookie = answer.getheader("Set-Cookie").split(";")[0]
        answer.read()
        page.close()
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET /live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
                             f"Cookie: {cookie}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                             f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.received:
            self.fill()
        head, self.received = self.received.split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 101"), head

    def fill(self):
        data = self.socket.recv(1 << 20)
        if not data:
            sys.exit("the program has closed the connection")
        self.received += data

    def take(self, count):
        while len(self.received) < count:
            self.fill()
        data, self.received = self.received[:count], self.received[count:]
        return data

    def send(self, **request):
        self.write(0x1, json.dumps(request).encode())

    def write(self, kind, data):
        mask = os.urandom(4)
        length = bytes([0x80 | len(data)]) if len(data) < 126 else bytes([0x80 | 126]) + struct.pack(">H", len(data))
        self.socket.sendall(bytes([0x80 | kind]) + length + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def receive(self):
        """Returns the next message: a dict, or the header of a frame and its size in bytes."""
        message = b""
        while True:
            first, length = self.take(2)
            if length == 126:
                length = struct.unpack(">H", self.take(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", self.take(8))[0]
            data = self.take(length)
            kind = first & 0xf
            if kind == 0x9:
                self.write(0xa, data)
                continue
            if kind == 0x8:
                sys.exit("the program has closed the connection")
            message += data
            if first & 0x80:
                break
        if message[:1] == b"{":
            return json.loads(message), 0
        header = struct.unpack("<I", message[:4])[0]
        return json.loads(message[4:4 + header]), len(message)


class Run:
    """A program with a live view, which steps until it is stopped."""

    def __init__(self, program, assignments):
        self.folder = tempfile.TemporaryDirectory()
        command = [program, "--live", "--live-now"]
        for assignment in [*QUIET, *assignments, f"steps={STEPS}", f"output.folder={self.folder.name}"]:
            command += ["--set", assignment]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        match = re.search(r"127\.0\.0\.1:(\d+)/\?token=([0-9a-f]+)", line)
        if not match:
            self.process.kill()
            sys.exit(f"{program} has no live view: {line}{self.process.stderr.read()}")
        self.port, self.token = int(match[1]), match[2]

    def stop(self):
        self.process.kill()
        self.process.communicate()
        self.folder.cleanup()


def step_now(run):
    """Returns the step of a run and the time: from a viewer that leaves again."""
    viewer = Viewer(run.port, run.token)
    old = None  # the first status may be that of the last viewer
    while True:
        message, _ = viewer.receive()
        if message.get("is") != "status" or message["state"] != "running":
            continue
        if old is not None and message["step"] != old:
            viewer.socket.close()
            return message["step"], time.monotonic()
        old = message["step"]


def alone(run, seconds):
    """Returns the steps per second without viewers."""
    first, begin = step_now(run)
    time.sleep(seconds)
    last, end = step_now(run)
    return (last - first) / (end - begin)


def watched(run, seconds, size, reduction):
    """Returns the steps per second with a viewer, frames per second and the bytes of the largest frame."""
    viewer = Viewer(run.port, run.token)
    request = {"do": "frame", "size": size, "reduce": reduction}
    viewer.send(**request, after=-1, id=0)
    first = begin = None
    frames = largest = 0
    while True:
        message, length = viewer.receive()
        if length == 0:
            if message.get("isError"):
                sys.exit(message["text"])
            continue
        viewer.send(**request, after=message["number"], id=frames + 1)
        now = time.monotonic()
        if first is None:
            first, begin = message["step"], now
            continue
        frames, largest = frames + 1, max(largest, length)
        if now - begin >= seconds:
            viewer.socket.close()
            return (message["step"] - first) / (now - begin), frames / (now - begin), largest


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("app")
    parser.add_argument("settings", nargs="*", help="KEY=VALUE")
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "build/cpu/bin")
    parser.add_argument("--size", default="960x960", help="pixels of the canvas")
    parser.add_argument("--reduce", default="mean", choices=["mean", "maximum"])
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    size = [int(length) for length in options.size.split("x")]
    run = Run(str(options.programs / options.app), options.settings)
    try:
        alone(run, options.seconds / 2)  # the tuner has made its choices
        rows = []
        for _ in range(options.rounds):
            rate = alone(run, options.seconds)
            rows.append((rate, *watched(run, options.seconds, size, options.reduce)))
            print("{:.1f} steps/s alone, {:.1f} with a viewer, {:.1f} frames/s, largest {} bytes".format(*rows[-1]))
        before, after, frames, largest = (statistics.median(column) for column in zip(*rows))
        cost = statistics.median(1 - row[1] / row[0] for row in rows)
        print(f"median: {before:.1f} steps/s alone, {after:.1f} with a viewer: {100 * cost:.1f} % less, "
              f"{frames:.1f} frames/s, largest {largest:.0f} bytes")
    finally:
        run.stop()


if __name__ == "__main__":
    main()
