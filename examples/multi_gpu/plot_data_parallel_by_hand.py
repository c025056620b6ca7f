"""
DataParallel by hand: one step, and what it moves
=================================================

``nn.DataParallel`` cuts the batch, copies the model, runs the copies in threads and
gathers their outputs; then one loss is computed.
This script does the same by hand, on the CPU, and counts the bytes that travel in
each step.
It also shows what goes wrong if each replica computes a mean loss of its own.

The question: :ref:`data-parallel`.
"""

# %%
# Scatter, replicate, apply, gather
# ---------------------------------
#
# The model is one weight matrix. It lives on GPU 0, and so does the batch.
# A cable leads from GPU 0 to each other GPU.
# Each transfer is an autograd function, and its backward is the opposite transfer.
# Here a cable copies on the CPU and counts bytes.
#
# A replica's weight is a copy with history.
# So backward needs no code of its own: each copy sends its gradient back through its
# cable, and autograd *sums* them in the one real ``.grad``.
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F

moved = Counter()  # bytes, since the last clear()


class Cable(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tensor, name):
        ctx.name = name
        moved[name] += tensor.nbytes
        return tensor.clone()  # the copy at the other end

    @staticmethod
    def backward(ctx, grad):
        moved[f"{ctx.name}.grad"] += grad.nbytes
        return grad.clone(), None


def send(tensor, gpu, name):
    return Cable.apply(tensor, name) if gpu > 0 else tensor  # GPU 0 needs no cable


def data_parallel(w, x, gpus):  # w: (out, in), x: (batch, in)
    chunks = [send(c, i, "inputs") for i, c in enumerate(x.chunk(gpus))]  # scatter
    replicas = [send(w, i, "weights") for i in range(len(chunks))]  # replicate
    with ThreadPoolExecutor(gpus) as threads:  # parallel apply
        outputs = list(threads.map(F.linear, chunks, replicas))
    return torch.cat([send(y, i, "outputs") for i, y in enumerate(outputs)])  # gather


# %%
# One loss on the whole batch
# ---------------------------
#
# Ten samples go to four GPUs. ``chunk`` gives the last one a single sample.
# The loss of a sample is :math:`(wx - y)^2` with :math:`w = 0` and :math:`x = 1`.
# Its gradient :math:`-2y` is 2 for nine samples, and −8 for the last.
# The full batch's gradient is :math:`(9 \cdot 2 - 8) / 10 = 1`, and so is that of
# ``DataParallel``, though the chunks are unequal.
#
# Now let each replica compute the mean of its own losses, and average the four means.
# The gradient is :math:`(2 + 2 + 2 - 8) / 4 = -0.5`: the wrong sign.
x = torch.ones(10, 1)
y = torch.tensor([[-1.0]] * 9 + [[4.0]])  # (10, 1)
w = torch.zeros(1, 1, requires_grad=True)


def mean_of_means(losses):  # (10, 1)
    return torch.stack([chunk.mean() for chunk in losses.chunk(4)]).mean()


def gradient(outputs, reduce):
    w.grad = None
    reduce((outputs - y).square()).backward()
    return f"{w.grad.item():g}"


print("chunks of the batch", [len(chunk) for chunk in x.chunk(4)])
print("full batch         ", gradient(F.linear(x, w), torch.mean))
print("4 GPUs, one loss   ", gradient(data_parallel(w, x, 4), torch.mean))
print("4 GPUs, four means ", gradient(data_parallel(w, x, 4), mean_of_means))

# %%
# How much a sample counts
# ------------------------
#
# Ask autograd for the gradient of the total with respect to each sample's loss.
# In one mean over the batch each sample counts :math:`1/10`.
# In the mean of four means the first nine count :math:`1/12` each.
# The last counts :math:`1/4`, three times as much, because it is alone in its chunk.
# You meet this where ``forward`` returns a loss: ``DataParallel`` hands you a vector
# with one loss per GPU. Return sums, add them up, and divide by the batch.
for reduce in torch.mean, mean_of_means:
    losses = torch.zeros(10, 1, dtype=torch.float64, requires_grad=True)
    reduce(losses).backward()
    shares = losses.grad.flatten().tolist()
    print(f"{reduce.__name__:13}", *[f"{share:.4f}" for share in shares[-4:]])

GREY, BLUE, ORANGE = "#7a7a7a", "#2a7fc0", "#D55E00"  # read on white and black
plt.rc("figure", facecolor="none", dpi=160)
plt.rc("axes", facecolor="none", labelcolor=GREY, edgecolor=GREY)
plt.rc("axes.spines", right=False, top=False)
plt.rc(("text", "xtick", "ytick"), color=GREY)
plt.rc("font", size=16)

fig, ax = plt.subplots(figsize=(6, 4.8), layout="constrained")
ax.bar(range(9), shares[:9], 1, color="#d6e9f8", edgecolor=BLUE)
ax.bar(9, shares[9], 1, color=ORANGE, hatch="//", hatchcolor="#f0b48a")
ax.axhline(0.1, color=GREY, ls="--", lw=3)
ax.text(-0.4, 0.107, "one mean: 1/10 each")
ax.text(8.3, 0.23, "mean of means: 1/4", ha="right")
ax.text(4, 0.04, "mean of means: 1/12 each", ha="center", color="#102030")
ax.set_xticks([1, 4, 7, 9], ["GPU 0", "GPU 1", "GPU 2", "\nGPU 3"])
ax.set(ylabel="share in the total loss", title="A lone sample counts thrice")
plt.show()

# %%
# What travels in each step
# -------------------------
#
# A layer of 1024 × 1024 weights, in float32, takes 4 MiB.
# The ``meta`` device computes shapes only, yet the cables count real bytes.
# Inputs and outputs grow with the batch. (Here the inputs need no gradient.)
# The weights do not: three copies leave in *every* forward pass, evaluation included,
# and three gradients come back.
print("KiB in a step", *moved)
for batch in 64, 512:
    moved.clear()
    w = torch.empty(1024, 1024, device="meta", requires_grad=True)
    x = torch.empty(batch, 1024, device="meta")
    data_parallel(w, x, gpus=4).mean().backward()
    kib = [f"{size // 1024:{len(name)}}" for name, size in moved.items()]
    print(f"batch of {batch:<4}", *kib)

# %%
# Below is the step with 512 samples. The thicker a line, the more bytes.
# Nothing overlaps: forward waits for all weights, the loss for all outputs, and the
# weights' gradients leave when backward is done.
# In the rows of the loss and of the optimizer's step, three GPUs wait for GPU 0.
# DDP sends no weights, only gradients, and buffers if there are any.
# The gradients leave *during* backward: :ref:`dp-vs-ddp`.
fig, ax = plt.subplots(figsize=(6, 8), layout="constrained")
rows = ["inputs", "weights", "forward", "outputs", "loss"]
rows += ["outputs.grad", "backward", "weights.grad", "step"]
for y, name in enumerate(rows):
    if name in moved:
        mib = moved[name] / 2**20
        inward = name in ("outputs", "weights.grad")
        tips, marker = ([0], "<") if inward else ([1, 2, 3], ">")
        ax.plot([0, 3], [y, y], color=ORANGE, lw=1.5 * mib**0.75)
        ax.scatter(tips, [y] * len(tips), 500, ORANGE, marker=marker)
        ax.text(1.5, y - 0.25, f"{name}, {mib:g} MiB", ha="center")
        continue
    for gpu in range(4):
        waits = gpu > 0 and name in ("loss", "step")
        text, color = ("waits", GREY) if waits else (name, "#102030")
        ax.text(gpu, y, text, color=color, size=14, ha="center", va="center")
        if not waits:
            ax.bar(gpu, 0.6, 0.9, y - 0.3, color="#d6e9f8", edgecolor=BLUE)
for gpu in range(4):
    ax.text(gpu, -0.65, f"GPU {gpu}", ha="center", weight="bold")
ax.spines[:].set_visible(False)
ax.set(ylim=(8.5, -1), xticks=[], yticks=[], ylabel=r"$\leftarrow$ time")
ax.set_title("One DataParallel step")
# sphinx_gallery_thumbnail_number = 2
plt.show()
