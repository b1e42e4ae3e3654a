#!/usr/bin/env python3
"""Models with random weights, as transformers makes and saves them, and what transformers computes with them.

    pip install torch transformers
    python3 tests/pretrained/make_models.py tests/golden/pretrained          # the fixtures of test_pretrained.c
    python3 tests/pretrained/make_models.py DIR --many 40                    # the large comparison: then
    GRADUS_MODELS=DIR build/tests/test-pretrained; GRADUS_MODELS=DIR build/tests/test-pretrained-f64

A folder has config.json and model.safetensors, and expected.safetensors: inputs, and in float64 hidden states, attention
maps, logits, the gradients of sum(logits cos(index)) by every attention map and every weight, and 200 tokens of greedy
decoding.
transformers rounds RMSNorm, some softmaxes and the angles of rotary encoding to float32 even in a float64 model; here they
are made double. RoBERTa gets no padding, whose positions it counts otherwise, nor do ModernBERT and Gemma 3, which spread
the weights of a query whose window has no token over all keys.
"""
import json
import os
import pathlib
import random
import shutil
import sys

import torch
import transformers as T
from safetensors.torch import load_file, save_file

T.logging.set_verbosity_error()


def rms_norm(self, x):
    return self.weight * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.variance_epsilon)


def gemma_norm(self, x):
    return (1 + self.weight) * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)


def exact_rotary(inv_freq):
    """inv_freq: of each layer type, or of all layers under the key None."""
    def forward(self, x, position_ids, layer_type=None):
        angles = position_ids[:, :, None].double() * inv_freq[layer_type][None, None, :]
        angles = torch.cat([angles, angles], -1)
        return angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    return forward


def frequencies(rope, d):
    d = int(d * rope.get("partial_rotary_factor", 1.0))
    f = rope["rope_theta"] ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    if rope["rope_type"] == "linear":
        f = f / rope["factor"]
    if rope["rope_type"] == "llama3":
        turns = rope["original_max_position_embeddings"] * f / (2 * torch.pi)
        low, high = rope["low_freq_factor"], rope["high_freq_factor"]
        smooth = ((turns - low) / (high - low)).clamp(0, 1)
        f = (1 - smooth) * f / rope["factor"] + smooth * f
    return f


def rotate(q, k, cos, sin, unsqueeze_dim=1):
    half = T.models.modernbert.modeling_modernbert.rotate_half
    cos, sin = cos.unsqueeze(unsqueeze_dim), sin.unsqueeze(unsqueeze_dim)
    return q * cos + half(q) * sin, k * cos + half(k) * sin


def exact_sinusoids(weight):
    positions, d = weight.shape
    angles = torch.arange(positions)[:, None].double() / 10000 ** (2 * torch.arange((d + 1) // 2).double() / d)
    return torch.cat([angles.sin(), angles.cos()[:, :d // 2]], 1)


softmax = torch.nn.functional.softmax
torch.nn.functional.softmax = lambda x, dim=None, dtype=None, **more: softmax(x, dim, dtype=x.dtype, **more)


def make_double(model, config):
    for m in model.modules():
        if isinstance(m, torch.nn.Embedding):
            m.padding_idx = None  # which leaves out the gradient of padding
        name = type(m).__name__
        if name.endswith("RMSNorm") or name == "T5LayerNorm":
            type(m).forward = gemma_norm if name.startswith("Gemma") else rms_norm
        if name.endswith("RotaryEmbedding"):
            d = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
            rope = dict(config.rope_parameters)
            rope = {None: rope} if "rope_theta" in rope else rope
            type(m).forward = exact_rotary({key: frequencies(r, d) for key, r in rope.items()})
    T.models.modernbert.modeling_modernbert.apply_rotary_pos_emb = rotate
    model = model.double().eval()
    for m in model.modules():
        if hasattr(m, "scalar_embed_scale"):
            m.embed_scale = torch.tensor(m.scalar_embed_scale, dtype=torch.float64)
        if type(m).__name__ == "MarianSinusoidalPositionalEmbedding":
            m.weight.data = exact_sinusoids(m.weight)
    return model


def scramble(model, r):
    """Norms of 1 and biases of 0 would hide mistakes; weights of deviation 0.02 leave nothing for a tolerance to see."""
    g = torch.Generator().manual_seed(r)
    one = 0.0 if type(model).__name__.startswith("Gemma") else 1.0  # Gemma adds it
    with torch.no_grad():
        for name, w in model.named_parameters():
            w.copy_(torch.randn(w.shape, generator=g) * 0.3 + (one if w.dim() == 1 and "norm" in name.lower() and "bias" not in name else 0))
    return model


def make(folder, kind, config, seed, greedy=0, dtype=torch.float32, shard=None, untie=False):
    shutil.rmtree(folder, ignore_errors=True)
    config._attn_implementation = "eager"
    torch.manual_seed(seed)
    model = kind(config)
    if untie:
        model.lm_head.weight = torch.nn.Parameter(model.lm_head.weight.clone())
    model = scramble(model, seed).to(dtype)
    model.save_pretrained(folder, **({"max_shard_size": shard} if shard else {}))
    path = pathlib.Path(folder, "config.json")
    said = json.loads(path.read_text())
    if untie:  # as the files of T5 v1.1 say it
        del said["scale_decoder_outputs"], said["dense_act_fn"], said["is_gated_act"]
        said["tie_word_embeddings"] = False
    path.write_text(json.dumps(said) + "\n")  # save_pretrained writes a line for each member
    path.with_name("generation_config.json").unlink(missing_ok=True)
    model = make_double(model, config)
    g = torch.Generator().manual_seed(seed)
    out, call = {}, {}
    if "pixel" in model.main_input_name:
        x = torch.rand(2, config.num_channels, config.image_size, config.image_size, generator=g).double() * 2 - 1
        out["pixels"] = x
        call["pixel_values"] = x
    else:
        B, L = 2, 7
        whole = kind.__name__.startswith(("Roberta", "ModernBert") + (("Gemma3",) if FEW["many"] else ()))
        low = 3 if whole else 1
        ids = torch.randint(low, config.vocab_size, (B, L), generator=g)
        lengths = torch.tensor([L, L if whole else L - 3])
        pad = getattr(config, "pad_token_id", None) or 0
        keep = torch.arange(L)[None, :] < lengths[:, None]
        ids = torch.where(keep, ids, torch.full_like(ids, pad))
        call = {"input_ids": ids, "attention_mask": keep.long()}
        out.update(ids=ids.int(), lengths=lengths.int())
        if getattr(config, "type_vocab_size", 0) and kind.__name__.startswith("Bert"):
            call["token_type_ids"] = torch.randint(0, config.type_vocab_size, (B, L), generator=g)
            out["types"] = call["token_type_ids"].int()
    if config.is_encoder_decoder:
        call["decoder_input_ids"] = torch.randint(1, config.vocab_size, (2, 5), generator=g)
        out["decoder_ids"] = call["decoder_input_ids"].int()
    y = model(**call, output_hidden_states=True, output_attentions=True)
    maps = {}
    if config.is_encoder_decoder:
        for i, h in enumerate(y.encoder_hidden_states):
            out[f"hidden.{i}"] = h
        for i, h in enumerate(y.decoder_hidden_states):
            out[f"decoder_hidden.{i}"] = h
        maps = {f"maps.{i}": a for i, a in enumerate(y.encoder_attentions)}
        maps |= {f"self_maps.{i}": a for i, a in enumerate(y.decoder_attentions)}
        maps |= {f"cross_maps.{i}": a for i, a in enumerate(y.cross_attentions)}
    else:
        for i, h in enumerate(y.hidden_states):
            out[f"hidden.{i}"] = h
        maps = {f"maps.{i}": a for i, a in enumerate(y.attentions)}
    out.update(maps)
    logits = y.get("logits", y.get("last_hidden_state"))
    out["logits"] = logits
    for a in maps.values():
        a.retain_grad()
    model.zero_grad()
    (logits * torch.cos(torch.arange(logits.numel(), dtype=torch.float64).reshape(logits.shape))).sum().backward()
    for name, a in maps.items():
        out["d" + name] = a.grad
    saved = {}
    for f in sorted(os.listdir(folder)):
        if f.endswith(".safetensors"):
            saved.update(load_file(os.path.join(folder, f)))
    for name, w in model.named_parameters():
        if w.grad is not None and name in saved:
            out["grad." + name] = w.grad
    if greedy and config.is_encoder_decoder:
        ids = torch.full((2, 1), config.decoder_start_token_id)
        out["prompt"] = ids.int()
        for _ in range(greedy):
            with torch.no_grad():
                more = model(input_ids=call["input_ids"], attention_mask=call["attention_mask"], decoder_input_ids=ids)
            ids = torch.cat([ids, more.logits[:, -1].argmax(-1, keepdim=True)], 1)
        out["greedy"] = ids[:, 1:].int()
    elif greedy:
        prompt = call["input_ids"][:, :4]
        out["prompt"] = prompt.int()
        ids = prompt
        for _ in range(greedy):
            with torch.no_grad():
                ids = torch.cat([ids, model(input_ids=ids).logits[:, -1].argmax(-1, keepdim=True)], 1)
        out["greedy"] = ids[:, 4:].int()
    keep = {k: v.detach().contiguous().clone() for k, v in out.items()}
    save_file(keep, os.path.join(folder, "expected.safetensors"))


FEW = {"many": False}  # the fixtures are small: one layer where a second would tell nothing new


def layers():
    return 2 if FEW["many"] else 1


def few(**sizes):
    """Sizes of a fixture, which the large comparison does not have."""
    return {} if FEW["many"] else sizes


def text(r, **more):
    heads = more.pop("heads", r.choice([1, 3, 5]))
    return dict(hidden_size=heads * 2, num_attention_heads=heads, num_hidden_layers=2,
                intermediate_size=r.choice([7, 12]), vocab_size=r.choice([23, 30]), max_position_embeddings=12,
                layer_norm_eps=r.choice([1e-12, 1e-5, 1e-2]), **more)


def distil(r):
    heads = r.choice([1, 3])
    return dict(dim=heads * 4, n_heads=heads, n_layers=2, hidden_dim=9, vocab_size=25, max_position_embeddings=12)


def gpt2(r, **more):
    heads = r.choice([1, 3])
    return dict(n_embd=heads * 4, n_head=heads, n_layer=2, vocab_size=29, n_positions=208,
                layer_norm_epsilon=r.choice([1e-5, 1e-3]), bos_token_id=0, eos_token_id=0, **more)


def picture(r, **more):
    heads = r.choice([1, 3])
    return dict(hidden_size=heads * 4, num_attention_heads=heads, num_hidden_layers=2, intermediate_size=9, image_size=8,
                patch_size=r.choice([2, 4]), layer_norm_eps=r.choice([1e-12, 1e-3]), **more)


def llama(r, **more):
    kv = r.choice([1, 3])
    heads = kv * r.choice([1, 2])
    return dict(hidden_size=12, num_attention_heads=heads, num_key_value_heads=kv, num_hidden_layers=2,
                intermediate_size=9, vocab_size=27, max_position_embeddings=208, rms_norm_eps=r.choice([1e-6, 1e-3]),
                bos_token_id=1, eos_token_id=2, head_dim=r.choice([4, 6]), **more)


def t5(r, **more):
    heads = r.choice([1, 2])
    return dict(d_model=5, d_kv=r.choice([2, 3]), d_ff=4, num_decoder_layers=layers(), num_heads=heads, vocab_size=13,
                relative_attention_num_buckets=8, relative_attention_max_distance=r.choice([5, 20]), decoder_start_token_id=0,
                layer_norm_epsilon=r.choice([1e-6, 1e-3]), **{"num_layers": 2, **more})


def bart(r, **more):
    heads = r.choice([1, 2])
    return dict(d_model=heads * 2, encoder_layers=2, decoder_layers=layers(), encoder_attention_heads=heads, decoder_attention_heads=heads,
                encoder_ffn_dim=4, decoder_ffn_dim=4, vocab_size=13, max_position_embeddings=16, **more)


def neox(r, **more):
    return dict(hidden_size=8, num_attention_heads=2, num_hidden_layers=layers(), intermediate_size=5, vocab_size=13,
                max_position_embeddings=108, rope_parameters={"rope_type": "default", "rope_theta": 500.0,
                                                              "partial_rotary_factor": r.choice([0.5, 1.0])}, **more)


def gemma(r, **more):
    return {**llama(r), "intermediate_size": 5, "hidden_size": 6, "vocab_size": 13, "tie_word_embeddings": True, "pad_token_id": 0, **more}


def modernbert(r, **more):
    return dict(hidden_size=8, num_attention_heads=2, num_hidden_layers=2 + FEW["many"], intermediate_size=3, vocab_size=13,
                max_position_embeddings=20, local_attention=r.choice([2, 4]), pad_token_id=0, bos_token_id=1, eos_token_id=2,
                cls_token_id=1, sep_token_id=2, norm_eps=r.choice([1e-5, 1e-3]), **more)


LOCAL = ["sliding_attention", "full_attention"]
ROPES = {"sliding_attention": {"rope_type": "default", "rope_theta": 100.0}, "full_attention": {"rope_type": "default", "rope_theta": 5000.0}}
LLAMA3 = {"rope_type": "llama3", "rope_theta": 500.0, "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 64}
LINEAR = {"rope_type": "linear", "rope_theta": 10000.0, "factor": 2.0}
TEXT = {"hidden_size": 4, "num_attention_heads": 2, "intermediate_size": 3, "vocab_size": 13}
GROUPED = {"num_attention_heads": 4, "num_key_value_heads": 2, "num_hidden_layers": 1, "intermediate_size": 5, "vocab_size": 13}
KINDS = [
    ("bert-words", T.BertForMaskedLM, lambda r: T.BertConfig(**text(r)), {}),
    ("bert-untied", T.BertForPreTraining, lambda r: T.BertConfig(**text(r, tie_word_embeddings=False, hidden_act="gelu_new")), {}),
    ("bert-classes", T.BertForSequenceClassification, lambda r: T.BertConfig(**{**text(r, num_labels=3), **few(**TEXT)}), {"dtype": torch.float16}),
    ("bert-bare", T.BertModel, lambda r: T.BertConfig(**text(r, hidden_act="relu")), {"shard": 1500}),
    ("roberta-words", T.RobertaForMaskedLM, lambda r: T.RobertaConfig(**text(r)), {}),
    ("roberta-classes", T.RobertaForSequenceClassification, lambda r: T.RobertaConfig(**{**text(r, num_labels=4), **few(**TEXT)}), {}),
    ("distilbert-words", T.DistilBertForMaskedLM, lambda r: T.DistilBertConfig(**distil(r)), {}),
    ("distilbert-classes", T.DistilBertForSequenceClassification, lambda r: T.DistilBertConfig(**distil(r)), {}),  # large enough to be fine-tuned
    ("gpt2", T.GPT2LMHeadModel, lambda r: T.GPT2Config(**gpt2(r)), {"greedy": 200}),
    ("gpt2-untied", T.GPT2LMHeadModel,
     lambda r: T.GPT2Config(**{**gpt2(r, n_inner=10, tie_word_embeddings=False, activation_function="relu"),
                               **few(n_inner=5, n_layer=1, vocab_size=13, n_positions=44)}), {"greedy": 40}),
    ("vit-classes", T.ViTForImageClassification, lambda r: T.ViTConfig(**picture(r, num_labels=3)), {}),
    ("vit-no-bias", T.ViTModel, lambda r: T.ViTConfig(**picture(r, qkv_bias=False, num_channels=1)), {}),
    ("deit-teacher", T.DeiTForImageClassificationWithTeacher, lambda r: T.DeiTConfig(**picture(r, num_labels=3)), {}),
    ("deit-classes", T.DeiTForImageClassification, lambda r: T.DeiTConfig(**{**picture(r, num_labels=2), **few(patch_size=4, num_hidden_layers=1)}), {}),
    ("llama", T.LlamaForCausalLM, lambda r: T.LlamaConfig(**llama(r, tie_word_embeddings=True)), {"greedy": 200}),
    ("llama-biased", T.LlamaForCausalLM,
     lambda r: T.LlamaConfig(**{**llama(r, attention_bias=True, mlp_bias=True, rope_parameters=LLAMA3),
                                **few(**GROUPED, hidden_size=8)}), {"greedy": 200, "dtype": torch.bfloat16}),
    ("mistral", T.MistralForCausalLM, lambda r: T.MistralConfig(**{**llama(r, rope_parameters=LINEAR), **few(**GROUPED, hidden_size=8)}), {"greedy": 200}),
    ("qwen2", T.Qwen2ForCausalLM,
     lambda r: T.Qwen2Config(**{k: v for k, v in {**llama(r), "hidden_size": 24, **few(**GROUPED, hidden_size=16)}.items() if k != "head_dim"}), {}),
    ("qwen3", T.Qwen3ForCausalLM, lambda r: T.Qwen3Config(**{**llama(r), "hidden_size": 6, "intermediate_size": 5, "vocab_size": 13, "num_hidden_layers": layers()}), {"greedy": 100}),
    ("modernbert-words", T.ModernBertForMaskedLM, lambda r: T.ModernBertConfig(**modernbert(r)), {}),
    ("gpt-neox", T.GPTNeoXForCausalLM, lambda r: T.GPTNeoXConfig(**neox(r)), {"greedy": 100}),
    ("gemma3", T.Gemma3ForCausalLM, lambda r: T.Gemma3TextConfig(**gemma(r, sliding_window=r.choice([3, 4]), layer_types=LOCAL, rope_parameters=ROPES,
                                                                         query_pre_attn_scalar=7)), {"greedy": 100}),
    ("t5", T.T5ForConditionalGeneration, lambda r: T.T5Config(**t5(r)), {"greedy": 60}),
    ("t5-gated", T.T5ForConditionalGeneration, lambda r: T.T5Config(**t5(r, feed_forward_proj="gated-gelu", tie_word_embeddings=False, num_layers=layers())),
     {"greedy": 60, "untie": True}),
    ("bart", T.BartForConditionalGeneration, lambda r: T.BartConfig(**bart(r)), {"greedy": 12}),
    ("marian", T.MarianMTModel, lambda r: T.MarianConfig(**bart(r, pad_token_id=12, decoder_start_token_id=12, eos_token_id=0, scale_embedding=True,
                                                                activation_function="swish")), {"greedy": 12}),
]


def main():
    out, many = sys.argv[1], int(sys.argv[3]) if len(sys.argv) > 3 else 0
    os.makedirs(out, exist_ok=True)
    FEW["many"] = many > 0
    for k in range(max(many, 1)):
        r = random.Random(k + 7)
        for name, kind, config, more in KINDS:
            if more.get("only_many") and not many or os.path.exists(os.path.join(out, name)):  # transformers' versions write other numbers
                config(r)
                continue
            make(os.path.join(out, f"{name}-{k}" if many else name), kind, config(r), 31 * k + 5, **{key: v for key, v in more.items() if key != "only_many"})
    print(f"{out}: {sum(len(f) for _, _, f in os.walk(out))} files")


if __name__ == "__main__":
    main()
