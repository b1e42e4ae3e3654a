/* assembly.c: judges what the compiler wrote for the assembler.
 *
 * Some strings of a C text reach the assembler unchanged, and one with a line end in it could carry
 * an order to the assembler, such as .incbin, which reads a file. So every directive in the text
 * has to be one that compilers write, and the marks that compilers put around inline assembly must
 * not be there. */
#include "compile.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* What gcc and clang write for C, with and without sanitizers, for x86-64 and AArch64. */
static const char directives[] =
    " .file .loc .text .data .bss .section .globl .global .local .weak .hidden .internal "
    ".protected .type .size .align .p2align .balign .string .asciz .ascii .byte .short .value "
    ".word .hword .2byte .long .int .4byte .quad .xword .8byte .octa .float .single .double .zero "
    ".skip .space .fill .comm .lcomm .set .ident .uleb128 .sleb128 .org .addrsig .addrsig_sym "
    ".arch .cpu .tune .variant_pcs .tlsdesccall .inst .intel_syntax .att_syntax .loc_mark_labels "
    ".cfi_startproc .cfi_endproc .cfi_def_cfa .cfi_def_cfa_offset .cfi_def_cfa_register "
    ".cfi_offset .cfi_rel_offset .cfi_restore .cfi_remember_state .cfi_restore_state "
    ".cfi_adjust_cfa_offset .cfi_escape .cfi_personality .cfi_lsda .cfi_sections .cfi_undefined "
    ".cfi_same_value .cfi_register .cfi_return_column .cfi_window_save .cfi_negate_ra_state "
    ".cfi_b_key_frame .cfi_signal_frame .cfi_llvm_def_aspace_cfa ";

static void refuse(Text *said, const char *what, size_t length)
{
    text_print(
        said,
        "assembly: %.*s: a string of your file would give the assembler an order; leave it out\n",
        (int)length, what);
}

static bool is_known(const char *word, size_t length)
{
    char wanted[40];
    snprintf(wanted, sizeof wanted, " %.*s ", (int)length, word);
    return length < 36 && strstr(directives, wanted);
}

/* A label or a directive at the beginning of a statement; an instruction is anything else. */
static bool statement_allowed(const char *p, const char *end, Text *said)
{
    while (p < end && isspace((unsigned char)*p))
        p++;
    size_t length = 0;
    while (p + length < end && (isalnum((unsigned char)p[length]) || strchr("._$", p[length])))
        length++;
    bool label = p + length < end && p[length] == ':';
    if (label)
        return statement_allowed(p + length + 1, end, said);
    if (*p != '.' || length == 0 || is_known(p, length))
        return true;
    refuse(said, p, length);
    return false;
}

/* The end of a statement: of the line, or a semicolon outside of quotes. */
static const char *statement_end(const char *p)
{
    bool quoted = false;
    for (; *p && *p != '\n' && (quoted || *p != ';'); p++) {
        if (quoted && *p == '\\' && p[1] && p[1] != '\n')
            p++;
        else if (*p == '"')
            quoted = !quoted;
    }
    return p;
}

bool assembly_allowed(const char *text, Text *said)
{
    bool good = true;
    for (const char *p = text; *p && said->length < 4000;) {
        if (strncmp(p, "#APP", 4) == 0 || strncmp(p, "//APP", 5) == 0) {
            text_put(said, "asm: assembly is not allowed, write it in C\n");
            return false;
        }
        const char *end = statement_end(p);
        good = statement_allowed(p, end, said) && good;
        p = end + (*end != 0);
    }
    return good;
}
