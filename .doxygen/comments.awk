# comments.awk: a public header for Doxygen, which knows a comment by its second star.
#
#   awk -f .doxygen/comments.awk tensor/tensor.h
#
# The comment above a declaration becomes its description, a comment behind it (or behind a member) too.
# Of declarations under one comment, each has it: down to the next comment or empty line, or past a struct.
# What is indented stays as it is laid out (equations); what Doxygen would take for its own is made harmless.

function plain(text)
{
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    gsub(/>/, "\\&gt;", text)
    gsub(/[@\\#%"]/, "\\\\&", text)
    return text
}

# The comment's lines as text: indented ones between <pre> and </pre>.
function described(comment,    line, count, i, text, inside, out)
{
    count = split(comment, line, "\n")
    for (i = 1; i <= count; i++) {
        text = line[i]
        sub(/^ *\/\* ?|^ *\* ?/, "", text)
        sub(/ *\*\/ *$/, "", text)
        if (text ~ /^  / && !inside) {
            out = out "<pre>"
            inside = 1
        } else if (text !~ /^  / && text != "" && inside) {
            out = out "</pre>\n"
            inside = 0
        }
        out = out plain(text) "\n"
    }
    sub(/\n$/, "", out)
    return out (inside ? "</pre>" : "")
}

# A comment behind a declaration: /* ... */ becomes /**< ... */.
function behind(line,    at)
{
    at = match(line, / *\/\* .*\*\/ *$/)
    return at ? substr(line, 1, at - 1) " /**< " described(substr(line, at)) " */" : line
}

# A declaration of a function, whole. A further one under the same comment has it too, unless it has its own.
function declare(text)
{
    if (text ~ /_free\(/ && (above == "" || !fresh) && text !~ /\*\/ *$/)
        print "/** Gives back all that it holds. */"
    else if (above != "" && !fresh && text !~ /\*\/ *$/)
        print "/** " above " */"
    fresh = 0
    print behind(text)
}

# A comment on lines of its own.
function block(comment)
{
    if (comment ~ /^\/\* ----/) { # a section's title, which the reference shows above its functions
        above = ""
        gsub(/^\/\* -+ *| *-+[^-]*-* *\*\/$/, "", comment)
        print (sections++ ? "/** @} */ " : "") "/** @name " plain(comment) "\n@{ */"
        return
    }
    above = described(comment)
    fresh = 1
    if (!begun++)
        above = "@file\n" above
    print "/** " above " */"
    if (begun == 1)
        above = ""
}

inside_comment {
    comment = comment "\n" $0
    if (/\*\//) {
        inside_comment = 0
        block(comment)
    }
    next
}
/^ *\/\*/ {
    comment = $0
    if (/\*\//)
        block(comment)
    else
        inside_comment = 1
    next
}
/^$/ { above = "" }
/^GRADUS_API/ {
    while (!/;/ && (getline more) > 0)
        $0 = $0 "\n" more
    declare($0)
    next
}
/^}|^typedef.*;/ { fresh = 0 } # what is said above a type holds for its functions too
# The last section ends with the declarations.
/^GRADUS_END/ && sections {
    print "/** @} */"
    sections = 0
}
{ print behind($0) }
END {
    if (FILENAME ~ /gradus\.h$/)
        print "/** @mainpage The reference\nA program includes gradus.h, which has these:\n" \
            "- tensor/tensor.h: shapes, tensors, errors, memory, random numbers, files\n" \
            "- autograd/autograd.h: the tape, the ops, and backward\n" \
            "- nn/nn.h: modules, their weights, and what trains them\n" \
            "- nn/decode/decode.h: the KV cache, sampling and beam search\n" \
            "- nn/pretrained/pretrained.h: models that others have trained\n" \
            "- data/data.h: vocabularies, tokenisers, data sets and batches\n" \
            "- plot/plot.h: attention maps, arcs, bars and curves\n" \
            "\nBeside it: autograd/inspect.h (events and edits), nn/slices.h (batches that processes share),\n" \
            "plot/pages.h (pages for a browser), tensor/files.h (files that appear as a whole), nn/mpi/gradus_mpi.h. From PyTorch: nn/from-pytorch.md. */"
}
