/* handout.c: one marked source, two texts.
 *
 *     BEGIN SOLUTION: what to do         in a comment of one or more lines of its own
 *     ... the solution ...
 *     END SOLUTION
 *
 * The solution is the text without the two lines. The stub has, in place of all three parts, a
 * comment with what to do. A line that begins with "stub|" in a comment is in the stub alone. */
#include "compile.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char BEGIN[] = "/* BEGIN SOLUTION", END[] = "/* END SOLUTION */", ONLY[] = "/* stub|";

static const char *first_word(const char *line)
{
    return line + strspn(line, " \t");
}

static bool starts(const char *line, const char *with)
{
    return strncmp(first_word(line), with, strlen(with)) == 0;
}

/* What a function returns whose end was the solution's: outputs hold -9999 before the call. */
static void put_return(Text *to, const char *head)
{
    const size_t type = strcspn(head, "(");
    if (memchr(head, '*', type))
        text_put(to, "    return NULL;\n");
    else if (strncmp(head, "void ", 5) != 0)
        text_put(to,
                 strncmp(head, "bool ", 5) == 0 ? "    return false;\n" : "    return -9999;\n");
}

/* "    BEGIN SOLUTION: do this" becomes a comment "do this" with the same indent; without words,
 * nothing. */
static bool put_task(Text *to, const char *line, size_t length)
{
    const char *colon = memchr(line, ':', length), *end = strstr(line, "*/");
    if (!colon || !end || end >= line + length)
        return false;
    text_add(to, line, (size_t)(first_word(line) - line));
    text_put(to, "/* Your part:");
    text_add(to, colon + 1, (size_t)(end - colon - 1));
    text_put(to, "*/\n");
    return true;
}

static void put_only(Text *to, const char *line)
{
    const char *inner = first_word(line), *end = strstr(inner, "*/");
    text_add(to, line, (size_t)(inner - line));
    inner = first_word(inner + strlen(ONLY));
    while (end && end > inner && end[-1] == ' ')
        end--;
    if (end)
        text_add(to, inner, (size_t)(end - inner));
    text_put(to, "\n");
}

/* Does a function's text begin on this line, which is not indented?  void softmax(real *y, ... */
static bool begins_function(const char *line, const char *name)
{
    const char *bracket = line + strcspn(line, "(\n");
    size_t length = strlen(name);
    return isalpha((unsigned char)*line) && *bracket == '(' && bracket - line > (long)length &&
           strncmp(bracket - length, name, length) == 0 &&
           !isalnum((unsigned char)bracket[-1 - (long)length]) && bracket[-1 - (long)length] != '_';
}

/* The length of the line, or of the lines of its comment where it is BEGIN. */
static size_t marked_length(const char *line)
{
    const char *end = starts(line, BEGIN) ? strstr(line, "*/") : NULL;
    size_t length = end ? (size_t)(end - line) : 0;
    length += strcspn(line + length, "\n");
    return length + (line[length] == '\n');
}

/* Of ONE_SOLVED, the parts inside of the function `one`, and those that are in no function, are
 * solved. */
static bool convert(const char *marked, Text *to, Written written, const char *one)
{
    bool inside = false, stub = written == STUB, in_one = false;
    const char *head = NULL, *task = NULL; /* of the function; of that which has its task */
    for (const char *line = marked; *line;) {
        size_t length = marked_length(line);
        if (isalpha((unsigned char)*line)) {
            head = line;
            in_one = written == ONE_SOLVED && begins_function(line, one);
        }
        if (starts(line, BEGIN)) {
            if (inside)
                return false;
            inside = true;
            if (written == ONE_SOLVED)
                stub = first_word(line) > line && !in_one;
            if (stub && put_task(to, line, length))
                task = head;
        } else if (starts(line, END)) {
            if (!inside)
                return false;
            inside = false;
            if (stub && task == head && head && line[length] == '}')
                put_return(to, head);
        } else if (starts(line, ONLY)) {
            if (written == STUB || (written == ONE_SOLVED && !in_one))
                put_only(to, line);
        } else if (!inside || !stub) {
            text_add(to, line, length);
        }
        line += length;
    }
    text_add(to, "", 0);
    return !inside;
}

/* False: there is no such file. Ends the program where its marks are wrong. */
static bool read_marked(const Assignment *a, const char *file, Written written, const char *one,
                        Text *to)
{
    char path[PATH_SIZE];
    Text marked = {0};
    bool there = file_read(path_join(path, a->folder, file), &marked);
    if (there && !convert(text_of(&marked), to, written, one))
        quit("%s: expected pairs of BEGIN SOLUTION and END SOLUTION", path);
    text_free(&marked);
    return there;
}

void homework_text(const Assignment *a, Written written, const char *one, Text *to)
{
    if (!read_marked(a, a->source, written, one, to))
        quit("%s/%s: there is no such file; expected the homework's source", a->folder, a->source);
}

bool bug_program(const Assignment *a, bool right, Text *to)
{
    return read_marked(a, "program.c", right ? SOLUTION : STUB, NULL, to);
}

/* ---- the student's tree ---------------------------------------------------------------------- */

/* Paragraphs of at most 118 columns. */
static void put_wrapped(Text *to, const char *words)
{
    size_t column = 0;
    while (*words) {
        size_t length = strcspn(words, " ");
        if (column && column + 1 + length > 118) {
            text_put(to, "\n");
            column = 0;
        }
        text_put(to, column ? " " : "");
        text_add(to, words, length);
        column += length + (column ? 1 : 0);
        words += length;
        words += strspn(words, " ");
    }
    text_put(to, "\n");
}

/* A text that several homeworks share: where the README has a link to it, it stands at the end. */
static void put_shared(Text *to, const Assignment *a, const char *name, const char *heading)
{
    char path[PATH_SIZE];
    Text rest = {0};
    const char *at = strstr(text_of(to), name);
    if (!at)
        return;
    text_put(&rest, at + strlen(name));
    text_cut(to, (size_t)(at - to->data));
    text_put(to, heading);
    text_put(to, text_of(&rest));
    text_put(to, "\n");
    file_load(path_join(path, a->folder, name), to);
    text_free(&rest);
}

/* With the functions and headers that a submission may use at its end. */
static void handout_readme(const Assignment *a, Text *to)
{
    char path[PATH_SIZE];
    Text mathematical = {0}, other = {0};
    file_load(path_join(path, a->folder, "README.md"), to);
    put_shared(to, a, "../debug.md", "#what-is-asked");
    put_shared(to, a, "../begin.md", "#how-the-grader-tests");
    allowed_functions(&mathematical, &other);
    text_print(to,
               "\n## What your file may use\n\nHeaders: `%s.h` and these of the C standard:\n\n",
               a->id);
    put_wrapped(to, headers_allowed());
    text_put(to, "\nFunctions of math.h and complex.h, also with f or l at the end:\n\n");
    put_wrapped(to, text_of(&mathematical));
    text_put(to, "\nAnd these:\n\n");
    put_wrapped(to, text_of(&other));
    if (a->project[0])
        text_print(to,
                   "\nOf gradus: all that its headers which %s.h includes declare with GRADUS_API. "
                   "The library has no threads here,\nand opens no file.\n",
                   a->id);
    text_put(
        to,
        "\nStatic functions of your own, structs and constants are fine. A main of your own, and "
        "functions that no function of\nthe homework calls, are left out and cost nothing.\n");
    text_free(&mathematical);
    text_free(&other);
}

int handout(const Assignment *a, const char *folder, bool solution)
{
    char path[PATH_SIZE], called[PATH_SIZE];
    Text out = {0}, header = {0};
    homework_text(a, solution ? SOLUTION : STUB, NULL, &out);
    if (!folder_make(folder))
        quit("%s: the folder cannot be made", folder);
    if (file_exists(path_join(path, folder, a->source)))
        quit("%s is there already; it is not written over", path);
    file_save(path, &out);
    if (a->project[0]) /* whose headers are there */
        file_load(path_join(path, a->folder, a->header), &header);
    else
        whole_header(a, &header);
    file_save(path_join(path, folder, a->header), &header);
    Text readme = {0}, program = {0};
    handout_readme(a, &readme);
    file_save(path_join(path, folder, "README.md"), &readme);
    if (bug_program(a, solution, &program))
        file_save(path_join(path, folder, "program.c"), &program);
    printf("%s: README.md states the task, and you write the functions in %s.c.\n", folder, a->id);
    printf("try it: ./gradus grade %s ", shell_word(called, a->called));
    printf("%s\n", shell_word(called, path_join(path, folder, a->source)));
    return 0;
}
