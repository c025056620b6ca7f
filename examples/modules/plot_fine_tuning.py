r"""
Fine-tuning: how fast may the backbone learn?
=============================================

A network learns to read letters, and then gets three images each of ten digits.
This script trains a new last layer on them, and the backbone at several rates, from
frozen to as fast as the new layer.

The question: :ref:`fine-tuning`.
"""

# %%
# Real letters
# ------------
#
# The data are the characters of 21 typefaces.
# They come with Matplotlib, under free licences: DejaVu, STIX and Computer Modern,
# upright, slanted, bold and monospaced.
# Each is drawn somewhere on 20 × 20 pixels, so the network must learn that the
# position doesn't matter.
# Thousands of letters teach that; thirty digits can't.
#
# Every third typeface is kept for the test.
# The network sees it neither in pretraining nor in fine-tuning, but it may see the bold
# or slanted one beside it.
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
families = "DejaVuSans", "DejaVuSerif", "STIXGeneral", "cmb", "cmr", "cmss", "cmt"
folder = Path(matplotlib.get_data_path(), "fonts", "ttf")
names = sorted(path for path in folder.iterdir() if path.stem.startswith(families))
fonts = [ImageFont.truetype(name, 12) for name in names if "Display" not in name.stem]
seen, unseen = [f for i, f in enumerate(fonts) if i % 3 < 2], fonts[2::3]


def draw(characters, fonts, copies):
    images, labels = [], []
    for label, character in enumerate(characters):
        for font in fonts * copies:
            canvas = Image.new("L", (20, 20))
            middle = torch.randint(6, 15, (2,)).tolist()
            ImageDraw.Draw(canvas).text(middle, character, 255, font, anchor="mm")
            images.append(torch.tensor(np.array(canvas)) / 255)
            labels.append(label)
    return torch.stack(images)[:, None], torch.tensor(labels)  # (N, 1, 20, 20), (N,)


letters, digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
old_train, old_test = draw(letters, seen, 10), draw(letters, unseen, 2)
new_train, new_test = draw(digits, seen[::5], 1), draw(digits, unseen, 4)
print("images", *(len(data[0]) for data in (old_train, old_test, new_train, new_test)))

GREY, BLUE, ORANGE = "#7a7a7a", "#2a7fc0", "#D55E00"  # read on white and black
plt.rc("figure", facecolor="none", dpi=160)
plt.rc("axes", facecolor="none", labelcolor=GREY, edgecolor=GREY)
plt.rc("axes.spines", right=False, top=False)
plt.rc(("text", "xtick", "ytick"), color=GREY)
plt.rc("font", size=16)

fig, ax = plt.subplots(figsize=(6, 4), layout="constrained")
sheet = torch.cat([old_train[0][::122], new_train[0]])  # 30 letters, 30 digits
grid = F.pad(sheet, [1, 1, 1, 1], value=0.5).view(6, 10, 22, 22)  # white edges
ax.imshow(grid.transpose(1, 2).reshape(132, 220), cmap="gray")
ax.set(title="Many letters, thirty digits", xticks=[], yticks=[])
plt.show()

# %%
# One backbone, one last layer
# ----------------------------
#
# The network has a backbone with three BatchNorms and a last layer, ``fc``.
# It reads most letters of the typefaces that it has never seen.
# In the loop, ``backbone_eval=True`` puts the backbone back into evaluation mode after
# ``train()``: its BatchNorms keep their statistics.
# Its parameters learn all the same, unless their rate is 0.


def build(classes):
    model = nn.Sequential()
    model.backbone = nn.Sequential(
        *(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(8, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(800, 64), nn.BatchNorm1d(64), nn.ReLU()),
    )
    model.fc = nn.Linear(64, classes)
    return model


def fit(model, groups, lr, data, epochs, backbone_eval=False):
    optimizer = torch.optim.SGD(groups, lr=lr, momentum=0.9)
    images, labels = data
    for _ in range(epochs):
        model.train()
        model.backbone.train(not backbone_eval)
        for i in torch.randperm(len(images)).split(64):
            optimizer.zero_grad()
            F.cross_entropy(model(images[i]), labels[i]).backward()
            optimizer.step()


@torch.no_grad()
def accuracy(model, data):
    return (model.eval()(data[0]).argmax(1) == data[1]).double().mean().item()


pretrained = build(len(letters))
for lr, epochs in (0.05, 3), (0.005, 1):  # the last one lets it settle
    fit(pretrained, pretrained.parameters(), lr, old_train, epochs)
print("reads most letters:", accuracy(pretrained, old_test) > 0.6)

# %%
# The backbone's learning rate
# ----------------------------
#
# A pretrained network gets a new last layer that learns at 0.01.
# The backbone is a parameter group of its own, with that rate times a factor.
# The factor 0 is a frozen backbone, and 1 is to fine-tune everything alike.
# BatchNorm stays in evaluation mode, since thirty images are all there are.
# (From scratch it must train: it has no statistics yet.)
#
# The chart shows how each network reads other typefaces; a guess is right in one of ten.
# From scratch it learns little that holds there.
# Frozen or slow, the backbone keeps what it knows about letters.
# At full rate it fits the thirty images much better, with a loss near 0, and pays with
# what the letters had taught it: beside a random new layer, good features
# `get distorted <https://arxiv.org/abs/2202.10054>`_.
# Which rate is best depends on the data; let a validation set decide.
# (The optimizer leaves a backbone at rate 0 alone.
# ``requires_grad_(False)`` also spares its backward pass.)


def tune(factor, scratch=False):
    model = build(len(letters)) if scratch else copy.deepcopy(pretrained)
    model.fc = nn.Linear(64, len(digits))
    slow = {"params": model.backbone.parameters(), "lr": 0.01 * factor}
    groups = [slow, {"params": model.fc.parameters()}]
    fit(model, groups, 0.01, new_train, epochs=40, backbone_eval=not scratch)
    loss = F.cross_entropy(model.eval()(new_train[0]), new_train[1]).item()
    return loss, accuracy(model, new_test)


ways = {"frozen": [0], "1/100": [0.01], "1/10": [0.1], "1": [1], "scratch": [1, True]}
losses, tested = {}, {}
for way, options in ways.items():
    runs = torch.tensor([tune(*options) for _ in range(2)])  # two new last layers
    losses[way], tested[way] = runs.mean(0).tolist()
print("frozen beats scratch by 20 points:", tested["frozen"] > tested["scratch"] + 0.2)
print("rate 1 has a lower loss than frozen:", losses["1"] < losses["frozen"] / 2)
print("rate 1 loses 5 points on frozen:", tested["1"] < tested["frozen"] - 0.05)

fig, ax = plt.subplots(figsize=(6, 5.4), layout="constrained")
heights = [100 * share for share in tested.values()]
ax.bar(list(ways), heights, color=[BLUE, BLUE, BLUE, ORANGE, GREY])
ax.set(xlabel="rate of the backbone / of the new layer", ylabel="digits right, %")
ax.set_title("Thirty images, new typefaces")
plt.show()
