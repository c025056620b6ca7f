"""
gather and scatter, arrow by arrow
==================================

All three visit each slot of ``index`` once and draw one arrow for it.
``gather`` reads along the arrow, ``scatter_`` writes along it, ``scatter_add_`` adds.
This script draws the arrows for ``dim=1``, where each row is on its own.

The question: :ref:`gather-scatter`.
"""

# %%
# ``gather`` reads
# ----------------
#
# ``out[i][j] = x[i][index[i][j]]``: the index replaces the column, the row stays.
# ``out`` has the shape of ``index``.
# In row 1 the slot that holds 21 is read twice, which does no harm.
# Nobody reads 11, 20 and 23.
import matplotlib.pyplot as plt
import torch

x = torch.tensor([[10.0, 11.0, 12.0, 13.0], [20.0, 21.0, 22.0, 23.0]])  # (2, 4)
index = torch.tensor([[2, 3, 0], [1, 1, 2]])  # (2, 3)
out = x.gather(1, index)  # (2, 3)
print(out)

# %%
# Below, each row has its own picture: the long tensor above, the short one below.
# The bold numbers are the index; each says to which column of the long tensor its
# slot is tied.
# A hatched slot has two arrows, an empty one has none.
GREY, INK, ORANGE = "#7a7a7a", "#102030", "#D55E00"  # read on white and black
plt.rc("figure", facecolor="none", dpi=160)
plt.rc("text", color=GREY)
plt.rc("font", size=16)


def draw(title, long, short, index, names, arrow):
    _, ax = plt.subplots(figsize=(6, 6.8), layout="constrained")
    for i in range(2):
        top, bottom = -5.9 * i, -5.9 * i - 3.2  # upper edges of the two strips
        for k in range(4):
            arrows = (index[i] == k).sum().item()
            cell(ax, k, top, long[i, k], arrows > 0, arrows > 1)
            ax.text(k, top + 0.12, k, ha="center", size=13)
        for j in range(3):
            k, slot = index[i, j].item(), j + 0.5
            cell(ax, slot, bottom, short[i, j], True)
            ax.text(slot, bottom - 1.45, k, ha="center", size=13, weight="bold")
            look = {"arrowstyle": arrow, "color": ORANGE, "lw": 3, "mutation_scale": 22}
            start = k + 0.15 * (slot > k) - 0.15 * (slot < k)  # two arrows part here
            ax.annotate("", (slot, bottom + 0.05), (start, top - 1.05), arrowprops=look)
        ax.text(-0.7, top - 0.5, f"{names[0]}[{i}]", ha="right", va="center")
        ax.text(-0.7, bottom - 0.5, f"{names[1]}[{i}]", ha="right", va="center")
        ax.text(-0.7, bottom - 1.45, f"index[{i}]", ha="right", size=13)
    ax.set(xlim=(-2.2, 3.6), ylim=(-10.7, 0.7), title=title)
    ax.axis("off")
    plt.show()


def cell(ax, x, y, value, used, twice=False):
    look = {"edgecolor": GREY, "color": "#d6e9f8" if used else "none"}
    if twice:
        look |= {"color": "#f6c244", "hatch": "//", "hatchcolor": "#fbe09a"}
    ax.bar(x, -1, 1, y, **look)
    color = INK if used else GREY
    ax.text(x, y - 0.53, f"{value:g}", ha="center", va="center", color=color)


draw("gather: read from where the index points", x, out, index, ("x", "out"), "-|>")

# %%
# ``scatter_`` writes
# -------------------
#
# ``board[i][index[i][j]] = src[i][j]``: the arrows turn round.
# Now the short tensor gives and the long one receives.
# A slot that no arrow reaches keeps its value, here 9; it does not become 0.
# Two arrows must not meet: which value wins would be arbitrary.
# So this index has no repeat, and ``gather`` takes back what was written.
src = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])  # (2, 3)
distinct = torch.tensor([[2, 3, 0], [1, 0, 2]])  # (2, 3)
board = torch.full((2, 4), 9.0).scatter_(1, distinct, src)  # (2, 4)
print(board)
print("gather takes it back:", torch.equal(board.gather(1, distinct), src))
draw("scatter_: write where it points", board, src, distinct, ("board", "src"), "<|-")

# %%
# ``scatter_add_`` adds
# ---------------------
#
# ``total[i][index[i][j]] += src[i][j]``: now two arrows may meet.
# In row 1, 4 and 5 both go to column 1 and make 9.
# What the tensor held before counts, too; here it is 0.
total = torch.zeros(2, 4).scatter_add_(1, index, src)  # (2, 4)
print(total)
# sphinx_gallery_thumbnail_number = 3
draw("scatter_add_: add where it points", total, src, index, ("total", "src"), "<|-")

# %%
# Turn the first picture's arrows round, and you get the last one: same index, same
# arrows.
# That is why the backward pass of ``gather`` is ``scatter_add_``.
# A slot that was read twice collects two gradients.
x.requires_grad_()
x.gather(1, index).backward(src)  # src plays the gradient of out
print("gradient of gather is scatter_add_:", torch.equal(x.grad, total))
