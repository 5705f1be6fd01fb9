#ifndef BIGSHUF_STORE_DRAFT_FILES_H
#define BIGSHUF_STORE_DRAFT_FILES_H

/*
 * The files of a batch's piles, while they are being written. Records that start with a string come as record.h has
 * them and stand in the files as they stood in the inputs. The memory that is taken does not grow with what is written;
 * where there are too few descriptors, a file is opened for each write.
 */

#include "store/format.h"
#include "store/manifest.h"
#include "system/folder.h"
#include "temporary/storage.h"

struct draft_files;

/* The files will be in this folder. It must stay, as must the string of the format. No file is made before something is
 * written to it. */
struct draft_files *draft_files_open(const struct folder *folder, const struct store_format *format);

/* The piles, to be written only. It belongs to the files: freeing it does nothing. */
struct storage *draft_files_storage(struct draft_files *files);

/* All has been written, records[p] records to pile p: make the files that are missing, bring all of them to disk, by up
 * to `threads` threads, and tell what is in each: entry[p]. */
void draft_files_finish(struct draft_files *files, const uint64_t *records, unsigned threads,
                        struct manifest_pile *entry);

void draft_files_free(struct draft_files *files); /* the files stay */

#endif
