#!/usr/bin/env python3
"""Rows of ./gradus bench in PyTorch: the same names, sizes, losses and optimiser, on the CPU.

usage: torch_bench.py [--mode eager|fused|compile] [--threads N] [--seconds S] [--list] [--check] NAME...

NAME is a row as ./gradus bench --list names it; the name says the sizes. --mode says how PyTorch runs:
  eager    float32, one kernel an op, as PyTorch does unasked
  fused    eager, with one kernel for all of Adam's update (fused=True)
  compile  torch.compile, with the fused Adam; compiling is not timed
A mode runs only those rows that it changes: gemm_1024 has no Adam, so that fused refuses it. --list prints those of the NAMEs.

One line a row, with tabs: name, median and least milliseconds of a step, GFLOP/s where they are counted,
peak memory of the process in MB. The first row, import, is the time of `import torch`. A step of a row
train_... is forward, backward and Adam. --check prints the loss before and after ten steps from the weights and data that
train.c describes.
"""
import argparse
import math
import re
import resource
import statistics
import time

began = time.perf_counter()
import torch
from torch import nn
from torch.nn import functional as F

import_ms = 1e3 * (time.perf_counter() - began)
PHI = 0.6180339887498949
attend = F.scaled_dot_product_attention  # softmax(q k^T / sqrt(d)) v


# ---- models ----------------------------------------------------------------------------------------


class Block(nn.Module):
    def __init__(self, channels, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(channels), nn.LayerNorm(channels)
        self.project, self.out = nn.Linear(channels, 3 * channels), nn.Linear(channels, channels)
        self.up, self.down = nn.Linear(channels, 4 * channels), nn.Linear(4 * channels, channels)

    def split(self, x):
        """(B, T, C) -> queries, keys, values, each (B, H, T, C/H)."""
        B, T, C = x.shape
        qkv = self.project(self.norm1(x)).view(B, T, 3, self.heads, C // self.heads)
        return qkv.permute(2, 0, 3, 1, 4).unbind(0)

    def join(self, x, y):
        x = x + self.out(y.transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.norm2(x))))

    def forward(self, x, causal):
        return self.join(x, attend(*self.split(x), is_causal=causal))


class LanguageModel(nn.Module):
    def __init__(self, words, longest, channels, heads, layers):
        super().__init__()
        self.words, self.places = nn.Embedding(words, channels), nn.Embedding(longest, channels)
        self.blocks = nn.ModuleList(Block(channels, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(channels)

    def logits(self, x):
        return F.linear(self.norm(x), self.words.weight)

    def forward(self, ids, causal):
        x = self.words(ids) + self.places.weight[: ids.shape[1]]
        for block in self.blocks:
            x = block(x, causal)
        return self.logits(x)

    def next(self, ids, place, cache):
        """Logits after one more token; cache: for each block its keys and values so far."""
        x = self.words(ids) + self.places.weight[place]
        for l, block in enumerate(self.blocks):
            q, k, v = block.split(x)
            if cache[l]:
                k, v = (torch.cat([old, new], 2) for old, new in zip(cache[l], (k, v)))
            cache[l] = (k, v)
            x = block.join(x, attend(q, k, v))
        return self.logits(x)


class VisionModel(nn.Module):
    def __init__(self, side, patch, colours, channels, heads, layers):
        super().__init__()
        patches = (side // patch) ** 2
        self.patch = patch
        self.embed = nn.Linear(colours * patch * patch, channels)
        self.cls = nn.Parameter(torch.zeros(1, 1, channels))
        self.places = nn.Parameter(0.02 * torch.randn(1, patches + 1, channels))
        self.blocks = nn.ModuleList(Block(channels, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(channels), nn.Linear(channels, 10)

    def forward(self, images):
        B, colours, side, _ = images.shape
        across, p = side // self.patch, self.patch
        x = images.view(B, colours, across, p, across, p).permute(0, 2, 4, 1, 3, 5)
        x = self.embed(x.reshape(B, across * across, colours * p * p))
        x = torch.cat([self.cls.expand(B, -1, -1), x], 1) + self.places
        for block in self.blocks:
            x = block(x, False)
        return self.head(self.norm(x)[:, 0])


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.c, self.d = nn.Linear(784, 400), nn.Linear(20, 400), nn.Linear(400, 784)
        self.mean, self.variance = nn.Linear(400, 20), nn.Linear(400, 20)

    def forward(self, x, noisy):
        h = F.relu(self.a(x))
        mean, log_variance = self.mean(h), self.variance(h)
        noise = torch.randn_like(mean) if noisy else torch.zeros_like(mean)
        y = self.d(F.relu(self.c(mean + (0.5 * log_variance).exp() * noise)))
        kl = -0.5 * (1 + log_variance - mean**2 - log_variance.exp()).sum()
        return F.binary_cross_entropy_with_logits(y, x, reduction="sum") + kl


# ---- what a row does ---------------------------------------------------------------------------------


def spread(*shape):
    n = math.prod(shape)
    return torch.frac(PHI * torch.arange(n, dtype=torch.float64)).float().view(shape)


def spread_ids(n, factor, start, below):
    return (factor * torch.arange(n) + start) % below


def set_weights(model):
    with torch.no_grad():
        for module in model.modules():
            for name, p in module.named_parameters(recurse=False):
                if p.dim() > 1:
                    p.copy_(0.1 * (spread(*p.shape) - 0.5))
                else:
                    p.fill_(1.0 if isinstance(module, nn.LayerNorm) and name == "weight" else 0.0)


def report(name, times, flops):
    median = statistics.median(times)
    rate = f"{flops / median / 1e9:.1f}" if flops else "-"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{name}\t{1e3 * median:.3f}\t{1e3 * min(times):.3f}\t{rate}\t{peak:.0f}", flush=True)


def compiled():
    return settings.mode == "compile"


def measure(name, step, flops=None):
    step()
    step()
    times, end = [], time.perf_counter() + settings.seconds
    while len(times) < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    report(name, times, flops)


def train(name, model, loss, flops=None):
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-4, fused=settings.mode != "eager")
    forward = torch.compile(loss) if compiled() else loss

    def step():
        optimiser.zero_grad(set_to_none=True)
        forward().backward()
        optimiser.step()

    if not settings.check:
        return measure(name, step, flops)
    set_weights(model)
    first = loss().item()
    for _ in range(10):
        step()
    print(f"{name}\t{first:.6f}\t{loss().item():.6f}", flush=True)


# ---- rows ------------------------------------------------------------------------------------------


def sizes_in(name):
    """train_tiny_V64_T32: {"V": 64, "T": 32}."""
    return {key: int(number) for key, number in re.findall(r"_([A-Za-z])(\d+)", name)}


def numbers_in(name):
    """gemm_512x256x1024: [512, 256, 1024]."""
    return [int(n) for n in name.split("_")[-1].split("x")]


def maybe_compiled(function):
    return torch.compile(function) if compiled() else function


def product(name):
    size = numbers_in(name)
    *batch, m, k, n = size if len(size) > 1 else 3 * size
    a, b = torch.randn(*batch, m, k), torch.randn(*batch, k, n)
    measure(name, lambda: a @ b, 2 * a.numel() * n)


def on_rows(function):
    def run(name):
        rows, n = numbers_in(name)
        x, gain, bias = torch.randn(rows, n), torch.randn(n), torch.randn(n)
        forward = maybe_compiled(function)
        measure(name, lambda: forward(x, gain, bias))

    return run


def backward_step(name, loss, operands, flops=None):
    def step():
        for x in operands:
            x.grad = None
        loss(*operands).backward()

    measure(name, step, flops)


def cross_entropy(name):
    rows, n = numbers_in(name)
    targets = torch.randint(0, n, (rows,))
    backward_step(name, maybe_compiled(lambda x: F.cross_entropy(x, targets)), [torch.randn(rows, n, requires_grad=True)])


def attention(name):
    T = sizes_in(name)["T"]
    total = maybe_compiled(lambda q, k, v: attend(q, k, v, is_causal=True).sum())
    backward_step(name, total, [torch.randn(1, 4, T, 64, requires_grad=True) for _ in range(3)], 3.5 * 4 * 4 * T * T * 64 / 2)


def language_model(name):
    V, T, C, H, L, B = (sizes_in(name)[key] for key in "VTdhLB")
    model, causal = LanguageModel(V, T, C, H, L), "bert" not in name
    ids = spread_ids(B * T, 7919, 13, V).view(B, T)
    goals = spread_ids(B * T, 104729, 7, V)
    numbers = sum(p.numel() for p in model.parameters()) - T * C  # those of positions are only added
    flops = 6 * B * T * numbers + (6 if causal else 12) * L * B * T * T * C
    train(name, model, lambda: F.cross_entropy(model(ids, causal).view(-1, V), goals), flops)


def vision_model(name):
    side, patch = map(int, re.search(r"_(\d+)p(\d+)_", name).groups())
    C, H, L, B = (sizes_in(name)[key] for key in "dhLB")
    colours = 1 if side == 28 else 3
    model, images = VisionModel(side, patch, colours, C, H, L), spread(B, colours, side, side)
    goals = spread_ids(B, 104729, 7, 10)
    train(name, model, lambda: F.cross_entropy(model(images), goals))


def autoencoder(name):
    model, x = Autoencoder(), spread(sizes_in(name)["B"], 784)
    train(name, model, lambda: model(x, not settings.check))


def mlp(name):
    B = sizes_in(name)["B"]
    model = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
    x, y = spread(B, 2), spread(B, 1)
    train(name, model, lambda: F.mse_loss(model(x), y))


def generate(name):
    model = LanguageModel(65, 256, 384, 6, 6).eval()  # the sizes of train_babygpt
    following = maybe_compiled(model.next)

    @torch.no_grad()
    def step():
        cache, ids = [None] * 6, torch.zeros(1, 1, dtype=torch.long)
        for place in range(255):
            ids = following(ids, place, cache)[:, -1].argmax(-1, keepdim=True)

    measure(name, step)


ALWAYS, WHERE_COMPILED, TRAINING = ("eager",), ("eager", "compile"), ("eager", "compile", "fused")
ROWS = {  # how a name begins: the modes that change the row, and its function
    "gemm_": (ALWAYS, product),
    "bmm_": (ALWAYS, product),
    "softmax_": (WHERE_COMPILED, on_rows(lambda x, gain, bias: x.softmax(-1))),
    "layernorm_": (WHERE_COMPILED, on_rows(lambda x, gain, bias: F.layer_norm(x, gain.shape, gain, bias))),
    "gelu_": (WHERE_COMPILED, on_rows(lambda x, gain, bias: F.gelu(x))),
    "crossentropy_": (WHERE_COMPILED, cross_entropy),
    "attention_": (WHERE_COMPILED, attention),
    "train_vit_": (TRAINING, vision_model),
    "train_vae_": (TRAINING, autoencoder),
    "train_mlp_": (TRAINING, mlp),
    "train_": (TRAINING, language_model),
    "generate_": (ALWAYS, generate),
}


def parse():
    p = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    p.add_argument("names", nargs="+")
    p.add_argument("--mode", default="eager", choices=TRAINING)
    p.add_argument("--threads", type=int, default=0)
    p.add_argument("--seconds", type=float, default=3)
    p.add_argument("--list", action="store_true")
    p.add_argument("--check", action="store_true")
    return p.parse_args()


settings = parse()
if settings.threads > 0:
    torch.set_num_threads(settings.threads)
torch.manual_seed(0)
found = {}
for name in settings.names:
    modes, run = next((row for begins, row in ROWS.items() if name.startswith(begins)), ((), None))
    if settings.mode in modes:
        found[name] = run
if settings.list:
    print("\n".join(found))
    raise SystemExit(0)
if not found:
    raise SystemExit(f"torch_bench.py: --mode {settings.mode}: found {' '.join(settings.names)}; expected a row that this mode changes")
if not settings.check:
    print("name\tmedian_ms\tmin_ms\tgflops\tpeak_rss_mb")
    report("import", [import_ms / 1e3], None)
for name, run in found.items():
    if not settings.check or name.startswith("train_"):
        run(name)
