"""Writes the cases of the misuse test: python3 cases.py HEADER... >cases.inc

Reads the prototypes of the public headers. For each parameter of each function it writes one call for each way in
which the type allows a wrong value; the other parameters are valid, as far as a type tells what is valid. The
fixture `f` with the valid values, and what is expected of a call, are in misuse.c."""
import re
import sys

# Functions that no program can call wrongly without breaking the test itself.
SKIPPED = {"tensor_fail", "tensor_place", "tensor_set_allocator", "tensor_on_error", "tape_on_event", "ag_place",
           "tensor_clear_error"}

# Counts that C cannot compare with the array's length, as the contract says: only what is wrong for every array.
UNSEEN = {("nn_sinusoids", "channels"), ("nn_greedy", "vocabulary"), ("nn_rotary_from", "pairs")}

# Parameters that may be NULL, by their contract.
NULL_ALLOWED = {
    ("ag_linear", "bias"), ("ag_conv1d", "bias"), ("ag_conv2d", "bias"),
    ("ag_pad", "before"), ("ag_pad", "after"), ("ag_attention_composed", "name"), ("ag_apply", "attrs"),
    ("ag_gradcheck", "context"), ("nn_rnn", "state"), ("nn_rnn_cell", "state"),
    ("nn_additive_attention", "weights"),
    ("nn_additive_attention", "projected"), ("nn_cache_advance", "counts"), ("nn_generate", "lengths"),
    ("nn_beam", "tree"), ("params_save", "metadata"),
    ("nn_gpt_save", "text"), ("safetensors_write", "metadata"),
    ("safetensors_find", "s"), ("tensor_is_poison", "t"), ("tensor_is_contiguous", "t"), ("shape_check", "who"),
    ("plot_heatmaps", "title"), ("plot_arcs", "title"), ("plot_bars", "title"),
    ("plot_set_look", "look"),
    ("data_sequences_longest", "which"), ("data_text_from", "name"), ("tensor_describe", "t"),
    ("params_find", "path"),
    ("data_vocab_word", "v"), ("data_text_label", "t"), ("tensor_file_stream", "f"), ("params_find", "p"),
    ("nn_pretrained_run", "types"), ("nn_pretrained_run", "lengths"),
    ("nn_pretrained_run", "hidden"),
    ("data_token_find", "token"), ("data_token_find", "t"), ("data_token", "t"), ("data_tokeniser_count", "t"),
    ("safetensors_find", "name"),
    ("ag_rotary", "positions"), ("plot_set_look", "look"),
}

# Functions whose answer about such a tensor is no error.
PREDICATES = {"tensor_is_poison", "tensor_is_contiguous", "tensor_describe", "shape_equal", "shape_str"}
# Functions that record nothing: tensors on two tapes are as good as on one.
READERS = {"tensor_difference"}
# A weight belongs to its Params, which frees it: C cannot tell.
UNCHECKABLE = {("tensor_free", "a weight")}

# What is wrong about a value of a type: (name, expression, what must happen). 'error': an error; 'failure': the
# result of a failure, as of poison; '': anything but a crash, and an error of the one form if there is one. 'tapes': an
# error if another parameter is on the fixture's tape; 'ids': an error unless whole numbers may stand there.
TENSORS = [
    ("NULL", "NULL", "error"), ("poison", "tensor_poison()", "failure"), ("an earlier step", "f.stale", "error"),
    ("three resets old", "f.older", "error"), ("another tape", "f.foreign", "tapes"), ("ids", "f.ids", "ids"),
    ("a weight", "f.weight", ""), ("rank 0", "f.scalar", ""), ("rank 6", "f.deep", ""), ("size 0", "f.empty", ""),
    ("another shape", "f.wide", ""), ("a view", "f.view", ""),
]
INTS = [("-1", "-1", ""), ("0", "0", ""), ("the least", "INT_MIN", ""), ("the largest", "INT_MAX", ""),
        ("2^30", "1 << 30", "")]
LONGS = [("-1", "-1", ""), ("0", "0", ""), ("the least", "INT64_MIN", ""), ("the largest", "INT64_MAX", ""),
         ("2^40", "(int64_t)1 << 40", "")]
NUMBERS = [("NaN", "NAN", ""), ("infinity", "INFINITY", ""), ("-infinity", "-INFINITY", ""), ("-1", "-1", ""),
           ("0", "0", ""), ("2", "2", ""), ("1e300", "1e300", "")]
TEXTS = [("NULL", "NULL", "error"), ("empty", '""', ""), ("long", "f.long_text", ""), ("lines", '"a\\n\\033[1mb"', ""),
         ("not UTF-8", '"\\xff\\xfe"', "")]
SHAPES = [("rank -1", "(Shape){.rank = -1}", "error"), ("rank 1000", "(Shape){.rank = 1000}", "error"),
          ("an axis of -5", "shape2(2, -5)", "error"), ("2^80 elements", "shape2((int64_t)1 << 40, (int64_t)1 << 40)", "error"),
          ("2^40 elements", "shape1((int64_t)1 << 40)", ""), ("size 0", "shape2(0, 3)", ""), ("rank 0", "shape0()", "")]
MASKS = [("ids for keep", "(Mask){.keep = f.ids}", ""), ("reals for lengths", "(Mask){.lengths = f.x}", "failure"),
         ("window -1", "(Mask){.window = -1}", ""), ("global -1", "(Mask){.window = 1, .global = -1}", ""),
         ("dilation -1", "(Mask){.window = 1, .dilation = -1}", ""), ("stale keep", "(Mask){.keep = f.stale}", ""),
         ("poison keep", "(Mask){.keep = tensor_poison()}", "failure"),
         ("largest window", "(Mask){.window = INT_MAX, .dilation = INT_MAX, .global = INT_MAX}", "")]

# Parameters of whole numbers, and functions that take a tensor of either kind.
WHOLE_NUMBERS = {"ids", "targets", "positions", "types"}
EITHER_KIND = {"ag_keep", "ag_name", "nn_pretrained_run", "tape_param", "tensor_clone", "tensor_difference", "tensor_npy_write"}

# Counts of elements of an array: C cannot tell that the array is shorter, so only too small ones are tried, except
# where a contract states a maximum.
COUNTS = {"n", "count", "inputs", "B", "T", "tokens", "capacity", "size", "attrs_size", "positions", "words", "pairs",
          "metadata_count", "k", "length"}
BOUNDED = {"ag_concat", "ag_stack", "ag_split", "ag_apply", "ag_gradcheck", "rng_below"}

# Valid values where the type alone does not tell one.
VALID = {
    ("Tensor *", "ids"): "f.ids", ("Tensor *", "targets"): "f.ids",
    ("ag_gather", "ids"): "f.ids2", ("tape_ids", "ids"): "f.numbers",
    ("Tensor *", "loss"): "f.loss", ("Tensor *", "weight"): "f.weight", ("ag_linear", "bias"): "NULL",
    ("ag_conv1d", "weight"): "f.kernel1", ("ag_conv2d", "weight"): "f.kernel2", ("ag_conv1d", "bias"): "NULL",
    ("ag_conv2d", "bias"): "NULL", ("ag_conv1d", "x"): "f.cube", ("ag_conv2d", "x"): "f.image",
    ("ag_where", "mask"): "f.bits",
    ("ag_layernorm", "gain"): "f.row", ("ag_layernorm", "bias"): "f.row",
    ("data_tokeniser_open", "folder"): '"."', ("nn_pretrained_load", "folder"): "f.model",
    ("nn_pretrained_load", "m"): "&f_pretrained", ("nn_pretrained_free", "m"): "&f_pretrained",
    ("nn_pretrained_run", "input"): "f.short_ids", ("nn_pretrained_logits_cached", "ids"): "f.short_ids",
    ("nn_pretrained_logits_cached", "model"): "&f.Pretrained_", ("nn_gpt_cached", "model"): "&f.Gpt_",
    ("nn_encoder", "x"): "f.cube",
    ("nn_pretrained_run", "types"): "NULL", ("nn_pretrained_run", "lengths"): "NULL",
    ("nn_pretrained_run", "hidden"): "NULL",
    ("nn_pretrained_logits", "x"): "f.states", ("nn_pretrained_classify", "x"): "f.states",
    ("data_token_find", "token"): '"the"',
    ("ag_matmul", "b"): "f.turned", ("tape_find", "name"): '"x"',
    ("ag_split", "n"): "2", ("ag_split", "axis"): "1",
    ("ag_reshape", "shape"): "shape2(8, 4)", ("ag_expand", "shape"): "shape3(2, 4, 8)",
    ("ag_slice", "end"): "2", ("tape_find", "tape"): "f.tape", ("tensor_get", "index"): "f.zeros",
    ("ag_pad", "before"): "f.zeros", ("ag_pad", "after"): "f.zeros",
    ("ag_permute", "order"): "f.order", ("tensor_set_kernels", "name"): '"ref"', ("int", "heads"): "2",
    ("int64_t", "channels"): "8", ("const char *", "format"): '"text"', ("tensor_free", "t"): "f.own", ("ag_attention", "q"): "f.cube",
    ("ag_attention", "k"): "f.cube", ("ag_attention", "v"): "f.cube", ("real", "dropout"): "(real)0.1",
    ("ag_attention_composed", "q"): "f.cube", ("ag_attention_composed", "k"): "f.cube",
    ("ag_attention_composed", "v"): "f.cube", ("nn_attention", "x"): "f.cube", ("Tensor *", "memory"): "f.cube",
    ("nn_cross_attention", "x"): "f.cube", ("nn_transformer_block", "x"): "f.cube", ("nn_decoder_block", "x"): "f.cube",
    ("nn_position", "x"): "f.cube", ("nn_rnn", "x"): "f.cube", ("ag_embedding", "table"): "f.x",
}
TYPES = {
    "Tensor *": ("f.x", TENSORS), "const Tensor *": ("f.x", TENSORS), "int": ("1", INTS), "int64_t": ("1", LONGS),
    "unsigned": ("1", [("none", "0", ""), ("all", "~0u", "")]), "size_t": ("8", [("0", "0", "")]),
    "int32_t": ("1", INTS), "uint64_t": ("1", []), "bool": ("true", []),
    "double": ("0.5", NUMBERS), "real": ("(real)0.5", NUMBERS), "const char *": ('"name"', TEXTS),
    "Shape": ("shape2(4, 8)", SHAPES), "Mask": ("(Mask){0}", MASKS), "Tape *": ("f.tape", [("NULL", "NULL", "error")]),
    "const Tape *": ("f.tape", [("NULL", "NULL", "error")]),
    "Params *": ("f.params", [("NULL", "NULL", "error")]), "const Params *": ("f.params", [("NULL", "NULL", "error")]),
    "FILE *": ("f.file", [("NULL", "NULL", "")]), "Rng *": ("&f.rng", [("NULL", "NULL", "error")]),
    "Tensor *const *": ("f.list", [("NULL", "NULL", "error"), ("a list of NULLs", "f.nulls", "error")]),
    "const Tensor *const *": ("(const Tensor *const *)f.list",
                              [("NULL", "NULL", "error"), ("a list of NULLs", "(const Tensor *const *)f.nulls", "error")]),
    "Tensor **": ("f.list", [("NULL", "NULL", "error")]),
    "AgFunction": ("f_function", [("NULL", "NULL", "error")]),
    "const Op *": ("f_op()", [("NULL", "NULL", "error"), ("no op", "&f.no_op", "error")]),
    "Tokeniser *": ("f_tokeniser()", [("NULL", "NULL", "error")]),
    "const Tokeniser *": ("f.tokeniser", [("NULL", "NULL", "error")]),
    "TokenInput": ("(TokenInput){.text = \"the cat\"}",
                   [("no text", "(TokenInput){0}", "error"), ("-1 bytes", '(TokenInput){.text = "a", .bytes = -1}', ""),
                    ("2^40 bytes", '(TokenInput){.text = "a", .bytes = (int64_t)1 << 40}', "error"),
                    ("-1 tokens", '(TokenInput){.text = "a", .longest = -1}', "error"),
                    ("too few tokens", '(TokenInput){.text = "a", .longest = 1}', "error")]),
    "AtomicFile *": ("f_atomic()", [("NULL", "NULL", "error")]),
    "const char *const *": ("f.texts", [("NULL", "NULL", "error")]),
    "const char **": ("(const char *[1]){NULL}", [("NULL", "NULL", "")]),
}
ENUMS = {"PositionKind", "Activation", "RNNKind", "SentenceSplit", "TextPart", "PlotTerminal"}
ARRAYS = {"real": "f.reals", "int": "f.numbers", "int32_t": "f.numbers", "int64_t": "f.zeros", "char": "f.chars",
          "void": "f.bytes", "double": "f.doubles", "size_t": "f.sizes", "uint32_t": "f.bits32"}


def prototypes(path):
    text = re.sub(r"/\*.*?\*/", "", open(path).read(), flags=re.S)
    text = "\n".join(line for line in text.split("\n") if not line.startswith("#"))
    form = r"GRADUS_API\s+([\w\s*]+?)\b(\w+)\(([^;{]*?)\)\s*(?:GRADUS_PRINTF\([^)]*\))?;"
    for match in re.finditer(form, text):
        yield " ".join(match[1].split()), match[2], [" ".join(p.split()) for p in match[3].split(",")]


def split_parameter(text):
    match = re.match(r"(.*?)(\w+)(\[\w*\])?$", text)
    kind, name, array = match[1].strip(), match[2], match[3]
    return (kind + " *" if array else kind), name


def valid_and_wrong(function, kind, name):
    """The valid expression of a parameter, and its wrong ones."""
    base = kind.replace("const ", "").replace(" *", "").strip()
    if kind in TYPES:
        valid, wrong = TYPES[kind]
    elif base in ENUMS:
        valid, wrong = "0", [("-1", f"({base})-1", ""), ("1000", f"({base})1000", "")]
    elif kind.endswith("*") and base in ARRAYS:
        valid, wrong = ARRAYS[base], [("NULL", "NULL", "error")]
    elif kind.endswith("*"):
        valid, wrong = f"&f.{base}_", [("NULL", "NULL", "error"), ("zeros", f"&(({base}){{0}})", "")]
        STRUCTS.add(base)
    else:
        valid, wrong = f"({kind}){{0}}", []
    valid = VALID.get((function, name), VALID.get((kind, name), valid))
    if (function, name) in UNSEEN:
        wrong = [w for w in wrong if w[0] in ("-1", "0", "the least")]
    if name in COUNTS and function not in BOUNDED:
        wrong = [w for w in wrong if not w[1].endswith(("MAX", "30", "40"))]
    if name in ("path", "stem"):
        valid = '"misuse.tmp"'
    return valid, wrong


STRUCTS = set()


def must_happen(must, function, name, others):
    """What must happen, as misuse.c knows it; others: the types and valid expressions of the other parameters."""
    if must == "tapes" and function in READERS:
        return ""
    if must == "tapes":
        on_tape = [kind for kind, valid in others
                   if kind.endswith("Tape *") or kind.endswith("Tensor *") and valid not in ("NULL", "f.weight", "f.own")]
        return "error" if on_tape else ""
    if must == "ids":
        return "" if name in WHOLE_NUMBERS or function in EITHER_KIND else "error"
    return must


def main():
    cases, bodies = [], []
    for header in sys.argv[1:]:
        for result, function, texts in prototypes(header):
            if function in SKIPPED or texts == ["void"] or texts == [""]:
                continue
            parameters = [split_parameter(t) for t in texts if t != "..."]
            choices = [valid_and_wrong(function, kind, name) for kind, name in parameters]
            for i, (kind, name) in enumerate(parameters):
                for what, expression, must in choices[i][1]:
                    if (function, what) in UNCHECKABLE:
                        continue
                    others = [(parameters[k][0], choices[k][0]) for k in range(len(parameters)) if k != i]
                    must = must_happen(must, function, name, others)
                    if expression == "NULL" and (function, name) in NULL_ALLOWED:
                        must = ""
                    if function in PREDICATES and expression != "NULL":
                        must = ""
                    arguments = [expression if k == i else choices[k][0] for k in range(len(parameters))]
                    bodies.append((result, function, arguments))
                    cases.append((function, name, what, must))
    for base in sorted(STRUCTS):
        print(f"FIXTURE({base})")
    print("#ifdef CASES")
    for number, (result, function, arguments) in enumerate(bodies):
        call = f"{function}({', '.join(arguments)})"
        if result == "Tensor *":
            call = f"return tensor_is_poison({call}) ? FAILS : WORKS;"
        elif result == "bool":
            call = f"return {call} ? WORKS : FAILS;"
        elif result.endswith("*"):
            call = f"return {call} ? WORKS : FAILS;"
        elif result == "void":
            call = f"{call};\n    return NOTHING;"
        else:
            call = f"(void){call};\n    return NOTHING;"
        print(f"static Result case_{number}(void)\n{{\n    {call}\n}}")
    print("static const Case cases[] = {")
    for number, (function, name, what, must) in enumerate(cases):
        print(f'    {{"{function}", "{name}", "{what}", "{must}", case_{number}}},')
    print("};\n#endif")


main()
