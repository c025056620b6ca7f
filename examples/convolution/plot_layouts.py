"""
Three layouts of im2col: Caffe, torch, TensorFlow
=================================================

All three copy the same windows of the image into a matrix.
In Caffe's and torch's a window is a column; in TensorFlow's it is a row, with the
channels innermost.
This script builds the three from one image, labels each row and column, and shows that
their products with the kernels are equal.

The question: :ref:`im2col-in-caffe`.
"""

# %%
# A layout is an order of five loops
# ----------------------------------
#
# Three loops go over the inside of a window: channel c, row i, column j.
# Two loops move the window: down by y, right by x.
# Each step copies one pixel, from channel c, row y + i, column x + j.
# Caffe lets the window's place run fastest: a row of its matrix is all that one kernel
# weight meets.
# TensorFlow lets the inside run fastest, the channel innermost: a row is one window.
# TensorFlow need not be installed here: its order of the loops gives what
# ``tf.image.extract_patches`` returns.
from itertools import product

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F

image = torch.arange(1.0, 19.0).reshape(2, 3, 3)  # (C, H, W)
sizes = {"c": 2, "i": 2, "j": 2, "y": 2, "x": 2}  # C, kh, kw, oh, ow


def steps(order):  # five nested loops, the last name innermost
    return product(*(range(sizes[name]) for name in order))


def copies(order):
    ats = [dict(zip(order, step, strict=True)) for step in steps(order)]
    return torch.stack([image[a["c"], a["y"] + a["i"], a["x"] + a["j"]] for a in ats])


caffe = copies("cijyx").reshape(8, 4)  # (C*kh*kw, oh*ow)
unfold = F.unfold(image[None], 2)  # (N, C*kh*kw, oh*ow)
tensorflow = copies("yxijc").reshape(1, 2, 2, 8)  # (N, oh, ow, kh*kw*C)
print("torch is Caffe with a batch axis:", torch.equal(unfold[0], caffe))
print(caffe[:, 0].int().tolist(), "a column of Caffe")
print(tensorflow[0, 0, 0].int().tolist(), "a row of TensorFlow")

# %%
# Side by side
# ------------
#
# Above stands the image, channel 0 light and channel 1 dark.
# Each row and each column carries its label: three digits c, i, j name a kernel weight,
# two digits y, x name a place of the window.
# The thick frame follows one window, y = 0 and x = 0.
# In memory, what stands side by side in a row is adjacent, in all three.
# Caffe holds one image at a time; torch and TensorFlow put a batch axis in front.
GREY, ORANGE = "#7a7a7a", "#D55E00"  # read on white and black
plt.rc("figure", facecolor="none", dpi=160)
plt.rc("text", color=GREY)
plt.rc("font", size=15)
fig, ax = plt.subplots(figsize=(6, 9), layout="constrained")


def text(x, y, words, **look):
    ax.text(x, y, words, ha="center", va="center", **look)


def draw(matrix, x, y, title, rows="", columns="", frame=(2, 2)):  # (x, y): top left
    height, width = matrix.shape
    text(x + width / 2, y + (1.5 if rows else 0.6), title, weight="bold")
    for r, c in product(range(height), range(width)):
        value = int(matrix[r, c])
        color = "#d6e9f8" if value < 10 else "#8cbde3"
        ax.bar(x + c, -1, 1, y - r, align="edge", color=color, edgecolor=GREY)
        text(x + c + 0.5, y - r - 0.55, value, color="#102030")
    look = {"fill": False, "edgecolor": ORANGE, "lw": 5, "zorder": 3}
    ax.bar(x, -frame[0], frame[1], y, align="edge", **look)
    if rows:
        for n, step in enumerate([rows, *steps(rows)]):
            text(x - 0.8, y - n + 0.4, "".join(map(str, step)), size=13)
        for n, step in enumerate([*steps(columns), columns]):
            text(x + n + 0.5, y + 0.4, "".join(map(str, step)), size=13)


draw(image[0], 2, 0, "image, c = 0")
draw(image[1], 8.5, 0, "image, c = 1")
draw(caffe, 1.5, -5.4, "Caffe (8, 4)", "cij", "yx", frame=(8, 1))
draw(unfold[0], 8, -5.4, "torch (1, 8, 4)", "cij", "yx", frame=(8, 1))
title = "TensorFlow (1, 2, 2, 8)"
draw(tensorflow.reshape(4, 8), 3, -15.8, title, "yx", "ijc", frame=(1, 8))
ax.axis("off")
plt.show()

# %%
# Three products
# --------------
#
# Flatten each kernel in the order of the windows: into a row for Caffe and torch, into
# a column for TensorFlow.
# Caffe's product has a row for each output channel: in memory that is NCHW.
# TensorFlow's has a row for each place: that is NHWC.
# So each product lands in its library's own format, and nothing is transposed.
# The numbers are the same; only their order differs.
kernels = torch.arange(24.0).reshape(3, 2, 2, 2) % 5 - 2  # (O, C, kh, kw)
expected = F.conv2d(image, kernels)  # (O, oh, ow)
by_caffe = kernels.reshape(3, 8) @ caffe  # (O, C*kh*kw) @ (C*kh*kw, oh*ow)
by_torch = kernels.reshape(3, 8) @ unfold  # (N, O, oh*ow)
filters = kernels.permute(2, 3, 1, 0).reshape(8, 3)  # (kh*kw*C, O)
by_tensorflow = tensorflow @ filters  # (N, oh, ow, O)
print("Caffe      equal:", torch.equal(by_caffe.reshape(3, 2, 2), expected))
print("torch      equal:", torch.equal(by_torch.reshape(1, 3, 2, 2)[0], expected))
print("TensorFlow equal:", torch.equal(by_tensorflow[0].permute(2, 0, 1), expected))
print("NCHW", by_caffe.flatten().int().tolist())
print("NHWC", by_tensorflow.flatten().int().tolist())
