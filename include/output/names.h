#pragma once

/* Misleading names of files: of a compressed file for plain text, or of a shard. With -Z, the user expects a compressed
 * file, so the run ends at its start; else it warns. The name that counts is the one that people will find: that of the
 * file to which standard output or a link leads. */

#include "output/files.h"

void names_check(const struct files *files); /* with -Z */
void names_warn(const struct files *files);
