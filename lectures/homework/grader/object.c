/* object.c: reads what was compiled of a submission (ELF, 64 bits), and says what may not be in it.
 *
 * In the object file: sections that compilers do not write, and code that would run before any test
 * does. In the library that is linked from it: calls of functions outside a list. The linker has
 * dropped what no function of the homework uses, such as a main of the student's, so that only
 * calls that can happen are judged. */
#include "grader.h"

#include <string.h>

#ifdef __linux__
#include <elf.h>

/* Also with f and l at the end. */
static const char mathematics[] =
    " acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 "
    "fabs fdim floor fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 "
    "log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow remainder remquo "
    "rint round scalbln scalbn sin sinh sqrt tan tanh tgamma trunc sincos cabs cexp clog cpow "
    "csqrt creal cimag conj carg ";

static const char others[] =
    /* memory */
    " malloc calloc realloc free aligned_alloc memcpy memmove memset memcmp memchr strlen strcmp "
    "strncmp strcpy strncpy strcat strncat strchr strrchr strstr bcmp mempcpy __memcpy_chk "
    "__memmove_chk __memset_chk __strcpy_chk __strcat_chk __strncpy_chk __strncat_chk "
    /* printing */
    "printf fprintf vprintf vfprintf sprintf snprintf vsnprintf puts putchar fputs fputc putc "
    "fflush fwrite stdout stderr perror __printf_chk __fprintf_chk __sprintf_chk __snprintf_chk "
    "__vfprintf_chk __vsnprintf_chk putc_unlocked "
    /* small helpers */
    "abs labs llabs qsort bsearch atoi atof strtol strtod div ldiv isalpha isdigit isspace toupper "
    "tolower __ctype_b_loc clock __errno_location "
    /* ending the program: the test it happens in has failed */
    "exit abort __assert_fail __assert "
    /* what compilers put in */
    "_GLOBAL_OFFSET_TABLE_ __stack_chk_fail __stack_chk_guard __tls_get_addr __fpclassify "
    "__fpclassifyf __isnan __isnanf __isinf __isinff __finite __finitef __signbit __signbitf "
    "__mulsc3 __muldc3 __divsc3 __divdc3 __powisf2 __powidf2 __popcountdi2 __exp_finite "
    "__expf_finite __log_finite __logf_finite __sqrt_finite __sqrtf_finite __pow_finite "
    "__powf_finite __dso_handle __aarch64_ldadd4_acq_rel ";

static bool in_list(const char *list, const char *name, size_t length)
{
    for (const char *at = list; (at = strchr(at, ' ')) && at[1]; at++)
        if (strncmp(at + 1, name, length) == 0 && at[1 + length] == ' ')
            return true;
    return false;
}

static bool begins_with(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static bool may_call(const char *name, const Assignment *a, bool sanitized)
{
    static const char wrapped[] = "__wrap_"; /* malloc and the others, see runner/heap.c */
    if (begins_with(name, wrapped))
        name += sizeof wrapped - 1;
    size_t length = strlen(name);
    char last = length ? name[length - 1] : 0;
    if (in_list(others, name, length) || in_list(mathematics, name, length))
        return true;
    if ((last == 'f' || last == 'l') && in_list(mathematics, name, length - 1))
        return true;
    if (assignment_function(a, name) >= 0 || lab_declares(a, name))
        return true;
    if (sanitized && (begins_with(name, "__asan_") || begins_with(name, "__ubsan_") ||
                      begins_with(name, "__sanitizer_")))
        return true;
    return overlay_allows(a, name) || overlay_allows(a, "*");
}

/* Names that the assembler gives to tables of its own; bytes of the submission in them would be
 * taken for the table. */
static bool is_table(const char *name)
{
    return begins_with(name, ".rel") || begins_with(name, ".sym") || begins_with(name, ".str") ||
           begins_with(name, ".shstr") || begins_with(name, ".group");
}

static bool known_section(const char *name, const Elf64_Shdr *s)
{
    static const char *const known[] = {
        ".text",  ".data",  ".rodata",     ".bss",   ".debug",   ".eh_frame", ".comment",
        ".note",  ".sym",   ".str",        ".shstr", ".tbss",    ".tdata",    ".rel",
        ".group", ".stack", ".gcc_except", ".llvm",  ".lrodata", ".lbss",     ".ldata",
    };
    if (!*name)
        return true;
    if (is_table(name) && (s->sh_type == SHT_PROGBITS || s->sh_flags & SHF_ALLOC))
        return false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (begins_with(name, known[i]))
            return !strstr(name, "init_array") && !strstr(name, "fini_array") &&
                   !strstr(name, "ctors") && !strstr(name, "dtors");
    return false;
}

/* ---- the file -------------------------------------------------------------------------------- */

typedef struct {
    Text file;
    const Elf64_Ehdr *head;
    const Elf64_Shdr *section;
} Elf;

static const void *part(const Elf *e, uint64_t offset, uint64_t size)
{
    return offset <= e->file.length && size <= e->file.length - offset ? e->file.data + offset
                                                                       : NULL;
}

/* A name in a table of strings; never beyond its end. */
static const char *name_in(const Elf *e, unsigned table, uint32_t at)
{
    if (table >= e->head->e_shnum)
        return "?";
    const Elf64_Shdr *s = &e->section[table];
    const char *names = part(e, s->sh_offset, s->sh_size);
    return names && at < s->sh_size && memchr(names + at, 0, s->sh_size - at) ? names + at : "?";
}

static bool open_elf(Elf *e, const char *path)
{
    if (!file_read(path, &e->file))
        return false;
    e->head = part(e, 0, sizeof *e->head);
    if (!e->head || memcmp(e->head->e_ident, ELFMAG, SELFMAG) != 0 ||
        e->head->e_ident[EI_CLASS] != ELFCLASS64)
        return false;
    e->section = part(e, e->head->e_shoff, (uint64_t)e->head->e_shnum * sizeof *e->section);
    return e->section != NULL;
}

static void refuse(Object *o, const char *kind, const char *name, const char *why)
{
    text_print(&o->refused, "%s %.80s: %s\n", kind, name, why);
}

static void read_symbol(Object *o, const Elf *e, const Elf64_Sym *s, unsigned names,
                        const Assignment *a)
{
    const char *name = name_in(e, names, s->st_name);
    int type = ELF64_ST_TYPE(s->st_info), binding = ELF64_ST_BIND(s->st_info);
    int f = assignment_function(a, name);
    if (type == STT_GNU_IFUNC)
        refuse(o, "function", name, "an ifunc would run before the tests do");
    if (begins_with(name, "__real_") || begins_with(name, "__wrap_"))
        refuse(o, "name", name, "names of the linker's cannot be used");
    if (s->st_shndx == SHN_UNDEF || binding == STB_LOCAL)
        return;
    o->has_main = o->has_main || strcmp(name, "main") == 0;
    if (f >= 0 && type == STT_FUNC)
        o->defines[f] = true;
}

static void read_section(Object *o, const Elf *e, const Elf64_Shdr *s, const Assignment *a,
                         bool sanitized)
{
    const char *name = name_in(e, e->head->e_shstrndx, s->sh_name);
    bool runs_early = s->sh_type == SHT_INIT_ARRAY || s->sh_type == SHT_FINI_ARRAY ||
                      s->sh_type == SHT_PREINIT_ARRAY;
    if ((runs_early || !known_section(name, s)) && !sanitized && !overlay_allows(a, "*"))
        refuse(o, "section", name,
               "code that runs before the tests (a constructor), or a section of its own, is not "
               "allowed");
    if (s->sh_type != SHT_SYMTAB)
        return;
    const Elf64_Sym *symbols = part(e, s->sh_offset, s->sh_size);
    for (uint64_t i = 1; symbols && i < s->sh_size / sizeof *symbols; i++)
        read_symbol(o, e, &symbols[i], s->sh_link, a);
}

void object_read(Object *o, const char *path, const Assignment *a, bool sanitized)
{
    Elf e = {.head = NULL};
    bool readable = open_elf(&e, path);
    *o = (Object){.has_main = false};
    for (int i = 0; readable && i < e.head->e_shnum; i++)
        read_section(o, &e, &e.section[i], a, sanitized);
    if (!readable)
        text_put(&o->refused,
                 "the compiled file is not ELF of 64 bits, which is what can be checked\n");
    text_free(&e.file);
}

/* ---- the library ----------------------------------------------------------------------------- */

/* Names that a person writes: not those that compilers put in. */
static void put_names(Text *to, const char *list)
{
    for (const char *at = list + strspn(list, " "); *at;) {
        size_t length = strcspn(at, " ");
        if (*at != '_' && !in_list(" bcmp mempcpy putc_unlocked sincos ", at, length)) {
            text_put(to, to->length ? " " : "");
            text_add(to, at, length);
        }
        at += length;
        at += strspn(at, " ");
    }
}

void allowed_functions(Text *mathematical, Text *other)
{
    put_names(mathematical, mathematics);
    put_names(other, others);
}

static void read_call(const Elf *e, const Elf64_Sym *s, unsigned names, const Assignment *a,
                      bool sanitized, Text *refused)
{
    const char *name = name_in(e, names, s->st_name);
    if (strcmp(name, "__cxa_atexit") == 0)
        name = "atexit"; /* which is a small function of its own in every library */
    if (s->st_shndx == SHN_UNDEF && *name && !may_call(name, a, sanitized))
        text_print(refused,
                   "your file calls %.80s, which is not in the list of functions that can be "
                   "called (if it is your own: is it written, and is its name spelled right?)\n",
                   name);
}

/* Code that would run while the library is loaded, before all walls stand: what the loader calls,
 * and relocations whose value is what a function returns. The sanitizer brings functions of its
 * own. */
static void read_early_code(const Elf *e, const Elf64_Shdr *s, bool sanitized, Text *refused)
{
    const Elf64_Dyn *entries = s->sh_type == SHT_DYNAMIC ? part(e, s->sh_offset, s->sh_size) : NULL;
    for (uint64_t i = 0; entries && i < s->sh_size / sizeof *entries; i++) {
        Elf64_Sxword tag = entries[i].d_tag;
        bool array = tag == DT_INIT_ARRAY || tag == DT_FINI_ARRAY || tag == DT_PREINIT_ARRAY;
        if (tag == DT_INIT || tag == DT_FINI || (array && !sanitized)) {
            text_put(refused, "your file has a function that would run before the tests\n");
            return;
        }
    }
    const Elf64_Rela *relocations =
        s->sh_type == SHT_RELA ? part(e, s->sh_offset, s->sh_size) : NULL;
    for (uint64_t i = 0; relocations && i < s->sh_size / sizeof *relocations; i++) {
        uint64_t type = ELF64_R_TYPE(relocations[i].r_info);
        if (type == R_X86_64_IRELATIVE || type == R_AARCH64_IRELATIVE) {
            text_put(refused, "your file has an ifunc, which would run before the tests\n");
            return;
        }
    }
}

bool library_allowed(const char *path, const Assignment *a, bool sanitized, Text *refused)
{
    Elf e = {.head = NULL};
    size_t before = refused->length;
    bool readable = open_elf(&e, path), found = false;
    for (int i = 0; readable && i < e.head->e_shnum; i++) {
        const Elf64_Shdr *s = &e.section[i];
        const Elf64_Sym *symbols =
            s->sh_type == SHT_DYNSYM ? part(&e, s->sh_offset, s->sh_size) : NULL;
        found = found || symbols;
        if (!overlay_allows(a, "*"))
            read_early_code(&e, s, sanitized, refused);
        for (uint64_t k = 1; symbols && k < s->sh_size / sizeof *symbols; k++)
            read_call(&e, &symbols[k], s->sh_link, a, sanitized, refused);
    }
    if (!found)
        text_put(refused, "the linked library has no list of what it calls\n");
    text_free(&e.file);
    if (found && refused->length > before) {
        Text mathematical = {0}, other = {0};
        allowed_functions(&mathematical, &other);
        text_print(refused,
                   "These can be called, also with f or l at the end: %s. And these: %s.\n",
                   text_of(&mathematical), text_of(&other));
        text_free(&mathematical);
        text_free(&other);
    }
    return refused->length == before;
}

bool submissions_are_held(void)
{
    return true;
}

#else

/* Another system's compiled files are not ELF. Only a student's own file is graded there, which is
 * trusted: each function counts as defined, and every call as allowed. */
bool submissions_are_held(void)
{
    return false;
}

void object_read(Object *o, const char *path, const Assignment *a, bool sanitized)
{
    (void)path, (void)sanitized;
    *o = (Object){.has_main = false};
    for (int i = 0; i < a->functions; i++)
        o->defines[i] = true;
}

void allowed_functions(Text *mathematical, Text *other)
{
    (void)mathematical, (void)other;
}

bool library_allowed(const char *path, const Assignment *a, bool sanitized, Text *refused)
{
    (void)path, (void)a, (void)sanitized, (void)refused;
    return true;
}

#endif
