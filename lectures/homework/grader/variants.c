/* variants.c: the small changes of a student's function, all in one text, so that they are compiled
 * once: a number chooses one of them while the program runs.
 *
 *   x[i * n + j]   becomes   x[(_homework_variant == 7 ? i * m + j : i * n + j)]
 *
 * Only tokens are looked at, and the declarations of plain variables: a change may not compile.
 * Each begins a line, so that the compiler's message tells which it is, and the next text is made
 * without it (search.c). */
#include "search.h"
#include "tokens.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A plain variable, and the tokens between which it is known. Its type is "r" for a real number,
 * "i" for a whole one, else the words of its declaration. */
typedef struct {
    int name, from, to;
    char type[40];
} Variable;

enum { VARIABLES_MAX = 64, FUNCTIONS = 16 };

typedef struct {
    Variants *v;
    Tokens tokens;
    Token *t; /* they */
    int functions, variables;
    int function[FUNCTIONS]; /* their names' tokens */
    Variable variable[VARIABLES_MAX];
} Maker;

static const char BASES[] = " real double float int long unsigned size_t char bool void const ",
                  HEADS[] = " for while if switch return sizeof else do case break continue ",
                  ASSIGNS[] = " = += -= *= /= ", OPERATORS[] = " + - * / % < <= > >= == != ";
static const char BOUND[] = "another comparison or bound", SIGN[] = "another sign",
                  OPERATOR[] = "another operator", VARIABLE[] = "another variable",
                  CONSTANT[] = "another constant", FEWER[] = "one factor or term fewer",
                  MORE[] = "one more factor",
                  ASSIGN[] = "the other one of = and +=", CALL[] = "no call of a function";

static bool is(const Maker *m, int k, const char *words)
{
    return token_is(&m->tokens, k, words);
}

/* ---- functions and variables ----------------------------------------------------------------- */

/* Adds the function of this name, and those of the student's own that it calls. */
static bool add_function(Maker *m, const Assignment *a, const char *name)
{
    int k = 0;
    char called[48], wanted[50];
    snprintf(wanted, sizeof wanted, " %s ", name);
    while (k < m->tokens.count &&
           !(is(m, k, wanted) && is(m, k + 1, " ( ") && is(m, m->t[k + 1].match + 1, " { ")))
        k = is(m, k, " { ") ? m->t[k].match + 1 : k + 1;
    for (int i = 0; i < m->functions; i++)
        if (m->function[i] == k)
            return true;
    if (k == m->tokens.count || m->functions == FUNCTIONS)
        return false;
    m->function[m->functions++] = k;
    for (int j = m->t[k + 1].match + 1; j < m->t[m->t[k + 1].match + 1].match; j++) {
        snprintf(called, sizeof called, "%.*s", m->t[j].length, m->t[j].at);
        if (token_is_name(&m->tokens, j) && is(m, j + 1, " ( ") &&
            assignment_function(a, called) < 0)
            add_function(m, a, called);
    }
    return true;
}

/* Where what is declared at `begin` ends to be known. */
static int scope_end(const Maker *m, int begin)
{
    if (!is(m, begin - 1, " ( "))
        return token_find(&m->tokens, begin, " } ");
    int k = token_find(&m->tokens, begin, " ) ") + 1; /* behind the brackets after for */
    while (k < m->tokens.count && !is(m, k, " ; { "))
        k = is(m, k, " ( ") ? m->t[k].match + 1 : k + 1;
    return is(m, k, " { ") ? m->t[k].match : k;
}

/* The variables that are declared with the type from `begin` to `base`; a parameter is known up to
 * `close`, others have 0. Returns the last token. */
static int add_variables(Maker *m, int begin, int base, int close)
{
    bool real = is(m, base, " real double float "), whole = is(m, base, " int long size_t ");
    for (int k = base + 1;; k++) {
        int stars = 0, name;
        for (; is(m, k, " * const restrict "); k++)
            stars += is(m, k, " * ");
        if (!token_is_name(&m->tokens, k) || m->variables == VARIABLES_MAX)
            return k; /* a cast */
        for (name = k++; is(m, k, " [ "); k = m->t[k].match + 1)
            stars++;
        k = token_find(&m->tokens, k, " , ; ) ");
        Variable *v = &m->variable[m->variables++];
        *v = (Variable){name, k, close ? close : scope_end(m, begin), "r"};
        if (stars || !real)
            snprintf(v->type, sizeof v->type, stars || !whole ? "%s%.*s%.*s" : "i",
                     is(m, begin, " const ") ? "const " : "", m->t[base].length, m->t[base].at,
                     stars, "****");
        if (close || !is(m, k, " , "))
            return k;
    }
}

static void read_variables(Maker *m, int name)
{
    int open = m->t[name + 1].match + 1, close = m->t[open].match;
    m->variables = 0;
    for (int k = name + 2, begin = k; k < close; begin = ++k)
        if (is(m, k, BASES)) {
            while (is(m, k + 1, BASES) || is(m, k, " const "))
                k++;
            k = add_variables(m, begin, k, k < open ? close : 0);
        }
}

static bool knows(const Variable *v, int k)
{
    return v->from <= k && k < v->to;
}

/* The variable that token k is, or declares. */
static const Variable *variable_at(const Maker *m, int k)
{
    for (int i = m->variables - 1;
         i >= 0 && token_is_name(&m->tokens, k) && !is(m, k - 1, " . -> "); i--) {
        const Variable *v = &m->variable[i];
        if (v->name == k || (tokens_same(&m->tokens, v->name, k) && knows(v, k)))
            return v;
    }
    return NULL;
}

static bool is_type(const Maker *m, int k, const char *type)
{
    const Variable *v = variable_at(m, k);
    return v && strcmp(v->type, type) == 0;
}

static bool is_pointer(const Maker *m, int k)
{
    const Variable *v = variable_at(m, k);
    return v && strchr(v->type, '*') && !is(m, k + 1, " [ ");
}

static bool is_cast(const Maker *m, int close)
{
    return is(m, close, " ) ") && is(m, m->t[close].match + 1, BASES);
}

static bool is_binary(const Maker *m, int k)
{
    return is(m, k, OPERATORS) && !is(m, k - 1, BASES) && !is(m, k - 1, HEADS) &&
           !is_cast(m, k - 1) && (is(m, k - 1, " ) ] ") || isalnum((unsigned char)*m->t[k - 1].at));
}

/* ---- one change ------------------------------------------------------------------------------ */

/* The tokens from..to in one line, with `with` in the place of token `one`; where `other` is not
 * -1, these two names are exchanged. */
static const char *words(const Maker *m, int from, int to, int one, int other, const char *with)
{
    static Text line;
    text_cut(&line, 0);
    for (int k = from; k <= to; k++) {
        int shown = other < 0                           ? k
                    : tokens_same(&m->tokens, k, one)   ? other
                    : tokens_same(&m->tokens, k, other) ? one
                                                        : k;
        if (other < 0 && k == one)
            text_print(&line, "%s ", with);
        else
            text_print(&line, "%.*s ", m->t[shown].length, m->t[shown].at);
    }
    return text_of(&line);
}

/* The expression from..to may become another one, because of token k. Outer expressions come before
 * inner ones. */
static void choose(Maker *m, const char *kind, int k, int from, int to, const char *format, ...)
{
    int number = m->v->count;
    Change *c = &m->v->change[number];
    va_list values;
    if (number == CHANGES_MAX)
        return;
    m->v->count++;
    c->line = m->t[k].line;
    c->kind = (kind == CONSTANT || kind == FEWER) && m->t[k].header ? BOUND : kind;
    if (c->left_out)
        return;
    char other[1000];
    va_start(values, format);
    bool fits = vsnprintf(other, sizeof other, format, values) < (int)sizeof other;
    va_end(values);
    if (!fits)
        return;
    text_print(&m->t[from].before, "\n(_homework_variant == %d ? %s :\n", number, other);
    text_put(&m->t[to].after, ")");
}

/* ---- all changes ----------------------------------------------------------------------------- */

/* What is assigned or returned: with one more factor; added in place of set. */
static void change_value(Maker *m, int k)
{
    bool returns = is(m, k, " return "), adds = is(m, k, " += -= ");
    int from = k + 1, to = token_find(&m->tokens, from, " , ; ) ") - 1, left = k;
    while (!returns && !is(m, left - 1, " ) ; { } ( [ , : else ") && !is(m, left - 1, BASES))
        left = m->t[left - 1].match >= 0 ? m->t[left - 1].match : left - 1;
    const Variable *set = variable_at(m, left);
    if (to < from || is(m, from, " { ") || !(returns || (set && !is_pointer(m, left))))
        return;
    Text value = {0};
    text_put(&value, words(m, from, to, -1, -1, ""));
    for (const Variable *w = m->variable; w < m->variable + m->variables; w++)
        for (const char *sign = "*/"; *sign && !w->type[1] && knows(w, k); sign++)
            choose(m, MORE, k, from, to, "(%s) %c %.*s", text_of(&value), *sign,
                   m->t[w->name].length, m->t[w->name].at);
    if (!returns && (adds || set->name != left))
        choose(m, ASSIGN, k, from, to, adds ? "(%s = 0, %s%s)" : "%s + %s(%s)",
               words(m, left, k - 1, -1, -1, ""), is(m, k, " -= ") ? "-" : "", text_of(&value));
    text_free(&value);
}

/* Another operator in the place of the one at k. */
static void change_operator(Maker *m, int k, int from, int to)
{
    static const char *const all[][6] = {{"<", "<=", ">", ">="},
                                         {"==", "!="},
                                         {"+", "-", "*", "/", "%"}};
    int group = is(m, k, " < <= > >= ") ? 0 : is(m, k, " == != ") ? 1 : 2;
    bool whole = is_type(m, k - 1, "i") && !is_cast(m, k - 2), sum = is(m, k, " + - ");
    for (int i = 0; all[group][i]; i++) {
        bool sign = group == 2 && sum && i < 2;
        if ((group == 2 && !sign && is_pointer(m, from)) || (i == 4 && !whole))
            continue;
        choose(m,
               group < 2 ? BOUND
               : sign    ? SIGN
                         : OPERATOR,
               k, from, to, "%s", words(m, from, to, k, -1, all[group][i]));
    }
}

/* Another operator, another sign, two whole numbers exchanged, without its first part. */
static void change_expression(Maker *m, int from)
{
    bool begins = is(m, from - 1, " ( [ , ? : && || return ") || is(m, from - 1, ASSIGNS) ||
                  (is(m, from - 1, " ; ") && m->t[from].header);
    int to = token_find(&m->tokens, from, " ) ] } ; , ? : && || = += -= *= /= ") - 1, first = 0;
    if (!begins || to < from || is(m, from, BASES) || is(m, from, " { "))
        return;
    for (int k = from; k <= to; k = m->t[k].match > k ? m->t[k].match + 1 : k + 1) {
        if (is_binary(m, k))
            change_operator(m, k, from, to);
        if (is_binary(m, k) && !first++ && is(m, k, " + * ") && !is_pointer(m, from))
            choose(m, FEWER, k, from, to, "%s", words(m, k + 1, to, -1, -1, ""));
        for (int j = from; j < k; j++)
            if (is_type(m, j, "i") && is_type(m, k, "i") && !tokens_same(&m->tokens, j, k))
                choose(m, VARIABLE, k, from, to, "%s", words(m, from, to, j, k, ""));
    }
    if (is_type(m, from, "r") || is(m, from, " ( - ") || is(m, from + 1, " ( "))
        choose(m, SIGN, from, from, to, "-(%s)", words(m, from, to, -1, -1, ""));
}

/* Without the factor or term behind an operator; without a call. */
static void change_part(Maker *m, int k)
{
    int end = k + 1;
    while (is(m, end, " - ") || (is(m, end, " ( ") && is_cast(m, m->t[end].match)))
        end = m->t[end].match > end ? m->t[end].match + 1 : end + 1;
    end = m->t[end].match > end ? m->t[end].match : end;
    while (is(m, end + 1, " [ ( . -> "))
        end = m->t[end + 1].match > end ? m->t[end + 1].match : end + 2;
    if (is_binary(m, k) && is(m, k, " + - * / ") && !is(m, end + 1, " * / % "))
        choose(m, FEWER, k, k + 1, end, is(m, k, " + - ") ? "0" : "1");
    if (is(m, k, " sqrt fabs exp log tanh abs ") && is(m, k + 1, " ( "))
        choose(m, CALL, k, k, end, "%s", words(m, k + 1, end, -1, -1, ""));
}

/* Names and constants. */
static void change_word(Maker *m, int k)
{
    const Variable *v = variable_at(m, k);
    const Token *t = &m->t[k];
    bool whole = is_type(m, k, "i"), factor = is(m, k - 1, " * / ") || is(m, k + 1, " * / % ");
    bool number = strspn(t->at, "0123456789") == (size_t)t->length && t->length < 9;
    if (v && (v->name == k || is(m, k + 1, ASSIGNS) || is(m, k + 1, " ++ -- ") ||
              is(m, k - 1, " ++ -- & ") || is(m, k - 2, " sizeof ")))
        return;
    for (const Variable *w = m->variable; v && w < m->variable + m->variables; w++) {
        const Token *name = &m->t[w->name];
        if (w == v || strcmp(w->type, v->type) != 0 || !knows(w, k))
            continue;
        choose(m, VARIABLE, k, k, k, "%.*s", name->length, name->at);
        if (whole && !factor)
            choose(m, MORE, k, k, k, "%.*s * %.*s", t->length, t->at, name->length, name->at);
    }
    for (int step = -1; (number || (whole && t->header)) && step < 2; step += 2)
        choose(m, number ? CONSTANT : BOUND, k, k, k, "(%.*s %+d)", t->length, t->at, step);
}

static void change_function(Maker *m, int name)
{
    int open = m->t[name + 1].match + 1, close = m->t[open].match;
    read_variables(m, name);
    for (int k = open; k < close; k++)
        for (int j = k + 1; is(m, k, " for while if ") && j < m->t[k + 1].match; j++)
            m->t[j].header = true;
    for (int pass = 0; pass < 4; pass++)
        for (int k = open + 1; k < close; k++) {
            const Variable *declared = is(m, k, " [ ") ? variable_at(m, k - 1) : NULL;
            if (declared && declared->name == k - 1)
                k = m->t[k].match; /* the size of an array */
            else if (pass == 0 && is(m, k, " = += -= return "))
                change_value(m, k);
            else if (pass == 1)
                change_expression(m, k);
            else if (pass == 2)
                change_part(m, k);
            else if (pass == 3)
                change_word(m, k);
        }
}

bool variants_make(Variants *v, const Assignment *a, const char *submission, const char *function)
{
    Maker m = {.v = v};
    const char *at = submission;
    v->count = 1;
    text_cut(&v->text, 0);
    text_put(&v->text, "extern int _homework_variant;\n");
    bool found = tokens_read(&m.tokens, submission);
    m.t = m.tokens.at;
    found = found && add_function(&m, a, function);
    for (int i = 0; i < m.functions; i++)
        change_function(&m, m.function[i]);
    for (Token *t = m.t; t < m.t + m.tokens.count; at = t->at + t->length, t++) {
        text_add(&v->text, at, (size_t)(t->at - at));
        text_put(&v->text, text_of(&t->before));
        text_add(&v->text, t->at, (size_t)t->length);
        text_put(&v->text, text_of(&t->after));
        text_free(&t->before);
        text_free(&t->after);
    }
    text_put(&v->text, at);
    static const char choice[] = "(_homework_variant == ";
    int line = 1;
    for (const char *p = text_of(&v->text); *p; line += *p++ == '\n')
        if (strncmp(p, choice, sizeof choice - 1) == 0)
            v->change[atoi(p + sizeof choice - 1) % CHANGES_MAX].place = line;
    free(m.t);
    return found;
}
