r"""
Log-sum-exp: the same loss, but it survives
===========================================

On paper, cross entropy is a softmax, then a logarithm.
In float32 that overflows on one side and underflows on the other.
This script computes the loss of two classes in four ways, for logits from −140 to 140,
and hatches where the gradient is lost.
Only log-sum-exp, one formula with the maximum taken out, is right everywhere.

The question: :ref:`cross-entropy`.
"""

# %%
# Where exp ends
# --------------
#
# :math:`e^z` overflows where :math:`z` exceeds the logarithm of the largest number, and
# rounds to 0 where it is less than half of the smallest one above 0.
# A logit of 89 is too much for float32, one of 12 for float16.
import math

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F

print("          exp overflows above  and is 0 below")
for dtype in torch.float16, torch.bfloat16, torch.float32, torch.float64:
    info = torch.finfo(dtype)
    log_smallest = math.log(info.smallest_normal) + math.log(info.eps)  # subnormal
    print(f"{str(dtype)[6:]:8}  {math.log(info.max):19.2f}  {log_smallest - math.log(2):14.2f}")
print("in float32:", ", ".join(f"exp({z:.2f}) = {z.exp():.2e}" for z in torch.tensor([88.72, 88.73])))

# %%
# Four ways to one loss
# ---------------------
#
# The target's logit is :math:`t`, the other one is 0, so the loss is
# :math:`\log(1 + e^{-t})`.
# The *push* is minus its derivative: 1 for a model that is certain and wrong, 0 for one
# that is certain and right.
#
# Dividing by the sum breaks at both ends.
# ``softmax`` takes out the maximum first, so nothing overflows, but its 0 comes before
# the logarithm.
# Adding an epsilon silences the ``inf`` and the ``nan``, and with them the gradient.
#
# Log-sum-exp takes out the maximum :math:`m` and keeps the logarithm in the same formula:
# :math:`\log \sum_c e^{z_c} = m + \log \sum_c e^{z_c - m}`.
# No exponent is above 0 now, and one is exactly 0: the sum lies between 1 and the number
# of classes, where a logarithm cannot fail.
# What underflows is too small to count beside that 1.


def divide(z):  # (N, C) -> (N,), the target is class 0
    e = z.exp()
    return -(e[:, 0] / e.sum(1)).log()


def softmax_log(z):
    return -z.softmax(1)[:, 0].log()


def epsilon(z):
    return -(z.softmax(1)[:, 0] + 1e-8).log()


def log_sum_exp(z):
    m = z.detach().amax(1, keepdim=True)  # (N, 1)
    return (m + (z - m).exp().sum(1, keepdim=True).log() - z)[:, 0]


def loss_and_push(way, t):
    z = torch.stack([t, torch.zeros_like(t)], 1).requires_grad_()  # (N, 2)
    loss = way(z)  # (N,)
    loss.sum().backward()
    return loss.detach() + 0.0, 0.0 - z.grad[:, 0]  # no negative zeros


ways = [divide, softmax_log, epsilon, log_sum_exp]
print("          t  " + "".join(f"{t:8}" for t in (-120, -80, 0, 80, 120)))
for way in ways:
    loss, push = loss_and_push(way, torch.tensor([-120.0, -80.0, 0.0, 80.0, 120.0]))
    print(f"{way.__name__:11} loss" + "".join(f"{v:8.2f}" for v in loss))
    print(f"{'':11} push" + "".join(f"{v:8.2f}" for v in push))

# %%
# The picture
# -----------
#
# Hatched is where the push is ``nan``, or off by more than 0.01.
# It begins earlier than you may think: at −89, where the loss is still right, the
# derivative of the logarithm, :math:`1 / p`, overflows.
# With the epsilon it begins at −14, and further left the loss is flat: the samples that
# should push most do not push at all.
#
# ``F.cross_entropy`` and ``log_softmax`` compute the last one.
GREY, BLUE, ORANGE, INK = "#7a7a7a", "#2a7fc0", "#D55E00", "#102030"  # read on white and black
plt.rc("figure", facecolor="none", dpi=160)
plt.rc("axes", facecolor="none", labelcolor=GREY, edgecolor=GREY)
plt.rc("axes.spines", right=False, top=False)
plt.rc(("text", "xtick", "ytick"), color=GREY)
plt.rc("font", size=16)

t = torch.linspace(-140, 140, 561)
fig, axes = plt.subplots(4, figsize=(6, 9), sharex=True, sharey=True, layout="constrained")
titles = ["exp, divide, log", "softmax, then log", r"softmax, then log$(p + 10^{-8})$", "log-sum-exp"]
for ax, way, title in zip(axes, ways, titles, strict=True):
    loss, push = loss_and_push(way, t)
    lost = ~((push - (-t).sigmoid()).abs() < 0.01)  # true for nan, too
    ax.fill_between(t, 0, 140, where=lost, facecolor="none", edgecolor=ORANGE, hatch="//")
    ax.plot(t, loss.where(loss.isfinite(), torch.nan), color=BLUE, lw=4)
    ax.set_title(title, loc="right", size=16)
for ax, x, text in [(axes[0], -114, "nan"), (axes[0], 114, "nan"), (axes[1], -114, "nan"), (axes[2], -77, "gradient 0")]:
    ax.text(x, 48, text, ha="center", color=INK, bbox={"color": "#f6c244"})
axes[3].set(xlabel="logit $t$ of the target\nwrong        guess        right", yticks=[0, 70, 140])
fig.supylabel(r"loss $\ell$", color=GREY)
plt.show()

z = torch.stack([t, torch.zeros_like(t)], 1)  # (561, 2)
target = torch.zeros(len(t), dtype=torch.long)
torch.testing.assert_close(log_sum_exp(z), F.cross_entropy(z, target, reduction="none"))
