#pragma once

/*
 * What a record is. The bytes of whole records, put one after another in any order, are again a sequence of the same
 * records: that is what lets a pile be a plain run of bytes, in memory and on disk.
 *
 * Records that start with a string instead of ending with one (--records=start:) are brought into this form by moving
 * the string: of the lines ">a", "A", ">b", "C" the first ">" is taken away and one is put at the end, so that each
 * record, "a\nA\n>" and "b\nC\n>", ends with the delimiter "\n>". After the shuffle it moves back.
 *
 * A group is a record that consists of others, or of members of an archive: it is brought into a form that shows where
 * it ends (group.h), which is taken away after the shuffle.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/quotes.h"

enum { RECORD_DELIMITER_BYTES_MAX = 255 };

struct record_kind;

struct record_format {
    const struct record_kind *kind; /* NULL: it ends with the delimiter byte and holds it nowhere else, as lines do */
    uint8_t delimiter;              /* what ends a line, or the record if there is no kind */
    const uint8_t *string;          /* of kinds that have one; the caller's */
    size_t string_bytes;            /* at most RECORD_DELIMITER_BYTES_MAX */
    uint64_t count;                 /* of kinds that have one: at least 1 */
    struct quotes_rule quotes;      /* of CSV */
    const struct record_kind *as;   /* what was asked for, if that stands for `kind`; its files are checked; or NULL */
};

/* What records start with, behind newlines; NULL and 0 bytes if that is nothing in particular. */
const uint8_t *record_start(const struct record_format *format, size_t *bytes);

/* How the length with which a record begins is written. */
enum length_coding {
    LENGTH_TFRECORD, /* 8 bytes, little-endian, and a checksum of them; there is another one after the data */
    LENGTH_U32LE,    /* 4 or 8 bytes, little- or big-endian */
    LENGTH_U32BE,
    LENGTH_U64LE,
    LENGTH_U64BE,
    LENGTH_FRAME, /* 8 bytes, little-endian, and one byte more follows the data */
    LENGTH_VARINT /* up to 10 bytes with 7 bits each, the lowest ones first; all but the last have the high bit set */
};

/* Where in a record that begins with its length a stream of bytes stands. Zeroed: at its beginning. */
struct length_scan {
    uint64_t left;    /* bytes that follow the length */
    unsigned taken;   /* bytes of a length that is not whole, */
    uint8_t head[10]; /* and these */
};

/* Where in a record a stream stands. Zeroed: at its beginning. It may be copied, to scan the same bytes again. */
struct record_scan {
    uint64_t done;            /* of the record: lines, or bytes, or bytes of the delimiter that may have begun */
    bool open;                /* the last byte ended no record, and no line of one */
    enum quotes_state quotes; /* CSV */
    struct length_scan length;
};

/* As record_ends, below. */
typedef size_t record_ends_function(const struct record_format *format, struct record_scan *scan, const uint8_t *data,
                                    size_t bytes, uint32_t *ends, size_t room, size_t *scanned);

/* The argument of a kind, behind its name and a colon. */
enum record_argument {
    RECORD_ALONE, /* nothing */
    RECORD_COUNT, /* record_format.count, a whole number */
    RECORD_BYTES, /* the same as a size, which may have a unit */
    RECORD_LINE   /* record_format.string behind a newline: with it their first line begins, or their last line is it */
};

/* What is true of a kind, and what goes with it. */
enum record_trait {
    RECORD_OF_LINES = 1,     /* it is made of lines; options may say what ends them */
    RECORD_QUOTED = 2,       /* it has fields, and no newline or separator stands within double quotes */
    RECORD_HEADER = 4,       /* so many bytes may come before the first record, */
    RECORD_HEADER_COUNT = 8, /* so many lines or records, */
    RECORD_TEXT = 16,        /* or, as it is text, lines that begin with something */
    RECORD_STARTS = 32,      /* it starts with a string, which format.string has behind one newline, or two */
    RECORD_FIXED = 64,       /* it has format.count bytes */
    RECORD_GROUP = 128,      /* within the program it is a group (group.h) */
    RECORD_DOUBTFUL = 256,   /* other text may happen to begin like a file of it */
    RECORD_LAST_LINE = 512   /* its last line is known; blank lines at the end of a file are of none, and left out */
};

struct tail;

/* A kind of records: what each module of a kind fills in. A function that is NULL has nothing to do. */
struct record_kind {
    /* For --records, --help, and messages. */
    const char *name;
    const char *argument;   /* what --help calls it; NULL if there is none */
    const char *text;       /* what --help says; a newline continues on the next line */
    const char *stands_for; /* another kind and its argument; then there is no more but: */
    bool looks;             /* the beginnings of files are looked at before any is read */
    const char *noun;       /* in the plural; NULL: "records" */
    const char *string;     /* record_format.string, if it is always the same; else NULL */
    enum record_argument takes;
    unsigned traits;

    /* For a file that begins like one of this kind while other records are asked for: what it is, "a TFRecord file". */
    const char *file;
    bool (*is_begun)(const uint8_t *data, size_t bytes);

    /* Ends of records (record.h). `advance` NULL: `ends` does it. `missing` NULL: text lacks the delimiter byte; others
     * cannot be completed. */
    record_ends_function *ends;
    void (*advance)(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes);
    ssize_t (*missing)(const struct record_format *format, const struct record_scan *scan, const uint8_t **missing);

    /* Files (tail.h): end the run if one of so many bytes cannot be whole; see the next bytes, instead of only moving
     * the scan on; see that the last record lacks nothing but its end; end the run since it cannot be completed. */
    void (*check_size)(const struct tail *tail, const char *name, uint64_t bytes);
    void (*follow)(struct tail *tail, const char *name, const uint8_t *data, size_t bytes);
    void (*check_last)(const struct tail *tail, const char *name);
    void (*refuse)(const struct tail *tail, const char *name);

    enum length_coding coding; /* length.c */
};

/* All of them, in the order of --help. */
#define RECORD_KINDS(ROW)                                                                                              \
    ROW(lines_kind)                                                                                                    \
    ROW(sizes_kind)                                                                                                    \
    ROW(string_start_kind)                                                                                             \
    ROW(last_line_end)                                                                                                 \
    ROW(last_line_paragraph)                                                                                           \
    ROW(csv_kind)                                                                                                      \
    ROW(string_mbox_kind)                                                                                              \
    ROW(string_pgn_kind)                                                                                               \
    ROW(sequences_fasta)                                                                                               \
    ROW(sequences_fastq)                                                                                               \
    ROW(tar_kind)                                                                                                      \
    ROW(length_kinds_tfrecord)                                                                                         \
    ROW(length_kinds_u32le)                                                                                            \
    ROW(length_kinds_u32be)                                                                                            \
    ROW(length_kinds_u64le)                                                                                            \
    ROW(length_kinds_u64be)                                                                                            \
    ROW(length_kinds_varint)

#define RECORD_DECLARE(row) extern const struct record_kind row;
RECORD_KINDS(RECORD_DECLARE)

/* What ends with a string of any bytes (--delimiter), which is no KIND. */
extern const struct record_kind string_delimiter_kind;

/* Their addresses, and NULL. */
extern const struct record_kind *const record_kinds[];

/* The one with this name, which is `bytes` long; NULL if there is none. */
const struct record_kind *record_kind_of_name(const char *name, size_t bytes);

/* That of a format; never NULL. */
const struct record_kind *record_kind(const struct record_format *format);

/* Make a kind that of the format, of which `string` is to be the string: it receives that of the kind, if it has one.
 */
void record_take(struct record_format *format, const struct record_kind *kind, uint8_t *string);

/* What its records are called. */
const char *record_noun(const struct record_kind *kind);

/* Is one of these traits true of records of this format? */
bool record_is(const struct record_format *format, unsigned traits);

/* Find the ends of records in data[0, bytes), the next bytes of the stream in which `scan` stands, and move it on. As
 * with scan_find (scan.h), ends[i] receives the offset after the i-th record's last byte, `bytes` is less than 2^32, no
 * more than `room` are found, and *scanned receives how many bytes were looked at: the offset after the last end when
 * room ran out, else `bytes`. No byte outside data[0, bytes) is read. Returns the number of ends. */
size_t record_ends(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes,
                   uint32_t *ends, size_t room, size_t *scanned);

/* How many ends there are in data[0, bytes), at least one byte. *whole says whether the last byte is such an end. */
uint64_t record_count(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes,
                      bool *whole);

/* Move the scan on behind the `count`-th end in data[0, bytes), or behind all of the data if there are fewer. `bytes` <
 * 2^32. Returns how many bytes. */
size_t record_skip(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes,
                   size_t count);

/* Move the scan on without looking for the ends, which is faster for most kinds. */
void record_advance(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes);

/* At the end of an input, which has no groups: find the bytes that are missing from the record in which `scan` stands.
 * *missing points to them, in the format. Returns their number, 0 at the beginning of a record, or -1 if it cannot be
 * completed: a short group of lines, a part of a fixed size or length, an open quote. If the input ends with the first
 * bytes of the delimiter, these are data, and the whole delimiter is missing; but if the delimiter would then be found
 * earlier ("\n" and "\n\n"), only the bytes that complete it there are missing. If the format `starts`, any input has
 * begun a record, so something is always missing; the last line may have its newline. */
ssize_t record_missing(const struct record_format *format, const struct record_scan *scan, const uint8_t **missing);
