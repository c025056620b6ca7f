"""Run every example as other machines would, and print a line for each: ``nox -s machines``.

What a page says must not depend on the processor, the number of threads, the order of the pages, or on what has run before in
the process. Each machine is a run of the doctest session with other environment variables; the pages come in an order drawn by
the seed, another for each machine. Torch and its libraries are asked whether they took the settings: a variable that they no
longer know would test nothing.
"""

import argparse
import json
import os
import platform
import random
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

PLACE = re.compile(r'^File "(?P<path>.+)", line (?P<line>\d+), in ', re.MULTILINE)
# Each library prints what it runs on when it is first used.
PROBE = """
import torch
print(torch.backends.cpu.get_cpu_capability(), torch.get_num_threads(), "threads")
torch.ones(64, 64) @ torch.ones(64, 64)
torch.nn.functional.conv2d(torch.ones(32, 64, 64, 64), torch.ones(64, 64, 3, 3))
"""
# With MKL_DYNAMIC, its default, MKL and then torch take no more threads than there are cores.
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS")
VERBOSE = {"MKL_VERBOSE": "1", "ONEDNN_VERBOSE": "1"}


class Machine(NamedTuple):
    """A machine to play: its name, its environment, what torch then says of itself, and how often each page runs."""

    name: str
    env: dict[str, str]
    says: tuple[str, ...] = ()
    times: int = 1
    intel: bool = False  # MKL and oneDNN's older instruction sets are there on x86 only


MACHINES = [
    Machine("this one, five times over", {}, times=5),
    Machine("without vector instructions", {"ATEN_CPU_CAPABILITY": "default"}, ("DEFAULT",)),
    Machine(
        "old processor",
        {"MKL_CBWR": "COMPATIBLE", "ONEDNN_MAX_CPU_ISA": "SSE41", "OPENBLAS_CORETYPE": "Prescott", "TF_ENABLE_ONEDNN_OPTS": "0"},
        ("CNR:COMPATIBLE", "isa:Intel SSE4.1"),
        intel=True,
    ),
    *(
        Machine(f"threads: {number}", dict.fromkeys(THREADS, number) | {"MKL_DYNAMIC": "FALSE"}, (f" {number} threads",))
        for number in ("1", "4")
    ),
]


def refusals(machine: Machine) -> list[str]:
    """What torch and its libraries should say under the machine's environment and do not."""
    if not machine.says:
        return []
    done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, env=os.environ | machine.env | VERBOSE)
    return [f"torch does not say {words!r}: the setting has no effect" for words in machine.says if words not in done.stdout]


def run(machine: Machine, command: list[str], seed: int, record: Path) -> tuple[list[str], str]:
    """Run every page on a machine; return what is wrong, and a summary."""
    record.parent.mkdir(parents=True, exist_ok=True)
    record.unlink(missing_ok=True)
    options = {"doctest_seed": seed, "doctest_times": machine.times, "doctest_record": record.resolve()}
    arguments = ["-m", "sphinx", *(part for key, value in options.items() for part in ("-D", f"{key}={value}")), *command[1:]]
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=os.environ | machine.env | {"NO_COLOR": "1"})
    output = done.stdout + done.stderr
    faults = [f"{place['path']}:{place['line']}: prints something else" for place in PLACE.finditer(output)]
    try:
        ran = json.loads(record.read_text("utf-8"))["run"]
    except (OSError, ValueError, KeyError):
        return ["the run did not come to its end"], output
    faults += [line for line in output.splitlines() if ": WARNING: " in line]
    order, pages = ran["order"], set(ran["order"])
    faults += [f"{page} ran {order.count(page)} times, not {machine.times}" for page in sorted(pages) if order.count(page) != machine.times]
    if order[: len(pages)] == sorted(pages):
        faults.append("the pages ran in the order of their names")
    if done.returncode and not faults:
        faults.append("sphinx-build failed")
    summary = f"{len(pages)} pages, {ran['attempted']} examples, first {order[0]}; {ran['capability']}, {ran['threads']} threads"
    return faults, summary + (f"\n{output}" if faults else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", nargs="+", help="after --: the command of nox -s doctest")
    parser.add_argument("--seed", type=int, default=random.randrange(1, 10**6), help="draws the order of the pages")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    failed = []
    for number, machine in enumerate(MACHINES):
        if machine.intel and platform.machine() not in ("x86_64", "AMD64"):
            print(f"{machine.name:28} not on {platform.machine()}: it has no MKL", flush=True)
            continue
        started, seed = time.monotonic(), options.seed + number
        faults, summary = run(machine, options.command, seed, Path("_build", "machines", f"{number}.json"))
        faults = refusals(machine) + faults
        print(f"{machine.name:28} {'FAILED' if faults else 'passed'}  {summary} ({time.monotonic() - started:.0f} s)", flush=True)
        for fault in faults:
            print(f"FAILED on {machine.name}, seed {seed}: {fault}", flush=True)
        failed += [machine.name] * bool(faults)
    if failed:
        again = f"nox -s machines -- --seed {options.seed}"
        sys.exit(f"Not the same on every machine: {', '.join(failed)}. {again} takes the same orders again")


if __name__ == "__main__":
    main()
