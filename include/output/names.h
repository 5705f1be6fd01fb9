#ifndef BIGSHUF_OUTPUT_NAMES_H
#define BIGSHUF_OUTPUT_NAMES_H

/* Files whose names say something wrong: that they are compressed, though they will be plain text, or shards. With -Z,
 * somebody has thought that a file will be compressed, so the run ends at its start; others are warned of. */

#include "output/files.h"

void names_check(const struct files *files);
void names_warn(const struct files *files);

#endif
