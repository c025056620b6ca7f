"""
Frozen, and yet it forgets: BatchNorm
=====================================

``requires_grad_(False)`` stops gradients, and a parameter without one takes no step.
BatchNorm's running statistics are buffers and have none: in training mode they follow
the new images, in a frozen network, too.
This script sends new images through a frozen network, and tests after each pass which
letters it still reads.

The question: :ref:`freezing-layers`.
"""

# %%
# Letters, and something new
# --------------------------
#
# Matplotlib comes with twelve DejaVu typefaces that have letters.
# The network will learn their letters, white on black.
# Then come digits, which are new to it: the same digits once white on black, like the
# letters, and once black on white.
import copy
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image, ImageDraw, ImageFont
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)  # a small network
folder = Path(matplotlib.get_data_path(), "fonts", "ttf")
names = [path for path in sorted(folder.glob("DejaVu*")) if "Display" not in path.stem]
fonts = [ImageFont.truetype(name, 13) for name in names]


def draw(characters):
    images = []
    for character in characters:
        for font in fonts:
            canvas = Image.new("L", (20, 20))
            ImageDraw.Draw(canvas).text((10, 10), character, 255, font, anchor="mm")
            images.append(torch.tensor(np.array(canvas)) / 255)
    return torch.stack(images)  # (N, 20, 20)


letters, digits = draw("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), draw("0123456789")
labels = torch.arange(26).repeat_interleave(len(fonts))  # (312,)
print(len(letters), "letters,", len(digits), "digits")

GREY, BLUE, ORANGE = "#7a7a7a", "#2a7fc0", "#D55E00"  # read on white and black
plt.rc("figure", facecolor="none", dpi=160)
plt.rc("axes", facecolor="none", labelcolor=GREY, edgecolor=GREY)
plt.rc("axes.spines", right=False, top=False)
plt.rc(("text", "xtick", "ytick"), color=GREY)
plt.rc("font", size=16)
plt.rc("lines", linewidth=3, markersize=11)

fig, ax = plt.subplots(figsize=(6, 2.1), layout="constrained")
rows = letters[::32], digits[::12], 1 - digits[::12]  # ten of each
ax.imshow(torch.cat([torch.cat(list(row), dim=1) for row in rows]), cmap="gray")
ax.set_yticks([10, 30, 50], ["letters", "digits", "1 − digits"])
ax.set(xticks=[], title="Known letters, new digits")
plt.show()

# %%
# A network that reads letters
# ----------------------------
#
# The backbone has two BatchNorms, each with three buffers: ``running_mean``,
# ``running_var`` and ``num_batches_tracked``.
# Sixty steps, each with all letters in one batch, and the network reads them in
# evaluation mode.
backbone = nn.Sequential(
    *(nn.Flatten(), nn.Linear(400, 64), nn.BatchNorm1d(64), nn.ReLU()),
    *(nn.Linear(64, 64), nn.BatchNorm1d(64), nn.ReLU()),
)
pretrained = nn.Sequential(backbone, nn.Linear(64, 26))
optimizer = torch.optim.SGD(pretrained.parameters(), lr=0.1, momentum=0.9)
for _ in range(60):
    optimizer.zero_grad()
    F.cross_entropy(pretrained(letters), labels).backward()
    optimizer.step()


def accuracy(model):
    return (model.eval()(letters).argmax(1) == labels).double().mean().item()


print("reads the letters:", accuracy(pretrained) > 0.9)

# %%
# What the flag does not freeze
# -----------------------------
#
# Now the whole network is frozen.
# No loss is computed, no optimizer takes a step, and no parameter changes.
# Yet forty forward passes in training mode are enough: the running statistics become
# those of black on white, and the network no longer reads most letters.
# With images like the letters the statistics move, too, but the accuracy hardly shows it.
# With the backbone in evaluation mode nothing moves.
#
# So freeze with both, ``requires_grad_(False)`` and ``eval()``, and call ``eval()`` again
# after each ``train()`` of the whole model.
cases = {
    "eval(), 1 - digits": (1 - digits, "-", BLUE),
    "train(), digits": (digits, "^", GREY),
    "train(), 1 - digits": (1 - digits, "s--", ORANGE),
}
before = dict(pretrained.named_buffers())
print("case                 buffers moved  parameters same  forgets half")
fig, ax = plt.subplots(figsize=(6, 5.4), layout="constrained")
for case, (images, style, color) in cases.items():
    model = copy.deepcopy(pretrained).requires_grad_(False)
    right = [accuracy(model)]
    for _ in range(40):
        model.train()  # as each epoch begins
        if case.startswith("eval()"):
            model[0].eval()  # the backbone again
        model(images)  # only a forward pass
        right.append(accuracy(model))
    ax.plot([100 * share for share in right], style, color=color, markevery=5)
    moved = sum(not torch.equal(b, before[name]) for name, b in model.named_buffers())
    same = all(map(torch.equal, model.parameters(), pretrained.parameters()))
    print(f"{case:19}  {moved:13}  {same!s:15}  {right[-1] < 0.5}")
ax.text(40, 78, "line: eval()\ntriangles: train(), digits", ha="right")
ax.text(40, 48, "train(), 1 − digits", ha="right")
ax.set(xlabel="forward passes of the frozen network", ylabel="letters right, %")
ax.set(ylim=(0, 105), title="Frozen, and yet it forgets")
# sphinx_gallery_thumbnail_number = 2
plt.show()
