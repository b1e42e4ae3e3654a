#!/usr/bin/env python3
"""The edits of GPT-2 in golden/edits.tsv by the hooks of TransformerLens, and its names beside those of nn.h.

    pip install torch transformers 'transformer_lens<4'
    python3 tests/pretrained/lens_edits.py tests/golden

TransformerLens (Nanda and Bloom 2022) computes GPT-2 with code of its own, so that it is a second opinion on the lines that
make_edits.py made by hooks in transformers, and that tests/nn/test_edits.c compares with. Both in float64: sums of logits and
gradients agree to 1e-10 of the norm of what is summed, as there. Names and numbers are printed; the status is 1 where one differs."""
import os
import sys

import torch
import transformers as T
from safetensors.torch import load_file
from transformer_lens import HookedTransformer, HookedTransformerConfig
from transformer_lens.pretrained.weight_conversions import convert_gpt2_weights

sys.path.insert(0, os.path.dirname(__file__))
from make_edits import sums  # noqa: E402
from make_models import make_double  # noqa: E402

NAMES = {"mid": "hook_resid_mid", "out": "hook_resid_post", "attn.q": "attn.hook_q", "attn.k": "attn.hook_k",
         "attn.v": "attn.hook_v", "attn.scores": "attn.hook_attn_scores", "attn.A": "attn.hook_pattern", "attn.heads": "attn.hook_z",
         "ff.hidden": "mlp.hook_post"}
BY_POSITION = ("hook_q", "hook_k", "hook_v", "hook_z")  # (B, T, H, d) where gradus has (B, H, T, d)


def hooked(folder):
    """The model of golden/pretrained/gpt2 as TransformerLens computes it, in float64."""
    gpt2 = T.GPT2LMHeadModel.from_pretrained(folder)
    gpt2 = make_double(gpt2, gpt2.config)
    c = gpt2.config
    cfg = HookedTransformerConfig(
        n_layers=c.n_layer, d_model=c.n_embd, n_heads=c.n_head, d_head=c.n_embd // c.n_head, d_mlp=c.n_inner or 4 * c.n_embd,
        n_ctx=c.n_positions, d_vocab=c.vocab_size, act_fn=c.activation_function, eps=c.layer_norm_epsilon, normalization_type="LN",
        original_architecture="GPT2LMHeadModel", dtype=torch.float64, device="cpu", default_prepend_bos=False)
    model = HookedTransformer(cfg)
    model.load_and_process_state_dict(convert_gpt2_weights(gpt2, cfg), fold_ln=False, center_writing_weights=False,
                                      center_unembed=False, fold_value_biases=False)
    return model


def hook_of(name):
    """blocks.0.attn.q -> blocks.0.attn.hook_q; position, GPT-2's embedding -> what goes into block 0"""
    if name == "position":
        return "blocks.0.hook_resid_pre"
    block, layer, part = name.split(".", 2)
    return f"{block}.{layer}.{NAMES[part]}"


def edited(kind, limits, number, other, by_position):
    def hook(x, hook):
        x = x.transpose(1, 2) if by_position else x
        mask = torch.ones_like(x, dtype=torch.bool)
        for axis, (begin, end) in enumerate(limits):
            if end:
                inside = (torch.arange(x.shape[axis]) >= begin) & (torch.arange(x.shape[axis]) < end)
                mask = mask & inside.reshape([-1 if a == axis else 1 for a in range(x.dim())])
        y = {"zero": lambda: 0 * x, "mean": lambda: x.mean(int(number), keepdim=True), "scale": lambda: number * x,
             "add": lambda: x + torch.sin(torch.arange(1, x.shape[-1] + 1).to(x.dtype)),
             "patch": lambda: other[hook.name].transpose(1, 2) if by_position else other[hook.name]}[kind]()
        y = torch.where(mask, y.expand_as(x), x)
        return y.transpose(1, 2) if by_position else y
    return hook


def main():
    golden = sys.argv[1]
    model = hooked(os.path.join(golden, "pretrained", "gpt2"))
    x = load_file(os.path.join(golden, "pretrained", "gpt2", "expected.safetensors"))
    ids, lengths = x["ids"].long(), x["lengths"].long()
    keep = (torch.arange(ids.shape[1])[None, :] < lengths[:, None]).long()
    # TransformerLens gives padding no position; transformers and gradus do.
    model.add_perma_hook("hook_pos_embed", lambda x, hook: model.W_pos[:ids.shape[1]].expand_as(x))
    _, other = model.run_with_cache(model.cfg.d_vocab - 1 - ids, attention_mask=keep)
    wrong = 0
    for line in open(os.path.join(golden, "edits.tsv"), encoding="utf-8"):
        folder, name, kind, *rest = line.split()
        if folder != "gpt2":
            continue
        limits, number = [(int(rest[2 * a]), int(rest[2 * a + 1])) for a in range(4)], float(rest[8])
        at = hook_of(name)
        model.zero_grad()
        y = model.run_with_hooks(ids, attention_mask=keep, fwd_hooks=[
            (at, edited(kind, limits, number, other, at.endswith(BY_POSITION)))])
        (y * torch.cos(torch.arange(y.numel(), dtype=torch.float64).reshape(y.shape))).sum().backward()
        gradient = model.W_E.grad + model.W_U.grad.T  # the weight is tied
        off = max(abs(a - float(b)) / t.norm().item() for t, w in ((y.detach(), rest[9:13]), (gradient, rest[13:17]))
                  for a, b in zip(sums(t), w, strict=True))
        wrong += not off < 1e-10
        print(f"{'ok' if off < 1e-10 else 'not ok'} - {kind:5} {name:22} = {at:32} off by {off:.1e}")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
