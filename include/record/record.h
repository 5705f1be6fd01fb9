#pragma once

/*
 * What a record is. Whole records, put one after another in any order, are again a sequence of the same records: so a
 * pile can be a plain run of bytes, in memory and on disk.
 *
 * Records that start with a string instead of ending with one (--records=start:) are brought into this form by moving
 * the string: of the lines ">a", "A", ">b", "C" the first ">" is taken away and one is put at the end, so that each
 * record, "a\nA\n>" and "b\nC\n>", ends with the delimiter "\n>". After the shuffle it moves back.
 *
 * A group, a record that consists of members of an archive, is brought into a form that shows where it ends (group.h),
 * which is removed after the shuffle.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/quotes.h"

enum { RECORD_DELIMITER_BYTES_MAX = 255 };

struct record_kind;

struct record_format {
    const struct record_kind *kind; /* NULL: each ends with the delimiter byte and has it nowhere else, as lines do */
    uint8_t delimiter;              /* ends a line, or the record if `kind` is NULL */
    const uint8_t *string;          /* for kinds with a string; the caller's */
    size_t string_bytes;            /* at most RECORD_DELIMITER_BYTES_MAX */
    uint64_t count;                 /* for kinds with a count: at least 1 */
    struct quotes_rule quotes;      /* of CSV */
    const struct record_kind *as; /* the kind that the user named, if it stands for `kind`; it checks files; or NULL */
};

/* The string with which records start, without newlines before it; NULL and 0 bytes if there is none. */
const uint8_t *record_start(const struct record_format *format, size_t *bytes);

/* Forms of the length with which a record begins. */
enum length_coding {
    LENGTH_TFRECORD, /* 8 bytes, little-endian, and their checksum; another checksum after the data */
    LENGTH_U32LE,    /* 4 or 8 bytes, little- or big-endian */
    LENGTH_U32BE,
    LENGTH_U64LE,
    LENGTH_U64BE,
    LENGTH_FRAME, /* 8 bytes, little-endian; the data is followed by one more byte */
    LENGTH_VARINT /* up to 10 bytes with 7 bits each, the lowest ones first; all but the last have the high bit set */
};

/* The position of a stream within a record that begins with its length. Zeroed: at its beginning. */
struct length_scan {
    uint64_t left;    /* bytes of the record to come, once its length is known */
    unsigned taken;   /* bytes of an incomplete length, */
    uint8_t head[10]; /* in `head` */
};

/* The position of a stream within a record. Zeroed: at its beginning. May be copied, to scan the same bytes again. */
struct record_scan {
    uint64_t done;            /* lines or bytes of the record; or bytes of the delimiter that it may end with */
    bool open;                /* did the last byte end neither a record nor a line? */
    enum quotes_state quotes; /* CSV */
    struct length_scan length;
};

/* As record_ends, below. */
typedef size_t record_ends_function(const struct record_format *format, struct record_scan *scan, const uint8_t *data,
                                    size_t bytes, uint32_t *ends, size_t room, size_t *scanned);

/* The argument of a kind, after its name and a colon. */
enum record_argument {
    RECORD_ALONE, /* nothing */
    RECORD_COUNT, /* record_format.count, a whole number */
    RECORD_BYTES, /* the same, written as a size with a unit */
    RECORD_LINE   /* record_format.string after a newline: the first line begins with it, or the last line is it */
};

/* What is true of a kind, and what options go with it. */
enum record_trait {
    RECORD_OF_LINES = 1,     /* records are made of lines; options may say what ends them */
    RECORD_QUOTED = 2,       /* records have fields; newlines and separators within double quotes are text */
    RECORD_HEADER = 4,       /* --header=bytes:N is allowed, */
    RECORD_HEADER_COUNT = 8, /* and --header=N, */
    RECORD_TEXT = 16,        /* and --header=start:STRING: the kind is text */
    RECORD_STARTS = 32,      /* records start with a string: that in format.string, after its one or two newlines */
    RECORD_FIXED = 64,       /* records have format.count bytes */
    RECORD_GROUP = 128,      /* within the program, records are groups (group.h) */
    RECORD_DOUBTFUL = 256,   /* other text may begin like a file of the kind */
    RECORD_LAST_LINE = 512   /* the last line of records is known; blank lines at the end of a file are left out */
};

struct tail;

/* A kind of records: what the module of each kind fills in. A function that is NULL would do nothing. */
struct record_kind {
    /* For --records, --help, and messages. */
    const char *name;
    const char *argument;   /* its name in --help; NULL: none */
    const char *text;       /* for --help, in one or more lines */
    const char *stands_for; /* another kind and its argument, which then finds the ends; or NULL */
    bool looks;             /* are the beginnings of all files looked at before one is read? */
    const char *noun;       /* in the plural; NULL: "records" */
    const char *string;     /* record_format.string, if it is always the same; else NULL */
    enum record_argument takes;
    unsigned traits;

    /* For a hint about a file that begins like one of this kind, but is read as another: "a TFRecord file". */
    const char *file;
    bool (*is_begun)(const uint8_t *data, size_t bytes);

    /* Ends of records, for record_ends, record_advance, record_missing. `advance` NULL: `ends` is called. `missing`
     * NULL: text lacks the delimiter byte; other records cannot be completed. */
    record_ends_function *ends;
    void (*advance)(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes);
    ssize_t (*missing)(const struct record_format *format, const struct record_scan *scan, const uint8_t **missing);

    /* Checks of files, for tail.h: end the run if a file of `bytes` bytes cannot be whole; check the next bytes, and
     * move the scan on; check that the last record lacks only its end; end the run since it cannot be completed. */
    void (*check_size)(const struct tail *tail, const char *name, uint64_t bytes);
    void (*follow)(struct tail *tail, const char *name, const uint8_t *data, size_t bytes);
    void (*check_last)(const struct tail *tail, const char *name);
    void (*refuse)(const struct tail *tail, const char *name);

    enum length_coding coding; /* length.c */
};

/* All kinds, in the order of --help. */
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

/* Records that end with a string (--delimiter), which --records does not name. */
extern const struct record_kind string_delimiter_kind;

/* Their addresses, and NULL. */
extern const struct record_kind *const record_kinds[];

/* The kind called name[0, bytes), or NULL. */
const struct record_kind *record_kind_of_name(const char *name, size_t bytes);

/* The kind of a format; never NULL. */
const struct record_kind *record_kind(const struct record_format *format);

/* Set the kind of a format, and its string to `string`, which receives the kind's own string if it has one. */
void record_take(struct record_format *format, const struct record_kind *kind, uint8_t *string);

/* What the kind's records are called. */
const char *record_noun(const struct record_kind *kind);

/* Is one of these traits true of records of this format? */
bool record_is(const struct record_format *format, unsigned traits);

/* Find the ends of records in data[0, bytes), the next bytes of the stream in which `scan` stands, and move it on. As
 * scan_find (scan.h): ends[i] receives the offset after the i-th record's last byte, `bytes` is less than 2^32, at most
 * `room` ends are found, and *scanned receives the number of bytes looked at: the last end if room ran out, else
 * `bytes`. No byte outside data[0, bytes) is read. Returns the number of ends. */
size_t record_ends(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes,
                   uint32_t *ends, size_t room, size_t *scanned);

/* How many ends there are in data[0, bytes), at least one byte. *whole says whether the last byte is such an end. */
uint64_t record_count(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes,
                      bool *whole);

/* Move the scan on to the `count`-th end in data[0, bytes), or to the end of the data if there are fewer. `bytes` <
 * 2^32. Returns the number of bytes passed. */
size_t record_skip(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes,
                   size_t count);

/* Move the scan on over all of data[0, bytes), which for most kinds is faster than finding the ends. */
void record_advance(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes);

/* At the end of an input without groups: find the bytes that complete the record in which `scan` is. *missing points to
 * them, in the format. Returns their number, 0 at the beginning of a record, or -1 if the record cannot be completed: a
 * short group of lines, a part of a fixed size or length, an open quote. If the input ends with the first bytes of the
 * delimiter, these are data, and the whole delimiter is missing; but if the delimiter would then be found earlier ("\n"
 * and "\n\n"), only the bytes that complete it there are missing. If records start with a string, every input has begun
 * a record, so bytes are always missing; the last line may have its newline. */
ssize_t record_missing(const struct record_format *format, const struct record_scan *scan, const uint8_t **missing);

/* The latest bytes of a stream, kept back since they may be a delimiter that is not wanted. Zeroed: none. */
struct record_kept {
    size_t bytes;
    uint8_t data[RECORD_DELIMITER_BYTES_MAX];
};

/* Put what was kept, and then data[0, bytes), but for the last `most` bytes, which are kept. */
void record_put_but_last(struct record_kept *kept, size_t most, const uint8_t *data, size_t bytes,
                         void (*put)(void *context, const uint8_t *data, size_t bytes), void *context);
