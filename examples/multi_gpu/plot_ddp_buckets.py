"""
DDP's buckets: which gradients leave when
=========================================

``DistributedDataParallel`` (DDP) does not wait for the end of ``backward()``.
It packs gradients into *buckets*, and all-reduces a bucket as soon as it is full.
Two processes train eight layers here; hooks write down the order of events.
The pictures show how much of backward is left to hide each message, and what two
settings do to it: the size of the buckets and the order of the layers.

Run it as a script: ``python plot_ddp_buckets.py``.
It starts itself again with ``torchrun``, which a notebook cannot do.

The question: :ref:`dp-vs-ddp`.
"""

# %%
# Eight layers in a row
# ---------------------
#
# Each layer has one weight matrix of 256 KiB. Data flows from layer 0 to layer 7.
# So backward computes the gradient of layer 7 first and that of layer 0 last.
#
# The layers can be *registered* in another order than they are used in.
# DDP sees only the order of registration before it has watched a backward pass.
import json
import os
import sys
from datetime import timedelta
from subprocess import run

import matplotlib.pyplot as plt
import torch
import torch.distributed as dist
import torch.distributed.nn  # before the group exists, or it holds the group for ever
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook


class Chain(torch.nn.Module):
    def __init__(self, order):
        super().__init__()
        for i in order:
            self.add_module(f"layer{i}", torch.nn.Linear(256, 256, bias=False))

    def forward(self, x):  # (batch, 256)
        for i in range(8):
            x = self.get_submodule(f"layer{i}")(x)
        return x


# %%
# Two hooks
# ---------
#
# A tensor hook fires when a layer's gradient is ready. It writes down the layer, as 7.
# A communication hook fires when DDP sends a bucket. It writes down the bucket's
# layers, as [7, 6].
# It then does what DDP itself would do: divide, start the all-reduce, return a future.
# So it does not wait for the answer: backward goes on, and waits for all futures at
# its end.
#
# When an answer arrives depends on the network. When a bucket *leaves* does not.


def two_steps(order, **options):
    chain, steps, number = Chain(order), [], {}
    for i in range(8):
        weight = chain.get_submodule(f"layer{i}").weight  # (256, 256)
        weight.register_hook(lambda grad, i=i: steps[-1].append(i))
        number[id(weight)] = i

    def send(state, bucket):
        layers = [number[id(weight)] for weight in bucket.parameters()]
        steps[-1].append(sorted(layers, reverse=True))
        return allreduce_hook(state, bucket)

    ddp = torch.nn.parallel.DistributedDataParallel(chain, **options)
    ddp.register_comm_hook(None, send)
    for _ in range(2):
        steps.append([])
        ddp(torch.ones(4, 256)).sum().backward()
    return steps


# %%
# Two roles in one script
# -----------------------
#
# ``torchrun`` runs this file once for each rank, on the CPU, with gloo.
# Each rank compares what both wrote down; rank 0 hands it to the copy that you started.


def work():
    dist.init_process_group("gloo", timeout=timedelta(seconds=60))
    logs = two_steps(range(8))
    logs += two_steps(range(8), bucket_cap_mb=0.5)
    logs += two_steps(range(7, -1, -1), bucket_cap_mb=0.5, find_unused_parameters=True)
    everyone = [None] * dist.get_world_size()
    dist.all_gather_object(everyone, logs)
    assert all(other == logs for other in everyone)
    if dist.get_rank() == 0:
        print(json.dumps(logs))
    dist.barrier()
    dist.destroy_process_group()  # ends the threads of gloo, so the process can exit


if dist.is_torchelastic_launched():
    sys.exit(work())

torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
torchrun += ["--nproc-per-node=2", sys.argv[0]]
env = os.environ | {"OMP_NUM_THREADS": "1"}
ranks = run(torchrun, env=env, timeout=100, check=False, capture_output=True, text=True)
if ranks.returncode:
    raise RuntimeError(ranks.stderr)

names = ["step 1", "step 2, default", "", "step 2, cap 512 KiB", "", "never rebuilt"]
runs = dict(zip(names, json.loads(ranks.stdout), strict=True))
del runs[""]
for name, events in runs.items():
    print(f"{name:19} ", *events)

# %%
# Cover for the messages
# ----------------------
#
# Read a picture from left to right: backward computes eight gradients.
# A row is a bucket, and the boxes fill it.
# The bar behind it is what is left of backward when the bucket leaves.
# A message that ends within its bar is hidden; for what sticks out, you wait.
#
# In step 1, DDP puts everything into one bucket and notes the order in which the
# gradients come. Nothing is hidden.
# Before step 2 it rebuilds the buckets in that order.
# By default the first is full at 1 MiB, here four layers, so that communication
# starts early; the others are full at 25 MiB.
# A cap of 512 KiB hides more, but sends more messages, and each takes time to start.
# The last bucket never has cover.
GREY, BLUE, ORANGE = "#7a7a7a", "#2a7fc0", "#D55E00"  # read on white and black
plt.rc("figure", facecolor="none", dpi=160)
plt.rc("axes", facecolor="none", labelcolor=GREY, edgecolor=GREY)
plt.rc("axes.spines", left=False, right=False, top=False)
plt.rc(("text", "xtick", "ytick"), color=GREY)
plt.rc("font", size=16)
look = {"figsize": (6, 10), "gridspec_kw": {"height_ratios": [1, 2, 4, 4]}}
fig, axs = plt.subplots(4, layout="constrained", **look)
for ax, (name, events) in zip(axs, runs.items(), strict=True):
    when = {}  # when[i]: how many gradients came before that of layer i
    buckets = [event for event in events if isinstance(event, list)]
    for event in events:
        if isinstance(event, int):
            when[event] = len(when)
            continue
        y, left = buckets.index(event), len(when)
        for i in event:
            ax.bar(when[i] + 0.5, 0.8, 1, y - 0.4, color="#d6e9f8", edgecolor=BLUE)
            ax.text(when[i] + 0.5, y, i, ha="center", va="center", color="#102030")
        ax.plot([when[event[-1]] + 1, left], [y, y], color=GREY, ls=":", lw=3)
        ax.barh(y, 8 - left, 0.5, left, color=ORANGE, hatch="//", hatchcolor="#f0b48a")
        ax.plot(left, y, ">", color=ORANGE, ms=14)
    ax.set(title=name, xlim=(0, 8.3), ylim=(len(buckets) - 0.4, -0.6), ylabel="bucket")
    ax.set(xticks=range(9), yticks=range(len(buckets)))
ax.set_xlabel("gradients computed so far")
plt.show()

# %%
# Why the last picture hides nothing
# ----------------------------------
#
# All ranks must all-reduce the same buckets in the same order.
# So DDP sends them by number: a full bucket waits for those before it (dotted).
# Rebuilt buckets become full in this order anyway.
#
# But with ``find_unused_parameters=True`` DDP never rebuilds.
# It fills bucket 0 with the layers registered *last*, in the hope that they are used
# last, and so get their gradients first.
# Here layers 0 and 1 were registered last. Their gradients come at the very end, and
# three full buckets wait for them, in every step.
# So register layers in the order of their use, and search for unused parameters only
# if there are some.
