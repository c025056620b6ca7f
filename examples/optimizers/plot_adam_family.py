r"""
Where Adam, AdamW, AMSGrad and SGD part
=======================================

This script looks at one difference between the four: what they divide by the size of
the gradient, the root of a running mean of its square.
SGD divides nothing.
Adam divides everything, and AdamW all but the weight decay.
AMSGrad divides by the largest size so far.
Two problems that fit on a board show what follows from that.

The question: :ref:`adam-learning-rate`.
"""

# %%
# Who decays a weight?
# --------------------
#
# A weight starts at 1, and its gradient is :math:`g`, then :math:`-g`, and so on.
# These cancel, so that only weight decay should move it.
# (A second copy gets :math:`-g` first; the average of both is free of the ripple.)
#
# With decay :math:`\lambda` and rate :math:`\eta`, a step of AdamW multiplies the weight
# by :math:`1 - \eta\lambda`.
# That is 0.995 here, and 100 steps leave :math:`0.995^{100} = 0.6058`.
# Plain SGD adds :math:`\lambda w` to the gradient and leaves the same, because it divides
# nothing.
#
# ``Adam(weight_decay=...)`` adds :math:`\lambda w` to the gradient, too, but then it
# divides the sum by the size of the gradient.
# A weight with large gradients hardly decays.
# With small ones the decay *is* the gradient: Adam takes steps of about :math:`\eta`, and
# in the first column a tenth of :math:`\lambda` leaves the same.
import matplotlib.pyplot as plt
import torch
from torch.optim import SGD, Adam, AdamW

decaying = {
    "SGD": lambda p: SGD(p, lr=0.01, weight_decay=0.5),
    "AdamW": lambda p: AdamW(p, lr=0.01, weight_decay=0.5),
    "Adam": lambda p: Adam(p, lr=0.01, weight_decay=0.5),
    "Adam, λ/10": lambda p: Adam(p, lr=0.01, weight_decay=0.05),
}


def left_after(make, sizes, steps=100):
    w = torch.ones(2, len(sizes), dtype=torch.float64, requires_grad=True)
    optimizer = make([w])
    for t in range(steps):
        w.grad = torch.stack([sizes, -sizes]) * (-1) ** t  # (2, sizes)
        optimizer.step()
    return w.mean(0).tolist()


sizes = torch.tensor([0, 1 / 8, 1, 8, 64], dtype=torch.float64)
print("size of g  ", "".join(f"{g:9g}" for g in sizes))
for name, make in decaying.items():
    print(f"{name:11}", "".join(f"{w:9.4f}" for w in left_after(make, sizes)))

GREY, BLUE, ORANGE = "#7a7a7a", "#2a7fc0", "#D55E00"  # read on white and black
plt.rc("figure", facecolor="none", dpi=160)
plt.rc("axes", facecolor="none", labelcolor=GREY, edgecolor=GREY)
plt.rc("axes.spines", right=False, top=False)
plt.rc(("text", "xtick", "ytick"), color=GREY)
plt.rc("font", size=16)
plt.rc("lines", linewidth=3, markersize=9)

fig, ax = plt.subplots(figsize=(6, 5.4), layout="constrained")
sizes = 2.0 ** torch.arange(-6, 7, dtype=torch.float64)
ax.plot(sizes, left_after(decaying["AdamW"], sizes), "o-", color=BLUE)
ax.plot(sizes, left_after(decaying["Adam"], sizes), "s--", color=ORANGE)
ax.text(1 / 64, 0.64, "AdamW, SGD")
ax.text(1 / 64, 0.13, "Adam")
ax.set_xscale("log", base=2)
ax.set(xlabel="size of the gradient $g$", ylabel="weight after 100 steps", ylim=(0, 1.05))
ax.set_title("AdamW decays all weights alike")
plt.show()

# %%
# Who finds the minimum?
# ----------------------
#
# Now :math:`x` may move in [−1, 1], and its gradient is 4, −1, −1, and again, as in
# `Reddi et al. <https://arxiv.org/abs/1904.09237>`_.
# On average it is positive, so the minimum is at −1.
# The learning rate falls as :math:`0.5 / \sqrt{t}`.
#
# The table shows the moves of the last three steps, in units of the learning rate.
# SGD moves by −4, 1 and 1, and on the whole to the left.
# Adam divides each gradient by a size that forgets: when the 4 comes, it is divided by
# about 4, and two steps later it is forgotten.
# So it counts as one step, the two −1 almost as two, and on the whole Adam moves to the
# right, up to the worst point.
# AMSGrad keeps the largest size, so that the −1 are divided by about 4, too.
# Without weight decay AdamW is Adam.
#
# Here :math:`\beta_1 = 0` and :math:`\beta_2 = 1/17`, so that the memory is short.
# With the defaults, 0.9 and 0.999, Adam solves this problem: three steps are too short a
# cycle for a memory of a thousand.
# Reddi et al. show that for any fixed pair with :math:`\beta_1 < \sqrt{\beta_2}` some
# problem is long enough.
short = {"betas": (0.0, 1 / 17)}
searching = {
    "SGD": lambda p: SGD(p),
    "Adam": lambda p: Adam(p, **short),
    "AMSGrad": lambda p: Adam(p, **short, amsgrad=True),
    "Adam, defaults": lambda p: Adam(p),
}
paths = {}
print("                last three moves     sum      x")
for name, make in searching.items():
    x = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    optimizer, moves, paths[name] = make([x]), [], [0.0]
    for t in range(300):
        x.grad = torch.full_like(x, (4.0, -1.0, -1.0)[t % 3])
        lr = optimizer.param_groups[0]["lr"] = 0.5 / (t + 1) ** 0.5
        before = x.item()
        optimizer.step()
        moves.append((x.item() - before) / lr)
        with torch.no_grad():
            x.clamp_(-1, 1)
        paths[name].append(x.item())
    last = moves[-3:]
    print(f"{name:14}", *(f"{move:5.2f}" for move in last), end="")
    print(f"{sum(last):8.2f} {x.item():6.2f}")

fig, ax = plt.subplots(figsize=(6, 5.4), layout="constrained")
ax.axhline(-1, color=GREY, lw=1)
looks = {"SGD": (GREY, "-"), "AMSGrad": (BLUE, "-"), "Adam": (ORANGE, "--")}
for name, (color, style) in looks.items():
    ax.plot(paths[name][:91], style, color=color, lw=1.5 if name == "SGD" else 3)
ax.text(47, 0.68, r"Adam, $\beta_2 = 1/17$")
ax.text(25, -0.5, "AMSGrad")
ax.text(90, -1.15, "SGD (thin); the minimum is −1", ha="right")
ax.set(xlabel="steps", ylabel="$x$", ylim=(-1.25, 1.1))
ax.set_title("Adam ends at the worst point")
plt.show()
