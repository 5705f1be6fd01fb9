#pragma once

/*
 * The members of tar archives, in groups (group.h): successive members of one archive whose names are equal up to the
 * first dot of the last component are one record. A directory is a record by itself.
 *
 * Each header is read (tar.h). If a member cannot be moved, is damaged or is cut off, the run ends with a message that
 * names the file and the place in it. The blocks of zeros that end an archive are left out; another archive may follow
 * them in the same file, as `cat` makes it.
 */

#include "input/stream.h"

/* Make a source of archives, of which nothing has been read, deliver groups. */
void archive_begin(struct source *source);

size_t archive_bytes(void); /* of memory that archive_begin takes */
