"""
im2col: a convolution as one matrix product
===========================================

``im2col`` copies each window of an image into a column of a matrix.
The kernels, flattened into rows, times that matrix give the convolution, exactly.
This script draws which pixel goes where, brings the columns back to an image, and
counts the bytes that the copies cost.

PyTorch's own im2col is
:torch:`F.unfold <generated/torch.nn.functional.unfold.html>`; its way back is
:torch:`F.fold <generated/torch.nn.functional.fold.html>`.

The question: :ref:`im2col-in-caffe`.
"""

# %%
# Seven lines
# -----------
#
# Slide the window from left to right, then downwards.
# Flatten what it covers: channel by channel, row by row.
# Each window becomes one column.
# Nothing is computed; pixels are only copied.
import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F


def im2col(x, k, stride=1, padding=0, dilation=1):  # x: (C, H, W)
    x = F.pad(x, [padding] * 4)
    span = dilation * (k - 1) + 1  # rows, or columns, that a window reaches over
    tops = range(0, x.shape[1] - span + 1, stride)
    lefts = range(0, x.shape[2] - span + 1, stride)
    windows = [x[:, i : i + span, j : j + span] for i in tops for j in lefts]
    columns = [w[:, ::dilation, ::dilation].flatten() for w in windows]
    return torch.stack(columns, dim=1)  # (C*k*k, oh*ow)


image = torch.arange(1.0, 10.0).reshape(1, 3, 3)  # C=1, H=W=3
columns = im2col(image, k=2)  # (1*2*2, 2*2)
print(columns)
print("F.unfold agrees:", torch.equal(F.unfold(image, 2), columns))

# %%
# Which pixel goes where
# ----------------------
#
# Above stands the image, four times, with the window in its four places.
# Below stand the columns that these windows become.
# Follow the centre pixel, 5: all four windows hold it, so it is copied four times,
# once into each row.
# A column is a place of the window.
# A row is a place *inside* the window, so all of it meets the same kernel weight.
GREY, INK, ORANGE = "#7a7a7a", "#102030", "#D55E00"  # read on white and black
plt.rc("figure", facecolor="none", dpi=160)
plt.rc("text", color=GREY)
plt.rc("font", size=15)
fig, ax = plt.subplots(figsize=(6, 4.3), layout="constrained")


def cell(x, y, width, value, inside=True):
    look = {"edgecolor": GREY, "color": "#d6e9f8" if inside else "none"}
    if value == 5:
        look |= {"color": "#f6c244", "hatch": "//", "hatchcolor": "#fbe09a"}
    ax.bar(x, 1, width, y, **look)
    color, weight = INK if inside else GREY, "bold" if value == 5 else None
    ax.text(x, y + 0.43, value, ha="center", va="center", color=color, weight=weight)


for n, column in enumerate(columns.int().T.tolist()):
    x = 4 * n + 1  # where window n and column n stand in the figure
    for i, j in torch.cartesian_prod(torch.arange(3), torch.arange(3)).tolist():
        inside = i - n // 2 in (0, 1) and j - n % 2 in (0, 1)
        cell(x + j - 1, -i, 1, 3 * i + j + 1, inside)
    look = {"arrowstyle": "-|>", "color": ORANGE, "lw": 3, "mutation_scale": 22}
    ax.annotate("", (x, -3.7), (x, -2.1), arrowprops=look)
    for row, value in enumerate(column):
        cell(x, -row - 4.8, 3, value)
    ax.text(x, -8.9, f"column {n}", ha="center")
for row in range(4):
    ax.text(-1, -row - 4.3, f"$w_{{{row // 2}{row % 2}}}$", ha="right", va="center")
ax.axis("off")
ax.set_title("Four windows become four columns")
plt.show()

# %%
# The product
# -----------
#
# Flatten each kernel in the same order, into a row.
# A row times a column is the sum that a convolution computes at that place.
# So one matrix product gives every place of every output channel.
kernels = torch.tensor([[[[1.0, 0.0], [0.0, -1.0]]], [[[0.0, 1.0], [1.0, 0.0]]]])
product = kernels.flatten(1) @ columns  # (2, 1*2*2) @ (1*2*2, 4) -> (2, 4)
output = product.reshape(2, 2, 2)  # (out channels, oh, ow)
print(output)
print("F.conv2d agrees:", torch.equal(F.conv2d(image, kernels), output))

# %%
# Stride moves the window further, padding frames the image with zeros, dilation
# spreads the window.
# All three only change *which* pixels are copied; the product stays the same.
# Each line shows the shape of the columns, and whether the result equals
# ``F.conv2d`` to the last bit.
# It can, because small integers add up in floats without rounding.
x = torch.arange(84.0).reshape(2, 6, 7) % 5  # two channels
w = torch.arange(54.0).reshape(3, 2, 3, 3) % 7 - 3  # three kernels
for stride, padding, dilation in [(1, 0, 1), (2, 1, 1), (1, 2, 2), (2, 2, 2)]:
    cols = im2col(x, 3, stride, padding, dilation)  # (2*3*3, oh*ow)
    conv = F.conv2d(x, w, None, stride, padding, dilation)  # (3, oh, ow)
    exact = torch.equal(w.flatten(1) @ cols, conv.flatten(1))
    print(f"{stride=} {padding=} {dilation=}", tuple(cols.shape), exact)

# %%
# The way back
# ------------
#
# ``F.fold``, or col2im, puts every entry back in its place and *adds* where windows
# overlap.
# Fold ones, and you read how many windows hold each pixel.
# So fold does not undo unfold; divide by these counts, and it does, if none is 0.
# Fold is the backward pass of unfold: a pixel that was copied four times collects four
# gradients.
# So a convolution by im2col finds its gradient with respect to the input with a fold.
counts = F.fold(F.unfold(torch.ones(1, 3, 3), 2), (3, 3), 2)  # (1, 3, 3)
print(counts)
print("image back:", torch.equal(F.fold(columns, (3, 3), 2) / counts, image))

image.requires_grad_()
F.unfold(image, 2).sum().backward()
print("backward of unfold:", torch.equal(image.grad, counts))

# %%
# What it costs
# -------------
#
# At stride 1, with padding that keeps the size, the columns hold :math:`k^2` times as
# many numbers as the image.
# The ``meta`` device computes shapes without using memory.
# Fast libraries therefore avoid storing the columns: they gather pixels tile by tile
# inside the product (`implicit GEMM <https://arxiv.org/abs/1410.0759>`__), or choose
# another algorithm.
# At :math:`k = 1` and stride 1 the columns are the image itself: im2col can be skipped.
photo = torch.empty(64, 56, 56, device="meta")  # float32, (C, H, W)
print(f"image  {photo.nbytes:>12,} bytes")
for k in 1, 3, 5, 7:
    size = F.unfold(photo, k, padding=k // 2).nbytes  # (64*k*k, 56*56)
    print(f"k = {k}  {size:>12,} bytes, times {size // photo.nbytes}")
