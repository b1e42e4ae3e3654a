/* zip.h: writes an archive of stored files (no compression), which every unzip reads. */
#ifndef GRADER_ZIP_H
#define GRADER_ZIP_H

#include "text.h"

typedef struct {
    Text body, directory;
    int count;
} Zip;

/* name: a path with slashes. program: it may be executed once unpacked. */
void zip_add(Zip *z, const char *name, const Text *content, bool program);
/* The files of a folder in the order of their names, without the folders in it. */
void zip_add_program(Zip *z, const char *name, const char *words);
void zip_add_file(Zip *z, const char *path, const char *name);
void zip_add_folder(Zip *z, const char *folder, const char *name);
/* The archive, whole. Frees what z holds. */
void zip_end(Zip *z, Text *archive);

#endif
