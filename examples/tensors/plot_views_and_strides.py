"""
One storage, many views: strides as a walk
==========================================

A tensor is a header over a storage: shape, strides, offset.
Transposing, slicing, expanding and unfolding write a new header and copy nothing.
This script draws the storage once, and for each view the walk that its strides take
over it.
``contiguous()`` at the end is a copy.

The question: :ref:`tensor-vs-numpy`.
"""

# %%
# The address of an element
# -------------------------
#
# A stride says how many slots to go on when its index grows by 1.
# So element (i, j) lies at offset + i · stride[0] + j · stride[1].
# ``walk`` lists the slots in the order in which you read the tensor: row by row.
# Each view is checked: the storage, read along its walk, gives its elements.
# ``as_strided`` builds it again from the three numbers alone, so a header holds no more.
from itertools import product

import matplotlib.pyplot as plt
import torch

x = torch.arange(12.0).reshape(3, 4)  # the value is the slot
views = {
    "x": x,
    "x.T": x.T,
    "x[1:, 1::2]": x[1:, 1::2],
    "x[1].expand(3, 4)": x[1].expand(3, 4),
    "x.view(12)[:8].unfold(0, 4, 2)": x.view(12)[:8].unfold(0, 4, 2),
    "x.T.contiguous()": x.T.contiguous(),
}


def walk(t):
    steps = product(*(range(n) for n in t.shape))
    return [t.storage_offset() + sum(i * s for i, s in zip(step, t.stride(), strict=True)) for step in steps]


storage = x.view(12)
print("shape   strides  offset  same storage")
for name, t in views.items():
    same = t.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    if same:
        assert torch.equal(storage[walk(t)], t.flatten())
        assert torch.equal(storage.as_strided(t.shape, t.stride(), t.storage_offset()), t)
    print(f"{tuple(t.shape)}  {t.stride()!s:7}  {t.storage_offset():6}  {same!s:12}  {name}")

# %%
# Six walks
# ---------
#
# On top stands the storage; a thin line runs down from each slot.
# Below, each tensor is read from top to bottom.
# A dot is an element, on the line of its slot; a new stroke is a new row.
# The strides stand on the right.
#
# A contiguous tensor goes straight through.
# The transpose leaps four slots at a time.
# The slice starts at its offset and leaves slots out.
# The stride 0 of ``expand`` comes back to the start in every row, so a million rows
# would cost no more.
# The windows of ``unfold`` overlap.
# ``contiguous()`` goes straight again, but over a storage of its own.
GREY, BLUE, ORANGE, INK = "#7a7a7a", "#2a7fc0", "#D55E00", "#102030"  # read on white and black
plt.rc("figure", facecolor="none", dpi=160)
plt.rc("text", color=GREY)
plt.rc("font", size=15)
fig, ax = plt.subplots(figsize=(6, 11.5), layout="constrained")


def draw_storage(values, top, depth):
    for slot, value in enumerate(values):
        color = ["#d6e9f8", "#8cbde3", "#f6c244"][int(value) // 4]  # the rows of x
        ax.plot([slot, slot], [top, top - depth], color=GREY, lw=0.7, alpha=0.5)
        ax.bar(slot, -1.6, 1, top, color=color, edgecolor=GREY, zorder=2)
        ax.text(slot, top - 0.85, f"{value:g}", ha="center", va="center", color=INK)


draw_storage(storage, 0, 48)
y, color = -2.8, BLUE
for name, t in views.items():
    if name == "x.T.contiguous()":
        y, color = y - 3.2, ORANGE
        draw_storage(t.flatten(), y + 2.8, 12.2)
    ax.text(-0.5, y, name, va="center", family="monospace")
    ax.text(11.5, y, f"{t.stride()}", ha="right", va="center", family="monospace")
    for row in torch.tensor(walk(t)).view(-1, t.shape[-1]).tolist():
        ys = [y - 1 - 0.6 * step for step in range(len(row))]
        ax.plot(row, ys, "o-", color=color, lw=2.5, ms=8, zorder=3)
        y = ys[-1] - 0.1
    y -= 1.6
ax.set(ylim=(y, 0.3), xlim=(-0.7, 11.7), title="One storage, five views, one copy")
ax.axis("off")
plt.show()

# %%
# What follows
# ------------
#
# A write through one view shows in all that reach the slot; a copy does not see it.
# ``view`` never copies, so it raises where no strides can give the new shape.
# ``reshape`` copies then, without a word, and ``contiguous`` copies nothing where the
# tensor is contiguous already.
# ``add_`` refuses to write where a stride of 0 lets elements share a slot.
# The overlap of ``unfold`` it does not notice, so ``clone`` before you write there.
views["x.T"][1, 1] = -1.0  # slot 5
for name, t in views.items():
    print(f"{(t == -1).sum().item()} of {t.numel():2} elements changed  {name}")
print("contiguous() is x itself:", x.contiguous() is x)
refused = {"x.T.view(12)": lambda: x.T.view(12), "x[1].expand(3, 4).add_(1)": lambda: x[1].expand(3, 4).add_(1)}
for line, call in refused.items():
    try:
        call()
    except RuntimeError as error:
        print(f"{line}: {str(error).split('.')[0].split(' (')[0]}")
