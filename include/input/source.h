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

/* A stage turns one stream into another. `claim` and `fetch` may be NULL: all is read in its order. */
struct source_stage {
    source_function *read;
    size_t (*claim)(void *context, size_t bytes, off_t *at);
    void (*fetch)(void *context, uint8_t *data, size_t bytes, off_t at);
    void (*rewind)(void *context);
    void (*release)(void *context);
};

/* Put a stage into a source from which nothing has been read: it delivers the stage's output now. The stage reads the
 * source that is returned, which is rewound and freed with this one. Offsets in it are not those of source_name_at. */
struct source *source_insert(struct source *source, const struct source_stage *stage, void *context);

/* The next bytes, at most `bytes` of them, which is at least 1: *data points to them. Either they stay where they stand
 * (source_stays), or they are read into room[0, bytes), and are fewer only at the end. Returns how many, 0 at the end.
 * A record that stays is in one piece, however many calls it comes in, and POOL_SLACK_BYTES more can be read. */
size_t source_next(struct source *source, uint8_t *room, size_t bytes, const uint8_t **data);

/* The same, but bytes that stay need not be there yet: if *later is not -1, somebody must call source_fetch, with the
 * same data, bytes and *later, before anybody looks at them. Any threads may do so at the same time, and while
 * source_claim goes on; it waits for them where a file ends. */
size_t source_claim(struct source *source, uint8_t *room, size_t bytes, const uint8_t **data, off_t *later);
void source_fetch(struct source *source, const uint8_t *data, size_t bytes, off_t later);

/* The same of a source of which nothing stays: they are read into data[0, bytes). */
size_t source_read(struct source *source, uint8_t *data, size_t bytes);

/*
 * A source may be a span that stays, in neighbouring blocks of a pool, and then a reader:
 *
 *     source_hold --> source_next ..., source_rewind, ... --> source_let_go --> source_next ..., source_forget ...
 *
 * From source_hold on, all that comes is read into the span, after what is left of an earlier span. If that would leave
 * the pool less than `left` blocks, source_next returns 0, and the source is full: it has more. From
 * source_let_go on, what is left of the span comes for the last time, and then what is read into the caller's room.
 */
void source_hold(struct source *source, struct pool *pool, uint32_t left);
bool source_is_full(const struct source *source);
void source_let_go(struct source *source);

/* Do the next bytes, if there are any, stay where they stand? */
bool source_stays(const struct source *source);

/* Read bytes of a record once more, from a source over files that are known, when all of it has been read: the bytes
 * from `place` of the stream on. If `data` is NULL, they will be read soon. The run ends if its file has changed. */
void source_read_at(struct source *source, uint64_t place, uint8_t *data, size_t bytes);

/* Bytes in the span. */
size_t source_space(const struct source *source);

/* Nobody will read the bytes before `end`, which stayed, any more: their blocks go back to the pool, if the source was
 * let go. */
void source_forget(struct source *source, const uint8_t *end);

/* The source will deliver `bytes` bytes in all: for the maker of a source that is not over files. */
void source_expect(struct source *source, uint64_t bytes);

/* Bytes in the regular files among the inputs, less their headers, as far as known at the start; or those expected. */
uint64_t source_known_bytes(const struct source *source);

/* Is the number of bytes to come known? It is if all inputs are regular files, or if source_expect was called. */
bool source_is_known(const struct source *source);

/* What each file takes of memory. */
size_t source_input_bytes(void);

/* Begin again with the first record: when the span is all that was read, or when source_is_known. */
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
