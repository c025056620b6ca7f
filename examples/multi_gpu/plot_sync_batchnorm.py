"""
SyncBatchNorm by hand
=====================

Under data parallelism each GPU's BatchNorm sees only its own shard of the batch.
``nn.SyncBatchNorm`` normalises with the statistics of the whole batch.
It trains on GPUs and other accelerators only.
So this script does its arithmetic by hand, in two CPU processes.
One all-reduce in the forward pass is enough, and one in the backward pass.

Run it as a script: ``python plot_sync_batchnorm.py``.
It starts itself again with ``torchrun``, which a notebook cannot do.

The question: :ref:`batchnorm`.
"""

# %%
# A batch in two shards
# ---------------------
#
# Rank 0 holds six values with mean 2, rank 1 two values with mean 10.
# In both shards the variance is 4.
# In the whole batch the mean is 4 and the variance is 16.
# The average of the ranks' statistics would be 6 and 4, and both are wrong.
# The mean needs weights: :math:`(6 \cdot 2 + 2 \cdot 10) / 8 = 4`.
# The variance needs, besides the 4 *within* the shards, the variance *between* them:
# :math:`(6 \cdot (2 - 4)^2 + 2 \cdot (10 - 4)^2) / 8 = 12`.
import json
import os
import sys
from datetime import timedelta
from subprocess import run

import matplotlib.pyplot as plt
import torch
import torch.distributed as dist
import torch.distributed.nn  # before the group exists, or it holds the group for ever
import torch.nn.functional as F

X = torch.tensor([[-1.0], [1], [1], [2], [4], [5], [8], [12]]).double()  # (8, 1)
SHARDS = 6, 2

# %%
# Add up sums, not means
# ----------------------
#
# Each rank sends three numbers per channel: its count, its sum, its sum of squares.
# From the totals every rank computes the same mean and the same variance.
#
# The statistics depend on all samples, so gradients must cross ranks, too.
# Every rank uses the total, so every rank has a gradient for it.
# The gradient of a rank's own sums is therefore the sum of these gradients: the
# backward pass of an all-reduce is an all-reduce.
# Autograd does the rest.


class AllReduce(torch.autograd.Function):
    @staticmethod
    def forward(ctx, sums):
        totals = sums.clone()
        dist.all_reduce(totals)
        return totals

    @staticmethod
    def backward(ctx, grads):
        return AllReduce.apply(grads)


def local(x, running_mean, running_var):  # (n, C), (C,), (C,)
    return F.batch_norm(x, running_mean, running_var, training=True)


def sync(x, running_mean, running_var, momentum=0.1, eps=1e-5):
    sums = torch.stack([torch.ones_like(x).sum(0), x.sum(0), x.square().sum(0)])
    n, total, squares = AllReduce.apply(sums)  # (3, C)
    mean = total / n
    var = squares / n - mean.square()  # biased, to normalise with
    with torch.no_grad():
        running_mean.lerp_(mean, momentum)
        running_var.lerp_(var * n / (n - 1), momentum)  # unbiased
    return (x - mean) / (var + eps).sqrt()


# %%
# What each process does
# ----------------------
#
# ``local`` is BatchNorm on a shard, ``sync`` is the function above.
# The loss is the very last output, that of the value 12 on rank 1.
# Rank 0 has no part in the loss.
# It must call ``backward()`` all the same: in the all-reduce, rank 1 waits for it.


def one_pass(norm, x, last):
    x = x.clone().requires_grad_()
    buffers = torch.zeros(1).double(), torch.ones(1).double()  # (C,), (C,)
    y = norm(x, *buffers)  # (n, C)
    (y[-1] * last).backward()  # last: 1 or 0
    return [t.flatten().tolist() for t in (y, x.grad, *buffers)]


def work():
    dist.init_process_group("gloo", timeout=timedelta(seconds=60))
    rank, both = dist.get_rank(), {}
    for norm in local, sync:
        both[norm.__name__] = [None] * dist.get_world_size()
        result = one_pass(norm, X.split(SHARDS)[rank], last=rank)
        dist.all_gather_object(both[norm.__name__], result)
    if rank == 0:
        print(json.dumps(both))
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

# %%
# Compared with one large BatchNorm
# ---------------------------------
#
# ``whole`` is BatchNorm on the whole batch, in one process.
# ``sync`` equals it in outputs, gradients and running statistics.
# A bar separates rank 0 from rank 1.
both = json.loads(ranks.stdout)
y, grad, *buffers = one_pass(local, X, last=1)
both["whole"] = [[y[:6], grad[:6], *buffers], [y[6:], grad[6:], *buffers]]
torch.testing.assert_close(both["sync"], both["whole"])


def line(name, *parts):  # a part for each rank
    numbers = [" ".join(f"{round(v, 3) + 0.0:6.3f}" for v in part) for part in parts]
    print(f"{name:6}", " | ".join(numbers))


shards = [shard.flatten().tolist() for shard in X.split(SHARDS)]
line("x", *shards)
for i, what in enumerate(["output", "x.grad", "running mean", "running variance"]):
    print(what)
    for way in "whole", "sync", "local":
        line(way, both[way][0][i], both[way][1][i])

# %%
# The loss is on rank 1, yet with ``sync`` the values on rank 0 get gradients: each of
# them moves the mean and the variance that normalise the last value.
# With ``local``, even rank 1 gets none.
# Of two values that differ, BatchNorm makes −1 and 1 whatever they are (up to ``eps``),
# so there is nothing to learn from.

# %%
# What local statistics destroy
# -----------------------------
#
# A line leads from each value of the batch to the output for it.
# With ``local``, the lines of the two ranks cross: 8 becomes less than 4 does, and the
# next layer cannot know.
# With ``sync``, all values are moved and scaled alike.
GREY, BLUE, ORANGE = "#7a7a7a", "#2a7fc0", "#D55E00"  # read on white and black
plt.rc("figure", facecolor="none", dpi=160)
plt.rc("axes", facecolor="none", labelcolor=GREY, edgecolor=GREY)
plt.rc("axes.spines", left=False, right=False, top=False)
plt.rc(("text", "xtick", "ytick"), color=GREY)
plt.rc("font", size=16)
fig, axs = plt.subplots(2, figsize=(6, 8), sharex=True, layout="constrained")
titles = {"local": "BatchNorm: lines cross", "sync": "SyncBatchNorm: order kept"}
for ax, way in zip(axs, titles, strict=True):
    for rank, middle, look in (0, -0.5, "o-"), (1, 1.5, "s-"):
        for x, y in zip(shards[rank], both[way][rank][0], strict=True):
            top = (x - 4) / 4  # the whole batch has mean 4 and variance 16
            ax.plot([top, y], [1, 0], look, color=[BLUE, ORANGE][rank], ms=13, lw=3)
            ax.text(top, 1.13, f"${x:g}$", ha="center")
        ax.text(middle, 1.4, f"rank {rank}", ha="center", weight="bold")
    ax.set(title=titles[way], ylim=(-0.2, 1.6))
    ax.set_yticks([0, 1], ["output", "$x$"])
ax.set_xlabel("normalised value")
plt.show()

# %%
# What the real layer does
# ------------------------
#
# ``var`` above is a difference of two numbers. Where the mean is large, so are they,
# and in float32 their difference loses digits.
# So ``nn.SyncBatchNorm`` gathers each rank's mean, inverse standard deviation and
# count, and combines those (:torch-src:`source <torch/nn/modules/_functions.py>`).
# That is :math:`2C + 1` numbers from each rank forwards, and an all-reduce of
# :math:`2C` backwards, whatever the size of the batch.
#
# The messages are small, but every layer waits for its own, twice in a step.
# ResNet-50 has 53 BatchNorm layers.
# That pays where shards are small, as in detection and segmentation.
# Call ``nn.SyncBatchNorm.convert_sync_batchnorm(model)`` before you wrap the model in
# DDP. In evaluation the layer uses its running statistics, and nothing is sent.
