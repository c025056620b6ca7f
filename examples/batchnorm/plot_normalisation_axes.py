"""
Batch, layer, instance and group norm: the axes
===============================================

The four layers compute the same formula: subtract a mean, divide by a standard
deviation.
They differ in which values share that mean.
This script draws the groups of all four on one tensor, whose means tell which samples
and channels went in.

The question: :ref:`batchnorm`.
"""

# %%
# A tensor whose means can be read
# --------------------------------
#
# Two samples, four channels, 2 × 2 pixels.
# A value is 100 times its sample, plus 10 times its channel, plus a pixel's offset.
# The four offsets add up to 0.
# So the mean 110 stands for sample 1, channel 1; the mean 60 for both samples and
# channel 1, since 50 lies halfway between 0 and 100.
# Printed are the pixels of sample 1, channel 2.
import matplotlib.pyplot as plt
import torch
from torch import nn

N, C, H, W, G = 2, 4, 2, 2, 2  # G groups of C/G channels
n, c = torch.arange(N), torch.arange(C)
pixels = torch.tensor([[-3, -1], [1, 3]])  # (H, W)
x = 100 * n.view(N, 1, 1, 1) + 10 * c.view(C, 1, 1) + pixels  # (N, C, H, W)
x = x.double()
print(x[1, 2])

# %%
# The four sets of axes
# ---------------------
#
# The mean is taken *over* the axes that are named; the others are kept.
# GroupNorm first splits the channels into groups, which makes a fifth axis.
# Each of PyTorch's layers is checked against the formula.
# Then the script prints how many means there are, how many values share each, and the
# means.
grouped = x.view(N, G, C // G, H, W)
layers = {
    "BatchNorm": (nn.BatchNorm2d(C), x, (0, 2, 3)),  # over N, H, W
    "LayerNorm": (nn.LayerNorm([C, H, W]), x, (1, 2, 3)),  # over C, H, W
    "InstanceNorm": (nn.InstanceNorm2d(C), x, (2, 3)),  # over H, W
    "GroupNorm": (nn.GroupNorm(G, C), grouped, (2, 3, 4)),  # over C/G, H, W
}
means = {}
for name, (layer, values, axes) in layers.items():
    mean = values.mean(axes, keepdim=True)
    var = values.var(axes, correction=0, keepdim=True)
    normalised = ((values - mean) / (var + layer.eps).sqrt()).view_as(x)
    torch.testing.assert_close(layer.double()(x), normalised)
    means[name] = mean.flatten().int().tolist()
    print(f"{name:12} {mean.numel()} × {x.numel() // mean.numel():2}", means[name])

# %%
# The picture
# -----------
#
# A frame holds the values that share one mean, which is written in it.
# The hatched one holds the first pixel of sample 0, channel 0.
# BatchNorm runs down, across the samples; the others stay within a sample.
# BatchNorm and GroupNorm here have equally many groups of equal size, and not one in
# common.
GREY, BLUE, INK = "#7a7a7a", "#2a7fc0", "#102030"  # read on white and black
plt.rc("figure", facecolor="none", dpi=160)
plt.rc("axes", facecolor="none", labelcolor=GREY)
plt.rc("axes.spines", left=False, right=False, top=False, bottom=False)
plt.rc(("text", "xtick", "ytick"), color=GREY)
plt.rc(("xtick", "ytick"), labelsize=14)
plt.rc("font", size=16)
frames = {"BatchNorm": (2, 1), "LayerNorm": (1, 4)}  # samples, channels
frames |= {"InstanceNorm": (1, 1), "GroupNorm": (1, C // G)}
fig, axs = plt.subplots(2, 2, figsize=(6, 5), layout="constrained")
for ax, (name, (down, across)) in zip(axs.flat, frames.items(), strict=True):
    corners = [(i, j) for i in range(0, N, down) for j in range(0, C, across)]
    for (i, j), mean in zip(corners, means[name], strict=True):
        look = {"color": "#d6e9f8", "edgecolor": BLUE, "lw": 3}
        if i == j == 0:
            look |= {"color": "#f6c244", "hatch": "//", "hatchcolor": "#fbe09a"}
        ax.bar(j + 0.04, down - 0.1, across - 0.08, i + 0.05, align="edge", **look)
        text = {"ha": "center", "va": "center", "weight": "bold", "color": INK}
        ax.text(j + across / 2, i + down / 2, mean, **text)
    ax.set(title=name, xlim=(0, C), ylim=(N, 0), xlabel="channel", ylabel="sample")
    ax.set_xticks(c + 0.5, c.tolist())
    ax.set_yticks(n + 0.5, n.tolist())
    ax.tick_params(length=0)
plt.show()

# %%
# Who depends on the batch?
# -------------------------
#
# Change sample 1 and look at sample 0.
# Only BatchNorm's output changes, so only BatchNorm needs running statistics, to do
# without a batch in evaluation.
# The others compute the same in both modes (InstanceNorm unless told to track), and a
# batch of one is no trouble.
other = x.clone()
other[1] += torch.arange(16).view(C, H, W) ** 2
for name, (layer, _, _) in layers.items():
    same = torch.equal(layer(x)[0], layer(other)[0])
    print(f"{name:12} sample 0 unchanged: {same}")

# %%
# GroupNorm lies between two others
# ---------------------------------
#
# With one group it takes LayerNorm's mean, with a group for each channel
# InstanceNorm's.
# What is learned differs: GroupNorm has a scale and a shift for each channel, LayerNorm
# for each *value* of its shape, and InstanceNorm has none unless asked.
#
# In a transformer, ``LayerNorm(d)`` meets a tensor (N, L, d) and normalises over the
# last axis alone: each token has its own mean.
one, each = nn.GroupNorm(1, C).double(), nn.GroupNorm(C, C).double()
torch.testing.assert_close(one(x), layers["LayerNorm"][0](x))
torch.testing.assert_close(each(x), layers["InstanceNorm"][0](x))
for name, (layer, _, _) in layers.items():
    shapes = [tuple(p.shape) for p in layer.parameters()]
    print(f"{name:12} scale and shift: {shapes}")
tokens = torch.arange(24.0).view(2, 3, 4)  # (N, L, d)
norm = nn.LayerNorm(4)
print("each token alone:", torch.equal(norm(tokens)[1, 2], norm(tokens[1, 2])))
