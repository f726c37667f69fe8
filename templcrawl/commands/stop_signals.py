"""Signals that end a command, as an exception: it takes back what it has begun, as it does after Ctrl-C.

SIGTERM, SIGINT (Ctrl-C), and SIGHUP where there is one.  A signal that is ignored (``nohup``) stays so, and
one that the program has a handler for stays with it.
"""

from __future__ import annotations

import signal
from contextlib import AbstractContextManager
from threading import current_thread, main_thread
from types import FrameType
from typing import Any

_BY_PYTHON = (signal.SIG_DFL, signal.default_int_handler)
_SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name)]


class Stopped(BaseException):
    """A signal has come.  It is no Exception, so that nothing goes on after it."""


class StopSignals(AbstractContextManager["StopSignals"]):
    """While the context lasts, the first signal raises Stopped where the program is.

    Signals that follow are dropped, so that they do not disturb what the first one has set going.  What
    leaves the context after a signal ends there: libraries make other exceptions of Stopped.

    received  the signal that has come, None: none
    """

    def __init__(self) -> None:
        self.received: int | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> StopSignals:
        if current_thread() is main_thread():
            handlers = {number: signal.getsignal(number) for number in _SIGNALS}
            self._before = {number: handler for number, handler in handlers.items() if handler in _BY_PYTHON}
        for number in self._before:
            signal.signal(number, self._stop)
        return self

    def __exit__(self, *exception: object) -> bool:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        return self.received is not None

    def _stop(self, number: int, frame: FrameType | None) -> None:
        if self.received is None:
            self.received = number
            raise Stopped(signal.Signals(number).name)
