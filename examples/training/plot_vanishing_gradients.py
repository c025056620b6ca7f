r"""
Where the gradient vanishes, layer by layer
===========================================

The backward pass multiplies the gradient by one factor a layer.
This script follows it through twenty layers: sigmoid, ReLU with PyTorch's default
initialisation and with Kaiming's, then the sigmoid with BatchNorm and with a residual
connection.
It also shows a popular measure that can miss it all: the ratio of the *weights'*
gradients.

The question: :ref:`vanishing-gradients`.
"""

# %%
# One stack, five variants
# ------------------------
#
# All five are twenty layers of width 64 without biases, with the same random weights
# from −1 to 1, times a scale.
# ``nn.Linear`` draws its weights from :math:`\pm 1 / \sqrt{n}`, a variance of
# :math:`1 / (3n)`; Kaiming's is :math:`2 / n`, six times as much.
# ``autograd.grad`` returns the gradient of every activation, then that of every weight.
import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F

n, depth = 64, 20
rng = torch.Generator().manual_seed(0)
weights = 2 * torch.rand(depth, n, n, generator=rng, dtype=torch.float64) - 1
x = 2 * torch.rand(128, n, generator=rng, dtype=torch.float64) - 1  # (N, n)
DEFAULT, KAIMING = (1 / n) ** 0.5, (6 / n) ** 0.5


def gradient_norms(f, scale, norm=lambda z: z, residual=False):
    h = x.clone().requires_grad_()
    hs, W = [h], [w.requires_grad_() for w in scale * weights]
    for w in W:
        y = f(norm(h @ w))  # (N, n)
        h = h + y if residual else y
        hs.append(h)
    grads = torch.autograd.grad(h.square().mean(), hs + W)
    return torch.stack([g.norm() for g in grads]).split([depth + 1, depth])


def batch_norm(z):
    return F.batch_norm(z, None, None, training=True)


nets = {
    "sigmoid": gradient_norms(torch.sigmoid, DEFAULT),
    "ReLU, default": gradient_norms(torch.relu, DEFAULT),
    "ReLU, Kaiming": gradient_norms(torch.relu, KAIMING),
    "sigmoid + BatchNorm": gradient_norms(torch.sigmoid, DEFAULT, norm=batch_norm),
    "sigmoid + residual": gradient_norms(torch.sigmoid, DEFAULT, residual=True),
}
print("                     arrives  per layer  dW1/dW20")
for name, (of_h, of_w) in nets.items():
    arrives = (of_h[0] / of_h[-1]).item()
    print(f"{name:19}    {arrives:.0e}  {arrives ** (1 / depth):9.2f}     {of_w[0] / of_w[-1]:.0e}")

# %%
# *Arrives* says how much of the gradient at the output of layer 20 reaches the input of
# layer 1.
# *Per layer* is its twentieth root, the factor of a typical layer.
# The sigmoid's derivative is at most 1/4, and the default weights shrink it further.
# ReLU with these weights should keep :math:`1 / \sqrt{6} \approx 0.41` of the length:
# of the squared length the weights pass a third, and ReLU half of that.
# With Kaiming's weights the factor is about 1, and so it is for the sigmoid with either
# remedy.
#
# Below, read from right to left, as the gradient travels.
# On this axis a constant factor is a straight line.
GREY, BLUE, ORANGE = "#7a7a7a", "#2a7fc0", "#D55E00"  # read on white and black
plt.rc("figure", facecolor="none", dpi=160)
plt.rc("axes", facecolor="none", labelcolor=GREY, edgecolor=GREY)
plt.rc("axes.spines", right=False, top=False)
plt.rc(("text", "xtick", "ytick"), color=GREY)
plt.rc("font", size=16)
plt.rc("lines", linewidth=3, markersize=10)


def draw(ax, norms, style, color, text, x, y, **look):
    layers = range(depth + 1 - len(norms), depth + 1)
    ax.semilogy(layers, norms / norms[-1], style, color=color, markevery=(-1, -4), **look)
    ax.text(x, y, text)


fig, (upper, lower) = plt.subplots(2, figsize=(6, 8.5), sharex=True, sharey=True, layout="constrained")
draw(upper, nets["sigmoid"][0], "s--", ORANGE, "sigmoid", 7.5, 1e-15)
draw(upper, nets["ReLU, default"][0], "D:", GREY, "ReLU, default", 0, 3e-4)
draw(upper, nets["ReLU, Kaiming"][0], "o-", BLUE, "ReLU, Kaiming", 0, 60)
draw(lower, nets["sigmoid"][0], "s--", ORANGE, "sigmoid", 7.5, 1e-15)
draw(lower, nets["sigmoid + BatchNorm"][0], "v:", GREY, "with BatchNorm", 0, 2e-4)
draw(lower, nets["sigmoid + residual"][0], "^-", BLUE, "with a residual connection", 0, 60)
upper.set(ylim=(1e-18, 1e4), title="The activation and its weights")
lower.set(title="Two remedies for the sigmoid", xlabel="after layer (0: the input)", xticks=range(0, 21, 4))
fig.supylabel(r"$\|\partial L\,/\,\partial h\|$, relative to layer 20", color=GREY)
plt.show()

# %%
# Do not judge by the weights' gradients
# --------------------------------------
#
# Look at the last column of the table, and at both ReLU rows: the same number, although
# one net loses the gradient and the other does not.
# :math:`\partial L / \partial W_l` is a product of two: the activation that enters layer
# :math:`l`, and the gradient that comes back to its output.
# With the default weights the activations shrink on the way up just as the gradient does
# on the way down, so the product is about as large in layer 1 as in layer 20: tiny in
# both.
# (The biases of ``nn.Linear`` keep the activations alive; then this ratio falls, too.)
# The residual row errs the other way: all of the gradient arrives, and the ratio is small.
# So measure at the activations, or compare each weight's update with the weight.
default, kaiming = nets["ReLU, default"], nets["ReLU, Kaiming"]
torch.testing.assert_close(default[1] / default[1][-1], kaiming[1] / kaiming[1][-1])

fig, ax = plt.subplots(figsize=(6, 5), layout="constrained")
draw(ax, default[0], "D:", GREY, "activations, default", 7.5, 1e-7)
draw(ax, kaiming[0], "o-", BLUE, "activations, Kaiming", 0, 60)
draw(ax, default[1], "x-", ORANGE, "weights: × default\n               ○ Kaiming", 0, 2e-3, mew=3)
draw(ax, kaiming[1], "o:", ORANGE, "", 0, 1, ms=20, mfc="none", mew=3)
ax.set(ylim=(1e-8, 1e4), xlabel="layer", xticks=range(0, 21, 4), ylabel="gradient's norm, relative\nto layer 20")
ax.set_title("One line for two nets")
plt.show()
