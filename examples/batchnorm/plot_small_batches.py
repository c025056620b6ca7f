r"""
What small batches do to BatchNorm
==================================

The statistics of a batch are an estimate, and a small batch is a noisy one.
The data set here has eight samples, so all batches can be listed and nothing is drawn
at random.
The script shows what a sample becomes in all of them, and how far that is from
evaluation.

The question: :ref:`batchnorm`.
"""

# %%
# All batches of eight samples
# ----------------------------
#
# The samples are 0 to 7.
# Their mean is 3.5, their biased variance 5.25 and their unbiased variance 6.
# There are 28 batches of two, 70 of four and one of eight.
#
# The mean of a batch is right on average, but it scatters.
# Drawn without replacement, its variance is :math:`6/n \cdot (1 - n/8)`.
# The second factor is there because the data set is so small: of a large one,
# :math:`\sigma^2 / n` is left.
# So the noise has a standard deviation of :math:`\sigma / \sqrt{n}`: for half of it, the
# batch must be four times as large.
#
# The biased variance of a batch, which BatchNorm divides by, is too small on average.
# It is :math:`6 \cdot (n - 1) / n`, for pairs only half of 6.
from itertools import combinations

import matplotlib.pyplot as plt
import torch
from torch import nn

torch.set_num_threads(1)  # tiny tensors
samples = torch.arange(8.0, dtype=torch.float64)  # (8,)


def all_batches(n):  # (batches, n)
    return torch.tensor(list(combinations(samples.tolist(), n)), dtype=torch.float64)


print("n batches   mean  its variance  biased variance")
for n in 2, 4, 6, 8:
    batches = all_batches(n)
    means, biased = batches.mean(1), batches.var(1, correction=0)
    noise = means.var(correction=0)
    torch.testing.assert_close(noise.item(), 6 / n * (1 - n / 8))
    torch.testing.assert_close(biased.mean().item(), 6 * (n - 1) / n)
    print(f"{n} {len(batches):7} {means.mean():6.4f} {noise:13.4f} {biased.mean():16.4f}")

# %%
# The real layer, fed with all of them
# ------------------------------------
#
# ``momentum=None`` gives the plain average over all batches.
# Whatever the batch size, the running mean ends at 3.5 and the running variance at 6,
# because BatchNorm stores the unbiased variance.
# So evaluation is the same function for all of them: :math:`(x - 3.5) / \sqrt{6}`.
# The batch size only changes what the network sees in *training*.
# (With the default momentum 0.1 the running mean jitters, too: over independent batches,
# its variance ends at :math:`0.1^2 / (1 - 0.9^2) = 1/19` of a batch mean's.)
#
# The gap is the root mean square of the difference between the two modes.
# It grows as batches shrink, and for pairs it is 0.81, while the outputs themselves are
# ±1.
# At eight the noise is gone; what is left is the factor :math:`\sqrt{7/8}` between the
# two standard deviations.
train = {}  # batch size -> sample -> its outputs in training
print("n  running mean  var     gap")
for n in 2, 3, 4, 6, 8:
    bn = nn.BatchNorm1d(1, momentum=None, dtype=torch.float64)
    train[n] = {int(x): [] for x in samples}
    for batch in all_batches(n):  # (n,)
        for x, y in zip(batch, bn(batch[:, None]), strict=True):
            train[n][int(x)].append(y.item())
    evals = bn.eval()(samples[:, None]).flatten().tolist()
    errors = [(y - evals[x]) ** 2 for x in train[n] for y in train[n][x]]
    gap = (sum(errors) / len(errors)) ** 0.5
    mean, var = bn.running_mean.item(), bn.running_var.item()
    print(f"{n}  {mean:12.4f}  {var:.4f}  {gap:.4f}")

# %%
# One sample, many outputs
# ------------------------
#
# Take the sample 5, which evaluation turns into 0.61.
# Each dot is its output in one batch; the dots of a batch size are spread sideways, so
# that none hides another.
# In pairs it becomes −1 or 1, depending on which partner it met.
# In larger batches the cloud closes in on evaluation's value.
GREY, BLUE, ORANGE = "#7a7a7a", "#2a7fc0", "#D55E00"  # read on white and black
plt.rc("figure", facecolor="none", dpi=160)
plt.rc("axes", facecolor="none", labelcolor=GREY, edgecolor=GREY)
plt.rc("axes.spines", right=False, top=False)
plt.rc(("text", "xtick", "ytick"), color=GREY)
plt.rc("font", size=16)
plt.rc("lines", linewidth=3, markersize=11)

fig, ax = plt.subplots(figsize=(6, 5.4), layout="constrained")
ax.axhline(evals[5], color=ORANGE, ls="--")
for i, (n, outputs) in enumerate(train.items()):
    shifts = [i + 0.6 * (k * 0.618 % 1 - 0.5) * (n < 8) for k in range(len(outputs[5]))]
    ax.plot(shifts, outputs[5], "o", color=BLUE, alpha=0.7, mew=0)
ax.text(4.5, evals[5] - 0.3, "evaluation", ha="right")
ax.set(xlabel="batch size", ylabel="output for sample 5", ylim=(-2, 2))
ax.set_xticks(range(5), train)
ax.set_title("The smaller the batch, the wilder")
plt.show()

# %%
# What is left of the value
# -------------------------
#
# Now all samples, in pairs and in batches of six.
# A bar reaches from the lowest output to the highest, and a mark stands at their mean.
# A pair tells the next layer only which of the two is larger, so 1 and 6 can both become
# −1 or 1.
# The means of the pairs lie on a line, but a flatter one than evaluation's: one more in
# :math:`x` gives 0.29 instead of 0.41.
#
# In a convolutional network a channel has more values, one for each position.
# But positions of one image are no independent samples: with ResNet-50 on ImageNet and
# two images on each GPU, GroupNorm's error is
# `10.6 points lower <https://arxiv.org/abs/1803.08494>`_ than BatchNorm's.
#
# Accumulating gradients over micro-batches does not help, since each of them is
# normalised alone.
# What helps is a larger batch on each device, ``SyncBatchNorm`` across devices, a
# pretrained BatchNorm frozen in evaluation mode, or GroupNorm, which never looks at other
# samples.
average = [sum(outputs) / len(outputs) for outputs in train[2].values()]
print(f"pairs {average[5] - average[4]:.4f}  evaluation {evals[5] - evals[4]:.4f}")

fig, ax = plt.subplots(figsize=(6, 5.8), layout="constrained")
for n, shift, color, mark in (2, -0.13, ORANGE, "s"), (6, 0.13, BLUE, "o"):
    for x, outputs in train[n].items():
        ends = min(outputs), max(outputs)
        ax.plot([x + shift] * 2, ends, color=color, alpha=0.6, lw=7)
        ax.plot(x + shift, sum(outputs) / len(outputs), mark, color=color)
ax.plot(evals, color=GREY, ls=":")
ax.text(-0.3, 1.2, "squares: pairs\ndots: batches of six\ndotted line: evaluation")
ax.set(xlabel="sample", ylabel="output", ylim=(-2, 2.3), xticks=range(8))
ax.set_title("Lowest, mean and highest output")
plt.show()
