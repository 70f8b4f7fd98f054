"""Ctrl-C and SIGTERM that are never lost.

Python raises KeyboardInterrupt wherever the main thread happens to be. In a `__del__` method or the callback of a weak
reference, of which importing uses many, an exception cannot leave: Python prints it and goes on as if nobody had
pressed anything.
"""

from __future__ import annotations

import _thread
import signal
import sys
import time
from typing import Any

_AGAIN = 0.01  # seconds; by then such a method is over


def keep_interrupts() -> None:
    """End the program by Ctrl-C and SIGTERM alike, and raise an interrupt again where it could not leave."""
    if hasattr(signal, "SIGTERM"):
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    before, main_thread = sys.unraisablehook, _thread.get_ident()

    def handle(lost: Any) -> None:
        if lost.exc_type is not None and issubclass(lost.exc_type, KeyboardInterrupt):
            # No lock is taken here: the main thread may hold any of them.
            _thread.start_new_thread(_interrupt_again, (main_thread,))
        else:
            before(lost)

    sys.unraisablehook = handle


def _interrupt_again(main_thread: int) -> None:
    time.sleep(_AGAIN)
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(main_thread, signal.SIGINT)  # a real one, which also ends a call that waits
    else:
        _thread.interrupt_main()
