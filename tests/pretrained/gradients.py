#!/usr/bin/env python3
"""dL/dA of the example pretrained with --gradients, against transformers, for models that are really used.

    pip install torch transformers
    python3 tests/pretrained/gradients.py build/example-pretrained MODEL...

A MODEL is the folder of a GPT-2 (L: the mean cross-entropy of the next tokens) or of a sentence encoder, such as MiniLM (L: minus
the cosine similarity of two texts). Both sides compute in float32: a sum of n products is off by about sqrt(n) 2^-24 of its terms,
which are some ten thousand in all on the way through 12 layers. The bound is 3e-5 of the largest gradient, that of
tests/nn/test_pretrained.c."""
import os
import subprocess
import sys
import tempfile

import numpy as np
import torch
import transformers as T

TEXTS = ["The animal didn't cross the street because it was too tired.", "The animal didn't cross the street because it was too wide."]


def expected(folder):
    """L, and of the first text the maps of all layers with their gradients."""
    tokens = T.PreTrainedTokenizerFast(tokenizer_file=os.path.join(folder, "tokenizer.json"))
    if T.AutoConfig.from_pretrained(folder).model_type == "gpt2":
        ids = tokens(TEXTS[0], return_tensors="pt").input_ids
        y = T.GPT2LMHeadModel.from_pretrained(folder, attn_implementation="eager").eval()(
            input_ids=ids, labels=ids, output_attentions=True)
        loss, maps = y.loss, y.attentions
    else:
        model = T.AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
        both = [model(input_ids=tokens(text, return_tensors="pt").input_ids, output_attentions=True) for text in TEXTS]
        loss = -torch.nn.functional.cosine_similarity(*[y.last_hidden_state.mean(1)[0] for y in both], dim=0)
        maps = both[0].attentions
    for a in maps:
        a.retain_grad()
    loss.backward()
    return loss.item(), torch.stack([a.detach()[0] for a in maps]).numpy(), torch.stack([a.grad[0] for a in maps]).numpy()


def main():
    failures = 0
    for folder in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as out:
            texts = [option for text in TEXTS for option in ("--text", text)]
            subprocess.run([sys.argv[1], "--model", folder, "--gradients", "--quiet", "--tokens", "1", "--out", out, *texts], check=True,
                           stdout=subprocess.DEVNULL)
            weights, gradients = (np.load(f"{out}/attention-grid{end}.npy") for end in ("", "-gradient"))
        loss, want, slope = expected(folder)
        off = [float(abs(a - b).max() / abs(b).max()) for a, b in ((weights, want), (gradients, slope))]
        failures += max(off) > 3e-5
        print(f"{'not ok' if max(off) > 3e-5 else 'ok'} - {folder}: L {loss:.4f}, {len(want)} layers; off, of the largest: A {off[0]:.1e}, "
              f"dL/dA {off[1]:.1e}")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
