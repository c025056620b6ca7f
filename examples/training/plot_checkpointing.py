"""
Activation checkpointing: a sawtooth instead of a mountain
==========================================================

The backward pass needs what the forward pass saved, so memory climbs layer by layer and
falls only in backward.
Checkpointing saves the input of each segment alone, and runs the segment again when
backward gets there.
This script counts the memory that is kept at each moment, and how often a layer runs,
for every number of segments.

The question: :ref:`large-batch-small-memory`.
"""

# %%
# Count what autograd keeps
# -------------------------
#
# The model is a chain of 64 sines, each of which saves its input, 1 KiB.
# ``saved_tensors_hooks`` calls its first function for each tensor that autograd saves,
# and holds on to the result for as long as it needs the tensor.
# So when a ``Kept`` dies, a saved tensor is freed.
# Count storages, not tensors: two that share one do not cost twice.
from collections import Counter

import matplotlib.pyplot as plt
import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.checkpoint import checkpoint

users = Counter()  # address of a storage -> saved tensors that use it
history = []  # KiB kept, noted whenever a layer runs


class Kept:
    def __init__(self, tensor):
        self.tensor = tensor
        users[tensor.data_ptr()] += 1

    def __del__(self):
        users[self.tensor.data_ptr()] -= 1


def kept():
    return sum(count > 0 for count in users.values())  # each is 1 KiB


def segment(x, layers):
    for _ in range(layers):
        x = x.sin()  # (256,) float32
        history.append(kept())  # it ran forward
        if x.requires_grad:
            x.register_hook(lambda grad: history.append(kept()))  # it runs backward
    return x


# %%
# Checkpointing in a dozen lines
# ------------------------------
#
# Autograd does not record inside the ``forward`` of a ``Function``: nothing is saved but
# what we save.
# ``backward`` runs the segment once more, recorded this time, and goes back through it.
class Checkpoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, layers):
        ctx.layers = layers
        ctx.save_for_backward(x)
        return segment(x, layers)

    @staticmethod
    def backward(ctx, grad):
        x = ctx.saved_tensors[0].detach().requires_grad_()
        with torch.enable_grad():
            y = segment(x, ctx.layers)  # again
        y.backward(grad)
        return x.grad, None


def train_step(run, segments, layers=64):
    history.clear()
    x = h = torch.linspace(0, 1, 256, requires_grad=True)
    with saved_tensors_hooks(Kept, lambda box: box.tensor):
        for _ in range(segments):
            h = run(h, layers // segments)
        after_forward = kept()
        h.sum().backward()
    return after_forward, list(history), x.grad


# %%
# The mountain and the sawtooth
# -----------------------------
#
# A step on the x axis is one layer that runs, forward or backward.
# Without checkpointing all 64 inputs are kept at the summit.
# With eight segments of eight layers, eight are kept after the forward pass.
# Then each tooth is a segment: up while it runs again, down while backward frees it.
# The first tooth, of the last segment, is the highest: seven other inputs and its own
# eight make 15.
#
# The price is 64 more layers forward.
# Where backward costs twice as much as forward, that is a third more work.
_, plain, plain_grad = train_step(segment, 1)
_, saw, grad = train_step(Checkpoint.apply, 8)
print(f"plain         peak {max(plain)} KiB, {len(plain)} layers run")
print(f"checkpointed  peak {max(saw)} KiB, {len(saw)} layers run")
print("same gradient:", torch.equal(grad, plain_grad))

GREY, BLUE, ORANGE = "#7a7a7a", "#2a7fc0", "#D55E00"  # read on white and black
plt.rc("figure", facecolor="none", dpi=160)
plt.rc("axes", facecolor="none", labelcolor=GREY, edgecolor=GREY)
plt.rc("axes.spines", right=False, top=False)
plt.rc(("text", "xtick", "ytick"), color=GREY)
plt.rc("font", size=16)
plt.rc("lines", linewidth=3, markersize=11)

fig, ax = plt.subplots(figsize=(6, 5.4), layout="constrained")
ax.plot(plain, "--", color=ORANGE)
ax.plot(saw, color=BLUE)
ax.fill_between(range(len(saw)), saw, color=BLUE, alpha=0.25, hatch="//")
ax.axvline(64, color=GREY, ls=":", lw=2)
ax.text(58, 66, "forward", ha="right")
ax.text(70, 66, "backward")
ax.text(98, 36, "plain")
ax.text(132, 16, "eight\nsegments")
ax.set(ylabel="activations kept, KiB", xlabel="layers run", xticks=range(0, 193, 32), ylim=(0, 73))
ax.set_title("Climb 64 at once, or 8 at a time")
plt.show()

# %%
# How many segments?
# ------------------
#
# Few segments keep few inputs, but each is a large tooth.
# Many make small teeth on a high floor.
# For :math:`n` layers in :math:`k` segments the peak is :math:`k + n/k - 1`, and
# :math:`k = \sqrt{n}` makes it smallest: 15 for 64 layers, 63 for 1,024.
# The extra work is the same for every :math:`k`.
ks, floors, peaks = [1, 2, 4, 8, 16, 32, 64], [], []
print("segments  after forward  peak  layers run")
for k in ks:
    floor, kib, grad = train_step(Checkpoint.apply, k)
    floors.append(floor)
    peaks.append(max(kib))
    assert torch.equal(grad, plain_grad) and max(kib) == k + 64 // k - 1
    print(f"{k:8}  {floor:13}  {max(kib):4}  {len(kib):10}")

fig, ax = plt.subplots(figsize=(6, 5), layout="constrained")
ax.axhline(64, color=ORANGE, ls="--")
ax.plot(ks, peaks, "o-", color=BLUE)
ax.plot(ks, floors, "^:", color=GREY)
ax.text(8, 59, "plain", ha="center")
ax.text(8, 19, "peak\n$k + n/k - 1$", ha="center")
ax.text(7, 2, "after forward: $k$")
ax.set(xscale="log", xlabel="segments $k$", ylabel="activations kept, KiB", ylim=(0, 68))
ax.set_xticks(ks, ks)
ax.minorticks_off()
ax.set_title(r"Smallest at $k = \sqrt{n} = 8$")
plt.show()

# %%
# PyTorch's own
# -------------
#
# ``torch.utils.checkpoint`` keeps the same eight inputs.
# It runs eight fewer layers: a recomputation stops as soon as it has saved all that
# backward needs, and for that the last layer of a segment need not finish.
# It restores the random state, too, so that dropout draws the same mask again; ours does
# not.
# (The second pass hides what it saves from our hooks, so its peak does not show here.)
floor, kib, grad = train_step(lambda x, n: checkpoint(segment, x, n, use_reentrant=False), 8)
print(f"torch: {floor} KiB after forward, {len(kib)} layers run, same gradient: {torch.equal(grad, plain_grad)}")
