#pragma once

/* Files whose names say something wrong: that they are compressed, but will be plain text, or that they are shards.
 * With -Z, somebody has thought that a file will be compressed, so the run ends at its start; others are warned of.
 * What counts is the name that people will find: that of the file to which standard output or a link leads. */

#include "output/files.h"

void names_check(const struct files *files); /* with -Z */
void names_warn(const struct files *files);
