"""A clean start, a time limit and a clean end for each example script that sphinx-gallery runs.

A script that hangs is interrupted after ``EXAMPLE_SECONDS`` (environment, default 120), so that the traceback names its line; one that
hangs outside Python, where no signal is seen, ends the build 10 s later with the stack of each
thread. Processes that a script leaves behind are killed and reported.
"""

import faulthandler
import os
import signal
import sys

import psutil
import torch_state
from sphinx.util import logging

logger = logging.getLogger(__name__)


def children() -> list[psutil.Process]:
    """Every descendant of this process, but for Python's own resource tracker."""
    processes = psutil.Process().children(recursive=True)
    return [process for process in processes if not is_tracker(process)]


def is_tracker(process: psutil.Process) -> bool:
    try:
        return any("resource_tracker" in argument for argument in process.cmdline())
    except psutil.Error:
        return True


def kill(processes: list[psutil.Process]) -> None:
    for process in processes:
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue
    psutil.wait_procs(processes, timeout=5)


def around_script(gallery_conf: dict, script: str, when: str) -> None:
    """sphinx-gallery's ``reset_modules`` hook; ``when`` is ``"before"`` or ``"after"`` a script."""
    torch_state.reset()
    if when == "after":
        stop_clock()
        left = children()
        if left:
            kill(left)
            logger.warning("%s left %d processes running; they were killed. Wait for each process it starts", script, len(left))
    else:
        start_clock(script, int(os.environ.get("EXAMPLE_SECONDS", "120")))


def start_clock(script: str, seconds: int) -> None:
    """Interrupt the script after ``seconds``, with an error in the line that it is at."""

    def interrupt(number: int, frame: object) -> None:
        kill(children())
        raise TimeoutError(f"{script} ran for more than {seconds} s: mend the line that the traceback ends in")

    faulthandler.dump_traceback_later(seconds + 10, exit=True, file=sys.__stderr__)
    if hasattr(signal, "SIGALRM"):  # not on Windows
        signal.signal(signal.SIGALRM, interrupt)
        signal.alarm(seconds)


def stop_clock() -> None:
    faulthandler.cancel_dump_traceback_later()
    if hasattr(signal, "SIGALRM"):
        signal.alarm(0)
