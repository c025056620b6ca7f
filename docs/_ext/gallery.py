"""A clean start, a time limit and a clean end for each example script that sphinx-gallery runs.

A script that runs for more than ``EXAMPLE_SECONDS`` (environment, default 120) is interrupted by an error that names its line. One that
hangs outside Python, where no signal is seen, ends the build ``EXAMPLE_GRACE`` (10) seconds later, with the stack of each thread.
Processes that a script leaves behind are killed and reported.
"""

import ctypes
import faulthandler
import gc
import os
import shlex
import signal
import sys
import threading
from pathlib import Path
from types import FrameType

import psutil
from sphinx.util import logging

import torch_state

logger = logging.getLogger(__name__)

watchdog: threading.Timer | None = None
blamed: set[str] = set()  # file names of scripts that did not fail, and yet did something wrong


def around_script(gallery_conf: dict, script: str, when: str) -> None:
    """sphinx-gallery's ``reset_modules`` hook; ``when`` is ``"before"`` or ``"after"`` a script."""
    torch_state.reset()
    if when == "before":
        adopt_orphans()
        start_clock(str(script), int(os.environ.get("EXAMPLE_SECONDS", "120")), int(os.environ.get("EXAMPLE_GRACE", "10")))
        return
    stop_clock()
    gc.collect()  # a DataLoader ends its workers when it is collected
    _, left = psutil.wait_procs(children(), timeout=1)
    if left:
        commands = "; ".join(kill(left))
        blame(script, f"left {len(left)} processes running: {commands}. Let it wait for each process that it starts")
    # Else the next build would take the script for one that ran well.
    for name in blamed:
        for record in Path(gallery_conf["src_dir"]).rglob(f"{name}.md5"):
            record.unlink()
    blamed.clear()


def blame(script: str, fault: str) -> None:
    """Warn of a fault, and have the script executed again in the next build."""
    logger.warning("%s %s", script, fault)
    blamed.add(Path(script).name)


def adopt_orphans() -> None:
    """Have Linux make us the parent of processes whose own parent ended, so that they are seen; elsewhere such are missed."""
    if sys.platform == "linux":
        set_child_subreaper = 36  # prctl(2)
        ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0)


def children() -> list[psutil.Process]:
    """Every descendant of this process, but for Python's own resource tracker and what has ended."""
    return [process for process in psutil.Process().children(recursive=True) if "resource_tracker" not in command(process)]


def command(process: psutil.Process) -> str:
    try:
        return shlex.join(process.cmdline())
    except psutil.Error:  # it has ended
        return "resource_tracker"


def kill(processes: list[psutil.Process]) -> list[str]:
    """Kill processes and return their commands."""
    commands = [command(process) for process in processes]
    for process in processes:
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue
    psutil.wait_procs(processes, timeout=5)
    return commands


def start_clock(script: str, seconds: int, grace: int) -> None:
    """Interrupt the script after ``seconds``, with an error that names the line that it is at; end the build if that is of no use."""
    global watchdog

    def interrupt(number: int, frame: FrameType | None) -> None:
        kill(children())
        raise TimeoutError(f"{place(script, frame)} is where the script was after {seconds} s: let it end sooner")

    def end() -> None:
        main = sys._current_frames().get(threading.main_thread().ident)
        print(f"\n{place(script, main)}: the script hangs outside Python; the build ends", file=sys.__stderr__, flush=True)
        faulthandler.dump_traceback(sys.__stderr__)
        kill(children())
        os._exit(1)

    watchdog = threading.Timer(seconds + grace, end)
    watchdog.daemon = True
    watchdog.start()
    # Should the script hold Python's lock as well, no thread of ours can run
    faulthandler.dump_traceback_later(seconds + 2 * grace, exit=True, file=sys.__stderr__)
    if hasattr(signal, "SIGALRM"):  # not on Windows
        signal.signal(signal.SIGALRM, interrupt)
        signal.alarm(seconds)


def stop_clock() -> None:
    watchdog.cancel()
    faulthandler.cancel_dump_traceback_later()
    if hasattr(signal, "SIGALRM"):
        signal.alarm(0)


def place(script: str, frame: FrameType | None) -> str:
    """The script's path and the line that it is at."""
    while frame and Path(frame.f_code.co_filename).name != script:
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame else script
