"""Pretrained models (nn/pretrained/pretrained.h) and their tokenisers (data/data.h). Arrays that are returned lie on the run's tape
and cannot be written. B batch (1 here), T tokens, C channels, H heads, L layers, V vocabulary."""
import ctypes
import dataclasses
import itertools
import types
from typing import Any, Optional, Sequence, Union

from ._c import C, Error, array, contiguous, ids, tensor, text
from .pages import Attention, Page, attention, generation

def _sequence(given) -> list:
    """Ids (T) of a list or an array (T) or (1, T), such as a tokenizer's tensors of one text."""
    found = [x.tolist() if hasattr(x, "tolist") else x for x in given]
    if found and isinstance(found[0], list):
        if len(found) != 1:
            raise Error(f"ids: found {len(found)} texts; expected ids (T) or (1, T) of one text")
        return found[0]
    return found


PICK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_float), ctypes.c_int64)
STOP = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int32), ctypes.c_int64)


class Beam(C.BeamTree):
    def __del__(self):
        C.nn_beam_free(ctypes.byref(self))


@dataclasses.dataclass
class Edit:
    """Replaces a result before any op uses it; autograd/inspect.h. name: such as "blocks.0.attn.A". kind: zero, mean (along
    `axis`), scale (by `factor`), add or patch (`value`). part: {axis: (begin, end)} restricts it."""
    name: str
    kind: str
    part: dict = dataclasses.field(default_factory=dict)
    axis: int = 0
    factor: float = 0
    value: Any = None

    def apply(self, tape) -> None:
        if self.kind not in ("zero", "mean", "scale", "add", "patch"):
            raise Error(f"Edit: kind \"{self.kind}\"; expected zero, mean, scale, add or patch")
        edit = C.Edit(kind=getattr(C, f"EDIT_{self.kind.upper()}"), axis=self.axis, factor=self.factor)
        for axis, (begin, end) in self.part.items():
            edit.part[axis].begin, edit.part[axis].end = begin, end
        if self.value is not None:
            edit._with = tensor(self.value)
            setattr(edit, "with", ctypes.pointer(edit._with))
        C.tape_edit(tape, text(self.name), edit)


class Run:
    """What a model computed of one input, until the object is gone. tokens: (T) their texts."""

    def __init__(self, model: "Model", tokens: Optional[list], gradients: bool, edits: Sequence[Edit]):
        self.model, self.tokens, self.wrote, self.loss = model, tokens, None, None
        self.tape = C.tape_new(1)
        self.tape.contents.keep_maps, self.tape.contents.no_grad = True, not gradients
        for edit in edits:
            edit.apply(self.tape)
        self.ids, self._hidden = (), (ctypes.POINTER(C.Tensor) * (model.layers + 1))()

    def __del__(self):
        C.tape_free(self.tape)

    hidden = property(lambda self: [array(h, self) for h in self._hidden],
                      doc="What goes into each block, and what comes out of the last: L + 1 arrays (1, T, C).")
    last = property(lambda self: array(self.x, self), doc="The last hidden states (1, T, C), after the last norm where there is one.")
    logits = property(lambda self: array(C.nn_pretrained_logits(self.model.m, self.x), self), doc="(1, T, V) of the language model's head.")
    classes = property(lambda self: array(C.nn_pretrained_classify(self.model.m, self.x), self), doc="(1, labels): the logits of the classes.")

    def named(self, name: str, gradient: bool = False):
        """The result of that name, such as "blocks.0.attn.scores", or its gradient."""
        return array(C.tape_find(self.tape, text(name)), self, gradient)

    def _tensors(self, name: str) -> list:
        found = [C.tape_find(self.tape, text(f"{name % i}.A")).contents for i in range(
            self.model.config.decoder_layers if name.startswith("decoder") else self.model.layers)]
        for t in found:
            t.owner = self
        return found

    def stack(self, name: str = "blocks.%d.attn", gradient: bool = False) -> list:
        """The attention weights of a stack, or dL/dA, an array (1, H, T, S) a layer; of an encoder-decoder that wrote there are
        "decoder.%d.self_attn" and "decoder.%d.cross_attn", too."""
        return [array(ctypes.pointer(t), self, gradient) for t in self._tensors(name)]

    maps = property(stack, doc="The attention weights: L arrays (1, H, T, T).")
    gradients = property(lambda self: self.stack(gradient=True), doc="dL/dA, after a run with gradients: L arrays (1, H, T, T).")

    def attention(self, title: Optional[str] = None) -> Attention:
        """The page on its maps, with their gradients where there are any; of an encoder-decoder that wrote, on all three."""
        stacks = {"attentions": "blocks.%d.attn"} if not self.wrote else {
            "encoder_attentions": "blocks.%d.attn", "decoder_attentions": "decoder.%d.self_attn",
            "cross_attentions": "decoder.%d.cross_attn"}
        found = types.SimpleNamespace(**{key: self._tensors(name) for key, name in stacks.items()})
        return attention(found, (self.tokens, self.wrote) if self.wrote else self.tokens, title=title, loss=self.loss)

    def _masked_loss(self):
        """The mean of -log p of the likeliest words at the masks, of a model that predicts words."""
        m, V = self.model.m, self.model.config.words
        at = [i for i, token in enumerate(self.tokens or ()) if token in ("[MASK]", "<mask>")]
        if not at or not m.contents.output.weight or m.contents.output.weight.contents.shape.dim[0] != V:
            raise Error("run: found gradients=True for a model without a classifier, and no [MASK] whose word it predicts; expected "
                        "upstream=g, an array of the shape of .last: then L is the sum of g times .last")
        logits, targets = C.nn_pretrained_logits(m, self.x), [-100] * len(self.ids)
        for i in at:
            targets[i] = C.nn_greedy(ctypes.cast(ctypes.byref(logits.contents.data.contents, 4 * i * V), ctypes.POINTER(ctypes.c_float)), V)
        self.loss = "-log p of the likeliest word at [MASK]" + (", the mean of several" if len(at) > 1 else "")
        return C.ag_cross_entropy_ignore(logits, C.tape_ids(self.tape, ids(targets), C.shape2(1, len(targets))), -100)

    def backward(self, upstream=None) -> None:
        """L is the sum of upstream (1, T, C) times the last hidden states; without it, the mean cross-entropy of the text's own
        next tokens, or -log p of the likeliest class (of a single label, or of labels that do not exclude each other, minus the
        logit), or of the likeliest words at [MASK]."""
        m, T = self.model.m, len(self.ids)
        if upstream is not None:
            t, shape = contiguous(upstream), tuple(self.x.contents.shape.dim[:3])
            if tuple(t.shape.dim[:t.shape.rank]) != shape:
                raise Error(f"backward: upstream {tuple(t.shape.dim[:t.shape.rank])}; expected the shape of the last hidden states, {shape}")
            self.loss = "the sum of upstream times the last hidden states"
            C.ag_backward_from(self.x, t.data)
            return
        if (self.wrote or m.contents.config.kind == C.PRETRAINED_DECODER) and T > 1:
            self.loss = "the mean cross-entropy of the text's own next tokens"
            logits = C.nn_pretrained_logits(m, C.ag_slice(self.x, 1, 0, T - 1))
            loss = C.ag_cross_entropy(logits, C.tape_ids(self.tape, ids(self.ids[1:]), C.shape2(1, T - 1)))
        elif not m.contents.classifier.weight:
            loss = self._masked_loss()
        else:
            logits, config = C.nn_pretrained_classify(m, self.x), self.model.config
            best = C.nn_greedy(logits.contents.data, config.labels)
            one = config.labels == 1 or config.several  # a number, or labels that do not exclude each other
            self.loss = "minus the largest logit" if one else "-log p of the likeliest class"
            loss = C.ag_neg(C.ag_sum(C.ag_slice(logits, 1, best, best + 1))) if one else \
                C.ag_cross_entropy(logits, C.tape_ids(self.tape, ids([best]), C.shape1(1)))
        C.ag_backward(loss)
        self.loss += f": {C.tensor_item(loss):.4g}"


class Model:
    """A model's folder as Hugging Face's libraries write it, with its tokeniser; the weights stay in their file until they are used."""

    def __init__(self, folder):
        self.m, self.tokeniser = ctypes.pointer(C.Pretrained()), None
        C.nn_pretrained_load(text(folder), self.m)
        self.config, self.layers, self.heads = self.m.contents.config, self.m.contents.config.layers, self.m.contents.config.heads
        self.reads_images, self.translates = (self.config.kind == kind for kind in (C.PRETRAINED_VISION, C.PRETRAINED_TRANSLATOR))
        try:
            self.tokeniser = None if self.reads_images else C.data_tokeniser_open(text(folder))
        except Error as error:  # a model without one reads ids
            self.missing = error

    def __del__(self):
        if self.tokeniser:
            C.data_tokeniser_free(self.tokeniser)
        C.nn_pretrained_free(self.m)

    def __repr__(self) -> str:
        c = self.config
        return f"<gradus {c.type.decode()}: {c.layers} layers, {c.heads} heads, {c.channels} channels, {c.words} tokens>"

    def token(self, number: int) -> str:
        """What a token is called, in the vocabulary's spelling; the number, of a model without a tokeniser."""
        if not self.tokeniser:
            return str(number)
        size = C.data_token_label(self.tokeniser, number, None, 0) + 1
        out = ctypes.create_string_buffer(size)
        C.data_token_label(self.tokeniser, number, out, size)
        return out.value.decode("utf-8", "replace")

    def encode(self, words: str, pair: Optional[str] = None, as_typed: bool = False) -> tuple:
        """Ids, token types and names of a text's tokens, each (T). as_typed: in the text's spelling, not the vocabulary's."""
        if not self.tokeniser:
            raise self.missing
        found, sides = C.Tokens(), (text(words), text(pair))
        C.data_tokens(self.tokeniser, C.TokenInput(text=sides[0], pair=sides[1]), ctypes.byref(found))
        tokens = [t for t in found.token[:found.count] if t.text or pair is None or not self.translates]
        shown = [sides[t.text][t.begin:t.end].decode("utf-8", "replace") if as_typed and t.end > t.begin else
                 self.token(t.id) for t in tokens]
        encoded = [t.id for t in tokens], [t.type for t in tokens], shown
        C.data_tokens_free(ctypes.byref(found))
        return encoded

    def _write(self, run: Run, pair: Union[str, Sequence[int]]) -> None:
        """Lets the decoder read the start token and the text, or these ids, which begin with it."""
        c = self.config
        run.ids = [i for i in (c.start, c.first) if i >= 0] + self.encode("", pair)[0] + [c.end] if isinstance(pair, str) else _sequence(pair)
        run.wrote = [self.token(i) for i in run.ids]
        given = C.tape_ids(run.tape, ids(run.ids), C.shape2(1, len(run.ids)))
        run.x = C.nn_pretrained_decode(self.m, given, run.x, None, None)

    def run(self, given: Union[str, Sequence[int], Any], pair: Union[str, Sequence[int], None] = None, *,
            gradients: bool = False, upstream=None, edits: Sequence[Edit] = (), as_typed: bool = False) -> Run:
        """Runs the model on a text (or a pair of texts), on ids (T), or on an image (colours, h, w) or (1, colours, h, w), normalised as the
        model needs it. Of an encoder-decoder, `pair` is what it writes, a text or ids. gradients: also runs Run.backward. as_typed: of encode."""
        if self.reads_images:
            run, picture = Run(self, None, gradients, edits), contiguous(given)
            shape = [1] * (4 - picture.shape.rank) + picture.shape.dim[:picture.shape.rank]
            pictures = C.tape_input(run.tape, picture.data, C.shape4(*shape))
            run.x = C.nn_pretrained_run(self.m, pictures, None, None, run._hidden)
        else:
            second = None if self.translates else pair
            numbers, kinds, shown = self.encode(given, second, as_typed) if isinstance(given, str) else (_sequence(given), None, list(map(str, _sequence(given))))
            run, shape = Run(self, shown, gradients, edits), C.shape2(1, len(numbers))
            run.ids = numbers
            run.x = C.nn_pretrained_run(self.m, C.tape_ids(run.tape, ids(numbers), shape), C.tape_ids(run.tape, ids(kinds), shape) if second else None, None, run._hidden)
            if pair is not None and second is None:
                self._write(run, pair)
        if edits:
            C.tape_edits_used(run.tape)
        if gradients or upstream is not None:
            run.backward(upstream)
        return run

    def _search(self, given: list, tokens: int, search: Any, **settings) -> None:
        """Calls search(tape, decoder, prompts, their lengths, T) for the ids of each text. An encoder-decoder reads what it is given."""
        def padded(rows):
            T = max(map(len, rows))
            return ids([i for row in rows for i in [*row, *[0] * (T - len(row))]]), ids(list(map(len, rows))), T

        c, cache, tape, prompts = self.config, C.KVCache(), C.tape_new(1), padded(given)
        try:
            if self.translates:
                tape.contents.no_grad = True
                C.nn_pretrained_read(self.m, C.tape_ids(tape, prompts[0], C.shape2(len(given), prompts[2])), prompts[1])
                prompts = padded([[i for i in (c.start, c.first) if i >= 0]] * len(given))
            C.nn_pretrained_cache(self.m, ctypes.byref(cache), len(given), prompts[2] + tokens)
            decoder = C.nn_pretrained_decoder(self.m, ctypes.byref(cache))
            for name, value in settings.items():
                setattr(decoder, name, value)
            search(tape, ctypes.byref(decoder), *prompts)
        finally:
            C.nn_cache_free(ctypes.byref(cache))
            C.tape_free(tape)

    def generate(self, prompt: Union[str, Sequence], tokens: int = 20, *, temperature: float = 0, top_k: Optional[int] = None,
                 top_p: float = 1, seed: int = 1, beams: int = 0, title: Optional[str] = None, repetition_penalty: Optional[float] = None,
                 no_repeat_ngram_size: Optional[int] = None, stop_strings: Union[str, Sequence[str]] = ()) -> Union[Page, list]:
        """Continues a text or ids (T), or writes what an encoder-decoder makes of them; temperature 0 chooses the likeliest token. A
        page with the distribution of each step; its `.text` is the prompt with what was written, its `.ids` are the tokens. With beams,
        a beam search of so many hypotheses, too: its tree on the page, and the tokens of its best, `.best`.
        Several prompts, a list of texts or of lists of ids, go through the model together: a list of pages; text i is drawn with seed + i.
        repetition_penalty, no_repeat_ngram_size (by default what generation_config.json says) and stop_strings are those of transformers."""
        several = isinstance(prompt, (list, tuple)) and all(isinstance(p, (str, list, tuple)) for p in prompt) and (
            len(prompt) > 1 or isinstance(prompt[0], str))
        prompts, V, calls = list(prompt) if several else [prompt], self.config.words, []
        given = [self.encode(p)[0] if isinstance(p, str) else _sequence(p) for p in prompts]
        stops, rows = [stop_strings] if isinstance(stop_strings, str) else list(stop_strings), len(given)
        if beams < 0 or stops and (beams or not self.tokeniser):
            raise Error(f"generate: found {beams} beams, stop_strings {stops}; expected 0 beams or more, and stop_strings without beams, of a "
                        "model with a tokeniser")
        rules = C.DecodeRules.from_buffer_copy(self.config.rules)
        rules.repetition = rules.repetition if repetition_penalty is None else repetition_penalty
        rules.no_repeat = rules.no_repeat if no_repeat_ngram_size is None else no_repeat_ngram_size
        record, out = (ctypes.c_float * V * tokens * rows)(), (ctypes.c_int * tokens * rows)()
        candidates, rngs = ctypes.pointer(C.Candidates((C.Candidate * V)(), 0, V)), [C.Rng(seed + i, 0, 0) for i in range(rows)]
        samplers = [C.Sampler(temperature, top_k or V, top_p, candidates, ctypes.pointer(rng)) for rng in rngs]

        def pick(_, logits, words):  # nn_generate calls it for each row in turn, and reports what fails here
            step, row = divmod(len(calls), rows)
            calls.append(row)
            ctypes.memmove(record[row][step], logits, ctypes.sizeof(record[row][step]))
            return C.library["nn_sample"](ctypes.byref(samplers[row]), logits, ctypes.c_int64(words)) if temperature else \
                C.library["nn_greedy"](logits, ctypes.c_int64(words))

        def stop(_, numbers, count):
            return any(C.library["data_tokens_stop"](self.tokeniser, numbers, ctypes.c_int64(count), text(s)) > 0 for s in stops)

        settings, picked, stopped = dict(rules=ctypes.pointer(rules)), PICK(pick), STOP(stop)
        self._search(given, tokens, lambda tape, d, start, lengths, T: C.nn_generate(tape, d, start, lengths, T, out[0], tokens), **settings,
                     pick=ctypes.cast(picked, ctypes.c_void_p), stop=ctypes.cast(stopped, ctypes.c_void_p) if stops else None)
        words, pages = [self.decode([i]) for i in range(V)], []
        ends = {self.config.end, *itertools.takewhile(lambda i: i >= 0, self.config.ends)}
        for i, (p, numbers) in enumerate(zip(prompts, given)):
            beam, best, read = Beam(), (ctypes.c_int * tokens)(), [] if self.translates else numbers
            if beams:
                self._search([numbers] * beams, tokens, lambda tape, d, start, _, T: C.nn_beam(
                    tape, d, start, T, best, tokens, 1, ctypes.byref(beam)), **settings)
            chosen = list(out[i])
            chosen = chosen[:next((n for n in range(1, tokens + 1) if chosen[n - 1] in ends or stop(
                None, ids(read + chosen[:n]), len(read) + n)), tokens)]
            page = generation(words, memoryview(record[i])[:len(chosen)], chosen, p if isinstance(p, str) else self.decode(numbers),
                              temperature=temperature or 1, top_k=top_k, top_p=top_p, drawn=temperature > 0, seed=seed + i,
                              end=self.config.end, title=title, beam=C.BeamTree.from_buffer(beam) if beams else None)
            if not self.tokeniser:
                page.text = f"ids {list(numbers)}, then {chosen} ({self.missing})"
            page.ids, page.best = chosen, list(best) if beams else []
            pages.append(page)
        return pages if several else pages[0]

    def decode(self, numbers: Sequence[int]) -> str:
        """The text of ids; numbers, of a model without a tokeniser."""
        if not self.tokeniser:
            return " ".join(map(str, numbers))
        given = (ctypes.c_int32 * len(numbers))(*numbers)
        size = C.data_tokens_text(self.tokeniser, given, len(numbers), True, None, 0) + 1
        out = ctypes.create_string_buffer(size)
        C.data_tokens_text(self.tokeniser, given, len(numbers), True, out, size)
        return out.value.decode("utf-8", "replace")


load = Model
