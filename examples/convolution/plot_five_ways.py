"""
Five ways to compute one convolution
====================================

Loops, im2col, a view by strides, the FFT and Winograd's F(2×2, 3×3) compute the same
sum.
This script writes each in a few lines and shows that the results are equal.
Then it counts what they differ in: multiplications, and bytes.

The question: :ref:`convolution-in-tensorflow`.
"""

# %%
# Three that multiply alike
# -------------------------
#
# One image, one channel, one kernel; more channels add more of the same sums.
# Each function returns the result, its multiplications, and the bytes of the copies or
# transforms that it stores.
#
# *Loops*: put the window on each place, multiply, add.
#
# *im2col*: copy each window into a column, then one matrix product.
# It saves no multiplication; it makes the work a shape that libraries are fast at.
#
# *A view by strides*: ``unfold``, as a tensor's method, only writes new strides.
# The windows look like nine times as many numbers, and the storage is still the image.
# Multiply weight by weight, and nothing is copied: each weight scales a shifted image.
# (``torch.einsum`` over the same view first copies it, into im2col's matrix.)
from itertools import product
from math import log2

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F

N = 64  # the image is N × N


def loops(x, k):  # (N, N), (K, K)
    n = len(x) - len(k) + 1  # the result is n × n
    y = x.new_zeros(n, n)
    for i, j in product(range(n), repeat=2):
        y[i, j] = (x[i : i + len(k), j : j + len(k)] * k).sum()
    return y, n * n * k.numel(), 0


def im2col(x, k):
    n = len(x) - len(k) + 1
    columns = F.unfold(x[None], len(k))  # (K*K, n*n)
    y = k.flatten() @ columns  # (n*n,)
    return y.reshape(n, n), columns.numel(), columns.nbytes


def view(x, k):
    windows = x.unfold(0, len(k), 1).unfold(1, len(k), 1)  # (n, n, K, K)
    y = x.new_zeros(windows.shape[:2])
    for u, v in product(range(len(k)), repeat=2):
        y.add_(windows[:, :, u, v], alpha=k[u, v].item())
    return y, windows.numel(), windows.untyped_storage().nbytes() - x.nbytes


# %%
# Two that multiply less
# ----------------------
#
# *FFT*: a shifted sum in space is a product in frequency.
# Pad the kernel to the image's size, transform both, multiply, transform back.
# The conjugate makes it the cross-correlation that deep learning calls convolution.
# What wraps around the border is cut off.
# A complex product takes 4 real multiplications.
# A transform of N × N real numbers takes about :math:`2N^2 \log_2 N`, by the
# textbook's radix-2 count.
#
# *Winograd* (`Lavin and Gray <https://arxiv.org/abs/1509.09308>`__): cut the image into
# 4 × 4 tiles that overlap by 2.
# Each gives 2 × 2 results with 16 multiplications, where loops take 36.
# The matrices A and B hold only 0, 1 and −1, so to transform is to add and subtract.
# G halves, but once per kernel.


def fft(x, k):
    n = len(x) - len(k) + 1
    image, kernel = torch.fft.rfft2(x), torch.fft.rfft2(k, s=x.shape)  # (N, N/2+1)
    y = torch.fft.irfft2(image * kernel.conj(), s=x.shape)[:n, :n]
    transforms = 3 * 2 * len(x) ** 2 * log2(len(x))  # two there, one back
    return y, 4 * image.numel() + int(transforms), image.nbytes + kernel.nbytes


G = torch.tensor([[2, 0, 0], [1, 1, 1], [1, -1, 1], [0, 0, 2]]).double() / 2
B = torch.tensor([[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]]).double()
A = torch.tensor([[1, 1, 1, 0], [0, 1, -1, -1]]).double()


def winograd(x, k):  # K is 3
    n = len(x) - len(k) + 1
    tiles = B @ x.unfold(0, 4, 2).unfold(1, 4, 2) @ B.T  # (n/2, n/2, 4, 4)
    kernel = G @ k @ G.T  # (4, 4)
    y = (A @ (kernel * tiles) @ A.T).transpose(1, 2)  # (n/2, 2, n/2, 2)
    return y.reshape(n, n), tiles.numel(), tiles.nbytes + kernel.nbytes


# %%
# Equal
# -----
#
# The numbers are integers, held in floats, so four results equal ``F.conv2d`` to the
# last bit.
# The FFT passes through sines and cosines; its result is equal once it is rounded.
# On other floats, the five may round differently.
x = torch.arange(N * N).reshape(N, N).double() % 7 - 3
k = torch.tensor([[1, 2, 0], [0, -1, 1], [3, 0, 1]]).double()
expected = F.conv2d(x[None, None], k[None, None])[0, 0]  # (62, 62)
print(f"image    {x.nbytes:>24,} bytes")
for way in loops, im2col, view, fft, winograd:
    y, multiplications, stored = way(x, k)
    if way is fft:
        torch.testing.assert_close(y, expected)
        y = y.round()
    equal = torch.equal(y, expected)
    print(f"{way.__name__:8} {equal} {multiplications:>9,} × {stored:>7,} bytes")

# %%
# Multiplications against size
# ----------------------------
#
# Loops, im2col and the view pay :math:`K^2` for each value of the result.
# The FFT hardly feels :math:`K`; with one channel it wins from 7 × 7 on.
# A layer has many channels, and they share the transforms: one for each input channel,
# one back for each output channel, and kernels are transformed once.
# What remains for each pair of channels is the product: the dotted line, 2.2 to 3.4.
# Winograd pays 4 instead of 9, at 3 × 3, the size of nearly all convolutions in VGG and
# ResNet-18.
GREY, BLUE, ORANGE, GREEN = "#7a7a7a", "#2a7fc0", "#D55E00", "#009E73"
plt.rc("figure", facecolor="none", dpi=160, figsize=(6, 5))
plt.rc("axes", facecolor="none", labelcolor=GREY, edgecolor=GREY)
plt.rc("axes.spines", right=False, top=False)
plt.rc(("text", "xtick", "ytick"), color=GREY)
plt.rc("font", size=16)
plt.rc("lines", linewidth=3, markersize=9)
sizes = range(3, 16, 2)
counts = {way: [way(x, x[:K, :K])[1:] for K in sizes] for way in (im2col, view, fft)}
results = [(N - K + 1) ** 2 for K in sizes]

fig, ax = plt.subplots(layout="constrained")
for way, style in (im2col, "o-"), (fft, "D--"):
    per_result = [c[0] / n for c, n in zip(counts[way], results, strict=True)]
    ax.plot(sizes, per_result, style, color=BLUE if way is im2col else ORANGE)
ax.plot(sizes, [4 * N * (N // 2 + 1) / n for n in results], ":", color=ORANGE)
ax.plot(3, winograd(x, k)[1] / results[0], "*", ms=22, color=GREEN)
ax.text(11, 150, "loops, im2col, view", ha="right")
ax.text(15, 33, "FFT, one channel", ha="right")
ax.text(15, 2, "FFT, its product alone", ha="right")
ax.text(3.6, 3.9, "Winograd", va="center")
ax.set(title="Who multiplies less?", xlabel="kernel size $K$", xticks=sizes)
ax.set_ylabel("multiplications per result")
ax.set_yscale("log", base=2, subs=[])
ax.yaxis.set_major_formatter("{x:g}")
plt.show()

# %%
# Bytes against size
# ------------------
#
# Loops and the view store nothing, at any size.
# im2col stores up to :math:`K^2` images, so fast libraries gather the windows tile by
# tile, inside the product (`implicit GEMM <https://arxiv.org/abs/1410.0759>`__).
# Winograd's tiles of 16 numbers move on by 2 × 2, so they hold nearly four images.
# The FFT stores two spectra, each as large as the image.
# One of them is the *kernel's*: nine numbers have become an image.
# A layer from 64 to 64 channels has 4,096 kernels; this is one reason why small kernels
# seldom meet the FFT.
fig, ax = plt.subplots(layout="constrained")
for way, style, color in (im2col, "o-", BLUE), (fft, "D--", ORANGE), (view, "s-", GREY):
    ax.plot(sizes, [c[1] / x.nbytes for c in counts[way]], style, color=color)
ax.plot(3, winograd(x, k)[2] / x.nbytes, "*", ms=22, color=GREEN)
ax.text(8.6, 76, "im2col", ha="right")
ax.text(15, 2.6, "FFT", ha="right")
ax.text(3.6, 3.9, "Winograd", va="center")
ax.text(15, 0.25, "loops, view", ha="right")
ax.set(title="Who stores less?", xlabel="kernel size $K$", xticks=sizes)
ax.set_ylabel("bytes stored ÷ bytes of the image")
ax.set_yscale("symlog", base=2, linthresh=1)
ax.set_ylim(-0.4, 200)
ax.set_yticks([0, 1, 2, 4, 8, 16, 32, 64, 128])
ax.yaxis.set_major_formatter("{x:g}")
plt.show()
