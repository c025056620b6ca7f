"""
When DDP's gradient is the full batch's gradient
================================================

Two processes hold the same model, wrapped in ``DistributedDataParallel`` (DDP).
With equal shards, both end up with exactly the gradient of the full batch.
With unequal shards they do not, and one factor repairs it.

Run it as a script: ``python plot_ddp_equals_full_batch.py``.
It starts itself again with ``torchrun``, which a notebook cannot do.

The question: :ref:`dp-vs-ddp`.
"""

# %%
# A batch that one can add up by hand
# -----------------------------------
#
# The model is one weight, :math:`w = 1`, and a sample's loss is :math:`(wx - y)^2`.
# Its gradient is :math:`2(wx - y)x`: −2 for each of the first six samples, and 4 for
# each of the last two.
# The mean over the full batch is :math:`(6 \cdot (-2) + 2 \cdot 4) / 8 = -0.5`.
import os
import sys
from datetime import timedelta
from subprocess import run

import matplotlib.pyplot as plt
import torch
import torch.distributed as dist
import torch.distributed.nn  # before the group exists, or it holds the group for ever

X = torch.tensor([[1.0]] * 6 + [[2.0]] * 2)  # (8, 1)
Y = torch.tensor([[2.0]] * 6 + [[1.0]] * 2)  # (8, 1)


def new_model(device="cpu"):
    model = torch.nn.Linear(1, 1, bias=False, device=device)
    torch.nn.init.ones_(model.weight)  # (1, 1)
    return model


def gradient(model, x, y, scale=1.0):
    model.zero_grad()
    (scale * (model(x) - y).square().mean()).backward()
    return next(model.parameters()).grad.item()


# %%
# What each process does
# ----------------------
#
# Each process, a *rank*, takes its own shard of the batch.
# It computes the gradient twice: alone, and through DDP.
# During ``backward()``, DDP averages the gradients of the :math:`W` ranks.
# It never asks how many samples a rank had.
#
# The repair is to scale each rank's mean loss by :math:`n_r W / N`.
# Here :math:`n_r` is the number of samples on the rank, and :math:`N` on all ranks.
# A rank knows only its :math:`n_r`, so :math:`N` takes an all-reduce of its own.
#
# With two GPUs or more, each rank takes one and they talk through NCCL.
# Otherwise the ranks run on the CPU and talk through gloo.


def work():
    device = torch.device("cpu")
    if torch.accelerator.device_count() >= 2:
        torch.accelerator.set_device_index(int(os.environ["LOCAL_RANK"]))
        device = torch.accelerator.current_accelerator()
    backend = dist.get_default_backend_for_device(device)  # "nccl" or "gloo"
    dist.init_process_group(backend, timeout=timedelta(seconds=60))
    rank, world = dist.get_rank(), dist.get_world_size()
    ddp = torch.nn.parallel.DistributedDataParallel(new_model(device))

    for sizes, scaled in [((4, 4), False), ((6, 2), False), ((6, 2), True)]:
        x, y = X.split(sizes)[rank].to(device), Y.split(sizes)[rank].to(device)
        total = torch.tensor(len(x), device=device)
        dist.all_reduce(total)  # N, the sum of the ranks' n
        scale = len(x) * world / total.item() if scaled else 1.0
        pairs = [None] * world
        pair = gradient(new_model(device), x, y, scale), gradient(ddp, x, y, scale)
        dist.all_gather_object(pairs, pair)
        if rank == 0:
            name = f"{sizes[0]}+{sizes[1]} {'scaled' * scaled:6}"
            print(name, *zip(*pairs, strict=True))  # both alone, both with DDP

    del ddp  # it holds the group, too
    dist.barrier()
    dist.destroy_process_group()  # ends the threads of gloo, so the process can exit


# %%
# Two roles in one script
# -----------------------
#
# ``torchrun`` runs this file once for each rank; these copies work and leave.
# The copy that you started launches ``torchrun`` and prints what rank 0 says.
if dist.is_torchelastic_launched():
    sys.exit(work())

torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
torchrun += ["--nproc-per-node=2", sys.argv[0]]
env = os.environ | {"OMP_NUM_THREADS": "1"}
ranks = run(torchrun, env=env, timeout=100, check=False, capture_output=True, text=True)
if ranks.returncode:
    raise RuntimeError(ranks.stderr)

print("full batch", gradient(new_model(), X, Y), end="\n\n")
print("shards     ranks alone .grad by DDP", ranks.stdout, sep="\n", end="")

# %%
# Read it line by line; the numbers in brackets belong to rank 0 and rank 1.
# Equal shards: :math:`(-2 + 1) / 2` is the full batch's −0.5.
# Unequal shards: :math:`(-2 + 4) / 2` is 1, which has the wrong *sign*: the step
# goes uphill.
# Scaled by :math:`n_r W / N`: :math:`(-3 + 2) / 2` is −0.5 again.
# In every line both ranks hold the same ``.grad``, so their weights stay the same.

# %%
# Who computes, who sends
# -----------------------
#
# A box is work that a rank does alone; an arrow is a message.
# The weights travel once, when DDP wraps the model.
# In each step only gradients travel: no samples, no outputs, no losses.
# (A model with buffers, such as BatchNorm's, also gets those of rank 0 before each
# forward pass.)
# In a larger model the all-reduce overlaps with ``backward()``: a bucket of gradients
# leaves as soon as it is full.
GREY, BLUE, ORANGE = "#7a7a7a", "#2a7fc0", "#D55E00"  # read on white and black
plt.rc("figure", facecolor="none", dpi=160)
plt.rc("axes", facecolor="none", labelcolor=GREY, edgecolor=GREY)
plt.rc(("text", "xtick", "ytick"), color=GREY)
plt.rc("axes.spines", left=False, right=False, top=False, bottom=False)
plt.rc("font", size=16)
fig, ax = plt.subplots(figsize=(6, 7), layout="constrained")


def send(y, arrow, text):
    look = {"arrowstyle": arrow, "lw": 4, "mutation_scale": 30, "color": ORANGE}
    ax.annotate("", (1.5, y), (0.5, y), arrowprops=look)
    ax.text(1, y, text, ha="center", va="center", linespacing=1.5)


def work_alone(y, *texts):
    ax.barh([y, y], 0.8, 0.8, [0.1, 1.1], color="#d6e9f8", edgecolor=BLUE, zorder=2)
    for x, text in zip((0.5, 1.5), texts, strict=True):
        ax.text(x, y, text, ha="center", va="center", color="#102030")


g0, g1 = gradient(new_model(), X[:4], Y[:4]), gradient(new_model(), X[4:], Y[4:])
send(0, "-|>", "broadcast\n\nweights, once")
work_alone(1, "forward\n4 samples", "forward\n4 samples")
work_alone(2, f"backward\n$g_0 = {g0:g}$", f"backward\n$g_1 = {g1:g}$")
send(3, "<|-|>", "all-reduce\n\n$(g_0 + g_1)\\,/\\,2$")
work_alone(4, *[f"step\n.grad = ${(g0 + g1) / 2:g}$"] * 2)
for x, name in (0.5, "rank 0"), (1.5, "rank 1"):
    ax.vlines(x, -0.6, 4.8, color=GREY, ls=":", lw=2, zorder=1)
    ax.text(x, -0.7, name, ha="center", weight="bold")
ax.set(xlim=(0, 2), ylim=(4.8, -1), xticks=[], yticks=[], title="One DDP step")
ax.set_ylabel(r"$\leftarrow$ time")
plt.show()

# %%
# Why the mean of two means goes wrong
# ------------------------------------
#
# Stack the eight gradients on a beam.
# It balances at their mean, −0.5, the gradient of the full batch.
# The mean of the two means lies halfway between the stacks, at 1, as if both were
# equally heavy.
#
# ``DistributedSampler`` keeps shards equal: it repeats a few samples at the end.
# But a language model averages over *tokens*, and shards seldom hold equally many.
# There :math:`n_r` must count tokens.
fig, ax = plt.subplots(figsize=(6, 5), layout="constrained")
for rank, x, n, marker, color in (0, -2, 6, "o", BLUE), (1, 4, 2, "s", ORANGE):
    ax.scatter([x] * n, range(n), s=450, marker=marker, color=color)
    ax.text(x, n, f"{n} on rank {rank}", ha="center", weight="bold")
ax.axhline(-0.7, color=GREY, lw=4)
ax.vlines([-0.5, 1], -0.7, [5.5, 3.8], color=GREY, ls="--")
ax.scatter([-0.5, 1], [-1.25] * 2, 400, [GREY, "none"], marker="^", ec=GREY, lw=2)
ax.text(-0.3, 4.4, "full batch\n$-0.5$")
ax.text(1.2, 2.7, "mean of\nmeans, $1$")
ax.set(xlim=(-4, 6), ylim=(-1.7, 6.8), yticks=[], title="Six samples against two")
ax.set_xlabel(r"gradient of one sample, $\partial\ell\,/\,\partial w$")
# sphinx_gallery_thumbnail_number = 2
plt.show()
