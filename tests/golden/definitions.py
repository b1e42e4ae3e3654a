"""What make_golden.py computes with: samples' numbers, definitions that PyTorch lacks, a container of results."""
import json
import os
import struct

import numpy as np
import torch

HERE = os.path.dirname(os.path.abspath(__file__))


def write(name, tensors, metadata=None):
    """The safetensors container: header length, JSON header, numbers."""
    header, blobs, at = {"__metadata__": metadata} if metadata else {}, [], 0
    for key in sorted(tensors):
        data = tensors[key].detach().to(torch.float32).contiguous().numpy()
        header[key] = {"dtype": "F32", "shape": list(data.shape), "data_offsets": [at, at + data.nbytes]}
        blobs.append(data.astype("<f4").tobytes())
        at += data.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(os.path.join(HERE, name), "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + b"".join(blobs))
    print(f"{name}: {len(tensors)} tensors, {8 + len(text) + at} bytes")


# ---- the numbers of a sample ---------------------------------------------------------------------------------


def fractions(count, shift):
    i = np.arange(1, count + 1, dtype=np.float64)
    x = 0.6180339887498949 * i + shift[0] + shift[1]
    return x - np.floor(x)


def upstream(shape):
    count = int(np.prod(shape, dtype=np.int64))
    return torch.tensor((fractions(count, (0.73, 0.0)) - 0.5).astype(np.float32)).reshape(shape)


def operand(k, shape, is_ids, is_constant, low, high, ids_below, dtype):
    count = int(np.prod(shape, dtype=np.int64))
    if is_ids:
        return torch.tensor([(7919 * i + 13) % ids_below for i in range(count)], dtype=torch.long).reshape(shape)
    f = fractions(count, (0.31 * k, 0.17))
    x = (f >= 0.4).astype(np.float32) if is_constant else (low + (high - low) * f).astype(np.float32)
    x = torch.tensor(x).to(dtype).reshape(shape)
    return x if is_constant else x.requires_grad_()


# ---- what PyTorch lacks ----------------------------------------------------------------------------------


def kept(shape, causal=0, lengths=None, keep=None, window=0, dilation=0, first=0):
    """Which keys each query may see: the AND of all that is set. Scores have this shape, (..., T, S)."""
    T, S = shape[-2], shape[-1]
    key = torch.arange(S).reshape(1, S)
    place = torch.arange(T).reshape(T, 1) + S - T  # the query's place among the keys
    mask = torch.ones(shape, dtype=torch.bool)
    if causal:
        mask = mask & (key <= place)
    if lengths is not None:
        mask = mask & (key < lengths.reshape([-1] + [1] * (len(shape) - 1)))
    if window > 0:
        step, gap = max(int(dilation), 1), (key - place).abs()
        near = (gap <= window * step) & (gap % step == 0)
        mask = mask & (near | (key < first) | (place < first))
    if keep is not None:
        if keep.dim() == 3 and len(shape) == 4:  # (B, T, S): the same for all heads
            keep = keep.unsqueeze(1)
        mask = mask & (keep != 0)
    return mask


def masked_softmax(x, mask):
    """Softmax over the kept keys; zeros elsewhere, and for a query that may see none."""
    y = torch.softmax(x.masked_fill(~mask, -1e30), -1)
    return torch.where(mask, y, torch.zeros_like(y))


def grouped(k, q):
    """Each head of the keys for as many heads of queries as share it."""
    return k if k.dim() < 4 else k.repeat_interleave(q.shape[1] // max(k.shape[1], 1), 1)


def rotary(x, table, positions=None):
    """Channels i and i + n as one complex number, times e^(i angle); the table holds cosines, then sines."""
    n, T = table.shape[1] // 2, x.shape[-2]
    rows = table[torch.arange(T) if positions is None else positions]
    turn = torch.complex(rows[..., :n], rows[..., n:])
    while positions is not None and positions.dim() == 2 and turn.dim() < x.dim():
        turn = turn.unsqueeze(1)  # the same for all heads
    y = torch.complex(x[..., :n], x[..., n : 2 * n]) * turn
    return torch.cat([y.real, y.imag, x[..., 2 * n :]], -1)
