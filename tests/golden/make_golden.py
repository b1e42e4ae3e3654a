#!/usr/bin/python3
"""Makes the oracle's numbers with PyTorch: what tests/autograd/test_golden.c compares gradus with.

    meson compile -C build list-samples
    /usr/bin/python3 tests/golden/make_golden.py build/tests/list-samples

writes, beside this script (Debian: apt-get install python3-torch; run by hand, never by the tests):

    ops.safetensors        y and gradients of every op on every sample that list-samples prints
    attention.safetensors  torch.nn.MultiheadAttention: self, causal, padded, cross
    encoder.safetensors    the weights of a small encoder
    training.safetensors   its outputs, gradients, and losses under four optimisers
    modules.safetensors    decoder layers, recurrent layers, RMSNorm, additive attention, schedules

Everything here is written from the definitions (autograd.h, nn.h), never from gradus' code, and computed in
float32 (see make_ops for the exception). Operands follow the formula in tests/autograd/samples.h.
"""
import math
import os
import subprocess
import sys

import torch

from definitions import grouped, kept, masked_softmax, operand, rotary, upstream, write

# ---- ops ---------------------------------------------------------------------------------------------


def shapes_of(text):
    return [None if s == "-" else [int(n) for n in s.strip("()").split(",") if n] for s in text.split()]


def evaluate(line, dtype):
    """y and the gradients of one sample, computed in this type; None where the oracle cannot know."""
    op, index, label, oracle, low, high, ids_below, args, shapes, ids, constant = line.split("\t")
    given = [
        None if s is None
        else operand(k, s, int(ids) >> k & 1, int(constant) >> k & 1, float(low), float(high), int(ids_below), dtype)
        for k, s in enumerate(shapes_of(shapes))
    ]
    names = dict(zip("abcde", given + [None] * 5))
    for i, text in enumerate(args.split(",")):
        n = float(text)
        names[f"n{i}"] = int(n) if n == int(n) else n  # axes and ids are whole numbers
    y = eval(oracle, {"torch": torch, "math": math, "kept": kept, "masked_softmax": masked_softmax, "rotary": rotary, "grouped": grouped}, names)
    if y is None:
        return None
    y.backward(upstream(y.shape).to(dtype))
    results = {"y": y.detach()}
    for k, x in enumerate(given):
        if x is not None and x.requires_grad:
            results[f"grad{k}"] = torch.zeros_like(x) if x.grad is None else x.grad
    return results


def make_ops(program):
    """In float32. Where that is itself further from float64 than the tests allow, float64's word counts:
    LayerNorm over one channel divides a rounding error by sqrt(epsilon)."""
    tensors, skipped = {}, {}
    for line in subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines():
        name = ".".join(line.split("\t")[:2])
        single, double = evaluate(line, torch.float32), evaluate(line, torch.float64)
        if single is None:
            skipped[name] = "no oracle"
            continue
        for key, x in single.items():
            exact = double[key].float()
            if not torch.allclose(x, exact, rtol=1.3e-6, atol=1e-5, equal_nan=True):
                print(f"{name}.{key}: float32 is {(x - exact).abs().max():.3g} from float64, which is stored")
                x = exact
            tensors[f"{name}.{key}"] = x
    print(f"{len(skipped)} samples without an oracle")
    write("ops.safetensors", tensors, skipped)


# ---- torch.nn.MultiheadAttention ------------------------------------------------------------------------


def random_like(module, deviation=0.5):
    """PyTorch's own start has zero biases and unit gains, under which mistakes hide."""
    with torch.no_grad():
        for w in module.parameters():
            w.copy_(torch.randn_like(w) * deviation + (1 if w.dim() == 1 and w.mean() == 1 else 0))


def attention_case(tensors, name, layer, x, memory, **masks):
    """Outputs, each head's A, and the gradients of the sum weighted by upstream()."""
    layer.zero_grad()
    x = x.clone().requires_grad_()
    memory = None if memory is None else memory.clone().requires_grad_()
    source = x if memory is None else memory
    y, A = layer(x, source, source, need_weights=True, average_attn_weights=False, **masks)
    y.backward(upstream(y.shape))
    tensors[f"{name}.y"], tensors[f"{name}.A"], tensors[f"{name}.grad.x"] = y, A, x.grad
    if memory is not None:
        tensors[f"{name}.grad.memory"] = memory.grad
    for key, w in layer.named_parameters():
        tensors[f"{name}.grad.{key}"] = w.grad.clone()


def make_attention():
    torch.manual_seed(11)
    B, T, S, C, H = 2, 5, 7, 12, 3
    layer = torch.nn.MultiheadAttention(C, H, batch_first=True)
    random_like(layer)
    x, memory = torch.randn(B, T, C), torch.randn(B, S, C)
    tensors = {f"weight.{k}": w for k, w in layer.named_parameters()}
    tensors.update({"x": x, "memory": memory})
    causal = torch.ones(T, T, dtype=torch.bool).triu(1)  # PyTorch's masks say what is hidden
    padded = torch.arange(T).reshape(1, T) >= torch.tensor([[5], [3]])
    memory_padded = torch.arange(S).reshape(1, S) >= torch.tensor([[2], [6]])
    attention_case(tensors, "self", layer, x, None)
    attention_case(tensors, "causal", layer, x, None, attn_mask=causal)
    attention_case(tensors, "padded", layer, x, None, key_padding_mask=padded)
    attention_case(tensors, "cross", layer, x, memory)
    attention_case(tensors, "cross_padded", layer, x, memory, key_padding_mask=memory_padded)
    write("attention.safetensors", tensors)


# ---- an encoder, and its training -------------------------------------------------------------------------

V, B, T, C, H, FF, LAYERS, IGNORE = 11, 3, 6, 16, 4, 32, 2, -100
LENGTHS = torch.tensor([6, 4, 5])
IDS = (torch.arange(B * T) * 7 + 3).remainder(V).reshape(B, T)
TARGETS = (torch.arange(B * T) * 5 + 2).remainder(V).reshape(B, T)
TARGETS = TARGETS.masked_fill(torch.arange(T).reshape(1, T) >= LENGTHS.reshape(B, 1), IGNORE)


class Encoder(torch.nn.Module):
    def __init__(self, norm_first):
        super().__init__()
        self.embedding = torch.nn.Embedding(V, C)
        self.blocks = torch.nn.ModuleList(
            torch.nn.TransformerEncoderLayer(
                C, H, FF, dropout=0, activation="gelu", batch_first=True, norm_first=norm_first
            )
            for _ in range(LAYERS)
        )
        self.norm = torch.nn.LayerNorm(C)
        self.head = torch.nn.Linear(C, V)
        t, i = torch.arange(T, dtype=torch.float64).reshape(T, 1), torch.arange(0, C, 2, dtype=torch.float64)
        angle = t / 10000 ** (i / C)
        self.position = torch.stack((angle.sin(), angle.cos()), -1).reshape(T, C).float()

    def forward(self, ids):
        x = self.embedding(ids) + self.position
        hidden = torch.arange(T).reshape(1, T) >= LENGTHS.reshape(B, 1)
        for block in self.blocks:
            x = block(x, src_key_padding_mask=hidden)
        return self.head(self.norm(x))


def loss_of(model):
    return torch.nn.functional.cross_entropy(model(IDS).reshape(-1, V), TARGETS.reshape(-1), ignore_index=IGNORE)


def renamed(key):
    return key.replace("self_attn", "attn").replace("linear1", "ff.up").replace("linear2", "ff.down")


OPTIMISERS = {
    "adam": lambda w: torch.optim.Adam(w, lr=1e-2),
    "adam_l2": lambda w: torch.optim.Adam(w, lr=1e-2, weight_decay=0.01),
    "adamw": lambda w: torch.optim.AdamW(w, lr=1e-2, weight_decay=0.01),
    "sgd": lambda w: torch.optim.SGD(w, lr=0.05, momentum=0.9),
    "sgd_decay": lambda w: torch.optim.SGD(w, lr=0.05, momentum=0.9, weight_decay=0.01),
}


def train(weights, norm_first, optimiser, clip):
    """The losses before each of ten steps and after the last, and the logits then."""
    model = Encoder(norm_first)
    model.load_state_dict(weights)
    steps, losses = optimiser(model.parameters()), []
    for _ in range(10):
        steps.zero_grad()
        loss = loss_of(model)
        losses.append(loss.item())
        loss.backward()
        if clip:
            torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        steps.step()
    losses.append(loss_of(model).item())
    return torch.tensor(losses), model(IDS)


def make_encoder():
    torch.manual_seed(12)
    model = Encoder(True)
    random_like(model, 0.3)
    weights = {k: w.detach().clone() for k, w in model.state_dict().items()}
    write("encoder.safetensors", {renamed(k): w for k, w in weights.items()})
    tensors = {"lengths": LENGTHS, "ids": IDS, "targets": TARGETS}
    for name, norm_first in (("pre", True), ("post", False)):
        model = Encoder(norm_first)
        model.load_state_dict(weights)
        logits, loss = model(IDS), loss_of(model)
        loss.backward()
        tensors[f"{name}.logits"], tensors[f"{name}.loss"] = logits, loss
        for key, w in model.named_parameters():
            tensors[f"{name}.grad.{renamed(key)}"] = w.grad.clone()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        tensors[f"{name}.norm"] = norm
        tensors[f"{name}.clipped"] = model.head.weight.grad
        for kind, optimiser in OPTIMISERS.items():
            tensors[f"{name}.{kind}.losses"], tensors[f"{name}.{kind}.logits"] = train(
                weights, norm_first, optimiser, None
            )
        tensors[f"{name}.clip.losses"], tensors[f"{name}.clip.logits"] = train(
            weights, norm_first, OPTIMISERS["sgd"], 0.1
        )
    write("training.safetensors", tensors)


# ---- further modules ----------------------------------------------------------------------------------------


def note_gradients(tensors, name, y, leaves):
    """The gradients of the sum of all y, each weighted by upstream(), with respect to the leaves."""
    loss = sum((part * upstream(part.shape)).sum() for part in y)
    keys = list(leaves)
    for key, grad in zip(keys, torch.autograd.grad(loss, [leaves[k] for k in keys])):
        tensors[f"{name}.grad.{key}"] = grad


def make_decoders(tensors):
    """torch.nn.TransformerDecoderLayer; the names of its weights are ours but for these."""
    B, T, S, C, H, FF = 2, 4, 5, 12, 3, 20
    ours = {"multihead_attn": "cross_attn", "linear1": "ff.up", "linear2": "ff.down"}
    x, memory = torch.randn(B, T, C), torch.randn(B, S, C)
    tensors["decoder.x"], tensors["decoder.memory"] = x, memory
    causal = torch.ones(T, T, dtype=torch.bool).triu(1)
    padded = torch.arange(T).reshape(1, T) >= torch.tensor([[4], [3]])
    memory_padded = torch.arange(S).reshape(1, S) >= torch.tensor([[3], [5]])
    weights = None
    for name, norm_first in (("pre", True), ("post", False)):
        layer = torch.nn.TransformerDecoderLayer(
            C, H, FF, dropout=0, activation="gelu", batch_first=True, norm_first=norm_first
        )
        if weights is None:
            random_like(layer, 0.3)
            weights = layer.state_dict()
        layer.load_state_dict(weights)
        leaves = {"x": x.clone().requires_grad_(), "memory": memory.clone().requires_grad_()}
        y = layer(
            leaves["x"], leaves["memory"], tgt_mask=causal, tgt_key_padding_mask=padded,
            memory_key_padding_mask=memory_padded,
        )
        for key, w in layer.named_parameters():
            for theirs, name_here in ours.items():
                key = key.replace(theirs, name_here)
            leaves[key] = w
            tensors[f"decoder.{key}"] = w
        tensors[f"decoder.{name}.y"] = y
        note_gradients(tensors, f"decoder.{name}", [y], leaves)


def make_recurrent(tensors):
    B, T, IN, C, LAYERS = 3, 6, 5, 4, 2
    tensors["rnn.x"] = torch.randn(B, T, IN)
    tensors["rnn.h"], tensors["rnn.c"] = torch.randn(LAYERS, B, C), torch.randn(LAYERS, B, C)
    for name, kind in (("tanh", torch.nn.RNN), ("lstm", torch.nn.LSTM), ("gru", torch.nn.GRU)):
        layer = kind(IN, C, LAYERS, batch_first=True)
        random_like(layer)
        parts = ("x", "h", "c") if name == "lstm" else ("x", "h")
        leaves = {k: tensors[f"rnn.{k}"].clone().requires_grad_() for k in parts}
        state = (leaves["h"], leaves["c"]) if name == "lstm" else leaves["h"]
        y, last = layer(leaves["x"], state)
        last = last if name == "lstm" else (last,)
        for part, t in zip(("y", "h", "c"), (y, *last)):
            tensors[f"rnn.{name}.{part}"] = t
        tensors[f"rnn.{name}.from_zeros"] = layer(leaves["x"])[0]
        for key, w in layer.named_parameters():
            leaves[key] = w
            tensors[f"rnn.{name}.{key}"] = w
        note_gradients(tensors, f"rnn.{name}", [y, *last], leaves)


def make_norm_and_additive(tensors):
    """By hand: PyTorch 1.13 has neither."""
    B, T, S, CQ, CK, N = 2, 3, 4, 6, 5, 7
    leaves = {"x": torch.randn(B, T, CQ, requires_grad=True), "weight": torch.randn(CQ, requires_grad=True)}
    x = leaves["x"]
    y = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * leaves["weight"]
    tensors["rmsnorm.y"] = y
    tensors.update({f"rmsnorm.{k}": t for k, t in leaves.items()})
    note_gradients(tensors, "rmsnorm", [y], leaves)

    shapes = {"query": (B, T, CQ), "keys": (B, S, CK)}
    shapes.update({"query.weight": (N, CQ), "key.weight": (N, CK), "score.weight": (1, N)})
    leaves = {k: torch.randn(shape, requires_grad=True) for k, shape in shapes.items()}
    q = leaves["query"] @ leaves["query.weight"].T
    k = leaves["keys"] @ leaves["key.weight"].T
    scores = (torch.tanh(q.unsqueeze(2) + k.unsqueeze(1)) @ leaves["score.weight"].T).squeeze(-1)
    A = masked_softmax(scores, kept((B, T, S), lengths=torch.tensor([3, 4])))
    context = A @ leaves["keys"]
    tensors.update({f"additive.{k}": t for k, t in leaves.items()})
    tensors["additive.A"], tensors["additive.y"] = A, context
    note_gradients(tensors, "additive", [context], leaves)


def make_schedules(tensors):
    for total in (2, 10, 100, 101):
        w = torch.nn.Parameter(torch.zeros(1))
        optimiser, rates = torch.optim.SGD([w], lr=1), []
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, max_lr=0.5, total_steps=total)
        for _ in range(total):
            rates.append(optimiser.param_groups[0]["lr"])
            optimiser.step()
            if len(rates) < total:
                schedule.step()
        tensors[f"one_cycle.{total}"] = torch.tensor(rates, dtype=torch.float64)


def make_modules():
    torch.manual_seed(13)
    tensors = {}
    make_decoders(tensors)
    make_recurrent(tensors)
    make_norm_and_additive(tensors)
    make_schedules(tensors)
    write("modules.safetensors", tensors)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: make_golden.py PROGRAM, where PROGRAM is the built tests/autograd/list_samples.c")
    torch.set_num_threads(1)
    make_ops(os.path.abspath(sys.argv[1]))
    make_attention()
    make_encoder()
    make_modules()
