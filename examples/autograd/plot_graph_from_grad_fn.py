"""
Autograd's graph, drawn from the inside
=======================================

Autograd's graph is no secret: ``grad_fn`` leads into it, and ``next_functions`` leads
on.
This script walks the graph of a small loss, lists what each node saved, runs the
backward pass by hand, and draws all three in one picture.

The question: :ref:`how-autograd-works`.
"""

# %%
# A loss with two paths to its weight
# -----------------------------------
#
# A prediction's squared error, plus the weight's square as a penalty.
# Only ``w`` requires a gradient; ``x`` and ``y`` are data.
# The prediction is 6, the error is 5, so the loss is 25 + 4.
import matplotlib.pyplot as plt
import torch

x, y = torch.tensor(3.0), torch.tensor(1.0)  # every shape here is ()
w = torch.tensor(2.0, requires_grad=True)
loss = (torch.relu(x * w) - y).square() + w.square()
print("loss", loss.item())

# %%
# Walk
# ----
#
# Start at ``loss.grad_fn`` and follow ``next_functions``.
# A node lies as deep as its *longest* path from the loss, so all that flows into it
# comes from above.
# (Following every path is fine on a board; the engine counts edges instead.)
place = {}  # node -> (depth, lane)


def walk(node, depth=0, lane=0):
    old_depth, old_lane = place.get(node, (0, 0))
    place[node] = max(depth, old_depth), max(lane, old_lane)
    following = [n for n, _ in node.next_functions if n is not None]
    for i, n in enumerate(following):
        walk(n, depth + 1, lane + i)


def saved(node):
    names = [name for name in dir(node) if name.startswith("_saved_")]
    values = {name.removeprefix("_saved_"): getattr(node, name) for name in names}
    return {name: v.item() for name, v in values.items() if torch.is_tensor(v)}


walk(loss.grad_fn)
order = sorted(place, key=lambda node: place[node])
saved_values = {node: saved(node) for node in order}
for node in order:
    print(place[node][0], type(node).__name__, saved_values[node] or "nothing")

# %%
# Read what each node kept; the number in front is its depth.
# The product kept ``x``, its ``self``, because ``x`` is the derivative with respect to
# ``w``.
# It did not keep ``w``: nobody asks for the gradient of ``x``.
# The squares kept their inputs, ``relu`` its result; sum and difference kept nothing.
# ``AccumulateGrad`` stands at the end of both paths, and it is *one* node.

# %%
# Backward by hand
# ----------------
#
# A node is a function: call it with the gradient of its output, and it returns one
# gradient for each input.
# Give the first node a 1.
# Take the nodes from the top, and *add* what arrives at each.
# The last sum is ``w.grad``.
arrived = dict.fromkeys(order, 0.0)  # node -> gradient of its output
arrived[loss.grad_fn] = torch.tensor(1.0)
edges = []  # (from, to, gradient)
for node in order[:-1]:  # the last one is AccumulateGrad
    with torch.no_grad():  # or autograd records this pass, too
        grads = node(arrived[node])
    grads = grads if isinstance(grads, tuple) else (grads,)
    for (to, _), grad in zip(node.next_functions, grads, strict=True):
        edges.append((node, to, grad))
        if to is not None:
            arrived[to] = arrived[to] + grad

leaf = order[-1]
print("leaf is w:", leaf.variable is w)
print("by hand", arrived[leaf].item())
loss.backward()
print("w.grad ", w.grad.item())

# %%
# The picture
# -----------
#
# A box is a node, with what it saved.
# An arrow is an edge, with the gradient that travels along it.
# Two edges end in ``None``: they lead to ``x`` and ``y``, which want no gradient.
# At the bottom 30 and 4 meet, and ``AccumulateGrad`` adds their sum to ``w.grad``.
#
# The numbers were read before ``loss.backward()``.
# After it the nodes are still there, but what they saved is freed: ask a square for it
# again, and you get an error.
GREY, BLUE, ORANGE = "#7a7a7a", "#2a7fc0", "#D55E00"  # read on white and black
plt.rc("figure", facecolor="none", dpi=160)
plt.rc("text", color=GREY)
plt.rc("font", size=16)
fig, ax = plt.subplots(figsize=(6, 8), layout="constrained")
arrow = {"arrowstyle": "-|>", "color": ORANGE, "lw": 3, "mutation_scale": 22}

for node, to, grad in edges:
    depth, lane = place[node]
    if to is None:
        ax.annotate("", (lane - 0.3, depth + 0.52), (lane - 0.22, depth + 0.27), arrowprops=arrow | {"color": GREY})
        ax.text(lane - 0.3, depth + 0.6, "None", ha="center", va="center")
        continue
    to_depth, to_lane = place[to]
    ax.annotate("", (to_lane, to_depth - 0.26), (lane, depth + 0.26), arrowprops=arrow)
    x_text, y_text = (lane + to_lane) / 2 + 0.06, (depth + to_depth) / 2
    va = "center" if lane == to_lane else "bottom"
    ax.text(x_text, y_text, f"{grad.item():g}", va=va, weight="bold", fontsize=18)

for node, (depth, lane) in place.items():
    look = {"color": "#d6e9f8", "edgecolor": BLUE, "lw": 2, "zorder": 3}
    if node is leaf:
        look |= {"color": "#f6c244", "hatch": "//", "hatchcolor": "#fbe09a"}
    ax.bar(lane, 0.52, 0.82, depth - 0.26, **look)
    kept = [f"saved {name} = {value:g}" for name, value in saved_values[node].items()]
    text = "\n".join([type(node).__name__.removesuffix("Backward0"), *kept])
    ax.text(lane, depth, text, ha="center", va="center", color="#102030", zorder=4)
ax.text(1, 5.36, "w.grad", ha="center", va="top", weight="bold")
ax.set(xlim=(-0.45, 1.45), ylim=(5.7, -0.3))
ax.axis("off")
ax.set_title("From loss.grad_fn to w.grad")
plt.show()
