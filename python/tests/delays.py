"""Delays, each the least of some attempts: an attempt is late on a busy machine."""

import os
import signal
import threading
import time

ATTEMPTS = 8


def assert_quick(test, delay, limit):
    """Asserts that an attempt of `delay()` returns fewer seconds than `limit`."""
    delays = []
    while len(delays) < ATTEMPTS and min(delays, default=limit) >= limit:
        delays.append(delay())
    test.assertLess(min(delays), limit)


def assert_ends_after_ctrl_c(test, action):
    """Asserts that Ctrl-C, 0.3 s after `action()` began, ends it within 0.2 s with a KeyboardInterrupt."""
    def delay():
        sent = []

        def send():
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        threading.Timer(0.3, send).start()
        with test.assertRaises(KeyboardInterrupt):
            action()
        return time.monotonic() - sent[0]

    assert_quick(test, delay, 0.2)
