r"""
Which learning rates converge
=============================

On a parabola every learning rate has a fate that can be computed.
This script tries many of them, with SGD, SGD with momentum and Adam.
It shows where gradient descent creeps, oscillates and diverges, what momentum changes
about that, and why Adam's picture stays where it is when the loss becomes steeper.

The question: :ref:`adam-learning-rate`.
"""

# %%
# Four fates of gradient descent
# ------------------------------
#
# The loss is :math:`L x^2 / 2`, so its gradient is :math:`L x`, and :math:`L` is its
# curvature.
# A step of gradient descent is a multiplication:
# :math:`x \leftarrow x - \eta L x = (1 - \eta L)\, x`.
#
# Everything depends on the size and the sign of that factor.
# It is positive for :math:`\eta < 1/L`: :math:`x` creeps towards 0 from one side.
# It is 0 at :math:`1/L`: one step is enough.
# It is negative above: :math:`x` jumps across the minimum at every step.
# At :math:`2/L` it is −1: :math:`x` jumps for ever, and above it jumps ever farther.
import matplotlib.pyplot as plt
import torch


def descend(make, L=1.0, steps=32):
    x = torch.ones((), dtype=torch.float64, requires_grad=True)
    optimizer = make([x])
    path = [x.item()]
    for _ in range(steps):
        optimizer.zero_grad()
        (L * x**2 / 2).backward()
        optimizer.step()
        path.append(x.item())
    return path


def sgd(lr, momentum=0.0):
    return lambda params: torch.optim.SGD(params, lr=lr, momentum=momentum)


fates = {0.25: "creeps", 1.5: "oscillates", 2.0: "jumps for ever", 2.25: "diverges"}
for lr in 0.25, 1.0, 1.5, 2.0, 2.25:
    path = descend(sgd(lr), steps=4)
    print(f"lr {lr:4}  factor {1 - lr:5}  path", *path)

GREY, BLUE, ORANGE = "#7a7a7a", "#2a7fc0", "#D55E00"  # read on white and black
plt.rc("figure", facecolor="none", dpi=160)
plt.rc("axes", facecolor="none", labelcolor=GREY, edgecolor=GREY)
plt.rc("axes.spines", right=False, top=False)
plt.rc(("text", "xtick", "ytick"), color=GREY)
plt.rc("font", size=16)
plt.rc("lines", linewidth=3, markersize=9)

fig, axes = plt.subplots(4, figsize=(6, 9), sharex=True, layout="constrained")
for ax, (lr, fate) in zip(axes, fates.items(), strict=True):
    ax.axhline(0, color=GREY, lw=1)
    ax.plot(descend(sgd(lr), steps=12), "o-", color=BLUE if lr < 2 else ORANGE)
    ax.set(ylabel="$x$", title=rf"$\eta = {lr:g}\,/\,L$: {fate}")
    ax.margins(y=0.15)
axes[-1].set_xlabel("steps")
plt.show()

# %%
# The sweep
# ---------
#
# Now the same for many rates: how far from the minimum is :math:`x` after 32 steps, if
# it starts at 1?
# SGD's curve falls to 0 and then rises: at :math:`2/L` it is back at 1, and above it
# there is no second chance.
#
# Momentum :math:`\mu` moves that end to :math:`2 (1 + \mu) / L`; for 0.5 it is
# :math:`3/L`.
# It also turns a small rate into :math:`\eta / (1 - \mu)` in the long run, twice as much
# for 0.5.
# SGD's best result is better, since on one parabola the right rate needs one step.
# With many curvatures the steepest sets the end and the flattest the pace.
# Then momentum helps twice: its end is farther, and its small rates are faster.
#
# Adam has no such end.
# A step is seldom longer than the rate, so a rate of 8 throws :math:`x` to −7 at once,
# but never farther and farther.
# A rate of 1/64 cannot take it farther than about 32/64 in 32 steps.
# With larger rates it is fast enough, but its momentum of 0.9 makes :math:`x` swing, and
# 32 steps are too few for that to die down.
optimizers = {
    "SGD": sgd,
    "momentum": lambda lr: sgd(lr, 0.5),
    "Adam": lambda lr: lambda params: torch.optim.Adam(params, lr=lr, eps=0),
}
print("      lr" + "".join(f"{name:>10}" for name in optimizers))
for lr in 1 / 64, 1 / 8, 1, 2, 3, 4, 8:
    ends = [abs(descend(make(lr))[-1]) for make in optimizers.values()]
    print(f"{lr:8}" + "".join(f"{end:10.2g}" for end in ends))

# %%
# A steeper loss
# --------------
#
# Multiply the loss by 16, and :math:`L` is 16.
# SGD and momentum now do at a sixteenth of the rate what they did before, to the last
# bit: their curves move to the left.
# Adam divides the gradient by its own size, so the 16 cancels: its curve stays, to the
# last bit.
# (The script sets ``eps=0`` for that, and multiplying by a power of two does not round.)
# That is why one default suits so many models.
# But that is all it means: the rate still decides where on its curve Adam is.
#
# A network has many curvatures at once.
# The steepest sets the end for SGD: with 1 and 16 together, 2/16.
# At that rate the flat direction creeps, with the factor 14/16 per step.
for name, make in optimizers.items():
    before = [descend(make(lr)) for lr in (1 / 4, 1, 2)]
    same = before == [descend(make(lr), L=16) for lr in (1 / 4, 1, 2)]
    moved = before == [descend(make(lr / 16), L=16) for lr in (1 / 4, 1, 2)]
    print(f"{name:8}  same at lr: {same!s:5}  same at lr / 16: {moved}")

rates = [2 ** (k / 4) for k in range(-48, 21)]
looks = (BLUE, "-"), (ORANGE, "--"), (GREY, ":")
fig, axes = plt.subplots(2, figsize=(6, 8.4), sharex=True, layout="constrained")
for ax, L in zip(axes, (1, 16), strict=True):
    ax.axvspan(2 / L, 32, color=BLUE, alpha=0.15)
    for make, (color, style) in zip(optimizers.values(), looks, strict=True):
        ends = [max(abs(descend(make(lr), L)[-1]), 1e-12) for lr in rates]
        ax.plot(rates, ends, style, color=color)
    ax.set(yscale="log", ylim=(1e-6, 1e3), ylabel="$|x|$ after 32 steps")
    ax.set_xscale("log", base=2)
    ax.text(30, 2e-6, "SGD\ndiverges", ha="right")
axes[0].set_title("$L = 1$: SGD (solid), momentum\n(dashed), Adam (dotted)")
axes[1].set(xlabel=r"learning rate $\eta$", title="$L = 16$: only Adam has not moved")
# sphinx_gallery_thumbnail_number = 2
plt.show()
