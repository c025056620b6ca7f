"""
Accumulating under DDP: four micro-batches, one message
=======================================================

With gradient accumulation, only the last micro-batch needs an all-reduce.
But ``DistributedDataParallel`` (DDP) all-reduces in every backward pass.
``no_sync()`` stops that.
Two processes accumulate four micro-batches here, in four ways.
A hook counts the messages, and the pictures follow ``.grad`` on both ranks.
Two of the ways are common mistakes.

Run it as a script: ``python plot_no_sync.py``.
It starts itself again with ``torchrun``, which a notebook cannot do.

The question: :ref:`large-batch-small-memory`.
"""

# %%
# Gradients that one can add up by hand
# -------------------------------------
#
# The model is one weight :math:`w`, and a micro-batch holds one sample.
# Its loss is :math:`wx / 4`, so it adds :math:`x / 4` to the gradient.
# On rank 0 the four micro-batches add 1, 2, 0 and 1, together 4.
# On rank 1 they add −1, 0, −2 and 1, together −2.
# DDP averages over the ranks: the step needs :math:`(4 - 2) / 2 = 1`.
import json
import os
import sys
from contextlib import nullcontext
from datetime import timedelta
from subprocess import run

import matplotlib.pyplot as plt
import torch
import torch.distributed as dist
import torch.distributed.nn  # before the group exists, or it holds the group for ever
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook

X = torch.tensor([[4.0, 8.0, 0.0, 4.0], [-4.0, 0.0, -8.0, 4.0]])  # (rank, micro-batch)
WAYS = {  # which micro-batches run forward, and which run backward, inside no_sync()
    "always sync": ((), ()),
    "no_sync on 0-2": ((0, 1, 2), (0, 1, 2)),
    "backward only": ((), (0, 1, 2)),
    "no_sync on 0-3": ((0, 1, 2, 3), (0, 1, 2, 3)),
}

# %%
# Four ways
# ---------
#
# The usual loop runs forward and backward in one block, under
# ``ddp.no_sync() if i < 3 else nullcontext()``.
# Here they have a block each, so that one can be inside ``no_sync()`` and the other
# outside.
#
# DDP calls the hook once for each bucket that it sends; this model has one bucket.
# The hook counts, and then does what DDP itself would do.


def accumulate(rank, forwards, backwards):
    model = torch.nn.Linear(1, 1, bias=False)
    ddp = torch.nn.parallel.DistributedDataParallel(model)
    messages, history = [], []

    def count(state, bucket):
        messages.append(bucket.index())
        return allreduce_hook(state, bucket)

    ddp.register_comm_hook(None, count)
    for i, x in enumerate(X[rank].reshape(4, 1, 1)):  # x: (1, 1)
        with ddp.no_sync() if i in forwards else nullcontext():
            loss = ddp(x).mean() / 4
        with ddp.no_sync() if i in backwards else nullcontext():
            loss.backward()
        history.append([len(messages), model.weight.grad.item()])
    return history


def work():
    dist.init_process_group("gloo", timeout=timedelta(seconds=60))
    both = {}
    for way, inside in WAYS.items():
        both[way] = [None] * dist.get_world_size()
        dist.all_gather_object(both[way], accumulate(dist.get_rank(), *inside))
    if dist.get_rank() == 0:
        print(json.dumps(both))
    dist.barrier()
    dist.destroy_process_group()  # ends the threads of gloo, so the process can exit


# %%
# Two roles in one script
# -----------------------
#
# ``torchrun`` runs this file once for each rank, on the CPU, with gloo.
# Rank 0 hands what both ranks wrote down to the copy that you started.
if dist.is_torchelastic_launched():
    sys.exit(work())

torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
torchrun += ["--nproc-per-node=2", sys.argv[0]]
env = os.environ | {"OMP_NUM_THREADS": "1"}
ranks = run(torchrun, env=env, timeout=100, check=False, capture_output=True, text=True)
if ranks.returncode:
    raise RuntimeError(ranks.stderr)

both = json.loads(ranks.stdout)
print("                messages  .grad on rank 0   .grad on rank 1")
for way, histories in both.items():
    sent = histories[0][-1][0]
    grads = ["".join(f"{grad:4g}" for _, grad in history) for history in histories]
    print(f"{way:14} {sent:9}", *grads, sep="  ")

# %%
# Line by line
# ------------
#
# Without ``no_sync`` there are four messages, and the gradient is 1.
# With it on all but the last micro-batch there is one message, and the gradient is
# the same 1: the last backward all-reduces the whole sum, not just its own part.
# In between, each rank holds a sum of its own, and that is fine, as nobody steps.
#
# With only ``backward()`` inside there are four messages again, and the same picture as
# without ``no_sync``.
# What counts is the *forward* pass: there DDP decides whether the backward that follows
# will synchronise.
#
# With all four micro-batches inside there is no message at all, and no error.
# Each rank steps with its own gradient, and the weights drift apart for good.
# This happens at the end of an epoch, if the last group is short.
GREY, BLUE, ORANGE = "#7a7a7a", "#2a7fc0", "#D55E00"  # read on white and black
plt.rc("figure", facecolor="none", dpi=160)
plt.rc("axes", facecolor="none", labelcolor=GREY, edgecolor=GREY)
plt.rc("axes.spines", right=False, top=False)
plt.rc(("text", "xtick", "ytick"), color=GREY)
plt.rc("font", size=16)
plt.rc("lines", linewidth=3)

share = {"sharex": True, "sharey": True}
fig, axs = plt.subplots(3, figsize=(6, 10), layout="constrained", **share)
plural = {0: "no message", 1: "1 message", 4: "4 messages"}
for ax, way in zip(axs, [way for way in WAYS if way != "backward only"], strict=True):
    zero, one = [[0, *[grad for _, grad in history]] for history in both[way]]
    sent = [messages for messages, _ in both[way][0]]
    for i in range(4):
        if sent[i] > (sent[i - 1] if i else 0):
            ax.axvline(i + 1, color=ORANGE, lw=14, alpha=0.45)
    ax.plot(zero, "o-", color=BLUE, ms=15, mfc="none", mew=3)
    ax.plot(one, "s--", color=GREY, ms=8)
    ax.set(title=f"{way}: {plural[sent[-1]]}", ylabel=".grad", xticks=range(5))
axs[1].text(0.9, 1.9, "rank 0", ha="right")
axs[1].text(0.9, -2.2, "rank 1", ha="right")
axs[1].text(3.85, 3.4, "all-reduce", ha="right")
axs[2].set(xlabel="micro-batches so far", xlim=(-0.2, 4.4))
plt.show()
