"""
In-place edits and the version counter: who gets caught
=======================================================

Every in-place edit adds 1 to a tensor's version counter.
A node notes the counter when it saves a tensor, and the backward pass compares.
This script tries eight lines on a saved tensor: five raise, and two go unseen and give
a wrong gradient.
Then it shows why the same edit raises after one operation and is fine after another.

The question: :ref:`how-autograd-works`.
"""

# %%
# Eight lines on a saved tensor
# -----------------------------
#
# ``sqrt`` saves its own *output* r, since the derivative is :math:`1 / (2r)`.
# At 4 and 16 the roots are 2 and 4, the derivatives 1/4 and 1/8.
# Each line runs between the forward and the backward pass; most of them double r.
# The counter is ``_version``.
import matplotlib.pyplot as plt
import torch


def without_recording(r):
    with torch.no_grad():
        r.mul_(2)


lines = {
    "r * 2": lambda r: r * 2,
    "r.mul_(2)": lambda r: r.mul_(2),
    "r.mul_(2).div_(2)": lambda r: r.mul_(2).div_(2),
    "r[0].mul_(2)": lambda r: r[0].mul_(2),
    "with torch.no_grad(): r.mul_(2)": without_recording,
    "r.detach().mul_(2)": lambda r: r.detach().mul_(2),
    "r.data.mul_(2)": lambda r: r.data.mul_(2),
    "r.detach().numpy().fill(4)": lambda r: r.detach().numpy().fill(4),
}


def attempt(run):
    a = torch.tensor([4.0, 16.0], requires_grad=True)  # (2,)
    r = a.sqrt()
    saved = r._version
    run(r)
    now = r._version
    try:
        r.sum().backward()
    except RuntimeError as error:
        assert f"is at version {now}; expected version {saved}" in str(error)
        return saved, now, "raises"
    return saved, now, "right" if a.grad.tolist() == [1 / 4, 1 / 8] else "wrong"


results = {line: attempt(run) for line, run in lines.items()}
print("saved  now")
for line, (saved, now, end) in results.items():
    print(f"{saved:5} {now:4}  {end:6}  {line}")

# %%
# The ring below is the counter when r was saved, the mark the counter when backward
# looked.
# A gap raises, no gap passes; the values are not looked at.
# So doubling and halving again raises, although r is what it was.
# A view shares the counter of its base, and so does ``detach()``; ``no_grad`` switches
# off recording, not counting.
# ``.data`` has a counter of its own, and NumPy has none: their edits are not caught.
# (A leaf that requires a gradient is guarded earlier: while autograd records, its edit
# raises at once.)
GREY, BLUE, ORANGE, INK = "#7a7a7a", "#2a7fc0", "#D55E00", "#102030"  # read on white and black
plt.rc("figure", facecolor="none", dpi=160)
plt.rc("axes", facecolor="none", labelcolor=GREY, edgecolor=GREY)
plt.rc("axes.spines", left=False, right=False, top=False)
plt.rc(("text", "xtick", "ytick"), color=GREY)
plt.rc("font", size=16)

looks = {"right": ("o", BLUE), "raises": ("X", ORANGE), "wrong": ("v", GREY)}
says = {"right": "right", "raises": "raises", "wrong": "wrong, and silent"}
fig, ax = plt.subplots(figsize=(6, 8), layout="constrained")
for y, (line, (saved, now, end)) in enumerate(results.items()):
    marker, color = looks[end]
    ax.plot([saved, now], [y, y], color=color, lw=4)
    ax.plot(saved, y, "o", color=GREY, ms=22, mfc="none", mew=2)
    ax.plot(now, y, marker, color=color, ms=13)
    ax.text(-0.2, y - 0.33, line, family="monospace", size=14)
    ax.text(now + 0.25, y, says[end], va="center", weight="bold")
ax.set(xlabel="version of r", xticks=[0, 1, 2], xlim=(-0.3, 3.2), yticks=[], ylim=(7.5, -0.7))
ax.set_title("A gap raises", x=0.3)
plt.show()

# %%
# The same edit, other operations
# -------------------------------
#
# Now double the input b, or the output, of seven operations.
# It raises exactly where the node has saved what was edited; the saved tensors tell.
# Where nothing raises, the gradient is right: of the doubled output it is twice as
# large.
#
# This is why ``nn.ReLU(inplace=True)`` is fine after a linear layer, which saves its
# input, and raises after a sigmoid, which saves its output.
# In a ``Function`` of your own, only what went through ``save_for_backward`` is checked.
operations = {"b + 1": lambda b: b + 1, "b * 3": lambda b: b * 3, "b * b": lambda b: b * b}
operations |= {"b.sin()": lambda b: b.sin(), "b.exp()": lambda b: b.exp()}
operations |= {"b.relu()": lambda b: b.relu(), "b.norm()": lambda b: b.norm()}


def gradient(operation, edited=None):
    a = torch.tensor([3.0, 4.0], requires_grad=True)  # (2,)
    b = a.clone()
    out = operation(b)
    tensors = {"b": b, "out": out}
    kept = [getattr(out.grad_fn, name) for name in dir(out.grad_fn) if name.startswith("_saved_")]
    kept = [t.data_ptr() for t in kept if torch.is_tensor(t)]
    saved = [name for name, t in tensors.items() if t.data_ptr() in kept]
    if edited:
        tensors[edited].mul_(2)
    try:
        out.sum().backward()
    except RuntimeError:
        return saved, "raises"
    return saved, a.grad


fig, ax = plt.subplots(figsize=(6, 6), layout="constrained")
print("operation  saved        edit b  edit out")
for y, (line, operation) in enumerate(operations.items()):
    saved, grad = gradient(operation)
    ends = [gradient(operation, edited)[1] for edited in ("b", "out")]
    for x, (name, end, true) in enumerate(zip(["b", "out"], ends, [grad, 2 * grad], strict=True)):
        assert end == "raises" if name in saved else torch.equal(end, true)
        ends[x] = "raises" if name in saved else "right"
        look = {"color": "#f6c244", "hatch": "//", "hatchcolor": "#fbe09a"} if name in saved else {"color": "#d6e9f8"}
        ax.bar(x, 0.9, 0.94, y - 0.45, **look)
        ax.text(x, y, ends[x], ha="center", va="center", color=INK)
    ax.text(-0.6, y, line, ha="right", va="center", family="monospace", size=14)
    print(f"{line:9}  {' and '.join(saved) or 'neither':11}  {ends[0]:6}  {ends[1]}")
ax.set(xticks=[0, 1], yticks=[], xlim=(-1.5, 1.5), ylim=(6.5, -0.5))
ax.set_xticks([0, 1], ["edit b", "edit out"])
ax.tick_params(length=0)
ax.spines.bottom.set_visible(False)
ax.set_title("It depends on what was saved")
plt.show()
