#!/usr/bin/env python3
"""For each family a tiny model with its tokeniser (of pictures, its preprocessor), as transformers' own classes save them, and what
transformers makes of texts: golden/families, for tests/nn/test_families.c.

    pip install torch transformers tokenizers sentencepiece pillow
    python3 tests/pretrained/make_families.py tests/golden/families

expected.tsv has a line for each text: the text in hexadecimal digits, and its ids. expected.safetensors has logits.i (V), those at the
last token of text i; of an encoder-decoder at the last of the tokens START, of its output; of a model of pictures, `picture`, numbers
from 0 to 255, and its logits. A folder that is there already is kept.
"""
import os
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"
import torch
import transformers as T
from safetensors.torch import save_file

import families as F
import make_models as M
import sentencepieces as S
import tokenisers as K

T.logging.set_verbosity_error()
F.SMALL = 290  # tokens: 256 bytes and a few
TEXTS = ["The cat sat on the mat, didn't it?", "caf\u00e9 \u00c5ngstr\u00f6m 1234", "\u65e5\u672c x  y\n"]
START = [0, 5, 7]  # of an output; the first becomes the model's own
C, LAYER = 8, dict(num_hidden_layers=1, num_attention_heads=2, max_position_embeddings=64)
TEXT = dict(hidden_size=C, intermediate_size=12, **LAYER)
MODELS = {
    "bert": lambda V: T.BertForMaskedLM(T.BertConfig(vocab_size=V, **TEXT)),
    "roberta-json": lambda V: T.RobertaForMaskedLM(T.RobertaConfig(vocab_size=V, **TEXT, pad_token_id=1)),
    "distilbert": lambda V: T.DistilBertForMaskedLM(T.DistilBertConfig(vocab_size=V, dim=C, n_heads=2, n_layers=1, hidden_dim=12, max_position_embeddings=64)),
    "modernbert": lambda V: T.ModernBertForMaskedLM(T.ModernBertConfig(vocab_size=V, **TEXT, pad_token_id=0, bos_token_id=2, eos_token_id=3, cls_token_id=2, sep_token_id=3)),
    "gpt2-json": lambda V: T.GPT2LMHeadModel(T.GPT2Config(vocab_size=V, n_embd=C, n_head=2, n_layer=1, n_positions=64, bos_token_id=0, eos_token_id=0)),
    "gpt_neox": lambda V: T.GPTNeoXForCausalLM(T.GPTNeoXConfig(vocab_size=V, **TEXT, rotary_pct=0.5, bos_token_id=0, eos_token_id=0)),
    "llama": lambda V: T.LlamaForCausalLM(T.LlamaConfig(vocab_size=V, **TEXT)),
    "smollm2": lambda V: T.LlamaForCausalLM(T.LlamaConfig(vocab_size=V, **TEXT, num_key_value_heads=1, tie_word_embeddings=True, bos_token_id=1, eos_token_id=1)),
    "mistral-tekken": lambda V: T.MistralForCausalLM(T.MistralConfig(vocab_size=V, **TEXT, num_key_value_heads=1, head_dim=4, sliding_window=None)),
    "qwen2": lambda V: T.Qwen2ForCausalLM(T.Qwen2Config(vocab_size=V, **TEXT, num_key_value_heads=1, tie_word_embeddings=True)),
    "qwen3": lambda V: T.Qwen3ForCausalLM(T.Qwen3Config(vocab_size=V, **TEXT, num_key_value_heads=1, head_dim=4, tie_word_embeddings=True)),
    "gemma3": lambda V: T.Gemma3ForCausalLM(T.Gemma3TextConfig(vocab_size=V, **TEXT, num_key_value_heads=1, head_dim=4, sliding_window=8)),
    "bart": lambda V: T.BartForConditionalGeneration(T.BartConfig(vocab_size=V, **SEQUENCES)),
    "t5": lambda V: T.T5ForConditionalGeneration(T.T5Config(vocab_size=V, d_model=C, d_kv=4, d_ff=12, num_layers=1, num_heads=2, decoder_start_token_id=0)),
    "marian": lambda V: T.MarianMTModel(T.MarianConfig(vocab_size=V, **SEQUENCES, pad_token_id=V - 1, decoder_start_token_id=V - 1, eos_token_id=0, forced_eos_token_id=0,
                                                       scale_embedding=True, activation_function="swish")),
}
SEQUENCES = dict(d_model=C, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=12,
                 decoder_ffn_dim=12, max_position_embeddings=64)
PICTURES = dict(hidden_size=C, intermediate_size=12, num_hidden_layers=1, num_attention_heads=2, image_size=8, patch_size=4, num_labels=3)


def logits_of(model, ids):
    if model.config.is_encoder_decoder:
        start = torch.tensor([[model.config.decoder_start_token_id, *START[1:]]])
        return model(input_ids=torch.tensor([ids]), decoder_input_ids=start).logits[0, -1]
    return model(input_ids=torch.tensor([ids])).logits[0, -1]


def write(folder, tokeniser, seed):
    tokeniser.save_pretrained(folder)
    model = MODELS[os.path.basename(folder)](len(tokeniser))
    M.scramble(model, seed).save_pretrained(folder)
    F.on_one_line(folder)
    model, expected = type(model).from_pretrained(folder).eval(), {}  # of which Marian's sinusoids are not saved
    with torch.no_grad(), open(folder + "/expected.tsv", "w") as out:
        for i, text in enumerate(TEXTS):
            ids = T.AutoTokenizer.from_pretrained(folder)(text)["input_ids"]
            out.write(f"{text.encode().hex()}\t{' '.join(map(str, ids))}\n")
            expected[f"logits.{i}"] = logits_of(model, ids).float().contiguous().clone()
    save_file(expected, folder + "/expected.safetensors")


def write_picture(folder, kind, config, processor, seed):
    model = M.scramble(kind(config(**PICTURES)), seed).eval()
    model.save_pretrained(folder), processor.save_pretrained(folder)
    F.on_one_line(folder)
    picture = torch.randint(0, 256, (8, 8, 3), generator=torch.Generator().manual_seed(seed), dtype=torch.uint8)
    with torch.no_grad():
        logits = model(**processor(images=picture.numpy(), return_tensors="pt")).logits[0]
    save_file({"picture": picture.permute(2, 0, 1).float().contiguous(), "logits.0": logits.float().contiguous().clone()}, folder + "/expected.safetensors")


def main():
    root, texts = sys.argv[1], K.PHRASES * 20
    S.MODELS["bpe-bytes"]["vocab_size"] = 330
    with tempfile.TemporaryDirectory() as work:
        models = F.sources(work)
        found = dict(F.families(texts, models["model"]))
        F.write_files(work + "/t5-files", "t5", {"tokenizer_class": "T5Tokenizer"}, {}, texts, models)
        found["t5"] = T.T5Tokenizer.from_pretrained(work + "/t5-files")
        found["marian"] = S.train_marian(work + "/marian")
        for seed, name in enumerate(MODELS):
            if not os.path.exists(os.path.join(root, name)):
                write(os.path.join(root, name), found[name], seed)
    size = {"height": 8, "width": 8}
    for seed, (name, kind, config, processor) in enumerate([
            ("vit", T.ViTForImageClassification, T.ViTConfig, T.ViTImageProcessor(size=size)),
            ("deit", T.DeiTForImageClassification, T.DeiTConfig, T.DeiTImageProcessor(size=size, do_center_crop=False, image_mean=[0.485, 0.456, 0.406]))]):
        if not os.path.exists(os.path.join(root, name)):
            write_picture(os.path.join(root, name), kind, config, processor, seed)


if __name__ == "__main__":
    main()
