#ifndef BIGSHUF_INPUT_STREAM_H
#define BIGSHUF_INPUT_STREAM_H

/* Input files as one stream of whole records, for source.h, which says more of most of these functions. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "input/decompress.h"
#include "input/lender.h"
#include "record/header.h"
#include "record/record.h"

struct stream;

/* What the files consist of. All of them begin with a header (header.h), unless there is none. If the format `starts`,
 * each file must begin with (after the header) the string with which records start, and the stream has it after the
 * last record instead, as record.h says. */
struct stream_layout {
    struct record_format format;
    struct header_rule header;
    struct decompress_limits decompress; /* files that are compressed are decompressed first, if this is not zeroed */
};

/* As source_open. */
struct stream *stream_open(const char *const *names, size_t count, const struct stream_layout *layout);
void stream_free(void *context); /* a stream */

/* Of regular files: bytes that will come, and whether all are such files. */
uint64_t stream_known_bytes(const struct stream *stream);
bool stream_is_known(const struct stream *stream);

/* Of memory, so much has been set aside for what is read ahead. */
uint64_t stream_memory(const struct stream *stream);

const uint8_t *stream_header(const struct stream *stream, size_t *bytes); /* as source_header */
bool stream_headers_may_differ(const struct stream *stream);              /* as source_headers_may_differ */
size_t stream_read(void *context, uint8_t *data, size_t bytes);           /* as source_read; bytes may be 0 */
uint64_t stream_arrived_bytes(const struct stream *stream);               /* as source_arrived_bytes */

/* As source_map and source_lend. What lends is there also if it does not, with no mapping. */
bool stream_map(struct stream *stream, uint64_t *bytes);
size_t stream_lend(struct stream *stream, const uint8_t **data, size_t bytes);
struct lender *stream_lender(struct stream *stream);

void stream_rewind(struct stream *stream); /* as source_rewind */

/* As source_name_at. */
const char *stream_name_at(const struct stream *stream, uint64_t offset, uint64_t *end);
bool stream_is_from(const struct stream *stream, const struct stat *file);   /* as source_is_from */
bool stream_size_of(const struct stream *stream, size_t i, uint64_t *bytes); /* as source_size_of */

#endif
