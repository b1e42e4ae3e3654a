#!/usr/bin/env python3
"""The rows of ./gradus bench in PyTorch: the same names, sizes, losses and optimiser, on the CPU.

usage: torch_bench.py [--mode eager|fused|compile] [--only NAME,...] [--threads N] [--seconds S] [--list]
                      [--check] [--models DIR] [--size T,C,B]

--mode says how PyTorch runs:
  eager    float32, one kernel an op, as PyTorch does unasked
  fused    eager, with one kernel for all of Adam's update (fused=True)
  compile  torch.compile, with the fused Adam; compiling is not timed
A mode runs only those rows that it changes: gemm_1024 has no Adam, so that fused refuses it. --list names them.

One line a row, with tabs: name, median and least milliseconds of a step, GFLOP/s where they are counted,
peak memory of the process in MB. The first row, import, is the time of `import torch`. A step of a row
train_... is forward, backward and Adam. train_gpt2 runs only when it is named. --check prints the loss before and after ten steps from the weights and data that
train.c describes. The rows of pretrained models (torch_pretrained.py) run only when they are named, and need
--models DIR.
"""
import argparse
import math
import resource
import statistics
import time

began = time.perf_counter()
import torch
from torch import nn
from torch.nn import functional as F

import_ms = 1e3 * (time.perf_counter() - began)
PHI = 0.6180339887498949
fused_attention = getattr(F, "scaled_dot_product_attention", None)


def attend(q, k, v, causal):
    """softmax(q k^T / sqrt(d)) v; PyTorch 1 has no public function for it."""
    if fused_attention:
        return fused_attention(q, k, v, is_causal=causal)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if causal:
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(hidden, -math.inf)
    return scores.softmax(-1) @ v


# ---- models ----------------------------------------------------------------------------------------


class Attention(nn.Module):
    def __init__(self, channels, heads):
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(channels, 3 * channels)
        self.out = nn.Linear(channels, channels)

    def split(self, x):
        """(B, T, C) -> queries, keys, values, each (B, H, T, C/H)."""
        B, T, C = x.shape
        qkv = self.project(x).view(B, T, 3, self.heads, C // self.heads)
        return qkv.permute(2, 0, 3, 1, 4).unbind(0)

    def join(self, y):
        return self.out(y.transpose(1, 2).flatten(2))

    def forward(self, x, causal):
        return self.join(attend(*self.split(x), causal))


class Block(nn.Module):
    def __init__(self, channels, heads):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(channels), nn.LayerNorm(channels)
        self.attention = Attention(channels, heads)
        self.up, self.down = nn.Linear(channels, 4 * channels), nn.Linear(4 * channels, channels)

    def feed(self, x):
        return x + self.down(F.gelu(self.up(self.norm2(x))))

    def forward(self, x, causal):
        return self.feed(x + self.attention(self.norm1(x), causal))


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
            q, k, v = block.attention.split(block.norm1(x))
            if cache[l]:
                k, v = (torch.cat([old, new], 2) for old, new in zip(cache[l], (k, v)))
            cache[l] = (k, v)
            x = block.feed(x + block.attention.join(attend(q, k, v, False)))
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


def matmul(name, *shapes):
    a, b = (torch.randn(s) for s in shapes)
    measure(name, lambda: a @ b, 2 * a.numel() * b.shape[-1])


def maybe_compiled(function):
    return torch.compile(function) if compiled() else function


def on_rows(function):
    def run(name, rows, n):
        x, gain, bias = torch.randn(rows, n), torch.ones(n), torch.zeros(n)
        forward = maybe_compiled(function)
        measure(name, lambda: forward(x, gain, bias))

    return run


def cross_entropy(name, rows, n):
    logits, targets = torch.randn(rows, n, requires_grad=True), torch.randint(0, n, (rows,))
    loss = maybe_compiled(F.cross_entropy)

    def step():
        logits.grad = None
        loss(logits, targets).backward()

    measure(name, step)


def attention(name, T):
    operands = [torch.randn(1, 4, T, 64, requires_grad=True) for _ in range(3)]
    total = maybe_compiled(lambda q, k, v: attend(q, k, v, True).sum())

    def step():
        for x in operands:
            x.grad = None
        total(*operands).backward()

    measure(name, step, 3.5 * 4 * 4 * T * T * 64 / 2)


def language_model(name, V, T, C, H, L, B, causal):
    model = LanguageModel(V, T, C, H, L)
    ids = spread_ids(B * T, 7919, 13, V).view(B, T)
    goals = spread_ids(B * T, 104729, 7, V)
    numbers = sum(p.numel() for p in model.parameters())
    flops = 6 * B * T * numbers + (6 if causal else 12) * L * B * T * T * C
    train(name, model, lambda: F.cross_entropy(model(ids, causal).view(-1, V), goals), flops)


def vision_model(name, side, patch, colours, C, H, L, B):
    model, images = VisionModel(side, patch, colours, C, H, L), spread(B, colours, side, side)
    goals = spread_ids(B, 104729, 7, 10)
    train(name, model, lambda: F.cross_entropy(model(images), goals))


def autoencoder(name, B):
    model, x = Autoencoder(), spread(B, 784)
    train(name, model, lambda: model(x, not settings.check))


def mlp(name, B):
    model = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
    x, y = spread(B, 2), spread(B, 1)
    train(name, model, lambda: F.mse_loss(model(x), y))


def generate(name, V, T, C, H, L):
    model = LanguageModel(V, T, C, H, L).eval()
    following = maybe_compiled(model.next)

    @torch.no_grad()
    def step():
        cache, ids = [None] * L, torch.zeros(1, 1, dtype=torch.long)
        for place in range(T - 1):
            ids = following(ids, place, cache)[:, -1].argmax(-1, keepdim=True)

    measure(name, step)


def pretrained(name, kind, *sizes):
    import torch_pretrained

    getattr(torch_pretrained, kind)(name, settings, measure, *sizes)


softmax = on_rows(lambda x, gain, bias: x.softmax(-1))
layernorm = on_rows(lambda x, gain, bias: F.layer_norm(x, gain.shape, gain, bias))
gelu = on_rows(lambda x, gain, bias: F.gelu(x))
rows = [(f"gemm_{n}", matmul, (n, n), (n, n)) for n in (64, 128, 256, 512, 1024, 2048)] + [
    ("gemm_512x256x1024", matmul, (512, 256), (256, 1024)),
    ("bmm_64x64x32x64", matmul, (64, 64, 32), (64, 32, 64)),
    ("softmax_4096x256", softmax, 4096, 256),
    ("layernorm_4096x512", layernorm, 4096, 512),
    ("gelu_4096x512", gelu, 4096, 512),
    ("crossentropy_fwdbwd_4096x1024", cross_entropy, 4096, 1024),
    ("attention_causal_fwdbwd_T64", attention, 64),
    ("attention_causal_fwdbwd_T256", attention, 256),
    ("attention_causal_fwdbwd_T1024", attention, 1024),
    ("attention_causal_fwdbwd_T4096", attention, 4096),
    ("train_tiny_V64_T32_d64_h4_L2_B8", language_model, 64, 32, 64, 4, 2, 8, True),
    ("train_nanogptcpu_V65_T64_d128_h4_L4_B12", language_model, 65, 64, 128, 4, 4, 12, True),
    ("train_bertmini_V2048_T64_d256_h4_L4_B16", language_model, 2048, 64, 256, 4, 4, 16, False),
    ("train_babygpt_V65_T256_d384_h6_L6_B4", language_model, 65, 256, 384, 6, 6, 4, True),
    ("train_vit_28p7_d64_h4_L4_B64", vision_model, 28, 7, 1, 64, 4, 4, 64),
    ("train_vit_32p4_d192_h3_L6_B16", vision_model, 32, 4, 3, 192, 3, 6, 16),
    ("train_vae_784_400_20_B128", autoencoder, 128),
    ("train_mlp_2_16_1_B16", mlp, 16),
    ("generate_babygpt_255tok_kvcache", generate, 65, 256, 384, 6, 6),
    ("train_gpt2_124M_B4_T64", language_model, 50257, 64, 768, 12, 12, 4, True),
    ("train_grow", language_model),
    ("encode_minilm_B1_T16", pretrained, "encode", 1, 16),
    ("encode_minilm_B32_T128", pretrained, "encode", 32, 128),
    ("write_gpt2_256_64", pretrained, "write"),
    ("load_gpt2_124M", pretrained, "load"),
]


TRAINING = (language_model, vision_model, autoencoder, mlp)
COMPILED = TRAINING + (softmax, layernorm, gelu, cross_entropy, attention)
CHANGED = {  # the rows that a mode changes, by their functions
    "fused": TRAINING,
    "compile": COMPILED,
}


def parse():
    p = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    p.add_argument("--mode", default="eager", choices=["eager", *CHANGED])
    p.add_argument("--only", default="")
    p.add_argument("--threads", type=int, default=0)
    p.add_argument("--seconds", type=float, default=3)
    p.add_argument("--list", action="store_true")
    p.add_argument("--check", action="store_true")
    p.add_argument("--models", default="")
    p.add_argument("--size", default="64,128,1")
    return p.parse_args()


def chosen(name, run):
    if settings.mode != "eager" and run not in CHANGED[settings.mode]:
        return False
    return name.startswith(only) if only else True


settings = parse()
only = tuple(filter(None, settings.only.split(",")))
if settings.threads > 0:
    torch.set_num_threads(settings.threads)
torch.manual_seed(0)
found = [row for row in rows if chosen(*row[:2])]
if settings.list:
    print("\n".join(row[0] for row in found))
    raise SystemExit(0)
if not found:
    raise SystemExit(f"torch_bench.py: --mode {settings.mode} --only {settings.only}: found no such row; --list names them")
if not settings.check:
    print("name\tmedian_ms\tmin_ms\tgflops\tpeak_rss_mb")
    report("import", [import_ms / 1e3], None)
for name, run, *sizes in found:
    if only or not (name.startswith(("train_gpt2", "train_grow")) or run is pretrained):
        if name == "train_grow":
            T, C, B = map(int, settings.size.split(","))
            sizes = (65, T, C, 4, 2, B, True)
        if not settings.check or run is pretrained or run in TRAINING:
            run(name, *sizes)
