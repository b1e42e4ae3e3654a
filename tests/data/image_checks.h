/* image_checks.h: what every reader of images does with a bad file. */
#ifndef TESTS_IMAGE_CHECKS_H
#define TESTS_IMAGE_CHECKS_H

#include "data/data.h"

/* `read` refuses the file with this error and the file's name, takes at most twice its bytes and 1
 * MiB on the way, and leaves nothing allocated. */
void image_refused(bool (*read)(const char *path, Images *m), const char *path, const char *error,
                   size_t file_bytes);

#endif
