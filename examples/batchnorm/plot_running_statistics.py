"""
BatchNorm's running statistics, step by step
============================================

In training, BatchNorm normalises with the statistics of the batch.
It also updates its running statistics, and in evaluation it normalises with those.
This script follows both step by step.
It shows why the two modes differ even on the batch that the layer has seen sixty
times, and in which direction ``momentum`` works.

The question: :ref:`batchnorm`.
"""

# %%
# One step by hand
# ----------------
#
# The batch has mean 3, and its squared deviations add up to 20.
# The *biased* variance divides by :math:`n = 4`: it is 5.
# The *unbiased* variance divides by :math:`n - 1 = 3`: it is 20/3.
# BatchNorm uses both: it *normalises* with the biased one and *stores* the unbiased
# one.
# It stores a tenth of it: running ← 0.9 · running + 0.1 · batch.
# The running mean starts at 0, the running variance at 1.
import matplotlib.pyplot as plt
import torch
from torch import nn

x = torch.tensor([[0.0], [2.0], [4.0], [6.0]], dtype=torch.float64)  # (4, 1)
mean, biased, unbiased = x.mean(), x.var(correction=0), x.var(correction=1)

bn = nn.BatchNorm1d(1, dtype=torch.float64)
y = bn(x)  # (4, 1)
torch.testing.assert_close(y, (x - mean) / (biased + bn.eps).sqrt())
torch.testing.assert_close(bn.running_mean.squeeze(), 0.9 * 0 + 0.1 * mean)
torch.testing.assert_close(bn.running_var.squeeze(), 0.9 * 1 + 0.1 * unbiased)
print(f"batch    mean {mean:.4f}  biased {biased:.4f}  unbiased {unbiased:.4f}")
print(f"running  mean {bn.running_mean.item():.4f}  var    {bn.running_var.item():.4f}")

# %%
# The same batch, in training and in evaluation
# ---------------------------------------------
#
# Feed this one batch sixty times, and watch the output for its first sample, 0.
# In training mode it never changes: :math:`(0 - 3) / \sqrt{5} = -1.3416`.
# In evaluation mode it starts at 0, since the running mean does.
# It approaches :math:`(0 - 3) / \sqrt{20/3} = -1.1619`, and there it stays.
# The factor between them is :math:`\sqrt{(n - 1) / n}`.
# It takes off 13 % for :math:`n = 4`, and 0.2 % for :math:`n = 256`.
bn = nn.BatchNorm1d(1, dtype=torch.float64)
variances, evals = [], []
for step in range(61):
    variances.append(bn.running_var.item())
    evals.append(bn.eval()(x)[0].item())  # reads the running statistics
    trained = bn.train()(x)[0].item()  # updates them, but does not read them
    if step in (0, 1, 10, 60):
        print(f"step {step:2}  train {trained:.4f}  eval {evals[-1] + 0.0:7.4f}")

GREY, BLUE, ORANGE = "#7a7a7a", "#2a7fc0", "#D55E00"  # read on white and black
plt.rc("figure", facecolor="none", dpi=160)
plt.rc("axes", facecolor="none", labelcolor=GREY, edgecolor=GREY)
plt.rc("axes.spines", right=False, top=False)
plt.rc(("text", "xtick", "ytick"), color=GREY)
plt.rc("font", size=16)
plt.rc("lines", linewidth=3)

fig, (upper, lower) = plt.subplots(2, figsize=(6, 8), sharex=True, layout="constrained")
upper.plot(variances, color=BLUE)
upper.axhline(unbiased, color=GREY, ls=":")
upper.axhline(biased, color=ORANGE, ls="--")
upper.text(60, unbiased + 0.15, "unbiased variance, 20/3", ha="right")
upper.text(60, biased - 0.6, "biased variance, 5", ha="right")
upper.text(9, 2.6, "running_var", weight="bold")
upper.set(ylabel="variance", ylim=(0.5, 7.6), title="Evaluation never meets training")
lower.plot(evals, color=BLUE)
lower.axhline(trained, color=ORANGE, ls="--")
lower.fill_between(range(61), trained, evals, color=BLUE, alpha=0.2)
lower.text(60, -1.08, r"eval: to $-3\,/\sqrt{20/3}$", ha="right")
lower.text(60, -1.52, r"train: $-3\,/\sqrt{5}$", ha="right")
lower.set(xlabel="training steps", ylabel="output for $x = 0$", ylim=(-1.6, 0.05))
lower.set_yticks([-1.5, -1, -0.5, 0])
plt.show()

# %%
# Momentum points the other way
# -----------------------------
#
# In an optimizer, a momentum of 0.9 keeps nine tenths of the *old* value.
# In BatchNorm, it takes nine tenths from the *new* batch:
# running ← (1 − m) · running + m · batch.
# Below, two batches with means 4 and 12 take turns.
# With m = 0.1 the running mean climbs towards 8, the average of both.
# With m = 0.9 it runs after whichever batch came last, and with m = 1 it is that batch.
# ``momentum=None`` gives the plain average of all batches so far.
batches = torch.tensor([[[2.0], [6.0]], [[10.0], [14.0]]], dtype=torch.float64)
means = {}
for momentum in 0.1, 0.9, 1.0, None:
    bn = nn.BatchNorm1d(1, momentum=momentum, dtype=torch.float64)
    means[momentum] = [bn.running_mean.item()]
    for step in range(24):
        bn(batches[step % 2])  # (2, 1)
        means[momentum].append(bn.running_mean.item())
    print(f"momentum {momentum!s:4}  running mean {means[momentum][-1]:.4f}")

fig, ax = plt.subplots(figsize=(6, 5), layout="constrained")
ax.plot(range(1, 25), [4, 12] * 12, "o", color=GREY, ms=9)
ax.plot(means[0.9], color=ORANGE, ls="--", lw=2)
ax.plot(means[0.1], color=BLUE, lw=4)
ax.text(12, 12.7, "means of the batches", ha="center")
ax.text(24.5, 10.8, "m = 0.9")
ax.text(24.5, 7.8, "m = 0.1")
ax.set(xlabel="training steps", ylabel="running mean", xlim=(0, 31), ylim=(0, 13.5))
ax.set_title("The larger m, the faster it forgets")
# sphinx_gallery_thumbnail_number = 2
plt.show()
