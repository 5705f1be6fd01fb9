#ifndef BIGSHUF_INPUT_ARCHIVE_H
#define BIGSHUF_INPUT_ARCHIVE_H

/*
 * The members of tar archives, in groups (record.h): members that follow each other in one archive, and whose names are
 * the same up to the first dot of the last component, are one record. A directory is one by itself.
 *
 * Each header is looked at (tar_headers.h). What cannot be moved, or is damaged or cut off, is told with the name of
 * the file and the place in it. Blocks of zeros, with which an archive ends, are left out. Behind them, another archive
 * may follow in the same file, as `cat` puts them.
 */

#include "input/source.h"

/* From now on, a source of archives, of which nothing has been read, delivers groups of their members with a mark
 * behind each. */
void archive_begin(struct source *source);

#endif
