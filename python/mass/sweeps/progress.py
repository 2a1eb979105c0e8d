"""Progress of a sweep on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable


class Progress:
    """Line with the runs done, their rate and the remaining time."""

    def __init__(self, done: int, total: int, failed: int, is_shown: bool) -> None:
        """`done` and `failed` are the runs that need not be made."""
        self._before, self._done, self._total, self._failed = done, done, total, failed
        self._is_shown = is_shown
        self._is_terminal = sys.stderr.isatty()
        self.interval = 0.2 if self._is_terminal else 10.0  #: seconds between lines
        self._start = self._last = time.monotonic()
        self._said: set[str] = set()

    def add(self, error: str, warnings: Iterable[str]) -> None:
        """Counts a run. Prints each warning once."""
        self._done += 1
        self._failed += bool(error)
        for text in warnings:
            if text not in self._said:
                self._said.add(text)
                self.say(f"warning of a run: {text}")

    def show(self) -> None:
        """Prints the line, if it is time for it."""
        if time.monotonic() - self._last >= self.interval:
            self._print()

    def end(self) -> None:
        """Prints the last line."""
        self._print()
        if self._is_shown and self._is_terminal:
            print(file=sys.stderr)

    def say(self, text: str) -> None:
        """Prints a line of its own."""
        if self._is_shown:
            print(("\r\x1b[K" if self._is_terminal else "") + text, file=sys.stderr, flush=True)

    def _print(self) -> None:
        self._last = time.monotonic()
        if not self._is_shown:
            return
        parts = [f"{self._done}/{self._total} runs"]
        if self._failed:
            parts.append(f"{self._failed} failed")
        made = self._done - self._before
        if made:
            rate = made / max(self._last - self._start, 1e-9)
            parts.append(f"{rate:.3g}/s")
            if self._done < self._total:
                parts.append(f"{_duration((self._total - self._done) / rate)} left")
        line = ", ".join(parts)
        print(f"\r\x1b[K{line}" if self._is_terminal else line, end="" if self._is_terminal else "\n", file=sys.stderr,
              flush=True)


def _duration(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
