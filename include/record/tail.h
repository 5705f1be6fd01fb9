#pragma once

/* The end of an input file: the bytes that its last record lacks, or why there are none. On the way, errors are
 * reported. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/record.h"

/* A file of which places are told. Zeroed: at its beginning. */
struct length_check {
    uint64_t start;          /* in the file: of the record that is open, or comes next, */
    uint64_t at;             /* and of the next byte */
    struct length_scan scan; /* there; LENGTH_TFRECORD has instead: */
    uint8_t head[12];        /* the length and its checksum, */
    uint8_t sum[4];          /* and that of the data, as far as they have come, */
    uint32_t crc;            /* and the one of the data that have */
};

/* A read of FASTQ. Zeroed: at its beginning. */
struct tail_read {
    uint64_t passed;  /* bytes of the line that is open */
    uint64_t letters; /* of its second line */
    bool returns;     /* the last byte was a carriage return */
};

struct tail {
    const struct record_format *format;
    bool after_header; /* files begin with a header: messages say so */
    bool replaced;     /* an input is also the output: what would be warned of is an error; for the caller to set */
    bool told;         /* the first thing that is to be warned of, which is once: also when files are read again */
    struct record_scan scan;
    struct length_check lengths; /* of records with a length, in place of the scan; places, if a last line is known */
    bool open;                   /* the file has begun, and nothing has ended it */
    uint8_t last;                /* byte of the file */
    struct tail_read read;
    uint64_t newlines;    /* CSV, FASTQ: in the file so far, */
    uint64_t passed;      /* and those before the records */
    size_t blank;         /* of the last bytes that came: blank lines after a record, and of none if nothing follows */
    uint64_t quote_line;  /* CSV: in which the last quote opened, if it is still open */
    bool newline;         /* one has been seen before the first end of all, or with it */
    bool end_known;       /* the first end of all has been seen ... */
    bool carriage_return; /* ... and was CRLF: CSV */
};

void tail_init(struct tail *tail, const struct record_format *format, bool after_header);

/* A file that cannot be whole with `bytes` bytes of records ends the run. (Of an archive, only that is seen here.) */
void tail_check_size(struct tail *tail, const char *name, uint64_t bytes);

/* A file begins. */
void tail_begin(struct tail *tail);

/* Bytes of it that are no records have gone by, before the records. */
void tail_pass(struct tail *tail, const uint8_t *data, size_t bytes);

/* Its next bytes have come; none, if it has nothing but a header or the start of its first record. A length
 * or checksum that is wrong, and a first record without its mark, ends the run. */
void tail_follow(struct tail *tail, const char *name, const uint8_t *data, size_t bytes);

/* May bytes go by that it is not shown, unless they are the file's last ones? */
bool tail_may_pass_over(const struct tail *tail);

/* For kinds, when the next bytes have come, at least one: look for the first end of all, if it is not known. */
void tail_learn_end(struct tail *tail, const uint8_t *data, size_t bytes);

/* The file is at its end. Returns how many bytes complete its last record, which stand at *missing until the next call;
 * 0 if it has no record or was ended before. What cannot be completed ends the run: a short group of lines or
 * fixed-size record, a record that is cut short, or an open quote. */
size_t tail_end(struct tail *tail, const char *name, const uint8_t **missing);
