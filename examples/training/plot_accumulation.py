"""
When accumulation equals the full batch
=======================================

Gradient accumulation runs several micro-batches and steps once.
This script follows ``.grad`` from micro-batch to micro-batch, to the last bit.
It shows a case that reaches the full batch's gradient and two that miss it: unequal
micro-batches, which one factor repairs, and BatchNorm, which no factor does.

The question: :ref:`large-batch-small-memory`.
"""

# %%
# Equal and unequal micro-batches
# -------------------------------
#
# The model is one weight, :math:`w = 1`, and a sample's loss is :math:`(wx - y)^2`.
# Its gradient is :math:`2(wx - y)x`: −4, −4, −2, −2, −2, −2, 4 and 8.
# The mean over the full batch is :math:`-4 / 8 = -0.5`.
#
# ``backward()`` *adds* to ``.grad``, so the loop only has to scale each mean loss.
# The usual factor is :math:`1 / k` for :math:`k` micro-batches.
# The right one is :math:`n / N`: the samples of this micro-batch, over those of all.
import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from torch import nn

X = torch.tensor([1.0, 1, 1, 1, 1, 1, 2, 2]).reshape(8, 1)
Y = torch.tensor([3.0, 3, 2, 2, 2, 2, 1, 0]).reshape(8, 1)


def accumulate(sizes, factor):
    model = nn.Linear(1, 1, bias=False)
    nn.init.ones_(model.weight)  # (1, 1)
    grads = [0.0]
    for x, y in zip(X.split(sizes), Y.split(sizes), strict=True):  # (n, 1)
        loss = F.mse_loss(model(x), y) * factor(len(x))
        loss.backward()  # adds to .grad
        grads.append(model.weight.grad.item())
    return grads  # here the optimizer would step, once


EQUAL, UNEQUAL = [2, 2, 2, 2], [4, 2, 1, 1]
print("full batch  ", accumulate([8], lambda n: 1))
print("equal,   1  ", accumulate(EQUAL, lambda n: 1))
print("equal,   1/k", good := accumulate(EQUAL, lambda n: 1 / 4))
print("unequal, 1/k", bad := accumulate(UNEQUAL, lambda n: 1 / 4))
print("unequal, n/N", repaired := accumulate(UNEQUAL, lambda n: n / 8))

# %%
# Look at the last number of each line.
# Without a factor, ``.grad`` is :math:`k` times too large, as if someone had raised the
# learning rate.
# With :math:`1 / k`, equal micro-batches give the full batch's −0.5.
# Unequal ones give 1.75, which has the wrong *sign*: the two lone samples at the end
# weigh as much as the four at the start.
# With :math:`n / N` every sample weighs the same, and −0.5 is back.
# In a language model the samples are *tokens*, and micro-batches seldom hold equally
# many.
GREY, BLUE, ORANGE = "#7a7a7a", "#2a7fc0", "#D55E00"  # read on white and black
plt.rc("figure", facecolor="none", dpi=160)
plt.rc("axes", facecolor="none", labelcolor=GREY, edgecolor=GREY)
plt.rc("axes.spines", right=False, top=False)
plt.rc(("text", "xtick", "ytick"), color=GREY)
plt.rc("font", size=16)
plt.rc("lines", linewidth=3, markersize=11)

fig, ax = plt.subplots(figsize=(6, 5.4), layout="constrained")
ax.axhline(-0.5, color=GREY, lw=2)
ax.plot([0, 4, 6, 7, 8], bad, "s--", color=ORANGE)
ax.plot([0, 4, 6, 7, 8], repaired, "^:", color=BLUE, ms=21, mfc="none", mew=3)
ax.plot([0, 2, 4, 6, 8], good, "o-", color=BLUE)
ax.text(6.7, 1.2, "unequal, $1/k$", ha="right")
ax.text(8.5, -0.4, "full\nbatch")
ax.text(0, -2.45, "equal, $1/k$ (dots)\nunequal, $n/N$ (triangles)", va="top")
ax.set(xlabel="samples seen", ylabel=".grad of the weight", xlim=(-0.5, 10.4), ylim=(-3.4, 2.1), xticks=range(0, 9, 2))
ax.set_title("Which sum ends at the full batch?")
plt.show()

# %%
# BatchNorm
# ---------
#
# Now the micro-batches are equal and every loss is divided by :math:`k`.
# Still the gradients differ, because BatchNorm normalises each micro-batch alone.
# The samples are 0 to 7, the targets too, so the layer should learn to stretch.
# The full batch says so: the gradient of its ``weight`` is negative, so a step makes it
# larger.
# In pairs, every sample becomes −1 or 1: the layer no longer knows which pair it sees,
# and the gradient turns positive.
# It also updates its running statistics four times, not once.
#
# No factor repairs that; the statistics are gone.
# In evaluation mode BatchNorm is a fixed scale and shift, and micro-batches agree
# again.
# So do LayerNorm and GroupNorm, which never look at another sample.
samples = torch.arange(8.0, dtype=torch.float64).reshape(8, 1)


def through_batchnorm(size, frozen=False):
    bn = nn.BatchNorm1d(1, dtype=torch.float64)
    if frozen:  # at statistics from earlier training
        bn.running_mean.fill_(3.5)
        bn.running_var.fill_(5.25)
        bn.eval()
    outputs = []
    for x in samples.split(size):  # (size, 1)
        outputs.append(bn(x))
        (F.mse_loss(outputs[-1], x) * size / 8).backward()
    updates = bn.num_batches_tracked.item()
    print(f"{frozen!s:5} {size} {bn.weight.grad.item():9.2f} {updates:8}")
    return torch.cat(outputs).flatten().tolist()


print("frozen n  gradient  updates")
whole, pairs = through_batchnorm(8), through_batchnorm(2)
through_batchnorm(8, frozen=True), through_batchnorm(2, frozen=True)

fig, ax = plt.subplots(figsize=(6, 5), layout="constrained")
ax.plot(whole, "o-", color=BLUE)
for i in range(0, 8, 2):
    ax.plot([i, i + 1], pairs[i : i + 2], "s--", color=ORANGE)
ax.text(6.9, 1.62, "full batch", ha="right")
ax.text(3.5, -1.35, "four micro-batches\nof two", ha="left", va="top")
ax.set(xlabel="sample", ylabel="output of BatchNorm", ylim=(-2.1, 1.9))
ax.set_title("In pairs, all samples look alike")
plt.show()
