#!/usr/bin/env python3
"""60 edits of five models, by hooks in transformers: golden/edits.tsv, for tests/nn/test_edits.c.

    pip install torch transformers
    python3 tests/pretrained/make_edits.py tests/golden

The models are those of golden/pretrained, their inputs those of expected.safetensors. In float64, each edit replaces one
tensor, named as nn.h names it, before it is used. A line has the edit and eight numbers: the sums of the logits, and of the
gradient of the input's weight, times cos((k + 1) (index + 1)), k = 0 to 3. The loss is sum(logits cos(index)). EDIT_ADD adds
sin(1), sin(2), ... along the last axis; EDIT_PATCH takes the tensor from a run on the other input, V - 1 - id or -pixel.
"""
import importlib
import os
import sys

import torch
import transformers as T
from safetensors.torch import load_file

sys.path.insert(0, os.path.dirname(__file__))
from make_models import make_double  # noqa: E402

MODELS = [  # folder, class, module, path of a layer, parts: attention output, down projection, input weight
    ("bert-words", T.BertForMaskedLM, "bert", "bert.encoder.layer.", "attention.output", "output.dense",
     "bert.embeddings.word_embeddings"),
    ("gpt2", T.GPT2LMHeadModel, "gpt2", "transformer.h.", "attn.c_proj", "mlp.c_proj", "transformer.wte"),
    ("vit-classes", T.ViTForImageClassification, "vit", "vit.layers.", "attention.o_proj", "mlp.fc2", None),
    ("deit-teacher", T.DeiTForImageClassificationWithTeacher, "deit", "deit.layers.", "attention.o_proj", "mlp.fc2", None),
    ("llama", T.LlamaForCausalLM, "llama", "model.layers.", "self_attn.o_proj", "mlp.down_proj", "model.embed_tokens"),
]
FIRST = {"bert-words": "embedding_norm", "gpt2": "position", "llama": "words"}  # the embedding; else "embedded"
EDITS = [  # name, kind, {axis: (begin, end)}, axis of the mean or factor; head -1: the last
    ("embedding", "zero", {1: (1, 2)}, 0), ("blocks.0.out", "patch", {1: (2, 3)}, 0),
    ("blocks.0.mid", "scale", {2: (0, 2)}, -0.5), ("blocks.0.out", "add", {1: (1, 3)}, 0),
    ("blocks.0.attn.q", "zero", {1: (-1, 0), 2: (1, 5)}, 0), ("blocks.1.attn.k", "mean", {1: (-1, 0)}, 2),
    ("blocks.1.attn.v", "patch", {3: (0, 1)}, 0), ("blocks.0.attn.A", "zero", {2: (3, 4), 3: (1, 2)}, 0),
    ("blocks.1.attn.A", "mean", {}, 2), ("blocks.1.attn.scores", "scale", {1: (-1, 0)}, 3),
    ("blocks.0.attn.heads", "patch", {1: (-1, 0)}, 0), ("blocks.1.ff.hidden", "mean", {2: (1, 6)}, 0),
]


class Edited:
    """The model with hooks at every name; `edit` is applied at its name, `seen` collects all."""

    def __init__(self, model, module, layer, output, down):
        self.edit, self.seen, self.other, self.calls, self.softmaxes = None, {}, None, 0, 0
        self.stream = {}
        code = importlib.import_module(f"transformers.models.{module}.modeling_{module}")
        eager, softmax = code.eager_attention_forward, torch.nn.functional.softmax

        def attention(module, q, k, v, mask, **more):
            i, self.calls = self.calls, self.calls + 1
            q, k, v = (self.at(f"blocks.{i}.attn.{n}", x) for n, x in zip("qkv", (q, k, v)))
            y, weights = eager(module, q, k, v, mask, **more)
            return self.at(f"blocks.{i}.attn.heads", y.transpose(1, 2)).transpose(1, 2), weights

        def edited_softmax(x, dim=None, dtype=None, **more):
            i, self.softmaxes = self.softmaxes, self.softmaxes + 1
            x = torch.where(x < -1e30, x, self.at(f"blocks.{i}.attn.scores", x))
            return self.at(f"blocks.{i}.attn.A", softmax(x, dim, **more))

        code.eager_attention_forward = attention
        torch.nn.functional.softmax = edited_softmax
        parts = dict(model.named_modules())
        for i in range(2):
            self.hook(parts, f"{layer}{i}", i, output, down, post_norm=module == "bert")
        self.model = model

    def hook(self, parts, path, i, output, down, post_norm):
        def begin(_, args):
            self.stream[i] = args[0] if i else self.at("embedding", args[0])
            return (self.stream[i],) + args[1:]

        def middle(_, args, y):
            x = 0 if post_norm else self.stream[i]
            return self.at(f"blocks.{i}.mid", y + x) - x

        def end(_, args, y):
            whole = isinstance(y, tuple)
            out = self.at(f"blocks.{i}.out", y[0] if whole else y)
            return (out,) + y[1:] if whole else out

        parts[path].register_forward_pre_hook(begin)
        parts[path].register_forward_hook(end)
        parts[f"{path}.{output}"].register_forward_hook(middle)
        parts[f"{path}.{down}"].register_forward_pre_hook(lambda _, args: (self.at(f"blocks.{i}.ff.hidden", args[0]),))

    def at(self, name, x):
        self.seen[name] = x.detach()
        if not self.edit or self.edit[0] != name:
            return x
        _, kind, parts, number = self.edit
        mask = torch.ones_like(x)
        for axis, (begin, end) in parts.items():
            inside = torch.zeros(x.shape[axis], dtype=x.dtype)
            inside[begin:end] = 1
            mask = mask * inside.reshape([-1 if a == axis else 1 for a in range(x.dim())])
        if kind == "mean":
            y = x.mean(number, keepdim=True)
        else:
            y = {"zero": lambda: 0 * x, "scale": lambda: number * x, "patch": lambda: self.other[name],
                 "add": lambda: x + torch.sin(torch.arange(1, x.shape[-1] + 1).to(x.dtype))}[kind]()
        return mask * y + (1 - mask) * x

    def run(self, call, edit=None):
        self.edit, self.seen, self.calls, self.softmaxes = edit, {}, 0, 0
        return self.model(**call).logits


def sums(x):
    n = torch.arange(1, x.numel() + 1, dtype=torch.float64)
    return [float((x.reshape(-1) * torch.cos((k + 1) * n)).sum()) for k in range(4)]


def call_of(x, other):
    if "pixels" in x:
        return {"pixel_values": -x["pixels"] if other else x["pixels"]}
    ids, lengths = x["ids"].long(), x["lengths"].long()
    keep = torch.arange(ids.shape[1])[None, :] < lengths[:, None]
    call = {"input_ids": other - 1 - ids if other else ids, "attention_mask": keep.long()}
    if "types" in x:
        call["token_type_ids"] = x["types"].long()
    return call


def lines(folder, name, kind, module, layer, output, down, weight):
    model = kind.from_pretrained(os.path.join(folder, "pretrained", name), attn_implementation="eager")
    model = make_double(model, model.config)
    heads = model.config.num_attention_heads
    edited = Edited(model, module, layer, output, down)
    inputs = load_file(os.path.join(folder, "pretrained", name, "expected.safetensors"))
    w = [p for n, p in model.named_parameters() if n == f"{weight}.weight" or (not weight and n.endswith("projection.weight"))][0]
    with torch.no_grad():
        edited.run(call_of(inputs, getattr(model.config, "vocab_size", 1)))
        edited.other = edited.seen
        plain = edited.run(call_of(inputs, 0))
        assert (plain - inputs["logits"]).abs().max() < 1e-12, name
    for where, what, parts, number in EDITS:
        all_heads = model.config.num_key_value_heads if module == "llama" and where[-1] in "kv" else heads
        parts = {a: ((all_heads - 1, all_heads) if part == (-1, 0) else part) for a, part in parts.items()}
        model.zero_grad()
        y = edited.run(call_of(inputs, 0), (where, what, parts, number))
        assert (y - plain).abs().max() > 1e-4, (name, where)
        (y * torch.cos(torch.arange(y.numel(), dtype=torch.float64).reshape(y.shape))).sum().backward()
        limits = [f"{n}" for a in range(4) for n in parts.get(a, (0, 0))]
        shown = FIRST.get(name, "embedded") if where == "embedding" else where
        yield "\t".join([name, shown, what, *limits, f"{number}"] + [f"{s:.15g}" for s in sums(y.detach()) + sums(w.grad)])


def main():
    with open(os.path.join(sys.argv[1], "edits.tsv"), "w") as f:
        for m in MODELS:
            softmax = torch.nn.functional.softmax
            for line in lines(sys.argv[1], *m):
                f.write(line + "\n")
            torch.nn.functional.softmax = softmax


if __name__ == "__main__":
    main()
