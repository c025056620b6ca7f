r"""
Gradients that nobody clears: momentum 1
========================================

``backward()`` adds to ``.grad``, so a loop that forgets ``zero_grad()`` steps along the
sum of all gradients since the start.
For plain SGD that is a momentum of 1: a ball that rolls without friction.
This script shows that both take the same path, to the last bit, and draws it around the
minimum of a parabola.

The question: :ref:`missing-zero-grad`.
"""

# %%
# Three loops on one parabola
# ---------------------------
#
# The loss is :math:`x^2 / 2`, so the gradient is :math:`x` itself.
# All loops start at :math:`x = 1`, with a learning rate of 1/2.
# Every number is a fraction over a power of two, and 24 steps fit in a float64, so
# nothing is rounded.
import matplotlib.pyplot as plt
import torch


def train(clear, momentum=0.0, lr=0.5):
    x = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.SGD([x], lr=lr, momentum=momentum)
    path, applied = [x.item()], [0.0]
    for _ in range(24):
        if clear:
            optimizer.zero_grad()
        (x**2 / 2).backward()  # adds x to .grad
        optimizer.step()
        path.append(x.item())
        applied.append((path[-2] - path[-1]) / lr)  # the sum that step() used
    return path, applied


right, forgotten = train(clear=True), train(clear=False)
momentum = train(clear=True, momentum=1.0)
print("with zero_grad ", right[0][:7])
print("without        ", forgotten[0][:7])
print("momentum 1     ", momentum[0][:7])
print("the last two, all 24 steps: equal", forgotten == momentum)

# %%
# With ``zero_grad()`` every step halves :math:`x`.
# Without it, :math:`x` shoots through the minimum and comes back; a full swing takes a
# bit less than nine steps.
# The lower half shows the sum in ``.grad``.
# It is *largest* where :math:`x` crosses 0: up to there, each new gradient had the same
# sign.
# Only beyond do the new ones cancel the old.
GREY, BLUE, ORANGE = "#7a7a7a", "#2a7fc0", "#D55E00"  # read on white and black
plt.rc("figure", facecolor="none", dpi=160)
plt.rc("axes", facecolor="none", labelcolor=GREY, edgecolor=GREY)
plt.rc("axes.spines", right=False, top=False)
plt.rc(("text", "xtick", "ytick"), color=GREY)
plt.rc("font", size=16)
plt.rc("lines", linewidth=3, markersize=8)

fig, axes = plt.subplots(2, figsize=(6, 8), sharex=True, layout="constrained")
for ax, good, bad in zip(axes, right, forgotten, strict=True):
    ax.axhline(0, color=GREY, lw=2)
    ax.plot(bad, "s--", color=ORANGE)
    ax.plot(good, "o-", color=BLUE)
axes[0].plot(momentum[0], "o", color=GREY, ms=17, mfc="none", mew=2)
axes[0].text(1, 1.25, "without zero_grad (squares)\n= momentum 1 (rings)")
axes[0].text(2.4, 0.25, "with")
axes[1].text(5.6, 0.15, "with")
axes[0].set(ylabel="parameter $x$", ylim=(-1.25, 1.85), title="It swings, and never settles")
axes[1].set(ylabel="sum in .grad", xlabel="steps", xticks=range(0, 25, 4))
plt.show()

# %%
# No friction
# -----------
#
# Now draw the sum that a step applied against the :math:`x` it led to.
# Without ``zero_grad()`` the points run round an ellipse.
# For the sum :math:`G` it is :math:`x^2 + xG/2 + G^2/2 = 1`: the *energy* of this loop,
# which stays 1.
# A momentum of 3/4 is friction: each step forgets a quarter of the sum, and the points
# spiral into the minimum.
#
# Mini-batches make it worse: each kicks the ball a little, nothing takes the kick back,
# and the swings grow.
friction = train(clear=True, momentum=0.75)
for name, run in {"without zero_grad": forgotten, "momentum 3/4": friction}.items():
    energy = [x**2 + x * G / 2 + G**2 / 2 for x, G in zip(*run, strict=True)]
    print(f"{name:17}  energy", "  ".join(f"{e:.4f}" for e in energy[:25:6]))

angle = torch.linspace(0, 2 * torch.pi, 200)
G = angle.sin() / (7 / 16) ** 0.5  # (x + G/4)² + 7/16 G² = 1
fig, ax = plt.subplots(figsize=(6, 6), layout="constrained")
ax.plot(angle.cos() - G / 4, G, color=ORANGE, lw=1)
ax.plot(*forgotten, "s", color=ORANGE, ms=10)
ax.plot(*friction, "^-", color=BLUE, lw=2)
ax.plot(0, 0, "*", color=GREY, ms=22)
ax.text(-1.15, -1.5, "without\nzero_grad")
ax.text(0.17, -0.98, "momentum\n3/4")
ax.text(1.07, 0.04, "start")
ax.set(xlabel="parameter $x$", xlim=(-1.25, 1.4), ylabel="sum that the step applied")
ax.set_title("An ellipse, or a spiral inwards")
# sphinx_gallery_thumbnail_number = 2
plt.show()
