"""Makes placed/NAME.h from each public header FOLDER/NAME.h, and placed/types.h:  python3 placed/placed.py OUT gradus.h HEADER...

NAME.h has a macro for each public function, which calls it and then tensor_place (tensor/placed.h), so that an error names the program's
own line. All that a macro needs stands in the prototype: the type of the result says which result means a failure. types.h renames each type
that gradus.h brings for GRADUS_PREFIX_TYPES, and gives the names back where it is included a second time. meson.build calls this when a
header has changed. The files lie in the source, where every program that includes a header finds them, and git ignores them. OUT lists them.
"""
import os
import re
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
# Functions that cannot fail, and what the macros themselves call.
PLAIN = """
adam_free tensor_file_discard tensor_file_stream data_bert_masking data_bpe_free data_file_free data_images_free data_labelled_free
data_sequences_free data_text_free data_token data_token_batch_free data_token_find data_tokeniser_count data_tokeniser_free data_tokens_free
data_vocab_free nn_beam_free nn_cache_free nn_candidates_free nn_constant nn_kaiming_uniform nn_noam nn_normal nn_one_cycle
nn_pretrained_decoder nn_pretrained_free nn_slices_free
nn_warmup_cosine nn_warmup_linear params_free plot_has_gnuplot plot_notes rng_bits rng_hash rng_normal rng_uniform safetensors_find
safetensors_free sgd_free shape0 shape1 shape2 shape3 shape4 shape5 shape_equal gradus_version shape_last shape_rows shape_size shape_str
tape_free tape_on_event tape_reset tensor_clear_error tensor_describe tensor_error tensor_failed tensor_is_contiguous tensor_is_poison
tensor_kernels tensor_on_error tensor_poison tensor_set_allocator tensor_set_threads tensor_size tensor_threads tensor_fail shape_check ag_place
""".split()
# The macro for a result of each type (tensor/placed.h); of any other pointer, a NULL is a failure.
MACROS = {"bool": "OK", "int": "INT", "int32_t": "INT", "int64_t": "NUMBER", "size_t": "SIZE", "real": "REAL", "double": "DOUBLE",
          "const char *": "TEXT", "void": "VOID"}


def macros_of(header, code):
    """The lines of the functions that a header declares, and the names of all of them."""
    functions = re.findall(r"\bGRADUS_API\s+([\w\s*]+?)\b(\w+)\(", re.sub(r"/\*.*?\*/|^#(?:\\\n|[^\n])*", "", code, flags=re.S | re.M))
    lines, pointers = [], []
    for result, name in functions:
        result = " ".join(result.split())
        if name in PLAIN:
            continue
        if result == "Tensor *":
            macro = ("TENSOR" if header.startswith(("tensor/", "data/", "plot/")) else "AG") + "_PLACED"
        elif result in MACROS:
            macro = "TENSOR_PLACED_" + MACROS[result]
        else:
            assert result.endswith(" *"), f"{header}: {name} returns {result}; expected a type of MACROS, a pointer, or a function of PLAIN"
            own = "placed_" + result[:-2].replace("const ", "")
            if own not in pointers:
                pointers.append(own)
                lines.append(f"TENSOR_DEFINE_PLACED({own}, {result}, !x)")
            lines.append(f"#define {name}(...) {own}({name}(__VA_ARGS__), TENSOR_HERE({name}))")
            continue
        lines.append(f"#define {name}(...) {macro}({name}, __VA_ARGS__)")
    return lines, [name for _, name in functions]


FILE = """/* placed/{name}.h: the program's own file and line in every error of {header}. Made from it by placed.py. */
#ifndef GRADUS_PLACED_{guard}_H
#define GRADUS_PLACED_{guard}_H

#include "{header}"

#ifndef GRADUS_INSIDE
#pragma GCC system_header /* gcc reports an error in these macros at the call */
{lines}
#endif

#endif
"""


TYPES = """/* placed/types.h: GRADUS_PREFIX_TYPES, of gradus.h. Made by placed.py. */
#ifndef GRADUS_TYPES_PREFIXED
#define GRADUS_TYPES_PREFIXED
{}
#else
{}
#endif
"""


def types_of(code):
    """Those that a program might have itself: all but those with a prefix."""
    names = re.findall(r"^\} ([A-Z][A-Za-z]*);|^typedef (?:struct|enum) .*[ }]([A-Z][A-Za-z]*);", code, re.M)
    return [a or b for a, b in names if not re.match(r"Plot|(Pretrained|Tape|Tensor)[A-Z]", a or b)]


def write(name, text):
    """Leaves a file with this text alone: a source that cannot be written may have all of them. Another build may read the file just now:
    it finds the old text or the new one."""
    path, part = os.path.join(FOLDER, name), os.path.join(FOLDER, f"{name[:-2]}.{os.getpid()}.h")
    if not os.path.exists(path) or open(path, encoding="utf-8").read() != text:
        with open(part, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(part, path)


def main(out, gradus, *headers):
    with open(gradus, encoding="utf-8") as file:
        included = re.findall('#include "(.*)"', file.read())
    known, types = set(), set()
    for path in headers:
        header = os.path.relpath(path, os.path.dirname(FOLDER)).replace(os.sep, "/")
        name = os.path.basename(header)[:-2]
        with open(path, encoding="utf-8") as file:
            code = file.read()
        lines, functions = macros_of(header, code)
        known.update(functions)
        types.update(types_of(code) if header in included else [])
        write(name + ".h", FILE.format(name=name, guard=name.upper(), header=header, lines="\n".join(lines)))
    assert known >= set(PLAIN), f"no public functions: {sorted(set(PLAIN) - known)}"
    types = sorted(types)
    write("types.h", TYPES.format("\n".join(f"#define {t} Gradus{t}" for t in types), "\n".join(f"#undef {t}" for t in types)))
    with open(out, "w", encoding="utf-8") as file:
        file.write("".join(f"placed/{os.path.basename(path)}\n" for path in headers))


main(*sys.argv[1:])
