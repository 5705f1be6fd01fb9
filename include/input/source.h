#pragma once

/*
 * Where records come from, as one stream of whole records: the input files one after another, without their headers,
 * each one's last record completed if something is missing of its delimiter.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "input/stream.h"
#include "record/record.h"
#include "system/pool.h"

struct source;

/* A source over the files `names` ("-" is standard input), which must stay, as must the format's string. All are looked
 * at first. The run ends if a file cannot be read, or if a regular file does not begin as the layout says or has a
 * wrong size for it. Other files are not opened, and for standard input only kind and size are checked. */
struct source *source_open(const char *const *names, size_t count, const struct source_layout *layout);

/* The header of the first file that is not empty, as it stands there, and a missing delimiter. Known from the start if
 * only regular files come before, else when that file has been read. NULL and 0 bytes: there is none. It stays. */
const uint8_t *source_header(const struct source *source, size_t *bytes);
bool source_headers_may_differ(const struct source *source); /* from file to file */

/* A source over anything else that can be read as source_read says; `release` frees the context with the source. */
typedef size_t source_function(void *context, uint8_t *data, size_t bytes);
struct source *source_over(source_function *read, void *context, void (*release)(void *context));

/* A stage turns one stream into another. */
struct source_stage {
    source_function *read;
    /* The same of mapped files: *data points to where the bytes stand. NULL: if the files are mapped, `read` delivers
     * references to records of the length that `length` tells (source_refers). */
    size_t (*lend)(void *context, const uint8_t **data, size_t bytes);
    uint64_t (*length)(void *context, uint64_t place);
    void (*rewind)(void *context);
    void (*release)(void *context);
};

/* Put a stage into a source from which nothing has been read: it delivers the stage's output now. The stage reads the
 * source that is returned, which is rewound and freed with this one. Offsets in it are not those of source_name_at. */
struct source *source_insert(struct source *source, const struct source_stage *stage, void *context);

/* The next bytes, at most `bytes` of them, which is at least 1: *data points to them. Either they are read into
 * room[0, bytes), and are fewer only at the end; or they stay where they stand, until they are forgotten: all regular
 * files may be mapped (source_map), and what was read may be held (source_hold). A record that stays is in one piece,
 * with what was missing of it, however many calls it comes in, and SOURCE_SLACK_BYTES more can be read. Returns how
 * many, 0 at the end. */
size_t source_next(struct source *source, uint8_t *room, size_t bytes, const uint8_t **data);
enum { SOURCE_SLACK_BYTES = 64 };

/* The same of a source that is neither mapped nor held: they are read into data[0, bytes). */
size_t source_read(struct source *source, uint8_t *data, size_t bytes);

/* Map the inputs, if all are regular files that can be mapped and nothing of them has been read. A file that grows
 * meanwhile is used up to the size that it had. *bytes receives how much memory they take when all of them have been
 * looked at. False if it cannot be done, and all is as before. */
bool source_map(struct source *source, uint64_t *bytes);

/* Does it deliver references (reference.h) to its records, of 8 bytes each, that count from source_base? Archives do
 * that once they are mapped: between members there may be bytes of no record, and no frames (group.h). And how long is
 * a record at this place whose reference says REFERENCE_LONG? */
bool source_refers(const struct source *source);
uint64_t source_length(const struct source *source, uint64_t place);

/* Be read after all: the source is to begin again (source_rewind), if anything has come. */
void source_unmap(struct source *source);

/* Hold what comes from now on in neighbouring blocks of a pool, together with what is left of what was held before. */
void source_hold(struct source *source, struct pool *pool);

/* Is it holding? Then it delivers what it holds, and no more. */
bool source_holds(const struct source *source);

/* Read `bytes` more bytes, to be held. Returns how many: fewer, or 0, at the end. */
size_t source_fill(struct source *source, size_t bytes);

/* Deliver what is held, from its beginning, for the last time, and then be read. What is forgotten leaves the pool. */
void source_let_go(struct source *source);

/* The space in which the mapped files stand, or what is held; NULL if the source is read. */
const uint8_t *source_base(const struct source *source);
size_t source_space(const struct source *source);

/* Nobody will read the bytes before `end`, which stayed, any more, until source_rewind: their memory may be given back.
 */
void source_forget(struct source *source, const uint8_t *end);

/* Mapped bytes have been looked at once more (mapped_saw). And how many stay when all others were given back. */
void source_saw(struct source *source, const uint8_t *from, const uint8_t *end);
uint64_t source_kept(const struct source *source);

/* The files that are mapped must still be what they were (file_mark.h). Others are checked when they have been read. */
void source_check(const struct source *source);

/* The source will deliver `bytes` bytes in all: for the maker of a source that is not over files. */
void source_expect(struct source *source, uint64_t bytes);

/* Bytes in the regular files among the inputs, less their headers, as far as known at the start; or those expected. */
uint64_t source_known_bytes(const struct source *source);

/* Is the number of bytes to come known? It is if all inputs are regular files, or if source_expect was called. */
bool source_is_known(const struct source *source);

/* What each file takes of memory. And of mapped files that are read, SOURCE_SEEN_BYTES are in memory at a time: seen
 * and not given back, with their neighbours, and looked at ahead. */
size_t source_input_bytes(void);
enum { SOURCE_SEEN_BYTES = 8 << 20 };

/* Begin again with the first record, when source_is_known or source_holds. */
void source_rewind(struct source *source);

/* Is this file one of the inputs? */
bool source_is_from(const struct source *source, const struct stat *file);

/* The size of the i-th file when it was opened: that much of it is used. False if it is not regular. */
bool source_size_of(const struct source *source, size_t i, uint64_t *bytes);

/* Bytes delivered so far: delimiters that were added count, headers do not, bytes that are held do not until they come.
 */
uint64_t source_delivered_bytes(const struct source *source);

/* Bytes that have come so far, also those that are held. Any thread may ask this, and what is known. */
uint64_t source_arrived_bytes(const struct source *source);

/* The name of the file from which the byte at `offset` of the stream came, which has been read; "input" if it is none.
 * *end receives the offset at which that file ends, as far as it is known, else UINT64_MAX. */
const char *source_name_at(const struct source *source, uint64_t offset, uint64_t *end);

void source_free(struct source *source); /* NULL is fine */
