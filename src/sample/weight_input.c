/* A weight is needed when its record begins, since it decides where the record goes. If a long record has its weight
 * after its first piece, all pieces up to the weight are read twice. */

#include "sample/weight_input.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/arithmetic.h"
#include "base/steps.h"
#include "input/position.h"
#include "temporary/reread.h"

enum { QUOTED = 40, WEIGHT_BYTES_MAX = 4096 };

struct weight_input {
    struct engine *engine;
    const struct record_format *format; /* of the records */
    struct weight_place place;
    struct position position; /* of the current record */
    struct field field;       /* the weight's text */
    uint8_t text[WEIGHT_BYTES_MAX];

    struct source *file;
    struct source_layout lines;
    struct record_reader reader; /* over the file */

    struct reread late; /* pieces of a record whose weight was not in the first */
    bool late_is_last;  /* do they end the record? */
    struct engine_space buffer;
};

struct weight_input *weight_input_open(struct engine *engine, const struct record_format *format,
                                       struct weight_place place, struct source *source)
{
    struct weight_input *weights = fault_allocate(1, sizeof *weights);
    struct field_place where = {.choice = NULL}; /* a line of a file is the weight */

    weights->engine = engine;
    weights->format = format;
    weights->place = place;
    if (place.file == NULL)
        where = place.field;
    field_seek(&weights->field, where, FIELD_TRIMMED, weights->text, WEIGHT_BYTES_MAX);
    position_begin(&weights->position, source, format);
    weights->buffer = engine_buffer(engine, ENGINE_WEIGHTS);
    if (place.file != NULL) {
        weights->lines.format.delimiter = '\n';
        weights->lines.decompress.programs = place.decompressed;
        weights->file = stream_open(&weights->place.file, 1, &weights->lines);
        record_reader_init(&weights->reader, &weights->lines.format, weights->file, weights->buffer.data,
                           weights->buffer.bytes);
    }
    return weights;
}

/* ---- Their text ---- */

/* Advice if the first record has no weight. */
static const char *advise(const struct weight_input *weights)
{
    const struct field *field = &weights->field;
    const size_t header_bytes = stream_header(weights->position.source)->text_bytes;

    if (weights->file != NULL || weights->position.record > 1 || header_bytes > 0 || field->bytes == 0)
        return "";
    if (field->found[0] == '{')
        return field_advice(&field->place, true, field->found, field->bytes);
    return isalpha(field->found[0]) ? "; if this is a header, add --header" : "";
}

/* End the run: say what is wrong with a weight, and where it stands. */
_Noreturn static void report_weight(struct weight_input *weights, const char *what, const uint8_t *text, size_t bytes,
                                    const char *advice)
{
    const int shown = (int)least_size(bytes, QUOTED);
    char place[POSITION_BYTES];

    if (weights->file != NULL)
        die("%s:%llu: %s: '%.*s'", weights->place.file, (unsigned long long)weights->position.record, what, shown,
            (const char *)text);
    die("%s: %s: '%.*s'%s", position_say(&weights->position, place), what, shown, (const char *)text, advice);
}

static struct decimal read_weight(struct weight_input *weights)
{
    const uint8_t *text = weights->field.found;
    size_t bytes = weights->field.bytes;
    enum decimal_verdict verdict;
    struct decimal weight;
    uint64_t steps;

    if (weights->field.too_long)
        report_weight(weights, "weight is too long", text, bytes, "");
    verdict = decimal_read(text, bytes, &weight);
    switch (verdict) {
    case DECIMAL_OK:
    case DECIMAL_TINY:
        if (weights->place.in_steps && (verdict == DECIMAL_TINY || !steps_round(weight, &steps)))
            report_weight(weights, "weight is not 0 or from 2^-32 to 2^32", text, bytes, "");
        return weight;
    case DECIMAL_NEGATIVE:
        report_weight(weights, "negative weight", text, bytes, "");
    case DECIMAL_NAN:
        report_weight(weights, "weight is not a number", text, bytes, advise(weights));
    case DECIMAL_INFINITE:
        report_weight(weights, "infinite weight", text, bytes, "");
    case DECIMAL_INVALID:
        break;
    }
    report_weight(weights, "invalid weight", text, bytes, advise(weights));
}

/* ---- In a file of their own ---- */

static struct decimal read_line(struct weight_input *weights)
{
    struct record_piece line = {.last = false};

    field_begin(&weights->field);
    while (!line.last) {
        if (!record_reader_next(&weights->reader, &line))
            die("%s: too few weights: there are more than %llu records", weights->place.file,
                (unsigned long long)weights->position.record - 1);
        field_follow(&weights->field, line.data, line.bytes - line.last);
    }
    (void)field_end(&weights->field, false, '\n');
    return read_weight(weights);
}

/* ---- In the records ---- */

/* The next of the kept pieces of a record. */
static void read_late(struct weight_input *weights, struct record_piece *piece)
{
    const size_t bytes = reread_next(&weights->late, weights->buffer.data, weights->buffer.bytes);

    *piece = (struct record_piece){
        .data = weights->buffer.data, .bytes = bytes, .last = !reread_has(&weights->late) && weights->late_is_last};
}

/* Keep all pieces of a record from the first one, *piece, to the one with the weight, or else to the last one. Returns
 * whether the field ended before the record. */
static bool keep_pieces(struct weight_input *weights, struct record_reader *reader, struct record_piece *piece)
{
    bool ended = false;

    reread_append(&weights->late, weights->engine->place, piece->data, piece->bytes);
    while (!ended && !piece->last) {
        if (!record_reader_next(reader, piece))
            die("%s: ends within a record", weights->position.name);
        position_follow(&weights->position, piece->data, piece->bytes);
        ended = field_follow(&weights->field, piece->data, piece->bytes - piece->last);
        reread_append(&weights->late, weights->engine->place, piece->data, piece->bytes);
    }
    weights->late_is_last = piece->last;
    reread_begin(&weights->late);
    read_late(weights, piece);
    piece->first = true;
    return ended;
}

/* End the run: the record, which begins with `text`, has no weight. */
_Noreturn static void refuse_record(struct weight_input *weights, enum field_verdict verdict, const uint8_t *text,
                                    size_t bytes)
{
    const struct field_place *place = &weights->place.field;
    char said[FIELD_SAID_BYTES];

    if (bytes > 0 && text[bytes - 1] == '\r') /* it is not the missing field */
        bytes--;
    report_weight(weights, field_say(place, verdict, weights->field.bytes, said), text, bytes,
                  field_advice(place, weights->position.record == 1, text, bytes));
}

/* The weight of a record whose first piece is *piece, which may be replaced by a kept piece. */
static struct decimal find_field(struct weight_input *weights, struct record_reader *reader, struct record_piece *piece)
{
    struct field *field = &weights->field;
    enum field_verdict verdict;

    if (piece->last) {
        verdict = field_find(field, piece->data, piece->bytes - 1, weights->format->delimiter);
    } else {
        field_begin(field);
        verdict =
            field_end(field, field_follow(field, piece->data, piece->bytes) || keep_pieces(weights, reader, piece),
                      weights->format->delimiter);
    }
    if (verdict != FIELD_FOUND && verdict != FIELD_TOO_LONG)
        refuse_record(weights, verdict, piece->data, piece->bytes - piece->last);
    return read_weight(weights);
}

/* ---- Both ---- */

bool weight_input_next(struct weight_input *weights, struct record_reader *reader, struct record_piece *piece,
                       struct decimal *weight)
{
    if (weights == NULL)
        return record_reader_next(reader, piece);
    if (reread_has(&weights->late)) {
        read_late(weights, piece);
        return true;
    }
    if (!record_reader_next(reader, piece))
        return false;
    if (piece->first)
        position_next(&weights->position, piece->offset);
    if (weights->file == NULL) /* else messages name lines of the file */
        position_follow(&weights->position, piece->data, piece->bytes);
    if (piece->first)
        *weight = weights->file != NULL ? read_line(weights) : find_field(weights, reader, piece);
    return true;
}

void weight_input_end(struct weight_input *weights)
{
    struct record_piece line;

    if (weights->file != NULL && record_reader_next(&weights->reader, &line))
        die("%s: too many weights: there are %llu records", weights->place.file,
            (unsigned long long)weights->position.record);
}

void weight_input_free(struct weight_input *weights)
{
    reread_release(&weights->late);
    source_free(weights->file);
    free(weights);
}
