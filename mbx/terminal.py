"""What a terminal shows: colours where it can, and a sign of life while an AI thinks."""

from __future__ import annotations

import os
import sys
import time

DELAY = 0.3  # seconds of thinking before a sign of life


def has_colours() -> bool:
    """Can stdout show colours, and are they wanted (https://no-color.org)?"""
    is_able = os.name != "nt" or "WT_SESSION" in os.environ
    is_wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return sys.stdout.isatty() and is_able and is_wanted


class Thinking:
    """Shows on a terminal that an AI is at work: a progress callback."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._text = ""

    def __enter__(self) -> Thinking:
        return self

    def __call__(self, done: int, total: int) -> None:
        """Show the seconds and, where it is known, the share of the work that is done."""
        seconds = time.monotonic() - self._began
        if seconds < DELAY or not sys.stdout.isatty():
            return
        share = f", {done / total:.0%}" if 0 < done < total else ""
        self._show(f"{'|/-+'[int(4 * seconds) % 4]} thinking, {seconds:.0f} s{share}")

    def _show(self, text: str) -> None:
        if text != self._text:
            print(f"\r{text.ljust(len(self._text))}", end="", flush=True)
            self._text = text

    def __exit__(self, *_: object) -> None:
        if self._text:
            self._show("")
            print("\r", end="", flush=True)
