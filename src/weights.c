/* Messages quote a weight as far as it is printable and short: it may be anything, where a field is not what the user
 * believes. */

#include "weights.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys.h"

enum { QUOTED = 40 };

struct weights {
    struct weights_place place;
    struct fault *fault;
    struct source *records;
    const char *name;     /* of the records' file */
    uint64_t name_ends;   /* the stream's offset at which it ends */
    uint64_t name_record; /* its first record */
    uint64_t record;      /* that comes next */
    struct source *file;
    struct source_layout lines;
    struct walk walk; /* over the file */
};

struct weights *weights_open(struct run *run, struct weights_place place, struct source *source)
{
    struct weights *weights = sys_allocate(1, sizeof *weights);
    size_t quarter = run->memory.buffer_bytes / 4;

    if (weights == NULL) {
        fault_report(run->fault, "memory", errno);
        return NULL;
    }
    weights->place = place;
    weights->fault = run->fault;
    weights->records = source;
    if (place.file == NULL)
        return weights;
    weights->lines.format.delimiter = '\n';
    weights->file = source_open(&weights->place.file, 1, &weights->lines, run->fault);
    if (weights->file == NULL) {
        free(weights);
        return NULL;
    }
    walk_init(&weights->walk, &weights->lines.format, weights->file, run->buffer + 2 * quarter,
              quarter - POOL_SLACK_BYTES);
    return weights;
}

/* Report what is wrong with a weight, naming where it stands. */
static int report(struct weights *weights, const char *what, const uint8_t *text, size_t bytes)
{
    const char *name = weights->place.file;
    uint64_t line = weights->record + 1;
    char quoted[QUOTED + 1];
    size_t length = 0;

    for (; length < bytes && length < QUOTED; length++)
        quoted[length] = (char)(text[length] >= ' ' && text[length] < 0x7f ? text[length] : '?');
    quoted[length] = '\0';
    if (name == NULL) {
        name = weights->name;
        line -= weights->name_record;
    }
    return fault_say(weights->fault, "%s:%llu: %s: '%s'", name, (unsigned long long)line, what, quoted);
}

static int read_weight(struct weights *weights, const uint8_t *text, size_t bytes, struct decimal *weight)
{
    switch (decimal_read(text, bytes, weight)) {
    case DECIMAL_OK:
        return 0;
    case DECIMAL_NEGATIVE:
        return report(weights, "negative weight", text, bytes);
    case DECIMAL_NAN:
        return report(weights, "weight is not a number", text, bytes);
    case DECIMAL_INFINITE:
        return report(weights, "infinite weight", text, bytes);
    case DECIMAL_INVALID:
        break;
    }
    return report(weights, "invalid weight", text, bytes);
}

static int next_line(struct weights *weights, struct decimal *weight)
{
    struct walk_piece line;
    int more = walk_next(&weights->walk, &line);

    if (more < 0)
        return -1;
    if (more == 0)
        return fault_say(weights->fault, "%s: too few weights: there are more than %llu records", weights->place.file,
                         (unsigned long long)weights->record);
    if (!line.last)
        return report(weights, "invalid weight", line.data, line.bytes);
    return read_weight(weights, line.data, line.bytes - 1, weight);
}

/* Know the file from which a record comes. */
static void find_name(struct weights *weights, uint64_t offset)
{
    const char *before = weights->name;

    if (before != NULL && weights->name_ends != UINT64_MAX && offset < weights->name_ends)
        return;
    weights->name = source_name_at(weights->records, offset, &weights->name_ends);
    if (weights->name != before)
        weights->name_record = weights->record;
}

static int next_field(struct weights *weights, const struct walk_piece *piece, struct decimal *weight)
{
    const uint8_t *text = piece->data;
    size_t bytes = piece->bytes - piece->last;
    uint64_t field = 1;
    const uint8_t *end;

    find_name(weights, piece->offset);
    while ((end = memchr(text, weights->place.separator, bytes)) != NULL && field < weights->place.field) {
        bytes -= (size_t)(end + 1 - text);
        text = end + 1;
        field++;
    }
    if (field < weights->place.field || (end == NULL && !piece->last))
        return report(weights, "no such field for the weight", piece->data, piece->bytes - piece->last);
    return read_weight(weights, text, end == NULL ? bytes : (size_t)(end - text), weight);
}

int weights_next(struct weights *weights, const struct walk_piece *piece, struct decimal *weight)
{
    int status = weights->place.file == NULL ? next_field(weights, piece, weight) : next_line(weights, weight);

    weights->record++;
    return status;
}

int weights_end(struct weights *weights)
{
    struct walk_piece line;
    int more = weights->place.file == NULL ? 0 : walk_next(&weights->walk, &line);

    if (more > 0)
        return fault_say(weights->fault, "%s: too many weights: there are %llu records", weights->place.file,
                         (unsigned long long)weights->record);
    return more;
}

void weights_free(struct weights *weights)
{
    if (weights == NULL)
        return;
    source_free(weights->file);
    free(weights);
}
