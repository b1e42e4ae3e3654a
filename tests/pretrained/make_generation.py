#!/usr/bin/env python3
"""What transformers generates by its rules, and where its stop texts end a text: golden/generation.tsv, for tests/nn/test_rules.c.

    pip install torch transformers
    python3 tests/pretrained/make_generation.py tests/golden

A line of the file: scores (or a model of golden/pretrained), the hypotheses of the beam search (1: greedy), repetition_penalty,
no_repeat_ngram_size, min_length, bad_words_ids, the ids before, and what comes out. Of "scores" the ids before are those of a text of
which the next token is sought, the tokens that end are 0 and 3, and out are the scores in, then those out, 9 each. Beam search is
without tokens that end, where it is defined by its scores alone. Of "stop": the tokeniser of golden/tokenisers, its text, ids, and for
each of these 1 where transformers' StopStringCriteria ends the text after it.
"""
import os
import random
import sys

os.environ["HF_HUB_OFFLINE"] = "1"
import torch
import transformers as T
from transformers.generation import logits_process as L
from transformers.generation.stopping_criteria import StopStringCriteria

T.logging.set_verbosity_error()
RULES = [(1.0, 0, 0, []), (1.3, 0, 0, []), (0.7, 0, 0, []), (1.0, 1, 0, []), (1.0, 2, 0, []), (1.0, 3, 0, []), (1.2, 2, 9, [4, 5])]


def listed(numbers):
    return " ".join(f"{x:.9g}" for x in numbers) or "-"


def changed(ids, scores, penalty, n, least, bad):
    """In the order in which generate() applies them."""
    rules = [L.RepetitionPenaltyLogitsProcessor(penalty)] if penalty != 1 else []
    rules += [L.NoRepeatNGramLogitsProcessor(n)] if n else []
    rules += [L.NoBadWordsLogitsProcessor([[b] for b in bad], eos_token_id=torch.tensor([0, 3]))] if bad else []
    rules += [L.MinLengthLogitsProcessor(least, torch.tensor([0, 3]))] if least else []
    for rule in rules:
        scores = rule(ids, scores)
    return scores


def main():
    golden, r = sys.argv[1], random.Random(5)
    lines = []
    for rules in RULES:
        for length in (1, 2, 5, 12):
            ids, scores = torch.tensor([[r.randrange(6) for _ in range(length)]]), torch.randn(1, 9, generator=torch.Generator().manual_seed(length))
            out = changed(ids, scores.clone(), *rules)
            lines.append(("scores", 1, *rules[:3], listed(rules[3]), listed(ids[0].tolist()), listed(scores[0].tolist() + out[0].tolist())))
    for name in ("gpt2", "llama", "bart"):
        folder = os.path.join(golden, "pretrained", name)
        both = T.AutoConfig.from_pretrained(folder).is_encoder_decoder
        model = (T.AutoModelForSeq2SeqLM if both else T.AutoModelForCausalLM).from_pretrained(folder, attn_implementation="eager").eval()
        for penalty, n, least, bad in RULES[1:]:
            for beams in (1, 1, 3):
                ids = [r.randrange(4, 12) for _ in range(r.choice([2, 3, 5]))]
                more = dict(num_beams=beams, eos_token_id=None) if beams > 1 else {}
                out = model.generate(torch.tensor([ids]), attention_mask=torch.ones(1, len(ids), dtype=torch.long), do_sample=False, max_new_tokens=8,
                                     repetition_penalty=penalty, no_repeat_ngram_size=n, min_length=0 if more else least, forced_eos_token_id=None,
                                     bad_words_ids=[[b] for b in bad] or None, **more)[0].tolist()
                out = out[1:] if both else out[len(ids):]
                lines.append((name, beams, penalty, n, 0 if more else least, listed(bad), listed(ids), listed(out)))
    for name, text in (("gpt2-json", "e"), ("gpt2-json", " th"), ("gpt2-json", "\u00e9"), ("llama", "he"), ("llama", "\u00e4"), ("qwen3", "\n")):
        tokeniser = T.AutoTokenizer.from_pretrained(os.path.join(golden, "tokenisers", name))
        stop = StopStringCriteria(tokeniser, [text])
        for words in ("the theatre on the hill", "caf\u00e9 \u00e4rger\nthe other line", "he", "other"):
            ids = tokeniser(words, add_special_tokens=False)["input_ids"][:9]
            ends = [int(stop(torch.tensor([ids[:k + 1]]), None)[0]) for k in range(len(ids))]
            lines.append(("stop", name, repr(text)[1:-1], listed(ids), listed(ends)))
    with open(os.path.join(golden, "generation.tsv"), "w") as f:
        f.writelines("\t".join(map(str, line)) + "\n" for line in lines)
    print(f"{len(lines)} lines")


if __name__ == "__main__":
    main()
