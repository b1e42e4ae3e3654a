"""A language model of PyTorch's own modules, under the names that gradus gives: the other side of test_torch.c.

    python3 torch_weights.py FOLDER

reads FOLDER/ids.npy (B, T) and FOLDER/ours.safetensors, loads the weights with strict=True, and writes the
outputs to FOLDER/ours.npy. Then it makes weights of its own, writes them to FOLDER/theirs.safetensors and
their outputs to FOLDER/theirs.npy. The container is read and written here with json and numpy alone.
Ends with 77 where there is no torch or numpy.
"""
import json
import os
import struct
import sys

try:
    import numpy as np
    import torch
    from torch import nn
except ImportError:
    sys.exit(77)

TYPES = {"F32": np.float32, "F64": np.float64}


def read(path):
    with open(path, "rb") as f:
        raw = f.read()
    (length,) = struct.unpack("<Q", raw[:8])
    header, data = json.loads(raw[8 : 8 + length]), raw[8 + length :]
    header.pop("__metadata__", None)
    return {
        name: torch.from_numpy(
            np.frombuffer(data[slice(*t["data_offsets"])], TYPES[t["dtype"]]).reshape(t["shape"]).copy()
        )
        for name, t in header.items()
    }


def write(path, tensors):
    header, data = {}, b""
    names = {np.dtype(kind): name for name, kind in TYPES.items()}
    for name, t in tensors.items():
        numbers = np.ascontiguousarray(t.detach().numpy())
        begin, data = len(data), data + numbers.tobytes()
        header[name] = {
            "dtype": names[numbers.dtype],
            "shape": list(numbers.shape),
            "data_offsets": [begin, len(data)],
        }
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


class FeedForward(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.up = nn.Linear(channels, 4 * channels)
        self.down = nn.Linear(4 * channels, channels)

    def forward(self, x):
        return self.down(nn.functional.gelu(self.up(x)))


class Block(nn.Module):
    """Pre-norm, as "Attention is all you need" did not have it and everyone has it now."""

    def __init__(self, channels, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(channels)
        self.attn = nn.MultiheadAttention(channels, heads, batch_first=True)
        self.norm2 = nn.LayerNorm(channels)
        self.ff = FeedForward(channels)

    def forward(self, x):
        later = torch.ones(x.shape[1], x.shape[1]).triu(1).bool()
        h = self.norm1(x)
        x = x + self.attn(h, h, h, attn_mask=later, need_weights=False)[0]
        return x + self.ff(self.norm2(x))


class Model(nn.Module):
    def __init__(self, words, channels, heads, layers, longest):
        super().__init__()
        self.embedding = nn.Embedding(words, channels)
        self.position = nn.Embedding(longest, channels)
        self.blocks = nn.ModuleList(Block(channels, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(channels)
        self.head = nn.Linear(channels, words)

    def forward(self, ids):
        x = self.embedding(ids) + self.position(torch.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def main(folder):
    at = lambda name: os.path.join(folder, name)
    weights = read(at("ours.safetensors"))
    kind = weights["head.weight"].dtype
    new = lambda: Model(words=11, channels=12, heads=3, layers=2, longest=9).to(kind).eval()
    ids = torch.from_numpy(np.load(at("ids.npy"))).long()
    model = new()
    model.load_state_dict(weights, strict=True)
    with torch.no_grad():
        np.save(at("ours.npy"), model(ids).numpy())
        torch.manual_seed(7)
        model = new()
        for p in model.parameters():  # biases and norms too, which begin with 0 and 1
            p += 0.1 * torch.randn_like(p)
        write(at("theirs.safetensors"), model.state_dict())
        np.save(at("theirs.npy"), model(ids).numpy())


main(sys.argv[1])
