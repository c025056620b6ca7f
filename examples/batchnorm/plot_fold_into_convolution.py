"""
Fold BatchNorm into the convolution before it
=============================================

In evaluation BatchNorm multiplies each channel by one constant and adds another.
A convolution before it can do both: scale its kernels, move its bias.
This script folds by hand, with powers of two, so that the result is exactly equal.
It also shows why the convolution must come *before*.

The question: :ref:`batchnorm`.
"""

# %%
# Two affine maps are one
# -----------------------
#
# For channel :math:`c` the convolution gives :math:`z = w_c * x + b_c`.
# BatchNorm in evaluation turns it into :math:`y = s_c (z - \mu_c) + \beta_c`, where
# :math:`s_c = \gamma_c / \sqrt{\sigma_c^2 + \epsilon}` is a constant.
# Put the first into the second.
# The new kernel is :math:`w'_c = s_c w_c`, the new bias
# :math:`b'_c = s_c (b_c - \mu_c) + \beta_c`.
#
# Here :math:`\epsilon` is 0.25 and :math:`\sigma^2` is 3.75, 15.75 and 0.75, so the
# roots are 2, 4 and 1.
# Every scale is a power of two, or its negative; no product rounds.
import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import fuse_conv_bn_eval

conv = nn.Conv2d(1, 3, 2).eval()
bn = nn.BatchNorm2d(3, eps=0.25).eval()
kernels = torch.tensor([[1, 2, 3, 4], [4, 0, -4, 8], [1, -1, 0, 2]]).view(3, 1, 2, 2)
values = {conv.weight: kernels, conv.bias: [1, 2, 3]}
values |= {bn.running_mean: [5, -2, 1], bn.running_var: [3.75, 15.75, 0.75]}
values |= {bn.weight: [4, 2, -1], bn.bias: [1, 0, -2]}
with torch.no_grad():
    for tensor, value in values.items():
        tensor.copy_(torch.as_tensor(value))


def fold(conv, bn):
    scale = bn.weight / (bn.running_var + bn.eps).sqrt()  # (out channels,)
    weight = scale.view(-1, 1, 1, 1) * conv.weight
    bias = scale * (conv.bias - bn.running_mean) + bn.bias
    return scale.tolist(), weight, bias


scale, weight, bias = fold(conv, bn)
print("scale", scale)
print("bias ", conv.bias.tolist(), "->", bias.tolist())

# %%
# The picture
# -----------
#
# Left the kernels, right the folded ones.
# Each channel has a scale of its own: 2 doubles, 0.5 halves, −1 flips the signs.
# The bias goes through the whole of BatchNorm; the kernel only through its scale.
GREY, BLUE, ORANGE, INK = "#7a7a7a", "#2a7fc0", "#D55E00", "#102030"
plt.rc("figure", facecolor="none", dpi=160)
plt.rc("text", color=GREY)
plt.rc("font", size=16)


def draw(ax, matrix, gold, x, y):  # (x, y) is the top left corner
    for i, row in enumerate(matrix.int().tolist()):
        for j, value in enumerate(row):
            look = {"color": "#d6e9f8", "edgecolor": BLUE, "lw": 2}
            if gold[i][j]:
                look |= {"color": "#f6c244", "hatch": "//", "hatchcolor": "#fbe09a"}
            ax.bar(x + j + 0.5, -1, 1, y - i, **look)
            center = {"ha": "center", "va": "center", "color": INK}
            ax.text(x + j + 0.5, y - i - 0.54, value, **center)


fig, ax = plt.subplots(figsize=(6, 7), layout="constrained")
for c, s in enumerate(scale):
    b, new, mu, beta = (int(t[c]) for t in (conv.bias, bias, bn.running_mean, bn.bias))
    y = -4 * c
    draw(ax, conv.weight[c, 0], torch.zeros(2, 2), 0, y)
    draw(ax, weight[c, 0], torch.ones(2, 2), 7, y)
    look = {"arrowstyle": "-|>", "color": ORANGE, "lw": 4, "mutation_scale": 26}
    ax.annotate("", (6.7, y - 1), (2.3, y - 1), arrowprops=look)
    ax.text(4.5, y - 0.7, f"$\\times\\ {s:g}$", ha="center", va="bottom")
    ax.text(1, y - 2.7, f"$b = {b}$", ha="center")
    ax.text(4.5, y - 2.7, f"${s:g}\\,({b}{-mu:+})\\,{beta:+}$", ha="center")
    ax.text(8, y - 2.7, f"$b' = {new}$", ha="center")
ax.set(title="$w' = s\\,w$,   $b' = s\\,(b - \\mu) + \\beta$", ylim=(-10.9, 0.3))
ax.axis("off")
plt.show()

# %%
# Exactly equal
# -------------
#
# PyTorch's own ``fuse_conv_bn_eval`` finds the same weights.
# It refuses a layer in training mode: there the statistics change with each batch, so
# there are no constants to fold.
# With other numbers the two sides agree up to rounding.
#
# It saves little arithmetic, but a whole pass: BatchNorm alone reads and writes every
# value of the feature map.
image = torch.arange(16.0).view(1, 1, 4, 4) % 5  # (N, C, H, W)
print("folded equal:", torch.equal(F.conv2d(image, weight, bias), bn(conv(image))))
fused = fuse_conv_bn_eval(conv, bn)
same = torch.equal(fused.weight, weight), torch.equal(fused.bias, bias)
print("fuse_conv_bn_eval agrees:", same)

# %%
# The other order fails at the border
# -----------------------------------
#
# Let BatchNorm come first: it turns :math:`x` into :math:`2x + 1`.
# Fold it into the 3 × 3 convolution *after* it: kernel times 2, and 1 for each of the
# nine weights into the bias.
# Inside, this is right.
# But padding comes *after* BatchNorm, so the padded zeros stay 0, while the new bias
# counts each as 1.
# A window at a corner holds five of them, a window at an edge three: that is the error.
# Without padding there is none; or pad with −1/2, which this BatchNorm turns into 0.
#
# Left stands what the convolution must meet, with the padded zeros hatched; right
# stands the error.
# The frames hold the corner's window and its error.
ones = torch.ones(1, 1, 3, 3)
right = F.conv2d(2 * image + 1, ones, padding=1)
wrong = F.conv2d(image, 2 * ones, torch.tensor([9.0]), padding=1)
error = (wrong - right)[0, 0]  # (4, 4)
print(error)
mended = F.conv2d(F.pad(image, [1] * 4, value=-0.5), 2 * ones, torch.tensor([9.0]))
print("padded with -1/2:", torch.equal(mended, right))

met = F.pad(2 * image + 1, [1] * 4)[0, 0]  # (6, 6), inside from 1 to 9
fig, ax = plt.subplots(figsize=(6, 3.8), layout="constrained")
draw(ax, met, met == 0, 0, 0)
draw(ax, error, error != 0, 7.5, -1)
look = {"fill": False, "edgecolor": ORANGE, "lw": 5, "zorder": 3}
ax.bar(0, -3, 3, align="edge", **look)
ax.bar(7.5, -1, 1, -1, align="edge", **look)
ax.text(3, 0.4, "BatchNorm, padded", ha="center")
ax.text(9.5, 0.4, "error", ha="center")
ax.axis("off")
plt.show()
