"""Signals that end a command, as an exception: it takes back what it has begun, as it does after Ctrl-C.

SIGTERM, and SIGHUP where there is one.  A signal that is ignored (``nohup``) stays so, and one that the
program has a handler for stays with it.
"""

from __future__ import annotations

import signal
from contextlib import AbstractContextManager
from threading import current_thread, main_thread
from types import FrameType

_SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Stopped(BaseException):
    """A signal has come.  Like KeyboardInterrupt it is no Exception, so that nothing goes on after it."""


class StopSignals(AbstractContextManager["StopSignals"]):
    """While the context lasts, the first signal raises Stopped where the program is.

    Signals that follow are dropped, so that they do not disturb what the first one has set going.  What
    leaves the context after a signal ends there: libraries make other exceptions of Stopped.

    received  the signal that has come, None: none
    """

    def __init__(self) -> None:
        self.received: int | None = None
        self._handled: list[int] = []

    def __enter__(self) -> StopSignals:
        if current_thread() is main_thread():
            self._handled = [number for number in _SIGNALS if signal.getsignal(number) is signal.SIG_DFL]
        for number in self._handled:
            signal.signal(number, self._stop)
        return self

    def __exit__(self, *exception: object) -> bool:
        for number in self._handled:
            signal.signal(number, signal.SIG_DFL)
        return self.received is not None

    def _stop(self, number: int, frame: FrameType | None) -> None:
        if self.received is None:
            self.received = number
            raise Stopped(signal.Signals(number).name)
