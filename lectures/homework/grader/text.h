/* text.h: texts that grow, and whole files. Running out of memory ends the program. */
#ifndef GRADER_TEXT_H
#define GRADER_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum { PATH_SIZE = 1024 };

/* Always closed by a NUL once anything was added; {0} is empty. */
typedef struct {
    char *data;
    size_t length, capacity;
} Text;

void text_add(Text *t, const void *bytes, size_t count);
void text_put(Text *t, const char *words);
void text_print(Text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Lines of `words`, each after `indent`. */
void text_indent(Text *t, const char *indent, const char *words);
void text_cut(Text *t, size_t length);
void text_free(Text *t);
const char *text_of(const Text *t); /* never NULL */

/* A text read from its front; it must outlive the reader. */
typedef struct {
    const char *at;
    size_t left;
} Reader;
Reader text_reader(const Text *t);
bool text_take(Reader *r, void *into, size_t count); /* false: there is less, and none is taken */

bool file_read(const char *path, Text *into); /* at most 16 MB */
/* All of an open file, which it closes; it stops after the block that reaches `most` bytes. */
bool text_read(int from, Text *into, size_t most);
bool file_write(const char *path, const void *bytes, size_t count);
/* These end the program where they fail. file_save frees the text. */
void file_load(const char *path, Text *into);
void file_save(const char *path, Text *text);
void *memory(size_t count, size_t size); /* zeros */
void *memory_grown(void *had, size_t count, size_t size);
/* Can they write here? Tried with another name, so that what is there stays as it is. */
bool file_can_be_written(const char *path);
bool folder_can_be_written(const char *path); /* makes it */
bool file_exists(const char *path);
/* A new folder that nobody else can enter, under TMPDIR. False if none can be made. */
bool folder_temporary(char path[PATH_SIZE]);
bool folder_make(const char *path); /* and those above it */
void folder_remove(const char *path);
/* All names in a folder in order of the alphabet, each closed by a NUL. */
bool folder_names(const char *folder, Text *names);
/* a/b into a buffer; ends the program where it is too long. */
const char *path_join(char path[PATH_SIZE], const char *folder, const char *name);
const char *path_last(const char *path); /* what follows the last slash */
/* As a shell takes it: in quotes where it has blanks or other letters that mean something. */
const char *shell_word(char to[PATH_SIZE], const char *path);

/* FNV-1a, to know a text again. */
unsigned long long hash_add(unsigned long long hash, const void *bytes, size_t count);
/* The text of a file, if it is there. */
unsigned long long hash_file(unsigned long long hash, const char *folder, const char *name);
/* The texts of all .c and .h files in a folder. */
unsigned long long hash_sources(unsigned long long hash, const char *folder);
bool is_source(const char *name); /* does it end with .c or .h? */
enum { HASH_BYTES = 17 };
#define HASH_BEGIN 14695981039346656037u

double seconds_now(void);
/* How many processes there are for each processor in the last minute, at least 1: so many times
 * longer does all take that waits for a processor. */
double machine_load(void);

/* clean.c: text that is safe to print. */

/* Replaces bytes that are not UTF-8, and control characters other than a line's end and a tab, by
 * U+FFFD. */
void text_clean(Text *t);

/* The same in place, for a name: one line. */
void name_clean(char *name, size_t size);

#endif
