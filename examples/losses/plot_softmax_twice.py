r"""
Softmax twice: the loss gets a floor, the gradient fades
========================================================

``F.cross_entropy`` applies log-softmax itself.
A softmax before it raises no error, but it changes the loss.
This script draws both losses and both gradients for ten classes.
Then it draws the floor, :math:`\log(e + C - 1) - 1`, against the number of classes.

The question: :ref:`cross-entropy`.
"""

# %%
# One sample, one knob
# --------------------
#
# All logits are 0, except the target's: that one is the *margin*.
# At −8 the model is certain and wrong, at 0 it guesses, at 8 it is certain and right.
# The *push* is :math:`-\partial\ell / \partial z_y`: how strongly a step of gradient
# descent lifts the target's logit.
import math

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F


def loss_and_push(margins, C, twice):
    z = torch.zeros(len(margins), C, dtype=torch.float64)  # (N, C), the logits
    z[:, 0] = margins
    z.requires_grad_()
    target = torch.zeros(len(margins), dtype=torch.long)  # (N,), always class 0
    scores = z.softmax(1) if twice else z  # the mistake, or the logits
    loss = F.cross_entropy(scores, target, reduction="none")  # (N,)
    loss.sum().backward()  # the samples do not mix
    return loss.detach(), -z.grad[:, 0]


margins = torch.tensor([-8.0, -4.0, 0.0, 4.0, 8.0])
once, twice = loss_and_push(margins, 10, False), loss_and_push(margins, 10, True)
print("margin   loss once   twice   push once   twice")
for m, l1, p1, l2, p2 in zip(margins, *once, *twice, strict=True):
    print(f"{m:6.0f}   {l1:9.4f}  {l2:.4f}   {p1:9.4f}  {p2:.4f}")

# %%
# A flat loss on both sides
# -------------------------
#
# The first softmax squeezes the logits into [0, 1].
# So the second one sees scores at most 1 apart, and never gives the target more than
# :math:`e / (e + C - 1)`.
# That is the floor on the right.
# On the left the loss is flat, too: a sample that is certain and wrong hardly pushes.
# It is the sample that should push most, and without the extra softmax it does.
GREY, BLUE, ORANGE = "#7a7a7a", "#2a7fc0", "#D55E00"  # read on white and black
plt.rc("figure", facecolor="none", dpi=160)
plt.rc("axes", facecolor="none", labelcolor=GREY, edgecolor=GREY)
plt.rc("axes.spines", right=False, top=False)
plt.rc(("text", "xtick", "ytick"), color=GREY)
plt.rc("font", size=16)
plt.rc("lines", linewidth=3)

x = torch.linspace(-8, 8, 161)
once, twice = loss_and_push(x, 10, False), loss_and_push(x, 10, True)
fig, axes = plt.subplots(2, figsize=(6, 8), sharex=True, layout="constrained")
for ax, on_logits, after_softmax in zip(axes, once, twice, strict=True):
    ax.plot(x, on_logits, color=BLUE)
    ax.plot(x, after_softmax, color=ORANGE, ls="--")
floor = math.log(math.e + 9) - 1
axes[0].axhline(floor, color=GREY, ls=":", lw=2)
axes[0].text(-5.2, 7.9, "on logits")
axes[0].text(-8, 2.75, "after a softmax")
axes[0].text(8, floor - 0.9, f"floor {floor:.2f}", ha="right")
axes[0].set(ylabel=r"loss $\ell$", title="Ten classes, softmax once and twice")
axes[1].text(-8, 0.87, "on logits")
axes[1].text(-8, 0.05, "after a softmax")
axes[1].set(ylabel=r"push $-\partial\ell\,/\,\partial z_y$", ylim=(-0.03, 1.05))
axes[1].set_xlabel("margin of the target's logit\nwrong        guess        right")
plt.show()

# %%
# More classes, less to gain
# --------------------------
#
# A guess costs :math:`\log C`.
# With the extra softmax, certainty costs :math:`\log(e + C - 1) - 1`, never as much as
# 1 less.
# So a good model's loss looks like a bad one's.
# The last column compares the pushes at the guess, where training starts: the extra
# softmax divides the gradient by :math:`C`.
counts, guesses, floors = [2, 10, 100, 1000], [], []
print("   C    guess    floor    gain   push once / twice")
for C in counts:
    (guess, certain), (push, _) = loss_and_push(torch.tensor([0.0, 100.0]), C, True)
    assert math.isclose(certain, math.log(math.e + C - 1) - 1)
    ratio = loss_and_push(torch.zeros(1), C, False)[1].item() / push
    guesses.append(guess)
    floors.append(certain)
    print(f"{C:4}   {guess:.4f}   {certain:.4f}  {guess - certain:.4f}   {ratio:.1f}")

fig, ax = plt.subplots(figsize=(6, 5), layout="constrained")
ax.fill_between(counts, floors, guesses, color=ORANGE, alpha=0.2, hatch="//")
ax.plot(counts, guesses, "o-", color=GREY, ms=9)
ax.plot(counts, floors, "s--", color=ORANGE, ms=9)
ax.plot(counts, [0] * 4, "^-", color=BLUE, ms=9)
ax.text(55, 5.2, r"guess: $\log C$", ha="right")
ax.text(45, 2.1, "certain and right,\nsoftmax twice")
ax.text(30, 0.35, "certain and right, once", ha="center")
ax.set(xscale="log", xlabel="number of classes $C$", ylabel=r"loss $\ell$")
ax.set_title("The extra softmax leaves less than 1")
plt.show()

# %%
# The repair is to delete a line: let the model return logits.
# A *log*-softmax too many is harmless, since its probabilities already sum to 1.
z = torch.tensor([[2.0, -1.0, 0.5]], dtype=torch.float64)
torch.testing.assert_close(z.log_softmax(1).log_softmax(1), z.log_softmax(1))
