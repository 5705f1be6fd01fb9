#pragma once

/* The end of an input file: the bytes that complete its last record. Errors in the file end the run. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/record.h"

/* Checks the lengths in a file, and knows places for messages. Zeroed: at the file's beginning. */
struct length_check {
    uint64_t start;          /* place in the file: of the current record, */
    uint64_t at;             /* and of the next byte */
    struct length_scan scan; /* within the record; for LENGTH_TFRECORD, these are used instead: */
    uint8_t head[12];        /* the length and its checksum, */
    uint8_t sum[4];          /* the data's checksum, both as far as they have come, */
    uint32_t crc;            /* and the one computed of the data so far */
};

/* The position within a read of FASTQ. Zeroed: at its beginning. */
struct tail_read {
    uint64_t passed;  /* bytes of the current line */
    uint64_t letters; /* bytes of its second line */
    bool returns;     /* was the last byte a carriage return? */
};

struct tail {
    const struct record_format *format;
    bool after_header; /* do files begin with a header, so that messages say so? */
    bool replaced;     /* is an input also the output? Then warnings are errors; the caller sets it */
    bool told;         /* has a warning been given? One is enough, also when files are read again */
    struct record_scan scan;
    struct length_check lengths; /* replaces the scan for records with a length; places for RECORD_LAST_LINE */
    bool open;                   /* has the file begun, and not ended? */
    uint8_t last;                /* byte of the file */
    struct tail_read read;
    uint64_t newlines;    /* CSV, FASTQ: number in the file so far, */
    uint64_t passed;      /* and number before the records */
    size_t blank;         /* number of bytes of blank lines, the latest that came: no record's if nothing follows */
    uint64_t quote_line;  /* CSV: number of the line in which the open quote began */
    bool newline;         /* has one been seen before the first end of all, or with it? */
    bool end_known;       /* has the first end of all been seen, */
    bool carriage_return; /* and was it CR LF? For CSV and RECORD_LAST_LINE */
};

void tail_init(struct tail *tail, const struct record_format *format, bool after_header);

/* End the run if a file with `bytes` bytes of records cannot be whole. (The only check of archives here.) */
void tail_check_size(struct tail *tail, const char *name, uint64_t bytes);

/* A file begins. */
void tail_begin(struct tail *tail);

/* Bytes before the records of the file have been passed over. */
void tail_pass(struct tail *tail, const uint8_t *data, size_t bytes);

/* The next bytes of the file's records; none, if it has only a header or the start of its first record. The run ends if
 * a length or checksum is wrong, or the first record has no mark. */
void tail_follow(struct tail *tail, const char *name, const uint8_t *data, size_t bytes);

/* May bytes be passed over without tail_follow, except the file's last ones? */
bool tail_may_pass_over(const struct tail *tail);

/* For kinds, with the next bytes (at least one): look for the first end of all, unless it is known. */
void tail_learn_end(struct tail *tail, const uint8_t *data, size_t bytes);

/* The file is at its end. Returns the number of bytes that complete its last record, at *missing until the next call; 0
 * if none are missing, or it was ended before. The run ends if it cannot be completed: a short group of lines or
 * fixed-size record, a record that is cut short, or an open quote. */
size_t tail_end(struct tail *tail, const char *name, const uint8_t **missing);
